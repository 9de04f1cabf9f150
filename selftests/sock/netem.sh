#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links that lose, change, double, reorder and delay frames (netem at both ends of each
# link of a torus): every target gets each message once, whole, in order per sender.
#
#   netem.sh [MESSAGES [SEED]]
#
# Each trouble alone and then all together, MESSAGES of each.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-1000}
seed=${2:-$RANDOM}

command -v tc >/dev/null || skip "there is no tc"
need_modules sch_netem

# What netem is to do at each end of each link.  The one before goes first: the kernel refuses one
# that doubles frames beside another.
troubles=0
trouble()
{
	local site port

	troubles=$((troubles + 1))
	for ((site = 0; site < 16; site++)); do
		for port in 1 2 3 4; do
			[ $troubles -eq 1 ] || echo "qdisc del dev p$port root"
			echo "qdisc add dev p$port root netem limit 10000 $*"
		done | tc -n "$lab-$site" -batch - || die "tc: netem $*"
	done
}

reset_counters()
{
	local site

	for ((site = 0; site < 16; site++)); do
		at "$site" stats reset
	done
}

# What the links went through, all together.
counters()
{
	local site

	for ((site = 0; site < 16; site++)); do
		at "$site" -s link show
	done | awk '
	/^[ \t]*[a-z_]+ +[0-9]+$/ { sum[$1] += $2 }
	END { for (name in sum) if (sum[name]) printf " %s %d", name, sum[name]; print "" }' |
		sed 's/^/# links:/'
}

stress()
{
	local what=$1 status

	reset_counters
	"$bin/stress" --seed "$seed" --messages "$messages" --targets 1-15 --bytes 0-20000 \
		--timeout 120000 --deadline $((120 + messages / 5)) "$lab" >"$work/said" 2>&1
	status=$?
	tr '\r' '\n' <"$work/said" | grep 'stress:' | grep -v 'messages sent, ' | sed 's/^/# /'
	counters
	result $status "$what: $messages messages (seed $seed)"
}

lab_up torus:4x4 crc on
while read -r name what; do
	# shellcheck disable=SC2086 # words
	trouble $what
	stress "$name"
done <<'END'
loss loss 10%
corruption corrupt 1%
duplication duplicate 2%
reordering delay 1ms reorder 25%
jitter delay 2ms 2ms
everything delay 2ms 2ms loss 10% corrupt 1% duplicate 2% reorder 25%
END
finish
