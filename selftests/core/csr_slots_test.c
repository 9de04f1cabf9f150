// SPDX-License-Identifier: GPL-2.0
/*
 * Conflict sense routing in slots, on random networks that lose, duplicate and delay probes,
 * answers and packets.  The test compares the answers of the sites with a model that keeps slots in
 * plain arrays, and with the positions of the packets.
 *
 * A slot is a control interval, in which all probes and answers are delivered, after which every
 * packet that owns the slot crosses a link.  All sites have one clock: the slot's number.
 */
#include <stdlib.h>
#include <string.h>

#include "core/csr/csr.h"
#include "tap.h"

#define NODES		12
#define DEGREE_MAX	6
#define NPORTS		(DEGREE_MAX + 1)
#define ENTRIES		3
#define RES		(NPORTS * 64)
#define FRAMES		4096
#define PACKETS		2048
#define HORIZON		64
#define SLOTS		(2 * HORIZON)	/* slots of the model; index: number modulo SLOTS */

/* The model: for each link and slot, the owner and the sources of the packets that wait for it. */
struct owner {
	bool there;
	bool confirmed;
	struct fc_csr_id id;
	u64 c;		/* arrival time */
	u64 t;		/* the owner's slot */
	u8 in;
};

struct frame {
	u8 node;
	u8 port;		/* port of arrival */
	u64 at;			/* control interval */
	struct fc_csr_msg msg;
};

struct packet {
	bool alive;
	u8 src;
	u8 entry;
	u8 dst;
	u8 node;
	u32 number;
	u32 seq;		/* sequence number among the packets of its entry to its target */
	u64 arrival;		/* promised slot of arrival */
};

struct node {
	struct fc_csr c;
	struct fc_csr_link link[NPORTS];
	struct fc_csr_res res[RES];
	u8 peer[NPORTS];
	u8 peer_port[NPORTS];
	u8 degree;
	u8 next[NODES];			/* port towards each node */
	struct fc_csr_entry entry[ENTRIES];
	u8 dst[ENTRIES];
	u32 wait[ENTRIES];		/* control intervals until its next probe */
	u32 sent[ENTRIES][NODES];
	u64 floor[ENTRIES][NODES];
	struct owner owner[NPORTS][SLOTS];
	u32 number;
};

static struct world {
	struct node node[NODES];
	struct frame frame[FRAMES];
	struct packet packet[PACKETS];
	u32 got[NODES][ENTRIES][NODES];	/* by source, entry and target: last number received */
	u32 nframes;
	u16 k;
	u32 loss;		/* probes and answers lost, of 1000 */
	u32 doubled;
	u32 delayed;
	u32 data_loss;
	bool no_floor;		/* negative controls */
	bool no_lease;
	bool by_slot;
	u64 now;
	u32 accepted;
	u32 delivered;
	u32 lost;
	u32 late;
	u32 inversions;
	u32 leaked;
	u32 doubles;
	u32 waited_most;
} *w;

/*
 * Networks.
 */

static bool join(u8 a, u8 b)
{
	struct node *x = &w->node[a], *y = &w->node[b];

	if (a == b || x->degree == DEGREE_MAX || y->degree == DEGREE_MAX)
		return false;
	x->degree++;
	y->degree++;
	x->peer[x->degree] = b;
	x->peer_port[x->degree] = y->degree;
	y->peer[y->degree] = a;
	y->peer_port[y->degree] = x->degree;
	return true;
}

/* Shortest paths, one for each pair of nodes. */
static void route(u8 dst)
{
	u8 queue[NODES], n = 0, i, p;
	bool seen[NODES] = { false };

	queue[n++] = dst;
	seen[dst] = true;
	for (i = 0; i < n; i++) {
		const struct node *x = &w->node[queue[i]];

		for (p = 1; p <= x->degree; p++) {
			u8 peer = x->peer[p];

			if (seen[peer])
				continue;
			seen[peer] = true;
			w->node[peer].next[dst] = x->peer_port[p];
			queue[n++] = peer;
		}
	}
}

