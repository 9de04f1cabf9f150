#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# flitcast socket show: what is bound, and what a blocked sender waits for.
#
#        site 0                    site 1                     site 2
#	port 1 (+x) fc0 ========= fc1 port 2, port 1 fc2 ==== fc3 port 2   ring:4
set -u

[ -n "${FC_UNSHARED:-}" ] || exec env FC_UNSHARED=1 unshare -n "$0" "$@"

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }
[ -x "$bin/pair" ] || skip_all "needs $bin/pair: make tests"

# shellcheck disable=SC2317,SC2046 # by the trap; a word for each job
cleanup()
{
	kill -CONT $(jobs -p)
	kill $(jobs -p)
	rm -rf "$work"
} 2>/dev/null
trap cleanup EXIT

# shellcheck disable=SC2317 # called by becomes
shows() { fc socket show site "$1" | grep -qE -- "$2"; }
# waits SITE REGEX NAME: soon it shows that
waits()
{
	becomes 30 shows "$1" "$2"
	status=$?
	fc socket show >"$work/out" 2>"$work/err"
	result $status "$3"
}

json "none without a site" 'j == []' fc -j socket show
for site in 0 1 2; do
	fc site add $site topology ring:4
done
ip link add fc0 type veth peer name fc1
ip link add fc2 type veth peer name fc3
for dev in fc0 fc1 fc2 fc3; do
	ip link set $dev up
done
fc link add fc0 port 1 site 0
fc link add fc1 port 2 site 1
fc link add fc2 port 1 site 1
fc link add fc3 port 2 site 2
# shellcheck disable=SC2317 # called by becomes
up() { [ "$(fc -j link show | grep -o '"state":"up"' | wc -l)" -eq 4 ]; }
becomes 30 up
result $? "links are up"
json "none without a socket" 'j == []' fc -j socket show
refuses "no such site" 2 'site is a number' fc socket show site x
refuses "no such port" 2 'port is a number from 1 to 65535' fc socket show port 65536
json "none at a site that is not" 'j == []' fc -j socket show site 3

"$flitcast" recv --site 1 --port 4200 --count 0 >/dev/null &
"$flitcast" recv --site 2 --count 0 >/dev/null &
reader=$!
"$flitcast" recv --site 2 --port 4200 --count 0 >/dev/null &
waits 1 '^site 1 port 4200 rdm ' "bound at site 1"
waits 2 '^site 2 port 4200 rdm ' "bound at site 2"
waits 2 '^site 2 port 4100 rdm tx 0/[0-9]+ rx 0/[0-9]+ pending 0 senders 0 inode [1-9][0-9]*$' \
	"idle"
inode=$(readlink "/proc/$reader/fd/"* 2>/dev/null | sed -n 's/^socket:\[\(.*\)\]$/\1/p')
json "in order of site and port" '[(s["site"], s["port"], s["type"], s["wait"], s["peer_site"],
	s["peer_port"]) for s in j] == [(1, 4200, "rdm", None, None, None),
	(2, 4100, "rdm", None, None, None), (2, 4200, "rdm", None, None, None)]' fc -j socket show
json "of a site" '[s["port"] for s in j] == [4100, 4200]' fc -j socket show site 2
json "of a port" '[s["site"] for s in j] == [1, 2]' fc -j socket show port 4200
json "of both, with counters" "[s['counters']['rx_messages'] for s in j] == [0] and
	j[0]['inode'] == ${inode:-0}" fc -j -s socket show site 2 port 4100

# Connected ones, and the one that listened.
"$bin/pair" 1 4300 0 >"$work/pair" 2>&1 &
pair=$!
becomes 20 grep -q ready "$work/pair"
json "a socket that listens" '[(s["type"], s["state"], s["peer_site"]) for s in j] ==
	[("seqpacket", "listens", None)]' fc -j socket show site 1 port 4300
json "its connection at the other end" '[(s["site"], s["type"], s["state"], s["peer_site"])
	for s in j] == [(0, "seqpacket", "connected", 1)]' fc -j socket show site 0
prints "and here" '^site 1 port [0-9]+ seqpacket connected peer 0:[0-9]+ ' fc socket show site 1
kill "$pair"
wait "$pair" 2>/dev/null

# When a reader stops, the sender fills the buffer of the reader, then its own, and waits.
kill -STOP "$reader"
head -c 20000000 /dev/zero | "$flitcast" send --site 0 --to 2,1:4200 --file - >"$work/sent" 2>&1 &
sender=$!
waits 0 '^site 0 port [0-9]+ rdm .* senders 1 ' "the sender waits"
waits 0 '^    waits for buffer target 2:4100 by port 1 dev fc0 since [0-9.]+ s message [0-9]+$' \
	"for buffer space at the reader that stopped, and by which link"
json "the send buffer is full" 'j[0]["tx_used"] * 2 > j[0]["tx_size"] and j[0]["pending"] > 0 and
	(j[0]["wait"]["for"], j[0]["wait"]["site"], j[0]["wait"]["port"],
	j[0]["wait"]["link_port"], j[0]["wait"]["dev"]) == ("buffer", 2, 4100, 1, "fc0") and
	j[0]["wait"]["seconds"] > 0' fc -j socket show site 0
json "and that of the reader" 'j[0]["rx_used"] * 2 > j[0]["rx_size"] and
	j[0]["counters"]["rx_no_space"] > 0' fc -s -j socket show site 2 port 4100
json "the other reader is idle" 'j[0]["rx_used"] == 0' fc -j socket show site 2 port 4200
# shellcheck disable=SC2317 # called by becomes
longer() { fc -j socket show site 0 | grep -qE '"seconds":([2-9]|[0-9]{2})'; }
becomes 30 longer
result $? "for longer and longer"
kill -CONT "$reader"
wait "$sender"
status=$?
cp "$work/sent" "$work/err"
result $status "the reader goes on, and the sender with it"
json "nobody waits" 'all(s["wait"] is None for s in j)' fc -j socket show

# A link that goes: first no answer, and no way in the end.
ip link set fc3 down
"$flitcast" send --site 0 --to 2 hello >"$work/sent" 2>&1 &
sender=$!
waits 0 '^    waits for (answer|route) target 2:4100 .* message 0$' "for a site that is gone"
ip link set fc3 up
wait "$sender"
status=$?
cp "$work/sent" "$work/err"
result $status "until it is back"

finish
