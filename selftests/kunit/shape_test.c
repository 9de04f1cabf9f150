// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of a site's network device whose flits arrive as skbs of any shape: the cable replaces
 * each flit by a tree of skbs with the same bytes.  The stack gets the same frame, in few
 * fragments.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include <net/sch_generic.h>
#include "core/wire/names.h"
#include "ether/ether.h"
#include "selftests/kunit/double.h"

#define HEAD		(ETH_HLEN + sizeof(struct iphdr) + sizeof(struct tcphdr))
#define FRAME_MAX	65000
#define GSO_SIZE	1400
/* Source address of the frames of this test. */
#define SOURCE		0xc0000201
/* As long as a frame takes on a slow machine. */
#define SOON		(20 * HZ)
/*
 * A link that is silent for seconds, on a machine that stops for that long, goes down, and loses
 * the frames of a network device: they are sent again.
 */
#define TRIES		5

/**
 * struct shape - what each flit becomes
 * @name: for messages
 * @head: bytes of each skb that are linear, besides the Ethernet header
 * @frags: fragments of the rest, of a page each
 * @members: of the fragment list
 * @depth: of nested lists
 * @empty: members without data stand between the others, and at the end
 * @head_frag: linear data is in a page fragment
 * @cloned: each frame has a clone
 * @shared: each frame has another owner
 */
struct shape {
	const char *name;
	unsigned int head;
	unsigned int frags;
	unsigned int members;
	unsigned int depth;
	bool empty;
	bool head_frag;
	bool cloned;
	bool shared;
};

static const struct shape shapes[] = {
	{ .name = "linear", .head = 65535 },
	{ .name = "linear in a page fragment", .head = 65535, .head_frag = true },
	{ .name = "pages", .frags = 1 },
	{ .name = "small pages", .frags = 15 },
	{ .name = "a few linear bytes", .head = 100, .frags = 2 },
	{ .name = "linear, cloned", .head = 65535, .cloned = true },
	{ .name = "pages, cloned", .frags = 3, .cloned = true },
	{ .name = "pages, shared", .frags = 3, .shared = true },
	{ .name = "linear, shared", .head = 65535, .shared = true },
	{ .name = "a list", .head = 65535, .members = 1, .depth = 1 },
	{ .name = "a list of pages", .frags = 2, .members = 3, .depth = 1 },
	{ .name = "a list, cloned", .head = 40, .frags = 1, .members = 2, .depth = 1,
	  .cloned = true },
	{ .name = "a list, shared", .head = 40, .frags = 1, .members = 2, .depth = 1,
	  .shared = true },
	{ .name = "nested lists", .head = 65535, .members = 2, .depth = 3 },
	{ .name = "nested lists of pages", .head = 10, .frags = 2, .members = 2, .depth = 3,
	  .head_frag = true, .cloned = true },
	{ .name = "a list with empty members", .frags = 1, .members = 2, .depth = 2,
	  .empty = true },
	{ .name = "only empty members", .frags = 2, .depth = 1, .empty = true },
	{ .name = "only empty members, cloned", .head = 65535, .depth = 1, .empty = true,
	  .cloned = true },
};

static struct net_device *dev[2], *fc[2];
static const struct shape *shape;
/* Clones of the frames of the cable, and other owners. */
static struct sk_buff_head held;
static struct sk_buff_head arrived;
static struct completion arrival;
static u8 *sent, *got;

/*
 * Trees.
 */

/* Return: an skb with the bytes, @head of them linear; NULL: no memory. */
static struct sk_buff *leaf(const u8 *data, unsigned int len, unsigned int head)
{
	unsigned int room = SKB_DATA_ALIGN(NET_SKB_PAD + head) +
			    SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	unsigned int part, i;
	struct sk_buff *skb;

	head = min(head, len);
	if (shape->head_frag && room <= PAGE_SIZE) {
		void *buffer = netdev_alloc_frag(room);

		skb = buffer ? build_skb(buffer, room) : NULL;
	} else {
		skb = alloc_skb(NET_SKB_PAD + head, GFP_ATOMIC);
	}
	if (!skb)
		return NULL;
	skb_reserve(skb, NET_SKB_PAD);
	skb_put_data(skb, data, head);
	data += head;
	len -= head;
	part = DIV_ROUND_UP(len, max(shape->frags, 1U));
	for (i = 0; len; i++, data += part, len -= part) {
		struct page *page = alloc_page(GFP_ATOMIC);

		part = min(part, len);
		if (!page) {
			kfree_skb(skb);
			return NULL;
		}
		memcpy(page_address(page) + 64, data, part);
		skb_add_rx_frag(skb, i, page, 64, part, PAGE_SIZE);
	}
	return skb;
}

