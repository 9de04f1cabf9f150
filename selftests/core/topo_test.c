// SPDX-License-Identifier: GPL-2.0
/*
 * Topologies against an independent oracle: here a site is its coordinates, two sites are
 * neighbours by a rule on coordinates, and distances come from a breadth-first search over that
 * rule.  A hexmesh has no coordinates: its rule is the paper's list of neighbours.  A kind without
 * an oracle is tested for consistency in small sizes: its own neighbours are the rule.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "tap.h"
#include "core/topo/topo.h"
#include "core/topo/hexmesh.h"
#include "core/topo/rules.h"

enum shape { OPEN, WRAPPED, CUBE, HEX, GIVEN };

/* The expected meaning of a specification; sizes as written, so the last one is x. */
struct meaning {
	char spec[FC_SPEC_MAX];
	enum shape shape;
	unsigned int ndims;
	u32 size[FC_DIMS_MAX];	/* [0] is x */
	u32 nsites;
	const struct fc_topo *given;
};

/* Edges of the hexmeshes of which every pair is tested: up to 15 in programs. */
#define HEX_ALL_PAIRS	(5 + TAP_ROUNDS(10))

static struct meaning *meanings;
static unsigned int nmeanings;

static void mean(const char *kind, enum shape shape, unsigned int ndims, const u32 *written,
		 const char *spelling)
{
	struct meaning *m;

	meanings = realloc(meanings, (nmeanings + 1) * sizeof(*meanings));
	m = &meanings[nmeanings++];
	memset(m, 0, sizeof(*m));
	m->shape = shape;
	m->ndims = ndims;
	m->nsites = 1;
	for (unsigned int i = 0; i < ndims; i++) {
		m->size[i] = written[ndims - 1 - i];
		m->nsites *= m->size[i];
	}
	if (spelling) {
		snprintf(m->spec, sizeof(m->spec), "%s:%s", kind, spelling);
		return;
	}
	snprintf(m->spec, sizeof(m->spec), "%s:", kind);
	for (unsigned int i = 0; i < ndims; i++) {
		size_t n = strlen(m->spec);

		snprintf(m->spec + n, sizeof(m->spec) - n, "%s%u", i ? "x" : "", written[i]);
	}
}

static void mean_cube(unsigned int dims)
{
	u32 two[FC_DIMS_MAX];
	char text[8];

	for (unsigned int i = 0; i < FC_DIMS_MAX; i++)
		two[i] = 2;
	snprintf(text, sizeof(text), "%u", dims);
	mean("hypercube", CUBE, dims, two, text);
}

static void mean_hex(u32 n)
{
	struct meaning *m;

	mean("hexmesh", HEX, 1, &n, NULL);
	m = &meanings[nmeanings - 1];
	/* Rings around one site. */
	m->nsites = 1;
	for (u32 ring = 1; ring < n; ring++)
		m->nsites += 6 * ring;
}

static void mean_power(const char *kind, enum shape shape, u32 k, unsigned int n)
{
	u32 size[FC_DIMS_MAX];
	char text[16];

	for (unsigned int i = 0; i < n; i++)
		size[i] = k;
	snprintf(text, sizeof(text), "%u^%u", k, n);
	mean(kind, shape, n, size, text);
}

/* Networks that are small enough for all pairs of sites. */
static void mean_small(void)
{
	for (u32 a = 1; a <= 40; a++)
		mean("line", OPEN, 1, &a, NULL);
	for (u32 a = 3; a <= 40; a++)
		mean("ring", WRAPPED, 1, &a, NULL);
	for (u32 a = 1; a <= 9; a++) {
		for (u32 b = 1; b <= 9; b++) {
			mean("mesh", OPEN, 2, (u32[]){ a, b }, NULL);
			if (a >= 3 && b >= 3)
				mean("torus", WRAPPED, 2, (u32[]){ a, b }, NULL);
		}
	}
	for (u32 a = 1; a <= 5; a++) {
		for (u32 b = 1; b <= 5; b++) {
			for (u32 c = 1; c <= 5; c++) {
				if (a == b && b == c)
					continue;
				mean("mesh", OPEN, 3, (u32[]){ a, b, c }, NULL);
				if (a >= 3 && b >= 3 && c >= 3)
					mean("torus", WRAPPED, 3, (u32[]){ a, b, c }, NULL);
			}
		}
	}
	mean("mesh", OPEN, 4, (u32[]){ 2, 3, 4, 5 }, NULL);
	mean("mesh", OPEN, 5, (u32[]){ 3, 1, 2, 4, 2 }, NULL);
	mean("torus", WRAPPED, 4, (u32[]){ 3, 4, 3, 5 }, NULL);
	for (unsigned int n = 3; n <= 7; n++)
		mean_power("mesh", OPEN, 2, n);
	for (u32 k = 3; k <= 6; k++)
		mean_power("torus", WRAPPED, k, 3);
	mean_power("torus", WRAPPED, 3, 4);
	mean_power("torus", WRAPPED, 3, 5);
	mean_power("torus", WRAPPED, 4, 4);
	for (unsigned int d = 1; d <= 8; d++)
		mean_cube(d);
	for (u32 n = 2; n <= HEX_ALL_PAIRS; n++)
		mean_hex(n);
}

