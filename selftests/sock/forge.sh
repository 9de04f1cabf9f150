#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A neighbour forges datagrams of a site that it is no path of; the frames of the site get through.
#
#	site 0 ------ site 1 ------ site 2
#	source        victim <-- forged
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

count=1000

received() { ip netns exec "$lab-1" cat /sys/class/net/fc0/statistics/rx_packets; }
pings() { ip netns exec "$lab-0" ping -q -c 20 -i 0.05 -W 5 10.254.0.1; }

command -v ping >/dev/null || skip "needs ping"
lab_up line:3 ip
pings >"$work/ping" 2>&1
result $? "20 pings are answered"
before=$(received)
"$bin/forge" "$lab" 0 1 2 p2 $count
result $? "site 2 forges $count datagrams from site 0 to site 1"
came=$(($(received) - before))
# Now and then the program takes an ack of before a reset for a later one.
[ "$came" -ge $((count * 9 / 10)) ]
result $? "the device of site 1 passed on $came frames meanwhile"
pings >"$work/ping" 2>&1
result $? "20 pings are answered: $(grep received "$work/ping")"
doubles=$(counter 1 packets_duplicate)
"$bin/forge" "$lab" 2 1 2 p2 20
result $? "site 2 sends 20 copies of a datagram of its own"
doubles=$(($(counter 1 packets_duplicate) - doubles))
[ $doubles -ge 20 ]
result $? "site 1 dropped $doubles doubles"
finish
