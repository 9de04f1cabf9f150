/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the machines of a site: for netin.c, netout.c, fifo.c, router.c and site.c
 * alone.
 */
#ifndef FC_CORE_CARE_MACHINE_H
#define FC_CORE_CARE_MACHINE_H

#include "core/link/llr.h"
#include "core/care/care.h"

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

static inline void fc_site_due(struct fc_site *site, u64 at)
{
	if (at < site->next_at)
		site->next_at = at;
}

/* Does this terminator end the packet in hand with the length that its front gave? */
static inline bool fc_netin_whole(const struct fc_in *in, const struct fc_flit *flit)
{
	return flit->parts & FC_PART_ABORT || flit->data == in->left;
}

/* netin.c: one transition; false if nothing is to be done. */
bool fc_netin_step(struct fc_site *site, u8 port, struct fc_effects *fx);

/* netout.c */

/* May the net-output take a flit now: it has credit (or room), or no peer to send the flit to. */
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
void fc_netout_update(struct fc_site *site, u8 port, struct fc_effects *fx);
/* abort-request from the fifo-buffer. */
void fc_netout_abort_request(struct fc_site *site, u8 port);

/* fifo.c: words for the operator; the parts of @flit name the terminator, if any. */
void fc_fifo_word(struct fc_site *site, const struct fc_flit *flit, bool keep,
		  struct fc_effects *fx);
/* Room in the fifo-buffer changed. */
void fc_fifo_update(struct fc_site *site);
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

#endif /* FC_CORE_CARE_MACHINE_H */
