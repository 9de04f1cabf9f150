// SPDX-License-Identifier: GPL-2.0
/*
 * Node-disjoint paths on any network: the test follows every packet as a site would, by source,
 * link and label only, and counts the arrivals.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flitcast_paths.h"
#include "tap.h"
#include "core/topo/topo.h"

#define SITES	128
#define LINKS	1024

static struct flitcast_graph_link links[LINKS];
static struct flitcast_graph graph = { .link = links };

static void begin(u32 sites)
{
	graph.sites = sites;
	graph.links = 0;
}

static bool joined(u32 a, u32 b)
{
	for (u32 i = 0; i < graph.links; i++)
		if ((links[i].site[0] == a && links[i].site[1] == b) ||
		    (links[i].site[0] == b && links[i].site[1] == a))
			return true;
	return false;
}

static void join(u32 a, u32 b)
{
	if (a != b && !joined(a, b) && graph.links < LINKS)
		links[graph.links++] = (struct flitcast_graph_link){ { a, b } };
}

/*
 * A random network with connectivity k at least: site i is joined to the k / 2 sites before and
 * after it on a circle (Harary), for odd k also to the opposite site.  The sites are renumbered,
 * and some more links added.
 */
static void random_graph(u32 sites, unsigned int k, u32 more)
{
	u32 name[SITES];

	begin(sites);
	for (u32 i = 0; i < sites; i++) {
		u32 j = tap_random(i + 1);

		name[i] = name[j];
		name[j] = i;
	}
	for (u32 i = 0; i < sites; i++) {
		for (u32 step = 1; step <= k / 2; step++)
			join(name[i], name[(i + step) % sites]);
		if (k % 2)
			join(name[i], name[(i + sites / 2) % sites]);
	}
	while (more--)
		join(tap_random(sites), tap_random(sites));
}

/* Look up the hop of the packet with this label that arrives over this link at this site. */
static u32 find_hop(const struct flitcast_paths *p, u32 link, u32 site, u32 label)
{
	u32 found = FLITCAST_HOP_NONE;

	for (u32 i = 0; i < p->hops; i++) {
		if (p->hop[i].link != link || p->hop[i].site != site || p->hop[i].label != label)
			continue;
		CHECK(found == FLITCAST_HOP_NONE, "link %u to %u: two labels %u", link, site,
		      label);
		found = i;
	}
	return found;
}

struct arrival {
	u32 hop;
	u32 before;	/* index of the previous arrival */
};

/*
 * Follow one broadcast.  @dead: sites that forward nothing.  Return: number of living sites that
 * get no copy.  Without dead sites the rest is checked, too.
 */
static u32 broadcast(const struct flitcast_paths *p, const bool *dead)
{
	struct arrival *at = calloc(p->hops + 1, sizeof(*at));
	u32 copies[SITES] = { 0 }, head, n = 0, missing = 0;

	for (head = 0; head <= n; head++) {
		u32 here = head ? at[head].hop : FLITCAST_HOP_NONE;

		if (head && (dead[p->hop[here].site] ||
			     !CHECK(find_hop(p, p->hop[here].link, p->hop[here].site,
					     p->hop[here].label) == here, "hop %u", here)))
			continue;
		if (head && p->hop[here].copy)
			copies[p->hop[here].site]++;
		for (u32 i = 0; i < p->hops; i++)
			if (p->hop[i].before == here && CHECK(n < p->hops, "a circle"))
				at[++n] = (struct arrival){ i, head };
	}
	for (u32 site = 0; site < graph.sites; site++)
		missing += site != p->source && !dead[site] && !copies[site];
	for (u32 site = 0; site < graph.sites; site++) {
		bool on[SITES] = { 0 };

		if (site == p->source || memchr(dead, true, graph.sites))
			continue;
		CHECK(copies[site] == p->copies, "site %u: %u copies", site, copies[site]);
		for (u32 i = 1; i <= n; i++) {
			if (p->hop[at[i].hop].site != site || !p->hop[at[i].hop].copy)
				continue;
			for (u32 j = at[i].before; j; j = at[j].before) {
				u32 via = p->hop[at[j].hop].site;

				CHECK(!on[via] && via != site && via != p->source,
				      "site %u: two paths over %u", site, via);
				on[via] = true;
			}
		}
	}
	free(at);
	return missing;
}

/* Check @sets random sets of dead sites; all sets would be too many. */
static void check_crashes(const struct flitcast_paths *p, unsigned int sets)
{
	while (sets--) {
		bool dead[SITES] = { 0 };
		u32 missing;

		for (u32 n = 1; n < p->copies; n++) {
			u32 site = tap_random(graph.sites);

			dead[site] = site != p->source;
		}
		missing = broadcast(p, dead);
		CHECK(!missing, "%u sites got nothing", missing);
	}
}

