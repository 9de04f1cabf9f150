// SPDX-License-Identifier: GPL-2.0
/*
 * Each site's table of dead links, in small networks of struct fc_faults only.  Links go up and
 * down, lose and delay frames; in the end all sites must agree on the true state.
 */
#include <stdlib.h>
#include <string.h>

#include "core/faults/faults.h"
#include "tap.h"

#define SITES		27
#define PORTS		8
#define INTERVAL	1000
#define SPACING		50
#define WIRE		64

struct wire {
	unsigned int n;
	struct {
		u64 at;
		u8 bytes[FC_FAULTS_SIZE + FC_FAULTS_MAX * FC_FAULT_SIZE];
		u32 len;
	} frame[WIRE];
};

static struct fc_topo topo;
static struct fc_faults site[SITES];
static struct fc_known known[SITES][SITES];
static bool alive[SITES];
static u32 works[SITES];	/* ports whose link works, as both ends see it */
static struct wire wires[SITES][PORTS];
static u64 now;
static unsigned int loss;	/* percent */
static u64 frames;

static void birth(u32 s)
{
	memset(&site[s], 0, sizeof(site[s]));
	memset(known[s], 0, sizeof(known[s]));
	site[s].topo = &topo;
	site[s].known = known[s];
	site[s].interval = INTERVAL;
	site[s].spacing = SPACING;
	site[s].id = s;
	site[s].incarnation = tap_random(0x10000) << 16 | tap_random(0x10000);
	fc_faults_init(&site[s]);
	alive[s] = true;
}

static void network(const char *spec)
{
	REQUIRE(!fc_topo_parse(&topo, spec) && topo.nsites <= SITES && topo.ndirs < PORTS, "%s",
		spec);
	memset(works, 0, sizeof(works));
	memset(wires, 0, sizeof(wires));
	now = 1;
	loss = 0;
	frames = 0;
	for (u32 s = 0; s < topo.nsites; s++)
		birth(s);
}

static void check_lists(u32 s)
{
	const struct fc_faults *f = &site[s];
	u32 unannounced[FC_PORTS_MAX] = { 0 }, digest = 0, nfaulty = 0, n = 0, last = FC_SITE_NONE;

	for (u32 at = f->first; at != FC_SITE_NONE; at = known[s][at].next) {
		REQUIRE(n++ < topo.nsites, "site %u: the list has no end", s);
		CHECK(known[s][at].listed, "site %u: %u is in the list", s, at);
		last = at;
	}
	CHECK(last == f->last, "site %u: last %u, not %u", s, f->last, last);
	for (u32 at = 0; at < topo.nsites; at++) {
		const struct fc_known *k = &known[s][at];

		n -= k->listed;
		CHECK(!k->pending || k->listed, "site %u: nobody will be told of %u", s, at);
		CHECK(!(k->pending & ~f->up), "site %u: %x is to be told", s, k->pending);
		for (u8 p = 0; p < FC_PORTS_MAX; p++)
			unannounced[p] += k->pending >> p & 1;
		nfaulty += at != s && (k->ports | k->suspect);
		digest |= k->version;
	}
	CHECK(!n, "site %u: %u more are listed than marked", s, n);
	CHECK(nfaulty == f->nfaulty, "site %u: %u faulty, not %u", s, f->nfaulty, nfaulty);
	CHECK(digest || !f->digest, "site %u: a digest of nothing", s);
	for (u8 p = 0; p < FC_PORTS_MAX; p++)
		CHECK(f->end[p].unannounced == unannounced[p],
		      "site %u port %u: %u unannounced, not %u", s, p,
		      f->end[p].unannounced, unannounced[p]);
}

/* One end of a link changes its state; frames in flight to it are lost. */
static void one_end(u32 s, u8 port, bool up)
{
	u32 peer = fc_topo_neighbour(&topo, s, port - 1);
	u8 back = topo.ops->arrival(&topo, s, port - 1) + 1;

	wires[peer][back].n = 0;
	works[s] = up ? works[s] | fc_bit(port) : works[s] & ~fc_bit(port);
	if (alive[s]) {
		fc_faults_link(&site[s], port, up, now);
		check_lists(s);
	}
}

static void link_set(u32 s, u8 port, bool up)
{
	u32 peer = fc_topo_neighbour(&topo, s, port - 1);

	one_end(s, port, up);
	one_end(peer, topo.ops->arrival(&topo, s, port - 1) + 1, up);
}

