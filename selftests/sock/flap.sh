#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links of a torus go down and come back all the time, each 1 s in about 10 and three at
# once; then a site goes for good.
#
#   flap.sh [MESSAGES [SEED]]
#
# Four links lead to each site and four ways to each other, so that three that are down
# never cut anybody off: every target gets each message once, whole and in order, and no
# message fails.  When the namespace of a site is deleted, all others still get
# everything, and those who sent to it are told (stress --lose).
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

# a kernel that looks for faults carries less than a fifth as much
side=${FLITCAST_DEBUG:+3} side=${side:-4} sites=$((side * side))
messages=${1:-2000}
seed=${2:-$RANDOM}
RANDOM=$seed

# shellcheck disable=SC2317 # by wait_for
link_is_up() { [[ $("$FLITCAST" -n "$1" link show "$2") == *"state up"* ]]; }

# Every link from the end where it is port 1 or 3: one in three, from the $1-th on, in
# random order, down for a second, without end.  The next link waits until this one is up, or
# more than three would be down on a slow host.
flap()
{
	local links=() i k swap

	for ((i = $1; i < 2 * sites; i += 3)); do
		links+=("$lab-$((i / 2)) p$((i % 2 * 2 + 1))")
	done
	while :; do
		for ((i = ${#links[@]} - 1; i > 0; i--)); do
			k=$((RANDOM % (i + 1))) swap=${links[i]}
			links[i]=${links[k]} links[k]=$swap
		done
		for i in "${links[@]}"; do
			ip -n "${i% *}" link set "${i#* }" down || return
			sleep 1
			ip -n "${i% *}" link set "${i#* }" up || return
			wait_for 60 link_is_up "${i% *}" "${i#* }" || return
			echo "${i% *}"
		done
	done
}

still_flapping() { kill -0 "${children[@]}"; }

stress()
{
	local what=$1 status

	shift
	"$bin/stress" --seed "$seed" --targets "1-$((sites - 1))" --bytes 0-20000 --messages "$messages" \
		--deadline $((200 + messages / 4)) "$@" "$lab" >"$work/said" 2>&1
	status=$?
	tr '\r' '\n' <"$work/said" | grep 'stress:' | grep -v 'messages sent, ' | sed 's/^/# /'
	result $status "$what (seed $seed)"
}

lab_up "torus:${side}x$side"
scale_polls
for third in 0 1 2; do
	flap $third >"$work/flaps.$third" 2>&1 & children+=($!)
done
stress "$messages messages while links go down and come back" --timeout 120000
still_flapping
result $? "$(cat "$work"/flaps.? | wc -l) times a link was down"
[ "$failures" -eq 0 ] || tail -n 2 "$work"/flaps.? | sed 's/^/# /'
kill "${children[@]}"
wait "${children[@]}" 2>/dev/null
children=()
"$FLITCAST" lab down name "$lab"

# A socket keeps 64 reports that nobody asked for, and all messages of a sender may fail at once.
few=$((60 * sites)) few=$((messages < few ? messages : few))
lab_up "torus:${side}x$side"
scale_polls
stress "$few messages while the namespace of a site goes" --messages "$few" --lose 6 --timeout 60000
finish
