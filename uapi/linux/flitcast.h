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

/*
 * SO_PRIORITY: two classes of messages.  A message is of the class that its socket has
 * when it is sent: low from 0, which a socket has unless set, high from here up.  (6 is
 * the most without CAP_NET_ADMIN.)  A message of more than four flits, or of several packets, is
 * high only if whoever made the socket, or the one that listened for it, had CAP_NET_ADMIN in its
 * network namespace; else it is low.  At its own site a message waits for no message of the other
 * class of the same user, but for a packet that has begun; packets of the high class go first.
 * Users take turns, whatever the class.
 */
#define FLITCAST_PRIORITY_HIGH	4

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
 *	stay silent or out of reach before a message is given up for it; and how
 *	long after close() messages are sent on at most.
 * FLITCAST_ERRMSG: option (read): why the last call was refused, as a text; empty
 *	where it was not.
 * FLITCAST_STATS: option (read): struct flitcast_sock_stats.
 * FLITCAST_CONFIRM: option (int): each message accepted from now on is reported in
 *	the error queue, see struct flitcast_report.
 * FLITCAST_SLOW_TARGET: option, or control message of sendmsg() for that message
 *	alone: struct flitcast_slow_target.  To set the option takes detached targets
 *	back.
 * FLITCAST_REPORT: control message of recvmsg(MSG_ERRQUEUE): struct flitcast_report.
 * FLITCAST_COPIES: option (int): copies of a broadcast sent on this socket whose address
 *	does not say, 1 to what the topology has disjoint paths for (default 1); and copies
 *	that FLITCAST_RECEPTION expects of a broadcast received on it.
 * FLITCAST_RECEPTION: option: struct flitcast_reception.
 * FLITCAST_ADMISSION: option (read): struct flitcast_admission.
 * FLITCAST_ZEROCOPY: option (int): MSG_ZEROCOPY has an effect, as SO_ZEROCOPY makes it elsewhere;
 *	control message of recvmsg(MSG_ERRQUEUE): struct sock_extended_err of
 *	<linux/errqueue.h>, which says what was sent so and may be changed now.
 * FLITCAST_SNDBUF, FLITCAST_RCVBUF: options (int, bytes): send and receive room, 4,096 to
 *	net.flitcast.wmem_max and rmem_max, as they are, not doubled.
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
 * Times of arrival are CLOCK_MONOTONIC of the host that reads them, in nanoseconds.  Sites have no
 * clock in common: a probe that reserves a way carries how long after itself the packet will
 * come, and each site adds that to the time at which the probe came.  So the reserved time that a
 * sender is told is its own, the one that a receiver is told is the receiver's, and where both
 * have one clock the receiver's is later by the time that the probe took.
 */

/**
 * struct flitcast_info - what the FLITCAST_INFO control message tells
 * @addrtype: how the message was addressed, enum flitcast_addrtype
 * @copies: copies received when it was (1 unless broadcast)
 * @votes: of these, copies that agreed with it (1 unless broadcast)
 * @zero: zero
 * @id: message id, unique per sending socket
 * @hops: links the last packet of the message crossed
 * @offset: where the received part begins in the sent message, bytes
 * @length: length of the sent message, bytes
 * @dissent: of the copies received when it was, the links by which those came that
 *	did not agree with it: bit i for the link on port i; always 0 with
 *	FLITCAST_RECEPTION_FIRST, which compares none
 * @reserved: in mode csr: by when the last packet of the message was to have come, as its way was
 *	reserved, or the last part of it, where it was sent on anew around a dead link; ns, by the
 *	receiver's CLOCK_MONOTONIC.  0: not every packet of it has reserved the last link to here
 *	(in other modes, from the own site), or more came at once than a site remembers
 * @arrived: when the last packet of the message came; ns, by the receiver's CLOCK_MONOTONIC.
 *	Later than @reserved: it was late, though it came
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
 * struct flitcast_admission - what became of the last message of a socket (mode csr)
 * @id: of the message that was admitted last, or was over before; 0 without one, too
 * @waiting: messages of the socket that wait to be admitted
 * @reserved: when message @id will have come to the last of its targets, as far as its packets
 *	have reserved their ways by now (of one of up to 64 KiB, to up to 64 targets, all of it),
 *	or to where it is sent on anew, around a dead link; ns, by the sender's CLOCK_MONOTONIC.
 *	0: it has reserved nothing, because it needs no link, has no way, is a short one of the
 *	high class (SO_PRIORITY), or the mode is another
 *
 * After a sendmsg() that was not interrupted, timed out or non-blocking @waiting is 0 and @id is
 * the message just sent.  A packet that is late all the same comes, and later than that.
 */
struct flitcast_admission {
	__u32	id;
	__u32	waiting;
	__aligned_u64	reserved;
};