static void all_up(void)
{
	for (u32 s = 0; s < topo.nsites; s++)
		for (u8 p = 1; p <= topo.ndirs; p++)
			if (fc_topo_neighbour(&topo, s, p - 1) != FC_SITE_NONE)
				one_end(s, p, true);
}

static void send(u32 s, u8 port)
{
	struct wire *wire = &wires[s][port];
	struct fc_faults_msg msg;

	while (fc_faults_frame(&site[s], port, &msg, now)) {
		frames++;
		if (wire->n == WIRE || tap_random(100) < loss)
			continue;
		wire->frame[wire->n].at = now + 1 + tap_random(3);
		wire->frame[wire->n].len = fc_faults_size(msg.n);
		fc_wire_faults_encode(wire->frame[wire->n++].bytes, &msg);
	}
}

static void receive(u32 s, u8 port)
{
	struct wire *wire = &wires[s][port];
	u32 peer = fc_topo_neighbour(&topo, s, port - 1);
	u8 back = topo.ops->arrival(&topo, s, port - 1) + 1;
	struct fc_faults_msg msg;

	while (wire->n && wire->frame[0].at <= now) {
		CHECK(fc_wire_faults_decode(&msg, wire->frame[0].bytes, wire->frame[0].len),
		      "own frame");
		memmove(&wire->frame[0], &wire->frame[1], --wire->n * sizeof(wire->frame[0]));
		if (alive[peer] && works[peer] & fc_bit(back)) {
			CHECK(fc_faults_received(&site[peer], back, &msg, now), "own frame");
			check_lists(peer);
		}
	}
}

/* Advance time; run each site when its own timer is due. */
static u32 early;		/* rate, of 1000, at which a site is awake for another reason */

static void run(u64 until)
{
	for (; now <= until; now++) {
		for (u32 s = 0; s < topo.nsites; s++) {
			for (u8 p = 1; p <= topo.ndirs; p++)
				receive(s, p);
			if (alive[s] && tap_random(1000) < early)
				fc_faults_early(&site[s], now);
			if (!alive[s] || fc_faults_next(&site[s]) > now)
				continue;
			fc_faults_time(&site[s], now);
			for (u8 p = 1; p <= topo.ndirs; p++)
				if (works[s] & fc_bit(p))
					send(s, p);
			CHECK(fc_faults_next(&site[s]) > now, "site %u is never done", s);
		}
	}
}

/* Can the two sites reach each other? */
static bool together(u32 a, u32 b)
{
	bool seen[SITES] = { false };

	seen[a] = true;
	for (bool more = true; more;) {
		more = false;
		for (u32 s = 0; s < topo.nsites; s++) {
			for (u8 p = 1; p <= topo.ndirs; p++) {
				u32 peer = fc_topo_neighbour(&topo, s, p - 1);

				if (!seen[s] || !alive[s] || !(works[s] & fc_bit(p)) ||
				    !alive[peer] || seen[peer])
					continue;
				seen[peer] = true;
				more = true;
			}
		}
	}
	return seen[b];
}

static u32 links(u32 s)
{
	u32 mask = 0;

	for (u8 p = 1; p <= topo.ndirs; p++)
		if (fc_topo_neighbour(&topo, s, p - 1) != FC_SITE_NONE)
			mask |= fc_bit(p);
	return mask;
}

/* Each site knows the links of all sites that can reach it. */
static void check_truth(const char *when)
{
	for (u32 a = 0; a < topo.nsites; a++) {
		u32 down[SITES], suspect[SITES];

		if (!alive[a])
			continue;
		fc_faults_down(&site[a], down, suspect);
		for (u32 b = 0; b < topo.nsites; b++) {
			u32 truth = links(b) & ~works[b];

			if (!alive[b] || !together(a, b) || (!works[b] && a != b))
				continue;
			CHECK(down[b] == truth, "%s: site %u of site %u: %x, not %x", when, a, b,
			      down[b], truth);
			CHECK(site[a].digest == site[b].digest, "%s: digests of %u and %u", when,
			      a, b);
		}
	}
}

