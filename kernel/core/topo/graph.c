// SPDX-License-Identifier: GPL-2.0
/*
 * Graphs: neighbours and distances are in tables, which the links of the network fill.  The
 * directions of a site lead to its neighbours in the order of their numbers.
 */
#include "core/topo/graph.h"
#include "core/topo/rules.h"
#include "core/topo/text.h"

/* No distance. */
#define NONE	0xffff

static u64 digest_add(u64 hash, u32 value)
{
	unsigned int i;

	/* FNV-1a: prime of its 64-bit form. */
	for (i = 0; i < 4; i++)
		hash = (hash ^ (u8)(value >> (24 - 8 * i))) * 0x100000001b3ULL;
	return hash;
}

const char *fc_graph_begin(struct fc_graph *graph, const struct fc_graph_link *link, u32 nlinks)
{
	/* Offset basis. */
	u64 digest = 0xcbf29ce484222325ULL;
	u32 i, nsites = 0;

	static_assert(FC_GRAPH_LINKS_MAX == 8000 && FC_GRAPH_SITES_MAX == 1024,
		      "named in the texts");
	if (!nlinks || nlinks > FC_GRAPH_LINKS_MAX)
		return "a graph has 1 to 8000 links";
	for (i = 0; i < nlinks; i++) {
		const u32 *end = link[i].site, *last = i ? link[i - 1].site : NULL;

		if (end[0] >= end[1])
			return "a link does not name its smaller end first, and then another";
		if (end[1] >= FC_GRAPH_SITES_MAX)
			return "too many sites for a graph: at most 1024, from 0";
		if (last && (last[0] > end[0] || (last[0] == end[0] && last[1] >= end[1])))
			return "the links are not in ascending order, each of them once";
		if (end[1] >= nsites)
			nsites = end[1] + 1;
		digest = digest_add(digest_add(digest, end[0]), end[1]);
	}
	*graph = (struct fc_graph){
		.link = link, .nlinks = nlinks, .nsites = nsites, .digest = digest,
	};
	return NULL;
}

size_t fc_graph_room(const struct fc_graph *graph)
{
	size_t n = graph->nsites, slots = n * FC_DIRS_MAX;

	return (n * n + n + slots) * sizeof(u16) + (slots + n) * sizeof(u8);
}

/* Links are in ascending order, so those of a site are met in the order of its neighbours. */
static bool join(struct fc_graph *graph, u32 a, u32 b)
{
	u8 x = graph->degree[a], y = graph->degree[b];

	if (x == FC_DIRS_MAX || y == FC_DIRS_MAX)
		return false;
	graph->neighbour[a * FC_DIRS_MAX + x] = (u16)b;
	graph->neighbour[b * FC_DIRS_MAX + y] = (u16)a;
	graph->back[a * FC_DIRS_MAX + x] = y;
	graph->back[b * FC_DIRS_MAX + y] = x;
	graph->degree[a] = x + 1;
	graph->degree[b] = y + 1;
	return true;
}

/* Distances of all sites from one.  Return: how many sites it reaches, with itself. */
static u32 measure(struct fc_graph *graph, u32 from)
{
	u16 *distance = &graph->distance[(size_t)from * graph->nsites];
	u32 head = 0, tail = 0, i;

	for (i = 0; i < graph->nsites; i++)
		distance[i] = NONE;
	distance[from] = 0;
	graph->queue[tail++] = (u16)from;
	while (head < tail) {
		u32 site = graph->queue[head++];

		for (i = 0; i < graph->degree[site]; i++) {
			u16 next = graph->neighbour[site * FC_DIRS_MAX + i];

			if (distance[next] != NONE)
				continue;
			distance[next] = distance[site] + 1;
			graph->queue[tail++] = next;
		}
	}
	return tail;
}