/* Networks up to the limits. */
static void mean_large(void)
{
	mean("line", OPEN, 1, (u32[]){ FC_SITES_MAX }, NULL);
	mean("ring", WRAPPED, 1, (u32[]){ FC_SITES_MAX }, NULL);
	mean("ring", WRAPPED, 1, (u32[]){ FC_SITES_MAX - 1 }, NULL);
	mean("mesh", OPEN, 2, (u32[]){ 1024, 1024 }, NULL);
	mean("mesh", OPEN, 2, (u32[]){ 1, FC_SITES_MAX }, NULL);
	mean("mesh", OPEN, 2, (u32[]){ FC_SITES_MAX, 1 }, NULL);
	mean("mesh", OPEN, 3, (u32[]){ 16, 256, 256 }, NULL);
	mean_power("mesh", OPEN, 2, 15);
	mean("mesh", OPEN, 15, (u32[]){ 64, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, NULL);
	mean("torus", WRAPPED, 2, (u32[]){ 1024, 1024 }, NULL);
	mean("torus", WRAPPED, 2, (u32[]){ 3, 349525 }, NULL);
	mean_power("torus", WRAPPED, 101, 3);
	mean_power("torus", WRAPPED, 3, 12);
	for (unsigned int d = 9; d <= 20; d++)
		mean_cube(d);
	mean_hex(16);
	mean_hex(64);
	mean_hex(591);
}

static void forget(void)
{
	free(meanings);
	meanings = NULL;
	nmeanings = 0;
}

static void coordinates(const struct meaning *m, u32 site, u32 *at)
{
	for (unsigned int i = 0; i < m->ndims; i++) {
		at[i] = site % m->size[i];
		site /= m->size[i];
	}
}

/* Return: the neighbour in direction @step of a dimension, or FC_SITE_NONE. */
static u32 oracle_step(const struct meaning *m, u32 site, unsigned int dim, int step)
{
	u32 at[FC_DIMS_MAX];
	s64 next;
	u32 to = 0;

	coordinates(m, site, at);
	next = (s64)at[dim] + step;
	if (m->shape == CUBE)
		next = !at[dim];
	else if (m->shape == WRAPPED)
		next = (next + m->size[dim]) % m->size[dim];
	else if (next < 0 || next >= m->size[dim])
		return FC_SITE_NONE;
	at[dim] = (u32)next;
	for (unsigned int i = m->ndims; i-- > 0;)
		to = to * m->size[i] + at[i];
	return to;
}

static unsigned int oracle_ndirs(const struct meaning *m)
{
	if (m->shape == GIVEN)
		return m->given->ndirs;
	if (m->shape == HEX)
		return 6;
	return m->shape == CUBE ? m->ndims : 2 * m->ndims;
}

/* HARTS, section 2: the neighbours of s in the order in which it lists them. */
static u32 oracle_hex(const struct meaning *m, u32 s, unsigned int dir)
{
	u64 n = m->size[0];
	const u64 neighbour[6] = {
		s + 1, s + 3 * n - 1, s + 3 * n - 2,
		s + 3 * n * (n - 1), s + 3 * n * n - 6 * n + 2, s + 3 * n * n - 6 * n + 3,
	};

	return (u32)(neighbour[dir] % m->nsites);
}

static u32 oracle_neighbour(const struct meaning *m, u32 site, unsigned int dir)
{
	if (m->shape == GIVEN)
		return fc_topo_neighbour(m->given, site, (u8)dir);
	if (m->shape == HEX)
		return oracle_hex(m, site, dir);
	if (m->shape == CUBE)
		return oracle_step(m, site, dir, 1);
	return oracle_step(m, site, dir / 2, dir % 2 ? -1 : 1);
}

/* Distances to a site, by breadth-first search; links are bidirectional. */
static void oracle_distances(const struct meaning *m, const u32 *next, u32 to, u32 *distance,
			     u32 *queue)
{
	unsigned int ndirs = oracle_ndirs(m);
	u32 head = 0;
	u32 tail = 0;

	for (u32 i = 0; i < m->nsites; i++)
		distance[i] = FC_SITE_NONE;
	distance[to] = 0;
	queue[tail++] = to;
	while (head < tail) {
		u32 site = queue[head++];

		for (unsigned int d = 0; d < ndirs; d++) {
			u32 other = next[site * ndirs + d];

			if (other == FC_SITE_NONE || distance[other] != FC_SITE_NONE)
				continue;
			distance[other] = distance[site] + 1;
			queue[tail++] = other;
		}
	}
}

/* Check that the operations of each kind are complete. */
TEST(topo_registry__is_complete)
{
	for (unsigned int i = 0; i < fc_topo_registry_size; i++) {
		const struct fc_topo_ops *ops = fc_topo_registry[i];
		const struct fc_vclass_rules *v = ops->vclass;
		const struct fc_bcast_rules *b = ops->bcast;

		CHECK(ops->name && ops->usage && ops->parse && ops->print && ops->neighbour &&
		      ops->arrival && ops->minimal && ops->distance && ops->dir_name,
		      "entry %u", i);
		CHECK(!strncmp(ops->usage, ops->name, strlen(ops->name)), "%s", ops->usage);
		CHECK(v && v->init && v->first && v->productive && v->allowed &&
		      !v->room == !v->fill,
		      "virtual networks of a %s", ops->name);
		for (; b; b = b->otherwise)
			CHECK(b->most && (b->next || (b->relative && b->start && b->forward)) &&
			      (!b->otherwise || b->fits), "broadcasts of a %s", ops->name);
		for (unsigned int j = 0; j < i; j++)
			CHECK(strcmp(ops->name, fc_topo_registry[j]->name), "%s", ops->name);
	}
}

static void check_shape(const struct meaning *m, const struct fc_topo *topo)
{
	CHECK(topo->nsites == m->nsites, "%s: %u, not %u", m->spec, topo->nsites, m->nsites);
	CHECK(topo->ndims == m->ndims, "%s: %u, not %u", m->spec, topo->ndims, m->ndims);
	CHECK(topo->ndirs == oracle_ndirs(m), "%s: %u", m->spec, topo->ndirs);
	CHECK(topo->ndirs <= FC_DIRS_MAX && FC_DIRS_MAX < FC_PORTS_MAX, "%s", m->spec);
	for (unsigned int i = 0; i < m->ndims; i++)
		CHECK(topo->size[i] == m->size[i], "%s: dimension %u: %u", m->spec, i,
		      topo->size[i]);
}

static void check_round_trip(const char *canonical, const struct fc_topo *topo)
{
	char spec[FC_SPEC_MAX];
	struct fc_topo again;

	memset(spec, 'z', sizeof(spec));
	fc_topo_print(topo, spec);
	CHECK(!strcmp(spec, canonical), "\"%s\" printed as \"%s\"", canonical, spec);
	CHECK(!fc_topo_parse(&again, spec), "%s", spec);
	CHECK(again.ops == topo->ops && again.nsites == topo->nsites &&
	      !memcmp(again.size, topo->size, sizeof(topo->size)), "%s", spec);
	CHECK(fc_topo_hash(&again) == fc_topo_hash(topo), "%s", spec);
}

TEST(topo_parse__sizes_and_round_trip)
{
	struct fc_topo topo;

	mean_small();
	mean_large();
	for (unsigned int i = 0; i < nmeanings; i++) {
		const struct meaning *m = &meanings[i];
		const char *wrong = fc_topo_parse(&topo, m->spec);

		if (!CHECK(!wrong, "%s: %s", m->spec, wrong))
			continue;
		check_shape(m, &topo);
		/* The spellings above are the canonical ones. */
		check_round_trip(m->spec, &topo);
	}
	forget();
}

TEST(topo_parse__spellings_of_one_topology)
{
	static const char *const same[][2] = {
		{ "torus:4^2", "torus:4x4" },
		{ "torus:4x4x4", "torus:4^3" },
		{ "mesh:2x2x2x2", "mesh:2^4" },
		{ "mesh:2^2", "mesh:2x2" },
		{ "line:7^1", "line:7" },
		{ "ring:7^1", "ring:7" },
	};
	struct fc_topo a, b;
	char spec[FC_SPEC_MAX];

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(same); i++) {
		REQUIRE(!fc_topo_parse(&a, same[i][0]), "%s", same[i][0]);
		REQUIRE(!fc_topo_parse(&b, same[i][1]), "%s", same[i][1]);
		fc_topo_print(&a, spec);
		CHECK(!strcmp(spec, same[i][1]), "%s: %s", same[i][0], spec);
		CHECK(fc_topo_hash(&a) == fc_topo_hash(&b), "%s", same[i][0]);
	}
}

