#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs that call with any arguments; afterwards messages get through.
#
#   sendfuzz.sh [CALLS [SEED]]
#
#	site 0 ------ site 1 ------ site 2	24 sockets anywhere
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

seed=${2:-$RANDOM}

lab_up line:3
"$bin/sendfuzz" --count "${1:-100000}" --seed "$seed" "$lab" 2>&1
result $? "calls (seed $seed)"
"$bin/stress" --senders 3 --messages 200 --deadline 120 "$lab" 2>&1
result $? "messages afterwards"
finish
