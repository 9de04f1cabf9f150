#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In mode csr sendmsg() blocks until its message is admitted (admission.c).
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

lab_up line:2
run alive "it blocks until then"
tc -n "$lab-0" qdisc add dev p1 root netem loss 100% || skip "no netem here"
run dead "it does not take another one before"
finish
