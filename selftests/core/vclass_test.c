// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual networks on every kind of topology, in as many sizes as time permits; and wrong rules,
 * which the same checks have to detect.  Documentation/design.rst (Virtual networks) argues about
 * larger sizes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "prefers.h"
#include "tap.h"
#include "core/topo/rules.h"
#include "vclass_net.h"

/* Largest sizes, 64, 12, 8, 8 and 60 in programs; the kernel's tests have less time. */
#define LINE_MAX	(4 + TAP_ROUNDS(60))
#define GRID_MAX	(3 + TAP_ROUNDS(9))
#define CUBE_MAX	(2 + TAP_ROUNDS(6))
#define HEXMESH_MAX	(2 + TAP_ROUNDS(6))

#define CIRCLE_MAX	(9 + TAP_ROUNDS(51))
#define PROGRAM		(TAP_ROUNDS(50) == 50)

#define GRAPH_SITES	60
#define REGULAR_SITES	100

static bool net_parse(struct vclass_net *t, const char *spec)
{
	const char *wrong;

	memset(t, 0, sizeof(*t));
	wrong = fc_topo_parse(&t->topo, spec);
	if (!wrong)
		wrong = fc_vclass_init(&t->v, &t->topo);
	return CHECK(!wrong, "%s: %s", spec, wrong);
}

static void check_all(struct vclass_net *t, const char *spec)
{
	const char *wrong;

	vclass_net_open(t);
	wrong = vclass_net_channels(t);
	if (!wrong)
		wrong = vclass_net_buffers(&t->v);
	if (!wrong)
		wrong = vclass_net_lies(t);
	if (!wrong)
		wrong = vclass_net_links(t);
	if (!wrong && t->topo.nsites > 1)
		wrong = vclass_net_multicast(t);
	CHECK(!wrong, "%s: %s", spec, wrong);
	/* The network has no more levels than it needs. */
	CHECK(t->topo.nsites < 3 || t->top >> t->v.bits == (t->v.count - 1) >> t->v.bits,
	      "%s: of %u classes the highest in use is %u", spec, t->v.count, t->top);
	vclass_net_close(t);
}

static void check_spec(const char *spec)
{
	struct vclass_net t;

	if (net_parse(&t, spec))
		check_all(&t, spec);
}

