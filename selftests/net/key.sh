#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The key of a network: sites with the same one work as those without, others stay out, and a
# stranger on the link changes nothing.
#
#	site 0 +x === -x site 1 +x === -x site 2 === site 0        ring:3
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

# Random frames of the stranger in each mode.
frames=${1:-2500}

stranger=$(dirname "$(readlink -f "$0")")/stranger
lab=key$$

# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }

# shellcheck disable=SC2317,SC2046 # by the trap; a word for each job
cleanup()
{
	kill $(jobs -p)
	fc lab down name "$lab"
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT

# shellcheck disable=SC2317 # called by the helpers
at() { fc -n "$lab-$1" "${@:2}"; }

printf '%064d\n' 1 >"$work/one"
printf '%064d\n' 2 >"$work/two"
printf '%063d\n' 1 >"$work/short"
printf '%065d\n' 1 >"$work/long"
printf 'x%063d\n' 1 >"$work/wrong"

for file in short long wrong; do
	refuses "a key that is $file" 1 'key .*: a key is 64 hexadecimal digits' \
		fc site add 0 topology ring:3 key "$work/$file"
done
refuses "a key that is not there" 1 'key .*none: No such file' \
	fc site add 0 topology ring:3 key "$work/none"

refuses "flits too small for mode vnet with a key" 1 '1073 bytes or more' \
	fc site add 0 topology ring:3 flit 1072 key "$work/one"
accepts "flits long enough" fc site add 0 topology ring:3 flit 1073 key "$work/one"
accepts "the site is deleted" fc site del 0
accepts "a lab with a key" fc lab up ring:3 key "$work/one" name "$lab"
json "site show tells that there is one" 'j[0]["key"] is True' at 0 -j site show
refuses "it cannot be changed" 1 'cannot be changed' at 0 site set 0 key "$work/two"
head -c 1000000 /dev/urandom >"$work/data"
at 2 recv --output "$work/got" 2>"$work/recv" &
receiver=$!
# shellcheck disable=SC2317 # called by becomes
waits() { at 2 socket show | grep -q 'port 4100'; }
becomes 20 waits || echo "# no receiver"
accepts "a megabyte goes to two sites away" at 0 send --to 2 --file "$work/data"
wait "$receiver"
cmp -s "$work/data" "$work/got"
result $? "and arrives"
accepts "ping" at 0 ping 1 -c 3 -i 0.05

# counter LINK-PORT NAME: of site 0
counter() { at 0 -s -j link show "p$1" | grep -o "\"$2\":[0-9]*" | cut -d: -f2; }
resets=$(counter 1 resets)
[ "$(counter 1 rx_unproven)" = 0 ]
result $? "nothing came without proof"

# What site 1 says comes to p1 of site 0; p2 of site 1 is its other end.
peer=$(at 0 -j link show p1 | grep -o '"peer_port":[0-9]*' | cut -d: -f2)
ip netns exec "$lab-0" "$stranger" record p1 "$work/heard" 3 &
recorder=$!
# Each time the link begins anew both ends say who they are.
for window in 46 47 46; do
	at 0 link set p1 window "$window"
	# shellcheck disable=SC2317 # called by becomes
	links_up() { [ "$(at 0 -j link show | grep -o '"state":"up"' | wc -l)" -eq 2 ]; }
	becomes 20 links_up || echo "# link is not up"
done
wait "$recorder"
resets=$(counter 1 resets)
ip netns exec "$lab-1" "$stranger" replay "p$peer" "$work/heard"
accepts "what was recorded is sent again: ping" at 0 ping 1 -c 20 -i 0.05
[ "$(counter 1 resets)" = "$resets" ]
result $? "the link stays up"

# Frames of this life of the link, which are repeated when site 1 falls silent: its own frames have
# another priority than those of the stranger.
ip netns exec "$lab-0" "$stranger" record-all p1 "$work/all" 200 &
recorder=$!
# shellcheck disable=SC2317 # called by becomes
records() { [ -e "$work/all" ]; }
becomes 20 records || echo "# nothing is recorded"
accepts "ping while it is recorded" at 0 ping 1 -c 100 -i 0.02
wait "$recorder"
resets=$(counter 1 resets)
ip netns exec "$lab-1" "$stranger" repeat "p$peer" "$work/all" &
repeater=$!
accepts "ping while that is repeated" at 0 ping 1 -c 20 -i 0.05
[ "$(counter 1 resets)" = "$resets" ]
result $? "the link stays up"
# What is repeated soon gives the link another reason: the event has the first one.
"$flitcast" -n "$lab-0" monitor >"$work/events" &
monitor=$!
{
	ip netns exec "$lab-1" tc qdisc add dev "p$peer" root handle 1: prio bands 2 \
		priomap 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1
	ip netns exec "$lab-1" tc qdisc add dev "p$peer" parent 1:1 netem loss 100%
}
result $? "site 1 falls silent"
# shellcheck disable=SC2317 # called by becomes
fell_silent() { grep -q 'link-change .* port 1 .*fell silent' "$work/events"; }
becomes 30 fell_silent
result $? "and its link goes down, whatever is repeated"
kill "$repeater" "$monitor"
ip netns exec "$lab-1" tc qdisc del dev "p$peer" root
becomes 30 links_up
result $? "it comes up again with site 1"

# Frames that a stranger makes up, damages and repeats, in each mode.
refused='^rx_(unproven|stranger|malformed|protocol|checksum)$'
# The counters of site 1 and of its link, each on a line, but for those that grow while no message is sent.
counters()
{
	{ at 1 -s -j link show p2; at 1 -j stats show; } | grep -oE '"[a-z_]+": *[0-9]+' | tr -d '": ' |
		sed 's/[0-9]*$/ &/' | grep -Ev '^(rx_hello|[rt]x_faults|control_[a-z]*|[rt]x_control) '
}
# shellcheck disable=SC2317 # called by becomes
records() { [ -e "$work/$life" ]; }
# shellcheck disable=SC2317 # called by becomes
link_up() { at 1 link show p2 | grep -q 'state up'; }
# shellcheck disable=SC2317 # called by becomes
quiet()
{
	mv "$work/quiet" "$work/before"
	counters >"$work/quiet"
	cmp -s "$work/before" "$work/quiet"
}
for mode in care csr postman vnet; do
	fc lab down name "$lab" >/dev/null
	accepts "$mode: a lab with a key" fc lab up line:2 mode "$mode" key "$work/one" name "$lab"
	rm -f "$work/old" "$work/all"
	for life in old all; do
		ip netns exec "$lab-1" "$stranger" record-all p2 "$work/$life" 60 &
		recorder=$!
		becomes 20 records || echo "# nothing is recorded"
		at 0 ping 1 -c 40 -i 0.02 >"$work/ping"
		wait "$recorder"
		[ $life = old ] || break
		# Another life of the link.
		ip -n "$lab-1" link set p2 down
		ip -n "$lab-1" link set p2 up
		becomes 20 link_up || echo "# link is not up"
	done
	: >"$work/quiet"
	becomes 20 quiet || echo "# the site is not quiet"
	sent=$(ip netns exec "$lab-0" "$stranger" invent p1 "$work/all" "$work/old" "$frames")
	counters | paste -d' ' "$work/quiet" - |
		awk -v refused="$refused" -v sent="${sent:-none}" '
		$1 ~ refused { n += $4 - $2; next }
		$2 != $4 { print "# " $1, $2, $4; bad = 1 }
		END { print "#", n, "refused of", sent; exit bad || n != sent }'
	result $? "$mode: what a stranger sends is refused, and changes nothing"
	# For longer than it takes to the next HELLO, when a site looks at what has come damaged.
	accepts "$mode: the link works" at 0 ping 1 -c 5 -i 0.2
	at 1 -s -j link show p2 | grep -q '"suspected_damaged":0\b'
	result $? "$mode: the link is not suspected for it"
done
fc lab down name "$lab" >/dev/null
accepts "a lab with a key again" fc lab up ring:3 key "$work/one" name "$lab"

# Another key, or none.
for key in two none; do
	at 1 site save >"$work/site1"
	at 1 site del 1
	if [ "$key" = two ]; then
		at 1 site add 1 topology ring:3 key "$work/two"
	else
		at 1 site add 1 topology ring:3
	fi
	at 1 link add p1 port 1
	at 1 link add p2 port 2
	# shellcheck disable=SC2317 # called by becomes
	strange() { at 1 link show p1 | grep -q 'another key'; }
	becomes 30 strange
	result $? "key $key: its link says why it is not up"
	# shellcheck disable=SC2317 # called by becomes
	strange() { at 0 link show p1 | grep -q 'another key'; }
	becomes 30 strange
	result $? "key $key: and so does the other end"
	accepts "key $key: the others go on" at 0 ping 2 -c 2 -i 0.05
done

# A saved site does not tell its key.
at 0 site save >"$work/saved"
json "saved: that there is a key" 'j["sites"][0]["key"] is True' cat "$work/saved"
accepts "restored where it is" at 0 site restore "$work/saved"
at 0 site del 0
refuses "restored anew: the file is missing" 1 'site 0 has a key: "key" is to name the file' \
	at 0 site restore "$work/saved"
sed -i "s|\"key\": true|\"key\": \"$work/one\"|" "$work/saved"
accepts "restored with its key" at 0 site restore "$work/saved"
# shellcheck disable=SC2317 # called by becomes
up2() { at 0 link show p2 | grep -q 'state up'; }
becomes 30 up2
result $? "and its link to site 2 comes up"
finish
