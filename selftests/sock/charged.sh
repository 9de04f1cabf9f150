#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An unprivileged user, in a memory cgroup and in namespaces of its own, uses
# up each resource that Documentation/limits.rst bounds, and the cgroup is charged for it (charged.c).
# Each bound of limits.rst is in the table of charged_rows.c, with the row that uses it up, or the
# reason why there is none.
#
#   charged.sh [-q] [ROW...]	run these rows; -q: those of every check
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

document=$top/Documentation/limits.rst

# Prints the bounds of limits.rst, but those of its sections of work and of other sizes.
bounds()
{
	awk '/^[=]+$/ { skip = before == "Work in one go" || before == "Other sizes" }
	     { before = $0 }
	     !skip && match($0, /^   \* - ``[A-Za-z0-9_.]+``$/) { print substr($0, 10, length($0) - 11) }
	     !skip && $0 == "   * - ``mem`` of the module" { print "mem" }' "$document"
}

# The rows that the table names, but the program has not.
no_rows()
{
	"$bin/charged" -l | awk '$2 == "row" { row[$1] = 1; next }
		$2 != "-" && !($2 in row) { print $1 ": no row " $2; bad = 1 }
		$2 == "-" && NF < 4 { print $1 ": no reason"; bad = 1 }
		END { exit !bad }'
}

if [ -e "$document" ]; then
	bounds | sort >"$work/document"
	"$bin/charged" -l | awk '$2 != "row" { print $1 }' | sort >"$work/table"
	diff "$work/document" "$work/table" | sed -n 's/^</# only in limits.rst:/p; s/^>/# only in the table:/p'
	[ "$(wc -l <"$work/document")" -ge 60 ] && cmp -s "$work/document" "$work/table" && ! no_rows
	result $? "the table names each bound of limits.rst"
fi
need_modules veth
"$bin/charged" -s $results "$@" || failures=1
[ $failures -eq 0 ]
exit
