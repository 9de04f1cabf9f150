// SPDX-License-Identifier: GPL-2.0
/*
 * Network device of a site, sending half:
 *
 *	qdisc -> select_queue(): the queue of the link that the flow takes first
 *	      -> xmit() -> flitcast_dgram_queue() -> flitcast_oper_feed() (fabric/feed.c)
 *
 * A queue that holds TX_BYTES_MAX stops until half of that has entered the network, so that the
 * qdisc schedules the rest.
 */
#include <linux/etherdevice.h>
#include <linux/percpu.h>
#include <linux/virtio_net.h>
#include "compat.h"
#include "ether/ether.h"
#include "fabric/enter.h"

/* A queue stops when it holds so many bytes; frames beyond twice as many are dropped. */
#define TX_BYTES_MAX	(192 * 1024)

static_assert(sizeof(struct virtio_net_hdr) == FLITCAST_OFFLOAD_SIZE);
static_assert(sizeof(struct flitcast_dgram) <= sizeof_field(struct sk_buff, cb));

/* Return: the site of a destination address; FC_SITE_NONE: several, or unknown. */
static u32 site_of(struct flitcast_ether *ether, const u8 *dest)
{
	u32 to;

	if (is_multicast_ether_addr(dest))
		return FC_SITE_NONE;
	to = flitcast_ether_site_of(dest, ether->site->cfg.topo.nsites);
	return to == FC_SITE_NONE ? flitcast_learn_site(&ether->learn, dest) : to;
}

/*
 * Devices whose xmit() runs on this CPU, each in the one before: a link may use a device that
 * stands on the network device of another site.
 */
#define NESTED_MAX	2
static DEFINE_PER_CPU(unsigned int, nested);

/*
 * Queue a frame for the targets of @dgram; takes ownership.  Of clones, which share their data, the
 * first one counts with it.
 */
static void enqueue(struct flitcast_ether *ether, struct sk_buff *skb, struct flitcast_dgram *dgram)
{
	if (!dgram->charge)
		dgram->charge = skb->truesize;
	else
		dgram->charge = SKB_TRUESIZE(0);
	*FLITCAST_DGRAM(skb) = *dgram;
	if (flitcast_dgram_queue(ether->site, skb) > TX_BYTES_MAX)
		netif_stop_subqueue(ether->dev, dgram->queue);
}

u16 *flitcast_ether_list(const struct sk_buff *skb, u32 nsites, struct flitcast_dgram *dgram)
{
	u16 *list = PTR_ALIGN_DOWN((u16 *)(skb->data - 2 * nsites), sizeof(u16));

	dgram->list = skb->data - (u8 *)list;
	return list;
}

bool flitcast_ether_queue(struct flitcast_ether *ether, struct sk_buff *skb,
			  struct flitcast_dgram *dgram)
{
	struct flitcast_site *site = ether->site;
	u16 n = dgram->ntargets, most = flitcast_dgram_targets(site);

	lockdep_assert_held(&site->lock);
	if (!n) {
		atomic_long_inc(&ether->stat[FLITCAST_ETHER_TX_UNWANTED]);
		consume_skb(skb);
		return true;
	}
	for (; n > most; n -= most, dgram->list -= most * sizeof(u16)) {
		struct sk_buff *one;

		if (flitcast_dgram_full(site, dgram->queue, 2 * TX_BYTES_MAX))
			break;
		one = skb_clone(skb, GFP_ATOMIC);
		if (!one) {
			flitcast_ether_drop(ether, FLITCAST_ETHER_TX_MEMORY, skb);
			return false;
		}
		dgram->ntargets = most;
		enqueue(ether, one, dgram);
	}
	if (flitcast_dgram_full(site, dgram->queue, 2 * TX_BYTES_MAX)) {
		flitcast_ether_drop(ether, FLITCAST_ETHER_TX_FULL, skb);
		return false;
	}
	dgram->ntargets = n;
	enqueue(ether, skb, dgram);
	return true;
}

/*
 * Prepare a frame: find its targets, and describe what the receiver has to finish.
 * Return: FLITCAST_ETHER_STAT_COUNT, or the reason to drop it.
 */
static enum flitcast_ether_stat prepare(struct flitcast_ether *ether, struct sk_buff *skb,
					struct flitcast_dgram *dgram)
{
	u32 nsites = ether->site->cfg.topo.nsites, to = site_of(ether, skb->data);
	struct virtio_net_hdr offload;

