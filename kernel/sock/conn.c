// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: connections: connect(), shutdown(), and what comes of them.
 */
#include <linux/sched/signal.h>
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "sock/impl.h"

static struct flitcast_sock *conn_fs(struct work_struct *work)
{
	return container_of(to_delayed_work(work), struct flitcast_sock, conn.late);
}

static void set_state(struct flitcast_sock *fs, u8 state)
{
	lockdep_assert_held(&fs->conn.lock);
	/* Whoever finds the new state finds the error that goes with it. */
	smp_store_release(&fs->sk.sk_state, state);
	fs->conn.news = true;
}

/* No connection came of it: the socket may ask again. */
static void fail(struct flitcast_sock *fs, int err)
{
	WRITE_ONCE(fs->sk.sk_err, err);
	set_state(fs, TCP_CLOSE);
}

/* Nothing goes either way any more; @err: why, 0: that is known. */
static void over(struct flitcast_sock *fs, int err)
{
	if (err)
		WRITE_ONCE(fs->sk.sk_err, err);
	WRITE_ONCE(fs->sk.sk_shutdown, SHUTDOWN_MASK);
	set_state(fs, TCP_CLOSING);
}

bool flitcast_conn_news(struct flitcast_sock *fs)
{
	bool news;

	spin_lock_bh(&fs->conn.lock);
	news = fs->conn.news;
	fs->conn.news = false;
	spin_unlock_bh(&fs->conn.lock);
	return news;
}

/*
 * What the site asks.
 */

static bool is_data(u8 kind)
{
	return kind == FC_KIND_DATA || kind == FC_KIND_SHUT;
}

static bool is_answer(u8 kind)
{
	return kind == FC_KIND_ACCEPT || kind == FC_KIND_REFUSE;
}

static enum flitcast_admit admit(struct flitcast_sock *fs, const struct fc_packet *pk,
				 bool early)
{
	const struct flitcast_conn *c = &fs->conn;

	switch (fs->sk.sk_state) {
	case TCP_LISTEN:
		return pk->kind == FC_KIND_CONNECT ? FLITCAST_ADMIT_YES : FLITCAST_ADMIT_NO;
	case TCP_SYN_SENT:
		if (pk->src != c->site)
			return FLITCAST_ADMIT_NO;
		if (is_answer(pk->kind) && pk->id == c->asked)
			return FLITCAST_ADMIT_YES;
		/* It has overtaken the answer, or it is of another connection. */
		return early && is_data(pk->kind) ? FLITCAST_ADMIT_LATER : FLITCAST_ADMIT_NO;
	case TCP_ESTABLISHED:
		if (pk->src != c->site || pk->incarnation != c->incarnation ||
		    pk->sock != c->sock || !is_data(pk->kind) ||
		    fs->sk.sk_shutdown & RCV_SHUTDOWN)
			return FLITCAST_ADMIT_NO;
		return FLITCAST_ADMIT_YES;
	}
	return FLITCAST_ADMIT_NO;
}

enum flitcast_admit flitcast_conn_admit(struct flitcast_sock *fs, const struct fc_packet *pk,
					bool early)
{
	enum flitcast_admit verdict;

	spin_lock(&fs->conn.lock);
	verdict = admit(fs, pk, early);
	spin_unlock(&fs->conn.lock);
	return verdict;
}

/* An answer to connect(). */
static void answered(struct flitcast_sock *fs, const struct flitcast_delivery *d)
{
	struct flitcast_conn *c = &fs->conn;

	if (fs->sk.sk_state != TCP_SYN_SENT || d->id != c->asked)
		return;
	if (d->kind == FC_KIND_REFUSE) {
		fail(fs, ECONNREFUSED);
		return;
	}
	c->port = d->port;
	c->incarnation = d->incarnation;
	c->sock = d->sock;
	/* The answer is the first message of its socket, with the id 0 but for what it says. */
	c->next = 1;
	set_state(fs, TCP_ESTABLISHED);
}