/**
 * enum flitcast_reception_policy - when a broadcast is received (HARTS, section 2)
 * @FLITCAST_RECEPTION_FIRST: with its first copy: where sites and links only fail
 * @FLITCAST_RECEPTION_ALL: when as many copies as FLITCAST_COPIES says agree
 * @FLITCAST_RECEPTION_MAJORITY: when more than half of those agree
 * @FLITCAST_RECEPTION_QUORUM: when so many agree as the receiver says: with f sites that
 *	may lie, f + 1
 *
 * Copies agree if they are equal byte by byte.  But with the first policy, copies of a
 * broadcast that was sent with another number of copies than FLITCAST_COPIES of the
 * receiver do not count.
 */
enum flitcast_reception_policy {
	FLITCAST_RECEPTION_FIRST = 0,
	FLITCAST_RECEPTION_ALL = 1,
	FLITCAST_RECEPTION_MAJORITY = 2,
	FLITCAST_RECEPTION_QUORUM = 3,
};

/**
 * struct flitcast_reception - when a broadcast is received
 * @policy: enum flitcast_reception_policy
 * @quorum: with FLITCAST_RECEPTION_QUORUM: copies, at least 1; else 0
 * @ms: how long copies are waited for, 1 to 86,400,000 (default 1,000); what has not been
 *	received by then is forgotten, and may be sent again
 */
struct flitcast_reception {
	__u32	policy;
	__u32	quorum;
	__u32	ms;
};

/**
 * enum flitcast_slow_policy - what becomes of a target that does not confirm
 * @FLITCAST_SLOW_WAIT: it is waited for as long as it answers that it has no room,
 *	and while it is silent for FLITCAST_TIMEOUT
 * @FLITCAST_SLOW_SKIP: after a time it is left out of the message
 * @FLITCAST_SLOW_DETACH: after a time it is left out of the message, of those to it
 *	that are under way, and of all later ones, until the option
 *	FLITCAST_SLOW_TARGET is set again
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
 * struct flitcast_result - what became of one target of a message
 * @site: target site
 * @port: target port
 * @error: 0: delivered; ECONNREFUSED: no socket there; EHOSTUNREACH: there is no
 *	way to it; ETIMEDOUT: it was silent for FLITCAST_TIMEOUT; ETIME: it took
 *	longer than FLITCAST_SLOW_TARGET allows; ECANCELED: it was detached before, and
 *	nothing was sent to it; ENETDOWN: the sender's site was taken down
 * @flags: FLITCAST_RESULT_*
 *
 * An error without FLITCAST_RESULT_UNKNOWN means that it has not received the message,
 * and will not: not all of it was sent, or it was one packet of up to 64 KiB, and the
 * target has answered that it had no socket or no room.  Where a link went down with that
 * packet the network may carry another copy, about which the target may think otherwise
 */
struct flitcast_result {
	__u32	site;
	__u16	port;
	__u8	error;
	__u8	flags;
};

/*
 * FLITCAST_RESULT_UNKNOWN - the target did not confirm the message, and all of it was sent: the
 * target may have received it, or may yet do so.
 */
#define FLITCAST_RESULT_UNKNOWN	0x1

/**
 * struct flitcast_report - a report of the error queue
 * @id: message id: ids count the messages accepted on a socket, from 0; on a
 *	connection what makes and ends it counts, too
 * @flags: FLITCAST_REPORT_*
 * @targets: targets of the message
 * @delivered: of these, confirmed
 * @failed: of these, given up
 * @left_out: of these, detached before, or without a socket on the port of a broadcast
 * @lost: reports of failures dropped before this one because nobody read them
 * @unknown: of @failed, those that may have received it (FLITCAST_RESULT_UNKNOWN)
 * @reserved: in mode csr: when it was to have come to the last of its targets, as all of its
 *	packets have reserved their ways (struct flitcast_admission); else 0
 * @over: when the last target had confirmed it, or was given up; ns, by the sender's
 *	CLOCK_MONOTONIC.  Where all have confirmed it came before that
 *
 * The data of the report is an array of struct flitcast_result: with
 * FLITCAST_CONFIRM all targets in the order of the sender's list, else those given
 * up.  There is one when every target of a message has confirmed or is given up.
 * Reports asked for are never dropped, and take send room until they are read; of
 * others the last few are kept.
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
	__aligned_u64	over;
};

/* The report was asked for (FLITCAST_CONFIRM): all targets are in it. */
#define FLITCAST_REPORT_ALL	0x1

/**
 * struct flitcast_sock_stats - counters of a socket
 * @tx_messages: messages accepted by sendmsg()
 * @tx_confirmed: of these, confirmed by every target
 * @tx_failed: of these, given up for at least one target
 * @rx_messages: messages queued for recvmsg()
 * @rx_no_room: times a message was put off because the receive buffer was full
 * @reports_lost: reports of failures dropped because nobody read them
 */
struct flitcast_sock_stats {
	__u64	tx_messages;
	__u64	tx_confirmed;
	__u64	tx_failed;
	__u64	rx_messages;
	__u64	rx_no_room;
	__u64	reports_lost;
};

#endif /* _UAPI_LINUX_FLITCAST_H */
