#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flitcast site save and restore, route save and restore: what was saved comes back,
# twice is as once, and what is wrong changes nothing.
#
#        site 0                    site 1
#	port 1 (+x) fc0 ========= fc1 port 2 (-x)          ring:3
#	port 2 (-x) fc2 ===+
#	            fc3 ===+
set -u

[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }

# What is so: two configurations are equal if this is.
# shellcheck disable=SC2317 # called by the helpers
state() { fc -j site save; }

# same NAME FILE: the configuration is what the file has
same()
{
	state >"$work/out" 2>"$work/err"
	cmp "$work/out" "$2" >>"$work/err" 2>&1
	result $? "$1"
}

# edits NAME STATUS REGEX SED...: the saved file, edited so, is refused for this
# reason
edits()
{
	local name=$1 status=$2 regex=$3

	shift 3
	sed "$@" "$work/saved" >"$work/edited"
	[ "$(<"$work/saved")" = "$(<"$work/edited")" ] &&
		echo "# $name: the edit changes nothing" && regex=x
	refuses "restore: $name" "$status" "$regex" fc site restore "$work/edited"
}

ip link add fc0 type veth peer name fc1
ip link add fc2 type veth peer name fc3
for dev in fc0 fc1 fc2 fc3; do
	ip link set $dev up
done

json "save: nothing" 'j == {"flitcast": 1, "sites": []}' fc site save
refuses "save: no such site" 1 'site save: no such site here' fc site save 3
fc site add 0 topology ring:3 flit 1400 mode care window 6 seek 1500us seek-max 3 timeout 30ms \
	retry 4ms poll 200ms transit 5
fc site add 1 topology ring:3 flit 1400 mode care
fc link add fc0 port 1 site 0 window 4 crc on
fc link add fc2 port 2 site 0
fc link add fc1 port 2 site 1
fc route set +x ports 2,1 site 0
state >"$work/before"
fc site save >"$work/saved"
json "save: what there is" '[(s["site"], s["topology"], s["mode"], s["flit"], s["window"],
	s["seek_us"], s["seek_max"], s["timeout_us"], s["retry_us"], s["poll_us"],
	s["transit"]) for s in j["sites"]] ==
		[(0, "ring:3", "care", 1400, 6, 1500, 3, 30000, 4000, 200000, 5),
		(1, "ring:3", "care", 1400, 8, 2000, 5, 20000, 2000, 20000, 32)] and
	[(l["dev"], l["port"], l["window"], l["crc"]) for s in j["sites"] for l in s["links"]] ==
		[("fc0", 1, 4, True), ("fc2", 2, 6, False), ("fc1", 2, 8, False)] and
	[(r["direction"], r["ports"]) for r in j["sites"][0]["routes"]] ==
		[("+x", [2, 1]), ("-x", [2])]' cat "$work/saved"
json "save: one site" '[s["site"] for s in j["sites"]] == [1]' fc site save 1

# there and back
# shellcheck disable=SC2317 # called by becomes
up() { [ "$(fc -j site show | grep -o '"links_up":1' | wc -l)" -eq 2 ]; }
becomes 20 up
flaps() { fc -j -s link show fc0 | grep -o '"resets":[0-9]*'; }
resets=$(flaps)
accepts "restore: what is so" fc site restore "$work/saved"
same "restore: what is so stays" "$work/before"
[ "$(flaps)" = "$resets" ] && up
result $? "restore: what is so does not disturb its links"
fc site del 0
fc site del 1
accepts "restore: check" fc site restore "$work/saved" check
json "restore: check changes nothing" 'j == []' fc -j site show
accepts "restore: from nothing" fc site restore "$work/saved"
same "restore: from nothing: all is there" "$work/before"
accepts "restore: twice" fc site restore "$work/saved"
same "restore: twice is as once" "$work/before"
becomes 20 up
result $? "restore: its links come up"
accepts "restore: standard input" fc site restore - <"$work/saved"

# from something else, and sites of which it says nothing
fc site set 0 transit 9
fc route set -x ports 1 site 0
fc link del fc2
fc link del fc1
fc link add fc3 port 2 site 1
fc site add 2 topology ring:3
accepts "restore: from something else" fc site restore "$work/saved"
json "restore: others stay" '[s["site"] for s in j["sites"]] == [0, 1, 2]' fc site save
fc site del 2
same "restore: from something else: all is as it was" "$work/before"
fc site save 0 >"$work/zero"
fc link del fc0
fc link del fc2
fc link add fc2 port 1 site 0
accepts "restore: a device changes its port" fc site restore "$work/zero"
same "restore: it has changed it" "$work/before"

