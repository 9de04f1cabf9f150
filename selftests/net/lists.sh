#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a message of several packets to a list costs: hardly more flits than its packets have on the
# links of their tree, which flitcast trace tells.
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

lab=lists$$

# shellcheck disable=SC2317 # by the trap
cleanup()
{
	fc lab down name "$lab"
	rm -rf "$work"
}
trap cleanup EXIT

# Flits that all links have carried: a drawing has them from all sites at once.
flits()
{
	fc lab graph name "$lab" --dot | grep -oE ',label="[0-9]+"' |
		awk -F '"' '{ sum += $2 } END { print sum + 0 }'
}

# Sends the file from site 0 to a list; $cost: flits.
send()
{
	local site before pids=()

	for site in ${1//,/ }; do
		at "$site" recv --timeout 60 --output "$work/got.$site" >/dev/null 2>&1 &
		pids+=($!)
	done
	for site in ${1//,/ }; do
		becomes 20 listening "$site" || return 1
	done
	before=$(flits)
	at 0 send --to "$1" --file "$work/file" >/dev/null || return 1
	wait "${pids[@]}" || return 1
	cost=$(($(flits) - before))
	for site in ${1//,/ }; do
		cmp "$work/file" "$work/got.$site" || return 1
	done
}

# Flits of the file's packets of 64 KiB, one by one, to so many targets over so many links.
singly()
{
	local room=$((1500 - 20)) head=$((36 + 20 * $1))

	echo $(($2 * 16 * (1 + (65536 - (room - head) + room - 1) / room)))
}

head -c 1M /dev/urandom >"$work/file"
while read -r spec lists; do
	fc lab up "$spec" name "$lab" >/dev/null || exit 1
	for list in $lists; do
		links=$(fc trace "$list" topology "$spec" from 0 |
			sed -n 's/.* delivered: links \([0-9]*\),.*/\1/p')
		targets=${list//[!,]/}
		least=$(singly $((${#targets} + 1)) "$links")
		send "$list"
		result $? "$spec: 1 MiB to $list arrives"
		[ $((100 * cost)) -le $((105 * least)) ] && [ "$cost" -ge "$least" ]
		result $? "$spec: 1 MiB to $list costs $cost flits, where its packets need $least"
	done
	fc lab down name "$lab"
done <<'LISTS'
torus:4x4 5,10,15 1,2,3,6,7,8,11,13 1,2,3,4,5,6,8,9,10,11,13,14
hypercube:3 3,5 1,2,4,6,7
LISTS
finish
