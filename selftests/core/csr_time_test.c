// SPDX-License-Identifier: GPL-2.0
/*
 * Conflict sense routing by events: each site has its own clock, which drifts; frames have varying
 * delays, and packets leave a little after their windows begin.  With a guard that covers the sum
 * of these errors, no packet is late and no link has two packets at once; with a smaller guard,
 * packets are late.  The sites form a hypercube, and packets cross its dimensions in order.
 */
#include <stdlib.h>
#include <string.h>

#include "core/csr/csr.h"
#include "tap.h"

#define DIMS		3
#define NODES		(1 << DIMS)
#define NPORTS		(DIMS + 1)
#define RES		256
#define EVENTS		4096

/* Times in tenths of a microsecond: transmission time of a packet, timing errors, and others. */
#define TX		1000
#define JITTER		300	/* variation of a departure */
#define STAMP		20	/* error of a time stamp */
#define PROPAGATION	40	/* delay of a link */
#define WOBBLE		50	/* variation of that delay */
#define DRIFT		10000	/* clock drift: at most one in this number */
#define HORIZON		60000
/* A departure, a delay relative to that of the probe, two time stamps, drift until the horizon. */
#define GUARD		(JITTER + WOBBLE + 2 * STAMP + HORIZON / DRIFT)

struct event {
	enum { NOTHING, FRAME, DATA, TURN, BEGIN } type;
	u8 node;
	u8 port;
	u64 at;			/* true time */
	u8 src;
	u8 dst;
	u32 number;
	u64 arrival;		/* promised time, by the source's clock */
	struct fc_csr_msg msg;
};

static struct world {
	struct {
		struct fc_csr c;
		struct fc_csr_link link[NPORTS];
		struct fc_csr_res res[RES];
		struct fc_csr_entry entry;
		u8 dst;
		u32 number;
		u64 floor[NODES];
		u32 got[NODES];
		u64 offset;
		s32 drift;		/* clock drift, in units of 1 / (DRIFT * 100) */
		u64 busy[NPORTS];	/* true time until which a packet occupies the link */
	} node[NODES];
	struct event event[EVENTS];
	u64 now;
	u64 end;
	u32 accepted;
	u32 delivered;
	u32 late;
	u32 overlaps;
	u32 inversions;
	u32 off_most;		/* largest difference from a promise */
} *w;

/* Return: the clock of a node at true time @t. */
static u64 clock_of(u8 node, u64 t)
{
	u32 thousands = (u32)(t >> 10);

	s64 wrong = (s64)w->node[node].drift * (s32)thousands * 1024 / (DRIFT * 100);

	return t + w->node[node].offset + (u64)wrong;
}

static u64 stamp(u8 node)
{
	return clock_of(node, w->now) + tap_random(STAMP + 1);
}

static void post(struct event ev)
{
	u32 i;

	for (i = 0; i < EVENTS && w->event[i].type != NOTHING; i++)
		;
	if (CHECK(i < EVENTS, "too many events"))
		w->event[i] = ev;
}

static u64 travel(void)
{
	return w->now + PROPAGATION + tap_random(WOBBLE + 1);
}

static u8 out_of(u8 node, u8 dst)
{
	return node == dst ? 0 : (u8)(fc_low(node ^ dst) + 1);
}

static void send(u8 node, u8 port, const struct fc_csr_msg *msg, u8 dst)
{
	struct event ev = {
		.type = FRAME, .node = node ^ (u8)(1 << (port - 1)), .port = port,
		.at = travel(), .msg = *msg, .dst = dst,
	};

	post(ev);
}

static void release(u8 node, const struct fc_csr_answer *answer)
{
	struct fc_csr_msg msg = answer->msg;
	u32 rest;

	msg.type = FC_CSR_RELEASE;
	for (rest = answer->release; rest; rest &= rest - 1)
		send(node, (u8)fc_low(rest), &msg, 0);
}

