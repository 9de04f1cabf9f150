// SPDX-License-Identifier: GPL-2.0
/*
 * Network device of a site: its life, and its sending half.
 *
 *	qdisc -> select_queue(): the queue of the link that the flow takes first
 *	      -> xmit() -> flitcast_dgram_queue() -> flitcast_oper_feed() (fabric/feed.c)
 *
 * A queue that holds TX_BYTES_MAX stops until half of that has entered the network, so that the
 * qdisc schedules the rest.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rtnetlink.h>
#include <linux/virtio_net.h>
#include "compat.h"
#include "core/version.h"
#include "ether/ether.h"
#include "fabric/enter.h"

/* A queue stops when it holds so many bytes; frames beyond twice as many are dropped. */
#define TX_BYTES_MAX	(192 * 1024)

/* Bytes of a network frame beside its payload. */
#define OVERHEAD	(ETH_HLEN + VLAN_HLEN)

#define MTU_MAX		(FLITCAST_FRAME_MAX - OVERHEAD)
#define MTU_DEFAULT	65000

static_assert(sizeof(struct virtio_net_hdr) == FLITCAST_OFFLOAD_SIZE);
static_assert(sizeof(struct flitcast_dgram) <= sizeof_field(struct sk_buff, cb));

/*
 * Find the targets of a destination address: all sites, if it is a multicast address, or one that
 * no frame has come from.  Return: false: it is the site's own.
 */
static bool targets(struct flitcast_ether *ether, const u8 *dest, u32 *first, u32 *end)
{
	const struct flitcast_site *site = ether->site;
	u32 to = FC_SITE_NONE;

	if (!is_multicast_ether_addr(dest)) {
		to = flitcast_ether_site_of(dest, site->cfg.topo.nsites);
		if (to == FC_SITE_NONE)
			to = flitcast_learn_site(&ether->learn, dest);
	}
	*first = to == FC_SITE_NONE ? 0 : to;
	*end = to == FC_SITE_NONE ? site->cfg.topo.nsites : to + 1;
	return to != site->cfg.id;
}

/*
 * Devices whose xmit() runs on this CPU, each in the one before: a link may use a device that
 * stands on the network device of another site.
 */
#define NESTED_MAX	2
static DEFINE_PER_CPU(unsigned int, nested);

/* Queue a frame for the targets of @dgram; takes ownership. */
static void enqueue(struct flitcast_ether *ether, struct sk_buff *skb,
		    const struct flitcast_dgram *dgram)
{
	*FLITCAST_DGRAM(skb) = *dgram;
	if (flitcast_dgram_queue(ether->site, skb) > TX_BYTES_MAX)
		netif_stop_subqueue(ether->dev, dgram->queue);
}

/*
 * Queue a frame, once for each group of targets that one datagram can have; takes ownership.  Only
 * one of several is charged to the sender's socket, until it has entered.
 * Return: false: it is dropped, for some of the targets at least.
 */
static bool queue_frame(struct flitcast_ether *ether, struct sk_buff *skb,
			struct flitcast_dgram *dgram)
{
	struct flitcast_site *site = ether->site;
	u32 most = flitcast_dgram_targets(site), end = dgram->end;

	for (; end - dgram->first > most; dgram->first = dgram->end) {
		struct sk_buff *one;

		dgram->end = dgram->first + most;
		one = flitcast_dgram_full(site, dgram->queue, 2 * TX_BYTES_MAX) ? NULL :
		      skb_clone(skb, GFP_ATOMIC);
		if (!one) {
			kfree_skb(skb);
			return false;
		}
		enqueue(ether, one, dgram);
	}
	dgram->end = end;
	/* The site itself alone is no target. */
	if (end - dgram->first == 1 && dgram->first == site->cfg.id) {
		consume_skb(skb);
		return true;
	}
	if (flitcast_dgram_full(site, dgram->queue, 2 * TX_BYTES_MAX)) {
		kfree_skb(skb);
		return false;
	}
	enqueue(ether, skb, dgram);
	return true;
}

