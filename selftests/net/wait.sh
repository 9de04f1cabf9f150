#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2154 # the script that reads it sets work
#
# For scripts that set $work: how to wait.

# becomes SECONDS COMMAND...: waits until it succeeds
becomes()
{
	local until=$((SECONDS + $1))

	shift
	until "$@" >"$work/out" 2>"$work/err"; do
		[ "$SECONDS" -lt "$until" ] || return 1
		sleep 0.05
	done
}