static const bool none_dead[SITES];

/* Copies are numbered in the order of their lengths. */
static void check_numbers(const struct flitcast_paths *p)
{
	u32 links[SITES][8] = { 0 };

	for (u32 i = 0; i < p->hops; i++)
		if (p->hop[i].copy)
			links[p->hop[i].site][p->hop[i].copy] = p->hop[i].links;
	for (u32 site = 0; site < graph.sites; site++)
		for (u32 k = 1; k < p->copies; k++)
			CHECK(links[site][k] <= links[site][k + 1], "site %u: copy %u", site, k);
}

/* Return: hops of one broadcast from a source. */
static u32 check_source(u32 source, unsigned int copies)
{
	struct flitcast_paths p;
	const char *error = "";
	u32 hops;

	if (!CHECK(!flitcast_paths_find(&p, &graph, source, copies, &error),
		   "%u sites, %u copies: %s", graph.sites, copies, error))
		return 0;
	CHECK(!flitcast_paths_check(&p, &graph, &error), "%u sites, %u copies: %s", graph.sites,
	      copies, error);
	CHECK(p.source == source && p.copies == copies, "another");
	broadcast(&p, none_dead);
	check_numbers(&p);
	if (copies > 1)
		check_crashes(&p, 10);
	hops = p.hops;
	flitcast_paths_free(&p);
	CHECK(!p.hop && !p.hops, "not empty");
	return hops;
}

TEST(paths_find__200_random_networks)
{
	u32 hops[6] = { 0 }, least[6] = { 0 };

	tap_random_seed(1);
	for (unsigned int round = 0; round < 200; round++) {
		unsigned int k = 2 + round % 4;
		u32 sites = 10 + tap_random(41), source = tap_random(sites);

		random_graph(sites, k, tap_random(sites / 2));
		hops[k] += check_source(source, k);
		least[k] += k * (sites - 1);
		hops[1] += check_source(source, 1);
		least[1] += sites - 1;
	}
	/* One copy: a tree of shortest paths; more copies share fewer links. */
	CHECK(hops[1] == least[1], "%u hops, not %u", hops[1], least[1]);
	for (unsigned int k = 2; k <= 5; k++) {
		CHECK(hops[k] >= least[k] && hops[k] * 100 <= least[k] * 125,
		      "%u copies: %u hops, at best %u", k, hops[k], least[k]);
		printf("# %u copies: %u %% more hops than the least\n", k,
		       (hops[k] - least[k]) * 100 / least[k]);
	}
}

/* Networks whose number of paths is known. */
TEST(paths_find__known_networks)
{
	static const struct {
		const char *spec;
		unsigned int copies;
	} known[] = {
		{ "line:2", 1 }, { "line:9", 1 }, { "ring:3", 2 }, { "ring:17", 2 },
		{ "mesh:3x3", 2 }, { "mesh:4x6", 2 }, { "mesh:3x3x3", 3 }, { "torus:3x3", 4 },
		{ "torus:4x5", 4 }, { "torus:3^3", 6 }, { "hypercube:1", 1 }, { "hypercube:4", 4 },
		{ "hypercube:6", 6 }, { "hexmesh:2", 6 }, { "hexmesh:3", 6 }, { "hexmesh:5", 6 },
	};

	tap_random_seed(2);
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(known); i++) {
		struct flitcast_paths p;
		struct fc_topo topo;

		REQUIRE(!fc_topo_parse(&topo, known[i].spec), "%s", known[i].spec);
		begin(topo.nsites);
		for (u32 end = 0; end < topo.nsites * topo.ndirs; end++) {
			u32 peer = fc_topo_neighbour(&topo, end / topo.ndirs,
						     (u8)(end % topo.ndirs));

			if (peer != FC_SITE_NONE)
				join(end / topo.ndirs, peer);
		}
		for (unsigned int k = 1; k <= known[i].copies; k++)
			check_source(tap_random(topo.nsites), k);
		errno = 0;
		CHECK(flitcast_paths_find(&p, &graph, 0, known[i].copies + 1, NULL) == -1 &&
		      errno == EHOSTUNREACH, "%s in %u copies: %d", known[i].spec,
		      known[i].copies + 1, errno);
	}
}

