// SPDX-License-Identifier: GPL-2.0
/*
 * Link-level retry: flits cross a link that loses, doubles and reorders frames as if
 * it did not.
 *
 * The papers' wires never lose a word.  A flit has a number; its sender keeps a copy
 * until the peer has taken it, which the window bounds.  The peer puts flits in
 * order in the slots of its queue (selective repeat), says what it has taken
 * (cumulative, also the credit) and what has come beyond that, and asks for what is
 * missing once a flit that was overtaken has had time to come by itself (delayed
 * negative acknowledgment).  A sender that hears nothing asks (probe), which heals
 * whatever was lost: the last flits of a burst, acknowledgments, requests.  All
 * that is said is absolute, so nothing said twice or too late does harm.
 *
 * A flit that was sent again is not sent once more before the peer has heard a probe
 * that went after it, however often it is asked for: where flits take longer than
 * anybody expects, no more of them are added.
 *
 * Where the peer answers, but has none of the flits that were sent again, each try has half as
 * many of them as the one before and waits twice as long: a link that carries short frames
 * only is not filled with long ones.
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
	ch->apart = 0;
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
		rx->tell_at = FC_NEVER;
		rx->nack_at = FC_NEVER;
		memset(tx, 0, sizeof(*tx));
		tx->probe_at = FC_NEVER;
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
 * The ends of a link count differently, which no lost frame explains: nothing
 * would ever move again.
 */
static void contradiction(struct fc_channel *ch, u8 port, struct fc_effects *fx)
{
	ch->rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
	effect(ch, fx, FC_FX_RESET, port);
}

bool fc_llr_news(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx)
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
		tx->probe_at = FC_NEVER;
	} else {
		tx->probe_wait = ch->timing->probe;
		tx->probe_at = ch->now + tx->probe_wait;
		fc_llr_due(ch, port, tx->probe_at);
	}
	return true;
}

/* How often the wait for an answer is doubled. */
static u8 backoff(const struct fc_tx *tx)
{
	u8 futile = tx->tries ? tx->tries - 1 : 0;

	return futile < FC_LLR_BACKOFF ? futile : FC_LLR_BACKOFF;
}

/* Is a flit missing that the peer is known to have sent? */
static bool gap(const struct fc_rx *rx)
{
	return rx->end - rx->taken != rx->queued;
}

/* Wait for what is missing, or no more. */
static void settle_nack(struct fc_channel *ch, u8 port)
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
	bool taken = fc_before(ev->seq, rx->taken);
	bool beyond = !taken && ev->seq - rx->taken >= ch->window;
	struct fc_flit *s = taken || beyond ? NULL : fc_rx_slot(ch, rx, ev->seq);

	if (!s || s->parts & FC_FLIT_VALID) {
		rx->stat[beyond ? FC_LSTAT_RX_OUT_OF_WINDOW : FC_LSTAT_RX_REPEATED]++;
		/* The peer may not know that it was taken. */
		if (taken && ev->port != FC_PORT_LOCAL) {
			/* A faulty peer may repeat a number before we took any flit. */
			ch->tx[ev->port].both = !ch->timing->acks_apart;
			fc_llr_tell_soon(ch, ev->port);
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
	settle_nack(ch, ev->port);
	return true;
}

/*
 * What was sent again is lost, and perhaps none of it has come: count that.
 * Return: how many flits this try may have.
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

/* Send again what the peer says is missing, if it is not known by now to have come. */
static void resend(struct fc_channel *ch, u8 port, const struct fc_status *s,
		   struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[port];
	u32 seq, most = 64;

	/* What was sent again came before the probe that the peer has heard, or is lost. */
	if (!fc_before16(tx->mark, s->echo)) {
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
		tx->mark = tx->probes;
		tx->probe_wait = ch->timing->probe << backoff(tx);
		tx->probe_at = ch->now + tx->probe_wait;
		fc_llr_due(ch, port, tx->probe_at);
		ch->rx[port].stat[FC_LSTAT_TX_RESENT]++;
		e = effect(ch, fx, FC_FX_RESEND, port);
		e->seq = seq;
		e->ack = ch->rx[port].taken;
	}
}

/* The peer's count of what it sent. */
static void probed(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_rx *rx = &ch->rx[ev->port];

	ch->status |= fc_bit(ev->port);
	/* Overtaken by what was sent after it: the answer says all the same. */
	if (fc_before(ev->seq, rx->taken))
		return;
	if (ev->seq - rx->taken > ch->window) {
		contradiction(ch, ev->port, fx);
		return;
	}
	if (fc_before(rx->end, ev->seq))
		rx->end = ev->seq;
	/* It comes long after what was sent before it. */
	if (gap(rx))
		fc_llr_say(ch, ev->port, FC_STATUS_NACK);
	settle_nack(ch, ev->port);
}

void fc_llr_status(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_tx *tx = &ch->tx[ev->port];
	struct fc_rx *rx = &ch->rx[ev->port];
	u32 late = tx->acked - ev->ack;
	u64 have = ev->status.have;

	/* It cannot have what was not sent. */
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
	if (fc_before16(rx->heard, ev->status.probe))
		rx->heard = ev->status.probe;
	if (ev->flags & FC_STATUS_NACK)
		resend(ch, ev->port, &ev->status, fx);
	if (ev->flags & FC_STATUS_WANT) {
		rx->want = true;
		if (!rx->queued)
			ch->status |= fc_bit(ev->port);
	}
	if (ev->flags & FC_STATUS_PROBE)
		probed(ch, ev, fx);
}

struct fc_flit fc_rx_take(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];
	struct fc_flit *s = fc_rx_first(rx), flit = *s;

	memset(s, 0, sizeof(*s));
	flit.parts &= ~FC_FLIT_VALID;
	rx->queued--;
	/* Of an empty queue always the same slot is next, which is in the cache. */
	rx->first = rx->queued && rx->first + 1u < ch->window ? rx->first + 1 : 0;
	fc_llr_taken(ch, port);
	return flit;
}

