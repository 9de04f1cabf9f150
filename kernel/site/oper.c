// SPDX-License-Identifier: GPL-2.0
/*
 * The operator of a site (CARE, section 4.3): takes packets from the network into
 * the network-buffer, delivers what is for this site, and sends the rest back out
 * from the transit pool; feeds the local net-input with those and with the
 * packets of the site's own messages.
 */
#include <linux/slab.h>
#include "site/impl.h"

/* What is of a program here is not given to another one, nor kept for long. */
static bool owned(struct flitcast_site *site, struct sk_buff *skb)
{
	if (!skb_orphan_frags_rx(skb, GFP_ATOMIC))
		return true;
	site->stat[FC_STAT_NO_MEMORY]++;
	kfree_skb(skb);
	return false;
}

void flitcast_oper_store(struct flitcast_site *site, struct sk_buff *skb)
{
	/* A gap makes the packet worthless: serve() sees it by its length. */
	if (skb && owned(site, skb))
		__skb_queue_tail(&site->netbuf, skb);
}

void flitcast_oper_discard(struct flitcast_site *site)
{
	__skb_queue_purge(&site->netbuf);
}

/* Is the packet whole?  Memory may have failed for some of its flits. */
static bool netbuf_whole(const struct sk_buff_head *flits)
{
	const struct sk_buff *skb = skb_peek(flits);
	u32 data = 0, want;

	if (!skb || !fc_wire_head_size(skb->data, skb_headlen(skb)))
		return false;
	want = fc_wire_data_len(skb->data) + fc_head_size(fc_wire_ntargets(skb->data));
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

/*
 * Put a packet into the transit pool, for the targets of the mask; takes the flits.
 * Those in each other's way do not meet again at once: what was aborted waits.
 */
static void store(struct flitcast_site *site, struct sk_buff_head *flits, u64 mask, bool aborted,
		  bool apart)
{
	struct sk_buff *front = skb_peek(flits);
	u32 old = fc_head_size(fc_wire_ntargets(front->data));
	u32 size = fc_head_size(hweight64(mask));
	struct flitcast_train *train;

	/* Without room it is dropped: its source keeps it until it is confirmed. */
	if (site->ntransit >= site->cfg.tuning.transit) {
		site->stat[FC_STAT_TRANSIT_FULL]++;
		goto drop;
	}
	train = kmalloc(sizeof(*train), GFP_ATOMIC);
	if (!train || skb_cow_head(front, 0)) {
		site->stat[FC_STAT_NO_MEMORY]++;
		kfree(train);
		goto drop;
	}
	fc_wire_head_subset(front->data + old - size, front->data, mask, 0);
	skb_pull(front, old - size);
	if (apart)
		fc_wire_head_apart(front->data);
	train->at = flitcast_site_now(site);
	if (aborted)
		train->at += fc_random_below(&site->rng, site->timing.timeout);
	train->begun = false;
	__skb_queue_head_init(&train->flits);
	skb_queue_splice_init(flits, &train->flits);
	list_add_tail(&train->node, &site->transit);
	site->ntransit++;
	site->stat[FC_STAT_PKT_RESENT]++;
	return;
drop:
	__skb_queue_purge(flits);
}

/* In mode csr a list that comes here could not reserve a tree: to each target apart. */
static void store_rest(struct flitcast_site *site, struct sk_buff_head *flits, u64 mask,
		       bool aborted)
{
	bool apart = site->csr && mask & (mask - 1);
	u64 more = apart ? mask & (mask - 1) : 0;
	struct sk_buff_head copy;

	for (; more; more &= more - 1) {
		if (flitcast_flits_clone(&copy, flits))
			store(site, &copy, more & -more, aborted, true);
		else
			site->stat[FC_STAT_NO_MEMORY]++;
	}
	store(site, flits, apart ? mask & -mask : mask, aborted, apart);
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

void flitcast_oper_serve(struct flitcast_site *site, u64 here, u64 rest, bool aborted)
{
	struct sk_buff_head flits;
	struct fc_packet pk;
	u64 local;
	u8 *head;

	__skb_queue_head_init(&flits);
	skb_queue_splice_init(&site->netbuf, &flits);
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
		store_rest(site, &flits, rest, aborted);
	else
		__skb_queue_purge(&flits);
}

void flitcast_oper_rescue(struct flitcast_site *site, struct sk_buff_head *flits)
{
	if (netbuf_whole(flits)) {
		site->stat[FC_STAT_PKT_RESCUED]++;
		store(site, flits, fc_mask_all(fc_wire_ntargets(skb_peek(flits)->data)),
		      false, false);
	} else {
		__skb_queue_purge(flits);
	}
}

/* The next flit of a stored packet. */
static struct sk_buff *train_flit(struct flitcast_site *site, struct fc_flit *flit)
{
	struct flitcast_train *train = site->train;
	struct sk_buff *skb = __skb_dequeue(&train->flits);

	memset(flit, 0, sizeof(*flit));
	flit->h = skb;
	flit->data = skb->len;
	if (!train->begun) {
		train->begun = true;
		flit->head = skb->data;
		flit->parts = FC_PART_HEAD;
		flit->data -= fc_head_size(fc_wire_ntargets(skb->data));
	}
	if (skb_queue_empty(&train->flits)) {
		flit->parts |= FC_PART_TERM;
		kfree(train);
		site->train = NULL;
		site->ntransit--;
	}
	return skb;
}

/* May the first flit of a stored packet be fed? */
static bool train_room(struct flitcast_site *site, const struct flitcast_train *train)
{
	bool short_one = skb_queue_len(&train->flits) == 1;

	return !site->vnet ||
	       flitcast_vnet_room(site, flitcast_vnet_set(site, short_one ? FLITCAST_TX_SHORT :
								FLITCAST_TX_LOW));
}

/* The first stored packet that has waited long enough, and has room. */
static struct flitcast_train *stored(struct flitcast_site *site)
{
	struct flitcast_train *train;
	u64 now, next = FC_NEVER;

	if (list_empty(&site->transit))
		return NULL;
	now = flitcast_site_now(site);
	list_for_each_entry(train, &site->transit, node) {
		if (train->at <= now && train_room(site, train))
			return train;
		if (train->at > now)
			next = min(next, train->at);
	}
	site->ends_at = min(site->ends_at, next);
	return NULL;
}

/* Whose packet goes next: stored ones and own ones in turn. */
static bool choose(struct flitcast_site *site)
{
	struct flitcast_train *train = stored(site);

	site->turn = !site->turn;
	if (train && (site->turn || !flitcast_tx_pick(site)) && train_room(site, train)) {
		site->train = train;
		list_del(&train->node);
		return true;
	}
	return site->cur || flitcast_tx_pick(site);
}

/* Does a packet, or the next flit of the one in hand, fit the local net-input? */
static bool room(struct flitcast_site *site)
{
	if (!site->vnet)
		return fc_site_room(&site->core);
	return (site->train && site->train->begun) || (site->cur && site->cur_front) ||
	       flitcast_vnet_any_room(site);
}

u64 flitcast_oper_entered(struct flitcast_site *site)
{
	u64 entered;
	u8 set = 0;

	if (site->vnet) {
		entered = flitcast_vnet_entered(site);
		set = fc_vc_set(entered >> 32);
	} else {
		entered = (u64)FC_VC_DATA << 32 | fc_site_seq(&site->core);
	}
	site->entered_at[set] = flitcast_site_now(site);
	return entered;
}

bool flitcast_oper_stands(const struct flitcast_site *site, u64 entered)
{
	u32 taken;

	if (!entered)
		return false;
	taken = site->vnet ? flitcast_vnet_taken(site, entered >> 32) :
			     site->core.data.rx[FC_PORT_LOCAL].taken;
	return !fc_before((u32)entered, taken);
}

u64 flitcast_oper_stuck(const struct flitcast_site *site, enum flitcast_tx_class class)
{
	u8 set = site->vnet ? flitcast_vnet_set(site, class) : 0;
	bool stuck = site->vnet ? flitcast_vnet_stuck(site, set) : !fc_site_room(&site->core);

	return stuck ? site->entered_at[set] : FC_NEVER;
}

void flitcast_oper_feed(struct flitcast_site *site)
{
	unsigned int budget = FLITCAST_FEED_BUDGET;
	struct fc_event ev;

	lockdep_assert_held(&site->lock);
	while (room(site)) {
		struct sk_buff *skb;

		/* The timer goes on with it, so that nobody holds the lock for long. */
		if (!budget--) {
			site->ends_at = 0;
			return;
		}

		if (!site->train && !site->cur && !choose(site))
			return;
		memset(&ev, 0, sizeof(ev));
		skb = site->train ? train_flit(site, &ev.flit) :
				    flitcast_tx_flit(site, &ev.flit);
		if (!skb) {
			/* No memory: again when the timer fires. */
			site->stat[FC_STAT_NO_MEMORY]++;
			site->ends_at = min(site->ends_at, flitcast_site_now(site) + NSEC_PER_MSEC);
			return;
		}
		ev.type = FC_EV_FLIT;
		ev.port = FC_PORT_LOCAL;
		if (site->vnet) {
			flitcast_vnet_feed(site, &ev);
			continue;
		}
		ev.seq = fc_site_seq(&site->core);
		flitcast_engine_event(site, &ev);
	}
}

void flitcast_oper_purge(struct flitcast_site *site)
{
	struct flitcast_train *train, *next;

	__skb_queue_purge(&site->netbuf);
	if (site->train)
		list_add(&site->train->node, &site->transit);
	site->train = NULL;
	list_for_each_entry_safe(train, next, &site->transit, node) {
		__skb_queue_purge(&train->flits);
		kfree(train);
	}
	INIT_LIST_HEAD(&site->transit);
	site->ntransit = 0;
}
