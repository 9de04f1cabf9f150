// SPDX-License-Identifier: GPL-2.0
/*
 * End to end: one flow over a channel that loses, duplicates and reorders packets and
 * confirmations.  The receiver sometimes lacks buffer space, and the sender sometimes aborts
 * messages.  The oracle knows the messages of each side.
 */
#include <string.h>

#include "core/ends/ends.h"
#include "tap.h"

/*
 * Parts.
 */

/* Compare fc_part_make() with a count of the packets that contain a byte of the part. */
static void check_part(u32 msg_len, u32 off, u32 len)
{
	u32 bytes = len ? len : msg_len - off;
	struct fc_part part = fc_part_make(msg_len, off, len);
	u32 packets = msg_len ? (msg_len + FC_PACKET_MAX - 1) / FC_PACKET_MAX : 1;
	u32 first = packets;
	u32 count = 0;

	CHECK(part.off == off && part.len == bytes, "%u %u %u", msg_len, off, len);
	for (u32 p = 0; p < packets; p++) {
		u64 begin = (u64)p * FC_PACKET_MAX;
		u64 end = begin + FC_PACKET_MAX < msg_len ? begin + FC_PACKET_MAX : msg_len;

		if (begin >= (u64)off + bytes || end <= off)
			continue;
		if (first == packets)
			first = p;
		count++;
	}
	if (!bytes) {
		/* An empty part is in any one existing packet. */
		CHECK(part.count == 1 && part.first < packets, "%u %u %u: packet %u of %u",
		      msg_len, off, len, part.first, packets);
		return;
	}
	CHECK(part.first == first && part.count == count, "%u %u %u: %u+%u, not %u+%u", msg_len,
	      off, len, part.first, part.count, first, count);
}

TEST(part_make__names_the_packets)
{
	static const u32 edges[] = {
		0, 1, 2, FC_PACKET_MAX - 1, FC_PACKET_MAX, FC_PACKET_MAX + 1,
		2 * FC_PACKET_MAX - 1, 2 * FC_PACKET_MAX, 2 * FC_PACKET_MAX + 1,
		FC_MESSAGE_MAX - 1, FC_MESSAGE_MAX,
	};
	const unsigned int n = FC_ARRAY_SIZE(edges);

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++)
			for (unsigned int k = 0; k < n; k++)
				if (edges[j] <= edges[i] && edges[k] <= edges[i] - edges[j])
					check_part(edges[i], edges[j], edges[k]);
	for (unsigned int i = 0; i < 20000; i++) {
		u32 msg_len = tap_random(4 * FC_PACKET_MAX);
		u32 off = tap_random(msg_len + 1);

		check_part(msg_len, off, tap_random(msg_len - off + 1));
	}
}

/*
 * A flow.
 */

#define MESSAGES	60
#define PACKETS_MAX	200
#define CHANNEL		64

struct sent {
	struct fc_txtarget tx;
	struct fc_part part;
	bool stored[PACKETS_MAX];
	unsigned int nstored;
	bool delivered;
	bool given_up;
	bool skipped;
};

struct packet {
	u32 message;
	u16 packet;
	u8 outstanding;
	bool later;		/* allows a delayed ack */
};

struct bench {
	struct sent msg[MESSAGES];
	u32 n;			/* number of begun messages */
	struct fc_txflow tx;
	struct fc_rxflow rx;
	u32 first_seq;
	struct packet data[CHANNEL];
	u32 ndata;
	struct fc_ctrl ctrl[CHANNEL];
	u32 nctrl;
	u32 delivered_up_to;	/* all messages before this one were delivered or aborted */
	u32 loss;		/* percentage of lost frames */
	u32 refuse;		/* percentage of refused admissions */
	bool grant_due;
	bool ack_due;		/* a delayed ack is pending */
	u32 room_seq;
	u32 packets;
	u32 passed;		/* messages delivered without a slot */
	bool full;		/* the channel was full, and dropped frames */
	bool forward;		/* the last message may be aborted, too */
};

