#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flitcast monitor: events as they happen, in text and in JSON, and how it ends.
#
#        site 0                    site 1
#	port 1 (+x) fc0 ========= fc1 port 2 (-x)          ring:3
set -u

[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }
monitors=()

# shellcheck disable=SC2317 # by the trap
cleanup()
{
	# one that is stopped has to go on to die
	kill "${monitors[@]}"
	kill -CONT "${monitors[@]}"
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT

# watch NAME ARG...: a monitor in the background that has told the state; what it
# prints is in $work/NAME
watch()
{
	local name=$1

	shift
	"$flitcast" "$@" --state >"$work/$name" 2>"$work/$name.err" &
	monitors+=($!)
	becomes 20 grep -q site-state "$work/$name" || echo "# $name is not ready"
}

# tells FILE NAME REGEX: there is, or soon will be, such a line
tells()
{
	becomes 20 grep -qE "$3" "$work/$1"
	status=$?
	cp "$work/$1" "$work/out"
	result $status "$2"
}

# ends STATUS NAME PID: it ends soon, with that status
ends()
{
	# shellcheck disable=SC2317 # called by becomes
	gone() { ! kill -0 "$1"; }

	becomes 20 gone "$3"
	wait "$3"
	[ $? -eq "$1" ]
	result $? "$2"
}

refuses "usage: word" 2 'unexpected argument "sites"' fc monitor sites
refuses "usage: buffer" 2 'buffer is a number from 4096' fc monitor --buffer 1
prints "usage: help" 'flitcast monitor' fc monitor help

fc site add 0 topology ring:3
watch text monitor
watch json -j monitor
watch stamps monitor -t
ip link add fc0 type veth peer name fc1
fc site add 1 topology ring:3
tells text "site added" '^site-add +site 1 topology ring:3 '
fc link add fc0 port 1 site 0
tells text "link added" '^link-change +site 0 port 1 \+x dev fc0 .* state down \(the device is down\) expected 1 port 2$'
fc link add fc1 port 2 site 1
ip link set fc0 up
ip link set fc1 up
tells text "link up" '^link-change +site 0 port 1 .* state up peer 1 port 2$'
fc link del fc1
tells text "link taken out" '^link-del +site 1 port 2 '
tells text "link down at the other end" '^link-change +site 0 port 1 .* state init \('

# The same port of the same topology, but another site: the state does not change.
fc site add 2 topology ring:3
fc link add fc1 port 2 site 2
tells text "another reason is told" \
	'^link-change +site 0 port 1 .* state init \(cabled to site 2 port 2, expected site 1 port 2\)'
fc site del 2
tells text "link goes with its site" '^link-del +site 2 port 2 '
tells text "site taken out" '^site-del +site 2 topology '

tells stamps "time stamp" \
	'^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z site-del +site 2 '
tells json "JSON: last event" '"event":"site-del","site":2'
# one document a line: as a list it is one
# shellcheck disable=SC2317 # called by json
lines() { sed '1s/^/[/; $!s/$/,/; $s/$/]/' "$work/json"; }
json "JSON: a line for each event" '
	j[0]["event"] == "site-state" and j[0]["site"] == 0 and all("time" in e for e in j) and
	{e["event"] for e in j} >= {"site-add", "site-del", "link-change", "link-del"} and
	[e["reason"] for e in j if e["event"] == "link-change" and e["state"] == "up"
		and e["site"] == 0] == [None]' lines

kill "${monitors[0]}"
ends 0 "ends by SIGTERM" "${monitors[0]}"
kill -INT "${monitors[1]}"
ends 0 "ends by SIGINT" "${monitors[1]}"
[ ! -s "$work/text.err" ] && [ ! -s "$work/json.err" ]
result $? "has nothing to complain about"

# A reader that goes ends it without an event.
mkfifo "$work/pipe"
"$flitcast" monitor --state >"$work/pipe" 2>"$work/pipe.err" &
monitors+=($!)
head -n 1 "$work/pipe" >"$work/first"
ends 0 "ends with its reader" "${monitors[3]}"
grep -q '^site-state ' "$work/first" && [ ! -s "$work/pipe.err" ]
result $? "its reader had a line"

# More events than a monitor that is stopped has room for.
watch small monitor --buffer 4096
kill -STOP "${monitors[4]}"
for ((i = 0; i < 20; i++)); do
	fc site add 2 topology ring:3
	fc site del 2
done
fc site add 2 topology ring:3
kill -CONT "${monitors[4]}"
tells small "lost events are told" '^lost +events'
tells small "what is so now follows" '^site-state +site 2 '
fc site del 2
tells small "it goes on" '^site-del +site 2 '

finish