static void __printf(1, 2) check_format(const char *fmt, ...)
{
	char spec[FC_SPEC_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(spec, sizeof(spec), fmt, args);
	va_end(args);
	check_spec(spec);
}

TEST(vclass_line__no_cycles)
{
	for (u32 n = 1; n <= LINE_MAX; n++)
		check_format("line:%u", n);
}

TEST(vclass_ring__no_cycles)
{
	for (u32 n = 3; n <= LINE_MAX; n++)
		check_format("ring:%u", n);
}

TEST(vclass_mesh__no_cycles)
{
	for (u32 y = 1; y <= GRID_MAX; y++)
		for (u32 x = 1; x <= GRID_MAX; x++)
			check_format("mesh:%ux%u", y, x);
	for (u32 i = 0; i < TAP_ROUNDS(64); i++)
		check_format("mesh:%ux%ux%u", 1 + i / 16, 1 + i / 4 % 4, 1 + i % 4);
	for (u32 i = 0; i < TAP_ROUNDS(16); i++)
		check_format("mesh:%ux%ux%ux%u", 2 + i / 8, 2 + i / 4 % 2, 2 + i / 2 % 2,
			     2 + i % 2);
	check_spec("mesh:1x2x2x1x2");
	if (PROGRAM) {
		check_spec("mesh:2^5");
		check_spec("mesh:2^6");
	}
}

TEST(vclass_torus__no_cycles)
{
	for (u32 y = 3; y <= GRID_MAX; y++)
		for (u32 x = 3; x <= GRID_MAX; x++)
			check_format("torus:%ux%u", y, x);
	for (u32 i = 0; i < TAP_ROUNDS(27); i++)
		check_format("torus:%ux%ux%u", 3 + i / 9, 3 + i / 3 % 3, 3 + i % 3);
	if (PROGRAM)
		check_spec("torus:3^4");
}

TEST(vclass_hypercube__no_cycles)
{
	for (u32 d = 1; d <= CUBE_MAX; d++)
		check_format("hypercube:%u", d);
}

TEST(vclass_hexmesh__no_cycles)
{
	for (u32 n = 2; n <= HEXMESH_MAX; n++)
		check_format("hexmesh:%u", n);
}

/* The numbers of classes of each topology. */
TEST(vclass_init__counts)
{
	static const struct {
		const char *spec;
		unsigned int count;
	} row[] = {
		{ "line:1", 1 }, { "line:2", 2 }, { "line:64", 2 },
		{ "ring:3", 4 }, { "ring:64", 4 },
		{ "mesh:4x4", 4 }, { "mesh:1x5", 2 }, { "mesh:3^3", 8 },
		{ "mesh:2^4", 16 }, { "mesh:2^6", 64 }, { "mesh:1x2x2x2x2x2x2", 64 },
		{ "torus:3x3", 8 }, { "torus:4x4", 8 }, { "torus:12x7", 8 },
		{ "torus:1024x1024", 8 }, { "torus:3^3", 16 }, { "torus:3x3x4", 24 },
		{ "torus:4^3", 24 }, { "torus:101^3", 24 }, { "torus:3^4", 48 },
		{ "torus:32^4", 48 }, { "hypercube:1", 2 }, { "hypercube:2", 3 },
		{ "hypercube:3", 4 }, { "hypercube:20", 4 },
		{ "hexmesh:2", 6 }, { "hexmesh:591", 6 },
	};
	static const char *const refused[] = { "mesh:2^7", "torus:3^5", "torus:3^12", "mesh:2^15" };
	struct fc_vclass v = { .count = 77 };
	struct fc_topo topo;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(row); i++) {
		REQUIRE(!fc_topo_parse(&topo, row[i].spec), "%s", row[i].spec);
		REQUIRE(!fc_vclass_init(&v, &topo), "%s", row[i].spec);
		CHECK(v.count == row[i].count, "%s: %u", row[i].spec, v.count);
		CHECK(!fc_vclass_room(&v, FC_SITE_NONE) && !fc_vclass_room(&v, 0),
		      "%s needs room", row[i].spec);
	}
	v.count = 77;
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(refused); i++) {
		const char *wrong;

		REQUIRE(!fc_topo_parse(&topo, refused[i]), "%s", refused[i]);
		wrong = fc_vclass_init(&v, &topo);
		CHECK(wrong && strstr(wrong, "more than 64 classes"), "%s: %s", refused[i], wrong);
		CHECK(v.count == 77, "%s: touched", refused[i]);
	}
}

/* If both directions are equally short, or none is needed, the class has the positive one. */
TEST(vclass_first__of_two_the_positive_one)
{
	struct fc_topo topo;
	struct fc_vclass v;

	REQUIRE(!fc_topo_parse(&topo, "torus:4x6") && !fc_vclass_init(&v, &topo), "torus");
	CHECK(fc_vclass_first(&v, 0, 3) == 0, "x half way");
	CHECK(fc_vclass_first(&v, 0, 12) == 0, "y half way");
	CHECK(fc_vclass_first(&v, 0, 4) == 1, "x the other way");
	CHECK(fc_vclass_first(&v, 0, 18 + 3) == 2, "y the other way");
	CHECK(fc_vclass_first(&v, 0, 18 + 4) == 3, "both the other way");
	REQUIRE(!fc_topo_parse(&topo, "mesh:3x3") && !fc_vclass_init(&v, &topo), "mesh");
	CHECK(fc_vclass_first(&v, 4, 5) == 0 && fc_vclass_first(&v, 4, 7) == 0, "up");
	CHECK(fc_vclass_first(&v, 4, 3) == 1 && fc_vclass_first(&v, 4, 1) == 2, "down");
	CHECK(fc_vclass_first(&v, 4, 0) == 3 && fc_vclass_first(&v, 4, 2) == 2, "diagonal");
}

