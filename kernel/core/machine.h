/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the machines of a site: for netin.c, netout.c, fifo.c, router.c, llr.c
 * and site.c alone.
 */
#ifndef FC_CORE_MACHINE_H
#define FC_CORE_MACHINE_H

#include "site.h"

/* A transition that only we can cause and that no table has. */
static inline bool fc_no_row(const struct fc_row *row)
{
	return FC_BUG_ON_US(!row->next);
}

static inline void fc_fired(const struct fc_site *site, unsigned int machine,
			    unsigned int state, unsigned int cond)
{
	if (site->fired)
		site->fired(site, machine, state, cond);
}

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

static inline void fc_site_due(struct fc_site *site, u64 at)
{
	if (at < site->next_at)
		site->next_at = at;
}

/* One more effect; its caller left room. */
static inline struct fc_effect *fc_effect_add(struct fc_effects *fx, u8 type, u8 port,
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
	if (flit)
		e->flit = *flit;
	else
		memset(&e->flit, 0, sizeof(e->flit));
	return e;
}

/* What ends the packet in hand in the queue: does it end it as its front said? */
static inline bool fc_netin_whole(const struct fc_in *in, const struct fc_flit *flit)
{
	return flit->parts & FC_PART_ABORT || flit->data == in->left;
}

/* llr.c */

/* Every link down; the runner has set all that never changes. */
void fc_channel_init(struct fc_channel *ch);
/* Give back every handle. */
void fc_channel_purge(struct fc_channel *ch, void (*drop)(void *arg, void *h), void *arg);
/*
 * The peer took flits; absolute, so that a lost or repeated frame does no harm.
 * Return: true if that is news.
 */
bool fc_llr_acked(struct fc_channel *ch, u8 port, u32 ack, struct fc_effects *fx);
/* A flit into its slot of the queue.  Return: false if it is dropped. */
bool fc_llr_flit(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx);
/* What the peer says of both directions. */
void fc_llr_status(struct fc_channel *ch, const struct fc_event *ev, struct fc_effects *fx);
/* The flit at the front of the queue leaves it. */
struct fc_flit fc_rx_take(struct fc_channel *ch, u8 port);
/* The next flit came in order to an empty queue, and is taken already. */
void fc_llr_passed(struct fc_channel *ch, u8 port);
/* A flit goes out: fill in its numbers. */
void fc_llr_sent(struct fc_channel *ch, u8 port, struct fc_effect *e);
/* Something may be due. */
void fc_llr_time(struct fc_channel *ch);
/* Tell the peers what is to be told, once an event. */
void fc_llr_tell(struct fc_channel *ch, struct fc_effects *fx);
/* Both directions begin anew; @window: of the peer. */
void fc_llr_reset(struct fc_channel *ch, u8 port, u32 window, struct fc_effects *fx);

/* netin.c: one transition; false if nothing is to be done. */
bool fc_netin_step(struct fc_site *site, u8 port, struct fc_effects *fx);

/* netout.c */

/* May the net-output take a flit now: credit (or room), or nobody to send it to. */
bool fc_netout_ready(const struct fc_site *site, u8 port);
/* Is the net-output available to a packet (section 4.6)? */
bool fc_netout_available(const struct fc_site *site, u8 port, u8 in, bool multi);
/* The router connects it: 'free to 'first. */
void fc_netout_connect(struct fc_site *site, u8 port, u8 in, u64 mask);
/* Front of the packet; with a terminator in the same flit nothing is sent yet. */
void fc_netout_front(struct fc_site *site, u8 port, const struct fc_flit *flit, bool keep,
		     struct fc_effects *fx);
/* A word of the packet. */
void fc_netout_pass(struct fc_site *site, u8 port, const struct fc_flit *flit, bool keep,
		    struct fc_effects *fx);
/* The terminator, of the given kind; releases the connection. */
void fc_netout_term(struct fc_site *site, u8 port, const struct fc_flit *flit, u8 parts,
		    bool keep, struct fc_effects *fx);
/* The levels changed: credit came, or the link was reset. */
void fc_netout_settle(struct fc_site *site, u8 port, struct fc_effects *fx);
/* abort-request from the fifo-buffer. */
void fc_netout_abort_request(struct fc_site *site, u8 port);

/* fifo.c: words for the operator; parts say which terminator, if any. */
void fc_fifo_word(struct fc_site *site, const struct fc_flit *flit, bool keep,
		  struct fc_effects *fx);
/* Room in the fifo-buffer changed. */
void fc_fifo_settle(struct fc_site *site);
/* No word for too long: wait again, longer. */
void fc_fifo_timeout(struct fc_site *site);

/* router.c */
enum fc_route {
	FC_ROUTE_SEEK,
	FC_ROUTE_CONNECTED,
};

/* Try to connect a net-input whose front is held. */
enum fc_route fc_router_connect(struct fc_site *site, u8 in, bool force, struct fc_effects *fx);
/* The net-input seeks no more: net-outputs kept for it are free to others. */
void fc_router_release_claims(struct fc_site *site, u8 in);

#endif /* FC_CORE_MACHINE_H */