static void channel_data(struct bench *b, const struct packet *p)
{
	b->full |= b->ndata == CHANNEL;
	if (tap_random(100) < b->loss || b->ndata == CHANNEL)
		return;
	b->data[b->ndata++] = *p;
	if (b->loss && !tap_random(8) && b->ndata < CHANNEL)
		b->data[b->ndata++] = *p;
}

static void channel_ctrl(struct bench *b, const struct fc_ctrl *c)
{
	b->full |= b->nctrl == CHANNEL;
	if (tap_random(100) < b->loss || b->nctrl == CHANNEL)
		return;
	b->ctrl[b->nctrl++] = *c;
	if (b->loss && !tap_random(8) && b->nctrl < CHANNEL)
		b->ctrl[b->nctrl++] = *c;
}

/* Advance the oldest uncompleted message, as the source does. */
static void move_window(struct bench *b)
{
	while (b->tx.oldest != b->tx.next &&
	       fc_txtarget_completed(&b->msg[b->tx.oldest - b->first_seq].tx))
		b->tx.oldest++;
}

static void begin(struct bench *b, u32 packets)
{
	struct sent *m = &b->msg[b->n++];
	u32 msg_len = packets * FC_PACKET_MAX - tap_random(FC_PACKET_MAX - 1);
	u32 off = tap_random(3) ? 0 : tap_random(msg_len);

	m->part = fc_part_make(msg_len, off, 0);
	m->tx.part = m->part;
	m->tx.seq = b->tx.next++;
	m->tx.state = FC_TX_ASKING;
}

static void send_some(struct bench *b)
{
	for (u32 i = b->tx.oldest - b->first_seq; i < b->n; i++) {
		struct sent *m = &b->msg[i];
		struct packet p = { .message = i, .outstanding = (u8)(m->tx.seq - b->tx.oldest) };
		int next = fc_txtarget_next(&m->tx, &b->tx);

		if (next < 0 || !tap_random(3))
			continue;
		CHECK(next >= m->part.first && next < m->part.first + m->part.count,
		      "packet %d of %u+%u", next, m->part.first, m->part.count);
		CHECK(p.outstanding < FC_FLOW_WINDOW, "message %u: lag %u", i, p.outstanding);
		CHECK(m->tx.state != FC_TX_ASKING || next == m->part.first,
		      "message %u: packet %d before the grant", i, next);
		p.later = !m->tx.sent && fc_txtarget_may_delay(&m->tx, &b->tx);
		fc_txtarget_sent(&m->tx, next);
		CHECK(!fc_txtarget_unsent(&m->tx), "message %u: packet %d is sent", i, next);
		p.packet = (u16)next;
		b->packets++;
		channel_data(b, &p);
	}
}

static void confirm(struct bench *b, u32 seq, u8 kind)
{
	struct fc_ctrl c = { .kind = kind };

	fc_rxflow_confirm(&b->rx, seq, &c);
	b->ack_due = false;
	CHECK(c.seq == seq && c.next == b->rx.next, "%u %u", c.seq, c.next);
	channel_ctrl(b, &c);
}

static void skip(void *arg, struct fc_rxmsg *rx)
{
	struct bench *b = arg;
	struct sent *m = rx->h;

	CHECK(m->given_up, "message %u was skipped", (u32)(m - b->msg));
	CHECK(!m->skipped && !m->delivered, "message %u was skipped again", (u32)(m - b->msg));
	m->skipped = true;
}

/* Check a message that is about to be delivered. */
static void delivered(struct bench *b, struct sent *m)
{
	u32 i = (u32)(m - b->msg);

	CHECK(m->tx.seq == b->rx.next, "message %u out of order", i);
	CHECK(!m->delivered && !m->skipped, "message %u again", i);
	CHECK(m->nstored == m->part.count, "message %u: %u of %u packets", i, m->nstored,
	      m->part.count);
	for (; b->delivered_up_to < i; b->delivered_up_to++)
		CHECK(b->msg[b->delivered_up_to].given_up ||
		      b->msg[b->delivered_up_to].delivered, "message %u before %u", i,
		      b->delivered_up_to);
	m->delivered = true;
}

static void deliver(struct bench *b)
{
	struct fc_rxmsg *rx;

	while ((rx = fc_rxflow_ready(&b->rx))) {
		delivered(b, rx->h);
		fc_rxflow_delivered(&b->rx, rx);
	}
}