/* Every kind in the registry has virtual networks, also one that is not named here. */
TEST(vclass_registry__no_cycles)
{
	struct fc_topo topo;

	for (unsigned int i = 0; i < fc_topo_registry_size; i++) {
		bool found = fc_topo_registry[i] == &fc_topo_graph;
		unsigned int at = 0;

		while (kinds_next(&topo, fc_topo_registry[i], &at)) {
			char spec[FC_SPEC_MAX];

			found = true;
			fc_topo_print(&topo, spec);
			check_spec(spec);
		}
		CHECK(found, "no small %s", fc_topo_registry[i]->name);
	}
}

/* The following tests are about graphs. */
static struct fc_graph_link links[FC_GRAPH_LINKS_MAX];
static u32 nlinks;
static bool joined[REGULAR_SITES][REGULAR_SITES];

static void set_joined(u32 a, u32 b, bool is)
{
	joined[a][b] = is;
	joined[b][a] = is;
}

static void list_links(u32 sites)
{
	nlinks = 0;
	for (u32 a = 0; a < sites; a++)
		for (u32 b = a + 1; b < sites; b++)
			if (joined[a][b])
				links[nlinks++] = (struct fc_graph_link){ { a, b } };
}

static void random_graph(u32 sites, u32 more)
{
	u32 degree[GRAPH_SITES] = { 0 };

	memset(joined, 0, sizeof(joined));
	for (u32 i = 1; i < sites + more; i++) {
		u32 a = i < sites ? i : tap_random(sites);
		u32 b = tap_random(i < sites ? i : sites);

		while (i < sites && degree[b] == FC_DIRS_MAX)
			b = tap_random(i);
		if (a == b || joined[a][b] || degree[a] == FC_DIRS_MAX || degree[b] == FC_DIRS_MAX)
			continue;
		set_joined(a, b, true);
		degree[a]++;
		degree[b]++;
	}
	list_links(sites);
}

static bool connected(u32 sites)
{
	bool reached[REGULAR_SITES] = { true }, more = true;
	u32 n = 1;

	while (more) {
		more = false;
		for (u32 i = 0; i < nlinks; i++) {
			u32 a = links[i].site[0], b = links[i].site[1];

			if (reached[a] == reached[b])
				continue;
			reached[a] = true;
			reached[b] = true;
			more = true;
			n++;
		}
	}
	return n == sites;
}

/*
 * Create a random graph whose sites all have @degree links: a circle and its chords, in which pairs
 * of links exchange their ends.
 *
 * Return: false if it is not connected.
 */
static bool random_regular(u32 sites, u32 degree)
{
	memset(joined, 0, sizeof(joined));
	for (u32 a = 0; a < sites; a++) {
		for (u32 step = 1; step <= degree / 2; step++)
			set_joined(a, (a + step) % sites, true);
		if (degree % 2)
			set_joined(a, (a + sites / 2) % sites, true);
	}
	list_links(sites);
	for (u32 i = 0; i < 20 * nlinks; i++) {
		struct fc_graph_link *x = &links[tap_random(nlinks)];
		struct fc_graph_link *y = &links[tap_random(nlinks)];
		u32 side = tap_random(2), a = x->site[0], b = x->site[1];
		u32 c = y->site[side], d = y->site[!side];

		if (a == c || a == d || b == c || b == d || joined[a][d] || joined[c][b])
			continue;
		set_joined(a, b, false);
		set_joined(c, d, false);
		set_joined(a, d, true);
		set_joined(c, b, true);
		*x = (struct fc_graph_link){ { a, d } };
		*y = (struct fc_graph_link){ { c, b } };
	}
	list_links(sites);
	return connected(sites);
}