TEST(faults__one_link_is_known_everywhere)
{
	network("torus:4x4");
	all_up();
	run(now + 500);
	check_truth("all up");
	for (u32 s = 0; s < topo.nsites; s++)
		CHECK(!fc_faults_any(&site[s]), "site %u knows of a fault", s);
	for (u32 s = 0; s < topo.nsites; s++) {
		for (u8 p = 1; p <= topo.ndirs; p++) {
			u32 generation = site[15 - s].generation;

			link_set(s, p, false);
			CHECK(fc_faults_any(&site[s]), "its own end");
			/*
			 * The longest path has nine links, and a frame takes at most three ticks
			 * per link.
			 */
			run(now + 30);
			check_truth("one down");
			CHECK(site[15 - s].generation != generation, "routes change");
			run(now + 60);
			link_set(s, p, true);
			run(now + 30);
			check_truth("up again");
			CHECK(!fc_faults_any(&site[15 - s]), "all is well");
			run(now + 60);
		}
	}
}

TEST(faults__no_report_without_a_change)
{
	u64 was;

	network("torus:3x3");
	all_up();
	run(now + 5 * INTERVAL);
	was = frames;
	run(now + 10 * INTERVAL);
	/* Each port sends a digest per interval, and maybe one more at the beginning. */
	CHECK(frames - was <= 11 * 9 * 4, "%llu frames", (unsigned long long)(frames - was));
	CHECK(frames - was >= 9 * 9 * 4, "%llu frames", (unsigned long long)(frames - was));
}

/* A site that is awake once in each interval anyway does not wake for digests. */
TEST(faults__digests_go_early)
{
	u64 was;

	network("torus:3x3");
	all_up();
	/* Less than a quarter of an interval remains before the next digest. */
	run(now + 3 * INTERVAL + INTERVAL * 9 / 10);
	for (unsigned int i = 0; i < 12; i++) {
		for (u32 s = 0; s < topo.nsites; s++) {
			fc_faults_early(&site[s], now);
			for (u8 p = 1; p <= topo.ndirs; p++)
				send(s, p);
			CHECK(fc_faults_next(&site[s]) == now + INTERVAL,
			      "site %u wakes at %llu, not %llu", s,
			      (unsigned long long)fc_faults_next(&site[s]),
			      (unsigned long long)(now + INTERVAL));
			/* A second call in the interval has no effect. */
			fc_faults_early(&site[s], now + INTERVAL * 3 / 4 - 1);
			CHECK(fc_faults_next(&site[s]) == now + INTERVAL, "site %u: again", s);
		}
		was = frames;
		run(now + INTERVAL - 1);
		CHECK(frames == was, "%llu frames between", (unsigned long long)(frames - was));
	}
}

/* Each neighbour gets a digest soon after an announcement, and then at growing intervals. */
TEST(faults__intervals_of_digests_grow)
{
	static const u64 wait[] = { SPACING, 4 * SPACING, 16 * SPACING, INTERVAL, INTERVAL };
	struct fc_faults_msg msg;

	network("ring:3");
	all_up();
	run(now + 5 * INTERVAL);
	fc_faults_suspect(&site[0], 1, true, now);
	CHECK(fc_faults_frame(&site[0], 2, &msg, now) && msg.n == 1, "no announcement");
	for (unsigned int i = 0; i < FC_ARRAY_SIZE(wait); i++) {
		CHECK(!fc_faults_frame(&site[0], 2, &msg, now + wait[i] - 1), "%u: early", i);
		/* The runner is awake, but has to send nothing early while the intervals grow. */
		fc_faults_early(&site[0], now + wait[i] - 1 - INTERVAL / 4);
		CHECK(!fc_faults_frame(&site[0], 2, &msg, now + wait[i] - 1 - INTERVAL / 4),
		      "%u: earlier than a quarter", i);
		now += wait[i];
		CHECK(fc_faults_frame(&site[0], 2, &msg, now) && !msg.n, "%u: no digest", i);
	}
}

TEST(faults__a_flapping_link_is_rate_limited)
{
	u32 version;

	network("ring:5");
	all_up();
	run(now + 500);
	version = known[2][0].version;
	for (unsigned int i = 0; i < 400; i++) {
		link_set(0, 1, i & 1);
		run(now + 2);
	}
	run(now + 200);
	check_truth("after the last change");
	CHECK(known[2][0].version - version <= 3 * 400 / SPACING + 3, "%u versions",
	      known[2][0].version - version);
}

