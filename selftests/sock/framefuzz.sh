#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer that sends everything it should not; afterwards messages get through.
#
#   framefuzz.sh [FRAMES [SEED]]
#
#	site 0 ------ site 1 ------ site 2
#	fuzzed   --> victim
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

seed=${2:-$RANDOM}

lab_up line:3
"$bin/framefuzz" --count "${1:-5000}" --seed "$seed" --verbose "$lab" 2>&1
result $? "frames (seed $seed)"
"$bin/stress" --senders 3 --messages 200 --deadline 120 "$lab" 2>&1
result $? "messages afterwards"
finish
