#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The longest time for which the module keeps bottom halves off, and so any of its locks.
#
#   holds.sh INSTRUCTIONS SCRIPT [ARG...] [+ SCRIPT [ARG...]] [-- SCRIPT [ARG...]...]...
#
# Runs the scripts, the one after "+" beside the other, again and again until that one ends.  Fails where
# one fails, or one of these took more than INSTRUCTIONS: bottom halves off, from where the module has
# entered a site or taken a lock until it lets them run again; a frame that is received, in a softirq of
# the kernel's, until the site is unlocked.  It is for a guest in which an instruction is a nanosecond
# (vm/run -i).  The kernel's own probes measure, so the module is the one that is used; what the probes
# take themselves is counted, too: some 1,000 instructions each, for a frame that is transmitted several.
#
# Prints the longest ones, each by the functions of the module that led to it.
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

tracing=/sys/kernel/tracing
longest=${1:-}
shift $(($# > 0))
if [[ ! $longest =~ ^[1-9][0-9]*$ ]] || [ $# -eq 0 ]; then
	die "usage: holds.sh INSTRUCTIONS SCRIPT [ARG...] [+ SCRIPT [ARG...]] [-- SCRIPT [ARG...]...]..."
fi
[ -n "${FLITCAST_VM:-}" ] || skip "only in a guest: it sets probes"
mountpoint -q $tracing || mount -t tracefs tracefs $tracing || skip "no tracefs here"
for file in kprobe_events synthetic_events; do
	[ -w $tracing/$file ] || skip "this kernel has no $file"
done

probe() { echo "$1" >>$tracing/kprobe_events || die "no probe $1"; }

# trigger EVENT TEXT
trigger()
{
	echo "hist:$2" >"$tracing/events/$1/trigger" ||
		die "no trigger for $1: $(tail -n 3 $tracing/error_log)"
}

# pair KEY BEGIN END... [FILTER]: the time from BEGIN to the first END that follows it with the same key;
# the filter is of the ends, but of BEGIN if that is a lock, which the kernel may release for the module.
# A begin without an end would pair with a later one: no load may run before the probes are set.
pair()
{
	local key=$1 begin=$2 filter="" begins="" end

	shift 2
	[[ ${!#} != if* ]] || { filter=${!#}; set -- "${@:1:$# - 1}"; }
	[ "$begin" != lock ] || { begins=$filter; filter=""; }
	trigger "flitcast/$begin" "keys=$key:$begin=common_timestamp:size=65536 $begins"
	for end; do
		trigger "flitcast/$end" "keys=$key:$end=common_timestamp-\$$begin:onmatch(flitcast.$begin).hold(\$$end):size=65536 $filter"
	done
}

set_probes()
{
	local size start here

	read -r size start < <(awk '$1 == "flitcast" { print $2, $6 }' /proc/modules)
	here="if caller >= $start && caller < $(printf '0x%x' $((start + size)))"
	echo 'hold u64 ns' >$tracing/synthetic_events || die "no synthetic event"
	# shellcheck disable=SC2016 # the kernel's variables
	{
		# When they return: before, softirqs may run for long, even on top of a probe, and then
		# their own probes are not hit.
		probe 'r:flitcast/enter flitcast_enter'
		probe 'p:flitcast/leave __local_bh_enable_ip caller=$stack0:u64'
		probe 'r:flitcast/lock _raw_spin_lock_bh lock=%di:u64'
		probe 'p:flitcast/unlock _raw_spin_unlock_bh lock=%di:u64'
		probe 'p:flitcast/frame flitcast:frame_in'
		probe 'p:flitcast/transmit flitcast_link_drain'
		probe 'r:flitcast/received flitcast:frame_in'
	}
	pair common_pid enter leave "$here"
	pair lock lock unlock "${here//caller/__probe_ret_ip}"
	pair common_pid frame transmit received
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

	for event in flitcast/{enter,leave,lock,unlock,frame,transmit,received} synthetic/hold; do
		[ "$(awk '/Dropped:/ { n += $2 } END { print n + 0 }' \
		     "$tracing/events/$event/hist")" = 0 ] || return
	done
	[ "$(awk '/Hits:/ { print $2 }' $tracing/events/flitcast/enter/hist)" -gt 100 ]
}

# Runs one script, and lets it finish.
script() { "$(dirname "$0")/$1" "${@:2}"; }

# Runs a script until $work/ended is there, which it may not fail before.
repeat()
{
	until [ -e "$work/ended" ]; do
		script "$@" >"$work/beside" 2>&1 || return
	done
}

# Runs one script, its words up to the next "--", and that after "+" beside it.
run_one()
{
	local beside=() words=() status other

	while [ $# -gt 0 ] && [ "$1" != + ]; do
		words+=("$1")
		shift
	done
	beside=("${@:2}")
	rm -f "$work/ended"
	if [ ${#beside[@]} -gt 0 ]; then
		repeat "${beside[@]}" &
		other=$!
	fi
	script "${words[@]}" >"$work/output" 2>&1
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$work/output"
	result $status "${words[*]}"
	[ ${#beside[@]} -gt 0 ] || return
	touch "$work/ended"
	wait "$other"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$work/beside"
	result $status "beside it: ${beside[*]}"
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
