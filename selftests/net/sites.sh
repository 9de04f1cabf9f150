#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Several sites in one namespace, joined to each other and, through the middle one, to
# those that are not:
#
#	site 0 +x === -x site 1 +x === -x site 2        mesh:1x4
set -u

[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }
lab=sites$$
receivers=()

# shellcheck disable=SC2317,SC2046 # by the trap; a word for each job
cleanup()
{
	kill $(jobs -p)
	fc lab down name "$lab"
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT

# shellcheck disable=SC2317 # called by becomes
shows() { "$flitcast" "${@:2}" | grep -qE -- "$1"; }

# receive SITE PORT: in the background; one message into $work/SITE.PORT
receive()
{
	"$flitcast" recv --site "$1" --port "$2" --count 1 -j >"$work/$1.$2" 2>&1 &
	receivers+=($!)
	becomes 20 shows "^site $1 port $2 " socket show || echo "# no receiver at $1:$2"
}

fc site add 1 topology mesh:1x4
receive 1 4100
accepts "the only one needs no naming" fc send --to 1 first
accepts "site 0, which is not, means the only one" fc send --site 0 --to 1:7 first
wait "${receivers[@]}"
receivers=()
fc site add 0 topology mesh:1x4
fc site add 2 topology mesh:1x4
for link in "0 1 1 2" "1 1 2 2"; do
	read -r a pa b pb <<<"$link"
	ip link add "fc$a$b" type veth peer name "fc$b$a"
	ip link set "fc$a$b" up
	ip link set "fc$b$a" up
	# The windows of the two directions of a link need not be the same.
	fc link add "fc$a$b" port "$pa" site "$a" window 50
	fc link add "fc$b$a" port "$pb" site "$b"
done
# shellcheck disable=SC2317 # called by becomes
up() { [ "$(fc -j link show | grep -o '"state":"up"' | wc -l)" -eq 4 ]; }
becomes 30 up
result $? "links between sites of one namespace come up"

for what in "send --to 1 hello" "recv --timeout 1" "ping 1 -c 1"; do
	# shellcheck disable=SC2086
	refuses "${what%% *}: which" 1 "${what%% *}: several sites here: choose one with --site" \
		fc $what
	# shellcheck disable=SC2086
	refuses "${what%% *}: not here" 1 "${what%% *}: no site 3 here" fc "${what%% *}" --site 3 ${what#* }
done
for what in "link add fc01 port 1" "route set +x ports 1" "topology show" "trace 2"; do
	# shellcheck disable=SC2086
	refuses "$what: which" 1 'several sites here: choose one' fc $what
done

# The same port at each site, and each site's own messages.
for site in 0 1 2; do
	receive $site 4200
done
receive 2 4201
accepts "to all of them" fc send --site 1 --to 0:4200,1:4200,2:4200 all
accepts "across another" fc send --site 0 --to 2:4201 across
wait "${receivers[@]}"
for site in 0 1 2; do
	json "received at site $site" 'j["site"] == 1 and j["text"] == "all"' \
		cat "$work/$site.4200"
done
json "received across another" '(j["site"], j["text"], j["hops"]) == (0, "across", 2)' \
	cat "$work/2.4201"
json "a long message through windows that differ" 'j["received"] == 2' \
	fc ping 2 --site 0 -c 2 -i 0.1 -s 200000 -j
json "and one the other way" 'j["received"] == 2' fc ping 0 --site 2 -c 2 -i 0.1 -s 200000 -j
json "ping across another" 'j["received"] == 2 and j["answers"][0]["hops"] == 2' \
	fc ping 2 --site 0 -c 2 -i 0.1 -j

accepts "one goes" fc site del 1
refuses "the others are apart" 1 'send: site 2: no route to the site' fc send --site 0 --to 2 --timeout 1 apart
json "and otherwise as they were" '[s["site"] for s in j] == [0, 2]' fc -j site show

# A lab has namespaces of its own, and the same numbers.
accepts "lab: up" fc lab up ring:3 name "$lab"
json "lab: its sites" '[s["site"] for s in j] == [0]' \
	fc lab exec name "$lab" 0 "$flitcast" -j site show
json "lab: works" 'j["received"] == 1' \
	fc lab exec name "$lab" 0 "$flitcast" ping 2 -c 1 -j
accepts "lab: down" fc lab down name "$lab"
json "lab: no matter to the sites here" '[s["site"] for s in j] == [0, 2]' fc -j site show

finish
