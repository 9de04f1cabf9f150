// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: the family, and the life of a socket.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <asm/ioctls.h>
#include <uapi/linux/flitcast.h>
#include "site/share.h"
#include "sock/impl.h"
#include "sock/sock.h"
#include "sock/sysctl.h"

int flitcast_sock_family = FLITCAST_FAMILY_DEFAULT;
module_param_named(family, flitcast_sock_family, int, 0444);
MODULE_PARM_DESC(family, "Address family number: one that the kernel does not use (default 19)");

/* A target may be silent or out of reach for so long, unless FLITCAST_TIMEOUT says else. */
#define TIMEOUT_DEFAULT_MS	30000

/* What the state of a connection lets one do at once, be it to fail. */
static __poll_t poll_connection(struct sock *sk)
{
	u8 shutdown = READ_ONCE(sk->sk_shutdown);
	__poll_t mask = 0;

	if (shutdown & RCV_SHUTDOWN)
		mask |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
	if (shutdown & SEND_SHUTDOWN)
		mask |= EPOLLOUT | EPOLLWRNORM;
	if (shutdown == SHUTDOWN_MASK || flitcast_conn_state(sk) == TCP_CLOSE)
		mask |= EPOLLHUP;
	return mask;
}

static __poll_t fs_poll(struct file *file, struct socket *sock, poll_table *wait)
{
	struct sock *sk = sock->sk;
	__poll_t mask = 0;
	u8 state;

	sock_poll_wait(file, sock, wait);
	state = flitcast_conn_state(sk);
	if (READ_ONCE(sk->sk_err) || flitcast_report_any(to_fs(sk)) ||
	    !skb_queue_empty_lockless(&sk->sk_error_queue))
		mask |= EPOLLERR;
	if (sk->sk_type == SOCK_SEQPACKET)
		mask |= poll_connection(sk);
	/* Also where recvmsg() is to go on looking, or tells that there is no memory for it. */
	if (flitcast_filter_readable(to_fs(sk)))
		mask |= EPOLLIN | EPOLLRDNORM;
	/* Neither who listens nor who waits for an answer can send. */
	if (mask & EPOLLOUT || state == TCP_LISTEN || state == TCP_SYN_SENT)
		return mask;
	if (flitcast_send_poll(to_fs(sk)))
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

/* The default asks for room by sk_wmem_alloc, which is not how it is counted here. */
static void fs_write_space(struct sock *sk)
{
	struct socket_wq *wq;

	/* Who waits for an answer to connect() takes room to send for the answer. */
	if (flitcast_conn_state(sk) == TCP_SYN_SENT)
		return;
	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_sync_poll(&wq->wait, EPOLLOUT | EPOLLWRNORM);
	/* A program with SIGIO need not call poll(): so the socket waits for its share here. */
	if (sock_flag(sk, SOCK_FASYNC) && flitcast_send_await(to_fs(sk)))
		sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}

static int fs_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct sock *sk = sock->sk;
	struct sk_buff *skb;
	int value = 0, err;

	switch (cmd) {
	case SIOCOUTQ:
		value = flitcast_send_used(to_fs(sk));
		break;
	case SIOCINQ:
		if (flitcast_conn_state(sk) == TCP_LISTEN)
			return -EINVAL;
		err = flitcast_filter_readable(to_fs(sk));
		/* The length of one that nobody has decided about says nothing. */
		if (!err || err == -EAGAIN)
			break;
		spin_lock_bh(&sk->sk_receive_queue.lock);
		skb = skb_peek(&sk->sk_receive_queue);
		if (skb)
			value = FLITCAST_DELIVERY(skb)->len;
		spin_unlock_bh(&sk->sk_receive_queue.lock);
		break;
	default:
		return -ENOIOCTLCMD;
	}
	return put_user(value, (int __user *)arg);
}

static int fs_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct flitcast_sock *fs = to_fs(sk);

	if (!sk)
		return 0;
	flitcast_report_linger(fs);
	lock_sock(sk);
	flitcast_listen_close(fs);
	flitcast_conn_close(fs);
	/* No delivery and no report comes after this; wake-ups hold the sock. */
	flitcast_port_detach(&fs->port);
	release_sock(sk);
	flitcast_conn_exit(fs);
	sock_orphan(sk);
	sock->sk = NULL;
	skb_queue_purge(&sk->sk_receive_queue);
	flitcast_report_purge(fs, &fs->reports);
	kvfree(fs->targets);
	flitcast_cork_exit(fs);
	flitcast_mem_end(fs);
	sock_put(sk);
	return 0;
}

FLITCAST_ACCEPT(flitcast_listen_accept);

