#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every netlink command with good and bad input, through the command line tool.
#
# One namespace holds two neighbours of a ring, so that "which site?" has to be
# answered:
#
#        site 0                    site 1
#	port 1 (+x) fc0 ========= fc1 port 2 (-x)          ring:3
set -u

# A namespace of its own goes with its last process, whatever happens.
[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }
# shellcheck disable=SC2317 # called by the helpers
no_admin() { setpriv --bounding-set=-net_admin,-sys_admin --inh-caps=-net_admin "$flitcast" "$@"; }

ip link add fc0 type veth peer name fc1
ip link set fc0 up
ip link set fc1 up

# Before there is a site
json "site show: none" 'j == []' fc -j site show
refuses "site show: unknown" 1 'site show: no such site here' fc site show 7
refuses "link add: no site" 1 'link add fc0: no site here' fc link add fc0 port 1
refuses "stats reset: no site" 1 'stats reset: no site here' fc stats reset
refuses "topology show: no site" 1 'topology show: no site here' fc topology show

# site
refuses "site add: no topology" 2 'topology SPEC is missing' fc site add 0
refuses "site add: topology malformed" 1 'KIND:SIZE' fc site add 0 topology ring
refuses "site add: topology unknown" 1 'site add 0: .' fc site add 0 topology star:3
refuses "site add: topology too long" 1 'site add 0: .' \
	fc site add 0 topology "ring:$(printf '%0300d' 3)"
refuses "site add: not in the topology" 1 'no site of that number' fc site add 3 topology ring:3
refuses "site add: mode" 1 'unknown mode: the modes are: care' \
	fc site add 0 topology ring:3 mode wormhole
refuses "site add: flit too small" 1 'flit 255 is out of range: 256 to 65535' \
	fc site add 0 topology ring:3 flit 255
refuses "site add: flit too large" 1 'flit 65536 is out of range: 256 to 65535' \
	fc site add 0 topology ring:3 flit 65536
refuses "site add: window 0" 1 'window 0 is out of range: 1 to 64' \
	fc site add 0 topology ring:3 window 0
refuses "site add: window too large" 1 'window 65 is out of range: 1 to 64' \
	fc site add 0 topology ring:3 window 65
refuses "site add: no number" 2 'site is a number' fc site add x topology ring:3
refuses "site add: without rights" 1 'Operation not permitted' \
	no_admin site add 0 topology ring:3
json "site add: nothing came of all that" 'j == []' fc -j site show
accepts "site add" fc site add 0 topology ring:3 flit 1400 window 4 mode care
refuses "site add: twice" 1 'site add 0: site exists' fc site add 0 topology ring:3
accepts "site add: second" fc site add 1 topology ring:3 flit 1400 mode care
refuses "site add: unknown mode" 1 'modes are: care, vnet, csr' fc site add 2 topology ring:3 mode vne
refuses "site add: unknown mode, longer" 1 'modes are: care, vnet, csr' \
	fc site add 2 topology ring:3 mode vnets
refuses "site add: mode vnet, flits too small" 1 '1061 bytes or more' \
	fc site add 2 topology ring:3 flit 1060
refuses "site add: mode vnet, window too small" 1 'holds a packet' \
	fc site add 2 topology ring:3 window 44
refuses "site add: mode vnet, too many classes" 1 'classes|virtual networks|dimensions' \
	fc site add 2 topology torus:3^5
accepts "site add: mode vnet" fc site add 2 topology ring:3 flit 1061
prints "site show: mode vnet" '^site 2 topology ring:3 mode vnet flit 1061 window 64 ' fc site show 2
refuses "route set: mode vnet" 1 'only mode care' fc route set +x ports 2,1 site 2
accepts "site del: mode vnet" fc site del 2
json "site show" '[(s["site"], s["topology"], s["mode"], s["flit"], s["window"], s["ports"],
	s["links"], s["links_up"]) for s in j] ==
	[(0, "ring:3", "care", 1400, 4, 2, 0, 0), (1, "ring:3", "care", 1400, 8, 2, 0, 0)]' \
	fc -j site show
