// SPDX-License-Identifier: GPL-2.0
/*
 * The operator of a site (CARE, section 4.3): takes packets from the network into
 * the network-buffer, delivers what is for this site, and sends the rest back out
 * from the transit pool; feeds the local net-input with those and with the
 * packets of the site's own messages.  Each set of channels has a network-buffer, a transit pool
 * and a local net-input of its own, so that none waits for another.
 */
#include <linux/slab.h>
#include "site/impl.h"

/* Of the places of all transit pools, one in so many is for each set alone. */
#define TRANSIT_SHARE	8

void flitcast_oper_init(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++) {
		__skb_queue_head_init(&site->feed[s].netbuf);
		INIT_LIST_HEAD(&site->feed[s].transit);
	}
}

/* What is of a program here is not given to another one, nor kept for long. */
static bool owned(struct flitcast_site *site, struct sk_buff *skb)
{
	if (!skb_orphan_frags_rx(skb, GFP_ATOMIC))
		return true;
	site->stat[FC_STAT_NO_MEMORY]++;
	kfree_skb(skb);
	return false;
}

void flitcast_oper_store(struct flitcast_site *site, u8 set, struct sk_buff *skb, bool front)
{
	struct sk_buff_head *netbuf = &site->feed[set].netbuf;

	/* A gap makes the packet worthless: serve() sees it by its length. */
	if (!skb || !owned(site, skb))
		return;
	/* The front is missing: what follows was not looked at, and is no front. */
	if (!front && skb_queue_empty(netbuf)) {
		kfree_skb(skb);
		return;
	}
	__skb_queue_tail(netbuf, skb);
}

void flitcast_oper_discard(struct flitcast_site *site, u8 set)
{
	__skb_queue_purge(&site->feed[set].netbuf);
}

/* Is the packet whole?  Memory may have failed for some of its flits. */
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
			__skb_queue_purge(to);
			return false;
		}
		__skb_queue_tail(to, copy);
	}
	return true;
}

/* Is there a place for one more packet of a set, and still a share for each of the others? */
static bool transit_room(const struct flitcast_site *site, u8 set)
{
	unsigned int all = site->cfg.tuning.transit, used = 0;
	unsigned int share = all / TRANSIT_SHARE;
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		used += max(site->feed[s].ntransit + (s == set), share);
	return used <= all;
}

/*
 * Put a packet into the transit pool of its set, for the targets of the mask; takes the flits.
 * Those in each other's way do not meet again at once: what was aborted waits.
 */
static void store(struct flitcast_site *site, u8 set, struct sk_buff_head *flits, u64 mask,
		  bool aborted, bool apart)
{
	struct flitcast_feed *feed = &site->feed[set];
	struct sk_buff *front = skb_peek(flits);
	struct flitcast_train *train;

	/* Without room it is dropped: its source keeps it until it is confirmed. */
	if (!transit_room(site, set)) {
		site->stat[FC_STAT_TRANSIT_FULL]++;
		goto drop;
	}
	train = kmalloc(sizeof(*train), GFP_ATOMIC);
	if (!train || skb_cow_head(front, 0)) {
		site->stat[FC_STAT_NO_MEMORY]++;
		kfree(train);
		goto drop;
	}
	flitcast_branch_cut(front, mask, hweight64(mask));
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
	site->nfed++;
	site->stat[FC_STAT_PKT_RESENT]++;
	return;
drop:
	__skb_queue_purge(flits);
}

