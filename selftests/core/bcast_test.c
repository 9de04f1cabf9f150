// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcasts by enumeration: the test follows every packet of every table from its source, along
 * the links of the topology and without the rules of the core, and checks that every site gets k
 * copies over disjoint paths.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/topo/bcast.h"
#include "bcast_vectors.h"
#include "kinds.h"
#include "tap.h"
#include "core/topo/hexmesh.h"
#include "core/topo/rules.h"

/* Largest sizes, 15, 12 and 8 in programs; the kernel's tests have less time. */
#define HEXMESH_MAX	(3 + TAP_ROUNDS(12))
#define TORUS_MAX	(3 + TAP_ROUNDS(9))
#define CUBE_MAX	(3 + TAP_ROUNDS(5))

#define NOT_REACHED	0xffffffffU

/* A packet in flight, and the path that it has taken. */
struct seen {
	u32 from;	/* previous slot, or NOT_REACHED: the source */
	u32 hops;	/* 0: no packet arrived here */
	u32 first;	/* direction in which it left the source */
};

struct bench {
	struct fc_topo topo;
	struct fc_bcast b;
	struct fc_bcast_work *work;
	struct seen *seen;	/* indexed by slot */
	u32 *queue;
	u32 *mark;
	u32 links;		/* used links */
	u32 longest;
};

static bool bench_open(struct bench *t, const char *spec, unsigned int copies)
{
	const char *wrong;
	u32 slots;

	memset(t, 0, sizeof(*t));
	wrong = fc_topo_parse(&t->topo, spec);
	if (!wrong)
		wrong = fc_bcast_init(&t->b, &t->topo, copies);
	if (!CHECK(!wrong, "%s in %u copies: %s", spec, copies, wrong))
		return false;
	slots = fc_bcast_slots(&t->topo);
	t->b.entry = calloc(slots, sizeof(*t->b.entry));
	t->work = calloc(slots, sizeof(*t->work));
	t->seen = calloc(slots, sizeof(*t->seen));
	t->queue = calloc(slots, sizeof(*t->queue));
	t->mark = calloc(t->topo.nsites, sizeof(*t->mark));
	/* The table code must not depend on the initial contents of the memory. */
	memset(t->b.entry, 0x5a, slots * sizeof(*t->b.entry));
	memset(t->work, 0x5a, slots * sizeof(*t->work));
	return true;
}

static void bench_close(struct bench *t)
{
	free(t->b.entry);
	free(t->work);
	free(t->seen);
	free(t->queue);
	free(t->mark);
}

/* Fill and check the table for a source; symmetric networks have one for all. */
static bool fill(struct bench *t, u32 source)
{
	const char *wrong;

	t->b.source = t->b.rules->relative ? 0 : source;
	wrong = fc_bcast_fill(&t->b, t->work);
	memset(t->work, 0x5a, fc_bcast_slots(&t->topo) * sizeof(*t->work));
	if (!wrong)
		wrong = fc_bcast_check(&t->b, t->work);
	return CHECK(!wrong, "%s in %u copies from %u: %s", t->topo.ops->name, t->b.copies,
		     source, wrong);
}

static bool bench_fill(struct bench *t, const char *spec, unsigned int copies)
{
	if (!bench_open(t, spec, copies))
		return false;
	if (fill(t, 0))
		return true;
	bench_close(t);
	return false;
}

/*
 * Forward a packet from a site.  Return: false if the link already carried a packet, or the next
 * site does not expect one from it.  @wired: the actual direction of each direction.
 */
static bool leave(struct bench *t, u32 source, u32 site, u8 dir, const u8 *wired, u32 from,
		  u32 *tail)
{
	u8 back = t->topo.ops->arrival(&t->topo, site, dir);
	u32 peer = fc_topo_neighbour(&t->topo, site, wired ? wired[dir] : dir);
	struct seen *seen = &t->seen[peer * t->topo.ndirs + back];

	if (peer == FC_SITE_NONE || seen->hops ||
	    !(fc_bcast_next(&t->b, source, peer, back) & FC_BCAST_DELIVER))
		return false;
	seen->from = from;
	seen->first = from == NOT_REACHED ? dir : t->seen[from].first;
	seen->hops = from == NOT_REACHED ? 1 : t->seen[from].hops + 1;
	t->queue[(*tail)++] = peer * t->topo.ndirs + back;
	return true;
}

