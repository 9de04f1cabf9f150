// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet alone: credit for whole packets, branches that go on each for
 * itself, what is for here, links that die, routes, and peers that send no packets.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "vnet.h"

#define PAYLOAD		100
#define CLASSES_MAX	8
#define NPORTS_MAX	5
#define WINDOW_MAX	64
#define BRANCHES_MAX	(4 * (NPORTS_MAX - 1))
#define NTARGETS	4
#define HANDLES		256
#define SITES_MAX	16

/* A flit's memory, as the runner owns it. */
struct handle {
	bool held;
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE];
};

/* What went to a link in one class. */
struct line {
	u32 flits;
	u32 packets;
	u32 aborted;
	u32 acked;
	u64 mask;		/* of the last packet */
	u8 flags;		/* of all status frames */
};

static struct bench {
	struct fc_topo topo;
	struct fc_vclass classes;
	struct fc_timing timing;
	struct fc_site site;
	struct fc_vnet v;
	struct fc_channel ch[CLASSES_MAX];
	struct fc_vin in[CLASSES_MAX * NPORTS_MAX];
	struct fc_vout out[CLASSES_MAX * NPORTS_MAX];
	struct fc_vbranch branch[CLASSES_MAX * NPORTS_MAX][BRANCHES_MAX];
	struct fc_rx rx[CLASSES_MAX][NPORTS_MAX];
	struct fc_tx tx[CLASSES_MAX][NPORTS_MAX];
	struct fc_flit queue[CLASSES_MAX][NPORTS_MAX][WINDOW_MAX];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_LSTAT_COUNT];
	struct handle handle[HANDLES];
	struct line line[CLASSES_MAX][NPORTS_MAX];
	u32 next[CLASSES_MAX][NPORTS_MAX];	/* number of the next flit that comes in */
	u32 routes[SITES_MAX];
	u32 stored;		/* flits, of the packet that is not served yet */
	u32 stored_data;
	u32 served;		/* packets */
	u32 served_flits;	/* of the last one */
	u64 served_mask;
	u32 unreachable;
	u64 unreachable_mask;
	struct fc_effects fx;
} b;

/*
 * Effects.
 */

static void perform_send(const struct fc_effect *e)
{
	struct line *line = &b.line[e->vc - FC_VC_CLASS][e->port];

	CHECK(e->seq == line->flits, "flit %u, not %u", e->seq, line->flits);
	line->flits++;
	if (e->flit.parts & FC_PART_HEAD)
		line->mask = e->mask;
	if (e->flit.parts & FC_PART_TERM)
		line->packets++;
	if (e->flit.parts & FC_PART_ABORT)
		line->aborted++;
	CHECK(line->flits - line->acked <= b.tx[e->vc - FC_VC_CLASS][e->port].window,
	      "%u of %u flits acknowledged", line->acked, line->flits);
}

/* Front first, end last, and nothing between them. */
static void perform_store(const struct fc_effect *e)
{
	CHECK(e->flit.h, "nothing to store");
	CHECK(!b.stored == !!(e->flit.parts & FC_PART_HEAD), "parts %x as flit %u", e->flit.parts,
	      b.stored);
	b.stored_data = (b.stored ? b.stored_data : 0) + e->flit.data;
	b.stored++;
}

static void perform_one(const struct fc_effect *e)
{
	CHECK(!b.stored || e->type == FC_FX_STORE || e->type == FC_FX_SERVE,
	      "effect of type %u while a packet is stored", e->type);
	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		perform_send(e);
		break;
	case FC_FX_STATUS:
		b.line[e->vc - FC_VC_CLASS][e->port].flags |= e->flags;
		break;
	case FC_FX_STORE:
		perform_store(e);
		break;
	case FC_FX_SERVE:
		CHECK(b.stored, "nothing to serve");
		b.served++;
		b.served_flits = b.stored;
		b.served_mask = e->mask;
		b.stored = 0;
		break;
	case FC_FX_UNREACHABLE:
		b.unreachable++;
		b.unreachable_mask = e->mask;
		break;
	default:
		break;
	}
}