static const struct proto_ops fs_seqpacket_ops = {
	.owner = THIS_MODULE,
	.release = fs_release,
	.bind = flitcast_addr_bind,
	.connect = flitcast_conn_connect,
	.socketpair = sock_no_socketpair,
	.accept = FLITCAST_ACCEPT_OP(flitcast_listen_accept),
	.getname = flitcast_addr_getname,
	.poll = fs_poll,
	.ioctl = fs_ioctl,
	.gettstamp = sock_gettstamp,
	.listen = flitcast_listen_listen,
	.shutdown = flitcast_conn_shutdown,
	.setsockopt = flitcast_option_set,
	.getsockopt = flitcast_option_get,
	.sendmsg = flitcast_send_msg,
	.recvmsg = flitcast_recv_msg,
	.mmap = sock_no_mmap,
	FLITCAST_SPLICE_EOF(flitcast_cork_eof)
};

static const struct proto_ops fs_rdm_ops = {
	.owner = THIS_MODULE,
	.release = fs_release,
	.bind = flitcast_addr_bind,
	.connect = flitcast_conn_connect,
	.socketpair = sock_no_socketpair,
	.accept = sock_no_accept,
	.getname = flitcast_addr_getname,
	.poll = fs_poll,
	.ioctl = fs_ioctl,
	.gettstamp = sock_gettstamp,
	.listen = sock_no_listen,
	.shutdown = sock_no_shutdown,
	.setsockopt = flitcast_option_set,
	.getsockopt = flitcast_option_get,
	.sendmsg = flitcast_send_msg,
	.recvmsg = flitcast_recv_msg,
	.mmap = sock_no_mmap,
	FLITCAST_SPLICE_EOF(flitcast_cork_eof)
};

/* This protocol accounts no memory: each socket has an account for that (mem.c). */
static struct proto fs_proto = {
	.name = "FLITCAST-SOCK",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct flitcast_sock),
};

/* What was sent without a copy may be done with after close(): it holds the sock until then. */
static void fs_destruct(struct sock *sk)
{
	skb_queue_purge(&sk->sk_error_queue);
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
	/* not charged here: the cache of the protocol charges */
	sk = sk_alloc(net, flitcast_sock_family, GFP_KERNEL, &fs_proto, kern);
	if (!sk)
		goto free;
	sock_init_data(sock, sk);
	sk->sk_write_space = fs_write_space;
	sk->sk_destruct = fs_destruct;
	sk->sk_rcvbuf = flitcast_sysctl_rmem(net);
	sk->sk_sndbuf = flitcast_sysctl_wmem(net);
	fs = to_fs(sk);
	fs->account = account;
	/* Also one that is not bound may wait for room in its share. */
	fs->port.ops = &flitcast_fs_port_ops;
	fs->port.share = share;
	RB_CLEAR_NODE(&fs->port.starved);
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

static int fs_create(struct net *net, struct socket *sock, int protocol, int kern)
{
	struct flitcast_sock *fs;

	if (sock->type != SOCK_RDM && sock->type != SOCK_SEQPACKET)
		return -ESOCKTNOSUPPORT;
	if (protocol)
		return -EPROTONOSUPPORT;
	sock->ops = sock->type == SOCK_RDM ? &fs_rdm_ops : &fs_seqpacket_ops;
	/* For io_uring. */
	set_bit(SOCK_SUPPORT_ZC, &sock->flags);
	fs = flitcast_sock_make(net, sock, NULL, kern);
	if (!fs)
		return -ENOMEM;
	fs->long_high = ns_capable_noaudit(net->user_ns, CAP_NET_ADMIN);
	return 0;
}

static struct net_proto_family fs_family = {
	.create = fs_create,
	.owner = THIS_MODULE,
};

int flitcast_sock_init(void)
{
	int err;

	if (flitcast_sock_family <= 0 || flitcast_sock_family >= AF_MAX) {
		pr_err("family=%d is not an address family number\n", flitcast_sock_family);
		return -EINVAL;
	}
	err = flitcast_sysctl_init();
	if (err)
		return err;
	err = flitcast_mem_module_init();
	if (err)
		goto sysctl;
	err = proto_register(&fs_proto, 1);
	if (err)
		goto mem;
	fs_family.family = flitcast_sock_family;
	err = sock_register(&fs_family);
	if (err) {
		pr_err("address family %d is in use: choose another one with family=\n",
		       flitcast_sock_family);
		goto proto;
	}
	return 0;
proto:
	proto_unregister(&fs_proto);
mem:
	flitcast_mem_module_exit();
sysctl:
	flitcast_sysctl_exit();
	return err;
}

void flitcast_sock_exit(void)
{
	sock_unregister(flitcast_sock_family);
	proto_unregister(&fs_proto);
	flitcast_mem_module_exit();
	flitcast_sysctl_exit();
}