/* Deliver a one-packet message without a slot, if it is next. */
static bool pass(struct bench *b, struct sent *m)
{
	if (m->part.count != 1 || m->tx.seq != b->rx.next || tap_random(3))
		return false;
	CHECK(!m->stored[0], "message %u twice", (u32)(m - b->msg));
	m->stored[0] = true;
	m->nstored++;
	delivered(b, m);
	fc_rxflow_pass(&b->rx);
	b->passed++;
	deliver(b);
	return true;
}

static void receive(struct bench *b, const struct packet *p)
{
	struct sent *m = &b->msg[p->message];
	struct fc_target t = { .seq = m->tx.seq, .outstanding = p->outstanding };
	u16 index = p->packet - m->part.first;
	struct fc_rxmsg *slot;
	enum fc_rx_verdict verdict;

	verdict = fc_rxflow_packet(&b->rx, &t, &m->part, p->packet, &slot, skip, b);
	/* Deliver messages that waited for messages that the sender aborted. */
	deliver(b);
	switch (verdict) {
	case FC_RX_ADMIT:
		if (tap_random(100) < b->refuse) {
			b->grant_due = true;
			b->room_seq = t.seq;
			confirm(b, t.seq, FC_CTRL_NO_SPACE);
			return;
		}
		if (pass(b, m))
			break;
		fc_rxflow_admit(&b->rx, slot, &t, &m->part, m);
		__attribute__((__fallthrough__));
	case FC_RX_TAKE:
		CHECK(!m->stored[index], "message %u: packet %u twice", p->message, index);
		m->stored[index] = true;
		m->nstored++;
		CHECK(fc_rxmsg_stored(slot, index) == (m->nstored == m->part.count),
		      "message %u: complete with %u of %u", p->message, m->nstored,
		      m->part.count);
		deliver(b);
		break;
	case FC_RX_DUPLICATE:
		CHECK(m->stored[index] || m->given_up, "message %u: packet %u was never here",
		      p->message, index);
		break;
	case FC_RX_BAD:
		/* The window has moved past the packet; a source begins no more messages. */
		CHECK(b->loss, "message %u: packet %u is bad", p->message, index);
		return;
	}
	if (p->later && verdict != FC_RX_DUPLICATE && fc_before(t.seq, b->rx.next))
		b->ack_due = true;
	else
		confirm(b, t.seq, FC_CTRL_CONFIRM);
}

static void answer(struct bench *b, const struct fc_ctrl *c)
{
	for (u32 i = b->tx.oldest - b->first_seq; i < b->n; i++) {
		struct sent *m = &b->msg[i];

		if (fc_txtarget_completed(&m->tx))
			continue;
		fc_txtarget_answer(&m->tx, c);
		CHECK(m->tx.base <= m->part.count, "message %u: base %u", i, m->tx.base);
		CHECK(m->tx.state != FC_TX_DONE || m->delivered,
		      "message %u is confirmed but was not delivered", i);
	}
	move_window(b);
}

static struct packet take_data(struct bench *b)
{
	u32 i = b->loss ? tap_random(b->ndata) : 0;
	struct packet p = b->data[i];

	memmove(&b->data[i], &b->data[i + 1], (--b->ndata - i) * sizeof(p));
	return p;
}

static struct fc_ctrl take_ctrl(struct bench *b)
{
	u32 i = b->loss ? tap_random(b->nctrl) : 0;
	struct fc_ctrl c = b->ctrl[i];

	memmove(&b->ctrl[i], &b->ctrl[i + 1], (--b->nctrl - i) * sizeof(c));
	return c;
}

/* The target answers FC_CTRL_ASK; the channel may lose the question. */
static void ask(struct bench *b, u32 i)
{
	u32 seq = b->msg[i].tx.seq;

	if (tap_random(100) < b->loss)
		return;
	if (fc_before(seq, b->rx.next) || fc_rxflow_holds(&b->rx, seq))
		confirm(b, seq, FC_CTRL_CONFIRM);
	else
		confirm(b, seq, tap_random(100) < b->refuse ? FC_CTRL_NO_SPACE : FC_CTRL_GRANT);
}

