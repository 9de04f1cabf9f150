// SPDX-License-Identifier: GPL-2.0
#include "unbuffered.h"

static void enter(struct csr_switch *sw, u32 arrive)
{
	for (u32 buffer = 0; buffer < sw->buffers; buffer++) {
		if (!csr_chance(&sw->rng, arrive))
			continue;
		sw->count.attempts++;
		if (!sw->now[buffer].hops)
			csr_switch_enter(sw, buffer, csr_random_target(sw, buffer));
	}
}

void unbuffered_run(struct csr_result *result, const struct csr_run *run,
		    csr_first_wins_fn first_wins)
{
	struct csr_count warm = { 0 };
	struct csr_switch sw;

	csr_switch_init(&sw, run);
	for (u64 slot = 0; slot < run->warm + run->slots; slot++) {
		if (slot == run->warm)
			warm = sw.count;
		enter(&sw, run->arrive);
		csr_switch_step(&sw, first_wins);
	}
	*result = (struct csr_result){
		.run = *run, .count = csr_count_since(&sw.count, &warm), .stray = sw.stray,
		.lost = sw.count.entered - sw.count.delivered - sw.count.dropped - sw.inside,
	};
	csr_switch_free(&sw);
}
