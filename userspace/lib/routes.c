// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * For one target the next hops are a directed graph.  Packets can go round in a strongly connected
 * component of two sites or more, and nowhere else.  The components are found as by R. Tarjan,
 * "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972), without recursion.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "flitcast_routes.h"

#define SITES_MAX	65536
#define LINKS_MAX	2097152

#define NOWHERE		UINT32_MAX

/**
 * struct search - the search for circles to one target
 * @graph: the network
 * @near: by site, the start of its neighbours in @neighbour; one more entry for the end
 * @neighbour: the neighbours of all sites
 * @mark: by site, the site whose neighbour it is, during a check of next hops
 * @start: as @near, for @hop
 * @hop: the next hops of all sites
 * @at: by site, the next hop to follow next
 * @order: by site, when it was reached, from 1; 0: not yet
 * @low: by site, the least @order that it can reach, of sites in @open
 * @part: by site, its component, or NOWHERE
 * @parts: number of components that are complete
 * @path: sites from the root of the search to the current one
 * @depth: number of @path
 * @open: sites that are reached and not yet in a complete component
 * @opens: number of @open
 * @queue: sites to visit, then the sites of a circle
 * @before: by site, the site before it on a shortest path, or NOWHERE
 * @reached: number of sites that are reached
 */
struct search {
	const struct flitcast_graph *graph;
	uint32_t *near;
	uint32_t *neighbour;
	uint32_t *mark;
	uint32_t *start;
	uint32_t *hop;
	uint32_t *at;
	uint32_t *order;
	uint32_t *low;
	uint32_t *part;
	uint32_t parts;
	uint32_t *path;
	uint32_t depth;
	uint32_t *open;
	uint32_t opens;
	uint32_t *queue;
	uint32_t *before;
	uint32_t reached;
};

static int wrong(int error, const char *text, const char **result)
{
	if (result)
		*result = text;
	errno = error;
	return -1;
}

static int check(const struct flitcast_graph *graph, uint32_t first, uint32_t last,
		 const char **error)
{
	uint32_t i;

	if (!graph->sites || graph->sites > SITES_MAX)
		return wrong(EINVAL, "a network has 1 to 65536 sites", error);
	if (graph->links > LINKS_MAX)
		return wrong(EINVAL, "a network has at most 2097152 links", error);
	if (first > last || last >= graph->sites)
		return wrong(EINVAL, "the network has no such target", error);
	for (i = 0; i < graph->links; i++) {
		const uint32_t *site = graph->link[i].site;

		if (site[0] >= graph->sites || site[1] >= graph->sites || site[0] == site[1])
			return wrong(EINVAL, "a link does not join two sites", error);
	}
	return 0;
}

static void search_end(struct search *s)
{
	free(s->near);
	free(s->neighbour);
	free(s->mark);
	free(s->start);
	free(s->hop);
	free(s->at);
	free(s->order);
	free(s->low);
	free(s->part);
	free(s->path);
	free(s->open);
	free(s->queue);
	free(s->before);
}

static uint32_t *numbers(size_t n)
{
	return calloc(n, sizeof(uint32_t));
}

static int search_begin(struct search *s, const struct flitcast_graph *graph)
{
	size_t sites = graph->sites, hops = 2 * (size_t)graph->links;
	uint32_t i, end;

	memset(s, 0, sizeof(*s));
	s->graph = graph;
	s->near = numbers(sites + 1);
	s->neighbour = numbers(hops + 1);
	s->mark = numbers(sites);
	s->start = numbers(sites + 1);
	s->hop = numbers(hops + 1);
	s->at = numbers(sites);
	s->order = numbers(sites);
	s->low = numbers(sites);
	s->part = numbers(sites);
	s->path = numbers(sites);
	s->open = numbers(sites);
	s->queue = numbers(sites);
	s->before = numbers(sites);
	if (!s->near || !s->neighbour || !s->mark || !s->start || !s->hop || !s->at || !s->order ||
	    !s->low || !s->part || !s->path || !s->open || !s->queue || !s->before)
		return -1;
	for (i = 0; i < graph->links; i++)
		for (end = 0; end < 2; end++)
			s->near[graph->link[i].site[end] + 1]++;
	for (i = 0; i < graph->sites; i++)
		s->near[i + 1] += s->near[i];
	memcpy(s->at, s->near, sites * sizeof(*s->at));
	for (i = 0; i < graph->links; i++)
		for (end = 0; end < 2; end++)
			s->neighbour[s->at[graph->link[i].site[end]]++] =
				graph->link[i].site[!end];
	return 0;
}