static void xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	struct flitcast_site *site = ether->site;
	struct flitcast_dgram dgram = {
		.queue = min_t(u16, skb_get_queue_mapping(skb), site->node.nports - 1),
	};
	struct virtio_net_hdr offload;
	unsigned int len = skb->len;
	bool queued = false;

	/* A frame of a bridge: its source is behind this device, and may have moved here. */
	if (!ether_addr_equal(skb->data + ETH_ALEN, dev->dev_addr))
		flitcast_learn_forget(&ether->learn, skb->data + ETH_ALEN);
	if (!targets(ether, skb->data, &dgram.first, &dgram.end) || len > FLITCAST_FRAME_MAX ||
	    skb_orphan_frags_rx(skb, GFP_ATOMIC) ||
	    (skb_has_frag_list(skb) && skb_linearize(skb)) ||
	    virtio_net_hdr_from_skb(skb, &offload, true, true, 0)) {
		dev_core_stats_tx_dropped_inc(dev);
		kfree_skb(skb);
		return;
	}
	memcpy(dgram.offload, &offload, sizeof(offload));
	dgram.hash = __skb_get_hash_symmetric(skb);
	skb_tx_timestamp(skb);
	flitcast_link_scrub(skb);
	flitcast_enter(site);
	if (ether->open)
		queued = queue_frame(ether, skb, &dgram);
	else
		kfree_skb(skb);
	flitcast_leave(site);
	if (queued)
		dev_sw_netstats_tx_add(dev, 1, len);
	else
		dev_core_stats_tx_dropped_inc(dev);
}

static netdev_tx_t ether_xmit(struct sk_buff *skb, struct net_device *dev)
{
	/* BH are disabled: another frame on this CPU is of a device that stands on this one. */
	if (__this_cpu_inc_return(nested) <= NESTED_MAX) {
		xmit(skb, dev);
	} else {
		dev_core_stats_tx_dropped_inc(dev);
		kfree_skb(skb);
	}
	__this_cpu_dec(nested);
	return NETDEV_TX_OK;
}

static u16 ether_select_queue(struct net_device *dev, struct sk_buff *skb, struct net_device *sb)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	struct flitcast_site *site = ether->site;
	u32 first, end, hash;
	u16 queue = 0;

	if (!targets(ether, skb->data, &first, &end) || end - first > 1)
		return 0;
	hash = __skb_get_hash_symmetric(skb);
	spin_lock_bh(&site->lock);
	if (!site->dead)
		queue = flitcast_dgram_port(site, first, hash);
	spin_unlock_bh(&site->lock);
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

void flitcast_ether_links(struct flitcast_site *site)
{
	lockdep_assert_held(&site->lock);
	if (site->node.up)
		netif_carrier_on(site->oper.dgrams.ether->dev);
	else
		netif_carrier_off(site->oper.dgrams.ether->dev);
}

static int ether_open(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);

	napi_enable(&ether->napi);
	spin_lock_bh(&ether->site->lock);
	ether->open = true;
	spin_unlock_bh(&ether->site->lock);
	netif_tx_start_all_queues(dev);
	return 0;
}

/* The frame that is entering the network enters completely. */
static int ether_stop(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	struct sk_buff_head frames;

	__skb_queue_head_init(&frames);
	netif_tx_disable(dev);
	spin_lock_bh(&ether->site->lock);
	ether->open = false;
	flitcast_dgram_take(ether->site, &frames);
	skb_queue_splice_tail_init(&ether->rxq, &frames);
	ether->rx_bytes = 0;
	spin_unlock_bh(&ether->site->lock);
	napi_disable(&ether->napi);
	__skb_queue_purge(&frames);
	return 0;
}

static int ether_init(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	int err;

	dev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	if (!dev->tstats)
		return -ENOMEM;
	err = flitcast_learn_init(&ether->learn);
	if (err)
		goto err_learn;
	err = -ENOMEM;
	ether->source = kvcalloc(ether->site->cfg.topo.nsites, sizeof(*ether->source),
				 GFP_KERNEL_ACCOUNT);
	if (!ether->source)
		goto err_source;
	return 0;

err_source:
	flitcast_learn_free(&ether->learn);
err_learn:
	free_percpu(dev->tstats);
	return err;
}