/* A list that comes here and reserves (mode csr) could not reserve a tree: to each target apart. */
static void store_rest(struct flitcast_site *site, u8 set, struct sk_buff_head *flits, u64 mask,
		       bool aborted)
{
	bool apart = site->csr && set == FC_SET_BULK && mask & (mask - 1);
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

/* Targets further on, of which confirmations will come by here. */
static u8 beyond(const struct flitcast_site *site, const struct fc_packet *pk, u64 local)
{
	/* Of several packets each one's confirmation lets the source go on. */
	if (!site->vnet || !(pk->flags & FC_PACKET_LIST) || pk->flags & FC_PACKET_LATER ||
	    pk->msg_len > FC_PACKET_MAX)
		return 0;
	return pk->ntargets - hweight64(local);
}

void flitcast_oper_here(struct flitcast_site *site, struct sk_buff *skb)
{
	struct sk_buff_head flits;
	struct fc_packet pk;
	struct fc_target t;

	if (!owned(site, skb))
		return;
	__skb_queue_head_init(&flits);
	__skb_queue_tail(&flits, skb);
	fc_wire_packet_decode(&pk, skb->data);
	fc_wire_target_decode(&t, skb->data, 0);
	flitcast_rx_packet(site, &flits, &pk, &t, NULL);
}

void flitcast_oper_serve(struct flitcast_site *site, u8 set, u64 here, u64 rest, bool aborted)
{
	struct sk_buff_head flits;
	struct fc_packet pk;
	u64 local;
	u8 *head;

	__skb_queue_head_init(&flits);
	skb_queue_splice_init(&site->feed[set].netbuf, &flits);
	if (!netbuf_whole(&flits)) {
		__skb_queue_purge(&flits);
		return;
	}
	head = skb_peek(&flits)->data;
	fc_wire_packet_decode(&pk, head);
	local = fc_site_local_mask(&site->core, head);
	here &= local;
	rest &= ~local;
	site->beyond = beyond(site, &pk, local);
	while (here) {
		struct sk_buff_head copy;
		struct fc_target t;

		fc_wire_target_decode(&t, head, fc_low64(here));
		here &= here - 1;
		if (!here && !rest) {
			flitcast_rx_packet(site, &flits, &pk, &t, NULL);
			site->beyond = 0;
			return;
		}
		if (flitcast_flits_clone(&copy, &flits))
			flitcast_rx_packet(site, &copy, &pk, &t, NULL);
		else
			site->stat[FC_STAT_NO_MEMORY]++;
	}
	site->beyond = 0;
	if (rest)
		store_rest(site, set, &flits, rest, aborted);
	else
		__skb_queue_purge(&flits);
}

void flitcast_oper_rescue(struct flitcast_site *site, u8 set, struct sk_buff_head *flits)
{
	if (netbuf_whole(flits)) {
		site->stat[FC_STAT_PKT_RESCUED]++;
		store(site, set, flits, fc_mask_all(fc_wire_ntargets(skb_peek(flits)->data)),
		      false, false);
	} else {
		__skb_queue_purge(flits);
	}
}

/* The next flit of a stored packet. */
static struct sk_buff *train_flit(struct flitcast_site *site, struct flitcast_feed *feed,
				  struct fc_flit *flit)
{
	struct flitcast_train *train = feed->train;
	struct sk_buff *skb = __skb_dequeue(&train->flits);

	memset(flit, 0, sizeof(*flit));
	flit->h = skb;
	flit->data = skb->len;
	if (!train->begun) {
		train->begun = true;
		flit->head = skb->data;
		flit->parts = FC_PART_HEAD;
		flit->data -= fc_wire_head_len(skb->data);
	}
	if (skb_queue_empty(&train->flits)) {
		flit->parts |= FC_PART_TERM;
		kfree(train);
		feed->train = NULL;
		feed->ntransit--;
		site->nfed--;
	}
	return skb;
}

/* The first stored packet that has waited long enough. */
static struct flitcast_train *stored(struct flitcast_site *site, struct flitcast_feed *feed)
{
	struct flitcast_train *train;
	u64 now, next = FC_NEVER;

	if (list_empty(&feed->transit))
		return NULL;
	now = flitcast_site_now(site);
	list_for_each_entry(train, &feed->transit, node) {
		if (train->at <= now)
			return train;
		next = min(next, train->at);
	}
	site->ends_at = min(site->ends_at, next);
	return NULL;
}

/* Whose packet goes next: stored ones and own ones in turn. */
static bool choose(struct flitcast_site *site, u8 set)
{
	struct flitcast_feed *feed = &site->feed[set];
	struct flitcast_train *train = stored(site, feed);

	feed->turn = !feed->turn;
	if (train && (feed->turn || !flitcast_tx_pick(site, set))) {
		feed->train = train;
		list_del(&train->node);
		return true;
	}
	return feed->cur || flitcast_tx_pick(site, set);
}

/* Does a packet, or the next flit of the one in hand, fit the local net-input? */
static bool room(struct flitcast_site *site, u8 set)
{
	const struct flitcast_feed *feed = &site->feed[set];

	if (!site->vnet)
		return fc_site_room(flitcast_care_core(site, set));
	/* A lane has room for all of the packet that it was found for. */
	return (feed->train && feed->train->begun) || (feed->cur && feed->cur_front) ||
	       flitcast_vnet_room(site, set);
}

u64 flitcast_oper_entered(struct flitcast_site *site, u8 set)
{
	site->feed[set].entered_at = flitcast_site_now(site);
	if (site->vnet)
		return flitcast_vnet_entered(site, set);
	return (u64)fc_set_vc(set) << 32 | fc_site_seq(flitcast_care_core(site, set));
}

bool flitcast_oper_stands(struct flitcast_site *site, u64 entered)
{
	u8 vc = entered >> 32;
	u32 taken;

	if (!entered)
		return false;
	taken = site->vnet ? flitcast_vnet_taken(site, vc) :
		flitcast_care_core(site, fc_vc_set(vc))->data.rx[FC_PORT_LOCAL].taken;
	return !fc_before((u32)entered, taken);
}

u64 flitcast_oper_stuck(struct flitcast_site *site, enum flitcast_tx_class class)
{
	u8 set = flitcast_site_set(class);
	bool stuck = site->vnet ? flitcast_vnet_stuck(site, set) :
				  !fc_site_room(flitcast_care_core(site, set));

	return stuck ? site->feed[set].entered_at : FC_NEVER;
}

/* The next flit of what a set is fed with.  Return: false if there is no memory for it. */
static bool feed_flit(struct flitcast_site *site, u8 set)
{
	struct flitcast_feed *feed = &site->feed[set];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };
	struct sk_buff *skb;

	skb = feed->train ? train_flit(site, feed, &ev.flit) :
			    flitcast_tx_flit(site, set, &ev.flit);
	if (!skb)
		return false;
	if (site->vnet) {
		flitcast_vnet_feed(site, set, &ev);
		return true;
	}
	ev.seq = fc_site_seq(flitcast_care_core(site, set));
	flitcast_care_event(site, set, &ev);
	return true;
}

