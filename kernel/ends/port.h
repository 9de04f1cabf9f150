/* SPDX-License-Identifier: GPL-2.0 */
/* Interface between sockets and a site: a port sends and receives messages. */
#ifndef FLITCAST_ENDS_PORT_H
#define FLITCAST_ENDS_PORT_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include "core/ends/ends.h"
#include "core/bcast/recept.h"
#include "ends/delivery.h"
#include "mem/waiter.h"

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

/* Traffic classes: at the sending site, no class delays another. */
enum flitcast_tx_class {
	FLITCAST_TX_LOW,
	FLITCAST_TX_HIGH,
	FLITCAST_TX_BCAST,	/* broadcasts; they bypass the local net-input */
	FLITCAST_TX_SHORT,	/* low-class messages of few flits, see msg_class() */
	FLITCAST_TX_CLASSES,
};

/* Overhead of a message, and for each target, in bytes of send buffer. */
#define FLITCAST_MSG_SIZE	512
#define FLITCAST_MSG_TARGET	128

/**
 * struct flitcast_sent - outcome of a message that is completed for every target
 * @node: for use by the port
 * @id: message id
 * @ntargets: number of targets
 * @delivered: number of targets that acked the message
 * @failed: number of targets that did not; the others were excluded from the beginning
 * @err: 0 or the first failure as a negative errno
 * @charge: bytes of send buffer the message used
 * @kind: enum fc_kind
 * @report: the sender wants a report even without failure (struct flitcast_send)
 * @reserved: in mode csr: reserved arrival time of its last packet (struct flitcast_admission)
 * @completed_at: when the message was completed
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
	u64 completed_at;
};

/**
 * flitcast_sent_fill() - fill in the results by target
 * @sent: outcome
 * @result: array of @sent->ntargets results, in the order of the sender's list
 *
 * Return: number of @sent->failed that may have received it (FLITCAST_RESULT_UNKNOWN).
 */
u32 flitcast_sent_fill(const struct flitcast_sent *sent, struct flitcast_result *result);
/* Release an outcome that the port kept (@sent of struct flitcast_port_ops returned true). */
void flitcast_sent_put(struct flitcast_sent *sent);

/* Whether a port admits a message. */
enum flitcast_admit {
	FLITCAST_ADMIT_NO,	/* never: FC_CTRL_REFUSED */
	FLITCAST_ADMIT_LATER,	/* not now, as if there were no buffer space: FC_CTRL_NO_SPACE */
	FLITCAST_ADMIT_YES,
};

/* Result of deliver() of a port: bits. */
#define FLITCAST_DELIVERED	0x1	/* the port owns the skb */
#define FLITCAST_DELIVER_HELD	0x2	/* a task waits: the port has the reference of hold() */

/**
 * struct flitcast_port_ops - callbacks of a port, called under the site's lock
 * @admit: (optional) may a new message be received? @early: ahead of its turn. Without it,
 *	FC_KIND_MESSAGE is admitted, and all else refused
 * @charge: reserve receive buffer; @early: for a message ahead of its turn, which may use only half
 *	of the buffer. Return: false: no space
 * @grow: an admitted message holds more memory than reserved: charge that, too, even beyond the
 *	limit; @early: as in @charge
 * @promote: a message charged as early has its turn: charge it as an ordinary one
 * @uncharge: release receive buffer
 * @deliver: queue a complete message, in order; @hold: and take the reference of @hold, if any task
 *	waits. Return: FLITCAST_DELIVERED unless no task is to read it: then the port has uncharged
 *	it, and the site still owns the skb; and FLITCAST_DELIVER_HELD
 * @sent: a message of this port is completed: release its send buffer. Return: true to keep the
 *	outcome until flitcast_sent_put(); its data is freed, its FLITCAST_MSG_SIZE and
 *	FLITCAST_MSG_TARGET bytes are not
 * @detach: the site goes away; the port is detached
 * @hold: if any task waits, take a reference to the port for a later @wake; the event has happened
 *	already. Return: false if no task waits; later ones check before they wait
 * @wake: wake tasks for FLITCAST_WAKE_*; called without the site's lock; drops the reference of
 *	@hold
 * @memcg: (optional) memory cgroup to charge for receiving flows
 * @info: fill in a snapshot of the port; NULL if it is no socket
 */
