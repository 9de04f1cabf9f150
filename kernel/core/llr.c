// SPDX-License-Identifier: GPL-2.0
/*
 * Link-level retry: delivers the flits of a channel once and in order over a link that loses,
 * doubles and reorders frames.  The papers assume wires that never lose a word.
 *
 *	sender					receiver
 *	acked <= flit < sent: kept for resend	consumed <= flit < end: queue, with gaps
 *	flit (seq, ack of the reverse channel)	->
 *						<- ack: flits below "consumed" (also the credit)
 *						<- status: ack, and a mask of the queue (have)
 *						<- NACK: resend what is missing below "upto"
 *	poll, when no ack comes			->
 *						<- status that echoes the number of the poll
 *
 * The receiver requests missing flits (NACK) only after a delay, because a flit that others have
 * overtaken may still arrive.  A sender whose flits stay unacknowledged polls the receiver, which
 * recovers the last flits of a burst, acks and NACKs that were lost.  All fields are absolute, so
 * statuses that are doubled or late do no harm.
 *
 * The sender resends a flit once for each poll that the receiver has echoed, however many NACKs
 * arrive: on a link that is slower than the settings assume, resends do not add to the load.
 *
 * Where the receiver answers but has none of the resent flits, the sender halves their number and
 * doubles the interval with each try: a link that carries short frames only is not filled with long
 * ones.  After FC_LLR_HOPELESS tries the link is reset without these flits.
 */
#include "llr.h"

static struct fc_effect *effect(const struct fc_channel *ch, struct fc_effects *fx, u8 type,
				u8 port)
{
	struct fc_effect *e = fc_effect_add(fx, type, port, NULL);

	e->vc = ch->vc;
	return e;
}

void fc_channel_init(struct fc_channel *ch)
{
	u8 p;

	ch->now = 0;
	ch->next_at = FC_NEVER;
	ch->up = fc_bit(FC_PORT_LOCAL);
	ch->status = 0;
	ch->flagged = 0;
	ch->timed = 0;
	for (p = 0; p < ch->nports; p++) {
		struct fc_rx *rx = &ch->rx[p];
		struct fc_tx *tx = &ch->tx[p];
		struct fc_flit *queue = rx->queue;
		u64 *stat = rx->stat;

		memset(rx, 0, sizeof(*rx));
		if (queue)
			memset(queue, 0, ch->window * sizeof(*queue));
		rx->queue = queue;
		rx->stat = stat;
		rx->ack_at = FC_NEVER;
		rx->nack_at = FC_NEVER;
		memset(tx, 0, sizeof(*tx));
		tx->poll_at = FC_NEVER;
		tx->window = ch->window;
	}
}

void fc_channel_purge(struct fc_channel *ch, void (*drop)(void *arg, void *h), void *arg)
{
	u32 i;
	u8 p;

	for (p = 0; p < ch->nports; p++) {
		struct fc_rx *rx = &ch->rx[p];

		if (!rx->queue)
			continue;
		for (i = 0; i < ch->window; i++)
			if (rx->queue[i].h)
				drop(arg, rx->queue[i].h);
		memset(rx->queue, 0, ch->window * sizeof(*rx->queue));
		rx->queued = 0;
	}
}

/*
 * The numbers of the two ends contradict each other, which no lost frame explains: without a reset
 * of the link no flit would move again.
 */
static void contradiction(struct fc_channel *ch, u8 port, struct fc_effects *fx)
{
	ch->rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
	effect(ch, fx, FC_FX_RESET, port);
}

bool fc_llr_new_ack(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[port];
	u32 news = ack - tx->acked;

	if (fc_before(tx->sent, ack)) {
		contradiction(ch, port, fx);
		return false;
	}
	if (fc_before(ack, tx->acked))
		return false;
	tx->acked = ack;
	tx->tries = 0;
	tx->got = news < 64 ? tx->got >> news : 0;
	tx->resent = news < 64 ? tx->resent >> news : 0;
	effect(ch, fx, FC_FX_RELEASE, port)->seq = ack;
	if (tx->acked == tx->sent) {
		tx->poll_at = FC_NEVER;
	} else {
		tx->poll_wait = ch->timing->poll;
		tx->poll_at = ch->now + tx->poll_wait;
		fc_llr_due(ch, port, tx->poll_at);
	}
	return true;
}

