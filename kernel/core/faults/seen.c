// SPDX-License-Identifier: GPL-2.0
#include "core/faults/seen.h"

/* Move the window, so that it ends behind a number. */
static void move(struct fc_seen *s, u32 n)
{
	u32 left = n + 1 - s->end, at = s->end, part;

	if (!s->begun || left > FC_SEEN_BITS)
		left = FC_SEEN_BITS;
	for (; left; left -= part, at += part) {
		part = 64 - at % 64;
		if (part > left)
			part = left;
		s->bits[at % FC_SEEN_BITS / 64] &= ~(fc_mask_all(part) << at % 64);
	}
	s->begun = true;
	s->end = n + 1;
}

bool fc_seen_first(struct fc_seen *s, u32 n)
{
	u64 *word = &s->bits[n % FC_SEEN_BITS / 64], bit = fc_bit64(n % 64);

	if (s->begun && fc_before(n, s->end) && s->end - n > FC_SEEN_BITS)
		s->begun = false;
	if (!s->begun || !fc_before(n, s->end))
		move(s, n);
	else if (*word & bit)
		return false;
	*word |= bit;
	return true;
}
