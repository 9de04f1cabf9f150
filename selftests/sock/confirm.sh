#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Confirmations of a target list go back together: each target on a line but the last waits for
# those behind it, and those of all make a frame or two.
#
#   confirm.sh [MESSAGES]
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-200}

# A counter of the link by which site 1 is cabled to site 0.
to_source() { at 1 -s link show p2 | grep -oE "\b$1 +[0-9]+" | grep -oE '[0-9]+$'; }

lab_up line:6
# A guest that stalls is to make nobody wait in vain.
for site in {0..5}; do at "$site" site set "$site" retry 100ms || die "cannot set retry"; done
before=$(to_source tx_control)
# One message at a time: none is joined to those of the message before.
"$bin/stress" --seed 1 --from 0 --senders 1 --targets 5 --parts 0 --bytes 0-1000 --sndbuf 4096 \
	--messages "$messages" --timeout 60000 --deadline 150 "$lab" >"$work/said" 2>&1
result $? "$messages messages to five targets"
frames=$(($(to_source tx_control) - before))
echo "# $frames control frames for $((messages * 5)) confirmations"
[ "$frames" -gt 0 ] && [ "$frames" -lt $((messages * 5 / 2)) ]
result $? "confirmations go together"
finish
