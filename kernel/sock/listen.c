// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: listen() and accept().
 *
 * Requests for connections are messages in the receive queue of the listening socket, as many as
 * its backlog; while it is full, a request waits like any message for buffer space.
 */
#include <linux/sched/signal.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "drop.h"
#include "sock/addr.h"
#include "sock/conn.h"
#include "sock/impl.h"
#include "sock/mem.h"
#include "sock/send.h"

int flitcast_listen_listen(struct socket *sock, int backlog)
{
	struct flitcast_sock *fs = to_fs(sock->sk);
	struct sock *sk = sock->sk;
	int err = 0;

	forget(fs);
	lock_sock(sk);
	if (sk->sk_state != TCP_CLOSE && sk->sk_state != TCP_LISTEN)
		err = refuse(fs, -EINVAL, "socket is, or was, connected");
	else if (!fs->bound)
		err = flitcast_addr_bind_locked(fs, 0, 0);
	if (!err) {
		spin_lock_bh(&fs->conn.lock);
		WRITE_ONCE(sk->sk_max_ack_backlog, max(backlog, 1));
		WRITE_ONCE(sk->sk_state, TCP_LISTEN);
		spin_unlock_bh(&fs->conn.lock);
	}
	release_sock(sk);
	return err;
}

/*
 * Dequeue a request, waiting for one if need be.  Return: the skb, owned by the caller; or NULL:
 * error in @err.
 */
static struct sk_buff *wait_request(struct flitcast_sock *fs, long timeo, int *err)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	struct sock *sk = &fs->sk;
	struct sk_buff *skb;

	flitcast_wait_begin_exclusive(sk, &wait);
	for (;;) {
		*err = -ENETDOWN;
		skb = NULL;
		if (fs->bound && flitcast_site_dead(fs->port.site))
			break;
		*err = -EINVAL;
		if (sk->sk_state != TCP_LISTEN)
			break;
		skb = skb_dequeue(&sk->sk_receive_queue);
		if (skb)
			break;
		*err = -EAGAIN;
		if (!timeo)
			break;
		if (signal_pending(current)) {
			*err = sock_intr_errno(timeo);
			break;
		}
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
	}
	flitcast_wait_end(sk, &wait);
	return skb;
}

/* Copy the settings of the listening socket to a new one. */
static void inherit(struct flitcast_sock *to, const struct flitcast_sock *from)
{
	to->sk.sk_rcvbuf = from->sk.sk_rcvbuf;
	to->sk.sk_sndbuf = from->sk.sk_sndbuf;
	to->sk.sk_rcvtimeo = from->sk.sk_rcvtimeo;
	to->sk.sk_sndtimeo = from->sk.sk_sndtimeo;
	to->sk.sk_priority = from->sk.sk_priority;
	to->long_high = from->long_high;
	to->sk.sk_uid = from->sk.sk_uid;
	to->timeout_ms = from->timeout_ms;
	to->info = from->info;
}

/* Create the socket of an accepted connection.  Return: the socket; or NULL: error in *@err. */
static struct flitcast_sock *make(struct flitcast_sock *fs, const struct flitcast_delivery *d,
				  bool kern, int *err)
{
	struct flitcast_sock *end;
	u32 id;

	end = flitcast_sock_make(sock_net(&fs->sk), NULL, fs->port.share, kern);
	if (!end) {
		*err = -ENOMEM;
		return NULL;
	}
	end->sk.sk_type = SOCK_SEQPACKET;
	inherit(end, fs);
	end->conn.site = d->site;
	end->conn.port = d->port;
	end->conn.incarnation = d->incarnation;
	end->conn.sock = d->sock;
	end->conn.next = d->id + 1;
	end->sk.sk_state = TCP_ESTABLISHED;
	*err = flitcast_addr_attach(end, fs->port.site, 0);
	if (*err)
		goto free;
	*err = flitcast_send_kind(end, FC_KIND_ACCEPT, d->id, d->site, d->port, &id);
	if (*err)
		goto detach;
	return end;
detach:
	flitcast_port_detach(&end->port);
	/* A peer that guessed the port may have sent something meanwhile. */
	flitcast_drop_shared(&end->sk.sk_receive_queue, FLITCAST_DROP_REFUSED);
	flitcast_mem_end(end);
free:
	sock_put(&end->sk);
	return NULL;
}

int flitcast_listen_accept(struct socket *sock, struct socket *newsock,
			   struct proto_accept_arg *arg)
{
	struct flitcast_sock *fs = to_fs(sock->sk), *end;
	struct sock *sk = sock->sk;
	struct sk_buff *skb;
	u32 charge;
	int err;

	forget(fs);
	lock_sock(sk);
	skb = wait_request(fs, sock_rcvtimeo(sk, arg->flags & O_NONBLOCK), &err);
	if (!skb) {
		if (err == -EINVAL)
			refuse(fs, err, "socket does not listen");
		goto out;
	}
	end = make(fs, FLITCAST_DELIVERY(skb), arg->kern, &err);
	if (!end) {
		/* Keep the request: a later accept() may find memory or a free port. */
		skb_queue_head(&sk->sk_receive_queue, skb);
		goto out;
	}
	charge = FLITCAST_DELIVERY(skb)->charge;
	consume_skb(skb);
	flitcast_port_release(&fs->port, charge);
	sock_graft(&end->sk, newsock);
	set_bit(SOCK_SUPPORT_ZC, &newsock->flags);
	newsock->state = SS_CONNECTED;
out:
	release_sock(sk);
	return err;
}

void flitcast_listen_close(struct flitcast_sock *fs)
{
	struct sock *sk = &fs->sk;
	struct sk_buff *skb;
	u32 id;

	if (sk->sk_state != TCP_LISTEN)
		return;
	/* From here on the socket admits no requests. */
	spin_lock_bh(&fs->conn.lock);
	WRITE_ONCE(sk->sk_state, TCP_CLOSE);
	spin_unlock_bh(&fs->conn.lock);
	while ((skb = skb_dequeue(&sk->sk_receive_queue))) {
		const struct flitcast_delivery *d = FLITCAST_DELIVERY(skb);

		u32 charge = d->charge;

		flitcast_send_kind(fs, FC_KIND_REFUSE, d->id, d->site, d->port, &id);
		flitcast_drop(skb, FLITCAST_DROP_CLOSED);
		/* Freeing the space lets the requests that wait for it arrive, and be refused. */
		flitcast_port_release(&fs->port, charge);
	}
}
