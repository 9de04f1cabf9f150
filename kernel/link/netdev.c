// SPDX-License-Identifier: GPL-2.0
/*
 * Link backend for network devices: Ethernet and veth.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/in.h>
#include <linux/net.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/dst.h>
#include <net/sch_generic.h>
#include <net/sock.h>
#include "compat.h"
#include "core/wire_link.h"
#include "core/wire_plain.h"
#include "link/link.h"

/* All links of all namespaces, for device events; under RTNL. */
static LIST_HEAD(links);

static unsigned int ethertype = FC_ETHERTYPE;
module_param(ethertype, uint, 0444);
MODULE_PARM_DESC(ethertype, "Ethertype of Flitcast frames (default 0x88B5)");

/* CRC32C of a frame from its link header on, with zeros in place of the checksum. */
static u32 frame_sum(struct sk_buff *skb)
{
	struct skb_seq_state state;
	u8 header[FC_LINK_SIZE];
	u32 sum, n, done = 0;
	const u8 *data;

	memcpy(header, skb->data, FC_LINK_SIZE);
	fc_wire_link_set_sum(header, 0);
	sum = crc32c(~0, header, FC_LINK_SIZE);
	skb_prepare_seq_read(skb, FC_LINK_SIZE, skb->len, &state);
	while ((n = skb_seq_read(done, &data, &state))) {
		sum = crc32c(sum, data, n);
		done += n;
	}
	return ~sum;
}

/* May it go the short way? */
static inline bool plain(const struct flitcast_link *link, const struct sk_buff *skb)
{
	return skb_headlen(skb) >= FC_PLAIN_MIN && fc_link_plain(skb->data, skb->len) &&
	       skb->pkt_type == PACKET_HOST && !skb_shared(skb) && !skb->cloned &&
	       !skb->destructor && link->peer_known &&
	       ether_addr_equal(eth_hdr(skb)->h_source, link->peer);
}

static noinline int receive(struct flitcast_link *link, struct sk_buff *skb)
{
	struct fc_link_hdr hdr;

	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NET_RX_DROP;
	if (skb->pkt_type == PACKET_OTHERHOST || skb->pkt_type == PACKET_LOOPBACK)
		goto drop;
	if (!pskb_may_pull(skb, FC_LINK_SIZE) ||
	    !fc_link_decode(&hdr, skb->data, skb_headlen(skb), skb->len) ||
	    pskb_trim(skb, FC_LINK_SIZE + hdr.len)) {
		link->stat[FC_LSTAT_RX_MALFORMED]++;
		goto drop;
	}
	if (hdr.summed && hdr.sum != frame_sum(skb)) {
		link->stat[FC_LSTAT_RX_CHECKSUM]++;
		goto drop;
	}
	/* Only HELLO comes from an address not heard yet. */
	if (hdr.type != FC_FRAME_HELLO &&
	    (!link->peer_known || !ether_addr_equal(eth_hdr(skb)->h_source, link->peer))) {
		link->stat[FC_LSTAT_RX_STRANGER]++;
		goto drop;
	}
	skb_orphan(skb);
	flitcast_link_scrub(skb);
	link->ops->receive(link, skb, &hdr);
	return NET_RX_SUCCESS;
drop:
	kfree_skb(skb);
	return NET_RX_DROP;
}

/* Over a veth a flit leaves its device when it is received: of which link, where that has more? */
static DEFINE_PER_CPU(bool, arriving);
static DEFINE_PER_CPU(struct flitcast_link *, arrived);

/* Bytes of memory of flits that the device has. */
static u32 held(const struct flitcast_link *link)
{
	return sk_wmem_alloc_get(link->owner_sock->sk);
}

/* The device has let go of a flit: what waits may go on. */
static int drained(wait_queue_entry_t *entry, unsigned int mode, int flags, void *key)
{
	struct flitcast_link *link = container_of(entry, struct flitcast_link, drained);

	if (!READ_ONCE(link->full))
		return 0;
	if (this_cpu_read(arriving))
		this_cpu_write(arrived, link);
	else
		tasklet_schedule(&link->drain);
	return 0;
}