/* Build a graph of the links; @site: the site whose routes the table contains. */
static bool net_graph(struct vclass_net *t, u32 site)
{
	const char *wrong;
	size_t room;

	memset(t, 0, sizeof(*t));
	wrong = fc_graph_begin(&t->graph, links, nlinks);
	if (wrong)
		return CHECK(!wrong, "%u links: %s", nlinks, wrong);
	t->graph_room = malloc(fc_graph_room(&t->graph));
	wrong = fc_graph_fill(&t->graph, t->graph_room);
	fc_graph_topo(&t->topo, &t->graph);
	if (!wrong)
		wrong = fc_vclass_init(&t->v, &t->topo);
	if (wrong)
		return CHECK(!wrong, "%u links: %s", nlinks, wrong);
	room = fc_vclass_room(&t->v, site);
	t->next_hop_mem = malloc(room);
	memset(t->next_hop_mem, 0x5a, room);
	fc_vclass_fill(&t->v, site, t->next_hop_mem);
	return true;
}

static bool above(const struct vclass_net *t, u32 a, u32 b)
{
	u32 far_a = t->topo.ops->distance(&t->topo, t->v.root, a);
	u32 far_b = t->topo.ops->distance(&t->topo, t->v.root, b);

	return far_a != far_b ? far_a < far_b : a < b;
}

/* Legal distances by relaxing: links down only (class 1), and links up and then down (class 0). */
static void relax(struct vclass_net *t)
{
	u32 n = t->topo.nsites;
	bool better = true;
	u16 *up, *down;

	t->far = malloc(2 * (size_t)n * n * sizeof(*t->far));
	up = t->far;
	down = up + (size_t)n * n;
	for (u32 i = 0; i < n * n; i++) {
		up[i] = i / n == i % n ? 0 : 30000;
		down[i] = up[i];
	}
	while (better) {
		better = false;
		for (u32 i = 0; i < 2 * nlinks; i++) {
			u32 a = links[i / 2].site[i % 2], b = links[i / 2].site[!(i % 2)];
			const u16 *from = above(t, b, a) ? up : down;

			for (u32 to = 0; to < n; to++) {
				u16 far = from[b * n + to] + 1;

				if (from == down && far < down[a * n + to]) {
					down[a * n + to] = far;
					better = true;
				}
				if (far < up[a * n + to]) {
					up[a * n + to] = far;
					better = true;
				}
			}
		}
	}
}

static bool root_is_central(const struct vclass_net *t)
{
	u32 best = FC_SITE_NONE, at = 0;

	for (u32 i = 0; i < t->topo.nsites; i++) {
		u32 sum = 0;

		for (u32 j = 0; j < t->topo.nsites; j++)
			sum += t->topo.ops->distance(&t->topo, i, j);
		if (sum < best) {
			best = sum;
			at = i;
		}
	}
	return t->v.root == at;
}

static void check_graph(const char *name)
{
	struct vclass_net t;

	if (!net_graph(&t, FC_SITE_NONE))
		return;
	CHECK(root_is_central(&t), "%s: %u", name, t.v.root);
	relax(&t);
	check_all(&t, name);
}

TEST(vclass_graph__no_cycles)
{
	char name[32];

	tap_random_seed(11);
	for (unsigned int i = 0; i < TAP_ROUNDS(200); i++) {
		u32 sites = 2 + tap_random(GRAPH_SITES - 1);

		random_graph(sites, tap_random(3 * sites));
		snprintf(name, sizeof(name), "graph %u of %u sites", i, sites);
		check_graph(name);
	}
}

