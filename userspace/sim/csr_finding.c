// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "csr_finding.h"
#include "finding.h"

/*
 * What the words of the paper are taken to mean.
 */

/* "The relative difference between simulation and analysis is less than 2%". */
#define ANALYSIS	2.0
/* The stable points of analysis and simulation are so near, per cent of the throughput. */
#define STABLE		2.0
/* "The difference is small (less than 5%)". */
#define SMALL		5.0
/* "The difference is of the order of 2-3%", per cent. */
#define ORDER		3.0

struct worst {
	double off;
	u32 dimension;
};

static const struct csr_saturation *at(const struct csr_saturations *all, enum csr_scheme_id id,
				       u32 d)
{
	return &all->at[id][d - CSR_SATURATION_FIRST];
}

/* The greatest difference of simulation and analysis, of all dimensions. */
static struct worst off_analysis(const struct csr_saturations *all, enum csr_scheme_id id)
{
	struct worst worst = { 0, CSR_SATURATION_FIRST };

	for (u32 d = CSR_SATURATION_FIRST; d <= CSR_SATURATION_LAST; d++) {
		const struct csr_saturation *here = at(all, id, d);
		double off = percent_more(here->most, here->analysis);

		if (fabs(off) > fabs(worst.off))
			worst = (struct worst){ off, d };
	}
	return worst;
}

/* By how much less than its most a scheme has where as much as can be is attempted. */
static struct worst off_most(const struct csr_saturations *all, enum csr_scheme_id id)
{
	struct worst worst = { 0, CSR_SATURATION_FIRST };

	for (u32 d = CSR_SATURATION_FIRST; d <= CSR_SATURATION_LAST; d++) {
		double off = -percent_more(at(all, id, d)->full, at(all, id, d)->most);

		if (off > worst.off)
			worst = (struct worst){ off, d };
	}
	return worst;
}

static bool always_rises(const struct csr_saturations *all, enum csr_scheme_id id)
{
	for (u32 d = CSR_SATURATION_FIRST; d <= CSR_SATURATION_LAST; d++)
		if (!at(all, id, d)->rises)
			return false;
	return true;
}

/* The first dimension from which on one scheme is better than another. */
static u32 better_from(const struct csr_saturations *all, enum csr_scheme_id better,
		       enum csr_scheme_id other)
{
	u32 from = CSR_SATURATION_LAST + 1;

	for (u32 d = CSR_SATURATION_LAST; d >= CSR_SATURATION_FIRST; d--) {
		if (csr_saturation_of(all, better, d) <= csr_saturation_of(all, other, d))
			break;
		from = d;
	}
	return from;
}

static void csr(const struct csr_table *table, const struct csr_saturations *all)
{
	struct worst off = off_analysis(all, CSR_CSR);

	reproduced(table->off_most <= ANALYSIS,
		   "Table 1: simulation and analysis differ by less than 2 %",
		   "by up to %.2f %%", table->off_most);
	reproduced(fabs(off.off) <= ANALYSIS,
		   "Figure 5: CSR's analysis is within 2 % of simulations",
		   "up to %+.2f %%, at d = %u", off.off, off.dimension);
	reproduced(always_rises(all, CSR_CSR) && off_most(all, CSR_CSR).off < 0.1,
		   "CSR's throughput increases monotonically with the offered load",
		   "d = %u to %u: most where all attempt", CSR_SATURATION_FIRST,
		   CSR_SATURATION_LAST);
	reproduced(!table->wrong && !all->wrong,
		   "no packet that has entered is dropped, and each arrives after exactly d slots",
		   "%llu were not, or met another, or had no reservation",
		   (unsigned long long)(table->wrong + all->wrong));
}

static void figure_4(const struct csr_stable *stable)
{
	const struct csr_theory_stable *theory = &stable->theory[CSR_STABLE_RETRIES - 1];
	double off[CSR_STARTS];
	bool near = true, most = true;

	for (u32 i = 0; i < CSR_STARTS; i++) {
		off[i] = percent_more(stable->throughput[i], theory->throughput);
		near = near && fabs(off[i]) <= STABLE;
	}
	for (u32 i = 1; i < CSR_STABLE_RETRIES; i++)
		most = most && stable->theory[i].throughput > stable->theory[i - 1].throughput &&
		       stable->retried[i] > stable->retried[i - 1];
	reproduced(theory->points == 1 && stable->single == stable->others && near,
		   "Figure 4: there is a single stable point",
		   "m = %.3f, throughput %.3f; simulations from either end %+.1f and %+.1f %%; with %u of %u other probabilities",
		   theory->backlogged, theory->throughput, off[CSR_FROM_EMPTY],
		   off[CSR_FROM_BACKLOGGED], stable->single, stable->others);
	reproduced(most, "Figure 4: throughput is largest where a blocked packet always retries",
		   "%.3f, and %.3f with probability %.2f",
		   stable->retried[CSR_STABLE_RETRIES - 1], stable->retried[0],
		   (double)csr_stable_retry[0] / CSR_ONE);
}

