// SPDX-License-Identifier: GPL-2.0
/*
 * Link backend for network devices: Ethernet and veth.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/module.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/rtnetlink.h>
#include <net/sch_generic.h>
#include "compat.h"
#include "drop.h"
#include "core/bounds.h"
#include "core/link/turn.h"
#include "core/wire/wire_link.h"
#include "core/wire/wire_plain.h"
#include "link/link.h"

/*
 * The peer of a link, in one word, so that a reader sees no half of an address.  An atomic64_t is
 * whole on 32 bits, too; on 64 bits it is read by an ordinary load.
 */
union netdev_peer {
	struct {
		u8 address[ETH_ALEN];	/* frames are sent there; all ones before the first HELLO */
		bool known;		/* the address is from a HELLO */
	};
	u64 word;
};

static_assert(sizeof(union netdev_peer) == sizeof(u64));

/**
 * struct netdev_link - link of a network device
 * @link: link
 * @dev: device, with a reference; never changes
 * @dev_tracker: of that reference
 * @pt: our ethertype on that device
 * @node: in the list of all links, under RTNL
 * @veth: the device is a veth; never changes
 * @peer: union netdev_peer; changes under the owner's lock while the handshake is not done, and is
 *	read without: frames come and go meanwhile
 */
struct netdev_link {
	struct flitcast_link link;
	struct net_device *dev;
	netdevice_tracker dev_tracker;
	struct packet_type pt;
	struct list_head node;
	bool veth;
	atomic64_t peer;
};

static_assert(FLITCAST_IFNAME_SIZE == IFNAMSIZ);
static_assert(FLITCAST_ADDRESS_SIZE == ETH_ALEN);

/* All links of all namespaces, for device events; under RTNL. */
static LIST_HEAD(links);

static unsigned int ethertype = FC_ETHERTYPE;
module_param(ethertype, uint, 0444);
MODULE_PARM_DESC(ethertype, "Ethertype of Flitcast frames (default 0x88B5)");

static struct netdev_link *of(const struct flitcast_link *link)
{
	return container_of(link, struct netdev_link, link);
}

static inline union netdev_peer get_peer(const struct netdev_link *l)
{
	return (union netdev_peer){ .word = atomic64_read(&l->peer) };
}

/* Did the peer of the link send the frame? */
static inline bool known(const struct netdev_link *l, const struct sk_buff *skb)
{
	union netdev_peer peer = get_peer(l);

	return peer.known && ether_addr_equal(eth_hdr(skb)->h_source, peer.address);
}

/* May the frame be forwarded at once, by flitcast_pass()? */
static inline bool plain(const struct netdev_link *l, const struct sk_buff *skb)
{
	return fc_link_fast(skb->data, skb_headlen(skb), skb->len) &&
	       skb->pkt_type == PACKET_HOST && !skb_shared(skb) && !skb->cloned &&
	       !skb->destructor && !skb_has_frag_list(skb) && known(l, skb);
}

/* Receive a frame on the slow path; one with a code may take the fast path without it. */
static noinline int receive(struct netdev_link *l, struct sk_buff *skb)
{
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NET_RX_DROP;
	if (skb->pkt_type == PACKET_OTHERHOST || skb->pkt_type == PACKET_LOOPBACK) {
		flitcast_drop(skb, FLITCAST_DROP_STRANGER);
		return NET_RX_DROP;
	}
	if (l->link.code.used) {
		if (!flitcast_code_take(&l->link, skb))
			return NET_RX_DROP;
		if (plain(l, skb) && l->link.ops->pass(&l->link, skb))
			return NET_RX_SUCCESS;
	}
	flitcast_link_input(&l->link, skb, known(l, skb));
	return NET_RX_SUCCESS;
}

static int frame_in(struct sk_buff *skb, struct net_device *dev, struct packet_type *pt,
		    struct net_device *orig_dev)
{
	struct netdev_link *l = container_of(pt, struct netdev_link, pt);

	/* A flit sent over veth leaves the sender's device when it is received here. */
	if (unlikely(skb->destructor) && !skb_shared(skb))
		flitcast_link_arrive(skb);
	if (likely(!l->link.code.used) && plain(l, skb) && l->link.ops->pass(&l->link, skb))
		return NET_RX_SUCCESS;
	return receive(l, skb);
}

/* Is it a device of this kind of "ip link"?  The kind of a device never changes. */
static bool is_kind(const struct net_device *dev, const char *kind)
{
	return dev->rtnl_link_ops && !strcmp(dev->rtnl_link_ops->kind, kind);
}

