// SPDX-License-Identifier: GPL-2.0
/*
 * Relays: broadcasts of all sites at once, on links that lose, duplicate and reorder frames, with
 * sites that die, and with a faulty site.
 */
#include "bcast/bcastnet.h"
#include "tap.h"
#include "core/topo/tree.h"

#define SITES_MAX	64
#define BCASTS_MAX	512

/* A network, and the table of its broadcasts. */
struct bench {
	struct bcastnet net;
	struct fc_topo topo;
	struct fc_bcast table;
};

static void bench_init(struct bench *b, const char *spec, u8 copies)
{
	const char *error = bcastnet_table(&b->table, &b->topo, spec, copies);

	CHECK(!error, "%s: %s", spec, error);
	bcastnet_init(&b->net, &b->table, BCASTS_MAX);
	b->net.rng.state = tap_random(1u << 31);
}

static void bench_free(struct bench *b)
{
	bcastnet_free(&b->net);
	bcastnet_table_free(&b->table);
	CHECK(!b->net.wrong[0], "%s", b->net.wrong);
}

static const struct {
	const char *spec;
	u8 copies;
} nets[] = {
	{ "hexmesh:2", 1 }, { "hexmesh:2", 6 }, { "hexmesh:3", 1 }, { "hexmesh:3", 3 },
	{ "hexmesh:3", 6 }, { "torus:3x4", 4 }, { "torus:4x4", 2 }, { "hypercube:3", 3 },
	{ "hypercube:4", 4 },
};

/* Each site gets the k copies of each broadcast, and nothing is dropped. */
static void storm(u32 loss, u32 delay, bool strict)
{
	for (u32 i = 0; i < FC_ARRAY_SIZE(nets); i++) {
		struct bench b;
		u32 missing = 0;

		bench_init(&b, nets[i].spec, nets[i].copies);
		b.net.loss = loss;
		b.net.doubled = loss;
		b.net.delay = delay;
		b.net.strict = strict;
		bcastnet_run(&b.net, TAP_ROUNDS(300));
		for (u32 n = 0; n < b.net.ncasts; n++)
			for (u32 at = 0; at < b.topo.nsites; at++)
				if (at != b.net.bcast[n].src)
					missing += nets[i].copies -
						   bcastnet_got(&b.net.bcast[n], at);
		if (strict)
			CHECK(!b.net.full, "%s, %u copies: %u found no hold", nets[i].spec,
			      nets[i].copies, b.net.full);
		/* A missing copy was dropped, here or by an earlier relay of its path. */
		CHECK(!missing == !b.net.full, "%s, %u copies: %u are missing, %u found no hold",
		      nets[i].spec, nets[i].copies, missing, b.net.full);
		bench_free(&b);
	}
}

TEST(relay_storm__all_copies_come)
{
	storm(0, 1, true);
}

TEST(relay_storm__over_links_that_lose)
{
	storm(10, 30, true);
}

/* Sources that do not wait: relays drop copies for which they have no hold, and no relay stalls. */
TEST(relay_storm__comes_to_an_end)
{
	storm(0, 30, false);
}

/*
 * Up to k - 1 sites die while messages are in flight: each of the other sites gets each broadcast
 * of a surviving site.
 */
TEST(relay_crash__all_that_live_are_reached)
{
	for (u32 round = 0; round < TAP_ROUNDS(400); round++) {
		u32 n = round % FC_ARRAY_SIZE(nets), missing = 0;
		struct bench b;

		bench_init(&b, nets[n].spec, nets[n].copies);
		b.net.delay = 1 + tap_random(20);
		b.net.strict = true;
		for (u32 i = 0; i < 3; i++)
			bcastnet_send(&b.net, i, bcastnet_next_number(&b.net, i),
				      1 + tap_random(BCASTNET_FLITS));
		for (u32 steps = tap_random(30); steps; steps--) {
			b.net.now++;
			bcastnet_arrive(&b.net);
		}
		for (u32 i = 1; i < nets[n].copies; i++)
			bcastnet_die(&b.net, tap_random(b.topo.nsites));
		bcastnet_run(&b.net, 9);
		for (u32 c = 0; c < b.net.ncasts; c++) {
			const struct bcastnet_broadcast *bcast = &b.net.bcast[c];

			for (u32 at = 0; at < b.topo.nsites; at++)
				missing += !bcastnet_dead(&b.net, bcast->src) &&
					   !bcastnet_dead(&b.net, at) && at != bcast->src &&
					   !bcastnet_got(bcast, at);
		}
		CHECK(!missing && !b.net.full,
		      "%s, %u copies: %u were not reached, %u found no hold", nets[n].spec,
		      nets[n].copies, missing, b.net.full);
		bench_free(&b);
	}
}

