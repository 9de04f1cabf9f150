#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flitcast lab: every kind of topology is built, works from corner to corner,
# and goes away without a trace.
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }
lab=selftest$$

# shellcheck disable=SC2317 # by the trap
cleanup()
{
	fc lab down name "$lab"
	rm -rf "$work"
}
trap cleanup EXIT

# Does no site know of anything that does not work?
whole()
{
	local site

	for ((site = 0; site < $1; site++)); do
		run fc -n "$lab-$site" topology faults
		[ "$status" -eq 0 ] && [ ! -s "$work/out" ] || return 1
	done
}

namespaces() { find /run/netns -name "$lab-*" 2>/dev/null | wc -l; }

refuses "show: not up" 1 "lab $lab is not up" fc lab show name "$lab"
refuses "exec: not up" 1 "lab $lab is not up" fc lab exec name "$lab" 0 true
refuses "graph: not up" 1 "lab $lab is not up" fc lab graph name "$lab"
accepts "down: not up is down" fc lab down name "$lab"
refuses "up: malformed" 1 'lab up: ring:2: .' fc lab up ring:2 name "$lab"
refuses "up: too many" 1 'mesh:33x33 has 1089 sites, and a network has at most 1024' \
	fc lab up mesh:33x33 name "$lab"
refuses "up: mtu" 2 'mtu is a number' fc lab up ring:3 mtu 100 name "$lab"
refuses "up: flit" 2 'flit is a number' fc lab up ring:3 flit 100 name "$lab"
refuses "up: name" 2 'name of a lab' fc lab up ring:3 name ../x
refuses "up: mode" 1 'unknown mode' fc lab up ring:3 mode wormhole name "$lab"
refuses "up: RDMA, mtu" 2 'mtu is of network devices' fc lab up ring:3 --rdma mtu 1500 name "$lab"
refuses "up: RDMA, flit" 2 'flit is a number' fc lab up ring:3 rdma flit 65536 name "$lab"
refuses "up: RDMA port" 2 'is no RDMA port' fc lab up ring:3 rdma-dev rxe0/0 name "$lab"
refuses "up: no such RDMA port" 1 'there is no RDMA port none/1' \
	fc lab up ring:3 rdma-dev none name "$lab"
[ "$(namespaces)" -eq 0 ]
result $? "up: a refusal leaves nothing"

# spec, number of sites, links counted at both ends
for case in "line:3 3 4" "ring:5 5 10" "mesh:2x3 6 14" "torus:3x3 9 36" "hypercube:3 8 24" \
	"hexmesh:2 7 42"; do
	read -r spec sites ends <<<"$case"
	accepts "$spec: up" fc lab up "$spec" name "$lab"
	json "$spec: show" "j['topology'] == '$spec' and len(j['sites']) == $sites and
		sum(s['links'] for s in j['sites']) == $ends and
		all(s['links'] == s['links_up'] for s in j['sites'])" \
		fc lab show name "$lab" -j
	# No wait: there is nothing to wait for any more.
	whole "$sites"
	result $? "$spec: every site has routes to every other one"
	[ "$(namespaces)" -eq "$sites" ]
	result $? "$spec: a namespace for each site"
	prints "$spec: exec" "^site $((sites - 1)) " \
		fc lab exec name "$lab" $((sites - 1)) "$flitcast" site show
	prints "$spec: exec sees its own devices" '^p[1-9]$' \
		fc lab exec name "$lab" 0 ls /sys/class/net
	json "$spec: from corner to corner" 'j["received"] == 2' \
		fc lab exec name "$lab" 0 "$flitcast" -j ping $((sites - 1)) -c 2 -i 0.05
	# of the site itself: its topology and links come from the kernel
	here=$(fc lab exec name "$lab" 0 "$flitcast" -j trace $((sites - 1)),1 |
		sed 's/"links_of_site":0,//')
	there=$(fc -j trace $((sites - 1)),1 topology "$spec" from 0 |
		sed 's/"links_of_site":null,//')
	[ -n "$here" ] && [ "$here" = "$there" ]
	result $? "$spec: trace is that of the topology"
	prints "$spec: graph" '</svg>' fc lab graph name "$lab"
	matches "$work/out" ': [1-9][0-9]* flits'
	result $? "$spec: graph has loads"
	refuses "$spec: up twice" 1 "lab $lab is up already" fc lab up "$spec" name "$lab"
	accepts "$spec: down" fc lab down name "$lab"
	accepts "$spec: down again" fc lab down name "$lab"
	[ "$(namespaces)" -eq 0 ] && [ ! -e "/run/flitcast/lab/$lab" ]
	result $? "$spec: nothing is left"
