#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# For how long messages do not pass when a link of a ring of four sites fails: 20 probes a second
# from site 0, each answered by a program at the other site, and so many failures of each kind:
#
#   failover.sh [FAILURES [KIND...]]
#
#   carrier    a device of the link 0-1 is set down, the other end loses its carrier
#   silent     the link 0-1 keeps its carriers and drops everything
#   busy       the same, with 200 probes a second: more of them wait for the link than the transit
#              pool takes copies at once
#   one-way    as silent, in one direction: each in turn
#   dead-host  all links of the site that the probes to site 2, or their answers, pass are silent
#   dying-host as dead-host, but the four directions of these links fall silent one after the other,
#              in some order, within 3.4 s; of few failures, four times as many
#   grey       the link 0-1 drops long frames; every other probe is long
#   ip-KIND    carrier, silent, busy and one-way, with probes by UDP over the network devices
#   tcp-KIND   carrier, silent, one-way and dead-host, with probes by a TCP connection over them
#
# Between two failures the probes use the link again.  No probe may be lost, and none answered
# twice.  The bounds are absolute times, as applications require: see net/outage.c for what is
# measured.
set -u

# Microseconds: of 99 % of the outages, and of all.
declare -A bound99=([carrier]=50000 [silent]=200000 [busy]=200000 [one-way]=200000 [dead-host]=200000
	[dying-host]=250000 [grey]=400000)
declare -A bound=([carrier]=50000 [silent]=250000 [busy]=250000 [one-way]=250000 [dead-host]=250000
	[dying-host]=400000 [grey]=400000
	[tcp-silent]=300000 [tcp-one-way]=300000 [tcp-dead-host]=300000)
# Seconds for a link to be used again.
return_limit=60
# Above it are the addresses that the lab gives to network devices, see starts() in net/outage.sh.
network=10.253.255.255

failures=${1:-3}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- carrier silent busy one-way dead-host grey ip-carrier ip-silent tcp-silent

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=./selftests/net/outage.sh
. "$here/outage.sh"

[[ $failures =~ ^[1-9][0-9]*$ ]] || { echo "failover.sh: $failures: no number of failures" >&2; exit 2; }
for kind; do
	case $kind in
	carrier | silent | busy | one-way | dead-host | dying-host | grey) ;;
	ip-carrier | ip-silent | ip-busy | ip-one-way) ;;
	tcp-carrier | tcp-silent | tcp-one-way | tcp-dead-host) ;;
	*) echo "failover.sh: $kind: no such kind" >&2; exit 2 ;;
	esac
done

lab=failover$$
needs_outage sch_ingress cls_matchall act_gact act_police

# Packets that a site has forwarded.
# shellcheck disable=SC2317 # called by used
forwarded()
{
	fc -n "$lab-$1" -j stats show | grep -o '"packets_unicast": *[0-9]*' | grep -o '[0-9]*$'
}

# Has the site forwarded ten more packets?
# shellcheck disable=SC2317 # called by becomes
forwards() { [ "$(forwarded "$middle")" -ge $((before + 10)) ]; }

# Is no link suspected?
# shellcheck disable=SC2317 # called by becomes
trusted()
{
	local site

	for site in 0 1 2 3; do
		! fc -n "$lab-$site" -j link show | grep -q '"suspect":true' || return
	done
}

# Waits until probes use what fails.  Probes to 2 pass one of 1 and 3, and answers the other:
# these fail in turn.
# shellcheck disable=SC2317 # called by fails
used() # KIND
{
	answer=""
	becomes "$return_limit" all_up && becomes "$return_limit" trusted || return 1
	if [[ $1 != d*-host ]]; then
		asks "hops ${hops[0]} ${hops[0]} $return_limit"
	else
		before=$(forwarded "$middle")
		becomes "$return_limit" forwards || return 1
		asks "hops ${hops[1]} ${hops[1]} $return_limit"
	fi
	[ "$answer" = passing ]
}

accepts "up: a ring of four" fc lab up ring:4 ip name "$lab"
accepts "up: filters" filters
for name; do
	kind=${name#ip-} kind=${kind#tcp-} transport=flitcast
	case $name in
	ip-*) transport=$network ;;
	tcp-*) transport=tcp:$network ;;
	esac
	to=1 options=() hops=(1 2)
	[ "${name#tcp-}" = "$name" ] || hops=(0 0)
	[[ $kind != d*-host ]] || to=2
	[ "$kind" != busy ] || options=(-i 5)
	# two full flits
	[ "$kind" != grey ] || options=(-b '64,2900')
	: >"$work/$kind"
	starts "$transport" $to "${options[@]}" || { result 1 "$name: echo and prober start"; continue; }
	rounds=$failures
	[ "$kind" != dying-host ] || [ "$failures" -ge 50 ] || rounds=$((4 * failures))
	for ((round = 1; round <= rounds; round++)); do
		middle=$((round % 2 ? 1 : 3))
		fails "$kind" $round used || break
	done
	stops || lost=unknown doubled=unknown sent=unknown
	figures "$kind"
	echo "# $name: n $n p50 $(ms "$p50") p99 $(ms "$p99") max $(ms "$most") ms," \
		"lost $lost doubled $doubled of $sent; worst at the link's return $(ms "$back") ms"
	# The 99th percentile of less than a hundred failures is the worst one.
	most_allowed=${bound[$name]:-${bound[$kind]}}
	awk -v name="$name" -v most="$most_allowed" '$1 > most {
		printf "# %s, failure %u: %.1f ms, the prober was late by %.1f ms at most\n", name, NR,
		       $1 / 1000, $4 / 1000
	}' "$work/$kind"
	[ "$n" -eq "$rounds" ] && { [ "$n" -lt 100 ] || [ "$p99" -le "${bound99[$kind]}" ]; } &&
		[ "$most" -le "$most_allowed" ]
	result $? "$name: all pass within $(ms "$most_allowed") ms, of a hundred 99 within $(ms "${bound99[$kind]}") ms"
	[ "$lost" = 0 ] && [ "$doubled" = 0 ]
	result $? "$name: none is lost or doubled"
done

# All links of site 0 are silent, and one is removed while packets on it wait to be copied.
# shellcheck disable=SC2317 # called by becomes
suspects() { fc -n "$lab-0" -j link show p1 | grep -q '"suspect":true'; }
# shellcheck disable=SC2317 # called by accepts
removed()
{
	local words answer all=(0:p1 1:p2 0:p2 3:p1)

	becomes "$return_limit" all_up && becomes "$return_limit" trusted || return
	changes drop "${all[@]}"
	asks "break$words" && becomes 5 suspects && fc -n "$lab-0" link del p1 || return
	changes pass "${all[@]}"
	asks "mend$words" && asks "await $pass_limit" && [ "$answer" = passing ] &&
		fc -n "$lab-0" link add p1 port 1
}
if starts flitcast 1 -i 1; then
	accepts "link del: while packets on it wait to be copied" removed
	stops && [ "$lost" = 0 ] && [ "$doubled" = 0 ]
	result $? "link del: none is lost or doubled"
fi

# A site that is deleted informs its neighbours: they need not wait until the link is silent.
# shellcheck disable=SC2317 # called by becomes
informed()
{
	fc -n "$lab-0" -j link show port 1 site 0 | grep -q '"reason":"the peer.s link or site was removed'
}
becomes "$return_limit" all_up
result $? "all links are up"
fc -n "$lab-1" site del 1
becomes 1 informed
result $? "site del: the neighbour is informed at once"
finish
