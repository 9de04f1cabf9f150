#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A little of everything, for the kernel that looks for faults: in one guest, because to
# start it there and to search its memory for leaks takes longer than the tests.
#
#   debug.sh [MESSAGES [FLAPS]]
#
# so many in stress.sh and in flap.sh.  Without MESSAGES there is no stress.sh: flap.sh has the same
# load, and links that go down besides.
set -u

cd "$(dirname "$(readlink -f "$0")")" || exit 1
status=0
./sock_api.sh api_uring || status=1
[ $# -eq 0 ] || ./stress.sh "$1" || status=1
./flap.sh "${2:-20}" || status=1
./churn.sh 1 || status=1
# last: what it asks to fail stays as it sets it
./failnth.sh 12 || status=1
exit $status
