/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sending flows: what one source sends to one target.
 */
#ifndef FLITCAST_ENDS_TXFLOW_H
#define FLITCAST_ENDS_TXFLOW_H

#include <linux/rbtree.h>
#include "core/txlist.h"
#include "ends/source.h"

struct flitcast_site;

/**
 * struct tx_flow - sending end of a flow
 * @src: source
 * @site: target site
 * @port: target port
 * @pending: targets of messages that are not over, in order
 * @heard: when the target last said anything
 * @news_at: when it last said anything new of any message
 * @level: all messages before this one are over at the target, as it says
 * @forward: in the site's tree while the target is to be told of what was given up
 * @forward_at: when it is told next
 * @forwards: how often it was told
 * @silent: the target did not answer in time: it is asked with its oldest message
 *	only, and nobody waits for it
 * @silent_since: it owes an answer since then
 * @unreachable: the last word was that there is no way to it
 * @users: messages that are about to begin and have it in their lists
 * @detached: left out of new messages, if it is the era of its source; 0: it never was
 * @spared: it was passed by when others gave way, because it is detached
 * @patience: that others have with its target
 * @core: numbers
 */
struct tx_flow {
	struct flitcast_source *src;
	u32 site;
	u16 port;
	struct list_head pending;
	u64 heard;
	u64 news_at;
	u64 silent_since;
	u32 level;
	struct rb_node forward;
	u64 forward_at;
	u32 users;
	u32 detached;
	u8 forwards;
	bool silent;
	bool unreachable;
	bool spared;
	struct fc_patience patience;
	struct fc_txflow core;
};

struct tx_flow *flitcast_txflow_find(struct flitcast_site *site, struct flitcast_source *src,
				     u32 target, u16 port);
/* Find it or make it, for which another may give way; NULL: no memory. */
struct tx_flow *flitcast_txflow_get(struct flitcast_site *site, struct flitcast_source *src,
				    u32 target, u16 port);
/* The source is over: its targets need keep nothing of it.  So many are told. */
void flitcast_txflow_tell_closed(struct flitcast_site *site, struct flitcast_source *src);
/* Free them all.  Context: may sleep; nobody else knows the source any more. */
void flitcast_txflow_free_all(struct flitcast_source *src);

/* Is the target left out of new messages? */
static inline bool flitcast_txflow_detached(const struct tx_flow *flow)
{
	return flow->detached == flow->src->era;
}

/* A message of the flow may be over: those behind it may be sent now. */
void flitcast_txflow_advance(struct flitcast_site *site, struct tx_flow *flow);
/* The target spoke: all before @level is over there. */
void flitcast_txflow_heard(struct flitcast_site *site, struct tx_flow *flow, u32 level);
/* The target did not answer in time, or did again. */
void flitcast_txflow_silent(struct flitcast_site *site, struct tx_flow *flow, bool silent);
/* A message was given up: the target is to be told, soon. */
void flitcast_txflow_forward(struct flitcast_site *site, struct tx_flow *flow);
/* The target waits from @level on for what is over here: it is to be told. */
void flitcast_txflow_behind(struct flitcast_site *site, struct tx_flow *flow, u32 level);
/*
 * Tell those it is time for, as far as the budget goes.  Return: a source one of whose targets is
 * not told any more, which may be over by that: to be called again; or NULL.
 */
struct flitcast_source *flitcast_txflow_time(struct flitcast_site *site, u64 now, int *budget);

#endif /* FLITCAST_ENDS_TXFLOW_H */
