// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: connect(), shutdown(), and close() of a connection.
 */
#include <linux/sched/signal.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "sock/addr.h"
#include "sock/conn.h"
#include "sock/impl.h"
#include "sock/send.h"

/* Send a request for a connection. */
static int ask(struct flitcast_sock *fs, const struct sockaddr_flitcast *addr)
{
	struct flitcast_conn *c = &fs->conn;
	int err;

	cancel_delayed_work_sync(&c->late);
	spin_lock_bh(&c->lock);
	c->site = addr->sfc_site;
	c->port = addr->sfc_port;
	flitcast_conn_set_state(fs, TCP_SYN_SENT);
	c->news = false;
	spin_unlock_bh(&c->lock);
	err = flitcast_send_kind(fs, FC_KIND_CONNECT, 0, c->site, c->port, &c->asked);
	if (err) {
		spin_lock_bh(&c->lock);
		if (fs->sk.sk_state == TCP_SYN_SENT)
			flitcast_conn_set_state(fs, TCP_CLOSE);
		c->news = false;
		spin_unlock_bh(&c->lock);
		return err;
	}
	schedule_delayed_work(&c->late, msecs_to_jiffies(READ_ONCE(fs->timeout_ms)));
	return 0;
}

/* Wait for the answer.  Return: 0 once there is a positive or negative answer, or an error. */
static int wait_answer(struct sock *sk, long timeo)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);
	int err = 0;

	flitcast_wait_begin(sk, &wait);
	while (flitcast_conn_state(sk) == TCP_SYN_SENT) {
		err = -EINPROGRESS;
		if (!timeo)
			break;
		if (signal_pending(current)) {
			err = sock_intr_errno(timeo);
			break;
		}
		release_sock(sk);
		timeo = wait_woken(&wait, TASK_INTERRUPTIBLE, timeo);
		lock_sock(sk);
		err = 0;
	}
	flitcast_wait_end(sk, &wait);
	return err;
}

/* SS_CONNECTING means that connect() has not returned the result of the request yet. */
static int connect_seqpacket(struct socket *sock, const struct sockaddr_flitcast *addr,
			     int flags)
{
	long timeo = sock_sndtimeo(sock->sk, flags & O_NONBLOCK);
	struct flitcast_sock *fs = to_fs(sock->sk);
	struct sock *sk = sock->sk;
	int err;

	switch (flitcast_conn_state(sk)) {
	case TCP_LISTEN:
		return refuse(fs, -EINVAL, "socket listens");
	case TCP_SYN_SENT:
		if (!timeo)
			return -EALREADY;
		break;
	case TCP_CLOSE:
		/* Return the error of the last attempt once. */
		err = sock_error(sk);
		sock->state = SS_UNCONNECTED;
		if (err)
			return err;
		err = ask(fs, addr);
		if (err)
			return err;
		sock->state = SS_CONNECTING;
		break;
	default:
		if (sock->state != SS_CONNECTING)
			return refuse(fs, -EISCONN, "socket is, or was, connected");
	}
	err = wait_answer(sk, timeo);
	if (err)
		return err;
	if (sk->sk_state == TCP_CLOSE) {
		sock->state = SS_UNCONNECTED;
		err = sock_error(sk);
		return err ? err : -ECONNABORTED;
	}
	sock->state = SS_CONNECTED;
	return 0;
}

