#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A user's first hour: the mistakes that are made then, and whether the messages say what is
# wrong and what to do.  The module is not loaded when this starts.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
export PATH=$top/build/bin:$PATH

# Before the library of these tests, which needs the module: what is said without it.
early=$(mktemp -d)
for object in "site show" "send --to 1 hello" recv "ping 1" "lab up ring:3"; do
	# shellcheck disable=SC2086 # a word for each
	flitcast $object >"$early/${object%% *}" 2>&1
	echo "status $?" >>"$early/${object%% *}"
done
ko=${FLITCAST_MODULES:-$top}/flitcast.ko
modinfo -F depends "$ko" | tr , '\n' | xargs -r modprobe -a
insmod "$ko" || exit

# shellcheck source=./selftests/net/lib.sh
. "$here/lib.sh"
lab=newcomer

# shellcheck disable=SC2317 # by the trap
cleanup()
{
	# shellcheck disable=SC2046 # process numbers
	kill $(jobs -p) 2>/dev/null
	fc lab down name "$lab"
	rm -rf "$work" "$early"
}
trap cleanup EXIT

for object in site send recv ping lab; do
	run cat "$early/$object"
	grep -q 'the module flitcast is not loaded: modprobe flitcast' "$work/out" &&
		grep -q '^status 1$' "$work/out"
	result $? "$object: says that the module is not loaded"
done

# Help, for every object and command that the tool lists.
objects=$(fc help | awk '/^  [a-z]/ && $1 != "help" && $1 != "completion" { print $1 }')
[ "$(wc -w <<<"$objects")" -ge 13 ]
result $? "help: lists the objects"
for object in $objects; do
	bad=0
	for word in help -h --help; do
		run fc "$object" $word
		if [ "$status" -ne 0 ] || [ -s "$work/err" ] ||
		   ! matches "$work/out" "^Usage: flitcast $object"; then
			bad=1
		fi
	done
	result $bad "$object: help, -h, --help"
	cp "$work/out" "$work/usage"
	run fc help "$object"
	[ "$status" -eq 0 ] && cmp -s "$work/out" "$work/usage"
	result $? "help $object: the same"
	commands=$(awk -v object="$object" \
		'$1 == "Usage:" { $1 = ""; $0 = $0 } $2 == object && $3 ~ /^[a-z]+$/ { print $3 }' \
		"$work/usage" | sort -u)
	for command in $commands; do
		prints "$object $command: --help" "^Usage: flitcast $object $command" \
			fc "$object" "$command" --help
	done
done
refuses "help: no such object" 2 'unknown command "lnik"' fc help lnik
refuses "usage: names the help" 2 '^Try: flitcast send --help$' fc send

# Topologies and settings.
for spec in foo:4x4 torus4x4; do
	run fc lab up $spec name "$lab"
	bad=$((status != 1))
	for kind in line:5 ring:8 mesh:4x4 torus:4x4 torus:3^3 hypercube:4 hexmesh:3 graph:FILE; do
		grep -qF " $kind" "$work/err" || bad=1
	done
	result $bad "lab up $spec: the kinds, with an example each"
done
refuses "site add: the kinds, from the kernel" 1 'hypercube:4' fc site add 0 topology foo:4x4
refuses "site add: flit" 1 'site add 0: flit 100 is out of range: 256 to 65535' \
	fc site add 0 topology ring:3 flit 100
refuses "site add: window" 1 'site add 0: window 65 is out of range: 1 to 64' \
	fc site add 0 topology ring:3 window 65
refuses "site set: a time" 1 'site set 0: seek 2000000us is out of range: 10us to 1000000us' \
	fc site set 0 seek 2s

# A network that is too large is refused before anything is made.
refuses "lab up: too large" 1 'torus:40x40 has 1600 sites, and a network has at most 1024' \
	fc lab up torus:40x40 name "$lab"
[ -z "$(find /run/netns -name "$lab-*" 2>/dev/null)" ]
result $? "lab up: too large: leaves nothing"