static void drain_soon(struct tasklet_struct *t)
{
	rcu_read_lock();
	flitcast_link_drain(container_of(t, struct flitcast_link, drain));
	rcu_read_unlock();
}

/*
 * A frame has come: over a veth its sender's link may have room now.  That sends the next one at
 * once, not when a tasklet's turn has come: of few frames in a device the last one may have left
 * by then.
 */
static noinline void arrive(struct sk_buff *skb)
{
	struct flitcast_link *link;

	this_cpu_write(arriving, true);
	skb_orphan(skb);
	this_cpu_write(arriving, false);
	link = this_cpu_read(arrived);
	if (!link)
		return;
	this_cpu_write(arrived, NULL);
	flitcast_link_drain(link);
}

static int frame_in(struct sk_buff *skb, struct net_device *dev, struct packet_type *pt,
		    struct net_device *orig_dev)
{
	struct flitcast_link *link = container_of(pt, struct flitcast_link, pt);

	if (unlikely(skb->destructor) && !skb_shared(skb))
		arrive(skb);
	if (plain(link, skb) && link->ops->pass(link, skb))
		return NET_RX_SUCCESS;
	return receive(link, skb);
}

/*
 * The longest frame that a device carries, without its Ethernet header.  A veth hands over whole
 * what others would have to segment: a list of frames (SKB_GSO_FRAGLIST), which no
 * hardware takes, so that what says it takes that has only software behind it.
 */
static u32 longest(const struct net_device *dev)
{
	u32 mtu = READ_ONCE(dev->mtu), gso = READ_ONCE(dev->gso_max_size);

	if (!(dev->features & NETIF_F_GSO_FRAGLIST) || gso <= ETH_HLEN)
		return mtu;
	return max(mtu, gso - ETH_HLEN - 1);
}

bool flitcast_link_small(const struct flitcast_link *link)
{
	return longest(link->dev) < link->flit;
}

bool flitcast_link_long(const struct flitcast_link *link)
{
	return READ_ONCE(link->dev->mtu) < link->flit && !flitcast_link_small(link);
}

bool flitcast_link_ready(const struct flitcast_link *link)
{
	return netif_running(link->dev) && netif_carrier_ok(link->dev) &&
	       !flitcast_link_small(link);
}

/*
 * What the device has of this link's flits is the send memory of a socket, as with all that is
 * sent: who frees a frame gives its memory back, and wakes whoever waits for room.  A frame may
 * stay in a device for longer than the link, and the module, exist; it keeps the socket, whose code
 * and data are the kernel's own.  So it is one of a family that is no module's.
 */
static int account_begin(struct flitcast_link *link)
{
	int err = sock_create_kern(&init_net, PF_INET, SOCK_DGRAM, IPPROTO_UDP, &link->owner_sock);
	struct sock *sk;

	/* No memory for its inode is told as too many files. */
	if (err)
		return err == -ENFILE ? -ENOMEM : err;
	sk = link->owner_sock->sk;
	/* Nobody is ever refused room: it is @depth that says how much is enough. */
	sk->sk_userlocks |= SOCK_SNDBUF_LOCK;
	sk->sk_sndbuf = INT_MAX;
	tasklet_setup(&link->drain, drain_soon);
	init_waitqueue_func_entry(&link->drained, drained);
	add_wait_queue(sk_sleep(sk), &link->drained);
	return 0;
}

/* Nothing is transmitted any more. */
static void account_end(struct flitcast_link *link)
{
	tasklet_kill(&link->drain);
	sock_release(link->owner_sock);
}