/* Is the site on no path except as an end, and is every other site on at most one path? */
static bool apart(struct bench *t, u32 source, u32 site)
{
	u32 ndirs = t->topo.ndirs, copies = 0;

	for (u32 d = 0; d < ndirs; d++) {
		u32 slot = site * ndirs + d;

		if (!t->seen[slot].hops)
			continue;
		copies++;
		for (u32 at = t->seen[slot].from; at != NOT_REACHED; at = t->seen[at].from) {
			if (at / ndirs == site || at / ndirs == source ||
			    t->mark[at / ndirs] == site)
				return false;
			t->mark[at / ndirs] = site;
		}
	}
	return copies == t->b.copies;
}

/* Follow one broadcast.  Return: false if it is wrong. */
static bool broadcast(struct bench *t, u32 source, const u8 *wired)
{
	u32 ndirs = t->topo.ndirs, head = 0, tail = 0;
	u32 start = fc_bcast_next(&t->b, source, source, FC_BCAST_SOURCE);

	memset(t->seen, 0, fc_bcast_slots(&t->topo) * sizeof(*t->seen));
	memset(t->mark, 0xff, t->topo.nsites * sizeof(*t->mark));
	t->longest = 0;
	for (u8 d = 0; d < ndirs; d++)
		if (start & fc_bit(d) &&
		    !leave(t, source, source, d, wired, NOT_REACHED, &tail))
			return false;
	for (; head < tail; head++) {
		u32 slot = t->queue[head], site = slot / ndirs;
		u32 entry = fc_bcast_next(&t->b, source, site, (u8)(slot % ndirs));

		if (t->seen[slot].hops > t->longest)
			t->longest = t->seen[slot].hops;
		for (u8 d = 0; d < ndirs; d++)
			if (entry & fc_bit(d) && !leave(t, source, site, d, wired, slot, &tail))
				return false;
	}
	t->links = tail;
	for (u32 site = 0; site < t->topo.nsites; site++)
		if (site != source && !apart(t, source, site))
			return false;
	return true;
}

/* Return: links of the first copy of a site; *@last: links of the last copy. */
static u32 first_hops(const struct bench *t, u32 site, u32 *last)
{
	u32 ndirs = t->topo.ndirs, first = NOT_REACHED;

	*last = 0;
	for (u32 slot = site * ndirs; slot < (site + 1) * ndirs; slot++) {
		u32 hops = t->seen[slot].hops;

		if (hops && hops < first)
			first = hops;
		if (hops > *last)
			*last = hops;
	}
	return first;
}

static u32 count_entries(const struct bench *t)
{
	u32 n = 0;

	for (u32 i = 0; i < fc_bcast_slots(&t->topo); i++)
		n += t->b.entry[i] != 0;
	return n;
}

/*
 * Check one whole table.  @longest: links of the longest path, from the analysis.  @detour: links
 * by which a copy may exceed the shortest path; 0: compare only the first copy.
 */
static void check_table(const char *spec, unsigned int copies, u32 longest, u32 detour)
{
	struct bench t;

	if (!bench_fill(&t, spec, copies))
		return;
	for (u32 i = 0; i < t.topo.nsites; i++) {
		/* Small networks: from every site; others: from three random sites. */
		u32 source = t.topo.nsites <= 40 ? i : tap_random(t.topo.nsites);

		if (t.topo.nsites > 40 && i >= 3)
			break;
		if (!CHECK(broadcast(&t, source, NULL), "%s in %u copies from %u", spec, copies,
			   source))
			break;
		CHECK(t.links == copies * (t.topo.nsites - 1), "%s in %u copies: %u links", spec,
		      copies, t.links);
		CHECK(t.longest == longest, "%s in %u copies: %u, not %u", spec, copies, t.longest,
		      longest);
		for (u32 site = 0; site < t.topo.nsites; site++) {
			u32 far = t.topo.ops->distance(&t.topo, source, site);
			u32 last, first = first_hops(&t, site, &last);

			if (site == source)
				continue;
			CHECK(detour ? last <= far + detour : first == far,
			      "%s in %u copies: %u to %u in %u to %u links", spec, copies, source,
			      site, first, last);
		}
	}
	/* A relay accepts no packet from a link by which none can arrive. */
	CHECK(count_entries(&t) == copies * (t.topo.nsites - 1), "%s in %u copies: %u", spec,
	      copies, count_entries(&t));
	bench_close(&t);
}