/* Exponent of the interval between polls. */
static u8 backoff(const struct fc_tx *tx)
{
	u8 futile = tx->tries ? tx->tries - 1 : 0;

	return futile < FC_LLR_BACKOFF ? futile : FC_LLR_BACKOFF;
}

/* Is a flit missing below rx->end? */
static bool gap(const struct fc_rx *rx)
{
	return rx->end - rx->consumed != rx->queued;
}

/* Starts the timer of the NACK where a flit is missing, and stops it where none is. */
static void update_nack(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];

	if (!gap(rx)) {
		rx->nack_at = FC_NEVER;
	} else if (rx->nack_at == FC_NEVER) {
		rx->nack_wait = ch->timing->retry;
		rx->nack_at = ch->now + rx->nack_wait;
		fc_llr_due(ch, port, rx->nack_at);
	}
}

bool fc_llr_flit(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_rx *rx = &ch->rx[ev->port];
	bool taken = fc_before(ev->seq, rx->consumed);
	bool beyond = !taken && ev->seq - rx->consumed >= ch->window;
	struct fc_flit *s = taken || beyond ? NULL : fc_rx_slot(ch, rx, ev->seq);

	if (!s || s->parts & FC_FLIT_VALID) {
		rx->stat[beyond ? FC_LSTAT_RX_OUT_OF_WINDOW : FC_LSTAT_RX_REPEATED]++;
		/* The ack of this flit may be lost: send it again. */
		if (taken && ev->port != FC_PORT_LOCAL) {
			/* A faulty peer may repeat a number before this end consumed a flit. */
			ch->tx[ev->port].reverse_active = !ch->timing->acks_apart;
			fc_llr_delay_ack(ch, ev->port);
		}
		if (ev->flit.h)
			fc_effect_add(fx, FC_FX_DROP, ev->port, &ev->flit);
		return false;
	}
	*s = ev->flit;
	s->parts |= FC_FLIT_VALID;
	rx->queued++;
	if (!fc_before(ev->seq, rx->end))
		rx->end = ev->seq + 1;
	update_nack(ch, ev->port);
	return true;
}

/*
 * Counts a try in which none of the resent flits may have arrived.
 * Return: number of flits that may be resent now.
 */
static u32 try_again(struct fc_channel *ch, u8 port, struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[port];
	u8 futile = tx->tries;

	tx->resent = 0;
	if (futile > FC_LLR_HOPELESS)
		return 0;
	tx->tries++;
	if (futile && futile % FC_LLR_SUSPECT == 0)
		ch->rx[port].stat[FC_LSTAT_TX_FUTILE]++;
	if (futile == FC_LLR_HOPELESS)
		effect(ch, fx, FC_FX_RESET, port);
	return futile < 6 ? (u32)64 >> futile : 1;
}

/* Resends the flits that the NACK requests, but for those that have arrived meanwhile. */
static void resend(struct fc_channel *ch, u8 port, const struct fc_status *s,
		   struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[port];
	u32 seq, most = 64;

	/* The peer has seen a poll that followed the last resend: the resent flits are lost. */
	if (!fc_before16(tx->resend_poll, s->echo)) {
		if (tx->tries > 1)
			return;
	} else if (tx->resent & ~tx->got) {
		most = try_again(ch, port, fx);
	}
	for (seq = tx->acked; fc_before(seq, s->upto) && most; seq++) {
		u64 bit = fc_bit64(seq - tx->acked);
		struct fc_effect *e;

		if ((tx->got | tx->resent) & bit)
			continue;
		most--;
		tx->resent |= bit;
		tx->resend_poll = tx->polls;
		tx->poll_wait = ch->timing->poll << backoff(tx);
		tx->poll_at = ch->now + tx->poll_wait;
		fc_llr_due(ch, port, tx->poll_at);
		ch->rx[port].stat[FC_LSTAT_TX_RESENT]++;
		e = effect(ch, fx, FC_FX_RESEND, port);
		e->seq = seq;
		e->ack = ch->rx[port].consumed;
	}
}