static void unbuffered(const struct csr_saturations *all)
{
	struct worst simple = off_analysis(all, CSR_UNBUFFERED_SIMPLE);
	struct worst priority = off_analysis(all, CSR_UNBUFFERED_PRIORITY);
	struct worst drop = off_most(all, CSR_UNBUFFERED_PRIORITY);
	const struct csr_saturation *last = at(all, CSR_UNBUFFERED_SIMPLE, CSR_SATURATION_LAST);
	u32 from = CSR_SATURATION_LAST + 1;

	for (u32 d = CSR_SATURATION_LAST; d >= CSR_SATURATION_FIRST; d--)
		if (!at(all, CSR_UNBUFFERED_SIMPLE, d)->rises)
			from = d;
	reproduced(fabs(simple.off) <= ANALYSIS && fabs(priority.off) <= ANALYSIS,
		   "unbuffered schemes: the analysis is in very good agreement with simulations",
		   "simple up to %+.2f %% (d = %u), priority %+.2f %% (d = %u)", simple.off,
		   simple.dimension, priority.off, priority.dimension);
	finding(from == CSR_SATURATION_FIRST,
		"unbuffered simple: after some point more load decreases the throughput",
		"from d = %u on; at d = %u the most is %.3f, and %.3f where all attempt", from,
		CSR_SATURATION_LAST, last->most, last->full);
	finding(drop.off < SMALL, "unbuffered priority: less of a problem (below 5 %)",
		"up to %.2f %% less", drop.off);
}

static void deflection(const struct csr_saturations *all)
{
	struct worst simple = off_most(all, CSR_DEFLECT_SIMPLE);
	struct worst priority = off_most(all, CSR_DEFLECT_PRIORITY);

	reproduced(simple.off <= ORDER && priority.off <= ORDER,
		   "deflection: p0 = 1 costs no more than 2-3 %",
		   "simple %.2f %%, priority %.2f %%", simple.off, priority.off);
	reproduced(always_rises(all, CSR_DEFLECT_PRIORITY),
		   "priority deflection: throughput increases monotonically with the load",
		   "d = %u to %u", CSR_SATURATION_FIRST, CSR_SATURATION_LAST);
}

static void order(const struct csr_saturations *all)
{
	u32 first = CSR_SATURATION_FIRST;
	u32 over_csr = better_from(all, CSR_DEFLECT_PRIORITY, CSR_CSR);
	u32 simple_over_csr = better_from(all, CSR_DEFLECT_SIMPLE, CSR_CSR);
	u32 csr_over = better_from(all, CSR_CSR, CSR_UNBUFFERED_PRIORITY);
	u32 simple_over = better_from(all, CSR_DEFLECT_SIMPLE, CSR_UNBUFFERED_PRIORITY);

	finding(csr_over <= first + 1 && simple_over <= first,
		"the two deflection schemes and CSR are the most interesting",
		"CSR is above the unbuffered schemes from d = %u on, simple deflection from d = %u on",
		csr_over, simple_over);
	finding(over_csr <= first, "especially priority deflection",
		"above CSR from d = %u on, simple deflection from d = %u on", over_csr,
		simple_over_csr);
	finding(better_from(all, CSR_DEFLECT_PRIORITY, CSR_DEFLECT_SIMPLE) <= first &&
		better_from(all, CSR_UNBUFFERED_PRIORITY, CSR_UNBUFFERED_SIMPLE) <= first + 1,
		"priority is better than random order, with deflection and without buffers",
		"at d = %u: %.3f and %.3f, %.3f and %.3f", CSR_SATURATION_LAST,
		csr_saturation_of(all, CSR_DEFLECT_PRIORITY, CSR_SATURATION_LAST),
		csr_saturation_of(all, CSR_DEFLECT_SIMPLE, CSR_SATURATION_LAST),
		csr_saturation_of(all, CSR_UNBUFFERED_PRIORITY, CSR_SATURATION_LAST),
		csr_saturation_of(all, CSR_UNBUFFERED_SIMPLE, CSR_SATURATION_LAST));
}

/* Not what the paper measures, but what it expects. */
static void beyond(const struct csr_saturations *all, const struct csr_buffers *buffers)
{
	u64 overtaken = 0, unbuffered = 0, delivered = 0;
	u32 above[CSR_CROSSBAR_BUFFERS] = { 0 };

	for (u32 id = 0; id < CSR_NETWORKS; id++) {
		unbuffered += buffers->unordered[id][0].overtaken;
		for (u32 k = 1; k < CSR_BUFFERS; k++) {
			overtaken += buffers->unordered[id][k].overtaken;
			delivered += buffers->unordered[id][k].count.delivered;
		}
	}
	for (u32 i = 0; i < CSR_CROSSBARS; i++) {
		double other = csr_saturation_of(all, CSR_DEFLECT_PRIORITY, CSR_CROSSBAR_FIRST + i);

		for (u32 k = 0; k < CSR_CROSSBAR_BUFFERS; k++)
			above[k] += buffers->crossbar[k][i] > other;
	}
	finding(!overtaken && !unbuffered,
		"packets of an entry buffer keep their order if a blocked one always retries",
		"with K = 0 %llu are overtaken, with K = 1 to 8 %llu of %llu",
		(unsigned long long)unbuffered, (unsigned long long)overtaken,
		(unsigned long long)delivered);
	reproduced(!buffers->wrong,
		   "they do where the last link has to be later than that of the packet before",
		   "%llu wrong", (unsigned long long)buffers->wrong);
	finding(above[0] == CSR_CROSSBARS, "with crossbars CSR probably outperforms deflection",
		"for %u of %u dimensions with K = 0, for %u with K = 1, for %u with K = 2",
		above[0], CSR_CROSSBARS, above[1], above[2]);
}

void csr_findings(const struct csr_table *table, const struct csr_stable *stable,
		  const struct csr_saturations *all, const struct csr_buffers *buffers)
{
	printf("Findings of the paper\n\n");
	csr(table, all);
	figure_4(stable);
	unbuffered(all);
	deflection(all);
	order(all);
	beyond(all, buffers);
}