static void setup(u16 k)
{
	u8 i, p;

	w->k = k;
	/* Slot number 0 means none. */
	w->now = 1;
	for (i = 1; i < NODES; i++)
		while (!join(i, (u8)tap_random(i)))
			;
	for (i = 0; i < NODES; i++)
		join(i, (u8)tap_random(NODES));
	for (i = 0; i < NODES; i++) {
		struct node *x = &w->node[i];

		route(i);
		x->c.pool.res = x->res;
		x->c.pool.size = RES;
		x->c.link = x->link;
		x->c.nports = x->degree + 1;
		x->c.quota = RES;
		x->c.lease = HORIZON;
		x->c.horizon = HORIZON;
		for (p = 0; p <= x->degree; p++) {
			x->link[p].k = k;
			x->link[p].unit = 1;
		}
		fc_csr_init(&x->c);
	}
}

static bool start(void)
{
	w = calloc(1, sizeof(*w));
	return CHECK(w, "no memory");
}

static void stop(void)
{
	free(w);
	w = NULL;
}

/*
 * The model.
 */

static struct owner *slot_of(struct node *x, u8 port, u64 t)
{
	return &x->owner[port][t % SLOTS];
}

/* Number of buffers of a link that are in use in a slot. */
static u32 buffers(struct node *x, u8 port, u64 t)
{
	u32 n = 0;
	u64 s;

	for (s = t + 1; s <= w->now + HORIZON; s++) {
		const struct owner *o = slot_of(x, port, s);

		n += o->there && o->c <= t;
	}
	return n;
}

static struct owner *owner_of(struct node *x, u8 port, const struct fc_csr_id *id)
{
	u64 t;

	for (t = w->now; t <= w->now + HORIZON; t++) {
		struct owner *o = slot_of(x, port, t);

		if (o->there && o->id.site == id->site && o->id.number == id->number)
			return o;
	}
	return NULL;
}

/* Rule of the paper's section 2.  Return: the slot, or 0 if the probe is blocked. */
static u64 model_slot(struct node *x, u8 port, u64 c, u64 floor)
{
	u64 t;

	for (t = c; t < w->now + HORIZON; t++) {
		if (!slot_of(x, port, t)->there && t > floor)
			return t;
		if (buffers(x, port, t) >= x->link[port].k)
			return 0;
	}
	return 0;
}

/* Compare the tables of the model and of the code. */
static void compare(struct node *x)
{
	u32 n = 0, confirmed = 0;
	u8 p;
	u64 t;

	if (tap_random(8))
		return;
	for (p = 1; p <= x->degree; p++) {
		for (t = w->now; t <= w->now + HORIZON; t++) {
			n += slot_of(x, p, t)->there;
			confirmed += slot_of(x, p, t)->there && slot_of(x, p, t)->confirmed;
		}
	}
	CHECK(n == x->c.pool.used && confirmed == fc_csr_count(&x->c, FC_CSR_CONF) +
	      fc_csr_count(&x->c, FC_CSR_USED), "%u of %u confirmed, %u of %u in the model",
	      fc_csr_count(&x->c, FC_CSR_CONF), x->c.pool.used, confirmed, n);
}

/* Invariant I5. */
static void balance(const struct fc_csr *c)
{
	u64 out = c->stat[FC_CSR_SENT] + c->stat[FC_CSR_RELEASED] + c->stat[FC_CSR_LAPSED] +
		  c->stat[FC_CSR_ORPHANED];

	CHECK(c->stat[FC_CSR_RESERVED] == out + fc_csr_count(c, FC_CSR_TENT) +
	      fc_csr_count(c, FC_CSR_CONF), "reservations do not balance");
}

/*
 * The control interval.
 */

static void push(u8 from, u8 port, const struct fc_csr_msg *msg)
{
	const struct node *x = &w->node[from];
	u32 copies = tap_random(1000) < w->doubled ? 2 : 1;

	for (; copies; copies--) {
		if (tap_random(1000) < w->loss || w->nframes == FRAMES)
			continue;
		w->frame[w->nframes++] = (struct frame){
			.node = x->peer[port], .port = x->peer_port[port], .msg = *msg,
			.at = w->now + (tap_random(1000) < w->delayed ? 1 + tap_random(3) : 0),
		};
	}
}

