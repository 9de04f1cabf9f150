// SPDX-License-Identifier: GPL-2.0
/*
 * Circles in routing tables: those that the library finds in random preference tables of mode care
 * are those in which packets go round that take every choice that the core's router has.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flitcast_routes.h"
#include "core/link/node.h"
#include "tap.h"

#define SITES	32
#define LINKS	256
#define TABLES	1000

static struct flitcast_graph_link links[LINKS];
static struct flitcast_graph graph = { .link = links };
static struct fc_topo topo;
static struct fc_pref pref[SITES];
static struct fc_node node[SITES];

/* By site: ports with a link. */
static u32 linked[SITES];

/* By site: sites that are next hops for the present target, and those that they lead to. */
static u32 hops[SITES], reach[SITES];

static bool network(const char *spec)
{
	const char *wrong = fc_topo_parse(&topo, spec);

	if (!CHECK(!wrong && topo.nsites <= SITES, "%s: %s", spec, wrong))
		return false;
	graph.sites = topo.nsites;
	graph.links = 0;
	memset(linked, 0, sizeof(linked));
	for (u32 s = 0; s < topo.nsites; s++) {
		for (u8 d = 0; d < topo.ndirs; d++) {
			u32 peer = fc_topo_neighbour(&topo, s, d);

			if (peer == FC_SITE_NONE)
				continue;
			linked[s] |= fc_bit(d + 1);
			if (s < peer)
				links[graph.links++] = (struct flitcast_graph_link){ { s, peer } };
		}
	}
	return true;
}

static void random_list(struct fc_pref *table, u8 dir)
{
	u8 all[FC_DIRS_MAX];

	for (u8 i = 0; i < topo.ndirs; i++) {
		u8 k = tap_random(i + 1);

		all[i] = all[k];
		all[k] = i + 1;
	}
	table->count[dir] = 1 + tap_random(topo.ndirs);
	memcpy(table->port[dir], all, table->count[dir]);
}

/* One list in @share is random; the rest are the default. */
static void random_tables(u32 share)
{
	for (u32 s = 0; s < topo.nsites; s++) {
		fc_pref_default(&pref[s], &topo);
		for (u8 d = 0; d < topo.ndirs; d++)
			if (!tap_random(share))
				random_list(&pref[s], d);
		node[s] = (struct fc_node){ .topo = &topo, .pref = &pref[s], .id = s,
					    .nports = topo.ndirs + 1 };
	}
}

/* Next hops for the library, read from the lists: @data: bool, also lower choices. */
static u32 next(void *data, u32 site, u32 target, u32 *hop)
{
	const struct fc_pref *p = &pref[site];
	u32 dirs = fc_topo_minimal(&topo, site, target), peers = 0, n = 0;
	const bool *lower = data;

	CHECK(site != target, "asked for next hops of target %u at itself", target);
	for (u8 rank = 0; rank < topo.ndirs && (*lower || !peers); rank++)
		for (u8 d = 0; d < topo.ndirs; d++)
			if (dirs & fc_bit(d) && rank < p->count[d] &&
			    linked[site] & fc_bit(p->port[d][rank]))
				peers |= fc_bit(fc_topo_neighbour(&topo, site,
								  p->port[d][rank] - 1));
	for (; peers; peers &= peers - 1)
		hop[n++] = fc_low(peers);
	return n;
}

/* Sites to which the core's router forwards a packet while the ports of @allowed are free. */
static u32 forward(u32 site, u32 target, u32 allowed)
{
	u32 ports = fc_node_ports(&node[site], target, allowed), peers = 0;

	for (; ports; ports &= ports - 1)
		peers |= fc_bit(fc_topo_neighbour(&topo, site, fc_low(ports) - 1));
	return peers;
}

