/* SPDX-License-Identifier: GPL-2.0 */
/* The part of a site that knows messages, and no frames. */
#ifndef FLITCAST_ENDS_STATE_H
#define FLITCAST_ENDS_STATE_H

#include <linux/hashtable.h>
#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "core/wire/wire.h"
#include "ends/port.h"
#include "ends/round.h"
#include "fabric/site.h"

struct flitcast_echo;
struct flitcast_rx;
struct flitcast_source;
struct rx_flow;

/* Maximum number of receiving flows of a site (rxflow.c). */
#define FLITCAST_FLOWS_MAX	8192
/* Maximum number of sending flows of a source; idle ones are evicted. */
#define FLITCAST_TXFLOWS_MAX	4096
/* Maximum number of flows for which FC_CTRL_FORWARD is being sent (txflow.c). */
#define FLITCAST_FORWARD_MAX	4096
/* Maximum size of pending messages of closed sockets of a site, in bytes. */
#define FLITCAST_ORPHANS_MAX	(64U << 20)

/**
 * struct flitcast_ports - ports of a site
 * @table: attached ports by number; NULL entries reserve numbers of ports being attached
 * @last: port of the last packet received, or NULL
 * @woken: ports to wake after unlock, each with a hold()
 * @sockets: number of ports, without the site's own
 */
struct flitcast_ports {
	struct xarray table;
	struct flitcast_port *last;
	struct list_head woken;
	u32 sockets;
};

/**
 * struct flitcast_receiver - receiving flows of a site
 * @flows: table of flows (rxflow.c)
 * @last: flow found last, or NULL
 * @ack_pending: flows with a delayed ack pending, oldest first
 * @dropped: received messages to be freed (drop() in rxmsg.c)
 * @drop: work item that frees them
 */
struct flitcast_receiver {
	struct flitcast_rx *flows;
	struct rx_flow *last;
	struct list_head ack_pending;
	struct sk_buff_head dropped;
	struct work_struct drop;
};

/**
 * struct flitcast_bcasts - broadcasts being received
 * @table: broadcasts by source (struct bcast_msg)
 * @ages: the same, oldest first
 * @n: number of entries
 */
struct flitcast_bcasts {
	DECLARE_HASHTABLE(table, 8);
	struct list_head ages;
	unsigned int n;
};

/**
 * struct flitcast_sources - sending sides of ports
 * @table: sources by number: [0] of messages, [1] of broadcasts
 * @last: source found last, or NULL
 * @next_number: number of the last source created; atomic, not under the lock
 * @site_bits: number of bits of a site number
 * @orphans: bytes held by messages of closed sockets
 * @closing: closed sources with such messages, by when these are aborted
 * @gone: sources to be freed, with their flows
 * @free: work item that frees @gone and the data of completed messages
 */
struct flitcast_sources {
	struct xarray table[2];
	struct flitcast_source *last;
	atomic_t next_number;
	u8 site_bits;
	u64 orphans;
	struct rb_root_cached closing;
	struct list_head gone;
	struct work_struct free;
};

/**
 * struct flitcast_turns - scheduler of messages (txqueue.c)
 * @owners: users with sources, by uid
 * @round: rounds of users with something to send, by enum flitcast_tx_door
 * @nactive: number of active messages, by class
 * @nbusy: number of users with active messages, by class
 */
struct flitcast_turns {
	DECLARE_HASHTABLE(owners, 6);
	struct flitcast_round round[FLITCAST_TX_DOORS];
	unsigned int nactive[FLITCAST_TX_CLASSES];
	unsigned int nbusy[FLITCAST_TX_CLASSES];
};

/**
 * struct flitcast_cur - packet being fed to the local net-input of a set
 * @msg: its message, with a reference; NULL: no packet is being fed
 * @packet: number of the packet in the message
 * @sent: bytes of its data fed so far
 * @front: its front was fed
 * @n: number of its targets
 * @target: its targets, as indices of @msg->target
 */