static void release(u8 node, const struct fc_csr_answer *answer)
{
	struct fc_csr_msg msg = answer->msg;
	u32 rest;

	msg.type = FC_CSR_RELEASE;
	for (rest = answer->release; rest; rest &= rest - 1) {
		struct owner *o = owner_of(&w->node[node], (u8)fc_low(rest), &msg.id);

		if (o && o->id.attempt == msg.id.attempt)
			o->there = false;
		push(node, (u8)fc_low(rest), &msg);
	}
}

/* Process a probe at a node, and compare with the verdict of the model. */
static enum fc_csr_verdict probe(u8 node, u8 in, const struct fc_csr_msg *msg, u8 dst,
				 struct fc_csr_entry *e)
{
	struct node *x = &w->node[node];
	u8 out = node == dst ? 0 : x->next[dst];
	bool last = out && x->peer[out] == dst;
	u64 c = w->now + msg->lead, t = 0, floor = 0;
	struct fc_csr_leg leg = { .ports = fc_bit(out), .last = last };
	struct owner *o = out ? owner_of(x, out, &msg->id) : NULL;
	struct fc_csr_answer answer;
	enum fc_csr_verdict verdict;
	bool again = o && o->id.attempt == msg->id.attempt;

	if (out && (!o || fc_before(o->id.attempt, msg->id.attempt))) {
		if (o)
			o->there = false;
		/* Distance to slot zero of the source. */
		if (last && msg->floor)
			floor = c - msg->span + msg->floor - 1;
		t = model_slot(x, out, c, floor);
	} else if (again) {
		t = o->t;
	}
	if (e)
		verdict = fc_csr_entry_try(e, &x->c, 1, w->now, &leg, 1, false, w->now, &answer);
	else
		verdict = fc_csr_probe(&x->c, in, msg, &leg, !!out, !out, w->now, &answer);
	release(node, &answer);
	switch (verdict) {
	case FC_CSR_PASS:
		CHECK(w->now + leg.msg.lead == t + 1, "slot %u, not %u",
		      (u32)(w->now + leg.msg.lead - 1), (u32)t);
		if (!again)
			*slot_of(x, out, t) = (struct owner){
				.there = true, .id = leg.msg.id, .c = c, .t = t, .in = in,
			};
		push(node, out, &leg.msg);
		break;
	case FC_CSR_BLOCK:
		CHECK(out && !t, "blocked, and slot %u is free", (u32)t);
		if (in)
			push(node, in, &answer.msg);
		break;
	case FC_CSR_HERE:
		CHECK(!out, "it has not come to its target");
		push(node, in, &answer.msg);
		break;
	case FC_CSR_DROP:
		break;
	}
	compare(x);
	return verdict;
}

static void accept(u8 node, u8 entry)
{
	struct node *x = &w->node[node];
	struct fc_csr_entry *e = &x->entry[entry];
	u8 dst = x->dst[entry], at = node;
	u32 i;

	/* Invariant I6. */
	for (i = 0; at != dst; i++) {
		struct node *y = &w->node[at];

		u32 next_hops = fc_csr_next_hops(&y->c, node, e->id.number);

		if (!CHECK(w->by_slot || next_hops == fc_bit(y->next[dst]),
			   "accepted, and not confirmed at hop %u", i))
			break;
		at = y->peer[y->next[dst]];
	}
	for (i = 0; i < PACKETS && w->packet[i].alive; i++)
		;
	if (!CHECK(i < PACKETS, "too many packets"))
		return;
	w->packet[i] = (struct packet){
		.alive = true, .src = node, .entry = entry, .dst = dst, .node = node,
		.number = e->id.number, .seq = ++x->sent[entry][dst], .arrival = e->arrival,
	};
	x->floor[entry][dst] = e->arrival;
	e->state = FC_CSR_EMPTY;
	w->accepted++;
}