static void repeat(struct bench *b)
{
	for (u32 i = b->tx.oldest - b->first_seq; i < b->n; i++) {
		struct fc_txtarget *tx = &b->msg[i].tx;

		if (fc_txtarget_repeat(tx))
			ask(b, i);
		else
			CHECK(fc_txtarget_unsent(tx) == !fc_txtarget_completed(tx),
			      "message %u: to be sent again?", i);
	}
}

static void give_up(struct bench *b, u32 i)
{
	if (fc_txtarget_completed(&b->msg[i].tx))
		return;
	b->msg[i].tx.state = FC_TX_FAILED;
	b->msg[i].given_up = true;
	move_window(b);
}

/*
 * The source reports to the target that all messages before the oldest one are completed; the
 * channel may lose the report.
 */
static void forward(struct bench *b)
{
	if (tap_random(100) < b->loss || !b->rx.begun)
		return;
	fc_rxflow_forward(&b->rx, b->tx.oldest, skip, b);
	deliver(b);
	confirm(b, b->tx.oldest - 1, FC_CTRL_CONFIRM);
}

static bool all_over(const struct bench *b)
{
	return b->n && b->tx.oldest == b->tx.next &&
	       (!b->forward || !b->rx.begun || b->rx.next == b->tx.next);
}

/* Number of messages of all runs that were delivered without a slot. */
static u32 all_passed;

/* @loss, @refuse and @surrender (aborts) in percent; the last message is aborted only if @last. */
static void run_to_the(bool last, u32 loss, u32 refuse, u32 surrender, u32 most_packets)
{
	static struct bench b;
	u32 messages = 1 + tap_random(MESSAGES);
	u32 steps = 0;

	memset(&b, 0, sizeof(b));
	b.forward = last;
	b.loss = loss;
	b.refuse = refuse;
	b.first_seq = tap_random(2) ? 0xfffffff0 + tap_random(16) : tap_random(100);
	b.tx.next = b.first_seq;
	b.tx.oldest = b.first_seq;
	while (b.n < messages || !all_over(&b)) {
		if (!CHECK(++steps < 400000, "hangs with %u of %u messages", b.n, messages))
			return;
		switch (tap_random(8)) {
		case 0:
			/* Some sockets keep more messages than the window allows in flight. */
			if (b.n < messages && b.tx.next - b.tx.oldest < FC_FLOW_WINDOW + 4)
				begin(&b, 1 + tap_random(most_packets));
			break;
		case 1:
		case 2:
			send_some(&b);
			break;
		case 3:
		case 4:
			if (b.ndata) {
				struct packet p = take_data(&b);

				receive(&b, &p);
			}
			break;
		case 5:
		case 6:
			if (b.nctrl) {
				struct fc_ctrl c = take_ctrl(&b);

				answer(&b, &c);
			}
			break;
		case 7:
			if (b.grant_due && !tap_random(4)) {
				b.grant_due = false;
				confirm(&b, b.room_seq, FC_CTRL_GRANT);
			}
			if (b.ack_due && !tap_random(16))
				confirm(&b, b.rx.next - 1, FC_CTRL_CONFIRM);
			if (!b.ndata && !b.nctrl && !b.ack_due && !tap_random(4))
				repeat(&b);
			if (b.n > !last && tap_random(1000) < surrender)
				give_up(&b, tap_random(b.n - !last));
			if (last && !tap_random(8))
				forward(&b);
			break;
		}
	}
	all_passed += b.passed;
	for (u32 i = 0; i < b.n; i++)
		CHECK(b.msg[i].delivered || b.msg[i].given_up, "message %u was lost", i);
	/* The target keeps no part of a message once the last one is completed. */
	for (u32 i = 0; last && i < FC_FLOW_WINDOW; i++)
		CHECK(b.rx.msg[i].state == FC_RX_EMPTY, "message %u is kept for ever",
		      b.rx.msg[i].seq - b.first_seq);
	if (!loss && !refuse && !surrender && !b.full) {
		u32 packets = 0;

		for (u32 i = 0; i < b.n; i++)
			packets += b.msg[i].part.count;
		/* The sender may retransmit while the flow is idle for another reason. */
		CHECK(b.packets <= packets + packets / 4 + 4, "%u packets sent for %u", b.packets,
		      packets);
	}
}

