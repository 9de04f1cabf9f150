#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The life of network devices of sites, while TCP and pings go through them:
#
#	0 --- 1 --- 2
#
# Links flap, the device goes down and up, its MTU changes, it moves to another namespace, its site
# is deleted, its namespace is deleted, and the module is removed.
# shellcheck disable=SC2317 # functions are called through the helpers
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

lab=life$$ away=away$$
ko=${FLITCAST_MODULES:-$top}/flitcast.ko
[ -f "$ko" ] || ko=$(modinfo -n flitcast 2>/dev/null) || skip_all "needs flitcast.ko"
for program in ping iperf3; do
	command -v "$program" >/dev/null || skip_all "needs $program"
done

cleanup()
{
	# shellcheck disable=SC2046 # a word for each job
	kill $(jobs -p) 2>/dev/null
	fc lab down name "$lab"
	ip netns del "$away" 2>/dev/null
	ip netns del "$away-1" 2>/dev/null
	ip netns del "$lab-spare" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT

on() { ip netns exec "$lab-$1" "${@:2}"; }
# start SITE COMMAND...: in the background; $! is the command, so that kill ends it.
start() { (exec ip netns exec "$lab-$1" "${@:2}") & }
listens() { on 2 ss -ltnH "sport = :5201" | grep -q .; }
bytes() { ip -n "$lab-2" -s link show dev fc0 | awk '/RX:/ { getline; print $1 }'; }
more_than() { [ "$(bytes)" -gt "$1" ]; }
# The stream goes on: 100 kB more come.
goes_on() { becomes 30 more_than $(($(bytes) + 100000)); }
carrier() { ip -n "$1" link show dev fc0 | grep -q LOWER_UP; }
pings() { ip netns exec "$1" ping -q -c 2 -i 0.05 -W 5 "10.254.0.$2"; }
no_device() { ! ip -n "$1" link show dev fc0 2>/dev/null; }

# The link of site 1 to site 2, as site 2 sees it.
link_is() { fc -n "$lab-2" link show | grep -q " state $1"; }

flap()
{
	local _

	for _ in 1 2 3 4 5; do
		ip -n "$lab-1" link set dev p1 down && becomes 10 link_is down &&
			ip -n "$lab-1" link set dev p1 up && becomes 10 link_is up || return
	done
}

down_and_up()
{
	local site

	for site in 0 2 0 2; do
		ip -n "$lab-$site" link set dev fc0 down &&
			ip -n "$lab-$site" link set dev fc0 up || return
	done
}

# Sum of a value of the byte queue limits of site 0.
bql()
{
	on 0 sh -c "cat /sys/class/net/fc0/queues/tx-*/byte_queue_limits/$1" |
		awk '{ n += $1 } END { print n }'
}
none_in_flight() { [ "$(bql inflight)" -eq 0 ]; }

# All bytes that were queued have been completed, in spite of what happened to the device.
queues_are_empty()
{
	[ "$(bql limit)" -gt 0 ] && becomes 10 none_in_flight
}

change_mtu()
{
	local mtu

	for mtu in 1500 9000 68 65508 65000; do
		ip -n "$lab-0" link set dev fc0 mtu "$mtu" || return
	done
}

# move SITE NETNS: its device goes there, with its address.
move()
{
	ip -n "$lab-$1" link set dev fc0 netns "$2" && ip -n "$2" link set dev lo up &&
		ip -n "$2" addr add "10.254.0.$1/16" dev fc0 && ip -n "$2" link set dev fc0 up &&
		becomes 10 carrier "$2"
}

add_again()
{
	ip -n "$lab-1" link add fc0 type flitcast && ip -n "$lab-1" addr add 10.254.0.1/16 dev fc0 &&
		ip -n "$lab-1" link set dev fc0 up && becomes 10 carrier "$lab-1" && pings "$lab-1" 2
}

# A packet socket holds the device, and sends on it when the namespace of its site has ended.
late_send()
{
	local answer="" to from

	mkfifo "$work/to" "$work/from" && ip netns add "$lab-spare" && fc -n "$lab-spare" site add 0 topology ring:3 &&
		ip -n "$lab-spare" link add fc0 type flitcast &&
		ip -n "$lab-spare" link set dev fc0 netns "$away" &&
		ip -n "$away" link set dev fc0 up || return
	"$bin/latesend" "$away" fc0 <"$work/to" >"$work/from" &
	exec {to}>"$work/to" {from}<"$work/from"
	read -r -t 20 answer <&"$from"
	[ "$answer" = waits ] && ip netns del "$lab-spare" && becomes 20 no_device "$away" &&
		# waits for the end of the site, which holds RTNL
		ip -n "$away" link show >/dev/null || return
	echo >&"$to"
	read -r -t 20 answer <&"$from" && [ "$answer" = sent ]
}

remove_module()
{
	! grep -q '^flitcast_rdma ' /proc/modules || rmmod flitcast_rdma || return
	rmmod flitcast
}

accepts "lab up" fc lab up line:3 ip name "$lab"
ip netns add "$away"
ip netns add "$away-1"
on 2 iperf3 -s -1 >"$work/server" 2>&1 &
becomes 10 listens
start 0 iperf3 -c 10.254.0.2 -t 300 >"$work/client" 2>&1; client=$!
accepts "TCP: a stream" goes_on
accepts "a link flaps" flap
accepts "a link flaps: the stream goes on" goes_on
accepts "the device goes down and up" down_and_up
accepts "the device goes down and up: the stream goes on" goes_on
accepts "the MTU changes" change_mtu
accepts "the MTU changes: the stream goes on" goes_on
kill $client
wait $client 2>/dev/null
# From 6.9 on, kernels do not show the limits of a device that takes frames without their lock.
if on 0 test -e /sys/class/net/fc0/queues/tx-0/byte_queue_limits; then
	accepts "byte queue limits: none is in flight" queues_are_empty
fi
start 2 ping -f 10.254.0.0 >/dev/null 2>&1; flood=$!
accepts "move: the device has another namespace" move 0 "$away"
accepts "move: it carries IP there" pings "$away" 2
accepts "site del: its device is elsewhere" fc -n "$lab-0" site del 0
accepts "site del: the device is gone" no_device "$away"
kill $flood
wait $flood 2>/dev/null
if [ -e /proc/sys/vm/unprivileged_userfaultfd ]; then
	accepts "netns del: of a site whose device is held elsewhere" late_send
else
	result 0 "netns del: of a site whose device is held elsewhere # SKIP needs userfaultfd"
fi
accepts "move: of site 1" move 1 "$away-1"
start 2 ping -f 10.254.0.1 >/dev/null 2>&1; flood=$!
accepts "netns del: a device in it" ip netns del "$away-1"
becomes 10 add_again
result $? "netns del: the site has no device, and gets another one"
accepts "rmmod: devices that carry pings" remove_module
accepts "rmmod: the devices are gone" no_device "$lab-1"
kill $flood
wait $flood 2>/dev/null
accepts "insmod" insmod "$ko"
finish
