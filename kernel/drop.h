/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why the module frees frames, flits and messages: those that were used are consumed, all others
 * are dropped for a reason of this table, which the tracepoint skb:kfree_skb and dropwatch show.
 *
 * The kernel gives numbers to reasons of its own subsystems only, so each reason here stands for
 * the nearest one that all supported kernels have.  The place of the drop, which they show, too,
 * and the counters tell those apart that share one.
 */
#ifndef FLITCAST_DROP_H
#define FLITCAST_DROP_H

#include <linux/skbuff.h>

/* X(identifier, reason of the kernel, meaning); Documentation/troubleshooting.rst has the same. */
#define FLITCAST_DROPS(X)							\
	X(STRANGER,	OTHERHOST,	"not from the link's peer, or from before it was up") \
	X(MALFORMED,	DEV_HDR,	"a header failed validation")		\
	X(PROTOCOL,	INVALID_PROTO,	"contradicts what was received before")	\
	X(CHECKSUM,	SKB_CSUM,	"corrupted")				\
	X(UNPROVEN,	XFRM_POLICY,	"the code of another key, or none")	\
	X(LIMITED,	CPU_BACKLOG,	"control frames above the rate")	\
	X(DOWN,		DEV_READY,	"a link, device or site is down, or went down") \
	X(FULL,		FULL_RING,	"a queue or a pool is full")		\
	X(NO_MEMORY,	NOMEM,		"an allocation failed")			\
	X(UNROUTABLE,	IP_OUTNOROUTES,	"no route to the targets")		\
	X(CUT,		PKT_TOO_SMALL,	"its packet was aborted, or is incomplete") \
	X(REFUSED,	NO_SOCKET,	"no socket, or no network device, receives it") \
	X(CLOSED,	TCP_CLOSE,	"a socket was closed that had not read it") \
	X(NO_SPACE,	SOCKET_RCVBUFF,	"the receive buffer, or the table of flows, is full") \
	X(FORGOTTEN,	PROTO_MEM,	"the flow was forgotten, or gave memory to others") \
	X(ABORTED,	TCP_RESET,	"its source aborted the message")	\
	X(FILTERED,	SOCKET_FILTER,	"a filter or a security module rejected it") \
	X(UNDECIDED,	SOCKET_FILTER,	"too few copies of a broadcast agreed with it") \
	X(LENGTH,	PKT_TOO_BIG,	"longer than the device carries")	\
	X(OFFLOAD,	SKB_GSO_SEG,	"an offload that the device does not know") \
	X(OWN,		OTHERHOST,	"sent to the site's own hardware address") \
	X(NESTED,	NOT_SPECIFIED,	"devices of sites over devices of sites")

#define FLITCAST_DROP_ENUM(id, ...)	FLITCAST_DROP_##id,

/* FLITCAST_USED: no drop, the frame is consumed. */
enum flitcast_drop {
	FLITCAST_USED,
	FLITCAST_DROPS(FLITCAST_DROP_ENUM)
};

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