/* A packet at a node waits for its window, is in it, or has missed it. */
static void turn(struct event ev)
{
	u8 port = out_of(ev.node, ev.dst);
	struct fc_csr *c = &w->node[ev.node].c;
	u64 local = clock_of(ev.node, w->now), at;

	switch (fc_csr_turn(c, ev.src, ev.number, port, local, &at)) {
	case FC_CSR_WAIT:
		ev.type = TURN;
		ev.at = w->now + (at - local) + tap_random(JITTER);
		post(ev);
		break;
	case FC_CSR_GO:
		fc_csr_sent(c, ev.src, ev.number, port, local);
		w->overlaps += w->now < w->node[ev.node].busy[port];
		w->node[ev.node].busy[port] = w->now + TX;
		ev.type = DATA;
		ev.at = travel() + TX;
		ev.node ^= (u8)(1 << (port - 1));
		post(ev);
		break;
	case FC_CSR_TOO_LATE:
		w->late++;
		fc_csr_late(c);
		break;
	}
}

static void data(struct event ev)
{
	u64 local, off;

	if (ev.node != ev.dst) {
		turn(ev);
		return;
	}
	w->delivered++;
	w->inversions += fc_before(ev.number, w->node[ev.dst].got[ev.src]);
	w->node[ev.dst].got[ev.src] = ev.number;
	local = clock_of(ev.src, w->now);
	off = local > ev.arrival ? local - ev.arrival : ev.arrival - local;
	if (off > w->off_most)
		w->off_most = (u32)off;
}

static void begin(u8 node)
{
	struct fc_csr_entry *e = &w->node[node].entry;
	struct fc_csr_answer answer;
	struct fc_csr_leg leg;
	u64 now = stamp(node);
	u8 dst;

	if (e->state != FC_CSR_PENDING) {
		dst = (u8)((node + 1 + tap_random(NODES - 1)) % NODES);
		w->node[node].dst = dst;
		fc_csr_entry_fill(e, node, ++w->node[node].number, w->node[node].floor[dst]);
	}
	dst = w->node[node].dst;
	leg = (struct fc_csr_leg){ .ports = fc_bit(out_of(node, dst)),
				   .last = (node ^ dst) == 1 << (out_of(node, dst) - 1) };
	if (fc_csr_entry_try(e, &w->node[node].c, 1, now + 2 * DIMS * 150, &leg, 1, false, now,
			     &answer) == FC_CSR_PASS)
		send(node, leg.port, &leg.msg, dst);
	release(node, &answer);
	/* The node sends the next probe in any case. */
	post((struct event){ .type = BEGIN, .node = node, .at = w->now + 1000 + tap_random(500) });
}

static void frame(const struct event *ev)
{
	struct fc_csr *c = &w->node[ev->node].c;
	struct fc_csr_entry *e = &w->node[ev->node].entry;
	u8 out = out_of(ev->node, ev->dst);
	struct fc_csr_leg leg = { .ports = fc_bit(out),
				  .last = out && (ev->node ^ ev->dst) == 1 << (out - 1) };
	struct fc_csr_answer answer;
	enum fc_csr_verdict verdict;
	u64 now = stamp(ev->node);

	if (ev->msg.type == FC_CSR_PROBE) {
		verdict = fc_csr_probe(c, ev->port, &ev->msg, &leg, !!out, !out, now, &answer);
		if (verdict == FC_CSR_PASS)
			send(ev->node, leg.port, &leg.msg, ev->dst);
		else if (verdict != FC_CSR_DROP)
			send(ev->node, ev->port, &answer.msg, 0);
		release(ev->node, &answer);
		return;
	}
	verdict = fc_csr_answered(c, ev->port, &ev->msg, now, &answer);
	release(ev->node, &answer);
	if (verdict == FC_CSR_PASS)
		send(ev->node, answer.port, &answer.msg, 0);
	if (verdict == FC_CSR_HERE && fc_csr_entry_receive(e, &answer.msg) &&
	    e->state == FC_CSR_ACCEPTED) {
		struct event packet = {
			.node = ev->node, .src = ev->node, .number = e->id.number,
			.dst = w->node[ev->node].dst, .arrival = e->arrival,
		};

		w->accepted++;
		w->node[ev->node].floor[packet.dst] = e->arrival;
		turn(packet);
		e->state = FC_CSR_EMPTY;
	}
}

