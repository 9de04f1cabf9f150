#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A peer of an RDMA link that lies (liar.c), over soft-RoCE: site 0 listens for site 1, in place of
# which the liar calls, from the same port of the same device.  In the end the true site 1 comes.
#
#	liar.sh [SEED]
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$(readlink -f "$0")")/../sock/lib.sh"

seed=${1:-$RANDOM$RANDOM}
liar=$build/selftests/rdma/liar
[ -x "$liar" ] || liar=$bin/liar
ko=${FLITCAST_MODULES:-$top}/flitcast_rdma.ko
[ -f "$ko" ] || ko=$(modinfo -n flitcast_rdma 2>/dev/null) || ko=flitcast_rdma.ko
readonly rdma=liar netdev=d-liar flit=4096
# SITE << 8 | PORT
listens=$((0 << 8 | 1)) calls=$((1 << 8 | 2))

command -v rdma >/dev/null || skip "no rdma, to make a soft-RoCE device"
[ -f "$ko" ] || skip "no $ko: the kernel has no RDMA connection manager"
[ -x "$liar" ] || die "there is no $liar: make tests"
need_modules ib_uverbs rdma_ucm rdma_rxe dummy

# shellcheck disable=SC2317 # by the trap
liar_cleanup()
{
	rmmod flitcast_rdma 2>/dev/null
	"$FLITCAST" site del 0 >/dev/null 2>&1
	"$FLITCAST" site del 1 >/dev/null 2>&1
	rdma link delete "$rdma" 2>/dev/null
	ip link del "$netdev" 2>/dev/null
	cleanup
}
trap liar_cleanup EXIT

# How many requests have come, and how many were rejected, as the connection manager counts.
# shellcheck disable=SC2317 # called by wait_for
cm_more() { [ "$(cm_count "$1")" -gt "$2" ]; }
cm_count() { cat "/sys/class/infiniband/$rdma/ports/1/$1"; }

# The first GID is made of the MAC address, as is the first address.
gid() { cat /sys/class/infiniband/$rdma/ports/1/gids/0 2>/dev/null; }
# shellcheck disable=SC2317 # called by wait_for
has_gid() { gid | grep -q '^fe80'; }
# shellcheck disable=SC2317 # called by wait_for
active() { grep -q ACTIVE /sys/class/infiniband/"$rdma"/ports/1/state; }

grep -q '^flitcast_rdma ' /proc/modules || insmod "$ko" || die "cannot load $ko"
ip link set lo up
ip link add $netdev type dummy || die "no dummy device"
ip link set $netdev mtu 4500 addrgenmode eui64 up
rdma link add $rdma type rxe netdev $netdev || die "no soft-RoCE device"
wait_for 20 has_gid || die "no GID"
wait_for 20 active || die "the port is down"
gid=$(gid)
# Addresses that no link has.
ip addr add fe80::1a/64 dev $netdev nodad
ip addr add 10.66.0.1/24 dev $netdev
wait_for 10 grep -qs 'fe80:0000:0000:0000:0000:0000:0000:001a' \
	/sys/class/infiniband/$rdma/ports/1/gids/{1,2,3,4,5} || die "no second GID"
wait_for 10 grep -qs 'ffff:0a42:0001' /sys/class/infiniband/$rdma/ports/1/gids/{1,2,3,4,5} ||
	die "no GID of IPv4"

"$FLITCAST" site add 0 topology line:2 integrity off flit $flit || die "no site"
"$FLITCAST" link add rdma $rdma/1 peer "$gid" port 1 site 0 || die "no link"

# shellcheck disable=SC2317 # called by wait_for
link() { "$FLITCAST" -j link show port 1 site 0; }
# link_is KEY TEXT
# shellcheck disable=SC2317 # called by wait_for
link_is() { link | grep -Eq "\"$1\": *\"[^\"]*$2"; }
link_counter()
{
	"$FLITCAST" -j -s link show port 1 site 0 |
		grep -o "\"$1\": *[0-9]*" | grep -o '[0-9]*$'
}

# lie SOURCE DESTINATION CASE COUNT: its output is in $work/said
lie()
{
	local status

	timeout 200 "$liar" -s "$seed" -n "$4" "$1" "$2" $calls $listens $flit "$3" \
		>"$work/said" 2>&1
	status=$?

	sed 's/^[^#]/# &/' "$work/said"
	return $status
}

