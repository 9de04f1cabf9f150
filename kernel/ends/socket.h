/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets of a site, as netlink shows them.
 */
#ifndef FLITCAST_ENDS_SOCKET_H
#define FLITCAST_ENDS_SOCKET_H

#include <linux/types.h>

struct flitcast_site;

/**
 * enum flitcast_wait - what the oldest message of a socket waits for
 * @FLITCAST_WAIT_NOTHING: no message is pending
 * @FLITCAST_WAIT_TURN: the message has not left this site: it waits for other messages or for a
 *	busy link
 * @FLITCAST_WAIT_ANSWER: a target has not answered
 * @FLITCAST_WAIT_BUFFER: a target has no buffer space: its reader does not consume messages
 * @FLITCAST_WAIT_ROUTE: there is no route to a target
 */
enum flitcast_wait {
	FLITCAST_WAIT_NOTHING,
	FLITCAST_WAIT_TURN,
	FLITCAST_WAIT_ANSWER,
	FLITCAST_WAIT_BUFFER,
	FLITCAST_WAIT_ROUTE,
};

/**
 * enum flitcast_peer - connection state of a socket
 * @FLITCAST_PEER_NONE: not connected
 * @FLITCAST_PEER_LISTEN: listening
 * @FLITCAST_PEER_REQUESTED: has requested a connection, waits for the answer
 * @FLITCAST_PEER_CONNECTED: connected; SOCK_RDM: has a default destination
 * @FLITCAST_PEER_CLOSED: was connected; the connection has ended
 */
enum flitcast_peer {
	FLITCAST_PEER_NONE,
	FLITCAST_PEER_LISTEN,
	FLITCAST_PEER_REQUESTED,
	FLITCAST_PEER_CONNECTED,
	FLITCAST_PEER_CLOSED,
};

/**
 * struct flitcast_socket_info - snapshot of a bound socket
 * @site: site that the socket is bound to
 * @port: its port
 * @type: SOCK_RDM or SOCK_SEQPACKET
 * @peer: enum flitcast_peer
 * @peer_site: site of the peer, or of the requested one
 * @peer_port: port of the peer
 * @inode: inode of its file, to find its process; 0: no file
 * @senders: number of sendmsg() calls that wait for send buffer
 * @tx_used: bytes of send buffer in use
 * @tx_size: size of the send buffer
 * @rx_used: bytes of receive buffer in use
 * @rx_size: size of the receive buffer
 * @tx_messages: messages accepted by sendmsg()
 * @tx_confirmed: of these, acked by every target
 * @tx_failed: of these, failed for at least one target
 * @rx_messages: messages queued for recvmsg()
 * @rx_no_space: number of times a message was refused because the receive buffer was full
 * @reports_lost: failure reports dropped because they were not read
 * @pending: messages that are not completed
 * @wait: enum flitcast_wait: what the oldest of them waits for; a sender blocked on a full send
 *	buffer waits for the same
 * @wait_site: site of the target that has been waited for longest; this and all below are zero if
 *	@wait is FLITCAST_WAIT_NOTHING
 * @wait_port: port of that target
 * @wait_link: port of this site by which packets to it leave, 0: none
 * @wait_ns: how long it has been waited for, nanoseconds
 * @wait_id: id of the message
 */
struct flitcast_socket_info {
	u32 site;
	u16 port;
	u16 type;
	u32 peer;
	u32 inode;
	u32 peer_site;
	u16 peer_port;
	u32 senders;
	u32 tx_used;
	u32 tx_size;
	u32 rx_used;
	u32 rx_size;
	u64 tx_messages;
	u64 tx_confirmed;
	u64 tx_failed;
	u64 rx_messages;
	u64 rx_no_space;
	u64 reports_lost;
	u32 pending;
	u32 wait;
	u32 wait_site;
	u16 wait_port;
	u16 wait_link;
	u64 wait_ns;
	u32 wait_id;
};

/**
 * flitcast_socket_next() - walk the sockets of a site
 * @site: site
 * @from: smallest port wanted
 * @info: snapshot of the socket with the smallest port >= @from
 *
 * Return: 0, or -ENOENT if there is none.
 */
int flitcast_socket_next(struct flitcast_site *site, u32 from,
			 struct flitcast_socket_info *info);

#endif /* FLITCAST_ENDS_SOCKET_H */
