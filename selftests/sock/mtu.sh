#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links of every MTU, flits above it, and ends that disagree.
#
#   mtu.sh [MESSAGES [SEED]]
#
#	site 0 ------ site 1 ------ site 2
#	p1        p2        p1        p2
#
# With each size messages of all lengths get through, in as many flits as the size
# makes of them; a device that does not carry flits is refused, and a link whose ends differ
# stays down, and both say why.  A veth carries longer frames than its MTU, unless
# something on the way does not.
#
# shellcheck disable=SC2317 # functions are called by their names
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

messages=${1:-100}
seed=${2:-$RANDOM}

# A counter of a link of a site.
link_counter()
{
	at "$1" -s link show "$2" | grep -oE "\b$3 +[0-9]+" | grep -oE '[0-9]+$'
}

received() { [ "$(counter 2 messages_delivered)" -ge "$1" ]; }

# A packet of 65,536 bytes, its front and its one target in flits of $1 bytes: 20 of each
# flit are the link's, 36 and 20 of the front the packet's and its target's.
flits_of() { echo $(((65536 + 36 + 20 + $1 - 20 - 1) / ($1 - 20))); }

whole_packet()
{
	local before after want

	before=$(link_counter 0 p1 tx_flits)
	# with what the tool puts in front (32 bytes and the name): a packet as long as can be
	head -c $((65536 - 32 - 4)) /dev/zero >"$work/data"
	at 2 recv --port 4100 --output "$work/got" 2>"$work/recv" & children=($!)
	wait_for 30 bound || { echo "# no receiver: $(cat "$work/recv")"; return 1; }
	at 0 send --to 2:4100 --file "$work/data" >"$work/send" 2>&1 ||
		{ sed 's/^/# /' "$work/send"; return 1; }
	wait "${children[0]}" && cmp "$work/data" "$work/got" || return 1
	children=()
	after=$(link_counter 0 p1 tx_flits) want=$(flits_of "$1")
	[ $((after - before)) -eq "$want" ] && return
	echo "# $((after - before)) flits instead of $want"
	return 1
}

bound() { at 2 site show | grep -q 'sockets 1'; }

# Site 1, port 1 says of its link: $1
says() { at 1 link show p1 | grep -q "$1"; }
is_up() { says ' up'; }

need_modules sch_tbf

# Any length of messages, with links of MTU $1 and flits of $2 bytes.
transfers()
{
	local mtu=$1 flit=$2 status

	# the only one that takes flits so small
	if [ "$flit" -lt 1061 ]; then
		FLITCAST_MODE=care lab_up line:3 mtu "$mtu" flit "$flit"
	else
		lab_up line:3 mtu "$mtu" flit "$flit"
	fi
	whole_packet "$flit"
	result $? "MTU $mtu, flits of $flit: 64 KiB in $(flits_of "$flit") flits"
	"$bin/stress" --seed "$seed" --senders 6 --messages "$messages" --bytes 0-200000 \
		--ports 8 --targets 1-12 --deadline 200 "$lab" 2>"$work/said" >&2
	status=$?
	tr '\r' '\n' <"$work/said" | grep '^stress:' | sed 's/^/# /'
	result $status "MTU $mtu, flits of $flit: messages (seed $seed)"
	"$FLITCAST" lab down name "$lab"
}

# Frames of site 1 for site 2, $1 and more, that its device did not take.
refused() { [ "$(link_counter 1 p1 tx_dropped)" -ge "$1" ]; }

for mtu in 256 300 1000 1500 4000 9000 65535; do
	transfers "$mtu" "$mtu"
done
for flit in 1501 9000 65521; do
	transfers 1500 "$flit"
done

lab_up line:3 mtu 1500 flit 9000
ip -n "$lab-1" link set p1 down
tc -n "$lab-1" qdisc add dev p1 root tbf rate 1gbit burst 4000 limit 100000
ip -n "$lab-1" link set p1 up
before=$(link_counter 1 p1 tx_dropped)
wait_for 30 refused $((before + 5)) && ! is_up && ! at 2 link show p2 | grep -q ' up'
result $? "a link that drops frames as long as flits does not come up"
tc -n "$lab-1" qdisc del dev p1 root
wait_for 30 is_up
result $? "but does when it carries them again"
ip -n "$lab-1" link set p1 mtu 9000
ip -n "$lab-2" link set p2 mtu 9000
wait_for 30 is_up
result $? "and when the MTU is as long as a flit"
whole_packet 9000
result $? "across which data goes"
"$FLITCAST" lab down name "$lab"

lab_up line:3 mtu 1500
at 2 site del 2
at 2 site add 2 topology line:3 integrity off flit 1400
at 2 link add p2 port 2
wait_for 30 says 'the peer uses another flit size'
result $? "ends with flits of 1500 and 1400 bytes say so"
at 2 link show p2 | grep -q 'the peer uses another flit size'
result $? "the other end, too"
! is_up
result $? "and are not up"
at 2 site del 2
# From here on the two devices carry no more than their MTU.
ip -n "$lab-2" link set p2 gso_max_size 1000
ip -n "$lab-1" link set p1 gso_max_size 1000
at 2 site add 2 topology line:3 integrity off flit 9000
at 2 link add p2 port 2 2>"$work/said"
[ $? -eq 1 ] && grep -q 'flit 9000 is above MTU 1500\|MTU of the device is below the flit size' "$work/said"
result $? "a device below the flit size is refused"
at 2 site del 2
at 2 site add 2 topology line:3 integrity off
at 2 link add p2 port 2
wait_for 30 is_up
result $? "with the same size they come up"
ip -n "$lab-1" link set p1 mtu 1499
wait_for 30 says 'MTU of the device is below the flit size'
result $? "the MTU of a link's device sinks below the flit size"
ip -n "$lab-1" link set p1 mtu 9000
wait_for 30 is_up
result $? "a larger one does no harm"
finish
