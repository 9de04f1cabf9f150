#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What only passes a site goes from link to link in one go, and does what any frame does: it
# gets a checksum where the next link has them, and shows that the peer lives.
#
#	0 --- 1 --- 2 --- 3
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

need_modules sch_netem sch_ingress cls_u32 act_gact

# link_counter SITE DEV NAME
link_counter()
{
	at "$1" -s link show "$2" | awk -v name="$3" '$1 == name { print $2 }'
}

# Frames change on the way between 1 and 2, whose link alone has checksums.
lab_up line:4
at 1 link set p1 crc on || die "link set"
wait_for 20 at 0 ping 3 -c 1 -W 1 >/dev/null 2>&1 || die "no route"
for end in 1:p1 2:p2; do
	tc -n "$lab-${end%:*}" qdisc replace dev "${end#*:}" root netem limit 10000 corrupt 2% ||
		die "tc: netem"
done
"$bin/stress" --seed 1 --messages 1000 --senders 8 --from 0,3 --to 0,3 --targets 1-1 --parts 0 \
	--bytes 1-1000 --deadline 120 "$lab" 2>&1 | tr '\r' '\n' | tail -n 1 | sed 's/^/# /'
result "${PIPESTATUS[0]}" "messages pass a link that changes them, and come whole"
dropped=$(link_counter 2 p2 rx_checksum)
[ "${dropped:-0}" -gt 0 ]
result $? "${dropped:-0} frames that were changed did not"
"$FLITCAST" lab down name "$lab"

# 1 gets nothing of 0 but flits: what it passes on is all that it hears.
lab_up line:3
wait_for 20 at 0 ping 2 -c 1 -W 1 >/dev/null 2>&1 || die "no route"
tc -n "$lab-0" qdisc add dev p1 clsact || die "tc: clsact"
tc -n "$lab-0" filter add dev p1 egress prio 1 protocol all u32 match u8 2 0xff at 1 action ok ||
	die "tc: flits"
tc -n "$lab-0" filter add dev p1 egress prio 2 protocol all u32 match u8 0 0 at 1 action drop ||
	die "tc: all others"
before=$(link_counter 1 p2 rx_hello)
at 2 recv --port 77 --count 100000 >"$work/got" 2>&1 & children=($!)
wait_for 20 at 0 send --confirm --to 2:77 first >/dev/null 2>&1 || die "nobody receives"
sent=1
until=$((SECONDS + 9))
while [ $SECONDS -lt $until ]; do
	at 0 send --to 2:77 another || die "send"
	sent=$((sent + 1))
done
# shellcheck disable=SC2317 # waited for
all() { [ "$(grep -c . "$work/got")" -ge "$sent" ]; }
wait_for 20 all
result $? "$sent messages pass for longer than a silent link lives"
heard=$(link_counter 1 p2 rx_hello)
[ "$heard" = "$before" ] && [ "$(link_counter 1 p2 resets)" = 0 ]
result $? "$((heard - before)) HELLOs came, and the link is up all the same"
finish
