// SPDX-License-Identifier: GPL-2.0
/* Splitting of target lists: on all kinds of topology, against distances, and over whole trees. */
#include <string.h>

#include "core/care/care.h"
#include "core/vnet/split.h"
#include "tap.h"

static const char *const specs[] = {
	"line:7", "ring:6", "ring:7", "mesh:4x5", "mesh:1x6", "mesh:2x3x3", "mesh:1x2x2x2x2x2x2",
	"torus:4x4", "torus:3x5", "torus:5x6", "torus:4x4x3", "hypercube:5", "hexmesh:2",
	"hexmesh:3", "hexmesh:4",
};

static u32 links(const struct fc_topo *topo, u32 a, u32 b)
{
	return topo->ops->distance(topo, a, b);
}

static bool between(const struct fc_topo *topo, u32 from, u32 site, u32 to)
{
	return links(topo, from, site) + links(topo, site, to) == links(topo, from, to);
}

/* Maximum links that shortest paths to two sites can share, by a search of all sites. */
static u32 shared(const struct fc_topo *topo, u32 from, u32 a, u32 b)
{
	u32 most = 0;

	for (u32 p = 0; p < topo->nsites; p++)
		if (between(topo, from, p, a) && between(topo, from, p, b) &&
		    links(topo, from, p) > most)
			most = links(topo, from, p);
	return most;
}

/* Number of steps that both paths have, along each axis in one direction. */
static u32 common_steps(u8 a[2][FC_STEPS_AXES], u8 b[2][FC_STEPS_AXES])
{
	u32 links = 0;

	for (u8 axis = 0; axis < FC_STEPS_AXES; axis++) {
		u8 most = 0;

		for (u8 dir = 0; dir < 2; dir++) {
			u8 least = a[dir][axis] < b[dir][axis] ? a[dir][axis] : b[dir][axis];

			most = least > most ? least : most;
		}
		links += most;
	}
	return links;
}

TEST(split_steps__are_shared_by_shortest_paths)
{
	u8 sa[2][FC_STEPS_AXES], sb[2][FC_STEPS_AXES];
	struct fc_topo topo;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		REQUIRE(!fc_topo_parse(&topo, specs[i]), "%s", specs[i]);
		for (unsigned int round = 0; round < TAP_ROUNDS(2000); round++) {
			u32 from = tap_random(topo.nsites), a = tap_random(topo.nsites);
			u32 b = tap_random(topo.nsites);

			topo.ops->steps(&topo, from, a, sa);
			topo.ops->steps(&topo, from, b, sb);
			CHECK(common_steps(sa, sb) == shared(&topo, from, a, b),
			      "%s from %u to %u, %u: %u", specs[i], from, a, b,
			      common_steps(sa, sb));
		}
	}
	/* Coordinates that do not fit a byte. */
	REQUIRE(!fc_topo_parse(&topo, "torus:300x1000"), "torus");
	topo.ops->steps(&topo, 0, 499, sa);
	CHECK(sa[0][0] == FC_STEPS_CAP && !sa[1][0] && !sa[0][1], "%u %u", sa[0][0], sa[1][0]);
	REQUIRE(!fc_topo_parse(&topo, "mesh:1x300"), "mesh");
	topo.ops->steps(&topo, 299, 0, sa);
	CHECK(sa[1][0] == FC_STEPS_CAP && !sa[0][0], "%u %u", sa[0][0], sa[1][0]);
}

/* Check that each target uses one direction, which it may use.  Return: the used directions. */
static u32 check_split(struct fc_split *s, u64 targets, const char *spec)
{
	u32 dirs, rest, all = 0, common = ~(u32)0;
	u64 got = 0, left;

	for (left = targets; left; left &= left - 1) {
		all |= s->dirs[fc_low64(left)];
		common &= s->dirs[fc_low64(left)];
	}
	dirs = fc_split(s, targets, common);
	CHECK(dirs && !(dirs & ~all), "%s: directions %x of %x", spec, dirs, all);
	for (rest = dirs; rest; rest &= rest - 1) {
		u8 d = (u8)fc_low(rest);

		CHECK(s->mask[d] && !(s->mask[d] & got), "%s: mask %llx after %llx", spec,
		      (unsigned long long)s->mask[d], (unsigned long long)got);
		for (left = s->mask[d]; left; left &= left - 1)
			CHECK(s->dirs[fc_low64(left)] & fc_bit(d), "%s: target %u by %u", spec,
			      fc_low64(left), d);
		got |= s->mask[d];
	}
	CHECK(got == targets, "%s: targets %llx of %llx", spec, (unsigned long long)got,
	      (unsigned long long)targets);
	return dirs;
}

