#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs of random calls, kept where they reach new code of the module.
#
#   kernelfuzz.sh [OPTION...]	of kernelfuzz
#
#	site 0 ------ site 1 ------ site 2	sockets everywhere
#	site 3 ------ site 4			the same, and netlink changes these two
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

lab_up line:3
ip -batch - <<END || die "cannot make the namespaces of sites 3 and 4"
netns add $lab-3
netns add $lab-4
link add play0 netns $lab-3 up type veth peer name play1 netns $lab-4
END
ip -n "$lab-4" link set play1 up
"$bin/kernelfuzz" "$@" "$lab" 2>&1
result $? "programs of random calls"
finish