# shellcheck disable=SC2317 # called by becomes
begun() { [ -n "$(find /run/netns -name "$lab-*" 2>/dev/null)" ]; }
nothing_left()
{
	[ -z "$(find /run/netns -name "$lab-*" 2>/dev/null)" ] && [ ! -e "/run/flitcast/lab/$lab" ]
}

for signal in TERM INT; do
	# In the background the shell has SIGINT ignored, and the tool keeps to that.
	(trap - INT; exec "$flitcast" lab up mesh:8x8 name "$lab") >"$work/up" 2>&1 &
	becomes 20 begun
	kill -$signal $!
	wait $!
	status=$?
	cp "$work/up" "$work/err"
	[ "$status" -eq 1 ] && grep -q 'lab up: interrupted' "$work/err" && nothing_left
	result $? "lab up: SIG$signal: leaves nothing"
done

# nohup: a signal that the caller ignores stays ignored.
(trap '' HUP; exec "$flitcast" lab up mesh:8x8 name "$lab") >"$work/up" 2>&1 &
becomes 20 begun
kill -HUP $!
wait $!
result $? "lab up: ignores SIGHUP where its caller does"
fc lab down name "$lab"

# Links that do not come up.
fc site add 0 topology ring:4
fc site add 2 topology ring:4
ip link add fc0 type veth peer name fc2
ip link set fc2 up
accepts "link add" fc link add fc0 port 1 site 0
accepts "link add: elsewhere" fc link add fc2 port 1 site 2
prints "link show: the device is down" 'dev fc0 .* state down \(the device is down\) expected 1 port 2$' fc link show fc0
prints "link show: the peer's device is down" 'dev fc2 .* state down \(no carrier\) expected 3 port 2$' fc link show fc2
ip link set fc0 up
becomes 20 eval 'fc link show fc0 | grep -q cabled'
prints "link show: a wrong neighbour" \
	'state init \(cabled to site 2 port 1, expected site 1 port 2\)' fc link show fc0
ip link del fc0
fc site del 0
fc site del 2

# A first transfer, as README has it: receivers in the background, at once a sender that waits.
accepts "lab up" fc lab up torus:4x4 name "$lab"
head -c 3000000 /dev/urandom >"$work/image"
receivers=()
for site in 5 10; do
	at $site recv --output "$work/$site.file" >"$work/$site" 2>&1 &
	receivers+=($!)
