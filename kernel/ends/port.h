/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What sends and receives messages at a site: sockets, through this door.
 */
#ifndef FLITCAST_ENDS_PORT_H
#define FLITCAST_ENDS_PORT_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include "core/ends.h"
#include "core/recept.h"
#include "ends/delivery.h"

struct flitcast_site;
struct flitcast_share;
struct flitcast_source;
struct flitcast_port;
struct flitcast_msg;
struct flitcast_result;
struct flitcast_admission;
struct flitcast_socket_info;
struct mem_cgroup;

/* Reasons to wake a port: readable, writable, failed. */
#define FLITCAST_WAKE_IN	0x1
#define FLITCAST_WAKE_OUT	0x2
#define FLITCAST_WAKE_ERR	0x4

/* Classes of messages: none delays those of another up at the site that sends. */
enum flitcast_tx_class {
	FLITCAST_TX_LOW,
	FLITCAST_TX_HIGH,
	FLITCAST_TX_CAST,	/* broadcasts, which do not go by the local net-input */
	FLITCAST_TX_SHORT,	/* of the low ones, those of few flits: see msg_class() */
	FLITCAST_TX_CLASSES,
};

/* What a message takes besides its data: of itself, and for each target. */
#define FLITCAST_MSG_SIZE	512
#define FLITCAST_MSG_TARGET	128

/**
 * struct flitcast_sent - a message that is over, for every target
 * @node: for the one who keeps it
 * @id: message id
 * @ntargets: targets
 * @delivered: of these, confirmed
 * @failed: of these, not confirmed; the rest was left out from the beginning
 * @err: 0 or the first failure as a negative errno
 * @charge: send room the message took
 * @kind: enum fc_kind
 * @report: the sender wants to hear of it in any case (struct flitcast_send)
 * @reserved: in mode csr: when it arrives, by what its packets have reserved (struct
 *	flitcast_admission)
 * @over_at: when it was over
 */
struct flitcast_sent {
	struct list_head node;
	u32 id;
	u32 ntargets;
	u32 delivered;
	u32 failed;
	int err;
	u32 charge;
	u8 kind;
	bool report;
	u64 reserved;
	u64 over_at;
};

/**
 * flitcast_sent_fill() - results by target
 * @sent: a message that is over
 * @result: room for @sent->ntargets; filled in the order of the sender's list
 *
 * Return: how many of @sent->failed may have received it (FLITCAST_RESULT_UNKNOWN).
 */
u32 flitcast_sent_fill(const struct flitcast_sent *sent, struct flitcast_result *result);
/* Who kept it does not need it any more. */
void flitcast_sent_put(struct flitcast_sent *sent);

/* May a message come in at all?  What may not yet is put off like one without room. */
enum flitcast_admit {
	FLITCAST_ADMIT_NO,
	FLITCAST_ADMIT_LATER,
	FLITCAST_ADMIT_YES,
};

/**
 * struct flitcast_port_ops - what a site asks of a port, under the site's lock
 * @admit: (optional) a new message is there, @early: before its turn; without it
 *	all of FC_KIND_MESSAGE may come, and nothing else.  What may not is refused.
 * @charge: reserve receive room; @early: for a message before its turn, which
 *	may use half of the room only.  Return: false where there is none.
 * @grow: what was admitted holds more than was reserved for it: charge that as well, whatever the
 *	room; @early: as it was charged
 * @promote: a message charged early has its turn: charge it like any other
 * @uncharge: give reserved room back
 * @deliver: a complete message, in order; takes ownership of the skb.  Return: false if nobody is
 *	to read it: its room is given back, and the skb is still the site's
 * @sent: a message of this port is over: give its send room back.  Return: true
 *	to keep the outcome, until flitcast_sent_put(); its data is gone, its
 *	FLITCAST_MSG_SIZE and FLITCAST_MSG_TARGET bytes are not
 * @detach: the site goes away; the port is not attached any more
 * @hold: if anybody waits, keep the port for a later @wake; what it waits for is there already.
 *	Return: false if nobody does; who comes later looks first
 * @wake: FLITCAST_WAKE_*; without the site's lock; ends the @hold
 * @memcg: (optional) the memory cgroup that pays for what is kept of its senders
 * @info: fill in what the port knows of itself; NULL for what is no socket
 */