/*
 * A site forges broadcasts of another site on all its links: each site gets only the copy whose
 * path leads through the forger.
 */
TEST(relay_liar__spoils_one_copy)
{
	for (u32 i = 0; i < FC_ARRAY_SIZE(nets); i++) {
		struct bench b;
		u32 liar, victim;

		bench_init(&b, nets[i].spec, nets[i].copies);
		liar = tap_random(b.topo.nsites);
		for (victim = 0; victim < b.topo.nsites; victim++) {
			if (victim == liar)
				continue;
			bcastnet_forge(&b.net, liar, victim, 1000, 2);
			bcastnet_run(&b.net, 0);
		}
		CHECK(b.net.ncasts == b.topo.nsites - 1, "%u lies", b.net.ncasts);
		for (u32 c = 0; c < b.net.ncasts; c++)
			for (u32 at = 0; at < b.topo.nsites; at++)
				CHECK(at == liar || bcastnet_got(&b.net.bcast[c], at) <= 1,
				      "%s, %u copies: site %u believes site %u, not %u",
				      nets[i].spec, nets[i].copies, at, liar, b.net.bcast[c].src);
		bench_free(&b);
	}
}

/* A relay drops a duplicate from the same link, and a packet from a wrong link. */
TEST(relay_packet__once_and_where_it_may)
{
	struct bench b;
	u64 relayed = 0;

	bench_init(&b, "torus:3x3", 4);
	bcastnet_send(&b.net, 0, 5, 1);
	bcastnet_run(&b.net, 0);
	for (u32 i = 0; i < 9; i++) {
		relayed += bcastnet_stat(&b.net, i, FC_STAT_BCAST_RELAYED);
		CHECK(bcastnet_got(&b.net.bcast[0], i) == (i ? 4 : 0), "site %u: not 4 copies", i);
	}
	CHECK(relayed == 4 * 8, "%llu copies came", (unsigned long long)relayed);
	/* The source sends the same number again: its neighbours drop it as a duplicate. */
	bcastnet_forget(&b.net, 0, 0, FC_PORT_LOCAL);
	bcastnet_send(&b.net, 0, 5, 1);
	bcastnet_run(&b.net, 0);
	for (u32 i = 0; i < 9; i++) {
		relayed -= bcastnet_stat(&b.net, i, FC_STAT_BCAST_RELAYED);
		CHECK(bcastnet_stat(&b.net, i, FC_STAT_BCAST_DUPLICATE) ==
		      (i && b.topo.ops->distance(&b.topo, 0, i) == 1), "site %u counts %llu", i,
		      (unsigned long long)bcastnet_stat(&b.net, i, FC_STAT_BCAST_DUPLICATE));
	}
	CHECK(!relayed, "it was relayed again");
	bench_free(&b);
}

/*
 * One relay with two links: a broadcast from the first link is for this site, and is not forwarded.
 */
struct lone {
	struct fc_relay relay;
	struct fc_timing timing;
	struct fc_rx rx[3];
	struct fc_tx tx[3];
	struct fc_flit queue[3][BCASTNET_WINDOW];
	struct fc_relay_in in[3];
	struct fc_relay_out out[3];
	struct fc_hold hold[FC_HOLDS_MIN];
	u16 fifo[3][FC_HOLDS_MIN];
	struct fc_relay_seen seen[2 * 3];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[3][FC_LSTAT_COUNT];
	u32 sent;
};

