#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every row of the socket interface.
#
#   sock_api.sh [PROGRAM...]     of api_bind api_send api_recv api_room api_life api_stream
#				  api_report api_uring api_ends api_priority api_cast
#				  api_votes api_layer bounds_rx bounds_tx bounds_mem
#
#	site 0 ------ site 1 ------ site 2	the programs set it up themselves,
#						and namespaces of one site
set -u

# shellcheck source=./selftests/sock/lib.sh
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || set -- api_bind api_send api_recv api_room api_life api_stream api_report api_uring \
	api_ends api_priority api_cast api_votes api_layer
status=0
for program; do
	"$bin/$program" 2>&1 || status=1
done
exit $status
