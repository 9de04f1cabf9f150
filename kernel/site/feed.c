// SPDX-License-Identifier: GPL-2.0
/*
 * Operator of a site (CARE, section 4.3), sending half: feeds the local net-input with stored
 * packets of the transit pool, packets of the site's own messages, and datagrams of its network
 * device, in turn.  Each set of channels has a local net-input of its own.
 */
#include <linux/indirect_call_wrapper.h>
#include <linux/slab.h>
#include "ends/txpacket.h"
#include "fabric/enter.h"
#include "fabric/vnet.h"
#include "site/impl.h"

/* A packet costs one more of the budget of flitcast_site_feed() for each FEED_TARGETS targets. */
#define FEED_TARGETS	4

/* Return: the next flit of the stored packet being fed. */
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
		flitcast_train_free(site, train, FLITCAST_USED);
		feed->train = NULL;
		feed->ntransit--;
		site->oper.nfed--;
	}
	return skb;
}

/* Return: the first stored packet that has waited long enough; NULL: none. */
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
	site->clock.ends_at = min(site->clock.ends_at, next);
	return NULL;
}

/* Choose the next packet of the site's own messages.  Return: false if there is none now. */
static bool pick(struct flitcast_site *site, u8 set)
{
	struct flitcast_feed *feed = &site->oper.feed[set];

	feed->targets = flitcast_tx_pick(site, set);
	if (!feed->targets)
		return false;
	feed->own = true;
	feed->begun = false;
	site->oper.nfed++;
	return true;
}

/* Return: the next flit of the current own packet; NULL: no memory. */
static struct sk_buff *own_flit(struct flitcast_site *site, u8 set, struct fc_flit *flit)
{
	struct flitcast_feed *feed = &site->oper.feed[set];
	struct sk_buff *skb = flitcast_tx_flit(site, set, flit);

	/* A packet that has not begun is chosen again later. */
	if (skb ? flit->parts & FC_PART_TERM : !feed->begun)
		flitcast_oper_forget(site, set);
	feed->begun = true;
	return skb;
}

/* Choose the next datagram.  Return: false if none can enter now. */
static bool pick_datagram(struct flitcast_site *site, u8 set)
{
	struct flitcast_feed *feed = &site->oper.feed[set];

	if (set != FC_SET_BULK || !site->oper.dgrams.n)
		return false;
	feed->targets = flitcast_dgram_pick(site);
	if (!feed->targets)
		return false;
	feed->dgram = true;
	feed->begun = false;
	site->oper.nfed++;
	return true;
}

/* Return: the next flit of the current datagram; NULL: no memory. */
static struct sk_buff *datagram_flit(struct flitcast_site *site, struct flitcast_feed *feed,
				     struct fc_flit *flit)
{
	struct sk_buff *skb = flitcast_dgram_flit(site, flit);

	if (!skb)
		return NULL;
	feed->begun = true;
	if (flit->parts & FC_PART_TERM) {
		feed->dgram = false;
		feed->entered_at = flitcast_site_now(site);
		site->oper.nfed--;
	}
	return skb;
}

/* Choose the next packet of those stored and of the site's messages, which take turns. */
static bool choose_packet(struct flitcast_site *site, u8 set)
{
	struct flitcast_feed *feed = &site->oper.feed[set];
	struct flitcast_train *train = stored(site, feed);

	feed->turn = !feed->turn;
	if (train && (feed->turn || !pick(site, set))) {
		feed->train = train;
		list_del(&train->node);
		return true;
	}
	return feed->own || pick(site, set);
}

/* Choose the next packet: datagrams take turns with all others. */
static bool choose(struct flitcast_site *site, u8 set)
{
	struct flitcast_feed *feed = &site->oper.feed[set];

	feed->dgram_turn = !feed->dgram_turn;
	if (feed->dgram_turn && pick_datagram(site, set))
		return true;
	return choose_packet(site, set) || (!feed->dgram_turn && pick_datagram(site, set));
}

/* Return: true if a packet, or the next flit of the current one, fits the local net-input. */
static bool room(struct flitcast_site *site, u8 set)
{
	const struct flitcast_feed *feed = &site->oper.feed[set];

	if (site->mode->whole &&
	    ((feed->train && feed->train->begun) ||
	     ((feed->own || feed->dgram) && feed->begun)))
		return true;
	return INDIRECT_CALL_1(site->mode->room, flitcast_vnet_room, site, set);
}

/* Feed the next flit of a set.  Return: false: no memory. */
static bool feed_flit(struct flitcast_site *site, u8 set)
{
	struct flitcast_feed *feed = &site->oper.feed[set];
	struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };
	struct sk_buff *skb;

	if (feed->train)
		skb = train_flit(site, feed, &ev.flit);
	else if (feed->dgram)
		skb = datagram_flit(site, feed, &ev.flit);
	else
		skb = own_flit(site, set, &ev.flit);
	if (!skb)
		return false;
	INDIRECT_CALL_1(site->mode->feed, flitcast_vnet_feed, site, set, &ev);
	return true;
}

/* Return: the set whose turn it is, of those with something to send and space; -1: none. */
static int next_set(struct flitcast_site *site, u32 sets)
{
	u32 bands = 0;

	for (; sets; sets &= sets - 1) {
		u8 set = fc_low(sets);

		if (!flitcast_oper_clear(site, set) && room(site, set))
			bands |= fc_bit(FC_BAND_BULK - set);
	}
	return bands ? FC_BAND_BULK - (int)fc_turn_next(&site->oper.turn, bands) : -1;
}

static_assert(FC_BAND_BULK - FC_SET_SHORT == FC_BAND_SHORT);
static_assert(FC_BAND_BULK - FC_SET_HIGH == FC_BAND_HIGH);

void flitcast_site_feed(struct flitcast_site *site, int *budget)
{
	u32 sets = fc_bit(FC_SET_COUNT) - 1, frames;
	int set;

	lockdep_assert_held(&site->lock);
	site->oper.budget = FLITCAST_FEED_BUDGET;
	while ((set = next_set(site, sets)) >= 0) {
		const struct flitcast_feed *feed = &site->oper.feed[set];

		/*
		 * Over budget: the timer handles the rest, so that the lock is not held for long.
		 */
		if (*budget <= 0) {
			site->clock.ends_at = 0;
			return;
		}
		if (!feed->train && !feed->own && !feed->dgram) {
			if (!choose(site, set)) {
				sets &= ~fc_bit(set);
				continue;
			}
			if (!feed->train)
				*budget -= feed->targets / FEED_TARGETS;
		}
		frames = site->out.frames;
		if (!feed_flit(site, set)) {
			/* No memory: retry when the timer fires. */
			site->stat[FC_STAT_NO_MEMORY]++;
			site->clock.ends_at = min(site->clock.ends_at,
						  flitcast_site_now(site) + NSEC_PER_MSEC);
			return;
		}
		*budget -= max_t(int, site->out.frames - frames, 1);
	}
}