struct flitcast_link *flitcast_link_create(struct net_device *dev, u32 flit,
					   const struct flitcast_link_ops *ops, void *owner,
					   u8 port, struct netlink_ext_ack *extack)
{
	struct flitcast_link *link;
	int err, i;

	ASSERT_RTNL();
	if (dev->type != ARPHRD_ETHER) {
		NL_SET_ERR_MSG_MOD(extack, "device is not Ethernet");
		return ERR_PTR(-EINVAL);
	}
	if (longest(dev) < flit) {
		NL_SET_ERR_MSG_MOD(extack, "MTU of the device is below the flit size");
		return ERR_PTR(-EINVAL);
	}
	list_for_each_entry(link, &links, node) {
		if (link->dev == dev) {
			NL_SET_ERR_MSG_MOD(extack, "device carries a link already");
			return ERR_PTR(-EBUSY);
		}
	}
	link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);
	if (!link)
		return ERR_PTR(-ENOMEM);
	link->ops = ops;
	link->owner = owner;
	link->port = port;
	link->flit = flit;
	link->dev = dev;
	err = account_begin(link);
	if (err) {
		NL_SET_ERR_MSG_MOD(extack, "no socket to account the device's flits to");
		kfree(link);
		return ERR_PTR(err);
	}
	/* not charged: the tracker is there for debugging alone */
	netdev_hold(dev, &link->dev_tracker, GFP_KERNEL);
	eth_broadcast_addr(link->peer);
	skb_queue_head_init(&link->txq);
	for (i = 0; i < FC_BAND_COUNT; i++)
		__skb_queue_head_init(&link->wait[i]);
	spin_lock_init(&link->tx_lock);
	link->pt.type = htons(ethertype);
	link->pt.dev = dev;
	link->pt.func = frame_in;
	list_add(&link->node, &links);
	return link;
}

void flitcast_link_start(struct flitcast_link *link)
{
	ASSERT_RTNL();
	dev_add_pack(&link->pt);
	link->ops->carrier(link, flitcast_link_ready(link));
}

void flitcast_link_destroy(struct flitcast_link *link)
{
	int i;

	ASSERT_RTNL();
	list_del(&link->node);
	remove_wait_queue(sk_sleep(link->owner_sock->sk), &link->drained);
	/*
	 * Waits for receivers, the peer's among them, and for transmitters: the owner has let go of
	 * the link, and no device calls for more.
	 */
	dev_remove_pack(&link->pt);
	account_end(link);
	__skb_queue_purge(&link->txq);
	for (i = 0; i < FC_BAND_COUNT; i++)
		__skb_queue_purge(&link->wait[i]);
	netdev_put(link->dev, &link->dev_tracker);
	kfree(link);
}

/* What most heads of frames fit, with what the kernel keeps behind each. */
#define SMALL_HEAD	512

static bool is_small(unsigned int room)
{
	return room <= SKB_WITH_OVERHEAD(SMALL_HEAD);
}

struct sk_buff *flitcast_skb_alloc(unsigned int headroom, unsigned int size)
{
	struct sk_buff *skb = NULL;
	void *head;

	if (is_small(headroom + size)) {
		/* In one go, and of a known size; __alloc_skb() does more than that. */
		head = kmalloc(SMALL_HEAD, GFP_ATOMIC | __GFP_NOMEMALLOC | __GFP_NOWARN);
		if (head)
			skb = napi_build_skb(head, SMALL_HEAD);
		if (skb)
			skb->head_frag = 0;
		else
			kfree(head);
	} else {
		skb = __alloc_skb(headroom + size, GFP_ATOMIC, SKB_ALLOC_NAPI, NUMA_NO_NODE);
	}
	if (skb)
		skb_reserve(skb, headroom);
	return skb;
}

struct sk_buff *flitcast_link_alloc(const struct flitcast_link *link, unsigned int size)
{
	unsigned int headroom = LL_RESERVED_SPACE(link->dev) + FC_LINK_SIZE, room = SMALL_HEAD;
	struct sk_buff *skb;
	void *head;

	if (!is_small(headroom + size))
		room = SKB_DATA_ALIGN(headroom + size) +
		       SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	/* It is soon gone, so it may be a part of a page that others have parts of. */
	head = napi_alloc_frag(room);
	if (!head)
		return NULL;
	skb = napi_build_skb(head, room);
	if (!skb) {
		skb_free_frag(head);
		return NULL;
	}
	skb_reserve(skb, headroom);
	return skb;
}

void flitcast_link_stretch(const struct flitcast_link *link, struct sk_buff *skb)
{
	u32 left = link->flit - FC_LINK_SIZE - skb->len, n;

	for (; left; left -= n) {
		n = min_t(u32, left, PAGE_SIZE);
		get_page(ZERO_PAGE(0));
		skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, ZERO_PAGE(0), 0, n, 0);
	}
}

