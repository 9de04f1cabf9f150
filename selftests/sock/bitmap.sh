#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Lists whose targets differ in their site alone travel with a bitmap of the sites: 1,024 bytes to
# the 60 other sites of hexmesh:5 are one flit on each link of the tree.  With one port that
# differs, the list has an entry for each target, which makes it two flits on some links.
#
#   bitmap.sh [MODE...]
#
# All targets receive the message whole, by either form; by bitmap in each mode (vnet, care, csr).
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

spec=hexmesh:5
sites=61

# Flits that all sites have sent: a drawing has them from all sites at once.
flits()
{
	"$FLITCAST" lab graph name "$lab" --dot | grep -oE ',label="[0-9]+"' |
		awk -F '"' '{ n += $2 } END { print n + 0 }'
}

# shellcheck disable=SC2317 # called by wait_for
bound() { [ "$("$FLITCAST" lab show name "$lab" | grep -c 'sockets 1$')" -eq $((sites - 1)) ]; }

# One message to all, of which site 1 listens at port $1; sets spent.
list()
{
	local site to=1:$1 before failed=0

	children=()
	rm -f "$work"/got*
	for ((site = 1; site < sites; site++)); do
		at "$site" recv --port $((site == 1 ? $1 : 4100)) --output "$work/got$site" >/dev/null \
			2>"$work/recv" & children+=($!)
		[ "$site" -eq 1 ] || to+=,$site:4100
	done
	wait_for 60 bound || { echo "# no receiver: $(cat "$work/recv")"; return 1; }
	before=$(flits)
	at 0 send --to "$to" --confirm --file "$work/data" >"$work/send" 2>&1 ||
		{ sed 's/^/# /' "$work/send"; return 1; }
	for ((site = 1; site < sites; site++)); do
		wait "${children[site - 1]}" || failed=1
	done
	children=()
	# the same data, each
	[ "$(sha256sum "$work/data" "$work"/got* | awk '!seen[$1]++ { n++ }
		END { print NR, n }')" = "$sites 1" ] || failed=1
	spent=$(($(flits) - before))
	return $failed
}

# A list of which site 1 has port $1 arrives, in $2 to $3 flits.  A busy machine may send a flit
# again: so there are several tries.
arrives()
{
	local try

	for try in 1 2 3 4 5; do
		list "$1" || return
		[ "$spent" -ge "$2" ] && [ "$spent" -le "$3" ] && return
		echo "# try $try: $spent flits"
	done
	return 1
}

# with what the tool puts in front (32 bytes and the name): 1,024 bytes
head -c $((1024 - 32 - 4)) /dev/urandom >"$work/data"
[ $# -gt 0 ] || set -- vnet care csr
for mode; do
	FLITCAST_MODE=$mode
	lab_up $spec
	arrives 4100 60 60
	result $? "mode $mode: one port: $spent flits"
	if [ "$mode" = vnet ]; then
		arrives 4101 61 120
		result $? "mode $mode: two ports: $spent flits"
	fi
	"$FLITCAST" lab down name "$lab" >/dev/null
done
finish