/* Append a member to the list of an skb, which ends at *@last. */
static void add_member(struct sk_buff *skb, struct sk_buff ***last, struct sk_buff *member)
{
	if (!member)
		return;
	**last = member;
	*last = &member->next;
	skb->len += member->len;
	skb->data_len += member->len;
	skb->truesize += member->truesize;
}

/* The recursion ends at the depth of the shape. */
static struct sk_buff *tree(const u8 *data, unsigned int len, unsigned int head,
			    unsigned int depth)
{
	unsigned int members = depth ? shape->members : 0, part = len / (members + 1), i;
	struct sk_buff *skb, **last;

	part = members ? max(part, min(head, len)) : len;
	skb = leaf(data, part, head);
	if (!skb)
		return NULL;
	last = &skb_shinfo(skb)->frag_list;
	for (i = 1; i <= members; i++) {
		data += part;
		len -= part;
		part = i == members ? len : len / (members - i + 1);
		if (shape->empty)
			add_member(skb, &last, leaf(data, 0, 0));
		if (part)
			add_member(skb, &last, tree(data, part, shape->head, depth - 1));
	}
	if (depth && shape->empty)
		add_member(skb, &last, leaf(data, 0, 0));
	return skb;
}

/* Replace a frame of the cable.  A frame for which there is no memory is lost. */
static struct sk_buff *reshape(struct sk_buff *skb)
{
	struct net_device *from = skb->dev;
	unsigned int len = skb->len;
	u8 *data = kmalloc(len, GFP_ATOMIC);
	struct sk_buff *new = NULL;

	if (data && !skb_copy_bits(skb, 0, data, len))
		new = tree(data, len, ETH_HLEN + min(shape->head, len), shape->depth);
	kfree(data);
	consume_skb(skb);
	if (new && new->len != len) {
		kfree_skb(new);
		return NULL;
	}
	if (new)
		new->dev = from;
	if (new && shape->cloned) {
		struct sk_buff *clone = skb_clone(new, GFP_ATOMIC);

		if (clone)
			skb_queue_tail(&held, clone);
	}
	if (new && shape->shared) {
		/* The queue of the CPU has the links of the skb itself. */
		struct sk_buff *note = alloc_skb(0, GFP_ATOMIC);

		if (note) {
			*(struct sk_buff **)note->cb = skb_get(new);
			skb_queue_tail(&held, note);
		}
	}
	return new;
}

static void release_held(void)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&held))) {
		if (shape->shared)
			kfree_skb(*(struct sk_buff **)skb->cb);
		kfree_skb(skb);
	}
}

/*
 * Frames.
 */

/* Packets of TCP that fc[1] passes to the stack. */
static int packet_in(struct sk_buff *skb, struct net_device *device, struct packet_type *pt,
		     struct net_device *orig)
{
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NET_RX_DROP;
	if (pskb_may_pull(skb, sizeof(struct iphdr)) && ip_hdr(skb)->saddr == htonl(SOURCE)) {
		skb_queue_tail(&arrived, skb);
		complete(&arrival);
	} else {
		kfree_skb(skb);
	}
	return NET_RX_SUCCESS;
}

static struct packet_type packets = {
	.type = htons(ETH_P_IP),
	.func = packet_in,
};

/* Fill @sent with a frame of @len bytes. */
static void make_frame(unsigned int len)
{
	struct ethhdr *eth = (struct ethhdr *)sent;
	struct iphdr *ip = (struct iphdr *)(eth + 1);
	struct tcphdr *tcp = (struct tcphdr *)(ip + 1);
	unsigned int i;

	for (i = 0; i < len; i++)
		sent[i] = i + i / 251;
	memcpy(eth->h_dest, fc[1]->dev_addr, ETH_ALEN);
	memcpy(eth->h_source, fc[0]->dev_addr, ETH_ALEN);
	eth->h_proto = htons(ETH_P_IP);
	*ip = (struct iphdr) {
		.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP,
		.tot_len = htons(len - ETH_HLEN), .saddr = htonl(SOURCE),
		.daddr = htonl(SOURCE + 1),
	};
	ip_send_check(ip);
	*tcp = (struct tcphdr) { .doff = sizeof(*tcp) / 4, .ack = 1 };
}

/* Make an skb of @sent, GSO if it has several segments of the size.  Return: NULL: no memory. */
static struct sk_buff *frame(unsigned int len, unsigned int gso_size)
{
	struct sk_buff *skb = alloc_skb(LL_MAX_HEADER + len, GFP_KERNEL);

