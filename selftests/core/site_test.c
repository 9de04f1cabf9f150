// SPDX-License-Identifier: GPL-2.0
/*
 * A single site with arbitrary peers: frames in any order, of any kind that decodes, links that go
 * up and down, an operator that stalls.  In all cases: no row is missing (FC_BUG_ON_US ends the
 * test), the site releases every handle exactly once and does not use it afterwards, effects obey
 * the windows, the operator gets packets front first, and without peers the site comes to rest.
 */
#include <stdlib.h>
#include <string.h>

#include "core/care/care.h"
#include "tap.h"
#include "unreachable.h"

#define NTARGETS	5
#define WINDOW_MAX	8

/* Memory of a flit, which the runner owns. */
struct handle {
	bool ours;		/* the site has released the handle */
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE];
};

/* One site and its environment. */
struct bench {
	struct fc_topo topo;
	struct fc_pref pref;
	struct fc_timing timing;
	struct fc_node node;
	struct fc_site site;
	struct fc_in in[FC_PORTS_MAX];
	struct fc_out out[FC_PORTS_MAX];
	struct fc_rx rx[FC_PORTS_MAX];
	struct fc_tx tx[FC_PORTS_MAX];
	struct fc_flit queue[FC_PORTS_MAX][WINDOW_MAX];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_PORTS_MAX][FC_LSTAT_COUNT];
	u32 sent[FC_PORTS_MAX];		/* flits that the site sent since the link came up */
	u32 acked[FC_PORTS_MAX];
	u32 window[FC_PORTS_MAX];	/* window of the peer */
	u64 now;
	u32 held;			/* handles that the site holds */
	u32 words;			/* words in the fifo-buffer */
	u32 buffered;			/* flits in the network-buffer */
	u32 packet_left;		/* bytes left of the packet the operator is sending */
	bool sending;
	u64 served;
	u64 served_mask;		/* targets of the last packet served */
	u8 served_flags;
	u64 served_local;
	u64 discarded;
	u32 served_data;		/* bytes of the last packet served */
	u32 buffered_data;
	u32 aborted[FC_PORTS_MAX];	/* packets with that terminator, by link */
	u32 resets;
	u32 resent[FC_PORTS_MAX];	/* retransmitted flits */
	u32 resent_last[FC_PORTS_MAX];
	u32 rescued;			/* links whose unacked flits may be sent by another route */
	struct fc_effect sent_claim[FC_PORTS_MAX];	/* the last status, by link */
	u64 unreachable;
	u64 unreachable_mask;		/* targets of the last report */
};

static struct fc_effects effects;
static u64 rows[FC_ARRAY_SIZE(fc_fsms)][16][16];

static void fired(const struct fc_site *site, unsigned int machine, unsigned int state,
		  unsigned int cond)
{
	rows[machine][state][cond]++;
}

static void bench_init(struct bench *b, const char *spec, u32 id, u32 window)
{
	memset(b, 0, sizeof(*b));
	if (fc_topo_parse(&b->topo, spec))
		abort();
	fc_pref_default(&b->pref, &b->topo);
	b->timing = (struct fc_timing){
		.seek = 4, .timeout = 32, .retry = 8, .ack_delay = 8, .poll = 64,
		.seek_max = 4, .fifo_room = 4,
	};
	b->node = (struct fc_node){
		.topo = &b->topo, .timing = &b->timing, .pref = &b->pref,
		.stat = b->stat, .id = id, .nports = b->topo.ndirs + 1,
	};
	b->site.node = &b->node;
	b->site.in = b->in;
	b->site.out = b->out;
	b->site.data.rx = b->rx;
	b->site.data.tx = b->tx;
	b->site.data.window = window;
	b->site.fired = fired;
	for (unsigned int p = 0; p < FC_PORTS_MAX; p++) {
		b->rx[p].queue = b->queue[p];
		b->rx[p].stat = b->link_stat[p];
	}
	fc_site_init(&b->site, tap_random(0x10000));
}

static void release(struct bench *b, struct handle *h)
{
	if (!h)
		return;
	CHECK(!h->ours, "a handle given back twice");
	h->ours = true;
	b->held--;
}

