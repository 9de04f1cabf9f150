#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An ordinary user makes a network of 64 sites in namespaces of his own, with the default limits of
# a machine of 8 GiB, whose buffers take what limits.rst says.
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"
limits=$(dirname "$0")/../../Documentation/limits.rst

# shellcheck disable=SC2016 # for the other shell
run setpriv --reuid 1000 --regid 1000 --clear-groups unshare -Urnm bash -c '
	mount -t tmpfs none /run && "$0" lab up mesh:8x8 && "$0" lab exec 0 "$0" ping -c 1 63 &&
	"$0" lab exec 0 "$0" -j site show && "$0" lab down' "$flitcast"
result "$status" "64 sites of a user come up, and reach each other"
kib=$(grep -o '"share_kib": *[0-9]*' "$work/out" | grep -o '[0-9]*$')
said=$(grep -o 'mesh of 8 by 8 take [0-9]* GiB' "$limits" | grep -o '[0-9]* GiB$')
echo "# buffers of ${kib:-no} KiB; limits.rst: ${said:-nothing}"
[ "$(((${kib:-0} + (1 << 19)) >> 20)) GiB" = "$said" ]
result $? "their buffers take what limits.rst says"

finish
