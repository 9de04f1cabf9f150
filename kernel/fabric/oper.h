/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The operator of a site (CARE, section 4.3): store.c receives packets of the network, feed.c feeds
 * the local net-input.
 */
#ifndef FLITCAST_FABRIC_OPER_H
#define FLITCAST_FABRIC_OPER_H

#include <linux/skbuff.h>
#include "core/turn.h"
#include "core/wire.h"

struct flitcast_site;

/* Where packets of this site enter the network, each with a round of users. */
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

/* Targets looked at to find out which packet is fed next, likewise; a queue is as many. */
#define FLITCAST_FEED_LOOKS	512
#define FLITCAST_FEED_QUEUE	4

/**
 * struct flitcast_train - a packet stored for others, as flits in order
 * @node: in the transit pool
 * @flits: the first is the front; its list names only the targets to go to
 * @at: not before
 * @begun: the front has gone into the local net-input
 */
struct flitcast_train {
	struct list_head node;
	u64 at;
	bool begun;
	struct sk_buff_head flits;
};

/**
 * struct flitcast_feed - the operator's side of a set of channels: what comes from it is put
 *	together, and what goes into it is taken apart, whatever the other sets do meanwhile
 * @netbuf: network-buffer: flits of the packet being received
 * @transit: transit pool: packets to be sent on
 * @ntransit: how many, with @train
 * @train: packet of the transit pool on its way into the local net-input
 * @turn: whose turn at the local net-input: transit pool or own messages
 * @own: a packet of a message of this site is on its way into the local net-input
 * @begun: its front went
 * @targets: how many it goes to
 * @entered_at: when a packet last went into the local net-input
 */
struct flitcast_feed {
	struct sk_buff_head netbuf;
	struct list_head transit;
	unsigned int ntransit;
	struct flitcast_train *train;
	bool turn;
	bool own;
	bool begun;
	u16 targets;
	u64 entered_at;
};

/**
 * struct flitcast_oper - the operator of a site
 * @feed: its side of each set
 * @nfed: packets in transit pools, and packets of messages on their way into the local net-input
 * @turn: whose flit enters next
 * @doors: by bit of enum flitcast_tx_door, those at which the ends may have something to send; one
 *	that has nothing more stays until that is seen
 * @looks: targets that may yet be looked at for what is fed before the lock is released; a queue
 *	without anything to send counts as FLITCAST_FEED_QUEUE of them
 */
struct flitcast_oper {
	struct flitcast_feed feed[FC_SET_COUNT];
	unsigned int nfed;
	struct fc_turn turn;
	u32 doors;
	int looks;
};

void flitcast_oper_init(struct flitcast_site *site);
/* A flit, the front of its packet or not, into the network-buffer of a set; takes ownership. */
void flitcast_oper_store(struct flitcast_site *site, u8 set, struct sk_buff *skb, bool front);
/* A packet of one flit that has one target, which is here; takes ownership. */
void flitcast_oper_here(struct flitcast_site *site, struct sk_buff *skb);
/*
 * Serve the packet in the network-buffer: deliver what of @here is at this site,
 * store what of @rest is not; @aborted: to be sent after a random wait.
 */
void flitcast_oper_serve(struct flitcast_site *site, u8 set, u64 here, u64 rest, bool aborted);
void flitcast_oper_discard(struct flitcast_site *site, u8 set);
/* A whole packet that a dead link may not have carried goes another way; takes the flits. */
void flitcast_oper_rescue(struct flitcast_site *site, u8 set, struct sk_buff_head *flits);

/* Feed the local net-input with what is to be sent. */
void flitcast_oper_feed(struct flitcast_site *site);

/*
 * Names the packet whose last flit enters the local net-input of a set next, for
 * flitcast_oper_stands().  Return: never 0.
 */
u64 flitcast_oper_entered(struct flitcast_site *site, u8 set);
/* Does the packet of that name still stand in the local net-input? */
bool flitcast_oper_stands(struct flitcast_site *site, u64 entered);
/*
 * Since when has no packet of a set got into the local net-input that had to?
 * FC_NEVER: one can.
 */
u64 flitcast_oper_stuck(struct flitcast_site *site, u8 set);
/* The packet of a message that is on its way into the local net-input of a set goes no more. */
void flitcast_oper_forget(struct flitcast_site *site, u8 set);
void flitcast_oper_purge(struct flitcast_site *site);

/* Clones of the flits of a packet; false: no memory. */
bool flitcast_flits_clone(struct sk_buff_head *to, const struct sk_buff_head *from);

#endif /* FLITCAST_FABRIC_OPER_H */