/*
 * The longest frame that a device carries, without its Ethernet header.  A veth passes on
 * unsegmented what other devices would have to segment: a list of frames (SKB_GSO_FRAGLIST).  The
 * feature alone says nothing: every software device has it, also one above a card (VLAN), or one
 * that copies frames (MACsec).
 */
static u32 longest(const struct net_device *dev, bool veth)
{
	u32 mtu = READ_ONCE(dev->mtu), gso = READ_ONCE(dev->gso_max_size);

	if (!veth || !(dev->features & NETIF_F_GSO_FRAGLIST) || gso <= ETH_HLEN)
		return mtu;
	return max(mtu, gso - ETH_HLEN - 1);
}

static bool netdev_small(const struct flitcast_link *link)
{
	return longest(of(link)->dev, of(link)->veth) < link->flit;
}

static bool netdev_long(const struct flitcast_link *link)
{
	return READ_ONCE(of(link)->dev->mtu) < link->flit && !netdev_small(link);
}

static bool netdev_ready(const struct flitcast_link *link)
{
	const struct net_device *dev = of(link)->dev;

	return netif_running(dev) && netif_carrier_ok(dev) && !netdev_small(link);
}

/* A link has one peer: another sender must wait until the peer is silent. */
static bool netdev_peer(struct flitcast_link *link, const struct sk_buff *skb, bool up)
{
	const u8 *from = eth_hdr(skb)->h_source;
	struct netdev_link *l = of(link);
	union netdev_peer peer = get_peer(l);

	if (peer.known && ether_addr_equal(from, peer.address))
		return true;
	if (up)
		return false;
	ether_addr_copy(peer.address, from);
	peer.known = true;
	atomic64_set(&l->peer, peer.word);
	return true;
}

static void netdev_describe(struct flitcast_link *link, struct flitcast_link_device *device)
{
	const struct net_device *dev = of(link)->dev;

	device->ifindex = dev->ifindex;
	strscpy(device->name, dev->name, sizeof(device->name));
	if (!netif_running(dev))
		strscpy(device->reason, "the device is down", sizeof(device->reason));
}

/*
 * Mark a frame above the MTU as GSO, so that the device passes it on unsegmented.  Return: false if
 * it does not: its MTU has just been lowered.
 */
static bool mark_long(const struct netdev_link *l, struct sk_buff *skb)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);
	const struct net_device *dev = l->dev;

	if (skb->len > longest(dev, l->veth))
		return false;
	/* The stack measures the headers of GSO frames. */
	skb_reset_transport_header(skb);
	shinfo->gso_type = SKB_GSO_FRAGLIST;
	shinfo->gso_size = READ_ONCE(dev->mtu);
	shinfo->gso_segs = 1;
	/* With CHECKSUM_NONE the stack would segment the frame. */
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	return true;
}

/* Push the header of a stacked device, which may build another one.  Return: as put_header(). */
static noinline bool put_stacked(const struct netdev_link *l, struct sk_buff *skb)
{
	union netdev_peer peer = get_peer(l);
	struct net_device *dev = l->dev;

	return dev_hard_header(skb, dev, ethertype, peer.address, dev->dev_addr, skb->len) >= 0;
}

/* Push the Ethernet header.  Return: false if that fails. */
static bool put_header(const struct netdev_link *l, struct sk_buff *skb)
{
	u64 peer = atomic64_read(&l->peer);
	struct net_device *dev = l->dev;
	struct ethhdr *eth;

	if (!dev->header_ops || dev->header_ops->create != eth_header)
		return put_stacked(l, skb);
	if (unlikely(skb_headroom(skb) < ETH_HLEN))
		return false;
	eth = __skb_push(skb, ETH_HLEN);
	/* The source address overwrites what follows the peer's. */
	memcpy(eth, &peer, sizeof(peer));
	ether_addr_copy(eth->h_source, dev->dev_addr);
	eth->h_proto = htons(ethertype);
	return true;
}

/*
 * May a frame be handed to the device directly?  True if dev_queue_xmit() would do no more: the
 * device has no queue, no lock, no packet tap, egress filter or redirect, and supports the frame's
 * layout.
 */