static u32 lone_next_hop(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in)
{
	return in == 1 ? fc_bit(FC_PORT_LOCAL) : FC_RELAY_NEVER;
}

static void lone_init(struct lone *l)
{
	struct fc_event up = { .type = FC_EV_LINK_UP, .port = 1, .count = BCASTNET_WINDOW };
	struct fc_relay *r = &l->relay;
	struct fc_effects fx;

	memset(l, 0, sizeof(*l));
	l->timing = (struct fc_timing){ .retry = 1000, .ack_delay = 1000, .poll = 10000 };
	r->next_hop = lone_next_hop;
	r->nsites = 2;
	r->nholds = FC_HOLDS_MIN;
	r->in = l->in;
	r->out = l->out;
	r->hold = l->hold;
	r->seen = l->seen;
	r->stat = l->stat;
	r->ch.timing = &l->timing;
	r->ch.rx = l->rx;
	r->ch.tx = l->tx;
	r->ch.window = BCASTNET_WINDOW;
	r->ch.nports = 3;
	for (u8 p = 0; p < 3; p++) {
		l->rx[p].queue = l->queue[p];
		l->rx[p].stat = l->link_stat[p];
		l->out[p].fifo = l->fifo[p];
	}
	fc_relay_init(r);
	fc_relay_event(r, &up, &fx);
}

/* Receive a broadcast of site 1.  Return: true if the relay accepted it as new. */
static bool lone_takes(struct lone *l, u32 number, u8 copies)
{
	struct fc_packet pk = { .src = 1, .sock = FC_SOCK_BCAST, .ntargets = 1 };
	struct fc_bcast_hdr bcast = { .number = number, .port = 1, .copies = copies };
	u64 taken = l->stat[FC_STAT_BCAST_RELAYED], dropped = l->stat[FC_STAT_BCAST_DUPLICATE];
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = 1, .seq = l->sent++ };
	struct fc_effects fx;

	fc_wire_packet_encode(head, &pk);
	fc_wire_bcast_encode(head, &bcast);
	ev.flit = (struct fc_flit){ .head = head, .parts = FC_PART_HEAD | FC_PART_TERM };
	fc_relay_event(&l->relay, &ev, &fx);
	taken = l->stat[FC_STAT_BCAST_RELAYED] - taken;
	dropped = l->stat[FC_STAT_BCAST_DUPLICATE] - dropped;
	CHECK(taken + dropped == 1, "number %u: neither taken nor dropped", number);
	return taken;
}

TEST(relay_seen__once_in_any_order)
{
	static const u32 order[] = { 10, 12, 11, 41, 13, 42, 44, 43 };
	static struct lone l;

	lone_init(&l);
	for (u32 i = 0; i < FC_ARRAY_SIZE(order); i++) {
		CHECK(lone_takes(&l, order[i], 3), "%u is new", order[i]);
		CHECK(!lone_takes(&l, order[i], 3), "%u has come", order[i]);
	}
	CHECK(!lone_takes(&l, 13, 3) && !lone_takes(&l, 44, 3), "they are remembered");
}

/* Forged numbers in the name of a source do not block the numbers of that source. */
TEST(relay_seen__lies_do_not_stay)
{
	static const u32 far[] = { 32, 33, 1000, 1u << 31, 0u - 32, 0u - 1000 };
	static struct lone l;
	u32 next = 5000;

	lone_init(&l);
	CHECK(lone_takes(&l, next++, 3), "the first one");
	/* The forged packet has another number of copies, which use other paths. */
	CHECK(lone_takes(&l, next, 2), "the lie");
	CHECK(lone_takes(&l, next, 3), "the true one");
	CHECK(!lone_takes(&l, next++, 3), "once");
	for (u32 i = 0; i < FC_ARRAY_SIZE(far); i++) {
		CHECK(lone_takes(&l, next + far[i], 3), "the lie, %u on", far[i]);
		CHECK(lone_takes(&l, next, 3), "the true one, after %u on", far[i]);
		CHECK(!lone_takes(&l, next++, 3), "once, after %u on", far[i]);
	}
	/* A number close to the expected one displaces only that one. */
	CHECK(lone_takes(&l, next + 3, 3), "the lie, near");
	for (u32 i = 0; i < 6; i++)
		CHECK(lone_takes(&l, next + i, 3) == (i != 3), "%u after the near one", i);
}