done

# A hexmesh wired clockwise: p2 and p6 of every site exchange their ports, and so do p3
# and p5.  Each end of those links refuses the other; p1 and p4 are where they belong.
accepts "mirrored: up" fc lab up hexmesh:2 name "$lab"
for ((site = 0; site < 7; site++)); do
	# shellcheck disable=SC2016 # the inner shell's
	run fc lab exec name "$lab" "$site" sh -ec '
		for d in 2 3 5 6; do "$0" link del "p$d"; done
		for d in 2 3 5 6; do "$0" link add "p$d" port $((8 - d)); done' "$flitcast"
	[ "$status" -eq 0 ] || break
done
result "$status" "mirrored: links exchanged"
# shellcheck disable=SC2317 # called by becomes
heard()
{
	local site

	for ((site = 0; site < 7; site++)); do
		fc lab exec name "$lab" "$site" "$flitcast" link show >"$work/links" || return
		[ "$(grep -cE 'cabled to site [0-6] port [1-6], expected site [0-6] port [1-6]' "$work/links")" -eq 4 ] ||
			return
	done
}

becomes 20 heard
result $? "mirrored: refused by each end"
json "mirrored: the others are up" 'sorted(l["port"] for l in j if l["state"] == "up") == [1, 4]' \
	fc lab exec name "$lab" 3 "$flitcast" -j link show
accepts "mirrored: down" fc lab down name "$lab"

accepts "exec: up" fc lab up line:3 mtu 9000 window 16 name "$lab"
json "up: mtu and window reach the sites" 'j[0]["flit"] == 9000 and j[0]["window"] == 16' \
	fc lab exec name "$lab" 1 "$flitcast" -j site show
[ "$(fc lab exec name "$lab" all "$flitcast" -br site show | awk '{ print $1 }' | xargs)" = "0 1 2" ]
result $? "exec: all sites, in their order"
prints "exec: options of the command" '^p1$' fc lab exec name "$lab" 0 ls -1 /sys/class/net
prints "exec: a command behind dashes" '^p1$' fc lab exec name "$lab" 0 -- ls -1 /sys/class/net
run fc lab exec name "$lab" 0-2 sh -c 'exit 3'
[ "$status" -eq 3 ]
result $? "exec: gives the exit status of several back"
refuses "exec: no such site" 1 'there is no site 3' fc lab exec name "$lab" 3 true
refuses "exec: no command" 2 'COMMAND \[ARG\]... is missing' fc lab exec name "$lab" 0
refuses "exec: no such command" 1 'no-such-command: No such file' \
	fc lab exec name "$lab" 0 no-such-command
run fc lab exec name "$lab" 0 sh -c 'exit 42'
[ "$status" -eq 42 ]
result $? "exec: gives the exit status back"
accepts "trace: a link goes down" fc lab exec name "$lab" 0 ip link set p1 down
refuses "trace: no way" 1 'no route to site 2 from site 0' \
	fc lab exec name "$lab" 0 "$flitcast" trace 2
ip netns del "$lab-1"
refuses "show: a namespace is gone" 1 "namespace $lab-1 is gone" fc lab show name "$lab"
accepts "down: half of it was gone" fc lab down name "$lab"
[ "$(namespaces)" -eq 0 ]
result $? "down: nothing is left"

