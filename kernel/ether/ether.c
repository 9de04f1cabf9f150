// SPDX-License-Identifier: GPL-2.0
/* Network device of a site: its life. */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <linux/mm.h>
#include <linux/rtnetlink.h>
#include "compat.h"
#include "drop.h"
#include "core/version.h"
#include "ether/ether.h"
#include "fabric/enter.h"

/* Bytes of a network frame beside its payload. */
#define OVERHEAD	(ETH_HLEN + VLAN_HLEN)

/* Headroom of all frames for the targets that a few have; these copy their headers for more. */
#define HEADROOM_MAX	128U

#define MTU_MAX		(FLITCAST_FRAME_MAX - OVERHEAD)
#define MTU_DEFAULT	65000

void flitcast_ether_links(struct flitcast_site *site)
{
	lockdep_assert_held(&site->lock);
	if (site->node.up)
		netif_carrier_on(site->oper.dgrams.ether->dev);
	else
		netif_carrier_off(site->oper.dgrams.ether->dev);
}

void flitcast_ether_rerouted(struct flitcast_site *site)
{
	flitcast_report_rerouted(site->oper.dgrams.ether);
}

static void ether_set_rx_mode(struct net_device *dev)
{
	flitcast_report_changed(netdev_priv(dev));
}

static int ether_open(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);

	napi_enable(&ether->napi);
	spin_lock_bh(&ether->site->lock);
	/* Reports come from here on. */
	flitcast_members_forget(&ether->members);
	ether->open = true;
	spin_unlock_bh(&ether->site->lock);
	flitcast_report_open(ether);
	netif_tx_start_all_queues(dev);
	return 0;
}

/* The frame that is entering the network enters completely. */
static int ether_stop(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	struct sk_buff_head frames;
	unsigned int q;

	__skb_queue_head_init(&frames);
	spin_lock_bh(&ether->site->lock);
	/* From here on, flitcast_ether_entered() wakes no queue. */
	ether->open = false;
	spin_unlock_bh(&ether->site->lock);
	netif_tx_disable(dev);
	spin_lock_bh(&ether->site->lock);
	flitcast_dgram_take(ether->site, &frames);
	for (q = 0; q < dev->real_num_tx_queues; q++)
		netdev_tx_reset_queue(netdev_get_tx_queue(dev, q));
	skb_queue_splice_tail_init(&ether->rxq, &frames);
	ether->rx_bytes = 0;
	ether->rx_reports = 0;
	spin_unlock_bh(&ether->site->lock);
	napi_disable(&ether->napi);
	flitcast_drop_queue(&frames, FLITCAST_DROP_DOWN);
	flitcast_report_stop(ether);
	return 0;
}

static int ether_init(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);
	u32 nsites = ether->site->cfg.topo.nsites;
	int err;

	dev->tstats = netdev_alloc_pcpu_stats(struct pcpu_sw_netstats);
	if (!dev->tstats)
		return -ENOMEM;
	err = flitcast_learn_init(&ether->learn);
	if (err)
		goto err_learn;
	err = flitcast_members_init(&ether->members, nsites, ether->site->cfg.id);
	if (err)
		goto err_members;
	err = flitcast_report_init(ether);
	if (err)
		goto err_report;
	err = -ENOMEM;
	ether->incarnation = kvcalloc(nsites, sizeof(*ether->incarnation), GFP_KERNEL_ACCOUNT);
	if (!ether->incarnation)
		goto err_incarnation;
	err = flitcast_seen_init(&ether->seen);
	if (err)
		goto err_seen;
	return 0;

err_seen:
	kvfree(ether->incarnation);
err_incarnation:
	flitcast_report_free(ether);
err_report:
	flitcast_members_free(&ether->members);
err_members:
	flitcast_learn_free(&ether->learn);
err_learn:
	free_percpu(dev->tstats);
	return err;
}

static void ether_uninit(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);

	WRITE_ONCE(ether->gone, true);
	spin_lock_bh(&ether->site->lock);
	if (ether->site->oper.dgrams.ether == ether)
		ether->site->oper.dgrams.ether = NULL;
	spin_unlock_bh(&ether->site->lock);
}

static void ether_free(struct net_device *dev)
{
	struct flitcast_ether *ether = netdev_priv(dev);

	flitcast_seen_free(&ether->seen);
	kvfree(ether->incarnation);
	flitcast_report_free(ether);
	flitcast_members_free(&ether->members);
	flitcast_learn_free(&ether->learn);
	free_percpu(dev->tstats);
}

/*
 * The stack segments the frames that others would refuse, and those that a card has joined of
 * segments with verified checksums: they have none as a whole, neither complete nor partial.
 */
static netdev_features_t ether_features_check(struct sk_buff *skb, struct net_device *dev,
					      netdev_features_t features)
{
	if (skb_is_gso(skb) &&
	    (skb->ip_summed != CHECKSUM_PARTIAL ||
	     !flitcast_ether_gso_fits(skb_shinfo(skb)->gso_size, READ_ONCE(dev->mtu))))
		features &= ~NETIF_F_GSO_MASK;
	return vlan_features_check(skb, features);
}

static const struct net_device_ops ether_ops = {
	.ndo_init = ether_init,
	.ndo_uninit = ether_uninit,
	.ndo_open = ether_open,
	.ndo_stop = ether_stop,
	.ndo_start_xmit = flitcast_ether_xmit,
	.ndo_select_queue = flitcast_ether_select_queue,
	.ndo_features_check = ether_features_check,
	.ndo_set_rx_mode = ether_set_rx_mode,
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
	.get_sset_count = flitcast_ether_stat_count,
	.get_strings = flitcast_ether_stat_names,
	.get_ethtool_stats = flitcast_ether_stat_values,
};

unsigned int flitcast_ether_queues(void)
{
	return FC_PORTS_MAX;
}

/*
 * NETIF_F_HW_CSUM and NETIF_F_TSO leave checksums and segments to the receiver, where a frame stays
 * CHECKSUM_PARTIAL until it goes to a device that needs it complete; without them the stack
 * completes all before xmit().  With NETIF_F_RXCSUM a complete checksum counts as verified if the
 * sender's host has verified it and the network verifies packets; without it the stack verifies all
 * complete ones.  Partial ones stay partial even then, as on veth and virtio_net: to complete one
 * here and verify it afterwards would find nothing.
 */
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
	dev->needed_headroom = min(FLITCAST_LIST_SIZE(site->cfg.topo.nsites), HEADROOM_MAX);
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
