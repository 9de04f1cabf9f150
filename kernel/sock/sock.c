// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: sockets.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/uio.h>
#include <net/sock.h>
#include <asm/ioctls.h>
#include <uapi/linux/flitcast.h>
#include "compat.h"
#include "site/port.h"
#include "site/site.h"
#include "sock/sock.h"
#include "sock/sysctl.h"

static int family = FLITCAST_FAMILY_DEFAULT;
module_param(family, int, 0444);
MODULE_PARM_DESC(family, "Address family number: one that the kernel does not use (default 19)");

/* A target may be silent or out of reach for so long, unless FLITCAST_TIMEOUT says else. */
#define TIMEOUT_DEFAULT_MS	30000
#define TIMEOUT_MIN_MS		100
#define TIMEOUT_MAX_MS		(24 * 3600 * 1000)

/**
 * struct flitcast_sock - a socket
 * @sk: first, for the socket layer
 * @port: its place at a site, once bound
 * @bound: attached to a site; under lock_sock
 * @tx_used: send room in use
 * @rx_used: receive room reserved, under the site's lock
 * @rx_early: of this, for messages before their turn
 * @timeout_ms: FLITCAST_TIMEOUT
 * @info: FLITCAST_INFO
 * @ntargets: FLITCAST_TARGETS
 * @targets: FLITCAST_TARGETS, under lock_sock
 * @errmsg: FLITCAST_ERRMSG: constant text
 * @stats: counters
 *
 * The lifetime is that of the sock.  The site refers to @port from bind() to the
 * detach in release(), and holds the sock for a wake-up that comes after its
 * lock.  Lock order: lock_sock > the site's lock > the receive queue's.
 */
struct flitcast_sock {
	struct sock sk;
	struct flitcast_port port;
	bool bound;
	atomic_t tx_used;
	u32 rx_used;
	u32 rx_early;
	u32 timeout_ms;
	bool info;
	u32 ntargets;
	struct flitcast_target *targets;
	const char *errmsg;
	struct flitcast_sock_stats stats;
};

static struct flitcast_sock *to_fs(struct sock *sk)
{
	return container_of(sk, struct flitcast_sock, sk);
}

static struct flitcast_sock *port_fs(struct flitcast_port *port)
{
	return container_of(port, struct flitcast_sock, port);
}

static int refuse(struct flitcast_sock *fs, int err, const char *why)
{
	WRITE_ONCE(fs->errmsg, why);
	return err;
}

/*
 * What the site asks of the port.
 */

static bool fs_charge(struct flitcast_port *port, u32 charge, bool early)
{
	struct flitcast_sock *fs = port_fs(port);
	u32 room = READ_ONCE(fs->sk.sk_rcvbuf);

	/*
	 * Messages before their turn may have half of the room: the other half is for
	 * those they wait for.  And one message whose turn it is always goes in, or a
	 * small buffer would stop everything.
	 */
	if (early ? fs->rx_early + charge > room / 2 || fs->rx_used + charge > room :
		    fs->rx_used + charge > room && fs->rx_used != fs->rx_early) {
		fs->stats.rx_no_room++;
		return false;
	}
	fs->rx_used += charge;
	if (early)
		fs->rx_early += charge;
	return true;
}

static void fs_promote(struct flitcast_port *port, u32 charge)
{
	port_fs(port)->rx_early -= charge;
}

static void fs_uncharge(struct flitcast_port *port, u32 charge, bool early)
{
	struct flitcast_sock *fs = port_fs(port);

	fs->rx_used -= charge;
	if (early)
		fs->rx_early -= charge;
}

static void fs_deliver(struct flitcast_port *port, struct sk_buff *skb)
{
	struct flitcast_sock *fs = port_fs(port);

	fs->stats.rx_messages++;
	skb_queue_tail(&fs->sk.sk_receive_queue, skb);
}

static void fs_sent(struct flitcast_port *port, u32 charge, int err)
{
	struct flitcast_sock *fs = port_fs(port);

	atomic_sub(charge, &fs->tx_used);
	if (err) {
		fs->stats.tx_failed++;
		WRITE_ONCE(fs->sk.sk_err, -err);
	} else {
		fs->stats.tx_confirmed++;
	}
}

static void fs_detach(struct flitcast_port *port)
{
	WRITE_ONCE(port_fs(port)->sk.sk_err, ENETDOWN);
}

static void fs_hold(struct flitcast_port *port)
{
	sock_hold(&port_fs(port)->sk);
}

