// SPDX-License-Identifier: GPL-2.0
/*
 * Relays: broadcasts of every site at once, on links that lose, double and reorder; with
 * sites that die, and with one that lies.
 */
#include <stdlib.h>
#include <string.h>

#include "bcast.h"
#include "recept.h"
#include "relay.h"
#include "tap.h"
#include "tree.h"

#define SITES_MAX	64
#define PORTS_MAX	8
#define WINDOW		4
#define FLITS_MAX	6
#define CASTS_MAX	2048

struct flit {
	u32 refs;
	u32 cast;		/* broadcast it belongs to */
	u32 index;
	u8 parts;
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];
};

struct frame {
	struct frame *next;
	u64 at;
	struct fc_event ev;
};

struct kept {
	u32 seq;
	struct flit *flit;	/* NULL: a terminator without a frame */
	u8 parts;
	bool there;
};

struct node {
	struct fc_relay relay;
	struct fc_relay_in in[PORTS_MAX];
	struct fc_relay_out out[PORTS_MAX];
	struct fc_rx rx[PORTS_MAX];
	struct fc_tx tx[PORTS_MAX];
	struct fc_flit queue[PORTS_MAX][WINDOW];
	u16 fifo[PORTS_MAX][FC_HOLDS_MAX];
	struct fc_hold hold[FC_HOLDS_MAX];
	struct flit *held[FC_HOLDS_MAX][FLITS_MAX];
	u32 nheld[FC_HOLDS_MAX];
	struct fc_relay_seen seen[SITES_MAX * PORTS_MAX];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[PORTS_MAX][FC_LSTAT_COUNT];
	struct kept replay[PORTS_MAX][WINDOW];
	struct frame *wire[PORTS_MAX];	/* to this node, by its port */
	u32 incarnation;
	u32 number;
	u32 cast;		/* the last one it began, and one */
	bool dead;
};

/* A broadcast: by which ports copies have come to each site. */
struct cast {
	u32 src;
	u32 flits;
	u32 got[SITES_MAX];
};

struct bench {
	struct fc_topo topo;
	struct fc_timing timing;
	struct fc_bcast table;
	struct node *node;
	struct cast *cast;
	u32 ncasts;
	u32 loss;		/* of 100 */
	u32 doubled;
	u32 delay;
	bool strict;		/* a broadcast has come everywhere before its source's next */
	u8 copies;
	u64 now;
	u32 handles;
	u32 full;		/* copies that found no hold */
};

static struct fc_effects effects;

static u32 way(const struct fc_relay *relay, u32 src, u8 copies, u8 in)
{
	const struct fc_bcast *table = relay->tables;
	u32 entry;

	if (copies != table->copies)
		return FC_RELAY_NEVER;
	if (in == FC_PORT_LOCAL)
		return table->start << 1;
	entry = fc_bcast_next(table, src, relay->id, in - 1);
	if (!entry)
		return FC_RELAY_NEVER;
	return (entry & ~FC_BCAST_DELIVER) << 1 | !!(entry & FC_BCAST_DELIVER);
}

static struct flit *flit_get(struct flit *f)
{
	f->refs++;
	return f;
}

static void flit_put(struct bench *b, struct flit *f)
{
	if (--f->refs)
		return;
	b->handles--;
	free(f);
}

static void event(struct bench *b, u32 at, struct fc_event ev);

static u32 peer_of(const struct bench *b, u32 at, u8 port)
{
	return fc_topo_neighbour(&b->topo, at, port - 1);
}

static u8 peer_port(const struct bench *b, u32 at, u8 port)
{
	return b->topo.ops->arrival(&b->topo, at, port - 1) + 1;
}

