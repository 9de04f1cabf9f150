// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: its fast path for single-flit packets, without an event.
 */
#include "vnet_bench.h"
#include "core/vnet/vnet_pass.h"

/* Return: the next flit, a whole packet, that a site sends to site @dst. */
static struct fc_vhop hop_from(u32 site, u32 dst)
{
	static u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE];
	u8 class = class_from(site, dst), port = port_to(site);

	make_head(head, 0, &dst, 1);
	return (struct fc_vhop){
		.head = head, .seq = b.rx[class][port].end,
		.ack = b.tx[class][port].acked, .class = class, .port = port,
	};
}

/* The fast path leaves the packet to the event path, and has no effect. */
static bool no_hop(struct fc_vhop hop)
{
	static struct bench was;

	was = b;
	return fc_vnet_hop(&b.v, &hop) == FC_HOP_NOT && !memcmp(&was, &b, sizeof(b));
}

/* Set up a line on which a packet has been forwarded, so that its timers run. */
static u8 setup_hop(u32 window, u32 peers)
{
	u32 dst = 2;
	u8 class;

	setup("line:3", 1, window, peers);
	class = class_from(0, 2);
	packet(class, port_to(0), &dst, 1, 1, 0);
	return class;
}

TEST(vnet_hop__verdicts)
{
	u8 class = setup_hop(8, 8);
	struct fc_vhop hop = hop_from(0, 2);
	u64 due = b.v.next_at;

	CHECK(fc_vnet_hop(&b.v, &hop) == FC_HOP_GONE, "refused");
	CHECK(hop.out_class == class_to(2) && hop.out_port == port_to(2) && hop.seq == 1 &&
	      !hop.ack, "class %u, port %u, flit %u, %u taken", hop.out_class, hop.out_port,
	      hop.seq, hop.ack);
	CHECK(b.rx[class][port_to(0)].consumed == 2 && b.rx[class][port_to(0)].end == 2,
	      "%u taken", b.rx[class][port_to(0)].consumed);
	CHECK(b.tx[hop.out_class][hop.out_port].sent == 2, "%u sent",
	      b.tx[hop.out_class][hop.out_port].sent);
	CHECK(b.stat[FC_STAT_PKT_UNICAST] == 2, "not counted");
	CHECK(b.v.next_at == due && !b.v.work && !b.v.touched, "there is something to do");
	at_rest();
}

TEST(vnet_hop__carries_the_ack)
{
	u8 class = setup_hop(8, 8);
	struct fc_rx *rx = &b.rx[class_to(2)][port_to(2)];
	struct fc_vhop hop = hop_from(0, 2);

	/* Pretend that flits have arrived in the opposite direction in that class. */
	b.tx[class][port_to(2)].reverse_active = true;
	rx->consumed = 7;
	rx->ack_at = 5;
	CHECK(fc_vnet_hop(&b.v, &hop) == FC_HOP_GONE && hop.ack == 7, "%u taken", hop.ack);
	CHECK(rx->acked == 7 && rx->ack_at == FC_NEVER, "%u told", rx->acked);
}

TEST(vnet_hop__only_as_the_event_would)
{
	u32 i, dst = 2;

	/* The event path does the same. */
	setup_hop(8, 8);
	for (i = 1; i < 8; i++)
		packet(class_from(0, 2), port_to(0), &dst, 1, 1, 0);
	CHECK(line_to(2)->packets == 8 && !held(), "%u packets", line_to(2)->packets);
	at_rest();
}

/* The fast path asks for the current time; with it, fc_vnet_hop_timed() must return @want. */
static bool timed(struct fc_vhop hop, enum fc_hop (*ask)(struct fc_vnet *v, struct fc_vhop *hop),
		  enum fc_hop want)
{
	struct fc_event ev = { .type = FC_EV_MORE };
	static struct bench was;

	was = b;
	if (ask(&b.v, &hop) != FC_HOP_WHEN || memcmp(&was, &b, sizeof(b)))
		return false;
	hop.now = 1000;
	if (fc_vnet_hop_timed(&b.v, &hop) != want ||
	    (hop.out_port && hop.seq != b.tx[hop.out_class][hop.out_port].sent - 1))
		return false;
	if (want == FC_HOP_MORE)
		event(hop.class, &ev);
	return !b.v.work && !b.v.touched;
}

