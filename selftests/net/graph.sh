#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Networks that are graphs: sites and labs of them, what tells of them, and what is
# refused.
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
random=$top/selftests/core/random-graph
[ -x "$random" ] || random=$here/random-graph

# until_links REGEX N: so many links of this namespace are said to be so
until_links()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[ "$("$flitcast" link show | grep -cE "$1")" -eq "$2" ] && return
		sleep 0.1
	done
	return 1
}

"$random" 12 3 4 1 >"$work/twelve"
printf '0 1\n1 2\n2 3\n3 0\n0 2\n' >"$work/four"
printf '{"sites": 4, "links": [[3, 2], [2, 1],\n[1, 0], [0, 3], [2, 0]]}' >"$work/four.json"
printf '0 1\n1 2\n2 3\n3 0\n1 3\n' >"$work/other"

# One site, by hand.
accepts "a site of a graph" "$flitcast" site add 2 topology "graph:$work/four"
prints "its name" '^site 2 topology graph:4:[0-9a-f]{16} .* ports 3 ' "$flitcast" site show
json "its links come from the kernel" \
	'[(l["port"], l["peer_site"], l["peer_port"]) for l in j["links"]] == [(1, 0, 2), (2, 1, 2), (3, 3, 2)]' \
	"$flitcast" -j topology show
refuses "a trace from it: no link is up" 1 'no route to site 3 from site 2' "$flitcast" trace 3
prints "a trace of the file" 'port 3 n3 class 1 > site 3 port 2 class 1' \
	"$flitcast" trace 3 from 2 topology "graph:$work/four"
accepts "links for its ports" sh -c "ip link add a0 type veth peer name b0 &&
	ip link set a0 up && ip link set b0 up && $flitcast link add a0 port 3"
refuses "no neighbour there" 1 'no such port' "$flitcast" link add b0 port 4
refuses "it stays what it is" 1 'cannot be changed' \
	"$flitcast" site set 2 topology "graph:$work/other"
refuses "a name without links" 1 'a graph is given by its links|No such file' \
	"$flitcast" site add 3 topology graph:4:0123456789abcdef
refuses "a site that it has not" 1 'no site of that number' \
	"$flitcast" site add 4 topology "graph:$work/four"

# Broadcast paths of that site.
prints "one copy needs none" '^$' sh -c "$flitcast topology paths; echo"
accepts "paths for up to two copies" "$flitcast" topology paths copies 2
json "of each source" \
	'[(p["source"], p["copies"]) for p in j] == [(0, 2), (1, 2), (2, 2), (3, 2)]' \
	"$flitcast" -j topology paths
json "it begins on its three ports, or two" \
	'[w["in"] for p in j if p["source"] == 2 for w in p["entries"]] in ([None] * 2, [None] * 3)' \
	"$flitcast" -j topology paths
json "two copies come to it of each other" \
	'[sum(w["out"] is None for w in p["entries"]) for p in j] == [2, 2, 0, 2]' \
	"$flitcast" -j topology paths
refuses "no three copies of site 0" 1 '3 copies from site 0: fewer node-disjoint paths' \
	"$flitcast" topology paths copies 3
json "which changes nothing" 'len(j) == 4' "$flitcast" -j topology paths
accepts "none again" "$flitcast" topology paths copies 1
json "it has forgotten them" 'j == []' "$flitcast" -j topology paths
"$flitcast" topology paths copies 2

# Saved, and restored.
run "$flitcast" site save
cp "$work/out" "$work/saved"
json "a configuration has the links" \
	'j["sites"][0]["graph"] == [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]' cat "$work/saved"
