#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A link of a network device stays configured when the device is deleted, and gets it back in the
# same port: by name, by permanent address, after a move to another namespace and after a rename.
# A link may be configured before its device exists.
#
#        site 0                    site 1
#	port 1 (+x) fc0 ========= fc1 port 2 (-x)          ring:3
set -u

[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
need_nlevents

mac=02:00:00:00:00:01
no_device='state down \(no device\) expected'

pair() { ip link add fc0 type veth peer name "${1:-fc1}" address $mac; }
set_up() { for dev; do ip link set "$dev" up; done; }
# shellcheck disable=SC2317 # called by becomes
up() { [ "$(fc -j site show | grep -o '"links_up":1' | wc -l)" -eq 2 ]; }
# shellcheck disable=SC2317 # called by becomes
pings() { fc ping 1 -c 1 -W 1 site 0; }

pair
set_up fc0 fc1
fc site add 0 topology ring:3
fc site add 1 topology ring:3
fc link add fc0 port 1 site 0 crc on
fc link add address $mac port 2 site 1
becomes 20 up
result $? "a device is found by its address"
prints "link show: the address" "port 2 -x dev fc1 address $mac " fc link show fc1
json "link show: expected and found neighbour" '[(l["expected_site"], l["expected_port"],
	l["peer_site"], l["peer_port"]) for l in j] == [(1, 2, 1, 2), (0, 1, 0, 1)]' fc -j link show
fc site save >"$work/saved"

"$nlevents" >"$work/events" &
becomes 10 grep -q ready "$work/events"
ip link del fc0
prints "deleted: the link stays, by name" "site 0 port 1 \+x dev fc0 .*$no_device 1 port 2$" fc link show
prints "deleted: the link stays, by address" "site 1 port 2 -x dev fc1 address $mac .*$no_device 0 port 1$" \
	fc link show address $mac
prints "deleted: columns" '^0 +1 +fc0 +down +expected 1:2$' fc -br link show
becomes 10 grep -qx 'link-change 0 1 state 1' "$work/events"
result $? "deleted: an event reports it"
! grep -q link-del "$work/events"
result $? "deleted: no event reports the link as deleted"
fc site save >"$work/absent"
cmp "$work/saved" "$work/absent" >"$work/out" 2>&1
result $? "deleted: site save keeps the links"
json "deleted: site show counts the links" '[(s["links"], s["links_up"]) for s in j] == [(1, 0), (1, 0)]' \
	fc -j site show
json "deleted: settings stay" '[l["crc"] for l in j] == [True]' fc -j link show fc0

pair fcx
set_up fc0 fcx
becomes 20 up
result $? "created again: both come up, one under another name"
json "created again: the same ports and settings" '[(l["site"], l["port"], l["dev"], l["crc"])
	for l in j] == [(0, 1, "fc0", True), (1, 2, "fcx", False)]' fc -j link show
becomes 10 pings
result $? "created again: a message comes"

# The port that leads to the peer.
fc link del fcx
accepts "port auto: the port of the peer" fc link add fcx port auto site 1
becomes 20 up
result $? "port auto: it comes up"
fc link del fcx
fc link add address $mac port 2 site 1
ip link add fc9 type veth peer name fc8
set_up fc9 fc8
refuses "port auto: the other end has no link" 1 'port auto: no HELLO came in 5 s' \
	fc link add fc9 port auto site 0
fc site add 2 topology ring:4
fc link add fc8 port 1 site 2
refuses "port auto: another topology" 1 'port auto: the peer has another topology' \
	fc link add fc9 port auto site 0
fc site del 2
fc site add 2 topology ring:3
fc link add fc8 port 2 site 2
refuses "port auto: a cable that the topology has not" 1 \
	'the peer is site 2 port 2, where the topology has no link to site 0' \
	fc link add fc9 port auto site 0
refuses "port auto: no such device" 1 'no such device here' fc link add fc7 port auto site 0
refuses "port auto: of a device" 2 'port auto needs the name' \
	fc link add address $mac port auto site 0
