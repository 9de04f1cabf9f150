// SPDX-License-Identifier: GPL-2.0
#include "csr_run.h"

const struct csr_scheme csr_schemes[CSR_SCHEMES] = {
	[CSR_CSR] = {
		{ "csr", "a packet reserves its way before it enters" }, "CSR", csr_cube_run
	},
	[CSR_DEFLECT_PRIORITY] = {
		{ "deflect-priority", "nobody waits; nearest to its target first" },
		"priority deflection", deflect_priority_run
	},
	[CSR_DEFLECT_SIMPLE] = {
		{ "deflect-simple", "nobody waits; in random order" }, "simple deflection",
		deflect_simple_run
	},
	[CSR_UNBUFFERED_PRIORITY] = {
		{ "unbuffered-priority", "the younger of two packets is dropped" },
		"unbuffered priority", unbuffered_priority_run
	},
	[CSR_UNBUFFERED_SIMPLE] = {
		{ "unbuffered-simple", "either of two packets is dropped" }, "unbuffered simple",
		unbuffered_simple_run
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

struct csr_count csr_count_since(const struct csr_count *now, const struct csr_count *then)
{
	return (struct csr_count){
		.attempts = now->attempts - then->attempts,
		.entered = now->entered - then->entered,
		.delivered = now->delivered - then->delivered,
		.useful = now->useful - then->useful,
		.dropped = now->dropped - then->dropped,
		.backlogged = now->backlogged - then->backlogged,
	};
}