/* Walk a packet to @target from each site, with every choice of the router, until all was seen. */
static void walk(u32 target, bool lower)
{
	for (u32 s = 0; s < topo.nsites; s++) {
		hops[s] = 0;
		if (s == target)
			continue;
		/* All sets of free ports, or all ports. */
		for (u32 free = linked[s]; free; free = lower ? (free - 1) & linked[s] : 0)
			hops[s] |= forward(s, target, free);
	}
	for (u32 s = 0; s < topo.nsites; s++) {
		u32 at = hops[s], seen = 0;

		while (at & ~seen) {
			u32 site = fc_low(at & ~seen);

			seen |= fc_bit(site);
			at |= hops[site];
		}
		reach[s] = seen;
	}
}

/* Sites that a packet can go to from @site and come back from. */
static u32 joined(u32 site)
{
	u32 sites = 0;

	for (u32 s = 0; s < topo.nsites; s++)
		if (reach[site] & fc_bit(s) && reach[s] & fc_bit(site))
			sites |= fc_bit(s);
	return sites;
}

/* By target: sites with a circle that the library found. */
static u32 circled[SITES];
static u32 present = FC_SITE_NONE;
static bool present_lower;

static void see(u32 target)
{
	if (target != present)
		walk(target, present_lower);
	present = target;
}

static int found(void *data, const struct flitcast_circle *circle)
{
	u32 part, sites = 0, out = 0;

	see(circle->target);
	part = joined(circle->site[0]);
	for (u32 i = 0; i < circle->sites; i++) {
		u32 here = circle->site[i], then = circle->site[(i + 1) % circle->sites];

		CHECK(hops[here] & fc_bit(then), "to %u: site %u does not forward to %u",
		      circle->target, here, then);
		CHECK(!(sites & fc_bit(here)), "to %u: site %u is twice on the circle",
		      circle->target, here);
		sites |= fc_bit(here);
	}
	CHECK(!(circled[circle->target] & part), "to %u: a circle is found twice", circle->target);
	circled[circle->target] |= part;
	for (u32 s = 0; s < topo.nsites; s++)
		if (part & fc_bit(s))
			out |= hops[s] & ~part;
	CHECK(circle->open == !!out, "to %u: open %u, exits %x", circle->target, circle->open, out);
	CHECK(circle->site[0] == fc_low(part), "to %u: begins at %u", circle->target,
	      circle->site[0]);
	return 0;
}

/* Compare all circles of a set of tables.  Return: number of targets with one. */
static u32 compare(const char *spec, bool lower)
{
	struct flitcast_routes routes = { next, &lower };
	const char *error = "none";
	u32 n = 0;

	memset(circled, 0, sizeof(circled));
	present = FC_SITE_NONE;
	present_lower = lower;
	CHECK(flitcast_routes_circles(&graph, &routes, 0, graph.sites - 1, found, NULL,
				      &error) >= 0, "%s: %s", spec, error);
	for (u32 target = 0; target < topo.nsites; target++) {
		u32 round = 0;

		see(target);
		for (u32 s = 0; s < topo.nsites; s++)
			if (reach[s] & fc_bit(s))
				round |= fc_bit(s);
		CHECK(round == circled[target], "%s to %u: packets go round at %x, found %x", spec,
		      target, round, circled[target]);
		n += !!round;
	}
	return n;
}

TEST(routes_circles__equal_walks)
{
	static const char *const specs[] = {
		"line:6", "ring:7", "mesh:4x4", "torus:3x4", "torus:4x4", "hypercube:4",
		"hexmesh:3", "torus:3^3",
	};
	u32 with[2] = { 0 }, all = 0;

	for (u32 i = 0; i < TAP_ROUNDS(TABLES); i++) {
		const char *spec = specs[i % FC_ARRAY_SIZE(specs)];

		REQUIRE(network(spec), "%s", spec);
		random_tables(1 + tap_random(4 * topo.nsites));
		for (u32 lower = 0; lower < 2; lower++)
			with[lower] += compare(spec, lower);
		all += topo.nsites;
	}
	/* Both outcomes are frequent. */
	for (u32 lower = 0; lower < 2; lower++)
		CHECK(with[lower] > all / 20 && with[lower] < all - all / 20,
		      "%u of %u targets with a circle", with[lower], all);
	CHECK(with[0] < with[1], "lower choices make no circle: %u, %u", with[0], with[1]);
}