/* The search must undo the shortest path to get the two paths with the least total. */
TEST(paths_find__least_total)
{
	struct flitcast_paths p;
	u32 total = 0;

	begin(13);
	/* The shortest path has 3 links; two detours through its ends have 4 links each. */
	join(0, 1);
	join(1, 2);
	join(2, 5);
	join(0, 3);
	join(3, 9);
	join(9, 2);
	join(1, 4);
	join(4, 10);
	join(10, 5);
	/* A disjoint path of 6 links. */
	join(0, 6);
	join(6, 7);
	join(7, 8);
	join(8, 11);
	join(11, 12);
	join(12, 5);
	REQUIRE(!flitcast_paths_find(&p, &graph, 0, 2, NULL), "no paths");
	for (u32 i = 0; i < p.hops; i++)
		if (p.hop[i].site == 5 && p.hop[i].copy)
			total += p.hop[i].links;
	CHECK(total == 8, "%u links", total);
	flitcast_paths_free(&p);
}

static void refuses(const char *what, u32 source, unsigned int copies, int error)
{
	struct flitcast_paths p, before;
	const char *text = NULL;

	memset(&before, 0x5a, sizeof(before));
	p = before;
	errno = 0;
	CHECK(flitcast_paths_find(&p, &graph, source, copies, &text) == -1, "%s: taken", what);
	CHECK(errno == error && text && *text, "%s: %d, %s", what, errno, text ? text : "");
	CHECK(!memcmp(&p, &before, sizeof(p)), "%s: left traces", what);
}

TEST(paths_find__refuses)
{
	struct flitcast_paths p;

	begin(4);
	join(0, 1);
	join(2, 3);
	refuses("not connected", 0, 1, EHOSTUNREACH);
	join(1, 2);
	refuses("a line", 0, 2, EHOSTUNREACH);
	refuses("no such source", 4, 1, EINVAL);
	refuses("no copies", 0, 0, EINVAL);
	refuses("256 copies", 0, 256, EINVAL);
	links[graph.links++] = (struct flitcast_graph_link){ { 2, 1 } };
	refuses("two links", 0, 1, EINVAL);
	links[graph.links - 1] = (struct flitcast_graph_link){ { 1, 1 } };
	refuses("a link to itself", 0, 1, EINVAL);
	links[graph.links - 1] = (struct flitcast_graph_link){ { 1, 4 } };
	refuses("a link to nobody", 0, 1, EINVAL);
	begin(0);
	refuses("no sites", 0, 1, EINVAL);
	begin(65537);
	refuses("too many sites", 0, 1, EINVAL);

	/* Two triangles share a site: there is no second path around it. */
	begin(5);
	join(0, 1);
	join(1, 2);
	join(2, 0);
	join(2, 3);
	join(3, 4);
	join(4, 2);
	refuses("a cut site", 0, 2, EHOSTUNREACH);
	CHECK(!flitcast_paths_find(&p, &graph, 2, 2, NULL), "but from it there are two");
	flitcast_paths_free(&p);

	/* A network of one site has no receivers. */
	begin(1);
	CHECK(!flitcast_paths_find(&p, &graph, 0, 3, NULL) && !p.hops, "a site alone");
	flitcast_paths_free(&p);
}

/* Number of hops that share a link with another one. */
static u32 labels;