/* The graph of a network whose sites have random preferences, and suspect random links. */
static void check_preferred(struct vclass_net *t, const char *spec)
{
	u32 nsites = t->topo.nsites;
	size_t size = (prefers_size(nsites) + 7) / 8 * 8;
	struct fc_node *node = calloc(nsites, sizeof(*node));
	char *tables = malloc(nsites * size);
	const char *wrong;

	for (u32 site = 0; site < nsites; site++) {
		node[site].id = site;
		node[site].doubtful = tap_random(2) ? 0 : tap_random(1u << 31);
		node[site].prefers = prefers_fill((void *)(tables + site * size), nsites,
						  t->topo.ndirs, tap_random(1u << 31));
	}
	vclass_net_open(t);
	t->node = node;
	wrong = vclass_net_channels(t);
	CHECK(!wrong, "%s: %s", spec, wrong);
	vclass_net_close(t);
	free(tables);
	free(node);
}

TEST(vclass_registry__no_cycles_with_preferences)
{
	char spec[FC_SPEC_MAX];
	struct fc_topo topo;

	tap_random_seed(12);
	for (unsigned int i = 0; i < fc_topo_registry_size; i++) {
		unsigned int at = 0;

		while (kinds_next(&topo, fc_topo_registry[i], &at)) {
			fc_topo_print(&topo, spec);
			for (unsigned int round = 0; round < TAP_ROUNDS(10); round++) {
				struct vclass_net t;

				if (net_parse(&t, spec))
					check_preferred(&t, spec);
			}
		}
	}
}

TEST(vclass_graph__no_cycles_with_preferences)
{
	char name[32];

	tap_random_seed(13);
	for (unsigned int i = 0; i < TAP_ROUNDS(50); i++) {
		u32 sites = 2 + tap_random(GRAPH_SITES - 1);
		struct vclass_net t;

		random_graph(sites, tap_random(3 * sites));
		snprintf(name, sizeof(name), "graph %u of %u sites", i, sites);
		if (!net_graph(&t, FC_SITE_NONE))
			continue;
		relax(&t);
		check_preferred(&t, name);
	}
}

TEST(vclass_graph__of_special_forms)
{
	nlinks = 0;
	for (u32 i = 1; i <= FC_DIRS_MAX; i++)
		links[nlinks++] = (struct fc_graph_link){ { 0, i } };
	check_graph("a star");
	nlinks = 0;
	for (u32 a = 0; a <= FC_DIRS_MAX; a++)
		for (u32 b = a + 1; b <= FC_DIRS_MAX; b++)
			links[nlinks++] = (struct fc_graph_link){ { a, b } };
	check_graph("all with all");
	for (u32 n = 3; n <= CIRCLE_MAX; n++) {
		nlinks = 0;
		links[nlinks++] = (struct fc_graph_link){ { 0, 1 } };
		links[nlinks++] = (struct fc_graph_link){ { 0, n - 1 } };
		for (u32 i = 1; i + 1 < n; i++)
			links[nlinks++] = (struct fc_graph_link){ { i, i + 1 } };
		check_graph("a circle");
	}
}

/* Links of the route from @site to @dst; all routes between two sites are equally long. */
static u32 route_links(const struct vclass_net *t, u32 site, u32 dst)
{
	u8 class = fc_vclass_first(&t->v, site, dst), next[FC_DIRS_MAX];
	u32 n = 0;

	for (; site != dst; n++) {
		u32 mask = fc_vclass_next_hops(&t->v, site, dst, class, next);
		u8 dir = (u8)fc_low(mask);

		if (!mask || n == t->topo.nsites)
			return 0;
		class = next[dir];
		site = fc_topo_neighbour(&t->topo, site, dir);
	}
	return n;
}

/* How many permille longer routes are than shortest paths, the mean of all pairs of sites. */
static u32 stretch(const struct vclass_net *t)
{
	u32 n = t->topo.nsites, sum = 0;

	for (u32 a = 0; a < n; a++) {
		for (u32 b = 0; b < n; b++) {
			u32 far = t->topo.ops->distance(&t->topo, a, b), got;

			if (a == b)
				continue;
			got = route_links(t, a, b);
			CHECK(got >= far, "%u to %u: %u of %u links", a, b, got, far);
			sum += 1000 * (got - far) / far;
		}
	}
	return sum / (n * (n - 1));
}