	if (!skb)
		return NULL;
	skb_reserve(skb, LL_MAX_HEADER);
	skb_put_data(skb, sent, len);
	skb->dev = fc[0];
	skb->protocol = htons(ETH_P_IP);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb_set_transport_header(skb, ETH_HLEN + sizeof(struct iphdr));
	if (len - HEAD > gso_size) {
		skb->ip_summed = CHECKSUM_PARTIAL;
		skb->csum_start = skb_transport_header(skb) - skb->head;
		skb->csum_offset = offsetof(struct tcphdr, check);
		skb_shinfo(skb)->gso_type = SKB_GSO_TCPV4;
		skb_shinfo(skb)->gso_size = gso_size;
		skb_shinfo(skb)->gso_segs = DIV_ROUND_UP(len - HEAD, gso_size);
	}
	return skb;
}

static bool send(unsigned int len)
{
	struct sk_buff *skb = frame(len, GSO_SIZE);

	return skb && !dev_queue_xmit(skb);
}

/* Are the bytes of @skb those of @sent from byte @at on? */
static bool equals(const struct sk_buff *skb, unsigned int off, unsigned int at)
{
	unsigned int len = skb->len - off;

	return at + len <= FRAME_MAX && !skb_copy_bits(skb, off, got, len) &&
	       !memcmp(got, sent + at, len);
}

/* Segment a frame, at its Ethernet header, as for a device that has pages but no offloads. */
static void segment(struct kunit *test, struct sk_buff *skb)
{
	struct sk_buff *segments, *next;
	unsigned int at = HEAD;

	if (!skb_is_gso(skb))
		return;
	segments = skb_gso_segment(skb, NETIF_F_SG);
	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR_OR_NULL(segments), "%s: segment", shape->name);
	skb_list_walk_safe(segments, segments, next) {
		KUNIT_EXPECT_TRUE_MSG(test, equals(segments, HEAD, at), "%s: segment at %u",
				      shape->name, at);
		at += segments->len - HEAD;
		kfree_skb(segments);
	}
	KUNIT_EXPECT_EQ_MSG(test, skb->len, at, "%s: bytes of segments", shape->name);
}

/* Print what the links of the line have counted. */
static void print_counters(struct kunit *test)
{
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		struct flitcast_site *site = flitcast_site_get(&init_net, i);
		u64 values[FC_LSTAT_COUNT] = { };

		flitcast_link_stats(site, i ? 2 : 1, values);
		flitcast_site_put(site);
		for (k = 0; k < FC_LSTAT_COUNT; k++)
			if (values[k])
				kunit_info(test, "site %u: %s %llu", i, fc_link_stat_name(k),
					   values[k]);
	}
}

/* Check the frame that the stack got.  Takes @skb. */
static void check(struct kunit *test, struct sk_buff *skb, unsigned int len)
{
	skb_push(skb, ETH_HLEN);
	KUNIT_EXPECT_EQ_MSG(test, len, skb->len, "%s", shape->name);
	KUNIT_EXPECT_TRUE_MSG(test, equals(skb, HEAD, HEAD), "%s: %u", shape->name, len);
	KUNIT_EXPECT_FALSE_MSG(test, skb_has_frag_list(skb), "%s: %u", shape->name, len);
	KUNIT_EXPECT_LE_MSG(test, (unsigned int)skb_shinfo(skb)->nr_frags,
			    (unsigned int)MAX_SKB_FRAGS, "%s: %u", shape->name, len);
	KUNIT_EXPECT_EQ_MSG(test, len - HEAD > GSO_SIZE, skb_is_gso(skb), "%s: %u", shape->name,
			    len);
	segment(test, skb);
	KUNIT_EXPECT_EQ_MSG(test, 0, skb_linearize(skb), "%s: %u", shape->name, len);
	KUNIT_EXPECT_TRUE_MSG(test, equals(skb, HEAD, HEAD), "%s: %u, linear", shape->name, len);
	kfree_skb(skb);
}

/* Does the device of a site transmit?  The carrier takes some time to tell. */
static bool transmits(const struct net_device *device)
{
	unsigned long until = jiffies + DOUBLE_SOON;

	while (qdisc_tx_is_noop(device) && time_before(jiffies, until))
		msleep(20);
	return !qdisc_tx_is_noop(device);
}

/* Send a frame until it arrives; frames of other lengths are late.  Return: NULL: it is lost. */
static struct sk_buff *through(struct kunit *test, unsigned int len)
{
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		if (!transmits(fc[0]) || !send(len))
			continue;
		while (wait_for_completion_timeout(&arrival, SOON)) {
			skb = skb_dequeue(&arrived);
			if (skb->len == len - ETH_HLEN)
				return skb;
			kfree_skb(skb);
		}
		kunit_info(test, "%s: %u bytes are lost", shape->name, len);
		print_counters(test);
	}
	return NULL;
}

