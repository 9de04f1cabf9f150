#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RDMA links in trouble, under traffic: each time the links that are there come up again, and all
# that is sent arrives.
#
#   life.sh
#
#	[0] === [1] === [2] === [0]	ring:3, all links over one soft-RoCE device
set -u

# shellcheck source=./selftests/rdma/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

random_file "$work/100k" 100000
sites=3

# add SITE PORT
add() { at "$1" link add rdma rx0/1 peer "$peer" port "$2"; }

site_add()
{
	at "$1" site add "$1" topology ring:3 flit 4096 && add "$1" 1 && add "$1" 2
}

# Messages in both directions of every link, one after the other, until traffic_end.
traffic()
{
	local site

	for site in 0 1 2; do
		( while :; do
			at $site ping $(((site + 1) % 3)) -c 50 -i 0.002 -W 1
			at $site ping $(((site + 2) % 3)) -c 50 -i 0.002 -W 1
		done ) >/dev/null 2>&1 & children+=($!)
	done
}

traffic_end()
{
	kill "${children[@]}" 2>/dev/null
	wait "${children[@]}" 2>/dev/null
	children=()
}

# All links are up again, and carry a file in both directions.
whole()
{
	wait_for 30 links_are 6 up && transfer 0 1,2 "$work/100k" &&
		transfer 2 0 "$work/100k" && return
	for site in 0 1 2; do
		at $site link show | sed 's/^/# /'
	done
	return 1
}

rxe rx0 || die "no soft-RoCE device"
peer=$(gid rx0)
for site in 0 1 2; do
	ip netns add "$lab-$site"
done

# Root of a user namespace is no administrator of the host.
setpriv --reuid 1000 --regid 1000 --clear-groups unshare -Urn sh -c \
	"$FLITCAST site add 0 topology ring:3 && $FLITCAST link add rdma rx0/1 peer $peer port 1" \
	>"$work/user" 2>&1
[ $? = 1 ] && grep -q "only the administrator of the host makes RDMA links" "$work/user"
result $? "uid 1000 makes no RDMA link in a namespace of its own"

# The peer is not there yet.  Site 0 listens on port 1, as the greater end calls.
site_add 0
wait_for 10 link_says 0 1 "state down (the peer has not connected).*connection listening"
result $? "a link whose peer is not there listens, and says so"
site_add 1
wait_for 10 link_says 1 1 "state down (the peer has not connected)" &&
	wait_for 10 link_says 0 1 "state up"
result $? "it comes up when the peer is there"
at 2 site add 2 topology ring:3 flit 2048 && add 2 1 && add 2 2
wait_for 10 link_says 2 2 "state down (the peer has another flit size)"
result $? "a peer with another flit size is refused, and told why"
at 2 site del 2
site_add 2
whole
result $? "all links are up"

traffic
at 1 link del port 1
wait_for 10 link_says 2 2 "state down" && add 1 1
traffic_end
whole
result $? "a link is deleted under traffic, and added again"

traffic
ip link set d-rx0 down
wait_for 20 links_are 6 down
result $? "the port goes down under traffic: all links do"
wait_for 10 link_says 0 1 "(the RDMA port is down)"
result $? "they say that the port is down"
ip link set d-rx0 up
traffic_end
wait_for 20 gid rx0 >/dev/null
whole
result $? "the port comes up: all links do"

traffic
at 1 site del 1
wait_for 20 links_are 2 up
site_add 1
traffic_end
whole
result $? "a site is removed under traffic, and added again"

# The processes of the traffic keep the namespace.
traffic
ip netns del "$lab-2"
traffic_end
wait_for 20 links_are 2 up 2>/dev/null
result $? "a namespace is deleted under traffic: the links of its site go"
ip netns add "$lab-2"
site_add 2
whole
result $? "it is made again"

traffic
rdma link del rx0
[ "$(for site in 0 1 2; do at $site link show; done)" = "" ]
result $? "the device is removed under traffic: its links are removed"
rdma link add rx0 type rxe netdev d-rx0 && wait_for 20 gid rx0 >/dev/null
for site in 0 1 2; do
	add $site 1 && add $site 2
done
traffic_end
whole
result $? "the device is added again, and so are the links"

# The network device below the RDMA device goes.
traffic
ip link del d-rx0
wait_for 20 test ! -e /sys/class/infiniband/rx0
[ "$(for site in 0 1 2; do at $site link show; done)" = "" ]
result $? "the network device is removed under traffic: the links are removed"
traffic_end
rxe rx0
peer=$(gid rx0)
for site in 0 1 2; do
	add $site 1 && add $site 2
done
whole
result $? "a new device takes its place"

traffic
rmmod flitcast_rdma
status=$?
rdma_insmod
for site in 0 1 2; do
	add $site 1 && add $site 2
done
traffic_end
[ $status = 0 ] && whole
result $? "flitcast_rdma is removed under traffic, and loaded again"

for site in 0 1 2; do
	ip netns del "$lab-$site"
done
wait_for 20 rmmod flitcast_rdma
result $? "it can be removed when all sites are gone"

# Two networks over one port: a call could mean either.
rdma_insmod
for site in 0 1; do
	ip netns add "$lab-$site"
	at $site site add 0 topology ring:3
done
add 0 1
! ip netns exec "$lab-1" "$FLITCAST" link add rdma rx0/1 peer "$peer" port 1 2>"$work/err" &&
	grep -q "has a link of these numbers" "$work/err"
result $? "a second link with the same numbers and peer is refused"
rdma dev set rx0 name rx1 && wait_for 10 link_says 0 1 "rdma rx1/1" && rdma dev set rx1 name rx0
result $? "link show follows the name of the device"
for site in 0 1; do
	ip netns del "$lab-$site"
done

# A device of one namespace, where devices are not shared.
rdma_insmod
if rdma system set netns exclusive 2>/dev/null; then
	ip netns add "$lab-0"
	at 0 site add 0 topology ring:3
	! add 0 1 2>"$work/err" && grep -q "no such RDMA device" "$work/err"
	result $? "exclusive RDMA namespaces: no link over a device of another namespace"
	"$FLITCAST" site add 1 topology ring:3 &&
		"$FLITCAST" link add rdma rx0/1 peer "$peer" port 1 site 1 &&
		"$FLITCAST" link add rdma rx0/1 peer "$peer" port 2 site 1 &&
		"$FLITCAST" site add 2 topology ring:3 &&
		"$FLITCAST" link add rdma rx0/1 peer "$peer" port 2 site 2 &&
		wait_for 20 sh -c "$FLITCAST link show port 1 site 1 | grep -q 'state up'"
	result $? "exclusive RDMA namespaces: links between sites of the device's namespace"
	"$FLITCAST" site del 1
	"$FLITCAST" site del 2
	ip netns del "$lab-0"
	rdma system set netns shared
fi
rmmod flitcast_rdma
rdma link del rx0
finish