/* Free released handles only after the whole list of effects, to detect later uses. */
static void perform(struct bench *b)
{
	for (u32 i = 0; i < effects.n; i++) {
		const struct fc_effect *e = &effects.fx[i];
		struct handle *h = e->flit.h;

		CHECK(!h || !h->ours, "effect %u of type %u uses a handle given back", i, e->type);
		CHECK(e->port < b->node.nports, "port %u", e->port);
		switch ((enum fc_effect_type)e->type) {
		case FC_FX_SEND:
			CHECK(e->port != FC_PORT_LOCAL && b->node.up & fc_bit(e->port),
			      "a flit for port %u, which is down", e->port);
			CHECK(e->seq == b->sent[e->port], "port %u: flit %u, not %u", e->port,
			      e->seq, b->sent[e->port]);
			b->sent[e->port]++;
			CHECK(b->sent[e->port] - b->acked[e->port] <= b->window[e->port],
			      "port %u: beyond the window", e->port);
			CHECK(h || e->flit.parts == (FC_PART_TERM | FC_PART_ABORT),
			      "port %u: parts %x without a frame", e->port, e->flit.parts);
			if (e->flit.parts & FC_PART_HEAD)
				CHECK(e->flit.head && e->mask &&
				      !(e->mask & ~fc_mask_all(fc_wire_ntargets(e->flit.head))),
				      "port %u: a front without targets", e->port);
			b->aborted[e->port] += !!(e->flit.parts & FC_PART_ABORT);
			break;
		case FC_FX_STATUS:
			b->sent_claim[e->port] = *e;
			CHECK(e->port != FC_PORT_LOCAL && b->node.up & fc_bit(e->port),
			      "status for port %u, which is down", e->port);
			CHECK(e->seq == b->sent[e->port], "port %u: %u sent, not %u", e->port,
			      e->seq, b->sent[e->port]);
			break;
		case FC_FX_STORE:
			CHECK(h, "nothing to store");
			CHECK(!b->buffered == !!e->flit.head, "word %u of a packet%s", b->buffered,
			      e->flit.head ? " is a front" : "");
			b->buffered++;
			b->buffered_data += e->flit.data;
			b->words++;
			CHECK(b->words <= b->timing.fifo_room, "%u words in the fifo-buffer",
			      b->words);
			break;
		case FC_FX_SERVE:
		case FC_FX_SERVE_LOCAL:
			CHECK(b->buffered, "nothing to serve");
			CHECK(e->mask, "nobody to serve");
			b->served_data = b->buffered_data;
			b->buffered = 0;
			b->buffered_data = 0;
			b->served++;
			b->served_mask = e->mask;
			b->served_flags = e->flags;
			b->served_local += e->type == FC_FX_SERVE_LOCAL;
			break;
		case FC_FX_DISCARD:
			b->buffered = 0;
			b->buffered_data = 0;
			b->discarded++;
			break;
		case FC_FX_UNREACHABLE:
			CHECK(e->mask && e->flit.head, "nothing is unreachable");
			b->unreachable++;
			b->unreachable_mask = e->mask;
			continue;
		case FC_FX_DROP:
			CHECK(h && !e->keep, "nothing to drop");
			break;
		case FC_FX_RESET:
			CHECK(e->port && !h, "reset of port %u", e->port);
			b->resets++;
			break;
		case FC_FX_RESEND:
			CHECK(e->seq - b->acked[e->port] < b->sent[e->port] - b->acked[e->port],
			      "port %u: flit %u again, of %u .. %u", e->port, e->seq,
			      b->acked[e->port], b->sent[e->port]);
			b->resent[e->port]++;
			b->resent_last[e->port] = e->seq;
			break;
		case FC_FX_RELEASE:
			CHECK(e->seq == b->acked[e->port], "port %u: %u released, %u taken",
			      e->port, e->seq, b->acked[e->port]);
			break;
		case FC_FX_RESCUE:
			b->rescued |= fc_bit(e->port);
			break;
		default:
			CHECK(false, "an effect of another mode");
			break;
		}
		if (h && !e->keep)
			release(b, h);
	}
	for (u32 i = 0; i < effects.n; i++) {
		struct handle *h = effects.fx[i].flit.h;

		if (!h || !h->ours)
			continue;
		for (u32 j = i + 1; j < effects.n; j++)
			if (effects.fx[j].flit.h == h)
				effects.fx[j].flit.h = NULL;
		free(h);
	}
}

static void event(struct bench *b, struct fc_event *ev)
{
	bool more;

	ev->now = b->now;
	do {
		more = fc_site_event(&b->site, ev, &effects);
		CHECK(effects.n <= FC_EFFECTS, "%u effects", effects.n);
		perform(b);
		ev->type = FC_EV_MORE;
	} while (more);
}

static void link_up(struct bench *b, u8 port, u32 window)
{
	struct fc_event ev = { .type = FC_EV_LINK_UP, .port = port, .count = window };

	b->node.up |= fc_bit(port);
	b->sent[port] = 0;
	b->acked[port] = 0;
	b->window[port] = window < b->site.data.window ? window : b->site.data.window;
	event(b, &ev);
}

static void link_down(struct bench *b, u8 port)
{
	struct fc_event ev = { .type = FC_EV_LINK_DOWN, .port = port };

	b->node.up &= ~fc_bit(port);
	b->sent[port] = 0;
	b->acked[port] = 0;
	event(b, &ev);
}

static struct fc_flit new_flit(struct bench *b, u8 parts, u32 data)
{
	struct handle *h;
	struct fc_flit flit = { .parts = parts, .data = data };

	if (parts & FC_PART_ABORT)
		return flit;
	h = calloc(1, sizeof(*h));
	b->held++;
	flit.h = h;
	return flit;
}