void flitcast_link_queue(struct flitcast_link *link, struct sk_buff *skb,
			 struct fc_link_hdr *hdr)
{
	hdr->len = skb->len;
	hdr->summed = link->sum || hdr->type == FC_FRAME_HELLO;
	fc_wire_link_encode(skb_push(skb, FC_LINK_SIZE), hdr);
	spin_lock(&link->txq.lock);
	__skb_queue_tail(&link->txq, skb);
	spin_unlock(&link->txq.lock);
}

/* A frame above the MTU: for the device to hand over as it is. */
static void mark_long(struct sk_buff *skb, const struct net_device *dev)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);

	shinfo->gso_type = SKB_GSO_FRAGLIST;
	shinfo->gso_size = READ_ONCE(dev->mtu);
	shinfo->gso_segs = 1;
	/* With none the stack would segment it. */
	skb->ip_summed = CHECKSUM_UNNECESSARY;
}

/* The Ethernet header; false if it cannot be made. */
static bool put_header(const struct flitcast_link *link, struct sk_buff *skb)
{
	struct net_device *dev = link->dev;
	struct ethhdr *eth;

	/* Devices that make another one are upon others. */
	if (!dev->header_ops || dev->header_ops->create != eth_header)
		return dev_hard_header(skb, dev, ethertype, link->peer, dev->dev_addr,
				       skb->len) >= 0;
	if (unlikely(skb_headroom(skb) < ETH_HLEN))
		return false;
	eth = __skb_push(skb, ETH_HLEN);
	ether_addr_copy(eth->h_dest, link->peer);
	ether_addr_copy(eth->h_source, dev->dev_addr);
	eth->h_proto = htons(ethertype);
	return true;
}

/*
 * May a frame be handed to the device as it is?  That is so where dev_queue_xmit() would do no
 * more: no queue, no lock, nobody who listens, filters or redirects, and nothing in the frame
 * that the device does not take.
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

/* See what the device has let go of. */
static void settle(struct flitcast_link *link)
{
	u32 has = held(link);

	if (has == link->had)
		return;
	link->had = has;
	if (link->waiting & ~fc_bit(FC_BAND_CTRL))
		fc_depth_seen(&link->depth, has);
	WRITE_ONCE(link->full, !fc_depth_room(&link->depth, has));
}

/*
 * A flit goes into a queue: of that no more is to wait there than the device needs, because here
 * another one may still go before it.  Not one that the stack may have to cut up.
 */
static void charge(struct flitcast_link *link, struct sk_buff *skb)
{
	if (skb_is_gso(skb))
		return;
	settle(link);
	skb_set_owner_w(skb, link->owner_sock->sk);
	fc_depth_put(&link->depth, skb->truesize);
	link->had += skb->truesize;
	WRITE_ONCE(link->full, !fc_depth_room(&link->depth, link->had));
}

/* @flit: the frame is one, which its data does not tell: a device's header may have any length. */
static bool hand_over(struct flitcast_link *link, struct sk_buff *skb, bool flit)
{
	struct net_device *dev = link->dev;
	struct netdev_queue *txq = netdev_get_tx_queue(dev, 0);
	int err;

	if (!passes(skb, dev, txq)) {
		if (flit && rcu_dereference_bh(txq->qdisc)->enqueue)
			charge(link, skb);
		err = dev_queue_xmit(skb);
		return !net_xmit_eval(err);
	}
	skb_reset_mac_header(skb);
	err = netdev_start_xmit(skb, dev, txq, false);
	if (dev_xmit_complete(err))
		return !net_xmit_eval(err);
	kfree_skb(skb);
	return false;
}

