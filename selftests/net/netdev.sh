#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The command "netdev": network devices of two sites in one namespace, which "ip link add" cannot
# tell apart:
#
#        site 0                    site 1
#	port 1 (+x) v0 =========== v1 port 2 (-x)          ring:3
set -u

# A namespace of its own goes with its last process.
[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

other=netdev$$

# shellcheck disable=SC2317 # by the trap
cleanup()
{
	ip netns del "$other" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT

# shellcheck disable=SC2317 # called by the helpers
as_user() { setpriv --reuid=1000 --regid=1000 --clear-groups "$flitcast" "$@"; }
# All devices, without their states.
devices() { ip -d -o link show | sed -E 's/ state [A-Z]+//; s/<[^>]*>//'; }
# shellcheck disable=SC2317 # called by becomes
has_state() { fc netdev show "$1" | grep -q " state $2"; }
# The same device by both programs.
# shellcheck disable=SC2317 # called by the helpers
both() { echo "[$(fc -j netdev show "$1"), $(ip -j -d link show dev "$1")]"; }

agree='[[{k: d[k] for k in ("dev", "ifindex", "state", "mtu", "address")} for d in j[0]] ==
	[{"dev": d["ifname"], "ifindex": d["ifindex"], "state": d["operstate"].lower(),
	  "mtu": d["mtu"], "address": d["address"]} for d in j[1]],
	j[1][0]["linkinfo"]["info_kind"] == "flitcast", j[0][0]["site"] == 1,
	j[0][0]["address"] == "02:fc:00:00:00:01", j[0][0]["mtu"] == 65000]'

ip link add v0 type veth peer name v1
ip link set v0 up
ip link set v1 up
refuses "add: no site" 1 'netdev add fc0: no site here' fc netdev add fc0
json "show: none" 'j == []' fc -j netdev show
fc site add 0 topology ring:3
fc site add 1 topology ring:3
refuses "ip link add: several sites" 2 'several sites here: choose one' \
	ip link add fc0 type flitcast
refuses "add: several sites" 1 'netdev add fc0: several sites here: choose one' fc netdev add fc0
json "show: none came of that" 'j == []' fc -j netdev show
accepts "add" fc netdev add fc0 site 1
prints "show" '^dev fc0 site 1 state down mtu 65000 address 02:fc:00:00:00:01$' fc netdev show
prints "show: with details" '^dev fc0 ifindex [0-9]+ site 1 state ' fc -d netdev show fc0
prints "show: abbreviated, brief" '^fc0 +1 +down +65000 02:fc:00:00:00:01$' fc -br ne sh fc0
json "JSON, and ip: down" \
	"all($agree) and (j[0][0]['state'], j[0][0]['reason']) == ('down', None)" both fc0
ip link set fc0 up
json "JSON, and ip: no carrier" "all($agree) and j[0][0]['reason'] == 'no carrier'" both fc0
fc link add v0 port 1 site 0
fc link add v1 port 2 site 1
becomes 20 has_state fc0 up
result $? "show: a link comes up"
json "JSON, and ip: up" \
	"all($agree) and (j[0][0]['state'], j[0][0]['reason']) == ('up', None)" both fc0

before=$(devices)
refuses "add: no such site" 1 'netdev add fc1: no such site here' fc netdev add fc1 site 2
refuses "add: the site has a device" 1 'the site has a network device already' \
	fc netdev add fc1 site 1
refuses "add: the name is taken" 1 'netdev add v0: File exists' fc netdev add v0 site 0
refuses "add: no name" 2 'NAME is missing' fc netdev add
refuses "add: a name too long" 2 'is no name of a device: it is too long' \
	fc netdev add sixteen-letters- site 0
refuses "add: no name of a device" 2 '"a/b" is no name of a device' fc netdev add a/b site 0
refuses "add: an empty name" 2 '"" is no name of a device' fc netdev add "" site 0
refuses "add: an unknown option" 2 'unknown option --mtu' fc netdev add fc1 site 0 --mtu 1500
refuses "add: an unknown word" 2 'unexpected argument "port"' fc netdev add fc1 site 0 port 1
refuses "add: no number" 2 'site is a number' fc netdev add fc1 site x
refuses "add: as a user" 1 'netdev add fc1: Operation not permitted' as_user netdev add fc1 site 0
refuses "del: as a user" 1 'netdev del fc0: Operation not permitted' as_user netdev del fc0
refuses "del: another kind" 1 'netdev del v0: the device is not of kind flitcast' fc netdev del v0
refuses "del: no device" 1 'netdev del fc1: No such device' fc netdev del fc1
refuses "show: another kind" 1 'netdev show lo: the device is not of kind flitcast' \
	fc netdev show lo
refuses "show: no device" 1 'netdev show fc1: No such device' fc netdev show fc1
devices >"$work/out"
echo "$before" | diff - "$work/out" >"$work/err"
result $? "nothing came of all that"
prints "show: as a user" '^dev fc0 site 1 ' as_user netdev show

accepts "add: a name that is a word of the command" fc netdev add site site 0
json "show: both" '[(d["dev"], d["site"]) for d in j] == [("fc0", 1), ("site", 0)]' \
	fc -j netdev show
json "show: one of them" '[(d["dev"], d["site"]) for d in j] == [("site", 0)]' \
	fc -j netdev show site
prints "complete: devices of sites alone" '^fc0 site $' \
	sh -c "'$flitcast' complete netdev del '' | cut -f1 | sort | tr '\\n' ' '"
accepts "del" fc netdev del fc0
json "del: the other one stays" '[d["dev"] for d in j] == ["site"]' fc -j netdev show
accepts "del: the site stays, and gets another one" fc netdev add fc2 site 1

ip netns add "$other"
fc -n "$other" site add 2 topology ring:3
accepts "-n: add, of the only site" fc -n "$other" netdev add fc0
prints "-n: show" '^dev fc0 site 2 ' fc -n "$other" netdev show
accepts "-n: del" fc -n "$other" netdev del fc0
json "-n: no device is left" 'j == []' fc -n "$other" -j netdev show
finish