/* Return: the front of a packet of @bytes bytes, to the given sites. */
static struct fc_flit front_to(struct bench *b, const u32 *sites, unsigned int n, u16 hops,
			       u8 parts, u32 data, u32 bytes)
{
	struct fc_flit flit = new_flit(b, parts | FC_PART_HEAD, data);
	struct handle *h = flit.h;
	struct fc_packet pk = {
		.src = tap_random(b->topo.nsites), .ntargets = (u8)n,
		.msg_len = bytes, .hops = hops,
	};

	fc_wire_packet_encode(h->head, &pk);
	for (unsigned int i = 0; i < pk.ntargets; i++) {
		struct fc_target t = {
			.site = sites[i], .port = 1,
			.flags = i == pk.ntargets - 1u ? FC_TARGET_LAST : 0,
		};

		fc_wire_target_encode(h->head, i, &t);
	}
	flit.head = h->head;
	return flit;
}

/* Return: a front to random sites. */
static struct fc_flit new_front(struct bench *b, u8 parts, u32 data, u32 bytes)
{
	unsigned int n = 1 + tap_random(NTARGETS);
	u32 sites[NTARGETS];

	for (unsigned int i = 0; i < n; i++)
		sites[i] = tap_random(b->topo.nsites);
	return front_to(b, sites, n, tap_random(50) ? (u16)tap_random(20) : FC_HOPS_MAX, parts,
			data, bytes);
}

static u8 random_link(const struct bench *b)
{
	return (u8)(1 + tap_random(b->node.nports - 1u));
}

static u32 acked_somehow(struct bench *b, u8 port)
{
	u32 ack;

	switch (tap_random(8)) {
	case 0:
		return b->sent[port] + tap_random(5) - 2;
	case 1:
		return tap_random(0xffffffff);
	default:
		ack = b->acked[port] + tap_random(b->sent[port] - b->acked[port] + 1);
		return ack;
	}
}

/* Note an ack if the site must accept it: between the previous ack and the last flit sent. */
static void note_ack(struct bench *b, u8 port, u32 ack)
{
	if (!fc_before(ack, b->acked[port]) && !fc_before(b->sent[port], ack))
		b->acked[port] = ack;
}

/* A peer sends a flit, mostly one in sequence. */
static void peer_flit(struct bench *b, bool orderly)
{
	static const u8 odd_parts[] = {
		0, FC_PART_TERM, FC_PART_TERM | FC_PART_ABORT, FC_PART_HEAD,
		FC_PART_HEAD | FC_PART_TERM,
	};
	u8 port = random_link(b);
	struct fc_rx *rx = &b->rx[port];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = port };
	u32 bytes = tap_random(4) ? 10 * tap_random(8) : 0;
	u8 parts;

	if (!(b->node.up & fc_bit(port)))
		return;
	ev.seq = rx->consumed + rx->queued;
	if (!orderly && !tap_random(4))
		ev.seq = rx->consumed + tap_random(b->site.data.window + 4) - 2;
	parts = odd_parts[tap_random(FC_ARRAY_SIZE(odd_parts))];
	if (parts & FC_PART_HEAD) {
		u32 data = parts & FC_PART_TERM ? bytes : tap_random(bytes + 1);

		ev.flit = new_front(b, parts, data, bytes);
	} else {
		ev.flit = new_flit(b, parts, parts & FC_PART_ABORT ? 0 : 10 * tap_random(3));
	}
	ev.ack = acked_somehow(b, port);
	note_ack(b, port, ev.ack);
	event(b, &ev);
	CHECK(b->tx[port].acked == b->acked[port], "port %u: acknowledged %u, not %u", port,
	      b->tx[port].acked, b->acked[port]);
}

static void peer_status(struct bench *b)
{
	u8 port = random_link(b);
	struct fc_event ev = { .type = FC_EV_STATUS, .port = port, .flags = (u8)tap_random(8) };

	if (!(b->node.up & fc_bit(port)))
		return;
	ev.seq = b->rx[port].consumed + b->rx[port].queued + tap_random(tap_random(8) ? 3 : 20);
	ev.ack = acked_somehow(b, port);
	ev.status.have = tap_random(4) ? tap_random(1 << tap_random(10)) : tap_random(0xffffffff);
	ev.status.upto = ev.ack + tap_random(tap_random(8) ? 4 : 100);
	note_ack(b, port, ev.ack);
	event(b, &ev);
	CHECK(b->tx[port].acked == b->acked[port], "port %u: acknowledged %u, not %u", port,
	      b->tx[port].acked, b->acked[port]);
}

/* The operator sends a valid packet, if the site has space. */
static void operator_flit(struct bench *b)
{
	struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };
	bool last;

	if (!fc_site_room(&b->site))
		return;
	ev.seq = fc_site_seq(&b->site);
	if (!b->sending) {
		u32 bytes = 10 * tap_random(6);

		last = !bytes || !tap_random(3);
		ev.flit = new_front(b, last ? FC_PART_TERM : 0, last ? bytes : 0, bytes);
		b->packet_left = last ? 0 : bytes;
	} else {
		last = b->packet_left <= 20;
		ev.flit = new_flit(b, last ? FC_PART_TERM : 0, last ? b->packet_left : 20);
		b->packet_left -= ev.flit.data;
	}
	b->sending = !last;
	event(b, &ev);
}

