// SPDX-License-Identifier: GPL-2.0
/*
 * AF_FLITCAST: the state of a connection, as changed by messages and timeouts.
 */
#include <net/sock.h>
#include <uapi/linux/flitcast.h>
#include "ends/message.h"
#include "ends/socket.h"
#include "sock/conn.h"
#include "sock/impl.h"

static struct flitcast_sock *conn_fs(struct work_struct *work)
{
	return container_of(to_delayed_work(work), struct flitcast_sock, conn.late);
}

void flitcast_conn_set_state(struct flitcast_sock *fs, u8 state)
{
	lockdep_assert_held(&fs->conn.lock);
	/* Pairs with flitcast_conn_state(): a reader of the new state sees the error set before. */
	smp_store_release(&fs->sk.sk_state, state);
	fs->conn.news = true;
}

/* connect() failed: the socket may try again. */
static void fail(struct flitcast_sock *fs, int err)
{
	WRITE_ONCE(fs->sk.sk_err, err);
	flitcast_conn_set_state(fs, TCP_CLOSE);
}

void flitcast_conn_end(struct flitcast_sock *fs, int err)
{
	if (err)
		WRITE_ONCE(fs->sk.sk_err, err);
	WRITE_ONCE(fs->sk.sk_shutdown, SHUTDOWN_MASK);
	flitcast_conn_set_state(fs, TCP_CLOSING);
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
		/* The data overtook the answer, or belongs to another connection. */
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
	/*
	 * The answer was the first message (id 0) of the peer's socket; @d->id is that of the
	 * request.
	 */
	c->next = 1;
	flitcast_conn_set_state(fs, TCP_ESTABLISHED);
}

/* A message of the connection. */
static bool arrived(struct flitcast_sock *fs, const struct flitcast_delivery *d)
{
	if (fs->sk.sk_state != TCP_ESTABLISHED || fs->sk.sk_shutdown & RCV_SHUTDOWN)
		return false;
	/* The peer aborted a message in between. */
	if (d->id != fs->conn.next) {
		flitcast_conn_end(fs, ECONNRESET);
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

	/* close() aborted the message, and notifies the peer next. */
	if (sent->err == -ECONNABORTED)
		return;
	switch ((enum fc_kind)sent->kind) {
	case FC_KIND_CONNECT:
		if (fs->sk.sk_state != TCP_SYN_SENT || sent->id != fs->conn.asked)
			return;
		fail(fs, -sent->err);
		return;
	case FC_KIND_SHUT:
		/*
		 * The peer has shut down, and may have closed its socket before our FC_KIND_SHUT
		 * arrives.
		 */
		if (gone)
			return;
		break;
	case FC_KIND_REFUSE:
		return;
	case FC_KIND_MESSAGE:
	case FC_KIND_ACCEPT:
	case FC_KIND_DATA:
	case FC_KIND_DATAGRAM:
	case FC_KIND_COUNT:
		break;
	}
	if (fs->sk.sk_state != TCP_ESTABLISHED)
		return;
	if (sent->err != -ECONNREFUSED)
		flitcast_conn_end(fs, -sent->err);
	else
		flitcast_conn_end(fs, gone ? EPIPE : ECONNRESET);
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
	/* The request will not be answered: connect() returns the error. */
	if (fs->sk.sk_state == TCP_SYN_SENT)
		flitcast_conn_set_state(fs, TCP_CLOSE);
	else if (fs->sk.sk_type == SOCK_SEQPACKET && fs->sk.sk_state != TCP_CLOSE)
		flitcast_conn_end(fs, 0);
	spin_unlock(&fs->conn.lock);
}

void flitcast_conn_info(const struct flitcast_sock *fs, struct flitcast_socket_info *info)
{
	static const u8 peer[TCP_MAX_STATES] = {
		[TCP_LISTEN] = FLITCAST_PEER_LISTEN,
		[TCP_SYN_SENT] = FLITCAST_PEER_REQUESTED,
		[TCP_ESTABLISHED] = FLITCAST_PEER_CONNECTED,
		[TCP_CLOSING] = FLITCAST_PEER_CLOSED,
	};

	/* A snapshot: the state may change meanwhile. */
	info->peer = peer[flitcast_conn_state(&fs->sk)];
	if (info->peer <= FLITCAST_PEER_LISTEN)
		return;
	info->peer_site = READ_ONCE(fs->conn.site);
	info->peer_port = READ_ONCE(fs->conn.port);
}

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
