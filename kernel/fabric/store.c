// SPDX-License-Identifier: GPL-2.0
/*
 * Operator of a site (CARE, section 4.3), receiving half: takes packets from the network into the
 * network-buffer, delivers those for this site, and stores the others in the transit pool.  Each
 * set of channels has a network-buffer and a transit pool of its own, so that none waits for
 * another.
 */
#include <linux/slab.h>
#include "drop.h"
#include "fabric/branch.h"
#include "fabric/enter.h"
#include "mem/account.h"

/* Copies are stored while less than one in COPIES_SHARE places is used. */
#define COPIES_SHARE	8
/* One in TRANSIT_SHARE places of the transit pools is reserved for each set. */
#define TRANSIT_SHARE	8

void flitcast_oper_init(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++) {
		__skb_queue_head_init(&site->oper.feed[s].netbuf);
		INIT_LIST_HEAD(&site->oper.feed[s].transit);
	}
}

/*
 * Copy user pages (zerocopy): a local receiver must not see them change, nor hold them for long.
 * Return: false: no memory, @skb is freed.
 */
static bool owned(struct flitcast_site *site, struct sk_buff *skb)
{
	if (!skb_orphan_frags_rx(skb, GFP_ATOMIC))
		return true;
	site->stat[FC_STAT_NO_MEMORY]++;
	flitcast_drop(skb, FLITCAST_DROP_NO_MEMORY);
	return false;
}

void flitcast_oper_store(struct flitcast_site *site, u8 set, struct sk_buff *skb, bool front)
{
	struct sk_buff_head *netbuf = &site->oper.feed[set].netbuf;

	/*
	 * A missing flit makes the packet useless: flitcast_oper_serve() finds out by its length.
	 */
	if (!skb || !owned(site, skb))
		return;
	/* Without its front the packet is useless: drop the flits that follow. */
	if (!front && skb_queue_empty(netbuf)) {
		flitcast_drop(skb, FLITCAST_DROP_CUT);
		return;
	}
	__skb_queue_tail(netbuf, skb);
}

void flitcast_oper_discard(struct flitcast_site *site, u8 set)
{
	/* The packet was sent on from the queue, or is aborted: its sender keeps it. */
	flitcast_drop_queue(&site->oper.feed[set].netbuf, FLITCAST_USED);
}

/* Return: true if the packet is complete: allocations for some of its flits may have failed. */
static bool netbuf_whole(const struct sk_buff_head *flits)
{
	const struct sk_buff *skb = skb_peek(flits);
	u32 data = 0, head, want;

	head = skb ? fc_wire_head_size(skb->data, skb_headlen(skb)) : 0;
	if (!head || head > skb_headlen(skb))
		return false;
	want = fc_wire_data_len(skb->data) + head;
	skb_queue_walk(flits, skb)
		data += skb->len;
	return data == want;
}

bool flitcast_flits_clone(struct sk_buff_head *to, const struct sk_buff_head *from)
{
	struct sk_buff *skb, *copy;

	__skb_queue_head_init(to);
	skb_queue_walk(from, skb) {
		copy = skb_clone(skb, GFP_ATOMIC);
		if (!copy) {
			flitcast_drop_queue(to, FLITCAST_DROP_NO_MEMORY);
			return false;
		}
		__skb_queue_tail(to, copy);
	}
	return true;
}

/* Return: true if a set may store one more packet, leaving the reserved places of the others. */
static bool transit_room(const struct flitcast_site *site, u8 set)
{
	unsigned int all = site->cfg.tuning.transit, used = 0;
	unsigned int share = all / TRANSIT_SHARE;
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		used += max(site->oper.feed[s].ntransit + (s == set), share);
	return used <= all;
}

/* Return: bytes of memory of the flits of a packet. */
static u32 memory_of(const struct sk_buff_head *flits)
{
	const struct sk_buff *skb;
	u32 bytes = 0;

	skb_queue_walk(flits, skb)
		bytes += skb->truesize;
	return bytes;
}

