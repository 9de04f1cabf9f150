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
 * @FLITCAST_WAIT_NOTHING: no message is under way
 * @FLITCAST_WAIT_TURN: it has not left this site: other messages of the site, or
 *	the link it leaves by, come first
 * @FLITCAST_WAIT_ANSWER: a target has not answered
 * @FLITCAST_WAIT_ROOM: a target has no room: its reader does not read
 * @FLITCAST_WAIT_WAY: there is no way to a target
 */
enum flitcast_wait {
	FLITCAST_WAIT_NOTHING,
	FLITCAST_WAIT_TURN,
	FLITCAST_WAIT_ANSWER,
	FLITCAST_WAIT_ROOM,
	FLITCAST_WAIT_WAY,
};

/**
 * enum flitcast_peer - has a socket another end?
 * @FLITCAST_PEER_NONE: it is not connected
 * @FLITCAST_PEER_LISTEN: it listens, and has none itself
 * @FLITCAST_PEER_ASKED: it has asked for a connection and waits for the answer
 * @FLITCAST_PEER_CONNECTED: it is connected; one of SOCK_RDM has a default destination
 * @FLITCAST_PEER_OVER: it was, and the connection is over
 */
enum flitcast_peer {
	FLITCAST_PEER_NONE,
	FLITCAST_PEER_LISTEN,
	FLITCAST_PEER_ASKED,
	FLITCAST_PEER_CONNECTED,
	FLITCAST_PEER_OVER,
};

/**
 * struct flitcast_socket_info - snapshot of a bound socket
 * @site: site it is bound to
 * @port: its port
 * @type: SOCK_RDM or SOCK_SEQPACKET
 * @peer: enum flitcast_peer
 * @peer_site: site of the other end, or of the one that was asked
 * @peer_port: its port
 * @inode: inode of its file, which tells whose it is; 0: none yet, or no more
 * @senders: calls of sendmsg() that wait for send room
 * @tx_used: bytes of send room in use
 * @tx_room: all of it
 * @rx_used: bytes of receive room in use
 * @rx_room: all of it
 * @tx_messages: messages accepted by sendmsg()
 * @tx_confirmed: of these, confirmed by every target
 * @tx_failed: of these, given up for at least one target
 * @rx_messages: messages queued for recvmsg()
 * @rx_no_room: times a message was put off because the receive room was full
 * @reports_lost: reports of failures dropped because nobody read them
 * @pending: messages that are not over
 * @wait: enum flitcast_wait: what the oldest of them waits for, and with it, once
 *	the send room is full, the sender
 * @wait_site: the target that has been waited for longest; all below is of it, and
 *	zero where @wait is FLITCAST_WAIT_NOTHING
 * @wait_port: its port
 * @wait_link: port of this site that its packets leave by, 0: none
 * @wait_ns: for so long, nanoseconds
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
	u32 tx_room;
	u32 rx_used;
	u32 rx_room;
	u64 tx_messages;
	u64 tx_confirmed;
	u64 tx_failed;
	u64 rx_messages;
	u64 rx_no_room;
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
 * Return: 0, or -ENOENT where there is none.
 */
int flitcast_socket_next(struct flitcast_site *site, u32 from,
			 struct flitcast_socket_info *info);

#endif /* FLITCAST_ENDS_SOCKET_H */
