#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every call with its n-th allocation failing, n = 1, 2... (failnth.c).
#
#   failnth.sh [STEP]
#
#	site 0 --- site 1
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

faults=/sys/kernel/debug
[ -d $faults/failslab ] || skip "the kernel has no fault injection: vm/run --debug"
# What this asks to fail is to fail, and quietly, even if it may sleep.
for kind in failslab fail_page_alloc fail_usercopy; do
	echo 0 >$faults/$kind/verbose
	[ ! -e $faults/$kind/ignore-gfp-wait ] || echo N >$faults/$kind/ignore-gfp-wait
done
echo 0 >$faults/fail_page_alloc/min-order

lab_up line:2
"$bin/failnth" "$lab" "${1:-1}"
