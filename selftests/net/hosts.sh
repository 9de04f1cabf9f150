#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Hosts of their own, a guest each, joined by virtio network cards: one topology
# across them, and messages in all directions, of which every byte is checked.
#
#   hosts.sh [-d] [-o CASE] [MESSAGES]		-d: on the debug kernel; -o: only
#						this one of jumbo, kill, four, ring
#   hosts.sh guest DIR SEED MESSAGES LOST SPEC SITE...	what a host runs
#
#	two hosts, line:2	[0] === [1]	MTU 9,000, cards that compute checksums and cut
#						segments, each host stopped once; then MTU
#						1,500, and 1 is killed
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

# cards_are MTU: all of them, and with $OFFLOADS they compute checksums and cut segments
# (bits 0 and 11 of what virtio's device and driver agreed on).
cards_are()
{
	local dev features

	for dev in /sys/class/net/eth*; do
		[ "$(cat "$dev/mtu")" = "$1" ] || { echo "${dev##*/}: the MTU is not $1"; return 1; }
		features=$(cat "$dev/device/features")
		[ -z "${OFFLOADS:-}" ] || [ "${features:0:1}${features:11:1}" = 11 ] || {
			echo "${dev##*/}: virtio's features are $features"
			return 1
		}
	done
}

# Each site is in a namespace; the cards are those of the first port 2 and the
# last port 1, in this order.
guest()
{
	local dir=$1 seed=$2 messages=$3 lost=$4 spec=$5 site last="" n=0 cards=() ports status=0
	local card job jobs=() until

	shift 5
	cards_are "${MTU:-1500}" || exit 1
	read -ra cards <<<"${CARDS:?}"
	for site; do
		ip netns add "s$site"
		ip -n "s$site" link set lo up
		ip netns exec "s$site" "$flitcast" site add "$site" topology "$spec" \
			flit "${MTU:-1500}" || exit 1
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
		ip netns exec "s$site" "$peer" -b "${BYTES:-102400}" ${SLOW:+-s} "$dir" "$seed" "$site" \
			"${spec#*:}" "$messages" ${lost:+"$lost"} 2>&1 & jobs+=($!)
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
# Seconds that a host is stopped: its links are down long before.
stopped=3
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

# Tap devices in a network namespace of their own; without them no card has offloads.
if [ -z "${HOSTS_NETNS:-}" ] && unshare -n ip tuntap add t0 mode tap vnet_hdr 2>/dev/null; then
	rm -rf "$work"
	trap - EXIT
	HOSTS_NETNS=1 exec unshare -n "$0" ${debug:+-d} ${cases:+-o "$cases"} "$messages"
fi

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
# SITE.PORT and that of the other end, "0.1=1.2"; or its SITE.PORT, and the tap device
# of that name is the cable.
host()
{
	local n=$1 lost=$2 spec=$3 sites=$4 cable options=() own=""

	for cable in $5; do
		case $cable in
		*=*) options+=(-N "$work/${cable%=*}:$work/${cable#*=}") ;;
		*) options+=(-N "tap:t$cable") ;;
		esac
		own+=" ${cable%=*}"
	done
	mkfifo "$work/monitor$n".{in,out}
	options+=(-q -chardev -q "pipe,id=hosts,path=$work/monitor$n" -q -mon -q chardev=hosts)
	[ "$mtu" = 1500 ] || options+=(-q -global -q "virtio-net-pci.host_mtu=$mtu")
	# shellcheck disable=SC2086 # sites are words
	"$top/selftests/vm/run" $debug -c 1 -t 280 -m 512 -w "$work/shared" -e "CARDS=$own" \
		-e "MTU=$mtu" -e "BYTES=$bytes" -e "OFFLOADS=$offloads" -e "SLOW=$slow" \
		-L "$work/host$n.kernel" "${options[@]}" -- \
		"$top/selftests/net/hosts.sh" guest "$work/shared" "$seed" "$count" "$lost" "$spec" $sites \
		>"$work/host$n" 2>&1 & hosts[n]=$!
}

