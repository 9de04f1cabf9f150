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
# Broadcasts that a site may relay for each message.  This is a share of work, not of time, so it
# does not depend on the speed of the machine: three to six are usual, at a tenth of the speed, too.
most=30

unicast()
{
	"$bin/stress" --seed 1 --messages "$messages" --targets 1-1 --bytes 0-4000 \
		--deadline 300 "$lab" >"$work/unicast" 2>&1
}

relayed() { counter 5 broadcasts_relayed; }
# shellcheck disable=SC2317 # called by wait_for
storms() { [ "$(relayed)" -gt 500 ]; }

lab_up torus:4x4
unicast
result $? "$messages messages to one target each"

"$bin/cast" "$lab" 4 100000000 1000 >"$work/cast" 2>&1 &
children+=($!)
wait_for 60 storms
result $? "a storm of broadcasts"

before=$(relayed)
unicast
result $? "$messages messages beside it"
during=$(($(relayed) - before))
echo "# meanwhile site 5 relayed $during broadcasts"
[ "$during" -lt $((most * messages)) ]
result $? "a site relays at most $most broadcasts for each message"
[ "$during" -gt 100 ]
result $? "the storm goes on meanwhile"
kill -0 "${children[0]}" 2>/dev/null
result $? "and nothing is wrong with its broadcasts"
finish