/* A message of the connection. */
static bool arrived(struct flitcast_sock *fs, const struct flitcast_delivery *d)
{
	if (fs->sk.sk_state != TCP_ESTABLISHED || fs->sk.sk_shutdown & RCV_SHUTDOWN)
		return false;
	/* The peer gave one up in between. */
	if (d->id != fs->conn.next) {
		over(fs, ECONNRESET);
		return false;
	}
	fs->conn.next++;
	if (d->kind == FC_KIND_DATA)
		return true;
	WRITE_ONCE(fs->sk.sk_shutdown, fs->sk.sk_shutdown | RCV_SHUTDOWN);
	fs->conn.news = true;
	return false;
}

bool flitcast_conn_deliver(struct flitcast_sock *fs, const struct flitcast_delivery *d)
{
	bool take;

	spin_lock(&fs->conn.lock);
	if (is_answer(d->kind)) {
		answered(fs, d);
		take = false;
	} else if (is_data(d->kind)) {
		take = arrived(fs, d);
	} else {
		take = fs->sk.sk_state == TCP_LISTEN;
	}
	spin_unlock(&fs->conn.lock);
	return take;
}

/* A message of the socket failed. */
static void failed(struct flitcast_sock *fs, const struct flitcast_sent *sent)
{
	bool gone = fs->sk.sk_shutdown & RCV_SHUTDOWN;

	/* By close() itself, which tells the other end next. */
	if (sent->err == -ECONNABORTED)
		return;
	switch ((enum fc_kind)sent->kind) {
	case FC_KIND_CONNECT:
		if (fs->sk.sk_state != TCP_SYN_SENT || sent->id != fs->conn.asked)
			return;
		fail(fs, -sent->err);
		return;
	case FC_KIND_SHUT:
		/* Whoever said that no more comes may have gone before it hears the same. */
		if (gone)
			return;
		break;
	case FC_KIND_REFUSE:
		return;
	case FC_KIND_MESSAGE:
	case FC_KIND_ACCEPT:
	case FC_KIND_DATA:
	case FC_KIND_COUNT:
		break;
	}
	if (fs->sk.sk_state != TCP_ESTABLISHED)
		return;
	if (sent->err != -ECONNREFUSED)
		over(fs, -sent->err);
	else
		over(fs, gone ? EPIPE : ECONNRESET);
}

void flitcast_conn_failed(struct flitcast_sock *fs, const struct flitcast_sent *sent)
{
	if (fs->sk.sk_type != SOCK_SEQPACKET) {
		WRITE_ONCE(fs->sk.sk_err, -sent->err);
		return;
	}
	spin_lock(&fs->conn.lock);
	failed(fs, sent);
	spin_unlock(&fs->conn.lock);
}

void flitcast_conn_detach(struct flitcast_sock *fs)
{
	spin_lock(&fs->conn.lock);
	WRITE_ONCE(fs->sk.sk_err, ENETDOWN);
	/* What is not connected yet will not be: connect() tells why. */
	if (fs->sk.sk_state == TCP_SYN_SENT)
		set_state(fs, TCP_CLOSE);
	else if (fs->sk.sk_type == SOCK_SEQPACKET && fs->sk.sk_state != TCP_CLOSE)
		over(fs, 0);
	spin_unlock(&fs->conn.lock);
}

void flitcast_conn_info(const struct flitcast_sock *fs, struct flitcast_socket_info *info)
{
	static const u8 peer[TCP_MAX_STATES] = {
		[TCP_LISTEN] = FLITCAST_PEER_LISTEN,
		[TCP_SYN_SENT] = FLITCAST_PEER_ASKED,
		[TCP_ESTABLISHED] = FLITCAST_PEER_CONNECTED,
		[TCP_CLOSING] = FLITCAST_PEER_OVER,
	};

	/* A snapshot: the state may go on meanwhile, and then the next one tells. */
	info->peer = peer[flitcast_conn_state(&fs->sk)];
	if (info->peer <= FLITCAST_PEER_LISTEN)
		return;
	info->peer_site = READ_ONCE(fs->conn.site);
	info->peer_port = READ_ONCE(fs->conn.port);
}

/*
 * What the user asks.
 */

