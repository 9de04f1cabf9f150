/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link-level retry (llr.c), for the machines of a site: what every flit that comes or goes needs is
 * here, and part of the code that needs it.
 */
#ifndef FC_CORE_LLR_H
#define FC_CORE_LLR_H

#include "event.h"
#include "node.h"

/*
 * So often flits are sent again and none of them comes, while the peer answers: the link is
 * suspected of losing them (FC_LSTAT_TX_FUTILE), and again after each so many tries more.
 */
#define FC_LLR_SUSPECT	4
/*
 * So often, and the link begins anew without what was under way: one of these flits cannot be
 * carried, and what waits behind it can.
 */
#define FC_LLR_HOPELESS	24
/* The wait for an answer doubles with each probe, and with each futile try, so often at most. */
#define FC_LLR_BACKOFF	4

/* Slot of flit number @seq, which is within the window. */
static inline struct fc_flit *fc_rx_slot(const struct fc_channel *ch, const struct fc_rx *rx,
					 u32 seq)
{
	u32 i = rx->first + (seq - rx->taken);

	/* A division takes long; but no number, by a mistake of ours, leads out of the queue. */
	if (i >= ch->window)
		i = i - ch->window < ch->window ? i - ch->window : i % ch->window;
	return &rx->queue[i];
}

/* One more effect, with a flit; its caller left room. */
static inline struct fc_effect *fc_effect_flit(struct fc_effects *fx, u8 type, u8 port,
					       const struct fc_flit *flit)
{
	struct fc_effect *e = &fx->fx[fx->n++];

	e->type = type;
	e->port = port;
	e->vc = 0;
	e->flags = 0;
	e->keep = false;
	e->hold = 0;
	e->index = 0;
	e->seq = 0;
	e->ack = 0;
	e->mask = 0;
	/* One by one: a compiler may copy a structure by an instruction that takes long. */
	e->flit.h = flit->h;
	e->flit.head = flit->head;
	e->flit.data = flit->data;
	e->flit.parts = flit->parts;
	return e;
}

/* The same; @flit may be NULL. */
static inline struct fc_effect *fc_effect_add(struct fc_effects *fx, u8 type, u8 port,
					      const struct fc_flit *flit)
{
	static const struct fc_flit none;

	return fc_effect_flit(fx, type, port, flit ? flit : &none);
}

/* Every link down; the runner has set all that never changes. */
void fc_channel_init(struct fc_channel *ch);
/* Give back every handle. */
void fc_channel_purge(struct fc_channel *ch, void (*drop)(void *arg, void *h), void *arg);
/* What fc_llr_acked() does where the peer may have said something new. */
bool fc_llr_news(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx);
/* A flit into its slot of the queue.  Return: false if it is dropped. */
bool fc_llr_flit(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx);
/* What the peer says of both directions. */
void fc_llr_status(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx);
/* The flit at the front of the queue leaves it. */
struct fc_flit fc_rx_take(struct fc_channel *ch, u8 port);
/* Something may be due. */
void fc_llr_time(struct fc_channel *ch);
/* Tell the peers what is to be told, once an event. */
void fc_llr_tell(struct fc_channel *ch, struct fc_effects *fx);
/* Both directions begin anew; @window: of the peer. */
void fc_llr_reset(struct fc_channel *ch, u8 port, u32 window, struct fc_effects *fx);

/*
 * The peer took flits; absolute, so that a lost or repeated frame does no harm.
 * Return: true if that is news.
 */
static inline bool fc_llr_acked(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx)
{
	/* Most channels have flits in one direction: the other is not looked at. */
	if (!ack && !ch->rx[port].both && !ch->timing->acks_apart)
		return false;
	if (ack == ch->tx[port].acked)
		return false;
	return fc_llr_news(ch, port, ack, fx);
}

/* The acknowledgment in the header of a flit: ignored where only statuses acknowledge. */
static inline bool fc_llr_flit_acked(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx)
{
	return !ch->timing->acks_apart && fc_llr_acked(ch, port, ack, fx);
}

/* The peer is to be told so, at once, and not with a flit. */
static inline void fc_llr_say(struct fc_channel *ch, u8 port, u8 flags)
{
	ch->status |= fc_bit(port);
	ch->apart |= fc_bit(port);
	ch->tx[port].say |= flags;
}

/* Something of a port is due then. */
static inline void fc_llr_due(struct fc_channel *ch, u8 port, u64 at)
{
	ch->timed |= fc_bit(port);
	if (at < ch->next_at)
		ch->next_at = at;
}

/* The peer is to hear within a while what was taken. */
static inline void fc_llr_tell_soon(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];

	if (rx->tell_at != FC_NEVER)
		return;
	rx->tell_at = ch->now + ch->timing->tell;
	fc_llr_due(ch, port, rx->tell_at);
}

/* One more flit is taken, and its peer is to hear of it. */
static inline void fc_llr_taken(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];

	if (!rx->taken++)
		ch->tx[port].both = !ch->timing->acks_apart;
	if (port == FC_PORT_LOCAL) {
		rx->told = rx->taken;
		return;
	}
	/* Told in halves of the window, and when a peer waits for the last of it. */
	if (rx->taken - rx->told >= (ch->window + 1u) / 2 || (rx->want && !rx->queued))
		ch->status |= fc_bit(port);
	else
		fc_llr_tell_soon(ch, port);
	if (!rx->queued)
		rx->want = false;
}

/* The next flit came in order to an empty queue, and is taken already. */
static inline void fc_llr_passed(struct fc_channel *ch, u8 port)
{
	ch->rx[port].end++;
	fc_llr_taken(ch, port);
}

/* Would fc_llr_passed() neither tell the peer anything nor set a timer? */
static inline bool fc_llr_silent(const struct fc_channel *ch, u8 port)
{
	const struct fc_rx *rx = &ch->rx[port];

	return rx->tell_at != FC_NEVER && !rx->want &&
	       rx->taken + 1 - rx->told < (ch->window + 1u) / 2;
}

/* What is said now need not be said later. */
static inline void fc_llr_told(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];

	rx->told = rx->taken;
	rx->tell_at = FC_NEVER;
}

/* A flit goes out: fill in its numbers. */
static inline void fc_llr_sent(struct fc_channel *ch, u8 port, struct fc_effect *e)
{
	struct fc_tx *tx = &ch->tx[port];

	e->vc = ch->vc;
	e->seq = tx->sent++;
	if (!e->seq)
		ch->rx[port].both = !ch->timing->acks_apart;
	if (tx->both) {
		e->ack = ch->rx[port].taken;
		fc_llr_told(ch, port);
	}
	if (!ch->timing->acks_apart)
		ch->status &= ~(fc_bit(port) & ~ch->apart);
	if (tx->probe_at != FC_NEVER)
		return;
	tx->probe_wait = ch->timing->probe;
	tx->probe_at = ch->now + tx->probe_wait;
	fc_llr_due(ch, port, tx->probe_at);
}

#endif /* FC_CORE_LLR_H */
