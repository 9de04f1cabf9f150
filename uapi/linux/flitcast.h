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
 * Linux keeps no address family number for modules from outside its tree, so the module uses a
 * retired one: this default (once Econet), or the value of its parameter "family".
 * flitcast_family() of libflitcast returns the number.
 */
#define FLITCAST_FAMILY_DEFAULT	19

#define SOL_FLITCAST		0x464c

/* Bind: the only site of the namespace.  Never the identity of a site. */
#define FLITCAST_SITE_ANY	0xffffffffU

/* Bind: any free port.  Never a destination. */
#define FLITCAST_PORT_ANY	0
/* Echo port: the site answers each message to this port with the same message. */
#define FLITCAST_PORT_ECHO	7
/* Ports below this one need CAP_NET_BIND_SERVICE. */
#define FLITCAST_PORT_RESERVED	1024
/* bind() with FLITCAST_PORT_ANY chooses from here up. */
#define FLITCAST_PORT_DYNAMIC	0xc000

/*
 * SO_PRIORITY: two classes of messages.  The priority of the socket at the time of sendmsg()
 * determines the class: low from 0 (the default), high from FLITCAST_PRIORITY_HIGH up (6 is the
 * maximum without CAP_NET_ADMIN).  A message of more than four flits, or of several packets, is
 * high only if the creator of the socket, or of the listening socket that accepted it, had
 * CAP_NET_ADMIN in its network namespace; else it is low.  At the sending site a message does not
 * wait for messages of the other class of the same user, except for a packet that has begun;
 * packets of the high class are sent first.  Users take turns, independent of the class.
 */
#define FLITCAST_PRIORITY_HIGH	4

/**
 * enum flitcast_addrtype - kind of destination of a struct sockaddr_flitcast
 * @FLITCAST_ADDR_SITE: one port of one site
 * @FLITCAST_ADDR_LIST: the targets of the FLITCAST_TARGETS control message, or
 *	those set by the socket option of that name; site and port are zero
 * @FLITCAST_ADDR_BROADCAST: every other site of the network
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
 * @offset: start of the part of the message that this target receives, in bytes; at most the length
 *	of the message
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

/* Upper limit of the sysctl net.flitcast.message_max, bytes. */
#define FLITCAST_MESSAGE_MAX	(16U << 20)

/*
 * Socket options and control messages at level SOL_FLITCAST.
 *
 * FLITCAST_TARGETS: control message of sendmsg(), or set and read as option: array of struct
 *	flitcast_target.
 * FLITCAST_INFO: option (int): recvmsg() adds a struct flitcast_info control message.
 * FLITCAST_TIMEOUT: option (unsigned int, milliseconds): how long a target may be silent or
 * unreachable before the sender aborts a message to it; and how long after close() the site goes on
 * sending messages at most.  FLITCAST_ERRMSG: option (read): text with the reason why the last call
 * failed; empty if there is none.  FLITCAST_STATS: option (read): struct flitcast_sock_stats.
 * FLITCAST_CONFIRM: option (int): the error queue gets a report of each message accepted from now
 * on, see struct flitcast_report.  FLITCAST_SLOW_TARGET: option, or control message of sendmsg()
 * for that message alone: struct flitcast_slow_target.  Setting the option reattaches detached
 * targets.  FLITCAST_REPORT: control message of recvmsg(MSG_ERRQUEUE): struct flitcast_report.
 * FLITCAST_COPIES: option (int): copies of a broadcast sent on this socket if sfc_copies is 0, 1 to
 * the number of disjoint paths of the topology (default 1); and copies that FLITCAST_RECEPTION
 * expects of a broadcast received on it.  FLITCAST_RECEPTION: option: struct flitcast_reception.
 * FLITCAST_ADMISSION: option (read): struct flitcast_admission.  FLITCAST_ZEROCOPY: option (int):
 * enables MSG_ZEROCOPY, as SO_ZEROCOPY does for other families; control message of
 * recvmsg(MSG_ERRQUEUE): struct sock_extended_err of <linux/errqueue.h>, which names the
 * zero-copy sends that have completed, so that their buffers may be reused.  FLITCAST_SNDBUF,
 * FLITCAST_RCVBUF: options (int, bytes): size of the send or receive buffer, 4,096 to
 * net.flitcast.wmem_max or rmem_max; not doubled.
 */
