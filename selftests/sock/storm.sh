#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every site of a torus broadcasts as much as it may, in four copies, and messages to one
# target each go on beside it: neither starves the other.
#
#   storm.sh [MESSAGES]
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-3000}
# What one processor does for both is shared; starved is who gets nothing.
most=6

# Sets $took: seconds that messages to one target each take.
unicast()
{
	"$bin/stress" --seed 1 --messages "$messages" --targets 1-1 --bytes 0-4000 \
		--deadline 300 "$lab" >"$work/unicast" 2>&1 || return 1
	took=$(tr '\r' '\n' <"$work/unicast" | sed -n 's/.* MB in \([0-9.]*\) s$/\1/p')
	[ -n "$took" ]
}

relayed() { counter 5 broadcasts_relayed; }
# shellcheck disable=SC2317 # called by wait_for
storms() { [ "$(relayed)" -gt 500 ]; }

lab_up torus:4x4
unicast
result $? "$messages messages to one target each"
alone=${took:-0}

"$bin/cast" "$lab" 4 100000000 1000 >"$work/cast" 2>&1 &
children+=($!)
wait_for 60 storms
result $? "a storm of broadcasts"

before=$(relayed)
unicast
result $? "$messages messages beside it"
beside=${took:-0}
during=$(($(relayed) - before))
echo "# alone $alone s, beside the storm $beside s, in which site 5 relayed $during broadcasts"
awk -v a="$alone" -v b="$beside" -v most=$most 'BEGIN { exit !(a > 0 && b > 0 && b <= most * a) }'
result $? "they take at most $most times as long"
[ "$during" -gt 100 ]
result $? "the storm goes on meanwhile"
kill -0 "${children[0]}" 2>/dev/null
result $? "and nothing is wrong with its broadcasts"
finish
