#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Damage on links, as cards and memory do it: at the site in the middle of three, bytes of frames are
# changed when they arrive.
#
#   damage.sh [MODE...]
#
# 1. Each byte that a link acts upon is damaged again and again: all of the link header of flits, and
#    all of statuses, control frames and reservations.  Each damaged frame is counted.
# 2. Data in flits is damaged, which links do not check (Documentation/protocol.rst, "Sum of a packet").
#    Each damaged packet is counted at its target.  The links are checked then, and count the others;
#    the link is suspected.
#
# 3. Byte 1,000 of any flit is damaged, under TCP and UDP over the network devices.
#
# Files go through in both directions meanwhile, and come whole; so does what TCP carries, and of UDP
# nothing wrong comes.
# shellcheck disable=SC2317 # accepts calls functions by name
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
lab=damage$$
modes=("${@:-vnet}")
# Seconds for a file.
limit=60
for module in sch_ingress cls_u32 act_gact act_pedit; do
	modprobe -q "$module" || skip_all "needs the kernel's $module"
done
end() { fc lab down name "$lab" >/dev/null 2>&1; rm -rf "$work"; }
trap end EXIT

# edits CHAIN EDIT...: tc commands that give one of the edits to each frame in a chain, to one after the
# other.  EDIT is BYTE:BITS, of the bits to be inverted.
edits()
{
	local chain=$1 edit

	shift
	for edit; do
		echo "filter add dev $dev ingress chain $chain protocol 0x88b5 prio $((1000 * chain + 500 - $#))" \
			"u32 match u8 0 0 at 0 action gact continue random determ pipe $#" \
			"action pedit munge offset ${edit%:*} u8 invert retain ${edit#*:}"
		shift
	done
}

# rules TYPE HOW EACH LAST: tc commands that damage one of EACH frames of a type: the bytes up to LAST in
# turn
rules()
{
	local bytes=()

	mapfile -t bytes < <(seq 0 "$4")
	echo "filter add dev $dev ingress protocol 0x88b5 prio $1 u32 match u8 $1 0xff at 1" \
		"action gact continue random $2 pipe $3 action gact goto chain $1"
	edits "$1" "${bytes[@]/%/:0xff}"
}

# Damages what arrives at site 1.  Statuses have 36 bytes, control frames with one entry 64, and
# reservations without targets 56.
damage()
{
	local dev

	for dev in p1 p2; do
		tc -n "$lab-1" qdisc add dev "$dev" clsact && {
			rules 2 determ 11 19
			rules 3 determ 3 35
			rules 4 netrand 9 63
			rules 6 netrand 9 55
		} | tc -n "$lab-1" -batch - || return
	done
}

# Damages data at site 1, in flits between the first and the last of a packet, which are full.  A packet
# has fewer flits than come between two edits, so one at most.
spoil()
{
	local dev

	for dev in p1 p2; do
		tc -n "$lab-1" qdisc add dev "$dev" clsact && {
			echo "filter add dev $dev ingress protocol 0x88b5 prio 1 u32 match u8 2 0xff at 1" \
				"match u8 0 0x7f at 3" \
				"action gact continue random determ pipe 61 action gact goto chain 1"
			edits 1 20:0xff 76:0xff 500:0x01 1000:0x80 1400:0xff
		} | tc -n "$lab-1" -batch - || return
	done
}

# Damages byte 1,000 of one of 23 flits at site 1.
spoil_any()
{
	local dev

	for dev in p1 p2; do
		tc -n "$lab-1" qdisc add dev "$dev" clsact &&
			tc -n "$lab-1" filter add dev "$dev" ingress protocol 0x88b5 prio 1 u32 \
				match u8 2 0xff at 1 action gact continue random determ pipe 23 \
				action pedit munge offset 1000 u8 invert || return
	done
}

# datagrams FROM TO: 500 of UDP, of which nine in ten come, and none is wrong
datagrams()
{
	local receiver code='
import hashlib, socket, sys
def data(i): return hashlib.sha256(b"%d" % i).digest() * 40
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
'

	on "$2" python3 -c "$code"'
s.bind(("", 7001)); s.settimeout(20); print("ready", flush=True)
good = wrong = 0
while True:
    d = s.recv(9000)
    if d == b"end": break
    i = int(d[:4]); good += d[4:] == data(i); wrong += d[4:] != data(i)
print(good, "good", wrong, "wrong")
sys.exit(wrong > 0 or good < 450)' >"$work/datagrams" &
	receiver=$!
	becomes 20 grep -q ready "$work/datagrams" && on "$1" python3 -c "$code"'
import time
for i in range(500):
    s.sendto(b"%04d" % i + data(i), (sys.argv[1], 7001))
    if i % 10 == 9: time.sleep(0.01)
for i in range(20):
    s.sendto(b"end", (sys.argv[1], 7001))' "$(address "$2")"
	wait "$receiver"
	receiver=$?
	cat "$work/datagrams"
	return "$receiver"
}

mends() { tc -n "$lab-1" qdisc del dev p1 clsact && tc -n "$lab-1" qdisc del dev p2 clsact; }