static void event(u8 class, struct fc_event *ev)
{
	bool more;
	u32 i;

	do {
		more = fc_vnet_event(&b.v, class, ev, &b.fx);
		for (i = 0; i < b.fx.n; i++) {
			const struct fc_effect *e = &b.fx.fx[i];
			struct handle *h = e->flit.h;

			CHECK(!h || h->held, "effect %u uses a handle given back", e->type);
			perform_one(e);
			if (h && !e->keep && e->type != FC_FX_UNREACHABLE)
				h->held = false;
		}
		CHECK(!b.stored, "stored and not served");
		ev->type = FC_EV_MORE;
	} while (more);
}

static u32 held(void)
{
	u32 i, n = 0;

	for (i = 0; i < HANDLES; i++)
		n += b.handle[i].held;
	return n;
}

/*
 * What happens.
 */

static void link_event(u8 type, u8 port, u32 window)
{
	struct fc_event ev = { .type = type, .port = port, .count = window };
	u8 c;

	for (c = 0; c < b.v.nclasses; c++) {
		memset(&b.line[c][port], 0, sizeof(b.line[c][port]));
		b.next[c][port] = 0;
	}
	event(0, &ev);
}

static void rerouted(void)
{
	struct fc_event ev = { .type = FC_EV_MORE };

	fc_vnet_rerouted(&b.v);
	event(0, &ev);
}

/* A site whose links are up, between peers with windows of their own. */
static void setup(const char *spec, u32 id, u32 window, u32 peers)
{
	u8 c, p;

	memset(&b, 0, sizeof(b));
	if (fc_topo_parse(&b.topo, spec) || fc_vclass_init(&b.classes, &b.topo) ||
	    b.classes.count > CLASSES_MAX || b.topo.ndirs >= NPORTS_MAX ||
	    b.topo.nsites > SITES_MAX)
		abort();
	b.timing = (struct fc_timing){ .seek = 1, .timeout = 8, .retry = 4, .probe = 16 };
	b.site.topo = &b.topo;
	b.site.timing = &b.timing;
	b.site.stat = b.stat;
	b.site.id = id;
	b.v.classes = &b.classes;
	b.v.site = &b.site;
	b.v.ch = b.ch;
	b.v.in = b.in;
	b.v.out = b.out;
	b.v.payload = PAYLOAD;
	b.v.nports = b.topo.ndirs + 1;
	b.v.nclasses = b.classes.count;
	for (c = 0; c < b.v.nclasses; c++) {
		b.ch[c].rx = b.rx[c];
		b.ch[c].tx = b.tx[c];
		b.ch[c].window = window;
		for (p = 0; p < b.v.nports; p++) {
			b.rx[c][p].queue = b.queue[c][p];
			b.rx[c][p].stat = b.link_stat;
			b.in[c * b.v.nports + p].branch = b.branch[c * b.v.nports + p];
		}
	}
	fc_vnet_init(&b.v);
	for (p = 1; p < b.v.nports; p++)
		if (fc_topo_neighbour(&b.topo, id, p - 1) != FC_SITE_NONE)
			link_event(FC_EV_LINK_UP, p, peers);
}

/* The port of a neighbour. */
static u8 port_to(u32 site)
{
	u8 d;

	for (d = 0; d < b.topo.ndirs; d++)
		if (fc_topo_neighbour(&b.topo, b.site.id, d) == site)
			return d + 1;
	abort();
}

/* The class that a packet of this site has on its way to a neighbour. */
static u8 class_to(u32 site)
{
	u8 next[FC_DIRS_MAX], class = fc_vclass_first(&b.classes, b.site.id, site);

	fc_vclass_ways(&b.classes, b.site.id, site, class, next);
	return next[port_to(site) - 1];
}

/* The class in which a neighbour's packet for a site comes here. */
static u8 class_from(u32 site, u32 dst)
{
	u8 next[FC_DIRS_MAX], d, class = fc_vclass_first(&b.classes, site, dst);
	u32 dirs = fc_vclass_ways(&b.classes, site, dst, class, next);

	for (d = 0; d < b.topo.ndirs; d++)
		if (dirs & fc_bit(d) && fc_topo_neighbour(&b.topo, site, d) == b.site.id)
			return next[d];
	abort();
}

