/* SPDX-License-Identifier: GPL-2.0 */
/* Sending flows: what one source sends to one target (txflow.c). */
#ifndef FLITCAST_ENDS_TXFLOW_H
#define FLITCAST_ENDS_TXFLOW_H

#include <linux/rbtree.h>
#include "core/ends/txlist.h"
#include "ends/source.h"

struct flitcast_site;

/**
 * struct tx_flow - sending end of a flow
 * @src: source
 * @site: target site
 * @port: target port
 * @pending: targets (struct tx_target) of messages that are not completed, in sequence order
 * @responded_at: when the last control frame from the target arrived; 0: never
 * @news_at: when the last control frame with news of any message arrived
 * @acked: cumulative ack: the target waits for no message before this one
 * @forward: entry in flitcast_sender.forward, while FC_CTRL_FORWARD is to be sent
 * @forward_at: when FC_CTRL_FORWARD is sent next
 * @forwards: number of FC_CTRL_FORWARD sent
 * @unresponsive: the target is unresponsive: only its oldest message is sent, and other targets do
 *	not wait for it
 * @asked_since: since when an answer is outstanding
 * @unreachable: there is no route to the target, by the last report
 * @circle: packets to the target have crossed FC_HOPS_MAX links, by the last report
 * @users: messages being accepted that refer to the flow (msg_flows())
 * @detached: if equal to @src->era, the target is excluded from new messages; 0: never detached
 * @spared: the eviction passed over the flow once, because it is detached
 * @patience: how long other targets still wait for this one (txlist.h)
 * @core: sequence numbers
 */
struct tx_flow {
	struct flitcast_source *src;
	u32 site;
	u16 port;
	struct list_head pending;
	u64 responded_at;
	u64 news_at;
	u64 asked_since;
	u32 acked;
	struct rb_node forward;
	u64 forward_at;
	u32 users;
	u32 detached;
	u8 forwards;
	bool unresponsive;
	bool unreachable;
	bool circle;
	bool spared;
	struct fc_patience patience;
	struct fc_txflow core;
};

struct tx_flow *flitcast_txflow_find(struct flitcast_site *site, struct flitcast_source *src,
				     u32 target, u16 port);
/* Look up or create a flow; another flow may be evicted.  NULL: no memory. */
struct tx_flow *flitcast_txflow_get(struct flitcast_site *site, struct flitcast_source *src,
				    u32 target, u16 port);
/* Send FC_CTRL_CLOSED to some targets of a source that ends. */
void flitcast_txflow_send_closed(struct flitcast_site *site, struct flitcast_source *src);
/* Free all flows of a source.  Context: may sleep; the source is in no table. */
void flitcast_txflow_free_all(struct flitcast_source *src);

/* Return: true if the target is excluded from new messages. */
static inline bool flitcast_txflow_detached(const struct tx_flow *flow)
{
	return flow->detached == flow->src->era;
}

/*
 * Update the oldest outstanding message: if the window advances, queue the messages that now fit.
 */
void flitcast_txflow_advance(struct flitcast_site *site, struct tx_flow *flow);
/* A control frame arrived from the target, with cumulative ack @acked. */
void flitcast_txflow_responded(struct flitcast_site *site, struct tx_flow *flow, u32 acked);
/* Mark the target as unresponsive, or responsive again. */
void flitcast_txflow_unresponsive(struct flitcast_site *site, struct tx_flow *flow,
				  bool unresponsive);
/* A message was aborted: send FC_CTRL_FORWARD soon, unless the target knows already. */
void flitcast_txflow_forward(struct flitcast_site *site, struct tx_flow *flow);
/* The target still waits for message @acked, completed here: send FC_CTRL_FORWARD. */
void flitcast_txflow_behind(struct flitcast_site *site, struct tx_flow *flow, u32 acked);
/*
 * Send the FC_CTRL_FORWARD that are due, within the budget.  Return: a source with a flow for which
 * it was sent for the last time: the source may be freed by that, and the caller calls again; or
 * NULL.
 */
struct flitcast_source *flitcast_txflow_time(struct flitcast_site *site, u64 now, int *budget);

#endif /* FLITCAST_ENDS_TXFLOW_H */