/* The peer polls: ev->seq is the number of its next flit. */
static void polled(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_rx *rx = &ch->rx[ev->port];

	ch->status |= fc_bit(ev->port);
	/* Later flits have overtaken the poll: the status answers it all the same. */
	if (fc_before(ev->seq, rx->consumed))
		return;
	if (ev->seq - rx->consumed > ch->window) {
		contradiction(ch, ev->port, fx);
		return;
	}
	if (fc_before(rx->end, ev->seq))
		rx->end = ev->seq;
	/* A poll follows the flits before it by the poll interval: a gap is a loss. */
	if (gap(rx))
		fc_llr_add_flags(ch, ev->port, FC_STATUS_NACK);
	update_nack(ch, ev->port);
}

void fc_llr_status(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[ev->port];
	struct fc_rx *rx = &ch->rx[ev->port];
	u32 late = tx->acked - ev->ack;
	u64 have = ev->status.have;

	/* A status that acknowledges flits which this end has not sent is void. */
	if (fc_before(tx->sent, ev->ack))
		return;
	have = late < 64 ? have >> late : 0;
	if ((tx->sent - tx->acked < 64 && have >> (tx->sent - tx->acked)) ||
	    (ev->flags & FC_STATUS_NACK && fc_before(tx->sent, ev->status.upto))) {
		contradiction(ch, ev->port, fx);
		return;
	}
	if (have & ~tx->got)
		tx->tries = 0;
	tx->got |= have;
	if (fc_before16(rx->poll_seen, ev->status.poll))
		rx->poll_seen = ev->status.poll;
	if (ev->flags & FC_STATUS_NACK)
		resend(ch, ev->port, &ev->status, fx);
	if (ev->flags & FC_STATUS_ACK_REQUEST) {
		rx->ack_wanted = true;
		if (!rx->queued)
			ch->status |= fc_bit(ev->port);
	}
	if (ev->flags & FC_STATUS_POLL)
		polled(ch, ev, fx);
}

struct fc_flit fc_rx_consume(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];
	struct fc_flit *s = fc_rx_first(rx), flit = *s;

	memset(s, 0, sizeof(*s));
	flit.parts &= ~FC_FLIT_VALID;
	rx->queued--;
	/* An empty queue always continues at slot 0, which is in the cache. */
	rx->first = rx->queued && rx->first + 1u < ch->window ? rx->first + 1 : 0;
	fc_llr_consumed(ch, port);
	return flit;
}

static void timers(struct fc_channel *ch, u8 port)
{
	const struct fc_timing *timing = ch->timing;
	struct fc_tx *tx = &ch->tx[port];
	struct fc_rx *rx = &ch->rx[port];
	u64 next;

	/* fc_llr_send_status() sends the ack before the event is over. */
	if (rx->ack_at <= ch->now) {
		rx->ack_at = FC_NEVER;
		ch->status |= fc_bit(port);
	}
	if (rx->nack_at <= ch->now) {
		rx->nack_wait = rx->nack_wait * 2 < timing->poll ? rx->nack_wait * 2 :
								    timing->poll;
		rx->nack_at = ch->now + rx->nack_wait;
		fc_llr_add_flags(ch, port, FC_STATUS_NACK);
	}
	if (tx->poll_at <= ch->now) {
		if (tx->poll_wait < timing->poll << FC_LLR_BACKOFF)
			tx->poll_wait *= 2;
		tx->poll_at = ch->now + tx->poll_wait;
		fc_llr_add_flags(ch, port, FC_STATUS_POLL);
		tx->polls++;
		rx->stat[FC_LSTAT_TX_POLLS]++;
	}
	next = rx->ack_at < rx->nack_at ? rx->ack_at : rx->nack_at;
	if (tx->poll_at < next)
		next = tx->poll_at;
	if (next == FC_NEVER)
		ch->timed &= ~fc_bit(port);
	else
		fc_llr_due(ch, port, next);
}

