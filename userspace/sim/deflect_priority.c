// SPDX-License-Identifier: GPL-2.0
#include "deflect.h"

/* Nearest to its target first; among equals it stays random. */
static void order(struct deflect_packet *packet, u32 n, u32 node)
{
	for (u32 i = 1; i < n; i++) {
		struct deflect_packet one = packet[i];
		int distance = __builtin_popcount(one.to ^ node);
		u32 at = i;

		for (; at && __builtin_popcount(packet[at - 1].to ^ node) > distance; at--)
			packet[at] = packet[at - 1];
		packet[at] = one;
	}
}

void deflect_priority_run(struct csr_result *result, const struct csr_run *run)
{
	deflect_run(result, run, order);
}
