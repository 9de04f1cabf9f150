// SPDX-License-Identifier: GPL-2.0
/*
 * Network device of a site, sending half:
 *
 *	qdisc -> select_queue(): the queue of the link that the flow takes first; 0: of several
 *	      -> xmit() -> flitcast_dgram_queue() -> flitcast_site_feed() (site/feed.c)
 *
 * A queue stops when it holds as much as byte queue limits allow, TX_BYTES_MAX at most, so that the
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

/* Queue a frame for the targets of @dgram, which have one link; takes ownership. */
static void enqueue(struct flitcast_ether *ether, struct sk_buff *skb, struct flitcast_dgram *dgram)
{
	struct netdev_queue *txq;
	u32 bytes;

	dgram->charge = skb->truesize;
	*FLITCAST_DGRAM(skb) = *dgram;
	bytes = flitcast_dgram_queue(ether->site, skb);
	if (dgram->queue == FLITCAST_DGRAM_REPORTS)
		return;
	txq = netdev_get_tx_queue(ether->dev, dgram->queue);
	if (bytes > TX_BYTES_MAX)
		netif_tx_stop_queue(txq);
	netdev_tx_sent_queue(txq, dgram->charge);
}

u16 *flitcast_ether_list(const struct sk_buff *skb, u32 nsites, struct flitcast_dgram *dgram)
{
	u16 *list = PTR_ALIGN_DOWN((u16 *)(skb->data - 2 * nsites), sizeof(u16));

	dgram->list = skb->data - (u8 *)list;
	return list;
}

/*
 * Queue a frame once for each link that it takes to @n of its targets, flitcast_dgram_targets() at
 * most, so that a slow link delays no others.  Takes ownership, if these are not followed by @more.
 * Return: false: no memory; ownership stays.
 */
static bool queue_by_link(struct flitcast_ether *ether, struct sk_buff *skb, u16 *list,
			  unsigned int n, bool more, struct flitcast_dgram *dgram)
{
	u64 mask[FC_PORTS_MAX], rest;
	u16 to[FC_TARGETS_MAX];
	unsigned int at = 0, port;

	memcpy(to, list, n * sizeof(*to));
	flitcast_dgram_part(ether->site, to, n, dgram->hash, mask);
	for (port = 0; at < n; port++) {
		struct sk_buff *one = skb;

		if (!mask[port])
			continue;
		dgram->list = skb->data - (u8 *)(list + at);
		dgram->ntargets = hweight64(mask[port]);
		dgram->link = port;
		/* A frame to one site takes the path of its flow there, not that of a list. */
		if (dgram->ntargets == 1)
			dgram->link = flitcast_dgram_link(ether->site, to[fc_low64(mask[port])],
							  dgram->hash);
		for (rest = mask[port]; rest; rest &= rest - 1)
			list[at++] = to[fc_low64(rest)];
		if (more || at < n)
			one = skb_clone(skb, GFP_ATOMIC);
		if (!one)
			return false;
		enqueue(ether, one, dgram);
	}
	return true;
}

/* Queue a frame for a list of targets; takes ownership.  The copies share its data. */
static bool queue_list(struct flitcast_ether *ether, struct sk_buff *skb,
		       struct flitcast_dgram *dgram)
{
	unsigned int n, left = dgram->ntargets, most = flitcast_dgram_targets(ether->site);
	u16 *list = (u16 *)(skb->data - dgram->list);

	for (; left; left -= n, list += n) {
		n = min(left, most);
		if (!queue_by_link(ether, skb, list, n, n < left, dgram)) {
			flitcast_ether_drop(ether, FLITCAST_ETHER_TX_MEMORY, skb);
			return false;
		}
	}
	return true;
}

bool flitcast_ether_queue(struct flitcast_ether *ether, struct sk_buff *skb,
			  struct flitcast_dgram *dgram)
{
	lockdep_assert_held(&ether->site->lock);
	if (!dgram->ntargets) {
		atomic_long_inc(&ether->stat[FLITCAST_ETHER_TX_UNWANTED]);
		consume_skb(skb);
		return true;
	}
	if (flitcast_dgram_full(ether->site, dgram->queue, 2 * TX_BYTES_MAX)) {
		flitcast_ether_drop(ether, FLITCAST_ETHER_TX_FULL, skb);
		return false;
	}
	if (dgram->list)
		return queue_list(ether, skb, dgram);
	dgram->link = dgram->queue;
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
	/* As skb_checksum_help(): a file that changes while it is sent would make the sum wrong. */
	if (flitcast_site_verifies(ether->site) && skb_has_shared_frag(skb) &&
	    skb_copy_ubufs(skb, GFP_ATOMIC))
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
	};
	enum flitcast_ether_stat why;
	unsigned int len = skb->len;

	/* As in select_queue(): BH are disabled, so the site does not end meanwhile. */
	if (READ_ONCE(ether->gone)) {
		flitcast_ether_drop(ether, FLITCAST_ETHER_TX_DOWN, skb);
		return;
	}
	dgram.queue = min_t(u16, skb_get_queue_mapping(skb), site->node.nports - 1);
	/* A frame of a bridge: its source is behind this device, and may have moved here. */
	if (!ether_addr_equal(skb->data + ETH_ALEN, dev->dev_addr))
		flitcast_learn_forget(&ether->learn, skb->data + ETH_ALEN);
	why = prepare(ether, skb, &dgram);
	if (why != FLITCAST_ETHER_STAT_COUNT) {
		flitcast_ether_drop(ether, why, skb);
		return;
	}
	flitcast_dgram_sum(site, skb, &dgram);
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
	/*
	 * BH are disabled: another frame on this CPU is of a device that stands on this one; or, on
	 * PREEMPT_RT, of a task that this one has preempted, and may be dropped for it.
	 */
	if (this_cpu_inc_return(nested) <= NESTED_MAX)
		xmit(skb, dev);
	else
		flitcast_ether_drop(netdev_priv(dev), FLITCAST_ETHER_TX_NESTED, skb);
	this_cpu_dec(nested);
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

void flitcast_ether_entered(struct flitcast_site *site, u8 queue, u32 frames, u32 bytes)
{
	struct flitcast_ether *ether = site->oper.dgrams.ether;
	struct netdev_queue *txq;

	lockdep_assert_held(&site->lock);
	if (!ether || !ether->open)
		return;
	txq = netdev_get_tx_queue(ether->dev, queue);
	netdev_tx_completed_queue(txq, frames, bytes);
	if (netif_tx_queue_stopped(txq) && site->oper.dgrams.bytes[queue] <= TX_BYTES_MAX / 2)
		netif_tx_wake_queue(txq);
}