void fc_llr_time(struct fc_channel *ch)
{
	u32 rest;

	if (ch->now < ch->next_at)
		return;
	ch->next_at = FC_NEVER;
	for (rest = ch->timed & ~fc_bit(FC_PORT_LOCAL); rest; rest &= rest - 1)
		timers(ch, (u8)fc_low(rest));
}

/* Mask of the flits in the queue: bit i is flit rx->consumed + i. */
static u64 waiting(const struct fc_channel *ch, const struct fc_rx *rx)
{
	u32 i, left = rx->queued;
	u64 have = 0;

	for (i = 0; left && i < ch->window; i++) {
		if (!(fc_rx_slot(ch, rx, rx->consumed + i)->parts & FC_FLIT_VALID))
			continue;
		have |= fc_bit64(i);
		left--;
	}
	return have;
}

void fc_llr_send_status(struct fc_channel *ch, struct fc_effects *fx)
{
	u32 rest;

	ch->status &= ch->up & ~fc_bit(FC_PORT_LOCAL);
	for (rest = ch->status; rest; rest &= rest - 1) {
		u8 p = fc_low(rest);
		struct fc_effect *e = effect(ch, fx, FC_FX_STATUS, p);

		e->flags = ch->tx[p].flags;
		e->seq = ch->tx[p].sent;
		e->ack = ch->rx[p].consumed;
		e->status.have = waiting(ch, &ch->rx[p]);
		e->status.poll = ch->tx[p].polls;
		e->status.echo = ch->rx[p].poll_seen;
		if (e->flags & FC_STATUS_NACK) {
			e->status.upto = ch->rx[p].end;
			ch->rx[p].stat[FC_LSTAT_TX_NACKS]++;
		}
		fc_llr_ack_sent(ch, p);
	}
	for (; ch->flagged; ch->flagged &= ch->flagged - 1)
		ch->tx[fc_low(ch->flagged)].flags = 0;
	ch->status = 0;
}

void fc_llr_reset(struct fc_channel *ch, u8 port, u32 window, struct fc_effects *fx)
{
	struct fc_rx *rx = &ch->rx[port];
	struct fc_tx *tx = &ch->tx[port];
	u32 i;

	for (i = 0; rx->queue && i < ch->window; i++) {
		if (rx->queue[i].h)
			fc_effect_add(fx, FC_FX_DROP, port, &rx->queue[i]);
		memset(&rx->queue[i], 0, sizeof(rx->queue[i]));
	}
	/* Flits that the link cannot carry are not rescued: their source sends the packet again. */
	if (tx->tries > FC_LLR_HOPELESS)
		effect(ch, fx, FC_FX_RELEASE, port)->seq = tx->sent;
	else if (tx->sent != tx->acked)
		effect(ch, fx, FC_FX_RESCUE, port)->seq = tx->acked;
	rx->queued = 0;
	rx->consumed = 0;
	rx->acked = 0;
	rx->end = 0;
	rx->first = 0;
	rx->ack_wanted = false;
	rx->reverse_active = false;
	rx->ack_at = FC_NEVER;
	rx->nack_at = FC_NEVER;
	tx->sent = 0;
	tx->acked = 0;
	tx->got = 0;
	tx->resent = 0;
	tx->polls = 0;
	tx->resend_poll = 0;
	tx->reverse_active = false;
	tx->tries = 0;
	rx->poll_seen = 0;
	tx->window = window;
	tx->poll_at = FC_NEVER;
	ch->status &= ~fc_bit(port);
	ch->flagged &= ~fc_bit(port);
	tx->flags = 0;
}
