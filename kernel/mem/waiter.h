/* SPDX-License-Identifier: GPL-2.0 */
/* Waiters for memory of a share (share.c). */
#ifndef FLITCAST_MEM_WAITER_H
#define FLITCAST_MEM_WAITER_H

#include <linux/rbtree.h>
#include <linux/types.h>

struct flitcast_share;
struct flitcast_waiter;

/**
 * struct flitcast_waiter_ops - how to wake a waiter
 * @hold: if any task waits, take a reference for a later @wake.  Return: false if no task waits.
 *	wait_lock, RCU read lock
 * @wake: wake the tasks; drops the reference of @hold.  Process context, no locks
 */
struct flitcast_waiter_ops {
	bool (*hold)(struct flitcast_waiter *waiter);
	void (*wake)(struct flitcast_waiter *waiter);
};

/**
 * struct flitcast_waiter - waits until a share may grow for sending; embedded in a port
 * @ops: functions
 * @node: entry in the tree of waiters of @share
 * @share: share for which it waits; set while @node is in the tree
 * @need: pages that it waits for
 *
 * wait_lock of share.c protects all but @ops.
 */
struct flitcast_waiter {
	const struct flitcast_waiter_ops *ops;
	struct rb_node node;
	struct flitcast_share *share;
	long need;
};

#endif /* FLITCAST_MEM_WAITER_H */
