/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of all sockets, in shares: one for each user.
 */
#ifndef FLITCAST_ENDS_SHARE_H
#define FLITCAST_ENDS_SHARE_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct flitcast_port;
struct flitcast_share;
struct net;

/* Pages of all sockets as /proc/net/protocols shows them. */
extern atomic_long_t flitcast_mem_allocated;

/* Set the limit by the memory of the host, unless the parameter did. */
void flitcast_share_init(void);
/* No socket and no site is left. */
void flitcast_share_exit(void);

/**
 * flitcast_share_find() - the share that pays for a socket
 * @net: namespace of the socket, which holds it
 * @uid: user that made the socket
 *
 * Each user has one share in each network namespace of the host's administrator.  All that a user
 * does in user namespaces of his own, and in network namespaces of these, counts for his share in
 * the initial one, because he may make as many as he likes.  A user namespace that root made has
 * one share for itself and all below it: this is one container.
 *
 * Context: process.
 *
 * Return: the share with a reference, or NULL: no memory.
 */
struct flitcast_share *flitcast_share_find(struct net *net, kuid_t uid);
struct flitcast_share *flitcast_share_get(struct flitcast_share *share);
void flitcast_share_put(struct flitcast_share *share);

/* The queue that a request takes pages for. */
enum flitcast_share_use {
	FLITCAST_SHARE_SEND,
	FLITCAST_SHARE_RECEIVE,
};

/**
 * flitcast_share_take() - take pages, if there are some for this share
 * @share: share
 * @pages: how many
 * @use: queue that they are for
 *
 * A share may hold as much as nobody holds (the dynamic threshold of switches with a shared
 * buffer, Choudhury and Hahne 1998): one user alone has half of the limit, and one who comes later
 * half of what the others have left.  Of the limit an eighth is for receiving, so that a user
 * receives whatever waits to be sent, and its last 64th for requests of two pages or fewer, so that
 * short messages go while the long ones of the same user wait.
 *
 * Context: any.
 *
 * Return: false where the share has no room for them: nothing is taken.
 */
bool flitcast_share_take(struct flitcast_share *share, long pages, enum flitcast_share_use use);
/* Take pages whatever the room.  Where there is none, they do not count for other shares. */
void flitcast_share_add(struct flitcast_share *share, long pages);
/* Give pages back.  Those who wait for some are woken by a work item. */
void flitcast_share_give(struct flitcast_share *share, long pages);
/* Would flitcast_share_take() succeed now, to send? */
bool flitcast_share_sendable(const struct flitcast_share *share, long pages);
/* Has it so much room that its sockets may keep pages for their next messages? */
bool flitcast_share_ample(const struct flitcast_share *share);
/* Pages that it holds. */
long flitcast_share_pages(const struct flitcast_share *share);
/* Are these more pages than a share can ever hold to send? */
bool flitcast_share_never(long pages);
/**
 * flitcast_share_wait() - wake the port once its share has room to send
 * @port: port with a share
 * @pages: the port needs so many; if it waits already, the fewer of both
 *
 * A sender calls this first, and looks for room afterwards.  The work item calls the port's @wake
 * once, for FLITCAST_WAKE_OUT; of the ports of a share first that of the one that needs least.  The
 * port must stay until then, or until flitcast_share_forget().
 *
 * Context: any.
 */
void flitcast_share_wait(struct flitcast_port *port, long pages);
/* The port goes.  It does not wait any more, and flitcast_share_wait() does nothing from now on. */
void flitcast_share_forget(struct flitcast_port *port);

#endif /* FLITCAST_ENDS_SHARE_H */