int flitcast_conn_connect(struct socket *sock, struct sockaddr_unsized *uaddr, int len, int flags)
{
	const struct sockaddr_flitcast *addr = (struct sockaddr_flitcast *)uaddr;
	struct flitcast_sock *fs = to_fs(sock->sk);
	struct sock *sk = sock->sk;
	bool dissolve;
	int err = 0;

	forget(fs);
	dissolve = sk->sk_type == SOCK_RDM && len >= (int)sizeof(addr->sfc_family) &&
		   addr->sfc_family == AF_UNSPEC;
	if (!dissolve) {
		if (!flitcast_addr_valid(addr, len) || addr->sfc_copies)
			return refuse(fs, -EINVAL, "malformed address");
		if (addr->sfc_addrtype != FLITCAST_ADDR_SITE)
			return refuse(fs, -EINVAL, "only one port of one site can be connected to");
		if (!addr->sfc_port)
			return refuse(fs, -EINVAL, "an address without port");
	}
	if (!dissolve && flitcast_device_asked(sk))
		return refuse_device(fs);
	lock_sock(sk);
	if (!dissolve && !fs->bound)
		err = flitcast_addr_bind_locked(fs, 0, 0);
	if (!err && sk->sk_type == SOCK_SEQPACKET) {
		err = connect_seqpacket(sock, addr, flags);
	} else if (!err) {
		spin_lock_bh(&fs->conn.lock);
		fs->conn.site = dissolve ? 0 : addr->sfc_site;
		fs->conn.port = dissolve ? 0 : addr->sfc_port;
		flitcast_conn_set_state(fs, dissolve ? TCP_CLOSE : TCP_ESTABLISHED);
		spin_unlock_bh(&fs->conn.lock);
		sock->state = dissolve ? SS_UNCONNECTED : SS_CONNECTED;
	}
	release_sock(sk);
	return err;
}

/* Notify the peer that this end sends no more data. */
static int shut(struct flitcast_sock *fs)
{
	u32 id;

	return flitcast_send_kind(fs, FC_KIND_SHUT, 0, fs->conn.site, fs->conn.port, &id);
}

int flitcast_conn_shutdown(struct socket *sock, int how)
{
	struct flitcast_sock *fs = to_fs(sock->sk);
	struct sock *sk = sock->sk;
	u8 now, old;
	int err = 0;

	forget(fs);
	/* SHUT_RD, SHUT_WR, SHUT_RDWR as RCV_SHUTDOWN, SEND_SHUTDOWN, both. */
	if (how < SHUT_RD || how > SHUT_RDWR)
		return refuse(fs, -EINVAL, "neither SHUT_RD nor SHUT_WR nor SHUT_RDWR");
	now = how + 1;
	lock_sock(sk);
	/* As with TCP: accept() fails, requests are refused, and the socket remains bound. */
	if (sk->sk_state == TCP_LISTEN) {
		if (now & RCV_SHUTDOWN)
			flitcast_listen_close(fs);
		release_sock(sk);
		sk->sk_state_change(sk);
		return 0;
	}
	spin_lock_bh(&fs->conn.lock);
	old = sk->sk_shutdown;
	if (sk->sk_state == TCP_ESTABLISHED)
		WRITE_ONCE(sk->sk_shutdown, old | now);
	else
		err = -ENOTCONN;
	spin_unlock_bh(&fs->conn.lock);
	if (!err && now & ~old & SEND_SHUTDOWN)
		err = shut(fs);
	/* FC_KIND_SHUT was not sent: undo the shutdown if the connection still exists. */
	if (err && err != -ENOTCONN) {
		spin_lock_bh(&fs->conn.lock);
		if (sk->sk_state == TCP_ESTABLISHED)
			WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown & ~(now & ~old));
		spin_unlock_bh(&fs->conn.lock);
	}
	release_sock(sk);
	if (!err)
		sk->sk_state_change(sk);
	return err;
}

void flitcast_conn_close(struct flitcast_sock *fs)
{
	/*
	 * Unconfirmed messages were aborted: the gap in the ids resets the connection at the peer.
	 */
	bool abort = sock_flag(&fs->sk, SOCK_LINGER) && !fs->sk.sk_lingertime;
	bool notify;

	if (fs->sk.sk_type != SOCK_SEQPACKET)
		return;
	spin_lock_bh(&fs->conn.lock);
	notify = fs->sk.sk_state == TCP_ESTABLISHED &&
		 (abort || !(fs->sk.sk_shutdown & SEND_SHUTDOWN));
	flitcast_conn_end(fs, 0);
	spin_unlock_bh(&fs->conn.lock);
	/* If memory is short, the peer's next message is refused instead. */
	if (notify)
		shut(fs);
}