struct flitcast_cur {
	struct flitcast_msg *msg;
	u32 packet;
	u32 sent;
	bool front;
	u16 n;
	u16 target[FC_TARGETS_MAX];
};

/**
 * struct flitcast_sender - messages of a site that are not completed
 * @msgs: all of them
 * @nmsgs: number of @msgs
 * @reroute: next message to examine since routes have changed, or NULL
 * @due: messages with a timer, by time
 * @late: messages of which only @at.ask is due, sorted by it (flitcast_tx_schedule_sent()); not in
 *	@due
 * @forward: sending flows for which FC_CTRL_FORWARD is to be sent, by time
 * @nforward: number of flows in @forward
 * @srtt: smoothed round-trip time from packet to ack, ns
 * @rttvar: smoothed deviation of the round-trip time, ns
 * @anew: when packets whose ack was overdue were last asked about anew, because routes had changed
 *	(core/ends/ask.h); 0: never
 * @again: when to do so again, because routes have changed since; FC_NEVER: they have not
 * @asks: messages from @reroute on are asked about anew
 */
struct flitcast_sender {
	struct list_head msgs;
	u32 nmsgs;
	struct flitcast_msg *reroute;
	struct rb_root_cached due;
	struct list_head late;
	struct rb_root_cached forward;
	unsigned int nforward;
	u64 srtt;
	u64 rttvar;
	u64 anew;
	u64 again;
	bool asks;
};

/**
 * struct flitcast_msg_pool - free list of messages
 * @first: head of the list
 * @n: number of free messages
 * @spent: completed messages whose data the work item frees
 * @spent_at: token bucket of data freed at once (core/bucket.h)
 */
struct flitcast_msg_pool {
	struct flitcast_msg *first;
	unsigned int n;
	struct list_head spent;
	u64 spent_at;
};

/**
 * struct flitcast_txcast - broadcasts that a site sends
 * @number: number of the next broadcast
 * @again: messages to be broadcast again
 * @flits: unsent flits of the current broadcast
 */
struct flitcast_txcast {
	u32 number;
	struct list_head again;
	struct sk_buff_head flits;
};

/**
 * struct flitcast_ends - the part of a site that knows messages
 * @site: the site, whose lock protects all below
 * @ports: ports
 * @rx: receiving flows
 * @bcasts: broadcasts being received
 * @sources: sending sides of ports
 * @queue: scheduler of messages
 * @cur: packets being fed to the local net-input, by set
 * @tx: messages that are not completed
 * @pool: free list of messages
 * @txbcast: broadcasts that this site sends
 * @echo: the site's own port
 * @unchecked: number of events to skip before the next check (check.c)
 */
struct flitcast_ends {
	struct flitcast_site *site;
	struct flitcast_ports ports;
	struct flitcast_receiver rx;
	struct flitcast_bcasts bcasts;
	struct flitcast_sources sources;
	struct flitcast_turns queue;
	struct flitcast_cur cur[FC_SET_COUNT];
	struct flitcast_sender tx;
	struct flitcast_msg_pool pool;
	struct flitcast_txcast txbcast;
	struct flitcast_echo *echo;
#ifdef CONFIG_DEBUG_NET
	unsigned int unchecked;
#endif
};

/* Allocate the state.  Return: 0 or -ENOMEM; flitcast_ends_free() frees what was allocated, too. */
int flitcast_ends_alloc(struct flitcast_site *site);
/* Free the state; all sockets are detached. */
void flitcast_ends_free(struct flitcast_site *site);

/* Return: the set of channels for the packets of a class. */
static inline u8 flitcast_site_set(enum flitcast_tx_class class)
{
	switch (class) {
	case FLITCAST_TX_HIGH:
		return FC_SET_HIGH;
	case FLITCAST_TX_SHORT:
		return FC_SET_SHORT;
	case FLITCAST_TX_LOW:
	case FLITCAST_TX_BCAST:
	case FLITCAST_TX_CLASSES:
		break;
	}
	return FC_SET_BULK;
}

#endif /* FLITCAST_ENDS_STATE_H */