static struct line *line_to(u32 site)
{
	return &b.line[class_to(site)][port_to(site)];
}

static struct handle *new_handle(void)
{
	u32 i;

	for (i = 0; i < HANDLES; i++)
		if (!b.handle[i].held) {
			b.handle[i].held = true;
			return &b.handle[i];
		}
	abort();
}

static void flit(u8 class, u8 port, u8 parts, u32 data, const u8 *head)
{
	struct fc_event ev = { .type = FC_EV_FLIT, .port = port };
	struct handle *h = new_handle();

	if (head) {
		memcpy(h->head, head, sizeof(h->head));
		ev.flit.head = h->head;
	}
	ev.flit.h = h;
	ev.flit.parts = parts;
	ev.flit.data = data;
	ev.seq = port ? b.next[class][port]++ : fc_vnet_seq(&b.v, class);
	ev.ack = port ? b.line[class][port].acked : 0;
	event(class, &ev);
}

/* Head of a packet of so many bytes to so many sites. */
static void make_head(u8 *head, u32 bytes, const u32 *dst, u8 n)
{
	struct fc_packet pk = { .ntargets = n, .msg_len = bytes, .data_len = bytes };
	u8 i;

	fc_wire_packet_encode(head, &pk);
	for (i = 0; i < n; i++) {
		struct fc_target t = {
			.site = dst[i], .port = 1, .flags = i == n - 1 ? FC_TARGET_LAST : 0,
		};

		fc_wire_target_encode(head, i, &t);
	}
}

/* All flits of a packet but its last @without ones; its front has no data. */
static void packet(u8 class, u8 port, const u32 *dst, u8 n, u32 flits, u32 without)
{
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	u32 i;

	make_head(head, (flits - 1) * PAYLOAD, dst, n);
	for (i = 0; i < flits - without; i++)
		flit(class, port, (i ? 0 : FC_PART_HEAD) | (i == flits - 1 ? FC_PART_TERM : 0),
		     i ? PAYLOAD : 0, i ? NULL : head);
}

/* A packet of this site, to a lane that is free. */
static bool own(const u32 *dst, u8 n, u32 flits)
{
	int lane = fc_vnet_lane(&b.v);

	if (lane < 0)
		return false;
	packet((u8)lane, FC_PORT_LOCAL, dst, n, flits, 0);
	return true;
}

static bool own_to(u32 dst, u32 flits)
{
	return own(&dst, 1, flits);
}

/* A neighbour has taken flits. */
static void ack(u32 site, u32 flits)
{
	struct line *line = line_to(site);
	struct fc_event ev = { .type = FC_EV_STATUS, .port = port_to(site) };

	line->acked += flits;
	ev.seq = b.next[class_to(site)][ev.port];
	ev.ack = line->acked;
	event(class_to(site), &ev);
}

/* Nothing is under way, and nothing is kept. */
static void at_rest(void)
{
	CHECK(fc_vnet_idle(&b.v), "not at rest");
	CHECK(!held(), "%u handles kept", held());
}

/*
 * Credit.
 */

TEST(vnet_credit__is_for_a_whole_packet)
{
	setup("line:3", 1, 4, 4);
	own_to(2, 3);
	CHECK(line_to(2)->flits == 3, "%u flits", line_to(2)->flits);
	/* Room for one more flit, but not for all of it. */
	own_to(2, 3);
	CHECK(line_to(2)->flits == 3, "%u flits", line_to(2)->flits);
	CHECK(line_to(2)->flags & FC_STATUS_WANT, "the peer is not asked to tell");
	ack(2, 1);
	CHECK(line_to(2)->flits == 3, "%u flits", line_to(2)->flits);
	ack(2, 1);
	CHECK(line_to(2)->flits == 6 && line_to(2)->packets == 2, "%u flits", line_to(2)->flits);
	at_rest();
}