/* Whose turn it is of the sets that may have something to send, and have room; -1: none has. */
static int next_set(struct flitcast_site *site, u32 sets)
{
	u32 bands = 0;

	for (; sets; sets &= sets - 1) {
		u8 set = fc_low(sets);

		if (!flitcast_oper_clear(site, set) && room(site, set))
			bands |= fc_bit(FC_BAND_BULK - set);
	}
	return bands ? FC_BAND_BULK - (int)fc_turn_next(&site->feed_turn, bands) : -1;
}

static_assert(FC_BAND_BULK - FC_SET_SHORT == FC_BAND_SHORT);
static_assert(FC_BAND_BULK - FC_SET_HIGH == FC_BAND_HIGH);

void flitcast_oper_feed(struct flitcast_site *site)
{
	u32 sets = fc_bit(FC_SET_COUNT) - 1, frames;
	int budget = FLITCAST_FEED_BUDGET, set;

	lockdep_assert_held(&site->lock);
	site->looks = FLITCAST_FEED_LOOKS;
	while ((set = next_set(site, sets)) >= 0) {
		const struct flitcast_feed *feed = &site->feed[set];

		/* The timer goes on with it, so that nobody holds the lock for long. */
		if (budget <= 0) {
			site->ends_at = 0;
			return;
		}
		if (!feed->train && !feed->cur) {
			if (!choose(site, set)) {
				sets &= ~fc_bit(set);
				continue;
			}
			budget -= feed->cur_n / FLITCAST_FEED_TARGETS;
		}
		frames = site->frames;
		if (!feed_flit(site, set)) {
			/* No memory: again when the timer fires. */
			site->stat[FC_STAT_NO_MEMORY]++;
			site->ends_at = min(site->ends_at, flitcast_site_now(site) + NSEC_PER_MSEC);
			return;
		}
		budget -= max_t(int, site->frames - frames, 1);
	}
}

static void feed_purge(struct flitcast_feed *feed)
{
	struct flitcast_train *train, *next;

	__skb_queue_purge(&feed->netbuf);
	if (feed->train)
		list_add(&feed->train->node, &feed->transit);
	feed->train = NULL;
	list_for_each_entry_safe(train, next, &feed->transit, node) {
		__skb_queue_purge(&train->flits);
		kfree(train);
	}
	INIT_LIST_HEAD(&feed->transit);
	feed->ntransit = 0;
}

void flitcast_oper_purge(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		feed_purge(&site->feed[s]);
	site->nfed = 0;
}
