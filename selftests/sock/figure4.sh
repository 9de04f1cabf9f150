#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Figure 4 of the CARE paper: multicasts A and B want the local net-outputs of
# sites 1 and 2 at once, and each gets the one that is nearer first.
#
#   figure4.sh [MESSAGES]
#
#	A: 0 ------ 1 ------ 2 ------ 3 :B
#	            ^        ^
#	            both send to both
#
# Both finish, whatever of it had to be aborted on the way.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

lab_up line:4
for bytes in 1000-60000 65536-65536 262144-1048576; do
	"$bin/stress" --figure4 --bytes $bytes --messages "${1:-200}" --deadline 200 "$lab" 2>&1
	result $? "A and B, $bytes bytes"
done
# and with another pair the other way round, so that each link is full both ways
"$bin/stress" --senders 4 --from 0,1,2,3 --to 0,1,2,3 --targets 4-4 --bytes 65536-400000 \
	--messages "${1:-200}" --deadline 200 "$lab" 2>&1
result $? "all to all"
finish
