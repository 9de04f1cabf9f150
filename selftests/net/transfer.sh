#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flitcast send, recv and ping in a lab:
#
#	0 - 1 - 2
#	|   |   |
#	3 - 4 - 5      mesh:3x3
#	|   |   |
#	6 - 7 - 8
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

lab=transfer$$
receivers=()

# shellcheck disable=SC2317 # by the trap
cleanup()
{
	fc lab down name "$lab"
	rm -rf "$work"
}
trap cleanup EXIT

# receive SITE ARG...: in the background; its output in $work/SITE
receive()
{
	local site=$1

	shift
	at "$site" recv --timeout 60 "$@" >"$work/$site" 2>"$work/$site.err" &
	receivers+=("$!:$site")
	becomes 20 listening "$site" || echo "# no receiver at site $site"
}

# Waits for all receivers; false if one failed, and why in $work/err.
received()
{
	local receiver bad=0

	: >"$work/err"
	for receiver in "${receivers[@]}"; do
		wait "${receiver%:*}" || bad=1
		cat "$work/${receiver#*:}.err" >>"$work/err"
	done
	receivers=()
	return $bad
}

# arrives NAME FILE...: all receivers succeed, and these are like $work/file
arrives()
{
	local name=$1 file bad=0

	shift
	received || bad=1
	for file; do
		cmp "$work/file" "$work/$file" >>"$work/err" 2>&1 || bad=1
	done
	result $bad "$name"
}

refuses "send: no site here" 1 'no site here' fc send --to 1 hello
refuses "recv: no site here" 1 'no site here' fc recv
refuses "ping: no site here" 1 'no site here' fc ping 1
refuses "send: no target" 2 '{ --to .* | --broadcast } is missing' fc send hello
refuses "send: no text" 2 'is missing' fc send --to 1
refuses "send: target malformed" 2 'targets are SITE\[-LAST\]\[:PORT\]' fc send --to '1;2' hello
refuses "send: target twice" 2 'named twice' fc send --to 1,2,1 hello
refuses "send: target twice in a range" 2 'named twice' fc send --to 1-3,2 hello
refuses "send: a range backwards" 2 'the smaller number first' fc send --to 3-1 hello
refuses "send: too many targets" 2 'too many targets' fc send --to 0-4294967294 hello
fc help >/dev/full 2>"$work/err"
[ $? -eq 1 ] && grep -q 'cannot write: No space left' "$work/err"
result $? "help: a full disk"
refuses "send: port" 2 'from 1 to 65535' fc send --to 1:0 hello
refuses "recv: port" 2 'port is a number' fc recv --port 0
accepts "lab up" fc lab up mesh:3x3 name "$lab"

echo "hello, world" >"$work/file"
for site in 2 4 8; do
	receive $site --count 1
done
accepts "send: a text to three" at 0 send --to 2,4,8 hello, world
arrives "recv: the text" 2 4 8

for site in 0 1 2 3 5 6 7 8; do
	receive $site --count 1
done
accepts "send: a text to all" at 4 send --to all hello, world
arrives "recv: the text to all" 0 1 2 3 5 6 7 8

receive 8 --count 1 -j --port 77
accepts "send: to a port" at 0 send --to 8:77 'quoted "text"'
received
json "recv: JSON" 'j["site"] == 0 and j["length"] == 13 and j["text"] == "quoted \"text\"" and
	j["hops"] == 4' cat "$work/8"

receive 0 --count 1 -j
accepts "send: to oneself" at 0 send --to 0 self
received
json "recv: from oneself" 'j["site"] == 0 and j["text"] == "self"' cat "$work/0"

for size in 0 1 1048576 1500000; do
	head -c $size /dev/urandom >"$work/file"
	for site in 1 5 7; do
		receive $site --output "$work/$site.file"
	done
	accepts "send: a file of $size bytes" at 3 send --to 1,5,7 --file "$work/file"
	arrives "recv: the file of $size bytes" 1.file 5.file 7.file
done

head -c 3000000 /dev/urandom >"$work/file"
receive 5 --output "$work/5.file"
at 3 send --to 5 --file - <"$work/file" >"$work/out" 2>"$work/err"
result $? "send: from standard input"
arrives "recv: what came from standard input" 5.file
[ "$(find "$work" -name '5.file*' | wc -l)" -eq 1 ]
result $? "recv: leaves no draft behind"

