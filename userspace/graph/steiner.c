// SPDX-License-Identifier: GPL-2.0
/*
 * The exact number of links is computed by the dynamic programme of Dreyfus and Wagner (The Steiner
 * problem in graphs, Networks 1, 1971) over the subsets of the targets.
 */
#include <stdlib.h>
#include "core/faults/routes.h"
#include "steiner.h"

/* Distance of an unreachable site; the sum of two fits u32. */
#define FAR	0x3fffffffU

/**
 * struct search - a computation
 * @topo: topology
 * @down: argument of steiner_tree(), or NULL if no link is dead
 * @from: source
 * @target: reachable targets, each once, without the source
 * @n: number of @target
 * @far: by site, its distance from the source, if links are dead
 * @queue: by site, for searches
 */
struct search {
	const struct fc_topo *topo;
	const u32 *down;
	u32 from;
	u32 *target;
	u32 n;
	u32 *far;
	u32 *queue;
};

/**
 * struct programme - tables of the dynamic programme
 * @peer: by site and direction, the neighbour, or FC_SITE_NONE where no link works
 * @best: by subset of the targets and site, links of the shortest tree that joins these
 * @sorted: by place, sites in the order of their values
 * @count: by value, number of sites; then the place of the next one in @sorted
 * @queue: sites whose values have decreased
 */
struct programme {
	u32 *peer;
	u32 *best;
	u32 *sorted;
	u32 *count;
	u32 *queue;
};

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

static u32 most(u32 a, u32 b)
{
	return a > b ? a : b;
}

static u32 distance(const struct search *s, u32 a, u32 b)
{
	return s->topo->ops->distance(s->topo, a, b);
}

/* Neighbour over a working link, or FC_SITE_NONE. */
static u32 working_peer(const struct search *s, u32 site, u8 dir)
{
	if (s->down && !fc_routes_link_works(s->topo, s->down, site, dir))
		return FC_SITE_NONE;
	return fc_topo_neighbour(s->topo, site, dir);
}

/* Compute distances from the source over working links. */
static void search_from(struct search *s)
{
	u32 head = 0, tail = 0, i;

	for (i = 0; i < s->topo->nsites; i++)
		s->far[i] = FAR;
	s->far[s->from] = 0;
	s->queue[tail++] = s->from;
	while (head < tail) {
		u32 site = s->queue[head++];
		u8 dir;

		for (dir = 0; dir < s->topo->ndirs; dir++) {
			u32 peer = working_peer(s, site, dir);

			if (peer == FC_SITE_NONE || s->far[peer] != FAR)
				continue;
			s->far[peer] = s->far[site] + 1;
			s->queue[tail++] = peer;
		}
	}
}

/* Do the targets and their source form a connected network?  @apart: by site, is it a target. */
static bool is_together(struct search *s, bool *apart)
{
	u32 head = 0, tail = 0;

	s->queue[tail++] = s->from;
	while (head < tail) {
		u32 site = s->queue[head++];
		u8 dir;

		for (dir = 0; dir < s->topo->ndirs; dir++) {
			u32 peer = working_peer(s, site, dir);

			if (peer == FC_SITE_NONE || !apart[peer])
				continue;
			apart[peer] = false;
			s->queue[tail++] = peer;
		}
	}
	return tail == s->n + 1;
}

static u32 far_of(const struct search *s, u32 site)
{
	return s->down ? s->far[site] : distance(s, s->from, site);
}

/*
 * A walk around a tree uses each link twice and visits all of its n + 1 sites: without the longest
 * of its n + 1 parts it spans their distances.  So the tree has at least (n + 1) / 2n times the
 * links of the smallest spanning tree.  Dead links only make distances longer.
 * @near: scratch space, one number for each target.
 */
