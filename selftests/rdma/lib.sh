#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# For the scripts of this directory: soft-RoCE over a dummy network device, and flitcast_rdma.ko.
# One RDMA device is enough: a reliable connection from the device to itself works.
# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../sock/lib.sh"

ko=${FLITCAST_MODULES:-$top}/flitcast_rdma.ko
[ -f "$ko" ] || ko=$(modinfo -n flitcast_rdma 2>/dev/null) || ko=flitcast_rdma.ko
[ -f "$ko" ] || skip "no $ko: the kernel has no RDMA connection manager"
need_modules rdma_rxe rdma_cm dummy
modprobe ib_uverbs 2>/dev/null

rdma_insmod() { grep -q '^flitcast_rdma ' /proc/modules || insmod "$ko"; }

# gid DEV: the link-local address of an RDMA device
gid()
{
	local i type

	for i in "/sys/class/infiniband/$1/ports/1/gids"/*; do
		type=$(cat "${i%gids/*}gid_attrs/types/${i##*/}" 2>/dev/null)
		[ "$type" = "RoCE v2" ] && grep -q '^fe80' "$i" && { cat "$i"; return; }
	done
	return 1
}

# rxe NAME: a soft-RoCE device NAME on a dummy device d-NAME
rxe()
{
	ip link add "d-$1" type dummy
	ip link set "d-$1" mtu 4500 up
	rdma link add "$1" type rxe netdev "d-$1" && wait_for 20 gid "$1" >/dev/null
}

# Sites of the network, from 0.
sites=0

# links_are COUNT STATE: so many link ends of the network are in this state
links_are()
{
	[ "$(for site in $(seq 0 $((sites - 1))); do at "$site" link show; done |
		grep -c " state $2")" = "$1" ]
}

# link SITE PORT: the line of link show
link() { at "$1" link show port "$2" site "$1"; }

# link_says SITE PORT TEXT
link_says() { link "$1" "$2" 2>&1 | grep -q -- "$3"; }

# shellcheck disable=SC2317 # called by wait_for
listens() { [ "$(at "$1" -j site show | grep -o '"sockets":[0-9]*')" = '"sockets":1' ]; }

# transfer FROM TO[,TO...] FILE: the receivers get the file, every byte of it
transfer()
{
	local site status=0 jobs=()

	for site in ${2//,/ }; do
		rm -f "$work/got$site"
		at "$site" recv --output "$work/got$site" --timeout 100 \
			>/dev/null 2>"$work/err$site" &
		jobs+=($!)
		children+=($!)
		wait_for 20 listens "$site" || echo "# no receiver at site $site"
	done
	at "$1" send --to "$2" --confirm --file "$3" >/dev/null 2>"$work/err" || status=1
	for site in "${jobs[@]}"; do
		wait "$site" || status=1
	done
	children=()
	for site in ${2//,/ }; do
		cmp "$3" "$work/got$site" || status=1
	done
	[ $status = 0 ] || cat "$work"/err* | sed 's/^/# /'
	return $status
}

# random_file FILE BYTES
random_file() { head -c "$2" /dev/urandom >"$1"; }

rdma_insmod || die "insmod $ko"
