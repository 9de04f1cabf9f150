// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Node-disjoint paths to one site are a flow in which each site carries one unit: site v is an arc
 * from its entrance 2v to its exit 2v+1, a link two arcs from exit to entrance, of length 1.
 * Successive shortest paths in the residual network give k units of the least total length.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "flitcast_paths.h"

#define SITES_MAX	65536
#define LINKS_MAX	2097152
#define COPIES_MAX	255

#define NOWHERE		UINT32_MAX

/**
 * struct flow - the residual network as arcs
 * @to: by arc, the node that it leads to; arc @a ^ 1 is @a backwards
 * @length: by arc, its length
 * @free: by arc, whether it has residual capacity
 * @next: by arc, the next one from the same node
 * @first: by node, its first arc
 * @arcs: number of arcs
 * @far: by node, the distance from the source
 * @by: by node, the arc on which it was reached
 * @queue: ring of nodes to visit
 * @queued: by node, is it in @queue
 */
struct flow {
	uint32_t *to;
	int8_t *length;
	bool *free;
	uint32_t *next;
	uint32_t *first;
	uint32_t arcs;
	int32_t *far;
	uint32_t *by;
	uint32_t *queue;
	bool *queued;
};

/**
 * struct tree - tree of the hops found so far
 * @paths: result
 * @room: capacity in hops
 * @child: by hop, the successor found last
 * @sibling: by hop, the successor of the same hop found before it
 * @roots: hop from the source found last
 * @used: by arc of a link, labels assigned
 */
struct tree {
	struct flitcast_paths paths;
	uint32_t room;
	uint32_t *child;
	uint32_t *sibling;
	uint32_t roots;
	uint32_t *used;
};

static int wrong(int error, const char *text, const char **result)
{
	if (result)
		*result = text;
	errno = error;
	return -1;
}

static int no_memory(const char **result)
{
	return wrong(ENOMEM, "not enough memory", result);
}

static int order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int check_graph(const struct flitcast_graph *graph, const char **error)
{
	uint64_t *pair;
	uint32_t i;

	if (!graph->sites || graph->sites > SITES_MAX)
		return wrong(EINVAL, "a network has 1 to 65536 sites", error);
	if (graph->links > LINKS_MAX)
		return wrong(EINVAL, "a network has at most 2097152 links", error);
	pair = calloc(graph->links + 1, sizeof(*pair));
	if (!pair)
		return no_memory(error);
	for (i = 0; i < graph->links; i++) {
		uint64_t a = graph->link[i].site[0], b = graph->link[i].site[1];

		if (a >= graph->sites || b >= graph->sites || a == b) {
			free(pair);
			return wrong(EINVAL, "a link does not join two sites", error);
		}
		pair[i] = a < b ? a << 32 | b : b << 32 | a;
	}
	qsort(pair, graph->links, sizeof(*pair), order);
	for (i = 1; i < graph->links; i++) {
		if (pair[i] == pair[i - 1]) {
			free(pair);
			return wrong(EINVAL, "two links join the same sites", error);
		}
	}
	free(pair);
	return 0;
}

static void add_arc(struct flow *flow, uint32_t from, uint32_t to, int8_t length)
{
	uint32_t ends[2] = { from, to };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		uint32_t arc = flow->arcs++;

		flow->to[arc] = ends[!i];
		flow->length[arc] = i ? -length : length;
		flow->next[arc] = flow->first[ends[i]];
		flow->first[ends[i]] = arc;
	}
}

