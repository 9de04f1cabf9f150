// SPDX-License-Identifier: GPL-2.0
/*
 * The descending-dimensions switch without reservations: a new packet enters only if no packet
 * en route needs the buffer, and of two packets that need a buffer one is dropped.
 */
#include "csr_switch.h"

struct unbuffered {
	struct csr_switch sw;
	u32 arrive;
	csr_first_wins_fn first_wins;
};

static void slot(void *all)
{
	struct unbuffered *net = all;
	struct csr_switch *sw = &net->sw;

	for (u32 buffer = 0; buffer < sw->buffers; buffer++) {
		if (!csr_chance(&sw->rng, net->arrive))
			continue;
		sw->count.attempts++;
		if (!sw->now[buffer].hops)
			csr_switch_enter(sw, buffer, csr_random_target(sw, buffer));
	}
	csr_switch_step(sw, net->first_wins);
}

static void run_dropping(struct csr_result *result, const struct csr_run *run,
			 csr_first_wins_fn first_wins)
{
	struct unbuffered net = { .arrive = run->arrive, .first_wins = first_wins };

	csr_switch_init(&net.sw, run);
	*result = (struct csr_result){ .run = *run };
	result->count = csr_slots(run, slot, &net, &net.sw.count);
	result->stray = net.sw.stray;
	result->lost = csr_switch_lost(&net.sw);
	csr_switch_free(&net.sw);
}

/* The packet with more hops wins; ties are random. */
static bool older_wins(struct csr_switch *sw, const struct csr_packet *a,
		       const struct csr_packet *b)
{
	return a->hops == b->hops ? rng_below(&sw->rng, 2) : a->hops > b->hops;
}

static bool either_wins(struct csr_switch *sw, const struct csr_packet *a,
			const struct csr_packet *b)
{
	return rng_below(&sw->rng, 2);
}

void csr_unbuffered_priority_run(struct csr_result *result, const struct csr_run *run)
{
	run_dropping(result, run, older_wins);
}

void csr_unbuffered_simple_run(struct csr_result *result, const struct csr_run *run)
{
	run_dropping(result, run, either_wins);
}