TEST(faults__frames_that_are_lost)
{
	tap_random_seed(1);
	for (unsigned int round = 0; round < TAP_ROUNDS(10); round++) {
		network(round & 1 ? "torus:4x4" : "mesh:3x3x3");
		all_up();
		loss = 30;
		early = round & 2 ? 20 : 0;
		for (unsigned int i = 0; i < 20; i++) {
			u32 s = tap_random(topo.nsites);
			u8 p = (u8)(1 + tap_random(topo.ndirs));

			if (links(s) & fc_bit(p))
				link_set(s, p, !(works[s] & fc_bit(p)));
			run(now + tap_random(100));
		}
		/* A digest gets through in some of these intervals. */
		run(now + 20 * INTERVAL);
		check_truth("lossy");
	}
	early = 0;
}

TEST(faults__partition_heals)
{
	network("line:6");
	all_up();
	run(now + 500);
	link_set(2, 1, false);
	run(now + 200);
	check_truth("in two");
	CHECK(known[0][2].ports == fc_bit(1), "the near end");
	CHECK(!known[0][3].ports, "the far end cannot tell");
	/* While the network is split, the links of each half change. */
	link_set(0, 1, false);
	link_set(4, 1, false);
	run(now + 200);
	link_set(4, 1, true);
	run(now + 200);
	link_set(2, 1, true);
	run(now + 200);
	check_truth("one again");
	link_set(0, 1, true);
	run(now + 200);
	check_truth("all again");
}

TEST(faults__a_new_life_is_believed)
{
	network("torus:3x3");
	all_up();
	run(now + 500);
	/* The versions of the old incarnation are far ahead of those of the new one. */
	for (unsigned int i = 0; i < 20; i++) {
		link_set(4, 1, false);
		run(now + 60);
		link_set(4, 1, true);
		run(now + 60);
	}
	for (unsigned int i = 0; i < 5; i++) {
		u32 old = known[0][4].version;

		alive[4] = false;
		for (u8 p = 1; p <= topo.ndirs; p++)
			link_set(4, p, false);
		run(now + 200);
		for (u32 s = 0; s < topo.nsites; s++)
			if (s != 4)
				CHECK(known[s][4].version == old, "the dead say nothing");
		birth(4);
		/* The neighbours report three of its links; the site reports the fourth itself. */
		for (u8 p = 1; p < topo.ndirs; p++)
			link_set(4, p, true);
		run(now + 300);
		check_truth("new life");
		CHECK(known[0][4].ports == fc_bit(4), "its own word: %x", known[0][4].ports);
		CHECK(fc_before(old, known[0][4].version), "%u after %u", known[0][4].version, old);
		link_set(4, 4, true);
		run(now + 200);
		check_truth("whole");
	}
}

/* Two incarnations with the same number of updates, and different contents. */
TEST(faults__lives_of_equal_versions)
{
	struct fc_faults_msg msg = { .n = 1 };

	for (unsigned int i = 0; i < 4; i++) {
		network("line:3");
		all_up();
		run(now + 500);
		/* The last update of the first incarnation reaches no site. */
		alive[2] = false;
		link_set(2, 2, false);
		run(now + 200);
		birth(2);
		msg.fault[0] = (struct fc_fault){
			.site = 2, .version = known[1][2].version + 1,
			.incarnation = site[2].incarnation + (i & 2 ? 1 : -1),
			.ports = i & 1 ? fc_bit(2) : 0,
		};
		CHECK(fc_faults_received(&site[1], 1, &msg, now), "the last word");
		/* The new incarnation makes as many updates before it sends any. */
		while (known[2][2].version != msg.fault[0].version) {
			now += 2 * SPACING;
			one_end(2, 2, !(works[2] & fc_bit(2)));
		}
		link_set(2, 2, true);
		CHECK(known[2][2].version == msg.fault[0].version, "%u and %u",
		      known[2][2].version, msg.fault[0].version);
		run(now + 2 * INTERVAL);
		check_truth("equal versions");
	}
}

TEST(faults__versions_wrap)
{
	struct fc_faults_msg msg = { .n = 1 };

	network("line:3");
	all_up();
	run(now + 300);
	/* After a forged update the site itself issues a higher version. */
	msg.fault[0] = (struct fc_fault){ .site = 2, .incarnation = 5, .ports = fc_bit(2),
					  .version = 0x7fffffff };
	CHECK(fc_faults_received(&site[0], 1, &msg, now), "forged");
	run(now + 2 * INTERVAL);
	check_truth("forged");
	msg.fault[0].version = 0xffffffff;
	CHECK(fc_faults_received(&site[0], 1, &msg, now), "forged");
	run(now + 2 * INTERVAL);
	check_truth("wrapped");
	CHECK(known[0][2].version == 1, "version %u", known[0][2].version);
}

