// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcasts on random networks, with the paths that each site gets in the kernel's format: sites
 * forward packets by source, port and label only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_paths.h"
#include "tap.h"

#define SITES	64
#define LINKS	1024
#define PACKETS	4096

static bool joined[SITES][SITES];
static struct fc_graph_link links[LINKS];
static struct fc_graph graph;
static struct fc_topo topo;
static void *room;

/* Path entries of one source, by site. */
static struct fc_path_entry entries[SITES][FC_PATH_ENTRIES_MAX];
static u32 nentries[SITES];

static void join(u32 a, u32 b)
{
	if (a == b)
		return;
	joined[a][b] = true;
	joined[b][a] = true;
}

/* A k-connected graph (Harary), with renumbered sites and more links. */
static bool random_graph(u32 sites, unsigned int k, u32 more)
{
	u32 name[SITES], n = 0;

	memset(joined, 0, sizeof(joined));
	for (u32 i = 0; i < sites; i++) {
		u32 j = tap_random(i + 1);

		name[i] = name[j];
		name[j] = i;
	}
	for (u32 i = 0; i < sites; i++) {
		for (u32 step = 1; step <= k / 2; step++)
			join(name[i], name[(i + step) % sites]);
		if (k % 2) {
			join(name[i], name[(i + sites / 2) % sites]);
			join(name[i], name[(i + (sites + 1) / 2) % sites]);
		}
	}
	while (more--)
		join(tap_random(sites), tap_random(sites));
	for (u32 a = 0; a < sites; a++)
		for (u32 b = a + 1; b < sites; b++)
			if (joined[a][b])
				links[n++] = (struct fc_graph_link){ { a, b } };
	if (!CHECK(!fc_graph_begin(&graph, links, n), "%u links", n))
		return false;
	free(room);
	room = malloc(fc_graph_room(&graph));
	if (!CHECK(!fc_graph_fill(&graph, room), "fill"))
		return false;
	fc_graph_topo(&topo, &graph);
	return true;
}

static bool print_all(u32 source, unsigned int copies)
{
	struct flitcast_paths p;
	const char *wrong = graph_paths(&p, &graph, source, copies);

	if (!CHECK(!wrong, "%u sites, %u copies: %s", topo.nsites, copies, wrong))
		return false;
	for (u32 s = 0; s < topo.nsites && !wrong; s++) {
		wrong = graph_path_entries(&topo, &p, s, entries[s], &nentries[s]);
		CHECK(!wrong, "%u sites, %u copies, site %u: %s", topo.nsites, copies, s, wrong);
	}
	flitcast_paths_free(&p);
	return !wrong;
}

struct packet {
	u32 site;
	u32 before;	/* index of the previous packet */
	u8 port;
	u8 label;
};

/* Return: packets on links.  Checks that each site gets its copies over disjoint paths. */
static u32 broadcast(u32 source, unsigned int copies)
{
	static struct packet at[PACKETS];
	static bool used[SITES][FC_PORTS_MAX][FC_LABELS_MAX];
	u32 got[SITES] = { 0 }, n = 1;

	memset(used, 0, sizeof(used));
	at[0] = (struct packet){ .site = source };
	for (u32 i = 0; i < n; i++) {
		u32 site = at[i].site;
		u32 next = fc_path_next(entries[site], nentries[site], at[i].port, at[i].label);

		CHECK(next, "site %u: none expected by %u with %u", site, at[i].port, at[i].label);
		got[site] += next & 1;
		for (next &= ~1U; next; next &= next - 1) {
			u8 port = (u8)fc_low(next), label;
			struct packet p = { .before = i };

			p.site = fc_topo_neighbour(&topo, site, port - 1);
			p.port = topo.ops->arrival(&topo, site, port - 1) + 1;
			label = fc_path_label(entries[site], nentries[site], at[i].port,
					      at[i].label,
					      port);
			p.label = label;
			CHECK(!used[site][port][label], "site %u: %u with %u twice", site, port,
			      label);
			used[site][port][label] = true;
			if (!CHECK(p.site != FC_SITE_NONE && p.site != source && n < PACKETS,
				   "to %u", p.site))
				return 0;
			at[n++] = p;
		}
	}
	for (u32 s = 0; s < topo.nsites; s++) {
		bool on[SITES] = { 0 };

		CHECK(got[s] == (s == source ? 0 : copies), "site %u: %u copies", s, got[s]);
		for (u32 i = 1; i < n; i++) {
			if (at[i].site != s || !(fc_path_next(entries[s], nentries[s], at[i].port,
							      at[i].label) & 1))
				continue;
			for (u32 j = at[i].before; j; j = at[j].before) {
				CHECK(!on[at[j].site] && at[j].site != s, "site %u: two over %u",
				      s, at[j].site);
				on[at[j].site] = true;
			}
		}
	}
	return n - 1;
}