static u32 half_span(struct search *s, u32 *near)
{
	u32 i, k, site = s->from, last = s->n;
	u64 span = 0;

	for (i = 0; i < s->n; i++)
		near[i] = FAR;
	for (k = 0; k < s->n; k++) {
		u32 next = 0;

		for (i = 0; i < last; i++) {
			near[i] = least(near[i], distance(s, site, s->target[i]));
			if (near[i] < near[next])
				next = i;
		}
		span += near[next];
		site = s->target[next];
		/* Move the targets in the tree to the end. */
		last--;
		s->target[next] = s->target[last];
		s->target[last] = site;
		near[next] = near[last];
	}
	return (u32)((span * (s->n + 1) + 2 * s->n - 1) / (2 * s->n));
}

/* Move @n targets to the front that are far from each other and from the source. */
static void spread_first(struct search *s, u32 n, u32 *near)
{
	u32 i, k, site = s->from;

	for (i = 0; i < s->n; i++)
		near[i] = FAR;
	for (k = 0; k < n; k++) {
		u32 next = k;

		for (i = k; i < s->n; i++) {
			near[i] = least(near[i], distance(s, site, s->target[i]));
			if (near[i] > near[next])
				next = i;
		}
		site = s->target[next];
		s->target[next] = s->target[k];
		s->target[k] = site;
		near[next] = near[k];
	}
}

/*
 * Sort the sites by their values.  Skip values larger than a tree of all sites: such a site gets
 * its least value from its neighbours.  Return: number of sites with a value.
 */
static u32 sort(struct programme *p, u32 *values, u32 sites)
{
	u32 i, n = 0;

	for (i = 0; i < sites; i++)
		p->count[i] = 0;
	for (i = 0; i < sites; i++) {
		if (values[i] < sites)
			p->count[values[i]]++;
		else
			values[i] = FAR;
	}
	for (i = 0; i < sites; i++) {
		u32 first = n;

		n += p->count[i];
		p->count[i] = first;
	}
	for (i = 0; i < sites; i++)
		if (values[i] != FAR)
			p->sorted[p->count[values[i]]++] = i;
	return n;
}

/*
 * Relax: lower the value of each site to that of a neighbour plus one link.  Process sites in the
 * order of their values, from two sorted queues, so that each value is lowered at most once.
 */
static void relax(const struct search *s, struct programme *p, u32 *values)
{
	u32 ndirs = s->topo->ndirs, n = sort(p, values, s->topo->nsites);
	u32 at = 0, head = 0, tail = 0;

	while (at < n || head < tail) {
		u32 site, dir;

		if (head == tail || (at < n && values[p->sorted[at]] <= values[p->queue[head]]))
			site = p->sorted[at++];
		else
			site = p->queue[head++];
		for (dir = 0; dir < ndirs; dir++) {
			u32 peer = p->peer[site * ndirs + dir];

			if (peer == FC_SITE_NONE || values[peer] <= values[site] + 1)
				continue;
			values[peer] = values[site] + 1;
			p->queue[tail++] = peer;
		}
	}
}

/* Join the trees of two parts of a subset at each site, for all pairs of parts. */
static void merge(struct programme *p, u32 subset, u32 sites)
{
	u32 *values = p->best + (size_t)subset * sites;
	u32 lowest = subset & -subset, part, i;

	for (part = (subset - 1) & subset; part; part = (part - 1) & subset) {
		const u32 *one = p->best + (size_t)part * sites;
		const u32 *other = p->best + (size_t)(subset ^ part) * sites;

		if (!(part & lowest))
			continue;
		for (i = 0; i < sites; i++)
			values[i] = least(values[i], one[i] + other[i]);
	}
}

static bool fits(const struct search *s, u32 n)
{
	u32 sites = s->topo->nsites;

	return n <= STEINER_TARGETS && sites <= STEINER_ROOM >> n &&
	       sites <= STEINER_ROOM / s->topo->ndirs;
}

