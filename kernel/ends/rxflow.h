/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiving flows of a site.
 */
#ifndef FLITCAST_ENDS_RXFLOW_H
#define FLITCAST_ENDS_RXFLOW_H

#include <linux/rbtree.h>
#include "ends/ends.h"
#include "ends/port.h"

struct rx_source;

/**
 * struct rx_key - whose flow it is
 * @src: source site
 * @incarnation: of that site
 * @sock: source socket
 * @port: local port number
 */
struct rx_key {
	u32 src;
	u32 incarnation;
	u32 sock;
	u32 port;
};

/**
 * struct rx_flow - receiving end of a flow
 * @node: in the tree of its source
 * @key: whose it is
 * @source: flows of the same source site
 * @lru: in the list of those of its source that are open, or that the source was asked about, or
 *	in that of all that are settled or closed
 * @over: in the list of those of its source that are settled or closed
 * @waiting: in the port's list of those that were refused for want of room, or of
 *	those that are invited
 * @held: in the port's list of those that hold something, or did
 * @owed: in the site's list while a confirmation is owed that can wait
 * @owed_at: when it is to be sent
 * @need: room that messages put off need, by number modulo window; 0: none
 * @invited: room reserved for the next message, 0: none
 * @until: the invitation ends
 * @used: time of the last packet
 * @asked_at: when the source was asked
 * @core: numbers and messages
 */
struct rx_flow {
	struct rb_node node;
	struct rx_key key;
	struct rx_source *source;
	struct list_head lru;
	struct list_head over;
	struct list_head waiting;
	struct list_head held;
	struct list_head owed;
	u64 owed_at;
	u32 need[FC_FLOW_WINDOW];
	u32 invited;
	u64 until;
	u64 used;
	u64 asked_at;
	struct fc_rxflow core;
};

/* Room that a message which was put off needs. */
static inline u32 *rx_need(struct rx_flow *flow, u32 seq)
{
	return &flow->need[seq % FC_FLOW_WINDOW];
}

/* It holds something for the port, from now on. */
static inline void rx_holds(struct rx_flow *flow, struct flitcast_port *port)
{
	if (list_empty(&flow->held))
		list_add_tail(&flow->held, &port->flows);
}

/* What flitcast_rxflow_find() does where it is not the one that was found last. */
struct rx_flow *flitcast_rxflow_look_up(struct flitcast_site *site, const struct rx_key *key);

static inline bool rx_key_equal(const struct rx_key *a, const struct rx_key *b)
{
	return a->src == b->src && a->sock == b->sock && a->port == b->port &&
	       a->incarnation == b->incarnation;
}

static inline struct rx_flow *flitcast_rxflow_find(struct flitcast_site *site,
						   const struct rx_key *key)
{
	struct rx_flow *flow = site->ends->rx.last;

	if (likely(flow && rx_key_equal(&flow->key, key)))
		return flow;
	return flitcast_rxflow_look_up(site, key);
}

/* May a flow that is not there have been forgotten? */
bool flitcast_rxflow_old(const struct flitcast_site *site, const struct rx_key *key);
/*
 * A new flow, at the cost of @port; another one may be forgotten for it.  Return: flow, or NULL:
 * there is no place, or no memory.
 */
struct rx_flow *flitcast_rxflow_make(struct flitcast_site *site, struct flitcast_port *port,
				     const struct rx_key *key);
/* A packet of it came. */
void flitcast_rxflow_used(struct flitcast_site *site, struct rx_flow *flow);
/*
 * The source says that all before @level is over; @closed: and that no more comes.  Return: true
 * if so is all that came here: the flow is not needed any more.
 */
bool flitcast_rxflow_settle(struct flitcast_site *site, struct rx_flow *flow, u32 level,
			    bool closed);

int flitcast_rxflow_alloc(struct flitcast_site *site);
/* Context: process; the site is dead, and its ports are detached. */
void flitcast_rxflow_free(struct flitcast_site *site);

/* rxmsg.c */

/* Ask the source of a flow what of it is over. */
void flitcast_rx_level_ask(struct flitcast_site *site, const struct rx_key *key, u32 seq,
			   u32 level);

/* Forget what a flow holds.  Return: messages. */
unsigned int flitcast_rxflow_empty(struct flitcast_site *site, struct rx_flow *flow);

#endif /* FLITCAST_ENDS_RXFLOW_H */