/* Get the next hops of all sites for a target. */
static int take_hops(struct search *s, const struct flitcast_routes *routes, uint32_t target,
		     const char **error)
{
	uint32_t site, i, n, room;

	memset(s->mark, 0xff, s->graph->sites * sizeof(*s->mark));
	for (site = 0; site < s->graph->sites; site++) {
		room = s->near[site + 1] - s->near[site];
		n = site == target ? 0 : routes->next(routes->data, site, target,
						      s->hop + s->start[site]);
		if (n > room)
			return wrong(EINVAL, "a site has more next hops than neighbours", error);
		for (i = s->near[site]; i < s->near[site + 1]; i++)
			s->mark[s->neighbour[i]] = site;
		s->start[site + 1] = s->start[site] + n;
		for (i = s->start[site]; i < s->start[site + 1]; i++)
			if (s->hop[i] >= s->graph->sites || s->mark[s->hop[i]] != site)
				return wrong(EINVAL, "a next hop is no neighbour", error);
	}
	return 0;
}

/* Find a shortest circle through a site, all of whose component is in @part. */
static void find_circle(struct search *s, uint32_t site, struct flitcast_circle *circle)
{
	uint32_t head = 0, tail = 0, here = site, i;

	s->queue[tail++] = site;
	for (;;) {
		here = s->queue[head++];
		for (i = s->start[here]; i < s->start[here + 1] && s->hop[i] != site; i++) {
			uint32_t next = s->hop[i];

			if (s->part[next] != s->part[site] || s->before[next] != NOWHERE)
				continue;
			s->before[next] = here;
			s->queue[tail++] = next;
		}
		if (i < s->start[here + 1])
			break;
	}
	circle->sites = 1;
	for (i = here; i != site; i = s->before[i])
		circle->sites++;
	for (i = circle->sites; i--; here = s->before[here])
		s->queue[i] = here;
	circle->site = s->queue;
}

/*
 * Complete the component of the current site: it is the last of @open, from the site on.  Return:
 * true if it has a circle.
 */
static bool complete(struct search *s, uint32_t site, struct flitcast_circle *circle)
{
	uint32_t begin = s->opens, least = site, i, k;

	do {
		begin--;
		s->part[s->open[begin]] = s->parts;
		if (s->open[begin] < least)
			least = s->open[begin];
	} while (s->open[begin] != site);
	circle->open = false;
	for (i = begin; i < s->opens; i++)
		for (k = s->start[s->open[i]]; k < s->start[s->open[i] + 1]; k++)
			circle->open |= s->part[s->hop[k]] != s->parts;
	s->parts++;
	k = s->opens - begin;
	s->opens = begin;
	if (k < 2)
		return false;
	find_circle(s, least, circle);
	return true;
}

static void enter(struct search *s, uint32_t site)
{
	s->order[site] = ++s->reached;
	s->low[site] = s->order[site];
	s->at[site] = s->start[site];
	s->path[s->depth++] = site;
	s->open[s->opens++] = site;
}

/* Go on with the search.  Return: true with the next circle, false at its end. */
static bool next_circle(struct search *s, struct flitcast_circle *circle)
{
	uint32_t site, next;

	while (s->depth) {
		site = s->path[s->depth - 1];
		if (s->at[site] < s->start[site + 1]) {
			next = s->hop[s->at[site]++];
			if (!s->order[next])
				enter(s, next);
			else if (s->part[next] == NOWHERE && s->order[next] < s->low[site])
				s->low[site] = s->order[next];
			continue;
		}
		s->depth--;
		next = s->depth ? s->path[s->depth - 1] : site;
		if (s->low[site] < s->low[next])
			s->low[next] = s->low[site];
		if (s->low[site] == s->order[site] && complete(s, site, circle))
			return true;
	}
	return false;
}

static void prepare(struct search *s)
{
	size_t size = s->graph->sites * sizeof(uint32_t);

	memset(s->order, 0, size);
	memset(s->part, 0xff, size);
	memset(s->before, 0xff, size);
	s->parts = 0;
	s->reached = 0;
	s->depth = 0;
	s->opens = 0;
}

int flitcast_routes_circles(const struct flitcast_graph *graph,
			    const struct flitcast_routes *routes, uint32_t first, uint32_t last,
			    int (*found)(void *data, const struct flitcast_circle *circle),
			    void *data, const char **error)
{
	struct flitcast_circle circle;
	bool stop = false;
	struct search s;
	int count = 0;
	uint32_t site;

	if (check(graph, first, last, error))
		return -1;
	if (search_begin(&s, graph)) {
		search_end(&s);
		return wrong(ENOMEM, "not enough memory", error);
	}
	for (circle.target = first; !stop && circle.target <= last; circle.target++) {
		if (take_hops(&s, routes, circle.target, error)) {
			count = -1;
			break;
		}
		prepare(&s);
		for (site = 0; !stop && site < graph->sites; site++) {
			if (!s.order[site])
				enter(&s, site);
			while (!stop && next_circle(&s, &circle)) {
				count++;
				stop = found && found(data, &circle);
			}
		}
	}
	search_end(&s);
	return count;
}
