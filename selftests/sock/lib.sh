#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# For the scripts of this directory: where things are, a lab that goes away with
# the script, waiting without sleeping blindly, and TAP.

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
build=${BUILD:-$top/build}
# shellcheck disable=SC2034 # for the scripts
bin=$build/selftests/sock
export FLITCAST=${FLITCAST:-$build/bin/flitcast}
random=$top/selftests/core/random-graph
# Where they are not built, programs are beside the scripts, as kselftest installs them.
if [ ! -d "$bin" ]; then
	bin=$(dirname "$(readlink -f "$0")")
	FLITCAST=$bin/flitcast random=$bin/random-graph
fi
PATH=$PATH:/usr/sbin:/sbin
lab=sock$$
work=$(mktemp -d)
children=()

skip() { echo "1..0 # SKIP $*"; exit 4; }

# Loads modules of the kernel; they may be built in.
need_modules()
{
	local module

	for module; do
		modprobe "$module" 2>/dev/null
		modinfo "$module" >/dev/null 2>&1 || grep -q "^$module " /proc/modules ||
			skip "no $module here"
	done
}

# Fails the script.
die() { echo "${0##*/}: $*" >&2; exit 1; }

# shellcheck disable=SC2317 # by the trap
cleanup()
{
	[ ${#children[@]} -eq 0 ] || kill -9 "${children[@]}" 2>/dev/null
	wait
	"$FLITCAST" lab down name "$lab" >/dev/null 2>&1
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

[ "$(id -u)" = 0 ] || skip "needs root, to make network namespaces"
grep -qs "^flitcast " /proc/modules || skip "flitcast.ko is not loaded"
[ -x "$FLITCAST" ] || die "there is no $FLITCAST: make"

# damage EACH: at each end of each link of the lab one bit is changed in one of EACH frames: at twelve
# places in turn, five of them in headers
damage()
{
	local space dev n

	need_modules sch_ingress cls_u32 act_gact act_pedit
	for space in $(ip netns list | grep -o "^$lab-[0-9]*"); do
		for dev in $(ip -n "$space" -br link show | grep -o '^p[0-9]*'); do
			echo "qdisc add dev $dev clsact"
			echo "filter add dev $dev ingress protocol 0x88b5 prio 1 u32 match u8 0 0 at 0" \
				"action gact continue random determ pipe $1 action gact goto chain 1"
			for ((n = 12; n; n--)); do
				echo "filter add dev $dev ingress chain 1 protocol 0x88b5 prio $((20 - n))" \
					"u32 match u8 0 0 at 0 action gact continue random determ pipe $n" \
					"action pedit munge offset $((RANDOM % (n > 7 ? 76 : 1400))) u8 invert" \
					"retain $((1 << RANDOM % 8))"
			done
		done | tc -n "$space" -batch - || return
	done
}

# Prints how many frames were damaged in the lab.
damaged()
{
	local space dev

	for space in $(ip netns list | grep -o "^$lab-[0-9]*"); do
		for dev in $(ip -n "$space" -br link show | grep -o '^p[0-9]*'); do
			tc -n "$space" -s filter show dev "$dev" ingress
		done
	done | awk '/action order/ { edits = /pedit/ } /Sent [0-9]+ bytes/ && edits { n += $4; edits = 0 }
		END { print n + 0 }'
}

# Sets up the lab, in mode FLITCAST_MODE and with the options FLITCAST_LAB where these are set; its
# progress is of no interest.  Where FLITCAST_DAMAGE is set, its packets are checked from end to end, and
# one of so many frames is damaged.
lab_up()
{
	# shellcheck disable=SC2086 # options are words
	"$FLITCAST" lab up "$@" ${FLITCAST_LAB:-} ${FLITCAST_DAMAGE:+integrity end} \
		${FLITCAST_MODE:+mode "$FLITCAST_MODE"} name "$lab" >"$work/up" 2>&1 ||
		die "lab up: $(cat "$work/up")"
	[ -z "${FLITCAST_DAMAGE:-}" ] || damage "$FLITCAST_DAMAGE" || die "no damage"
}

# The same of a network that may be random:SITES:K:SEED (core/random-graph), K-connected.
lab_up_any()
{
	local size k seed

	case $1 in
	random:*)
		IFS=: read -r _ size k seed <<<"$1"
		"$random" "$size" "$k" $((size / 3)) "$seed" \
			>"$work/links"
		lab_up "graph:$work/links" copies "$k"
		;;
	*) lab_up "$1" ;;
	esac
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for()
{
	local until=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $until ] || return 1
		sleep 0.05
	done
}

# flitcast in the namespace of a site.
at() { local site=$1; shift; "$FLITCAST" -n "$lab-$site" "$@"; }

# Sets the poll interval of all sites of the lab, in milliseconds.
set_poll() { "$bin/tune" "$lab" "$1" || die "tune"; }

# On a kernel that looks for faults sites answer later, as time-outs are longer, and a link is
# dead after ten intervals of HELLO, of a second.
scale_polls()
{
	[ -z "${FLITCAST_DEBUG:-}" ] || "$bin/tune" "$lab" 200 1000 10 || die "tune"
}

# A counter of a site.
counter()
{
	local said

	said=$(at "$1" -j stats show 2>/dev/null)
	while [[ $said =~ \"$2\":\ *([0-9]+) ]]; do
		echo "${BASH_REMATCH[1]}"
		said=${said#*"${BASH_REMATCH[0]}"}
	done
}

# link_blame SITE...: prints "site SITE to PEER port PORT silent N grey N stuck N damaged N resets N" for each
# link of these sites.
link_blame()
{
	local site

	for site; do
		at "$site" -s -j link show
	done | sed 's/{"site":/\n&/g' |
		sed -n 's/^{"site":\([0-9]*\),"port":\([0-9]*\),.*"expected_site":\([0-9]*\),.*"suspected_silent":\([0-9]*\),"suspected_grey":\([0-9]*\),"suspected_stuck":\([0-9]*\),"suspected_damaged":\([0-9]*\),"resets":\([0-9]*\).*/site \1 to \3 port \2 silent \4 grey \5 stuck \6 damaged \7 resets \8/p'
}

# Percent of its rate before that a pair keeps.
least_rate=90

# keeps_rates BEFORE_MS AFTER_MS: $work/after, of so many milliseconds, has the rates of $work/before
# (beside.c), and no ping was lost.
keeps_rates()
{
	awk -v before="$1" -v after="$2" -v least=$least_rate '
		FNR == NR { long[$1] = $9; short[$1] = $11; next }
		{
			n++
			pings += $3
			lost += $5
			if ($7 > slowest)
				slowest = $7
			if ($9 < long[$1] * after / before * least / 100 - 1 ||
			    $11 < short[$1] * after / before * least / 100 - 1 || !$9 || !$11) {
				slow++
				print "slower: " $0 "; before: long " long[$1] " short " short[$1]
			}
			if ($5)
				print "lost: " $0
		}
		END {
			printf "%u pairs: %u of %u pings lost, slowest %u ms; %u pairs slower\n",
			       n, lost, pings, slowest, slow
			exit !n || lost || slow
		}' "$work/before" "$work/after"
}

results=0 failures=0

# result STATUS TEXT
result()
{
	[ $results -gt 0 ] || echo "TAP version 13"
	results=$((results + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $results - $2"
	else
		echo "not ok $results - $2"
		failures=$((failures + 1))
	fi
}

# The plan comes last.
finish()
{
	echo "1..$results"
	[ $failures -eq 0 ]
	exit
}