TEST(topo_hash__is_fnv_1a)
{
	struct fc_topo topo;

	/* The hash was computed by a program that was checked with FNV's published test vectors. */
	REQUIRE(!fc_topo_parse(&topo, "torus:4x4"), "refused");
	CHECK(fc_topo_hash(&topo) == 0x7f167640U, "%08x", fc_topo_hash(&topo));
	REQUIRE(!fc_topo_parse(&topo, "hypercube:3"), "refused");
	CHECK(fc_topo_hash(&topo) == 0x3422f61bU, "%08x", fc_topo_hash(&topo));
}

TEST(topo_parse__refuses)
{
	static const char *const bad[] = {
		"", ":", "mesh", "mesh:", "mesh:4", "mesh:x", "mesh:4x", "mesh:x4", "mesh:4x4x",
		"mesh:4xx4", "mesh:4x4 ", " mesh:4x4", "mesh: 4x4", "mesh:4 x4", "mesh:4x4\n",
		"mesh:0x4", "mesh:4x0", "mesh:04x4", "mesh:+4x4", "mesh:-4x4", "mesh:4x-4",
		"mesh:0x10x4", "mesh:4X4", "mesh:4,4", "mesh:4x4;", "mesh:4.0x4", "mesh:1e1x4",
		"mesh:4^", "mesh:4^0", "mesh:4^1", "mesh:4^2x3", "mesh:4x3^2", "mesh:4^2^2",
		"mesh:2^16", "mesh:1^16", "mesh:2^4294967297", "mesh:4294967300x4",
		"mesh:18446744073709551620x4", "mesh:65536x65536", "mesh:1048577x1",
		"mesh:1048576x2", "mesh:1025x1024", "mesh:3x1073741824", "mesh:4x4x1073741824",
		"mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
		"Mesh:4x4", "mes:4x4", "meshy:4x4", "mesh4x4", "mesh::4x4", "foo:4x4", "x",
		"line:0", "line:", "line:4x4", "line:2^2", "line:1048577",
		"ring:2", "ring:1", "ring:0", "ring:3x3", "ring:",
		"torus:4", "torus:2x4", "torus:4x2", "torus:2^3", "torus:1x4", "torus:4x4x2",
		"torus:3^13", "torus:3^100000", "torus:",
		"hypercube:0", "hypercube:", "hypercube:21", "hypercube:-1", "hypercube:4x4",
		"hypercube:2^3", "hypercube:03", "hypercube:4294967299", "hypercube:3 ",
		"hexmesh:0", "hexmesh:1", "hexmesh:", "hexmesh:592", "hexmesh:-3", "hexmesh:3x3",
		"hexmesh:3^2", "hexmesh:03", "hexmesh:4294967299", "hexmesh:3 ", "hexmesh",
	};
	struct fc_topo topo, before;

	memset(&before, 0x5a, sizeof(before));
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(bad); i++) {
		const char *wrong;

		topo = before;
		wrong = fc_topo_parse(&topo, bad[i]);
		CHECK(wrong && *wrong, "\"%s\" taken", bad[i]);
		CHECK(!memcmp(&topo, &before, sizeof(topo)), "\"%s\" left traces", bad[i]);
	}
}

