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
 * A message for the socket is there, under the site's lock.  Return: false if it is to be
 * dropped.  What a program decides (SO_ATTACH_FILTER) is asked later, see there.
 */
bool flitcast_filter_deliver(struct flitcast_sock *fs, struct sk_buff *skb);

/* Messages that one call decides about which does not wait. */
#define FLITCAST_FILTER_BUDGET	64

/*
 * Is there a message to be read?  Drops those before it that the program does not want.  Return: 1,
 * or 0; -EAGAIN: it has dropped as many as one call may, and there may be others; -ENOMEM.
 */
int flitcast_filter_readable(struct flitcast_sock *fs);
/* What flitcast_filter_taken() does with a message that was not looked at. */
int flitcast_filter_decide(struct flitcast_sock *fs, struct sk_buff *skb, int flags);
/*
 * A message was taken from the receive queue, by recvmsg() with @flags.  Return: 1 if it is to be
 * read, 0 if it is gone, and the next one is to be taken; -ENOMEM, and it is in the queue again.
 */
static inline int flitcast_filter_taken(struct flitcast_sock *fs, struct sk_buff *skb, int flags)
{
	return likely(!FLITCAST_DELIVERY(skb)->unfiltered) ? 1 :
	       flitcast_filter_decide(fs, skb, flags);
}

#endif /* FLITCAST_SOCK_FILTER_H */