/* A frame to the other end, which takes its own time and may not come. */
static void put(struct bench *b, u32 at, u8 port, struct fc_event ev)
{
	u32 to = peer_of(b, at, port);
	u32 copies = tap_random(100) < b->doubled ? 2 : 1;

	ev.port = peer_port(b, at, port);
	for (; copies; copies--) {
		struct frame *f;

		if (tap_random(100) < b->loss || b->node[to].dead)
			continue;
		f = calloc(1, sizeof(*f));
		f->ev = ev;
		f->at = b->now + 1 + tap_random(b->delay);
		if (ev.flit.h)
			flit_get(ev.flit.h);
		f->next = b->node[to].wire[ev.port];
		b->node[to].wire[ev.port] = f;
	}
}

static void put_flit(struct bench *b, u32 at, const struct fc_effect *e, const struct kept *k)
{
	struct fc_event ev = { .type = FC_EV_FLIT, .seq = e->seq, .ack = e->ack };

	ev.flit.parts = k->parts;
	if (k->flit) {
		ev.flit.h = k->flit;
		ev.flit.data = 1;
		if (k->parts & FC_PART_HEAD)
			ev.flit.head = k->flit->head;
	}
	put(b, at, e->port, ev);
}

static void forget(struct bench *b, struct kept *k)
{
	if (k->there && k->flit)
		flit_put(b, k->flit);
	k->there = false;
}

static void delivered(struct bench *b, u32 at, const struct fc_effect *e)
{
	struct node *node = &b->node[at];
	u32 n = node->nheld[e->hold];
	struct cast *cast = &b->cast[node->held[e->hold][0]->cast];

	CHECK(n == cast->flits, "site %u: %u flits, not %u", at, n, cast->flits);
	for (u32 i = 0; i < n; i++)
		CHECK(&b->cast[node->held[e->hold][i]->cast] == cast &&
		      node->held[e->hold][i]->index == i, "site %u: flits of others", at);
	CHECK(at != cast->src, "site %u: its own", at);
	CHECK(!(cast->got[at] & fc_bit(e->port)), "site %u: twice by port %u", at, e->port);
	cast->got[at] |= fc_bit(e->port);
}

static void perform(struct bench *b, u32 at, const struct fc_effect *e)
{
	struct node *node = &b->node[at];
	struct kept *k = &node->replay[e->port][e->seq % WINDOW];
	struct fc_event ev = { .type = FC_EV_STATUS, .seq = e->seq, .ack = e->ack,
			       .flags = e->flags, .status = e->status };

	switch (e->type) {
	case FC_FX_HOLD:
		CHECK(node->nheld[e->hold] < FLITS_MAX, "site %u: too many flits", at);
		node->held[e->hold][node->nheld[e->hold]++] = e->flit.h;
		break;
	case FC_FX_RELAY:
		CHECK(e->index < node->nheld[e->hold], "site %u: no flit %u", at, e->index);
		CHECK(!k->there, "site %u: the replay buffer is full", at);
		*k = (struct kept){ e->seq, flit_get(node->held[e->hold][e->index]),
				    e->flit.parts, true };
		CHECK(k->parts == k->flit->parts, "site %u: flit %u has parts %x, not %x", at,
		      e->index, k->parts, k->flit->parts);
		put_flit(b, at, e, k);
		break;
	case FC_FX_CUT:
		*k = (struct kept){ e->seq, NULL, e->flit.parts, true };
		put_flit(b, at, e, k);
		break;
	case FC_FX_RESEND:
		CHECK(k->there && k->seq == e->seq, "site %u: flit %u is not kept", at, e->seq);
		put_flit(b, at, e, k);
		break;
	case FC_FX_RELEASE:
		for (u32 i = 0; i < WINDOW; i++)
			if (fc_before(node->replay[e->port][i].seq, e->seq))
				forget(b, &node->replay[e->port][i]);
		break;
	case FC_FX_RESCUE:
		for (u32 i = 0; i < WINDOW; i++)
			forget(b, &node->replay[e->port][i]);
		break;
	case FC_FX_STATUS:
		put(b, at, e->port, ev);
		break;
	case FC_FX_DELIVER:
		delivered(b, at, e);
		break;
	case FC_FX_FREE:
		while (node->nheld[e->hold])
			flit_put(b, node->held[e->hold][--node->nheld[e->hold]]);
		break;
	case FC_FX_DROP:
		flit_put(b, e->flit.h);
		break;
	default:
		CHECK(false, "site %u: effect %u", at, e->type);
		break;
	}
}

