#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Whatever happens to links, sites and processors: each message comes at most once, in order and
# whole, what its sender is told is true, everything ends, and when it is over all comes (oracle.c
# has the rules).
#
#   oracle.sh [DELIVERIES [SECONDS [SEED [MODE...]]]]
#
# In each mode so many targets of messages, spread over so many seconds in which links go down and
# come back, or drop all frames in one direction or both while their carriers stay, sites crash and
# begin anew, processor 1 goes and comes back (in a guest only), and netem at the ends of links loses
# frames, alone and in bursts, doubles, reorders and changes them.
# ORACLE_ROOM is the room of slow receivers in bytes.
#
# shellcheck disable=SC2317 # functions are called by their names
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

deliveries=${1:-5000} seconds=${2:-15} seed=${3:-$RANDOM}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- vnet care postman csr
need_modules sch_netem sch_ingress cls_matchall act_gact
command -v tc >/dev/null || skip "there is no tc"
RANDOM=$seed
# A kernel that looks for faults carries less than a fifth as much.
timeout=6000
[ -z "${FLITCAST_DEBUG:-}" ] || deliveries=$((deliveries / 5)) timeout=30000
cpu=/sys/devices/system/cpu/cpu1/online

troubles=(
	"loss 3%"
	"loss gemodel 2% 20%"
	"duplicate 3%"
	"delay 1ms reorder 25%"
	"corrupt 0.5%"
	"delay 1ms 1ms loss 3% corrupt 0.3% duplicate 2% reorder 25%"
)

going() { [ ! -e "$work/healing" ]; }

# Sets $ends, "SITE PORT" of every end of a link, and $ports of each site.
list_ends()
{
	local site word

	ends=() ports=()
	for ((site = 0; site < sites; site++)); do
		for word in $(ip -n "$lab-$site" -br link show); do
			[[ $word =~ ^p([0-9]+)(@.*)?$ ]] || continue
			ends+=("$site ${BASH_REMATCH[1]}")
			ports[site]+=" ${BASH_REMATCH[1]}"
		done
	done
}

# nap MS: 100 ms and up to so many more.  A program to sleep takes longer to start in a guest.
mkfifo "$work/never"
exec {never}<>"$work/never"
nap()
{
	local ms=$((RANDOM % $1 + 100))

	read -rt "$((ms / 1000)).$(printf %03d $((ms % 1000)))" -u "$never"
	return 0
}

flap()
{
	local end

	while going; do
		end=${ends[RANDOM % ${#ends[@]}]}
		ip -n "$lab-${end% *}" link set "p${end#* }" down
		nap 600
		ip -n "$lab-${end% *}" link set "p${end#* }" up
		echo flap >>"$work/faults"
		nap 300
	done
}

# The end of a link receives nothing, and sometimes those of a whole site, for up to 1.6 s.
silence()
{
	local end port silent

	while going; do
		end=${ends[RANDOM % ${#ends[@]}]} silent=${end#* }
		[ $((RANDOM % 3)) -gt 0 ] || silent=${ports[${end% *}]}
		for port in $silent; do
			echo "qdisc add dev p$port clsact"
			echo "filter add dev p$port ingress matchall action drop"
		done | tc -n "$lab-${end% *}" -batch - || return
		nap 1500
		for port in $silent; do
			echo "qdisc del dev p$port clsact"
		done | tc -n "$lab-${end% *}" -batch - || return
		echo silence >>"$work/faults"
		nap 300
	done
}

crash()
{
	local site

	while going; do
		nap 2000
		site=$((RANDOM % sites))
		"$FLITCAST" lab kill name "$lab" "$site" >"$work/kill" 2>&1 || {
			cat "$work/kill"
			return 1
		}
		nap 2000
		"$FLITCAST" lab revive name "$lab" "$site" >"$work/revive" 2>&1 || {
			cat "$work/revive"
			return 1
		}
		echo crash >>"$work/faults"
	done
}

trouble()
{
	local site port how

	while going; do
		site=$((RANDOM % sites)) how=${troubles[RANDOM % ${#troubles[@]}]}
		for port in ${ports[site]}; do
			echo "qdisc replace dev p$port root netem limit 10000 $how"
		done | tc -n "$lab-$site" -batch - || return
		echo netem >>"$work/faults"
		nap 200
	done
}

processor()
{
	[ -n "${FLITCAST_VM:-}" ] && [ -w "$cpu" ] || return 0
	while going; do
		nap 1000
		echo 0 >"$cpu" || return
		nap 1000
		echo 1 >"$cpu" || return
		echo processor >>"$work/faults"
	done
}

heal()
{
	local site port

	for ((site = 0; site < sites; site++)); do
		for port in ${ports[site]}; do
			echo "qdisc del dev p$port root"
		done | tc -n "$lab-$site" -force -batch - 2>/dev/null
		for port in ${ports[site]}; do
			echo "link set p$port up"
		done | ip -n "$lab-$site" -batch - || return
	done
}

# oracle MODE SPEC [-c]
oracle()
{
	local mode=$1 spec=$2 what status job jobs=() bad=0

	shift 2
	rm -f "$work/healing" "$work/faults"
	FLITCAST_MODE=$mode lab_up "$spec" integrity end
	sites=$(ip netns | grep -c "^$lab-[0-9]")
	list_ends
	"$bin/oracle" -n "$deliveries" -s "$seconds" -t "$timeout" -S "$seed" \
		${ORACLE_ROOM:+-r "$ORACLE_ROOM"} "$@" "$lab" >"$work/oracle" 2>&1 &
	children=($!)
	wait_for 60 grep -q ready "$work/oracle" || die "oracle: $(cat "$work/oracle")"
	for what in flap flap silence crash trouble processor; do
		RANDOM=$((seed + ${#jobs[@]}))
		$what & jobs+=($!)
	done
	sleep "$seconds"
	: >"$work/healing"
	for job in "${jobs[@]}"; do
		wait "$job" || bad=1
	done
	result $bad "$mode, $spec: links, sites and processors go and come back"
	heal
	result $? "$mode, $spec: every link is whole again"
	kill -USR1 "${children[0]}"
	wait "${children[0]}"
	status=$?
	children=()
	sed 's/^/# /' "$work/oracle"
	echo "# faults:" "$(sort "$work/faults" | uniq -c | tr -s ' \n' ' ')"
	result $status "$mode, $spec: what every target got, and its sender was told, is right (seed $seed)"
	"$FLITCAST" lab down name "$lab" >/dev/null 2>&1
}

for mode; do
	case $mode in
	# broadcasts take ways that nobody reserved
	csr) oracle csr hexmesh:2 ;;
	*) oracle "$mode" torus:3x3 -c ;;
	esac
done
finish