/* The refusal of an unknown kind lists an example of each kind, which parses. */
TEST(topo_parse__names_the_kinds)
{
	static const char *const unknown[] = { "foo:4x4", "torus4x4" };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(unknown); i++) {
		struct fc_topo topo;
		const char *wrong = fc_topo_parse(&topo, unknown[i]);

		REQUIRE(wrong, "\"%s\" taken", unknown[i]);
		for (unsigned int j = 0; j < fc_topo_registry_size; j++) {
			const char *name = fc_topo_registry[j]->name;
			char example[FC_SPEC_MAX] = "";
			const char *at = strstr(wrong, name);

			while (at && (at[-1] != ' ' || at[strlen(name)] != ':'))
				at = strstr(at + 1, name);
			REQUIRE(at, "\"%s\" does not name %s", wrong, name);
			memcpy(example, at, strcspn(at, ","));
			CHECK(fc_topo_registry[j] == &fc_topo_graph ||
			      !fc_topo_parse(&topo, example), "\"%s\"", example);
		}
	}
}

/* Random bytes: ASan checks the reads, a round trip checks the accepted texts. */
TEST(topo_parse__random_texts)
{
	static const char alphabet[] = "0123456789xx^^:::meshlinertoupbcyq -+";
	unsigned int taken = 0;

	for (unsigned int i = 0; i < TAP_ROUNDS(300000); i++) {
		const struct fc_topo_ops *ops = fc_topo_registry[tap_random(fc_topo_registry_size)];
		size_t kind = tap_random(4) ? strlen(ops->name) : 0;
		size_t n = tap_random(12);
		char *text = malloc(kind + 1 + n + 1);
		char spec[FC_SPEC_MAX];
		struct fc_topo topo;

		memcpy(text, ops->name, kind);
		text[kind] = ':';
		for (size_t j = 0; j < n; j++)
			text[kind + 1 + j] = alphabet[tap_random(tap_random(2) ? 14 :
								 sizeof(alphabet) - 1)];
		text[kind + 1 + n] = '\0';
		if (!fc_topo_parse(&topo, text)) {
			taken++;
			fc_topo_print(&topo, spec);
			CHECK(!fc_topo_parse(&topo, spec), "\"%s\": \"%s\"", text, spec);
		}
		free(text);
	}
	CHECK(taken > TAP_ROUNDS(1000), "only %u", taken);
}

