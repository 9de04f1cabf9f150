#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A grey link: while it is up it begins to lose every full frame, both ways, and carries all short
# ones, HELLOs and acknowledgments among them.  The link between 0 and 1 of torus:3x3.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

need_modules sch_ingress cls_matchall act_police act_gact

# link_counter SITE DEV NAME
link_counter()
{
	at "$1" -s link show "$2" | awk -v name="$3" '$1 == name { print $2 }'
}

# lose SITE DEV [ACTION...]: from now on full frames that come in by the device are lost, or meet
# the actions.
lose()
{
	local dev=$2 ns=$lab-$1

	shift 2
	tc -n "$ns" qdisc del dev "$dev" clsact 2>/dev/null
	tc -n "$ns" qdisc add dev "$dev" clsact || die "tc: clsact"
	tc -n "$ns" filter add dev "$dev" ingress matchall action police mtu 600 "${@:-drop}" ||
		die "tc: police"
}

# whole SITE DEV...
whole()
{
	local dev

	for dev in "${@:2}"; do
		tc -n "$lab-$1" qdisc del dev "$dev" clsact || die "tc: no clsact"
	done
}

# shellcheck disable=SC2317 # waited for
up() { at 0 link show p1 | grep -q 'state up' && at 1 link show p2 | grep -q 'state up'; }
# shellcheck disable=SC2317 # waited for
down() { ! up && { at 0 link show p1; at 1 link show p2; } | grep -q 'full frames to the peer are lost'; }

# Messages from every site to every other.
everywhere()
{
	"$bin/stress" --seed 7 --messages 400 --senders 8 --from 0,1,2,3,4,5,6,7,8 \
		--to 0,1,2,3,4,5,6,7,8 --targets 1-1 \
		--parts 0 --bytes 1-60000 --deadline 60 "$lab" 2>&1 | tr '\r' '\n' |
		tail -n 1 | sed 's/^/# /'
	return "${PIPESTATUS[0]}"
}

# Copies of a large message to 1, with a time-out of 3 s.  Prints how long the last of them took.
send_large()
{
	local i begun=$SECONDS pids=()

	for ((i = 0; i < $1; i++)); do
		at 0 send --confirm --timeout 3 --to 1:77 --file "$work/large" \
			>"$work/sent$i" 2>&1 & pids+=($!)
	done
	children+=("${pids[@]}")
	wait "${pids[@]}"
	echo "# $1 sends have ended after $((SECONDS - begun)) s: $(sort "$work"/sent* | tail -n 1)"
}

head -c 150000 /dev/zero >"$work/large"
lab_up torus:3x3
wait_for 20 up || die "the link does not come up"
at 1 recv --port 77 --count 1000 >/dev/null 2>&1 & children+=($!)

# Some full frames are lost: the link goes on.
lose 0 p1 conform-exceed pipe/pass action pass random netrand drop 5
lose 1 p2 conform-exceed pipe/pass action pass random netrand drop 5
everywhere
result $? "with one full frame in five lost every message comes"
[ "$(link_counter 0 p1 resets)" = 0 ] && [ "$(link_counter 0 p1 tx_resent)" -gt 0 ]
result $? "the link stays up, $(link_counter 0 p1 tx_resent) flits were sent again"

# All of them.
before=$(link_counter 0 p1 tx_resent)
lose 0 p1
lose 1 p2
everywhere
result $? "with all of them lost every message comes, by other links"
wait_for 10 down
result $? "the link is down: $( (at 0 link show p1; at 1 link show p2) | grep -o '(.*)' | xargs)"
again=$(($(link_counter 0 p1 tx_resent) - before))
# Tries of 64, 64, 32, 16, 8 and fewer flits in each channel that had some.
[ $again -lt 2000 ]
result $? "$again flits were sent again in vain"
lost=0
for site in 1 2 3 4 5 6 7 8; do
	at 0 ping $site -c 2 -i 0.02 -W 2 >/dev/null || lost=$((lost + 1))
done
[ $lost = 0 ]
result $? "0 reaches all others"
resets=$(link_counter 0 p1 resets)
down && [ "$(link_counter 0 p1 resets)" = "$resets" ]
result $? "it has not come up meanwhile, $resets resets"

# Whole again.
whole 0 p1
whole 1 p2
wait_for 40 up
result $? "when full frames come again it comes up"

# No other way: every link of 0.  With a long wait for acknowledgments they stay up meanwhile.
at 0 site set 0 poll 10s || die "site set"
for port in 1:p2 2:p1 3:p4 6:p3; do lose "${port%:*}" "${port#*:}"; done
begun=$SECONDS
send_large 8
[ $((SECONDS - begun)) -le 15 ] && ! grep -q 'delivered 1' "$work"/sent*
result $? "what cannot go anywhere is given up in time"
finish
