#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flitcast site drain: nothing new, what is under way ends, and then the site may go
# without a loss.
#
#        site 0                    site 1
#	port 1 (+x) fc0 ========= fc1 port 2 (-x)          ring:3
set -u

[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }
# Of these two go ahead, two fit into the receiver's room while it is stopped.
messages=8
late=4
echo 4096 >/proc/sys/net/flitcast/rmem_default || skip_all "needs net.flitcast.rmem_default"

# shellcheck disable=SC2317,SC2046 # by the trap; a word for each job
cleanup()
{
	kill $(jobs -p)
	kill -CONT $(jobs -p)
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT

# shellcheck disable=SC2317 # called by becomes
shows() { "$flitcast" "${@:2}" | grep -qE -- "$1"; }

refuses "no site" 1 'site drain 0: no such site here' fc site drain 0
refuses "no number" 2 'site is a number' fc site drain x
fc site add 0 topology ring:3
fc site add 1 topology ring:3
ip link add fc0 type veth peer name fc1
fc link add fc0 port 1 site 0
fc link add fc1 port 2 site 1
ip link set fc0 up
ip link set fc1 up
becomes 30 shows '^site 0 .* state up' link show
result $? "link is up"
"$flitcast" recv --site 1 --count $messages >"$work/received" &
receiver=$!
becomes 20 shows '^site 1 port 4100 ' socket show
result $? "receiver is there"
"$flitcast" monitor --state >"$work/events" &
becomes 20 grep -q link-state "$work/events"

json "site show: not drained" '[(s["drain"], s["pending"]) for s in j] == [(False, 0)] * 2' \
	fc -j site show
refuses "site set: neither on nor off" 2 'drain is on or off' fc site set 0 drain maybe
refuses "site add: not drained" 2 'unexpected argument "drain"' \
	fc site add 2 topology ring:3 drain on
refuses "without rights" 1 'Operation not permitted' \
	setpriv --bounding-set=-net_admin,-sys_admin --inh-caps=-net_admin \
	"$flitcast" site drain 0
prints "idle at once" '^site 0 is idle$' fc site drain 0
prints "site show: idle" '^site 0 .* drain on idle$' fc site show
json "JSON: idle" 'j == {"site": 0, "idle": True}' fc -j site drain 0
becomes 20 grep -qE '^site-change +site 0 .* drain on idle$' "$work/events"
status=$?
cp "$work/events" "$work/out"
result $status "an event tells it"
refuses "sockets are told" 1 'the site is being drained: it takes no new messages' \
	fc send --site 0 --to 1 hello
json "the site itself answers" 'j["received"] == 1' fc ping 0 --site 1 -c 1 -j
accepts "others send as ever" fc send --site 1 --to 1 0
accepts "taken back" fc site set 0 drain off
json "site show: taken back" '[s["drain"] for s in j] == [False] * 2' fc -j site show
accepts "sockets send again" fc send --site 0 --to 1 1

# What is under way when it begins: accepted, and kept up by a reader that is stopped.
# shellcheck disable=SC2317 # called by becomes
read_so_far() { [ "$(wc -l <"$work/received")" -eq 2 ]; }
becomes 20 read_so_far
kill -STOP "$receiver"
senders=()
for ((i = 2; i < messages; i++)); do
	"$flitcast" send --site 0 --to 1 $i >"$work/sent$i" 2>&1 &
	senders+=($!)
done
becomes 60 shows "\"pending\":$late\b" -j site show 0
result $? "messages are in flight"
refuses "time-out" 1 "site drain 0: $late messages are still in flight: the drain goes on" \
	fc site drain 0 timeout 0.2
prints "site show: what is not over" "^site 0 .* drain on pending $late\$" \
	fc site show
refuses "nothing new" 1 'the site is being drained' fc send --site 0 --to 1 new
"$flitcast" site drain 0 >"$work/drained" 2>&1 &
drain=$!
kill -CONT "$receiver"
wait "$drain"
status=$?
cp "$work/drained" "$work/err"
result $status "ends when all of it is over"
accepts "site del" fc site del 0
bad=0
for pid in "${senders[@]}"; do
	wait "$pid" || bad=1
done
cat "$work"/sent* >"$work/err"
result $bad "every sender had its message confirmed"
wait "$receiver"
sort -n "$work/received" >"$work/out"
[ "$(tr '\n' ' ' <"$work/out")" = "0 1 2 3 4 5 6 7 " ]
result $? "every message was received, and none twice"

# Somebody else takes it back, or the site out, while it waits.
fc site add 0 topology ring:3
fc link add fc0 port 1 site 0
becomes 30 shows '^site 0 .* state up' link show
"$flitcast" recv --site 1 --count 0 >/dev/null &
receiver=$!
becomes 20 shows '^site 1 port 4100 ' socket show
kill -STOP "$receiver"
for ((i = 0; i < 3; i++)); do
	"$flitcast" send --site 0 --to 1 late >"$work/late" 2>&1 &
done
becomes 30 shows '"pending":1\b' -j site show 0
result $? "one is left"
for end in "site set 0 drain off" "site del 0"; do
	"$flitcast" site drain 0 >"$work/drained" 2>&1 &
	drain=$!
	becomes 20 shows '"drain":true' -j site show 0
	# shellcheck disable=SC2086
	fc $end
	wait "$drain"
	[ $? -eq 1 ] && grep -qE 'another process has ended the drain|no such site' "$work/drained"
	status=$?
	cp "$work/drained" "$work/err"
	result $status "ends with: $end"
done

finish
