#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In mode csr sendmsg() blocks until its message is admitted (admission.c), and tells when it
# arrives (arrival.c).
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

export FLITCAST_MODE=csr
modprobe sch_netem 2>/dev/null
command -v tc >/dev/null || skip "there is no tc"

# run LAB-STATE WHAT
run()
{
	"$bin/admission" "$lab" "$1" >"$work/out" 2>&1
	local status=$?

	sed 's/^/# /' "$work/out"
	result $status "$2"
}

# A message that was sent again has reserved again meanwhile, and its times cannot be compared:
# so it is on a machine that stalls for long.
arrival()
{
	"$bin/arrival" "$lab" >"$work/out" 2>&1
	local status=$?

	sed 's/^/# /' "$work/out"
	if [ $status != 0 ] && [ "$(counter 0 packets_repeated)" != 0 ]; then
		result 0 "it says when messages arrive # SKIP packets were repeated"
		return
	fi
	result $status "it says when messages arrive"
}

# The tool passes it on: told FILE KEY WHAT
told()
{
	sed 's/^/# /' "$1"
	grep -q "\"$2\": *-\{0,1\}[0-9]" "$1"
	result $? "$3"
}

# shellcheck disable=SC2317 # by wait_for
port_there() { at 3 socket show 2>/dev/null | grep -q 4100; }

tool()
{
	at 3 -j recv --count 1 --timeout 100 >"$work/recv" 2>&1 &
	children+=($!)
	wait_for 100 port_there
	at 0 -j send --confirm --to 3 hello >"$work/send" 2>&1
	wait "${children[-1]}"
	unset 'children[-1]'
	at 0 -j ping 3 -c 1 >"$work/ping" 2>&1
	told "$work/send" reserved_ms "send: when it was to come"
	told "$work/recv" reserved_ns "recv: when it was to come"
	told "$work/ping" early_ms "ping: how long before it had to"
}

lab_up line:4
arrival
tool
"$FLITCAST" lab down name "$lab" >/dev/null 2>&1
lab_up line:2
run alive "it blocks until then"
tc -n "$lab-0" qdisc add dev p1 root netem loss 100% || skip "no netem here"
run dead "it does not take another one before"
finish
