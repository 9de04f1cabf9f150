// SPDX-License-Identifier: GPL-2.0
/*
 * End to end, driven by the fuzzer's input: either one flow over a channel that loses, duplicates
 * and reorders packets, or one end against a peer that sends any frames that the wire format
 * allows.  The oracle records the messages of each side: the target receives every message once,
 * whole and in order; each admitted message is released once; no index is out of bounds.
 */
#include <stdlib.h>
#include <string.h>

#include "core/ends/ends.h"
#include "fuzz.h"

#define MESSAGES	64
#define PACKETS_MAX	256
#define CHANNEL		32
/* Rounds of the final phase, with a channel without loss; many times the number that it needs. */
#define ROUNDS		200000

struct sent {
	struct fc_txtarget tx;
	bool stored[PACKETS_MAX];
	u32 nstored;
	bool delivered;
	bool given_up;
	bool skipped;
};

struct packet {
	u32 message;
	u16 packet;
	u8 outstanding;
};

struct bench {
	struct sent msg[MESSAGES];
	u32 n;			/* messages begun */
	u32 next;		/* next message to be delivered, except for aborted ones */
	u32 first_seq;
	struct fc_txflow tx;
	struct fc_rxflow rx;
	struct packet data[CHANNEL];
	u32 ndata;
	struct fc_ctrl ctrl[CHANNEL];
	u32 nctrl;
	bool full;		/* the reader has no buffer space */
	bool grant_due;
	u32 room_seq;
};

/*
 * A flow.
 */

static void move_window(struct bench *b)
{
	while (b->tx.oldest != b->tx.next &&
	       fc_txtarget_completed(&b->msg[b->tx.oldest - b->first_seq].tx))
		b->tx.oldest++;
}

static void begin(struct bench *b, struct fuzz *f)
{
	u8 how = fuzz_u8(f);
	u32 packets = how & 128 ? 1 + how % 127 : 1 + how % 4;
	u32 msg_len = packets * FC_PACKET_MAX - (how & 3) * 1000;
	u32 off = how & 64 ? msg_len / 3 : 0;
	struct sent *m;

	if (b->n == MESSAGES || b->tx.next - b->tx.oldest >= FC_FLOW_WINDOW + 4)
		return;
	m = &b->msg[b->n++];
	m->tx.part = fc_part_make(msg_len, off, how & 32 ? (msg_len - off) / 2 : 0);
	m->tx.seq = b->tx.next++;
	m->tx.state = FC_TX_ASKING;
}

static void check_tx(const struct fc_txtarget *t, const struct fc_txflow *flow)
{
	int next = fc_txtarget_next(t, flow);

	CHECK(t->state <= FC_TX_FAILED, "state %u", t->state);
	CHECK(t->base <= t->part.count && t->sent <= t->part.count, "base %u, sent %u of %u",
	      t->base, t->sent, t->part.count);
	CHECK(next == -1 || (next >= t->part.first && next < t->part.first + t->part.count),
	      "packet %d of %u+%u", next, t->part.first, t->part.count);
	CHECK(next == -1 || (!fc_txtarget_completed(t) && t->state != FC_TX_NO_SPACE),
	      "packet %d in state %u", next, t->state);
	CHECK(next == -1 || t->state != FC_TX_ASKING || next == t->part.first,
	      "packet %d before the grant", next);
	CHECK(next == -1 || t->seq - flow->oldest < FC_FLOW_WINDOW, "beyond the window");
}

static void send(struct bench *b, u32 i)
{
	struct sent *m = &b->msg[i];
	struct packet p = { .message = i, .outstanding = (u8)(m->tx.seq - b->tx.oldest) };
	int next = fc_txtarget_next(&m->tx, &b->tx);

	check_tx(&m->tx, &b->tx);
	if (next < 0 || b->ndata == CHANNEL)
		return;
	CHECK(m->tx.seq - b->tx.oldest < FC_FLOW_WINDOW, "message %u is beyond the window", i);
	fc_txtarget_sent(&m->tx, next);
	CHECK(!fc_txtarget_unsent(&m->tx), "packet %d is sent", next);
	p.packet = (u16)next;
	b->data[b->ndata++] = p;
}