/* Arcs of links come first: 4i from end 0 to end 1 of link i, 4i + 2 in the other direction. */
static bool flow_build(struct flow *flow, const struct flitcast_graph *graph)
{
	uint32_t nodes = 2 * graph->sites, arcs = 4 * graph->links + 2 * graph->sites, i;

	flow->to = calloc(arcs, sizeof(*flow->to));
	flow->length = calloc(arcs, sizeof(*flow->length));
	flow->free = calloc(arcs, sizeof(*flow->free));
	flow->next = calloc(arcs, sizeof(*flow->next));
	flow->first = calloc(nodes, sizeof(*flow->first));
	flow->far = calloc(nodes, sizeof(*flow->far));
	flow->by = calloc(nodes, sizeof(*flow->by));
	flow->queue = calloc(nodes, sizeof(*flow->queue));
	flow->queued = calloc(nodes, sizeof(*flow->queued));
	if (!flow->to || !flow->length || !flow->free || !flow->next || !flow->first ||
	    !flow->far || !flow->by || !flow->queue || !flow->queued)
		return false;
	memset(flow->first, 0xff, nodes * sizeof(*flow->first));
	for (i = 0; i < graph->links; i++) {
		uint32_t a = graph->link[i].site[0], b = graph->link[i].site[1];

		add_arc(flow, 2 * a + 1, 2 * b, 1);
		add_arc(flow, 2 * b + 1, 2 * a, 1);
	}
	for (i = 0; i < graph->sites; i++)
		add_arc(flow, 2 * i, 2 * i + 1, 0);
	return true;
}

static void flow_free(struct flow *flow)
{
	free(flow->to);
	free(flow->length);
	free(flow->free);
	free(flow->next);
	free(flow->first);
	free(flow->far);
	free(flow->by);
	free(flow->queue);
	free(flow->queued);
}

/* Push one more unit along the shortest path.  Arcs may have negative lengths, but no cycle. */
static bool flow_push(struct flow *flow, uint32_t nodes, uint32_t from, uint32_t to)
{
	uint32_t head = 0, count = 0, arc, node;

	for (node = 0; node < nodes; node++)
		flow->far[node] = INT32_MAX;
	flow->far[from] = 0;
	flow->queue[count++] = from;
	while (count) {
		node = flow->queue[head];
		head = (head + 1) % nodes;
		count--;
		flow->queued[node] = false;
		for (arc = flow->first[node]; arc != NOWHERE; arc = flow->next[arc]) {
			uint32_t next = flow->to[arc];

			if (!flow->free[arc] ||
			    flow->far[node] + flow->length[arc] >= flow->far[next])
				continue;
			flow->far[next] = flow->far[node] + flow->length[arc];
			flow->by[next] = arc;
			if (flow->queued[next])
				continue;
			flow->queued[next] = true;
			flow->queue[(head + count++) % nodes] = next;
		}
	}
	if (flow->far[to] == INT32_MAX)
		return false;
	for (node = to; node != from; node = flow->to[arc ^ 1]) {
		arc = flow->by[node];
		flow->free[arc] = false;
		flow->free[arc ^ 1] = true;
	}
	return true;
}

static bool tree_grow(struct tree *tree)
{
	uint32_t room = tree->room ? 2 * tree->room : 1024;
	struct flitcast_hop *hop;
	uint32_t *link;

	hop = realloc(tree->paths.hop, room * sizeof(*hop));
	if (!hop)
		return false;
	tree->paths.hop = hop;
	link = realloc(tree->child, room * sizeof(*link));
	if (!link)
		return false;
	tree->child = link;
	link = realloc(tree->sibling, room * sizeof(*link));
	if (!link)
		return false;
	tree->sibling = link;
	tree->room = room;
	return true;
}

/* Find or add the hop over an arc after @before.  Return: its index; NOWHERE: no memory. */
static uint32_t tree_hop(struct tree *tree, uint32_t before, uint32_t arc, uint32_t site)
{
	uint32_t *last, i;

	for (i = before == FLITCAST_HOP_NONE ? tree->roots : tree->child[before];
	     i != FLITCAST_HOP_NONE; i = tree->sibling[i])
		if (tree->paths.hop[i].site == site)
			return i;
	if (tree->paths.hops == tree->room && !tree_grow(tree))
		return NOWHERE;
	i = tree->paths.hops++;
	last = before == FLITCAST_HOP_NONE ? &tree->roots : &tree->child[before];
	tree->child[i] = FLITCAST_HOP_NONE;
	tree->sibling[i] = *last;
	*last = i;
	tree->paths.hop[i] = (struct flitcast_hop){
		.before = before,
		.link = arc / 4,
		.site = site,
		.links = before == FLITCAST_HOP_NONE ? 1 : tree->paths.hop[before].links + 1,
		.label = tree->used[arc / 2]++,
	};
	return i;
}

