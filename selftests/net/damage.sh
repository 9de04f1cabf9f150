#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Damage on links, as cards and memory do it: at the site in the middle of three, bytes of frames are
# inverted when they arrive.  Each byte that a link acts upon is damaged again and again: all of the
# link header of flits, and all of statuses, control frames and reservations.  Files go through in both
# directions meanwhile: they come whole, and each damaged frame is counted.
#
#   damage.sh [MODE...]
#
# The bytes of packets in flits are left alone: links do not check them (Documentation/protocol.rst).
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

# rules TYPE HOW EACH LAST: tc commands that damage one byte of each EACHth frame of a type, of the
# bytes up to LAST each one for itself
rules()
{
	local byte

	for ((byte = 0; byte <= $4; byte++)); do
		echo "filter add dev $dev ingress protocol 0x88b5 prio $((1000 * $1 + byte + 1)) u32" \
			"match u8 $1 0xff at 1 action gact continue random $2 pipe $3" \
			"action pedit munge offset $byte u8 invert"
	done
}

# Damages what arrives at site 1.  Statuses have 36 bytes, control frames with one entry 64, and
# reservations without targets 56; of the last two there are few.
damage()
{
	local dev

	for dev in p1 p2; do
		tc -n "$lab-1" qdisc add dev "$dev" clsact && {
			rules 2 determ 97 19
			rules 3 determ 53 35
			rules 4 netrand 200 63
			rules 6 netrand 200 55
		} | tc -n "$lab-1" -batch - || return
	done
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

# Prints the sum of counters of the links of site 1.
counted()
{
	at 1 -s -j link show | grep -oE "\"($1)\":[0-9]+" | awk -F : '{ n += $2 } END { print n + 0 }'
}

# Are all damaged frames counted?  Polls go on for some time.
all_counted()
{
	damaged >"$work/damaged"
	frames=$(awk '{ n += $2 } END { print n + 0 }' "$work/damaged")
	found=$(counted 'rx_checksum|rx_malformed')
	[ "$found" -eq "$frames" ]
}

# file FROM TO: it arrives as it was sent
file()
{
	local receiver

	at "$2" recv --count 1 --timeout "$limit" --output "$work/got" &
	receiver=$!
	at "$1" send --to "$2" --wait 10 --timeout "$limit" --file "$work/image"
	wait "$receiver" && cmp "$work/image" "$work/got"
}

head -c 1000000 /dev/urandom >"$work/image"
for mode in "${modes[@]}"; do
	accepts "$mode: a lab of three sites" fc lab up line:3 mode "$mode" name "$lab"
	run becomes 20 calm 1
	resets=$(counted resets)
	accepts "$mode: damage" damage
	for turn in 1 2; do
		accepts "$mode: a file, $turn" file 0 2
		accepts "$mode: a file back, $turn" file 2 0
	done
	becomes 10 all_counted
	result $? "$mode: of $frames damaged frames $found are counted"
	sed 's/^/# type, damaged frames, places: /' "$work/damaged"
	grep -q '^2 [0-9]* 40$' "$work/damaged" && grep -q '^3 [0-9]* 72$' "$work/damaged"
	result $? "$mode: each byte of flits' link headers and of statuses was damaged at both links"
	accepts "$mode: no more damage" mends
	accepts "$mode: a file without damage" file 0 2
	[ "$(counted resets)" -eq "$resets" ]
	result $? "$mode: no link is reset"
	accepts "$mode: the lab goes away" fc lab down name "$lab"
done
finish