static void confirm(struct bench *b, u32 seq, u8 kind)
{
	struct fc_ctrl c = { .kind = kind };

	fc_rxflow_confirm(&b->rx, seq, &c);
	CHECK(c.seq == seq && c.next == b->rx.next, "%u %u", c.seq, c.next);
	if (b->nctrl < CHANNEL)
		b->ctrl[b->nctrl++] = c;
}

static void skip(void *arg, struct fc_rxmsg *rx)
{
	struct bench *b = arg;
	struct sent *m = rx->h;

	CHECK(m->given_up, "message %u was skipped", (u32)(m - b->msg));
	CHECK(!m->skipped && !m->delivered, "message %u was skipped again", (u32)(m - b->msg));
	m->skipped = true;
}

static void deliver(struct bench *b)
{
	struct fc_rxmsg *rx;

	while ((rx = fc_rxflow_ready(&b->rx))) {
		struct sent *m = rx->h;
		u32 i = (u32)(m - b->msg);

		CHECK(m->tx.seq == b->rx.next, "message %u out of order", i);
		CHECK(!m->delivered && !m->skipped, "message %u again", i);
		CHECK(m->nstored == m->tx.part.count, "message %u: %u of %u packets", i,
		      m->nstored, m->tx.part.count);
		for (; b->next < i; b->next++)
			CHECK(b->msg[b->next].given_up || b->msg[b->next].delivered,
			      "message %u before %u", i, b->next);
		m->delivered = true;
		fc_rxflow_delivered(&b->rx, rx);
	}
}

static void receive(struct bench *b, const struct packet *p)
{
	struct sent *m = &b->msg[p->message];
	struct fc_target t = { .seq = m->tx.seq, .outstanding = p->outstanding };
	u16 index = p->packet - m->tx.part.first;
	struct fc_rxmsg *slot;
	enum fc_rx_verdict verdict;

	verdict = fc_rxflow_packet(&b->rx, &t, &m->tx.part, p->packet, &slot, skip, b);
	deliver(b);
	switch (verdict) {
	case FC_RX_ADMIT:
		CHECK(!m->nstored || m->given_up, "message %u is admitted again", p->message);
		if (b->full) {
			b->grant_due = true;
			b->room_seq = t.seq;
			confirm(b, t.seq, FC_CTRL_NO_SPACE);
			return;
		}
		fc_rxflow_admit(&b->rx, slot, &t, &m->tx.part, m);
		__attribute__((fallthrough));
	case FC_RX_TAKE:
		CHECK(!m->stored[index], "message %u: packet %u twice", p->message, index);
		m->stored[index] = true;
		m->nstored++;
		CHECK(fc_rxmsg_stored(slot, index) == (m->nstored == m->tx.part.count),
		      "message %u: complete with %u of %u", p->message, m->nstored,
		      m->tx.part.count);
		deliver(b);
		break;
	case FC_RX_DUPLICATE:
		CHECK(m->stored[index] || m->given_up, "message %u: packet %u was never here",
		      p->message, index);
		break;
	case FC_RX_BAD:
		return;
	}
	confirm(b, t.seq, FC_CTRL_CONFIRM);
}

static void answer(struct bench *b, const struct fc_ctrl *c)
{
	for (u32 i = b->tx.oldest - b->first_seq; i < b->n; i++) {
		struct sent *m = &b->msg[i];

		if (fc_txtarget_completed(&m->tx))
			continue;
		fc_txtarget_answer(&m->tx, c);
		check_tx(&m->tx, &b->tx);
		CHECK(m->tx.state != FC_TX_DONE || m->delivered,
		      "message %u is confirmed but was not delivered", i);
		for (u32 p = 0; p < m->tx.base; p++)
			CHECK(m->stored[p], "message %u: packet %u is confirmed", i, p);
		for (u32 p = 0; p < 64; p++)
			CHECK(!(m->tx.have >> p & 1) || m->stored[m->tx.base + p],
			      "message %u: packet %u is confirmed", i, m->tx.base + p);
	}
	move_window(b);
}

