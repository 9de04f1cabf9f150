#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links of a saturated torus in mode vnet are taken away and added again, three at once, without
# end: every target gets each message once, whole and in order, and no link ever carries a class
# of which it has none while all links are there.  The order of channels is that of the configured
# topology, so an old and a new one cannot mix.
#
#   epoch.sh [SECONDS [SEED]]
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

# a kernel that looks for faults carries less than a fifth as much
side=${FLITCAST_DEBUG:+3} side=${side:-4} sites=$((side * side))
seconds=${1:-20}
seed=${2:-$RANDOM}
RANDOM=$seed

need_modules sch_netem

# Links carry 2 Mbit/s, which any machine offers ten times of.
limit()
{
	local site port

	for ((site = 0; site < sites; site++)); do
		for port in 1 2 3 4; do
			echo "qdisc replace dev p$port root netem limit 10000 rate 2mbit"
		done | tc -n "$lab-$site" -batch - || die "tc: netem"
	done
}

# Every link from the end where it is port 1 or 3, one in three, from the $1-th on, at random:
# not configured for half a second.
epochs()
{
	local links=() i link

	for ((i = $1; i < 2 * sites; i += 3)); do
		links+=("$((i / 2)) $((i % 2 * 2 + 1))")
	done
	while :; do
		link=${links[RANDOM % ${#links[@]}]}
		at "${link% *}" link del "p${link#* }" || return
		sleep 0.5
		at "${link% *}" link add "p${link#* }" port "${link#* }" || return
		echo "$link"
		sleep 0.5
	done
}

# shellcheck disable=SC2317 # called by wait_for
listening() { [ "$(cat "$work"/seen.* 2>/dev/null | grep -c '^ready$')" -eq 2 ]; }

lab_up "torus:${side}x$side"
mode=$(at 0 -j site show | grep -o '"mode": *"[a-z]*"')
[[ $mode = *'"vnet"' ]]
result $? "sites in mode vnet"
limit
sniffers=()
for site in 0 $((sites / 2 + 1)); do
	nsenter --net="/run/netns/$lab-$site" "$bin/sniff" >"$work/seen.$site" 2>&1 &
	sniffers+=($!) children+=($!)
done
wait_for 60 listening
result $? "somebody looks at the links of two sites"
flappers=()
for third in 0 1 2; do
	epochs $third >"$work/epochs.$third" 2>&1 & flappers+=($!) children+=($!)
done
"$bin/stress" --seed "$seed" --seconds "$seconds" --messages 1000000000 --overload 10 --parts 0 \
	--targets 1-4 --bytes 20000-100000 --timeout 300000 --deadline $((seconds + 400)) "$lab" \
	>"$work/said" 2>&1
status=$?
tr '\r' '\n' <"$work/said" | grep 'stress:' | sed 's/^/# /'
result $status "ten times what is carried while links are taken away and added (seed $seed)"
kill -0 "${flappers[@]}"
result $? "$(cat "$work"/epochs.? | wc -l) times a link was taken away and added"
[ "$failures" -eq 0 ] || tail -n 2 "$work"/epochs.? | sed 's/^/# /'
tr '\r' '\n' <"$work/said" | grep -q 'packets_forced [1-9]'
result $? "packets were stored for want of a route in their class"
kill "${flappers[@]}" "${sniffers[@]}"
for i in 0 1; do
	wait "${sniffers[i]}"
	result $? "no link carries a class that is not its own"
done
children=()
grep -h 'flits\|no business' "$work"/seen.* | sed 's/^/# /'
finish
