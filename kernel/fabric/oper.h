/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operator of a site (CARE, section 4.3): store.c receives packets from the network,
 * site/feed.c feeds the local net-input.
 */
#ifndef FLITCAST_FABRIC_OPER_H
#define FLITCAST_FABRIC_OPER_H

#include <linux/skbuff.h>
#include "core/link/turn.h"
#include "core/wire/wire.h"
#include "drop_reason.h"
#include "fabric/dgram.h"

struct flitcast_site;

/* Points at which packets of this site enter the network; each has a round of users (txqueue.c). */
enum flitcast_tx_door {
	FLITCAST_TX_BY_INPUT,	/* bulk: the local net-input */
	FLITCAST_TX_BY_SHORT,	/* packets of few flits */
	FLITCAST_TX_BY_HIGH,	/* the high class */
	FLITCAST_TX_BY_RELAY,	/* broadcasts */
	FLITCAST_TX_DOORS,
};

static_assert(FLITCAST_TX_BY_INPUT == (int)FC_SET_BULK);
static_assert(FLITCAST_TX_BY_SHORT == (int)FC_SET_SHORT);
static_assert(FLITCAST_TX_BY_HIGH == (int)FC_SET_HIGH);

/*
 * Budget for choosing packets in one flitcast_site_feed() call: targets examined; and the cost
 * of an idle queue.
 */
#define FLITCAST_FEED_BUDGET	512
#define FLITCAST_FEED_QUEUE	4

/**
 * struct flitcast_train - a packet stored for other sites, as flits in order
 * @node: entry in the transit pool
 * @flits: flits; the first is the front, whose target list has only the remaining targets
 * @at: earliest time to send it
 * @charge: bytes of memory, charged to the maker of the site
 * @begun: the front was fed to the local net-input
 */
struct flitcast_train {
	struct list_head node;
	u64 at;
	u32 charge;
	bool begun;
	struct sk_buff_head flits;
};

/**
 * struct flitcast_feed - the operator's side of a set of channels: reassembles the packets it
 *	receives, and feeds packets flit by flit, independently of the other sets
 * @netbuf: network-buffer: flits of the packet being received
 * @transit: transit pool: packets to forward
 * @ntransit: number of stored packets, including @train
 * @train: stored packet being fed to the local net-input
 * @turn: turn at the local net-input: transit pool or own messages
 * @own: a packet of a message of this site is being fed to the local net-input
 * @dgram: a datagram of the network device is being fed to the local net-input
 * @dgram_turn: turn at the local net-input: datagrams or messages
 * @begun: the front of the own packet was fed
 * @targets: number of targets it goes to
 * @entered_at: when a packet was last fed to the local net-input
 */
struct flitcast_feed {
	struct sk_buff_head netbuf;
	struct list_head transit;
	unsigned int ntransit;
	struct flitcast_train *train;
	bool turn;
	bool own;
	bool dgram;
	bool dgram_turn;
	bool begun;
	u16 targets;
	u64 entered_at;
};

/**
 * struct flitcast_oper - the operator of a site
 * @feed: operator's side, by set
 * @dgrams: frames of the network device
 * @nfed: number of stored packets, and of own packets and datagrams being fed
 * @turn: turn of the sets
 * @doors: bit mask of enum flitcast_tx_door: doors at which messages may wait; a bit is cleared
 *	when the door is found empty
 * @budget: remaining budget of targets to examine; an idle queue counts as FLITCAST_FEED_QUEUE of
 *	them
 */
struct flitcast_oper {
	struct flitcast_feed feed[FC_SET_COUNT];
	struct flitcast_dgrams dgrams;
	unsigned int nfed;
	struct fc_turn turn;
	u32 doors;
	int budget;
};

void flitcast_oper_init(struct flitcast_site *site);
/* Append a flit to the network-buffer of a set; @front: it begins a packet.  Takes ownership. */
void flitcast_oper_store(struct flitcast_site *site, u8 set, struct sk_buff *skb, bool front);
/* A packet of one flit whose only target is this site has arrived; takes ownership. */
void flitcast_oper_here(struct flitcast_site *site, struct sk_buff *skb);
/*
 * Serve the packet in the network-buffer: deliver it to the targets of @here that are at this site,
 * and store it for those of @rest that are not.  @aborted: send it after a random wait.
 */
void flitcast_oper_serve(struct flitcast_site *site, u8 set, u64 here, u64 rest, bool aborted);
void flitcast_oper_discard(struct flitcast_site *site, u8 set);
/*
 * Store a packet that a dead link may not have carried, to send it by another path; takes the
 * flits.
 */
void flitcast_oper_rescue(struct flitcast_site *site, u8 set, struct sk_buff_head *flits);

/* Return: true if the transit pool has room for a copy, which flitcast_oper_copy() would store. */
bool flitcast_oper_copies(const struct flitcast_site *site, u8 set);

/* Free a stored packet that is in no list, with the flits that are left of it. */
void flitcast_train_free(struct flitcast_site *site, struct flitcast_train *train,
			 enum flitcast_drop why);

/*
 * As flitcast_oper_rescue(), for a copy of a packet on a suspected link, which routes avoid now.
 * Return: true if it is stored.
 */
bool flitcast_oper_copy(struct flitcast_site *site, u8 set, struct sk_buff_head *flits);

/*
 * Return: an identifier, never 0, of the packet whose last flit is fed next, for
 * flitcast_oper_stands().
 */
u64 flitcast_oper_entered(struct flitcast_site *site, u8 set);
/* Return: true if the packet with that identifier is still in the local net-input. */
bool flitcast_oper_stands(struct flitcast_site *site, u64 entered);
/* Return: since when the local net-input of a set has been blocked; FC_NEVER: it is not. */
u64 flitcast_oper_stuck(struct flitcast_site *site, u8 set);
/* The own packet being fed in a set is complete, or is not continued. */
void flitcast_oper_forget(struct flitcast_site *site, u8 set);
void flitcast_oper_purge(struct flitcast_site *site);

/* Clone the flits of a packet.  Return: false: no memory. */
bool flitcast_flits_clone(struct sk_buff_head *to, const struct sk_buff_head *from);

#endif /* FLITCAST_FABRIC_OPER_H */