static void operator_takes(struct bench *b, u32 most)
{
	struct fc_event ev = { .type = FC_EV_ROOM };

	ev.count = most < b->words ? most : b->words;
	if (!ev.count)
		return;
	b->words -= ev.count;
	event(b, &ev);
}

static void time_passes(struct bench *b, u32 by)
{
	struct fc_event ev = { .type = FC_EV_TIME };

	b->now += by;
	event(b, &ev);
}

/* All links go down; the operator finishes its packet and accepts the remaining ones. */
static void check_comes_to_rest(struct bench *b)
{
	for (u8 p = 1; p < b->node.nports; p++)
		if (b->node.up & fc_bit(p))
			link_down(b, p);
	for (unsigned int i = 0; i < 20000 && !(fc_site_idle(&b->site) && !b->sending); i++) {
		if (b->sending)
			operator_flit(b);
		operator_takes(b, 1);
		time_passes(b, 1 + tap_random(10));
	}
	if (!CHECK(fc_site_idle(&b->site), "never comes to rest"))
		for (u8 p = 0; p < b->node.nports; p++)
			printf("# port %u: net-input %s conn %x queued %u, net-output %s\n", p,
			       fc_fsms[0].states[b->in[p].state], b->in[p].conn, b->rx[p].queued,
			       fc_fsms[1].states[b->out[p].state]);
	CHECK(!b->held, "%u handles kept", b->held);
}

static void run_bench(const char *spec, u32 id, u32 window, unsigned int steps, bool orderly)
{
	struct bench b;

	bench_init(&b, spec, id, window);
	for (unsigned int i = 0; i < steps; i++) {
		u8 port = random_link(&b);

		switch (tap_random(orderly ? 16 : 17)) {
		case 0:
			if (tap_random(orderly ? 30 : 8))
				break;
			if (b.node.up & fc_bit(port))
				link_down(&b, port);
			break;
		case 1:
			if (!(b.node.up & fc_bit(port)) || (!orderly && !tap_random(8)))
				if (fc_topo_neighbour(&b.topo, id, port - 1) != FC_SITE_NONE)
					link_up(&b, port, 1 + tap_random(WINDOW_MAX));
			break;
		case 2:
		case 3:
		case 4:
		case 5:
			operator_flit(&b);
			break;
		case 6:
		case 7:
			peer_status(&b);
			break;
		case 8:
			time_passes(&b, tap_random(20));
			break;
		case 9:
		case 10:
			operator_takes(&b, 2);
			break;
		default:
			peer_flit(&b, orderly);
		}
	}
	check_comes_to_rest(&b);
}

TEST(site_event__any_frames)
{
	static const char *const specs[] = { "torus:4x4", "mesh:3x3", "line:5", "hypercube:4",
					     "hexmesh:3" };

	for (unsigned int i = 0; i < TAP_ROUNDS(3000); i++)
		run_bench(specs[tap_random(FC_ARRAY_SIZE(specs))], tap_random(5),
			  1 + tap_random(WINDOW_MAX), tap_random(400), false);
}

TEST(site_event__orderly_frames)
{
	static const char *const specs[] = { "torus:4x4", "mesh:3x3", "line:5", "hypercube:4",
					     "hexmesh:3" };

	for (unsigned int i = 0; i < TAP_ROUNDS(3000); i++)
		run_bench(specs[tap_random(FC_ARRAY_SIZE(specs))], tap_random(5),
			  1 + tap_random(WINDOW_MAX), tap_random(400), true);
}

/* A flit arrives on a port; a front has the length of its packet and its targets. */
static void flit_to(struct bench *b, u8 port, u8 parts, u32 data, u32 bytes, const u32 *to,
		    u16 n)
{
	struct fc_event ev = { .type = FC_EV_FLIT, .port = port, .ack = b->acked[port] };

	ev.seq = b->rx[port].consumed + b->rx[port].queued;
	ev.flit = parts & FC_PART_HEAD ? front_to(b, to, n, 0, parts, data, bytes) :
					 new_flit(b, parts, data);
	event(b, &ev);
}

/*
 * Targets without a route: the source gets one report, no branch carries them, and the other
 * targets are served.
 */
TEST(site_unreachable__is_reported_and_left_out)
{
	static const struct {
		u32 sites[3];
		u64 served;	/* targets served by the operator; 0: the packet is forwarded */
		u64 unreachable;
		enum fc_stat type;
	} cases[] = {
		{ { 1, 1, 2 }, 0x3, 0x4, FC_STAT_PKT_UNICAST },
		{ { 2, 1, 2 }, 0x2, 0x5, FC_STAT_PKT_UNICAST },
		{ { 0, 0, 2 }, 0, 0x4, FC_STAT_PKT_UNICAST },
		{ { 0, 1, 2 }, 0x3, 0x4, FC_STAT_PKT_SOME_LOCAL },
		{ { 2, 2, 2 }, 0, 0x7, FC_STAT_PKT_UNROUTABLE },
	};

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(cases); i++) {
		struct bench b;
		struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };

		bench_init(&b, "line:3", 1, 4);
		for (u8 p = 1; p < b.node.nports; p++)
			if (fc_topo_neighbour(&b.topo, 1, p - 1) == 0)
				link_up(&b, p, 4);
		ev.seq = fc_site_seq(&b.site);
		ev.flit = front_to(&b, cases[i].sites, 3, 0, FC_PART_TERM, 10, 10);
		event(&b, &ev);
		CHECK(b.unreachable == 1 && b.unreachable_mask == cases[i].unreachable,
		      "case %u: told %llu times, mask %llx", i, (unsigned long long)b.unreachable,
		      (unsigned long long)b.unreachable_mask);
		CHECK(b.served == !!cases[i].served && b.served_mask == cases[i].served,
		      "case %u: served %llx", i, (unsigned long long)b.served_mask);
		CHECK(b.stat[cases[i].type] == 1, "case %u: of another type", i);
		check_comes_to_rest(&b);
	}
}