# Prints, by type of frame: how many were damaged, and in how many places.
damaged()
{
	local dev

	for dev in p1 p2; do
		tc -n "$lab-1" -s filter show dev "$dev" ingress
	done | awk '
		/ pref [0-9]+ / { for (i = 1; i < NF; i++) if ($i == "pref") pref = $(i + 1) }
		/action order/ { edits = /pedit/ }
		/Sent [0-9]+ bytes/ && edits {
			type = int(pref / 1000)
			frames[type] += $4
			places[type] += $4 > 0
			edits = 0
		}
		END { for (type in frames) print type, frames[type], places[type] }'
}

# sum_of SITE COUNTERS: of its links
sum_of()
{
	at "$1" -s -j link show | grep -oE "\"($2)\":[0-9]+" | awk -F : '{ n += $2 } END { print n + 0 }'
}

# Prints the sum of counters of the links of site 1.
counted() { sum_of 1 "$1"; }

# Are all damaged frames counted?  Polls go on for some time.
all_counted()
{
	damaged >"$work/damaged"
	frames=$(awk '{ n += $2 } END { print n + 0 }' "$work/damaged")
	found=$(counted 'rx_checksum|rx_malformed')
	[ "$found" -eq "$frames" ]
}

# Is all damage counted: of packets at the links by which they came to their targets, and of frames of
# links that are checked at site 1?
all_found()
{
	damaged >"$work/damaged"
	frames=$(awk '{ n += $2 } END { print n + 0 }' "$work/damaged")
	packets=$(($(sum_of 0 rx_damaged) + $(sum_of 2 rx_damaged) - before))
	found=$(($(counted rx_checksum) - checked))
	[ "$packets" -gt 0 ] && [ $((packets + found)) -eq "$frames" ]
}

# Was each byte of flits' link headers and of statuses damaged at both links?
all_places()
{
	damaged >"$work/damaged"
	grep -q '^2 [0-9]* 40$' "$work/damaged" && grep -q '^3 [0-9]* 72$' "$work/damaged"
}

# Does site 2 know that site 1 suspects both of its links?
suspected() { [ "$(at 2 topology faults | grep -c 'suspected by site 1')" -eq 2 ]; }

# Does the link of a site name the source of the last damaged packet?
names_source() { at "$1" link show "$2" | grep -q "damaged_source $3\$"; }

# file FROM TO: it arrives as it was sent
file()
{
	local receiver

	at "$2" recv --count 1 --timeout "$limit" --output "$work/got" &
	receiver=$!
	at "$1" send --to "$2" --wait 10 --timeout "$limit" --file "$work/image"
	wait "$receiver" && cmp "$work/image" "$work/got"
}

make_image 1000000
# The kernel's CRC-32C by tables takes ten times as long.
! grep -qs '^crc32c_generic .* [1-9]' /proc/modules
result $? "CRC-32C is made by instructions of the processor"
for mode in "${modes[@]}"; do
	accepts "$mode: a lab of three sites" fc lab up line:3 mode "$mode" integrity end ip name "$lab"
	run becomes 20 calm 1
	resets=$(counted resets)
	accepts "$mode: damage" damage
	for turn in {1..20}; do
		accepts "$mode: a file, $turn" file 0 2
		accepts "$mode: a file back, $turn" file 2 0
		! all_places || break
	done
	becomes 10 all_counted
	result $? "$mode: of $frames damaged frames $found are counted"
	sed 's/^/# type, damaged frames, places: /' "$work/damaged"
	all_places
	result $? "$mode: each byte of flits' link headers and of statuses was damaged at both links"
	accepts "$mode: no more damage" mends
	before=$(($(sum_of 0 rx_damaged) + $(sum_of 2 rx_damaged)))
	checked=$(counted rx_checksum)
	accepts "$mode: damage of data" spoil
	becomes 60 suspected &
	watcher=$!
	for turn in 1 2; do
		accepts "$mode: a file with damage of data, $turn" file 0 2
		accepts "$mode: a file back with damage of data, $turn" file 2 0
	done
	becomes 10 all_found
	result $? "$mode: of $frames damaged frames $packets packets and $found frames are counted"
	wait "$watcher"
	result $? "$mode: the faults of the network name both links"
	accepts "$mode: no more damage of data" mends
	accepts "$mode: damage of any flit" spoil_any
	accepts "$mode: TCP comes whole" tcp_copy 0 2 "$(address 2)" 7002
	accepts "$mode: no datagram of UDP comes wrong" datagrams 2 0
	accepts "$mode: no more damage of any flit" mends
	names_source 2 p2 0 && names_source 0 p1 2
	result $? "$mode: links name the sources of damaged packets"
	accepts "$mode: a file without damage" file 0 2
	[ "$(counted resets)" -eq "$resets" ]
	result $? "$mode: no link is reset"
	at 1 link del p1 && at 1 link add p1 port 1 && becomes 20 calm 1 && file 1 2 >"$work/out" 2>&1 &&
		at 1 -s -j link show p1 | grep -q '"suspected_damaged":0\b'
	result $? "$mode: a new link does not stand for the old one"
	accepts "$mode: the lab goes away" fc lab down name "$lab"
done
finish