TEST(faults__refuses_what_the_topology_has_not)
{
	struct fc_faults_msg msg = { .n = 2 };
	struct fc_known before[SITES];

	network("mesh:2x2");
	all_up();
	run(now + 300);
	memcpy(before, known[0], sizeof(before));
	msg.fault[0] = (struct fc_fault){ .site = 3, .version = 77, .ports = fc_bit(2) };
	msg.fault[1] = (struct fc_fault){ .site = 4, .version = 77 };
	CHECK(!fc_faults_received(&site[0], 1, &msg, now), "no such site");
	msg.fault[1] = (struct fc_fault){ .site = 3, .version = 77, .ports = fc_bit(1) };
	CHECK(!fc_faults_received(&site[0], 1, &msg, now), "no such link: the edge");
	msg.fault[1] = (struct fc_fault){ .site = 3, .version = 77, .ports = fc_bit(7) };
	CHECK(!fc_faults_received(&site[0], 1, &msg, now), "no such port");
	CHECK(!memcmp(before, known[0], sizeof(before)), "something changed");
	CHECK(!site[0].end[2].unannounced, "something is told");
	/* A site ignores updates from a link that is down. */
	msg.n = 1;
	link_set(0, 1, false);
	CHECK(fc_faults_received(&site[0], 1, &msg, now), "from a link that is down");
	CHECK(known[0][3].version == before[3].version, "believed");
}

/*
 * A neighbour that always sends a wrong digest gets all updates, but not more often than allowed.
 */
TEST(faults__a_digest_that_never_fits)
{
	struct fc_faults_msg msg = { .digest = 1 }, out;
	unsigned int sent = 0;

	network("torus:3^3");
	all_up();
	run(now + 500);
	for (unsigned int i = 0; i < 1000; i++, now++) {
		msg.digest = site[0].digest + 1;
		CHECK(fc_faults_received(&site[0], 1, &msg, now), "digest");
		check_lists(0);
		while (fc_faults_frame(&site[0], 1, &out, now))
			sent++;
	}
	/* 27 sites: three frames of updates, and one of the digest. */
	CHECK(sent <= 4 * (1000 / SPACING + 1), "%u frames", sent);
	CHECK(sent >= 3 * (1000 / SPACING - 1), "%u frames", sent);
}

/* A site sends at most a burst of frames at a time. */
TEST(faults__frames_are_spaced)
{
	struct fc_faults_msg msg = { 0 }, out;
	unsigned int sent = 0;

	network("torus:3^3");
	all_up();
	run(now + 500);
	for (unsigned int i = 0; i < 100; i++) {
		for (u8 s = 1; s < FC_FAULTS_MAX; s++) {
			msg.fault[msg.n++] = (struct fc_fault){
				.site = s, .incarnation = i, .version = 1000 + i,
			};
		}
		CHECK(fc_faults_received(&site[0], 2, &msg, now), "news");
		msg.n = 0;
		while (fc_faults_frame(&site[0], 1, &out, now))
			sent++;
	}
	CHECK(sent <= FC_FAULTS_BURST, "%u frames at once", sent);
	CHECK(site[0].end[1].frame_at > now, "at once again");
	CHECK(site[0].end[1].unannounced == FC_FAULTS_MAX - 1, "%u unannounced",
	      site[0].end[1].unannounced);
}

/*
 * A neighbour forges updates of all other sites: the site accepts a limited number in a spacing,
 * and gets the true ones after the forger has stopped.
 */
