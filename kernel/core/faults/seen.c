// SPDX-License-Identifier: GPL-2.0
#include "core/faults/seen.h"

bool fc_seen_first(struct fc_seen *s, u32 src, u32 n, u64 digest)
{
	/* The odd factor distributes sources whose numbers are equal. */
	u64 *last = s->set[(n + src * 0x9e3779b1U) & (s->nsets - 1)].digest;
	unsigned int i;

	/* 0 is an unused one. */
	digest += !digest;
	for (i = 0; i < FC_SEEN_SET; i++)
		if (last[i] == digest)
			return false;
	for (i = FC_SEEN_SET - 1; i; i--)
		last[i] = last[i - 1];
	last[0] = digest;
	return true;
}
