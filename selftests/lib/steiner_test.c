// SPDX-License-Identifier: GPL-2.0
/*
 * Shortest trees, compared with a search of all sets of sites in small networks, and with known
 * trees in large ones.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "core/faults/routes.h"
#include "steiner.h"
#include "tap.h"

#define SITES	16
#define TREE	64
#define LARGE	1024

static u32 down[LARGE];

/* By site, a mask of the neighbours over working links. */
static void read_peers(const struct fc_topo *topo, u32 peers[SITES])
{
	for (u32 s = 0; s < topo->nsites; s++) {
		peers[s] = 0;
		for (u8 d = 0; d < topo->ndirs; d++) {
			u32 peer = fc_topo_neighbour(topo, s, d);

			if (peer != FC_SITE_NONE && fc_routes_link_works(topo, down, s, d))
				peers[s] |= fc_bit(peer);
		}
	}
}

/* Return: the sites of a set that can be reached from a site within the set. */
static u32 reach(const u32 peers[SITES], u32 from, u32 set)
{
	u32 found = fc_bit(from), edge = found;

	while (edge) {
		u32 next = peers[fc_low(edge)] & set & ~found;

		edge = (edge & (edge - 1)) | next;
		found |= next;
	}
	return found;
}

/* Links of a tree of the smallest connected set of sites that contains the source and all ends. */
static u32 by_sets(const u32 peers[SITES], u32 from, u32 ends, u32 all)
{
	u32 least = FC_SITE_NONE, set;

	ends |= fc_bit(from);
	for (set = 0; set <= all; set++) {
		u32 links = (u32)__builtin_popcount(set) - 1;

		if ((set & ends) == ends && links < least && reach(peers, from, set) == set)
			least = links;
	}
	return least;
}

static struct steiner tree_of(const struct fc_topo *topo, bool dead, u32 from, const u32 *target,
			      u32 n)
{
	struct steiner tree = { 0 };

	CHECK(steiner_tree(&tree, topo, dead ? down : NULL, from, target, n), "no memory");
	return tree;
}

static void random_targets(const struct fc_topo *topo, u32 *target, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		target[i] = tap_random(topo->nsites);
}

/* A list may name a target twice, or the source; dead links may cut targets off. */
static bool check_list(const struct fc_topo *topo, bool dead, u32 n)
{
	u32 target[2 * SITES], peers[SITES], all = fc_bit(topo->nsites) - 1;
	u32 from = tap_random(topo->nsites), ends = 0, count, links, i;
	struct steiner tree;

	memset(down, 0, sizeof(down));
	for (i = 0; dead && i < topo->nsites / 2; i++)
		down[tap_random(topo->nsites)] |= fc_bit(1 + tap_random(topo->ndirs));
	random_targets(topo, target, n);
	for (i = 0; i < n; i++)
		ends |= fc_bit(target[i]);
	read_peers(topo, peers);
	ends &= reach(peers, from, all) & ~fc_bit(from);
	count = (u32)__builtin_popcount(ends);
	links = by_sets(peers, from, ends, all);
	tree = tree_of(topo, dead, from, target, n);
	CHECK(tree.targets == count, "%u targets, not %u", tree.targets, count);
	CHECK(tree.exact || count > STEINER_TARGETS, "%u targets: a bound", count);
	return CHECK(tree.exact ? tree.links == links : tree.links <= links,
		     "%u targets from %u: %u links, exact %d, not %u", n, from, tree.links,
		     tree.exact, links);
}

TEST(steiner_tree__networks_of_16_sites)
{
	static const char *const specs[] = {
		"line:7", "ring:8", "mesh:3x4", "torus:3x3", "torus:4x4", "hypercube:3",
		"hypercube:4", "hexmesh:2", "mesh:2x2x3",
	};

	tap_random_seed(1);
	for (u32 i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		struct fc_topo topo;

		REQUIRE(!fc_topo_parse(&topo, specs[i]), "%s", specs[i]);
		for (u32 n = 0; n <= 2 * SITES; n++)
			for (u32 round = 0; round < 3; round++)
				if (!check_list(&topo, round, n))
					return;
	}
}

/* A random tree, in which each site has an earlier site as its parent, and more links. */
static bool random_graph(struct fc_topo *topo, u32 *parent, u32 sites, u32 more)
{
	static bool joined[TREE][TREE];
	struct fc_graph_link link[TREE * 4];
	u32 n = 0;

	memset(joined, 0, sizeof(joined));
	for (u32 i = 1; i < sites; i++) {
		/* Keep the number of links of a site at most FC_DIRS_MAX. */
		parent[i] = i - 1 - tap_random(i < 8 ? i : 8);
		joined[parent[i]][i] = true;
	}
	while (more--) {
		u32 a = tap_random(sites - 1);

		joined[a][a + 1 + tap_random(sites - 1 - a)] = true;
	}
	for (u32 a = 0; a < sites; a++)
		for (u32 b = a + 1; b < sites; b++)
			if (joined[a][b])
				link[n++] = (struct fc_graph_link){ { a, b } };
	return CHECK(!graph_links(topo, link, n), "%u sites, %u links", sites, n);
}

TEST(steiner_tree__random_graphs)
{
	u32 parent[TREE];

	tap_random_seed(2);
	for (u32 round = 0; round < 2000; round++) {
		struct fc_topo topo;

		if (!random_graph(&topo, parent, 4 + tap_random(8), tap_random(8)))
			return;
		if (!check_list(&topo, round % 2, 1 + tap_random(9)))
			return;
		graph_free(&topo);
	}
}

