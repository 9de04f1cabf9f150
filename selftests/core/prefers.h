/* SPDX-License-Identifier: GPL-2.0 */
/* Random preferences among next hops, for fuzzers and models. */
#ifndef SELFTESTS_CORE_PREFERS_H
#define SELFTESTS_CORE_PREFERS_H

#include "core/link/prefer.h"

/* Number of entries of a table; site s has entry s % PREFERS. */
#define PREFERS	3

static inline size_t prefers_size(u32 nsites)
{
	return sizeof(struct fc_prefer_table) + PREFERS * sizeof(struct fc_prefer) + nsites;
}

/* Fill a table of prefers_size() bytes; the number determines its entries.  Return: the table. */
static inline struct fc_prefer_table *prefers_fill(struct fc_prefer_table *table, u32 nsites,
						   u8 ndirs, u32 random)
{
	u32 e, site, all = fc_mask_all(ndirs);
	u8 d;

	memset(table, 0, prefers_size(nsites));
	table->count = PREFERS;
	table->of = (u8 *)&table->entry[PREFERS];
	for (e = 0; e < PREFERS; e++) {
		struct fc_prefer *p = &table->entry[e];

		random = random * 1664525 + 1013904223;
		p->never = random >> 24 & random >> 16 & all;
		p->strict = random & 2048 ? p->never : 0;
		p->weighted = random & 4096 ? random >> 8 & all : 0;
		for (d = 0; d < ndirs; d++) {
			p->weight[d] = 1 + (random >> d) % 3;
			if (!p->weighted && random & 8192)
				p->order[p->count++] = (u8)((d + random) % ndirs);
		}
	}
	for (site = 0; site < nsites; site++)
		table->of[site] = (u8)(site % PREFERS);
	return table;
}

#endif /* SELFTESTS_CORE_PREFERS_H */