void flitcast_train_free(struct flitcast_site *site, struct flitcast_train *train,
			 enum flitcast_drop why)
{
	flitcast_drop_queue(&train->flits, why);
	flitcast_account_give(site->buffers.held, train->charge);
	kfree(train);
}

/*
 * Store a packet in the transit pool of its set, for the targets of @mask; takes the flits.  An
 * aborted packet waits for a random time, so that packets that blocked each other do not meet again
 * at once.  Return: false: it was dropped.
 */
static bool store(struct flitcast_site *site, u8 set, struct sk_buff_head *flits, u64 mask,
		  bool aborted, bool apart)
{
	struct flitcast_feed *feed = &site->oper.feed[set];
	struct sk_buff *front = skb_peek(flits);
	struct flitcast_train *train;
	u32 charge = memory_of(flits);

	/* Without space the packet is dropped: its source retransmits it. */
	if (!transit_room(site, set) || !flitcast_account_take(site->buffers.held, charge)) {
		site->stat[FC_STAT_TRANSIT_FULL]++;
		flitcast_drop_queue(flits, FLITCAST_DROP_FULL);
		return false;
	}
	train = kmalloc(sizeof(*train), GFP_ATOMIC);
	if (!train || skb_cow_head(front, 0)) {
		site->stat[FC_STAT_NO_MEMORY]++;
		flitcast_account_give(site->buffers.held, charge);
		kfree(train);
		flitcast_drop_queue(flits, FLITCAST_DROP_NO_MEMORY);
		return false;
	}
	train->charge = charge;
	flitcast_branch_cut(front, mask, hweight64(mask), flitcast_site_verifies(site));
	if (apart)
		fc_wire_head_apart(front->data);
	train->at = flitcast_site_now(site);
	if (aborted)
		train->at += fc_random_below(&site->rng, site->timing.timeout);
	train->begun = false;
	__skb_queue_head_init(&train->flits);
	skb_queue_splice_init(flits, &train->flits);
	list_add_tail(&train->node, &feed->transit);
	feed->ntransit++;
	site->oper.nfed++;
	site->stat[FC_STAT_PKT_RESENT]++;
	return true;
}

/*
 * Store the rest of a packet.  In mode csr, a multicast packet that is stored here could not
 * reserve a tree: send it to each target separately.
 */
static void store_rest(struct flitcast_site *site, u8 set, struct sk_buff_head *flits, u64 mask,
		       bool aborted)
{
	bool apart = site->mode->reserves && set == FC_SET_BULK && mask & (mask - 1);
	u64 more = apart ? mask & (mask - 1) : 0;
	struct sk_buff_head copy;

	for (; more; more &= more - 1) {
		if (flitcast_flits_clone(&copy, flits))
			store(site, set, &copy, more & -more, aborted, true);
		else
			site->stat[FC_STAT_NO_MEMORY]++;
	}
	store(site, set, flits, apart ? mask & -mask : mask, aborted, apart);
}

/* Return: the number of targets beyond this site whose acks will pass by here. */
static u8 beyond(const struct flitcast_site *site, const struct fc_packet *pk, u64 local)
{
	/* In a message of several packets, each ack lets the source continue: do not hold acks. */
	if (!site->mode->joins || !(pk->flags & FC_PACKET_LIST) ||
	    pk->flags & FC_PACKET_DELAY_ACK ||
	    pk->msg_len > FC_PACKET_MAX)
		return 0;
	return pk->ntargets - hweight64(local);
}

