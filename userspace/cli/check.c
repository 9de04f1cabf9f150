// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast topology check: circles that the preference tables of all sites make together
 */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "cli.h"
#include "core/wire/wire.h"
#include "flitcast_routes.h"
#include "network.h"
#include "out.h"
#include "tables.h"

/**
 * struct hop - a step of a circle
 * @site: the site
 * @peer: the next site
 * @port: port to @peer
 * @dirs: directions that lead nearer to the target, and have @port in their list
 */
struct hop {
	u32 site;
	u32 peer;
	u32 port;
	u32 dirs;
};

/**
 * struct circle - a circle of packets to one target
 * @target: the target
 * @lower: made by lower choices
 * @open: packets may leave it
 * @hops: number of sites of the circle
 * @hop: its sites
 */
struct circle {
	u32 target;
	bool lower;
	bool open;
	u32 hops;
	struct hop *hop;
};

/**
 * struct search - what the tables of a network make
 * @tables: the tables
 * @linked: by site, ports with a link
 * @lower: look for circles of all choices, not of the first ones
 * @circle: the circles found
 * @count: number of @circle
 * @room: capacity of @circle
 */
struct search {
	struct tables *tables;
	u32 *linked;
	bool lower;
	struct circle *circle;
	size_t count;
	size_t room;
};

static u32 port_of(const struct fc_topo *topo, u32 site, u32 peer)
{
	u8 dir = 0;

	while (fc_topo_neighbour(topo, site, dir) != peer)
		dir++;
	return dir + 1;
}

/* Ports by which a packet may leave: the first choices, or all that it may take. */
static u32 choices(const struct search *search, u32 site, u32 target)
{
	u32 linked = search->linked[site], rest, ports = 0;

	if (!search->lower)
		return tables_ports(search->tables, site, target, linked);
	for (rest = linked; rest; rest &= rest - 1)
		ports |= tables_ports(search->tables, site, target, rest & -rest);
	return ports;
}

static uint32_t next(void *data, uint32_t site, uint32_t target, uint32_t *hop)
{
	const struct search *search = data;
	const struct fc_topo *topo = search->tables->topo;
	u32 ports = choices(search, site, target), n = 0;

	for (; ports; ports &= ports - 1)
		hop[n++] = fc_topo_neighbour(topo, site, fc_low(ports) - 1);
	return n;
}

static bool has_port(const struct fc_pref *pref, u8 dir, u32 port)
{
	return memchr(pref->port[dir], port, pref->count[dir]);
}

static void fill_hop(const struct search *search, u32 target, u32 site, u32 peer, struct hop *hop)
{
	const struct fc_topo *topo = search->tables->topo;
	const struct fc_pref *pref = tables_of(search->tables, site);
	u32 dirs = fc_topo_minimal(topo, site, target);

	*hop = (struct hop){ .site = site, .peer = peer, .port = port_of(topo, site, peer) };
	for (; dirs; dirs &= dirs - 1)
		if (has_port(pref, fc_low(dirs), hop->port))
			hop->dirs |= dirs & -dirs;
}

/* Has a circle of lower choices a site of one of first choices, to the same target? */
static bool known(const struct search *search, const struct flitcast_circle *found)
{
	size_t i;
	u32 k, n;

	for (i = 0; search->lower && i < search->count; i++) {
		const struct circle *circle = &search->circle[i];

		if (circle->lower || circle->target != found->target)
			continue;
		for (k = 0; k < circle->hops; k++)
			for (n = 0; n < found->sites; n++)
				if (circle->hop[k].site == found->site[n])
					return true;
	}
	return false;
}

static int add(void *data, const struct flitcast_circle *found)
{
	struct search *search = data;
	struct circle *circle;
	u32 i;

	if (known(search, found))
		return 0;
	if (search->count == search->room) {
		search->room = 2 * search->room + 16;
		search->circle = xrealloc(search->circle, search->room * sizeof(*search->circle));
	}
	circle = &search->circle[search->count++];
	*circle = (struct circle){
		.target = found->target, .lower = search->lower, .open = found->open,
		.hops = found->sites, .hop = xalloc(found->sites, sizeof(*circle->hop)),
	};
	for (i = 0; i < found->sites; i++)
		fill_hop(search, found->target, found->site[i],
			 found->site[(i + 1) % found->sites], &circle->hop[i]);
	return 0;
}

static int order_path(const struct circle *a, const struct circle *b)
{
	if (a->lower != b->lower)
		return a->lower - b->lower;
	if (a->open != b->open)
		return a->open - b->open;
	if (a->hops != b->hops)
		return a->hops < b->hops ? -1 : 1;
	return memcmp(a->hop, b->hop, a->hops * sizeof(*a->hop));
}

static int order(const void *a, const void *b)
{
	const struct circle *x = a, *y = b;
	int path = order_path(x, y);

	return path ? path : (x->target > y->target) - (x->target < y->target);
}

