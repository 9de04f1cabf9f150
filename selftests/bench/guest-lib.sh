#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the guests of the benchmarks have in common; their scripts read it:
#
#   . /bench/guest-lib.sh
#
# and are in one directory with it, the programs and the plans.
#
# A lab is called bench, and has the IPv4 network 10.1 of `bench/plan` over its devices.

bench=$(dirname "$0")
ip=/sbin/ip
FLITCAST=$bench/flitcast
export FLITCAST

fail() { echo "$0: $*" >&2; exit 1; }

# The clock source changes once, early; not in the middle of a measurement.
settle()
{
	clock=/sys/devices/system/clocksource/clocksource0/current_clocksource
	tries=0
	until [ "$(cat $clock)" = tsc ] || [ $tries -ge 50 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	echo "# clock source $(cat $clock), kernel $(uname -r)"
}

# For namespaces that are made from here on.
settings()
{
	for setting in core/devconf_inherit_init_net=1 ipv4/ip_forward=1 ipv4/conf/all/rp_filter=0 \
			ipv4/conf/default/rp_filter=0 ipv6/conf/all/disable_ipv6=1 \
			ipv6/conf/default/disable_ipv6=1 \
			ipv4/neigh/default/base_reachable_time_ms=86400000; do
		[ ! -e "/proc/sys/net/${setting%=*}" ] ||
			echo "${setting#*=}" >"/proc/sys/net/${setting%=*}" || fail "$setting"
	done
}

# Each site's file of this name in the plan of the lab, by `ip -batch`.
batch() # NAME
{
	for file in "$plan/$1"-*; do
		$ip -n "bench-${file##*-}" -batch "$file" || fail "$file"
	done
}

# Directory of the plan of SPEC.
plan_of() { echo "$bench/plan/$(echo "$1" | tr : -)"; }

# A lab of topology SPEC, and IPv4 over it; its veths are as `ip link add` makes them.
lab_up() # SPEC MTU [ARGS...]
{
	spec=$1 mtu=$2 plan=$(plan_of "$1")
	shift 2
	settings
	"$FLITCAST" lab up "$spec" mtu "$mtu" name bench "$@" >/dev/null || fail "$spec"
	"$bench/offloads" bench || fail "offloads"
	batch ip
	echo "# $spec, MTU $mtu"
}

# Each device of a lab of SITES sites takes US microseconds for a frame with a flit of FLIT
# bytes, counted with its Ethernet header.
slow() # SITES FLIT US
{
	rate=$((($2 + 14) * 8 * 1000000 / $3))
	site=0
	while [ $site -lt "$1" ]; do
		for device in $($ip -n bench-$site -o link show type veth |
				sed 's/^[0-9]*: \([^@:]*\).*/\1/'); do
			echo "qdisc add dev $device root netem rate ${rate}bit limit 1000"
		done | /sbin/tc -n bench-$site -batch - || fail "netem at site $site"
		site=$((site + 1))
	done
	echo "# each link: netem rate ${rate}bit, $3 us for a frame of $(($2 + 14)) bytes"
}

# Without Flitcast; namespaces, devices and IPv4 stay.
sites_down()
{
	for netns in /run/netns/bench-*; do
		"$FLITCAST" -n "${netns##*/}" site del "${netns##*-}" || fail "site del"
	done
}

# Each site of the lab has a network device: site K is 10.7.0.(K + 1).
devices_up()
{
	site=0
	while [ -e "/run/netns/bench-$site" ]; do
		printf '%s\n' "link add fc0 type flitcast" "addr add 10.7.0.$((site + 1))/24 dev fc0" \
				"link set fc0 up" |
			$ip -n bench-$site -batch - || fail "device of site $site"
		site=$((site + 1))
	done
	tries=0
	until $ip netns exec bench-0 ping -c 1 -W 1 "10.7.0.$site" >/dev/null; do
		[ $((tries += 1)) -lt 60 ] || fail "no answer over the network devices"
	done
}

lab_down() { "$FLITCAST" lab down name bench >/dev/null || fail "lab down"; }

# How often the kernel's timers and queued works call flitcast.ko within SECONDS.
wakeups() # SECONDS
{
	tracing=/sys/kernel/tracing
	[ -e $tracing/trace ] || mount -t tracefs none $tracing || fail "tracing"
	echo >$tracing/trace
	for event in timer/timer_expire_entry timer/hrtimer_expire_entry \
			workqueue/workqueue_execute_start; do
		echo 1 >$tracing/events/$event/enable || fail "$event"
	done
	sleep "$1"
	echo 0 >$tracing/events/enable
	grep -c 'function=.*flitcast' $tracing/trace
}