begin()
{
	hosts=() mtu=1500 bytes=102400 offloads="" slow="" count=$messages
	rm -rf "$work/shared" "$work"/monitor*
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

# bridge DEVICE...: tap devices, joined as by a cable
bridge()
{
	local device

	ip link add b0 type bridge && ip link set b0 mtu "$mtu" up || return
	for device; do
		ip tuntap add "$device" mode tap vnet_hdr &&
			ip link set "$device" mtu "$mtu" master b0 up || return
	done
}

heard() { cat "$work/shared/heard.$1" 2>/dev/null || echo 0; }

# signal NUMBER SIGNAL: to the process that is the host
# shellcheck disable=SC2317
signal() { kill "-$2" "$(pgrep -P "${hosts[$1]}" -f '^qemu-system')"; }

# shellcheck disable=SC2317
monitor() { echo "$2" >"$work/monitor$1.in"; }

alive() { kill -0 "${hosts[@]}" 2>/dev/null; }

# gets NUMBER MORE: waits until it has got so many more messages; false if one ends before
gets()
{
	local until=$(($(heard "$1") + $2))

	while [ "$(heard "$1")" -lt "$until" ]; do
		alive || return
		sleep 0.05
	done
}

# stops NUMBER OTHER STOP GO: that host does nothing for a while in mid-traffic, until the other
# one gets nothing more; then it goes on
stops()
{
	local before=-1 status=0

	gets "$1" 20 && gets "$2" 20 && $3 || return
	# What was in the cable comes at once.
	until [ "$(heard "$2")" = "$before" ]; do
		before=$(heard "$2")
		sleep "$stopped"
	done
	[ ! -e "$work/shared/done.$1" ] && [ ! -e "$work/shared/done.$2" ] || status=1
	$4 && gets "$2" 10 && return $status
}

# rested NUMBER: its site got nothing for as long as another host was stopped
rested()
{
	local ms

	ms=$(sed -n 's/.* at rest for \([0-9]*\) ms at most$/\1/p' "$work/host$1")
	[ "${ms:-0}" -ge $((stopped * 1000)) ]
}

# SIGSTOP: the guest's clock jumps when it goes on; QEMU's stop: the clock stands still.
# shellcheck disable=SC2317 # the cases are called by their names
case_jumbo()
{
	local cables=(0.1=1.2 1.2=0.1) status

	begin
	# The hosts are in mid-traffic twice, however late this script is.
	mtu=9000 bytes=400000 count=$((4 * messages)) slow=1
	if [ -n "${HOSTS_NETNS:-}" ]; then
		bridge t0.1 t1.2 || { result 1 "two hosts: tap devices"; return; }
		cables=(0.1 1.2) offloads=1
	fi
	host 0 "" line:2 0 "${cables[0]}"
	host 1 "" line:2 1 "${cables[1]}"
	stops 1 0 "signal 1 STOP" "signal 1 CONT"
	result $? "two hosts, MTU 9,000: the second is stopped, and goes on with a clock that jumped"
	stops 0 1 "monitor 0 stop" "monitor 0 cont"
	status=$?
	touch "$work/shared/stopped"
	result $status "two hosts, MTU 9,000: the first is stopped, and goes on with a clock that stood still"
	ends 0 "two hosts, MTU 9,000: the first gets all, once and in order, and nobody is given up"
	ends 1 "two hosts, MTU 9,000: the second gets all, once and in order, and nobody is given up"
	rested 0 && rested 1
	result $? "two hosts, MTU 9,000: each rested while the other was stopped"
	[ -n "$offloads" ] && return
	tests=$((tests + 1))
	echo "ok $tests - two hosts, MTU 9,000: offloads # SKIP no tap devices here"
}

# shellcheck disable=SC2317
case_kill()
{
	begin
	host 0 1 line:2 0 0.1=1.2
	host 1 1 line:2 1 1.2=0.1
	gets 0 20 && gets 1 20 && kill "${hosts[1]}" && [ ! -e "$work/shared/done.1" ]
	result $? "two hosts: one is killed in mid-traffic"
	touch "$work/shared/killed"
	wait "${hosts[1]}"
	unset 'hosts[1]'
	ends 0 "two hosts: the other is told so in time, and of nothing before"
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

for name in ${cases:-jumbo kill four ring}; do
	"case_$name"
done
echo "1..$tests"
[ $failures -eq 0 ]
