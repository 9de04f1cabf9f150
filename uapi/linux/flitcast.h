/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Flitcast socket family: addresses, control messages and socket options.
 *
 * All members are in host byte order.
 */
#ifndef _UAPI_LINUX_FLITCAST_H
#define _UAPI_LINUX_FLITCAST_H

#include <linux/types.h>
#include <linux/socket.h>

/*
 * Linux keeps no address family number for modules from outside its tree, so
 * the module takes a retired one: this default (once Econet), or what its
 * parameter "family" says.  flitcast_family() in libflitcast tells which.
 */
#define FLITCAST_FAMILY_DEFAULT	19

#define SOL_FLITCAST		0x464c

/* Bind: the only site of the namespace.  Never the identity of a site. */
#define FLITCAST_SITE_ANY	0xffffffffU

/* Bind: any free port.  Never a destination. */
#define FLITCAST_PORT_ANY	0
/* The site itself answers messages to this port with the same message. */
#define FLITCAST_PORT_ECHO	7
/* Ports below this one need CAP_NET_BIND_SERVICE. */
#define FLITCAST_PORT_RESERVED	1024
/* bind() with FLITCAST_PORT_ANY chooses from here up. */
#define FLITCAST_PORT_DYNAMIC	0xc000

/**
 * enum flitcast_addrtype - what a struct sockaddr_flitcast names
 * @FLITCAST_ADDR_SITE: one port of one site
 * @FLITCAST_ADDR_LIST: the targets of the FLITCAST_TARGETS control message, or
 *	those set by the socket option of that name; site and port are zero
 * @FLITCAST_ADDR_BROADCAST: every site of the network
 */
enum flitcast_addrtype {
	FLITCAST_ADDR_SITE = 1,
	FLITCAST_ADDR_LIST = 2,
	FLITCAST_ADDR_BROADCAST = 3,
};

/**
 * struct sockaddr_flitcast - address of a Flitcast socket
 * @sfc_family: the address family, see flitcast_family()
 * @sfc_addrtype: enum flitcast_addrtype
 * @sfc_copies: copies of a broadcast; 0 for the socket's FLITCAST_COPIES;
 *	zero for other address types
 * @sfc_port: port, FLITCAST_PORT_ANY to bind to a free one
 * @sfc_zero: zero
 * @sfc_site: site; FLITCAST_SITE_ANY, or 0 where the namespace has no site 0,
 *	binds to the only site of the namespace
 * @sfc_zero2: zero
 */
struct sockaddr_flitcast {
	__kernel_sa_family_t	sfc_family;
	__u8			sfc_addrtype;
	__u8			sfc_copies;
	__u16			sfc_port;
	__u16			sfc_zero;
	__u32			sfc_site;
	__u32			sfc_zero2;
};

/**
 * struct flitcast_target - one receiver of a message with a target list
 * @site: target site
 * @port: target port
 * @flags: zero
 * @offset: where the part of the message that this target receives begins, in
 *	bytes; at most the length of the message
 * @length: length of that part in bytes; 0: to the end of the message
 *
 * The FLITCAST_TARGETS control message is an array of these: at least one, at
 * most FLITCAST_TARGETS_MAX, no (site, port) twice.
 */
struct flitcast_target {
	__u32	site;
	__u16	port;
	__u16	flags;
	__u32	offset;
	__u32	length;
};

#define FLITCAST_TARGETS_MAX	1024

/* The largest message, whatever the sysctl says. */
#define FLITCAST_MESSAGE_MAX	(16U << 20)

/*
 * Socket options and control messages at level SOL_FLITCAST.
 *
 * FLITCAST_TARGETS: control message of sendmsg(), or set and read as option:
 *	array of struct flitcast_target.
 * FLITCAST_INFO: option (int): recvmsg() adds a struct flitcast_info control
 *	message.
 * FLITCAST_TIMEOUT: option (unsigned int, milliseconds): how long a target may
 *	stay silent or out of reach before a message is given up for it.
 * FLITCAST_ERRMSG: option (read): why the last call was refused, as a text; empty
 *	where it was not.
 * FLITCAST_STATS: option (read): struct flitcast_sock_stats.
 */
#define FLITCAST_TARGETS	1
#define FLITCAST_INFO		2
#define FLITCAST_TIMEOUT	3
#define FLITCAST_ERRMSG		4
#define FLITCAST_STATS		5

/**
 * struct flitcast_info - what the FLITCAST_INFO control message tells
 * @addrtype: how the message was addressed, enum flitcast_addrtype
 * @copies: copies received (1 unless broadcast)
 * @votes: copies that agreed (1 unless broadcast)
 * @zero: zero
 * @id: message id, unique per sending socket
 * @hops: links the last packet of the message crossed
 * @offset: where the received part begins in the sent message, bytes
 * @length: length of the sent message, bytes
 */
struct flitcast_info {
	__u8	addrtype;
	__u8	copies;
	__u8	votes;
	__u8	zero;
	__u32	id;
	__u32	hops;
	__u32	offset;
	__u32	length;
};

/**
 * struct flitcast_sock_stats - counters of a socket
 * @tx_messages: messages accepted by sendmsg()
 * @tx_confirmed: of these, confirmed by every target
 * @tx_failed: of these, given up for at least one target
 * @rx_messages: messages queued for recvmsg()
 * @rx_no_room: times a message was put off because the receive buffer was full
 */
struct flitcast_sock_stats {
	__u64	tx_messages;
	__u64	tx_confirmed;
	__u64	tx_failed;
	__u64	rx_messages;
	__u64	rx_no_room;
};

#endif /* _UAPI_LINUX_FLITCAST_H */