json "site show: one" 'len(j) == 1 and j[0]["site"] == 1' fc -j site show 1
json "site show: pretty" 'len(j) == 2' fc -p site show
json "site show: without rights" 'len(j) == 2' no_admin -j site show
prints "site show: text" '^site 0 topology ring:3 mode care flit 1400 window 4 ' fc site show
refuses "site show: FLITCAST_SITE_ANY is no number" 2 'site is a number' fc site show 4294967295
json "site show: tuning" '[(s["seek_us"], s["seek_max"], s["timeout_us"], s["retry_us"],
	s["poll_us"], s["transit"], s["grace_us"]) for s in j] == [(2000, 5, 20000, 2000, 20000, 32, 5000000)] * 2' \
	fc -j site show
for fixed in 'window 3' 'flit 1400' 'mode care' 'topology ring:3'; do
	# shellcheck disable=SC2086
	refuses "site set: $fixed" 1 'site set 0: this cannot be changed' \
		fc site set 0 $fixed transit 7
done
json "site set: nothing came of that" 'j[0]["transit"] == 32' fc -j site show 0
accepts "site set: nothing" fc site set 0
accepts "site set" fc site set 0 seek 1500us seek-max 0 timeout 0.25s retry 3ms poll 1s \
	transit 0 grace 2s
json "site set: came of it" '[(s["seek_us"], s["seek_max"], s["timeout_us"], s["retry_us"],
	s["poll_us"], s["transit"], s["grace_us"]) for s in j] ==
	[(1500, 0, 250000, 3000, 1000000, 0, 2000000),
	 (2000, 5, 20000, 2000, 20000, 32, 5000000)]' \
	fc -j site show
prints "site set: text" '^ *seek 1500us seek-max 0 timeout 250ms retry 3ms poll 1s transit 0 grace 2s integrity end$' \
	fc site show 0
accepts "site set: one setting" fc site set 0 transit 32
json "site set: the others stay" '(j[0]["seek_us"], j[0]["transit"]) == (1500, 32)' \
	fc -j site show 0
for wrong in 'seek 9us' 'seek 1001ms' 'seek-max 1001' 'timeout 99us' 'timeout 11s' \
	'retry 9us' 'retry 1001ms' 'poll 999us' 'poll 11s' 'transit 1025' 'grace 61s'; do
	# shellcheck disable=SC2086
	refuses "site set: $wrong" 1 "${wrong%% *} [0-9]+(us)? is out of range: [0-9]+" \
		fc site set 0 $wrong
done
for wrong in 'seek 5' 'seek -1ms' 'seek ms' 'seek 1h' 'timeout 5000s' 'transit x'; do
	# shellcheck disable=SC2086
	refuses "site set: $wrong" 2 'is a' fc site set 0 $wrong
done
refuses "site set: without rights" 1 'Operation not permitted' no_admin site set 0 transit 1
refuses "site set: unknown" 1 'no such site here' fc site set 5 transit 3
refuses "site del: unknown" 1 'no such site here' fc site del 2

# link
refuses "link add: which site" 1 'several sites here: choose one' fc link add fc0 port 1
refuses "link add: no such site" 1 'no such site here' fc link add fc0 port 1 site 2
refuses "link add: no such device" 1 'no such device here' fc link add fc9 port 1 site 0
refuses "link add: no such port" 1 'no such port' fc link add fc0 port 3 site 0
refuses "link add: port 0" 2 'port is a number' fc link add fc0 port 0 site 0
refuses "link add: port out of range" 1 'port 31 is out of range: 1 to 30' \
	fc link add fc0 port 31 site 0
refuses "link add: no port" 2 'port P is missing' fc link add fc0 site 0
refuses "link add: loopback" 1 'link add lo: .' fc link add lo port 1 site 0
refuses "link add: window above the site's" 1 'the window of a link is at most' \
	fc link add fc0 port 1 site 0 window 5
ip link set fc0 gso_max_size 1000
refuses "link add: mtu below the flit size" 1 'link add fc0: .' \
	fc link add fc0 port 1 site 0 mtu 1399
