#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# For the scripts of this directory: TAP.

top=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# Where they are not built, programs are beside the scripts, as kselftest installs them.
bin=$top/build/selftests/net
[ -d "$bin" ] || bin=$here
flitcast=$top/build/bin/flitcast
[ -x "$flitcast" ] || flitcast=$here/flitcast
work=$(mktemp -d)
# shellcheck source=./selftests/net/wait.sh
. "$here/wait.sh"
tests=0 failed=0

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 4
}

[ "$(id -u)" -eq 0 ] || skip_all "needs root"
[ -x "$flitcast" ] || skip_all "needs $flitcast: make tools"
"$flitcast" site show >/dev/null 2>"$work/why" || skip_all "$(cat "$work/why")"
modprobe -q veth

# result STATUS NAME: one line of TAP; what a failing test printed is in $work
result()
{
	[ $tests -gt 0 ] || echo "TAP version 13"
	tests=$((tests + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tests - $2"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $tests - $2"
	sed 's/^/# out: /' "$work/out" 2>/dev/null
	sed 's/^/# err: /' "$work/err" 2>/dev/null
}

# In the lab that $lab names; scripts that have none define their own.
# shellcheck disable=SC2317 # called by the helpers
fc() { "$flitcast" "$@"; }
# shellcheck disable=SC2154 # the script sets lab
at() { fc -n "$lab-$1" "${@:2}"; }
# Return: false unless the site has one socket.
listening() { [[ $(at "$1" -j site show) =~ \"sockets\":1[^0-9] ]]; }
# on SITE COMMAND...: run a program in the namespace of a site
on() { ip netns exec "$lab-$1" "${@:2}"; }
# address SITE: of its network device, in a lab with addresses
address() { echo "10.254.0.$1"; }
# carrier SITE: has its network device a carrier?
carrier() { ip -n "$lab-$1" link show dev fc0 | grep -q LOWER_UP; }
# calm SITE: does it know of no link that is dead or suspected?  On a slow kernel a lab that has just
# started is overloaded for some time.
calm() { [ -z "$(at "$1" topology faults)" ]; }
# listens SITE PORT: does a program at the site listen to a TCP port?
listens() { on "$1" ss -ltnH "sport = :$2" | grep -q .; }

# make_image SIZE: what tcp_copy sends
make_image()
{
	head -c "$1" /dev/urandom >"$work/image"
	# nc ends a connection when its input ends.
	mkfifo "$work/silent" && exec 9<>"$work/silent"
}

# tcp_copy FROM TO ADDRESS PORT: the image, by TCP from one site to an address of another
tcp_copy()
{
	local file=$work/copy.$4 reader

	on "$2" timeout 60 busybox nc -l -p "$4" <"$work/silent" >"$file" &
	reader=$!
	becomes 10 listens "$2" "$4" && on "$1" timeout 60 busybox nc "$3" "$4" <"$work/image"
	wait "$reader"
	cmp "$file" "$work/image"
}

# macsec SITE LOWER PEER: sec0 above a device of a site, to the device of that address at the other end
macsec()
{
	local key=00112233445566778899aabbccddeeff

	ip -n "$lab-$1" link add link "$2" sec0 type macsec port 1 encrypt on &&
		ip -n "$lab-$1" macsec add sec0 tx sa 0 pn 1 on key 01 "$key" &&
		ip -n "$lab-$1" macsec add sec0 rx port 1 address "$3" &&
		ip -n "$lab-$1" macsec add sec0 rx port 1 address "$3" sa 0 pn 1 on key 01 "$key"
}

finish()
{
	echo "1..$tests"
	[ "$failed" -eq 0 ]
	exit
}

# Sets nlevents, a program that prints events; at the end of the script its jobs end.
need_nlevents()
{
	nlevents=$bin/nlevents
	[ -x "$nlevents" ] || skip_all "needs $nlevents: make tests"
	# shellcheck disable=SC2046,SC2154 # a word for each job; the script runs it
	trap 'kill $(jobs -p); rm -rf "$work"' EXIT
}

# run COMMAND...: keeps its output, sets $status
run()
{
	"$@" >"$work/out" 2>"$work/err"
	status=$?
}

# matches FILE REGEX: has it such a line?  In the shell: to start a program takes long in a guest.
matches()
{
	local line lines

	mapfile -t lines <"$1"
	for line in "${lines[@]}"; do
		[[ $line =~ $2 ]]
		case $? in
		0) return ;;
		# what grep takes as it is, as a brace in front, is an error here
		2) grep -qE -- "$2" "$1"; return ;;
		esac
	done
	return 1
}

# accepts NAME COMMAND...: it succeeds and has nothing to complain about
accepts()
{
	local name=$1

	shift
	run "$@"
	[ "$status" -eq 0 ] && [ ! -s "$work/err" ]
	result $? "$name"
}

# prints NAME REGEX COMMAND...: it succeeds and prints a line that matches
prints()
{
	local name=$1 regex=$2

	shift 2
	run "$@"
	[ "$status" -eq 0 ] && matches "$work/out" "$regex"
	result $? "$name"
}

# refuses NAME STATUS REGEX COMMAND...: that exit status, that reason, no output
refuses()
{
	local name=$1 expected=$2 regex=$3

	shift 3
	run "$@"
	[ "$status" -eq "$expected" ] && matches "$work/err" "$regex"
	result $? "$name"
}

# One interpreter for all checks: to start one takes long in a guest.
# shellcheck disable=SC2016 # no shell variables are meant
checker='
import json, sys
for line in sys.stdin:
    path, expression = json.loads(line)
    try:
        j = json.load(open(path))
        print("yes" if eval(f"({expression})") else "no", flush=True)
    except Exception as wrong:
        print(repr(wrong), flush=True)
'
if command -v python3 >/dev/null; then
	coproc PYTHON { exec python3 -c "$checker"; }
fi

# json NAME EXPRESSION COMMAND...: it succeeds and prints JSON, and of that, as
# "j", the Python expression is true
json()
{
	local name=$1 expression=${2//$'\n'/ } answer

	shift 2
	run "$@"
	if [ "$status" -ne 0 ]; then
		result 1 "$name"
	elif [ -z "${PYTHON_PID:-}" ]; then
		result 0 "$name # SKIP needs python3"
	else
		expression=${expression//\\/\\\\}
		expression=${expression//$'\t'/ }
		echo "[\"$work/out\", \"${expression//\"/\\\"}\"]" >&"${PYTHON[1]}"
		read -r answer <&"${PYTHON[0]}"
		echo "$answer" >>"$work/err"
		[ "$answer" = yes ]
		result $? "$name"
	fi
}