const char *fc_graph_fill(struct fc_graph *graph, void *room)
{
	u32 n = graph->nsites, i;

	graph->distance = room;
	graph->queue = graph->distance + (size_t)n * n;
	graph->neighbour = graph->queue + n;
	graph->back = (u8 *)(graph->neighbour + n * FC_DIRS_MAX);
	graph->degree = graph->back + n * FC_DIRS_MAX;
	graph->ndirs = 0;
	memset(graph->degree, 0, n);
	static_assert(FC_DIRS_MAX == 30, "named in the text");
	for (i = 0; i < graph->nlinks; i++)
		if (!join(graph, graph->link[i].site[0], graph->link[i].site[1]))
			return "a site has more than 30 links";
	for (i = 0; i < n; i++) {
		if (measure(graph, i) < n)
			return "the graph is not connected";
		if (graph->degree[i] > graph->ndirs)
			graph->ndirs = graph->degree[i];
	}
	return NULL;
}

void fc_graph_topo(struct fc_topo *topo, const struct fc_graph *graph)
{
	*topo = (struct fc_topo){
		.ops = &fc_topo_graph, .ndims = 1, .ndirs = graph->ndirs,
		.size = { graph->nsites }, .nsites = graph->nsites, .graph = graph,
	};
}

static const char *graph_parse(struct fc_topo *topo, const char *args)
{
	return "a graph is given by its links";
}

static void graph_print(const struct fc_topo *topo, char *buf, size_t size)
{
	/* By halves: on 32 bits a shift by any number would call into libgcc. */
	const u32 half[2] = { (u32)(topo->graph->digest >> 32), (u32)topo->graph->digest };
	unsigned int i;

	buf[0] = '\0';
	fc_topo_text_put(buf, size, topo->nsites);
	fc_topo_text_putc(buf, size, ':');
	for (i = 0; i < 16; i++) {
		u32 digit = half[i / 8] >> (28 - i % 8 * 4) & 15;

		fc_topo_text_putc(buf, size, "0123456789abcdef"[digit]);
	}
}

static bool has(const struct fc_topo *topo, u32 site, u8 dir)
{
	return site < topo->nsites && dir < topo->graph->degree[site];
}

static u32 graph_neighbour(const struct fc_topo *topo, u32 site, u8 dir)
{
	if (!has(topo, site, dir))
		return FC_SITE_NONE;
	return topo->graph->neighbour[site * FC_DIRS_MAX + dir];
}

static u8 graph_arrival(const struct fc_topo *topo, u32 site, u8 dir)
{
	return has(topo, site, dir) ? topo->graph->back[site * FC_DIRS_MAX + dir] : 0;
}

static u32 graph_distance(const struct fc_topo *topo, u32 from, u32 to)
{
	return topo->graph->distance[(size_t)to * topo->nsites + from];
}

static u32 graph_minimal(const struct fc_topo *topo, u32 from, u32 to)
{
	const u16 *next = &topo->graph->neighbour[from * FC_DIRS_MAX];
	const u16 *distance = &topo->graph->distance[(size_t)to * topo->nsites];
	u32 mask = 0;
	u8 d;

	for (d = 0; d < topo->graph->degree[from]; d++)
		if (distance[next[d]] < distance[from])
			mask |= fc_bit(d);
	return mask;
}

static void graph_dir_name(const struct fc_topo *topo, u8 dir, char buf[8])
{
	buf[0] = 'n';
	buf[1] = '\0';
	fc_topo_text_put(buf, 8, dir + 1u);
}

/*
 * Virtual networks of graphs, two classes: up*, then down* (Autonet, 1991).  The root is the
 * site with the smallest sum of distances to the others, and with the smallest number of
 * several such.  Of two neighbours the one nearer to the root is the upper one, or, at the same
 * distance, the one with the smaller number.
 *
 *	class 0		has gone up only, and may still
 *	class 1		goes down
 *
 * A link carries one of the two.  Any site can be reached by the root at least.  A route is a
 * shortest path of those that go up first, and then down; it can be longer than the shortest of
 * all.
 *
 * Rank: class, then the place in the order from the site furthest down to the root in class 0,
 * and in the opposite one in class 1.
 */

#define CLASSES	2

/*
 * A search for the routes of a site, over (class, site); its memory is behind the table.  Each pair
 * enters @queue once.
 */