/* Deliver packet @which of the channel; the channel keeps it if @twice. */
static void arrive(struct bench *b, u32 which, bool twice)
{
	struct packet p = b->data[which];

	if (!twice)
		memmove(&b->data[which], &b->data[which + 1],
			(--b->ndata - which) * sizeof(p));
	receive(b, &p);
}

static void arrive_ctrl(struct bench *b, u32 which, bool twice)
{
	struct fc_ctrl c = b->ctrl[which];

	if (!twice)
		memmove(&b->ctrl[which], &b->ctrl[which + 1],
			(--b->nctrl - which) * sizeof(c));
	answer(b, &c);
}

static void repeat(struct bench *b, u32 i)
{
	struct fc_txtarget *tx = &b->msg[i].tx;

	if (fc_txtarget_repeat(tx)) {
		/* The question arrives at once; its answer may be lost. */
		if (fc_before(tx->seq, b->rx.next) || fc_rxflow_holds(&b->rx, tx->seq))
			confirm(b, tx->seq, FC_CTRL_CONFIRM);
		else
			confirm(b, tx->seq, b->full ? FC_CTRL_NO_SPACE : FC_CTRL_GRANT);
		return;
	}
	CHECK(fc_txtarget_unsent(tx) == !fc_txtarget_completed(tx), "message %u: to be sent again?",
	      i);
}

static void give_up(struct bench *b, u32 i)
{
	if (fc_txtarget_completed(&b->msg[i].tx))
		return;
	b->msg[i].tx.state = FC_TX_FAILED;
	b->msg[i].given_up = true;
	move_window(b);
}

static void one_event(struct bench *b, struct fuzz *f)
{
	u8 what = fuzz_u8(f);
	u32 i = b->n ? b->tx.oldest - b->first_seq + (what >> 4) : 0;

	switch (what & 15) {
	case 0:
	case 1:
		begin(b, f);
		break;
	case 2:
	case 3:
	case 4:
		if (i < b->n)
			send(b, i);
		break;
	case 5:
	case 6:
	case 7:
		if (b->ndata)
			arrive(b, (what >> 4) % b->ndata, (what & 15) == 7);
		break;
	case 8:
	case 9:
	case 10:
		if (b->nctrl)
			arrive_ctrl(b, (what >> 4) % b->nctrl, (what & 15) == 10);
		break;
	case 11:
		/* The channel loses a packet. */
		if (what & 128 && b->ndata)
			b->ndata--;
		else if (b->nctrl)
			b->nctrl--;
		break;
	case 12:
		if (i < b->n)
			repeat(b, i);
		break;
	case 13:
		b->full = !b->full;
		if (!b->full && b->grant_due) {
			b->grant_due = false;
			confirm(b, b->room_seq, FC_CTRL_GRANT);
		}
		break;
	case 14:
		/* Send a packet of every message. */
		for (u32 k = 0; k < b->n; k++)
			send(b, k);
		break;
	case 15:
		if (what >> 4 == 15 && b->n)
			give_up(b, fuzz_below(f, b->n));
		break;
	}
}

/* Final phase: the channel loses nothing, and all messages are delivered. */
static void finish(struct bench *b)
{
	b->full = false;
	for (u32 round = 0; b->tx.oldest != b->tx.next; round++) {
		u32 before = b->tx.oldest;

		CHECK(round < ROUNDS, "hangs with message %u of %u", before - b->first_seq, b->n);
		for (u32 i = before - b->first_seq; i < b->n; i++) {
			send(b, i);
			if (!b->ndata && !b->nctrl)
				repeat(b, i);
		}
		while (b->ndata)
			arrive(b, 0, false);
		while (b->nctrl)
			arrive_ctrl(b, 0, false);
	}
	for (u32 i = 0; i < b->n; i++)
		CHECK(b->msg[i].delivered || b->msg[i].given_up, "message %u was lost", i);
}

static void fuzz_flow(struct fuzz *f)
{
	static struct bench b;

	memset(&b, 0, sizeof(b));
	b.first_seq = (fuzz_u8(f) & 1 ? 0xfffffff0 : 0) + fuzz_u8(f) % 16;
	b.tx.next = b.first_seq;
	b.tx.oldest = b.first_seq;
	while (fuzz_left(f))
		one_event(&b, f);
	finish(&b);
}