static void find(struct search *search)
{
	const struct fc_topo *topo = search->tables->topo;
	struct flitcast_routes routes = { next, search };
	struct flitcast_graph graph = { .sites = topo->nsites };
	struct flitcast_graph_link *link;
	const char *error = NULL;
	unsigned int lower;
	u32 site, peer;
	u8 dir;

	link = xalloc((size_t)topo->nsites * topo->ndirs, sizeof(*link));
	search->linked = xalloc(topo->nsites, sizeof(*search->linked));
	for (site = 0; site < topo->nsites; site++) {
		for (dir = 0; dir < topo->ndirs; dir++) {
			peer = fc_topo_neighbour(topo, site, dir);
			if (peer == FC_SITE_NONE)
				continue;
			search->linked[site] |= fc_bit(dir + 1);
			if (site < peer)
				link[graph.links++] = (struct flitcast_graph_link){
					{ site, peer }
				};
		}
	}
	graph.link = link;
	for (lower = 0; lower < 2; lower++) {
		search->lower = lower;
		if (flitcast_routes_circles(&graph, &routes, 0, topo->nsites - 1, add, search,
					    &error) < 0)
			fail("topology check: %s", error);
	}
	qsort(search->circle, search->count, sizeof(*search->circle), order);
	free(link);
}

static void print_lists(const struct search *search, const struct hop *hop)
{
	const struct fc_topo *topo = search->tables->topo;
	const struct fc_pref *pref = tables_of(search->tables, hop->site);
	char name[DIRECTION_SIZE];
	u32 rest, i;

	out_open_array("lists");
	for (rest = hop->dirs; rest; rest &= rest - 1) {
		u8 dir = (u8)fc_low(rest);

		topo->ops->dir_name(topo, dir, name);
		out_open_object(NULL);
		out_string("direction", rest == hop->dirs ? ": %s" : "; %s", name);
		out_text(" ports ");
		out_open_array("ports");
		for (i = 0; i < pref->count[dir]; i++)
			out_uint(NULL, i ? ",%llu" : "%llu", pref->port[dir][i]);
		out_close_array();
		out_close_object();
	}
	out_close_array();
}

static const char *effect(const struct circle *circle)
{
	if (circle->lower)
		return "a packet goes round while the preferred ports are busy";
	return circle->open ? "a packet goes round until it takes a port that leads out" :
	       "no packet leaves it";
}

static void print_circle(const struct search *search, const struct circle *circle, size_t targets)
{
	size_t i;

	out_open_object(NULL);
	out_text(circle->lower ? "warning" : "error");
	out_string("choices", ": circle of %s choices", circle->lower ? "lower" : "first");
	out_text(": packets to site%s ", targets == 1 ? "" : "s");
	out_open_array("targets");
	for (i = 0; i < targets; i++)
		out_uint(NULL, i ? ",%llu" : "%llu", circle[i].target);
	out_close_array();
	out_bool("open", circle->open);
	out_text("\n");
	out_open_array("hops");
	for (i = 0; i < circle->hops; i++) {
		const struct hop *hop = &circle->hop[i];

		out_open_object(NULL);
		out_uint("site", "  site %llu", hop->site);
		out_uint("port", " port %llu", hop->port);
		out_uint("peer_site", " to site %llu", hop->peer);
		print_lists(search, hop);
		out_text("\n");
		out_close_object();
	}
	out_close_array();
	out_text("  %s, and after %d links the target is reported unreachable\n",
		 effect(circle), FC_HOPS_MAX);
	out_close_object();
}

/* Print circles over the same links once, with all targets.  Return: exit status. */
static int print(const struct search *search)
{
	size_t i, n, errors = 0, targets = 0;
	char spec[FC_SPEC_MAX];

	fc_topo_print(search->tables->topo, spec);
	out_open_object(NULL);
	out_string("topology", NULL, spec);
	out_uint("hops_max", NULL, FC_HOPS_MAX);
	out_open_array("circles");
	for (i = 0; i < search->count; i += n) {
		const struct circle *circle = &search->circle[i];

		for (n = 1; i + n < search->count && !order_path(circle, circle + n); n++)
			continue;
		print_circle(search, circle, n);
		errors += !circle->lower;
		targets += circle->lower ? 0 : n;
	}
	out_close_array();
	if (!search->count)
		out_text("%s: no circles\n", spec);
	out_close_object();
	out_end();
	if (!errors)
		return 0;
	complain("topology check: first choices make %zu circle%s, for %zu target%s: change a list "
		 "of each", errors, errors == 1 ? "" : "s", targets, targets == 1 ? "" : "s");
	return EXIT_FAILED;
}

int topology_check(const struct option_given *given)
{
	const char *spec = option_text(given, "topology");
	struct tables tables;
	struct search search = { .tables = &tables };
	const struct option_value *file;
	struct network_own own;
	struct fc_topo topo;
	size_t i;
	int status;

	if (spec) {
		network_parse(&topo, spec, "topology");
	} else {
		if (!network_own(&own, option_get(given, "site", FC_SITE_NONE), "topology check"))
			return EXIT_FAILED;
		topo = own.topo;
	}
	tables_init(&tables, &topo);
	for (i = 0; (file = option_nth(given, "FILE", i)); i++)
		if (tables_read(&tables, file->text))
			return EXIT_FAILED;
	find(&search);
	status = print(&search);
	for (i = 0; i < search.count; i++)
		free(search.circle[i].hop);
	free(search.circle);
	free(search.linked);
	tables_free(&tables);
	return status;
}