ip link set fc0 gso_max_size 65536
refuses "link add: without rights" 1 'Operation not permitted' \
	no_admin link add fc0 port 1 site 0
for wrong in '/1' "$(printf 'a%.0s' {1..64})/1" 'rxe0/' 'rxe0/0' 'rxe0/256' 'rxe0/-1' 'rxe0/x' \
	'rxe0/1/2'; do
	refuses "link add: RDMA port $wrong" 2 'is no RDMA port: ' \
		fc link add rdma "$wrong" peer ::1 port 1 site 0
done
refuses "link add: no RDMA port" 2 'rdma: its value DEV\[/PORT\] is missing' fc link add rdma
for wrong in '' x fe80 fe80::1%lo 1.2.3 1.2.3.4.5; do
	refuses "link add: peer \"$wrong\"" 2 'peer is a GID' \
		fc link add rdma rxe0/1 peer "$wrong" port 1 site 0
done
refuses "link add: no peer" 2 'peer GID is missing' fc link add rdma rxe0/1 port 1 site 0
refuses "link add: peer of a device" 2 'peer is of RDMA links' \
	fc link add fc0 peer ::1 port 1 site 0
refuses "link add: RDMA, no port" 2 'port P is missing' fc link add rdma rxe0 peer 192.0.2.1 site 0
refuses "link add: RDMA, mtu" 2 'mtu is of a network device' \
	fc link add rdma rxe0/1 peer fe80::1 port 1 site 0 mtu 4096
refuses "link add: no such RDMA device" 1 'link add rdma none/1: .' \
	fc link add rdma none peer fe80::1 port 1 site 0
prints "link add: a refusal leaves the mtu" ' mtu 1500 ' ip link show fc0
json "link add: nothing came of all that" 'j == []' fc -j link show
accepts "link add" fc link add fc0 port 1 site 0 mtu 1400 window 3
refuses "link add: port taken" 1 'port has a link already' fc link add fc1 port 1 site 0
refuses "link add: device taken" 1 'link add fc0: .' fc link add fc0 port 1 site 1
accepts "link add: second" fc link add fc1 port 2 site 1
# shellcheck disable=SC2317 # called by the helpers
both_up() { [ "$(fc -j site show | grep -o '"links_up":1' | wc -l)" -eq 2 ]; }
becomes 10 both_up
result $? "link: comes up"
json "link show" '[(l["site"], l["port"], l["direction"], l["dev"], l["state"], l["peer_site"],
	l["peer_port"], l["reason"]) for l in j] ==
	[(0, 1, "+x", "fc0", "up", 1, 2, None), (1, 2, "-x", "fc1", "up", 0, 1, None)]' \
	fc -j link show
json "link show: of a site" '[l["dev"] for l in j] == ["fc1"]' fc -j link show site 1
json "link show: by device" '[l["dev"] for l in j] == ["fc0"]' fc -j link show fc0
json "link show: by device, in words" '[l["dev"] for l in j] == ["fc0"]' fc -j link show dev fc0
json "link show: by port" '[l["dev"] for l in j] == ["fc1"]' fc -j link show port 2 site 1
json "link show: no RDMA link" 'all(l[key] is None for l in j
	for key in ("rdma", "gid", "peer_gid", "qp", "connection"))' fc -j link show
