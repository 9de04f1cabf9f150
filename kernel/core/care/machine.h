/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal interface of the machines of a site: netin.c, netout.c, fifo.c, router.c and care.c.
 */
#ifndef FC_CORE_CARE_MACHINE_H
#define FC_CORE_CARE_MACHINE_H

#include "core/link/llr.h"
#include "core/care/care.h"

/* Reports a transition that no table has, which only a bug in this code can cause. */
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

/* Does the terminator end the current packet with the length that its front gave? */
static inline bool fc_netin_whole(const struct fc_in *in, const struct fc_flit *flit)
{
	return flit->parts & FC_PART_ABORT || flit->data == in->left;
}

/* A packet of several flits has begun to arrive: it is checked. */
static inline void fc_site_watch(struct fc_site *site)
{
	fc_stall_watch(&site->check, site->now, fc_stall_interval(site->node->timing->poll));
	fc_site_due(site, site->check.at);
}

/* netin.c: performs one transition.  Return: false if there is none to perform. */
bool fc_netin_step(struct fc_site *site, u8 port, struct fc_effects *fx);

/* netout.c */

/* May the net-output take a flit now?  It has credit or space, or no peer. */
bool fc_netout_ready(const struct fc_site *site, u8 port);
/* Is the net-output available to a packet (section 4.6)? */
bool fc_netout_available(const struct fc_site *site, u8 port, u8 in, bool multi);
/* The router connects the net-output: transition from state free to first. */
void fc_netout_connect(struct fc_site *site, u8 port, u8 in, u64 mask);
/* Takes the front of a packet; one with a terminator in the same flit is not sent yet. */
void fc_netout_front(struct fc_site *site, u8 port, const struct fc_flit *flit, bool keep,
		     struct fc_effects *fx);
/* Takes a word of the packet. */
void fc_netout_pass(struct fc_site *site, u8 port, const struct fc_flit *flit, bool keep,
		    struct fc_effects *fx);
/* Takes the terminator, with the given parts; releases the connection. */
void fc_netout_term(struct fc_site *site, u8 port, const struct fc_flit *flit, u8 parts,
		    bool keep, struct fc_effects *fx);
/* Credit arrived, or the link was reset: updates the state. */
void fc_netout_update(struct fc_site *site, u8 port, struct fc_effects *fx);
/* Processes an abort-request of the fifo-buffer. */
void fc_netout_abort_request(struct fc_site *site, u8 port);

/* fifo.c: takes a word for the operator; the parts of @flit name the terminator, if any. */
void fc_fifo_word(struct fc_site *site, const struct fc_flit *flit, bool keep,
		  struct fc_effects *fx);
/* The free space of the fifo-buffer changed. */
void fc_fifo_update(struct fc_site *site);
/* The time-out expired: doubles and restarts it. */
void fc_fifo_timeout(struct fc_site *site);

/* router.c */
enum fc_route {
	FC_ROUTE_SEEK,
	FC_ROUTE_CONNECTED,
};

/* Try to connect a net-input whose front is held. */
enum fc_route fc_router_connect(struct fc_site *site, u8 in, bool force, struct fc_effects *fx);
/* The net-input no longer seeks: releases the net-outputs that it claims. */
void fc_router_release_claims(struct fc_site *site, u8 in);

#endif /* FC_CORE_CARE_MACHINE_H */
