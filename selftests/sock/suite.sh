#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A little of everything, for kernels of other releases (vm/check-kernels): in one guest, because
# to boot one takes longer than the tests.
#
#   suite.sh [MESSAGES]
set -u

cd "$(dirname "$(readlink -f "$0")")" || exit 1
status=0
./sock_api.sh api_bind api_send api_recv || status=1
./stress.sh "${1:-50}" || status=1
../../build/selftests/sock/api_layer '*filter*' || status=1
exit $status
