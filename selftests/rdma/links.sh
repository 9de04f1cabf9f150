#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RDMA links that work: whole labs of them, flits of all sizes, several receivers, a network of RDMA
# links and network devices, and what the tool says of them.
#
#   links.sh
set -u

# shellcheck source=./selftests/rdma/lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

random_file "$work/4M" 4194304
random_file "$work/300k" 300000

sites=9
# device_of LAB: the RDMA device of its links
device_of() { "$FLITCAST" lab show name "$1" | sed -n 's|.* rdma \([^ /]*\)/1 .*|\1|p'; }
lab_up torus:3x3 --rdma
device=$(device_of "$lab")
dummy=$(rdma link show "$device/1" | sed -n 's/.* netdev \([^ ]*\).*/\1/p')
[ -n "$dummy" ] && ip link show "$dummy" >/dev/null
result $? "the lab has an RDMA device on a network device"
wait_for 20 links_are 36 up
result $? "torus:3x3: all 36 ends of links are up"
transfer 0 1,2,3,4,5,6,7,8 "$work/4M"
result $? "4 MB from one site reach the 8 others"
at 4 -j link show >"$work/show"
[ "$(grep -o '"connection": *"connected"' "$work/show" | wc -l)" = 4 ] &&
	[ "$(grep -o "\"rdma\": *\"$device/1\"" "$work/show" | wc -l)" = 4 ] &&
	[ "$(grep -o '"qp": *[1-9]' "$work/show" | wc -l)" = 4 ] &&
	[ "$(grep -o '"peer_gid": *"fe80' "$work/show" | wc -l)" = 4 ]
result $? "link show tells device, addresses, queue pair and connection"
# flits SITE COUNTER: a link of the site has counted some
flits() { at "$1" -s link show | grep -q " $2  *[1-9]"; }
flits 0 tx_flits && flits 4 rx_flits
result $? "links count the flits that they send and receive"
"$FLITCAST" lab down name "$lab"

sites=3
for flit in "256 mode care" 1500 65535; do
	# shellcheck disable=SC2086 # words
	lab_up line:3 --rdma flit $flit
	wait_for 20 links_are 4 up && transfer 0 2 "$work/300k" && transfer 2 0,1 "$work/300k"
	result $? "flits of ${flit%% *} bytes"
	"$FLITCAST" lab down name "$lab"
done
[ ! -e "/sys/class/infiniband/$device" ] && ! ip link show "$dummy" >/dev/null 2>&1
result $? "the lab takes its RDMA device and network device with it"

# Two labs at a time.
trap '"$FLITCAST" lab down name "$lab-b" >/dev/null 2>&1; cleanup' EXIT
# ping_in LAB: site 1 answers site 0
ping_in() { "$FLITCAST" -n "$1-0" ping 1 -c 2 -i 0.05 >"$work/ping" 2>&1; }
lab_up line:2 --rdma
"$FLITCAST" lab up line:2 --rdma name "$lab-b" >"$work/up" 2>&1
result $? "a second lab comes up beside the first"
device=$(device_of "$lab") second=$(device_of "$lab-b")
[ "$device" ] && [ "$second" ] && [ "$device" != "$second" ]
result $? "each has an RDMA device of its own"
ping_in "$lab" && ping_in "$lab-b"
result $? "both answer"
! "$FLITCAST" lab up line:2 rdma-dev "$device" name "$lab-c" 2>"$work/err" &&
	grep -q "lab $lab are over RDMA port $device/1 already" "$work/err" &&
	[ ! -e "/run/flitcast/lab/$lab-c" ] && [ -e "/sys/class/infiniband/$device" ]
result $? "a lab over the port of another one is refused"
"$FLITCAST" lab down name "$lab" && [ ! -e "/sys/class/infiniband/$device" ] &&
	ping_in "$lab-b"
result $? "the second lab works without the first"
"$FLITCAST" lab down name "$lab-b" && [ ! -e "/sys/class/infiniband/$second" ]
result $? "the second lab takes its RDMA device with it"

# Both labs are over the port of a device that is there already.
rxe rx0 || die "no soft-RoCE device"
lab_up line:2 rdma-dev rx0
! "$FLITCAST" lab up ring:3 rdma-dev rx0/1 name "$lab-b" 2>"$work/err" &&
	grep -q "lab $lab are over RDMA port rx0/1 already" "$work/err" && ping_in "$lab"
result $? "the second of two labs over one port is refused"
"$FLITCAST" lab down name "$lab" && [ -e /sys/class/infiniband/rx0 ]
result $? "a device that was there before the lab stays"

# [0] === rdma === [1] --- veth --- [2] === rdma === [3]
sites=4
for site in 0 1 2 3; do
	ip netns add "$lab-$site"
	at $site site add $site topology line:4 flit 1500
done
ip link add v1 mtu 1500 netns "$lab-1" type veth peer name v2 mtu 1500 netns "$lab-2"
ip -n "$lab-1" link set v1 up
ip -n "$lab-2" link set v2 up
peer=$(gid rx0)
at 0 link add rdma rx0/1 peer "$peer" port 1 &&
	at 1 link add rdma rx0/1 peer "$peer" port 2 &&
	at 1 link add v1 port 1 && at 2 link add v2 port 2 &&
	at 2 link add rdma rx0/1 peer "$peer" port 1 &&
	at 3 link add rdma rx0/1 peer "$peer" port 2 &&
	wait_for 20 links_are 6 up
result $? "links of RDMA ports and of network devices come up in one network"
transfer 0 1,2,3 "$work/4M" && transfer 3 0,1,2 "$work/300k"
result $? "4 MB cross both kinds of links"

at 1 site save >"$work/saved" 2>&1 && at 1 site del 1 && at 1 site restore "$work/saved" &&
	wait_for 20 links_are 6 up && transfer 0 3 "$work/300k"
result $? "a site with both kinds of links is saved and restored"

at 0 monitor --state >"$work/events" 2>&1 & children+=($!)
wait_for 10 grep -q rx0/1 "$work/events"
at 1 link del port 2
wait_for 10 grep -q "rdma rx0/1.*state down" "$work/events"
result $? "monitor tells that an RDMA link went down"
kill "${children[@]}"
children=()
at 1 link add rdma rx0/1 peer "$peer" port 2 && wait_for 20 links_are 6 up
result $? "the link comes up again"

# Requests that are refused change nothing.
refused() # TEXT ARGS...
{
	local text=$1

	shift
	! at 0 link add "$@" 2>"$work/err" && grep -q "$text" "$work/err" && return
	sed 's/^/# /' "$work/err"
	return 1
}
at 0 link del port 1
refused "no such RDMA device" rdma rx9/1 peer "$peer" port 1 &&
	refused "no such port" rdma rx0/2 peer "$peer" port 1 &&
	refused "the topology has no such port" rdma rx0/1 peer "$peer" port 9 &&
	[ "$(at 0 link show)" = "" ]
result $? "requests for devices and ports that are not there are refused"
! rmmod flitcast 2>/dev/null && rmmod flitcast_rdma && [ "$(at 3 link show)" = "" ] &&
	wait_for 10 link_says 1 1 "state up"
result $? "removing flitcast_rdma removes its links, and no others"
for site in 0 1 2 3; do
	ip netns del "$lab-$site"
done
rdma link del rx0
finish