/* A receiver against a peer that sends any packets. */

struct admitted {
	bool here;
	u32 seq;
	struct fc_part part;
	u32 nstored;
	bool *stored;
};

struct receiver {
	struct fc_rxflow flow;
	struct admitted msg[FC_FLOW_WINDOW];
	u32 held;
};

static void forget(struct receiver *r, struct admitted *a)
{
	CHECK(a->here, "a message given back twice");
	free(a->stored);
	memset(a, 0, sizeof(*a));
	r->held--;
}

static void skip_any(void *arg, struct fc_rxmsg *msg)
{
	struct receiver *r = arg;
	struct admitted *a = msg->h;

	CHECK(a && a->seq == msg->seq, "message %u is not what was admitted", msg->seq);
	forget(r, a);
}

static void deliver_any(struct receiver *r)
{
	struct fc_rxmsg *msg;

	while ((msg = fc_rxflow_ready(&r->flow))) {
		struct admitted *a = msg->h;

		CHECK(a->here && a->seq == r->flow.next, "message %u out of order", a->seq);
		CHECK(a->nstored == a->part.count, "message %u with %u of %u", a->seq, a->nstored,
		      a->part.count);
		fc_rxflow_delivered(&r->flow, msg);
		forget(r, a);
	}
}

static void check_receiver(struct receiver *r)
{
	u32 held = 0;

	for (u32 i = 0; i < FC_FLOW_WINDOW; i++) {
		const struct fc_rxmsg *m = &r->flow.msg[i];

		if (m->state == FC_RX_EMPTY)
			continue;
		held++;
		CHECK(m->seq - r->flow.next < FC_FLOW_WINDOW && m->seq % FC_FLOW_WINDOW == i,
		      "message %u of %u in slot %u", m->seq, r->flow.next, i);
		CHECK(m->base <= m->count, "message %u: base %u of %u", m->seq, m->base, m->count);
		CHECK(fc_rxflow_holds(&r->flow, m->seq), "message %u is not held", m->seq);
	}
	CHECK(held == r->held, "%u messages held, not %u", held, r->held);
}

static void fuzz_receiver(struct fuzz *f)
{
	struct receiver r = { .held = 0 };

	while (fuzz_left(f)) {
		u8 how = fuzz_u8(f), outstanding = fuzz_u8(f);
		u32 before = r.flow.next;
		bool begun = r.flow.begun;
		struct fc_target t = { .outstanding = outstanding % FC_FLOW_WINDOW };
		struct fc_part part;
		struct fc_rxmsg *slot;
		enum fc_rx_verdict verdict;
		struct admitted *a = &r.msg[how % FC_FLOW_WINDOW];
		u16 packet, index;

		if (how & 64 && a->here) {
			/* Another packet of an admitted message. */
			t.seq = a->seq;
			part = a->part;
			packet = part.first + fuzz_u8(f) % part.count;
		} else {
			u32 packets = 1 + fuzz_u8(f) % 200;
			u32 msg_len = packets * FC_PACKET_MAX - (how & 1);

			t.seq = outstanding & 16 ? fuzz_u32(f) :
				r.flow.next + fuzz_below(f, 40) - 12;
			t.off = how & 32 ? msg_len / 2 : 0;
			part = fc_part_make(msg_len, t.off, outstanding & 32 ? 1 : 0);
			packet = fuzz_u8(f);
			CHECK(part.count && part.first + part.count <= packets, "%u+%u of %u",
			      part.first, part.count, packets);
		}
		index = packet - part.first;
		verdict = fc_rxflow_packet(&r.flow, &t, &part, packet, &slot, skip_any, &r);
		/* The next expected number must not decrease; numbers compare modulo 2^32. */
		CHECK(!begun || r.flow.next - before <= fc_bit(31), "from %u back to %u", before,
		      r.flow.next);
		switch (verdict) {
		case FC_RX_ADMIT:
			CHECK(slot && !fc_rxflow_holds(&r.flow, t.seq), "message %u: again", t.seq);
			deliver_any(&r);
			/* The receiver has no buffer space. */
			if (how & 128)
				break;
			a = &r.msg[t.seq % FC_FLOW_WINDOW];
			CHECK(!a->here, "message %u in the place of another", t.seq);
			*a = (struct admitted){ .here = true, .seq = t.seq, .part = part };
			a->stored = calloc(part.count, 1);
			if (!a->stored)
				abort();
			r.held++;
			fc_rxflow_admit(&r.flow, slot, &t, &part, a);
			goto take;
		case FC_RX_TAKE:
			deliver_any(&r);
take:
			CHECK(slot, "nowhere to take it");
			a = slot->h;
			CHECK(a->here && a->seq == t.seq && index < a->part.count &&
			      !a->stored[index], "message %u: packet %u twice", t.seq, index);
			a->stored[index] = true;
			a->nstored++;
			CHECK(fc_rxmsg_stored(slot, index) == (a->nstored == a->part.count),
			      "message %u: complete with %u of %u", t.seq, a->nstored,
			      a->part.count);
			break;
		case FC_RX_DUPLICATE:
			a = &r.msg[t.seq % FC_FLOW_WINDOW];
			CHECK(fc_before(t.seq, r.flow.next) ||
			      (a->here && a->seq == t.seq && a->stored[index]),
			      "message %u: packet %u was never here", t.seq, index);
			break;
		case FC_RX_BAD:
			break;
		}
		deliver_any(&r);
		check_receiver(&r);
	}
	for (u32 i = 0; i < FC_FLOW_WINDOW; i++)
		free(r.msg[i].stored);
}