TEST(vnet_credit__begins_before_the_end_has_come)
{
	u32 dst = 2;

	setup("line:3", 1, 4, 4);
	packet(class_from(0, 2), port_to(0), &dst, 1, 3, 2);
	CHECK(line_to(2)->flits == 1, "%u flits", line_to(2)->flits);
}

TEST(vnet_credit__no_way_by_a_window_that_is_too_small)
{
	setup("line:3", 1, 4, 2);
	own_to(2, 2);
	CHECK(line_to(2)->packets == 1 && !b.unreachable, "%u packets", line_to(2)->packets);
	/* Served and sent anew it would come back for ever. */
	own_to(2, 3);
	CHECK(b.unreachable_mask == 1 && !b.served, "%u served", b.served);
	at_rest();
}

TEST(vnet_credit__packets_of_a_window)
{
	u32 dst = 2, class;

	setup("line:3", 1, 64, 64);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 64, 0);
	CHECK(line_to(2)->flits == 64 && line_to(2)->packets == 1, "%u flits", line_to(2)->flits);
	packet(class, port_to(0), &dst, 1, 64, 0);
	CHECK(line_to(2)->flits == 64 && held() == 64, "%u flits", line_to(2)->flits);
	/* And stored in one piece. */
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	CHECK(b.served == 1 && b.served_flits == 64 && b.served_mask == 1, "%u flits of mask %llx",
	      b.served_flits, (unsigned long long)b.served_mask);
	CHECK(b.stored_data == 63 * PAYLOAD, "%u bytes", b.stored_data);
	at_rest();
}

/*
 * Branches.
 */

TEST(vnet_branches__go_on_each_for_itself)
{
	static const u32 dst[] = { 3, 5, 7 };
	u8 lane;

	setup("mesh:3x3", 4, 4, 4);
	own_to(5, 4);
	lane = (u8)fc_vnet_lane(&b.v);
	CHECK(own(dst, 3, 4), "no lane");
	CHECK(line_to(3)->packets == 1 && line_to(7)->packets == 1, "%u and %u packets",
	      line_to(3)->packets, line_to(7)->packets);
	CHECK(line_to(3)->mask == 1 && line_to(7)->mask == 4, "masks %llx and %llx",
	      (unsigned long long)line_to(3)->mask, (unsigned long long)line_to(7)->mask);
	/* It stays for the one that waits. */
	CHECK(line_to(5)->packets == 1 && held() == 4, "%u handles", held());
	CHECK(b.rx[lane][FC_PORT_LOCAL].queued == 4, "%u flits queued",
	      b.rx[lane][FC_PORT_LOCAL].queued);
	ack(5, 4);
	CHECK(line_to(5)->packets == 2 && line_to(5)->mask == 2, "%u packets", line_to(5)->packets);
	at_rest();
}

TEST(vnet_branches__local_is_served_at_once)
{
	static const u32 dst[] = { 1, 2 };
	u8 class;

	setup("line:3", 1, 4, 4);
	own_to(2, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), dst, 2, 3, 0);
	CHECK(b.served == 1 && b.served_mask == 1 && b.served_flits == 3, "%u served, mask %llx",
	      b.served, (unsigned long long)b.served_mask);
	CHECK(line_to(2)->packets == 1 && held() == 3, "%u packets", line_to(2)->packets);
	ack(2, 4);
	CHECK(line_to(2)->packets == 2 && line_to(2)->mask == 2 && b.served == 1, "%u packets",
	      line_to(2)->packets);
	at_rest();
}

TEST(vnet_branches__local_of_what_passes)
{
	static const u32 dst[] = { 1, 2 };
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), dst, 2, 3, 1);
	CHECK(line_to(2)->flits == 2 && !b.served, "%u flits", line_to(2)->flits);
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(b.served == 1 && b.served_mask == 1 && b.served_flits == 3, "%u served, mask %llx",
	      b.served, (unsigned long long)b.served_mask);
	CHECK(line_to(2)->packets == 1 && line_to(2)->mask == 2, "%u packets",
	      line_to(2)->packets);
	at_rest();
}

