#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Traffic beside a site that lies on its own links only: it stops in the middle of packets, trickles
# them, gives no credit back, or floods its links (liar/adversary).  Pairs of sites whose paths avoid
# it lose no ping, their messages keep the rate that they had before, and no link of theirs is reset
# or suspected.
#
#   beside.sh quick | all
#   beside.sh SECONDS MODE SPEC SITE LIE...
#
# SPEC is line:N or torus:AxB.  LIE is a lie of adversary, or
#
#   hold     front, without an end: each channel carries one front
#   named    front, in the name of an honest site
#   shorts   ones, in flits that are valid and too short for their place in the packet
#   blame    one report in the name of each honest site that none of its links works
#   honest   none: the test of this test
#
# Traffic is paced (beside.c), so that the rate depends on no processor, and guests that count
# instructions (vm/run -i) have the same time for it on any host.  FLITCAST_LAB may give the lab a key.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

adversary=$build/selftests/liar/adversary
# Milliseconds: of the measure before, and of the traffic that fills the windows of the liar's links
# meanwhile, until its neighbours abandon what waits for it.
before_ms=2000
fill_ms=5000
# Pairs of a network with many sites.
most_pairs=40

# distance A B: links between two sites
distance()
{
	local x y

	if [ -z "$rows" ]; then
		echo $(($1 > $2 ? $1 - $2 : $2 - $1))
		return
	fi
	x=$((($1 % columns - $2 % columns + columns) % columns))
	y=$((($1 / columns - $2 / columns + rows) % rows))
	echo $(((x < columns - x ? x : columns - x) + (y < rows - y ? y : rows - y)))
}

