// SPDX-License-Identifier: GPL-2.0
/* Graphs against an adjacency matrix, and distances computed by relaxation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/faults/routes.h"
#include "tap.h"
#include "core/topo/graph.h"
#include "core/topo/tree.h"

#define SITES	60
#define LINKS	FC_GRAPH_LINKS_MAX

static bool joined[SITES][SITES];
static u32 far[SITES][SITES];
static struct fc_graph_link links[LINKS + 1];
static u32 nlinks;
static struct fc_graph graph;
static struct fc_topo topo;
static void *room;

static void list_links(u32 sites)
{
	nlinks = 0;
	for (u32 a = 0; a < sites; a++)
		for (u32 b = a + 1; b < sites; b++)
			if (joined[a][b])
				links[nlinks++] = (struct fc_graph_link){ { a, b } };
}

static void join(u32 a, u32 b)
{
	joined[a][b] = true;
	joined[b][a] = true;
}

/* Create a random tree and more links; a site has at most FC_DIRS_MAX links. */
static void random_graph(u32 sites, u32 more)
{
	u32 degree[SITES] = { 0 };

	memset(joined, 0, sizeof(joined));
	for (u32 s = 1; s < sites; s++) {
		u32 to = tap_random(s);

		while (degree[to] == FC_DIRS_MAX)
			to = tap_random(s);
		join(s, to);
		degree[s]++;
		degree[to]++;
	}
	while (more--) {
		u32 a = tap_random(sites), b = tap_random(sites);

		if (a == b || joined[a][b] || degree[a] == FC_DIRS_MAX ||
		    degree[b] == FC_DIRS_MAX)
			continue;
		join(a, b);
		degree[a]++;
		degree[b]++;
	}
	list_links(sites);
}

static const char *take(void)
{
	const char *wrong = fc_graph_begin(&graph, links, nlinks);

	if (wrong)
		return wrong;
	free(room);
	room = malloc(fc_graph_room(&graph));
	wrong = fc_graph_fill(&graph, room);
	if (!wrong)
		fc_graph_topo(&topo, &graph);
	return wrong;
}

static void relax(u32 sites)
{
	for (u32 a = 0; a < sites; a++)
		for (u32 b = 0; b < sites; b++)
			far[a][b] = a == b ? 0 : joined[a][b] ? 1 : 10000;
	for (u32 via = 0; via < sites; via++)
		for (u32 a = 0; a < sites; a++)
			for (u32 b = 0; b < sites; b++)
				if (far[a][via] + far[via][b] < far[a][b])
					far[a][b] = far[a][via] + far[via][b];
}

static void check_neighbours(u32 sites)
{
	for (u32 a = 0; a < sites; a++) {
		u32 d = 0;

		/* Directions are in the order of the neighbours' numbers. */
		for (u32 b = 0; b < sites; b++) {
			if (!joined[a][b])
				continue;
			CHECK(fc_topo_neighbour(&topo, a, (u8)d) == b, "site %u: %u", a, d);
			CHECK(fc_topo_neighbour(&topo, b, topo.ops->arrival(&topo, a, (u8)d)) == a,
			      "site %u: %u: arrival", a, d);
			d++;
		}
		for (; d < FC_PORTS_MAX; d++)
			CHECK(fc_topo_neighbour(&topo, a, (u8)d) == FC_SITE_NONE, "site %u: %u", a,
			      d);
	}
	CHECK(fc_topo_neighbour(&topo, sites, 0) == FC_SITE_NONE, "a site more");
}

static void check_next_hops(u32 sites)
{
	u32 down[SITES] = { 0 }, routes[SITES], work[2 * SITES];

	for (u32 a = 0; a < sites; a++) {
		fc_routes_compute(&topo, a, down, NULL, routes, work);
		for (u32 b = 0; b < sites; b++) {
			u32 want = 0;

			for (u8 d = 0; d < topo.ndirs; d++) {
				u32 next = fc_topo_neighbour(&topo, a, d);

				if (next != FC_SITE_NONE && far[next][b] + 1 == far[a][b])
					want |= fc_bit(d);
			}
			CHECK(fc_topo_minimal(&topo, a, b) == want, "%u to %u: %#x", a, b,
			      fc_topo_minimal(&topo, a, b));
			CHECK(routes[b] == want, "%u to %u: route %#x", a, b, routes[b]);
			CHECK(topo.ops->distance(&topo, a, b) == far[a][b], "%u to %u: %u", a, b,
			      topo.ops->distance(&topo, a, b));
		}
	}
}

/* A broadcast in one copy reaches every site once, over a shortest path. */
static void check_tree(u32 sites, u32 source)
{
	u32 at[SITES], hops[SITES], have = 1;
	bool got[SITES] = { 0 };
	u8 from[SITES];

	at[0] = source;
	from[0] = FC_TREE_SOURCE;
	hops[0] = 0;
	for (u32 i = 0; i < have; i++) {
		u32 next;

		REQUIRE(!got[at[i]], "site %u twice", at[i]);
		got[at[i]] = true;
		CHECK(hops[i] == far[source][at[i]], "site %u: %u hops", at[i], hops[i]);
		REQUIRE(fc_tree_next(&topo, source, at[i], from[i], &next), "site %u refuses",
			at[i]);
		for (; next; next &= next - 1) {
			u8 d = (u8)fc_low(next);

			REQUIRE(have < SITES, "too many");
			at[have] = fc_topo_neighbour(&topo, at[i], d);
			from[have] = topo.ops->arrival(&topo, at[i], d);
			hops[have++] = hops[i] + 1;
		}
	}
	CHECK(have == sites, "%u of %u", have, sites);
}

