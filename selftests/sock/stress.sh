#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many senders at once on a torus, random target lists and sizes: every target
# gets each message exactly once, whole, in order per sender, and nothing else.
#
#   stress.sh [MESSAGES [SEED [SPEC]]]
#
#	    |     |     |     |
#	--  0 --- 1 --- 2 --- 3  --	a sender and a receiver at each site;
#	    |     |     |     |		rows and columns are rings
#	--  4 --- 5 --- 6 --- 7  --
#	    |     |     |     |
#	--  8 --- 9 -- 10 -- 11  --
#	    |     |     |     |
#	-- 12 -- 13 -- 14 -- 15  --
#	    |     |     |     |
#
# or on another network: SPEC may be random:SITES:K:SEED.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-1000}
seed=${2:-$RANDOM}

stress()
{
	local what=$1

	shift
	# what takes seconds takes minutes on a kernel that looks for faults
	"$bin/stress" --seed "$seed" ${FLITCAST_DEBUG:+--timeout 300000} "$@" "$lab" 2>&1
	result $? "$what (seed $seed)"
}

# A kernel that looks for faults carries less than a fifth as much; of a megabyte it has
# hundreds of flits, and they take longer than the time-outs.
if [ -n "${3:-}" ]; then
	lab_up_any "$3"
	small=() ports=64
elif [ -n "${FLITCAST_DEBUG:-}" ]; then
	lab_up torus:3x3
	small=(--bytes 0-20000) ports=114
else
	lab_up torus:4x4
	small=() ports=64
fi
scale_polls
stress "$messages messages" --messages "$messages" "${small[@]}" --deadline $((200 + messages / 4))
stress "more senders than sites" --senders 48 --messages $((messages / 4)) --bytes 0-65536 \
	--deadline $((200 + messages / 4))
# CARE, 5.6, "even when the network is extremely congested": ten messages are offered
# for each that the senders' buffers have room for; the first few find them empty
[ "$messages" -lt 500 ] ||
	stress "ten times what it carries" --messages $((messages / 2)) --targets 1-15 \
		--overload 10 --bytes 200000-400000 --deadline $((200 + messages / 4))
# one receiver in eight reads twenty messages a second
stress "slow readers" --messages $((messages / 5)) --slow-readers 2 --slow-ms 50 \
	--bytes 0-200000 --deadline $((200 + messages / 4))
# most of a packet's room is list, and a message has several packets for its lists alone
stress "long lists" --senders 4 --messages $((messages / 25)) --ports $ports --targets 100-1024 \
	--bytes 0-3000 --deadline $((200 + messages / 4))
[ -z "${FLITCAST_DAMAGE:-}" ] || {
	damaged=$(damaged)
	[ "$damaged" -gt 0 ]
	result $? "of all that, $damaged frames were damaged"
}
finish
