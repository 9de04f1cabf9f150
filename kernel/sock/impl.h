/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internals of a socket: for the files of kernel/sock only.
 */
#ifndef FLITCAST_SOCK_IMPL_H
#define FLITCAST_SOCK_IMPL_H

#include <linux/net.h>
#include <linux/sockptr.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "compat.h"
#include "ends/port.h"
#include "site/site.h"
#include "sock/conn.h"
#include "sock/cork.h"

/**
 * struct flitcast_sock - a socket
 * @sk: first, for the socket layer
 * @account: account to which the memory of its receive queue is charged (mem.c), under the site's
 *	lock; lives as long as @sk
 * @port: its port at a site, once bound
 * @bound: attached to a site; never reset; set under lock_sock, may be read without it by
 *	smp_load_acquire()
 * @tx_used: send buffer space that pending messages use, bytes
 * @tx_held: send buffer space that unread reports use besides, bytes
 * @tx_mem: bytes that the socket has allocated to send, and pages counted for them (mem.c)
 * @tx_waiting: calls of sendmsg() that wait for send buffer space
 * @tx_messages: messages accepted; concurrent calls count here
 * @rx_used: receive buffer space reserved, bytes, under the site's lock
 * @rx_pages: pages that the share counts for @account, under the site's lock
 * @rx_early: part of @rx_used that messages received out of order use
 * @timeout_ms: FLITCAST_TIMEOUT
 * @info: FLITCAST_INFO
 * @confirm: FLITCAST_CONFIRM
 * @long_high: its creator had CAP_NET_ADMIN: long messages may be of the high class, too
 * @copies: FLITCAST_COPIES
 * @slow: FLITCAST_SLOW_TARGET, under lock_sock
 * @report_lock: protects all down to @reports_lost; innermost
 * @reports: completed messages, to be read from the error queue
 * @nasked: number of reports that the program requested
 * @nunasked: number of reports of failures that it did not request
 * @unasked_targets: targets of the reports that @nunasked counts
 * @reports_lost: reports dropped since one was read
 * @ntargets: FLITCAST_TARGETS
 * @targets: FLITCAST_TARGETS, under lock_sock
 * @errmsg: FLITCAST_ERRMSG: constant text; NULL: the last call was not refused
 * @stats: counters, under the site's lock; but @reports_lost under @report_lock, and not
 *	tx_messages, see @tx_messages
 * @cork: pieces of a message, see cork.c
 * @conn: connection
 *
 * The lifetime is that of the sock.  The site refers to @port from bind() to the detach in
 * release(), and holds the sock for a wake-up after it has released its lock.  Lock order:
 * lock_sock > the site's lock > @conn.lock > the receive queue's.
 */
struct flitcast_sock {
	struct sock sk;
	struct sock *account;
	struct flitcast_port port;
	bool bound;
	atomic_t tx_used;
	atomic_t tx_held;
	atomic64_t tx_mem;
	atomic_t tx_waiting;
	atomic64_t tx_messages;
	u32 rx_used;
	long rx_pages;
	u32 rx_early;
	u32 timeout_ms;
	bool info;
	bool confirm;
	bool long_high;
	u8 copies;
	struct flitcast_slow_target slow;
	spinlock_t report_lock; /* see above */
	struct list_head reports;
	u32 nasked;
	u32 nunasked;
	u32 unasked_targets;
	u32 reports_lost;
	u32 ntargets;
	struct flitcast_target *targets;
	const char *errmsg;
	struct flitcast_sock_stats stats;
	struct flitcast_cork cork;
	struct flitcast_conn conn;
};

static inline struct flitcast_sock *to_fs(struct sock *sk)
{
	return container_of(sk, struct flitcast_sock, sk);
}

static inline struct flitcast_sock *port_fs(struct flitcast_port *port)
{
	return container_of(port, struct flitcast_sock, port);
}

/*
 * Begin to wait.  A waker changes the condition, and then checks for sleepers (skwq_has_sleeper(),
 * which begins with smp_mb()).  This barrier pairs with that one: either the waker finds @wait in
 * the queue, or the caller, which checks the condition next, finds the change.  Without it the
 * caller's load may pass the store that queues @wait, and both miss.  Later checks have the barrier
 * at the end of wait_woken().
 */
static inline void flitcast_wait_begin(struct sock *sk, struct wait_queue_entry *wait)
{
	add_wait_queue(sk_sleep(sk), wait);
	smp_mb(); /* pairs with the one of skwq_has_sleeper() */
}

/* As flitcast_wait_begin(), for exclusive waiters: a change wakes one of them. */
static inline void flitcast_wait_begin_exclusive(struct sock *sk, struct wait_queue_entry *wait)
{
	add_wait_queue_exclusive(sk_sleep(sk), wait);
	smp_mb(); /* pairs with the one of skwq_has_sleeper() */
}

static inline void flitcast_wait_end(struct sock *sk, struct wait_queue_entry *wait)
{
	remove_wait_queue(sk_sleep(sk), wait);
}

/*
 * The socket layer accepts SO_BINDTODEVICE and SO_BINDTOIFINDEX without asking the family.
 * Messages go by any link on their route, so calls of a socket that is bound to one device fail.
 */
static inline bool flitcast_device_asked(const struct sock *sk)
{
	return READ_ONCE(sk->sk_bound_dev_if);
}

/* A call begins: discard the reason (FLITCAST_ERRMSG) for which an earlier call failed. */
static inline void forget(struct flitcast_sock *fs)
{
	WRITE_ONCE(fs->errmsg, NULL);
}

static inline int refuse(struct flitcast_sock *fs, int err, const char *why)
{
	WRITE_ONCE(fs->errmsg, why);
	return err;
}

static inline int refuse_device(struct flitcast_sock *fs)
{
	return refuse(fs, -EOPNOTSUPP, "SO_BINDTODEVICE: messages go by any link of the site");
}

/* port.c */

extern const struct flitcast_port_ops flitcast_fs_port_ops;

/* recv.c */

int flitcast_recv_msg(struct socket *sock, struct msghdr *msg, size_t size, int flags);

/* option.c */

int flitcast_option_set(struct socket *sock, int level, int opt, sockptr_t optval,
			unsigned int optlen);
int flitcast_option_get(struct socket *sock, int level, int opt, char __user *optval,
			int __user *optlen);

/* make.c */

int flitcast_make_module_init(void);
void flitcast_make_module_exit(void);

/**
 * flitcast_sock_make() - create a socket; its type is not set yet
 * @net: namespace
 * @sock: socket layer's socket; NULL: sock_graft() will set it
 * @share: share that its memory is charged to; the socket takes a reference.  NULL: that of the
 *	user of @sock
 * @kern: a kernel socket
 *
 * Return: the socket, or NULL.
 */
struct flitcast_sock *flitcast_sock_make(struct net *net, struct socket *sock,
					 struct flitcast_share *share, bool kern);

#endif /* FLITCAST_SOCK_IMPL_H */