TEST(vnet_branches__by_credit_and_load)
{
	u32 first;

	setup("mesh:2x2", 0, 4, 4);
	own_to(3, 3);
	own_to(3, 3);
	CHECK(line_to(1)->packets == 1 && line_to(2)->packets == 1, "%u and %u packets",
	      line_to(1)->packets, line_to(2)->packets);
	/* One has less under way, then one less that waits. */
	ack(2, 1);
	own_to(3, 3);
	CHECK(line_to(1)->packets == 1 && line_to(2)->packets == 1, "%u and %u packets",
	      line_to(1)->packets, line_to(2)->packets);
	ack(1, 3);
	CHECK(line_to(1)->packets == 1, "%u packets", line_to(1)->packets);
	own_to(3, 3);
	CHECK(line_to(1)->packets == 2, "%u packets", line_to(1)->packets);
	ack(1, 3);
	ack(2, 2);
	ack(2, 3);
	at_rest();
	/* Nothing is left of a packet that has gone: the next one has the same choice. */
	setup("mesh:2x2", 0, 4, 4);
	own_to(3, 3);
	first = line_to(1)->packets ? 1 : 2;
	ack(first, 3);
	own_to(3, 3);
	CHECK(line_to(first)->packets == 2, "%u packets", line_to(first)->packets);
	at_rest();
}

TEST(vnet_branches__one_for_each_class)
{
	static const u32 dst[] = { 1, 7 };
	u8 c, port;
	u64 seen = 0;

	/* Both by 4, and from there up and down. */
	setup("mesh:3x3", 3, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(0), 0);
	link_event(FC_EV_LINK_DOWN, port_to(6), 0);
	own(dst, 2, 3);
	port = port_to(4);
	for (c = 0; c < b.v.nclasses; c++) {
		CHECK(b.line[c][port].packets <= 1 && b.line[c][port].mask != 3,
		      "class %u: mask %llx", c, (unsigned long long)b.line[c][port].mask);
		seen |= b.line[c][port].mask;
	}
	CHECK(seen == 3, "mask %llx", (unsigned long long)seen);
	at_rest();
}

TEST(vnet_branches__cut_with_their_packet)
{
	static const u32 dst[] = { 2 };
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), dst, 1, 4, 1);
	flit(class, port_to(0), FC_PART_TERM | FC_PART_ABORT, 0, NULL);
	CHECK(line_to(2)->flits == 4 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	ack(2, 4);
	/* One that has not begun says nothing. */
	own_to(2, 4);
	packet(class, port_to(0), dst, 1, 4, 1);
	flit(class, port_to(0), FC_PART_TERM | FC_PART_ABORT, 0, NULL);
	ack(2, 4);
	CHECK(line_to(2)->flits == 8 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	at_rest();
}

/*
 * Links.
 */

TEST(vnet_links__down_with_a_branch_that_waits)
{
	static const u32 dst[] = { 3, 5 };

	setup("mesh:3x3", 4, 4, 4);
	own_to(5, 4);
	own(dst, 2, 3);
	CHECK(held() == 3 && !b.served, "%u handles", held());
	link_event(FC_EV_LINK_DOWN, port_to(5), 0);
	CHECK(b.served == 1 && b.served_mask == 2 && b.served_flits == 3, "%u served, mask %llx",
	      b.served, (unsigned long long)b.served_mask);
	at_rest();
}

TEST(vnet_links__down_within_a_packet)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 2);
	link_event(FC_EV_LINK_DOWN, port_to(0), 0);
	CHECK(line_to(2)->flits == 3 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	at_rest();
	/* The other end: what has begun is lost, and the rest of it is dropped. */
	setup("line:3", 1, 4, 4);
	packet(class, port_to(0), &dst, 1, 4, 2);
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	flit(class, port_to(0), 0, PAYLOAD, NULL);
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(!b.served, "served");
	at_rest();
}