/* From every site of every topology, each other site gets one copy, by the expected link only. */
TEST(tree_next__spans)
{
	static const char *const specs[] = {
		"line:7", "ring:8", "mesh:4x5", "torus:3x5", "torus:4x4", "hypercube:5",
		"hexmesh:3",
	};

	for (u32 n = 0; n < FC_ARRAY_SIZE(specs); n++) {
		struct fc_topo topo;

		CHECK(!fc_topo_parse(&topo, specs[n]), "%s", specs[n]);
		for (u32 src = 0; src < topo.nsites; src++) {
			u32 todo[SITES_MAX], from[SITES_MAX], got[SITES_MAX] = { 0 };
			u32 have = 1, next;

			todo[0] = src;
			from[0] = FC_TREE_SOURCE;
			for (u32 i = 0; i < have && have < SITES_MAX; i++) {
				CHECK(fc_tree_next(&topo, src, todo[i], (u8)from[i], &next),
				      "%s: from %u to %u: refused", specs[n], src, todo[i]);
				for (u8 d = 0; d < topo.ndirs; d++) {
					CHECK(d == from[i] ||
					      !fc_tree_next(&topo, src, todo[i], d, &got[0]),
					      "%s: from %u to %u: by %u, too", specs[n], src,
					      todo[i], d);
					if (!(next & fc_bit(d)))
						continue;
					todo[have] = fc_topo_neighbour(&topo, todo[i], d);
					from[have++] = topo.ops->arrival(&topo, todo[i], d);
				}
			}
			memset(got, 0, sizeof(got));
			for (u32 i = 0; i < have; i++)
				got[todo[i]]++;
			for (u32 i = 0; i < topo.nsites; i++)
				CHECK(got[i] == 1, "%s: from %u: %u times to %u", specs[n], src,
				      got[i], i);
		}
		CHECK(!fc_tree_next(&topo, topo.nsites, 0, 0, &(u32){ 0 }), "a source beyond");
	}
}

TEST(recept__votes)
{
	struct fc_recept r = { .got = 0 };

	CHECK(fc_recept_need(FC_RECEPT_FIRST, 5, 3) == 1, "first");
	CHECK(fc_recept_need(FC_RECEPT_ALL, 5, 3) == 5, "all");
	CHECK(fc_recept_need(FC_RECEPT_MAJORITY, 5, 1) == 3, "majority of 5");
	CHECK(fc_recept_need(FC_RECEPT_MAJORITY, 4, 1) == 3, "majority of 4");
	CHECK(fc_recept_need(FC_RECEPT_QUORUM, 5, 2) == 2, "quorum");
	CHECK(fc_recept_copy(&r, 1, 0, 2) == 1, "a first copy");
	CHECK(fc_recept_copy(&r, 2, 1, 7) == 1, "another value");
	CHECK(fc_recept_copy(&r, 3, 0, 1) == 2, "two agree");
	CHECK(!fc_recept_copy(&r, 3, 1, 7), "one port votes once");
	CHECK(fc_recept_outstanding(&r, 0) == 2, "the most of what those say who agree");
	CHECK(fc_recept_value(&r, 2) == 1 && fc_recept_value(&r, 4) < 0, "who said what");
	CHECK(fc_recept_dissent(&r, 0) == fc_bit(2), "who disagreed");
	CHECK(fc_recept_dissent(&r, 1) == (fc_bit(1) | fc_bit(3)), "and with the other one");
	CHECK(fc_recept_forget(&r, 2) == 1, "the last one of a value");
	CHECK(fc_recept_forget(&r, 1) < 0 && fc_recept_forget(&r, 1) < 0, "one is left");
	CHECK(fc_recept_copy(&r, 1, 1, 3) == 1 && r.got == (fc_bit(1) | fc_bit(3)), "again");
	CHECK(fc_recept_outstanding(&r, 1) == 3, "what the forgotten one said is not this one's");
}