json "and the copies" 'j["sites"][0]["copies"] == 2' cat "$work/saved"
accepts "nothing to restore" "$flitcast" site restore "$work/saved"
accepts "taken out" "$flitcast" site del 2
accepts "restored" "$flitcast" site restore "$work/saved"
run "$flitcast" site save
cmp -s "$work/out" "$work/saved"
result $? "as it was"
sed 's/"graph": \[/"graph": [[0, 1], /' "$work/saved" >"$work/twice"
tr -d '\n' <"$work/saved" | sed 's/"graph": *\[ *\[/"graph": [[0,1],[/' >"$work/twice"
refuses "a link twice in a configuration" 1 'ascending order' \
	"$flitcast" site restore "$work/twice"
tr -d '\n' <"$work/saved" | sed 's/, *\[ *2, *3 *\]//' >"$work/less"
refuses "a link less than the name says" 1 'another graph' \
	"$flitcast" site restore "$work/less"
accepts "deleted" "$flitcast" site del 2
ip link del a0

# Two sites that are not of the same graph.
ip link add a0 type veth peer name b0
ip link set a0 up
ip link set b0 up
"$flitcast" site add 0 topology "graph:$work/four"
"$flitcast" site add 1 topology "graph:$work/other"
"$flitcast" link add a0 site 0 port 1
"$flitcast" link add b0 site 1 port 1
until_links 'another topology' 2
result $? "HELLO tells two graphs apart"
"$flitcast" site del 1
"$flitcast" site add 1 topology "graph:$work/four.json"
"$flitcast" link add b0 site 1 port 1
until_links ' up( |$)' 2
result $? "the same graph in another file is the same"
"$flitcast" site del 0
"$flitcast" site del 1
ip link del a0

# A lab.
refuses "a lab with more copies than paths" 1 '4 copies from site 0: fewer node-disjoint' \
	"$flitcast" lab up "graph:$work/twelve" copies 6
refuses "three copies in a ring" 1 'ring:4 has disjoint paths for 2 copies at most' \
	"$flitcast" lab up ring:4 copies 3
accepts "a lab" "$flitcast" lab up "graph:$work/twelve"
json "with paths for the three copies that it has" \
	'sorted((p["source"], p["copies"]) for p in j) == [(s, k) for s in range(12) for k in (2, 3)]' \
	"$flitcast" lab exec 5 "$flitcast" -j topology paths
accepts "a site dies" "$flitcast" lab kill 7
accepts "and comes back" "$flitcast" lab revive 7
json "with its paths" 'len(j) == 24' "$flitcast" lab exec 7 "$flitcast" -j topology paths
prints "what it is" 'topology graph:12:[0-9a-f]{16} mtu 1500' "$flitcast" lab show
prints "every link as a picture" 'site 11 n[0-9] to site' "$flitcast" lab graph
receivers=()
for site in 1 2 3 4 5 6 7 8 9 10 11; do
	"$flitcast" lab exec $site "$flitcast" recv --count 1 --timeout 60 >"$work/got.$site" &
	receivers+=($!)
done
# shellcheck disable=SC2317 # called by becomes
listen()
{
	local site

	for site in 1 2 3 4 5 6 7 8 9 10 11; do
		"$flitcast" lab exec "$site" "$flitcast" site show | grep -q 'sockets 1' || return 1
	done
}
becomes 60 listen
accepts "a message to all others" "$flitcast" lab exec 0 "$flitcast" send \
	--to 1,2,3,4,5,6,7,8,9,10,11 --confirm hello
wait "${receivers[@]}"
[ "$(cat "$work"/got.* | grep -c hello)" -eq 11 ]
result $? "it has come"
"$flitcast" lab exec 0 ip link set p1 down
# shellcheck disable=SC2317 # called by becomes
told() { "$flitcast" lab exec 11 "$flitcast" topology faults | grep .; }
becomes 30 told
prints "a dead link is told of" 'site 0 port 1 n1 to site 4 port' \
	"$flitcast" lab exec 11 "$flitcast" topology faults
prints "and gone around" '^1 of 1 delivered: links [2-9]' \
	"$flitcast" lab exec 0 "$flitcast" trace 4
accepts "down" "$flitcast" lab down
finish