TEST(faults__a_neighbour_that_makes_up_news)
{
	enum { LONG = SPACING << FC_FAULTS_NEWS_SHIFT };
	u32 generation, most, reported = 0;
	u64 until;

	network("ring:9");
	for (u32 s = 0; s < topo.nsites; s++)
		site[s].spacing = LONG;
	all_up();
	run(now + 4 * LONG);
	check_truth("before");
	generation = site[0].generation;
	/* For two intervals the neighbour sends forged updates only, as fast as it can. */
	for (until = now + 2 * LONG; now < until; now += 10) {
		struct fc_faults_msg msg = { .n = FC_FAULTS_MAX };

		for (u8 i = 0; i < msg.n; i++, reported++)
			msg.fault[i] = (struct fc_fault){
				.site = 2 + reported % 7, .version = 1000 + reported,
				.incarnation = 1,
				.ports = reported & 1 ? 2 : 4,
			};
		CHECK(fc_faults_received(&site[0], 1, &msg, now), "refused");
		check_lists(0);
	}
	most = 3 * fc_bit(FC_FAULTS_NEWS_SHIFT) + topo.nsites + 1;
	CHECK(site[0].generation - generation <= most && site[0].limited >= reported - most,
	      "%u of %u believed, %u not", site[0].generation - generation, reported,
	      site[0].limited);
	run(now + 8 * INTERVAL + 8 * LONG);
	check_truth("when it is silent");
}

TEST(faults__anything_at_all)
{
	tap_random_seed(2);
	for (unsigned int round = 0; round < TAP_ROUNDS(30); round++) {
		static const char *const specs[] = { "torus:3x3", "hypercube:4", "hexmesh:2" };

		network(specs[round % FC_ARRAY_SIZE(specs)]);
		for (unsigned int i = 0; i < 400; i++) {
			u32 s = tap_random(topo.nsites);
			u8 p = (u8)(1 + tap_random(topo.ndirs));
			struct fc_faults_msg msg = {
				.digest = tap_random(100), .n = (u8)tap_random(4),
			};

			switch (tap_random(4)) {
			case 0:
				one_end(s, p, tap_random(2));
				break;
			case 1:
				for (u8 k = 0; k < msg.n; k++)
					msg.fault[k] = (struct fc_fault){
						.site = tap_random(topo.nsites + 1),
						.incarnation = tap_random(3),
						.version = 1 + tap_random(5),
						.ports = tap_random(1 << (topo.ndirs + 1)) & ~1u,
					};
				fc_faults_received(&site[s], p, &msg, now);
				check_lists(s);
				break;
			default:
				run(now + tap_random(20));
			}
		}
		/* All sites replace the forged update: its subject issues a higher version. */
		memset(wires, 0, sizeof(wires));
		all_up();
		run(now + 3 * INTERVAL);
		check_truth("after anything");
		for (u32 s = 0; s < topo.nsites; s++)
			CHECK(!fc_faults_any(&site[s]), "site %u knows of a fault", s);
	}
}

/* Each site knows what those that it reaches suspect, and nothing else. */
static void check_suspects(const char *when)
{
	for (u32 a = 0; a < topo.nsites; a++) {
		u32 down[SITES], suspect[SITES];
		bool faulty = false;

		fc_faults_down(&site[a], down, suspect);
		for (u32 b = 0; b < topo.nsites; b++) {
			if (!together(a, b))
				continue;
			CHECK(suspect[b] == site[b].suspect, "%s: site %u of site %u: %x, not %x",
			      when, a, b, suspect[b], site[b].suspect);
			CHECK(!(suspect[b] & down[b]), "%s: dead and suspected: %x", when,
			      suspect[b] & down[b]);
			faulty = faulty || suspect[b] || down[b];
		}
		CHECK(fc_faults_any(&site[a]) == faulty, "%s: site %u", when, a);
	}
}

/* Does another site than @a, which @a can reach, suspect its link to the neighbour of this port? */
static bool others_suspect(u32 a, u8 port)
{
	u32 peer = fc_topo_neighbour(&topo, a, port - 1);

	for (u32 b = 0; b < topo.nsites; b++) {
		if (b == a || !together(a, b))
			continue;
		for (u32 rest = site[b].suspect; rest; rest &= rest - 1)
			if (fc_topo_neighbour(&topo, b, (u8)fc_low(rest) - 1) == peer)
				return true;
	}
	return false;
}

/* A site doubts a neighbour if others suspect their links to it, and only then. */
static void check_doubts(const char *when)
{
	for (u32 a = 0; a < topo.nsites; a++) {
		u32 doubtful = 0;

		for (u32 rest = works[a]; rest; rest &= rest - 1)
			if (others_suspect(a, (u8)fc_low(rest)))
				doubtful |= rest & -rest;
		CHECK(site[a].doubtful == doubtful, "%s: site %u doubts %x, not %x", when, a,
		      site[a].doubtful, doubtful);
	}
}

