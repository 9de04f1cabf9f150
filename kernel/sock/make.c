// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: creation of a socket, and its destructor.
 */
#include <linux/module.h>
#include <net/sock.h>
#include "drop.h"
#include "mem/share.h"
#include "sock/addr.h"
#include "sock/conn.h"
#include "sock/cork.h"
#include "sock/impl.h"
#include "sock/mem.h"
#include "sock/room.h"
#include "sock/sysctl.h"

/* Default of FLITCAST_TIMEOUT: how long a target may be silent or out of reach. */
#define TIMEOUT_DEFAULT_MS	30000

/* sock_def_write_space() checks sk_wmem_alloc, which does not count the send buffer here. */
static void write_space(struct sock *sk)
{
	struct socket_wq *wq;

	/* During connect(), EPOLLOUT and SIGIO announce its answer, not free space. */
	if (flitcast_conn_state(sk) == TCP_SYN_SENT)
		return;
	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_sync_poll(&wq->wait, EPOLLOUT | EPOLLWRNORM);
	/* A program that uses SIGIO need not call poll(): wait for the user's share here. */
	if (sock_flag(sk, SOCK_FASYNC) && flitcast_room_await(to_fs(sk)))
		sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}

/* This protocol accounts no memory: the account of each socket does (mem.c). */
static struct proto fs_proto = {
	.name = "FLITCAST-SOCK",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct flitcast_sock),
};

/* A thread that waits for space in the share has to be woken. */
static bool waiter_hold(struct flitcast_waiter *waiter)
{
	struct flitcast_port *port = container_of(waiter, struct flitcast_port, waiter);

	return port->ops->hold(port);
}

static void waiter_wake(struct flitcast_waiter *waiter)
{
	struct flitcast_port *port = container_of(waiter, struct flitcast_port, waiter);

	port->ops->wake(port, FLITCAST_WAKE_OUT);
}

static const struct flitcast_waiter_ops waiter_ops = {
	.hold = waiter_hold,
	.wake = waiter_wake,
};

/* Runs after close(): zero-copy data in use holds the sock. */
static void destruct(struct sock *sk)
{
	flitcast_drop_shared(&sk->sk_error_queue, FLITCAST_USED);
	flitcast_mem_account_free(to_fs(sk)->account);
	flitcast_share_put(to_fs(sk)->port.share);
}

struct flitcast_sock *flitcast_sock_make(struct net *net, struct socket *sock,
					 struct flitcast_share *share, bool kern)
{
	struct flitcast_sock *fs;
	struct sock *account, *sk;

	share = share ? flitcast_share_get(share) :
			flitcast_share_find(net, SOCK_INODE(sock)->i_uid);
	if (!share)
		return NULL;
	account = flitcast_mem_account(net);
	if (!account)
		goto put;
	/* not charged here: the slab cache of the protocol charges */
	sk = sk_alloc(net, flitcast_sock_family, GFP_KERNEL, &fs_proto, kern);
	if (!sk)
		goto free;
	sock_init_data(sock, sk);
	sk->sk_write_space = write_space;
	sk->sk_destruct = destruct;
	sk->sk_rcvbuf = flitcast_sysctl_rmem(net);
	sk->sk_sndbuf = flitcast_sysctl_wmem(net);
	fs = to_fs(sk);
	fs->account = account;
	/* An unbound socket may wait for space in its share, too. */
	fs->port.ops = &flitcast_fs_port_ops;
	fs->port.share = share;
	flitcast_waiter_init(&fs->port.waiter, &waiter_ops);
	fs->timeout_ms = TIMEOUT_DEFAULT_MS;
	fs->copies = 1;
	flitcast_port_reception(&fs->port, FC_RECEPT_FIRST, 0, 1, NSEC_PER_SEC);
	spin_lock_init(&fs->report_lock);
	INIT_LIST_HEAD(&fs->reports);
	flitcast_cork_init(fs);
	flitcast_conn_init(fs);
	return fs;
free:
	flitcast_mem_account_free(account);
put:
	flitcast_share_put(share);
	return NULL;
}

int flitcast_make_module_init(void)
{
	return proto_register(&fs_proto, 1);
}

void flitcast_make_module_exit(void)
{
	proto_unregister(&fs_proto);
}
