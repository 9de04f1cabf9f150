#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The longest time for which the module holds a lock, or keeps bottom halves off.
#
#   holds.sh INSTRUCTIONS SCRIPT [ARG...] [-- SCRIPT [ARG...]]...
#
# Runs the scripts, and fails where one fails, or a spinlock that the module took was held, or bottom
# halves were off from where it entered a site until it let them run again, for more than INSTRUCTIONS.
# It is for a guest in which an instruction is a nanosecond (vm/run -i).  The kernel's own probes
# measure at the functions that take and release locks, so the module is the one that is used; what
# the probes of this lock, and of those taken within, take themselves is counted, too: some 2,000
# instructions each.  Frames that are received run in a softirq of the kernel's, of which only what
# is under a lock is measured.
#
# Prints the longest ones, each by the functions of the module that led to it.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

tracing=/sys/kernel/tracing
longest=${1:-}
shift $(($# > 0))
if [[ ! $longest =~ ^[1-9][0-9]*$ ]] || [ $# -eq 0 ]; then
	die "usage: holds.sh INSTRUCTIONS SCRIPT [ARG...] [-- SCRIPT [ARG...]]..."
fi
[ -n "${FLITCAST_VM:-}" ] || skip "only in a guest: it sets probes"
mountpoint -q $tracing || mount -t tracefs tracefs $tracing || skip "no tracefs here"
for file in kprobe_events synthetic_events; do
	[ -w $tracing/$file ] || skip "this kernel has no $file"
done

probe() { echo "p:flitcast/$1" >>$tracing/kprobe_events || die "no probe $1"; }

# trigger EVENT TEXT
trigger()
{
	echo "hist:$2" >"$tracing/events/$1/trigger" ||
		die "no trigger for $1: $(tail -n 3 $tracing/error_log)"
}

set_probes()
{
	local kind size start here

	read -r size start < <(awk '$1 == "flitcast" { print $2, $6 }' /proc/modules)
	here="if caller >= $start && caller < $(printf '0x%x' $((start + size)))"
	# shellcheck disable=SC2016 # the kernel's variables
	for kind in lock lock_bh; do
		probe "take _raw_spin_$kind lock=%di:u64 caller=\$stack0:u64"
		probe "release _raw_spin_un$kind lock=%di:u64 caller=\$stack0:u64"
	done
	probe "off flitcast_engine_enter"
	probe "on __local_bh_enable_ip caller=\$stack0:u64"
	echo 'hold u64 ns' >$tracing/synthetic_events || die "no synthetic event"
	trigger flitcast/take "keys=lock:taken=common_timestamp:size=65536 $here"
	trigger flitcast/release "keys=lock:ns=common_timestamp-\$taken:onmatch(flitcast.take).hold(\$ns):size=65536 $here"
	trigger flitcast/off "keys=common_pid:off=common_timestamp:size=16384"
	trigger flitcast/on "keys=common_pid:ms=common_timestamp-\$off:onmatch(flitcast.off).hold(\$ms):size=16384 $here"
	# Shorter ones are left out, so that there are few.
	trigger synthetic/hold "keys=stacktrace:most=ns:onmax(\$most).save(ns):size=16384 if ns > $((longest / 20))"
}

# Lines "NS CALLEE < CALLER < ...", the longest first.
report()
{
	awk '
	/stacktrace:/ { chain = "" }
	/\[flitcast\]/ { sub(/\+.*/, "", $1); chain = chain (chain == "" ? "" : " < ") $1 }
	/max:/ && $2 > most[chain] { most[chain] = $2 }
	END { for (chain in most) print most[chain], chain }
	' $tracing/events/synthetic/hold/hist | sort -rn
}

# Every hold has been seen: none is missing for want of room.
complete()
{
	local event

	for event in flitcast/take flitcast/release flitcast/off flitcast/on synthetic/hold; do
		[ "$(awk '/Dropped:/ { n += $2 } END { print n + 0 }' \
		     "$tracing/events/$event/hist")" = 0 ] || return
	done
	[ "$(awk '/Hits:/ { print $2 }' $tracing/events/flitcast/take/hist)" -gt 100 ]
}

# Runs one script, its words up to the next "--".
run_one()
{
	"$(dirname "$0")/$1" "${@:2}" >"$work/output" 2>&1
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$work/output"
	result $status "$*"
}

set_probes
words=()
for word in "$@" --; do
	if [ "$word" != -- ]; then
		words+=("$word")
		continue
	fi
	run_one "${words[@]}"
	words=()
done
report >"$work/report"
sed 's/^/# /' "$work/report" | head -n 20
complete
result $? "every hold was seen"
read -r most chain <"$work/report" || most=0
[ "$most" -gt 0 ] && [ "$most" -le "$longest" ]
result $? "$most instructions at most: $chain"
finish
