/* SPDX-License-Identifier: GPL-2.0 */
/* Reasons to drop frames, flits and messages; drop.h has the functions that drop them. */
#ifndef FLITCAST_DROP_REASON_H
#define FLITCAST_DROP_REASON_H

/* X(identifier, reason of the kernel, meaning); Documentation/troubleshooting.rst has the same. */
#define FLITCAST_DROPS(X)							\
	X(STRANGER,	OTHERHOST,	"not from the link's peer, or from before it was up") \
	X(MALFORMED,	DEV_HDR,	"a header failed validation")		\
	X(PROTOCOL,	INVALID_PROTO,	"contradicts what was received before")	\
	X(CHECKSUM,	SKB_CSUM,	"corrupted")				\
	X(DAMAGED,	SKB_CSUM,	"damaged between its source and this site") \
	X(UNPROVEN,	XFRM_POLICY,	"its code is wrong, missing or repeated") \
	X(LIMITED,	CPU_BACKLOG,	"control frames above the rate")	\
	X(DOWN,		DEV_READY,	"a link, device or site is down, or went down") \
	X(FULL,		FULL_RING,	"a queue or a pool is full")		\
	X(NO_MEMORY,	NOMEM,		"an allocation failed")			\
	X(UNROUTABLE,	IP_OUTNOROUTES,	"no route to the targets")		\
	X(CUT,		PKT_TOO_SMALL,	"its packet was aborted, or is incomplete") \
	X(STUCK,	QDISC_DROP,	"the next site takes nothing")		\
	X(REFUSED,	NO_SOCKET,	"no socket, or no network device, receives it") \
	X(CLOSED,	TCP_CLOSE,	"a socket was closed that had not read it") \
	X(NO_SPACE,	SOCKET_RCVBUFF,	"the receive buffer, or the table of flows, is full") \
	X(FORGOTTEN,	PROTO_MEM,	"the flow was forgotten, or gave memory to others") \
	X(ABORTED,	TCP_RESET,	"its source aborted the message")	\
	X(FILTERED,	SOCKET_FILTER,	"a filter or a security module rejected it") \
	X(UNDECIDED,	SOCKET_FILTER,	"too few copies of a broadcast agreed with it") \
	X(LENGTH,	PKT_TOO_BIG,	"longer than the device carries")	\
	X(OFFLOAD,	SKB_GSO_SEG,	"an offload that the device does not know") \
	X(OWN,		OTHERHOST,	"sent to the site's own hardware address") \
	X(NESTED,	NOT_SPECIFIED,	"devices of sites over devices of sites")

#define FLITCAST_DROP_ENUM(id, ...)	FLITCAST_DROP_##id,

/* FLITCAST_USED: no drop, the frame is consumed. */
enum flitcast_drop {
	FLITCAST_USED,
	FLITCAST_DROPS(FLITCAST_DROP_ENUM)
};

#endif /* FLITCAST_DROP_REASON_H */