static void check_names(const char *spec, const struct fc_topo *topo)
{
	char name[8];

	for (int d = 0; d < topo->ndirs; d++) {
		topo->ops->dir_name(topo, (u8)d, name);
		CHECK(memchr(name, '\0', sizeof(name)), "%s %d", spec, d);
		CHECK(fc_topo_dir_parse(topo, name) == d, "%s %s", spec, name);
	}
	topo->ops->dir_name(topo, topo->ndirs, name);
	CHECK(fc_topo_dir_parse(topo, name) == -1, "%s %s", spec, name);
}

TEST(topo_dir__names)
{
	struct fc_topo topo;

	mean_small();
	mean_large();
	for (unsigned int i = 0; i < nmeanings; i++) {
		REQUIRE(!fc_topo_parse(&topo, meanings[i].spec), "%s", meanings[i].spec);
		check_names(meanings[i].spec, &topo);
	}
	forget();

	REQUIRE(!fc_topo_parse(&topo, "mesh:2^15"), "refused");
	CHECK(fc_topo_dir_parse(&topo, "+x") == 0, "+x");
	CHECK(fc_topo_dir_parse(&topo, "-x") == 1, "-x");
	CHECK(fc_topo_dir_parse(&topo, "+y") == 2, "+y");
	CHECK(fc_topo_dir_parse(&topo, "-z") == 5, "-z");
	CHECK(fc_topo_dir_parse(&topo, "+3") == 6, "+3");
	CHECK(fc_topo_dir_parse(&topo, "-14") == 29, "-14");
	CHECK(fc_topo_dir_parse(&topo, "") == -1, "empty");
	CHECK(fc_topo_dir_parse(&topo, "x") == -1, "x");
	CHECK(fc_topo_dir_parse(&topo, "+") == -1, "+");
	CHECK(fc_topo_dir_parse(&topo, "+xx") == -1, "+xx");
	CHECK(fc_topo_dir_parse(&topo, "+0") == -1, "+0");
	CHECK(fc_topo_dir_parse(&topo, "d0") == -1, "d0");
	REQUIRE(!fc_topo_parse(&topo, "hypercube:20"), "refused");
	CHECK(fc_topo_dir_parse(&topo, "d0") == 0, "d0");
	CHECK(fc_topo_dir_parse(&topo, "d19") == 19, "d19");
	CHECK(fc_topo_dir_parse(&topo, "d20") == -1, "d20");
	REQUIRE(!fc_topo_parse(&topo, "hexmesh:3"), "refused");
	CHECK(fc_topo_dir_parse(&topo, "h0") == 0, "h0");
	CHECK(fc_topo_dir_parse(&topo, "h5") == 5, "h5");
	CHECK(fc_topo_dir_parse(&topo, "h6") == -1, "h6");
	CHECK(fc_topo_dir_parse(&topo, "d0") == -1, "d0");
}