static void fs_wake(struct flitcast_port *port, unsigned int mask)
{
	struct sock *sk = &port_fs(port)->sk;

	if (mask & FLITCAST_WAKE_IN)
		sk->sk_data_ready(sk);
	if (mask & FLITCAST_WAKE_OUT)
		sk->sk_write_space(sk);
	if (mask & FLITCAST_WAKE_ERR)
		sk_error_report(sk);
	sock_put(sk);
}

static const struct flitcast_port_ops fs_port_ops = {
	.charge = fs_charge,
	.promote = fs_promote,
	.uncharge = fs_uncharge,
	.deliver = fs_deliver,
	.sent = fs_sent,
	.detach = fs_detach,
	.hold = fs_hold,
	.wake = fs_wake,
};

/*
 * bind
 */

static struct flitcast_site *site_named(struct net *net, u32 id)
{
	struct flitcast_site *site = flitcast_site_get(net, id);

	/* 0 is a site like any other where there is one, else the only one. */
	if (!site && !id)
		site = flitcast_site_get(net, FLITCAST_SITE_ANY);
	return site;
}

static int bind_locked(struct flitcast_sock *fs, u32 id, u16 number)
{
	struct net *net = sock_net(&fs->sk);
	struct flitcast_site *site;
	int err;

	if (number && number < FLITCAST_PORT_RESERVED &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return refuse(fs, -EACCES, "ports below 1024 need CAP_NET_BIND_SERVICE");
	site = site_named(net, id);
	if (!site) {
		site = flitcast_site_next(net, 0);
		if (!site)
			return refuse(fs, -ENETDOWN, "no site in this network namespace");
		flitcast_site_put(site);
		return refuse(fs, -EADDRNOTAVAIL,
			      "no such site here, or several and none named");
	}
	fs->port.ops = &fs_port_ops;
	fs->port.timeout = (u64)fs->timeout_ms * NSEC_PER_MSEC;
	err = flitcast_port_attach(&fs->port, site, number);
	flitcast_site_put(site);
	if (err)
		return refuse(fs, err, err == -EADDRINUSE ? "port is in use" : "cannot attach");
	fs->bound = true;
	return 0;
}

static bool addr_valid(const struct sockaddr_flitcast *addr, int len)
{
	return len == sizeof(*addr) && addr->sfc_family == family && !addr->sfc_zero &&
	       !addr->sfc_zero2;
}

static int fs_bind(struct socket *sock, struct sockaddr_unsized *uaddr, int len)
{
	struct sockaddr_flitcast *addr = (struct sockaddr_flitcast *)uaddr;
	struct flitcast_sock *fs = to_fs(sock->sk);
	int err;

	if (!addr_valid(addr, len) || addr->sfc_addrtype != FLITCAST_ADDR_SITE ||
	    addr->sfc_copies)
		return refuse(fs, -EINVAL, "malformed address");
	lock_sock(sock->sk);
	err = fs->bound ? refuse(fs, -EINVAL, "socket is bound") :
			  bind_locked(fs, addr->sfc_site, addr->sfc_port);
	release_sock(sock->sk);
	return err;
}

static int fs_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct sockaddr_flitcast *addr = (struct sockaddr_flitcast *)uaddr;
	struct flitcast_sock *fs = to_fs(sock->sk);

	if (peer)
		return -ENOTCONN;
	memset(addr, 0, sizeof(*addr));
	addr->sfc_family = family;
	addr->sfc_addrtype = FLITCAST_ADDR_SITE;
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

/*
 * sendmsg
 */

static int compare_targets(const void *a, const void *b)
{
	const struct flitcast_msg_dest *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return (int)x->port - (int)y->port;
}

/* Check a target list; the destinations come back sorted by site and port. */
static int dests_from(struct flitcast_sock *fs, const struct flitcast_target *targets, u32 n,
		      u32 len, struct flitcast_msg_dest *dests)
{
	u32 i;

	for (i = 0; i < n; i++) {
		const struct flitcast_target *t = &targets[i];

		if (t->flags || !t->port)
			return refuse(fs, -EINVAL, "target with flags or without port");
		if (t->offset > len || t->length > len - t->offset)
			return refuse(fs, -EINVAL, "part of a target is not within the message");
		dests[i] = (struct flitcast_msg_dest) {
			.site = t->site, .port = t->port, .off = t->offset, .len = t->length,
		};
	}
	sort(dests, n, sizeof(*dests), compare_targets, NULL);
	for (i = 1; i < n; i++)
		if (!compare_targets(&dests[i - 1], &dests[i]))
			return refuse(fs, -EINVAL, "target named twice");
	return 0;
}

/* Targets of this message: from a control message or from the option. */
static int gather(struct flitcast_sock *fs, struct msghdr *msg, u32 len,
		  struct flitcast_msg_dest **out, u32 *count)
{
	const struct sockaddr_flitcast *addr = msg->msg_name;
	const struct flitcast_target *targets = fs->targets;
	struct flitcast_msg_dest *dests;
	u32 n = fs->ntargets;
	struct cmsghdr *cmsg;
	bool given = false;
	int err;

	if (!addr || !msg->msg_namelen)
		return refuse(fs, -EDESTADDRREQ, "no destination");
	if (!addr_valid(addr, msg->msg_namelen))
		return refuse(fs, -EINVAL, "malformed address");
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return refuse(fs, -EINVAL, "malformed control message");
		if (cmsg->cmsg_level != SOL_FLITCAST)
			continue;
		if (cmsg->cmsg_type != FLITCAST_TARGETS || given)
			return refuse(fs, -EINVAL, "unknown or repeated control message");
		n = cmsg->cmsg_len - CMSG_LEN(0);
		if (n % sizeof(*targets))
			return refuse(fs, -EINVAL, "target list is not a list of targets");
		n /= sizeof(*targets);
		targets = CMSG_DATA(cmsg);
		given = true;
	}
	switch (addr->sfc_addrtype) {
	case FLITCAST_ADDR_SITE:
		if (given)
			return refuse(fs, -EINVAL, "a site and a target list");
		if (addr->sfc_copies || !addr->sfc_port)
			return refuse(fs, -EINVAL, "malformed address");
		dests = kzalloc(sizeof(*dests), GFP_KERNEL_ACCOUNT);
		if (!dests)
			return -ENOMEM;
		dests->site = addr->sfc_site;
		dests->port = addr->sfc_port;
		*out = dests;
		*count = 1;
		return 0;
	case FLITCAST_ADDR_LIST:
		if (addr->sfc_copies || addr->sfc_port || addr->sfc_site)
			return refuse(fs, -EINVAL, "malformed address");
		break;
	case FLITCAST_ADDR_BROADCAST:
		return refuse(fs, -EOPNOTSUPP, "broadcast is not there yet");
	default:
		return refuse(fs, -EINVAL, "unknown address type");
	}
	if (!n)
		return refuse(fs, -EDESTADDRREQ, "no targets");
	if (n > FLITCAST_TARGETS_MAX)
		return refuse(fs, -EINVAL, "more than 1024 targets");
	dests = kvmalloc_array(n, sizeof(*dests), GFP_KERNEL_ACCOUNT);
	if (!dests)
		return -ENOMEM;
	err = dests_from(fs, targets, n, len, dests);
	if (err) {
		kvfree(dests);
		return err;
	}
	*out = dests;
	*count = n;
	return 0;
}

