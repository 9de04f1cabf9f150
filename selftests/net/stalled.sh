#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No link is left, or taken down, by mistake: 20 probes a second for so many seconds in a ring of
# four sites whose links lose 5 % of all frames, while vm/run --stall stops the whole host again and
# again.
#
#   stalled.sh [SECONDS]
#
# No link may go down and no probe be lost.  Links are suspected no more than 15 times in 30 minutes;
# of a shorter run so many are allowed as a Poisson distribution of that mean exceeds once in 100,000
# runs.
set -u

seconds=${1:-20}
loss=5%

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=./selftests/net/outage.sh
. "$here/outage.sh"

[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "stalled.sh: $seconds: no number of seconds" >&2; exit 2; }

lab=stalled$$
needs_outage sch_netem

# Sum of a counter of all links.
count() # NAME
{
	local site

	for site in 0 1 2 3; do
		fc -n "$lab-$site" -j -s link show
	done | grep -o "\"$1\": *[0-9]*" | awk -F: '{ sum += $2 } END { print sum + 0 }'
}

# shellcheck disable=SC2317 # called by accepts
lossy()
{
	local site port

	for site in 0 1 2 3; do
		for port in 1 2; do
			tc -n "$lab-$site" qdisc replace dev "p$port" root netem limit 10000 loss "$loss" ||
				return 1
		done
	done
}

# Write a line for each time that this host was stalled for 100 ms.
notice()
{
	local last=${EPOCHREALTIME/./} now

	while :; do
		read -r -t 0.01 -u "$never"
		now=${EPOCHREALTIME/./}
		[ $((now - last)) -lt 100000 ] || echo $((now - last))
		last=$now
	done
}

# The number of suspicions that fewer than one in 100,000 runs exceed.
allowed()
{
	[ "$seconds" -lt 1800 ] || { echo $((15 * seconds / 1800)); return; }
	awk -v mean="$((15 * seconds))" 'BEGIN {
		mean /= 1800
		term = sum = exp(-mean)
		for (n = 0; 1 - sum > 1e-5; n++) {
			term *= mean / (n + 1)
			sum += term
		}
		print n
	}'
}

accepts "up: a ring of four" fc lab up ring:4 name "$lab"
becomes 60 all_up
result $? "all links are up"
accepts "up: links lose $loss" lossy
starts flitcast 2
result $? "echo and prober start"
mkfifo "$work/never"
exec {never}<>"$work/never"
notice >"$work/stalls" &
noticer=$!
resets=$(count resets) suspected=$(($(count suspected_silent) + $(count suspected_grey)))
sleep "$seconds"
kill "$noticer"
stalls=$(wc -l <"$work/stalls")
resets=$(($(count resets) - resets))
suspected=$(($(count suspected_silent) + $(count suspected_grey) - suspected))
stops || lost=unknown doubled=unknown sent=0
echo "# $seconds s: $stalls stalls, $resets resets, $suspected suspicions, $sent probes, $lost lost, $doubled doubled"
[ "$stalls" -ge $((seconds / 2)) ]
result $? "the host is stalled"
[ $resets = 0 ]
result $? "no link goes down"
[ $suspected -le "$(allowed)" ]
result $? "no more than $(allowed) suspicions"
[ "$sent" -ge $((10 * seconds)) ] && [ "$lost" = 0 ] && [ "$doubled" = 0 ]
result $? "each probe is answered once"
finish