void flitcast_oper_here(struct flitcast_site *site, struct sk_buff *skb)
{
	struct flitcast_up *up = &site->todo.up;
	struct sk_buff_head flits;

	if (!owned(site, skb))
		return;
	/* Usually it is the only one. */
	if (likely(!up->flit && skb_queue_empty(&up->arrived))) {
		up->flit = skb;
		up->pending |= FLITCAST_UP_ARRIVED;
		return;
	}
	__skb_queue_head_init(&flits);
	__skb_queue_tail(&flits, skb);
	flitcast_up_packet(up, &flits, (struct flitcast_arrived){
				   .targets = fc_bit64(0), .port = FLITCAST_ARRIVED(skb)->port,
			   });
}

void flitcast_oper_serve(struct flitcast_site *site, u8 set, u64 here, u64 rest, bool aborted)
{
	struct flitcast_arrived arrival = { };
	struct sk_buff_head flits, copy;
	struct fc_packet pk;
	const u8 *head;
	u64 local;

	__skb_queue_head_init(&flits);
	skb_queue_splice_init(&site->oper.feed[set].netbuf, &flits);
	if (!netbuf_whole(&flits)) {
		flitcast_drop_queue(&flits, FLITCAST_DROP_CUT);
		return;
	}
	head = skb_peek(&flits)->data;
	fc_wire_packet_decode(&pk, head);
	local = fc_node_local_mask(&site->node, head);
	here &= local;
	rest &= ~local;
	/* A liar names a site more than once; messages have numbers against that. */
	if (pk.kind == FC_KIND_DATAGRAM)
		here &= -here;
	arrival.beyond = beyond(site, &pk, local);
	arrival.targets = here;
	arrival.port = FLITCAST_ARRIVED(skb_peek(&flits))->port;
	/* One copy for all targets here: a liar names the site in each of many. */
	if (here && !rest) {
		flitcast_up_packet(&site->todo.up, &flits, arrival);
		return;
	}
	if (here && flitcast_flits_clone(&copy, &flits))
		flitcast_up_packet(&site->todo.up, &copy, arrival);
	else if (here)
		site->stat[FC_STAT_NO_MEMORY]++;
	if (rest)
		store_rest(site, set, &flits, rest, aborted);
	else
		flitcast_drop_queue(&flits, FLITCAST_DROP_UNROUTABLE);
}

void flitcast_oper_rescue(struct flitcast_site *site, u8 set, struct sk_buff_head *flits)
{
	if (netbuf_whole(flits)) {
		site->stat[FC_STAT_PKT_RESCUED]++;
		store(site, set, flits, fc_mask_all(fc_wire_ntargets(skb_peek(flits)->data)),
		      false, false);
	} else {
		flitcast_drop_queue(flits, FLITCAST_DROP_CUT);
	}
}

bool flitcast_oper_copies(const struct flitcast_site *site, u8 set)
{
	/* Packets that only this site has need the rest of the pool. */
	return site->oper.feed[set].ntransit < site->cfg.tuning.transit / COPIES_SHARE;
}

bool flitcast_oper_copy(struct flitcast_site *site, u8 set, struct sk_buff_head *flits)
{
	if (!netbuf_whole(flits)) {
		flitcast_drop_queue(flits, FLITCAST_DROP_CUT);
		return false;
	}
	site->stat[FC_STAT_PKT_COPIED]++;
	fc_node_head_copy(skb_peek(flits)->data);
	return store(site, set, flits, fc_mask_all(fc_wire_ntargets(skb_peek(flits)->data)),
		     false, false);
}

static void feed_purge(struct flitcast_site *site, struct flitcast_feed *feed)
{
	struct flitcast_train *train, *next;

	flitcast_drop_queue(&feed->netbuf, FLITCAST_DROP_DOWN);
	if (feed->train)
		list_add(&feed->train->node, &feed->transit);
	feed->train = NULL;
	list_for_each_entry_safe(train, next, &feed->transit, node)
		flitcast_train_free(site, train, FLITCAST_DROP_DOWN);
	INIT_LIST_HEAD(&feed->transit);
	feed->ntransit = 0;
}

void flitcast_oper_purge(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		feed_purge(site, &site->oper.feed[s]);
	site->oper.nfed = 0;
}