refuses "port auto: without rights" 1 'port auto: Operation not permitted' \
	setpriv --bounding-set=-net_raw --inh-caps=-net_raw "$flitcast" link add fc9 port auto site 0
fc site del 2
ip link del fc9

# Settings of a link without its device, and its replacement.
ip link del fc0
accepts "absent: link set" fc link set fc0 crc off
json "absent: it has the new setting" '[l["crc"] for l in j] == [False]' fc -j link show fc0
refuses "absent: a second link for that name" 1 'another link waits for that device' \
	fc link add fc0 port 2 site 0 wait
refuses "absent: not without wait" 1 'no such device here' fc link add fc8 port 1 site 0
ip link add fc9 type veth peer name fc8
accepts "absent: another device replaces it" fc link add fc9 port 1 site 0
ip link del fc9
ip link add fc0 type dummy
prints "absent: it no longer waits for the old one" "dev fc9 .*$no_device" fc link show port 1 site 0
ip link del fc0
accepts "absent: link del" fc link del fc9
refuses "absent: it is deleted" 1 'no such device here' fc link show fc9
becomes 10 grep -qx 'link-del 0 1' "$work/events"
result $? "absent: an event reports the deletion"

# A link that is up is deleted: no event reports it afterwards.
pair
set_up fc0 fc1
fc link add fc0 port 1 site 0
becomes 20 up
seen=$(wc -l <"$work/events")
# shellcheck disable=SC2317 # called by becomes
since() { tail -n +$((seen + 1)) "$work/events" | grep "$1"; }
fc link del fc0
fc site add 2 topology ring:3
becomes 10 since '^site-add 2' >/dev/null
since 'link-.* 0 1' >"$work/out"
[ "$(cat "$work/out")" = "link-del 0 1" ]
result $? "deleted: no event reports the link afterwards"
fc site del 2
ip link del fc0

# A name that another device had before belongs to the device that has it now.
ip link add tb0 address 02:00:00:00:00:0a type dummy
ip link add tb1 address 02:00:00:00:00:0b type dummy
fc link add address 02:00:00:00:00:0a port 1 site 0
fc link add address 02:00:00:00:00:0b port 1 site 1
ip link del tb0
ip link del tb1
ip link add tb0 address 02:00:00:00:00:0b type dummy
json "name: a link is found by the present name" '[(l["site"], l["address"]) for l in j] ==
	[(1, "02:00:00:00:00:0b")]' fc -j link show tb0
accepts "name: and deleted by it" fc link del tb0
prints "name: the other link stays" 'address 02:00:00:00:00:0a .*no device' fc link show port 1 site 0
accepts "name: a link may have a name that another link's device had" fc link add tb0 port 2 site 0
fc link del port 1 site 0
fc link del port 2 site 0
ip link del tb0

# Devices with the address of the device below them.
if ip link add d0 address 02:00:00:00:00:0a type dummy && modprobe -q ipvlan; then
	fc link add address 02:00:00:00:00:0a port 1 site 0
	ip link add link d0 name v0 type vlan id 5
	ip link add link d0 name iv0 type ipvlan
	fc link del d0
	ip link set d0 address 02:00:00:00:00:0c
	refuses "address: of no VLAN or ipvlan device" 1 'no such device here' \
		fc link add address 02:00:00:00:00:0a port 1 site 0
	ip link del d0
fi

# Before there is a device: by name, with a device that cannot carry a link, and by rename.
accepts "wait: before there is a device" fc link add fc0 port 1 site 0 wait
# the debug kernels have no such device
if ip link add fc0 type ipip local 127.0.0.1; then
	prints "wait: a device that is not Ethernet" 'state down \(device is not Ethernet\)' \
		fc link show fc0
	ip link set fc0 name fct
	prints "wait: that device gets another name" "$no_device" fc link show fc0
	ip link set fct name fc0
	ip link del fc0
	prints "wait: that device is deleted" "$no_device" fc link show fc0