TEST(bcast_hexmesh__every_site_gets_k_disjoint_copies)
{
	for (u32 n = 2; n <= HEXMESH_MAX; n++) {
		char spec[16];

		snprintf(spec, sizeof(spec), "hexmesh:%u", n);
		for (unsigned int k = 1; k <= 6; k++)
			check_table(spec, k, k == 1 ? n - 1 : 2 * n - 2, 0);
	}
}

static u32 larger(u32 a, u32 b)
{
	return a > b ? a : b;
}

TEST(bcast_torus__every_site_gets_k_disjoint_copies)
{
	for (u32 r = 3; r <= TORUS_MAX; r++) {
		for (u32 c = 3; c <= TORUS_MAX; c++) {
			char spec[16];

			snprintf(spec, sizeof(spec), "torus:%ux%u", r, c);
			check_table(spec, 1, c / 2 + r / 2, 0);
			check_table(spec, 2, larger(c / 2 + r / 2, larger(c - 1, r - 1)), 0);
			for (unsigned int k = 3; k <= 4; k++)
				check_table(spec, k, larger(c - 1 + r / 2, r - 1 + c / 2), 0);
		}
	}
}

TEST(bcast_hypercube__every_site_gets_k_disjoint_copies)
{
	for (u32 d = 1; d <= CUBE_MAX; d++) {
		char spec[16];

		snprintf(spec, sizeof(spec), "hypercube:%u", d);
		for (unsigned int k = 1; k <= d; k++)
			check_table(spec, k, d == 1 ? 1 : d + 1, 2);
	}
}

/* Check every kind in the registry that has rules, also one that is not named here. */
TEST(bcast_registry__every_site_gets_k_disjoint_copies)
{
	for (unsigned int i = 0; i < fc_topo_registry_size; i++) {
		const struct fc_topo_ops *ops = fc_topo_registry[i];
		unsigned int at = 0, k, tables = 0;
		struct fc_topo topo;
		struct fc_bcast b;
		struct bench t;

		while (ops->bcast && kinds_next(&topo, ops, &at)) {
			char spec[FC_SPEC_MAX];

			fc_topo_print(&topo, spec);
			for (k = 1; !fc_bcast_init(&b, &topo, k); k++) {
				if (!bench_fill(&t, spec, k))
					continue;
				for (u32 source = 0; source < topo.nsites; source++)
					CHECK(fill(&t, source) && broadcast(&t, source, NULL),
					      "%s in %u copies from %u", spec, k, source);
				bench_close(&t);
				tables++;
			}
		}
		CHECK(!ops->bcast || tables, "no small %s", ops->name);
	}
}

