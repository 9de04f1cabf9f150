// SPDX-License-Identifier: GPL-2.0
/*
 * Routes around dead links, against an independent oracle: its distances come from relaxing all
 * links until nothing changes.
 */
#include <stdlib.h>
#include <string.h>

#include "core/faults/routes.h"
#include "tap.h"

#define SITES	64
#define FAR	1000u

static struct fc_topo topo;
static u32 down[SITES], routes[SITES][SITES];
static u32 far[SITES][SITES];

struct link {
	u32 site, peer;
	u8 dir, arrival;
};

static struct link links[SITES * FC_DIRS_MAX];
static unsigned int nlinks;

/* List every link once. */
static void find_links(const char *spec)
{
	const char *wrong = fc_topo_parse(&topo, spec);

	nlinks = 0;
	REQUIRE(!wrong && topo.nsites <= SITES, "%s: %s", spec, wrong);
	for (u32 s = 0; s < topo.nsites; s++) {
		for (u8 d = 0; d < topo.ndirs; d++) {
			u32 peer = fc_topo_neighbour(&topo, s, d);

			if (peer == FC_SITE_NONE || peer < s)
				continue;
			links[nlinks++] = (struct link){
				s, peer, d, topo.ops->arrival(&topo, s, d),
			};
		}
	}
}

/* Is one end of the link known to be down? */
static bool dead(const struct link *l)
{
	return (down[l->site] >> (l->dir + 1) & 1) || (down[l->peer] >> (l->arrival + 1) & 1);
}

static void measure(void)
{
	u32 n = topo.nsites;

	for (u32 a = 0; a < n; a++)
		for (u32 b = 0; b < n; b++)
			far[a][b] = a == b ? 0 : FAR;
	for (bool more = true; more;) {
		more = false;
		for (unsigned int i = 0; i < nlinks; i++) {
			const struct link *l = &links[i];

			for (u32 a = 0; a < n && !dead(l); a++) {
				if (far[a][l->site] > far[a][l->peer] + 1) {
					far[a][l->site] = far[a][l->peer] + 1;
					more = true;
				}
				if (far[a][l->peer] > far[a][l->site] + 1) {
					far[a][l->peer] = far[a][l->site] + 1;
					more = true;
				}
			}
		}
	}
}

/*
 * A direction is in the table if and only if it leads one step nearer over a working link.  So a
 * packet that follows the tables arrives in as many hops as the distance, by any choice and without
 * a loop; and a site without a route has no entry.
 */
static void check_tables(const char *what)
{
	u32 work[2 * SITES];

	measure();
	for (u32 s = 0; s < topo.nsites; s++)
		fc_routes_compute(&topo, s, down, NULL, routes[s], work);
	for (u32 s = 0; s < topo.nsites; s++) {
		u32 want[SITES] = { 0 };

		for (unsigned int i = 0; i < nlinks; i++) {
			const struct link *l = &links[i];
			bool here = l->site == s, there = l->peer == s;

			if ((!here && !there) || dead(l))
				continue;
			for (u32 t = 0; t < topo.nsites; t++) {
				if (here && far[l->peer][t] + 1 == far[s][t])
					want[t] |= fc_bit(l->dir);
				if (there && far[l->site][t] + 1 == far[s][t])
					want[t] |= fc_bit(l->arrival);
			}
		}
		for (u32 t = 0; t < topo.nsites; t++)
			CHECK(routes[s][t] == want[t], "%s: from %u to %u: %x, want %x", what, s,
			      t, routes[s][t], want[t]);
	}
}

static void kill(const struct link *l, unsigned int ends)
{
	if (ends & 1)
		down[l->site] |= fc_bit(l->dir + 1);
	if (ends & 2)
		down[l->peer] |= fc_bit(l->arrival + 1);
}

static const char *const small[] = {
	"line:1", "line:2", "line:5", "ring:3", "ring:4", "ring:5", "ring:7", "mesh:2x2", "mesh:2x3",
	"mesh:3x3", "mesh:2x2x2", "torus:3x3", "torus:4x3", "hypercube:1", "hypercube:3",
	"hexmesh:2",
};

