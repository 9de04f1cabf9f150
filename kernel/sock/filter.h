/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filters of sockets (SO_ATTACH_FILTER).
 */
#ifndef FLITCAST_SOCK_FILTER_H
#define FLITCAST_SOCK_FILTER_H

#include <linux/skbuff.h>
#include "ends/port.h"

struct flitcast_sock;

/*
 * A message has arrived for the socket, under the site's lock.  Return: false if it must be
 * dropped.  The program of SO_ATTACH_FILTER runs later, see filter.c.
 */
bool flitcast_filter_deliver(struct flitcast_sock *fs, struct sk_buff *skb);

/* Most messages that a nonblocking call filters. */
#define FLITCAST_FILTER_BUDGET	64

/*
 * Is there a message to read?  Drops messages before it that the program rejects.  Return: 1 or 0;
 * -EAGAIN: the budget of one call is used up and there may be more messages; -ENOMEM.
 */
int flitcast_filter_readable(struct flitcast_sock *fs);
/* Slow path of flitcast_filter_taken(), for a message that was not filtered yet. */
int flitcast_filter_decide(struct flitcast_sock *fs, struct sk_buff *skb, int flags);
/*
 * Filter a message that recvmsg() with @flags took from the receive queue.  Return: 1 if the caller
 * may read it; 0 if the caller must take the next message (the skb was released); -ENOMEM: the
 * message is in the queue again.
 */
static inline int flitcast_filter_taken(struct flitcast_sock *fs, struct sk_buff *skb, int flags)
{
	return likely(!FLITCAST_DELIVERY(skb)->unfiltered) ? 1 :
	       flitcast_filter_decide(fs, skb, flags);
}

#endif /* FLITCAST_SOCK_FILTER_H */
