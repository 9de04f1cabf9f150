/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages that a port sends: made, filled, handed over.
 */
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
 * @index: place in the sender's list, for the outcome
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
 * flitcast_msg_alloc() - room for a message
 * @len: bytes
 * @ndests: targets
 * @gfp: allocation flags; may sleep
 *
 * Return: message with its data to be filled in, or NULL.
 */
struct flitcast_msg *flitcast_msg_alloc(u32 len, u32 ndests, gfp_t gfp);
void flitcast_msg_free(struct flitcast_msg *msg);

/**
 * flitcast_msg_pin() - a message whose data stays where the program has it
 * @len: bytes, not 0
 * @ndests: targets
 * @from: that data; all of it is taken on success, nothing else
 * @held: is told when the data is not needed any more; the message takes a reference
 * @gfp: allocation flags; may sleep
 *
 * Return: message with its data, or NULL where there is no memory, or the data is not in pages
 * that follow each other: then it may be copied.
 */
struct flitcast_msg *flitcast_msg_pin(u32 len, u32 ndests, struct iov_iter *from,
				      struct ubuf_info *held, gfp_t gfp);

/**
 * flitcast_msg_set_kind() - what a message is about, FC_KIND_MESSAGE unless said
 * @msg: message that was not handed over yet; of any other kind it has one target
 * @kind: kind; without data but for FC_KIND_DATA
 * @re: id of the message that it answers (FC_KIND_ACCEPT, FC_KIND_REFUSE)
 */
void flitcast_msg_set_kind(struct flitcast_msg *msg, enum fc_kind kind, u32 re);

/* Fill a message with data, all of it.  Return: false if the data cannot be read. */
bool flitcast_msg_from_iter(struct flitcast_msg *msg, struct iov_iter *from);
/* Fill a message with data from byte @skip of an skb on.  Return: likewise. */
bool flitcast_msg_from_skb(struct flitcast_msg *msg, const struct sk_buff *skb, u32 skip);

/* Treatment of a target that does not confirm in time. */
enum flitcast_slow {
	FLITCAST_TX_WAIT,	/* while it answers at all, it is waited for */
	FLITCAST_TX_SKIP,	/* it is left out of this message */
	FLITCAST_TX_DETACH,	/* and of all later ones */
};

/**
 * struct flitcast_send - how a message is sent
 * @charge: what the outcome gives back
 * @list: the sender named a target list
 * @report: the outcome says so, see there
 * @slow: enum flitcast_slow
 * @class: enum flitcast_tx_class, without FLITCAST_TX_SHORT
 * @long_high: a message of many flits keeps FLITCAST_TX_HIGH; else it is of FLITCAST_TX_LOW
 * @copies: of a broadcast (FLITCAST_TX_CAST), whose targets are all other sites and one
 *	port; else 0
 * @slow_ns: how long a target may take, from now on; not for FLITCAST_TX_WAIT
 * @admission: in mode csr: it counts in @waits of the port
 * @patient: its confirmations may come later (FC_PACKET_LATER)
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
	bool patient;
};

/**
 * flitcast_msg_send() - hand a message over
 * @port: attached port
 * @msg: message; ownership is taken on success
 * @dests: targets, as many as it was allocated for, no (site, port) twice
 * @how: how
 * @id: gets the message id, before anything of the message is sent: ids count the
 *	messages of a port, from 0
 *
 * Return: 0, -ENETDOWN (it goes, or is being drained), -EHOSTUNREACH (a site beyond
 * the topology), -ECONNREFUSED (every target was detached), -ENOMEM.
 */
int flitcast_msg_send(struct flitcast_port *port, struct flitcast_msg *msg,
		      const struct flitcast_msg_dest *dests, const struct flitcast_send *how,
		      u32 *id);

/* Data up to so many bytes have no pages: they are copied into the flit. */
#define FLITCAST_MSG_SMALL	96

/**
 * flitcast_port_send() - send a short message to one target
 * @port: attached port
 * @data: what is copied
 * @len: bytes, FLITCAST_MSG_SMALL at most
 * @dest: target
 * @how: how
 *
 * As flitcast_msg_send() with a message of FC_KIND_MESSAGE, whose memory may be that of one that
 * is over.  Context: process, may sleep.
 *
 * Return: as flitcast_msg_send(); nothing is changed where it is not 0.
 */
int flitcast_port_send(struct flitcast_port *port, const void *data, u32 len,
		       const struct flitcast_msg_dest *dest, const struct flitcast_send *how);

#endif /* FLITCAST_ENDS_MESSAGE_H */