TEST(vnet_links__no_way_in_its_class)
{
	u32 dst = 2;

	setup("line:3", 1, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	packet(class_from(0, 2), port_to(0), &dst, 1, 3, 0);
	CHECK(b.served == 1 && b.served_mask == 1 && !b.unreachable, "%u served", b.served);
	at_rest();
	/* Back to where it comes from: nobody sends so. */
	dst = 0;
	packet(class_from(0, 2), port_to(0), &dst, 1, 3, 0);
	CHECK(b.served == 2 && b.served_mask == 1, "%u served", b.served);
	at_rest();
}

/*
 * Routes.
 */

TEST(vnet_routes__around_what_is_dead)
{
	u32 site;

	/* 0 1 / 2 3: from 0 to 1 by 2. */
	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	for (site = 1; site < 4; site++)
		b.routes[site] = fc_bit(port_to(2) - 1);
	b.site.routes = b.routes;
	own_to(1, 3);
	CHECK(line_to(2)->packets == 1 && !b.unreachable, "%u packets", line_to(2)->packets);
	at_rest();
}

TEST(vnet_routes__in_the_class_of_the_first_link)
{
	u32 site;

	setup("mesh:3x3", 4, 4, 4);
	CHECK(class_to(3) != class_to(5), "the same class");
	link_event(FC_EV_LINK_DOWN, port_to(3), 0);
	for (site = 0; site < 9; site++)
		b.routes[site] = fc_bit(port_to(5) - 1);
	b.site.routes = b.routes;
	own_to(3, 3);
	CHECK(line_to(5)->packets == 1, "%u packets", line_to(5)->packets);
	at_rest();
}

TEST(vnet_routes__say_which_of_two_ways)
{
	setup("mesh:2x2", 0, 4, 4);
	b.routes[3] = fc_bit(port_to(2) - 1);
	b.site.routes = b.routes;
	own_to(3, 3);
	own_to(3, 3);
	CHECK(line_to(2)->packets == 1 && !line_to(1)->flits, "%u packets", line_to(2)->packets);
	ack(2, 3);
	at_rest();
}

TEST(vnet_routes__told_once_of_no_way)
{
	static const u32 dst[] = { 1, 2 };

	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	own(dst, 2, 4);
	CHECK(b.unreachable == 1 && b.unreachable_mask == 1, "told %u times, of %llx",
	      b.unreachable, (unsigned long long)b.unreachable_mask);
	CHECK(line_to(2)->packets == 1 && line_to(2)->mask == 2 && !b.served, "%u packets",
	      line_to(2)->packets);
	at_rest();
}

TEST(vnet_routes__a_lane_waits_for_new_ones)
{
	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	b.site.rerouting = true;
	b.site.routes = b.routes;
	b.routes[2] = fc_bit(port_to(2) - 1);
	own_to(1, 3);
	CHECK(!b.unreachable && !b.served && held() == 3, "told %u times", b.unreachable);
	/* The other lanes go on. */
	own_to(2, 3);
	CHECK(line_to(2)->packets == 1, "%u packets", line_to(2)->packets);
	ack(2, 3);
	rerouted();
	CHECK(held() == 3, "%u handles", held());
	b.routes[1] = b.routes[2];
	b.site.rerouting = false;
	rerouted();
	CHECK(line_to(2)->packets == 2 && !b.unreachable, "%u packets", line_to(2)->packets);
	at_rest();
	/* Or there is none. */
	b.site.rerouting = true;
	b.routes[1] = 0;
	own_to(1, 3);
	CHECK(!b.unreachable, "told");
	b.site.rerouting = false;
	rerouted();
	CHECK(b.unreachable == 1 && b.unreachable_mask == 1, "told %u times", b.unreachable);
	at_rest();
}

TEST(vnet_routes__a_lane_waits_for_a_link)
{
	setup("mesh:2x2", 0, 4, 4);
	link_event(FC_EV_LINK_DOWN, port_to(1), 0);
	b.site.rerouting = true;
	b.site.routes = b.routes;
	b.routes[1] = fc_bit(port_to(1) - 1);
	own_to(1, 3);
	CHECK(!b.unreachable && held() == 3, "%u handles", held());
	link_event(FC_EV_LINK_UP, port_to(1), 4);
	CHECK(line_to(1)->packets == 1, "%u packets", line_to(1)->packets);
	at_rest();
}

TEST(vnet_lanes__do_not_stand_behind_each_other)
{
	u32 i;

	setup("mesh:3x3", 4, 4, 4);
	own_to(5, 4);
	for (i = 0; i + 1 < b.v.lanes; i++)
		CHECK(own_to(5, 4), "no lane for packet %u", i);
	CHECK(own_to(3, 4) && line_to(3)->packets == 1, "%u packets", line_to(3)->packets);
	CHECK(own_to(5, 4) && fc_vnet_lane(&b.v) < 0, "a lane too many");
	for (i = 0; i < b.v.lanes; i++)
		ack(5, 4);
	CHECK(line_to(5)->packets == b.v.lanes + 1U, "%u packets", line_to(5)->packets);
	at_rest();
}

TEST(vnet_lanes__take_no_packet_within_another)
{
	u32 dst = 5;
	int lane;

	setup("mesh:3x3", 4, 4, 4);
	lane = fc_vnet_lane(&b.v);
	packet((u8)lane, FC_PORT_LOCAL, &dst, 1, 3, 1);
	CHECK(line_to(5)->flits == 2 && fc_vnet_lane(&b.v) != lane, "lane %d again", lane);
}

/*
 * Peers that send no packets.
 */

/* What a peer sends is dropped, and a packet after it is not. */
static void check_goes_on(u8 class)
{
	u32 dst = 2, packets = line_to(2)->packets;

	CHECK(b.link_stat[FC_LSTAT_RX_PROTOCOL], "not counted");
	ack(2, line_to(2)->flits - line_to(2)->acked);
	packet(class, port_to(0), &dst, 1, 3, 0);
	CHECK(line_to(2)->packets == packets + 1, "%u packets", line_to(2)->packets);
	CHECK(!b.served, "served");
	at_rest();
}

TEST(vnet_lies__longer_than_a_window)
{
	u32 dst = 2, i;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 5, 4);
	for (i = 0; i < 3; i++)
		flit(class, port_to(0), 0, PAYLOAD, NULL);
	flit(class, port_to(0), FC_PART_TERM, PAYLOAD, NULL);
	CHECK(!line_to(2)->flits, "%u flits", line_to(2)->flits);
	check_goes_on(class);
}