receive 5 -j --count 1 --output "$work/5.file"
accepts "send: a file to a receiver with JSON" at 3 send --to 5 --file "$work/file"
received
json "recv: JSON of a file" 'j["file"] == "file" and j["length"] == 3000000' cat "$work/5"

refuses "send: nobody listens" 1 'site 1 port 99: connection refused: no receiver has this port' \
	at 0 send --to 1:99 hello
refuses "send: names who did not get it" 3 'send: site 1 port 99: connection refused' \
	at 0 send --to 8:7,1:99 hello
[ "$(cat "$work/out")" = 'site 8 port 7: delivered' ]
result $? "send: names who got it"
refuses "send: slow: malformed" 2 'is wait, skip:MS or detach:MS' at 0 send --to 1 --slow 5 hello
refuses "send: slow: time" 2 'time of a slow target is a number' \
	at 0 send --to 1 --slow skip:x hello
prints "send: confirm" '^site 8 port 7: delivered \(1 of 1 messages\)$' at 0 send --confirm --to 8:7 hello
run at 0 send -j --to 1:99,8:7 hello
[ "$status" -eq 3 ]
result $? "send: JSON: one was not delivered"
cp "$work/out" "$work/confirm"
json "send: JSON: which" '[(t["site"], t["port"], t["delivered"], t["failed"], t["error"])
	for t in j["targets"]] == [(1, 99, 0, 1, "ECONNREFUSED"), (8, 7, 1, 0, None)] and
	j["messages"] == 1 and j["bytes"] == 5' cat "$work/confirm"
head -c 3500000 /dev/urandom >"$work/file"
receive 5 --output "$work/5.file"
refuses "send: a file, and nobody at one of two" 3 'send: site 1 port 99: connection refused' \
	at 3 send --to 5,1:99 --file "$work/file"
arrives "recv: the other has it" 5.file
refuses "send: a file to nobody" 1 'site 1 port 99: connection refused: [a-z ]*$' \
	at 3 send --to 1:99 --file "$work/file"

# A reader that stops: it has no room for long, and is left out of what follows.
receive 5 --output "$work/5.file"
# Not by at(): the process that "lab exec" becomes is the one to stop.
"$flitcast" lab exec name "$lab" 1 "$flitcast" recv --count 0 >/dev/null 2>&1 &
stopped=$!
becomes 20 listening 1
kill -STOP "$stopped"
head -c 12000000 /dev/urandom >"$work/file"
refuses "send: slow: skipped" 3 'send: site 1: was slower than --slow allows after [0-9]+ of 1[12]' \
	at 3 send --to 5,1 --slow skip:3000 --file "$work/file"
arrives "recv: the others have it all" 5.file
kill -CONT "$stopped"
kill "$stopped"

# begins_file SITE ARG...: a sender at site 3 has sent the beginning of a file to a receiver
# there, and waits for more of it; $sender is its process
# shellcheck disable=SC2317 # by becomes
draft() { [ -n "$(find "$work" -name "$1.file.*" -size +3000k)" ]; }
begins_file()
{
	local site=$1

	shift
	receive "$site" --output "$work/$site.file"
	rm -f "$work/fifo"
	mkfifo "$work/fifo"
	"$flitcast" lab exec name "$lab" 3 "$flitcast" send --to "$site" --file "$work/fifo" \
		>"$work/out" 2>"$work/err" &
	sender=$!
	exec 9>"$work/fifo"
	head -c 4194304 /dev/zero >&9
	becomes 20 draft "$site"
}

# ends_badly NAME REGEX: the receiver fails, and says why
ends_badly()
{
	local bad=0

	received && bad=1
	grep -Eq "$2" "$work/err" || bad=1
	result $bad "$1"
}

rm -f "$work/5.file"
begins_file 5
kill -TERM "$sender"
wait "$sender"
[ $? -eq 1 ] && grep -q 'fifo: interrupted after [1-9]' "$work/err"
result $? "send: a file, and a signal"
exec 9>&-
ends_badly "recv: the sender was interrupted" 'site 3 gave up sending fifo after [1-9]'
[ -z "$(find "$work" -name '5.file*')" ]
result $? "recv: nothing is left of it"