refuses "link show: by port, which site" 1 'several sites here' fc link show port 1
refuses "link show: by port, no link" 1 'port has no link' fc link show port 2 site 0
refuses "link show: port 0" 2 'port is a number' fc link show port 0 site 0
refuses "link show: no port" 2 'port: its value P is missing' fc link show port
json "link show: with counters" 'j[0]["counters"]["rx_hello"] > 0' fc -j -s link show fc0
prints "link show: brief" '^0    1   fc0              up    1:2$' fc -br link show
prints "link show: details" ' dev fc0 ifindex [0-9]+ window 3' fc link show -d
prints "link show: colours" $' dev \x1b\\[36mfc0\x1b\\[0m .* \x1b\\[32mup\x1b\\[0m' fc -c link show
prints "link show: no colours in a file" ' dev fc0 window 3 state up' fc -c=auto link show
prints "site show: brief" '^0    ring:3               care     1/1 up$' fc -br site show 0
prints "site show: on one line" '^site 0 topology .*\\    seek .* grace [0-9]+m?s integrity end$' fc -o site show 0
refuses "usage: a subject twice" 2 'dev is given twice' fc link del dev fc0 dev fc1
refuses "usage: an attribute twice" 2 'window is given twice' fc link set fc0 window 2 window 3
refuses "usage: a value too much" 2 '-s takes no value' fc -s=1 site show
json "usage: JSON of the version" '"version" in j' fc -V -j
refuses "usage: colours" 2 '-c is one of always, auto, never' fc -c=sometimes site show
prints "link show: text" '^site 0 port 1 \+x dev fc0 window 3 state up peer 1 port 2$' fc link show
refuses "link show: no link" 1 'device is no link of a site here' fc link show lo
refuses "link show: not of that site" 1 'device is no link of that site' fc link show fc0 site 1
refuses "link set: window above the site's" 1 'the window of a link is at most' \
	fc link set fc0 window 5
refuses "link set: window 0" 1 'window 0 is out of range: 1 to 64' \
	fc link set fc0 window 0
refuses "link set: not a link" 1 'device is no link of a site here' fc link set lo window 2
refuses "link set: without rights" 1 'Operation not permitted' no_admin link set fc0 window 2
json "link set: nothing came of all that" 'j[0]["window"] == 3 and
	j[0]["counters"]["resets"] == 0' fc -j -s link show fc0
accepts "link set: nothing" fc link set fc0
accepts "link set: by port, what is so" fc link set port 1 site 0 window 3
refuses "link set: by port, no link" 1 'link set port 2: port has no link' \
	fc link set port 2 site 0 window 2
accepts "link set: what is so" fc link set fc0 window 3
json "link set: what is so is no change" 'j[0]["counters"]["resets"] == 0' fc -j -s link show fc0
accepts "link set" fc link set fc0 window 2
json "link set: is so" 'j[0]["window"] == 2 and j[0]["counters"]["resets"] == 1' \
	fc -j -s link show fc0
becomes 10 both_up
result $? "link set: comes up again"
refuses "link set: crc" 2 'on|off' fc link set fc0 crc maybe
accepts "link set: checksums" fc link set fc0 crc on
becomes 10 both_up
result $? "link set: comes up again with checksums"
json "link set: checksums are on" 'j[0]["crc"] and j[0]["window"] == 2 and
	j[0]["counters"]["resets"] == 2' fc -j -s link show fc0
json "link set: the other end has not asked for them" 'not j[0]["crc"]' fc -j link show fc1
prints "link show: text with checksums" '^site 0 port 1 \+x dev fc0 window 2 crc on state up' \
	fc link show fc0
refuses "link del: not a link" 1 'device is no link of a site here' fc link del lo
refuses "link del: no such device" 1 'no such device here' fc link del fc9
refuses "link del: without rights" 1 'Operation not permitted' no_admin link del fc0
ip link set fc1 down
# shellcheck disable=SC2317 # called by the helpers
down_with_reason() { fc -j link show fc0 | grep -qE '"state":"(down|init)","reason":"[^"]+"'; }
becomes 10 down_with_reason
result $? "link: goes down with its peer, and says why"
ip link set fc1 up
becomes 10 both_up
result $? "link: comes up again"
refuses "link del: by port, no link" 1 'link del port 2: port has no link' \
	fc link del port 2 site 0
accepts "link del" fc link del port 1 site 0
json "link del: is gone" '[l["dev"] for l in j] == ["fc1"]' fc -j link show
accepts "link add: again" fc link add fc0 port 1 site 0

# route
json "route show" '[(r["site"], r["direction"], r["ports"]) for r in j] ==
	[(0, "+x", [1]), (0, "-x", [2]), (1, "+x", [1]), (1, "-x", [2])]' fc -j route show