#define FLITCAST_TARGETS	1
#define FLITCAST_INFO		2
#define FLITCAST_TIMEOUT	3
#define FLITCAST_ERRMSG		4
#define FLITCAST_STATS		5
#define FLITCAST_CONFIRM	6
#define FLITCAST_SLOW_TARGET	7
#define FLITCAST_REPORT		8
#define FLITCAST_SNDBUF		9
#define FLITCAST_RCVBUF		10
#define FLITCAST_COPIES		11
#define FLITCAST_RECEPTION	12
#define FLITCAST_ADMISSION	13
#define FLITCAST_ZEROCOPY	14

/*
 * Times of arrival are CLOCK_MONOTONIC of the local host, in nanoseconds.  Sites have no common
 * clock: a probe that reserves a path carries the delay after which the packet will follow, and
 * each site adds that delay to the arrival time of the probe.  So a sender gets the reserved time
 * by its own clock, and a receiver by the receiver's.  If both are on one host, the receiver's time
 * is later by the transit time of the probe.
 */

/**
 * struct flitcast_info - data of the FLITCAST_INFO control message
 * @addrtype: how the message was addressed, enum flitcast_addrtype
 * @copies: copies that had arrived when the message was accepted (1 unless broadcast)
 * @votes: of these, copies equal to the message (1 unless broadcast)
 * @zero: zero
 * @id: message id, unique per sending socket
 * @hops: number of links that the last packet of the message crossed
 * @offset: start of the received part within the sent message, bytes
 * @length: length of the sent message, bytes
 * @dissent: links that delivered copies different from the message, of those counted by @copies:
 *	bit i for the link on port i; always 0 with FLITCAST_RECEPTION_FIRST, which compares no
 *	copies
 * @reserved: mode csr: reserved time of arrival of the last packet of the message, or of the last
 *	part of its path, if it was rerouted around a dead link; ns, by the receiver's
 *	CLOCK_MONOTONIC.  0: not every packet has reserved the last link (other modes; from the own
 *	site), or more packets were in transit than a site keeps times for
 * @arrived: time of arrival of the last packet of the message; ns, by the receiver's
 *	CLOCK_MONOTONIC.  If later than @reserved, the packet was late
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
	__u32	dissent;
	__aligned_u64	reserved;
	__aligned_u64	arrived;
};

/**
 * struct flitcast_admission - admission of the last message of a socket (mode csr)
 * @id: id of the message that was last admitted, or completed without; 0 also if there is none
 * @waiting: messages of the socket that wait for admission
 * @reserved: reserved time of arrival of message @id at the last of its targets, for the packets
 *	that have reserved their paths by now (all of a message of up to 64 KiB to up to 64
 *	targets), or at the site that reroutes it around a dead link; ns, by the sender's
 *	CLOCK_MONOTONIC.  0: the message has reserved nothing, because it needs no link, has no
 *	route, is a short one of the high class (SO_PRIORITY), or the mode is not csr
 *
 * After a sendmsg() that was not interrupted, timed out or non-blocking @waiting is 0 and @id is
 * the message just sent.  A late packet arrives after @reserved.
 */
struct flitcast_admission {
	__u32	id;
	__u32	waiting;
	__aligned_u64	reserved;
};

/**
 * enum flitcast_reception_policy - when a broadcast is accepted (HARTS, section 2)
 * @FLITCAST_RECEPTION_FIRST: on its first copy: if sites and links only fail by stopping
 * @FLITCAST_RECEPTION_ALL: when FLITCAST_COPIES copies agree
 * @FLITCAST_RECEPTION_MAJORITY: when more than half of FLITCAST_COPIES agree
 * @FLITCAST_RECEPTION_QUORUM: when struct flitcast_reception.quorum copies agree: against f faulty
 *	sites, f + 1
 *
 * Copies agree if they are equal byte by byte.  Except with FLITCAST_RECEPTION_FIRST, copies of a
 * broadcast that was sent in another number of copies than FLITCAST_COPIES of the receiver do not
 * count.
 */
enum flitcast_reception_policy {
	FLITCAST_RECEPTION_FIRST = 0,
	FLITCAST_RECEPTION_ALL = 1,
	FLITCAST_RECEPTION_MAJORITY = 2,
	FLITCAST_RECEPTION_QUORUM = 3,
};

/**
 * struct flitcast_reception - when a broadcast is accepted
 * @policy: enum flitcast_reception_policy
 * @quorum: with FLITCAST_RECEPTION_QUORUM: copies required, at least 1; else 0
 * @ms: how long the receiver waits for copies, 1 to 86,400,000 (default 1,000); then it discards a
 *	broadcast that was not accepted, which the sender may repeat
 */
struct flitcast_reception {
	__u32	policy;
	__u32	quorum;
	__u32	ms;
};