TEST(routes_circles__none_by_default)
{
	static const char *const specs[] = {
		"line:32", "ring:31", "mesh:4x8", "torus:5x6", "hypercube:5", "hexmesh:3",
	};

	for (u32 i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		REQUIRE(network(specs[i]), "%s", specs[i]);
		for (u32 s = 0; s < topo.nsites; s++)
			fc_pref_default(&pref[s], &topo);
		for (u32 lower = 0; lower < 2; lower++) {
			struct flitcast_routes routes = { next, &(bool){ lower } };

			CHECK(!flitcast_routes_circles(&graph, &routes, 0, graph.sites - 1, NULL,
						       NULL, NULL), "%s", specs[i]);
		}
	}
}

static int first_one(void *data, const struct flitcast_circle *circle)
{
	struct flitcast_circle *copy = data;

	*copy = *circle;
	copy->site = NULL;
	return 1;
}

/* Site 1 of a line sends packets for higher sites back, by port 2. */
TEST(routes_circles__two_sites)
{
	struct flitcast_routes routes = { next, &(bool){ false } };
	struct flitcast_circle circle = { 0 };

	REQUIRE(network("line:5"), "line:5");
	for (u32 s = 0; s < topo.nsites; s++)
		fc_pref_default(&pref[s], &topo);
	pref[1].port[0][0] = 2;
	CHECK(flitcast_routes_circles(&graph, &routes, 0, 4, NULL, NULL, NULL) == 3,
	      "not the targets 2 to 4");
	CHECK(flitcast_routes_circles(&graph, &routes, 0, 1, NULL, NULL, NULL) == 0, "0 or 1");
	CHECK(flitcast_routes_circles(&graph, &routes, 3, 4, first_one, &circle, NULL) == 1,
	      "goes on after the first one");
	CHECK(circle.target == 3 && circle.sites == 2 && !circle.open, "target %u, %u sites",
	      circle.target, circle.sites);
}

static u32 far_hop(void *data, u32 site, u32 target, u32 *hop)
{
	*hop = (site + 2) % 5;
	return 1;
}

static u32 many_hops(void *data, u32 site, u32 target, u32 *hop)
{
	return 3;
}

TEST(routes_circles__refuses)
{
	struct flitcast_routes far = { far_hop, NULL }, many = { many_hops, NULL };
	const char *error = "taken";

	REQUIRE(network("line:5"), "line:5");
	CHECK(flitcast_routes_circles(&graph, &far, 0, 4, NULL, NULL, &error) == -1 &&
	      errno == EINVAL && !strcmp(error, "a next hop is no neighbour"), "%s", error);
	CHECK(flitcast_routes_circles(&graph, &many, 0, 4, NULL, NULL, &error) == -1 &&
	      !strcmp(error, "a site has more next hops than neighbours"), "%s", error);
	CHECK(flitcast_routes_circles(&graph, &far, 0, 5, NULL, NULL, &error) == -1 &&
	      !strcmp(error, "the network has no such target"), "%s", error);
	CHECK(flitcast_routes_circles(&graph, &far, 2, 1, NULL, NULL, NULL) == -1, "2 to 1");
	links[2].site[1] = 9;
	CHECK(flitcast_routes_circles(&graph, &far, 0, 4, NULL, NULL, &error) == -1 &&
	      !strcmp(error, "a link does not join two sites"), "%s", error);
	graph.sites = 0;
	CHECK(flitcast_routes_circles(&graph, &far, 0, 0, NULL, NULL, &error) == -1 &&
	      !strcmp(error, "a network has 1 to 65536 sites"), "%s", error);
}