# case_of TEXT CASE COUNT
case_of()
{
	lie "$gid%$netdev" "$gid%$netdev" "$2" "$3"
	result $? "$1"
	wait_for 20 link_is connection listening
	result $? "$2: the link listens again"
}

echo "# seed $seed"
wait_for 10 link_is connection listening
result $? "the link listens"

case_of "calls with wrong private data are refused" refuse 300
link_is reason 'the peer has not connected'
result $? "refuse: the link has not heard of them"
lie "fe80::1a%$netdev" "$gid%$netdev" stranger 1
result $? "a call from another address is refused"
chmod 666 /dev/infiniband/rdma_cm /dev/infiniband/uverbs*
lie "$gid%$netdev" "$gid%$netdev" user 1
result $? "a call of uid 1000 from the peer's address is refused"
lie 10.66.0.1 10.66.0.1 nobody 1
result $? "nobody listens on an address that no link has"
link_is connection listening
result $? "stranger: the link listens still"

if modprobe ib_umad 2>/dev/null && wait_for 5 test -e /dev/infiniband/umad0; then
	rejected=$(cm_count cm_tx_msgs/rej)
	lie "fe80::1a%$netdev" "$gid%$netdev" forged 1 &&
		wait_for 10 cm_more cm_tx_msgs/rej "$rejected" && link_is connection listening
	result $? "a call from another address that names the peer's is refused"
	# The same request is a good one, but for that.
	lie "$gid%$netdev" "$gid%$netdev" forged 1 && wait_for 10 link_is connection connecting
	result $? "from the peer's own address it is accepted"
else
	echo "# no ib_umad here, to forge a request with"
fi

before=$(link_counter rx_malformed)
case_of "frames that lie" frames 4000
sure=$(sed -n 's/^malformed //p' "$work/said")
after=$(link_counter rx_malformed)
echo "# rx_malformed $before, then $after, at least $sure more"
[ $((after - before)) -ge "${sure:-1}" ]
result $? "frames: those that are malformed are counted"
[ "$(link_counter rx_flits)" -gt 300 ] && [ "$(link_counter rx_status)" -gt 100 ] &&
	[ "$(link_counter resets)" -gt 10 ]
result $? "frames: others got as far as the link layer, and reset the link"

case_of "a message that is too long ends the connection" long 1
link_is reason 'error'
result $? "long: the link says why"
case_of "a second call ends the first connection, and a third one is accepted" busy 1
case_of "RDMA READ, WRITE, and atomic requests are refused" wild 40
available() { sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo; }
# Each of the 80 calls that wait for an answer is accepted, and receive buffers of a connection
# alone are 300 kB.
for _ in 1 2; do
	before=$(available)
	case_of "200 calls and hang-ups" storm 200
	case_of "peers that fall silent make way for the next one" silent 80
	after=$(available)
	echo "# available: $before kB, then $after kB"
done
# Pages on their way back, of RCU and of processors, come by and by; what is lost does not, and is
# lost in each round.
# shellcheck disable=SC2317 # called by wait_for
returned() { after=$(available); [ "$after" -gt $((before - 12000)) ]; }
# Other memory of the guest also comes and goes: up to three rounds more may show that none is lost.
for _ in 1 2 3; do
	wait_for 20 returned && break
	before=$(available)
	lie "$gid%$netdev" "$gid%$netdev" storm 200 >/dev/null
	lie "$gid%$netdev" "$gid%$netdev" silent 80 >/dev/null
	echo "# available: $before kB, then $(available) kB"
done
wait_for 20 returned
result $? "calls leave no memory behind"

"$FLITCAST" site add 1 topology line:2 integrity off flit $flit &&
	"$FLITCAST" link add rdma $rdma/1 peer "$gid" port 2 site 1 &&
	wait_for 20 link_is state up
result $? "the link with the true peer comes up"
"$FLITCAST" ping 1 -c 3 -i 0.1 --site 0 >"$work/ping" 2>&1
result $? "and carries a ping"

rmmod flitcast_rdma
result $? "the module can be removed"
finish