/* Check the neighbours of a site with the oracle, and that both ends of each link agree. */
static void check_site(const struct meaning *m, const struct fc_topo *topo, u32 site)
{
	for (unsigned int d = 0; d < topo->ndirs; d++) {
		u32 other = fc_topo_neighbour(topo, site, (u8)d);
		u8 back = topo->ops->arrival(topo, site, (u8)d);

		CHECK(other == oracle_neighbour(m, site, d), "%s: %u %u: %u", m->spec, site, d,
		      other);
		CHECK(back < topo->ndirs && topo->ops->arrival(topo, other, back) == d, "%s: %u %u",
		      m->spec, site, d);
		if (other == FC_SITE_NONE)
			continue;
		CHECK(other < topo->nsites && other != site, "%s: %u %u", m->spec, site, d);
		CHECK(fc_topo_neighbour(topo, other, back) == site, "%s: %u %u", m->spec, site, d);
		for (unsigned int e = 0; e < d; e++)
			CHECK(fc_topo_neighbour(topo, site, (u8)e) != other,
			      "%s: %u: two links to %u", m->spec, site, other);
	}
	CHECK(fc_topo_neighbour(topo, site, topo->ndirs) == FC_SITE_NONE, "%s", m->spec);
}

static void check_all_pairs(const struct meaning *m, const struct fc_topo *topo)
{
	unsigned int ndirs = topo->ndirs;
	u32 *next = calloc((size_t)m->nsites * ndirs, sizeof(*next));
	u32 *distance = calloc(m->nsites, sizeof(*distance));
	u32 *queue = calloc(m->nsites, sizeof(*queue));

	for (u32 site = 0; site < m->nsites; site++) {
		check_site(m, topo, site);
		for (unsigned int d = 0; d < ndirs; d++)
			next[site * ndirs + d] = oracle_neighbour(m, site, d);
	}
	for (u32 to = 0; to < m->nsites; to++) {
		oracle_distances(m, next, to, distance, queue);
		for (u32 from = 0; from < m->nsites; from++) {
			u32 minimal = 0;

			for (unsigned int d = 0; d < ndirs; d++) {
				u32 other = next[from * ndirs + d];

				if (other != FC_SITE_NONE && distance[other] < distance[from])
					minimal |= fc_bit(d);
			}
			CHECK(fc_topo_minimal(topo, from, to) == minimal,
			      "%s: %u to %u: %x, not %x", m->spec, from, to,
			      fc_topo_minimal(topo, from, to), minimal);
			CHECK(topo->ops->distance(topo, from, to) == distance[from],
			      "%s: %u to %u: %u, not %u", m->spec, from, to,
			      topo->ops->distance(topo, from, to), distance[from]);
		}
	}
	free(queue);
	free(distance);
	free(next);
}

TEST(topo_minimal__equals_search_over_all_pairs)
{
	struct fc_topo topo;

	mean_small();
	for (unsigned int i = 0; i < nmeanings; i++) {
		const struct meaning *m = &meanings[i];
		const char *wrong = fc_topo_parse(&topo, m->spec);

		if (!CHECK(!wrong, "%s: %s", m->spec, wrong) ||
		    !CHECK(topo.nsites == m->nsites && topo.ndirs == oracle_ndirs(m), "%s",
			   m->spec))
			continue;
		check_all_pairs(m, &topo);
	}
	forget();
}

TEST(topo_registry__each_kind_agrees_with_itself)
{
	struct fc_topo topo;

	for (unsigned int i = 0; i < fc_topo_registry_size; i++) {
		const struct fc_topo_ops *ops = fc_topo_registry[i];
		bool found = ops == &fc_topo_graph;
		unsigned int at = 0;

		while (kinds_next(&topo, ops, &at)) {
			struct meaning m = {
				.shape = GIVEN, .nsites = topo.nsites, .given = &topo,
			};

			found = true;
			fc_topo_print(&topo, m.spec);
			check_round_trip(m.spec, &topo);
			check_names(m.spec, &topo);
			check_all_pairs(&m, &topo);
		}
		CHECK(found, "no small %s", ops->name);
	}
}

