#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Broadcasts, from every site at once, in every number of copies that the network has
# disjoint paths for: every other site receives each of them once, whole and in order, and
# as many copies of it as there are.
#
#   cast.sh [MESSAGES [SPEC...]]
#
# SPEC may be random:SITES:K:SEED, a network that is K-connected (core/random-graph).
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-3}
shift
[ $# -gt 0 ] || set -- line:4 mesh:3x3 hexmesh:2 hexmesh:3 torus:4x5 hypercube:4

# Sets of all sites together: relayed, copies that have come; repeated, how often sites have
# broadcast again: where all wait for a busy machine, an answer may come too late.
count()
{
	local site said

	relayed=0 repeated=0
	for ((site = 0; site < sites; site++)); do
		said=$(at "$site" -j stats show)
		[[ ! $said =~ \"broadcasts_relayed\":\ *([0-9]+) ]] ||
			relayed=$((relayed + BASH_REMATCH[1]))
		[[ ! $said =~ \"packets_repeated\":\ *([0-9]+) ]] ||
			repeated=$((repeated + BASH_REMATCH[1]))
	done
}

# Those that were waited for.
# shellcheck disable=SC2317 # called by wait_for
come()
{
	count
	[ $((relayed - before)) -ge "$want" ]
}

most()
{
	case $1 in
	hexmesh:*) echo 6 ;;
	torus:*) echo 4 ;;
	hypercube:*) echo "${1#*:}" ;;
	random:*) echo "$1" | cut -d: -f3 ;;
	*) echo 1 ;;
	esac
}

# Packets that one broadcast from each site is, all together: what the sites of a graph are
# told of them (some packets only go on), else a copy for each other site.
told()
{
	local site

	[[ $spec = random:* && $1 -gt 1 ]] || {
		echo $((sites * (sites - 1) * $1))
		return
	}
	for ((site = 0; site < sites; site++)); do
		at "$site" topology paths
	done | awk -v k="$1" '$1 == "site" { mine = $6 == k; split("", seen) }
		$1 == "port" && mine && !seen[$2]++ { n++ }
		END { print n + 0 }'
}

# One of each site in $1 copies: exactly as many packets as those are.
once()
{
	local try before again

	want=$(told "$1")
	for ((try = 0; try < 5; try++)); do
		count
		before=$relayed again=$repeated
		# With one copy of each under way, none finds its place taken.
		said=$("$bin/cast" "$lab" "$1" 1 20000 "$1" 2>&1) || return
		# The others may come after the first one.
		wait_for 10 come
		count
		got=$((relayed - before))
		said="$said; $got of $want packets"
		[ "$got" -ne "$want" ] || return 0
		# That may be those that were sent again.
		[ "$repeated" -ne "$again" ] || return 1
	done
	return 1
}

for spec; do
	lab_up_any "$spec"
	sites=$(ip netns | grep -c "^$lab-[0-9]")
	for ((k = 1; k <= $(most "$spec"); k++)); do
		once "$k"
		status=$?
		echo "# $said"
		result $status "$spec: one broadcast of each site in $k copies"
		said=$("$bin/cast" "$lab" "$k" "$messages" 20000 $(((k + 2) / 2)) 2>&1)
		status=$?
		echo "# $said"
		result $status "$spec: $messages of each in $k copies, of which $(((k + 2) / 2)) have to agree"
	done
	"$FLITCAST" lab down name "$lab"
done
finish