accepts "kill: up" fc lab up hexmesh:2 name "$lab"
refuses "kill: no site" 2 'SITE.* is missing' fc lab kill name "$lab"
refuses "kill: no such site" 1 'there is no site 7: sites are 0 to 6' fc lab kill name "$lab" 7
refuses "kill: not a site" 2 'sites are such as' fc lab kill name "$lab" 1-
refuses "kill: one of several is none" 1 'there is no site 7' fc lab kill name "$lab" 3 5 7
refuses "kill: the same twice" 2 'site 3 is named twice' fc lab kill name "$lab" 3 5 3
refuses "kill: the same twice in a range" 2 'site 4 is named twice' fc lab kill name "$lab" 3-5,4
for wrong in 1x "1," "1,,2" 1: 1-3- "1;" ",1"; do
	refuses "kill: sites $wrong" 2 'sites are such as' fc lab kill name "$lab" $wrong
done
refuses "kill: a range backwards" 2 'begins with the smaller one' fc lab kill name "$lab" 5-3
refuses "kill: a range beyond the last" 1 'there is no site 4294967295' \
	fc lab kill name "$lab" 0-4294967295
refuses "kill: no such lab" 1 "lab $lab-2 is not up" fc lab kill name "$lab-2" 3
refuses "revive: it lives" 1 'site 3 is not dead' fc lab revive name "$lab" 3
json "kill: nothing is changed by what is refused" \
	'all(not s["dead"] and s["links_up"] == 6 for s in j["sites"])' fc lab show name "$lab" -j
prints "kill: paths of broadcasts before it" '^4 copies at each of 6 sites: links 24,' \
	fc -n "$lab-5" trace --broadcast --copies 4
accepts "kill" fc lab kill name "$lab" 3
json "kill: it is dead, the others are not" \
	'[s["site"] for s in j["sites"] if s["dead"]] == [3]' fc lab show name "$lab" -j
prints "kill: show" '^site 3 .* up 0 .* dead$' fc lab show name "$lab"
refuses "kill: twice" 1 'site 3 is dead already' fc lab kill name "$lab" 3
refuses "kill: exec" 1 'site 3 is dead' fc lab exec name "$lab" 3 true
prints "kill: graph" 'not up' fc lab graph name "$lab"
[ "$(fc -n "$lab-3" -j site show)" = "[]" ]
result $? "kill: there is no site any more"
# shellcheck disable=SC2317 # called by becomes
dead_known()
{
	fc -n "$lab-5" trace 3 2>&1 | grep -q 'no route to site 3'
}
becomes 20 dead_known
result $? "kill: the others find out"
refuses "kill: paths of broadcasts after it" 1 'no copy comes to site 3' \
	fc -n "$lab-5" trace --broadcast --copies 4
grep -q '^at least 3 copies at each of 5 sites, none at 1:' "$work/out"
result $? "kill: one copy at most is lost"
json "kill: the others reach each other" 'j["received"] == 1' \
	fc -n "$lab-0" -j ping 5 -c 1 -W 20
accepts "revive" fc lab revive name "$lab" 3
whole 7
result $? "revive: every site has routes to every other one"
json "revive: it answers" 'j["received"] == 1' fc -n "$lab-5" -j ping 3 -c 1 -W 20
json "revive: show" 'not any(s["dead"] for s in j["sites"])' fc lab show name "$lab" -j

# Its sites are lent to a program that lies.
corrupt=$top/build/selftests/liar/corrupt
[ -x "$corrupt" ] || corrupt=$here/corrupt

# sites_lie NAME LIST: these are lent
sites_lie()
{
	json "$1" "[s['site'] for s in j['sites'] if s['lent']] == $2" fc lab show name "$lab" -j
}

liars() { pidof "$(basename "$corrupt")" 2>/dev/null | wc -w; }
# shellcheck disable=SC2317 # called by becomes
no_liars() { [ "$(liars)" -eq 0 ]; }

