#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links over devices that stand on others: only a veth carries flits above its MTU, whatever
# features other devices have.
#
#	site 0            sec0 ===== MACsec ===== sec0            site 1
#	port 1 (+x)       veth ------------------ veth       port 2 (-x)        ring:3
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

lab=stacked$$

# shellcheck disable=SC2317,SC2046 # by the trap; a word for each job
cleanup()
{
	kill $(jobs -p)
	ip netns del "$lab-0"
	ip netns del "$lab-1"
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT

for module in macsec 8021q vxlan dummy; do
	modprobe -q "$module" || skip_all "needs the module $module"
done

# Kernels since 6.2 have messages with values.
formats=""
[[ $(uname -r) == [0-5].* || $(uname -r) == 6.[01][.-]* ]] || formats=1

# above_mtu FLIT MTU: the message of a refusal
above_mtu()
{
	if [ "$formats" ]; then
		echo "flit $1 is above MTU $2: raise it, or flit $2 at all sites\$"
	else
		echo "MTU of the device is below the flit size: raise it, or shorten flits at all sites\$"
	fi
}

# mtu_of DEV: at site 0
mtu_of() { ip netns exec "$lab-0" cat "/sys/class/net/$1/mtu"; }

# shellcheck disable=SC2317 # called by becomes
is_up() { at 0 link show "$1" | grep -q ' state up' && at 1 link show "$1" | grep -q ' state up'; }
# shellcheck disable=SC2317 # called by becomes
says() { at 0 link show sec0 | grep -q "$1"; }

# carries NAME: a message of 100 KB from site 0 to site 1
carries()
{
	local receiver

	at 1 recv --port 4100 --output "$work/got" >"$work/recv" 2>&1 &
	receiver=$!
	becomes 20 listening 1
	accepts "$1: a message of 100 KB" at 0 send --to 1:4100 --file "$work/data"
	wait "$receiver"
	cmp "$work/data" "$work/got"
	result $? "$1: it arrives"
}

ip netns add "$lab-0"
ip netns add "$lab-1"
ip -n "$lab-0" link add veth address 02:00:00:00:00:00 type veth \
	peer name veth address 02:00:00:00:00:01 netns "$lab-1"
for site in 0 1; do
	ip -n "$lab-$site" link set lo up
	ip -n "$lab-$site" link set veth up
	macsec "$site" veth "02:00:00:00:00:0$((1 - site))" 2>"$work/why" ||
		skip_all "no MACsec: $(cat "$work/why")"
	ip -n "$lab-$site" link set sec0 up
done
mtu=$(mtu_of sec0)
head -c 100000 /dev/urandom >"$work/data"

at 0 site add 0 topology ring:3
at 1 site add 1 topology ring:3
[ "$mtu" -lt 1500 ]
result $? "MACsec: the device has an MTU of $mtu"
refuses "MACsec: flits of 1500 bytes" 1 "link add sec0: $(above_mtu 1500 "$mtu")" \
	at 0 link add sec0 port 1
for site in 0 1; do
	at "$site" site del "$site"
	at "$site" site add "$site" topology ring:3 flit "$mtu"
done
accepts "MACsec: flits of its MTU" at 0 link add sec0 port 1
accepts "MACsec: at the other site, too" at 1 link add sec0 port 2
becomes 20 is_up sec0
result $? "MACsec: the link comes up"
carries MACsec
ip -n "$lab-0" link set sec0 mtu 1400
becomes 20 says 'state down (MTU of the device is below the flit size: raise it)'
result $? "MACsec: its MTU sinks below the flit size"
ip -n "$lab-0" link set sec0 mtu "$mtu"
becomes 20 is_up sec0
result $? "MACsec: and is raised again"
at 0 site del 0
at 1 site del 1

at 0 site add 0 topology ring:3 flit 9000
at 1 site add 1 topology ring:3 flit 9000
ip -n "$lab-0" link add link veth name vlan5 type vlan id 5
ip -n "$lab-0" link add vx0 type vxlan id 7 dstport 4789 local 127.0.0.1 remote 127.0.0.1
ip -n "$lab-0" link add dummy0 type dummy
for dev in sec0 vlan5 vx0 dummy0; do
	refuses "$dev: flits of 9000 bytes" 1 "link add $dev: $(above_mtu 9000 "$(mtu_of "$dev")")" \
		at 0 link add "$dev" port 1
done
ip -n "$lab-0" link set dummy0 mtu 200
refuses "dummy0: an MTU below any flit" 1 'MTU of the device is below the flit size: raise it$' \
	at 0 link add dummy0 port 1
accepts "dummy0: its MTU is raised" at 0 link add dummy0 port 1 mtu 9000
accepts "dummy0: the link is deleted" at 0 link del dummy0
accepts "veth: flits of 9000 bytes" at 0 link add veth port 1
accepts "veth: at the other site, too" at 1 link add veth port 2
becomes 20 is_up veth
result $? "veth: the link comes up"
carries veth
finish
