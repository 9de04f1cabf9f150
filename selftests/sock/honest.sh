#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Honest links that look much like those of a site that lies.  Messages, and pings where the mode
# has a network device, pass between the sites of line:4 meanwhile.  The counters of suspicions
# (silent, grey, stuck) and of resets of all links are compared with those before.
#
#   honest.sh [-s] quick | all
#   honest.sh [-s] CASE MODE...
#
# CASE is
#
#   unread    a receiver reads nothing for a minute, while large messages for it wait at all others
#   paused    the host of site 3 stops for 5 s, which is longer than HELLOs may be missing for
#   patient   the same, with links that are dead after 6 s
#   held      the link between 2 and 3 holds all frames for 5 s, with links that are dead after 6 s
#   lossy     the link between 1 and 2 loses 60 % of all frames in both directions, for 20 s
#   slow      the link between 1 and 2 carries 100 kbit/s and flits of 65,000 bytes; times of links
#             are as long as such a link needs
#   hasty     the same with the usual times: the link dies, and this fails
#   withheld  site 3 lies, and the check has to report it: the test of this test
#
# No case may count a link as stuck.  Documentation/design.rst (Suspected links, Grey links) allows
# suspicion of a link that does not answer for 140 ms or loses 60 % of its frames, and death after
# 3 s of silence: a case names the counters that may grow for that reason.  With -s none may.
# shellcheck disable=SC2317 # cases are called by their names
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

adversary=$build/selftests/liar/adversary
# Milliseconds: of the measure before.
before_ms=1000
# Seconds for which a host stops, or a link holds its frames.
pause_s=5
# Interval of polls in milliseconds, and how often it is doubled at most (core/link/llr.h).
poll=20 backoff=4

# traffic MS PAIR...: of these pairs (beside.c)
traffic() { "$bin/beside" "${pings[@]}" -t "$1" "$lab" "${@:2}"; }

# start OPTION...: takes the lab up, and measures $pairs.
start()
{
	ip=(ip) pings=() all=(0 1 2 3)
	# Mode csr has no network devices, and so no pings.
	[ "$mode" != csr ] || ip=() pings=(-n)
	FLITCAST_MODE=$mode lab_up line:4 "${ip[@]}" "$@"
	traffic "$before_ms" "${pairs[@]}" >"$work/before" 2>"$work/why" ||
		die "$mode: before: $(cat "$work/why")"
}

# The counters of all honest sites, before and after.
note() { link_blame "${all[@]}" >"$work/blame"; [ -s "$work/blame" ]; }

# blamed [NAME...]: says which counters of links have grown since note(), and fails where others
# than these have, or a link was reset more than three times.
blamed()
{
	[ -z "$strict" ] || set --
	link_blame "${all[@]}" >"$work/blame.after"
	awk -v may=" $* " '
		{ key = $1 FS $2 FS $3 FS $4 FS $5 FS $6 }
		FNR == NR { for (i = 7; i < NF; i += 2) was[key, $i] = $(i + 1); had++; next }
		{
			links++
			grown = ""
			for (i = 7; i < NF; i += 2) {
				more = $(i + 1) - was[key, $i]
				if (!more)
					continue
				grown = grown " " $i " +" more
				if (!index(may, " " $i " ") || ($i == "resets" && more > 3))
					wrong++
			}
			if (grown)
				print key ":" grown
		}
		END { exit wrong || !links || links != had }' "$work/blame" "$work/blame.after"
}

# All pairs have their rates again.
normal() { traffic 1000 "${pairs[@]}" >"$work/after" && keeps_rates "$before_ms" 1000 >"$work/kept"; }

# recovers SITE:PORT...: these links are trusted again, and then all pairs have their rates.  In
# mode care packets of a link that was slow are stored for up to 64 s (core/link/stall.h).
recovers()
{
	local from=$EPOCHREALTIME limit=10

	wait_for 20 trusted "$@" || return
	echo "links are trusted after $(since "$from") ms"
	[ "$mode" != care ] || limit=70
	wait_for "$limit" normal || { cat "$work/kept"; return 1; }
	echo "pairs have their rates after $(since "$from") ms"
}

# middle WORD...: a qdisc at both ends of the link between sites 1 and 2
middle()
{
	tc -n "$lab-1" qdisc replace dev p1 root "$@" && tc -n "$lab-2" qdisc replace dev p2 root "$@"
}

whole() { tc -n "$lab-1" qdisc del dev p1 root && tc -n "$lab-2" qdisc del dev p2 root; }

# trusted SITE:PORT...: these links are up, and not suspected.
trusted()
{
	local end

	for end; do
		at "${end%:*}" link show "p${end#*:}" >"$work/link"
		grep -q 'state up' "$work/link" && ! grep -q suspect "$work/link" || return
	done
}

# A receiver at site 3 is ready.
bound() { [ "$(at 3 -j site show | grep -o '"sockets": *[0-9]*' | grep -o '[0-9]*$')" -ge 1 ]; }

# since TIME: milliseconds
since() { echo $(((${EPOCHREALTIME/./} - ${1/./}) / 1000)); }

