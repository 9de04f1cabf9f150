#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A little of everything, for the kernel that looks for faults: in one guest, because to
# start it there and to search its memory for leaks takes longer than the tests.
set -u

cd "$(dirname "$(readlink -f "$0")")" || exit 1
status=0
./sock_api.sh api_uring || status=1
./stress.sh 50 || status=1
./flap.sh 40 || status=1
./churn.sh 1 || status=1
exit $status