fi
pair fcy
ip link set fc0 name fca
prints "wait: bound, under its new name" 'port 1 \+x dev fca' fc link show port 1 site 0
ip link del fca
prints "wait: the new name is awaited" "dev fca .*$no_device" fc link show port 1 site 0
pair fcy
ip link set fc0 name fca
set_up fca fcy
becomes 20 up
result $? "wait: a device that gets the name"

# Another namespace, and back.
ip netns add replug-$$
ip link set fca netns replug-$$
prints "moved away: no device" "dev fca .*$no_device" fc link show port 1 site 0
ip -n replug-$$ link set fca netns $$
set_up fca
becomes 20 up
result $? "moved back: it comes up"
ip netns del replug-$$

# A device whose MTU is too small when it returns.
fc site del 0
accepts "mtu: large flits" fc site add 0 topology ring:3 flit 4000
ip link add fcm mtu 4000 gso_max_size 2000 type dummy
accepts "mtu: a link" fc link add fcm port 2 site 0
fc site save 0 >"$work/large"
ip link del fcm
ip link add fcm gso_max_size 2000 type dummy
set_up fcm
prints "mtu: it returns with a small one" 'state down \(MTU of the device is below the flit size' \
	fc link show fcm
accepts "mtu: restore raises it" fc site restore "$work/large"
prints "mtu: it is raised" 'mtu 4000 ' ip link show fcm
! fc link show fcm | grep -q MTU
result $? "mtu: nothing is wrong with it"
ip link del fcm

# From a file, at boot: with the device absent, and then there.
fc site del 0
fc site del 1
ip link del fca
run fc site restore "$work/saved"
[ "$status" -eq 0 ] && grep -q 'site 0 port 1 waits for fc0: no device' "$work/err" &&
	grep -q "site 1 port 2 waits for $mac: no device" "$work/err"
result $? "restore: says what it waits for"
pair fcz
set_up fc0 fcz
becomes 20 up
result $? "restore: the links come up with their devices"
accepts "restore: nothing to do or to wait for" fc site restore "$work/saved"
accepts "remove: the sites of a file" fc site remove "$work/saved"
json "remove: none is left" 'j == []' fc -j site show
accepts "remove: twice" fc site remove "$work/saved"

# As uid 1000 in a namespace of its own: links for each port, all waiting; the namespace ends.
# shellcheck disable=SC2016 # for the other shell
run setpriv --reuid 1000 --regid 1000 --clear-groups unshare -Urn bash -c '
	"$0" site add 0 topology ring:3 && "$0" link add u1 port 1 wait &&
	"$0" link add u2 port 2 wait && ! "$0" link add u3 port 3 wait &&
	ip link add u1 type dummy && ip link del u1 && ip link add u2 type dummy && "$0" -br link show' \
	"$flitcast"
[ "$status" -eq 0 ] && grep -qE '^0 +1 +u1 +down' "$work/out"
result $? "a user's namespace: one link a port, and no more"

# The buffers of a link are charged to the user: a share of 3,000 pages has one link, and two of the
# administrator come up all the same.
site_mem=/sys/module/flitcast/parameters/site_mem
pages=$(cat "$site_mem")
echo 3000 >"$site_mem"
# shellcheck disable=SC2016 # for the other shell
run setpriv --reuid 1000 --regid 1000 --clear-groups unshare -Urn bash -c '
	"$0" site add 0 topology ring:3 && "$0" link add u1 port 1 wait &&
	! "$0" link add u2 port 2 wait && "$0" -br link show && "$0" link del port 1 &&
	"$0" link add u2 port 2 wait && "$0" -br link show' "$flitcast"
[ "$status" -eq 0 ] && grep -q 'link add u2: buffers .* share' "$work/err" &&
	[ "$(grep -cE '^0 +(1 +u1|2 +u2) ' "$work/out")" -eq 2 ]
result $? "a user's share: a link that exceeds it is refused, and changes nothing"
# shellcheck disable=SC2016 # for the other shell
run unshare -n bash -c '"$0" site add 0 topology ring:3 && "$0" link add u1 port 1 wait &&
	"$0" link add u2 port 2 wait' "$flitcast"
result "$status" "the administrator: no share limits links"
echo "$pages" >"$site_mem"

finish
