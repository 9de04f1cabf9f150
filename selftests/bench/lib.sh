#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the scripts of the benchmarks have in common on the host:
#
#   . "$(dirname "$(readlink -f "$0")")/lib.sh"
#
# changes to the top of the tree.  A figure NAME is a script here, selftests/bench/NAME, what
# it starts in a guest, NAME-guest, and a program of C that measures; the programs, NAME-guest
# and guest-lib.sh are in /bench of the guest.

bench=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$bench/../.." || exit 1

work=$(mktemp -d)
plans=$work/plans
mkdir "$plans"
trap 'rm -rf "$work"' EXIT
boot_files=()
# Instead, a figure may measure by the wall clock.
boot_clock=(-i -t 1800)

# The figures of a test do not replace those of a benchmark.
is_test() { export BENCH_OUT=build/test; }

# Prints the comment at the top of the script.
usage() { sed -n '4,/^[^#]/s/^# \{0,1\}//p' "$0" >&2; exit 2; }

# IPv4 over each topology, for the guest's lab_up; with --net only its namespaces and links.
plan() # [--net] SPEC...
{
	local spec dir file net=()

	[ "$1" != --net ] || { net=(--net); shift; }

	for spec; do
		# a colon would end the name of the file
		dir=${spec//:/-}
		[ ! -d "$plans/$dir" ] || continue
		mkdir "$plans/$dir" || return 1
		build/bin/flitcast -j topology show "$spec" | "$bench/cast-plan" "${net[@]}" "$plans/$dir" ||
			return 1
		for file in "$plans/$dir"/*; do
			boot_files+=(-f "$file:/bench/plan/$dir/${file##*/}")
		done
	done
}

# Runs NAME-guest in a guest that counts instructions.
boot() # [OPTIONS-OF-VM/RUN...] -- NAME [ARGS...]
{
	local options=() name program

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	name=$2
	shift 2
	make --no-print-directory -s -C selftests/bench TOP="$PWD" BUILD="$PWD/build" || return 1
	for program in build/bench/*; do
		case ${program##*/} in
		*.*) ;;
		*) boot_files+=(-f "$program:/bench/${program##*/}") ;;
		esac
	done
	selftests/vm/run "${boot_clock[@]}" -r initrd -x veth -b ip -b tc "${boot_files[@]}" \
		-b "$PWD/build/bin/flitcast" -f build/bin/flitcast:/bench/flitcast \
		-f "$bench/guest-lib.sh:/bench/guest-lib.sh" -f "$bench/$name-guest:/bench/$name-guest" \
		"${options[@]}" -- sh "/bench/$name-guest" "$@"
}