/* Return: the links of the tree of the first @n targets, or FAR without enough memory. */
static u32 exact_links(const struct search *s, u32 n)
{
	u32 sites = s->topo->nsites, ndirs = s->topo->ndirs, links = FAR, subset, site;
	struct programme p = {
		.peer = malloc((size_t)sites * ndirs * sizeof(*p.peer)),
		.best = malloc(((size_t)sites << n) * sizeof(*p.best)),
		.sorted = malloc(sites * sizeof(*p.sorted)),
		.count = malloc(sites * sizeof(*p.count)),
		.queue = malloc(sites * sizeof(*p.queue)),
	};
	size_t i;

	if (!p.peer || !p.best || !p.sorted || !p.count || !p.queue)
		goto out;
	for (site = 0; site < sites; site++)
		for (i = 0; i < ndirs; i++)
			p.peer[site * ndirs + i] = working_peer(s, site, (u8)i);
	for (i = 0; i < (size_t)sites << n; i++)
		p.best[i] = FAR;
	for (subset = 1; subset < 1U << n; subset++) {
		u32 *values = p.best + (size_t)subset * sites;

		if (subset & (subset - 1))
			merge(&p, subset, sites);
		else
			values[s->target[fc_low(subset)]] = 0;
		relax(s, &p, values);
	}
	links = p.best[(size_t)sites * ((1U << n) - 1) + s->from];
out:
	free(p.peer);
	free(p.best);
	free(p.sorted);
	free(p.count);
	free(p.queue);
	return links;
}

/* Collect the reachable targets, each once, without the source. */
static void take_targets(struct search *s, const u32 *target, u32 n, bool *among)
{
	u32 i;

	for (i = 0; i < n; i++) {
		u32 site = target[i];

		if (site == s->from || among[site] || far_of(s, site) == FAR)
			continue;
		among[site] = true;
		s->target[s->n++] = site;
	}
}

/* Compute the largest lower bound.  Return: false without enough memory. */
static bool bound(struct search *s, struct steiner *tree, u32 *near)
{
	u32 n = s->n, i, links;

	/* The exact tree of some of the targets is a lower bound of the tree of all. */
	if (n > STEINER_TARGETS)
		n = STEINER_TARGETS;
	while (n > 1 && !fits(s, n))
		n--;
	if (n < s->n) {
		tree->links = s->n;
		for (i = 0; i < s->n; i++)
			tree->links = most(tree->links, far_of(s, s->target[i]));
		if (s->n <= STEINER_SPAN)
			tree->links = most(tree->links, half_span(s, near));
		spread_first(s, n, near);
	}
	if (n < 2)
		return true;
	links = exact_links(s, n);
	tree->links = most(tree->links, links);
	tree->exact = n == s->n;
	return links != FAR;
}

bool steiner_tree(struct steiner *tree, const struct fc_topo *topo, const u32 *down, u32 from,
		  const u32 *target, u32 n)
{
	struct search s = { .topo = topo, .from = from };
	bool *among = calloc(topo->nsites, sizeof(*among));
	u32 *near = malloc(((size_t)n + 1) * sizeof(*near));
	bool done = false;
	u32 i;

	*tree = (struct steiner){ 0 };
	for (i = 0; down && i < topo->nsites; i++)
		if (down[i])
			s.down = down;
	s.target = malloc(((size_t)n + 1) * sizeof(*s.target));
	s.queue = malloc(topo->nsites * sizeof(*s.queue));
	s.far = s.down ? malloc(topo->nsites * sizeof(*s.far)) : NULL;
	if (!among || !near || !s.target || !s.queue || (s.down && !s.far))
		goto out;
	if (s.down)
		search_from(&s);
	take_targets(&s, target, n, among);
	tree->targets = s.n;
	if (is_together(&s, among)) {
		tree->links = s.n;
		tree->exact = true;
		done = true;
	} else if (s.n == 1) {
		tree->links = far_of(&s, s.target[0]);
		tree->exact = true;
		done = true;
	} else {
		done = bound(&s, tree, near);
	}
out:
	free(among);
	free(near);
	free(s.target);
	free(s.queue);
	free(s.far);
	return done;
}
