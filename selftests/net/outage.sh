#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2034,SC2154 # of the scripts that read it
#
# For net/failover.sh and bench/failover-guest: links of the lab $lab, a ring of four, fail in
# several ways, and $outage (net/outage.c) measures for how long no message passes.

# Seconds for probes to pass again after a failure, and for the last answers.
pass_limit=60 end_limit=30

# needs_outage MODULE...: sets $outage; the lab and what runs in it end with the script
needs_outage()
{
	local module

	outage=$bin/outage
	[ -x "$outage" ] || skip_all "needs $outage: make tests"
	for module; do
		modprobe -q "$module" || skip_all "needs the kernel's $module"
	done
	trap end_lab EXIT
	# A prober that has failed is an error of the write to it.
	trap '' PIPE
}

# shellcheck disable=SC2317 # by the trap
end_lab()
{
	local jobs

	jobs=$(jobs -p)
	# shellcheck disable=SC2086 # a word for each job
	[ -z "$jobs" ] || kill $jobs
	fc lab down name "$lab"
	rm -rf "$work"
}

# Are all links up?
# shellcheck disable=SC2317 # called by becomes
all_up()
{
	local site

	for site in 0 1 2 3; do
		[ "$(fc -n "$lab-$site" -j site show | grep -o '"links_up":[0-9]*')" = '"links_up":2' ] ||
			return 1
	done
}

# Each ingress of each device passes all frames, until the first action has another result: then
# frames are dropped, or go on to the second action, which drops long ones.
filters()
{
	local site port

	for site in 0 1 2 3; do
		for port in 1 2; do
			tc -n "$lab-$site" qdisc add dev p$port clsact &&
				tc -n "$lab-$site" filter add dev p$port ingress matchall \
					action gact pass index $port action police mtu 600 drop ||
				return 1
		done
	done
}

# changes STATE SITE:DEV...: sets $words to the changes; those behind +MS are so much later, but all
# links pass frames again at once
changes()
{
	local state=$1 end

	shift
	words=""
	for end; do
		case $end in
		+*) [ "$state" = pass ] || words+=" $end" ;;
		*) words+=" $end=$state" ;;
		esac
	done
}

# Sets $ends and $state: both directions of both links of $middle are silent.
dead_ends()
{
	state=drop ends=("$middle:p1" "$middle:p2" 0:p1 2:p2)
	[ "$middle" = 1 ] || ends=("$middle:p1" "$middle:p2" 0:p2 2:p1)
}

# Changes $ends: in the first eight rounds in orders by which copies of packets that leave a silent link
# are caught, too, and their source has to send them again; then in random order, within 3.4 s.  Half of
# the times between two are shorter than it takes to suspect a link: packets are caught between links
# that are not known to be silent.
dies_in_pieces() # ROUND
{
	local left=("${ends[@]}") rest=$((400 + RANDOM * 3000 / 32768)) gap i

	ends=("${left[3]}" +132 "${left[2]}" +750 "${left[0]}" +113 "${left[1]}")
	[ $(($1 % 2)) -eq 1 ] ||
		ends=("${left[0]}" +63 "${left[2]}" +37 "${left[1]}" +19 "${left[3]}")
	[ "$1" -gt 8 ] || return 0
	ends=()
	while [ ${#left[@]} -gt 0 ]; do
		i=$((RANDOM % ${#left[@]}))
		ends+=("${left[i]}")
		unset "left[i]"
		left=("${left[@]}")
		[ ${#left[@]} -gt 0 ] || break
		gap=$((RANDOM % 2 ? RANDOM % 140 : RANDOM * rest / 32768))
		rest=$((rest > gap ? rest - gap : 0))
		ends+=("+$gap")
	done
}

# Sets $ends, the places where KIND interferes, and $state, what they change to.  The link between 0
# and 1 fails, or $middle, the site between 0 and 2.
places() # KIND ROUND
{
	case $1 in
	carrier) state=down ends=(1:p2) ;;
	silent | busy) state=drop ends=(0:p1 1:p2) ;;
	one-way)
		state=drop ends=(0:p1)
		[ $(($2 % 2)) -eq 1 ] || ends=(1:p2) ;;
	dead-host) dead_ends ;;
	dying-host)
		dead_ends
		dies_in_pieces "$2" ;;
	grey) state=grey ends=(0:p1 1:p2) ;;
	*) echo "places: $1: no such kind" >&2; return 1 ;;
	esac
}