static const char *goes(struct bench *b, u32 to)
{
	static char text[32];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };
	u64 reported = b->unreachable, served = b->served;
	u32 sent[FC_PORTS_MAX];

	memcpy(sent, b->sent, sizeof(sent));
	ev.seq = fc_site_seq(&b->site);
	ev.flit = front_to(b, &to, 1, 0, FC_PART_TERM, 10, 10);
	event(b, &ev);
	for (u8 p = 1; p < b->node.nports; p++) {
		if (b->sent[p] == sent[p])
			continue;
		snprintf(text, sizeof(text), "port %u", p);
		return text;
	}
	return b->unreachable != reported ? "no route" : b->served != served ? "here" : "seeks";
}

/* A table of routes replaces the minimal directions, and the preference list replaces a port. */
TEST(site_routes__are_followed)
{
	/* Site 5 of torus:4x4: +x to 6, -x to 4, +y to 9, -y to 1. */
	u32 routes[16] = { [6] = fc_bit(2), [4] = fc_bit(1) | fc_bit(2), [9] = fc_bit(0) };
	struct bench b;

	bench_init(&b, "torus:4x4", 5, 4);
	for (u8 p = 1; p < b.node.nports; p++)
		link_up(&b, p, 4);
	CHECK(!strcmp(goes(&b, 6), "port 1"), "without a table");
	b.node.routes = routes;
	CHECK(!strcmp(goes(&b, 6), "port 3"), "by the table");
	CHECK(fc_node_next_port(&b.node, 6) == 3, "control frames too");
	CHECK(!strcmp(goes(&b, 5), "here"), "to itself");
	b.pref.port[2][0] = 4;
	b.pref.port[2][1] = 3;
	b.pref.count[2] = 2;
	CHECK(!strcmp(goes(&b, 6), "port 4"), "the list of the table's direction");
	link_down(&b, 4);
	CHECK(!strcmp(goes(&b, 6), "port 3"), "its second");
	link_down(&b, 2);
	CHECK(!strcmp(goes(&b, 4), "port 3"), "the direction that is left");
	CHECK(!strcmp(goes(&b, 1), "no route"), "not in the table");
	CHECK(fc_node_next_port(&b.node, 1) == FC_PORT_NONE, "control frames too");
	b.node.routes = NULL;
	CHECK(!strcmp(goes(&b, 6), "port 1"), "without a table again");
	check_comes_to_rest(&b);
}

/* While new routes are computed, a packet without a route waits for them. */
TEST(site_routes__are_waited_for)
{
	u32 routes[5] = { 0 };
	struct bench b;

	bench_init(&b, "ring:5", 0, 4);
	link_up(&b, 1, 4);
	link_up(&b, 2, 4);
	link_down(&b, 1);
	CHECK(!strcmp(goes(&b, 1), "no route"), "the only minimal direction is dead");
	b.node.rerouting = true;
	CHECK(!strcmp(goes(&b, 1), "seeks"), "a table may have another");
	CHECK(b.sent[2] == 0, "went already");
	routes[1] = fc_bit(1);
	b.node.routes = routes;
	b.node.rerouting = false;
	fc_site_rerouted(&b.site);
	event(&b, &(struct fc_event){ .type = FC_EV_MORE });
	CHECK(b.sent[2] == 1, "does not go when it is there");
	/* The operator stores a packet that waits too long for a route. */
	routes[1] = 0;
	b.node.rerouting = true;
	CHECK(!strcmp(goes(&b, 1), "seeks"), "again");
	for (unsigned int i = 0; i < 10; i++)
		time_passes(&b, 5);
	operator_takes(&b, 10);
	CHECK(b.served == 1 && b.unreachable == 1, "served %llu, told %llu",
	      (unsigned long long)b.served, (unsigned long long)b.unreachable);
	/* The operator gets a report if the new table has no route. */
	CHECK(!strcmp(goes(&b, 1), "seeks"), "again");
	b.node.rerouting = false;
	fc_site_rerouted(&b.site);
	event(&b, &(struct fc_event){ .type = FC_EV_MORE });
	CHECK(b.unreachable == 2, "told %llu", (unsigned long long)b.unreachable);
	check_comes_to_rest(&b);
}

