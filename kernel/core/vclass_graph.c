// SPDX-License-Identifier: GPL-2.0
/*
 * Graphs, two classes: up*, then down* (Autonet, 1991).  The root is the site with the
 * smallest sum of distances to the others, and with the smallest number of several such.  Of
 * two neighbours the one nearer to the root is the upper one, or, at the same distance,
 * the one with the smaller number.
 *
 *	class 0		has gone up only, and may still
 *	class 1		goes down
 *
 * A link carries one of the two.  Any site can be reached by the root at least.  Ways are
 * the shortest of those that go up first, and then down; they can be longer than the
 * shortest of all.
 *
 * Rank: class, then the place in the order from the site furthest down to the root in class 0,
 * and in the opposite one in class 1.
 */
#include "topo_graph.h"
#include "vclass_graph.h"
#include "vclass_rules.h"

#define CLASSES	2
#define NONE	0xffff

/*
 * A search for the ways of a site, over (class, site); its memory comes behind the table.
 * In @queue each comes once.
 */
struct search {
	const struct fc_vclass *v;
	u32 *way;
	u16 *distance;
	u16 *queue;
	u32 tail;
};

static u32 rows(const struct fc_topo *topo, u32 site)
{
	return site == FC_SITE_NONE ? topo->nsites : 1;
}

size_t fc_vclass_graph_room(const struct fc_topo *topo, u32 site)
{
	size_t both = (size_t)CLASSES * topo->nsites;

	/* A table for each site, and ways, distances and queue of the search. */
	return both * (rows(topo, site) * sizeof(u32) + sizeof(u32) + 2 * sizeof(u16));
}

/* Does a direction lead up?  To an existing neighbour. */
static bool upwards(const struct fc_vclass *v, u32 site, u8 dir)
{
	const u16 *depth = &v->topo->graph->distance[(size_t)v->root * v->topo->nsites];
	u32 next = fc_topo_neighbour(v->topo, site, dir);

	return depth[next] < depth[site] || (depth[next] == depth[site] && next < site);
}

/* A way to (class, site) of so many links that begins in one of these directions. */
static void reach(struct search *s, u32 at, u16 distance, u32 way)
{
	if (s->distance[at] == NONE) {
		s->distance[at] = distance;
		s->way[at] = 0;
		s->queue[s->tail++] = (u16)at;
	}
	if (s->distance[at] == distance)
		s->way[at] |= way;
}

/* All that a packet can reach that is at @from in @class. */
static void search(struct search *s, u32 from, u32 class)
{
	const struct fc_topo *topo = s->v->topo;
	u32 n = topo->nsites, head = 0, i;

	for (i = 0; i < CLASSES * n; i++)
		s->distance[i] = NONE;
	s->tail = 0;
	reach(s, class * n + from, 0, 0);
	while (head < s->tail) {
		u32 at = s->queue[head++];
		u32 site = at % n;
		u8 d;

		for (d = 0; d < topo->graph->degree[site]; d++) {
			bool up = upwards(s->v, site, d);

			if (up && at >= n)
				continue;
			reach(s, (up ? 0 : n) + fc_topo_neighbour(topo, site, d),
			      s->distance[at] + 1,
			      s->distance[at] ? s->way[at] : fc_bit(d));
		}
	}
}

/* What a packet found, by destination, whichever class it comes there in. */
static void tell(const struct search *s, u32 *way)
{
	u32 n = s->v->topo->nsites, i;

	for (i = 0; i < n; i++) {
		u16 up = s->distance[i], down = s->distance[n + i];

		way[i] = 0;
		if (up != NONE && up <= down)
			way[i] |= s->way[i];
		if (down != NONE && down <= up)
			way[i] |= s->way[n + i];
	}
}

void fc_vclass_graph_fill(struct fc_vclass *v, u32 site, void *room)
{
	u32 n = v->topo->nsites, nrows = rows(v->topo, site), row, class;
	struct search s = { .v = v };

	static_assert(CLASSES * FC_GRAPH_SITES_MAX < NONE, "in 16 bits");
	v->only = site;
	v->way = room;
	s.way = v->way + (size_t)CLASSES * n * nrows;
	s.distance = (u16 *)(s.way + CLASSES * n);
	s.queue = s.distance + CLASSES * n;
	for (row = 0; row < nrows; row++) {
		for (class = 0; class < CLASSES; class++) {
			search(&s, site == FC_SITE_NONE ? row : site, class);
			tell(&s, &v->way[((size_t)row * CLASSES + class) * n]);
		}
	}
}

static const char *init(struct fc_vclass *v)
{
	const struct fc_graph *graph = v->topo->graph;
	u32 least = FC_SITE_NONE, i, j;

	for (i = 0; i < graph->nsites; i++) {
		u32 sum = 0;

		for (j = 0; j < graph->nsites; j++)
			sum += graph->distance[(size_t)i * graph->nsites + j];
		if (sum < least) {
			least = sum;
			v->root = i;
		}
	}
	v->count = CLASSES;
	return NULL;
}

static u8 first(const struct fc_vclass *v, u32 src, u32 dst)
{
	return 0;
}

static u32 wanted(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 row = v->only == FC_SITE_NONE ? site : 0;

	if (!v->way || (v->only != FC_SITE_NONE && v->only != site))
		return 0;
	return v->way[((size_t)row * CLASSES + class) * v->topo->nsites + dst];
}

static u32 onward(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 allowed = mask, left;

	for (left = mask; left; left &= left - 1) {
		u8 d = (u8)fc_low(left);
		bool up = upwards(v, site, d);

		next[d] = !up;
		if (up && class)
			allowed &= ~fc_bit(d);
	}
	return allowed;
}

const struct fc_vclass_rules fc_vclass_graph = {
	.topo = &fc_topo_graph,
	.init = init,
	.first = first,
	.wanted = wanted,
	.onward = onward,
};