struct flitcast_port_ops {
	enum flitcast_admit (*admit)(struct flitcast_port *port, const struct fc_packet *pk,
				     bool early);
	bool (*charge)(struct flitcast_port *port, u32 charge, bool early);
	void (*grow)(struct flitcast_port *port, u32 more, bool early);
	void (*promote)(struct flitcast_port *port, u32 charge);
	void (*uncharge)(struct flitcast_port *port, u32 charge, bool early);
	bool (*deliver)(struct flitcast_port *port, struct sk_buff *skb);
	bool (*sent)(struct flitcast_port *port, struct flitcast_sent *out);
	void (*detach)(struct flitcast_port *port);
	bool (*hold)(struct flitcast_port *port);
	void (*wake)(struct flitcast_port *port, unsigned int mask);
	struct mem_cgroup *(*memcg)(const struct flitcast_port *port);
	void (*info)(const struct flitcast_port *port, struct flitcast_socket_info *info);
};

/**
 * struct flitcast_port - embedded in what sends and receives
 * @ops: functions
 * @site: site attached to, with a reference; NULL before and after
 * @source: sending side
 * @casts: sending side of broadcasts; NULL before the first one
 * @uid: whose it is, for turns among users; set before it is attached
 * @share: what its memory, and that of the messages that it leaves, is counted in; NULL: none; set
 *	before it is attached
 * @starved: in the tree of those that wait for room in @share (share.c)
 * @need: pages of it that the port needs then
 * @number: port number
 * @waiting: flows that were refused for want of room, in order
 * @invited: of these, the ones whose room is reserved now
 * @flows: flows that hold something, or did
 * @closing: it is being detached: nothing comes in
 * @reclaim_at: not before then are halves of messages looked for again
 * @timeout: how long a target may stay silent, ns
 * @reception_ns: how long copies of a broadcast are waited for
 * @reception: which of them is believed, enum fc_reception
 * @copies: how many there are of each
 * @quorum: for FC_RECEPT_QUORUM
 * @waits: in mode csr: messages of which nothing has reserved its way yet, and that are not
 *	over; may be read without the lock.  FLITCAST_WAKE_OUT tells that there are fewer
 * @admitted: the last message that did not wait for that any more
 * @reserved: when that arrives
 * @tight: so much of the receive room is in use that what comes is kept without waste
 * @woken: in the site's list of ports to wake
 * @wake_mask: what for, FLITCAST_WAKE_*
 *
 * Under the site's lock, but for @number, @uid, @share and @ops, which never change while
 * attached, and @starved and @need, which share.c protects.
 */
struct flitcast_port {
	const struct flitcast_port_ops *ops;
	struct flitcast_site *site;
	struct flitcast_source *source;
	struct flitcast_source *casts;
	kuid_t uid;
	struct flitcast_share *share;
	struct rb_node starved;
	long need;
	u16 number;
	struct list_head waiting;
	struct list_head invited;
	struct list_head flows;
	bool closing;
	u64 reclaim_at;
	u64 timeout;
	u64 reception_ns;
	u8 reception;
	u8 copies;
	u8 quorum;
	u32 waits;
	u32 admitted;
	u64 reserved;
	bool tight;
	struct list_head woken;
	u8 wake_mask;
};

/**
 * flitcast_port_attach() - bind a port to a site
 * @port: port with its ops set
 * @site: site; the port takes a reference
 * @number: port number, or 0 for a free one from FLITCAST_PORT_DYNAMIC up
 *
 * Return: 0, -EADDRINUSE, -ENOMEM, -ENETDOWN.
 */
int flitcast_port_attach(struct flitcast_port *port, struct flitcast_site *site, u16 number);

/* In mode csr: what became of the last message.  Context: process. */
void flitcast_port_admission(struct flitcast_port *port, struct flitcast_admission *admission);

/* Does the port have messages that are not over? */
bool flitcast_port_busy(struct flitcast_port *port);

/*
 * Give up every message that is not over, for every target.  The id of the next one does
 * not follow: whoever counts them sees that something is missing, be it nothing.
 */
void flitcast_port_drop(struct flitcast_port *port);

/**
 * flitcast_port_reception() - when broadcasts are received, from now on
 * @port: port, attached or not
 * @policy: enum fc_reception
 * @quorum: copies, for FC_RECEPT_QUORUM
 * @copies: how many there are of each
 * @ns: how long they are waited for
 */
void flitcast_port_reception(struct flitcast_port *port, u8 policy, u8 quorum, u8 copies,
			     u64 ns);

/* What was detached by its slowness is a target like any other again. */
void flitcast_port_forgive(struct flitcast_port *port);

/**
 * flitcast_port_detach() - unbind
 * @port: port
 *
 * Messages that are not over are sent on in the background for the time-out of the
 * port at most; they no longer belong to the port and @sent is not called for them.
 * No callback comes after this returns, but for a @wake that was held before.
 */
void flitcast_port_detach(struct flitcast_port *port);

/* A message was read: its room is free again, and those who wait for it are told. */
void flitcast_port_release(struct flitcast_port *port, u32 charge);

#endif /* FLITCAST_ENDS_PORT_H */
