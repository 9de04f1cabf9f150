#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Two hosts, a guest each, joined by virtio network cards with soft-RoCE over them: a file goes both
# ways, one host is killed in mid-traffic and started again, and the file goes both ways again.
#
#   hosts.sh
#   hosts.sh guest SITE DIR LIFE		what a host runs
#
#	[0] === [1]	DIR is shared: up.SITE.LIFE, down, and done.SITE.LIFE tell how far they are
set -u

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
flitcast=$top/build/bin/flitcast
PATH=$PATH:/usr/sbin:/sbin

# await SECONDS COMMAND...
await()
{
	local until=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $until ] || { echo "# in vain: $*"; return 1; }
		sleep 0.1
	done
}

link_is() { "$flitcast" link show | grep -q " state $1"; }

# send_file: as soon as the other site receives
# shellcheck disable=SC2317 # called by await
send_file() { "$flitcast" send --to $((1 - site)) --confirm --file "$dir/file" >/dev/null 2>&1; }

get_file()
{
	"$flitcast" recv --timeout 60 --output /tmp/got >/dev/null && cmp /tmp/got "$dir/file"
}

# both_ways LIFE: site 1 sends first
both_ways()
{
	await 60 link_is up || return
	touch "$dir/up.$site.$1"
	if [ "$site" = 1 ]; then
		await 60 send_file && get_file || return
	else
		get_file && await 60 send_file || return
	fi
	touch "$dir/done.$site.$1"
}

guest()
{
	local gid=::ffff:10.9.0

	site=$1 dir=$2
	modprobe -a rdma_rxe rdma_cm && insmod "${FLITCAST_MODULES:?}/flitcast_rdma.ko" || exit 1
	ip addr add "10.9.0.$((site + 1))/24" dev eth0
	ip link set eth0 mtu 4200 up
	rdma link add rx0 type rxe netdev eth0 || exit 1
	"$flitcast" site add "$site" topology line:2 flit 16384 &&
		"$flitcast" link add rdma rx0/1 peer "$gid.$((2 - site))" port $((site + 1)) || exit 1
	both_ways "$3" || { "$flitcast" -s link show; exit 1; }
	if [ "$site" = 0 ]; then
		"$flitcast" ping 1 -c 100000 -i 0.005 -W 1 >/dev/null 2>&1 &
		await 60 link_is down && touch "$dir/down" && both_ways 2
	elif [ "$3" = 1 ]; then
		"$flitcast" ping 0 -c 100000 -i 0.005 >/dev/null 2>&1
	else
		await 60 test -e "$dir/done.0.2"
	fi
	exit
}

if [ "${1:-}" = guest ]; then
	shift
	guest "$@"
fi

kernel=$("$top/selftests/vm/kernel") || { echo "1..0 # SKIP no kernel for guests"; exit 4; }
if [ ! -f "$top/flitcast_rdma.ko" ] || ! find "$kernel" -name 'rdma_rxe.ko*' | grep -q .; then
	echo "1..0 # SKIP no RDMA here"
	exit 4
fi
work=$(mktemp -d)
hosts=() tests=0 failures=0

# shellcheck disable=SC2317 # by the trap
cleanup()
{
	[ ${#hosts[@]} -eq 0 ] || kill "${hosts[@]}" 2>/dev/null
	wait
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

result()
{
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
	else
		echo "not ok $tests - $2"
		failures=$((failures + 1))
		sed 's/^/# /' "$work"/host*
	fi
}

# host SITE LIFE
host()
{
	"$top/selftests/vm/run" -c 1 -t 200 -m 768 -w "$work/shared" -N "$work/$1:$work/$((1 - $1))" \
		-q -global -q virtio-net-pci.host_mtu=9000 -L "$work/kernel$1" -- \
		"$top/selftests/rdma/hosts.sh" guest "$1" "$work/shared" "$2" >"$work/host$1" 2>&1 &
	hosts[$1]=$!
}

done_by() { [ -e "$work/shared/done.0.$1" ] && [ -e "$work/shared/done.1.$1" ]; }

mkdir "$work/shared"
head -c 1000000 /dev/urandom >"$work/shared/file"
host 0 1
host 1 1
await 120 done_by 1
result $? "two hosts: 1 MB goes both ways"
kill "${hosts[1]}"
wait "${hosts[1]}" 2>/dev/null
await 60 test -e "$work/shared/down"
result $? "two hosts: one is killed in mid-traffic, and the other sees its link go down"
rm -f "$work/shared/done.1.1"
host 1 2
await 120 done_by 2
result $? "two hosts: it is started again, and 1 MB goes both ways"
status=0
for site in 0 1; do
	wait "${hosts[site]}" || status=1
done
hosts=()
result $status "two hosts: neither complains"
echo "1..$tests"
[ $failures -eq 0 ]