static bool passes(const struct sk_buff *skb, struct net_device *dev,
		   const struct netdev_queue *txq)
{
	netdev_features_t features = dev->features;

	if (rcu_dereference_bh(txq->qdisc)->enqueue || !flitcast_dev_lockless(dev) ||
	    netif_xmit_frozen_or_stopped(txq) || !(dev->flags & IFF_UP) ||
	    flitcast_dev_egress(dev) || dev_nit_active(dev))
		return false;
	if (!skb_is_nonlinear(skb))
		return true;
	if (!(features & NETIF_F_SG) || (skb_has_frag_list(skb) && !(features & NETIF_F_FRAGLIST)))
		return false;
	return !skb_is_gso(skb) || (features & NETIF_F_GSO_FRAGLIST &&
				    skb->len < READ_ONCE(dev->gso_max_size));
}

/* @flit: the frame is a flit; the data no longer shows this, as a device header precedes it. */
static bool xmit(struct flitcast_link *link, struct sk_buff *skb, bool flit)
	__must_hold(&link->tx_lock)
{
	struct net_device *dev = of(link)->dev;
	struct netdev_queue *txq = netdev_get_tx_queue(dev, 0);
	int err;

	if (!passes(skb, dev, txq)) {
		/*
		 * Charge a flit that enters a queue, but not a GSO one: the stack may segment it.
		 */
		if (flit && rcu_dereference_bh(txq->qdisc)->enqueue && !skb_is_gso(skb))
			flitcast_link_charge(link, skb);
		err = dev_queue_xmit(skb);
		return !net_xmit_eval(err);
	}
	skb_reset_mac_header(skb);
	err = netdev_start_xmit(skb, dev, txq, false);
	if (dev_xmit_complete(err))
		return !net_xmit_eval(err);
	flitcast_drop(skb, FLITCAST_DROP_FULL);
	return false;
}

/*
 * The priority of a frame among other traffic of the device, by its queue in the link
 * (Documentation/design.rst, "Flits of several packets on a link").  Flits have no priority that
 * SO_PRIORITY would need CAP_NET_ADMIN for.  All flits of a channel, and the statuses that ask
 * about them, have the same, so that none of these overtakes another one in the device.
 */
static inline u32 priority(const u8 *p, bool flit)
{
	if (unlikely(!flit) &&
	    fc_band(p[FC_LINK_TYPE], p[FC_LINK_VC], p[FC_LINK_FLAGS]) == FC_BAND_CTRL)
		return TC_PRIO_CONTROL;
	return p[FC_LINK_VC] < fc_set_vc(FC_SET_HIGH) ? TC_PRIO_BESTEFFORT : TC_PRIO_INTERACTIVE;
}

static_assert(FC_SET_HIGH + 1 == FC_SET_COUNT);

static bool netdev_transmit(struct flitcast_link *link, struct sk_buff *skb)
	__must_hold(&link->tx_lock)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);
	bool flit = (skb->data[FC_LINK_TYPE] & ~FC_FRAME_AUTH) == FC_FRAME_FLIT;
	struct netdev_link *l = of(link);
	struct net_device *dev = l->dev;

	/* Clear metadata of the receiving device, which must not affect transmission. */
	skb_scrub_packet(skb, true);
	skb_reset_network_header(skb);
	skb->dev = dev;
	skb->protocol = htons(ethertype);
	skb->priority = priority(skb->data, flit);
	skb->ip_summed = CHECKSUM_NONE;
	/* Clear GSO state of the received frame, or the stack would segment it. */
	shinfo->gso_size = 0;
	shinfo->gso_segs = 0;
	shinfo->gso_type = 0;
	if (unlikely(skb->len > READ_ONCE(dev->mtu)) && !mark_long(l, skb)) {
		flitcast_drop(skb, FLITCAST_DROP_LENGTH);
		return false;
	}
	/*
	 * One hash for all frames of the link, and no queue of the receiving device: queues chosen
	 * by flow keep them in order.
	 */
	skb_clear_hash(skb);
	skb_set_queue_mapping(skb, 0);
	if (!put_header(l, skb)) {
		flitcast_drop(skb, FLITCAST_DROP_NO_MEMORY);
		return false;
	}
	return xmit(link, skb, flit);
}

static void netdev_start(struct flitcast_link *link)
{
	dev_add_pack(&of(link)->pt);
}

/*
 * dev_remove_pack() waits for an RCU grace period: for receivers, also the peer's, and
 * transmitters.
 */
static void netdev_stop(struct flitcast_link *link)
{
	dev_remove_pack(&of(link)->pt);
}

static void netdev_free(struct flitcast_link *link)
{
	struct netdev_link *l = of(link);

	list_del(&l->node);
	netdev_put(l->dev, &l->dev_tracker);
	kfree(l);
}

