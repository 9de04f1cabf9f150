/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connection of a socket.
 *
 * One of SOCK_SEQPACKET is between two ports.  The connector sends FC_KIND_CONNECT to a
 * listening port; accept() makes a socket on a port of its own, which answers with
 * FC_KIND_ACCEPT; from then on each end admits nothing but what the other one sends.
 * Message ids go up by one from request and answer on, so an end knows when one in
 * between was given up, and the connection is over: it has all messages or ends.
 *
 * A request is not connected while it waits in the backlog: accept() makes the port, whose room
 * is what data may be sent to, and charges it to the task that wants the connection.
 *
 * One of SOCK_RDM is a default destination and nothing else.
 *
 * sk_state tells where it stands:
 *
 *	TCP_CLOSE	no connection, not yet or not any more wanted
 *	TCP_LISTEN	listen(): requests are in the receive queue
 *	TCP_SYN_SENT	connect() is under way
 *	TCP_ESTABLISHED	connected
 *	TCP_CLOSING	it was, and is over
 */
#ifndef FLITCAST_SOCK_CONN_H
#define FLITCAST_SOCK_CONN_H

#include <linux/net.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include <net/tcp_states.h>
#include "compat.h"
#include "ends/message.h"
#include "ends/port.h"

struct flitcast_sock;
struct flitcast_socket_info;

/**
 * struct flitcast_conn - the connection of a socket
 * @lock: protects all below, sk_state and sk_shutdown; BH off; under the site's lock
 *	or lock_sock, and innermost but for the receive queue's
 * @site: the other end, or the one asked
 * @port: its port
 * @incarnation: of its site, once connected
 * @sock: its socket, once connected
 * @asked: message id of the request under way; written under the site's lock
 * @next: message id expected next, once connected
 * @news: the state changed, and those who wait are to be told
 * @late: ends a request that takes too long
 */
struct flitcast_conn {
	spinlock_t lock; /* see above */
	u32 site;
	u16 port;
	u32 incarnation;
	u32 sock;
	u32 asked;
	u32 next;
	bool news;
	struct delayed_work late;
};

/* Where a connection stands; without its lock it may have gone on by now. */
static inline u8 flitcast_conn_state(const struct sock *sk)
{
	/* With flitcast_conn_set_state(): what led to it is seen too. */
	return smp_load_acquire(&sk->sk_state);
}

/* conn.c */

/**
 * flitcast_conn_set_state() - a connection changes its state
 * @fs: socket
 * @state: TCP_*: sk_state from here on
 *
 * Whoever waits is told by flitcast_conn_news().  Context: the connection's lock.
 */
void flitcast_conn_set_state(struct flitcast_sock *fs, u8 state);

/**
 * flitcast_conn_over() - a connection is over: nothing goes either way any more
 * @fs: socket
 * @err: the reason, positive; 0: the caller knows it
 *
 * Context: the connection's lock.
 */
void flitcast_conn_over(struct flitcast_sock *fs, int err);

void flitcast_conn_init(struct flitcast_sock *fs);
/* No more waiting for an answer; the socket is not used any more. */
void flitcast_conn_exit(struct flitcast_sock *fs);

/* What the site asks of a port (struct flitcast_port_ops), under its lock; of a SOCK_SEQPACKET. */
enum flitcast_admit flitcast_conn_admit(struct flitcast_sock *fs, const struct fc_packet *pk,
					bool early);
/* Return: false if it was about the connection alone: nothing for recvmsg(). */
bool flitcast_conn_deliver(struct flitcast_sock *fs, const struct flitcast_delivery *d);
/* What becomes of the socket when a message of it failed. */
void flitcast_conn_failed(struct flitcast_sock *fs, const struct flitcast_sent *sent);
void flitcast_conn_detach(struct flitcast_sock *fs);
/* Have there been changes since the last call? */
bool flitcast_conn_news(struct flitcast_sock *fs);

/* Fills in what is said of the other end; under the site's lock. */
void flitcast_conn_info(const struct flitcast_sock *fs, struct flitcast_socket_info *info);

/**
 * flitcast_conn_peer() - where messages without a destination go
 * @fs: socket
 * @dest: gets site and port
 *
 * Return: false where the socket is not connected.
 */
bool flitcast_conn_peer(struct flitcast_sock *fs, struct flitcast_msg_dest *dest);

/* May a message be sent, as far as the connection is concerned?  0, or why not. */
int flitcast_conn_may_send(struct flitcast_sock *fs);

/* listen.c */

int flitcast_listen_listen(struct socket *sock, int backlog);
int flitcast_listen_accept(struct socket *sock, struct socket *newsock,
			   struct proto_accept_arg *arg);
/* Listen no more: those who asked and were not accepted are told.  Context: lock_sock. */
void flitcast_listen_close(struct flitcast_sock *fs);

/* connect.c */

int flitcast_conn_connect(struct socket *sock, struct sockaddr_unsized *uaddr, int len,
			  int flags);
int flitcast_conn_shutdown(struct socket *sock, int how);
/* close(): the other end reads that no more will come.  Context: lock_sock. */
void flitcast_conn_close(struct flitcast_sock *fs);

#endif /* FLITCAST_SOCK_CONN_H */