refuses "corrupt: no site" 2 'SITE is missing' "$corrupt" name "$lab"
refuses "corrupt: no such site" 1 'there is no site 7: sites are 0 to 6' \
	"$corrupt" name "$lab" 7
refuses "corrupt: no such lie" 2 'lies are alter, drop, forge and replay, not "delay"' \
	"$corrupt" name "$lab" 3 alter,delay
refuses "corrupt: no lie" 2 'lies are alter' "$corrupt" name "$lab" 3 ,
refuses "corrupt: too many words" 2 'unexpected argument "5"' \
	"$corrupt" name "$lab" 3 drop 5
refuses "corrupt: no seed" 2 'seed' "$corrupt" name "$lab" 3 seed x
accepts "corrupt: off is honest already" "$corrupt" name "$lab" 3 off
sites_lie "corrupt: nothing is changed by what is refused" '[]'
[ "$(liars)" -eq 0 ]
result $? "corrupt: nobody lies"
accepts "corrupt" "$corrupt" name "$lab" 3 alter
sites_lie "corrupt: it is lent" '[3]'
prints "corrupt: it lies" '^alter$' "$corrupt" name "$lab" 3 show
accepts "corrupt: in another way" "$corrupt" name "$lab" 3 drop,forge seed 7
prints "corrupt: it does" '^drop,forge$' "$corrupt" name "$lab" 3 show
accepts "corrupt: in all of them" "$corrupt" name "$lab" 3 on
prints "corrupt: it does that, too" '^alter,drop,forge,replay$' "$corrupt" name "$lab" 3 show
[ "$(liars)" -eq 1 ]
result $? "corrupt: there is one of it"
# shellcheck disable=SC2317 # called by becomes
avoided() { fc -n "$lab-5" trace 3 2>&1 | grep -q 'no route to site 3'; }
becomes 20 avoided
result $? "corrupt: nothing but broadcasts goes there"
json "corrupt: the others reach each other" 'j["received"] == 1' \
	fc -n "$lab-0" -j ping 5 -c 1 -W 20
accepts "corrupt: off" "$corrupt" name "$lab" 3 off
whole 7
result $? "corrupt: every site has routes to every other one again"
json "corrupt: it answers again" 'j["received"] == 1' fc -n "$lab-5" -j ping 3 -c 1 -W 20
sites_lie "corrupt: it is honest" '[]'
accepts "corrupt: one that is to die" "$corrupt" name "$lab" 2
accepts "kill: one that lies" fc lab kill name "$lab" 2
sites_lie "kill: a dead site is not lent" '[]'
refuses "corrupt: dead" 1 'site 2 is dead' "$corrupt" name "$lab" 2
becomes 20 no_liars
result $? "kill: its program ends"
accepts "revive: one that lied" fc lab revive name "$lab" 2
accepts "corrupt: again" "$corrupt" name "$lab" 2
kill -9 "$(pidof "$(basename "$corrupt")")"
accepts "corrupt: off, its program is gone" "$corrupt" name "$lab" 2 off
whole 7
result $? "corrupt: every site has its links"
accepts "corrupt: two" "$corrupt" name "$lab" 1
accepts "corrupt: neighbours" "$corrupt" name "$lab" 2
accepts "kill: three" fc lab kill name "$lab" 0 5 6
refuses "revive: one is not dead" 1 'site 4 is not dead' fc lab revive name "$lab" 5 4
accepts "revive: two beside one that is dead" fc lab revive name "$lab" 6 5
json "revive: one is dead" '[s["site"] for s in j["sites"] if s["dead"]] == [0]' \
	fc lab show name "$lab" -j
accepts "down: one is dead, two lie" fc lab down name "$lab"
[ "$(namespaces)" -eq 0 ] && [ ! -e "/run/flitcast/lab/$lab" ]
result $? "down: nothing is left"

becomes 20 no_liars
result $? "down: nobody lies any more"

finish
