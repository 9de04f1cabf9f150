#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Mode postman: fronts in a row at a slow link.  Each time the peer gives room again several go on
# straight at once, and each of them is looked at after it: no other packet comes whose look
# would serve theirs.
#
#   look.sh [MESSAGES]
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-1000}

need_modules sch_netem

# What is under way has more flits than the window of the link, which is 64.
FLITCAST_MODE=postman lab_up line:3
tc -n "$lab-1" qdisc replace dev p1 root netem limit 10000 rate 5mbit || die "tc: netem"
"$bin/stress" --seed 1 --from 0 --to 2 --senders 32 --targets 1 --parts 0 --bytes 2000-4000 \
	--messages "$messages" --timeout 60000 --deadline 150 "$lab" >"$work/said" 2>&1
result $? "$messages messages over a slow link"
[ "$failures" -eq 0 ] || tr '\r' '\n' <"$work/said" | grep -v 'messages sent, ' | head -n 5 | sed 's/^/# /'
eager=$(at 1 stats show | sed -n 's/^ *packets_eager *//p')
# More fronts than the window has room for at the beginning; else nothing was in a row, and this shows nothing.
[ "${eager:-0}" -gt 32 ] && [ "$eager" -lt "$messages" ]
result $? "$eager of them went before the look, the others waited"
finish
