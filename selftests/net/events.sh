#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The netlink family tells of sites and links, and only in their namespace.
#
#        site 0                    site 1
#	port 1 (+x) fc0 ========= fc1 port 2 (-x)          ring:3
set -u

[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
need_nlevents

# tells NAME REGEX: there is, or soon will be, such an event
tells()
{
	becomes 10 grep -qxE "$2" "$work/events"
	status=$?
	cp "$work/events" "$work/out"
	result $status "$1"
}

"$nlevents" >"$work/events" &
unshare -n "$nlevents" >"$work/elsewhere" &
tells "ready" ready
becomes 10 grep -q ready "$work/elsewhere"

ip link add fc0 type veth peer name fc1
"$flitcast" site add 0 topology ring:3
tells "site added" 'site-add 0'
"$flitcast" site add 1 topology ring:3
"$flitcast" link add fc0 port 1 site 0
tells "link added, down" 'link-change 0 1 state 1'
"$flitcast" link add fc1 port 2 site 1
ip link set fc0 up
ip link set fc1 up
tells "link up" 'link-change 0 1 state 3'
tells "link up at the other end" 'link-change 1 2 state 3'
"$flitcast" link del fc0
tells "link taken out" 'link-del 0 1'
"$flitcast" site del 1
tells "link taken out with its site" 'link-del 1 2'
tells "site taken out" 'site-del 1'
"$flitcast" site add 2 topology ring:2
"$flitcast" site del 0
tells "last site taken out" 'site-del 0'
! grep -qE '^(site-add 2|unknown)' "$work/events"
result $? "nothing is told of what did not happen"
[ "$(cat "$work/elsewhere")" = ready ]
result $? "nothing is told in another namespace"

finish