/*
 * The figures are those of Documentation/design.rst (Virtual networks).  The kernel's tests measure
 * too few graphs for a mean.
 */
TEST(vclass_graph__longer_than_shortest)
{
	static const struct {
		u32 degree, sites, percent;
	} want[] = {
		{ 3, 10, 8 }, { 3, 20, 16 }, { 3, 50, 29 }, { 3, 100, 40 },
		{ 4, 10, 3 }, { 4, 20, 10 }, { 4, 50, 22 }, { 4, 100, 30 },
		{ 6, 10, 0 }, { 6, 20, 5 }, { 6, 50, 12 }, { 6, 100, 19 },
	};
	const u32 graphs = TAP_ROUNDS(30);
	struct vclass_net t;

	tap_random_seed(5);
	for (u32 i = 0; i < FC_ARRAY_SIZE(want); i++) {
		u32 sum = 0, percent;

		for (u32 n = 0; n < graphs; n++) {
			while (!random_regular(want[i].sites, want[i].degree))
				;
			if (net_graph(&t, FC_SITE_NONE))
				sum += stretch(&t);
			free(t.graph_room);
			free(t.next_hop_mem);
		}
		percent = (sum / graphs + 5) / 10;
		if (PROGRAM)
			CHECK(percent + 1 >= want[i].percent && percent <= want[i].percent + 1,
			      "%u links each, %u sites: %u %%", want[i].degree, want[i].sites,
			      percent);
	}
}

/*
 * The table of one site has the same routes of that site as the table of all sites, and no others.
 */
TEST(vclass_graph__table_of_one_site)
{
	u8 next[FC_DIRS_MAX], same[FC_DIRS_MAX];
	struct vclass_net all, one;

	tap_random_seed(3);
	random_graph(25, 20);
	REQUIRE(net_graph(&all, FC_SITE_NONE), "all");
	CHECK(!fc_vclass_next_hops(&(struct fc_vclass){
		.topo = &all.topo, .rules = all.v.rules, .count = 2, .only = FC_SITE_NONE,
	}, 0, 1, 0, next), "ways without a table");
	for (u32 site = 0; site < 25; site++) {
		REQUIRE(net_graph(&one, site), "one");
		CHECK(fc_vclass_room(&one.v, site) < fc_vclass_room(&one.v, FC_SITE_NONE), "room");
		for (u32 i = 0; i < 25 * 2; i++) {
			u32 mask = fc_vclass_next_hops(&all.v, site, i / 2, i % 2, next);

			CHECK(fc_vclass_next_hops(&one.v, site, i / 2, i % 2, same) == mask,
			      "%u to %u in %u", site, i / 2, i % 2);
			for (; mask; mask &= mask - 1)
				CHECK(next[fc_low(mask)] == same[fc_low(mask)], "%u to %u", site,
				      i / 2);
			CHECK(!fc_vclass_next_hops(&one.v, (site + 1) % 25, i / 2, i % 2, same),
			      "ways of another");
		}
		free(one.graph_room);
		free(one.next_hop_mem);
	}
	free(all.graph_room);
	free(all.next_hop_mem);
}

/*
 * Wrong rules, one for each kind: the check that finds no cycle with the right rules must find one
 * with these.
 */
static u32 no_level(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	const struct fc_vclass_rules *right =
		v->topo->ops == &fc_topo_hexmesh ? fc_topo_hexmesh.vclass : fc_topo_torus.vclass;
	struct fc_vclass whole = *v;
	u32 allowed, left;

	whole.count = (u8)(v->count * v->levels);
	allowed = right->allowed(&whole, site, class, mask, next);
	for (left = allowed; left; left &= left - 1) {
		u8 *n = &next[fc_low(left)];

		if (right == fc_topo_hexmesh.vclass)
			*n &= ~1;
		else
			*n &= (u8)(fc_bit(v->bits) - 1);
	}
	return allowed;
}

