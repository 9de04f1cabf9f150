#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sites, namespaces and the module go away under full load, again and again: churn.c.
#
#   churn.sh [CYCLES]
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

ko=${FLITCAST_KO:-$top/${FLITCAST_DEBUG:+build/debug/}flitcast.ko}
[ -f "$ko" ] || skip "there is no $ko to load again"
# The parameters it was loaded with.
params=""
for param in /sys/module/flitcast/parameters/*; do
	params+="${param##*/}=$(cat "$param") "
done
"$bin/churn" --ko "$ko" --params "$params" --cycles "${1:-10}" "$lab"