TEST(vnet_lies__ends_early)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 2);
	/* The rest of it in one flit. */
	flit(class, port_to(0), FC_PART_TERM, 2 * PAYLOAD, NULL);
	CHECK(line_to(2)->aborted == 1, "%u aborted", line_to(2)->aborted);
	check_goes_on(class);
	/* For here. */
	setup("line:3", 1, 4, 4);
	dst = 1;
	packet(class, port_to(0), &dst, 1, 4, 2);
	flit(class, port_to(0), FC_PART_TERM, 2 * PAYLOAD, NULL);
	check_goes_on(class);
}

TEST(vnet_lies__does_not_end)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 1);
	flit(class, port_to(0), 0, PAYLOAD, NULL);
	flit(class, port_to(0), 0, PAYLOAD, NULL);
	/* Its end fits the credit that it had. */
	CHECK(line_to(2)->flits == 4 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	check_goes_on(class);
}

TEST(vnet_lies__flits_that_are_not_full)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 3);
	flit(class, port_to(0), 0, PAYLOAD - 1, NULL);
	CHECK(line_to(2)->flits == 2 && line_to(2)->aborted == 1, "%u flits", line_to(2)->flits);
	check_goes_on(class);
}

TEST(vnet_lies__a_front_within_a_packet)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, 4, 4);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 4, 3);
	packet(class, port_to(0), &dst, 1, 2, 0);
	CHECK(line_to(2)->aborted == 1, "%u aborted", line_to(2)->aborted);
	ack(2, line_to(2)->flits);
	CHECK(line_to(2)->packets == 2, "%u packets", line_to(2)->packets);
	check_goes_on(class);
}