static u32 minimal_productive(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	return fc_topo_minimal(v->topo, site, dst);
}

static u32 any_productive(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	return fc_bit(v->topo->ndirs) - 1;
}

static u32 one_allowed(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	memset(next, 0, v->topo->ndirs);
	return mask;
}

static u8 one_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	return 0;
}

static u8 last_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	return (u8)(fc_bit(v->bits) - 1);
}

/* Packets may leave their orthant for any other one, and return. */
static u32 any_orthant(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u8 back[FC_DIRS_MAX];
	u32 all = v->topo->ops->vclass->allowed(v, site, class, mask, next), again, left;

	again = v->topo->ops->vclass->allowed(v, site, 0, mask & ~all, back);
	for (left = again; left; left &= left - 1)
		next[fc_low(left)] = back[fc_low(left)];
	return all | again;
}

/* The third bit is set if the packet crosses a seam anywhere. */
static u8 seam_first(const struct fc_vclass *v, u32 src, u32 dst)
{
	u32 columns = v->topo->size[0];
	u8 class = fc_topo_torus.vclass->first(v, src, dst);
	u32 a[2] = { src % columns, src / columns }, b[2] = { dst % columns, dst / columns };

	for (unsigned int i = 0; i < 2; i++)
		if (class >> i & 1 ? b[i] > a[i] : b[i] < a[i])
			return class | 4;
	return class;
}

static u32 seam_productive(const struct fc_vclass *v, u32 site, u32 dst, u8 class)
{
	return fc_topo_torus.vclass->productive(v, site, dst, class & 3);
}

/* Packets stay in their orthant. */
static u32 seam_allowed(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 allowed = fc_topo_torus.vclass->allowed(v, site, class & 3, mask, next), left;

	for (left = allowed; left; left &= left - 1)
		if ((next[fc_low(left)] ^ class) & 3)
			allowed &= ~fc_bit(fc_low(left));
	memset(next, class, v->topo->ndirs);
	return allowed;
}

static u32 not_across(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 allowed = fc_topo_torus.vclass->allowed(v, site, class, mask, next), left;

	for (left = allowed; left; left &= left - 1)
		if (next[fc_low(left)] != class)
			allowed &= ~fc_bit(fc_low(left));
	return allowed;
}

static u32 up_again(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next)
{
	u32 left;

	mask = fc_topo_hypercube.vclass->allowed(v, site, 0, mask, next);
	for (left = mask; left; left &= left - 1)
		next[fc_low(left)] = class;
	return mask;
}

static void broken(struct vclass_net *t, const char *what, const struct fc_vclass_rules *rules,
		   u8 count, const char *text)
{
	const char *wrong;

	t->v.rules = rules;
	t->v.count = count;
	t->no_lists = rules->first == seam_first;
	vclass_net_open(t);
	wrong = vclass_net_channels(t);
	CHECK(wrong && strstr(wrong, text), "%s: %s", what, wrong);
	if (!strcmp(text, "channels have a cycle")) {
		wrong = vclass_net_buffers(&t->v);
		CHECK(wrong, "%s: buffers have no cycle", what);
	} else {
		wrong = vclass_net_walk(&t->v, 20000);
		CHECK(wrong && !strcmp(wrong, text), "%s: a walk: %s", what, wrong);
	}
	vclass_net_close(t);
}

static void broken_spec(const char *spec, const struct fc_vclass_rules *rules, u8 count,
			const char *text)
{
	struct vclass_net t;

	if (net_parse(&t, spec))
		broken(&t, spec, rules, count, text);
}

