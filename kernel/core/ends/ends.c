// SPDX-License-Identifier: GPL-2.0
#include "core/ends/ends.h"

struct fc_part fc_part_make(u32 msg_len, u32 off, u32 len)
{
	struct fc_part part = { .off = off, .len = len ? len : msg_len - off };
	u32 last;

	/* Where nothing is to be received a packet still carries the entry. */
	if (!part.len) {
		part.first = off && off == msg_len ? (off - 1) / FC_PACKET_MAX :
						     off / FC_PACKET_MAX;
		part.count = 1;
		return part;
	}
	last = (part.off + part.len - 1) / FC_PACKET_MAX;
	part.first = part.off / FC_PACKET_MAX;
	part.count = last - part.first + 1;
	return part;
}

/* Move base over the packets received without a gap. */
static void advance(u16 *base, u64 *have)
{
	while (*have & 1) {
		*have >>= 1;
		(*base)++;
	}
}

static struct fc_rxmsg *rx_slot(struct fc_rxflow *flow, u32 seq)
{
	return &flow->msg[seq % FC_FLOW_WINDOW];
}

static void rx_clear(struct fc_rxmsg *msg)
{
	memset(msg, 0, sizeof(*msg));
}

/* The source has completed or aborted all messages before @oldest. */
static void skip_to(struct fc_rxflow *flow, u32 oldest,
		    void (*skip)(void *arg, struct fc_rxmsg *msg), void *arg)
{
	unsigned int i;

	if (!flow->begun) {
		flow->begun = true;
		flow->next = oldest;
		return;
	}
	if (!fc_before(flow->next, oldest))
		return;
	for (i = 0; i < FC_FLOW_WINDOW; i++) {
		struct fc_rxmsg *m = &flow->msg[i];

		/* Complete ones were received; only their order was waited for. */
		if (m->state == FC_RX_EMPTY || !fc_before(m->seq, oldest))
			continue;
		skip(arg, m);
		rx_clear(m);
	}
	flow->next = oldest;
}

enum fc_rx_verdict fc_rxflow_packet(struct fc_rxflow *flow, const struct fc_target *t,
				    const struct fc_part *part, u16 packet,
				    struct fc_rxmsg **slot,
				    void (*skip)(void *arg, struct fc_rxmsg *msg), void *arg)
{
	u16 index = packet - part->first;
	struct fc_rxmsg *m;

	*slot = NULL;
	if (packet < part->first || index >= part->count)
		return FC_RX_BAD;
	skip_to(flow, t->seq - t->outstanding, skip, arg);
	if (fc_before(t->seq, flow->next))
		return FC_RX_DUPLICATE;
	if (t->seq - flow->next >= FC_FLOW_WINDOW)
		return FC_RX_BAD;
	m = rx_slot(flow, t->seq);
	*slot = m;
	/* A source asks with an early packet; later ones are not in the bitmap. */
	if (m->state == FC_RX_EMPTY)
		return index < 64 ? FC_RX_ADMIT : FC_RX_BAD;
	/* The reader gets one length: a packet with another one would leave bytes missing. */
	if (m->off != part->off || m->len != part->len || m->count != part->count)
		return FC_RX_BAD;
	if (m->state == FC_RX_COMPLETE || index < m->base)
		return FC_RX_DUPLICATE;
	if (index - m->base >= 64)
		return FC_RX_BAD;
	return m->have >> (index - m->base) & 1 ? FC_RX_DUPLICATE : FC_RX_TAKE;
}

void fc_rxflow_forward(struct fc_rxflow *flow, u32 oldest,
		       void (*skip)(void *arg, struct fc_rxmsg *msg), void *arg)
{
	skip_to(flow, oldest, skip, arg);
}

void fc_rxflow_admit(struct fc_rxflow *flow, struct fc_rxmsg *msg, const struct fc_target *t,
		     const struct fc_part *part, void *h)
{
	msg->h = h;
	msg->have = 0;
	msg->seq = t->seq;
	msg->off = part->off;
	msg->len = part->len;
	msg->base = 0;
	msg->count = part->count;
	msg->state = FC_RX_ADMITTED;
	msg->early = t->seq != flow->next;
}

bool fc_rxmsg_stored(struct fc_rxmsg *msg, u16 index)
{
	msg->have |= fc_bit64(index - msg->base);
	advance(&msg->base, &msg->have);
	if (msg->base < msg->count)
		return false;
	msg->state = FC_RX_COMPLETE;
	return true;
}