/* A poll that later flits have overtaken is answered; one that claims too many flits is ignored. */
TEST(site_probe__may_be_overtaken)
{
	static const u32 here[] = { 1 };
	struct fc_event probe = {
		.type = FC_EV_STATUS, .port = 1, .flags = FC_STATUS_POLL, .seq = 1,
	};
	struct bench b;

	bench_init(&b, "line:3", 1, 4);
	link_up(&b, 1, 4);
	for (unsigned int i = 0; i < 3; i++) {
		flit_to(&b, 1, FC_PART_HEAD | FC_PART_TERM, 10, 10, here, 1);
		operator_takes(&b, 1);
	}
	for (unsigned int round = 0; round < 3; round++) {
		probe.type = FC_EV_STATUS;
		b.sent_claim[1].ack = 0;
		event(&b, &probe);
		CHECK(!b.resets, "round %u: the link is reset", round);
		CHECK(b.sent_claim[1].ack == 3 && !(b.sent_claim[1].flags & FC_STATUS_NACK),
		      "round %u: %u taken", round, b.sent_claim[1].ack);
	}
	/* A status frame must not ack flits that were never sent. */
	probe.type = FC_EV_STATUS;
	probe.seq = 100;
	event(&b, &probe);
	CHECK(b.resets == 1 && b.link_stat[1][FC_LSTAT_RX_PROTOCOL] == 1, "%u resets", b.resets);
	check_comes_to_rest(&b);
}

/* A status frame must not report flits as received, or missing, that were never sent. */
TEST(site_status__beyond_what_was_sent)
{
	static const struct {
		u8 flags;
		u32 ack, upto;
		u64 have;
		bool good;
	} cases[] = {
		{ 0, 0, 0, 0, true },
		{ 0, 0, 0, 0x7, true },
		{ 0, 1, 0, 0x3, true },
		{ 0, 1, 9, 0x3, true },
		{ FC_STATUS_NACK, 1, 3, 0, true },
		{ 0, 0, 0, 0x8, false },
		{ 0, 2, 0, 0x2, false },
		{ 0, 4, 0, 0, false },
		{ FC_STATUS_NACK, 1, 4, 0, false },
		{ 0, 0, 0, ~(u64)0, false },
	};
	static const u32 there[] = { 2 };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(cases); i++) {
		struct fc_event ev = {
			.type = FC_EV_STATUS, .port = 1, .flags = cases[i].flags,
			.ack = cases[i].ack,
			.status = { .have = cases[i].have, .upto = cases[i].upto },
		};
		struct bench b;

		bench_init(&b, "line:3", 1, 4);
		link_up(&b, 1, 4);
		for (unsigned int n = 0; n < 3; n++)
			flit_to(&b, FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 10, 10, there, 1);
		CHECK(b.sent[1] == 3, "%u sent", b.sent[1]);
		note_ack(&b, 1, ev.ack);
		event(&b, &ev);
		CHECK(!b.resets == cases[i].good, "case %u: %u resets", i, b.resets);
		check_comes_to_rest(&b);
	}
}

/* Flits out of order while the sequence number wraps, with every window. */
TEST(site_window__survives_the_wrap)
{
	static const u32 here[] = { 1 };

	for (u32 window = 1; window <= WINDOW_MAX; window++) {
		u32 seq = (u32)-20, packets = 0;
		struct bench b;

		bench_init(&b, "line:3", 1, window);
		link_up(&b, 1, window);
		b.rx[1].consumed = seq;
		b.rx[1].acked = seq;
		b.rx[1].end = seq;
		while (packets < 40) {
			for (u32 i = window; i-- > 0;) {
				struct fc_event ev = { .type = FC_EV_FLIT, .port = 1 };

				ev.seq = seq + i;
				ev.flit = front_to(&b, here, 1, 0, FC_PART_TERM, 10, 10);
				event(&b, &ev);
			}
			while (b.words)
				operator_takes(&b, 1);
			seq += window;
			packets += window;
			CHECK(b.served == packets, "window %u: %llu of %u served", window,
			      (unsigned long long)b.served, packets);
		}
		CHECK(!b.link_stat[1][FC_LSTAT_RX_OUT_OF_WINDOW] &&
		      !b.link_stat[1][FC_LSTAT_RX_REPEATED], "window %u: dropped", window);
		check_comes_to_rest(&b);
	}
}

/* Drop handles of a site; the test may do that at any moment. */
static void count_drop(void *arg, void *h)
{
	release(arg, h);
	free(h);
}

TEST(site_purge__gives_back_every_handle)
{
	for (unsigned int i = 0; i < TAP_ROUNDS(1000); i++) {
		struct bench b;

		bench_init(&b, "torus:4x4", 5, 1 + tap_random(WINDOW_MAX));
		for (u8 p = 1; p < b.node.nports; p++)
			link_up(&b, p, 4);
		for (u32 n = tap_random(100); n; n--) {
			operator_flit(&b);
			peer_flit(&b, true);
		}
		fc_site_purge(&b.site, count_drop, &b);
		CHECK(!b.held, "%u handles kept", b.held);
		fc_site_purge(&b.site, count_drop, &b);
	}
}