/* A network that is a tree has one tree that joins the targets, and its links are counted. */
TEST(steiner_tree__networks_that_are_trees)
{
	u32 bounds = 0, sum = 0, least = 0;

	tap_random_seed(3);
	for (u32 round = 0; round < 100; round++) {
		u32 target[40], parent[TREE], below[TREE] = { 0 }, links = 0, ends = 0;
		u32 from = tap_random(TREE), n = 2 + tap_random(39);
		struct steiner tree;
		struct fc_topo topo;

		if (!random_graph(&topo, parent, TREE, 0))
			return;
		random_targets(&topo, target, n);
		below[from] = 1;
		for (u32 i = 0; i < n; i++)
			below[target[i]] = 1;
		for (u32 i = 0; i < TREE; i++)
			ends += below[i];
		/* A link belongs to the tree if there are ends on both sides. */
		for (u32 i = TREE - 1; i; i--) {
			links += below[i] && below[i] < ends;
			below[parent[i]] += below[i];
		}
		tree = tree_of(&topo, false, from, target, n);
		CHECK(tree.targets == ends - 1, "%u targets, not %u", tree.targets, ends - 1);
		CHECK(tree.exact || ends > STEINER_TARGETS, "%u ends: a bound", ends);
		CHECK(tree.exact ? tree.links == links : tree.links <= links,
		      "%u ends: %u links, exact %d, not %u", ends, tree.links, tree.exact, links);
		if (!tree.exact) {
			bounds++;
			sum += links;
			least += tree.links;
		}
		graph_free(&topo);
	}
	CHECK(bounds > 50 && least * 10 >= sum * 9, "%u bounds: %u of %u links", bounds, least,
	      sum);
}

/* Links of the minimum spanning tree of the distances, which adds the nearest target next. */
static u32 span_of(const struct fc_topo *topo, u32 from, const u32 *target, u32 n)
{
	u32 span = 0;
	u64 joined = 0;

	for (u32 k = 0; k < n; k++) {
		u32 least = FC_SITE_NONE, next = 0;

		for (u32 i = 0; i < n; i++) {
			u32 near = topo->ops->distance(topo, from, target[i]);

			if (joined >> i & 1)
				continue;
			for (u32 j = 0; j < n; j++) {
				u32 far = topo->ops->distance(topo, target[j], target[i]);

				if (joined >> j & 1 && far < near)
					near = far;
			}
			if (near < least) {
				least = near;
				next = i;
			}
		}
		joined |= fc_bit64(next);
		span += least;
	}
	return span;
}

/* Networks that are too large for dynamic programming. */
TEST(steiner_tree__large_networks)
{
	static const char *const specs[] = {
		"line:1048576", "ring:1048576", "mesh:1024x1024", "torus:1024x1024",
		"hypercube:20", "hexmesh:500", "torus:20x20x20",
	};

	tap_random_seed(4);
	for (u32 i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		struct fc_topo topo;

		REQUIRE(!fc_topo_parse(&topo, specs[i]), "%s", specs[i]);
		for (u32 n = 1; n <= 64; n *= 2) {
			u32 target[64], from = tap_random(topo.nsites), low = from, high = from;
			u64 sum = 0, far = 0;
			struct steiner tree;
			u32 span;

			random_targets(&topo, target, n);
			tree = tree_of(&topo, false, from, target, n);
			for (u32 j = 0; j < n; j++) {
				u32 away = topo.ops->distance(&topo, from, target[j]);

				sum += away;
				far = away > far ? away : far;
				low = target[j] < low ? target[j] : low;
				high = target[j] > high ? target[j] : high;
			}
			CHECK(tree.links >= far && tree.links <= sum && tree.exact >= (n == 1),
			      "%s: %u targets: %u links, exact %d", specs[i], n, tree.links,
			      tree.exact);
			span = span_of(&topo, from, target, n);
			CHECK(tree.links * 2ULL * tree.targets >= span * (tree.targets + 1),
			      "%s: %u links beside a spanning tree of %u", specs[i], tree.links,
			      span);
			/* The spanning tree of a line is the line between its ends. */
			CHECK(i || (span == high - low && tree.links <= span), "%u links of %u",
			      tree.links, span);
		}
	}
}

/* Targets that are neighbours in a row need a link each, whatever their number. */
TEST(steiner_tree__targets_side_by_side)
{
	u32 target[LARGE];
	struct steiner tree;
	struct fc_topo topo;

	REQUIRE(!fc_topo_parse(&topo, "torus:32x32"), "torus");
	for (u32 i = 0; i < LARGE; i++)
		target[i] = i;
	for (u32 n = 1; n <= LARGE; n += 31) {
		tree = tree_of(&topo, false, 0, target, n);
		CHECK(tree.exact && tree.links == n - 1 && tree.targets == n - 1,
		      "%u: %u links, %u targets, exact %d", n, tree.links, tree.targets,
		      tree.exact);
	}
	/* Every second target is no neighbour of the others. */
	for (u32 n = STEINER_TARGETS + 1; n <= LARGE / 4; n *= 4) {
		u32 apart[LARGE / 4];

		for (u32 i = 0; i < n; i++)
			apart[i] = 2 * i + 2 + (i / 16) % 2;
		tree = tree_of(&topo, false, 0, apart, n);
		CHECK(!tree.exact && tree.links >= n, "%u: %u links, exact %d", n, tree.links,
		      tree.exact);
	}
	/* A site whose links are all dead cannot be a target. */
	memset(down, 0, sizeof(down));
	down[77] = ~1U;
	tree = tree_of(&topo, true, 0, target, LARGE);
	CHECK(tree.exact && tree.links == LARGE - 2 && tree.targets == LARGE - 2, "%u links",
	      tree.links);
	tree = tree_of(&topo, true, 0, target + 77, 1);
	CHECK(tree.exact && !tree.links && !tree.targets, "%u links to nobody", tree.links);
}
