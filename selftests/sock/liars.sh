#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Broadcasts in k copies, from every honest site at once, where f = (k - 1) / 2 sites lie:
# where f + 1 equal copies are asked for, or a majority, every honest site receives what was
# sent, and nothing else.  And that the lies do come through: where the first copy is
# believed, or more sites lie than that, somebody is deceived.
#
#   liars.sh [SETS [SPEC [SEED]]]
#
# SPEC has six disjoint paths, or is random:SITES:K:SEED with K from 3 on.  With one set the lies are
# told one by one in the least copies, and in the others all at once.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

liar=$build/selftests/liar/corrupt
[ -x "$liar" ] || liar=$bin/corrupt
sets=${1:-1}
spec=${2:-hexmesh:3}
RANDOM=${3:-1}
echo "# seed ${3:-1}"

most=6
[[ $spec != random:* ]] || most=$(echo "$spec" | cut -d: -f3)
lab_up_any "$spec"
sites=$(ip netns | grep -c "^$lab-[0-9]")

# Sets $liars and $bad: so many sites.
choose()
{
	local -A seen=()
	local site

	liars=()
	while [ ${#liars[@]} -lt "$1" ]; do
		site=$((RANDOM % sites))
		[ -z "${seen[$site]:-}" ] || continue
		seen[$site]=1
		liars+=("$site")
	done
	bad=$(IFS=,; echo "${liars[*]}")
}

# corrupt HOW: all of them
corrupt()
{
	local site

	for site in "${liars[@]}"; do
		"$liar" name "$lab" "$site" "$1" seed $((RANDOM)) \
			>>"$work/said" 2>&1 || return
	done
}

honest()
{
	local site

	for site in "${liars[@]}"; do
		"$liar" name "$lab" "$site" off >>"$work/said" 2>&1 || return
	done
}

for ((k = 3; k <= most; k++)); do
	f=$(((k - 1) / 2))
	for lies in alter drop forge replay alter,drop,forge,replay; do
		[ "$sets" -gt 1 ] || [ $k -eq 3 ] || [[ $lies = *,* ]] || continue
		status=0
		for ((i = 0; i < sets && !status; i++)); do
			choose $f
			: >"$work/said"
			corrupt "$lies" || status=1
			for need in $((f + 1)) majority; do
				"$bin/cast" -b "$bad" "$lab" "$k" 5 2000 "$need" \
					>"$work/cast" 2>&1 || status=1
				[ $status -eq 0 ] || break
			done
			honest || status=1
		done
		[ $status -eq 0 ] ||
			{ echo "# liars: $bad, $need"; sed 's/^/# /' "$work/said" "$work/cast"; }
		result $status "$spec: $k copies, $f that $lies: nobody is deceived"
	done
done

# deceived LIARS HOW K NEED: is somebody, by one of ten sets of so many liars?
deceived()
{
	local tries

	: >"$work/cast"
	for ((tries = 0; tries < 10; tries++)); do
		choose "$1"
		corrupt "$2" || return 1
		# shellcheck disable=SC2086 # none, or one word
		"$bin/cast" -w -b "$bad" "$lab" "$3" 5 2000 $4 >>"$work/cast" 2>&1
		[ $? -ne 3 ] || { honest; return; }
		honest || return 1
	done
	sed 's/^/# /' "$work/said" "$work/cast"
	return 1
}

deceived 1 on 3 ""
result $? "$spec: the first copy is believed, one that lies: somebody is deceived"
deceived 2 alter 3 2
result $? "$spec: two of three copies are believed, two that lie: somebody is deceived"
finish