/* A link of each kind at each place: whole, dead, or suspected by one end or both. */
TEST(faults_suspect__every_set_of_links)
{
	static const char *const specs[] = { "line:3", "ring:3", "ring:4", "mesh:2x2" };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(specs); i++) {
		unsigned int sets = 1, nlinks = 0;

		network(specs[i]);
		for (u32 s = 0; s < topo.nsites; s++)
			for (u32 rest = links(s); rest; rest &= rest - 1)
				nlinks++;
		for (unsigned int l = 0; l < nlinks / 2; l++)
			sets *= 5;
		for (unsigned int set = 0; set < sets; set++) {
			unsigned int rest = set;

			network(specs[i]);
			all_up();
			run(now + 200);
			for (u32 s = 0; s < topo.nsites; s++) {
				for (u8 p = 1; p <= topo.ndirs; p++) {
					u32 peer = fc_topo_neighbour(&topo, s, p - 1);
					u8 back;

					if (peer == FC_SITE_NONE || peer < s)
						continue;
					back = topo.ops->arrival(&topo, s, p - 1) + 1;
					if (rest % 5 == 4)
						link_set(s, p, false);
					if (rest % 5 < 4 && rest % 5 & 1)
						fc_faults_suspect(&site[s], p, true, now);
					if (rest % 5 < 4 && rest % 5 & 2)
						fc_faults_suspect(&site[peer], back, true, now);
					rest /= 5;
				}
			}
			run(now + 2 * SPACING + 60);
			check_truth(specs[i]);
			check_suspects(specs[i]);
			check_doubts(specs[i]);
		}
	}
}

/* Suspicion ends by the end itself, and with its link. */
TEST(faults_suspect__ends)
{
	network("ring:4");
	all_up();
	run(now + 200);
	for (u8 how = 0; how < 2; how++) {
		u32 generation = site[2].generation;
		u8 port = (u8)(fc_low(links(0)));

		fc_faults_suspect(&site[0], port, true, now);
		CHECK(site[0].suspect == fc_bit(port) && fc_faults_any(&site[0]), "not known");
		run(now + SPACING + 30);
		check_suspects("suspected");
		CHECK(site[2].generation != generation && fc_faults_any(&site[2]), "no news");
		if (how) {
			link_set(0, port, false);
			CHECK(!site[0].suspect, "dead and suspected");
			run(now + SPACING + 30);
			check_truth("down");
			check_suspects("down");
			link_set(0, port, true);
		} else {
			fc_faults_suspect(&site[0], port, false, now);
		}
		run(now + 2 * SPACING + 30);
		check_truth("well");
		check_suspects("well");
		for (u32 s = 0; s < topo.nsites; s++)
			CHECK(!fc_faults_any(&site[s]), "site %u knows of a fault", s);
	}
}

TEST(faults_suspect__only_links_that_are_up)
{
	u32 generation;
	u8 port;

	network("line:2");
	port = (u8)fc_low(links(0));
	generation = site[0].generation;
	fc_faults_suspect(&site[0], port, true, now);
	CHECK(!site[0].suspect && site[0].generation == generation, "a link that is down");
	all_up();
	generation = site[0].generation;
	fc_faults_suspect(&site[0], port, false, now);
	CHECK(site[0].generation == generation, "nothing changes");
	fc_faults_suspect(&site[0], port, true, now);
	CHECK(site[0].generation == generation + 1, "routes change");
	fc_faults_suspect(&site[0], port, true, now);
	CHECK(site[0].generation == generation + 1, "nothing changes again");
}

/* Announcements that come in any order, with losses, end in one truth. */
TEST(faults_suspect__losses)
{
	tap_random_seed(7);
	for (unsigned int round = 0; round < TAP_ROUNDS(20); round++) {
		network(round & 1 ? "torus:3x3" : "mesh:3x3");
		all_up();
		run(now + 200);
		loss = 30;
		for (unsigned int i = 0; i < 40; i++) {
			u32 s = tap_random(topo.nsites);
			u8 p = (u8)(1 + tap_random(topo.ndirs));

			if (fc_topo_neighbour(&topo, s, p - 1) == FC_SITE_NONE)
				continue;
			if (tap_random(4))
				fc_faults_suspect(&site[s], p, tap_random(2), now);
			else
				link_set(s, p, tap_random(2));
			check_lists(s);
			run(now + tap_random(40));
		}
		loss = 0;
		run(now + 3 * INTERVAL);
		check_truth("in the end");
		check_suspects("in the end");
	}
}