/* No answer to connect() within FLITCAST_TIMEOUT. */
static void connect_late(struct work_struct *work)
{
	struct flitcast_sock *fs = conn_fs(work);
	struct sock *sk = &fs->sk;
	bool late;

	spin_lock_bh(&fs->conn.lock);
	late = sk->sk_state == TCP_SYN_SENT;
	if (late) {
		fail(fs, ETIMEDOUT);
		fs->conn.news = false;
	}
	spin_unlock_bh(&fs->conn.lock);
	if (late) {
		sk->sk_state_change(sk);
		sk_error_report(sk);
	}
}

void flitcast_conn_init(struct flitcast_sock *fs)
{
	spin_lock_init(&fs->conn.lock);
	INIT_DELAYED_WORK(&fs->conn.late, connect_late);
}

void flitcast_conn_exit(struct flitcast_sock *fs)
{
	cancel_delayed_work_sync(&fs->conn.late);
}

bool flitcast_conn_peer(struct flitcast_sock *fs, struct flitcast_msg_dest *dest)
{
	bool there;

	spin_lock_bh(&fs->conn.lock);
	there = fs->sk.sk_state == TCP_ESTABLISHED || fs->sk.sk_state == TCP_CLOSING;
	*dest = (struct flitcast_msg_dest) { .site = fs->conn.site, .port = fs->conn.port };
	spin_unlock_bh(&fs->conn.lock);
	return there;
}

int flitcast_conn_may_send(struct flitcast_sock *fs)
{
	if (fs->sk.sk_type != SOCK_SEQPACKET)
		return 0;
	if (fs->bound && flitcast_site_dead(fs->port.site))
		return -ENETDOWN;
	switch (flitcast_conn_state(&fs->sk)) {
	case TCP_ESTABLISHED:
	case TCP_CLOSING:
		return READ_ONCE(fs->sk.sk_shutdown) & SEND_SHUTDOWN ? -EPIPE : 0;
	}
	return -ENOTCONN;
}

/* Ask for a connection. */
static int ask(struct flitcast_sock *fs, const struct sockaddr_flitcast *addr)
{
	struct flitcast_conn *c = &fs->conn;
	int err;

	cancel_delayed_work_sync(&c->late);
	spin_lock_bh(&c->lock);
	c->site = addr->sfc_site;
	c->port = addr->sfc_port;
	set_state(fs, TCP_SYN_SENT);
	c->news = false;
	spin_unlock_bh(&c->lock);
	err = flitcast_send_kind(fs, FC_KIND_CONNECT, 0, c->site, c->port, &c->asked);
	if (err) {
		spin_lock_bh(&c->lock);
		if (fs->sk.sk_state == TCP_SYN_SENT)
			set_state(fs, TCP_CLOSE);
		c->news = false;
		spin_unlock_bh(&c->lock);
		return err;
	}
	schedule_delayed_work(&c->late, msecs_to_jiffies(READ_ONCE(fs->timeout_ms)));
	return 0;
}

/* Wait for the answer; 0: it is there, whatever it is. */
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

/* The states of the socket layer are kept, for they tell the first result from the next. */
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
		/* The error of the last attempt is told once. */
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
		set_state(fs, dissolve ? TCP_CLOSE : TCP_ESTABLISHED);
		spin_unlock_bh(&fs->conn.lock);
		sock->state = dissolve ? SS_UNCONNECTED : SS_CONNECTED;
	}
	release_sock(sk);
	return err;
}

/* Say that no more will come from here. */
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
	/* As with TCP: accept() ends, requests are refused, and a socket that was bound is left. */
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
	/* No memory: as if nothing had been asked, but for what happened meanwhile. */
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
	/* What was not confirmed is dropped, and the gap in the ids tells the other end. */
	bool reset = sock_flag(&fs->sk, SOCK_LINGER) && !fs->sk.sk_lingertime;
	bool tell;

	if (fs->sk.sk_type != SOCK_SEQPACKET)
		return;
	spin_lock_bh(&fs->conn.lock);
	tell = fs->sk.sk_state == TCP_ESTABLISHED &&
	       (reset || !(fs->sk.sk_shutdown & SEND_SHUTDOWN));
	over(fs, 0);
	spin_unlock_bh(&fs->conn.lock);
	/* Where there is no memory for it the peer learns when it sends. */
	if (tell)
		shut(fs);
}
