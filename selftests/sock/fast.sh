#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The fast paths and the ordinary path do the same: the same random traffic, with the parameter
# fast of the module on and off, is delivered and counted alike, in each mode.
#
#   fast.sh [MESSAGES [SEED]]
#
# A message has more than three targets on average, and so many deliveries are asked for.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-700} seed=${2:-$RANDOM}
fast=/sys/module/flitcast/parameters/fast
[ -w $fast ] || skip "the parameter cannot be changed here"
trap 'echo Y >$fast; cleanup' EXIT

# What does not depend on time: messages, and what became of them, of all sites.
outcome()
{
	local site name

	for ((site = 0; site < sites; site++)); do
		at $site -j stats show
	done >"$work/stats"
	for name in messages_sent messages_confirmed messages_failed messages_delivered \
		    messages_refused packets_unroutable; do
		grep -o "\"$name\": *[0-9]*" "$work/stats" |
			awk -F: -v name=$name '{ sum += $2 } END { print name, sum }'
	done
}

# Single flits, lists, parts and messages of several packets, by the same senders in the same order.
traffic()
{
	"$bin/stress" --seed "$seed" --messages "$messages" --senders 8 --bytes 0-10000 \
		--deadline $((200 + messages / 50)) "$lab" >>"$work/log" 2>&1
}

# Frames that take the short way are traced: there are none without fast paths.
tracing=/sys/kernel/tracing
mountpoint -q $tracing || mount -t tracefs none $tracing || skip "there is no tracefs"
echo 'p:fast/pass flitcast_link_pass' >$tracing/kprobe_events || skip "there are no kprobes"
echo 1 >$tracing/events/fast/pass/enable

[ "$(cat $fast)" = Y ]
result $? "fast paths are on"
! echo maybe 2>/dev/null >$fast
result $? "a value that is none is refused"
declare -A passed
for mode in vnet care postman csr; do
	for on in Y N; do
		echo $on >$fast
		[ "$(cat $fast)" = $on ] || die "the parameter is not $on"
		lab_up mesh:2x3 mode $mode
		sites=6
		: >$tracing/trace
		traffic
		result $? "mode $mode, fast $on: everything comes once, whole, in order (seed $seed)"
		outcome >"$work/$on"
		passed[$on]=$(grep -c ' pass: ' $tracing/trace)
		"$FLITCAST" lab down name "$lab"
	done
	delivered=$(awk '$1 == "messages_delivered" { print $2 }' "$work/Y")
	[ "${delivered:-0}" -ge $((3 * messages)) ] && cmp -s "$work/Y" "$work/N"
	status=$?
	result $status "mode $mode: both count the same: $(tr '\n' ' ' <"$work/Y")"
	[ $mode != vnet ] || { [ "${passed[Y]}" -gt 0 ] && [ "${passed[N]}" -eq 0 ]; }
	result $? "mode $mode: ${passed[Y]} frames, and ${passed[N]}, took the fast path"
	[ $status -eq 0 ] || diff "$work/Y" "$work/N" | sed 's/^/# /'
done

echo 0 >$tracing/events/fast/pass/enable
: >$tracing/kprobe_events

# While traffic flows the switch may go over at any time.
lab_up mesh:2x3
mkfifo "$work/never"
while :; do
	for on in N Y; do echo $on >$fast; done
	read -r -t 0.2 <>"$work/never"
done 2>/dev/null &
children=($!)
traffic
result $? "everything comes while the switch goes over again and again"
kill "${children[0]}"
finish
