#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Multicast over the network devices: a frame crosses the links of the tree to the sites that
# listen to its group, and no others.  The addresses change, devices and sites come and go.
# shellcheck disable=SC2317 # functions are called through the helpers
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

lab=groups$$
group=239.1.2.3
mac=01:00:5e:01:02:03
many=300 # addresses: more than fit into a report

command -v python3 >/dev/null || skip_all "needs python3"
command -v ethtool >/dev/null || skip_all "needs ethtool"
trap 'fc lab down name "$lab"; rm -rf "$work"' EXIT

join() { ip -n "$lab-$1" addr add "$group/32" dev fc0 autojoin; }
leave() { ip -n "$lab-$1" addr del "$group/32" dev fc0; }

# One process enters all namespaces: to start one for each takes long in a guest.  For each line
# FROM COUNT it sends so many datagrams to the group from a site, and prints the sites whose device
# has received nearly all of them; a few frames are of others.  Or for a line SITE add or SITE del, the
# device of the site listens to $many more addresses, or no longer.
caster='
import ctypes, fcntl, socket, struct, sys, time
lab, group, many = sys.argv[1:]
SIOC = {"add": 0x8931, "del": 0x8932}  # SIOCADDMULTI, SIOCDELMULTI
libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000

def enter(site):
    with open(f"/var/run/netns/{lab}-{site}") as ns:
        if libc.setns(ns.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")

def received(site):
    enter(site)
    for line in open("/proc/thread-self/net/dev"):
        name, _, values = line.partition(":")
        if name.strip() == "fc0":
            return int(values.split()[1])
    return 0

def listen(site, call):
    enter(site)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for i in range(int(many)):
            mac = struct.pack(">HI", 0x3333, 0x1000 + i)
            fcntl.ioctl(s, call, struct.pack("16sH14s", b"fc0", 0, mac))

for line in sys.stdin:
    site, what = line.split()
    if what in SIOC:
        listen(int(site), SIOC[what])
        continue
    source, count = int(site), int(what)
    before = [received(site) for site in range(16)]
    enter(source)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for i in range(count):
            s.sendto(bytes(64), (group, 9))
            time.sleep(0.002)
    time.sleep(0.1)
    sites = [str(site) for site in range(16) if received(site) - before[site] >= 0.75 * count]
    print(",".join(sites), flush=True)
'
# Packets that links have carried.
carried()
{
	local site

	for ((site = 0; site < 16; site++)); do
		fc -n "$lab-$site" -j -s link show
	done | grep -oE '"tx_packets": *[0-9]*' | awk -F: '{ n += $2 } END { print n }'
}

# receivers [FROM [COUNT]]: sites that frames to the group reach
receivers()
{
	local sites

	echo "${1:-0} ${2:-20}" >&"${casts[1]}"
	read -r sites <&"${casts[0]}"
	echo "$sites"
}

# reach SITES [FROM]: these receive frames to the group
reach()
{
	receivers "${2:-0}" >"$work/out"
	[ "$(cat "$work/out")" = "$1" ]
}

# check NAME SITES [FROM]
check()
{
	becomes 10 reach "$2" "${3:-0}"
	result $? "$1"
}

# Do 100 frames cross $tree links each?  A few packets are of others, such as reports.  Sets $links.
by_tree()
{
	local before

	before=$(carried)
	receivers 0 100 >"$work/out"
	links=$(($(carried) - before))
	[ "$links" -ge $((100 * tree)) ] && [ "$links" -le $((100 * tree + 40)) ]
}

odd=1,3,5,7,9,11,13,15
accepts "lab up" fc lab up torus:4x4 ip name "$lab"
becomes 120 calm 0
result $? "no link is suspected"
for ((site = 0; site < 16; site++)); do
	ip -n "$lab-$site" route add 224.0.0.0/4 dev fc0
done
# The shell has another coprocess, and says so.
{ coproc casts { python3 -c "$caster" "$lab" "$group" "$many"; } } 2>/dev/null
check "no site listens" ""
for site in ${odd//,/ }; do
	join "$site"
done
check "eight sites listen" "$odd"
tree=$(fc trace to "$odd" from 0 topology torus:4x4 | grep -oE 'shortest tree [0-9]+' | grep -oE '[0-9]+')
becomes 20 by_tree
result $? "frames cross the links of the tree, each once"
echo "# 100 frames: packets on links $links, links of the tree $tree"
check "another site sends" "$odd" 2
leave 9
check "one leaves" "${odd/9,/}"
join 9
check "one joins" "$odd"
ip -n "$lab-5" link set fc0 down
check "a device goes down" "${odd/5,/}"
ip -n "$lab-5" link set fc0 up
check "and comes up" "$odd"
ip -n "$lab-0" link set fc0 down
ip -n "$lab-0" link set fc0 up
ip -n "$lab-0" route add 224.0.0.0/4 dev fc0
check "the sender has forgotten all, and asks" "$odd"
ip -n "$lab-2" link set fc0 promisc on
check "a site wants all frames" "1,2,${odd#1,}"
ip -n "$lab-2" link set fc0 promisc off
check "and no longer" "$odd"
echo 4 add >&"${casts[1]}"
check "a site listens to more than a report has" "1,3,4,${odd#1,3,}"
echo 4 del >&"${casts[1]}"
check "and to less" "$odd"
ip -n "$lab-8" maddr add "$mac" dev fc0
check "an address without a protocol" "1,3,5,7,8,${odd#1,3,5,7,}"
ip -n "$lab-8" maddr del "$mac" dev fc0
check "and without it" "$odd"
accepts "lab kill" fc lab kill name "$lab" 15
leave 3
join 6
check "while a site is dead, one leaves, one joins" "1,5,6,7,9,11,13"
accepts "lab revive" fc lab revive name "$lab" 15
check "the revived site has not joined again" "1,5,6,7,9,11,13"
ip -n "$lab-15" route add 224.0.0.0/4 dev fc0
check "and sends to those that listen now" "1,5,6,7,9,11,13" 15
mapfile -t devices < <(ip -n "$lab-15" -o link show type veth | grep -oE ' [^ @]+@' | tr -d ' @')
for device in "${devices[@]}"; do
	ip -n "$lab-15" link set "$device" down
done
leave 1
join 10
check "while the links of a site are down, one leaves, one joins" "5,6,7,9,10,11,13"
# Its device forgets all reports, and comes up when it can ask no site.
ip -n "$lab-15" link set fc0 down
ip -n "$lab-15" link set fc0 up
ip -n "$lab-15" route add 224.0.0.0/4 dev fc0
for device in "${devices[@]}"; do
	ip -n "$lab-15" link set "$device" up
done
check "it asks when they are up: its frames reach those that listen now" "5,6,7,9,10,11,13" 15
# counter SITE NAME
counter() { on "$1" ethtool -S fc0 | awk -v name="$2:" '$1 == name { print $2 }'; }
[ "$(counter 0 tx_unwanted)" -ge 20 ] && [ "$(counter 15 rx_reports)" -ge 15 ]
result $? "ethtool counts frames that nobody wants, and reports"
before=$(counter 3 tx_drop_own)
on 3 ip neigh replace 10.254.0.77 lladdr 02:fc:00:00:00:03 dev fc0
on 3 ping -q -c 3 -i 0.05 -W 0.1 10.254.0.77 >/dev/null
[ $(($(counter 3 tx_drop_own) - before)) -eq 3 ]
result $? "and frames to the own address"
fc lab down name "$lab"
# Ten targets, of twelve sites, would leave no room for data in the first flit.
accepts "lab up: short flits" fc lab up ring:12 mode care flit 266 ip name "$lab"
accepts "a list of targets fills a flit" on 0 ping -q -c 3 -i 0.05 -W 5 10.254.0.6
finish
