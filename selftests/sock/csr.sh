#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Mode csr, saturated: every target gets each message once, whole, in order per sender;
# no packet was in another one's window; packets did reserve; how many were late, and
# the guard, is told.
#
#   csr.sh [SECONDS [SPEC...]]
#
# so long in all (80): on each network (hypercube:4 and torus:4x4), with and without 1 % of
# all frames lost, which needs netem.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

export FLITCAST_MODE=csr
seconds=${1:-80}
shift
[ $# -gt 0 ] || set -- hypercube:4 torus:4x4
each=$((seconds / (2 * $#)))
seed=$RANDOM

# What all 16 sites count, together; the guard is the largest.
counters()
{
	local site

	for ((site = 0; site < 16; site++)); do
		at "$site" -s stats show
	done | awk '
	$1 == "csr_guard" { if ($2 > guard) guard = $2; next }
	$1 ~ /^csr_/ { sum[substr($1, 5)] += $2 }
	END {
		n = sum["used"] ? sum["used"] : 1
		printf "admitted=%d used=%d double=%d late=%d ", sum["admitted"],
		       sum["used"], sum["double"], sum["late"]
		printf "apart=%d blocked=%d unused=%d permille=%d guard=%d\n", sum["apart"],
		       sum["blocked"], sum["unused"], 1000 * sum["late"] / n, guard
	}'
}

# until SECONDS SPEC WHAT
saturate()
{
	local until=$((SECONDS + $1)) rounds=0 failed=0 line

	while [ $rounds = 0 ] || { [ $SECONDS -lt $until ] && [ $failed = 0 ]; }; do
		rounds=$((rounds + 1))
		"$bin/stress" --seed $((seed + rounds)) --messages 200 --targets 1-4 \
			--bytes 0-20000 --timeout 300000 --deadline 300 "$lab" >"$work/out" 2>&1 ||
			failed=1
	done
	[ $failed = 0 ] || sed 's/^/# /' "$work/out"
	result $failed "$2, $3: all comes, once and in order ($rounds rounds, seed $seed)"
	line=$(counters)
	echo "# $2, $3: $line"
	[[ $line == *" double=0 "* ]]
	result $? "$2, $3: no packet was in another one's window"
	[[ $line != "admitted=0 "* && $line != *" used=0 "* ]]
	result $? "$2, $3: packets reserved their routes"
}

lose()
{
	local site port

	modprobe sch_netem 2>/dev/null
	for ((site = 0; site < 16; site++)); do
		for port in 1 2 3 4; do
			tc -n "$lab-$site" qdisc replace dev "p$port" root netem limit 10000 \
				loss 1% 2>/dev/null || return 1
		done
	done
}

for spec; do
	lab_up "$spec"
	saturate "$each" "$spec" "saturated"
	if command -v tc >/dev/null && lose; then
		saturate "$each" "$spec" "1 % lost"
	else
		echo "# no netem here"
	fi
	"$FLITCAST" lab down name "$lab" >/dev/null 2>&1
done
finish