static void event(struct bench *b, u32 at, struct fc_event ev)
{
	struct node *node = &b->node[at];
	bool more;

	if (node->dead) {
		if (ev.flit.h)
			flit_put(b, ev.flit.h);
		return;
	}
	ev.now = b->now;
	do {
		more = fc_relay_event(&node->relay, &ev, &effects);
		CHECK(effects.n <= FC_EFFECTS, "%u effects", effects.n);
		for (u32 i = 0; i < effects.n; i++)
			perform(b, at, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more);
}

static void bench_init(struct bench *b, const char *spec, u8 copies)
{
	struct fc_bcast_work *work;
	const char *error;

	memset(b, 0, sizeof(*b));
	CHECK(!fc_topo_parse(&b->topo, spec), "%s", spec);
	CHECK(b->topo.nsites <= SITES_MAX && b->topo.ndirs < PORTS_MAX, "%s is large", spec);
	error = fc_bcast_init(&b->table, &b->topo, copies);
	CHECK(!error, "%s: %s", spec, error);
	b->table.entry = calloc(fc_bcast_slots(&b->topo), sizeof(u32));
	work = calloc(fc_bcast_slots(&b->topo), sizeof(*work));
	error = fc_bcast_fill(&b->table, work);
	CHECK(!error, "%s: %s", spec, error);
	free(work);
	b->copies = copies;
	b->delay = 1;
	b->timing = (struct fc_timing){ .retry = 20, .probe = 100 };
	b->cast = calloc(CASTS_MAX, sizeof(*b->cast));
	b->node = calloc(b->topo.nsites, sizeof(*b->node));
	for (u32 i = 0; i < b->topo.nsites; i++) {
		struct node *node = &b->node[i];
		struct fc_relay *r = &node->relay;

		r->way = way;
		r->tables = &b->table;
		r->in = node->in;
		r->out = node->out;
		r->hold = node->hold;
		r->seen = node->seen;
		r->stat = node->stat;
		r->id = i;
		r->nsites = b->topo.nsites;
		r->ch.timing = &b->timing;
		r->ch.rx = node->rx;
		r->ch.tx = node->tx;
		r->ch.window = WINDOW;
		r->ch.nports = b->topo.ndirs + 1;
		r->nholds = fc_relay_holds(r->nsites, r->ch.nports);
		for (u8 p = 0; p < r->ch.nports; p++) {
			node->rx[p].queue = node->queue[p];
			node->rx[p].stat = node->link_stat[p];
			node->out[p].fifo = node->fifo[p];
		}
		node->incarnation = i + 1;
		fc_relay_init(r);
	}
	for (u32 i = 0; i < b->topo.nsites; i++) {
		for (u8 p = 1; p <= b->topo.ndirs; p++) {
			struct fc_event up = { .type = FC_EV_LINK_UP, .port = p, .count = WINDOW };

			if (peer_of(b, i, p) != FC_SITE_NONE)
				event(b, i, up);
		}
	}
}

static bool everywhere(const struct bench *b, const struct cast *cast)
{
	for (u32 i = 0; i < b->topo.nsites; i++)
		if (i != cast->src && !b->node[i].dead &&
		    (u32)__builtin_popcount(cast->got[i]) < b->copies)
			return false;
	return true;
}

static void send(struct bench *b, u32 at, u32 src, u32 number, u32 flits)
{
	struct fc_packet pk = {
		.src = src, .incarnation = b->node[src].incarnation, .sock = FC_SOCK_CAST,
		.src_port = 1, .ntargets = 1, .msg_len = flits, .data_len = flits,
	};
	struct fc_cast cast = { .number = number, .port = 1, .copies = b->copies };

	b->cast[b->ncasts].src = src;
	b->cast[b->ncasts].flits = flits;
	for (u32 i = 0; i < flits; i++) {
		struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };
		struct flit *f = calloc(1, sizeof(*f));

		b->handles++;
		f->refs = 1;
		f->cast = b->ncasts;
		f->index = i;
		f->parts = (i ? 0 : FC_PART_HEAD) | (i == flits - 1 ? FC_PART_TERM : 0);
		fc_wire_packet_encode(f->head, &pk);
		fc_wire_cast_encode(f->head, &cast);
		ev.flit = (struct fc_flit){ .h = f, .data = 1, .parts = f->parts,
					    .head = i ? NULL : f->head };
		event(b, at, ev);
	}
	b->node[at].cast = ++b->ncasts;
}