/**
 * enum flitcast_slow_policy - treatment of a target that does not confirm
 * @FLITCAST_SLOW_WAIT: the sender waits while the target answers that its buffer is full, and for
 *	FLITCAST_TIMEOUT while the target is silent
 * @FLITCAST_SLOW_SKIP: after @ms the sender drops the target from the message
 * @FLITCAST_SLOW_DETACH: after @ms the sender drops the target from the message, from other
 *	messages in progress, and from all later ones, until the option FLITCAST_SLOW_TARGET is set
 *	again
 */
enum flitcast_slow_policy {
	FLITCAST_SLOW_WAIT = 0,
	FLITCAST_SLOW_SKIP = 1,
	FLITCAST_SLOW_DETACH = 2,
};

/**
 * struct flitcast_slow_target - how long a message waits for each of its targets
 * @policy: enum flitcast_slow_policy
 * @ms: milliseconds from sendmsg() on, 1 to 86,400,000; 0 with FLITCAST_SLOW_WAIT
 */
struct flitcast_slow_target {
	__u32	policy;
	__u32	ms;
};

/**
 * struct flitcast_result - result for one target of a message
 * @site: target site
 * @port: target port
 * @error: 0: delivered; ECONNREFUSED: no socket on the port; EHOSTUNREACH: no route; ELOOP: packets
 *	crossed 1,024 links and did not arrive; ETIMEDOUT: the target was silent for
 *	FLITCAST_TIMEOUT; ETIME: the target took longer than FLITCAST_SLOW_TARGET allows; ECANCELED:
 *	the target was detached before, and nothing was sent to it; ENETDOWN: the sender's site was
 *	deleted
 * @flags: FLITCAST_RESULT_*
 *
 * An error without FLITCAST_RESULT_UNKNOWN means that the target has not received the message, and
 * will not: not all of the message was sent, or it was one packet of up to 64 KiB, and the target
 * has answered that it had no socket or a full buffer.  If a link went down while it carried that
 * packet, the network may hold another copy, which the target may still accept
 */
struct flitcast_result {
	__u32	site;
	__u16	port;
	__u8	error;
	__u8	flags;
};

/*
 * FLITCAST_RESULT_UNKNOWN - the target did not confirm the message, and all of the message was
 * sent: the target may have received it, or may still receive it.
 */
#define FLITCAST_RESULT_UNKNOWN	0x1

/**
 * struct flitcast_report - a report of the error queue
 * @id: message id: ids count the messages accepted on a socket, from 0; control messages of a
 *	connection count, too
 * @flags: FLITCAST_REPORT_*
 * @targets: targets of the message
 * @delivered: of these, confirmed
 * @failed: of these, failed
 * @left_out: of these, detached before, or without a socket on the port of a broadcast
 * @lost: reports of failures dropped unread before this one
 * @unknown: of @failed, those that may have received the message (FLITCAST_RESULT_UNKNOWN)
 * @reserved: mode csr: reserved time of arrival at the last target, once all packets have reserved
 *	their paths (struct flitcast_admission); else 0
 * @completed: when the last target confirmed the message or failed; ns, by the sender's
 *	CLOCK_MONOTONIC. If all targets confirmed it, the message arrived before that
 *
 * The data of the report is an array of struct flitcast_result: with FLITCAST_CONFIRM all targets
 * in the order of the sender's list, else those that failed.  A report is queued when every target
 * of a message has confirmed it or failed.  Requested reports are never dropped, and use the send
 * buffer until they are read; of others the last few are kept.
 */
struct flitcast_report {
	__u32	id;
	__u32	flags;
	__u32	targets;
	__u32	delivered;
	__u32	failed;
	__u32	left_out;
	__u32	lost;
	__u32	unknown;
	__aligned_u64	reserved;
	__aligned_u64	completed;
};

/* The report was requested (FLITCAST_CONFIRM): it lists all targets. */
#define FLITCAST_REPORT_ALL	0x1

/**
 * struct flitcast_sock_stats - counters of a socket
 * @tx_messages: messages accepted by sendmsg()
 * @tx_confirmed: of these, confirmed by every target
 * @tx_failed: of these, failed for at least one target
 * @rx_messages: messages queued for recvmsg()
 * @rx_no_space: times a message was refused because the receive buffer was full
 * @reports_lost: reports of failures dropped unread
 */
struct flitcast_sock_stats {
	__u64	tx_messages;
	__u64	tx_confirmed;
	__u64	tx_failed;
	__u64	rx_messages;
	__u64	rx_no_space;
	__u64	reports_lost;
};

#endif /* _UAPI_LINUX_FLITCAST_H */
