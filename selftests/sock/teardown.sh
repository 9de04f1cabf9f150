#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links, sites, namespaces and the module go away under traffic.
#
#   teardown.sh [ROUNDS]
#
#	site 0 ------ site 1 ------ site 2
#	p1        p2        p1        p2
#	4 senders     transit       and receivers at both ends
#
# What goes away comes back, and messages flow again; what arrives meanwhile
# is whole, in order and once (stress --lossy).  The kernel's log is judged by
# whoever runs this.
#
# shellcheck disable=SC2317 # functions are called by their names
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

rounds=${1:-20}
ko=${FLITCAST_KO:-$top/${FLITCAST_DEBUG:+build/debug/}flitcast.ko}
# Links come back after the handshake, messages after their time-outs.
patience=60

[ -f "$ko" ] || skip "there is no $ko to load again"
# The parameters it was loaded with.
params=()
for param in /sys/module/flitcast/parameters/*; do
	params+=("${param##*/}=$(cat "$param")")
done

# Those who send and receive without end; their number in $traffic.
start_traffic()
{
	"$bin/stress" --endless --lossy --senders 4 --from 0,2 --to 0,2 --targets 1-2 \
		--bytes 0-300000 --timeout 1000 --deadline 100000 "$lab" >"$work/traffic" 2>&1 &
	traffic=$!
	children=("$traffic")
}

# Ends it; it fails if something arrived that should not have.
stop_traffic()
{
	local status

	kill -TERM "$traffic" 2>/dev/null
	wait "$traffic"
	status=$?
	children=()
	[ $status -eq 0 ] || tail -n 30 "$work/traffic" | tr '\r' '\n' | sed 's/^/# /'
	return "$status"
}

kill_traffic()
{
	kill -KILL "$traffic"
	wait "$traffic" 2>/dev/null
	children=()
}

delivered_more() { [ "$(counter "$1" messages_delivered)" -gt "$2" ] 2>/dev/null; }

# Do messages flow in both directions?  Small numbers: a site that is new begins at 0.
flows()
{
	local end seen

	for end in 0 2; do
		seen=$(counter "$end" messages_delivered)
		wait_for "$patience" delivered_more "$end" "$((${seen:-0} + 5))" || {
			echo "# nothing more arrives at site $end (${seen:-no site})"
			tail -n 5 "$work/traffic" | tr '\r' '\n' | sed 's/^/# /'
			return 1
		}
	done
	kill -0 "$traffic"
}

no_device() { ! ip -n "$1" link show "$2" >/dev/null 2>&1; }

no_module() { ! grep -q '^flitcast ' /proc/modules; }

unload() { rmmod flitcast 2>"$work/rmmod" || no_module; }

load() { insmod "$ko" "${params[@]}"; }

# The sites of the lab answer each other.
answers()
{
	local pair

	for pair in "0 2" "2 1"; do
		# shellcheck disable=SC2086 # two words
		set -- $pair
		at "$1" ping "$2" -c 2 -i 0.05 >"$work/ping" 2>&1 && continue
		sed 's/^/# /' "$work/ping"
		return 1
	done
}

link_away()
{
	flows && at 1 link del p1 && at 1 link add p1 port 1 && flows
}

site_away()
{
	at 1 site del 1 && at 1 site add 1 topology line:3 integrity off &&
		at 1 link add p1 port 1 && at 1 link add p2 port 2 && flows
}

# The site whose sockets are open.
end_away()
{
	at 2 site del 2 && at 2 site add 2 topology line:3 integrity off && at 2 link add p2 port 2 && flows
}

device_away()
{
	ip -n "$lab-1" link set p1 down && ip -n "$lab-1" link set p1 up && flows
}

# Nothing but its name holds the namespace of the site between.
namespace_away()
{
	ip netns del "$lab-1" && wait_for "$patience" no_device "$lab-0" p1 &&
		kill -0 "$traffic"
}

busy()
{
	flows || return
	if rmmod flitcast 2>"$work/rmmod"; then
		echo "# rmmod removed a module with open sockets"
		return 1
	fi
	# and not for another reason
	grep -qi 'in use\|resource temporarily unavailable\|busy' "$work/rmmod" && flows
}

# The sockets are closed; the sites still send what they left.
rmmod_after_kill()
{
	flows || return
	kill_traffic
	wait_for 10 unload || { sed 's/^/# /' "$work/rmmod"; return 1; }
	no_module
}

# Namespaces without sites, and the module as new.
works_again()
{
	load && [ -z "$(at 0 site show 2>&1)" ] && "$FLITCAST" lab down name "$lab" &&
		lab_up line:3 && answers
}

# Malformed frames that site 1 has seen.
malformed() { at 1 -s link show | awk '$1 == "rx_malformed" { n += $2 } END { print n + 0 }'; }

blasting() { [ "$(malformed)" -gt "$1" ]; }

# Frames keep coming: the handler goes away under them.
rmmod_under_frames()
{
	local before status

	before=$(malformed)
	"$bin/framefuzz" --blast --count 100000000 "$lab" >"$work/blast" 2>&1 &
	children=($!)
	wait_for "$patience" blasting $((before + 20)) && wait_for 10 unload && no_module &&
		kill -0 "${children[0]}"
	status=$?
	[ "$status" -eq 0 ] || sed 's/^/# /' "$work/rmmod" "$work/blast"
	kill -KILL "${children[0]}"
	wait "${children[0]}" 2>/dev/null
	children=()
	return "$status"
}

# The namespaces are still being taken down when the module goes.
rmmod_after_down()
{
	start_traffic
	flows || return
	kill_traffic
	"$FLITCAST" lab down name "$lab" && wait_for 10 unload && no_module
}

for ((round = 1; round <= rounds; round++)); do
	no_module && load
	lab_up line:3
	start_traffic
	for step in link_away site_away end_away device_away namespace_away; do
		$step
		result $? "round $round: $step"
	done
	stop_traffic
	result $? "round $round: what arrived was right"
	"$FLITCAST" lab down name "$lab"
	lab_up line:3
	start_traffic
	for step in busy rmmod_after_kill works_again rmmod_under_frames works_again rmmod_after_down; do
		$step
		result $? "round $round: $step"
	done
	[ "$failures" -lt 10 ] || break
done
no_module && load
result $? "the module is back"
finish
