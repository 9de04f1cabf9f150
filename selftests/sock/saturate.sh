#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Mode vnet, or postman, at ten times what the links of a torus carry: to anybody, each site to its own in
# the transposed matrix, one message in four to the same site.  Every target gets each message
# exactly once, whole and in order; no site aborts, stores or drops a packet.
#
#   saturate.sh [SECONDS [SEED]]
#
# The patterns share the seconds.  Links carry 2 Mbit/s (netem), which any machine offers ten
# times of.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

seconds=$((${1:-60} / 3))
seed=${2:-$RANDOM}
# a kernel that looks for faults carries less than a fifth as much
side=${FLITCAST_DEBUG:+3} side=${side:-4}

need_modules sch_netem

# Of each link at both ends.  Polls wait as long as the queue of so slow a link may be (poll, in
# flitcast(8)).
limit()
{
	local site port

	set_poll 100
	for ((site = 0; site < side * side; site++)); do
		for port in 1 2 3 4; do
			echo "qdisc replace dev p$port root netem limit 10000 rate 2mbit"
		done | tc -n "$lab-$site" -batch - || die "tc: netem"
	done
}

stress()
{
	local what=$1 status

	shift
	"$bin/stress" --seed "$seed" --seconds "$seconds" --messages 1000000000 --overload 10 \
		--unbroken --parts 0 --timeout 300000 --deadline $((seconds + 300)) "$@" "$lab" \
		>"$work/said" 2>&1
	status=$?
	sed 's/^/# /' "$work/said"
	result $status "$what for $seconds s (seed $seed)"
}

lab_up "torus:${side}x$side"
limit
mode=$(at 0 -j site show | grep -o '"mode": *"[a-z]*"')
[[ $mode = *"\"${FLITCAST_MODE:-vnet}\"" ]]
result $? "sites in mode ${FLITCAST_MODE:-vnet}"
stress "uniform, one to many" --targets 1-$((side * side - 1)) --bytes 50000-200000
stress "transposition" --pattern transpose --targets 1 --bytes 50000-200000
stress "hot spot" --pattern hot --targets 1-3 --bytes 50000-200000
finish
