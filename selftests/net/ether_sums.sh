#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Checksums of frames on the network devices, in flits so short that fragment lists are copied:
#
#	site 0 ===== site 1 ===== site 2
#	  |            | routes     | bridges, VLAN 7 too
#	 fc0         guest1       guest2
#
# The devices to the guests compute no checksums: the kernel has to complete those of each frame that
# site 0 sends, and segment it.  tcpdump judges the frames.
# shellcheck disable=SC2317 # functions are called through the helpers
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

lab=sums$$
for program in ethtool python3 tcpdump; do
	command -v "$program" >/dev/null || skip_all "needs $program"
done
for module in 8021q sch_ingress sch_netem cls_u32 act_pedit; do
	modprobe -q "$module" || skip_all "needs the kernel's $module"
done

cleanup()
{
	# shellcheck disable=SC2046 # a word for each job
	kill $(jobs -p) 2>/dev/null
	fc lab down name "$lab"
	ip netns del "$lab-guest1"
	ip netns del "$lab-guest2"
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT

# One process enters all namespaces: to start one for each takes long in a guest.  For each line
# FROM ADDRESS [TO] it sends UDP in one packet of a flit and in one of several, and by TCP what takes
# several segments, if it is told where the address is; otherwise it asks for a connection.
sender='
import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
data = os.urandom(60000)

def enter(name):
    with open(f"/var/run/netns/{sys.argv[1]}-{name}") as ns:
        if libc.setns(ns.fileno(), 0x40000000):
            raise OSError(ctypes.get_errno(), "setns")

def stream(source, address, target, family):
    enter(target)
    with socket.create_server(("", 5000), family=family) as server:
        enter(source)
        with socket.create_connection((address, 5000), 20) as s:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            with server.accept()[0] as to, to.makefile("rb") as came:
                return came.read() == data

for line in sys.stdin:
    source, address, *target = line.split()
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        same = not target or stream(source, address, target[0], family)
        enter(source)
        with socket.socket(family, socket.SOCK_DGRAM) as s:
            for size in 100, 15000:
                s.sendto(data[:size], (address, 9))
        if not target:
            with socket.socket(family, socket.SOCK_STREAM) as s:
                s.setblocking(False)
                s.connect_ex((address, 9))
        print("same" if same else "different", flush=True)
    except OSError as why:
        print(f"{address}: {why}", flush=True)
'

# guest SITE: guestN, a namespace behind a device of a site that computes no checksums
guest()
{
	ip netns add "$lab-guest$1" &&
		ip -n "$lab-$1" link add guest mtu 16000 type veth \
			peer name eth0 mtu 16000 netns "$lab-guest$1" &&
		on "$1" ethtool -K guest tx off >/dev/null &&
		on "guest$1" ethtool -K eth0 tx off >/dev/null &&
		ip -n "$lab-$1" link set guest up &&
		ip -n "$lab-guest$1" link set eth0 up
}

# has SITE DEVICE IPV4 IPV6: addresses
has()
{
	on "$1" sh -c "echo 0 >/proc/sys/net/ipv6/conf/$2/disable_ipv6" &&
		ip -n "$lab-$1" addr replace "$3" dev "$2" &&
		ip -n "$lab-$1" addr add "$4" dev "$2" nodad
}

# GRO, too, makes segments one frame, with a partial checksum: at site 1 all these are the sender's.
prepare()
{
	guest 1 && guest 2 && on 1 ethtool -K fc0 gro off &&
		on 1 sh -c 'cd /proc/sys/net; echo 1 >ipv4/ip_forward; echo 1 >ipv6/conf/all/forwarding' &&
		has 0 fc0 "$(address 0)/16" fd00::10/64 && has 1 fc0 "$(address 1)/16" fd00::11/64 &&
		has 1 guest 10.99.0.1/24 fd99::1/64 && has guest1 eth0 10.99.0.2/24 fd99::2/64 &&
		ip -n "$lab-guest1" route add default via 10.99.0.1 &&
		ip -n "$lab-guest1" route add default via fd99::1 &&
		ip -n "$lab-0" route add 10.99.0.0/24 via "$(address 1)" &&
		ip -n "$lab-0" route add fd99::/64 via fd00::11 &&
		ip -n "$lab-2" link add br0 type bridge &&
		ip -n "$lab-2" link set fc0 master br0 &&
		ip -n "$lab-2" link set guest master br0 &&
		ip -n "$lab-2" link set br0 up &&
		has guest2 eth0 10.254.0.100/16 fd00::100/64 &&
		ip -n "$lab-0" link add link fc0 v7 type vlan id 7 &&
		ip -n "$lab-guest2" link add link eth0 v7 type vlan id 7 &&
		ip -n "$lab-0" link set v7 up && ip -n "$lab-guest2" link set v7 up &&
		has 0 v7 10.77.0.10/24 fd77::10/64 && has guest2 v7 10.77.0.100/24 fd77::100/64
}

# From site 0 to site 1: a file that changes while its first bytes wait in a slow link.
changes='
import ctypes, os, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
lab, address, link, name = sys.argv[1:]

def enter(site):
    with open(f"/var/run/netns/{lab}-{site}") as ns:
        if libc.setns(ns.fileno(), 0x40000000):
            raise OSError(ctypes.get_errno(), "setns")

enter(1)
server = socket.create_server(("", 5001))
enter(0)
with socket.create_connection((address, 5001), 20) as s, open(name, "w+b", 0) as file:
    to = server.accept()[0]
    file.write(b"a" * 4000)
    subprocess.run(["tc", "qdisc", "add", "dev", link, "root", "netem", "delay", "500ms"], check=True)
    sent = os.sendfile(s.fileno(), file.fileno(), 0, 4000)
    file.seek(0)
    file.write(b"b" * 4000)
    came = to.recv(sent, socket.MSG_WAITALL)
    subprocess.run(["tc", "qdisc", "del", "dev", link, "root"], check=True)
    sys.exit(came != b"a" * sent)
'

# sends FROM ADDRESS [TO]: what $sender does
sends()
{
	local answer

	echo "$*" >&"${senders[1]}"
	read -r -t 60 answer <&"${senders[0]}"
	echo "$answer" >&2
	[ "$answer" = same ]
} 2>"$work/sent"

# capture SITE DEVICE: what comes there, into $work/SITE
capture()
{
	on "$1" timeout 60 tcpdump -i "$2" -Q in -B 16384 -nn -vv -l --immediate-mode \
		>>"$work/$1" 2>"$work/log$1" &
	becomes 20 grep -q "listening on" "$work/log$1"
}

# verdicts SITE: the kinds of captured frames of site 0, each with what tcpdump says of its checksum:
# TCP without segments to be cut, and with; UDP by its length.  Acks may be of no socket, and then they
# are always complete.
verdicts()
{
	awk '
	match($0, /(10\.254\.0\.0|10\.77\.0\.10|fd[07][07]::10)\.[0-9]+ > /) {
		from = substr($0, RSTART); sub(/\.[0-9]+ > .*/, "", from)
		size = $0; sub(/.*length /, "", size); size += 0
		if (/ UDP, length /)
			print from, "UDP" size, (/\[udp sum ok\]/ ? "right" : "wrong")
		else if (/ cksum 0x/ && (size || /Flags \[S\]/))
			print from, (size > 16000 ? "GSO" : "TCP"), (/\(correct\)/ ? "right" : "wrong")
	}' "$work/$1" | sort -u
}

# expected VERDICT KINDS ADDRESS...: as verdicts() prints it
expected()
{
	local from kind

	for from in "${@:3}"; do
		for kind in $2; do
			echo "$from $kind $1"
		done
	done | sort
}

# shows SITE VERDICT KINDS ADDRESS...
shows() { verdicts "$1"; [ "$(verdicts "$1")" = "$(expected "${@:2}")" ]; }

# check NAME SITE VERDICT KINDS ADDRESS...: it shows that, and nothing else
check()
{
	becomes 10 shows "${@:2}"
	result $? "$1"
}

# Counters of site 0 of packets to ports without a socket: with a wrong checksum, and answered.
counters()
{
	on 0 nstat -asz UdpInCsumErrors Udp6InCsumErrors TcpInCsumErrors UdpNoPorts Udp6NoPorts TcpOutRsts |
		awk '$2 ~ /^[0-9]+$/ { print $1, $2 }' | sort
}

# only_grew COUNTERS: since $work/before
only_grew()
{
	counters | diff "$work/before" - | awk '/^>/ { print $2 }' | tee "$work/grew"
	[ "$(xargs <"$work/grew")" = "$1" ]
}

# ends NAME COUNTERS FROM: packets from there to site 0 end in these counters, and in no others
ends()
{
	counters >"$work/before"
	sends "$3" "$(address 0)" && sends "$3" fd00::10 && becomes 10 only_grew "$2"
	result $? "$1"
}
wrong="TcpInCsumErrors Udp6InCsumErrors UdpInCsumErrors"
answered="TcpOutRsts Udp6NoPorts UdpNoPorts"

# From now on a byte of each packet of guest2 changes behind the device that it comes by: in the data of
# UDP, or the time stamp of TCP.
damage()
{
	tc -n "$lab-2" -batch - <<-END
		qdisc add dev guest clsact
		filter add dev guest ingress prio 1 protocol ip u32 match u8 0 0 at 0 \
			action pedit munge offset 50 u8 invert
		filter add dev guest ingress prio 2 protocol ipv6 u32 match ip6 protocol 17 0xff \
			action pedit munge offset 70 u8 invert
		filter add dev guest ingress prio 3 protocol ipv6 u32 match ip6 protocol 6 0xff \
			action pedit munge offset 70 u8 invert
	END
}

accepts "lab up" fc lab up line:3 ip flit 6000 integrity end name "$lab"
becomes 120 calm 0
result $? "no link is suspected"
accepts "guests: routed at site 1, bridged at site 2" prepare
{ coproc senders { python3 -c "$sender" "$lab"; } } 2>/dev/null
capture 1 fc0 && capture guest1 eth0 && capture guest2 eth0
result $? "tcpdump listens"
accepts "routed: IPv4" sends 0 10.99.0.2 guest1
accepts "routed: IPv6" sends 0 fd99::2 guest1
accepts "bridged: IPv4" sends 0 10.254.0.100 guest2
accepts "bridged: IPv6" sends 0 fd00::100 guest2
accepts "bridged: IPv4 with a tag" sends 0 10.77.0.100 guest2
accepts "bridged: IPv6 with a tag" sends 0 fd77::100 guest2
accepts "a file that changes comes as it was when it was sent" \
	python3 -c "$changes" "$lab" "$(address 1)" "$(on 0 sh -c 'cd /sys/class/net; echo p*')" "$work/file"
check "the device passes on checksums that are partial" 1 wrong "TCP GSO UDP100 UDP15000" \
	"$(address 0)" fd00::10
check "routed: checksums are right" guest1 right "TCP UDP100 UDP15000" "$(address 0)" fd00::10
check "bridged: checksums are right" guest2 right "TCP UDP100 UDP15000" "$(address 0)" fd00::10 \
	10.77.0.10 fd77::10
accepts "tx off: at site 0" on 0 ethtool -K fc0 tx off
: >"$work/1"
accepts "tx off: IPv4" sends 0 10.99.0.2 guest1
accepts "tx off: IPv6" sends 0 fd99::2 guest1
check "tx off: frames have right checksums when they come" 1 right "TCP UDP100 UDP15000" \
	"$(address 0)" fd00::10
accepts "guest2: a bridge port that verifies checksums" on 2 ethtool -K guest gro on
accepts "guest2: bytes change behind it" damage
ends "the sending host has verified a checksum: no other does" "$answered" guest2
accepts "rx off: at site 0" on 0 ethtool -K fc0 rx off
ends "rx off: the receiver verifies it" "$wrong" guest2
ends "rx off: partial ones are as before" "$answered" 1
accepts "guest2: a bridge port that does not" on 2 ethtool -K guest gro off
accepts "rx on" on 0 ethtool -K fc0 rx on
ends "nobody has verified a checksum: the receiver does" "$wrong" guest2
finish
