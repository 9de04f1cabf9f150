/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside a socket: for the files of kernel/sock alone.
 */
#ifndef FLITCAST_SOCK_IMPL_H
#define FLITCAST_SOCK_IMPL_H

#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/sockptr.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "compat.h"
#include "site/port.h"
#include "site/site.h"
#include "sock/conn.h"

/**
 * struct flitcast_cork - the pieces of a message of which more will come (MSG_MORE)
 * @lock: held from one piece on until it is added, or the whole message is accepted
 * @data: the pieces so far; NULL: no message is being put together.  Under @lock; that there
 *	is none may be seen without it
 * @len: bytes of them
 * @size: bytes that @data has room for
 */
struct flitcast_cork {
	struct mutex lock; /* see above */
	u8 *data;
	u32 len;
	u32 size;
};

/**
 * struct flitcast_sock - a socket
 * @sk: first, for the socket layer
 * @account: what the memory of its receive queue is charged to (mem.c), under the site's lock;
 *	lives as long as @sk
 * @port: its place at a site, once bound
 * @bound: attached to a site, as it stays; set under lock_sock, may be looked at without it by
 *	smp_load_acquire()
 * @tx_used: send room that messages under way use, bytes
 * @tx_held: send room that unread reports use besides, bytes
 * @tx_mem: bytes that the socket has allocated to send, and pages counted for them (mem.c)
 * @tx_waiting: calls of sendmsg() that wait for send room
 * @tx_messages: messages accepted; several calls count at a time
 * @rx_used: receive room reserved, under the site's lock
 * @rx_pages: pages that the share counts for @account, under the site's lock
 * @rx_early: of this, for messages before their turn
 * @timeout_ms: FLITCAST_TIMEOUT
 * @info: FLITCAST_INFO
 * @confirm: FLITCAST_CONFIRM
 * @long_high: its maker had CAP_NET_ADMIN: long messages may be of the high class, too
 * @copies: FLITCAST_COPIES
 * @slow: FLITCAST_SLOW_TARGET, under lock_sock
 * @report_lock: protects all down to @reports_lost; innermost
 * @reports: messages that are over, to be read in the error queue
 * @nasked: of these, those that were asked for
 * @nunasked: and those of failures that nobody asked for
 * @unasked_targets: and their targets
 * @reports_lost: so many of them were dropped since one was read
 * @ntargets: FLITCAST_TARGETS
 * @targets: FLITCAST_TARGETS, under lock_sock
 * @errmsg: FLITCAST_ERRMSG: constant text; NULL: the last call was not refused
 * @stats: counters, under the site's lock; but @reports_lost under @report_lock, and not
 *	tx_messages, see @tx_messages
 * @cork: pieces of a message, see cork.c
 * @conn: connection
 *
 * The lifetime is that of the sock.  The site refers to @port from bind() to the
 * detach in release(), and holds the sock for a wake-up that comes after its
 * lock.  Lock order: lock_sock > the site's lock > @conn.lock > the receive queue's.
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
 * Wait from here on.  A waker changes what is waited for, and then looks whether anybody waits
 * (skwq_has_sleeper(), which begins with smp_mb()).  This barrier pairs with that one: either the
 * waker finds @wait in the queue, or the caller, who looks next, finds the change.  Without it the
 * caller's load may pass the store that queues @wait, and both miss.  Later looks have the
 * barrier at the end of wait_woken().
 */
static inline void flitcast_wait_begin(struct sock *sk, struct wait_queue_entry *wait)
{
	add_wait_queue(sk_sleep(sk), wait);
	smp_mb(); /* pairs with the one of skwq_has_sleeper() */
}

/* The same for one of several, of which a change wakes one. */
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
 * SO_BINDTODEVICE and SO_BINDTOIFINDEX are taken by the socket layer, which asks no family.
 * Messages go by whichever link is on their way, so a socket that asked for one device is refused
 * what it would not get.
 */
static inline bool flitcast_device_asked(const struct sock *sk)
{
	return READ_ONCE(sk->sk_bound_dev_if);
}

/* A call begins: nobody is interested any more in what an earlier one was refused for. */
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

/* sock.c */

/* The address family number; set when the module is loaded. */
extern int flitcast_sock_family;

/**
 * flitcast_sock_make() - a new socket, of no type yet
 * @net: namespace
 * @sock: what it is for; NULL: that is told later, by sock_graft()
 * @share: pays for its memory; the socket takes a reference.  NULL: that of the user of @sock
 * @kern: the kernel's own
 *
 * Return: the socket, or NULL.
 */
struct flitcast_sock *flitcast_sock_make(struct net *net, struct socket *sock,
					 struct flitcast_share *share, bool kern);

/* mem.c: memory; that of receive queues under the site's lock, but for init and end */

/**
 * flitcast_mem_account() - a new account for the receive queue of one socket
 * @net: namespace of the socket, which outlives the account
 *
 * The memory cgroup of the calling task pays.  Context: process.
 *
 * Return: the account, or NULL: no memory.
 */
struct sock *flitcast_mem_account(struct net *net);
/* Nothing is charged to it any more. */
void flitcast_mem_account_free(struct sock *account);

/* The memory cgroup of the one who made the socket, or NULL. */
struct mem_cgroup *flitcast_mem_cgroup(const struct flitcast_sock *fs);

int flitcast_mem_module_init(void);
void flitcast_mem_module_exit(void);
/* All that the socket has is given back.  The port is detached, and nobody calls any more. */
void flitcast_mem_end(struct flitcast_sock *fs);