# asks COMMAND: sets $answer
asks()
{
	answer=""
	echo "$1" >&"$to_prober" && read -r -t $((pass_limit + 60)) answer <&"$from_prober"
}

# starts TRANSPORT SITE [OPTIONS...]: an echo at SITE, and a prober at 0
starts()
{
	local transport=$1 site=$2

	shift 2
	rm -f "$work"/{echo,to,from}
	mkfifo "$work"/{echo,to,from} || return 1
	"$outage" echo "$transport" "$lab" "$site" >"$work/echo" &
	echoer=$!
	read -r -t 20 answer <"$work/echo" && [ "$answer" = ready ] || return 1
	"$outage" probe -s "$RANDOM" "$@" "$transport" "$lab" 0 "$site" <"$work/to" >"$work/from" &
	prober=$!
	exec {to_prober}>"$work/to" {from_prober}<"$work/from"
}

# Stops both.  Sets $sent, $lost and $doubled.  False if the prober has failed.
stops()
{
	local status

	asks "end $end_limit"
	exec {to_prober}>&- {from_prober}<&-
	wait "$prober"
	status=$?
	# The echo of a TCP connection ends with it.
	kill "$echoer" 2>/dev/null
	wait "$echoer" 2>/dev/null
	[ $status -eq 0 ] &&
		[[ $answer =~ ^sent\ ([0-9]+)\ lost\ ([0-9]+)\ doubled\ ([0-9]+)$ ]] || return 1
	sent=${BASH_REMATCH[1]} lost=${BASH_REMATCH[2]} doubled=${BASH_REMATCH[3]}
}

# fails KIND ROUND USED: one failure and its end.  USED is a command that waits until probes use what
# is to fail, and for dead-host and dying-host sets
# $middle.  Appends to $work/KIND the figures of `judge` (outage.c).
fails()
{
	local kind=$1 round=$2 used=$3 words ends state back=pass passing

	"$used" "$kind" || { echo "# $kind $round: the path is not used: $answer"; return 1; }
	places "$kind" "$round" || return 1
	[ "$state" != down ] || back=up
	changes "$state" "${ends[@]}"
	asks "break$words" && [ "$answer" = broken ] || return 1
	asks "await $pass_limit"
	passing=$answer
	changes "$back" "${ends[@]}"
	asks "mend$words" && [ "$answer" = mended ] || return 1
	"$used" "$kind" || { echo "# $kind $round: the path is not used again: $answer"; return 1; }
	asks judge
	[[ $answer =~ ^outage\ (-?[0-9]+)\ back\ (-?[0-9]+)\ lost\ ([0-9]+)\ late\ ([0-9]+)$ ]] || return 1
	echo "${BASH_REMATCH[*]:1}" >>"$work/$kind"
	[ "$kind" != dying-host ] || echo "# $kind $round: ${ends[*]}: outage $(ms "${BASH_REMATCH[1]}") ms"
	[ "$passing" = passing ] || { echo "# $kind $round: 10 probes in sequence did not pass for $pass_limit s"; return 1; }
}

# rank PERCENT COLUMN FILE: the value that so many percent do not exceed
rank()
{
	cut -d ' ' -f "$2" "$3" | sort -n | awk -v percent="$1" '
		{ value[NR] = $1 }
		END {
			i = int((NR * percent + 99) / 100)
			print value[i]
		}'
}

# Microseconds in milliseconds.
ms() { awk -v us="$1" 'BEGIN { printf "%.1f", us / 1000 }'; }

# Sets $n, $p50, $p99, $most and $back (microseconds) from $work/KIND.
figures() # KIND
{
	n=$(wc -l <"$work/$1")
	p50=$(rank 50 1 "$work/$1") p99=$(rank 99 1 "$work/$1")
	most=$(rank 100 1 "$work/$1") back=$(rank 100 2 "$work/$1")
}