# what is wrong
printf '{}' >"$work/empty"
refuses "restore: no configuration" 1 'not a configuration' fc site restore "$work/empty"
refuses "restore: no file" 1 'nowhere: No such file' fc site restore "$work/nowhere"
refuses "restore: usage" 2 'FILE is missing' fc site restore
for wrong in '' '{' '[1,]' '{"flitcast":1 "sites":[]}' '{"flitcast":01}' '{"a":"\q"}' '"\ud800"' \
	'{"flitcast":1,"flitcast":1}' 'nul' '{"flitcast":1,"sites":[]} x' '{"a":"b' '-'; do
	printf '%s' "$wrong" >"$work/edited"
	refuses "restore: malformed: $wrong" 1 'edited:1: ' fc site restore "$work/edited"
done
printf '[%.0s' {1..5000} >"$work/edited"
refuses "restore: deep" 1 'edited:1: maximum parsing depth reached' fc site restore "$work/edited"
edits "another version" 1 'edited: "flitcast" is a number from 1 to 1' 's/"flitcast": 1/"flitcast": 2/'
edits "unknown member" 1 'do not know "windows"' '0,/"window"/s//"windows"/'
edits "number missing" 1 '"site" is missing' '0,/"site": 0,/s///'
edits "topology malformed" 1 'topology ring:x: ' '0,/ring:3/s//ring:x/'
edits "another topology" 1 'site 0 exists with another topology' '0,/ring:3/s//ring:4/'
edits "another flit size" 1 'site 0 exists with another flit' '0,/1400/s//1300/'
edits "another window" 1 'site 0 exists with another window' '0,/"window": 6/s//"window": 7/'
edits "not in the topology" 1 'no site of that number' '0,/"site": 1/s//"site": 3/'
edits "site twice" 1 'site 0 is there twice' 's/"site": 1/"site": 0/'
edits "mode" 1 'unknown mode' '0,/"care"/s//"none"/'
for limit in '"seek_us": 1500/9' '"seek_us": 1500/1000001' '"seek_max": 3/1001' \
	'"timeout_us": 30000/99' '"timeout_us": 30000/10000001' '"retry_us": 4000/9' \
	'"retry_us": 4000/1000001' '"poll_us": 200000/999' \
	'"poll_us": 200000/10000001' '"transit": 5/1025' '"flit": 1400/255' '"flit": 1400/65536' \
	'"window": 6/0' '"window": 6/65' '"transit": 5/-1' '"transit": 5/1.5' '"transit": 5/"5"'; do
	key=${limit%%:*}
	edits "$limit" 1 "$key is a number from" "0,/${limit%/*}/s//$key: ${limit##*/}/"
done
edits "device twice" 1 'fc0 carries another link' 's/"fc2"/"fc0"/'
edits "no device" 1 'links\[1\]: "dev" is missing' '0,/"dev": "fc2",/s///'
edits "device and RDMA port" 1 'links\[1\]: a link has "dev", or "address", or "rdma" and' \
	's/"dev": "fc2"/"dev": "fc2", "rdma": "rxe0\/1"/'
edits "device and peer" 1 'links\[1\]: a link has "dev", or "address", or "rdma" and' \
	's/"dev": "fc2"/"dev": "fc2", "peer_gid": "::1"/'
edits "device and address" 1 'links\[1\]: a link has "dev", or "address", or "rdma" and' \
	's/"dev": "fc2"/"dev": "fc2", "address": "02:00:00:00:00:01"/'
for address in 02:00:00:00:00 02:00:00:00:00:0g 01:00:00:00:00:01 00:00:00:00:00:00; do
	edits "address $address" 1 "links\\[1\\]: \"$address\" is no address of a device" \
		"s/\"dev\": \"fc2\"/\"address\": \"$address\"/"
done
for mtu in 67 65536 '"1500"'; do
	edits "mtu $mtu" 1 '"mtu" is a number from 68 to 65535' \
		"s/\"dev\": \"fc2\"/\"dev\": \"fc2\", \"mtu\": $mtu/"
done
edits "RDMA port without a peer" 1 'links\[1\]: "peer_gid" is missing' \
	's/"dev": "fc2"/"rdma": "rxe0\/1"/'
edits "peer without an RDMA port" 1 'links\[1\]: "rdma" is missing' \
	's/"dev": "fc2"/"peer_gid": "::1"/'
edits "RDMA port malformed" 1 'links\[1\]: "rxe0/0" is no RDMA port' \
	's/"dev": "fc2"/"rdma": "rxe0\/0", "peer_gid": "::1"/'
edits "peer malformed" 1 'links\[1\]: "peer_gid" is written as' \
	's/"dev": "fc2"/"rdma": "rxe0\/1", "peer_gid": "rxe1"/'
edits "not Ethernet" 1 'lo is not Ethernet' 's/"fc2"/"lo"/'
edits "no such port" 1 '"port" is a number from 1 to 2' '0,/"port": 2/s//"port": 3/'
edits "port twice" 1 'a second link for port 1' '0,/"port": 2/s//"port": 1/'
edits "crc" 1 '"crc" is true or false' '0,/"crc": true/s//"crc": 1/'
edits "window above the site's" 1 '"window" is a number from 1 to 6' \
	'0,/"window": 4/s//"window": 7/'
