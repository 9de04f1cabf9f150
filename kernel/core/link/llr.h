/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Link-level retry for the switches of a site; llr.c explains the terms, channel.h the state,
 * event.h events and effects, node.h the settings (struct fc_timing).  The parts that every
 * received and sent flit needs are inline.
 */
#ifndef FC_CORE_LINK_LLR_H
#define FC_CORE_LINK_LLR_H

#include "core/link/event.h"
#include "core/link/node.h"
#include "core/link/stuck.h"

/* Number of tries that lose the same flit after which full frames are suspected to be lost. */
#define FC_LLR_SUSPECT	3
/* Number of consecutive unanswered polls after which, at the next one, the peer is silent. */
#define FC_LLR_UNANSWERED	3
/* Number of further unanswered polls, each of which doubles the wait for the next. */
#define FC_LLR_SILENT	3
/* Consecutive polls without an answer on their own channel after which waits double as well. */
#define FC_LLR_UNECHOED	6
/* Bytes of flits between polls that show a queue at the peer that delays its answer: 1 Mbit/s. */
#define FC_LLR_QUEUE		5000
/* Maximum number of poll numbers in use without an answer; further polls repeat the last number. */
#define FC_LLR_POLLS	0x4000
/*
 * An answer is late if it names a poll that was sent before the peer seemed silent.  A late answer
 * doubles all waits for 20 s (timing->poll, doubled FC_LLR_SLOW_SHIFT times), so that they exceed
 * the response time of the peer.  Further late answers double the waits again, up to FC_LLR_SLOW
 * times: a silent link is still suspected before HELLO takes it for dead.  A late answer that
 * follows another one within the current wait, doubled FC_LLR_STALL_SHIFT times, is of the same
 * stall and does not count.
 */
#define FC_LLR_SLOW		4
#define FC_LLR_STALL_SHIFT	2
#define FC_LLR_SLOW_SHIFT	10
/* Time to wait for the answer to a poll: timing->poll, doubled so often. */
#define FC_LLR_ANSWER_SHIFT	1
/* Polls for frames that no ack covers: so many times timing->poll after the last answer. */
#define FC_LLR_TEST	3
/* A poll timer that is late by timing->poll, halved so often, shows that this host was stalled. */
#define FC_LLR_LATE_SHIFT	1
/*
 * After this many consecutive futile tries (the first resend does not count) the link is reset,
 * and all flits in flight are dropped: a flit that the link cannot carry would block it again if it
 * were rescued.
 */
#define FC_LLR_HOPELESS	24
/* Upper bound of the poll interval, for all reasons together: timing->poll, doubled so often. */
#define FC_LLR_BACKOFF	4

/* Slot of flit number @seq, which is within the window. */
static inline struct fc_flit *fc_rx_slot(const struct fc_channel *ch, const struct fc_rx *rx,
					 u32 seq)
{
	u32 i = rx->first + (seq - rx->consumed);

	/* Divide, which is slow, only if a bug made @seq wrong: stay within the queue. */
	if (i >= ch->window)
		i = i - ch->window < ch->window ? i - ch->window : i % ch->window;
	return &rx->queue[i];
}

/* Appends an effect with a flit; the caller makes sure that @fx has room. */
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
	/* Copy each member: a compiler may copy a struct by a slow instruction. */
	e->flit.h = flit->h;
	e->flit.head = flit->head;
	e->flit.data = flit->data;
	e->flit.parts = flit->parts;
	return e;
}

/* As fc_effect_flit(); @flit may be NULL. */
static inline struct fc_effect *fc_effect_add(struct fc_effects *fx, u8 type, u8 port,
					      const struct fc_flit *flit)
{
	static const struct fc_flit none;

	return fc_effect_flit(fx, type, port, flit ? flit : &none);
}

/* Free a received flit, if it has a handle.  @why: enum fc_drop */
static inline void fc_effect_drop(struct fc_effects *fx, u8 port, const struct fc_flit *flit,
				  u8 why)
{
	if (flit->h)
		fc_effect_flit(fx, FC_FX_DROP, port, flit)->flags = why;
}

/* Initialises a channel, all links down; the caller has set the members that never change. */
void fc_channel_init(struct fc_channel *ch);
/* Passes every handle to @drop; fc_channel_init() is needed before any further use. */
void fc_channel_purge(struct fc_channel *ch, void (*drop)(void *arg, void *h), void *arg);
/* Out-of-line part of fc_llr_acked(), for an @ack other than tx->acked. */
bool fc_llr_new_ack(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx);
/* Puts a flit into its slot of the queue.  Return: false if the flit is dropped. */
bool fc_llr_flit(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx);
/* Processes a status, after fc_llr_acked(): mask "have", NACK, ack request and poll. */
void fc_llr_status(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx);
/* Takes the first flit, which has arrived, out of the queue. */
struct fc_flit fc_rx_consume(struct fc_channel *ch, u8 port);
/*
 * The link works again: polls at once, without backoff, so that the peer requests missing flits,
 * which delay all later ones.
 */