/* Next arc after @from on which a unit leaves the exit of a site; NOWHERE: none. */
static uint32_t leaving(const struct flow *flow, uint32_t node, uint32_t links, uint32_t from)
{
	uint32_t arc = from == NOWHERE ? flow->first[node] : flow->next[from];

	/* Even arcs are forward arcs; arcs beyond the links are those within a site. */
	while (arc != NOWHERE && (arc & 1 || arc >= 4 * links || flow->free[arc]))
		arc = flow->next[arc];
	return arc;
}

/* Add the paths of a flow to the tree.  @last: gets the last hop of each path. */
static bool tree_add(struct tree *tree, const struct flow *flow, uint32_t links, uint32_t to,
		     uint32_t *last)
{
	uint32_t source = tree->paths.source, first = NOWHERE, k;

	for (k = 0; k < tree->paths.copies; k++) {
		uint32_t hop = FLITCAST_HOP_NONE, arc;

		first = leaving(flow, 2 * source + 1, links, first);
		for (arc = first;; arc = leaving(flow, flow->to[arc] + 1, links, NOWHERE)) {
			hop = tree_hop(tree, hop, arc, flow->to[arc] / 2);
			if (hop == NOWHERE)
				return false;
			if (flow->to[arc] / 2 == to)
				break;
		}
		last[k] = hop;
	}
	return true;
}

/* Number the copies of each site by the length of their paths, from 1. */
static void number_copies(struct flitcast_paths *paths, const uint32_t *last)
{
	uint32_t i, j;

	for (i = 0; i < paths->copies; i++) {
		struct flitcast_hop *hop = &paths->hop[last[i]];

		hop->copy = 1;
		for (j = 0; j < paths->copies; j++) {
			uint32_t other = paths->hop[last[j]].links;

			if (other < hop->links || (other == hop->links && j < i))
				hop->copy++;
		}
	}
}

static int find_all(struct tree *tree, struct flow *flow, const struct flitcast_graph *graph,
		    const char **error)
{
	uint32_t source = tree->paths.source, last[COPIES_MAX], site, arc, k;

	for (site = 0; site < graph->sites; site++) {
		if (site == source)
			continue;
		for (arc = 0; arc < flow->arcs; arc++)
			flow->free[arc] = !(arc & 1);
		for (k = 0; k < tree->paths.copies; k++)
			if (!flow_push(flow, 2 * graph->sites, 2 * source + 1, 2 * site))
				return wrong(EHOSTUNREACH, "fewer node-disjoint paths than copies",
					     error);
		if (!tree_add(tree, flow, graph->links, site, last))
			return no_memory(error);
		number_copies(&tree->paths, last);
	}
	return 0;
}

int flitcast_paths_find(struct flitcast_paths *paths, const struct flitcast_graph *graph,
			uint32_t source, unsigned int copies, const char **error)
{
	struct tree tree = {
		.paths = { .source = source, .copies = copies }, .roots = FLITCAST_HOP_NONE,
	};
	struct flow flow = { 0 };
	int result = -1;

	if (check_graph(graph, error))
		return -1;
	if (source >= graph->sites)
		return wrong(EINVAL, "the network has no such source", error);
	if (!copies || copies > COPIES_MAX)
		return wrong(EINVAL, "a broadcast has 1 to 255 copies", error);
	tree.used = calloc(2 * graph->links + 1, sizeof(*tree.used));
	if (!tree.used || !flow_build(&flow, graph))
		no_memory(error);
	else
		result = find_all(&tree, &flow, graph, error);
	if (result)
		flitcast_paths_free(&tree.paths);
	else
		*paths = tree.paths;
	flow_free(&flow);
	free(tree.child);
	free(tree.sibling);
	free(tree.used);
	return result;
}

/* Check that a hop is well-formed, and begins where its predecessor ends. */
static const char *check_hop(const struct flitcast_paths *paths,
			     const struct flitcast_graph *graph, uint32_t i)
{
	const struct flitcast_hop *hop = &paths->hop[i];
	uint32_t at = paths->source, links = 1;
	const uint32_t *ends;

	if (hop->before != FLITCAST_HOP_NONE) {
		if (hop->before >= i)
			return "a hop comes before what it follows";
		at = paths->hop[hop->before].site;
		links = paths->hop[hop->before].links + 1;
	}
	if (hop->link >= graph->links)
		return "a hop is over no link";
	ends = graph->link[hop->link].site;
	if (!(ends[0] == at && ends[1] == hop->site) && !(ends[1] == at && ends[0] == hop->site))
		return "a hop does not begin where the one before it ends";
	if (hop->links != links)
		return "a hop has another length";
	if (hop->site == paths->source)
		return "a hop leads back to the source";
	if (hop->copy > paths->copies)
		return "a site has more copies than there are";
	return NULL;
}

