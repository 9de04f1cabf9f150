// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: recvmsg().
 */
#include <linux/sched/signal.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "sock/addr.h"
#include "sock/conn.h"
#include "sock/filter.h"
#include "sock/impl.h"
#include "sock/report.h"

static void put_info(struct msghdr *msg, const struct flitcast_delivery *d,
		     const struct flitcast_arrival *arrival)
{
	struct flitcast_info info = {
		.addrtype = d->bcast ? FLITCAST_ADDR_BROADCAST :
			    d->list ? FLITCAST_ADDR_LIST : FLITCAST_ADDR_SITE,
		.copies = d->copies, .votes = d->votes, .id = d->id, .hops = d->hops,
		.offset = d->offset, .length = d->msg_len, .dissent = d->dissent,
		.reserved = arrival->reserved, .arrived = arrival->arrived,
	};

	put_cmsg(msg, SOL_FLITCAST, FLITCAST_INFO, sizeof(info), &info);
}

/* Is there a connection, or was there one, whose messages may be read? */
static bool connected(struct sock *sk)
{
	u8 state = flitcast_conn_state(sk);

	return state == TCP_ESTABLISHED || state == TCP_CLOSING;
}

/*
 * The filter dropped a message.  Return: 0 if recvmsg() may try the next one, or an error for it:
 * without a limit a stream of dropped messages would keep it busy for ever.
 */
static int go_on(struct sock *sk, long timeo, unsigned long since, int *budget)
{
	if (timeo) {
		if (signal_pending(current))
			return sock_intr_errno(timeo);
		return timeo != MAX_SCHEDULE_TIMEOUT && time_after_eq(jiffies, since + timeo) ?
		       -EAGAIN : 0;
	}
	if (--*budget > 0 || skb_queue_empty_lockless(&sk->sk_receive_queue))
		return 0;
	/*
	 * Wake edge-triggered waiters: messages that are in the queue already remain to be
	 * filtered.
	 */
	sk->sk_data_ready(sk);
	return -EAGAIN;
}

/* Has the connection ended, or the site, and has every message been read? */
static bool ended(const struct flitcast_sock *fs)
{
	const struct sock *sk = &fs->sk;
	bool over = flitcast_site_dead(fs->port.site) ||
		    (sk->sk_type == SOCK_SEQPACKET && READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN);

	smp_rmb(); /* the last message is queued before the end is noted */
	return over && skb_queue_empty_lockless(&sk->sk_receive_queue);
}

/* Return: the next message; or NULL: *err is the result of recvmsg(). */
static struct sk_buff *next_message(struct flitcast_sock *fs, int flags, int *err)
{
	struct sock *sk = &fs->sk;
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	int budget = FLITCAST_FILTER_BUDGET, taken;
	unsigned long since = jiffies;
	struct sk_buff *skb;
	bool again = false;

	for (;;) {
		/* End of file is read after the last message. */
		if (ended(fs)) {
			*err = sock_error(sk);
			if (!*err && flitcast_site_dead(fs->port.site))
				*err = -ENETDOWN;
			return NULL;
		}
		skb = skb_recv_datagram(sk, flags, err);
		/*
		 * skb_recv_datagram() tests the queue before the end, as if no message came between.
		 * Once: it may leave a message that has been peeked at.
		 */
		if (!skb && !*err && !again && !skb_queue_empty_lockless(&sk->sk_receive_queue)) {
			again = true;
			continue;
		}
		if (!skb)
			return NULL;
		taken = flitcast_filter_taken(fs, skb, flags);
		if (taken > 0)
			return skb;
		*err = taken ? taken : go_on(sk, timeo, since, &budget);
		if (*err)
			return NULL;
		cond_resched();
	}
}

int flitcast_recv_msg(struct socket *sock, struct msghdr *msg, size_t size, int flags)
{
	struct sock *sk = sock->sk;
	struct flitcast_sock *fs = to_fs(sk);
	const struct flitcast_delivery *d;
	bool stream = sk->sk_type == SOCK_SEQPACKET;
	struct sk_buff *skb;
	u32 charge;
	int err, n;

	forget(fs);
	if (flags & MSG_ERRQUEUE)
		return flitcast_report_recv(fs, msg, size);
	/* MSG_WAITALL has no effect: messages are delivered whole. */
	if (flags & ~(MSG_DONTWAIT | MSG_TRUNC | MSG_PEEK | MSG_NOSIGNAL | MSG_CMSG_COMPAT |
		      MSG_CMSG_CLOEXEC | MSG_WAITALL))
		return flags & MSG_OOB ? -EOPNOTSUPP : -EINVAL;
	if (stream && !connected(sk))
		return refuse(fs, -ENOTCONN, "socket is not connected");
	/* An unbound socket has no port that could receive a message. */
	if (!smp_load_acquire(&fs->bound))
		return refuse(fs, -EINVAL, "socket is not bound");
	if (flitcast_device_asked(sk))
		return refuse_device(fs);
	skb = next_message(fs, flags, &err);
	if (!skb)
		return err;
	d = FLITCAST_DELIVERY(skb);
	charge = d->charge;
	n = min_t(size_t, size, d->len);
	if (stream)
		msg->msg_flags |= MSG_EOR;
	if (n < d->len)
		msg->msg_flags |= MSG_TRUNC;
	err = skb_copy_datagram_msg(skb, d->skip, msg, n);
	if (!err) {
		struct sockaddr_flitcast *addr = msg->msg_name;

		if (addr) {
			memset(addr, 0, sizeof(*addr));
			addr->sfc_family = flitcast_sock_family;
			addr->sfc_addrtype = FLITCAST_ADDR_SITE;
			addr->sfc_port = d->port;
			addr->sfc_site = d->site;
			msg->msg_namelen = sizeof(*addr);
		}
		sock_recv_timestamp(msg, sk, skb);
		if (READ_ONCE(fs->info))
			put_info(msg, d, FLITCAST_ARRIVAL(skb));
		err = flags & MSG_TRUNC ? d->len : n;
	}
	skb_free_datagram(sk, skb);
	if (!(flags & MSG_PEEK))
		flitcast_port_release(&fs->port, charge);
	return err;
}
