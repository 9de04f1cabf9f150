#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Drops, as the tracepoint skb:kfree_skb shows them: none in a lab that is idle, nor by messages,
# broadcasts and packets of the network device that all arrive; each that is provoked has its reason of
# kernel/drop_reason.h.
#
#   drops.sh [MODE...]   modes of labs (vnet)
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

event=/sys/kernel/tracing/events/skb/kfree_skb
drops=hist:keys=location.sym,reason
lab=drops$$
modes=("${@:-vnet}")

# shellcheck disable=SC2317,SC2046,SC2086 # by the trap; a word for each job
cleanup()
{
	echo "!$drops" >>$event/trigger
	kill $(jobs -p)
	fc lab down name "$lab"
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT

[ -n "${FLITCAST_VM:-}" ] || skip_all "only in a guest: it traces all of it"
[ -r $event/hist ] || skip_all "no histograms of the tracepoint skb:kfree_skb"

# look: the module's drops since forget into $work/drops, each place as: REASON FUNCTION NUMBER
look()
{
	cat $event/hist >"$work/hist"
	# The histogram has reasons as numbers; format has their names.
	sed -nE 's/^\{ location: \[[^]]*\] (\S+) \[flitcast\S*\] *, reason: *([0-9]+) \} hitcount: *(.*)/\2 \1 \3/p' \
		"$work/hist" |
		while read -r reason place; do
			echo "$(sed -nE "s/.*\{ ($reason|0x$(printf %x "$reason")), \"(\w+)\" \}.*/\2/p" $event/format) $place"
		done >"$work/drops"
	sed 's/^/# dropped: /' "$work/drops"
}

# forget: clears the histogram.  Between two cases only: drops between its reading and its clearing are
# not seen by anybody.
forget() { echo "$drops:clear" >>$event/trigger; }

# silent NAME: there was no drop since the last case.
silent()
{
	look
	[ ! -s "$work/drops" ]
	result $? "$1"
	forget
}

# dropped NAME REASON: there was such a drop since the last case.
# shellcheck disable=SC2317 # called by becomes
seen() { look; grep -q "^$1 " "$work/drops"; }
dropped()
{
	becomes 10 seen "$2"
	result $? "$1: $2 at $(sed -n "s/^$2 //p" "$work/drops" | tr '\n' ' ')"
	forget
}

# Two frames by the device of site 1's port 2 to that of site 0's port 1: one that is too short, and a
# control frame from an address that is not the peer's.
# shellcheck disable=SC2317 # called by accepts
frames()
{
	on 1 python3 - "$(on 0 cat /sys/class/net/p1/address)" <<-'END'
		import functools, socket, struct, sys

		raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
		raw.bind(('p2', 0))
		head = bytes.fromhex(sys.argv[1].replace(':', '') + '020000000001' + '88b5')
		raw.send(head + b'short')
		ctrl = struct.pack('>BBBBHHIII', 1, 4, 0, 0, 44, 0, 0, 0, 0) + bytes(44)
		# The check, word by word; beyond the end is a zero.
		word = lambda at: int.from_bytes(ctrl[at:at + 8], 'little')
		step = lambda s, at: ((s ^ s >> 32) + word(at)) * 0xbf58476d1ce4e5b9 % 2**64
		check = functools.reduce(step, [0, 8, *range(20, 64, 8), 64], 0) >> 32
		raw.send(head + ctrl[:16] + struct.pack('>I', check) + ctrl[20:])
	END
}

# receive SITE COUNT: a receiver in the background, of so many messages
receive()
{
	"$flitcast" -n "$lab-$1" recv --count "$2" >"$work/received.$1" 2>&1 &
	receivers+=($!)
	becomes 20 listening "$1" || echo "# no receiver at site $1"
}

long=$(printf '%060000d' 0)
for mode in "${modes[@]}"; do
	receivers=()
	accepts "$mode: a lab of four sites" fc lab up ring:4 mode "$mode" ip name "$lab"
	becomes 20 calm 0
	echo "$drops" >$event/trigger
	# An observation of one second, not a wait for an event: HELLOs and polls go on meanwhile.
	sleep 1
	silent "$mode: nothing is dropped while the lab is idle"
	for site in 1 2 3; do receive "$site" 3; done
	accepts "$mode: a message to all" at 0 send --to all hello
	accepts "$mode: a long message to all" at 0 send --to all "$long"
	accepts "$mode: a broadcast" at 0 send --broadcast hello
	wait "${receivers[@]}"
	result $? "$mode: all of them arrive"
	accepts "$mode: ping over the network device" on 0 ping -q -c 3 -i 0.2 "$(address 2)"
	silent "$mode: traffic that arrives drops nothing"
	echo "!$drops" >>$event/trigger
	[ "$mode" = "${modes[-1]}" ] || fc lab down name "$lab"
done

echo "$drops" >$event/trigger
accepts "frames that are not the peer's" frames
dropped "a malformed frame" DEV_HDR
accepts "frames that are not the peer's, again" frames
dropped "a frame of a stranger" OTHERHOST
refuses "a message that no socket receives" 1 . at 0 send --to 1 hello
dropped "a message that no socket receives" NO_SOCKET
on 3 sh -c 'echo 4096 >/proc/sys/net/flitcast/rmem_default'
receive 3 100
kill -STOP "${receivers[-1]}"
for i in 1 2 3 4; do at 0 send --to 3 "${long:0:3000}" >"$work/sent.$i" 2>&1 & done
dropped "a message without receive buffer" SOCKET_RCVBUFF
kill -KILL "${receivers[-1]}"
dropped "a message that its receiver does not read" TCP_CLOSE
ip -n "$lab-2" link set fc0 down
on 0 ping -q -c 1 -W 1 "$(address 2)" >"$work/out" 2>&1
dropped "a packet to a network device that is down" DEV_READY
accepts "the lab goes away" fc lab down name "$lab"
finish