/* A sender against a peer that sends any answers. */

static void fuzz_sender(struct fuzz *f)
{
	struct fc_txflow flow;
	struct fc_txtarget t = { .state = FC_TX_ASKING };
	u32 msg_len = (1 + fuzz_u8(f)) * FC_PACKET_MAX;

	t.part = fc_part_make(msg_len, fuzz_u8(f) & 1 ? msg_len / 2 : 0, 0);
	t.seq = fuzz_u8(f) & 1 ? 5 : 0xffffffff;
	flow.oldest = t.seq - fuzz_u8(f) % (FC_FLOW_WINDOW + 4);
	flow.next = t.seq + 1;
	while (fuzz_left(f)) {
		u8 how = fuzz_u8(f);
		int next;

		switch (how & 3) {
		case 0:
			next = fc_txtarget_next(&t, &flow);
			if (next >= 0)
				fc_txtarget_sent(&t, next);
			break;
		case 1:
			if (!fc_txtarget_repeat(&t))
				CHECK(fc_txtarget_unsent(&t) == !fc_txtarget_completed(&t),
				      "to be sent again?");
			break;
		default:
			if (fc_txtarget_completed(&t))
				return;
			struct fc_ctrl c = {
				.kind = FC_CTRL_CONFIRM + (how >> 2) % (FC_CTRL_COUNT - 1),
				.seq = how & 64 ? fuzz_u32(f) : t.seq,
				.next = how & 128 ? fuzz_u32(f) : t.seq - 3,
				.base = fuzz_u16(f), .have = fuzz_u64(f),
			};
			struct fc_txtarget was = t;
			bool news = fc_txtarget_answer(&t, &c);

			CHECK(news || !memcmp(&was, &t, sizeof(t)), "changed without news");
			CHECK(!news || fc_before(t.seq, c.next) || c.base <= t.part.count ||
			      c.kind != FC_CTRL_CONFIRM, "believes base %u of %u", c.base,
			      t.part.count);
			if (c.kind == FC_CTRL_CONFIRM)
				CHECK(t.base >= was.base, "base from %u back to %u", was.base,
				      t.base);
			break;
		}
		check_tx(&t, &flow);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz f = { data, data + size };

	switch (fuzz_below(&f, 4)) {
	case 0:
	case 1:
		fuzz_flow(&f);
		break;
	case 2:
		fuzz_receiver(&f);
		break;
	case 3:
		fuzz_sender(&f);
		break;
	}
	return 0;
}