TEST(path__200_random_networks)
{
	u32 used = 0, least = 0;

	tap_random_seed(3);
	for (unsigned int round = 0; round < 200; round++) {
		unsigned int k = 2 + round % 5;
		u32 sites = 10 + tap_random(41);

		if (!random_graph(sites, k, tap_random(sites / 2)))
			return;
		for (unsigned int copies = 2; copies <= k; copies++) {
			u32 source = tap_random(sites), packets;

			if (!print_all(source, copies))
				return;
			packets = broadcast(source, copies);
			CHECK(packets >= copies * (sites - 1), "%u packets", packets);
			used += packets;
			least += copies * (sites - 1);
		}
	}
	CHECK(used * 100 <= least * 110, "%u packets, not %u", used, least);
}

/*
 * A faulty site sends every label on every link: the other sites forward only on paths that lead
 * through it, so it controls at most one copy of any other site.
 */
TEST(path__a_liar_has_one_copy_of_each)
{
	tap_random_seed(4);
	for (unsigned int round = 0; round < 60; round++) {
		unsigned int k = 3 + round % 4;
		u32 sites = 8 + tap_random(30), source, liar, n = 0;
		static struct packet at[PACKETS];
		u32 fooled[SITES] = { 0 };

		if (!random_graph(sites, k, tap_random(sites / 2)))
			return;
		source = tap_random(sites);
		liar = (source + 1 + tap_random(sites - 1)) % sites;
		if (!print_all(source, k))
			return;
		for (u8 d = 0; d < topo.ndirs; d++) {
			u32 peer = fc_topo_neighbour(&topo, liar, d);

			for (u8 label = 0; peer != FC_SITE_NONE && label < FC_LABELS_MAX; label++)
				at[n++] = (struct packet){
					.site = peer, .label = label,
					.port = topo.ops->arrival(&topo, liar, d) + 1,
				};
		}
		for (u32 i = 0; i < n; i++) {
			u32 site = at[i].site, next;

			if (site == source || site == liar)
				continue;
			next = fc_path_next(entries[site], nentries[site], at[i].port, at[i].label);
			fooled[site] += next & 1;
			for (next &= ~1U; next; next &= next - 1) {
				u8 port = (u8)fc_low(next);

				REQUIRE(n < PACKETS, "a circle");
				at[n++] = (struct packet){
					.site = fc_topo_neighbour(&topo, site, port - 1),
					.port = topo.ops->arrival(&topo, site, port - 1) + 1,
					.label = fc_path_label(entries[site], nentries[site],
							       at[i].port,
							       at[i].label, port),
				};
			}
		}
		for (u32 s = 0; s < sites; s++)
			CHECK(fooled[s] <= 1, "site %u of %u, %u copies: %u are the liar's", s,
			      sites, k, fooled[s]);
	}
}

static u32 rank(const struct fc_path_entry *w)
{
	return (u32)w->in << 24 | (u32)w->in_label << 16 | (u32)w->out << 8 | w->out_label;
}