refuses "route set: which site" 1 'several sites here' fc route set +x ports 2,1
accepts "route set" fc route set +x ports 2,1 site 0
json "route set: is so" 'j[0]["ports"] == [2, 1]' fc -j route show +x site 0
json "route set: others stay" '[r["ports"] for r in j] == [[1], [2]]' fc -j route show site 1
refuses "route set: no direction" 1 'no such direction' fc route set +z ports 1 site 0
refuses "route set: not a direction" 2 'is no direction' fc route set sideways ports 1 site 0
refuses "route set: port twice" 1 'route set \+x: .' fc route set +x ports 1,1 site 0
refuses "route set: no such port" 1 'route set \+x: .' fc route set +x ports 3 site 0
refuses "route set: not a port" 2 'port is a number' fc route set +x ports 1,,2 site 0
refuses "route set: no ports" 2 'ports P1.* is missing' fc route set +x site 0
refuses "route set: without rights" 1 'Operation not permitted' \
	no_admin route set +x ports 1 site 0
# 8 - 9 - 10 on a line: site 8 has no other port for site 10 than that to site 9.
fc site add 9 topology line:16 mode care
for ports in 2 1,2; do
	refuses "route set: a circle is a warning: ports $ports" 0 \
		'route set \+x: warning: (port 2: site 8|a neighbour) by default sends .*back' \
		fc route set +x ports $ports site 9
	json "route set: a circle is no refusal: ports $ports" "j[0]['ports'] == [$ports]" \
		fc -j route show +x site 9
done
accepts "route set: no warning without a circle" fc route set +x ports 1 site 9
fc site del 9
prints "route show: text" '^site 0 \+x ports 2,1 generation [0-9]+$' fc route show +x site 0
accepts "route del" fc route del +x site 0
json "route del: the default" 'j[0]["ports"] == [1] and j[0]["generation"] > 1' \
	fc -j route show +x site 0
refuses "route del: no direction" 1 'no such direction' fc route del d7 site 0

# stats
json "stats show" '[s["site"] for s in j] == [0, 1] and "messages_sent" in j[0]["counters"]' \
	fc -j stats show
json "stats show: of a site" '[s["site"] for s in j] == [1]' fc -j stats show 1
refuses "stats show: unknown" 1 'no such site here' fc stats show 2
refuses "stats reset: without rights" 1 'Operation not permitted' no_admin stats reset
accepts "stats reset: one" fc stats reset site 0
accepts "stats reset: all" fc stats reset
prints "stats show: text" '^ +messages_sent +0$' fc stats show 0

# topology
json "topology show" 'j["topology"] == "ring:3" and j["site"] == 1 and
	[(l["direction"], l["peer_site"]) for l in j["links"]] == [("+x", 2), ("-x", 0)]' \
	fc -j topology show site 1
prints "topology show: svg" '</svg>' fc topology show ring:5 --svg
prints "topology show: dot" '^	0 -> 1 ' fc topology show ring:5 --dot
prints "topology show: dot, in points" '^	inputscale=72;' fc topology show ring:5 --dot
refuses "topology show: malformed" 1 'topology rong:5: .' fc topology show rong:5

# the rest of the grammar
refuses "usage: no object" 2 'Usage:' fc
refuses "usage: unknown object" 2 'unknown command "blah"' fc blah
refuses "usage: unknown command" 2 'site: no command "blah"' fc site blah
refuses "usage: too much" 2 'unexpected argument "more"' fc site del 0 more
refuses "usage: unknown option" 2 'unknown option -x' fc -x site show
refuses "netns: unknown" 1 'network namespace nowhere: ' fc -n nowhere site show
prints "abbreviations" '^site 0 ' fc si sh
prints "help" 'flitcast site add \[site\] ID topology SPEC' fc site help
json "version" '"version" in j' fc -j version

# the end of a site
accepts "site del" fc site del 0
json "site del: its links go" '[l["dev"] for l in j] == ["fc1"]' fc -j link show
accepts "site del: the only one needs no naming elsewhere" fc link del fc1
accepts "site del: last" fc site del 1
json "site del: none left" 'j == []' fc -j site show

finish
