#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TCP over the network devices of sites: 15 senders share one receiver, a site that other streams
# pass sends, too, and a stream goes on while links of its path go down and up, and while sites that
# it passes die and return.  Frames to all sites pass beside streams over every link of their source.
#
#   streams.sh [SECONDS]	how long the last one takes
# shellcheck disable=SC2317 # functions are called through the helpers
set -u

# shellcheck source=./selftests/net/lib.sh
. "$(dirname "$0")/lib.sh"

seconds=${1:-20}
lab=streams$$

[ -x /usr/bin/python3 ] || skip_all "needs python3"

cleanup()
{
	# shellcheck disable=SC2046 # a word for each job
	kill $(jobs -p) 2>/dev/null
	fc lab down name "$lab"
	rm -rf "$work"
}
trap cleanup EXIT

# Processes that enter the namespaces of sites:
#
#   share SECONDS SITE...	the sites send to site 0, each by a process of its own to one of its
#			own; prints the bytes that each has brought in that time, then their sum
#			and Jain's index
#   stream SECONDS	from site 0 to site 10; prints the bytes, the longest time between two pieces
#			and when it was, and whether the data is the same
#   flood SECONDS SITE TARGET...	the site sends to these as fast as it can, as a user; 65535: to all
#   watch		for each line of input: prints the port of site 0 with most traffic, and of the
#			sites but 0 and 10 the one with most
program='
import ctypes, os, random, socket, struct, sys, time, zlib
lab, what = sys.argv[1:3]
libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
PIECE = 1 << 16