unread()
{
	local reader from i sends=()

	pairs=(0-3 3-1)
	start
	head -c 1000000 /dev/zero >"$work/large"
	"$FLITCAST" -n "$lab-3" recv --port 77 --count 0 >/dev/null 2>&1 & reader=$!
	children+=("$reader")
	wait_for 10 bound && kill -STOP "$reader" && note || return
	for from in 0 1 2; do
		for i in 1 2 3 4; do
			at "$from" send --confirm --timeout 200 --to 3:77 --file "$work/large" \
				>"$work/sent.$from.$i" 2>&1 & sends+=($!)
		done
	done
	children+=("${sends[@]}")
	traffic 60000 "${pairs[@]}" >"$work/after" && keeps_rates "$before_ms" 60000 || return
	i=$(grep -l delivered "$work"/sent.* | wc -l)
	echo "delivered while nobody reads: $i of ${#sends[@]}"
	kill -CONT "$reader"
	[ "$i" -lt ${#sends[@]} ] && wait "${sends[@]}" || return
	i=$(grep -l delivered "$work"/sent.* | wc -l)
	echo "delivered: $i of ${#sends[@]}"
	kill "$reader"
	[ "$i" -eq ${#sends[@]} ] && blamed
}

# pause COUNTER...: stops a process that is an honest site 3
pause()
{
	local pid from

	pairs=(0-1 0-2 2-0)
	start
	[ -z "$dead" ] || "$bin/tune" "$lab" "$poll" 500 "$dead" || return
	"$adversary" name "$lab" 3 honest || return
	all=(0 1 2)
	pid=$(pgrep -f "adversary name $lab 3 honest")
	normal && note && kill -STOP "$pid" || return
	# Packets for site 3 wait meanwhile.
	"$bin/beside" "${pings[@]}" -t 7000 -l 3 -b 0,2 "$lab" 0-1 0-2 2-0 >"$work/meanwhile" &
	from=$EPOCHREALTIME
	sleep "$pause_s"
	kill -CONT "$pid"
	echo "paused for $(since "$from") ms"
	wait $! || return
	sed 's/^/meanwhile: /' "$work/meanwhile"
	recovers 2:1 && blamed "$@"
}

paused() { dead="" pause silent resets; }
patient() { dead=12 pause silent; }

held()
{
	local from took

	pairs=(0-1 1-2 2-3 0-3 3-0)
	start
	"$bin/tune" "$lab" "$poll" 500 12 || return
	for from in 2:p1 3:p2; do
		tc -n "$lab-${from%:*}" qdisc replace dev "${from#*:}" root plug limit 100000000 &&
			tc -n "$lab-${from%:*}" qdisc change dev "${from#*:}" root plug release_indefinite || return
	done
	normal && note || return
	for from in 2:p1 3:p2; do
		tc -n "$lab-${from%:*}" qdisc change dev "${from#*:}" root plug block || return
	done
	traffic 7000 "${pairs[@]}" >"$work/meanwhile" &
	sleep "$pause_s"
	for from in 2:p1 3:p2; do
		tc -n "$lab-${from%:*}" qdisc change dev "${from#*:}" root plug release_indefinite || return
	done
	from=$EPOCHREALTIME
	at 0 ping 3 -c 1 -W 10 >/dev/null || return
	took=$(since "$from")
	echo "an answer $took ms after the pause, polls go each $((poll << backoff)) ms"
	wait $! || return
	sed 's/^/meanwhile: /' "$work/meanwhile"
	# One interval for each direction, and one for what was lost before it.
	[ "$took" -le $((3 * (poll << backoff))) ] &&
		recovers 2:1 3:2 && blamed silent
}

lossy()
{
	pairs=(0-1 2-3 1-2 2-1 0-3 3-0)
	start
	note && middle netem loss 60% limit 10000 || return
	traffic 20000 "${pairs[@]}" >"$work/meanwhile" || return
	sed 's/^/meanwhile: /' "$work/meanwhile"
	whole && recovers 1:1 2:2 && blamed silent grey resets
}

slow()
{
	pairs=(0-1 2-3 1-2 2-1 0-3 3-0)
	start mtu 65535 flit 65000
	# shellcheck disable=SC2086 # words
	[ -z "$times" ] || "$bin/tune" "$lab" $times || return
	note && middle tbf rate 100kbit burst 66000 limit 4000000 || return
	traffic 60000 "${pairs[@]}" >"$work/meanwhile" || return
	sed 's/^/meanwhile: /' "$work/meanwhile"
	blamed || return
	whole && recovers 1:1 2:2 && blamed
}

hasty() { times="" slow; }

# The liar takes no flits for longer than any honest site.
withheld()
{
	pairs=(0-1 0-2 2-0)
	start
	"$adversary" name "$lab" 3 withhold || return
	all=(0 1 2)
	note || return
	"$bin/beside" "${pings[@]}" -t 20000 -l 3 -b 0,2 "$lab" 0-1 >"$work/after" || return
	blamed silent grey resets && return 1
	grep -q 'to 3 .* stuck +' <<<"$(blamed)"
}

# cases MODE CASE...
cases()
{
	local what status

	mode=$1
	shift
	for what; do
		times="10000 10000 100" dead=""
		"$what" >"$work/said" 2>&1
		status=$?
		sed 's/^/# /' "$work/said"
		result $status "$mode: $what"
		"$FLITCAST" lab down name "$lab" >/dev/null 2>&1
	done
	echo "# $SECONDS seconds"
}

strict=""
[ "${1:-}" != -s ] || { strict=1; shift; }
need_modules sch_netem sch_tbf sch_plug
case ${1:-quick} in
quick)
	cases vnet unread patient withheld
	cases care patient
	;;
all)
	for each in vnet care postman csr; do
		cases "$each" unread paused patient held lossy slow withheld
	done
	;;
*)
	[ $# -ge 2 ] || die "quick, all, or CASE MODE..."
	for each in "${@:2}"; do
		cases "$each" "$1"
	done
	;;
esac
finish