static bool hop_timed(struct fc_vhop hop, enum fc_hop want)
{
	return timed(hop, fc_vnet_hop, want);
}

static bool here_timed(struct fc_vhop hop, enum fc_hop want)
{
	return timed(hop, fc_vnet_here, want);
}

TEST(vnet_hop__sets_timers)
{
	u8 class = class_from(0, 2), port = port_to(0);

	setup("line:3", 1, 8, 8);
	CHECK(hop_timed(hop_from(0, 2), FC_HOP_GONE), "the first one of both");
	CHECK(b.rx[class][port].ack_at == 1000 + b.timing.ack_delay, "the peer hears nothing");
	CHECK(b.tx[class_to(2)][port_to(2)].poll_at == 1000 + b.timing.poll, "nobody asks");
	CHECK(b.rx[class_to(2)][port_to(2)].reverse_active, "an answer would mean nothing");
	CHECK(b.v.next_at == 1000 + b.timing.ack_delay, "due at %llu",
	      (unsigned long long)b.v.next_at);
	/* Timers of either link. */
	setup_hop(8, 8);
	ack(2, 1);
	CHECK(hop_timed(hop_from(0, 2), FC_HOP_GONE), "all was acknowledged");
	CHECK(b.tx[class_to(2)][port_to(2)].poll_at != FC_NEVER, "nobody asks");
	setup_hop(8, 8);
	b.rx[class][port].ack_at = FC_NEVER;
	CHECK(hop_timed(hop_from(0, 2), FC_HOP_GONE), "all was told");
	CHECK(b.rx[class][port].ack_at != FC_NEVER, "the peer hears nothing");
}

TEST(vnet_hop__acks_to_the_peer)
{
	struct fc_event ev = { .type = FC_EV_STATUS, .flags = FC_STATUS_ACK_REQUEST, .seq = 1 };
	struct fc_vhop hop;
	u8 class = setup_hop(8, 8);
	u32 i;

	/* Three of eight flits; an ack is due after four, half of the window. */
	for (i = 2; i < 4; i++) {
		hop = hop_from(0, 2);
		CHECK(fc_vnet_hop(&b.v, &hop) == FC_HOP_GONE, "flit %u", i);
	}
	CHECK(hop_timed(hop_from(0, 2), FC_HOP_MORE), "half a window is told");
	CHECK(b.rx[class][port_to(0)].acked == 4, "%u told", b.rx[class][port_to(0)].acked);
	setup_hop(8, 8);
	ev.port = port_to(0);
	event(class, &ev);
	b.rx[class][port_to(0)].ack_at = 5;
	b.rx[class][port_to(0)].ack_wanted = true;
	CHECK(hop_timed(hop_from(0, 2), FC_HOP_MORE), "the peer wants to know");
	CHECK(b.rx[class][port_to(0)].acked == 2, "%u told", b.rx[class][port_to(0)].acked);
}

TEST(vnet_hop__not_what_is_another_one)
{
	struct fc_vhop hop;
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE], class = setup_hop(8, 8);

	hop = hop_from(0, 2);
	hop.seq++;
	CHECK(no_hop(hop), "out of order");
	hop.seq -= 2;
	CHECK(no_hop(hop), "repeated");
	hop = hop_from(0, 2);
	b.rx[class][port_to(0)].end++;
	CHECK(no_hop(hop), "overtaken by nothing");
	b.rx[class][port_to(0)].end--;
	hop.ack = 1;
	CHECK(no_hop(hop), "it acknowledges something");
	hop = hop_from(0, 1);
	hop.class = class;
	CHECK(no_hop(hop), "it is for here");
	hop = hop_from(0, 2);
	memcpy(head, hop.head, sizeof(head));
	for (hop.head = head; fc_wire_hops(head) < FC_HOPS_MAX; fc_node_head_hop(head))
		;
	CHECK(no_hop(hop), "it has been everywhere");
}