def enter(site):
    with open(f"/var/run/netns/{lab}-{site}") as ns:
        if libc.setns(ns.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")

def listen(site):
    enter(site)
    return socket.create_server((f"10.254.0.{site}", 7000), backlog=64)

def connect(site, to):
    enter(site)
    return socket.create_connection((f"10.254.0.{to}", 7000), timeout=60)

# Run in a process of its own; its result is to be read from the file.
def fork(function, *arguments):
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        return os.fdopen(reader)
    status = 1
    try:
        os.write(writer, f"{function(*arguments)}\n".encode())
        status = 0
    except Exception as wrong:
        print(f"{function.__name__}{arguments}: {wrong!r}", file=sys.stderr, flush=True)
    os._exit(status)

def share_send(site, start, end):
    with connect(site, 0) as s:
        s.sendall(bytes([site]))
        # All others connect meanwhile.
        time.sleep(max(start - 2 - time.monotonic(), 0))
        try:
            while time.monotonic() < end + 5:
                s.sendall(bytes(PIECE))
        except OSError:  # the receiver has what it wants
            return time.monotonic() >= end
    return True

def share_receive(s, start, end):
    piece, n = bytearray(1 << 18), 0
    while True:
        s.settimeout(max(end - time.monotonic(), 0.001))
        try:
            got = s.recv_into(piece)
        except TimeoutError:
            return n
        now = time.monotonic()
        if not got or now >= end:
            return n if got else "the sender has ended"
        if now >= start:
            n += got

def share(seconds, *sites):
    server = listen(0)
    # All are connected and have found their rates when the count begins.
    start = time.monotonic() + 3 + len(sites) / 3
    end = start + seconds
    senders = [fork(share_send, site, start, end) for site in map(int, sites)]
    receivers = {}
    for sender in senders:
        s, _ = server.accept()
        site = s.recv(1)[0]
        receivers[site] = fork(share_receive, s, start, end)
        s.close()
    late = time.monotonic() - start
    rates = {site: int(receivers[site].readline()) for site in sorted(receivers)}
    print(*(f"{site}:{n}" for site, n in rates.items()))
    values = list(rates.values())
    total, squares = sum(values), sum(n * n for n in values)
    jain = total * total / (len(values) * max(squares, 1))
    least = min(values) / max(max(values), 1)
    print(f"sum {total / seconds / 1e6:.1f} MB/s, least {least:.2f} of most,",
          f"connected {-late:.1f} s before the count")
    print(f"jain {jain:.3f}")

# The data does not repeat at the length of a packet or piece.
def stream_send(seconds):
    noise, check, n = random.Random(1).randbytes(PIECE + 4099), 0, 0
    with connect(0, 10) as s:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            piece = struct.pack(">Q", n) + noise[n % 4099:][:PIECE - 8]
            s.sendall(piece)
            check, n = zlib.crc32(piece, check), n + len(piece)
        s.shutdown(socket.SHUT_WR)
        s.settimeout(60)
        if s.recv(1) != b"!":
            raise OSError("no answer to the end")
    return f"{n} {check}"

def stream(seconds):
    server = listen(10)
    sender = fork(stream_send, seconds)
    s, _ = server.accept()
    s.settimeout(60)
    start = last = time.monotonic()
    piece, n, check, gaps, longest = bytearray(1 << 18), 0, 0, [], 0
    view = memoryview(piece)
    while got := s.recv_into(piece):
        now = time.monotonic()
        longest = max(longest, now - last)
        if now - last > 0.2:
            gaps.append((now - last, last - start))
        check, n, last = zlib.crc32(view[:got], check), n + got, now
    s.sendall(b"!")
    for gap, when in gaps:
        print(f"gap {gap * 1000:.0f} ms at {when:.1f} s")
    rate = n / (last - start) / 1e6
    print(f"{n} bytes, {rate:.1f} MB/s, longest gap {longest * 1000:.0f} ms")
    sent = sender.readline().strip()
    if sent != f"{n} {check}":
        sys.exit(f"sent {sent}, received {n} {check}")

def flood_send(site, target, end):
    enter(site)
    os.setuid(1000)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        while time.monotonic() < end:
            s.sendto(bytes(60000), (f"10.254.{target >> 8}.{target & 255}", 9))

def flood(seconds, site, *targets):
    end = time.monotonic() + seconds
    for sender in [fork(flood_send, int(site), int(target), end) for target in targets]:
        sender.read()

def traffic(site):
    enter(site)
    sent = {}
    for line in open("/proc/thread-self/net/dev"):
        name, _, values = line.strip().partition(":")
        if name[0] == "p":
            sent[name] = int(values.split()[8])
    return sent

def watch():
    for line in sys.stdin:
        before = [traffic(site) for site in range(16)]
        time.sleep(0.3)
        after = [traffic(site) for site in range(16)]
        more = [{p: after[site][p] - before[site].get(p, 0) for p in after[site]}
                for site in range(16)]
        others = [site for site in range(16) if site not in (0, 10)]
        print(max(more[0], key=more[0].get), max(others, key=lambda site: sum(more[site].values())),
              flush=True)

{"share": share, "stream": stream, "flood": flood, "watch": watch}[what](*map(float, sys.argv[3:]))
'
python() { timeout $((seconds + 100)) /usr/bin/python3 -c "$program" "$lab" "$@"; }

# Sets $port, the port of site 0 that most of the stream passes, and $middle, a site that it passes.
path()
{
	echo >&"${watcher[1]}"
	read -r port middle <&"${watcher[0]}"
}

streaming() { kill -0 "$streamer" 2>/dev/null; }

# Until the stream ends: its first link goes down and up, then a site that it passes.
disturb()
{
	links=0 deaths=0
	while [ $((SECONDS - began)) -lt $((seconds - 4)) ] && streaming; do
		path
		ip -n "$lab-0" link set "$port" down || return
		links=$((links + 1)) # it is down for a while
		sleep 0.5
		ip -n "$lab-0" link set "$port" up || return
		path
		fc lab kill name "$lab" "$middle" || return
		deaths=$((deaths + 1))
		sleep 0.5
		fc lab revive name "$lab" "$middle" || return
		echo "# $((SECONDS - began)) s: link $port of site 0, site $middle" >>"$work/disturbed"
	done
	[ "$links" -gt 0 ] && [ "$deaths" -gt 0 ]
}

# share SECONDS SITE...
share()
{
	run python share "$@"
	[ "$status" -eq 0 ] && [ "$(head -n 1 "$work/out" | wc -w)" -eq $(($# - 1)) ]
}

# jain NAME: prints what share has found
jain() { sed "s/^jain/Jain's index/; s/^/# $1: /" "$work/out"; }

# carried SITE PORT...: packets that these links of a site have carried, the fewest
carried()
{
	local port

	for port in "${@:2}"; do
		on "$1" cat "/sys/class/net/$port/statistics/tx_packets"
	done | sort -n | head -n 1
}
# more_carried N SITE PORT...
more_carried() { [ "$(carried "${@:2}")" -gt $((idle + $1)) ]; }

# flood SITE TARGET...
flood()
{
	# Not by python(): it ends when it is killed.
	timeout 60 /usr/bin/python3 -c "$program" "$lab" flood 60 "$@" 2>/dev/null &
	flood=$!
}

end_flood()
{
	kill $flood
	wait $flood 2>/dev/null
}

# Each time, site 0 asks all others for the address of site 10.
requests()
{
	local _

	for _ in {1..10}; do
		ip -n "$lab-0" neigh flush dev fc0
		on 0 ping -q -c 1 -W 5 "$(address 10)" || return
	done
}

# Sites 1 to 4 send by way of 1, whose link to site 0 is slow.
star()
{
	printf '0 1\n1 2\n1 3\n1 4\n' >"$work/star"
	fc lab up "graph:$work/star" ip name "$lab" &&
		tc -n "$lab-1" qdisc add dev p1 root netem rate 40mbit limit 10000 &&
		becomes 10 carrier 0
}

accepts "lab up: a device at each site" fc lab up torus:4x4 ip name "$lab"
becomes 10 carrier 0 && becomes 10 carrier 10
result $? "carrier: links are up"

ports=(0 p1 p2 p3 p4)
idle=$(carried "${ports[@]}")
flood 0 1 3 4 12
becomes 20 more_carried 1000 "${ports[@]}"
result $? "flood: every link of site 0 is in use"
idle=$(carried "${ports[@]}")
accepts "flood: requests to all sites pass" requests
more_carried 1000 "${ports[@]}"
result $? "flood: it has gone on"
end_flood

share 4 {1..15}
result $? "15 senders, one receiver: each has a count"
# Round robin by inputs favours sites near the receiver: 0.9 is not reached, and not asserted yet.
jain "15 senders"

# The shell has another coprocess, and says so.
{ coproc watcher { python watch; } } 2>/dev/null
began=$SECONDS
python stream "$seconds" >"$work/stream" 2>"$work/stream-err" &
streamer=$!
run disturb
result "$status" "stream: links go down and up, sites die and return"
sed 's/^[^#]/# &/' "$work/disturbed"
echo "# links down $links, sites dead $deaths"
wait "$streamer"
status=$?
cp "$work/stream" "$work/out"
cp "$work/stream-err" "$work/err"
[ "$status" -eq 0 ]
result $? "stream: it goes on, and the data is the same"
sed 's/^/# /' "$work/stream"
accepts "lab down" fc lab down name "$lab"
if modprobe -q sch_netem; then
	accepts "lab up: a star with a slow link" star
	share 4 1 2 3 4
	result $? "star: four senders, one receiver: each has a count"
	jain star
	# Site 1 is one of four inputs of the link.
	awk '$1 == "jain" { exit $2 < 0.9 }' "$work/out"
	result $? "star: each gets its share"

	# Both links are busy, one of them 40 times as long for a packet.
	tc -n "$lab-1" qdisc add dev p4 root netem rate 1mbit limit 10000
	idle=$(carried 1 p4)
	flood 1 65535 0
	idle=$(carried 1 p4)
	becomes 20 more_carried 100 1 p4
	result $? "star: site 1 sends to all, by a slow link, too, and to site 0"
	idle=$(carried 1 p4) fast=$(carried 1 p1)
	becomes 20 more_carried 200 1 p4
	slow=$(($(carried 1 p4) - idle)) fast=$(($(carried 1 p1) - fast))
	end_flood
	echo "# packets by the slow link $slow, by that to site 0 $fast"
	[ $fast -gt $((20 * slow)) ]
	result $? "star: what goes to site 0 alone does not wait for the slow link"
else
	result 0 "star # SKIP needs the kernel's sch_netem"
fi
finish