TEST(routes__without_faults_are_the_minimal_directions)
{
	static const char *const more[] = { "torus:4x4", "torus:8x8", "torus:3^3", "mesh:4x4x4",
					    "hypercube:6", "ring:64", "line:64", "hexmesh:3",
					    "hexmesh:5" };
	u32 work[2 * SITES];

	memset(down, 0, sizeof(down));
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(small) + FC_ARRAY_SIZE(more); i++) {
		const char *spec = i < FC_ARRAY_SIZE(small) ? small[i] :
							      more[i - FC_ARRAY_SIZE(small)];

		find_links(spec);
		for (u32 s = 0; s < topo.nsites; s++) {
			fc_routes_compute(&topo, s, down, NULL, routes[s], work);
			for (u32 t = 0; t < topo.nsites; t++)
				CHECK(routes[s][t] == fc_topo_minimal(&topo, s, t),
				      "%s: %u to %u", spec, s, t);
		}
	}
}

TEST(routes__every_set_of_up_to_three_dead_links)
{
	for (unsigned int t = 0; t < FC_ARRAY_SIZE(small); t++) {
		find_links(small[t]);
		for (unsigned int a = 0; a < nlinks; a++) {
			for (unsigned int b = a; b < nlinks; b++) {
				/* All triples only in small networks. */
				unsigned int last = nlinks <= 12 ? nlinks : b + 1;

				for (unsigned int c = b; c < last; c++) {
					memset(down, 0, sizeof(down));
					/* Either end reports the dead link, or both do. */
					kill(&links[a], 1 + (a + b + c) % 3);
					kill(&links[b], 1 + (a + b) % 3);
					kill(&links[c], 1 + (b + c) % 3);
					check_tables(small[t]);
				}
			}
		}
	}
}

TEST(routes__every_dead_site)
{
	for (unsigned int t = 0; t < FC_ARRAY_SIZE(small); t++) {
		find_links(small[t]);
		for (u32 gone = 0; gone < topo.nsites; gone++) {
			memset(down, 0, sizeof(down));
			/*
			 * The dead site reports nothing; its neighbours report their links to it.
			 */
			for (unsigned int i = 0; i < nlinks; i++) {
				if (links[i].site == gone)
					kill(&links[i], 2);
				if (links[i].peer == gone)
					kill(&links[i], 1);
			}
			check_tables(small[t]);
			for (u32 s = 0; s < topo.nsites; s++)
				CHECK(!routes[s][gone], "%s: %u to dead %u", small[t], s, gone);
		}
	}
}

TEST(routes__many_dead_links)
{
	static const char *const specs[] = { "torus:4x4", "mesh:5x5", "hypercube:5", "torus:3^3",
					     "hexmesh:3" };

	tap_random_seed(4);
	for (unsigned int i = 0; i < 400; i++) {
		find_links(specs[i % FC_ARRAY_SIZE(specs)]);
		memset(down, 0, sizeof(down));
		for (unsigned int n = tap_random(nlinks); n; n--)
			kill(&links[tap_random(nlinks)], 1 + tap_random(3));
		check_tables(specs[i % FC_ARRAY_SIZE(specs)]);
	}
}

TEST(routes__link_works)
{
	find_links("mesh:2x2");
	memset(down, 0, sizeof(down));
	CHECK(fc_routes_link_works(&topo, down, 0, 0), "+x of site 0");
	CHECK(!fc_routes_link_works(&topo, down, 0, 1), "-x of site 0: the edge");
	down[1] = fc_bit(2);
	CHECK(!fc_routes_link_works(&topo, down, 0, 0), "the other end says no");
	CHECK(!fc_routes_link_works(&topo, down, 1, 1), "its own end says no");
	CHECK(fc_routes_link_works(&topo, down, 0, 2), "+y of site 0");
}

/*
 * Suspected links.
 */

static u32 suspect[SITES];

/* Distances over links that work and, with @clean, are not suspected. */
static void measure_clean(u32 dist[SITES][SITES], bool clean)
{
	u32 n = topo.nsites;

	for (u32 a = 0; a < n; a++)
		for (u32 b = 0; b < n; b++)
			dist[a][b] = a == b ? 0 : FAR;
	for (bool more = true; more;) {
		more = false;
		for (unsigned int i = 0; i < nlinks; i++) {
			const struct link *l = &links[i];

			if (dead(l) || (clean && (suspect[l->site] >> (l->dir + 1) & 1 ||
						  suspect[l->peer] >> (l->arrival + 1) & 1)))
				continue;
			for (u32 t = 0; t < n; t++) {
				if (dist[l->site][t] > dist[l->peer][t] + 1) {
					dist[l->site][t] = dist[l->peer][t] + 1;
					more = true;
				}
				if (dist[l->peer][t] > dist[l->site][t] + 1) {
					dist[l->peer][t] = dist[l->site][t] + 1;
					more = true;
				}
			}
		}
	}
}