static void ack_all(struct bench *b, u8 port)
{
	struct fc_event ev = { .type = FC_EV_STATUS, .port = port, .ack = b->sent[port] };

	note_ack(b, port, ev.ack);
	event(b, &ev);
}

/* A link reset releases the ports that a waiting packet had claimed. */
TEST(site_claims__end_with_the_front)
{
	static const u32 to[] = { 3 };
	struct bench b;

	/* Site 2 has site 1 on port 2 and site 3 on port 1. */
	bench_init(&b, "line:5", 2, 4);
	link_up(&b, 1, 4);
	link_up(&b, 2, 4);
	flit_to(&b, FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 10, 10, to, 1);
	CHECK(b.sent[1] == 1, "%u sent", b.sent[1]);
	/* A packet of several flits waits until all flits on port 1 are acked. */
	flit_to(&b, 2, FC_PART_HEAD, 10, 20, to, 1);
	CHECK(b.sent[1] == 1 && b.in[2].state == FC_NI_FIRST, "does not wait");
	link_down(&b, 2);
	CHECK(b.in[2].state == FC_NI_FREE, "still waits");
	ack_all(&b, 1);
	flit_to(&b, FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 10, 10, to, 1);
	CHECK(b.sent[1] == 2, "another packet does not get the way");
	check_comes_to_rest(&b);
}

/* Begin a packet for this site and do not end it.  Return: time until the time-out. */
static u64 time_to_timeout(struct bench *b)
{
	u64 since = b->now, before = b->stat[FC_STAT_TIMEOUT];

	while (b->stat[FC_STAT_TIMEOUT] == before && b->now < since + 10000)
		time_passes(b, 1);
	return b->now - since;
}

TEST(site_timeout__grows_and_calms_down)
{
	static const u32 here[] = { 1 };
	struct bench b;

	bench_init(&b, "line:3", 1, 4);
	link_up(&b, 1, 4);
	flit_to(&b, 1, FC_PART_HEAD, 10, 20, here, 1);
	for (unsigned int i = 0; i < FC_BACKOFF_MAX + 3; i++) {
		u64 t = b.timing.timeout << (i < FC_BACKOFF_MAX ? i : FC_BACKOFF_MAX);
		u64 waited = time_to_timeout(&b);

		CHECK(waited >= t && waited <= t + t / 2, "time-out %u after %llu of %llu", i,
		      (unsigned long long)waited, (unsigned long long)t);
	}
	operator_takes(&b, 1);
	flit_to(&b, 1, FC_PART_TERM, 10, 0, NULL, 0);
	operator_takes(&b, 1);
	/* The site has served one whole packet. */
	for (unsigned int i = 1; i < FC_BACKOFF_MAX * FC_BACKOFF_CALM; i++) {
		flit_to(&b, 1, FC_PART_HEAD | FC_PART_TERM, 10, 10, here, 1);
		operator_takes(&b, 1);
		CHECK(b.served == i + 1, "%llu packets, not %u", (unsigned long long)b.served,
		      i + 1);
	}
	flit_to(&b, 1, FC_PART_HEAD, 10, 20, here, 1);
	CHECK(time_to_timeout(&b) <= b.timing.timeout * 3 / 2, "does not calm down");
	check_comes_to_rest(&b);
}

/* FC_SERVE_ABORTED marks packets that the operator must delay: only aborted multicasts. */
TEST(site_abort__is_passed_to_the_operator)
{
	static const u32 sites[] = { 0, 2 }, here[] = { 1 };
	struct bench b;

	bench_init(&b, "line:3", 1, 4);
	link_up(&b, 1, 4);
	link_up(&b, 2, 4);
	for (unsigned int round = 0; round < 2; round++) {
		flit_to(&b, FC_PORT_LOCAL, FC_PART_HEAD, 10, 20, sites, 2);
		operator_takes(&b, 1);
		time_to_timeout(&b);
		CHECK(b.stat[FC_STAT_PKT_ABORTED] == round + 1, "nothing is aborted");
		flit_to(&b, FC_PORT_LOCAL, FC_PART_TERM, 10, 0, NULL, 0);
		operator_takes(&b, 1);
		CHECK(b.served == 2 * round + 1 && b.served_mask == 3 &&
		      b.served_flags == FC_SERVE_ABORTED, "round %u: %llu served, flags %x", round,
		      (unsigned long long)b.served, b.served_flags);
		flit_to(&b, FC_PORT_LOCAL, FC_PART_HEAD | FC_PART_TERM, 10, 10, here, 1);
		operator_takes(&b, 1);
		CHECK(b.served == 2 * round + 2 && !b.served_flags, "round %u: flags %x", round,
		      b.served_flags);
		ack_all(&b, 1);
		ack_all(&b, 2);
	}
	check_comes_to_rest(&b);
}

/*
 * The site aborts a split (CARE, section 4.5.2): the branches end with :abort-packet, and the site
 * stores the whole packet, to send it on later.
 */

