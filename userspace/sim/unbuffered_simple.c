// SPDX-License-Identifier: GPL-2.0
#include "unbuffered.h"

static bool first_wins(struct csr_switch *sw, const struct csr_packet *a,
		       const struct csr_packet *b)
{
	return rng_below(&sw->rng, 2);
}

void unbuffered_simple_run(struct csr_result *result, const struct csr_run *run)
{
	unbuffered_run(result, run, first_wins);
}