void fc_llr_hasten(struct fc_channel *ch, u8 port);
/* Polls for a frame that no ack covers as for a flit, unless the peer answers; sets only timers. */
void fc_llr_test(struct fc_channel *ch, u8 port, u64 now);
/* Runs the timers that are due, after the frame of the event was processed. */
void fc_llr_time(struct fc_channel *ch);
/* Sends the statuses that are due, at the end of an event: flits sent in it replace some. */
void fc_llr_send_status(struct fc_channel *ch, struct fc_effects *fx);
/*
 * The link goes down or comes up: drops the queue, and restarts all numbers from 0.  The flits in
 * flight are rescued, or released after FC_LLR_HOPELESS futile tries.  @window: credit at the peer.
 */
void fc_llr_reset(struct fc_channel *ch, u8 port, u32 window, struct fc_effects *fx);

/*
 * Processes a cumulative ack: an absolute number, so that a lost or repeated frame does no harm.
 * Return: true if it acknowledges flits that were not acknowledged before.
 */
static inline bool fc_llr_acked(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx)
{
	/* This end has sent no flit, as on most channels: the ack is 0, do not load ch->tx. */
	if (!ack && !ch->rx[port].reverse_active)
		return false;
	if (ack == ch->tx[port].acked)
		return false;
	return fc_llr_new_ack(ch, port, ack, fx);
}

/* Makes a status with flags due (switches: ACK_REQUEST), even if a flit carries the ack. */
static inline void fc_llr_add_flags(struct fc_channel *ch, u8 port, u8 flags)
{
	ch->status |= fc_bit(port);
	ch->flagged |= fc_bit(port);
	ch->tx[port].flags |= flags;
}

/* Lets fc_llr_time() run the port's timers at @at; no timer expires before ch->next_at. */
static inline void fc_llr_due(struct fc_channel *ch, u8 port, u64 at)
{
	ch->timed |= fc_bit(port);
	if (at < ch->next_at)
		ch->next_at = at;
}

static inline void fc_llr_delay_ack(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];

	if (rx->ack_at != FC_NEVER)
		return;
	rx->ack_at = ch->now + ch->timing->ack_delay;
	fc_llr_due(ch, port, rx->ack_at);
}

/* Counts a consumed flit, and acknowledges it at once or with delay. */
static inline void fc_llr_consumed(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];

	if (!rx->consumed++)
		ch->tx[port].reverse_active = true;
	if (port == FC_PORT_LOCAL) {
		rx->acked = rx->consumed;
		return;
	}
	/* Ack at once: each half of the window, and when the queue is empty an ACK_REQUEST. */
	if (rx->consumed - rx->acked >= (ch->window + 1u) / 2 || (rx->ack_wanted && !rx->queued))
		ch->status |= fc_bit(port);
	else
		fc_llr_delay_ack(ch, port);
	if (!rx->queued)
		rx->ack_wanted = false;
}

/* Consumes a flit unqueued; the caller has checked that rx->consumed and rx->end are its number. */
static inline void fc_llr_forwarded(struct fc_channel *ch, u8 port)
{
	ch->rx[port].end++;
	fc_llr_consumed(ch, port);
}

/* Return: true if fc_llr_forwarded() would only count: the ack timer runs, no status is due. */
static inline bool fc_llr_ack_not_due(const struct fc_channel *ch, u8 port)
{
	const struct fc_rx *rx = &ch->rx[port];

	return rx->ack_at != FC_NEVER && !rx->ack_wanted &&
	       rx->consumed + 1 - rx->acked < (ch->window + 1u) / 2;
}

/* A frame that leaves now carries the ack: stop the delayed-ack timer. */
static inline void fc_llr_ack_sent(struct fc_channel *ch, u8 port)
{
	struct fc_rx *rx = &ch->rx[port];

	rx->acked = rx->consumed;
	rx->ack_at = FC_NEVER;
}

/* Numbers a flit that has credit and is sent, adds the ack, and arms the poll timer if unarmed. */
static inline void fc_llr_sent(struct fc_channel *ch, u8 port, struct fc_effect *e)
{
	struct fc_tx *tx = &ch->tx[port];

	e->vc = ch->vc;
	e->seq = tx->sent++;
	if (!e->seq)
		ch->rx[port].reverse_active = true;
	if (tx->reverse_active) {
		e->ack = ch->rx[port].consumed;
		fc_llr_ack_sent(ch, port);
	}
	/* The flit's ack replaces a status without flags; a peer that needs more polls again. */
	ch->status &= ~(fc_bit(port) & ~ch->flagged);
	if (tx->poll_at != FC_NEVER)
		return;
	tx->poll_wait = ch->timing->poll << (ch->now < tx->slow_until ? tx->slow : 0);
	tx->poll_at = ch->now + tx->poll_wait;
	fc_llr_due(ch, port, tx->poll_at);
}

#endif /* FC_CORE_LINK_LLR_H */
