#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs of random calls, kept where they reach new code of the module.
#
#   kernelfuzz.sh [OPTION...]	of kernelfuzz
#
#	site 0 ------ site 1 ------ site 2	sockets everywhere
#	site 3 ------ site 4			the same, and netlink changes these two
#
# There are two such labs: one of root, and one in a user namespace of uid 1000.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

# played NAMESPACE...: sites 3 and 4, in these namespaces.
played()
{
	ip netns add "$1" && ip netns add "$2" &&
		ip link add play0 netns "$1" up type veth peer name play1 netns "$2" &&
		ip -n "$2" link set play1 up
}

# The lab of uid 1000: a process that stays, for its namespaces.
if [ -n "${KERNELFUZZ_USER:-}" ]; then
	trap - EXIT
	{ mount -t tmpfs tmpfs /run && mkdir /run/netns; } || die "no /run of its own"
	lab=user
	lab_up line:3
	played user-3 user-4 || die "cannot make the namespaces of sites 3 and 4 of the user"
	rm -rf "$work"
	echo ready
	exec sleep infinity
fi

lab_up line:3
played "$lab-3" "$lab-4" || die "cannot make the namespaces of sites 3 and 4"

exec {ready}< <(KERNELFUZZ_USER=1 exec setpriv --reuid 1000 --regid 1000 --clear-groups \
	unshare --user --map-root-user --net --mount "$BASH" "$0" 2>&1)
children+=($!)
read -r -t 120 answer <&"$ready"
[ "${answer:-}" = ready ] || die "no lab in a user namespace: ${answer:-}"
options=(--user "${children[0]}:user")

# A kernel without memory cgroups has no place with a limit.
groups=/sys/fs/cgroup
if grep -qw memory $groups/cgroup.controllers 2>/dev/null; then
	group=$groups/$lab
	{
		echo +memory >$groups/cgroup.subtree_control && mkdir "$group" &&
			echo +memory >"$group/cgroup.subtree_control" &&
			mkdir "$group/memory" "$group/user"
	} || die "no memory cgroup"
	options+=(--cgroup "$group")
fi

"$bin/kernelfuzz" "${options[@]}" "$@" "$lab" 2>&1
result $? "programs of random calls"
# The processes in them are about to end.
[ -z "${group:-}" ] || wait_for 10 rmdir "$group/memory" "$group/user" "$group" 2>/dev/null
finish
