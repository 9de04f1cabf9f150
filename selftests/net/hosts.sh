#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hosts of their own, a guest each, joined by virtio network cards: one topology
# across them, and messages in all directions, of which every byte is checked.
#
#   hosts.sh [-d] [-o CASE] [MESSAGES]		-d: on the debug kernel; -o: only
#						this one of two, four, ring
#   hosts.sh guest DIR SEED MESSAGES LOST SPEC SITE...	what a host runs
#
#	two hosts, line:2	[0] === [1]
#	two hosts, line:4	[0 - 1] === [2 - 3]
#	three hosts, ring:3	[0] === [1] === [2] === [0], and one is killed
#
# In line:4 the two sites of a host are in namespaces joined by a veth.
set -u

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
flitcast=$top/build/bin/flitcast
peer=$top/build/selftests/sock/peer
PATH=$PATH:/usr/sbin:/sbin

links_up()
{
	local site=$1 want=$2

	[ "$(ip netns exec "s$site" "$flitcast" -j link show | grep -o '"state": *"up"' | wc -l)" -eq "$want" ]
}

# Each site is in a namespace; the cards are those of the first port 2 and the
# last port 1, in this order.
guest()
{
	local dir=$1 seed=$2 messages=$3 lost=$4 spec=$5 site last="" n=0 cards=() ports status=0
	local card job jobs=() until

	shift 5
	read -ra cards <<<"${CARDS:?}"
	for site; do
		ip netns add "s$site"
		ip -n "s$site" link set lo up
		ip netns exec "s$site" "$flitcast" site add "$site" topology "$spec" || exit 1
		if [ -n "$last" ]; then
			ip link add p1 netns "s$last" type veth peer name p2 netns "s$site"
			use "$last" p1 1 && use "$site" p2 2 || exit 1
		fi
		last=$site
	done
	# "SITE.PORT" of each card
	for card in "${cards[@]}"; do
		ip link set "eth$n" netns "s${card%.*}"
		use "${card%.*}" "eth$n" "${card#*.}" || exit 1
		n=$((n + 1))
	done
	for site; do
		ports=$(ip netns exec "s$site" "$flitcast" -j link show | grep -o '"port":' | wc -l)
		until=$((SECONDS + 60))
		until links_up "$site" "$ports"; do
			[ $SECONDS -lt $until ] || {
				ip netns exec "s$site" "$flitcast" -s link show
				ip -n "s$site" -s link show
				exit 1
			}
			sleep 0.1
		done
		ip netns exec "s$site" "$peer" "$dir" "$seed" "$site" "${spec#*:}" "$messages" \
			${lost:+"$lost"} 2>&1 & jobs+=($!)
	done
	for job in "${jobs[@]}"; do
		wait "$job" || status=1
	done
	exit $status
}

# use SITE DEVICE PORT
use()
{
	ip -n "s$1" link set "$2" up
	ip netns exec "s$1" "$flitcast" link add "$2" port "$3"
}

if [ "${1:-}" = guest ]; then
	shift
	guest "$@"
fi

debug="" cases=""
while getopts do: option; do
	case $option in
	d) debug=-d ;;
	o) cases=$OPTARG ;;
	*) sed -n '4,/^set -u/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
messages=${1:-300}
seed=$RANDOM
echo "# seed $seed"
work=$(mktemp -d)
hosts=() tests=0 failures=0

cleanup()
{
	[ ${#hosts[@]} -eq 0 ] || kill "${hosts[@]}" 2>/dev/null
	wait
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

[ -x "$peer" ] || { echo "1..0 # SKIP no $peer: make tests"; exit 4; }

result()
{
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
	else
		echo "not ok $tests - $2"
		failures=$((failures + 1))
	fi
}

# host NUMBER LOST SPEC SITES CABLES: starts a host.  CABLES: of each card its
# SITE.PORT and that of the other end, "0.1=1.2".
host()
{
	local n=$1 lost=$2 spec=$3 sites=$4 cable options=() own=""

	for cable in $5; do
		options+=(-N "$work/${cable%=*}:$work/${cable#*=}")
		own+=" ${cable%=*}"
	done
	# shellcheck disable=SC2086 # sites are words
	"$top/selftests/vm/run" $debug -c 1 -t 280 -m 512 -w "$work/shared" -e "CARDS=$own" \
		-L "$work/host$n.kernel" "${options[@]}" -- \
		"$top/selftests/net/hosts.sh" guest "$work/shared" "$seed" "$messages" "$lost" "$spec" $sites \
		>"$work/host$n" 2>&1 & hosts[n]=$!
}

begin()
{
	hosts=()
	rm -rf "$work/shared"
	mkdir "$work/shared"
}

# ends NUMBER TEXT: the host has nothing to complain of
ends()
{
	local status

	wait "${hosts[$1]}"
	status=$?
	unset "hosts[$1]"
	sed 's/^\([^#]\)/# \1/' "$work/host$1"
	[ $status -eq 0 ] || tail -n 20 "$work/host$1.kernel" | sed 's/^/# /'
	result $status "$2"
}

# shellcheck disable=SC2317 # the cases are called by their names
case_two()
{
	begin
	host 0 "" line:2 0 0.1=1.2
	host 1 "" line:2 1 1.2=0.1
	ends 0 "two hosts: the first sends and gets"
	ends 1 "two hosts: the second sends and gets"
}

# shellcheck disable=SC2317
case_four()
{
	begin
	host 0 "" line:4 "0 1" 1.1=2.2
	host 1 "" line:4 "2 3" 2.2=1.1
	ends 0 "two hosts of two sites: the first sends and gets"
	ends 1 "two hosts of two sites: the second sends and gets"
}

heard() { cat "$work/shared/heard.$1" 2>/dev/null || echo 0; }

# shellcheck disable=SC2317
case_ring()
{
	begin
	host 0 2 ring:3 0 "0.1=1.2 0.2=2.1"
	host 1 2 ring:3 1 "1.1=2.2 1.2=0.1"
	host 2 2 ring:3 2 "2.1=0.2 2.2=1.1"
	until [[ $(heard 2) -ge $((messages / 10)) ]]; do
		kill -0 "${hosts[@]}" 2>/dev/null || break
		sleep 0.1
	done
	touch "$work/shared/killed"
	# who has got everything is not killed in mid-traffic
	kill "${hosts[2]}" && [ ! -e "$work/shared/done.2" ]
	result $? "three hosts: one is killed in mid-traffic"
	wait "${hosts[2]}"
	unset 'hosts[2]'
	ends 0 "three hosts: the first gets all of the second, and is told of the third"
	ends 1 "three hosts: the second gets all of the first, and is told of the third"
}

for name in ${cases:-two four ring}; do
	"case_$name"
done
echo "1..$tests"
[ $failures -eq 0 ]