edits "no such direction" 1 'no direction "\+y"' '0,/"+x"/s//"+y"/'
edits "direction twice" 1 'second list for direction "\+x"' '0,/"-x"/s//"+x"/'
sed 's/"fc0"/"fc1"/' "$work/zero" >"$work/edited"
refuses "restore: device of another site" 1 'fc1 is a link of site 1, of which the file says' \
	fc site restore "$work/edited"
same "restore: nothing of that changes anything" "$work/before"

# A device whose MTU is too small: the link waits for a larger one.
ip link set fc3 mtu 1399 gso_max_size 1000
sed 's/"fc2"/"fc3"/' "$work/saved" >"$work/edited"
run fc site restore "$work/edited"
[ "$status" -eq 0 ] && grep -q 'site 0 port 2 waits for fc3: MTU of the device is below' "$work/err"
result $? "restore: says that a link waits for a larger MTU"
ip link set fc3 mtu 1500 gso_max_size 65536
accepts "restore: as before" fc site restore "$work/saved"
same "restore: all is as before" "$work/before"

# An RDMA port that is absent: its link is left out, and the rest is restored.
sed 's/"dev": "fc2"/"rdma": "none", "peer_gid": "192.0.2.1"/' "$work/saved" >"$work/edited"
fc site set 0 transit 9
run fc site restore "$work/edited"
[ "$status" -eq 3 ] && grep -q 'there is no RDMA port none/1 here: the link is left out' "$work/err"
result $? "restore: says that a link is left out"
json "restore: the rest is there" '[(l["dev"], l["port"]) for s in j["sites"] for l in s["links"]] ==
	[("fc0", 1), ("fc1", 2)] and j["sites"][0]["transit"] == 5' fc site save
accepts "restore: its link is there again" fc site restore "$work/saved"
same "restore: all of it is as before" "$work/before"

# Refused in the middle: the kernel takes a device by its first name alone.
ip link property add dev fc3 altname other
sed -e 's/"fc2"/"other"/' -e 's/"transit": 5/"transit": 6/' -e '0,/"-x"/s//"none"/' \
	-e '0,/"+x"/s//"-x"/; 0,/"none"/s//"+x"/' "$work/saved" >"$work/edited"
refuses "restore: refused in the middle" 1 'link add other: device has another name' \
	fc site restore "$work/edited"
grep -q 'every change is taken back' "$work/err"
result $? "restore: says what it does about that"
same "restore: refused in the middle: all is as it was" "$work/before"
fc site del 0
fc site del 1
refuses "restore: new, refused in the middle" 1 'link add other: ' \
	fc site restore "$work/edited"
json "restore: new, refused in the middle: nothing" 'j == []' fc -j site show
refuses "restore: without rights" 1 'site add 0: Operation not permitted' \
	setpriv --bounding-set=-net_admin,-sys_admin --inh-caps=-net_admin \
	"$flitcast" site restore "$work/saved"
json "restore: without rights: nothing" 'j == []' fc -j site show
accepts "restore: last" fc site restore "$work/saved"
same "restore: last: all is there" "$work/before"

# preference tables
# shellcheck disable=SC2317 # called by the helpers
generation() { fc -j route show +x site "$1" | grep -o '"generation":[0-9]*'; }
json "route save" '[(t["site"], [r["ports"] for r in t["routes"]]) for t in j["tables"]] ==
	[(0, [[2, 1], [2]]), (1, [[1], [2]])] and "generation" in j["tables"][0]' fc route save
fc route save site 0 >"$work/table"
before=$(generation 0)
accepts "route restore: what is so" fc route restore "$work/table" same-generation
[ "$(generation 0)" = "$before" ]
result $? "route restore: what is so is no change"
fc route set +x ports 1 site 0
refuses "route restore: another generation" 1 'is of generation [0-9]+ by now' \
	fc route restore "$work/table" same-generation
json "route restore: nothing changes" 'j[0]["ports"] == [1]' fc -j route show +x site 0
before=$(generation 0)
fc route set -x ports 1,2 site 0
accepts "route restore" fc route restore "$work/table"
json "route restore: all of it" '[r["ports"] for r in j] == [[2, 1], [2]]' \
	fc -j route show site 0
[ $(($(generation 0 | tr -dc 0-9))) -eq $(($(tr -dc 0-9 <<<"$before") + 2)) ]
result $? "route restore: is one change of the generation"
sed 's/"site": 0/"site": 2/' "$work/table" >"$work/edited"
refuses "route restore: no such site" 1 'no site 2 here' fc route restore "$work/edited"
refuses "route restore: not tables" 1 'do not know "sites"' fc route restore "$work/saved"

finish
