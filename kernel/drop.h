/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module frees frames, flits and messages by these functions: those that were used are
 * consumed, all others are dropped for a reason of FLITCAST_DROPS (drop_reason.h), which the
 * tracepoint skb:kfree_skb and dropwatch show.
 *
 * The kernel gives numbers to reasons of its own subsystems only, so each reason here stands for
 * the nearest one that all supported kernels have.  The place of the drop, which they show, too,
 * and the counters tell those apart that share one.
 */
#ifndef FLITCAST_DROP_H
#define FLITCAST_DROP_H

#include <linux/skbuff.h>
#include "drop_reason.h"

#define FLITCAST_DROP_REASON(id, reason, ...)	[FLITCAST_DROP_##id] = SKB_DROP_REASON_##reason,

static __always_inline enum skb_drop_reason flitcast_drop_reason(enum flitcast_drop why)
{
	static const enum skb_drop_reason reasons[] = {
		FLITCAST_DROPS(FLITCAST_DROP_REASON)
	};

	return reasons[why];
}

/*
 * The functions are inline, because the place of the drop is their caller's.  They take ownership
 * of the skb, which may be NULL; with FLITCAST_USED they consume it.
 */
static __always_inline void flitcast_drop(struct sk_buff *skb, enum flitcast_drop why)
{
	if (why == FLITCAST_USED)
		consume_skb(skb);
	else
		kfree_skb_reason(skb, flitcast_drop_reason(why));
}

/*
 * Count a frame that a link received, and drop it: the counter (core/wire/names.h) has the name of
 * the reason.  Context: of struct flitcast_link, @stat.
 */
#define flitcast_link_drop(link, skb, id)					\
do {										\
	(link)->stat[FC_LSTAT_RX_##id]++;					\
	flitcast_drop(skb, FLITCAST_DROP_##id);					\
} while (0)

/* Free the skbs of a queue, which is empty then.  Context: the caller owns the queue. */
static __always_inline void flitcast_drop_queue(struct sk_buff_head *queue, enum flitcast_drop why)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(queue)))
		flitcast_drop(skb, why);
}

/* As flitcast_drop_queue(), for a queue that others may use, under its lock. */
static __always_inline void flitcast_drop_shared(struct sk_buff_head *queue,
						 enum flitcast_drop why)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(queue)))
		flitcast_drop(skb, why);
}

/* Free skbs that are linked by @next. */
static __always_inline void flitcast_drop_list(struct sk_buff *skb, enum flitcast_drop why)
{
	struct sk_buff *next;

	for (; skb; skb = next) {
		next = skb->next;
		skb_mark_not_on_list(skb);
		flitcast_drop(skb, why);
	}
}

#endif /* FLITCAST_DROP_H */