TEST(vnet_hop__not_through_a_busy_output)
{
	struct fc_vhop hop;
	u32 dst = 2;
	u8 class = setup_hop(8, 1);

	CHECK(no_hop(hop_from(0, 2)), "there is no credit");
	/* The fast path also declines, despite credit, if other packets wait. */
	setup_hop(8, 8);
	b.out[class_to(2) * b.v.nports + port_to(2)].first = 0;
	CHECK(no_hop(hop_from(0, 2)), "something is before it");
	setup_hop(8, 8);
	packet(class, port_to(0), &dst, 1, 3, 1);
	hop = hop_from(0, 2);
	CHECK(no_hop(hop), "it is within a packet");
	setup_hop(8, 8);
	b.v.work = 1;
	CHECK(no_hop(hop_from(0, 2)), "there is something to do before");
	setup_hop(8, 8);
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	CHECK(no_hop(hop_from(0, 2)), "the link is dead");
	setup_hop(8, 8);
	for (dst = 0; dst < 3; dst++)
		b.routes[dst] = 0;
	b.node.routes = b.routes;
	CHECK(no_hop(hop_from(0, 2)), "no route leads there");
}

/* Flits of a packet behind the first. */

/* Return: the next flit of a packet from site 0 to site 2. */
static struct fc_vhop later(u8 parts)
{
	u8 class = class_from(0, 2), port = port_to(0);

	return (struct fc_vhop){
		.seq = b.rx[class][port].end, .ack = b.tx[class][port].acked, .data = PAYLOAD,
		.class = class, .port = port, .parts = parts,
	};
}

/* The fast path leaves the flit to the event path, and has no effect. */
static bool not_later(struct fc_vhop hop)
{
	static struct bench was;

	was = b;
	return fc_vnet_later(&b.v, &hop) == FC_HOP_NOT && !memcmp(&was, &b, sizeof(b));
}

TEST(vnet_later__verdicts)
{
	struct fc_vhop hop;
	u32 dst = 2;
	u8 class = setup_hop(16, 16);

	/* Of five flits two are to come. */
	packet(class, port_to(0), &dst, 1, 5, 2);
	hop = later(0);
	CHECK(fc_vnet_later(&b.v, &hop) == FC_HOP_GONE, "refused");
	CHECK(hop.out_class == class_to(2) && hop.out_port == port_to(2) && hop.seq == 4,
	      "class %u, port %u, flit %u", hop.out_class, hop.out_port, hop.seq);
	CHECK(b.rx[class][port_to(0)].consumed == 5 && !b.v.work && !b.v.touched, "%u taken",
	      b.rx[class][port_to(0)].consumed);
	CHECK(not_later(later(0)), "the last flit has no end");
	hop = later(FC_PART_TERM);
	CHECK(fc_vnet_later(&b.v, &hop) == FC_HOP_GONE && hop.seq == 5, "the end is refused");
	CHECK(not_later(later(0)), "there is no packet");
	CHECK(b.stat[FC_STAT_PKT_UNICAST] == 2, "%llu packets",
	      (unsigned long long)b.stat[FC_STAT_PKT_UNICAST]);
	hop = hop_from(0, 2);
	CHECK(fc_vnet_hop(&b.v, &hop) == FC_HOP_GONE, "the link is not free");
	at_rest();
}

TEST(vnet_later__sets_timers)
{
	u32 dst = 2;
	u8 class = setup_hop(8, 8);

	/* The fourth flit is half of the window: an ack is due. */
	packet(class, port_to(0), &dst, 1, 4, 2);
	CHECK(timed(later(0), fc_vnet_later, FC_HOP_MORE), "no ack is due");
	ack(2, 4);
	CHECK(timed(later(FC_PART_TERM), fc_vnet_later, FC_HOP_GONE), "all was acknowledged");
	CHECK(b.tx[class_to(2)][port_to(2)].poll_at == 1000 + b.timing.poll, "nobody asks");
	at_rest();
}