/* What a message takes of the send room. */
static u32 tx_charge(u32 len, u32 ntargets)
{
	return PAGE_ALIGN(len) + 512 + ntargets * 128;
}

static bool tx_reserve(struct flitcast_sock *fs, u32 charge)
{
	int used = atomic_read(&fs->tx_used);

	do {
		/* One message always goes, whatever the buffer. */
		if (used && (u64)used + charge > READ_ONCE(fs->sk.sk_sndbuf))
			return false;
	} while (!atomic_try_cmpxchg(&fs->tx_used, &used, used + charge));
	return true;
}

/* Is there room for any message the sysctl allows?  Then poll() says so. */
static bool tx_writable(struct flitcast_sock *fs)
{
	u32 most = flitcast_sysctl_message_max(sock_net(&fs->sk));
	int used = atomic_read(&fs->tx_used);

	return !used || (u64)used + tx_charge(most, 64) <= READ_ONCE(fs->sk.sk_sndbuf);
}

static int tx_wait(struct flitcast_sock *fs, u32 charge, long *timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = &fs->sk;
	int err = 0;

	add_wait_queue(sk_sleep(sk), &wait);
	while (!tx_reserve(fs, charge)) {
		err = sock_error(sk);
		if (err)
			break;
		err = -EAGAIN;
		if (!*timeo)
			break;
		if (signal_pending(current)) {
			err = sock_intr_errno(*timeo);
			break;
		}
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
		*timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, *timeo);
		err = 0;
	}
	remove_wait_queue(sk_sleep(sk), &wait);
	return err;
}