	if (skb->len > FLITCAST_FRAME_MAX)
		return FLITCAST_ETHER_TX_LENGTH;
	if (to == ether->site->cfg.id)
		return FLITCAST_ETHER_TX_OWN;
	if (skb_orphan_frags_rx(skb, GFP_ATOMIC) ||
	    (skb_has_frag_list(skb) && skb_linearize(skb)))
		return FLITCAST_ETHER_TX_MEMORY;
	if (virtio_net_hdr_from_skb(skb, &offload, true, true, 0))
		return FLITCAST_ETHER_TX_OFFLOAD;
	memcpy(dgram->offload, &offload, sizeof(offload));
	/* The skb keeps the hash: of its socket, or computed once from its headers. */
	dgram->hash = skb_get_hash(skb);
	dgram->to = to;
	dgram->ntargets = 1;
	if (to != FC_SITE_NONE)
		return FLITCAST_ETHER_STAT_COUNT;
	if (skb_cow_head(skb, FLITCAST_LIST_SIZE(nsites)))
		return FLITCAST_ETHER_TX_MEMORY;
	dgram->ntargets = flitcast_members_list(&ether->members, skb->data,
						flitcast_ether_list(skb, nsites, dgram));
	return FLITCAST_ETHER_STAT_COUNT;
}

static void xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	struct flitcast_site *site = ether->site;
	struct flitcast_dgram dgram = {
		.port = FLITCAST_DGRAM_FRAME,
		.queue = min_t(u16, skb_get_queue_mapping(skb), site->node.nports - 1),
	};
	enum flitcast_ether_stat why;
	unsigned int len = skb->len;

	/* A frame of a bridge: its source is behind this device, and may have moved here. */
	if (!ether_addr_equal(skb->data + ETH_ALEN, dev->dev_addr))
		flitcast_learn_forget(&ether->learn, skb->data + ETH_ALEN);
	why = prepare(ether, skb, &dgram);
	if (why != FLITCAST_ETHER_STAT_COUNT) {
		flitcast_ether_drop(ether, why, skb);
		return;
	}
	skb_tx_timestamp(skb);
	flitcast_link_scrub(skb);
	flitcast_enter(site);
	if (!ether->open)
		flitcast_ether_drop(ether, FLITCAST_ETHER_TX_DOWN, skb);
	else if (flitcast_ether_queue(ether, skb, &dgram))
		dev_sw_netstats_tx_add(dev, 1, len);
	flitcast_leave(site);
}

netdev_tx_t flitcast_ether_xmit(struct sk_buff *skb, struct net_device *dev)
{
	/* BH are disabled: another frame on this CPU is of a device that stands on this one. */
	if (__this_cpu_inc_return(nested) <= NESTED_MAX)
		xmit(skb, dev);
	else
		flitcast_ether_drop(netdev_priv(dev), FLITCAST_ETHER_TX_NESTED, skb);
	__this_cpu_dec(nested);
	return NETDEV_TX_OK;
}

u16 flitcast_ether_select_queue(struct net_device *dev, struct sk_buff *skb, struct net_device *sb)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	struct flitcast_site *site = ether->site;
	u32 to, hash = skb_get_hash(skb);
	u16 queue = 0;

	/* A sender that holds the device may come when it is unregistered, and outside of RCU. */
	rcu_read_lock();
	if (READ_ONCE(ether->gone))
		goto unlock;
	to = site_of(ether, skb->data);
	if (to == FC_SITE_NONE || to == site->cfg.id)
		goto unlock;
	spin_lock_bh(&site->lock);
	queue = flitcast_dgram_link(site, to, hash);
	spin_unlock_bh(&site->lock);
unlock:
	rcu_read_unlock();
	return queue;
}

void flitcast_ether_room(struct flitcast_site *site, u8 queue)
{
	struct flitcast_ether *ether = site->oper.dgrams.ether;

	lockdep_assert_held(&site->lock);
	if (ether && ether->open && __netif_subqueue_stopped(ether->dev, queue) &&
	    site->oper.dgrams.bytes[queue] <= TX_BYTES_MAX / 2)
		netif_wake_subqueue(ether->dev, queue);
}