done
run at 0 send --wait 60 --to 5,10 --file "$work/image"
[ "$status" -eq 0 ] && [ "$(cat "$work/out")" = "site 5: delivered
site 10: delivered" ]
result $? "send --wait: receivers that are not there yet"
wait "${receivers[@]}"
cmp "$work/image" "$work/5.file" && cmp "$work/image" "$work/10.file"
result $? "send --wait: each has the file"
grep -q '5.file: image from site 0, 3000000 bytes' "$work/5"
result $? "recv: says what came"

# The sender first, and receivers one after the other.
at 0 send --wait 60 --to 5,10,15 --file "$work/image" >"$work/sent" 2>&1 &
sender=$!
receivers=()
for site in 15 5 10; do
	kill -0 $sender || break
	at $site recv --output "$work/$site.file" >"$work/$site" 2>&1 &
	receivers+=($!)
	becomes 60 listening $site
done
wait $sender
status=$?
cp "$work/sent" "$work/err"
wait "${receivers[@]}"
[ $status -eq 0 ] && cmp "$work/image" "$work/15.file"
result $? "send --wait: before its receivers"
receivers=()
for site in 5 10; do
	at $site recv --count 1 >"$work/$site" &
	receivers+=($!)
done
run at 0 send --wait 60 --to 5,10 hello
wait "${receivers[@]}"
[ "$status" -eq 0 ] && [ "$(cat "$work/5" "$work/10")" = "hello
hello" ]
result $? "send --wait: a text comes once"

# A signal while one receiver is missing: the other one is told at once.
at 5 recv --output "$work/5.file" >"$work/5" 2>&1 &
receiver=$!
becomes 20 listening 5
"$flitcast" lab exec name "$lab" 0 "$flitcast" send --wait 60 --to 5,10 --file "$work/image" \
	>"$work/out" 2>"$work/err" &
sender=$!
# shellcheck disable=SC2317 # called by becomes
receiving() { find "$work" -name '5.file.*' -size +0 | grep -q .; }
becomes 30 receiving
kill -TERM $sender
wait $sender
[ $? -eq 1 ] && grep -q 'interrupted after 0 bytes' "$work/err"
result $? "send --wait: interrupted"
wait $receiver
[ $? -eq 1 ] && grep -q 'site 0 gave up sending image' "$work/5"
result $? "send --wait: interrupted: a receiver is told"
refuses "send --wait: in vain" 1 'send: site 5: connection refused: no receiver has this port' \
	at 0 send --wait 0.5 --to 5 hello
refuses "send --wait: not of a broadcast" 2 '--wait is for --to' at 0 send --broadcast --wait 1 hello

at 5 recv --output "$work/5.file" >"$work/5" 2>&1 &
receiver=$!
becomes 20 listening 5
run at 0 send --to 5,10 --file "$work/image"
wait $receiver
[ "$status" -eq 3 ] && [ "$(cat "$work/out")" = 'site 5: delivered' ] &&
	grep -q '^flitcast: send: site 10: connection refused' "$work/err" &&
	cmp "$work/image" "$work/5.file"
result $? "send: to two, of which one is absent: says so, and exits with 3"
json "send: JSON" 'j["bytes"] == 5 and [t["site"] for t in j["targets"]] == [5] and
	j["targets"][0]["error"] is None' at 0 -j send --to 5:7 hello

# Progress on a terminal: bytes, rate, and the target that is waited for.
if command -v script >/dev/null; then
	at 5 recv --output "$work/5.file" >"$work/5" 2>&1 &
	receiver=$!
	becomes 20 listening 5
	TERM=xterm script -qec "$flitcast lab exec name $lab 0 $flitcast send --broadcast --file $work/image" \
		/dev/null >"$work/terminal" 2>&1 </dev/null
	wait $receiver
	cp "$work/terminal" "$work/out"
	grep -q 'of 2.9 MiB' "$work/out" && ! grep -q 'targets failed' "$work/out"
	result $? "send --broadcast: progress tells of no failure"
	"$flitcast" lab exec name "$lab" 5 "$flitcast" recv --count 0 >/dev/null 2>&1 &
	stopped=$!
	becomes 20 listening 5
	kill -STOP $stopped
	head -c 8000000 /dev/urandom >"$work/large"
	TERM=xterm script -qec "$flitcast lab exec name $lab 0 $flitcast send --to 5 --file $work/large" \
		/dev/null >"$work/terminal" 2>&1 </dev/null &
	sender=$!
	becomes 60 grep -qE 'MiB of 7.6 MiB \([0-9]+ %\), [0-9.]+ [KM]?i?B/s, waits for site 5' \
		"$work/terminal"
	result $? "send: progress on a terminal"
	kill -CONT $stopped
	wait $sender
	kill $stopped
fi

# Drawings.
prints "trace --svg: a list" '<title>site 15: target</title>' \
	fc trace 5,10,15 topology torus:4x4 from 0 --svg
prints "trace --svg: its links" ': packet 1, targets [12]<' \
	fc trace 5,10,15 topology torus:4x4 from 0 --svg
prints "trace --dot: a list" 'tooltip="site 15: target"' \
	fc trace 5,10,15 topology torus:4x4 from 0 --dot
accepts "lab kill" fc lab kill name "$lab" 5
prints "lab graph: a dead site is drawn dead" '<title>site 5: dead</title>' fc lab graph name "$lab"
[ "$(grep -o ': dead</title>' "$work/out" | wc -l)" -eq 1 ]
result $? "lab graph: and no other one"

finish