static void timers(struct fc_channel *ch, u8 port)
{
	const struct fc_timing *timing = ch->timing;
	struct fc_tx *tx = &ch->tx[port];
	struct fc_rx *rx = &ch->rx[port];
	u64 next;

	/* Told before the event is over, and due no more. */
	if (rx->tell_at <= ch->now) {
		rx->tell_at = FC_NEVER;
		ch->status |= fc_bit(port);
	}
	if (rx->nack_at <= ch->now) {
		rx->nack_wait = rx->nack_wait * 2 < timing->probe ? rx->nack_wait * 2 :
								    timing->probe;
		rx->nack_at = ch->now + rx->nack_wait;
		fc_llr_say(ch, port, FC_STATUS_NACK);
	}
	if (tx->probe_at <= ch->now) {
		if (tx->probe_wait < timing->probe << FC_LLR_BACKOFF)
			tx->probe_wait *= 2;
		tx->probe_at = ch->now + tx->probe_wait;
		fc_llr_say(ch, port, FC_STATUS_PROBE);
		tx->probes++;
		rx->stat[FC_LSTAT_TX_PROBES]++;
	}
	next = rx->tell_at < rx->nack_at ? rx->tell_at : rx->nack_at;
	if (tx->probe_at < next)
		next = tx->probe_at;
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

/* The flits that have come and wait to be taken. */
static u64 waiting(const struct fc_channel *ch, const struct fc_rx *rx)
{
	u32 i, left = rx->queued;
	u64 have = 0;

	for (i = 0; left && i < ch->window; i++) {
		if (!(fc_rx_slot(ch, rx, rx->taken + i)->parts & FC_FLIT_VALID))
			continue;
		have |= fc_bit64(i);
		left--;
	}
	return have;
}

void fc_llr_tell(struct fc_channel *ch, struct fc_effects *fx)
{
	u32 rest;

	ch->status &= ch->up & ~fc_bit(FC_PORT_LOCAL);
	for (rest = ch->status; rest; rest &= rest - 1) {
		u8 p = fc_low(rest);
		struct fc_effect *e = effect(ch, fx, FC_FX_STATUS, p);

		e->flags = ch->tx[p].say;
		e->seq = ch->tx[p].sent;
		e->ack = ch->rx[p].taken;
		e->status.have = waiting(ch, &ch->rx[p]);
		e->status.probe = ch->tx[p].probes;
		e->status.echo = ch->rx[p].heard;
		if (e->flags & FC_STATUS_NACK) {
			e->status.upto = ch->rx[p].end;
			ch->rx[p].stat[FC_LSTAT_TX_NACKS]++;
		}
		fc_llr_told(ch, p);
	}
	for (; ch->apart; ch->apart &= ch->apart - 1)
		ch->tx[fc_low(ch->apart)].say = 0;
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
	/* A flit that cannot be carried would be stuck again: its source sends the packet anew. */
	if (tx->tries > FC_LLR_HOPELESS)
		effect(ch, fx, FC_FX_RELEASE, port)->seq = tx->sent;
	else if (tx->sent != tx->acked)
		effect(ch, fx, FC_FX_RESCUE, port)->seq = tx->acked;
	rx->queued = 0;
	rx->taken = 0;
	rx->told = 0;
	rx->end = 0;
	rx->first = 0;
	rx->want = false;
	rx->both = false;
	rx->tell_at = FC_NEVER;
	rx->nack_at = FC_NEVER;
	tx->sent = 0;
	tx->acked = 0;
	tx->got = 0;
	tx->resent = 0;
	tx->probes = 0;
	tx->mark = 0;
	tx->both = false;
	tx->tries = 0;
	rx->heard = 0;
	tx->window = window;
	tx->probe_at = FC_NEVER;
	ch->status &= ~fc_bit(port);
	ch->apart &= ~fc_bit(port);
	tx->say = 0;
}
