/* SPDX-License-Identifier: GPL-2.0 */
/* Receiving flows of a site: table and eviction (rxflow.c). */
#ifndef FLITCAST_ENDS_RXFLOW_H
#define FLITCAST_ENDS_RXFLOW_H

#include <linux/rbtree.h>
#include "drop_reason.h"
#include "ends/state.h"
#include "ends/port.h"

struct rx_source;

/**
 * struct rx_key - key of a receiving flow
 * @src: source site
 * @incarnation: incarnation of that site
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
 * @node: entry in rx_source.flows
 * @key: source and local port
 * @source: the source site
 * @lru: entry in list @open or @asked of the source, or @completed or @closed of the site
 * @completed: entry in rx_source.completed, while the flow is completed or closed
 * @waiting: entry in the port's list @waiting (refused for lack of buffer space) or @granted (with
 *	a grant)
 * @held: entry in the port's list @flows, once the flow has held, or was refused, a message
 * @ack_pending: entry in flitcast_receiver.ack_pending, while a delayed ack is pending
 * @ack_at: when the delayed ack is due
 * @need: bytes of buffer space that messages answered by FC_CTRL_NO_SPACE need, by sequence number
 *	modulo window; 0: not refused
 * @granted: bytes granted (reserved) for the next message, 0: none
 * @until: when the grant expires
 * @used: when the source last sent a packet, FC_CTRL_FORWARD, or FC_CTRL_ASK of a refused message
 * @asked_at: when the source was last asked about the flow (FC_CTRL_RESYNC_REQ)
 * @core: sequence numbers and messages being received
 */
struct rx_flow {
	struct rb_node node;
	struct rx_key key;
	struct rx_source *source;
	struct list_head lru;
	struct list_head completed;
	struct list_head waiting;
	struct list_head held;
	struct list_head ack_pending;
	u64 ack_at;
	u32 need[FC_FLOW_WINDOW];
	u32 granted;
	u64 until;
	u64 used;
	u64 asked_at;
	struct fc_rxflow core;
};

/* Return: pointer to the bytes that a refused message needs (@need). */
static inline u32 *rx_need(struct rx_flow *flow, u32 seq)
{
	return &flow->need[seq % FC_FLOW_WINDOW];
}

/* Let flitcast_rx_reclaim() check the flow: it is about to hold a message, or was refused one. */
static inline void rx_holds(struct rx_flow *flow, struct flitcast_port *port)
{
	if (list_empty(&flow->held))
		list_add_tail(&flow->held, &port->flows);
}

/* Slow path of flitcast_rxflow_find(): the flow is not the one found last. */
struct rx_flow *flitcast_rxflow_lookup(struct flitcast_site *site, const struct rx_key *key);

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
	return flitcast_rxflow_lookup(site, key);
}

/*
 * Return: true if a flow with @key, which is not in the table, may have been evicted: a flow of its
 * source with this or a newer socket was evicted, or that is unknown.
 */
bool flitcast_rxflow_old(const struct flitcast_site *site, const struct rx_key *key);
/*
 * Create a flow, charged to the memory cgroup of @port; another flow may be evicted for it.
 * Return: the flow, or NULL: the table is full, or no memory.
 */
struct rx_flow *flitcast_rxflow_make(struct flitcast_site *site, struct flitcast_port *port,
				     const struct rx_key *key);
/* Set @used to now: the flow is in use, no longer asked, completed or closed. */
void flitcast_rxflow_used(struct flitcast_site *site, struct rx_flow *flow);
/*
 * The source keeps no message before @oldest, and sends no more if @closed.  If @oldest is the next
 * message of the flow, and the flow has no message, refusal or grant, make it completed or closed,
 * so that it may be evicted.  Return: true if so.
 */
bool flitcast_rxflow_update(struct flitcast_site *site, struct rx_flow *flow, u32 oldest,
			    bool closed);

int flitcast_rxflow_alloc(struct flitcast_site *site);
/* Free all flows.  Context: process; the site is dead, and its ports are detached. */
void flitcast_rxflow_free(struct flitcast_site *site);

/* rxmsg.c */

/* Ask the source of a flow which messages are completed or aborted (FC_CTRL_RESYNC_REQ). */
void flitcast_rx_resync(struct flitcast_site *site, const struct rx_key *key, u32 seq,
			u32 oldest);

/* Drop all messages, refusals and grants of a flow.  Return: number of messages dropped. */
unsigned int flitcast_rxflow_empty(struct flitcast_site *site, struct rx_flow *flow,
				   enum flitcast_drop why);

#endif /* FLITCAST_ENDS_RXFLOW_H */