static struct netdev_link *find(const struct net_device *dev)
{
	struct netdev_link *l;

	list_for_each_entry(l, &links, node)
		if (l->dev == dev)
			return l;
	return NULL;
}

bool flitcast_netdev_has_address(const struct net_device *dev, const u8 *address)
{
	/* VLAN and macvlan devices have the address of the device below them. */
	if (dev->type != ARPHRD_ETHER || is_vlan_dev(dev) || netif_is_macvlan(dev))
		return false;
	/* So have ipvlan, MACsec and DSA devices, and theirs is recorded as permanent. */
	if (!is_zero_ether_addr(dev->perm_addr))
		return !dev->netdev_ops->ndo_get_iflink &&
		       ether_addr_equal(dev->perm_addr, address);
	return dev->addr_assign_type == NET_ADDR_SET && ether_addr_equal(dev->dev_addr, address);
}

static unsigned int headroom(const struct net_device *dev)
{
	return LL_RESERVED_SPACE(dev) + FC_LINK_SIZE;
}

/* Refuse a device for its MTU: that of a tunnel often cannot be raised, so tell which flit fits. */
static void refuse_mtu(u32 mtu, u32 flit, struct netlink_ext_ack *extack)
{
	if (mtu < FLITCAST_FLIT_MIN)
		NL_SET_ERR_MSG_MOD(extack, "MTU of the device is below the flit size: raise it");
	else
		FLITCAST_ERR_MSG_FMT(extack,
				     "MTU of the device is below the flit size: raise it, or shorten flits at all sites",
				     "flit %u is above MTU %u: raise it, or flit %u at all sites",
				     flit, mtu, mtu);
}

static struct flitcast_link *netdev_create(const struct flitcast_link_spec *spec, u32 flit,
					   struct netlink_ext_ack *extack)
{
	struct net_device *dev = spec->dev;
	union netdev_peer none = { 0 };
	bool veth = is_kind(dev, "veth");
	struct netdev_link *l;

	if (dev->type != ARPHRD_ETHER) {
		NL_SET_ERR_MSG_MOD(extack, "device is not Ethernet");
		return ERR_PTR(-EINVAL);
	}
	/* The device transmits over links of its site: as a link it would transmit over itself. */
	if (is_kind(dev, KBUILD_MODNAME)) {
		NL_SET_ERR_MSG_MOD(extack, "the network device of a site carries no links");
		return ERR_PTR(-EINVAL);
	}
	if (longest(dev, veth) < flit && !spec->wait) {
		refuse_mtu(longest(dev, veth), flit, extack);
		return ERR_PTR(-EINVAL);
	}
	if (find(dev)) {
		NL_SET_ERR_MSG_MOD(extack, "device carries a link already");
		return ERR_PTR(-EBUSY);
	}
	l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);
	if (!l)
		return ERR_PTR(-ENOMEM);
	l->dev = dev;
	l->veth = veth;
	/* not charged: the tracker is for debugging only */
	netdev_hold(dev, &l->dev_tracker, GFP_KERNEL);
	l->link.headroom = headroom(dev);
	eth_broadcast_addr(none.address);
	atomic64_set(&l->peer, none.word);
	l->pt.type = htons(ethertype);
	l->pt.dev = dev;
	l->pt.func = frame_in;
	list_add(&l->node, &links);
	return &l->link;
}

const struct flitcast_link_kind flitcast_netdev_kind = {
	.name = "netdev",
	.create = netdev_create,
	.start = netdev_start,
	.stop = netdev_stop,
	.free = netdev_free,
	.ready = netdev_ready,
	.small = netdev_small,
	.long_frames = netdev_long,
	.peer = netdev_peer,
	.describe = netdev_describe,
	.transmit = netdev_transmit,
};

static int device_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct netdev_link *l = find(dev);

	if (!l)
		return NOTIFY_DONE;
	WRITE_ONCE(l->link.headroom,
		   headroom(dev) + (l->link.code.used ? FC_CODE_SIZE : 0));
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_FEAT_CHANGE:
		l->link.ops->carrier(&l->link, netdev_ready(&l->link));
		break;
	case NETDEV_GOING_DOWN:
		l->link.ops->carrier(&l->link, false);
		break;
	case NETDEV_UNREGISTER:
		l->link.ops->gone(&l->link);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = {
	.notifier_call = device_event,
};

int flitcast_netdev_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

void flitcast_netdev_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
}
