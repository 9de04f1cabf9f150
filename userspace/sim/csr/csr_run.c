// SPDX-License-Identifier: GPL-2.0
#include "csr_run.h"

const struct csr_scheme csr_schemes[CSR_SCHEMES] = {
	[CSR_CSR] = {
		{ "csr", "a packet reserves its way before it enters" }, "CSR", csr_cube_run
	},
	[CSR_DEFLECT_PRIORITY] = {
		{ "deflect-priority", "nobody waits; nearest to its target first" },
		"priority deflection", csr_deflect_priority_run
	},
	[CSR_DEFLECT_SIMPLE] = {
		{ "deflect-simple", "nobody waits; in random order" }, "simple deflection",
		csr_deflect_simple_run
	},
	[CSR_UNBUFFERED_PRIORITY] = {
		{ "unbuffered-priority", "the younger of two packets is dropped" },
		"unbuffered priority", csr_unbuffered_priority_run
	},
	[CSR_UNBUFFERED_SIMPLE] = {
		{ "unbuffered-simple", "either of two packets is dropped" }, "unbuffered simple",
		csr_unbuffered_simple_run
	},
};

static double nodes(const struct csr_result *result)
{
	return (double)fc_bit(result->run.dimension);
}

double csr_throughput(const struct csr_result *result)
{
	return (double)result->count.delivered / nodes(result) / (double)result->run.slots;
}

double csr_useful(const struct csr_result *result)
{
	return (double)result->count.useful / nodes(result) / result->run.dimension /
	       (double)result->run.slots;
}

double csr_backlogged(const struct csr_result *result)
{
	return (double)result->count.backlogged / nodes(result) / (2 * result->run.dimension) /
	       (double)result->run.slots;
}

u64 csr_wrong(const struct csr_result *result)
{
	return result->lost + result->stray + result->clashes + result->unreserved;
}

struct csr_count csr_slots(const struct csr_run *run, void (*slot)(void *net), void *net,
			   const struct csr_count *count)
{
	struct csr_count warm = { 0 };

	for (u64 i = 0; i < run->warm + run->slots; i++) {
		if (i == run->warm)
			warm = *count;
		slot(net);
	}
	return (struct csr_count){
		.attempts = count->attempts - warm.attempts,
		.entered = count->entered - warm.entered,
		.delivered = count->delivered - warm.delivered,
		.useful = count->useful - warm.useful,
		.dropped = count->dropped - warm.dropped,
		.backlogged = count->backlogged - warm.backlogged,
		.admission = count->admission - warm.admission,
		.transit = count->transit - warm.transit,
	};
}