/* Change every field of every hop to plausible wrong values. */
static void check_fields(void)
{
	struct flitcast_paths p;
	const char *error;

	random_graph(14, 3, 4);
	REQUIRE(!flitcast_paths_find(&p, &graph, 4, 3, &error), "%s", error);
	for (u32 i = 0; i < p.hops; i++) {
		struct flitcast_hop was = p.hop[i];

#define WRONG(field, value)								\
		do {									\
			p.hop[i].field = (value);					\
			if (p.hop[i].field != was.field)				\
				CHECK(flitcast_paths_check(&p, &graph, &error),		\
				      "hop %u: " #field " %u", i, p.hop[i].field);	\
			p.hop[i] = was;							\
		} while (0)
		/* A hop after another hop to the same site may be valid, too. */
		for (u32 j = 0; j <= p.hops; j++) {
			if (j >= i || p.hop[j].site != p.hop[was.before % p.hops].site ||
			    was.before == FLITCAST_HOP_NONE) {
				WRONG(before, j);
				continue;
			}
			p.hop[i].before = j;
			if (!flitcast_paths_check(&p, &graph, &error))
				broadcast(&p, none_dead);
			p.hop[i] = was;
		}
		WRONG(before, FLITCAST_HOP_NONE);
		for (u32 j = 0; j <= graph.links; j++)
			WRONG(link, j);
		WRONG(link, 0x7fffffff);
		for (u32 j = 0; j <= graph.sites; j++)
			WRONG(site, j);
		WRONG(links, was.links + 1);
		WRONG(links, was.links - 1);
		for (u32 j = 0; j < p.hops; j++)
			if (p.hop[j].link == was.link && p.hop[j].site == was.site) {
				labels += p.hop[j].label != was.label;
				WRONG(label, p.hop[j].label);
			}
#undef WRONG
		p.hop[i].copy = was.copy ? 0 : 1;
		CHECK(flitcast_paths_check(&p, &graph, &error), "hop %u: copy", i);
		p.hop[i].copy = 4;
		CHECK(flitcast_paths_check(&p, &graph, &error), "hop %u: copy", i);
		p.hop[i] = was;
	}
	for (p.copies = 0; p.copies < 6; p.copies++)
		if (p.copies != 3)
			CHECK(flitcast_paths_check(&p, &graph, &error), "%u copies", p.copies);
	p.copies = 3;
	for (p.source = 0; p.source < 10; p.source++)
		if (p.source != 4)
			CHECK(flitcast_paths_check(&p, &graph, &error), "source %u", p.source);
	p.source = 4;
	p.hops--;
	CHECK(flitcast_paths_check(&p, &graph, &error), "one hop less");
	p.hops++;
	CHECK(!flitcast_paths_check(&p, &graph, &error), "%s", error);
	flitcast_paths_free(&p);
}

TEST(paths_check__notices_each_wrong_field)
{
	tap_random_seed(3);
	for (unsigned int i = 0; i < 8; i++)
		check_fields();
	CHECK(labels, "no link has two packets");
}

/* Paths that meet in a site, although all counts are right. */
TEST(paths_check__refuses_paths_that_meet)
{
	/* 0 - 1 - 2 - 3 - 1: site 3 gets both copies through site 1. */
	static struct flitcast_hop hop[] = {
		{ FLITCAST_HOP_NONE, 0, 1, 1, 0, 1 }, { FLITCAST_HOP_NONE, 1, 2, 1, 0, 1 },
		{ 1, 2, 1, 2, 0, 2 }, { 0, 2, 2, 2, 0, 2 }, { 0, 3, 3, 2, 0, 1 },
		{ 3, 4, 3, 3, 0, 2 }, { 0 },
	};
	struct flitcast_paths p = { 0, 2, FC_ARRAY_SIZE(hop) - 1, hop };
	const char *error = "taken";

	begin(4);
	join(0, 1);
	join(0, 2);
	join(1, 2);
	join(1, 3);
	join(2, 3);
	CHECK(flitcast_paths_check(&p, &graph, &error) && !strcmp(error, "a site is on two paths"),
	      "%s", error);
	/* Through site 2, the second path is disjoint. */
	hop[5] = (struct flitcast_hop){ 1, 4, 3, 2, 0, 2 };
	CHECK(!flitcast_paths_check(&p, &graph, &error), "%s", error);

	/* A hop without a copy. */
	hop[6] = (struct flitcast_hop){ 4, 4, 2, 3, 0, 0 };
	p.hops++;
	error = "taken";
	CHECK(flitcast_paths_check(&p, &graph, &error) && !strcmp(error, "a hop leads to no copy"),
	      "%s", error);

	/* From site 1 through the source to site 2, a second time. */
	hop[3] = (struct flitcast_hop){ 0, 0, 0, 2, 0, 0 };
	hop[6] = (struct flitcast_hop){ 3, 1, 2, 3, 1, 2 };
	CHECK(flitcast_paths_check(&p, &graph, &error) &&
	      !strcmp(error, "a hop leads back to the source"), "%s", error);
}

TEST(paths_check__refuses_a_path_through_its_own_end)
{
	/* Site 3 gets copies on 0 - 2 - 3, and on 0 - 1 - 3 - 4 - 3. */
	static struct flitcast_hop hop[] = {
		{ FLITCAST_HOP_NONE, 0, 1, 1, 0, 1 }, { FLITCAST_HOP_NONE, 1, 2, 1, 0, 1 },
		{ 1, 2, 1, 2, 0, 2 }, { 0, 2, 2, 2, 0, 2 }, { 0, 3, 3, 2, 0, 0 },
		{ 1, 4, 3, 2, 0, 1 }, { 4, 5, 4, 3, 0, 2 }, { 1, 6, 4, 2, 0, 1 },
		{ 6, 5, 3, 4, 0, 2 },
	};
	struct flitcast_paths p = { 0, 2, FC_ARRAY_SIZE(hop), hop };
	const char *error = "taken";

	begin(5);
	join(0, 1);
	join(0, 2);
	join(1, 2);
	join(1, 3);
	join(2, 3);
	join(3, 4);
	join(2, 4);
	CHECK(flitcast_paths_check(&p, &graph, &error) && !strcmp(error, "a site is on two paths"),
	      "%s", error);
	hop[4].copy = 2;
	p.hops--;
	CHECK(!flitcast_paths_check(&p, &graph, &error), "%s", error);
}