static void transmit(struct flitcast_link *link, struct sk_buff *skb)
{
	struct skb_shared_info *shinfo = skb_shinfo(skb);
	bool flit = skb->data[FC_LINK_TYPE] == FC_FRAME_FLIT;
	struct net_device *dev = link->dev;

	if (unlikely(skb->data[FC_LINK_FLAGS] & FC_LINK_SUMMED))
		fc_wire_link_set_sum(skb->data, frame_sum(skb));
	/* Nothing of the way it came may change the way it goes. */
	skb_scrub_packet(skb, true);
	skb_reset_network_header(skb);
	skb->dev = dev;
	skb->protocol = htons(ethertype);
	skb->priority = TC_PRIO_CONTROL;
	skb->ip_summed = CHECKSUM_NONE;
	/* None of a list of segments, which would be segmented. */
	shinfo->gso_size = 0;
	shinfo->gso_segs = 0;
	shinfo->gso_type = 0;
	if (unlikely(skb->len > READ_ONCE(dev->mtu)))
		mark_long(skb, dev);
	/* One queue, so that frames stay in order. */
	skb_set_queue_mapping(skb, 0);
	if (!put_header(link, skb)) {
		link->stat[FC_LSTAT_TX_DROPPED]++;
		kfree_skb(skb);
		return;
	}
	if (!hand_over(link, skb, flit))
		link->stat[FC_LSTAT_TX_DROPPED]++;
}

void flitcast_link_pass(struct flitcast_link *link, struct sk_buff *skb)
	__releases(&link->tx_lock)
{
	transmit(link, skb);
	spin_unlock(&link->tx_lock);
	smp_mb(); /* as flitcast_link_drain() */
	if (unlikely(!skb_queue_empty_lockless(&link->txq)))
		flitcast_link_drain(link);
}

/* Frames go to where they wait for their turn. */
static noinline void sort(struct flitcast_link *link, struct sk_buff_head *frames)
{
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(frames))) {
		enum fc_band band = fc_band(skb->data[FC_LINK_TYPE], skb->data[FC_LINK_VC],
					    skb->data[FC_LINK_FLAGS]);

		__skb_queue_tail(&link->wait[band], skb);
		link->waiting |= fc_bit(band);
	}
}

/* The next frame that may leave, or NULL. */
static struct sk_buff *next(struct flitcast_link *link)
{
	/* The few frames that are no flits go in any case. */
	u32 may = link->full ? link->waiting & fc_bit(FC_BAND_CTRL) : link->waiting;
	enum fc_band band;
	struct sk_buff *skb;

	if (!may)
		return NULL;
	band = fc_turn_next(&link->turn, may);
	skb = __skb_dequeue(&link->wait[band]);
	if (skb_queue_empty(&link->wait[band]))
		link->waiting &= ~fc_bit(band);
	return skb;
}

/* Transmit in turn as long as the device has room. */
static noinline void in_turn(struct flitcast_link *link, struct sk_buff_head *frames)
{
	struct sk_buff *skb;

	settle(link);
	sort(link, frames);
	while ((skb = next(link)))
		transmit(link, skb);
}

void flitcast_link_drain(struct flitcast_link *link)
{
	struct sk_buff_head frames;
	struct sk_buff *skb;
	bool full;

	__skb_queue_head_init(&frames);

	/*
	 * Who finds the lock taken may go: its holder looks again after it has let go
	 * of it.  What is queued is bounded by the windows.
	 */
	do {
		if (!spin_trylock(&link->tx_lock))
			return;
		spin_lock(&link->txq.lock);
		skb_queue_splice_tail_init(&link->txq, &frames);
		spin_unlock(&link->txq.lock);
		while (!link->full && (skb = __skb_dequeue(&frames)))
			transmit(link, skb);
		if (unlikely(link->full))
			in_turn(link, &frames);
		full = link->full;
		spin_unlock(&link->tx_lock);
		smp_mb(); /* the unlock is seen before the queue is looked at again */
	} while (!skb_queue_empty_lockless(&link->txq) || (full && held(link) != link->had));
}

static int device_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct flitcast_link *link, *found = NULL;

	list_for_each_entry(link, &links, node)
		if (link->dev == dev)
			found = link;
	if (!found)
		return NOTIFY_DONE;
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_CHANGEMTU:
	case NETDEV_FEAT_CHANGE:
		found->ops->carrier(found, flitcast_link_ready(found));
		break;
	case NETDEV_GOING_DOWN:
		found->ops->carrier(found, false);
		break;
	case NETDEV_UNREGISTER:
		found->ops->gone(found);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = {
	.notifier_call = device_event,
};

int flitcast_link_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

void flitcast_link_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
}