static void ether_uninit(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);

	spin_lock_bh(&ether->site->lock);
	if (ether->site->oper.dgrams.ether == ether)
		ether->site->oper.dgrams.ether = NULL;
	spin_unlock_bh(&ether->site->lock);
}

static void ether_free(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);

	kvfree(ether->source);
	flitcast_learn_free(&ether->learn);
	free_percpu(dev->tstats);
}

static const struct net_device_ops ether_ops = {
	.ndo_init = ether_init,
	.ndo_uninit = ether_uninit,
	.ndo_open = ether_open,
	.ndo_stop = ether_stop,
	.ndo_start_xmit = ether_xmit,
	.ndo_select_queue = ether_select_queue,
	.ndo_get_stats64 = dev_get_tstats64,
	.ndo_validate_addr = eth_validate_addr,
};

static void ether_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, KBUILD_MODNAME, sizeof(info->driver));
	strscpy(info->version, FLITCAST_VERSION, sizeof(info->version));
}

static const struct ethtool_ops ether_ethtool_ops = {
	.get_drvinfo = ether_drvinfo,
	.get_link = ethtool_op_get_link,
};

unsigned int flitcast_ether_queues(void)
{
	return FC_PORTS_MAX;
}

void flitcast_ether_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &ether_ops;
	dev->ethtool_ops = &ether_ethtool_ops;
	dev->needs_free_netdev = true;
	dev->priv_destructor = ether_free;
	dev->max_mtu = MTU_MAX;
	dev->mtu = MTU_DEFAULT;
	dev->features |= NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_TSO | NETIF_F_TSO6 |
			 NETIF_F_TSO_ECN | NETIF_F_HIGHDMA | NETIF_F_RXCSUM;
	dev->hw_features |= dev->features;
	dev->vlan_features = dev->features;
	flitcast_dev_set_lockless(dev);
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;
	/* netpoll transmits with interrupts off, which flitcast_leave() would enable. */
	dev->priv_flags |= IFF_DISABLE_NETPOLL;
	netif_set_tso_max_size(dev, FLITCAST_FRAME_MAX - OVERHEAD);
}

int flitcast_ether_add(struct flitcast_site *site, struct net_device *dev,
		       struct netlink_ext_ack *extack)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	u8 address[ETH_ALEN];
	int err;

	ASSERT_RTNL();
	if (site->oper.dgrams.ether) {
		NL_SET_ERR_MSG_MOD(extack, "the site has a network device already");
		return -EBUSY;
	}
	if (flitcast_site_reserves(site)) {
		NL_SET_ERR_MSG_MOD(extack, "mode csr carries no network device");
		return -EOPNOTSUPP;
	}
	ether->dev = dev;
	ether->site = site;
	__skb_queue_head_init(&ether->rxq);
	netif_napi_add(dev, &ether->napi, flitcast_ether_poll);
	flitcast_ether_address(address, site->cfg.id);
	eth_hw_addr_set(dev, address);
	err = netif_set_real_num_tx_queues(dev, site->node.nports);
	if (err)
		return err;
	netif_carrier_off(dev);
	err = register_netdevice(dev);
	if (err)
		return err;
	spin_lock_bh(&site->lock);
	site->oper.dgrams.ether = ether;
	flitcast_ether_links(site);
	spin_unlock_bh(&site->lock);
	return 0;
}

void flitcast_ether_site_gone(struct flitcast_site *site)
{
	ASSERT_RTNL();
	if (site->oper.dgrams.ether)
		unregister_netdevice(site->oper.dgrams.ether->dev);
}

u32 flitcast_ether_site(const struct net_device *dev)
{
	const struct flitcast_ether *ether = netdev_priv(dev);

	return ether->site->cfg.id;
}
