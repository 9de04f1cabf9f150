#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Broadcasts in k copies, from every site at once, where k - 1 sites have crashed or crash
# meanwhile: every live site receives each broadcast of every other live one, once.
#
#   crash.sh [SETS [SPEC [SEED]]]
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

sets=${1:-20}
spec=${2:-hexmesh:3}
RANDOM=${3:-1}
echo "# seed ${3:-1}"

lab_up "$spec"
sites=$(ip netns | grep -c "^$lab-[0-9]")
for most in 6 5 4 3 2; do
	"$FLITCAST" trace --broadcast --copies $most 0 topology "$spec" >/dev/null 2>&1 && break
done

# Sets $dead: so many sites.
choose()
{
	local -A seen=()
	local site

	dead=()
	while [ ${#dead[@]} -lt "$1" ]; do
		site=$((RANDOM % sites))
		[ -z "${seen[$site]:-}" ] || continue
		seen[$site]=1
		dead+=("$site")
	done
}

# all kill, all revive: those that are chosen
all()
{
	"$FLITCAST" lab "$1" name "$lab" "${dead[@]}" >>"$work/said" 2>&1
}

for ((k = 2; k <= most; k++)); do
	status=0
	for ((i = 0; i < sets && !status; i++)); do
		choose $((k - 1))
		bad=$(IFS=,; echo "${dead[*]}")
		: >"$work/said"
		# Every other time they die in mid-traffic.
		[ $((i % 2)) -eq 1 ] || all kill || status=1
		"$bin/cast" -b "$bad" "$lab" "$k" 2 2000 >"$work/cast" 2>&1 &
		[ $((i % 2)) -eq 0 ] || all kill || status=1
		wait $! || status=1
		all revive || status=1
	done
	[ $status -eq 0 ] || { echo "# dead: $bad, set $i"; sed 's/^/# /' "$work/said" "$work/cast"; }
	result $status "$spec: $sets sets of $((k - 1)) sites that crash, $k copies"
done
finish