void fc_rxflow_delivered(struct fc_rxflow *flow, struct fc_rxmsg *msg)
{
	rx_clear(msg);
	flow->next++;
}

bool fc_rxflow_holds(const struct fc_rxflow *flow, u32 seq)
{
	const struct fc_rxmsg *m = &flow->msg[seq % FC_FLOW_WINDOW];

	return m->state != FC_RX_EMPTY && m->seq == seq;
}

void fc_rxflow_confirm(const struct fc_rxflow *flow, u32 seq, struct fc_ctrl *c)
{
	const struct fc_rxmsg *m = &flow->msg[seq % FC_FLOW_WINDOW];

	c->seq = seq;
	c->next = flow->next;
	c->base = 0;
	c->have = 0;
	if (fc_rxflow_holds(flow, seq)) {
		c->base = m->base;
		c->have = m->have;
	}
}

int fc_txtarget_next(const struct fc_txtarget *t, const struct fc_txflow *flow)
{
	u16 i = t->sent > t->base ? t->sent : t->base;

	if (fc_txtarget_completed(t) || t->state == FC_TX_NO_SPACE ||
	    t->seq - flow->oldest >= FC_FLOW_WINDOW)
		return -1;
	/* All received, but is it delivered?  After a repeat the last packet asks. */
	if (t->base == t->part.count)
		return t->sent < t->base ? t->part.first + t->base - 1 : -1;
	while (i < t->part.count && i - t->base < 64 && t->have >> (i - t->base) & 1)
		i++;
	if (i >= t->part.count || i - t->base >= 64)
		return -1;
	/* One packet asks for room; the others wait until it is granted. */
	if (t->state == FC_TX_ASKING && i)
		return -1;
	return t->part.first + i;
}

void fc_txtarget_sent(struct fc_txtarget *t, int packet)
{
	t->sent = (u16)(packet - t->part.first + 1);
}

bool fc_txtarget_repeat(struct fc_txtarget *t)
{
	if (fc_txtarget_completed(t))
		return false;
	/* The receiver has nothing of the message: its grant of buffer space was lost. */
	if (t->state == FC_TX_NO_SPACE)
		return true;
	/* If all packets are received but not yet in order, the last one asks for the ack. */
	t->sent = t->base < t->part.count ? t->base : t->base - 1;
	return false;
}

bool fc_txtarget_answer(struct fc_txtarget *t, const struct fc_ctrl *c)
{
	bool news = false;

	/* Every control frame carries the cumulative ack. */
	if (fc_before(t->seq, c->next)) {
		t->state = FC_TX_DONE;
		return true;
	}
	if (c->seq != t->seq)
		return false;
	switch ((enum fc_ctrl_kind)c->kind) {
	case FC_CTRL_CONFIRM:
		if (c->base > t->part.count)
			return false;
		if (t->state == FC_TX_ASKING || t->state == FC_TX_NO_SPACE) {
			t->state = FC_TX_GRANTED;
			news = true;
		}
		if (c->base > t->base) {
			t->have = c->base - t->base < 64 ? t->have >> (c->base - t->base) : 0;
			t->base = c->base;
			news = true;
		}
		if (c->base == t->base && (t->have | c->have) != t->have) {
			t->have |= c->have;
			advance(&t->base, &t->have);
			news = true;
		}
		if (t->base > t->part.count)
			t->base = t->part.count;
		return news;
	case FC_CTRL_NO_SPACE:
		if (t->state != FC_TX_ASKING)
			return false;
		t->state = FC_TX_NO_SPACE;
		t->refused_once = true;
		return true;
	case FC_CTRL_GRANT:
		if (t->state == FC_TX_ASKING)
			return false;
		/* Begin, or begin again: the target has dropped its packets of the message. */
		t->state = FC_TX_ASKING;
		t->sent = 0;
		t->base = 0;
		t->have = 0;
		return true;
	case FC_CTRL_RESYNC_REQ:
		/* The receiver does not know the flow, so it has received none of the packets. */
		t->state = FC_TX_ASKING;
		t->sent = 0;
		t->base = 0;
		t->have = 0;
		return true;
	case FC_CTRL_REFUSED:
		t->state = FC_TX_REFUSED;
		return true;
	case FC_CTRL_UNREACHABLE:
	case FC_CTRL_ASK:
	case FC_CTRL_FORWARD:
	case FC_CTRL_RESYNC:
	case FC_CTRL_CLOSED:
	case FC_CTRL_DAMAGED:
	case FC_CTRL_COUNT:
		return false;
	}
	return false;
}
