// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>

#include "finding.h"
#include "postman_finding.h"

/* All elements: so near to the published time, per cent. */
#define DENSE		5.0
/* "Little or no effect" of dead flits: so many per cent of the time. */
#define LITTLE		5.0
/* A quarter of the elements: "reduction" is less than this of the time of all, per cent, ... */
#define REDUCED		50.0
/* ... and none to speak of more than this. */
#define KEPT		75.0

/* The paper's two packets. */
static const u64 corner[POSTMAN_STRATEGIES] = { [POSTMAN_MAD] = 89, [POSTMAN_CUT] = 570 };

static void single(const struct postman_law *law)
{
	reproduced(law->corner[POSTMAN_MAD] == corner[POSTMAN_MAD],
		   "(1,1) to (32,32), 27 bits, mad postman: 89 cycles", "%llu",
		   (unsigned long long)law->corner[POSTMAN_MAD]);
	reproduced(law->corner[POSTMAN_CUT] == corner[POSTMAN_CUT],
		   "(1,1) to (32,32), 27 bits, virtual cut-through: 570 cycles", "%llu",
		   (unsigned long long)law->corner[POSTMAN_CUT]);
}

static void laws(const struct postman_law *law)
{
	reproduced(law->same[POSTMAN_MAD] == law->nodes &&
		   law->lengths_right[POSTMAN_MAD] == law->lengths,
		   "mad postman: latency kTD + LWT with k = 1, D = 1 to 62",
		   "exactly so to %u of %u nodes, and with %u of %u other W and L",
		   law->same[POSTMAN_MAD], law->nodes, law->lengths_right[POSTMAN_MAD],
		   law->lengths);
	finding(law->same[POSTMAN_CUT] == law->nodes,
		"virtual cut-through: latency WTD + LWT, D = 1 to 62",
		"so to %u of %u nodes: %llu to (32,32), where the paper's simulation has %llu, too",
		law->same[POSTMAN_CUT], law->nodes,
		(unsigned long long)law->corner[POSTMAN_CUT],
		(unsigned long long)corner[POSTMAN_CUT]);
	reproduced(law->below[POSTMAN_CUT] == law->nodes &&
		   law->lengths_right[POSTMAN_CUT] == law->lengths,
		   "virtual cut-through: W cycles a channel",
		   "to %u of %u nodes WTD + LWT less W-1 (straight) or 2W-3 (turned), and with %u of %u other W and L",
		   law->below[POSTMAN_CUT], law->nodes, law->lengths_right[POSTMAN_CUT],
		   law->lengths);
}

static void transposition(const struct postman_table *table)
{
	static const char *const names[POSTMAN_SPARSITIES] = { "100", "50", "33", "25" };

	for (u32 s = 0; s < POSTMAN_STRATEGIES; s++) {
		for (u32 i = 0; i < POSTMAN_SPARSITIES; i++) {
			const struct postman_cell *cell = &table->cell[s][i];
			double published = (double)postman_published[s][i];
			double off = percent_more(cell->mean, published);
			char what[80];

			snprintf(what, sizeof(what), "transposition, %s, %s %%: %.0f cycles",
				 postman_strategies[s], names[i], published);
			if (!i)
				reproduced(fabs(off) <= DENSE, what, "%.0f, %+.1f %% (within %.0f)",
					   cell->mean, off, DENSE);
			else
				reproduced((double)cell->least <= published &&
					   published <= (double)cell->most, what,
					   "within %llu to %llu, the range of %u draws; mean %.1f, %+.1f %%",
					   (unsigned long long)cell->least,
					   (unsigned long long)cell->most, table->draws,
					   cell->mean, off);
		}
	}
}

static void density(const struct postman_table *table)
{
	const struct postman_cell *mad = table->cell[POSTMAN_MAD];
	const struct postman_cell *cut = table->cell[POSTMAN_CUT];
	u32 last = POSTMAN_SPARSITIES - 1;
	double mad_part = 100 * mad[last].mean / mad[0].mean;
	double cut_part = 100 * cut[last].mean / cut[0].mean;
	bool nearer = true, fewer = true;

	for (u32 i = 1; i < POSTMAN_SPARSITIES; i++) {
		nearer = nearer && mad[i].mean / cut[i].mean < mad[i - 1].mean / cut[i - 1].mean;
		fewer = fewer && mad[i].dead > mad[i - 1].dead;
	}
	finding(nearer, "with the traffic the mad postman's time approaches virtual cut-through's",
		"%.0f %% of it at 25 %%, %.0f, %.0f, %.0f %% at 33, 50, 100 %%",
		100 * mad[3].mean / cut[3].mean, 100 * mad[2].mean / cut[2].mean,
		100 * mad[1].mean / cut[1].mean, 100 * mad[0].mean / cut[0].mean);
	finding(mad_part < REDUCED && cut_part > KEPT,
		"less to send takes less time, unlike with virtual cut-through",
		"25 %% of the elements take %.0f %% of the time of all, and %.0f %% with virtual cut-through (in the paper 33 and 86)",
		mad_part, cut_part);
	finding(fewer, "with the traffic dead flits become fewer for each packet",
		"%.2f at 25 %%, %.2f, %.2f, %.2f at 33, 50, 100 %%", mad[3].dead, mad[2].dead,
		mad[1].dead, mad[0].dead);
}

static void mechanisms(const struct postman_table *table)
{
	const struct postman_cell *all = table->variant[POSTMAN_V_ALL][POSTMAN_MAD];
	const struct postman_cell *neither = table->variant[POSTMAN_V_NEITHER][POSTMAN_MAD];
	const struct postman_cell *foresee = table->variant[POSTMAN_V_FORESEE][POSTMAN_MAD];
	double off[POSTMAN_SPARSITIES], slower[POSTMAN_SPARSITIES];
	bool little = true;

	for (u32 i = 0; i < POSTMAN_SPARSITIES; i++) {
		off[i] = percent_more(all[i].mean, foresee[i].mean);
		slower[i] = percent_more(neither[i].mean, all[i].mean);
		little = little && fabs(off[i]) <= LITTLE;
	}
	finding(little, "dead flits have little or no effect on the performance",
		"with them %+.1f, %+.1f, %+.1f, %+.1f %% at 100, 50, 33, 25 %% (little: %.0f)",
		off[0], off[1], off[2], off[3], LITTLE);
	finding(slower[0] > 0 && slower[1] > 0 && slower[2] > 0 && slower[3] > 0,
		"adaptive routing and sourcing are not essential, and enhance the performance",
		"without both %+.1f, %+.1f, %+.1f, %+.1f %% at 100, 50, 33, 25 %%", slower[0],
		slower[1], slower[2], slower[3]);
}

void postman_findings(const struct postman_law *law, const struct postman_table *table)
{
	printf("Figures and findings of the paper\n\n");
	single(law);
	laws(law);
	transposition(table);
	density(table);
	mechanisms(table);
}