TEST(topo_graph__random_graphs)
{
	tap_random_seed(7);
	for (unsigned int i = 0; i < 60 + TAP_ROUNDS(200); i++) {
		u32 sites = 2 + tap_random(SITES - 1);
		const char *wrong;

		random_graph(sites, tap_random(3 * sites));
		wrong = take();
		REQUIRE(!wrong, "%u sites: %s", sites, wrong);
		CHECK(topo.nsites == sites && topo.ndirs <= FC_DIRS_MAX, "%u sites", topo.nsites);
		relax(sites);
		check_neighbours(sites);
		check_next_hops(sites);
		check_tree(sites, tap_random(sites));
	}
}

/* The hash is that of an independent program; it depends on the order of the ends. */
TEST(topo_graph__name)
{
	char spec[FC_SPEC_MAX], name[8];

	nlinks = 0;
	links[nlinks++] = (struct fc_graph_link){ { 0, 1 } };
	links[nlinks++] = (struct fc_graph_link){ { 0, 2 } };
	links[nlinks++] = (struct fc_graph_link){ { 1, 2 } };
	REQUIRE(!take(), "a triangle");
	fc_topo_print(&topo, spec);
	CHECK(!strcmp(spec, "graph:3:18d5364de77d6e35"), "%s", spec);
	CHECK(topo.ndirs == 2, "%u", topo.ndirs);
	topo.ops->dir_name(&topo, 0, name);
	CHECK(!strcmp(name, "n1"), "%s", name);
	topo.ops->dir_name(&topo, 29, name);
	CHECK(!strcmp(name, "n30"), "%s", name);
	CHECK(fc_topo_dir_parse(&topo, "n2") == 1 && fc_topo_dir_parse(&topo, "n3") == -1, "n2");
	CHECK(fc_topo_parse(&topo, spec), "a name is not the links");
}

static void refuses(const char *what, const char *text)
{
	const char *wrong = take();

	CHECK(wrong && strstr(wrong, text), "%s: %s", what, wrong ? wrong : "taken");
}

TEST(topo_graph__refuses)
{
	nlinks = 0;
	refuses("no links", "1 to 8000 links");
	nlinks = LINKS + 1;
	refuses("too many", "1 to 8000 links");
	nlinks = 1;
	links[0] = (struct fc_graph_link){ { 1, 1 } };
	refuses("a link to itself", "smaller end first");
	links[0] = (struct fc_graph_link){ { 1, 0 } };
	refuses("larger end first", "smaller end first");
	links[0] = (struct fc_graph_link){ { 0, FC_GRAPH_SITES_MAX } };
	refuses("a large number", "at most 1024");
	links[0] = (struct fc_graph_link){ { 1, 2 } };
	refuses("no site 0", "not connected");
	links[0] = (struct fc_graph_link){ { 0, 1 } };
	links[1] = (struct fc_graph_link){ { 0, 1 } };
	nlinks = 2;
	refuses("twice", "ascending order");
	links[0] = (struct fc_graph_link){ { 1, 2 } };
	refuses("not in order", "ascending order");
	links[0] = (struct fc_graph_link){ { 0, 2 } };
	refuses("second ends not in order", "ascending order");
	links[0] = (struct fc_graph_link){ { 0, 1 } };
	links[1] = (struct fc_graph_link){ { 2, 3 } };
	refuses("two parts", "not connected");
	/* A star. */
	nlinks = FC_DIRS_MAX + 1;
	for (u32 i = 0; i < nlinks; i++)
		links[i] = (struct fc_graph_link){ { 0, i + 1 } };
	refuses("a site with 31 links", "more than 30");
	nlinks--;
	CHECK(!take() && topo.ndirs == FC_DIRS_MAX, "30 links are right");
}

/* The largest graph: each site is joined to the next seven. */
TEST(topo_graph__limits)
{
	nlinks = 0;
	for (u32 a = 0; a < FC_GRAPH_SITES_MAX; a++)
		for (u32 step = 1; step <= 7 && a + step < FC_GRAPH_SITES_MAX; step++)
			links[nlinks++] = (struct fc_graph_link){ { a, a + step } };
	REQUIRE(!take(), "it is right");
	CHECK(topo.nsites == FC_GRAPH_SITES_MAX && topo.ndirs == 14, "%u", topo.ndirs);
	CHECK(topo.ops->distance(&topo, 0, 1023) == 147, "%u", topo.ops->distance(&topo, 0, 1023));
	/* In a kernel the memory would leak when the test's module is removed. */
	free(room);
	room = NULL;
}