TEST(vnet_later__not_what_meets_another_one)
{
	u32 dst = 2, lists[2] = { 1, 2 };
	struct fc_vhop hop;
	u8 class = setup_hop(16, 16);

	CHECK(not_later(later(0)), "there is no packet");
	packet(class, port_to(0), &dst, 1, 4, 2);
	hop = later(0);
	hop.seq++;
	CHECK(not_later(hop), "out of order");
	hop = later(0);
	hop.data--;
	CHECK(not_later(hop), "a flit is not full");
	CHECK(not_later(later(FC_PART_TERM)), "the packet is shorter than it said");
	CHECK(not_later(later(FC_PART_TERM | FC_PART_ABORT)), "its end aborts");
	CHECK(not_later(later(FC_PART_HEAD)), "another one begins");
	b.v.work = 1;
	CHECK(not_later(later(0)), "there is something to do before");
	b.v.work = 0;
	CHECK(!not_later(later(0)), "nothing is in the way");
	/* The packet waits for a link, or is for this site, alone or besides another one. */
	setup_hop(16, 2);
	packet(class, port_to(0), &dst, 1, 2, 1);
	CHECK(not_later(later(FC_PART_TERM)), "there is no credit");
	setup_hop(16, 16);
	packet(class_from(0, 1), port_to(0), lists, 1, 4, 2);
	hop = later(0);
	hop.class = class_from(0, 1);
	hop.seq = b.rx[hop.class][hop.port].end;
	CHECK(not_later(hop), "it is for here");
	setup_hop(16, 16);
	packet(class, port_to(0), lists, 2, 4, 2);
	CHECK(not_later(later(0)), "it is for here, too");
	setup_hop(16, 16);
	packet(class, port_to(0), &dst, 1, 4, 2);
	link_event(FC_EV_LINK_DOWN, port_to(2), 0);
	CHECK(not_later(later(0)), "the link is dead");
}

/* Packets for this site, and packets of this site. */

TEST(vnet_here__verdicts)
{
	u8 class = setup_hop(8, 8);
	struct fc_vhop hop = hop_from(0, 1);
	u64 due = b.v.next_at;

	hop.class = class;
	hop.seq = 1;
	CHECK(fc_vnet_here(&b.v, &hop) == FC_HOP_GONE, "refused");
	CHECK(b.rx[class][port_to(0)].consumed == 2 && b.rx[class][port_to(0)].end == 2,
	      "%u taken", b.rx[class][port_to(0)].consumed);
	CHECK(b.v.next_at == due && !b.v.work && !b.v.touched, "there is something to do");
	CHECK(fc_vnet_here(&b.v, &hop) == FC_HOP_NOT, "taken twice");
	at_rest();
}

TEST(vnet_here__sets_timers)
{
	struct fc_vhop hop;
	struct fc_rx *rx;

	setup("line:3", 1, 8, 8);
	hop = hop_from(0, 1);
	rx = &b.rx[hop.class][hop.port];
	CHECK(here_timed(hop, FC_HOP_GONE), "the first one");
	CHECK(rx->ack_at == 1000 + b.timing.ack_delay, "the peer hears nothing");
	CHECK(b.v.next_at == 1000 + b.timing.ack_delay, "due at %llu",
	      (unsigned long long)b.v.next_at);
	/* Three of eight flits; an ack is due after four, half of the window. */
	while (hop.seq < 2) {
		hop.seq++;
		CHECK(fc_vnet_here(&b.v, &hop) == FC_HOP_GONE, "flit %u", hop.seq);
	}
	hop.seq++;
	CHECK(here_timed(hop, FC_HOP_MORE), "half a window is told");
	CHECK(rx->acked == 4, "%u told", rx->acked);
}

TEST(vnet_start__sets_timers)
{
	u32 dst = 2;
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE], class = class_to(2), port = port_to(2);
	struct fc_vhop hop = { .head = head, .port = FC_PORT_LOCAL };

	setup("line:3", 1, 8, 8);
	make_head(head, 0, &dst, 1);
	hop.class = (u8)fc_vnet_injq(&b.v);
	hop.seq = fc_vnet_seq(&b.v, hop.class);
	CHECK(timed(hop, fc_vnet_start, FC_HOP_GONE), "untimely");
	CHECK(b.tx[class][port].poll_at == 1000 + b.timing.poll, "nobody asks");
	CHECK(b.v.next_at == 1000 + b.timing.poll, "due at %llu",
	      (unsigned long long)b.v.next_at);
	/* Once the timer runs, the fast path needs no time. */
	hop.class = (u8)fc_vnet_injq(&b.v);
	hop.seq = fc_vnet_seq(&b.v, hop.class);
	CHECK(fc_vnet_start(&b.v, &hop) == FC_HOP_GONE && hop.seq == 1 && hop.out_port == port,
	      "refused");
	at_rest();
}