static bool step(void)
{
	struct event *first = NULL, ev;
	u32 i;

	for (i = 0; i < EVENTS; i++)
		if (w->event[i].type != NOTHING && (!first || w->event[i].at < first->at))
			first = &w->event[i];
	if (!first)
		return false;
	ev = *first;
	first->type = NOTHING;
	w->now = ev.at;
	switch (ev.type) {
	case NOTHING:
		break;
	case FRAME:
		frame(&ev);
		break;
	case DATA:
		data(ev);
		break;
	case TURN:
		turn(ev);
		break;
	case BEGIN:
		if (w->now < w->end)
			begin(ev.node);
		break;
	}
	return true;
}

static bool run(u64 guard, u32 rounds)
{
	u32 i, p, left = 0;

	w = calloc(1, sizeof(*w));
	if (!CHECK(w, "no memory"))
		return false;
	w->end = (u64)rounds * TX;
	for (i = 0; i < NODES; i++) {
		struct fc_csr *c = &w->node[i].c;

		c->pool.res = w->node[i].res;
		c->pool.size = RES;
		c->link = w->node[i].link;
		c->nports = NPORTS;
		c->quota = RES;
		c->lease = 20 * TX;
		c->horizon = HORIZON;
		for (p = 0; p < NPORTS; p++) {
			c->link[p].k = 4;
			c->link[p].unit = TX;
			c->link[p].guard = guard;
		}
		fc_csr_init(c);
		w->node[i].offset = (u64)tap_random(1U << 30) << 8;
		w->node[i].drift = (s32)tap_random(201) - 100;
		post((struct event){ .type = BEGIN, .node = (u8)i, .at = tap_random(TX) });
	}
	while (step())
		;
	for (i = 0; i < NODES; i++) {
		fc_csr_time(&w->node[i].c, clock_of((u8)i, w->now) + HORIZON);
		left += w->node[i].c.pool.used;
	}
	CHECK(!left, "%u reservations are left", left);
	return true;
}

TEST(csr_time__with_its_guard_nothing_is_late)
{
	if (!run(GUARD, TAP_ROUNDS(2000)))
		return;
	CHECK(w->accepted > TAP_ROUNDS(2000), "%u accepted", w->accepted);
	CHECK(w->delivered == w->accepted, "%u of %u", w->delivered, w->accepted);
	CHECK(!w->late && !w->overlaps && !w->inversions, "%u late, %u at once, %u inverted",
	      w->late, w->overlaps, w->inversions);
	/*
	 * Promise and arrival differ at most by the guard and, per hop, by delay, variation and
	 * time stamp.
	 */
	CHECK(w->off_most < DIMS * (PROPAGATION + WOBBLE + STAMP) + 2 * GUARD, "off by %u",
	      w->off_most);
	free(w);
}

/* Negative control: without a guard the test above detects late packets. */
TEST(csr_time__without_guard_packets_are_late)
{
	if (!run(0, TAP_ROUNDS(2000)))
		return;
	CHECK(w->late && w->delivered + w->late == w->accepted, "%u of %u, %u late", w->delivered,
	      w->accepted, w->late);
	free(w);
}

/* The guard is shorter than the variation of departures: packets collide. */
TEST(csr_time__with_little_guard_packets_are_late)
{
	if (!run(JITTER / 2, TAP_ROUNDS(2000)))
		return;
	CHECK(w->late, "none late");
	free(w);
}