/* Directions of the shortest paths by @dist, over links that count for it. */
static u32 nearer(const u32 dist[SITES][SITES], u32 s, u32 t, bool clean)
{
	u32 dirs = 0;

	if (s == t || dist[s][t] >= FAR)
		return 0;
	for (u8 d = 0; d < topo.ndirs; d++) {
		u32 peer = fc_topo_neighbour(&topo, s, d);

		if (fc_routes_link_works(&topo, down, s, d) &&
		    (!clean || fc_routes_link_works(&topo, suspect, s, d)) &&
		    dist[peer][t] + 1 == dist[s][t])
			dirs |= fc_bit(d);
	}
	return dirs;
}

/* Does any choice of next hops come back to a site? */
static bool loops(u32 t)
{
	u32 steps[SITES] = { 0 };

	for (u32 round = 0; round <= topo.nsites; round++) {
		bool more = false;

		for (u32 s = 0; s < topo.nsites; s++) {
			for (u32 dirs = routes[s][t]; dirs; dirs &= dirs - 1) {
				u32 peer = fc_topo_neighbour(&topo, s, (u8)fc_low(dirs));

				if (steps[s] > steps[peer])
					continue;
				steps[s] = steps[peer] + 1;
				more = true;
			}
		}
		if (!more)
			return false;
	}
	return true;
}

static void check_suspects(const char *spec)
{
	static u32 clean[SITES][SITES], any[SITES][SITES];
	u32 work[3 * SITES];

	measure_clean(clean, true);
	measure_clean(any, false);
	for (u32 s = 0; s < topo.nsites; s++) {
		fc_routes_compute(&topo, s, down, suspect, routes[s], work);
		for (u32 t = 0; t < topo.nsites; t++) {
			u32 want = clean[s][t] < FAR ? nearer(clean, s, t, true) :
						       nearer(any, s, t, false);

			CHECK(routes[s][t] == want, "%s: %u to %u: %x, not %x", spec, s, t,
			      routes[s][t], want);
			CHECK(!routes[s][t] == (s == t || any[s][t] >= FAR),
			      "%s: %u to %u: %x", spec, s, t, routes[s][t]);
		}
	}
	for (u32 t = 0; t < topo.nsites; t++)
		CHECK(!loops(t), "%s: a loop on the path to %u", spec, t);
}

/* Make a link whole (0), dead (1), suspected (2) or both (3), as one end or both announce. */
static void set_link(const struct link *l, unsigned int state, unsigned int ends)
{
	if (state & 1)
		kill(l, ends);
	if (state & 2 && ends & 1)
		suspect[l->site] |= fc_bit(l->dir + 1);
	if (state & 2 && ends & 2)
		suspect[l->peer] |= fc_bit(l->arrival + 1);
}

TEST(routes_suspect__every_set_of_dead_and_suspected_links)
{
	static const char *const specs[] = { "line:2", "line:4", "ring:3", "ring:4", "ring:5",
					     "mesh:2x2", "hypercube:2", "mesh:2x3" };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		unsigned int sets = 1;

		find_links(specs[i]);
		for (unsigned int l = 0; l < nlinks; l++)
			sets *= 3;
		for (unsigned int set = 0; set < sets; set++) {
			memset(down, 0, sizeof(down));
			memset(suspect, 0, sizeof(suspect));
			for (unsigned int l = 0, rest = set; l < nlinks; l++, rest /= 3)
				set_link(&links[l], rest % 3, 1 + (set + l) % 3);
			check_suspects(specs[i]);
		}
	}
}

TEST(routes_suspect__many_links)
{
	static const char *const specs[] = { "torus:3x3", "mesh:3x3", "hypercube:4", "hexmesh:2",
					     "torus:4x4" };

	tap_random_seed(5);
	for (unsigned int i = 0; i < TAP_ROUNDS(1000); i++) {
		const char *spec = specs[i % FC_ARRAY_SIZE(specs)];

		find_links(spec);
		memset(down, 0, sizeof(down));
		memset(suspect, 0, sizeof(suspect));
		for (unsigned int n = tap_random(nlinks); n; n--)
			set_link(&links[tap_random(nlinks)], 1 + tap_random(3), 1 + tap_random(3));
		check_suspects(spec);
	}
}