static int fs_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	struct flitcast_sock *fs = to_fs(sk);
	u32 most = flitcast_sysctl_message_max(sock_net(sk));
	long timeo = sock_sndtimeo(sk, msg->msg_flags & MSG_DONTWAIT);
	const struct sockaddr_flitcast *addr = msg->msg_name;
	struct flitcast_msg_dest *dests = NULL;
	u32 ndests = 0, charge, i, id;
	struct flitcast_msg *m;
	int err;

	/* MSG_BATCH is sendmmsg()'s: more will come. */
	if (msg->msg_flags & ~(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CMSG_COMPAT | MSG_EOR |
			       MSG_BATCH))
		return refuse(fs, -EINVAL, "unknown flag");
	err = sock_error(sk);
	if (err)
		return err;
	if (len > most)
		return refuse(fs, -EMSGSIZE, "message above net.flitcast.message_max");

	lock_sock(sk);
	err = fs->bound ? 0 : bind_locked(fs, 0, 0);
	if (!err)
		err = gather(fs, msg, len, &dests, &ndests);
	release_sock(sk);
	if (err)
		return err;
	err = -ENETDOWN;
	if (flitcast_site_dead(fs->port.site))
		goto out;

	charge = tx_charge(len, ndests);
	err = tx_wait(fs, charge, &timeo);
	if (err)
		goto out;
	err = -ENOMEM;
	m = flitcast_msg_alloc(len, ndests, GFP_KERNEL_ACCOUNT);
	if (!m)
		goto uncharge;
	for (i = 0; i < len; i += PAGE_SIZE) {
		u32 n = min_t(u32, PAGE_SIZE, len - i);

		err = -EFAULT;
		if (copy_page_from_iter(flitcast_msg_page(m, i / PAGE_SIZE), 0, n,
					&msg->msg_iter) != n)
			goto free;
	}
	err = flitcast_msg_send(&fs->port, m, dests, charge,
				addr->sfc_addrtype == FLITCAST_ADDR_LIST, &id);
	if (err) {
		if (err == -EHOSTUNREACH)
			refuse(fs, err, "the topology has no such site");
		goto free;
	}
	fs->stats.tx_messages++;
	kvfree(dests);
	return len;
free:
	flitcast_msg_free(m);
uncharge:
	atomic_sub(charge, &fs->tx_used);
	sk->sk_write_space(sk);
out:
	kvfree(dests);
	return err;
}

/*
 * recvmsg
 */

static void put_info(struct msghdr *msg, const struct flitcast_delivery *d)
{
	struct flitcast_info info = {
		.addrtype = d->list ? FLITCAST_ADDR_LIST : FLITCAST_ADDR_SITE,
		.copies = 1, .votes = 1, .id = d->id, .hops = d->hops,
		.offset = d->offset, .length = d->msg_len,
	};

	put_cmsg(msg, SOL_FLITCAST, FLITCAST_INFO, sizeof(info), &info);
}

static int fs_recvmsg(struct socket *sock, struct msghdr *msg, size_t size, int flags)
{
	struct sock *sk = sock->sk;
	struct flitcast_sock *fs = to_fs(sk);
	const struct flitcast_delivery *d;
	struct sk_buff *skb;
	u32 charge;
	int err, n;

	if (flags & ~(MSG_DONTWAIT | MSG_TRUNC | MSG_PEEK | MSG_NOSIGNAL | MSG_CMSG_COMPAT |
		      MSG_CMSG_CLOEXEC))
		return flags & (MSG_OOB | MSG_ERRQUEUE) ? -EOPNOTSUPP : -EINVAL;
	lock_sock(sk);
	/* To receive is to have a port: without one nothing could ever come. */
	err = fs->bound ? 0 : -EINVAL;
	release_sock(sk);
	if (err)
		return refuse(fs, err, "socket is not bound");
	if (skb_queue_empty_lockless(&sk->sk_receive_queue) &&
	    flitcast_site_dead(fs->port.site)) {
		err = sock_error(sk);
		return err ? err : -ENETDOWN;
	}
	skb = skb_recv_datagram(sk, flags, &err);
	if (!skb)
		return err;
	d = FLITCAST_DELIVERY(skb);
	charge = d->charge;
	n = min_t(size_t, size, d->len);
	if (n < d->len)
		msg->msg_flags |= MSG_TRUNC;
	err = skb_copy_datagram_msg(skb, d->skip, msg, n);
	if (!err) {
		struct sockaddr_flitcast *addr = msg->msg_name;

		if (addr) {
			memset(addr, 0, sizeof(*addr));
			addr->sfc_family = family;
			addr->sfc_addrtype = FLITCAST_ADDR_SITE;
			addr->sfc_port = d->port;
			addr->sfc_site = d->site;
			msg->msg_namelen = sizeof(*addr);
		}
		if (fs->info)
			put_info(msg, d);
		err = flags & MSG_TRUNC ? d->len : n;
	}
	skb_free_datagram(sk, skb);
	if (!(flags & MSG_PEEK))
		flitcast_port_release(&fs->port, charge);
	return err;
}

