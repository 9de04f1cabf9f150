// SPDX-License-Identifier: GPL-2.0
/* Random networks. */
#include <stdlib.h>

#include "base/random.h"
#include "base/random_graph.h"
#include "base/util.h"

static int compare(const void *a, const void *b)
{
	const struct fc_graph_link *x = a, *y = b;

	if (x->site[0] != y->site[0])
		return x->site[0] < y->site[0] ? -1 : 1;
	return x->site[1] < y->site[1] ? -1 : x->site[1] > y->site[1];
}

static void cycle(struct fc_graph_link *link, u32 sites, struct rng *rng)
{
	u32 site[RANDOM_GRAPH_SITES];

	for (u32 i = 0; i < sites; i++) {
		u32 other = rng_below(rng, i + 1);

		site[i] = site[other];
		site[other] = i;
	}
	for (u32 i = 0; i < sites; i++) {
		u32 a = site[i], b = site[(i + 1) % sites];

		link[i] = (struct fc_graph_link){ { a < b ? a : b, a < b ? b : a } };
	}
}

void random_graph(struct fc_topo *topo, u32 sites, u64 seed)
{
	struct fc_graph_link link[2 * RANDOM_GRAPH_SITES];
	struct rng rng = { seed };
	const char *error;
	bool twice;

	do {
		cycle(link, sites, &rng);
		cycle(link + sites, sites, &rng);
		qsort(link, 2 * sites, sizeof(*link), compare);
		twice = false;
		for (u32 i = 1; i < 2 * sites; i++)
			twice = twice || !compare(&link[i - 1], &link[i]);
	} while (twice);
	error = graph_links(topo, link, 2 * sites);
	if (error)
		die("a random graph: %s", error);
}