/* The model matches an answer by attempt or, in a negative control, by slot alone. */
static void model_answer(struct node *x, u8 port, const struct fc_csr_msg *msg)
{
	struct owner *o;
	u8 p;

	for (p = 1; p <= x->degree; p++) {
		o = owner_of(x, p, &msg->id);
		if (!o || o->id.attempt != msg->id.attempt)
			continue;
		if (msg->type == FC_CSR_ACK && p == port)
			o->confirmed = true;
		else if ((msg->type == FC_CSR_NACK && p == port && !o->confirmed) ||
			 (msg->type == FC_CSR_RELEASE && o->in == port))
			o->there = false;
	}
}

/* Negative control: a NACK frees the next slot in use, regardless of its owner. */
static void free_by_slot(struct node *x, u8 port)
{
	u16 i = x->link[port].first;

	if (i == FC_CSR_NONE || x->res[i].state == FC_CSR_USED)
		return;
	slot_of(x, port, x->res[i].at)->there = false;
	x->c.held[x->res[i].in]--;
	fc_csr_list_del(&x->c.pool, &x->link[port], i);
}

static void answered(const struct frame *f)
{
	struct node *x = &w->node[f->node];
	struct fc_csr_answer answer;
	enum fc_csr_verdict verdict;
	u8 e;

	model_answer(x, f->port, &f->msg);
	verdict = fc_csr_answered(&x->c, f->port, &f->msg, w->now, &answer);
	if (w->by_slot && f->msg.type == FC_CSR_NACK && verdict == FC_CSR_DROP)
		free_by_slot(x, f->port);
	release(f->node, &answer);
	if (verdict == FC_CSR_PASS)
		push(f->node, answer.port, &answer.msg);
	for (e = 0; e < ENTRIES && verdict == FC_CSR_HERE; e++)
		if (fc_csr_entry_receive(&x->entry[e], &answer.msg) &&
		    x->entry[e].state == FC_CSR_ACCEPTED)
			accept(f->node, e);
	if (!w->by_slot)
		compare(x);
}

/* Return: the target of a packet, which its number encodes. */
static u8 dst_of(const struct fc_csr_id *id)
{
	return (u8)(id->number % NODES);
}

static void begin(u8 node, u8 entry)
{
	struct node *x = &w->node[node];
	struct fc_csr_entry *e = &x->entry[entry];
	struct fc_csr_msg msg = { .type = FC_CSR_PROBE };

	if (e->state == FC_CSR_EMPTY) {
		u8 dst = (u8)((node + 1 + tap_random(NODES - 1)) % NODES);

		x->dst[entry] = dst;
		x->number = (x->number / NODES + 1) * NODES + dst;
		fc_csr_entry_fill(e, node, x->number,
				  w->no_floor ? 0 : x->floor[entry][dst]);
		x->wait[entry] = 0;
	}
	if (x->wait[entry]) {
		x->wait[entry]--;
		return;
	}
	msg.id = e->id;
	msg.id.attempt++;
	msg.floor = e->floor > w->now ? e->floor - w->now : 0;
	probe(node, FC_PORT_LOCAL, &msg, x->dst[entry], e);
	if (e->failed > w->waited_most)
		w->waited_most = e->failed;
	/* General networks can deadlock if all sources send probes at all times. */
	if (e->failed > 8)
		x->wait[entry] = tap_random(4);
}