/* Targets and directions of any kind. */
TEST(split_any__serves_each_target_once)
{
	struct fc_split s = { .topo = NULL };
	struct fc_topo topo;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		REQUIRE(!fc_topo_parse(&topo, specs[i]), "%s", specs[i]);
		s.topo = &topo;
		for (unsigned int round = 0; round < TAP_ROUNDS(2000); round++) {
			u32 n = 1 + tap_random(tap_random(2) ? FC_TARGETS_MAX : 12);
			u64 targets = 0;

			s.site = tap_random(topo.nsites);
			s.apart = !tap_random(4);
			s.on = tap_random(fc_bit(topo.ndirs));
			for (u8 d = 0; d < topo.ndirs; d++)
				s.load[d] = tap_random(3);
			for (u32 t = 0; t < n; t++) {
				s.dst[t] = tap_random(topo.nsites);
				s.dirs[t] = fc_topo_minimal(&topo, s.site, s.dst[t]);
				/* Some links are down, and some routes are detours. */
				if (!tap_random(3))
					s.dirs[t] &= tap_random(fc_bit(topo.ndirs));
				if (!tap_random(9))
					s.dirs[t] |= fc_bit(tap_random(topo.ndirs));
				if (s.dirs[t] && tap_random(8))
					targets |= fc_bit64(t);
			}
			if (targets)
				check_split(&s, targets, specs[i]);
		}
	}
}

#define SITES	128

/* A target list at a site. */
struct branch {
	u32 site;
	u32 n;
	u32 dst[FC_SPLIT_MERGED];
};

/* Links of a tree of shortest routes; @came: number of arrivals by site. */
static u32 grow(const struct fc_topo *topo, const char *spec, bool apart,
		const struct branch *list, u8 came[SITES])
{
	static struct branch queue[FC_SPLIT_MERGED * SITES];
	struct fc_split s = { .topo = topo, .apart = apart };
	u32 head = 0, tail = 0, dirs;

	memset(came, 0, SITES);
	queue[tail++] = *list;
	while (head < tail) {
		const struct branch *b = &queue[head++];
		u32 left = 0;

		s.site = b->site;
		came[b->site]++;
		for (u32 i = 0; i < b->n; i++) {
			if (b->dst[i] == b->site)
				continue;
			s.dst[left] = b->dst[i];
			s.dirs[left++] = fc_topo_minimal(topo, b->site, b->dst[i]);
		}
		if (!left)
			continue;
		for (dirs = check_split(&s, fc_mask_all(left), spec); dirs; dirs &= dirs - 1) {
			u8 d = (u8)fc_low(dirs);
			struct branch *to = &queue[tail++];

			to->site = fc_topo_neighbour(topo, b->site, d);
			to->n = 0;
			for (u64 rest = s.mask[d]; rest; rest &= rest - 1)
				to->dst[to->n++] = s.dst[fc_low64(rest)];
		}
	}
	return tail - 1;
}

/* Compare trees by merging with trees by the next link alone; their branches never cross. */
TEST(split_trees__are_small)
{
	struct fc_topo topo;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		u32 merged = 0, greedy = 0, unicasts = 0;

		REQUIRE(!fc_topo_parse(&topo, specs[i]) && topo.nsites <= SITES, "%s", specs[i]);
		for (unsigned int round = 0; round < TAP_ROUNDS(500); round++) {
			struct branch list = {
				.site = tap_random(topo.nsites), .n = 2 + tap_random(11),
			};
			u8 came[SITES];
			u32 tree;

			for (u32 t = 0; t < list.n; t++) {
				list.dst[t] = tap_random(topo.nsites);
				unicasts += links(&topo, list.site, list.dst[t]);
			}
			tree = grow(&topo, specs[i], false, &list, came);
			merged += tree;
			/* A list of two targets shares as many links as possible. */
			if (list.n == 2)
				CHECK(tree + shared(&topo, list.site, list.dst[0], list.dst[1]) ==
				      links(&topo, list.site, list.dst[0]) +
				      links(&topo, list.site, list.dst[1]), "%s from %u to %u, %u",
				      specs[i], list.site, list.dst[0], list.dst[1]);
			greedy += grow(&topo, specs[i], true, &list, came);
			for (u32 site = 0; site < topo.nsites; site++)
				CHECK(came[site] <= 1, "%s from %u: %u times at %u", specs[i],
				      list.site, came[site], site);
		}
		/* On sites with few links the two are nearly the same. */
		CHECK(50 * merged <= 51 * greedy && greedy < unicasts, "%s: %u links, %u and %u",
		      specs[i], merged, greedy, unicasts);
	}
}

/* The direction with the least load, among equal ones a preferred direction. */
TEST(split_choice__by_load)
{
	struct fc_split s = { .topo = NULL };
	struct fc_topo topo;

	REQUIRE(!fc_topo_parse(&topo, "mesh:4x4"), "mesh");
	s.topo = &topo;
	s.dst[0] = 15;
	s.dst[1] = 10;
	for (u32 i = 0; i < 2; i++)
		s.dirs[i] = fc_topo_minimal(&topo, 0, s.dst[i]);
	CHECK(check_split(&s, 3, "mesh") == fc_bit(0), "the first");
	s.on = fc_bit(2);
	CHECK(check_split(&s, 3, "mesh") == fc_bit(2), "the preferred one");
	s.load[2] = 1;
	CHECK(check_split(&s, 3, "mesh") == fc_bit(0), "the one with less load");
	s.load[0] = 2;
	CHECK(check_split(&s, 3, "mesh") == fc_bit(2), "the other one");
}
