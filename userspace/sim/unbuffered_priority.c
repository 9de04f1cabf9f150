// SPDX-License-Identifier: GPL-2.0
#include "unbuffered.h"

/* Who has been under way longer. */
static bool first_wins(struct csr_switch *sw, const struct csr_packet *a,
		       const struct csr_packet *b)
{
	return a->hops == b->hops ? rng_below(&sw->rng, 2) : a->hops > b->hops;
}

void unbuffered_priority_run(struct csr_result *result, const struct csr_run *run)
{
	unbuffered_run(result, run, first_wins);
}
