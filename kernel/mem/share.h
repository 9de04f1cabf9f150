/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of all sockets and of all sites, in shares by user (share.c). */
#ifndef FLITCAST_MEM_SHARE_H
#define FLITCAST_MEM_SHARE_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include "mem/waiter.h"

struct flitcast_share;
struct net;

/* Pages of all sockets, as shown in /proc/net/protocols. */
extern atomic_long_t flitcast_mem_allocated;

/* Set the limits by the memory of the host, unless the parameters did. */
void flitcast_share_init(void);
/* Called when no socket and no site is left. */
void flitcast_share_exit(void);

/**
 * flitcast_share_find() - the share that pays for a socket or a site
 * @net: namespace of it, which holds a reference
 * @uid: user that made it
 *
 * Each user has one share in each network namespace of the host's administrator.  What a user does
 * in user namespaces that the user created, and in network namespaces of these, is charged to the
 * user's share in the initial one, because their number is unlimited.  A user namespace created by
 * root (a container) has one share for itself and all namespaces below it.
 *
 * Context: process.
 *
 * Return: the share with a reference, or NULL: no memory.
 */
struct flitcast_share *flitcast_share_find(struct net *net, kuid_t uid);
struct flitcast_share *flitcast_share_get(struct flitcast_share *share);
void flitcast_share_put(struct flitcast_share *share);

/* The kind of queue for which pages are requested. */
enum flitcast_share_use {
	FLITCAST_SHARE_SEND,
	FLITCAST_SHARE_RECEIVE,
};

/**
 * flitcast_share_take() - charge pages of a socket to a share, if the limit allows it
 * @share: share
 * @pages: number of pages
 * @use: kind of queue that uses them
 *
 * A share may grow as long as it holds no more than is free (the dynamic threshold of switches with
 * a shared buffer, Choudhury and Hahne 1998): one user alone gets half of the limit, and a later
 * user half of what the others leave.  An eighth of the limit is reserved for receiving, so that
 * full send queues do not block reception, and a 64th for requests of at most two pages, so that
 * short messages pass while long ones of the same user wait.
 *
 * Context: any.
 *
 * Return: false if the limit does not allow it: nothing is charged.
 */
bool flitcast_share_take(struct flitcast_share *share, long pages, enum flitcast_share_use use);
/* Take pages even beyond the limit.  Those beyond it do not reduce what other shares may hold. */
void flitcast_share_add(struct flitcast_share *share, long pages);
/* Release pages.  A work item wakes waiting ports. */
void flitcast_share_give(struct flitcast_share *share, long pages);
/* Would flitcast_share_take() succeed now, for sending? */
bool flitcast_share_sendable(const struct flitcast_share *share, long pages);
/* Return: true if memory is ample, so that sockets may keep pages for their next messages. */
bool flitcast_share_ample(const struct flitcast_share *share);
/* Return: the pages that the sockets of a share hold, within the limit and beyond it. */
long flitcast_share_pages(const struct flitcast_share *share);
/* Return: true if a share can never hold so many pages for sending. */
bool flitcast_share_never(long pages);

/**
 * flitcast_share_site_take() - charge pages of a site to a share, if the limit allows it
 * @share: share
 * @pages: number of pages
 * @limited: the limit counts; if not, the pages do not reduce what other shares may hold
 *
 * Sites have a limit of their own, because a site reserves memory that it seldom uses.  As with
 * flitcast_share_take(), a share may hold no more than is free.
 *
 * Context: any.
 *
 * Return: false if the limit does not allow it: nothing is charged.
 */
bool flitcast_share_site_take(struct flitcast_share *share, long pages, bool limited);
/* As flitcast_share_site_take(), even beyond the limit. */
void flitcast_share_site_add(struct flitcast_share *share, long pages, bool limited);
/* Release pages of a site.  @limited: as when they were charged. */
void flitcast_share_site_give(struct flitcast_share *share, long pages, bool limited);
/* Count pages of sites that are in use, beside those that are reserved. */
void flitcast_share_held_add(struct flitcast_share *share, long pages);
/* Return: the pages so counted. */
long flitcast_share_held(const struct flitcast_share *share);
/* Return: the pages that the sites of a share hold. */
long flitcast_share_site_pages(const struct flitcast_share *share);
/* Return: the most pages for which flitcast_share_site_take() would succeed now. */
long flitcast_share_site_free(const struct flitcast_share *share);

void flitcast_waiter_init(struct flitcast_waiter *waiter, const struct flitcast_waiter_ops *ops);
/**
 * flitcast_share_wait() - wake a waiter once a share may grow for sending
 * @share: share
 * @waiter: waiter, which uses no other share
 * @pages: pages that it needs; if it waits already, the lower number counts
 *
 * A sender calls this first, and tries to take pages afterwards.  The work item wakes the waiter
 * once; the waiter of a share that needs least comes first.  The waiter must exist until then, or
 * until flitcast_share_forget().
 *
 * Context: any.
 */
void flitcast_share_wait(struct flitcast_share *share, struct flitcast_waiter *waiter, long pages);
/* Remove a waiter that is going away; later calls of flitcast_share_wait() for it do nothing. */
void flitcast_share_forget(struct flitcast_waiter *waiter);

#endif /* FLITCAST_MEM_SHARE_H */