/* Products of lines and of rings have as many copies as the sites with the fewest links have. */
TEST(bcast_axes__have_copies_for_each_axis)
{
	static const struct {
		const char *spec;
		u32 copies;
		u32 longest;
	} tables[] = {
		{ "line:7", 1, 6 }, { "mesh:1x4", 1, 3 }, { "mesh:1x1", 1, 0 },
		{ "mesh:3x1x4x1", 2, 5 }, { "mesh:1x1x5", 1, 4 }, { "ring:8", 2, 7 }, { "ring:3", 2, 2 },
		{ "mesh:2x2", 2, 3 }, { "mesh:2x6", 2, 7 }, { "mesh:4x5", 2, 7 },
		{ "mesh:2x2x2", 3, 4 }, { "mesh:4x3x5", 3, 9 }, { "mesh:2x3x2x3", 4, 7 },
		{ "torus:3^3", 6, 5 }, { "torus:4^3", 6, 8 }, { "torus:5x3x4", 6, 8 },
		{ "torus:3^4", 8, 6 },
	};

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(tables); i++) {
		const char *spec = tables[i].spec;
		u32 longest = 0;
		struct fc_bcast b;
		struct bench t;

		for (u32 k = 1; k <= tables[i].copies; k++) {
			if (!bench_fill(&t, spec, k))
				continue;
			for (u32 source = 0; source < t.topo.nsites; source++) {
				if (t.topo.nsites > 64 && source % 9)
					continue;
				if (!CHECK(fill(&t, source) && broadcast(&t, source, NULL),
					   "%s in %u copies from %u", spec, k, source))
					break;
				CHECK(count_entries(&t) == k * (t.topo.nsites - 1) &&
				      t.links == k * (t.topo.nsites - 1), "%s in %u copies from %u",
				      spec, k, source);
				longest = larger(longest, t.longest);
			}
			CHECK(fc_bcast_init(&b, &t.topo, tables[i].copies + 1),
			      "%s in one copy more", spec);
			bench_close(&t);
		}
		CHECK(longest == tables[i].longest, "%s: %u links, not %u", spec, longest,
		      tables[i].longest);
	}
}

/* Algorithm A of the paper gives a table like any other. */
TEST(bcast_hamilton__every_site_gets_its_copies)
{
	for (u32 n = 2; n <= HEXMESH_MAX; n++) {
		for (unsigned int k = 1; k <= 2; k++) {
			const char *wrong;
			struct bench t;
			char spec[16];

			snprintf(spec, sizeof(spec), "hexmesh:%u", n);
			if (!bench_open(&t, spec, k))
				continue;
			t.b.rules = &fc_bcast_hamilton;
			wrong = fc_bcast_fill(&t.b, t.work);
			CHECK(!wrong, "%s in %u copies: %s", spec, k, wrong);
			wrong = fc_bcast_check(&t.b, t.work);
			CHECK(!wrong, "%s in %u copies: %s", spec, k, wrong);
			CHECK(broadcast(&t, 1, NULL), "%s in %u copies", spec, k);
			CHECK(t.longest == 3 * n * (n - 1), "%s in %u copies: %u", spec, k,
			      t.longest);
			bench_close(&t);
		}
	}
}

TEST(bcast_fill__equals_tables_made_elsewhere)
{
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(vectors); i++) {
		const char *spec = vectors[i].spec;
		unsigned int k = vectors[i].copies;
		struct bench t;

		if (!bench_fill(&t, spec, k))
			continue;
		CHECK(broadcast(&t, 0, NULL), "%s in %u copies", spec, k);
		CHECK(count_entries(&t) == vectors[i].n, "%s in %u copies: %u, not %u", spec, k,
		      count_entries(&t), vectors[i].n);
		for (unsigned int j = 0; j < vectors[i].n; j++) {
			const struct vector *v = &vectors[i].vector[j];
			u8 from = t.topo.ops->arrival(&t.topo, v->site, v->dir);
			const struct seen *seen = &t.seen[v->site * t.topo.ndirs + from];
			u32 entry = fc_bcast_next(&t.b, 0, v->site, from);

			CHECK(entry == (FC_BCAST_DELIVER | v->out), "%s in %u copies: %u by %u: %x",
			      spec, k, v->site, v->dir, entry);
			CHECK(seen->first == v->copy && seen->hops == v->hops,
			      "%s in %u copies: %u by %u: copy %u after %u", spec, k, v->site,
			      v->dir, seen->first, seen->hops);
		}
		bench_close(&t);
	}
}

/* HELLO has to distinguish left from right: mirrored directions make broadcasts fail. */
TEST(bcast_hexmesh__needs_its_orientation)
{
	static const u8 mirrored[] = { 0, 5, 4, 3, 2, 1 };

	for (u32 n = 3; n <= HEXMESH_MAX; n++) {
		for (unsigned int k = 2; k <= 5; k++) {
			struct bench t;
			char spec[16];

			snprintf(spec, sizeof(spec), "hexmesh:%u", n);
			if (!bench_fill(&t, spec, k))
				continue;
			CHECK(!broadcast(&t, 0, mirrored), "%s in %u copies works", spec, k);
			bench_close(&t);
		}
	}
}