/* Nothing is under way, on links either. */
static bool idle(const struct bench *b)
{
	for (u32 i = 0; i < b->topo.nsites; i++) {
		if (!b->node[i].dead && !fc_relay_idle(&b->node[i].relay))
			return false;
		for (u8 p = 1; p <= b->topo.ndirs; p++)
			for (const struct frame *f = b->node[i].wire[p]; f; f = f->next)
				if (f->ev.type == FC_EV_FLIT)
					return false;
	}
	return true;
}

static bool may_send(const struct bench *b, u32 at)
{
	const struct node *node = &b->node[at];

	if (node->dead || b->ncasts == CASTS_MAX || !fc_relay_room(&node->relay))
		return false;
	return !b->strict || !node->cast || everywhere(b, &b->cast[node->cast - 1]) || idle(b);
}

/* What is due arrives, in any order.  Return: when something is due next. */
static u64 arrive(struct bench *b)
{
	u64 next = FC_NEVER;

	for (u32 i = 0; i < b->topo.nsites; i++) {
		struct node *node = &b->node[i];
		struct fc_event time = { .type = FC_EV_TIME };

		for (u8 p = 1; p <= b->topo.ndirs; p++) {
			struct frame *all = node->wire[p];

			node->wire[p] = NULL;
			while (all) {
				struct frame *f = all;

				all = f->next;
				if (f->at <= b->now) {
					event(b, i, f->ev);
					free(f);
				} else {
					next = f->at < next ? f->at : next;
					f->next = node->wire[p];
					node->wire[p] = f;
				}
			}
		}
		if (node->dead)
			continue;
		if (node->relay.ch.next_at <= b->now)
			event(b, i, time);
		next = node->relay.ch.next_at < next ? node->relay.ch.next_at : next;
	}
	for (u32 i = 0; i < b->topo.nsites; i++)
		for (u8 p = 1; p <= b->topo.ndirs; p++)
			for (struct frame *f = b->node[i].wire[p]; f; f = f->next)
				next = f->at < next ? f->at : next;
	return next;
}

/* Every site broadcasts as often as it may, until there were enough, and then to the end. */
static void run(struct bench *b, u32 casts)
{
	u64 next = 0, last = 0;

	while (next != FC_NEVER && b->now < 10000000) {
		b->now = next > b->now ? next : b->now + 1;
		for (u32 i = 0; b->ncasts < casts && i < b->topo.nsites; i++) {
			u32 at = tap_random(b->topo.nsites);

			if (may_send(b, at))
				send(b, at, at, b->node[at].number++, 1 + tap_random(FLITS_MAX));
		}
		next = arrive(b);
		if (b->ncasts < casts && next == FC_NEVER)
			next = b->now + 1;
		if (b->ncasts == casts && idle(b)) {
			if (!last)
				last = b->now;
			if (b->now > last + 100000)
				break;
		}
	}
	CHECK(b->ncasts == casts, "%u of %u broadcasts began", b->ncasts, casts);
	CHECK(idle(b), "not idle in the end");
	for (u32 i = 0; i < b->topo.nsites; i++)
		b->full += (u32)b->node[i].stat[FC_STAT_CAST_FULL];
}

