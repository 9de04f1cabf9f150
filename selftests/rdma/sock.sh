#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of selftests/sock, whose labs have RDMA links:
#
#   sock.sh SCRIPT [ARG...]
set -u

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=./selftests/rdma/lib.sh
(. "$here/lib.sh") || exit
export FLITCAST_LAB=--rdma
exec "$here/../sock/$1" "${@:2}"
