#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What holds for all that a device sends holds for the frames of its link: a queueing
# discipline, a filter, a packet socket that sees everything, the device being down.  A link
# whose device has nothing of all that hands its frames over without asking the stack.  A
# VLAN device may put a longer header before a frame.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

need_modules 8021q sch_tbf sch_ingress cls_matchall act_gact

link_tc() { tc -n "$lab-0" "$@"; }
# shellcheck disable=SC2317 # waited for
works() { at 0 ping 1 -c 1 -W 1 >/dev/null 2>&1; }
fails() { ! at 0 ping 1 -c 1 -W 0.3 >/dev/null 2>&1; }

# Frames that the discipline of p1 has sent.
queued() { link_tc -s qdisc show dev p1 | sed -n 's/.* \([0-9]*\) pkt .*/\1/p' | head -n 1; }

lab_up line:2
wait_for 20 works
result $? "with nothing on the device messages come and go"

link_tc qdisc replace dev p1 root tbf rate 100mbit burst 10kb limit 1mb || die "tc: tbf"
before=$(queued)
at 0 ping 1 -c 5 -i 0.02 >/dev/null
after=$(queued)
[ $((after - before)) -ge 5 ]
result $? "$((after - before)) frames of 5 pings went through its queueing discipline"
link_tc qdisc del dev p1 root || die "tc: no discipline"

link_tc qdisc add dev p1 clsact || die "tc: clsact"
link_tc filter add dev p1 egress matchall action drop || die "tc: filter"
fails
result $? "a filter that drops what goes out drops it"
link_tc qdisc del dev p1 clsact || die "tc: no clsact"
wait_for 20 works
result $? "and without it messages come and go again"

nsenter --net="/run/netns/$lab-0" "$bin/tap" p1 >"$work/tap" &
children+=($!)
wait_for 20 grep -q ready "$work/tap" || die "tap does not begin"
at 0 ping 1 -c 5 -i 0.02 >/dev/null
kill "${children[0]}"
wait "${children[0]}"
children=()
seen=$(tail -n 1 "$work/tap")
[ "$seen" -ge 5 ]
result $? "a packet socket sees $seen frames of 5 pings go out"

ip -n "$lab-0" link set p1 down
fails
result $? "a device that is down sends nothing"
ip -n "$lab-0" link set p1 up
wait_for 30 works
result $? "and up again it does"

# In a VLAN within a VLAN no device takes the tag apart from the frame.
vlans()
{
	local site dev

	for site in 0 1; do
		dev=$(ip -n "$lab-$site" -o link show type veth | sed -n 's/.*: \(p[12]\)@.*/\1/p')
		at $site link del "$dev" || die "link del"
		ip -n "$lab-$site" link set "$dev" mtu 1600
		ip -n "$lab-$site" link add link "$dev" name outer mtu 1600 type vlan id 4 ||
			die "ip: vlan"
		ip -n "$lab-$site" link add link outer name inner mtu 1500 type vlan id 5 \
			reorder_hdr off || die "ip: vlan in a vlan"
		ip -n "$lab-$site" link set outer up
		ip -n "$lab-$site" link set inner up
		at $site link add inner port "${dev#p}" || die "link add"
	done
}

vlans
link_tc qdisc replace dev inner root tbf rate 100mbit burst 10kb limit 1mb || die "tc: tbf"
wait_for 30 works
result $? "in a VLAN whose tag is in the frame, with a queue, messages come and go"
finish