/* The checks that a site can make alone, reimplemented from the description in the header. */
static bool may_be(u32 site, u32 source, u32 copies, const struct fc_path_entry *w, u32 n)
{
	u32 here[FC_PORTS_MAX] = { 0 }, out[FC_PORTS_MAX] = { 0 }, count = 0, begun = 0;

	for (u32 i = 0; i < n; i++) {
		u32 from = w[i].in ? fc_topo_neighbour(&topo, site, w[i].in - 1) : FC_SITE_NONE;
		u32 to = w[i].out ? fc_topo_neighbour(&topo, site, w[i].out - 1) : FC_SITE_NONE;

		if (i && rank(&w[i]) <= rank(&w[i - 1]))
			return false;
		if (w[i].in_label > 7 || w[i].out_label > 7)
			return false;
		if (site == source ? w[i].in || w[i].in_label || !w[i].out : from == FC_SITE_NONE)
			return false;
		if (!w[i].out) {
			if (w[i].out_label || here[w[i].in]++)
				return false;
			count++;
			continue;
		}
		if (to == FC_SITE_NONE || to == source || w[i].in == w[i].out)
			return false;
		for (u32 j = 0; j < i; j++)
			if (w[j].out == w[i].out && w[j].out_label == w[i].out_label)
				return false;
		begun += !out[w[i].out]++;
	}
	return site == source ? begun >= copies : count == copies;
}

/* Change each byte of a valid table to each value, and omit or duplicate each entry. */
TEST(path_check__all_changes)
{
	u32 refused = 0, taken = 0;

	tap_random_seed(5);
	if (!random_graph(14, 4, 5) || !print_all(3, 4))
		return;
	for (u32 s = 0; s < topo.nsites; s++) {
		struct fc_path_entry w[FC_PATH_ENTRIES_MAX];
		u32 n = nentries[s];

		CHECK(may_be(s, 3, 4, entries[s], n), "site %u", s);
		for (u32 byte = 0; byte < n * 4; byte++) {
			for (unsigned int value = 0; value < 256; value++) {
				bool may;

				memcpy(w, entries[s], n * sizeof(*w));
				((u8 *)w)[byte] = (u8)value;
				may = may_be(s, 3, 4, w, n);
				CHECK(may == !fc_path_check(&topo, s, 3, 4, w, n),
				      "site %u: byte %u: %u: %d", s, byte, value, may);
				refused += !may;
				taken += may;
			}
		}
		for (u32 i = 0; i < n; i++) {
			memcpy(w, entries[s], n * sizeof(*w));
			memmove(&w[i], &w[i + 1], (n - i - 1) * sizeof(*w));
			CHECK(may_be(s, 3, 4, w, n - 1) ==
			      !fc_path_check(&topo, s, 3, 4, w, n - 1), "site %u: less %u", s, i);
			memcpy(w, entries[s], n * sizeof(*w));
			memmove(&w[i + 1], &w[i], (n - i) * sizeof(*w));
			CHECK(fc_path_check(&topo, s, 3, 4, w, n + 1), "site %u: twice %u", s, i);
		}
		for (u32 copies = 0; copies < 9; copies++)
			CHECK(copies == 4 || s == 3 ||
			      fc_path_check(&topo, s, 3, copies, entries[s], n),
			      "site %u: %u copies",
			      s, copies);
	}
	CHECK(refused > 1000 && taken > 100, "%u, %u", refused, taken);
	CHECK(fc_path_check(&topo, 0, 14, 4, entries[0], nentries[0]), "no such source");
	CHECK(fc_path_check(&topo, 0, 3, 4, entries[0], 0), "none");
	CHECK(fc_path_check(&topo, 0, 3, 4, entries[0], FC_PATH_ENTRIES_MAX + 1), "too many");
	free(room);
	room = NULL;
}