/**
 * struct check - state of flitcast_paths_check()
 * @label: by hop, its arc and its label in one number, to be sorted
 * @copy: by site and copy, the hop
 * @mark: by site, the last target with a path through it
 * @leads: by hop, does it lead to a copy
 */
struct check {
	uint64_t *label;
	uint32_t *copy;
	uint32_t *mark;
	bool *leads;
};

static const char *check_copies(const struct flitcast_paths *paths, struct check *check,
				uint32_t site)
{
	uint32_t k, hop;

	for (k = 0; k < paths->copies; k++) {
		hop = check->copy[(size_t)site * paths->copies + k];
		if (hop == NOWHERE)
			return "a site misses a copy";
		check->leads[hop] = true;
		for (hop = paths->hop[hop].before; hop != FLITCAST_HOP_NONE;
		     hop = paths->hop[hop].before) {
			uint32_t at = paths->hop[hop].site;

			if (at == site || check->mark[at] == site)
				return "a site is on two paths";
			check->mark[at] = site;
			check->leads[hop] = true;
		}
	}
	return NULL;
}

static const char *check_all(const struct flitcast_paths *paths,
			     const struct flitcast_graph *graph, struct check *check)
{
	const char *bad;
	uint32_t i;

	memset(check->copy, 0xff, (size_t)graph->sites * paths->copies * sizeof(*check->copy));
	memset(check->mark, 0xff, graph->sites * sizeof(*check->mark));
	for (i = 0; i < paths->hops; i++) {
		const struct flitcast_hop *hop = &paths->hop[i];
		uint32_t *copy;

		bad = check_hop(paths, graph, i);
		if (bad)
			return bad;
		check->label[i] = (uint64_t)hop->link << 1;
		check->label[i] |= graph->link[hop->link].site[1] == hop->site;
		check->label[i] = check->label[i] << 32 | hop->label;
		if (!hop->copy)
			continue;
		copy = &check->copy[(size_t)hop->site * paths->copies + hop->copy - 1];
		if (*copy != NOWHERE)
			return "a site has a copy twice";
		*copy = i;
	}
	qsort(check->label, paths->hops, sizeof(*check->label), order);
	for (i = 1; i < paths->hops; i++)
		if (check->label[i] == check->label[i - 1])
			return "two packets over a link have the same label";
	for (i = 0; i < graph->sites; i++) {
		bad = i == paths->source ? NULL : check_copies(paths, check, i);
		if (bad)
			return bad;
	}
	for (i = 0; i < paths->hops; i++)
		if (!check->leads[i])
			return "a hop leads to no copy";
	return NULL;
}

int flitcast_paths_check(const struct flitcast_paths *paths, const struct flitcast_graph *graph,
			 const char **error)
{
	struct check check;
	const char *bad = NULL;
	int result = 0;

	if (check_graph(graph, error))
		return -1;
	if (paths->source >= graph->sites || !paths->copies || paths->copies > COPIES_MAX)
		return wrong(EINVAL, "no such source, or no such number of copies", error);
	check.label = calloc(paths->hops + (size_t)1, sizeof(*check.label));
	check.copy = calloc((size_t)graph->sites * paths->copies, sizeof(*check.copy));
	check.mark = calloc(graph->sites, sizeof(*check.mark));
	check.leads = calloc(paths->hops + (size_t)1, sizeof(*check.leads));
	if (!check.label || !check.copy || !check.mark || !check.leads)
		result = no_memory(error);
	else
		bad = check_all(paths, graph, &check);
	free(check.label);
	free(check.copy);
	free(check.mark);
	free(check.leads);
	return bad ? wrong(EINVAL, bad, error) : result;
}

void flitcast_paths_free(struct flitcast_paths *paths)
{
	free(paths->hop);
	memset(paths, 0, sizeof(*paths));
}
