/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sending ends of a site, for its files msg.c, tx.c, txpacket.c and source.c.
 * All under the site's lock, but for a message that was not handed over yet.
 */
#ifndef FLITCAST_SITE_TX_H
#define FLITCAST_SITE_TX_H

#include <linux/hashtable.h>
#include "site/impl.h"

/* Wait for an answer: several round trips, at least so long; doubles up to the last. */
#define RTO_FIRST_NS	(400 * NSEC_PER_MSEC)
#define RTO_LAST_NS	(4 * NSEC_PER_SEC)
/* For so long there must be no way to a target before it is given up. */
#define LOST_NS		(5 * NSEC_PER_SEC)

/**
 * struct tx_flow - sending end of a flow
 * @node: in the source's table
 * @site: target site
 * @port: target port
 * @pending: targets of messages that are not over, in order
 * @core: numbers
 */
struct tx_flow {
	struct hlist_node node;
	u32 site;
	u16 port;
	struct list_head pending;
	struct fc_txflow core;
};

/**
 * struct tx_target - one target of a message
 * @flow: its flow
 * @pending: in the flow's list until over
 * @msg: the message
 * @asked: since when it owes an answer; 0: it does not
 * @since: when it was accepted, had no room, or had no way: what happened last
 * @off: first byte, as the sender named it
 * @len: bytes, as the sender named them
 * @most: packets sent at least once
 * @sent_at: when its last packet was sent
 * @silent: it did not answer in time: nothing of it counts as under way before it does
 * @unreachable: the last answer said that there is no way
 * @lost: there is none, as far as this site itself knows
 * @core: progress
 */
struct tx_target {
	struct tx_flow *flow;
	struct list_head pending;
	struct flitcast_msg *msg;
	u64 asked;
	u64 since;
	u32 off;
	u32 len;
	u64 sent_at;
	u16 most;
	bool silent;
	bool unreachable;
	bool lost;
	struct fc_txtarget core;
};

/**
 * struct flitcast_source - the sending side of a port; outlives it until its
 * messages are over
 * @node: in the site's table
 * @number: of the socket, unique in the site's life
 * @port: NULL once closed
 * @src_port: its port number
 * @flows: by target
 * @nflows: how many
 * @next: number a new flow begins with: above all that an evicted one used
 * @next_id: id of the next message
 * @msgs: messages that are not over
 * @timeout: how long a target may stay silent, ns
 */
struct flitcast_source {
	struct hlist_node node;
	u32 number;
	struct flitcast_port *port;
	u16 src_port;
	DECLARE_HASHTABLE(flows, 5);
	unsigned int nflows;
	u32 next;
	u32 next_id;
	struct list_head msgs;
	u64 timeout;
};

/**
 * struct flitcast_msg - a message being sent
 * @refs: the site's list, and the packet being sent
 * @site_node: in the site's list of messages
 * @ready: in the site's list of those that may have something to send
 * @source_node: in the source's list
 * @source: its source
 * @id: message id
 * @len: bytes
 * @charge: send room it holds
 * @repeat_at: when to send again what is unconfirmed
 * @hold_until: until then the granted wait for the others; 0: never sent
 * @holding: they do
 * @begun: some of it was sent: it does not wait for its turn again
 * @active: it counts as under way, see msg_under_way()
 * @wait: current wait for an answer
 * @err: first failure
 * @list: the sender named a target list
 * @kind: enum fc_kind
 * @re: id of the message that it answers, where its kind is an answer
 * @ntargets: targets
 * @left: of these, not over
 * @target: targets
 * @npages: pages of data
 * @page: data
 */
struct flitcast_msg {
	refcount_t refs;
	struct list_head site_node;
	struct list_head ready;
	struct list_head source_node;
	struct flitcast_source *source;
	u32 id;
	u32 len;
	u32 charge;
	u64 repeat_at;
	u64 hold_until;
	u64 wait;
	int err;
	bool holding;
	bool begun;
	bool active;
	bool list;
	u8 kind;
	u32 re;
	u32 ntargets;
	u32 left;
	struct tx_target *target;
	unsigned int npages;
	struct page **page;
};

/* msg.c */

/* Let go of a message; the last one frees it. */
void flitcast_msg_put(struct flitcast_msg *msg);

/* tx.c */

struct tx_flow *flitcast_tx_flow(struct flitcast_source *src, u32 site, u16 port);
/* Flows without messages give way to others. */
void flitcast_tx_evict(struct flitcast_source *src);
/* The message may have something to send. */
void flitcast_tx_ready(struct flitcast_site *site, struct flitcast_msg *msg);
/* Its state changed: it may become active, or make place for another. */
void flitcast_tx_settle(struct flitcast_site *site, struct flitcast_msg *msg, bool over);
/* Give a target up; false if that was the end of the message. */
bool flitcast_tx_give_up(struct flitcast_site *site, struct tx_target *t, int err);
/* A closed source goes with its last message; its user has no more to do with it. */
void flitcast_tx_reap(struct flitcast_source *src);
void flitcast_tx_source_free(struct flitcast_source *src);

static inline u64 flitcast_tx_wait(const struct flitcast_site *site)
{
	return clamp_t(u64, 4 * site->srtt, RTO_FIRST_NS, RTO_LAST_NS);
}

/* Something end to end is due at that time. */
static inline void flitcast_tx_due(struct flitcast_site *site, u64 at)
{
	site->ends_at = min(site->ends_at, at);
}

#endif /* FLITCAST_SITE_TX_H */