static void run(u32 loss, u32 refuse, u32 surrender, u32 most_packets)
{
	run_to_the(false, loss, refuse, surrender, most_packets);
}

TEST(flow__nothing_lost)
{
	for (unsigned int i = 0; i < 300; i++)
		run(0, 0, 0, 1 + tap_random(20));
	CHECK(all_passed > 100, "%u were delivered at once", all_passed);
}

TEST(flow__losses_doubles_and_disorder)
{
	for (unsigned int i = 0; i < 300; i++)
		run(1 + tap_random(40), 0, 0, 1 + tap_random(20));
}

TEST(flow__more_packets_than_the_bitmap_holds)
{
	for (unsigned int i = 0; i < 20; i++)
		run(tap_random(20), 0, 0, PACKETS_MAX);
}

TEST(flow__no_room)
{
	for (unsigned int i = 0; i < 300; i++)
		run(tap_random(2) ? tap_random(30) : 0, 1 + tap_random(80), 0, 1 + tap_random(8));
}

TEST(flow__given_up)
{
	for (unsigned int i = 0; i < 300; i++)
		run(tap_random(2) ? tap_random(30) : 0, tap_random(2) ? tap_random(50) : 0,
		    1 + tap_random(200), 1 + tap_random(8));
}

/* If no later packet carries the abort, the source sends it separately. */
TEST(flow__given_up_to_the_last)
{
	for (unsigned int i = 0; i < 300; i++)
		run_to_the(true, tap_random(2) ? tap_random(30) : 0,
			   tap_random(2) ? tap_random(50) : 0, 20 + tap_random(400),
			   1 + tap_random(8));
}

/*
 * Cases.
 */

static void count_skip(void *arg, struct fc_rxmsg *msg)
{
	(*(unsigned int *)arg)++;
}

/* The target delivers complete messages received out of order, and drops incomplete ones. */
TEST(rxflow_forward__skips_and_delivers)
{
	const struct fc_part one = fc_part_make(10, 0, 0);
	const struct fc_part two = fc_part_make(FC_PACKET_MAX + 1, 0, 0);
	struct fc_target t = { .seq = 6, .outstanding = 1 };
	unsigned int skipped = 0;
	struct fc_rxflow flow;
	struct fc_rxmsg *slot;

	memset(&flow, 0, sizeof(flow));
	CHECK(fc_rxflow_packet(&flow, &t, &one, 0, &slot, count_skip, &skipped) == FC_RX_ADMIT,
	      "not new");
	fc_rxflow_admit(&flow, slot, &t, &one, &flow);
	fc_rxmsg_stored(slot, 0);
	t.seq = 5;
	t.outstanding = 0;
	CHECK(fc_rxflow_packet(&flow, &t, &two, 0, &slot, count_skip, &skipped) == FC_RX_ADMIT,
	      "not new");
	fc_rxflow_admit(&flow, slot, &t, &two, &flow);
	fc_rxmsg_stored(slot, 0);
	CHECK(!fc_rxflow_ready(&flow), "6 before 5");
	/* An old frame has no effect. */
	fc_rxflow_forward(&flow, 4, count_skip, &skipped);
	CHECK(!skipped && flow.next == 5, "next %u", flow.next);
	fc_rxflow_forward(&flow, 6, count_skip, &skipped);
	CHECK(skipped == 1 && flow.next == 6, "skipped %u, next %u", skipped, flow.next);
	slot = fc_rxflow_ready(&flow);
	CHECK(slot && slot->seq == 6, "6 waits for 5");
	fc_rxflow_delivered(&flow, slot);
	fc_rxflow_forward(&flow, 9, count_skip, &skipped);
	CHECK(skipped == 1 && flow.next == 9, "skipped %u, next %u", skipped, flow.next);
}

