/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connection of a socket.
 *
 * A SOCK_SEQPACKET connection is between two ports.  The connector sends FC_KIND_CONNECT to a
 * listening port; accept() creates a socket on a port of its own, which answers with
 * FC_KIND_ACCEPT; from then on each end admits only messages of the other end.  Message ids
 * increase by one from request and answer on, so an end detects that its peer aborted a message,
 * and ends the connection: a connection delivers all messages or ends.
 *
 * A request is not connected while it waits in the backlog: accept() creates the port, whose
 * receive buffer data may be sent to, and charges it to the task that accepts the connection.
 *
 * A SOCK_RDM connection is only a default destination.
 *
 * sk_state is the state of the connection:
 *
 *	TCP_CLOSE	no connection: none requested, or closed
 *	TCP_LISTEN	listen(): requests are in the receive queue
 *	TCP_SYN_SENT	connect() is in progress
 *	TCP_ESTABLISHED	connected
 *	TCP_CLOSING	was connected; the connection has ended
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
 * @site: site of the peer, or of the listener that connect() asked
 * @port: port of the peer or listener
 * @incarnation: incarnation of the peer's site, once connected
 * @sock: number of the peer's socket, once connected
 * @asked: message id of the pending request; written under the site's lock
 * @next: message id expected next, once connected
 * @news: the state changed, and waiting tasks must be woken
 * @late: fails connect() when FLITCAST_TIMEOUT expires
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

/* State of a connection; without the connection's lock it may have changed by now. */
static inline u8 flitcast_conn_state(const struct sock *sk)
{
	/* Pairs with flitcast_conn_set_state(): stores before the change of state are visible. */
	return smp_load_acquire(&sk->sk_state);
}

/* conn.c */

/**
 * flitcast_conn_set_state() - change the state of a connection
 * @fs: socket
 * @state: new sk_state, TCP_*
 *
 * fs_wake() wakes waiting tasks, see flitcast_conn_news().  Context: the connection's lock.
 */
void flitcast_conn_set_state(struct flitcast_sock *fs, u8 state);

/**
 * flitcast_conn_end() - end a connection in both directions
 * @fs: socket
 * @err: value for sk_err, positive; 0: leave sk_err as it is
 *
 * Context: the connection's lock.
 */
void flitcast_conn_end(struct flitcast_sock *fs, int err);

void flitcast_conn_init(struct flitcast_sock *fs);
/* Cancel the timeout of connect(); the socket is being closed. */
void flitcast_conn_exit(struct flitcast_sock *fs);

/* Port operations (struct flitcast_port_ops) of a SOCK_SEQPACKET socket; under the site's lock. */
enum flitcast_admit flitcast_conn_admit(struct flitcast_sock *fs, const struct fc_packet *pk,
					bool early);
/*
 * Return: true if the message goes to the receive queue; false if it only changes the connection.
 */
bool flitcast_conn_deliver(struct flitcast_sock *fs, const struct flitcast_delivery *d);
/* Change the state of a socket, or set its error, after one of its messages failed. */
void flitcast_conn_failed(struct flitcast_sock *fs, const struct flitcast_sent *sent);
void flitcast_conn_detach(struct flitcast_sock *fs);
/* Has the state changed since the last call? */
bool flitcast_conn_news(struct flitcast_sock *fs);

/* Fill in the peer and the state of the connection; under the site's lock. */
void flitcast_conn_info(const struct flitcast_sock *fs, struct flitcast_socket_info *info);

/**
 * flitcast_conn_peer() - destination of messages without an address
 * @fs: socket
 * @dest: gets site and port
 *
 * Return: false if the socket is not connected.
 */
bool flitcast_conn_peer(struct flitcast_sock *fs, struct flitcast_msg_dest *dest);

/* Does the state of the connection allow sending?  Return: 0, or the error of sendmsg(). */
int flitcast_conn_may_send(struct flitcast_sock *fs);

/* listen.c */

int flitcast_listen_listen(struct socket *sock, int backlog);
int flitcast_listen_accept(struct socket *sock, struct socket *newsock,
			   struct proto_accept_arg *arg);
/* Stop listening and refuse the requests that were not accepted.  Context: lock_sock. */
void flitcast_listen_close(struct flitcast_sock *fs);

/* connect.c */

int flitcast_conn_connect(struct socket *sock, struct sockaddr_unsized *uaddr, int len,
			  int flags);
int flitcast_conn_shutdown(struct socket *sock, int how);
/* close(): send FC_KIND_SHUT, so that the peer reads end of file.  Context: lock_sock. */
void flitcast_conn_close(struct flitcast_sock *fs);

#endif /* FLITCAST_SOCK_CONN_H */
