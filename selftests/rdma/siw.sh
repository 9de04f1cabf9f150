#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RDMA links over siw, a driver of another protocol (iWARP, over TCP), on kernels that have it.
#
#   siw.sh
#
#	[0] === [1] === [2]	all links over one device that is its own peer
set -u

# shellcheck source=./selftests/rdma/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"
need_modules siw

# The address of an iWARP port is that of its network device.
address() { ip -6 -o addr show dev d-sw0 scope link | sed -n 's|.* inet6 \([^/]*\)/.*|\1|p'; }

# shellcheck disable=SC2317 # called by wait_for
addressed() { [ -n "$(address)" ]; }

device_add()
{
	rdma link add sw0 type siw netdev d-sw0
}

links_add()
{
	at 0 link add rdma sw0/1 peer "$peer" port 1 &&
		at 1 link add rdma sw0/1 peer "$peer" port 2 &&
		at 1 link add rdma sw0/1 peer "$peer" port 1 &&
		at 2 link add rdma sw0/1 peer "$peer" port 2
}

random_file "$work/300k" 300000
sites=3
ip link set lo up
ip link add d-sw0 type dummy
ip link set d-sw0 up
wait_for 20 addressed
peer=$(address)
device_add || die "no siw device"
for flit in 1500 65535; do
	for site in 0 1 2; do
		ip netns add "$lab-$site"
		at $site site add $site topology line:3 flit $flit
	done
	links_add && wait_for 20 links_are 4 up
	result $? "flits of $flit bytes: all links are up"
	transfer 0 1,2 "$work/300k" && transfer 2 0 "$work/300k"
	result $? "flits of $flit bytes: 300 kB go through"
	[ $flit = 1500 ] || break
	for site in 0 1 2; do
		ip netns del "$lab-$site"
	done
done
at 1 ping 2 -c 1000 -i 0.002 >/dev/null 2>&1 & children+=($!)
at 1 link del port 2
wait_for 20 link_says 0 1 "state down" && at 1 link add rdma sw0/1 peer "$peer" port 2 &&
	wait_for 20 links_are 4 up && transfer 0 2 "$work/300k"
result $? "a link is deleted, and added again"
rdma link del sw0
[ "$(for site in 0 1 2; do at $site link show; done)" = "" ]
result $? "the device is removed under traffic: its links are removed"
device_add && links_add && wait_for 20 links_are 4 up && transfer 0 2 "$work/300k"
result $? "the device is added again, and so are the links"
kill "${children[@]}" 2>/dev/null
children=()
rmmod flitcast_rdma
result $? "flitcast_rdma is removed"
for site in 0 1 2; do
	ip netns del "$lab-$site"
done
rdma link del sw0
ip link del d-sw0
finish
