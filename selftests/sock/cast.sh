#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Broadcasts, from every site at once, in every number of copies that the network has
# disjoint paths for: every other site receives each of them once, whole and in order, and
# as many copies of it as there are.
#
#   cast.sh [MESSAGES [SPEC...]]
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-3}
shift
[ $# -gt 0 ] || set -- line:4 mesh:3x3 hexmesh:2 hexmesh:3 torus:4x5 hypercube:4

# So many copies have come, all sites together.
copies()
{
	local site

	for ((site = 0; site < $1; site++)); do
		at "$site" -j stats show
	done | grep -o '"broadcasts_relayed": *[0-9]*' | awk -F: '{ n += $2 } END { print n + 0 }'
}

# Those that were waited for.
# shellcheck disable=SC2317 # called by wait_for
come()
{
	[ $(($(copies "$sites") - before)) -ge "$want" ]
}

most()
{
	case $1 in
	hexmesh:*) echo 6 ;;
	torus:*) echo 4 ;;
	hypercube:*) echo "${1#*:}" ;;
	*) echo 1 ;;
	esac
}

for spec; do
	lab_up "$spec"
	sites=$(ip netns | grep -c "^$lab-[0-9]")
	for ((k = 1; k <= $(most "$spec"); k++)); do
		before=$(copies "$sites")
		# With one copy of each under way, none finds its place taken.
		said=$("$bin/cast" "$lab" "$k" 1 20000 2>&1)
		status=$?
		# The others may come after the first one.
		want=$((sites * (sites - 1) * k))
		wait_for 10 come
		got=$(($(copies "$sites") - before))
		[ "$got" -eq "$want" ] || { status=1; said="$said; $got of $want copies"; }
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