/* Flip each bit of each entry, and of the mask of the source's links. */
TEST(bcast_check__notices_each_wrong_bit)
{
	static const struct {
		const char *spec;
		unsigned int copies;
	} tables[] = {
		{ "hexmesh:2", 6 }, { "hexmesh:3", 1 }, { "hexmesh:3", 2 }, { "hexmesh:3", 3 },
		{ "hexmesh:3", 4 }, { "hexmesh:3", 5 }, { "hexmesh:3", 6 }, { "torus:3x4", 1 },
		{ "torus:3x4", 4 }, { "torus:5x3", 3 }, { "hypercube:4", 1 }, { "hypercube:4", 4 },
		{ "ring:5", 2 }, { "mesh:3x4", 1 }, { "mesh:3x4", 2 }, { "torus:3^3", 6 },
	};

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(tables); i++) {
		struct bench t;

		if (!bench_fill(&t, tables[i].spec, tables[i].copies))
			continue;
		for (u32 bit = 0; bit < 32 * (fc_bcast_slots(&t.topo) + 1); bit++) {
			u32 *word = bit < 32 ? &t.b.start : &t.b.entry[bit / 32 - 1];

			*word ^= fc_bit(bit % 32);
			CHECK(fc_bcast_check(&t.b, t.work), "%s in %u copies: bit %u of slot %d",
			      tables[i].spec, tables[i].copies, bit % 32, (int)(bit / 32) - 1);
			*word ^= fc_bit(bit % 32);
		}
		CHECK(!fc_bcast_check(&t.b, t.work), "%s in %u copies", tables[i].spec,
		      tables[i].copies);
		bench_close(&t);
	}
}

static void forget(struct bench *t)
{
	memset(t->b.entry, 0, fc_bcast_slots(&t->topo) * sizeof(*t->b.entry));
	t->b.start = 0;
}

/* A complete table that is valid for another number of copies. */
TEST(bcast_check__refuses_another_table)
{
	struct bench t;

	REQUIRE(bench_fill(&t, "hexmesh:3", 3), "no table");
	t.b.copies = 2;
	CHECK(fc_bcast_check(&t.b, t.work), "3 copies taken for 2");
	t.b.copies = 4;
	CHECK(fc_bcast_check(&t.b, t.work), "3 copies taken for 4");
	/* 6 copies over 6 links, but over paths that cross: each site floods. */
	t.b.copies = 6;
	t.b.start = 0x3f;
	for (u32 i = 6; i < fc_bcast_slots(&t.topo); i++)
		t.b.entry[i] = FC_BCAST_DELIVER | 0x3f;
	CHECK(fc_bcast_check(&t.b, t.work), "a flood");
	forget(&t);
	CHECK(fc_bcast_check(&t.b, t.work), "nothing at all");
	bench_close(&t);
}

/* Let site @site forward to @to the packets that it got from @from, or its own as the source. */
static void goes_on(struct bench *t, u32 from, u32 site, u32 to)
{
	for (u8 d = 0; d < t->topo.ndirs; d++) {
		u8 back = t->topo.ops->arrival(&t->topo, site, d);
		u32 *entry = &t->b.entry[to * t->topo.ndirs + back];

		if (fc_topo_neighbour(&t->topo, site, d) != to)
			continue;
		*entry |= FC_BCAST_DELIVER;
		if (!site)
			t->b.start |= fc_bit(d);
		for (u8 e = 0; e < t->topo.ndirs; e++)
			if (site && fc_topo_neighbour(&t->topo, site, e) == from)
				t->b.entry[site * t->topo.ndirs + e] |= fc_bit(d);
	}
}

/*
 * All sites get copies through sites 1 and 2; site 1 also through site 3, which gets it from @by.
 */
static void almost(struct bench *t, u32 by)
{
	forget(t);
	goes_on(t, 0, 0, 1);
	goes_on(t, 0, 0, 2);
	for (u32 site = 3; site < 7; site++) {
		goes_on(t, 0, 1, site);
		goes_on(t, 0, 2, site);
	}
	goes_on(t, 0, 1, 2);
	goes_on(t, by, 3, 1);
}

