/* SPDX-License-Identifier: GPL-2.0 */
/* Interface for sending messages: allocate, fill, send. */
#ifndef FLITCAST_ENDS_MESSAGE_H
#define FLITCAST_ENDS_MESSAGE_H

#include <linux/types.h>
#include "ends/port.h"

struct flitcast_msg;
struct iov_iter;
struct ubuf_info;

/**
 * struct flitcast_msg_dest - one target of a message
 * @site: target site
 * @port: target port
 * @off: first byte it receives
 * @index: index in the sender's list, for the outcome
 * @len: bytes; 0: to the end
 */
struct flitcast_msg_dest {
	u32 site;
	u16 port;
	u16 index;
	u32 off;
	u32 len;
};

/**
 * flitcast_msg_alloc() - allocate a message
 * @len: bytes
 * @ndests: targets
 * @gfp: allocation flags; may sleep
 *
 * Return: message, whose data the caller fills in, or NULL.
 */
struct flitcast_msg *flitcast_msg_alloc(u32 len, u32 ndests, gfp_t gfp);
void flitcast_msg_free(struct flitcast_msg *msg);

/**
 * flitcast_msg_pin() - make a message of user pages, without copying
 * @len: bytes, not 0
 * @ndests: targets
 * @from: data; advanced by @len on success, else unchanged
 * @held: notified when the data is not needed any more; the message takes a reference
 * @sum: make the sums of its packets
 * @gfp: allocation flags; may sleep
 *
 * Return: message with its data, or NULL: no memory, or the pages are not contiguous in the
 * message; the caller may copy the data instead.
 */
struct flitcast_msg *flitcast_msg_pin(u32 len, u32 ndests, struct iov_iter *from,
				      struct ubuf_info *held, bool sum, gfp_t gfp);

/**
 * flitcast_msg_set_kind() - set the kind of a message (default: FC_KIND_MESSAGE)
 * @msg: message not sent yet; with one target, unless of FC_KIND_MESSAGE
 * @kind: kind; without data, except FC_KIND_DATA
 * @re: id of the message that it answers (FC_KIND_ACCEPT, FC_KIND_REFUSE)
 */
void flitcast_msg_set_kind(struct flitcast_msg *msg, enum fc_kind kind, u32 re);

/*
 * Fill a whole message with data; @sum: make the sums of its packets (flitcast_site_verifies()).
 * Return: false if the data cannot be read.
 */
bool flitcast_msg_from_iter(struct flitcast_msg *msg, struct iov_iter *from, bool sum);
/* As above, with the data of an skb from byte @skip on. */
bool flitcast_msg_from_skb(struct flitcast_msg *msg, const struct sk_buff *skb, u32 skip, bool sum);

/* How to treat a target that does not ack in time. */
enum flitcast_slow {
	FLITCAST_TX_WAIT,	/* wait as long as the target is responsive */
	FLITCAST_TX_SKIP,	/* abort this message for the target */
	FLITCAST_TX_DETACH,	/* and exclude the target from later messages */
};

/**
 * struct flitcast_send - how a message is sent
 * @charge: bytes of send buffer, released with the outcome
 * @list: the sender used a target list
 * @report: copied to the outcome, see struct flitcast_sent
 * @slow: enum flitcast_slow
 * @class: enum flitcast_tx_class, without FLITCAST_TX_SHORT
 * @long_high: a message of many flits may use FLITCAST_TX_HIGH; else it uses FLITCAST_TX_LOW
 * @copies: number of copies of a broadcast (FLITCAST_TX_BCAST, to one port of all other sites);
 *	else 0
 * @slow_ns: how long a target may take, ns; not for FLITCAST_TX_WAIT
 * @admission: in mode csr: count the message in @waits of the port
 * @delay_ack: its acks may be delayed (FC_PACKET_DELAY_ACK)
 */
struct flitcast_send {
	u32 charge;
	bool list;
	bool report;
	u8 slow;
	u8 class;
	bool long_high;
	u8 copies;
	u64 slow_ns;
	bool admission;
	bool delay_ack;
};

/**
 * flitcast_msg_send() - send a message
 * @port: attached port
 * @msg: message; takes ownership on success
 * @dests: targets, as many as @msg was allocated for, no (site, port) twice
 * @how: how
 * @id: set to the message id before the first packet is sent; ids count the messages of a port,
 *	from 0
 *
 * Return: 0, -ENETDOWN (the site is dead, or being drained), -EHOSTUNREACH (a site beyond
 * the topology), -ECONNREFUSED (every target was detached), -ENOMEM.
 */
int flitcast_msg_send(struct flitcast_port *port, struct flitcast_msg *msg,
		      const struct flitcast_msg_dest *dests, const struct flitcast_send *how,
		      u32 *id);

/* Data up to this size is stored in struct flitcast_msg, and copied into the flit. */
#define FLITCAST_MSG_SMALL	96

/**
 * flitcast_port_send() - send a short message to one target
 * @port: attached port
 * @data: data; copied
 * @len: bytes, FLITCAST_MSG_SMALL at most
 * @dest: target
 * @how: how
 *
 * As flitcast_msg_send() with a message of FC_KIND_MESSAGE, which may reuse the memory of a
 * completed one.  Context: process, may sleep.
 *
 * Return: as flitcast_msg_send(); nothing is changed if it is not 0.
 */
int flitcast_port_send(struct flitcast_port *port, const void *data, u32 len,
		       const struct flitcast_msg_dest *dest, const struct flitcast_send *how);

#endif /* FLITCAST_ENDS_MESSAGE_H */
