#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links and sites that die: messages go another way, at once; a link that comes back
# is used again; who has no way left is told so, of the targets that are gone and of no
# other.
#
# shellcheck disable=SC2317 # functions are called by their names
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

# link SITE PORT up|down
link() { ip -n "$lab-$1" link set "p$2" "$3"; }

# hops FROM TO: links that the answer crossed
hops() { at "$1" -j ping "$2" -c 1 -W 3 2>/dev/null | grep -o '"hops": *[0-9]*' | grep -o '[0-9]*$'; }

# far FROM TO LINKS: is the way so long?
far() { [ "$(hops "$1" "$2")" = "$3" ]; }

# all_reached SITES: does everybody reach everybody, by ways of any length?
all_reached()
{
	local from to

	for ((from = 0; from < $1; from++)); do
		for ((to = 0; to < $1; to++)); do
			[ "$from" = "$to" ] || at "$from" ping "$to" -c 1 -W 3 >/dev/null 2>&1 || {
				echo "# no answer to $from from $to"
				return 1
			}
		done
	done
}

# pending SITE: a message of it is under way
pending()
{
	at "$1" -j site show | grep -q '"pending": *[1-9]'
}

# gone FROM TO: no way to it is known
gone() { at "$1" topology faults | grep -q "no route to site $2\$"; }

# told FROM TO SECONDS: EHOSTUNREACH comes within that time, and not at once
told()
{
	local from=$EPOCHREALTIME took

	at "$1" ping "$2" -c 1 -W 60 >"$work/ping" 2>&1 && return 1
	took=$(((${EPOCHREALTIME/./} - ${from/./}) / 1000))
	echo "# site $1 was told of site $2 after $took ms"
	grep -q 'No route to host' "$work/ping" && [ $took -le "${3}000" ]
}

# No answer, but nothing worse within a few seconds either.
waits() { ! at "$1" ping "$2" -c 1 -W 2 >"$work/ping" 2>&1 && ! grep -q 'No route' "$work/ping"; }

down() { "$FLITCAST" lab down name "$lab" >/dev/null 2>&1; }

# A ring: the other way round.
lab_up ring:5
far 0 1 1
result $? "ring:5: one link"
link 0 1 down
wait_for 2 far 0 1 4
result $? "ring:5: the other way round when the link is dead"
far 2 0 3
result $? "ring:5: around a link that is dead at neither end"
all_reached 5
result $? "ring:5: everybody reaches everybody"
link 0 1 up
wait_for 5 far 0 1 1 && wait_for 5 far 2 0 2
result $? "ring:5: the link is used again"

# believes SITE TEXT: these links are dead, and these sites gone (whoever says so)
believes() { [ "$(at "$1" topology faults | sed 's/: says .*//')" = "$2" ]; }

wait_for 5 believes 2 ""
result $? "ring:5: nothing is believed dead"

# In two: 0 1 | 2 3 4.
link 1 1 down
link 0 2 down
wait_for 3 believes 3 "site 0 port 2 -x to site 4 port 1
site 1 port 1 +x to site 2 port 2
no route to site 0
no route to site 1"
result $? "ring:5 in two: what is known of it on one side"
at 3 topology faults | sed 's/^/# /'
at 0 -j topology faults | grep -q '"lost":\[2,3,4\]'
result $? "ring:5 in two: and on the other"
at 0 site set 0 grace 50s && waits 0 3
result $? "ring:5 in two: not at once"
# What waits already does not wait for the old grace.
at 0 ping 3 -c 1 -W 40 >"$work/waiting" 2>&1 &
children+=("$!")
wait_for 10 pending 0 && at 0 site set 0 grace 2s
wait_for 10 grep -q 'No route to host' "$work/waiting"
result $? "ring:5 in two: the grace that is set now counts"
at 0 site set 0 grace 1s && told 0 3 3
result $? "ring:5 in two: no route to the other part, after the grace of the site"
told 4 1 3
result $? "ring:5 in two: told at once when it has been so for long"
far 0 1 1 && far 2 4 2
result $? "ring:5 in two: each part goes on"
link 0 2 up
wait_for 5 far 0 3 2 && all_reached 5
result $? "ring:5: one again"
link 1 1 up
down

# A mesh: shortest ways of what is left.
lab_up mesh:3x3
link 4 1 down
link 4 2 down
link 4 3 down
wait_for 2 far 0 4 2 && far 3 5 4 && far 4 7 5
result $? "mesh:3x3: shortest ways of what is left"
at 0 -j topology faults >"$work/faults" && [ "$(grep -o peer_site "$work/faults" | wc -l)" = 3 ]
result $? "mesh:3x3: three links are believed dead"
[ "$(at 3 -j trace 5 | grep -o '"hops": *[0-9]*' | tail -1 | grep -o '[0-9]*$')" = 4 ]
result $? "mesh:3x3: trace goes the same way"
all_reached 9
result $? "mesh:3x3: everybody reaches everybody"
# A message that is under way when its way dies is sent another one.  Twice at a time there is no way
# between two parts of the mesh; on a slow machine that takes long, and nobody gives up for it.
for ((site = 0; site < 9; site++)); do
	at $site site set $site grace 60s
done
"$bin/stress" --bytes 1000-200000 --targets 1-8 --messages 800 --deadline 200 --timeout 200000 "$lab" \
	>"$work/stress" 2>&1 &
busy=$!
children+=("$busy")
for i in 1 2 3 4 5 6; do
	sleep 0.5
	link 0 1 down
	link 8 2 down
	sleep 0.5
	link 0 1 up
	link 8 2 up
	echo "# flap $i"
done
wait "$busy"
result $? "mesh:3x3: every message arrives while links flap"
sed 's/^/# /' "$work/stress" | tail -5
down

# A site of a torus: gone for all, and nobody else.
lab_up torus:4x4
ip netns del "$lab-5"
# The kernel takes a namespace apart after its name is gone: site 5 answers meanwhile.
wait_for 10 gone 1 5
result $? "torus:4x4: site 1 knows of no route to site 5"
for site in 1 4 6 9; do
	told $site 5 9
	result $? "torus:4x4: site $site is told of site 5"
done
told 15 5 3
result $? "torus:4x4: and so is a site that is not its neighbour"
far 1 9 2 && far 4 6 2
result $? "torus:4x4: around it"
for from in 0 1 4 6 9 15; do
	for to in 0 1 4 6 9 10 15; do
		[ $from = $to ] || at $from ping $to -c 1 -W 3 >/dev/null 2>&1 ||
			echo "# no answer to $from from $to"
	done
done >"$work/missing"
cat "$work/missing"
[ ! -s "$work/missing" ]
result $? "torus:4x4: nobody else is lost"
finish