# Sets $pairs, which no shortest path through $liar joins, and $fillers, which send to it besides.
choose_pairs()
{
	local a b all=() from=() i

	rows="" columns=${spec#*:} sites=${spec#*:}
	case $spec in
	torus:*) columns=${columns%x*} rows=${spec#*x} sites=$((columns * rows)) ;;
	line:*) ;;
	*) die "$spec: line:N or torus:AxB" ;;
	esac
	for ((a = 0; a < sites; a++)); do
		[ "$a" -ne "$liar" ] || continue
		if [ "$(distance "$a" "$liar")" -eq 1 ] ||
			{ [ -z "$rows" ] && { [ "$a" -eq 0 ] || [ "$a" -eq $((sites - 1)) ]; }; }; then
			from+=("$a")
		fi
		for ((b = 0; b < sites; b++)); do
			[ "$b" -ne "$liar" ] || continue
			[ "$a" -ne "$b" ] || continue
			[ $(($(distance "$a" "$liar") + $(distance "$liar" "$b"))) -eq \
				"$(distance "$a" "$b")" ] || all+=("$a-$b")
		done
	done
	pairs=()
	for ((i = 0; i < most_pairs && i < ${#all[@]}; i++)); do
		pairs+=("${all[${#all[@]} > most_pairs ? i * ${#all[@]} / most_pairs : i]}")
	done
	fillers=$(IFS=,; echo "${from[*]}")
}

# traffic MS [PAIR...]
traffic() { "$bin/beside" "${pings[@]}" -t "$1" -l "$liar" -b "$fillers" "$lab" "${@:2}"; }

# What honest sites say about the links between them: resets, and suspicions.
honest_links()
{
	local site honest=()

	for ((site = 0; site < sites; site++)); do
		[ "$site" -eq "$liar" ] || honest+=("$site")
	done
	link_blame "${honest[@]}" | grep -v " to $liar port "
}

# Prints "site SITE to PEER in_stores MS in_age MS out_age MS" for each link of an honest site.
delays()
{
	local site

	for ((site = 0; site < sites; site++)); do
		[ "$site" -eq "$liar" ] || at "$site" -j link show
	done | sed 's/{"site":/\n&/g' |
		sed -n 's/^{"site":\([0-9]*\),.*"expected_site":\([0-9]*\),.*"in_stores":\([0-9]*\),"in_age":\([0-9]*\),.*"out_age":\([0-9]*\),.*/site \1 to \2 in_stores \3 in_age \4 out_age \5/p'
}

# check_delays LIE: `flitcast link show` of each of the liar's neighbours has what the lie delays, and
# that of no other link has a wait.  A wait below 100 ms may be an honest one.  A front without a rest is
# incomplete at each site that it has crossed, until a packet waits for it (core/link/stall.h).  In mode
# care it is cut, and the hold is over, when this looks.
check_delays()
{
	delays >"$work/delays"
	awk -v lie="$1" -v liar="$liar" -v mode="$mode" '
		{
			links++
			shown = lie == "withhold" ? $10 >= 100 : lie == "hold" && mode != "care" ? $6 + $8 >= 100 : 1
			if ($4 == liar ? !shown : $10 >= 100) {
				wrong++
				print "link show: " $0
			}
		}
		END { exit wrong || !links }' "$work/delays"
}

# Prints "site SITE reroutes N" and the counters of the link to the liar, for each of its neighbours.
received()
{
	local site

	for ((site = 0; site < sites; site++)); do
		[ "$(distance "$site" "$liar")" -eq 1 ] || continue
		echo "site $site reroutes $(counter "$site" reroutes)" \
			"$(at "$site" -s -j link show | sed 's/{"site":/\n&/g' |
				grep "\"expected_site\":$liar," |
				grep -oE '"(rx_(hello|control|faults|limited|malformed|unproven)|resets)":[0-9]+' |
				tr -d '"' | tr ':\n' '  ')"
	done
}

# check_flood LIE: the counters of each neighbour show that at least half of the flood of adversary
# has arrived, in valid frames, and that the site has ignored the reports beyond the limit.
check_flood()
{
	received >"$work/received.after"
	awk -v lie="$1" -v ms=$((fill_ms + seconds * 1000)) '
		{
			for (i = 3; i < NF; i += 2)
				grown[$2, $i] += FNR == NR ? -$(i + 1) : $(i + 1)
		}
		FNR != NR {
			n++
			few = 0
			if (lie == "hello")
				few = grown[$2, "rx_hello"] < ms / 2 || grown[$2, "resets"] < ms / 1000
			else if (lie == "control")
				few = grown[$2, "rx_control"] < ms / 4
			else if (lie == "faults")
				few = grown[$2, "rx_faults"] < ms / 2 || grown[$2, "rx_limited"] < ms
			else if (lie == "blame")
				few = !grown[$2, "reroutes"]
			else
				next
			# With a key a HELLO of another site proves nothing.
			unproven = lie == "hello" ? 0 : grown[$2, "rx_unproven"]
			bad += few || grown[$2, "rx_malformed"] || unproven
			line = "flood at site " $2 ":"
			for (i = 3; i < NF; i += 2)
				line = line " " $i " +" grown[$2, $i]
			print line
		}
		END { exit bad || !n }' "$work/received" "$work/received.after"
}

# What the links of the liar's neighbours are like, and which links the honest sites avoid.
report()
{
	local site

	for ((site = 0; site < sites; site++)); do
		[ "$site" -ne "$liar" ] || continue
		[ "$(distance "$site" "$liar")" -eq 1 ] || continue
		at "$site" -s link show |
			awk '/^site/ { if (line) print line; line = $0; next }
			     $1 ~ /^(tx_polls|tx_resent|tx_abandoned|rx_unfinished|rx_malformed|rx_protocol|suspected_.*|resets)$/ { line = line " " $1 " " $2 }
			     END { print line }'
		at "$site" topology faults
	done
}

# Takes the lab up and measures it before; sets $healthy.
prepare()
{
	FLITCAST_MODE=$mode lab_up "$spec" "${ip[@]}"
	traffic $before_ms "${pairs[@]}" >"$work/before" 2>"$work/why" ||
		die "$mode $spec: before: $(cat "$work/why")"
	healthy=1
}

# row LIE
row()
{
	local options=("$1") status=0

	case $1 in
	hold) options=(front again 0) ;;
	named) options=(front as "${pairs[0]%-*}") ;;
	shorts) options=(ones data 128) ;;
	blame) options=(blame again 0) ;;
	esac
	[ -n "$healthy" ] || prepare
	honest_links >"$work/links"
	{
		"$adversary" name "$lab" "$liar" "${options[@]}" &&
			received >"$work/received" &&
			traffic $fill_ms &&
			check_delays "$1" &&
			traffic $((seconds * 1000)) "${pairs[@]}" >"$work/after" &&
			keeps_rates $before_ms $((seconds * 1000)) &&
			check_flood "$1"
	} >"$work/said" 2>&1 || status=1
	honest_links >"$work/links.after"
	[ -s "$work/links" ] && diff "$work/links" "$work/links.after" >>"$work/said" || status=1
	report >>"$work/said" 2>&1
	"$adversary" name "$lab" "$liar" off >>"$work/said" 2>&1 || status=1
	sed 's/^/# /' "$work/said"
	result $status "$mode $spec${FLITCAST_LAB:+ with a key}: site $liar lies: $1"
	# What is stuck in the lab does not fail other rows.
	[ $status -eq 0 ] || { "$FLITCAST" lab down name "$lab" >/dev/null 2>&1; healthy=""; }
}

# rows SECONDS MODE SPEC SITE LIE...
rows()
{
	local lie

	seconds=$1 mode=$2 spec=$3 liar=$4 healthy=""
	shift 4
	# Mode csr has no network devices, and so no pings.
	ip=(ip) pings=()
	[ "$mode" != csr ] || ip=() pings=(-n)
	choose_pairs
	for lie; do
		row "$lie"
	done
	"$FLITCAST" lab down name "$lab" >/dev/null 2>&1
}

lies=(honest front hold named trickle ones shorts withhold slow mute nack)
lies+=(hello control faults blame)
case ${1:-quick} in
quick)
	rows 2 vnet line:4 3 hold withhold control
	rows 2 care line:4 3 hold
	rows 2 postman line:4 3 hold
	rows 2 csr line:4 3 hold
	;;
all)
	for mode in vnet care postman csr; do
		for place in line:6/5 line:6/2 line:4/3 torus:4x4/5; do
			rows 20 "$mode" "${place%/*}" "${place#*/}" "${lies[@]}"
		done
	done
	# The liar knows the key.
	printf '%064d\n' 1 >"$work/key"
	FLITCAST_LAB="key $work/key"
	rows 20 vnet line:4 3 "${lies[@]}"
	;;
*)
	[ $# -ge 5 ] || die "quick, all, or SECONDS MODE SPEC SITE LIE..."
	rows "$@"
	;;
esac
echo "# $SECONDS seconds"
finish
