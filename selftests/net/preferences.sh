#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Preference tables in every mode: which ports packets for a target take, and that changes of the
# table lose, double and reorder nothing.
#
#   preferences.sh [-l] [MODE...]
#
# All modes without a MODE.  With -l each has 10,000 packets and 100 changes; else the first one has
# 10,000 and 40, and the others have fewer.
#
#	0 --- 1 --- 2		site 0 reaches site 8 by port 1 (+x) and by port 3 (+y),
#	|     |     |		and site 2 by port 1 alone
#	3 --- 4 --- 5
#	|     |     |
#	6 --- 7 --- 8
#
# shellcheck disable=SC2317 # functions are called through the helpers
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
long='' changes=40 packets=10000
[ "${1-}" != -l ] || { long=1 changes=100; shift; }
[ $# -gt 0 ] || set -- vnet postman csr care
shares=$top/build/selftests/sock/shares
[ -x "$shares" ] || shares=$here/../sock/shares
[ -x "$shares" ] || skip_all "needs $shares: make tests"
lab=prefer$$
jobs=()
# Packets of the network device itself, such as reports of multicast groups.
own=3

cleanup()
{
	[ ${#jobs[@]} -eq 0 ] || kill "${jobs[@]}" 2>/dev/null
	fc lab down name "$lab" >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT

# Sets $one and $three: the packets that site 0 has sent by these ports.
count()
{
	local said

	said=$(at 0 -s -j link show)
	[[ ${said#*'"port":1,'} =~ '"tx_packets":'([0-9]+) ]] && one=${BASH_REMATCH[1]}
	[[ ${said#*'"port":3,'} =~ '"tx_packets":'([0-9]+) ]] && three=${BASH_REMATCH[1]}
}

# sends KIND COUNT [FLOWS]: so many to site 8; then $one and $three are those by each port
sends()
{
	local one_before three_before

	count
	one_before=$one three_before=$three
	"$shares" "$1" "$lab" 0 8 "${@:2}" || return
	count
	one=$((one - one_before)) three=$((three - three_before))
	echo "port 1: $one, port 3: $three"
}

# takes NAME EXPRESSION KIND COUNT [FLOWS]: all arrives, and that is true of $one and $three; mode csr
# has no datagrams
takes()
{
	local name=$1 expression=$2

	shift 2
	[ "$mode $1" != "csr datagrams" ] || return
	run sends "$@"
	[ "$status" -eq 0 ] && ((expression))
	result $? "$name"
}

table() { at 0 route set to "$@"; }
forget() { at 0 route del to "$1"; }
port_is() { [[ $(at 0 link show port "$1") =~ \ state\ $2( |$) ]]; }

# link PORT up|down
link()
{
	ip -n "$lab-0" link set "p$1" "$2"
	if [ "$2" = up ]; then
		becomes 30 port_is "$1" up && becomes 30 calm 0
	else
		becomes 30 gone "$1"
	fi
}
gone() { ! port_is "$1" up; }

order()
{
	accepts "$mode: port 3 is preferred" table 8 prefer 3
	takes "$mode: all messages take it" 'three >= 200 && one <= own' messages 200
	takes "$mode: all datagrams take it" 'three >= 200 && one <= own' datagrams 200 50
	accepts "$mode: port 1 is preferred, instead" table 8 prefer 1,3
	takes "$mode: all messages take that" 'one >= 200 && three <= own' messages 200
	link 1 down
	takes "$mode: its link is down: they take the other" 'three >= 200 && one <= own' messages 200
	link 1 up
	takes "$mode: it is up again: they take it" 'one >= 200 && three <= own' messages 200
	accepts "$mode: the entry is deleted" forget 8
}

exclusion()
{
	accepts "$mode: never port 1" table 8 never 1
	takes "$mode: no message takes it" 'three >= 200 && one <= own' messages 200
	takes "$mode: no datagram takes it" 'three >= 200 && one <= own' datagrams 200 50
	link 3 down
	takes "$mode: the other is down: they take it after all" 'one >= 200 && three <= own' \
		messages 200
	accepts "$mode: never port 1, strictly" table 8 never 1 strict
	count
	before=$one
	refuses "$mode: there is no route then" 1 'no route|unreachable|not delivered|timed out' \
		at 0 send --to 8:4711 --timeout 1 --confirm lost
	count
	[ "$one" -le $((before + own)) ]
	result $? "$mode: nothing has taken port 1"
	link 3 up
	takes "$mode: port 3 is up again: all take it" 'three >= 200 && one <= own' messages 200
	accepts "$mode: the entry is deleted" forget 8
}

# Two of three by port 1, to 5 %.
weights()
{
	local share='100 * one >= 95 * (one + three) * 2 / 3 && 100 * one <= 105 * (one + three) * 2 / 3'

	accepts "$mode: weights of 2 and 1" table 8 weights 1:2,3:1
	takes "$mode: messages, 2:1" "one + three >= packets && $share" messages "$packets"
	# A share of 256 flows deviates by more than 5 % where the hash is random.
	takes "$mode: flows of datagrams, by both" 'one > three && three > 0' datagrams 2560 256
	accepts "$mode: the entry is deleted" forget 8
}

refusals()
{
	refuses "$mode: the last way" 1 'site 8 would have no way left' table 8 never 1,3
	refuses "$mode: the last way of one of a set" 1 'site 2 would have no way left' \
		table 2,8 never 1
	accepts "$mode: a set" table 4-5,8 prefer 3
	refuses "$mode: sets that overlap" 1 . table 7-8 prefer 1
	accepts "$mode: all others" table all prefer 1
	takes "$mode: the set counts before all" 'three >= 100 && one <= own' messages 100
	refuses "$mode: an unknown port" 1 'port' table 7 prefer 9
	refuses "$mode: an unknown site" 1 . table 9 prefer 1
	refuses "$mode: an entry that there is not" 1 . forget 7
	refuses "$mode: a user" 1 'not permitted|CAP_NET_ADMIN' \
		on 0 setpriv --reuid 1000 --clear-groups "$flitcast" route set to 7 prefer 1
}

round_trip()
{
	accepts "$mode: an entry of each kind" table 7 weights 1:2,3:1
	run at 0 route show
	cp "$work/out" "$work/shown"
	prints "$mode: the set is shown" '4-5,8 ' at 0 route show
	run at 0 route save
	cp "$work/out" "$work/saved"
	for entry in all 4-5,8 7; do
		accepts "$mode: deleted: $entry" forget "$entry"
	done
	accepts "$mode: restored" at 0 route restore "$work/saved"
	run at 0 route show
	sed 's/ generation [0-9]*//' "$work/shown" | cmp -s - <(sed 's/ generation [0-9]*//' "$work/out")
	result $? "$mode: as it was"
	for entry in all 4-5,8 7; do
		forget "$entry"
	done
}

# One change after the other, at site 0 and in the middle of the lab.
change()
{
	local i how=("prefer 1,3" "prefer 3,1" "never 1" "never 3" "weights 1:2,3:1" "weights 1:1,3:3")

	for ((i = 0; i < changes; i++)); do
		# shellcheck disable=SC2086 # words
		at $((i % 2 * 4)) route set to 8 ${how[i / 2 % ${#how[@]}]} || return
	done
}

# large_table N: N entries of 8 sites each, as route save prints them
large_table()
{
	local i j sep='' to

	printf '{"flitcast": 1, "tables": [{"site": 1000, "routes": ['
	for ((i = 0; i < $1; i++)); do
		to=$((i * 15))
		for ((j = 1; j < 8; j++)); do
			to+=,$((i * 15 + 2 * j))
		done
		printf '%s{"to": "%s", "weights": [{"port": 1, "weight": 3}]}' "$sep" "$to"
		sep=', '
	done
	printf ']}]}\n'
}

# Dumps the routes of site 1000, whole and with a change after the first part, which the kernel
# makes when the request comes.
# shellcheck disable=SC2016 # no shell variables are meant
dump='
import socket, struct, subprocess, sys
netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
netlink.bind((0, 0))

def ask(kind, command, flags, attributes):
    body = struct.pack("=BBH", command, 1, 0) + attributes
    netlink.send(struct.pack("=IHHII", 16 + len(body), kind, 1 | flags, 1, 0) + body)

def answers():
    while True:
        data = netlink.recv(4096)
        while data:
            size, kind, flags = struct.unpack("=IHH", data[:8])
            if kind == 3:
                return
            yield flags, data[16:size]
            data = data[(size + 3) // 4 * 4:]
            if not flags & 2:
                return

def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)

ask(16, 3, 0, attribute(2, b"flitcast\0"))
reply = next(answers())[1][4:]
while struct.unpack("=H", reply[2:4])[0] != 1:
    reply = reply[(struct.unpack("=H", reply[:2])[0] + 3) // 4 * 4:]
family = struct.unpack("=H", reply[4:6])[0]
for change in False, True:
    ask(family, 9, 0x300, attribute(1, struct.pack("=I", 1000)))
    if change:
        subprocess.run([sys.argv[1], "route", "del", "to", "0,2,4,6,8,10,12,14", "site", "1000"],
                       check=True)
    parts = list(answers())
    marked = any(flags & 16 for flags, _ in parts)
    assert len(parts) > 60 and marked == change, (len(parts), marked)
'

bounds()
{
	accepts "a site of a large network" fc site add 1000 topology ring:1024
	large_table 63 >"$work/large"
	accepts "63 entries of 8 ranges are restored" fc route restore "$work/large"
	run fc route show
	[ "$(grep -c ' to ' "$work/out")" -eq 63 ]
	result $? "all of them are shown"
	accepts "the one for all others" fc route set to all prefer 1
	refuses "one more" 1 'too many entries' fc route set to 1020 prefer 1
	large_table 64 >"$work/large"
	refuses "a file with one more" 1 'no more entries' fc route restore "$work/large"
	accepts "a dump is marked if the table changes between its parts" python3 -c "$dump" "$flitcast"
	accepts "the site goes, with its table" fc site del 1000
}

# Lists of directions, in mode care: packets for site 2 go to and fro between 0 and 1.
circle()
{
	[ "$mode" = care ] || return
	refuses "care: a list that sends packets back" 0 'warning: a neighbour' \
		at 1 route set +x ports 2
	refuses "care: the error names the links" 1 'crossed 1024 links' \
		at 0 send --to 2:4711 --timeout 1 --confirm lost
	accepts "care: the default list" at 1 route del +x
}

ready() { grep -q ready "$1"; }

under_traffic()
{
	local what bad=0 i kinds=("messages 8" "messages 2,6,8" "connection 8" "datagrams 8")

	jobs=()
	[ "$mode" != csr ] || unset 'kinds[3]'
	for what in "${kinds[@]}"; do
		i=${#jobs[@]}
		"$shares" "${what% *}" "$lab" 0 "${what#* }" 0 8 >"$work/job.$i" 2>&1 &
		jobs+=($!)
		becomes 30 ready "$work/job.$i" || bad=1
	done
	result $bad "$mode: lists, unicasts, a connection and datagrams"
	accepts "$mode: $changes changes" change
	kill -USR1 "${jobs[@]}" 2>/dev/null
	for i in "${!jobs[@]}"; do
		wait "${jobs[i]}"
		status=$?
		sed 's/^/# /' "$work/job.$i"
		cp "$work/job.$i" "$work/out"
		[ $status -eq 0 ] && [ "$(sed -n 's/ sent$//p' "$work/job.$i")" -gt "$changes" ]
		result $? "$mode: ${kinds[i]}: all came, once"
	done
	jobs=()
	at 0 route del to 8
	at 4 route del to 8
}

bounds
for mode; do
	began=$SECONDS ip=(ip)
	[ "$mode" != csr ] || ip=()
	accepts "$mode: a lab" fc lab up mesh:3x3 mode "$mode" integrity end "${ip[@]}" name "$lab"
	becomes 30 calm 0
	order
	exclusion
	weights
	[ "$mode" != "$1" ] || refusals
	[ "$mode" != "$1" ] || round_trip
	circle
	under_traffic
	fc lab down name "$lab" >/dev/null 2>&1
	echo "# $mode: $((SECONDS - began)) s"
	[ "$long" ] || changes=20 packets=3000
done
finish