/* Only packets with false classes would close the cycle. */
static void broken_buffers(const char *spec, const struct fc_vclass_rules *rules)
{
	struct vclass_net t;

	if (!net_parse(&t, spec))
		return;
	t.v.rules = rules;
	CHECK(vclass_net_buffers(&t.v), "%s: buffers have no cycle", spec);
}

TEST(vclass_broken__is_caught)
{
	struct fc_vclass_rules torus = *fc_topo_torus.vclass, hexmesh = *fc_topo_hexmesh.vclass;
	struct fc_vclass_rules cube = *fc_topo_hypercube.vclass, mesh = *fc_topo_mesh.vclass;
	const struct fc_vclass_rules one = {
		.first = one_first, .productive = minimal_productive, .allowed = one_allowed,
	};
	const struct fc_vclass_rules seam = {
		.first = seam_first, .productive = seam_productive, .allowed = seam_allowed,
	};
	static const char cycle[] = "channels have a cycle";
	struct vclass_net t;

	/* Rules without levels. */
	torus.allowed = no_level;
	hexmesh.allowed = no_level;
	broken_spec("ring:5", &torus, 2, cycle);
	broken_spec("torus:4x4", &torus, 4, cycle);
	broken_spec("torus:5x5", &torus, 4, cycle);
	broken_spec("torus:3^3", &torus, 8, cycle);
	broken_spec("hexmesh:3", &hexmesh, 6, cycle);
	broken_spec("hexmesh:4", &hexmesh, 6, cycle);
	/* One class for packets that cross a seam, and one for those that do not. */
	broken_spec("torus:4x4", &seam, 8, cycle);
	broken_spec("torus:5x5", &seam, 8, cycle);
	broken_spec("torus:6x6", &seam, 8, cycle);
	broken_spec("torus:9x9", &seam, 8, cycle);
	/* A single class. */
	broken_spec("mesh:2x2", &one, 1, cycle);
	broken_spec("mesh:3x4", &one, 1, cycle);
	broken_spec("hypercube:2", &one, 1, cycle);
	broken_spec("hypercube:4", &one, 1, cycle);
	broken_spec("ring:5", &one, 1, cycle);
	broken_spec("hexmesh:3", &one, 1, cycle);
	nlinks = 0;
	links[nlinks++] = (struct fc_graph_link){ { 0, 1 } };
	links[nlinks++] = (struct fc_graph_link){ { 0, 2 } };
	links[nlinks++] = (struct fc_graph_link){ { 1, 3 } };
	links[nlinks++] = (struct fc_graph_link){ { 2, 3 } };
	if (net_graph(&t, FC_SITE_NONE))
		broken(&t, "a square of one class", &one, 1, cycle);
	/* Two classes that packets do not use in order. */
	cube.productive = minimal_productive;
	cube.allowed = up_again;
	broken_spec("hypercube:3", &cube, 2, cycle);
	/* Packets change orthants and half planes in any order. */
	torus = *fc_topo_torus.vclass;
	torus.allowed = any_orthant;
	hexmesh = *fc_topo_hexmesh.vclass;
	hexmesh.allowed = any_orthant;
	mesh.allowed = any_orthant;
	broken_buffers("torus:4x4", &torus);
	broken_buffers("torus:5x5", &torus);
	broken_buffers("hexmesh:3", &hexmesh);
	broken_buffers("mesh:3x3", &mesh);
	/* One level too few: the rules have no cycle, but packets get stuck. */
	torus = *fc_topo_torus.vclass;
	torus.allowed = not_across;
	broken_spec("torus:4x4", &torus, 8, "a packet has no way");
	broken_spec("torus:4^3", fc_topo_torus.vclass, 16, "a packet has no way");
	/* A wrong first class, and detours. */
	torus = *fc_topo_torus.vclass;
	torus.first = last_first;
	broken_spec("torus:4x4", &torus, 8, "a packet has no way");
	torus = *fc_topo_torus.vclass;
	torus.productive = any_productive;
	broken_spec("torus:4x4", &torus, 8, "a way that is no shortest one");
}