/* Follow the steps of a tag, the first axis first or last.  Return: the site at which it ends. */
static u32 walk_tag(const struct fc_topo *topo, u32 at, const s32 tag[3], bool reverse, u32 *used,
		    u32 *steps)
{
	for (unsigned int i = 0; i < 3; i++) {
		unsigned int axis = reverse ? 2 - i : i;
		u8 dir = (u8)(tag[axis] < 0 ? axis + 3 : axis);

		for (s32 left = tag[axis]; left; left += left < 0 ? 1 : -1) {
			at = fc_topo_neighbour(topo, at, dir);
			*used |= fc_bit(dir);
			++*steps;
		}
	}
	return at;
}

static bool at_most_two_adjacent(u32 dirs)
{
	if (!dirs)
		return true;
	for (unsigned int d = 0; d < 6; d++)
		if (dirs == fc_bit(d) || dirs == (fc_bit(d) | fc_bit((d + 1) % 6)))
			return true;
	return false;
}

/* Check every pair of sites of each hexmesh. */
TEST(hexmesh_tag__leads_there)
{
	for (u32 n = 2; n <= HEX_ALL_PAIRS; n++) {
		struct fc_topo topo;
		char spec[16];

		snprintf(spec, sizeof(spec), "hexmesh:%u", n);
		REQUIRE(!fc_topo_parse(&topo, spec), "%s", spec);
		for (u32 pair = 0; pair < topo.nsites * topo.nsites; pair++) {
			u32 from = pair / topo.nsites, to = pair % topo.nsites;
			u32 dirs = 0, steps = 0;
			s32 tag[3];

			fc_hexmesh_tag(&topo, from, to, tag);
			CHECK(walk_tag(&topo, from, tag, false, &dirs, &steps) == to &&
			      walk_tag(&topo, from, tag, true, &dirs, &steps) == to &&
			      steps == 2 * topo.ops->distance(&topo, from, to) &&
			      at_most_two_adjacent(dirs),
			      "%s: %u to %u: %d %d %d", spec, from, to, tag[0], tag[1], tag[2]);
		}
	}
}

/*
 * The networks are too large for a search: minimal directions are those that shorten the distance
 * by one, other directions do not, and a walk along minimal directions arrives.
 */
TEST(topo_minimal__agrees_with_distance_in_large_networks)
{
	struct fc_topo topo;

	mean_large();
	for (unsigned int i = 0; i < nmeanings; i++) {
		const struct meaning *m = &meanings[i];

		REQUIRE(!fc_topo_parse(&topo, m->spec), "%s", m->spec);
		check_site(m, &topo, 0);
		check_site(m, &topo, m->nsites - 1);
		for (unsigned int j = 0; j < TAP_ROUNDS(300); j++) {
			u32 from = tap_random(m->nsites);
			u32 to = tap_random(m->nsites);
			u32 far = topo.ops->distance(&topo, from, to);
			bool walk = far <= 2500;

			check_site(m, &topo, from);
			CHECK(topo.ops->distance(&topo, to, from) == far, "%s", m->spec);
			CHECK(fc_topo_minimal(&topo, to, to) == 0, "%s: %u", m->spec, to);
			for (unsigned int steps = 0; from != to && steps < 2500; steps++) {
				u32 mask = fc_topo_minimal(&topo, from, to);

				far = topo.ops->distance(&topo, from, to);
				for (unsigned int d = 0; d < topo.ndirs; d++) {
					u32 other = fc_topo_neighbour(&topo, from, (u8)d);
					bool nearer = other != FC_SITE_NONE &&
						topo.ops->distance(&topo, other, to) == far - 1;

					CHECK(nearer == !!(mask & fc_bit(d)), "%s: %u to %u by %u",
					      m->spec, from, to, d);
				}
				REQUIRE(mask && !(mask >> topo.ndirs), "%s: %u to %u: %x", m->spec,
					from, to, mask);
				do {
					u8 d = (u8)tap_random(topo.ndirs);

					if (mask & fc_bit(d)) {
						from = fc_topo_neighbour(&topo, from, d);
						break;
					}
				} while (true);
			}
			if (walk)
				CHECK(from == to, "%s: never came to %u", m->spec, to);
		}
	}
	forget();
}