/* Packets of one message describe its part differently: the first description is valid. */
TEST(rxflow_packet__one_part_for_all_packets)
{
	static const struct {
		u32 msg_len, off, len;
		bool same;
	} second[] = {
		{ FC_PACKET_MAX + 100, 0, 0, true },
		{ FC_PACKET_MAX + 100, 0, FC_PACKET_MAX + 100, true },
		{ FC_PACKET_MAX + 200, 0, FC_PACKET_MAX + 100, true },
		{ FC_PACKET_MAX + 200, 0, 0, false },
		{ FC_PACKET_MAX + 99, 0, 0, false },
		{ FC_PACKET_MAX + 100, 1, 0, false },
		{ FC_PACKET_MAX + 101, 1, 0, false },
		{ FC_PACKET_MAX + 100, 0, FC_PACKET_MAX + 50, false },
	};
	const struct fc_part part = fc_part_make(FC_PACKET_MAX + 100, 0, 0);
	const struct fc_target t = { .seq = 5 };

	for (unsigned int i = 0; i < FC_ARRAY_SIZE(second); i++) {
		const struct fc_part other = fc_part_make(second[i].msg_len, second[i].off,
							  second[i].len);
		unsigned int skipped = 0;
		struct fc_rxflow flow;
		struct fc_rxmsg *slot;

		memset(&flow, 0, sizeof(flow));
		fc_rxflow_packet(&flow, &t, &part, 0, &slot, count_skip, &skipped);
		fc_rxflow_admit(&flow, slot, &t, &part, &flow);
		fc_rxmsg_stored(slot, 0);
		CHECK(other.count == 2, "row %u has %u packets", i, other.count);
		CHECK(fc_rxflow_packet(&flow, &t, &other, 1, &slot, count_skip, &skipped) ==
		      (second[i].same ? FC_RX_TAKE : FC_RX_BAD), "row %u", i);
		/* The receiver still accepts the right packet afterwards. */
		CHECK(fc_rxflow_packet(&flow, &t, &part, 1, &slot, count_skip, &skipped) ==
		      FC_RX_TAKE, "row %u: the right one", i);
		CHECK(!skipped, "row %u: given up", i);
	}
}

/* The first three quarters of a window of one-packet messages allow a delayed ack. */
TEST(txtarget_delayed_ack)
{
	const struct fc_txflow flow = { .next = 40, .oldest = 0xfffffffe };
	struct fc_txtarget t = { .part = { .count = 1 } };

	for (t.seq = flow.oldest; t.seq != flow.oldest + FC_FLOW_WINDOW; t.seq++) {
		bool delay_ack = t.seq - flow.oldest < FC_FLOW_WINDOW / 4 * 3;

		t.part.count = 1;
		CHECK(fc_txtarget_may_delay(&t, &flow) == delay_ack, "%u", t.seq);
		t.part.count = 2;
		CHECK(!fc_txtarget_may_delay(&t, &flow), "%u, two packets", t.seq);
	}
}

static struct fc_txtarget granted(u32 seq, u16 count)
{
	struct fc_txtarget t = {
		.part = { .count = count, .len = count * FC_PACKET_MAX }, .seq = seq,
		.state = FC_TX_GRANTED,
	};

	return t;
}

/* All packets are received, but the ack is lost: the source has to ask, or it waits for ever. */
TEST(txtarget_repeat__asks_when_all_is_received)
{
	const struct fc_txflow flow = { .next = 8, .oldest = 7 };
	struct fc_txtarget t = granted(7, 3);
	struct fc_ctrl c = { .kind = FC_CTRL_CONFIRM, .seq = 7, .next = 5, .base = 3 };

	fc_txtarget_sent(&t, 2);
	CHECK(fc_txtarget_answer(&t, &c), "no news");
	CHECK(!fc_txtarget_completed(&t), "over before its turn");
	CHECK(fc_txtarget_next(&t, &flow) == -1, "%d", fc_txtarget_next(&t, &flow));
	fc_txtarget_repeat(&t);
	CHECK(fc_txtarget_next(&t, &flow) == 2, "%d", fc_txtarget_next(&t, &flow));
	fc_txtarget_sent(&t, 2);
	CHECK(fc_txtarget_next(&t, &flow) == -1, "%d", fc_txtarget_next(&t, &flow));
	c.next = 8;
	CHECK(fc_txtarget_answer(&t, &c) && t.state == FC_TX_DONE, "state %u", t.state);
}