/* All injection queues have packets for a link without credit: one for another link passes. */
TEST(vnet_start__passes_injqs)
{
	u32 dst = 3, i;
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE];
	struct fc_vhop hop = { .head = head, .port = FC_PORT_LOCAL };
	bool timed = false;

	setup("mesh:3x3", 4, 4, 4);
	while (own_to(5, 4))
		;
	CHECK(fc_vnet_injq(&b.v) < 0 && line_to(5)->packets == 1, "%u packets",
	      line_to(5)->packets);
	make_head(head, 0, &dst, 1);
	for (i = 0; i < b.v.injqs; i++) {
		hop.class = i;
		if (fc_vnet_start(&b.v, &hop) == FC_HOP_WHEN) {
			hop.now = 1000;
			timed = fc_vnet_hop_timed(&b.v, &hop) == FC_HOP_GONE;
		}
		CHECK(timed && hop.seq == i && hop.out_port == port_to(3), "lane %u: refused", i);
	}
	/* A packet for the busy link does not overtake the queued ones. */
	dst = 5;
	make_head(head, 0, &dst, 1);
	hop.class = 0;
	CHECK(fc_vnet_start(&b.v, &hop) == FC_HOP_NOT, "before those that wait");
	for (i = 0; i <= b.v.injqs; i++)
		ack(5, 4);
	CHECK(line_to(5)->packets == b.v.injqs + 1U, "%u packets", line_to(5)->packets);
	at_rest();
}

/* The fast path against the event path. */

#define STEPS		60

/* State after a step. */
struct state {
	struct fc_rx rx[CLASSES_MAX][NPORTS_MAX];
	struct fc_tx tx[CLASSES_MAX][NPORTS_MAX];
	struct line line[CLASSES_MAX][NPORTS_MAX];
	u64 stat[FC_STAT_COUNT];
	u64 next_at;
	u32 served;
};

static void note(struct state *state)
{
	u8 c;

	memset(state, 0, sizeof(*state));
	memcpy(state->rx, b.rx, sizeof(state->rx));
	memcpy(state->tx, b.tx, sizeof(state->tx));
	/* The switch does not use these. */
	for (c = 0; c < CLASSES_MAX; c++)
		memset(&state->tx[c][FC_PORT_LOCAL], 0, sizeof(state->tx[c][FC_PORT_LOCAL]));
	memcpy(state->line, b.line, sizeof(state->line));
	memcpy(state->stat, b.stat, sizeof(state->stat));
	state->next_at = b.v.next_at;
	state->served = b.served;
}

/* One random event of a switch in which no packet waits. */
static void step(u32 random, bool slowly)
{
	struct fc_event ev = { .type = FC_EV_STATUS }, time = { .type = FC_EV_TIME };
	u32 side = random & 2, dst = random >> 2 & 3 ? 2 - side : 1;
	u8 class;

	b.v.now += random >> 4 & 3;
	/* The fast path leaves due timers to the event path. */
	if (b.v.now >= b.v.next_at)
		event(0, &time);
	/* Other pending work disables the fast path. */
	if (slowly)
		b.v.touched |= 1;
	switch (random >> 8 & 7) {
	case 0:
		ack(side, line_to(side)->flits - line_to(side)->acked);
		break;
	case 1:
		class = class_from(side, 2 - side);
		ev.port = port_to(side);
		ev.flags = FC_STATUS_ACK_REQUEST;
		ev.seq = b.next[class][ev.port];
		ev.ack = b.line[class][ev.port].acked;
		event(class, &ev);
		break;
	case 2:
		own_to(side, 1);
		break;
	case 3:
		packet(class_from(side, dst), port_to(side), &dst, 1, 2 + (random >> 12) % 3, 0);
		break;
	default:
		packet(class_from(side, dst), port_to(side), &dst, 1, 1, 0);
	}
}

TEST(vnet_hop__as_step_by_step)
{
	static struct state quick[STEPS], state;
	u32 round, slowly, i, random = 0, seed = 1;

	for (round = 0; round < 1000; round++) {
		for (slowly = 0; slowly < 2; slowly++) {
			random = seed;
			setup("line:3", 1, round % 2 ? 8 : 4, 8);
			for (i = 0; i < STEPS; i++) {
				random = random * 1103515245 + 12345;
				step(random >> 8, slowly);
				if (!slowly) {
					note(&quick[i]);
					continue;
				}
				note(&state);
				CHECK(!memcmp(&state, &quick[i], sizeof(state)), "round %u, step %u",
				      round, i);
			}
		}
		seed = random;
	}
}