/* Set up site 2 of a line, its links up: 3 on port 1, with window @window, and 1 on port 2. */
static void split_init(struct bench *b, u32 window)
{
	static const u32 to[] = { 1, 2, 3 };

	bench_init(b, "line:5", 2, 4);
	link_up(b, 1, window);
	link_up(b, 2, 4);
	flit_to(b, FC_PORT_LOCAL, FC_PART_HEAD, 10, 30, to, FC_ARRAY_SIZE(to));
	CHECK(b->sent[1] == 1 && b->sent[2] == 1 && b->buffered == 1, "no split");
}

static void rest(struct bench *b, u8 parts, u32 data)
{
	operator_takes(b, 4);
	flit_to(b, FC_PORT_LOCAL, parts, data, 0, NULL, 0);
}

/* Wait longer than the maximum time-out of the fifo-buffer. */
static void fifo_starves(struct bench *b, enum fc_netin_state state)
{
	CHECK(b->in[FC_PORT_LOCAL].state == state, "the net-input is %s",
	      fc_fsms[0].states[b->in[FC_PORT_LOCAL].state]);
	time_passes(b, b->timing.timeout * 3 / 2 + 1);
	CHECK(b->stat[FC_STAT_PKT_ABORTED] == 1, "not aborted");
}

static void check_aborted(struct bench *b)
{
	ack_all(b, 1);
	CHECK(b->aborted[1] == 1 && b->aborted[2] == 1, "branches end %u and %u times",
	      b->aborted[1], b->aborted[2]);
	CHECK(b->served == 1 && !b->served_local && !b->discarded, "the stored copy is lost");
	CHECK(b->served_data == 30, "%u of 30 bytes stored", b->served_data);
	check_comes_to_rest(b);
}

/* Section 4.5.1: the branches have free links, so only local targets need the stored copy. */
TEST(site_split__serves_the_local_targets)
{
	struct bench b;

	split_init(&b, 4);
	rest(&b, FC_PART_TERM, 20);
	ack_all(&b, 1);
	ack_all(&b, 2);
	CHECK(b.served == 1 && b.served_local == 1 && !b.discarded, "served %llu, %llu locally",
	      (unsigned long long)b.served, (unsigned long long)b.served_local);
	CHECK(b.served_data == 30, "%u of 30 bytes stored", b.served_data);
	CHECK(b.sent[1] == 2 && b.sent[2] == 2 && !b.aborted[1] && !b.aborted[2],
	      "a branch is not whole");
	check_comes_to_rest(&b);
}

TEST(site_abort__while_open)
{
	struct bench b;
	u32 sent;

	split_init(&b, 4);
	fifo_starves(&b, FC_NI_OPEN);
	sent = b.sent[1];
	rest(&b, 0, 10);
	rest(&b, FC_PART_TERM, 10);
	CHECK(b.sent[1] == sent, "goes on behind :abort-packet");
	check_aborted(&b);
}

TEST(site_abort__while_waiting)
{
	struct bench b;

	split_init(&b, 1);
	rest(&b, 0, 10);
	fifo_starves(&b, FC_NI_WAIT);
	rest(&b, FC_PART_TERM, 10);
	check_aborted(&b);
}

TEST(site_abort__with_the_terminator_here)
{
	struct bench b;

	split_init(&b, 1);
	rest(&b, FC_PART_TERM, 20);
	fifo_starves(&b, FC_NI_LAST);
	check_aborted(&b);
}

/* Only fronts that need a route count as seeking, not packets behind them. */
TEST(site_seeks__count_fronts)
{
	static const u32 to[] = { 3 };
	struct bench b;

	bench_init(&b, "line:5", 2, 4);
	link_up(&b, 1, 1);
	flit_to(&b, FC_PORT_LOCAL, FC_PART_HEAD, 10, 20, to, 1);
	CHECK(b.in[FC_PORT_LOCAL].state == FC_NI_WAIT, "does not wait");
	CHECK(!b.stat[FC_STAT_SEEK], "%llu seeks",
	      (unsigned long long)b.stat[FC_STAT_SEEK]);
	rest(&b, FC_PART_TERM, 10);
	ack_all(&b, 1);
	CHECK(b.sent[1] == 2, "%u sent", b.sent[1]);
	check_comes_to_rest(&b);
}

TEST(site_rows__fire_or_are_listed)
{
	site_event__orderly_frames();
	for (unsigned int m = 0; m < FC_ARRAY_SIZE(fc_fsms); m++) {
		const struct fc_fsm *fsm = &fc_fsms[m];

		for (unsigned int s = 1; s < fsm->nstates; s++) {
			for (unsigned int c = 1; c < fsm->nconds; c++) {
				bool listed = unreachable_row(m, s, c);

				if (!fsm->rows[s * fsm->nconds + c].next)
					continue;
				/* A few rounds do not suffice to fire every row. */
				CHECK(listed || rows[m][s][c] || TAP_ROUNDS(3000) < 3000,
				      "%s %s -%s-> never fired", fsm->name, fsm->states[s],
				      fsm->conds[c]);
				CHECK(!listed || !rows[m][s][c], "%s %s -%s-> fired", fsm->name,
				      fsm->states[s], fsm->conds[c]);
			}
		}
	}
}