TEST(txtarget_answer__refused)
{
	struct fc_txtarget t = granted(7, 1);
	struct fc_ctrl c = { .kind = FC_CTRL_REFUSED, .seq = 6, .next = 5 };

	CHECK(!fc_txtarget_answer(&t, &c) && t.state == FC_TX_GRANTED, "another message's");
	c.seq = 7;
	CHECK(fc_txtarget_answer(&t, &c) && t.state == FC_TX_REFUSED, "state %u", t.state);
	CHECK(fc_txtarget_completed(&t), "goes on");
}

/* Feed acks with random contents that decode. */
TEST(txtarget_answer__any_confirmation)
{
	for (unsigned int i = 0; i < 200000; i++) {
		const struct fc_txflow flow = { .next = 9, .oldest = 7 };
		struct fc_txtarget t = granted(7, (u16)(1 + tap_random(256)));

		for (unsigned int j = 0; j < 6 && !fc_txtarget_completed(&t); j++) {
			struct fc_ctrl c = {
				.kind = (u8)(FC_CTRL_CONFIRM + tap_random(FC_CTRL_COUNT - 1)),
				.seq = 7, .next = tap_random(8), .base = (u16)tap_random(300),
				.have = (u64)tap_random(0xffffffff) << tap_random(33),
			};
			int next;

			fc_txtarget_answer(&t, &c);
			if (!tap_random(3))
				fc_txtarget_repeat(&t);
			next = fc_txtarget_next(&t, &flow);
			CHECK(t.base <= t.part.count, "base %u of %u", t.base, t.part.count);
			CHECK(next == -1 || (next >= 0 && next < t.part.count), "packet %d of %u",
			      next, t.part.count);
			if (next >= 0)
				fc_txtarget_sent(&t, next);
		}
	}
}

/* Feed packets with random contents that decode. */
TEST(rxflow_packet__any_packets)
{
	for (unsigned int i = 0; i < 3000; i++) {
		struct fc_rxflow flow;
		unsigned int skipped = 0;

		memset(&flow, 0, sizeof(flow));
		for (unsigned int j = 0; j < 100; j++) {
			u32 msg_len = tap_random(FC_MESSAGE_MAX + 1);
			u32 off = tap_random(2) ? 0 : tap_random(msg_len + 1);
			struct fc_part part = fc_part_make(msg_len, off, 0);
			u16 packet = (u16)tap_random(tap_random(2) ? 4 : 260);
			struct fc_target t = {
				.seq = tap_random(40),
				.outstanding = (u8)tap_random(FC_FLOW_WINDOW),
			};
			struct fc_rxmsg *slot;
			struct fc_ctrl c;

			switch (fc_rxflow_packet(&flow, &t, &part, packet, &slot, count_skip,
						 &skipped)) {
			case FC_RX_ADMIT:
				if (!tap_random(3))
					break;
				fc_rxflow_admit(&flow, slot, &t, &part, NULL);
				__attribute__((__fallthrough__));
			case FC_RX_TAKE:
				/* Otherwise a shift would exceed the width of the bitmap. */
				CHECK(packet - part.first - slot->base < 64 &&
				      packet - part.first >= slot->base,
				      "packet %u of %u+%u, base %u", packet, part.first,
				      part.count, slot->base);
				fc_rxmsg_stored(slot, (u16)(packet - part.first));
				CHECK(slot->base <= slot->count, "base %u of %u", slot->base,
				      slot->count);
				break;
			case FC_RX_DUPLICATE:
			case FC_RX_BAD:
				break;
			}
			while ((slot = fc_rxflow_ready(&flow)))
				fc_rxflow_delivered(&flow, slot);
			fc_rxflow_confirm(&flow, t.seq, &c);
			for (unsigned int k = 0; k < FC_FLOW_WINDOW; k++)
				CHECK(flow.msg[k].state == FC_RX_EMPTY ||
				      flow.msg[k].seq - flow.next < FC_FLOW_WINDOW,
				      "message %u beside a window from %u", flow.msg[k].seq,
				      flow.next);
		}
	}
}