/* Return: false where the family, the user's share or the socket's memory cgroup has no room. */
bool flitcast_mem_charge(struct flitcast_sock *fs, u32 size);
/* What is here already is charged whatever the room. */
void flitcast_mem_grow(struct flitcast_sock *fs, u32 size);
void flitcast_mem_uncharge(struct flitcast_sock *fs, u32 size);

/**
 * flitcast_mem_send() - count @bytes more of what the socket sends
 * @fs: socket
 * @bytes: they are given back with flitcast_mem_sent(); what is left when the port is detached is
 *	the site's
 *
 * Takes no lock of the site.  Context: process; flitcast_mem_sent() may be called anywhere.
 *
 * Return: false where the user's share has no room: the socket is woken when it has.
 */
bool flitcast_mem_send(struct flitcast_sock *fs, u32 bytes);
/* Count @bytes even if the share has no room for them. */
void flitcast_mem_send_always(struct flitcast_sock *fs, u32 bytes);
void flitcast_mem_sent(struct flitcast_sock *fs, u32 bytes);
/* Does flitcast_mem_send() find room now?  Also true for what can never be sent. */
bool flitcast_mem_sendable(const struct flitcast_sock *fs, u32 bytes);
/* Wake the socket when it does.  The caller looks once more after this. */
void flitcast_mem_wait(struct flitcast_sock *fs, u32 bytes);
/* Is this more than the share of any user can hold? */
bool flitcast_mem_never(u32 bytes);

/* port.c */

extern const struct flitcast_port_ops flitcast_fs_port_ops;

/* addr.c */

/* Is this an address of the family, with its padding zero? */
bool flitcast_addr_valid(const struct sockaddr_flitcast *addr, int len);
/* Bind to a site (0: or to the only one) and a port (0: a free one); under lock_sock. */
int flitcast_addr_bind_locked(struct flitcast_sock *fs, u32 id, u16 number);
/* Bind to this site; under lock_sock, or nobody else has the socket. */
int flitcast_addr_attach(struct flitcast_sock *fs, struct flitcast_site *site, u16 number);
int flitcast_addr_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len);
int flitcast_addr_getname(struct socket *sock, struct sockaddr *uaddr, int peer);

/* send.c */

int flitcast_send_msg(struct socket *sock, struct msghdr *msg, size_t len);
/* Is there room for any message the sysctl allows?  Then poll() says so. */
bool flitcast_send_writable(struct flitcast_sock *fs);
/* Is there room?  If the share of the user has none, the socket is woken when it has. */
bool flitcast_send_await(struct flitcast_sock *fs);
/* May poll() report EPOLLOUT?  If not, the socket is woken as soon as it may. */
bool flitcast_send_poll(struct flitcast_sock *fs);

/**
 * flitcast_send_kind() - send what is about a connection, and carries no data
 * @fs: bound socket
 * @kind: what it is
 * @re: id of the request that it answers
 * @site: to there
 * @port: to this port
 * @id: gets the message id, before anything is sent
 *
 * It goes whatever the send room.  Context: process.
 *
 * Return: 0, -ENOMEM, -ENETDOWN, -EHOSTUNREACH.
 */
int flitcast_send_kind(struct flitcast_sock *fs, enum fc_kind kind, u32 re, u32 site, u16 port,
		       u32 *id);

/* Send room in use, by messages under way and by unread reports. */
u32 flitcast_send_used(const struct flitcast_sock *fs);
/* sendmsg() of a whole message, whatever MSG_MORE says. */
int flitcast_send_whole(struct flitcast_sock *fs, struct msghdr *msg, size_t len);

/* cork.c */

void flitcast_cork_init(struct flitcast_sock *fs);
/* Forget the pieces; the socket is not used any more. */
void flitcast_cork_exit(struct flitcast_sock *fs);

/* Is a message being put together? */
static inline bool flitcast_cork_begun(const struct flitcast_sock *fs)
{
	return READ_ONCE(fs->cork.data);
}

/*
 * One more piece of a message, the last one without MSG_MORE.  Return: bytes of the piece, or an
 * error.  With -EAGAIN and -EINTR nothing has changed; with any other one the pieces are dropped.
 */
int flitcast_cork_send(struct flitcast_sock *fs, struct msghdr *msg, size_t len);
/* sendfile() has come to the end of its file (struct proto_ops). */
void flitcast_cork_eof(struct socket *sock);

/* filter.c */

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

/* report.c */

/* The longest time of FLITCAST_SLOW_TARGET. */
#define FLITCAST_SLOW_MAX_MS	(24 * 3600 * 1000)

/* A message is over; true: it is kept as a report.  Under the site's lock. */
bool flitcast_report_sent(struct flitcast_sock *fs, struct flitcast_sent *out);
/* Is there one that was asked for?  Of others the pending error tells. */
bool flitcast_report_any(struct flitcast_sock *fs);
/* recvmsg(MSG_ERRQUEUE): never waits. */
int flitcast_report_recv(struct flitcast_sock *fs, struct msghdr *msg, size_t size);
/* Let go of reports. */
void flitcast_report_purge(struct flitcast_sock *fs, struct list_head *list);
/* SO_LINGER: wait at close() for messages that are not over, or drop them. */
void flitcast_report_linger(struct flitcast_sock *fs);
/* Check what a program asks for.  Return: 0 or -EINVAL. */
int flitcast_report_slow(struct flitcast_sock *fs, const struct flitcast_slow_target *slow);

/* recv.c */

int flitcast_recv_msg(struct socket *sock, struct msghdr *msg, size_t size, int flags);

/* option.c */

int flitcast_option_set(struct socket *sock, int level, int opt, sockptr_t optval,
			unsigned int optlen);
int flitcast_option_get(struct socket *sock, int level, int opt, char __user *optval,
			int __user *optlen);

#endif /* FLITCAST_SOCK_IMPL_H */