static void wire_free(struct bench *b, u32 at, u8 port)
{
	struct frame *f;

	while ((f = b->node[at].wire[port])) {
		b->node[at].wire[port] = f->next;
		if (f->ev.flit.h)
			flit_put(b, f->ev.flit.h);
		free(f);
	}
}

static void die(struct bench *b, u32 at)
{
	struct node *node = &b->node[at];

	node->dead = true;
	for (u8 p = 1; p <= b->topo.ndirs; p++) {
		struct fc_event down = { .type = FC_EV_LINK_DOWN, .port = peer_port(b, at, p) };
		u32 peer = peer_of(b, at, p);

		if (peer == FC_SITE_NONE || b->node[peer].dead)
			continue;
		/* What is under way is of a link that is over. */
		wire_free(b, peer, down.port);
		event(b, peer, down);
	}
}

static void drop(void *arg, void *h)
{
	flit_put(arg, h);
}

static void bench_free(struct bench *b)
{
	for (u32 i = 0; i < b->topo.nsites; i++) {
		struct node *node = &b->node[i];

		for (u32 h = 0; h < node->relay.nholds; h++)
			while (node->nheld[h])
				flit_put(b, node->held[h][--node->nheld[h]]);
		for (u8 p = 1; p <= b->topo.ndirs; p++) {
			for (u32 k = 0; k < WINDOW; k++)
				forget(b, &node->replay[p][k]);
			wire_free(b, i, p);
		}
		fc_relay_purge(&node->relay, drop, b);
	}
	CHECK(!b->handles, "%u flits are left over", b->handles);
	free(b->table.entry);
	free(b->cast);
	free(b->node);
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
		b.loss = loss;
		b.doubled = loss;
		b.delay = delay;
		b.strict = strict;
		run(&b, TAP_ROUNDS(300));
		for (u32 n = 0; n < b.ncasts; n++)
			for (u32 at = 0; at < b.topo.nsites; at++)
				if (at != b.cast[n].src)
					missing += b.copies - __builtin_popcount(b.cast[n].got[at]);
		if (strict)
			CHECK(!b.full, "%s, %u copies: %u found no hold", nets[i].spec, b.copies,
			      b.full);
		/* Every copy that is missing was dropped, or its path led to where it was. */
		CHECK(!missing == !b.full, "%s, %u copies: %u are missing, %u found no hold",
		      nets[i].spec, b.copies, missing, b.full);
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

/* Sources that do not wait: what finds no hold is dropped, and nothing stops. */
TEST(relay_storm__comes_to_an_end)
{
	storm(0, 30, false);
}

/*
 * Up to k - 1 sites die in the middle of it: each of the others gets each broadcast of a site
 * that lives.
 */
TEST(relay_crash__all_that_live_are_reached)
{
	for (u32 round = 0; round < TAP_ROUNDS(400); round++) {
		u32 n = round % FC_ARRAY_SIZE(nets), missing = 0;
		struct bench b;

		bench_init(&b, nets[n].spec, nets[n].copies);
		b.delay = 1 + tap_random(20);
		b.strict = true;
		for (u32 i = 0; i < 3; i++)
			send(&b, i, i, b.node[i].number++, 1 + tap_random(FLITS_MAX));
		for (u32 steps = tap_random(30); steps; steps--) {
			b.now++;
			arrive(&b);
		}
		for (u32 i = 1; i < b.copies; i++)
			die(&b, tap_random(b.topo.nsites));
		run(&b, 12);
		for (u32 c = 0; c < b.ncasts; c++)
			for (u32 at = 0; at < b.topo.nsites; at++)
				missing += !b.node[b.cast[c].src].dead && !b.node[at].dead &&
					   at != b.cast[c].src && !b.cast[c].got[at];
		CHECK(!missing && !b.full, "%s, %u copies: %u were not reached, %u found no hold",
		      nets[n].spec, b.copies, missing, b.full);
		bench_free(&b);
	}
}

static u32 everywhere_way(const struct fc_relay *relay, u32 src, u8 copies, u8 in)
{
	(void)src;
	(void)copies;
	(void)in;
	return relay->ch.up & ~fc_bit(FC_PORT_LOCAL);
}

/*
 * A site begins broadcasts in the name of another on all its links: no site gets more than
 * the one copy whose path leads through the liar.
 */
TEST(relay_liar__spoils_one_copy)
{
	for (u32 i = 0; i < FC_ARRAY_SIZE(nets); i++) {
		struct bench b;
		struct fc_relay *r;
		u32 liar, victim;

		bench_init(&b, nets[i].spec, nets[i].copies);
		liar = tap_random(b.topo.nsites);
		r = &b.node[liar].relay;
		for (victim = 0; victim < b.topo.nsites; victim++) {
			if (victim == liar)
				continue;
			r->id = victim;
			r->way = everywhere_way;
			send(&b, liar, victim, 1000, 2);
			r->id = liar;
			r->way = way;
			run(&b, b.ncasts);
		}
		for (u32 c = 0; c < b.ncasts; c++)
			for (u32 at = 0; at < b.topo.nsites; at++)
				CHECK(at == liar || __builtin_popcount(b.cast[c].got[at]) <= 1,
				      "%s, %u copies: site %u believes site %u, not %u",
				      nets[i].spec, b.copies, at, liar, b.cast[c].src);
		bench_free(&b);
	}
}

/* What comes again by the same link goes nowhere; so does what comes where it cannot. */
TEST(relay_packet__once_and_where_it_may)
{
	struct bench b;
	u64 relayed = 0;

	bench_init(&b, "torus:3x3", 4);
	send(&b, 0, 0, 5, 1);
	run(&b, 1);
	for (u32 i = 0; i < 9; i++)
		relayed += b.node[i].stat[FC_STAT_CAST_RELAYED];
	CHECK(relayed == 4 * 8, "%llu copies came", (unsigned long long)relayed);
	/* The same number again: the neighbours know it. */
	b.node[0].seen[0].begun = false;
	send(&b, 0, 0, 5, 1);
	run(&b, 2);
	for (u32 i = 0; i < 9; i++) {
		relayed -= b.node[i].stat[FC_STAT_CAST_RELAYED];
		CHECK(!b.cast[1].got[i], "site %u took it again", i);
		CHECK(b.node[i].stat[FC_STAT_CAST_DUPLICATE] ==
		      (i && fc_topo_minimal(&b.topo, 0, i) &&
		       b.topo.ops->distance(&b.topo, 0, i) == 1), "site %u counts %llu", i,
		      (unsigned long long)b.node[i].stat[FC_STAT_CAST_DUPLICATE]);
	}
	CHECK(!relayed, "it was relayed again");
	bench_free(&b);
}

/* From every site of every topology: each other site once, and nobody else may send there. */
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
	CHECK(fc_recept_copy(&r, 1, 0) == 1, "a first copy");
	CHECK(fc_recept_copy(&r, 2, 1) == 1, "another value");
	CHECK(fc_recept_copy(&r, 3, 0) == 2, "two agree");
	CHECK(!fc_recept_copy(&r, 3, 1), "one port votes once");
	CHECK(fc_recept_value(&r, 2) == 1 && fc_recept_value(&r, 4) < 0, "who said what");
	CHECK(fc_recept_dissent(&r, 0) == fc_bit(2), "who disagreed");
	CHECK(fc_recept_dissent(&r, 1) == (fc_bit(1) | fc_bit(3)), "and with the other one");
	CHECK(fc_recept_forget(&r, 2) == 1, "the last one of a value");
	CHECK(fc_recept_forget(&r, 1) < 0 && fc_recept_forget(&r, 1) < 0, "one is left");
	CHECK(fc_recept_copy(&r, 1, 1) == 1 && r.got == (fc_bit(1) | fc_bit(3)), "again");
}
