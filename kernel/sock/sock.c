// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: the family, and the operations of a socket.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <net/sock.h>
#include <asm/ioctls.h>
#include <uapi/linux/flitcast.h>
#include "drop.h"
#include "ends/message.h"
#include "sock/addr.h"
#include "sock/conn.h"
#include "sock/cork.h"
#include "sock/filter.h"
#include "sock/impl.h"
#include "sock/mem.h"
#include "sock/report.h"
#include "sock/room.h"
#include "sock/send.h"
#include "sock/sock.h"
#include "sock/sysctl.h"

/* Poll events from the state of a connection: calls that do not block, even if they fail. */
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
	/* Also if recvmsg() has more messages to filter (-EAGAIN), or fails for lack of memory. */
	if (flitcast_filter_readable(to_fs(sk)))
		mask |= EPOLLIN | EPOLLRDNORM;
	/* A listening or connecting socket cannot send. */
	if (mask & EPOLLOUT || state == TCP_LISTEN || state == TCP_SYN_SENT)
		return mask;
	if (flitcast_room_poll(to_fs(sk)))
		mask |= EPOLLOUT | EPOLLWRNORM;
	return mask;
}

static int fs_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct sock *sk = sock->sk;
	struct sk_buff *skb;
	int value = 0, err;

	switch (cmd) {
	case SIOCOUTQ:
		value = flitcast_room_used(to_fs(sk));
		break;
	case SIOCINQ:
		if (flitcast_conn_state(sk) == TCP_LISTEN)
			return -EINVAL;
		err = flitcast_filter_readable(to_fs(sk));
		/* The filter has not decided about the head of the queue yet: report no length. */
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

static int fs_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct sockaddr_flitcast *addr = (struct sockaddr_flitcast *)uaddr;
	struct flitcast_sock *fs = to_fs(sock->sk);
	struct flitcast_msg_dest dest;

	memset(addr, 0, sizeof(*addr));
	addr->sfc_family = flitcast_sock_family;
	addr->sfc_addrtype = FLITCAST_ADDR_SITE;
	if (peer) {
		if (!flitcast_conn_peer(fs, &dest))
			return -ENOTCONN;
		addr->sfc_site = dest.site;
		addr->sfc_port = dest.port;
		return sizeof(*addr);
	}
	lock_sock(sock->sk);
	if (fs->bound) {
		addr->sfc_site = flitcast_site_id(fs->port.site);
		addr->sfc_port = fs->port.number;
	} else {
		addr->sfc_site = FLITCAST_SITE_ANY;
	}
	release_sock(sock->sk);
	return sizeof(*addr);
}

static int fs_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct flitcast_sock *fs = to_fs(sock->sk);

	forget(fs);
	if (msg->msg_flags & MSG_OOB)
		return refuse(fs, -EOPNOTSUPP, "MSG_OOB: there is no out-of-band data");
	/* MSG_CONFIRM, MSG_DONTROUTE, MSG_EOR and sendmmsg()'s MSG_BATCH are hints: ignored. */
	if (msg->msg_flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CMSG_COMPAT | MSG_EOR |
			       MSG_BATCH | MSG_ZEROCOPY | MSG_CONFIRM | MSG_DONTROUTE |
			       FLITCAST_MSG_MORE | FLITCAST_MSG_PAGES))
		return refuse(fs, -EINVAL, "unknown flag");
	if (flitcast_device_asked(sock->sk))
		return refuse_device(fs);
	if (msg->msg_flags & FLITCAST_MSG_MORE || flitcast_cork_begun(&fs->cork))
		return flitcast_cork_send(fs, msg, len);
	return flitcast_send_whole(fs, msg, len);
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
	/* The site neither delivers nor reports after this; wake-ups hold the sock. */
	flitcast_port_detach(&fs->port);
	release_sock(sk);
	flitcast_conn_exit(fs);
	sock_orphan(sk);
	sock->sk = NULL;
	flitcast_drop_shared(&sk->sk_receive_queue, FLITCAST_DROP_CLOSED);
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
	.getname = fs_getname,
	.poll = fs_poll,
	.ioctl = fs_ioctl,
	.gettstamp = sock_gettstamp,
	.listen = flitcast_listen_listen,
	.shutdown = flitcast_conn_shutdown,
	.setsockopt = flitcast_option_set,
	.getsockopt = flitcast_option_get,
	.sendmsg = fs_sendmsg,
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
	.getname = fs_getname,
	.poll = fs_poll,
	.ioctl = fs_ioctl,
	.gettstamp = sock_gettstamp,
	.listen = sock_no_listen,
	.shutdown = sock_no_shutdown,
	.setsockopt = flitcast_option_set,
	.getsockopt = flitcast_option_get,
	.sendmsg = fs_sendmsg,
	.recvmsg = flitcast_recv_msg,
	.mmap = sock_no_mmap,
	FLITCAST_SPLICE_EOF(flitcast_cork_eof)
};

static int fs_create(struct net *net, struct socket *sock, int protocol, int kern)
{
	struct flitcast_sock *fs;

	if (sock->type != SOCK_RDM && sock->type != SOCK_SEQPACKET)
		return -ESOCKTNOSUPPORT;
	if (protocol)
		return -EPROTONOSUPPORT;
	sock->ops = sock->type == SOCK_RDM ? &fs_rdm_ops : &fs_seqpacket_ops;
	/* io_uring checks this flag before it sends without a copy. */
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
	err = flitcast_make_module_init();
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
	flitcast_make_module_exit();
mem:
	flitcast_mem_module_exit();
sysctl:
	flitcast_sysctl_exit();
	return err;
}

void flitcast_sock_exit(void)
{
	sock_unregister(flitcast_sock_family);
	flitcast_make_module_exit();
	flitcast_mem_module_exit();
	flitcast_sysctl_exit();
}
