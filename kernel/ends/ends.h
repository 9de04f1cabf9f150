/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of a site, and those for it: the part of a site that knows no frame.
 */
#ifndef FLITCAST_ENDS_ENDS_H
#define FLITCAST_ENDS_ENDS_H

#include <linux/hashtable.h>
#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include "core/wire.h"
#include "ends/port.h"
#include "ends/round.h"
#include "fabric/site.h"

struct flitcast_echo;
struct flitcast_rx;
struct flitcast_source;
struct rx_flow;

/* Flows a site receives at a time (rxflow.c). */
#define FLITCAST_FLOWS_MAX	8192
/* Sending flows of a source; idle ones give way. */
#define FLITCAST_TXFLOWS_MAX	4096
/* Flows whose target is told again and again that messages were given up. */
#define FLITCAST_FORWARD_MAX	4096
/* Bytes that messages of closed sockets may hold at a site. */
#define FLITCAST_ORPHANS_MAX	(64U << 20)

/**
 * struct flitcast_ports - ports of a site
 * @table: attached ports by number; a number that is about to be attached is reserved
 * @last: the one that something came for last, or NULL
 * @woken: to wake after unlock, held
 * @sockets: how many, without the site's own
 */
struct flitcast_ports {
	struct xarray table;
	struct flitcast_port *last;
	struct list_head woken;
	u32 sockets;
};

/**
 * struct flitcast_receiver - receiving flows of a site
 * @flows: flows (rxflow.c)
 * @last: of these, the one that was found last, or NULL
 * @owed: of these, those whose source is owed a confirmation that can wait; the oldest first
 * @dropped: received messages that nobody will read (drop() in rxmsg.c)
 * @drop: frees them
 */
struct flitcast_receiver {
	struct flitcast_rx *flows;
	struct rx_flow *last;
	struct list_head owed;
	struct sk_buff_head dropped;
	struct work_struct drop;
};

/**
 * struct flitcast_casts - copies of broadcasts that are received
 * @table: by source
 * @ages: these, the oldest first
 * @n: how many
 * @at: when some of them are not waited for any more
 */
struct flitcast_casts {
	DECLARE_HASHTABLE(table, 8);
	struct list_head ages;
	unsigned int n;
	u64 at;
};

/**
 * struct flitcast_sources - sending sides of ports
 * @table: by number, of messages and (1) of broadcasts
 * @last: the one that was found last, or NULL
 * @next_number: of the next source; an atomic of its own, not under the lock
 * @site_bits: as many as the number of a site takes
 * @orphans: bytes held by messages of closed sockets
 * @closing: closed sources with such messages, by when these are given up
 * @gone: sources that are over, whose flows are to be freed
 * @free: frees both those and spent messages
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
 * struct flitcast_turns - whose message is next
 * @owners: users that have sources, by uid
 * @round: of these, by enum flitcast_tx_door, those that have something to send
 * @nactive: messages under way, by class
 * @nbusy: users that have some
 */
struct flitcast_turns {
	DECLARE_HASHTABLE(owners, 6);
	struct flitcast_round round[FLITCAST_TX_DOORS];
	unsigned int nactive[FLITCAST_TX_CLASSES];
	unsigned int nbusy[FLITCAST_TX_CLASSES];
};

/**
 * struct flitcast_cur - packet of a message on its way into the local net-input of a set
 * @msg: message, with a reference; NULL: none is on its way
 * @packet: number of that packet
 * @sent: data bytes of it that went
 * @front: its front went
 * @n: how many targets it goes to
 * @target: those, by number in the message
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
 * struct flitcast_sender - messages that are not over
 * @msgs: all
 * @nmsgs: how many
 * @reroute: of these, the first one that has not been looked at since routes changed, or NULL
 * @due: of these, those of which something is due, by time
 * @late: and those that were sent as they came, and of which nothing is due but to ask for them,
 *	by that time
 * @forward: sending flows whose target is to be told that messages were given up, by time
 * @nforward: how many
 * @srtt: smoothed time from sending a packet to its confirmation, ns
 * @rttvar: smoothed deviation from it
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
};

/**
 * struct flitcast_msg_pool - memory of messages
 * @spare: messages that are not used any more, for the next ones
 * @nspare: how many
 * @spent: messages that are over, whose data is to be freed
 * @spent_at: bucket of data that is freed at once
 */
struct flitcast_msg_pool {
	struct flitcast_msg *spare;
	unsigned int nspare;
	struct list_head spent;
	u64 spent_at;
};

/**
 * struct flitcast_txcast - broadcasts of a site
 * @number: of the next one
 * @again: those that are sent again
 * @flits: of the one that is being sent
 */
struct flitcast_txcast {
	u32 number;
	struct list_head again;
	struct sk_buff_head flits;
};

/**
 * struct flitcast_ends - messages of a site, and those for it
 * @site: the site, whose lock protects all below
 * @ports: ports
 * @rx: receiving flows
 * @casts: copies of broadcasts
 * @sources: sending sides of ports
 * @queue: whose message is next
 * @cur: packets on their way into the local net-input, by set
 * @tx: messages that are not over
 * @pool: memory of messages
 * @txcast: broadcasts of this site
 * @echo: the site's own port
 * @unchecked: events that are not checked before the next one that is (check.c)
 */
struct flitcast_ends {
	struct flitcast_site *site;
	struct flitcast_ports ports;
	struct flitcast_receiver rx;
	struct flitcast_casts casts;
	struct flitcast_sources sources;
	struct flitcast_turns queue;
	struct flitcast_cur cur[FC_SET_COUNT];
	struct flitcast_sender tx;
	struct flitcast_msg_pool pool;
	struct flitcast_txcast txcast;
	struct flitcast_echo *echo;
#ifdef CONFIG_DEBUG_NET
	unsigned int unchecked;
#endif
};

/* Return: 0 or -ENOMEM; what an error leaves flitcast_ends_free() frees, too. */
int flitcast_ends_alloc(struct flitcast_site *site);
/* Free the memory of flitcast_ends_alloc(); nobody sends or receives any more. */
void flitcast_ends_free(struct flitcast_site *site);

/* The set that packets of a class of messages go in. */
static inline u8 flitcast_site_set(enum flitcast_tx_class class)
{
	switch (class) {
	case FLITCAST_TX_HIGH:
		return FC_SET_HIGH;
	case FLITCAST_TX_SHORT:
		return FC_SET_SHORT;
	case FLITCAST_TX_LOW:
	case FLITCAST_TX_CAST:
	case FLITCAST_TX_CLASSES:
		break;
	}
	return FC_SET_BULK;
}

#endif /* FLITCAST_ENDS_ENDS_H */