static void run_shape(struct kunit *test)
{
	static const unsigned int lengths[] = { 60, 1400, 1500, 4000, 20000, FRAME_MAX };
	unsigned int i;

	WRITE_ONCE(double_reshape, reshape);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct sk_buff *skb;

		make_frame(lengths[i]);
		skb = through(test, lengths[i]);
		if (!skb) {
			KUNIT_FAIL(test, "%s: %u bytes are lost each time", shape->name,
				   lengths[i]);
			break;
		}
		/* RCU: the segmentation is of the stack's. */
		local_bh_disable();
		check(test, skb, lengths[i]);
		local_bh_enable();
	}
	WRITE_ONCE(double_reshape, NULL);
	/* The cable uses no shape from here on. */
	synchronize_net();
	release_held();
}

/*
 * Network devices.
 */

static int ether_add(u32 id)
{
	struct flitcast_site *site = flitcast_site_get(&init_net, id);
	int err;

	fc[id] = alloc_netdev_mqs(sizeof(struct flitcast_ether), "kunitfc%d", NET_NAME_UNKNOWN,
				  flitcast_ether_setup, flitcast_ether_queues(), 1);
	if (!fc[id]) {
		flitcast_site_put(site);
		return -ENOMEM;
	}
	rtnl_lock();
	err = flitcast_ether_add(site, fc[id], NULL);
	if (err)
		free_netdev(fc[id]);
	else
		err = dev_open(fc[id], NULL);
	rtnl_unlock();
	flitcast_site_put(site);
	return err;
}

static int begin(struct kunit *test)
{
	skb_queue_head_init(&held);
	skb_queue_head_init(&arrived);
	init_completion(&arrival);
	sent = kunit_kmalloc(test, FRAME_MAX, GFP_KERNEL);
	got = kunit_kmalloc(test, FRAME_MAX, GFP_KERNEL);
	packets.dev = NULL;
	return sent && got ? 0 : -ENOMEM;
}

static void end(struct kunit *test)
{
	if (packets.dev)
		dev_remove_pack(&packets);
	double_line_end(dev);
	skb_queue_purge(&arrived);
}

static void frames_of_any_shape_arrive(struct kunit *test)
{
	unsigned int i;

	double_line(test, dev);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, 0, ether_add(i));
	packets.dev = fc[1];
	dev_add_pack(&packets);
	KUNIT_ASSERT_TRUE(test, transmits(fc[0]));
	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		shape = &shapes[i];
		run_shape(test);
	}
}

/*
 * Another site chooses the length of segments, for which the own stack makes packets.  Its MTU may
 * be above the one here.
 */
static void segments_are_not_short(struct kunit *test)
{
	static const unsigned int sizes[] = { 1, FLITCAST_GSO_MIN - 1, 1501 };
	const struct flitcast_ether *ether;
	unsigned int i;

	double_line(test, dev);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, 0, ether_add(i));
	packets.dev = fc[1];
	dev_add_pack(&packets);
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, 0, dev_set_mtu(fc[1], 1500));
	rtnl_unlock();
	KUNIT_ASSERT_TRUE(test, transmits(fc[0]));
	ether = netdev_priv(fc[1]);
	make_frame(4000);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct sk_buff *skb = frame(4000, sizes[i]);

		KUNIT_ASSERT_NOT_NULL(test, skb);
		/* Past the stack, which segments them. */
		rcu_read_lock_bh();
		fc[0]->netdev_ops->ndo_start_xmit(skb, fc[0]);
		rcu_read_unlock_bh();
	}
	KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(&arrival, SOON));
	/* Frames keep their order: the two before it do not come. */
	KUNIT_ASSERT_EQ(test, 1U, skb_queue_len(&arrived));
	KUNIT_EXPECT_EQ(test, 4000U - ETH_HLEN, skb_peek(&arrived)->len);
	KUNIT_EXPECT_EQ(test, 1501, (int)skb_shinfo(skb_peek(&arrived))->gso_size);
	KUNIT_EXPECT_EQ(test, 2L, atomic_long_read(&ether->stat[FLITCAST_ETHER_RX_HEADER]));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(segments_are_not_short),
	KUNIT_CASE(frames_of_any_shape_arrive),
	{ }
};

static struct kunit_suite suite = {
	.name = "shape", .suite_init = double_begin, .suite_exit = double_end,
	.init = begin, .exit = end, .test_cases = cases,
};

kunit_test_suites(&suite);