static __poll_t fs_poll(struct file *file, struct socket *sock, poll_table *wait)
{
	struct sock *sk = sock->sk;
	__poll_t mask = 0;

	sock_poll_wait(file, sock, wait);
	if (READ_ONCE(sk->sk_err))
		mask |= EPOLLERR;
	if (!skb_queue_empty_lockless(&sk->sk_receive_queue))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (tx_writable(to_fs(sk)))
		mask |= EPOLLOUT | EPOLLWRNORM;
	else
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	return mask;
}

/* The default asks for room by sk_wmem_alloc, which is not how it is counted here. */
static void fs_write_space(struct sock *sk)
{
	struct socket_wq *wq;

	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_sync_poll(&wq->wait, EPOLLOUT | EPOLLWRNORM);
	if (tx_writable(to_fs(sk)))
		sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}

static int fs_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	struct sock *sk = sock->sk;
	struct sk_buff *skb;
	int value = 0;

	switch (cmd) {
	case SIOCOUTQ:
		value = atomic_read(&to_fs(sk)->tx_used);
		break;
	case SIOCINQ:
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

/*
 * Options
 */

static int set_targets(struct flitcast_sock *fs, sockptr_t optval, unsigned int optlen)
{
	struct flitcast_target *targets = NULL, *old;
	u32 n = optlen / sizeof(*targets);

	if (optlen % sizeof(*targets) || n > FLITCAST_TARGETS_MAX)
		return refuse(fs, -EINVAL, "target list of a wrong size");
	if (n) {
		targets = kvmalloc(optlen, GFP_KERNEL_ACCOUNT);
		if (!targets)
			return -ENOMEM;
		if (copy_from_sockptr(targets, optval, optlen)) {
			kvfree(targets);
			return -EFAULT;
		}
	}
	lock_sock(&fs->sk);
	old = fs->targets;
	fs->targets = targets;
	fs->ntargets = n;
	release_sock(&fs->sk);
	kvfree(old);
	return 0;
}

static int fs_setsockopt(struct socket *sock, int level, int opt, sockptr_t optval,
			 unsigned int optlen)
{
	struct flitcast_sock *fs = to_fs(sock->sk);
	u32 value;

	if (level != SOL_FLITCAST)
		return -ENOPROTOOPT;
	if (opt == FLITCAST_TARGETS)
		return set_targets(fs, optval, optlen);
	if (opt != FLITCAST_INFO && opt != FLITCAST_TIMEOUT)
		return -ENOPROTOOPT;
	if (optlen != sizeof(value))
		return refuse(fs, -EINVAL, "option of a wrong size");
	if (copy_from_sockptr(&value, optval, sizeof(value)))
		return -EFAULT;
	if (opt == FLITCAST_INFO) {
		fs->info = value;
		return 0;
	}
	if (value < TIMEOUT_MIN_MS || value > TIMEOUT_MAX_MS)
		return refuse(fs, -EINVAL, "time-out is 100 ms to one day");
	lock_sock(&fs->sk);
	fs->timeout_ms = value;
	fs->port.timeout = (u64)value * NSEC_PER_MSEC;
	release_sock(&fs->sk);
	return 0;
}

static int get_targets(struct flitcast_sock *fs, char __user *optval, int __user *optlen,
		       int len)
{
	int err = 0;

	lock_sock(&fs->sk);
	len = min_t(int, len, fs->ntargets * sizeof(*fs->targets));
	if (put_user(len, optlen) || (len && copy_to_user(optval, fs->targets, len)))
		err = -EFAULT;
	release_sock(&fs->sk);
	return err;
}

static int fs_getsockopt(struct socket *sock, int level, int opt, char __user *optval,
			 int __user *optlen)
{
	struct flitcast_sock *fs = to_fs(sock->sk);
	struct flitcast_sock_stats stats;
	const char *text;
	const void *from;
	int len, size;
	u32 value;

	if (level != SOL_FLITCAST)
		return -ENOPROTOOPT;
	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	switch (opt) {
	case FLITCAST_TARGETS:
		return get_targets(fs, optval, optlen, len);
	case FLITCAST_INFO:
		value = fs->info;
		from = &value;
		size = sizeof(value);
		break;
	case FLITCAST_TIMEOUT:
		value = fs->timeout_ms;
		from = &value;
		size = sizeof(value);
		break;
	case FLITCAST_ERRMSG:
		text = READ_ONCE(fs->errmsg);
		from = text ? text : "";
		size = strlen(from) + 1;
		break;
	case FLITCAST_STATS:
		stats = fs->stats;
		from = &stats;
		size = sizeof(stats);
		break;
	default:
		return -ENOPROTOOPT;
	}
	len = min(len, size);
	if (put_user(len, optlen) || copy_to_user(optval, from, len))
		return -EFAULT;
	return 0;
}

/*
 * Life
 */

static int fs_release(struct socket *sock)
{
	struct sock *sk = sock->sk;
	struct flitcast_sock *fs = to_fs(sk);

	if (!sk)
		return 0;
	lock_sock(sk);
	/* No delivery and no report comes after this; wake-ups hold the sock. */
	flitcast_port_detach(&fs->port);
	release_sock(sk);
	sock_orphan(sk);
	sock->sk = NULL;
	skb_queue_purge(&sk->sk_receive_queue);
	kvfree(fs->targets);
	sock_put(sk);
	return 0;
}

static const struct proto_ops fs_ops = {
	.owner = THIS_MODULE,
	.release = fs_release,
	.bind = fs_bind,
	.connect = sock_no_connect,
	.socketpair = sock_no_socketpair,
	.accept = sock_no_accept,
	.getname = fs_getname,
	.poll = fs_poll,
	.ioctl = fs_ioctl,
	.listen = sock_no_listen,
	.shutdown = sock_no_shutdown,
	.setsockopt = fs_setsockopt,
	.getsockopt = fs_getsockopt,
	.sendmsg = fs_sendmsg,
	.recvmsg = fs_recvmsg,
	.mmap = sock_no_mmap,
};

static struct proto fs_proto = {
	.name = "FLITCAST",
	.owner = THIS_MODULE,
	.obj_size = sizeof(struct flitcast_sock),
};

static int fs_create(struct net *net, struct socket *sock, int protocol, int kern)
{
	struct flitcast_sock *fs;
	struct sock *sk;

	if (sock->type != SOCK_RDM)
		return -ESOCKTNOSUPPORT;
	if (protocol)
		return -EPROTONOSUPPORT;
	sk = sk_alloc(net, family, GFP_KERNEL, &fs_proto, kern);
	if (!sk)
		return -ENOMEM;
	sock->ops = &fs_ops;
	sock_init_data(sock, sk);
	sk->sk_write_space = fs_write_space;
	sk->sk_rcvbuf = flitcast_sysctl_rmem(net);
	sk->sk_sndbuf = flitcast_sysctl_wmem(net);
	fs = to_fs(sk);
	fs->timeout_ms = TIMEOUT_DEFAULT_MS;
	return 0;
}

static struct net_proto_family fs_family = {
	.create = fs_create,
	.owner = THIS_MODULE,
};

int flitcast_sock_init(void)
{
	int err;

	if (family <= 0 || family >= AF_MAX) {
		pr_err("family=%d is not an address family number\n", family);
		return -EINVAL;
	}
	err = flitcast_sysctl_init();
	if (err)
		return err;
	err = proto_register(&fs_proto, 1);
	if (err)
		goto sysctl;
	fs_family.family = family;
	err = sock_register(&fs_family);
	if (err) {
		pr_err("address family %d is in use: choose another one with family=\n", family);
		goto proto;
	}
	return 0;
proto:
	proto_unregister(&fs_proto);
sysctl:
	flitcast_sysctl_exit();
	return err;
}

void flitcast_sock_exit(void)
{
	sock_unregister(family);
	proto_unregister(&fs_proto);
	flitcast_sysctl_exit();
}
