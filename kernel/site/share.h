/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of all sockets, in shares: one for each user.
 */
#ifndef FLITCAST_SITE_SHARE_H
#define FLITCAST_SITE_SHARE_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct flitcast_port;
struct flitcast_share;
struct net;

/* Pages of all sockets as /proc/net/protocols shows them, whether that is much, and the limits. */
extern atomic_long_t flitcast_mem_allocated;
extern unsigned long flitcast_mem_pressure;
extern long flitcast_mem_limits[3];

/* Set the limits by the memory of the host, unless the parameter did. */
void flitcast_share_init(void);
/* No socket and no site is left. */
void flitcast_share_exit(void);

/**
 * flitcast_share_find() - the share that pays for a socket
 * @net: namespace of the socket, which holds it
 * @uid: user that made the socket
 *
 * Each user has one share in each network namespace of the host's administrator.  All namespaces
 * that a user made in user namespaces of his own count for his share in the initial one, because
 * he may make as many as he likes.  What root made in a user namespace has one share for that
 * namespace and all below it: this is one container.
 *
 * Context: process.
 *
 * Return: the share with a reference, or NULL: no memory.
 */
struct flitcast_share *flitcast_share_find(struct net *net, kuid_t uid);
struct flitcast_share *flitcast_share_get(struct flitcast_share *share);
void flitcast_share_put(struct flitcast_share *share);

/**
 * flitcast_share_take() - take pages, if there are some for this share
 * @share: share
 * @pages: how many
 *
 * A share may hold as much as nobody holds (the dynamic threshold of switches with a shared
 * buffer, Choudhury and Hahne 1998): one user alone has half of the limit, and one who comes later
 * half of what the others have left.
 *
 * Context: any.
 *
 * Return: false where the share has no room for them: nothing is taken.
 */
bool flitcast_share_take(struct flitcast_share *share, long pages);
/* Take pages whatever the room. */
void flitcast_share_add(struct flitcast_share *share, long pages);
/* Give pages back.  Those who wait for some are woken by a work item. */
void flitcast_share_give(struct flitcast_share *share, long pages);
/* Would flitcast_share_take() succeed now? */
bool flitcast_share_room(const struct flitcast_share *share, long pages);
/* Are these more pages than a share can ever hold? */
bool flitcast_share_never(long pages);
/*
 * Count pages of send queues, or with a negative number give them back, in @flitcast_mem_allocated.
 * Receive queues are counted there by the kernel's functions.
 */
void flitcast_share_count_tx(long pages);

/**
 * flitcast_share_wait() - wake the port once its share has room
 * @port: port with a share
 * @pages: the port needs so many
 *
 * A sender calls this first, and looks for room afterwards.  The work item calls the port's @wake
 * once, for FLITCAST_WAKE_OUT; of the ports of a share first that of the one that needs least.  The
 * port must stay until then, or until flitcast_share_forget().
 *
 * Context: process.
 */
void flitcast_share_wait(struct flitcast_port *port, long pages);
void flitcast_share_forget(struct flitcast_port *port);

#endif /* FLITCAST_SITE_SHARE_H */