head -c 300000 /dev/urandom >"$work/file"
begins_file 5
kill -KILL "$sender"
wait "$sender" 2>/dev/null
accepts "send: a file after one whose sender was killed" at 4 send --to 5 --file "$work/file"
exec 9>&-
arrives "recv: the second file" 5.file
grep -q 'dropped: fifo from site 3 stopped after .* its sender has gone' "$work/err"
result $? "recv: and a word of the first"

begins_file 5
refuses "recv: nobody is dropped who is only slow" 1 '.' at 5 recv --port 99 --timeout 7
kill -0 "${receivers[0]%:*}"
result $? "recv: it waits for a sender that is there"
kill -KILL "$sender"
wait "$sender" 2>/dev/null
exec 9>&-
ends_badly "recv: the sender was killed" 'fifo from site 3 stopped after .*: its sender has gone'

for site in 2 6; do
	receive $site --count 1 -j
done
accepts "send: a broadcast" at 4 send --broadcast hello all
received
json "recv: a broadcast" 'j["site"] == 4 and j["text"] == "hello all" and j["copies"] == 1 and
	j["votes"] == 1 and j["dissent"] == 0' cat "$work/2"
json "recv: a broadcast, elsewhere" 'j["site"] == 4' cat "$work/6"
prints "send: a broadcast: who has it" '^site 3 port 7: delivered \(1 of 1 messages\)$' \
	at 0 send --confirm --broadcast --port 7 hello
prints "send: a broadcast: how many have it" '^broadcast: delivered to 8 of 8 sites$' \
	at 0 send --broadcast --port 7 hello
prints "send: a broadcast: who has no socket" '^site 3 port 99: no receiver \(0 of 1 messages\)$' \
	at 0 send --confirm --broadcast --port 99 hello
refuses "send: more copies than there are paths" 1 'paths are known for 2 copies at most' \
	at 0 send --broadcast --copies 3 hello
refuses "send: a broadcast to some" 2 '--broadcast and --to exclude each other' at 0 send --broadcast --to 1 hello
refuses "send: copies to one" 2 'are for --broadcast' at 0 send --to 1 --copies 2 hello
refuses "recv: reception" 2 'first, all, majority, or a number' at 0 recv --reception 0
head -c 300000 /dev/urandom >"$work/file"
for site in 1 8; do
	receive $site --output "$work/$site.file"
done
accepts "send: a file by broadcast" at 0 send --broadcast --file "$work/file"
arrives "recv: a file by broadcast" 1.file 8.file

refuses "send: no such site in the network" 1 'no such site' at 0 send --to 9 hello
refuses "send: no such file" 1 'nowhere: No such file' at 0 send --to 1 --file nowhere
refuses "send: a directory" 1 'Is a directory' at 0 send --to 1 --file /
refuses "recv: nothing comes" 1 'no message came for 0.2 s' at 0 recv --timeout 0.2
receive 2 --port 99
refuses "recv: port in use" 1 'port 99: another socket has it' at 2 recv --port 99
kill "${receivers[0]%:*}"

prints "ping: text" '^rtt min/avg/max ' at 0 ping 8 -c 3 -i 0.05
json "ping: JSON" 'j["sent"] == 3 and j["received"] == 3 and j["loss_percent"] == 0 and
	len(j["answers"]) == 3 and j["answers"][0]["hops"] == 4 and
	0 < j["rtt_min_ms"] <= j["rtt_avg_ms"] <= j["rtt_max_ms"]' \
	at 0 ping 8 -c 3 -i 0.05 -j
json "ping: a large message" 'j["received"] == 2 and j["answers"][0]["bytes"] == 100000' \
	at 0 ping 8 -c 2 -i 0.05 -s 100000 -j
json "ping: oneself" 'j["received"] == 1' at 4 ping 4 -c 1 -j
refuses "ping: no such site in the network" 1 'no such site' at 0 ping 9 -c 1
refuses "ping: usage" 2 '-s is a number from 16' at 0 ping 8 -s 3

finish