struct flitcast_port_ops {
	enum flitcast_admit (*admit)(struct flitcast_port *port, const struct fc_packet *pk,
				     bool early);
	bool (*charge)(struct flitcast_port *port, u32 charge, bool early);
	void (*grow)(struct flitcast_port *port, u32 more, bool early);
	void (*promote)(struct flitcast_port *port, u32 charge);
	void (*uncharge)(struct flitcast_port *port, u32 charge, bool early);
	unsigned int (*deliver)(struct flitcast_port *port, struct sk_buff *skb, bool hold);
	bool (*sent)(struct flitcast_port *port, struct flitcast_sent *out);
	void (*detach)(struct flitcast_port *port);
	bool (*hold)(struct flitcast_port *port);
	void (*wake)(struct flitcast_port *port, unsigned int mask);
	struct mem_cgroup *(*memcg)(const struct flitcast_port *port);
	void (*info)(const struct flitcast_port *port, struct flitcast_socket_info *info);
};

/**
 * struct flitcast_port - a port, embedded in a socket
 * @ops: functions
 * @site: site attached to, with a reference; NULL: not attached
 * @source: sending side (source.c)
 * @bcasts: sending side of broadcasts; NULL before the first broadcast
 * @uid: user, for scheduling among users; set before attaching
 * @share: memory share charged for its messages, even after it is detached; NULL: none; set before
 *	attaching
 * @waiter: waits for memory in @share
 * @number: port number
 * @waiting: flows refused for lack of buffer space, in FIFO order
 * @granted: flows with a grant
 * @flows: flows that hold, or were refused, messages, or did; see flitcast_rx_reclaim()
 * @closing: the port is being detached: it receives nothing
 * @reclaim_at: earliest next search for incomplete messages to drop
 * @timeout: how long a target may be unresponsive, ns
 * @reception_ns: how long missing copies of a broadcast are waited for, ns
 * @reception: policy for accepting a copy, enum fc_reception
 * @copies: number of copies of each broadcast
 * @quorum: number of equal copies for FC_RECEPT_QUORUM
 * @waits: in mode csr: number of messages without a reservation yet; may be read without the lock.
 *	FLITCAST_WAKE_OUT reports a decrease
 * @admitted: in mode csr: id of the last message that got a reservation, or ended without one
 * @reserved: reserved arrival time of that message
 * @tight: the receive buffer is nearly full: store messages without waste
 * @woken: entry in flitcast_ports.woken
 * @wake_mask: reasons to wake, FLITCAST_WAKE_*
 *
 * Protected by the site's lock, except @number, @uid, @share and @ops, which never change while
 * attached, and @starved and @need, which share.c protects.
 */
struct flitcast_port {
	const struct flitcast_port_ops *ops;
	struct flitcast_site *site;
	struct flitcast_source *source;
	struct flitcast_source *bcasts;
	kuid_t uid;
	struct flitcast_share *share;
	struct flitcast_waiter waiter;
	u16 number;
	struct list_head waiting;
	struct list_head granted;
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

/* Mode csr: report the state of the last message.  Context: process. */
void flitcast_port_admission(struct flitcast_port *port, struct flitcast_admission *admission);

/* Return: true if the port has messages that are not completed. */
bool flitcast_port_busy(struct flitcast_port *port);

/*
 * Abort all pending messages of a port.  Skips one message id, so that a reader of
 * reports notices the gap even if no message was pending.
 */
void flitcast_port_drop(struct flitcast_port *port);

/**
 * flitcast_port_reception() - set the policy for receiving broadcasts
 * @port: port, attached or not
 * @policy: enum fc_reception
 * @quorum: number of equal copies, for FC_RECEPT_QUORUM
 * @copies: number of copies of each broadcast
 * @ns: how long missing copies are waited for, ns
 */
void flitcast_port_reception(struct flitcast_port *port, u8 policy, u8 quorum, u8 copies,
			     u64 ns);

/* Re-admit all targets that were detached for being slow (FLITCAST_TX_DETACH). */
void flitcast_port_forgive(struct flitcast_port *port);

/**
 * flitcast_port_detach() - unbind
 * @port: port
 *
 * Pending messages are sent in the background, for the time-out of the port at most; they no longer
 * belong to the port, and @sent is not called for them. No callback is called after this returns,
 * except @wake for an earlier @hold.
 */
void flitcast_port_detach(struct flitcast_port *port);

/* The reader consumed a message: release its space, and grant it to waiting flows. */
void flitcast_port_release(struct flitcast_port *port, u32 charge);

#endif /* FLITCAST_ENDS_PORT_H */