static void control(void)
{
	u32 i, n, e;

	n = tap_random(NODES);
	for (i = 0; i < NODES; i++)
		for (e = 0; e < ENTRIES; e++)
			begin((u8)((i + n) % NODES), (u8)e);
	for (;;) {
		struct frame f;

		/* Deliver frames in any order; delayed frames arrive in a later interval. */
		for (n = 0, i = 0; i < w->nframes; i++)
			n += w->frame[i].at <= w->now;
		if (!n)
			break;
		n = tap_random(n);
		for (i = 0; w->frame[i].at > w->now || n--; i++)
			;
		f = w->frame[i];
		w->frame[i] = w->frame[--w->nframes];
		if (f.msg.type == FC_CSR_PROBE)
			probe(f.node, f.port, &f.msg, dst_of(&f.msg.id), NULL);
		else
			answered(&f);
	}
	for (i = 0; i < NODES; i++) {
		struct node *x = &w->node[i];
		u32 p, t;

		if (!w->no_lease)
			fc_csr_control_end(&x->c);
		/* Invariant I7. */
		w->leaked += fc_csr_count(&x->c, FC_CSR_TENT);
		for (p = 1; p <= x->degree; p++)
			for (t = 0; t < SLOTS && !w->no_lease; t++)
				if (!x->owner[p][t].confirmed)
					x->owner[p][t].there = false;
		if (w->by_slot)
			continue;
		compare(x);
		balance(&x->c);
	}
}

/*
 * Packets.
 */

static void arrive(struct packet *p)
{
	u32 *got = &w->got[p->src][p->entry][p->dst];

	p->alive = false;
	w->delivered++;
	/* Invariant I3: the packet arrives in the promised slot. */
	CHECK(w->by_slot || p->arrival == w->now + 1, "promised for %u", (u32)p->arrival);
	/* Invariant I4. */
	w->inversions += fc_before(p->seq, *got);
	if (fc_before(*got, p->seq))
		*got = p->seq;
}

static void transmit(void)
{
	static bool busy[NODES][NPORTS];
	u32 stored[NODES][NPORTS] = { { 0 } };
	static bool go[PACKETS];
	u64 at = 0;
	u32 i;

	memset(busy, 0, sizeof(busy));
	memset(go, 0, sizeof(go));
	for (i = 0; i < PACKETS; i++) {
		struct packet *p = &w->packet[i];
		struct node *x = &w->node[p->node];
		const struct owner *o;
		u8 port;

		if (!p->alive)
			continue;
		port = x->next[p->dst];
		/* Accepted packets of this node occupy the same buffers. */
		stored[p->node][port]++;
		switch (fc_csr_turn(&x->c, p->src, p->number, port, w->now, &at)) {
		case FC_CSR_WAIT:
			break;
		case FC_CSR_GO:
			go[i] = true;
			/* Invariant I1. */
			w->doubles += busy[p->node][port];
			busy[p->node][port] = true;
			o = slot_of(x, port, w->now);
			CHECK(w->by_slot || (o->there && o->confirmed && o->id.site == p->src &&
					     o->id.number == p->number), "another one's slot");
			fc_csr_sent(&x->c, p->src, p->number, port, w->now);
			break;
		case FC_CSR_TOO_LATE:
			w->late++;
			p->alive = false;
			break;
		}
	}
	for (i = 0; i < PACKETS; i++) {
		struct packet *p = &w->packet[i];
		struct node *x = &w->node[p->node];
		u8 port;

		if (!p->alive)
			continue;
		port = x->next[p->dst];
		/* Invariant I2. */
		CHECK(w->by_slot || stored[p->node][port] <= w->k + 1U,
		      "%u packets in %u buffers", stored[p->node][port], w->k);
		if (!go[i])
			continue;
		p->node = x->peer[port];
		if (tap_random(1000) < w->data_loss) {
			p->alive = false;
			w->lost++;
		} else if (p->node == p->dst) {
			arrive(p);
		}
	}
	/* The sites themselves check invariant I1, too. */
	for (i = 0; i < NODES; i++)
		CHECK(!w->node[i].c.stat[FC_CSR_DOUBLE], "a link has two at once");
}

static void slot_end(void)
{
	u32 i, p;

	for (i = 0; i < NODES; i++) {
		struct node *x = &w->node[i];

		fc_csr_time(&x->c, w->now + 1);
		for (p = 1; p <= x->degree; p++)
			slot_of(x, (u8)p, w->now)->there = false;
	}
	w->now++;
}