/* Every site gets two copies and no link is used twice, but one site can stop both copies. */
TEST(bcast_check__refuses_paths_that_meet)
{
	const char *wrong;
	struct bench t;

	/* All sites of this network are neighbours. */
	REQUIRE(bench_fill(&t, "hexmesh:2", 2), "no table");
	forget(&t);
	/* Both copies of sites 3 to 6 pass through site 1. */
	goes_on(&t, 0, 0, 1);
	goes_on(&t, 0, 0, 2);
	goes_on(&t, 0, 1, 2);
	goes_on(&t, 0, 2, 1);
	for (u32 site = 3; site < 7; site++) {
		goes_on(&t, 0, 1, site);
		goes_on(&t, 1, site, site == 6 ? 3 : site + 1);
	}
	wrong = fc_bcast_check(&t.b, t.work);
	CHECK(wrong && !strcmp(wrong, "a site is on two paths"), "%s", wrong ? wrong : "taken");

	/* All copies are valid but the second one of site 1, which passed through site 1 before. */
	almost(&t, 1);
	wrong = fc_bcast_check(&t.b, t.work);
	CHECK(wrong && !strcmp(wrong, "a site is on two paths"), "%s", wrong ? wrong : "taken");

	/* The copy through site 2 is valid. */
	almost(&t, 2);
	wrong = fc_bcast_check(&t.b, t.work);
	CHECK(!wrong, "%s", wrong);
	bench_close(&t);
}

TEST(bcast_init__refuses)
{
	static const struct {
		const char *spec;
		unsigned int copies;
		const char *claims;
	} bad[] = {
		{ "hexmesh:3", 0, "at least one" }, { "hexmesh:3", 7, "disjoint" },
		{ "torus:4x4", 5, "disjoint" }, { "hypercube:3", 4, "disjoint" },
		{ "hypercube:3", 259, "disjoint" }, { "torus:3^3", 7, "disjoint" },
		{ "mesh:4x4", 3, "disjoint" }, { "ring:5", 3, "disjoint" },
		{ "line:5", 2, "disjoint" }, { "hexmesh:75", 1, "too many sites" },
		{ "hypercube:15", 1, "too many sites" }, { "torus:129x128", 1, "too many sites" },
	};

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(bad); i++) {
		struct fc_bcast b, before;
		struct fc_topo topo;
		const char *wrong;

		memset(&before, 0x5a, sizeof(before));
		b = before;
		REQUIRE(!fc_topo_parse(&topo, bad[i].spec), "%s", bad[i].spec);
		wrong = fc_bcast_init(&b, &topo, bad[i].copies);
		CHECK(wrong && strstr(wrong, bad[i].claims), "%s in %u copies: %s", bad[i].spec,
		      bad[i].copies, wrong ? wrong : "taken");
		CHECK(!memcmp(&b, &before, sizeof(b)), "%s left traces", bad[i].spec);
	}
}

/* A malformed frame yields no next hop. */
TEST(bcast_next__has_nothing_for_nonsense)
{
	static const char *const specs[] = { "torus:4x5", "mesh:4x5" };
	struct bench t;

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		REQUIRE(bench_fill(&t, specs[i], 2), "no table");
		for (u32 site = 0; site < t.topo.nsites; site++) {
			for (unsigned int from = 0; from < 256; from++) {
				CHECK(from == FC_BCAST_SOURCE ||
				      !fc_bcast_next(&t.b, site, site, (u8)from), "its own: %u",
				      site);
				CHECK(!fc_bcast_next(&t.b, t.topo.nsites, site, (u8)from), "%u",
				      site);
				CHECK(!fc_bcast_next(&t.b, 0xffffffff, site, (u8)from), "%u", site);
				CHECK(!fc_bcast_next(&t.b, site, t.topo.nsites, (u8)from), "%u",
				      site);
				if (from >= t.topo.ndirs)
					CHECK(!fc_bcast_next(&t.b, !site, site, (u8)from),
					      "%u by %u", site, from);
			}
		}
		bench_close(&t);
	}
}