struct search {
	const struct fc_vclass *v;
	u32 *next_hop;
	u16 *distance;
	u16 *queue;
	u32 tail;
};

static u32 rows(const struct fc_topo *topo, u32 site)
{
	return site == FC_SITE_NONE ? topo->nsites : 1;
}

static size_t graph_vclass_room(const struct fc_vclass *v, u32 site)
{
	size_t both = (size_t)CLASSES * v->topo->nsites;

	/* A table for each site, and next hops, distances and queue of the search. */
	return both * (rows(v->topo, site) * sizeof(u32) + sizeof(u32) + 2 * sizeof(u16));
}

/* Does a direction lead up?  To an existing neighbour. */
static bool upwards(const struct fc_vclass *v, u32 site, u8 dir)
{
	const u16 *depth = &v->topo->graph->distance[(size_t)v->root * v->topo->nsites];
	u32 next = fc_topo_neighbour(v->topo, site, dir);

	return depth[next] < depth[site] || (depth[next] == depth[site] && next < site);
}

/* Records routes of @distance links to @at, a (class, site), which begin in these directions. */
static void reach(struct search *s, u32 at, u16 distance, u32 next_hop)
{
	if (s->distance[at] == NONE) {
		s->distance[at] = distance;
		s->next_hop[at] = 0;
		s->queue[s->tail++] = (u16)at;
	}
	if (s->distance[at] == distance)
		s->next_hop[at] |= next_hop;
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
			      s->distance[at] ? s->next_hop[at] : fc_bit(d));
		}
	}
}

/* The directions of the shortest routes to each site, in whichever class a packet ends there. */
static void fill_row(const struct search *s, u32 *next_hop)
{
	u32 n = s->v->topo->nsites, i;

	for (i = 0; i < n; i++) {
		u16 up = s->distance[i], down = s->distance[n + i];

		next_hop[i] = 0;
		if (up != NONE && up <= down)
			next_hop[i] |= s->next_hop[i];
		if (down != NONE && down <= up)
			next_hop[i] |= s->next_hop[n + i];
	}
}

static void graph_vclass_fill(struct fc_vclass *v, u32 site, void *room)
{
	u32 n = v->topo->nsites, nrows = rows(v->topo, site), row, class;
	struct search s = { .v = v };

	static_assert(CLASSES * FC_GRAPH_SITES_MAX < NONE, "in 16 bits");
	v->only = site;
	v->next_hop = room;
	s.next_hop = v->next_hop + (size_t)CLASSES * n * nrows;
	s.distance = (u16 *)(s.next_hop + CLASSES * n);
	s.queue = s.distance + CLASSES * n;
	for (row = 0; row < nrows; row++) {
		for (class = 0; class < CLASSES; class++) {
			search(&s, site == FC_SITE_NONE ? row : site, class);
			fill_row(&s, &v->next_hop[((size_t)row * CLASSES + class) * n]);
		}
	}
}

static const char *graph_vclass_init(struct fc_vclass *v)
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

static u8 graph_vclass_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	return 0;
}

static u32 graph_vclass_productive(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	u32 row = v->only == FC_SITE_NONE ? site : 0;

	if (!v->next_hop || (v->only != FC_SITE_NONE && v->only != site))
		return 0;
	return v->next_hop[((size_t)row * CLASSES + class) * v->topo->nsites + dst];
}

static u32 graph_vclass_allowed(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
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

static const struct fc_vclass_rules graph_vclass = {
	.init = graph_vclass_init,
	.room = graph_vclass_room,
	.fill = graph_vclass_fill,
	.first = graph_vclass_first,
	.productive = graph_vclass_productive,
	.allowed = graph_vclass_allowed,
};

const struct fc_topo_ops fc_topo_graph = {
	.name = "graph",
	.usage = "graph:FILE",
	.parse = graph_parse,
	.print = graph_print,
	.neighbour = graph_neighbour,
	.arrival = graph_arrival,
	.minimal = graph_minimal,
	.distance = graph_distance,
	.dir_name = graph_dir_name,
	.vclass = &graph_vclass,
};