static void run(u32 slots)
{
	u64 end = w->now + slots;

	while (w->now < end) {
		control();
		transmit();
		slot_end();
	}
}

/* Run without new packets: invariant I10. */
static void drain(void)
{
	u32 i, left = 0;

	w->nframes = 0;
	for (i = 0; i < HORIZON; i++) {
		transmit();
		slot_end();
	}
	for (i = 0; i < NODES; i++) {
		balance(&w->node[i].c);
		left += w->node[i].c.pool.used;
	}
	CHECK(!left, "%u reservations are left", left);
	CHECK(w->accepted == w->delivered + w->lost + w->late, "%u of %u delivered", w->delivered,
	      w->accepted);
}

/*
 * Tests.
 */

static const u16 ks[] = { 0, 1, 2, 4, 8 };

TEST(csr_slots__nothing_lost_nothing_wasted)
{
	u32 i, n, orphaned, unused;

	for (i = 0; i < FC_ARRAY_SIZE(ks); i++) {
		if (!start())
			return;
		setup(ks[i]);
		run(TAP_ROUNDS(250));
		drain();
		CHECK(w->accepted > TAP_ROUNDS(250) * NODES / 4, "k %u: %u accepted", ks[i],
		      w->accepted);
		CHECK(!w->late && !w->doubles && !w->inversions && !w->leaked,
		      "k %u: %u late, %u doubled, %u inverted, %u leaked", ks[i], w->late,
		      w->doubles, w->inversions, w->leaked);
		for (n = 0, orphaned = 0, unused = 0; n < NODES; n++) {
			orphaned += (u32)w->node[n].c.stat[FC_CSR_ORPHANED];
			unused += (u32)w->node[n].c.stat[FC_CSR_LAPSED];
		}
		/* Invariant I5: no reserved slot stays unused. */
		CHECK(!orphaned && !unused, "k %u: %u orphaned, %u lapsed", ks[i], orphaned,
		      unused);
		stop();
	}
}

static void lossy(u32 loss, u32 doubled, u32 delayed, u32 data)
{
	u32 i;

	for (i = 0; i < FC_ARRAY_SIZE(ks); i++) {
		if (!start())
			return;
		setup(ks[i]);
		w->loss = loss;
		w->doubled = doubled;
		w->delayed = delayed;
		w->data_loss = data;
		run(TAP_ROUNDS(250));
		drain();
		CHECK(w->accepted > TAP_ROUNDS(250) * NODES / 8, "k %u: %u accepted", ks[i],
		      w->accepted);
		CHECK(!w->late && !w->doubles && !w->inversions && !w->leaked,
		      "k %u: %u late, %u doubled, %u inverted, %u leaked", ks[i], w->late,
		      w->doubles, w->inversions, w->leaked);
		stop();
	}
}

TEST(csr_slots__with_little_loss)
{
	lossy(10, 10, 10, 10);
}

TEST(csr_slots__with_much_loss)
{
	lossy(100, 100, 100, 10);
}

/* Negative controls: without any one of these rules the test above fails. */

TEST(csr_slots__without_floor_packets_overtake)
{
	u32 i, inversions = 0;

	for (i = 0; i < 6; i++) {
		if (!start())
			return;
		setup(4);
		w->loss = 20;
		w->no_floor = true;
		run(TAP_ROUNDS(250));
		drain();
		inversions += w->inversions;
		stop();
	}
	CHECK(inversions || TAP_ROUNDS(250) < 250, "none overtaken");
}

TEST(csr_slots__without_lease_reservations_leak)
{
	if (!start())
		return;
	setup(2);
	w->loss = 50;
	w->no_lease = true;
	run(TAP_ROUNDS(250));
	CHECK(w->leaked, "none leaked");
	stop();
}

TEST(csr_slots__freed_by_number_a_slot_is_anothers)
{
	if (!start())
		return;
	setup(2);
	w->doubled = 100;
	w->delayed = 100;
	w->by_slot = true;
	run(TAP_ROUNDS(250));
	CHECK(w->late, "none late");
	stop();
}
