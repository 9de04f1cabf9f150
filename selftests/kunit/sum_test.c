// SPDX-License-Identifier: GPL-2.0
/* Sums of packets, as a target tests them: any damage of a packet of three flits is noticed. */
#include <kunit/test.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include "fabric/site.h"
#include "fabric/sum.h"

#define FLITS	3
/* Data bytes of each flit, the first @LINEAR of them linear; the last flit has fewer. */
#define DATA	200
#define LINEAR	72
#define TOTAL	(FLITS * DATA - 17)
#define SITES	8
/* Port by which the packet came in. */
#define PORT	1

/* Return: the byte at @at of a packet in flits, head included. */
static u8 *byte_at(struct sk_buff_head *flits, u32 at)
{
	struct sk_buff *skb;

	skb_queue_walk(flits, skb) {
		const skb_frag_t *frag = skb_shinfo(skb)->frags;

		if (at < skb_headlen(skb))
			return skb->data + at;
		at -= skb_headlen(skb);
		if (skb_shinfo(skb)->nr_frags && at < skb_frag_size(frag))
			return (u8 *)skb_frag_address(frag) + at;
		at -= skb->data_len;
	}
	return NULL;
}

/* Append a flit with @len bytes of data, and @head bytes before it. */
static void add_flit(struct kunit *test, struct sk_buff_head *flits, u32 head, u32 len)
{
	struct sk_buff *skb = alloc_skb(head + LINEAR, GFP_KERNEL);
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_ASSERT_NOT_NULL(test, page);
	skb_put_zero(skb, head + LINEAR);
	skb_add_rx_frag(skb, 0, page, 100, len - LINEAR, PAGE_SIZE);
	__skb_queue_tail(flits, skb);
}

/* Make a packet for @n targets.  Return: bytes of its head. */
static u32 make(struct kunit *test, struct sk_buff_head *flits, u32 n)
{
	const struct fc_packet pk = {
		.src = 1, .incarnation = 0x12345678, .sock = 3, .src_port = 4, .ntargets = n,
		.id = 5, .msg_len = TOTAL, .flags = FC_PACKET_LIST,
	};
	const struct fc_target t = { .port = 6, .seq = 7 };
	static const u32 site[] = { 1, 2, 3, 4, 6, 7 };
	u8 head[FC_PACKET_SIZE + SITES * FC_TARGET_SIZE];
	u32 size, at, crc = 0;

	fc_wire_packet_encode(head, &pk);
	size = fc_wire_sites_encode(head, &t, site, n);
	add_flit(test, flits, size, DATA);
	add_flit(test, flits, 0, DATA);
	add_flit(test, flits, 0, TOTAL - 2 * DATA);
	for (at = 0; at < TOTAL; at++) {
		u8 *byte = byte_at(flits, size + at);

		*byte = at * 7 + 1;
		crc = flitcast_crc(crc, byte, 1);
	}
	fc_wire_set_sum(head, crc);
	memcpy(skb_peek(flits)->data, head, size);
	return size;
}

/* Do sites in transit change these bits of byte @at of a head? */
static bool may_change(u32 at, u8 bits)
{
	return at == FC_AT_HOPS || at == FC_AT_HOPS + 1 ||
	       (at == FC_AT_FLAGS && bits == FC_PACKET_APART);
}

/* Do sites take a head for one that contradicts itself? */
static bool refused(const u8 *head, u32 size)
{
	return fc_wire_head_size(head, size) != size ||
	       !fc_wire_head_check(head, FC_PART_HEAD, size, SITES);
}

/* Flip the bits of @mask from byte @at on.  Return: false: none of them is covered. */
static bool flip(struct sk_buff_head *flits, u32 at, u32 mask)
{
	bool covered = false;
	u8 *byte;

	for (; mask; mask >>= 8, at++) {
		byte = byte_at(flits, at);
		if (!byte)
			return false;
		*byte ^= mask;
		covered |= !may_change(at, mask);
	}
	return covered;
}

/* Single bits, and bursts of four bytes, at each place of a packet: its target takes none. */
static void sum_notices_damage(struct kunit *test)
{
	/* 0: a random one. */
	static const u32 masks[] = { 1, 2, 4, 8, 16, 32, 64, 128, 0 };
	struct flitcast_site *site = kunit_kzalloc(test, struct_size(site, end, PORT + 1),
						   GFP_KERNEL);
	struct sk_buff_head flits;
	u32 n, at, i, size, mask, tested = 0;

	KUNIT_ASSERT_NOT_NULL(test, site);
	site->cfg.integrity = true;
	site->node.nports = PORT + 1;
	for (n = 1; n <= 6; n += 5) {
		__skb_queue_head_init(&flits);
		size = make(test, &flits, n);
		KUNIT_ASSERT_TRUE(test, flitcast_sum_test(site, &flits, PORT));
		for (at = 0; at < size + TOTAL; at++) {
			for (i = 0; i < ARRAY_SIZE(masks); i++) {
				mask = masks[i] ?: get_random_u32() | 1;
				if (flip(&flits, at, mask) &&
				    (at >= size || !refused(skb_peek(&flits)->data, size))) {
					if (flitcast_sum_test(site, &flits, PORT))
						KUNIT_FAIL(test, "mask %x at %u", mask, at);
					tested++;
				}
				flip(&flits, at, mask);
			}
		}
		KUNIT_EXPECT_TRUE(test, flitcast_sum_test(site, &flits, PORT));
		__skb_queue_purge(&flits);
	}
	/* All data, of both packets. */
	KUNIT_EXPECT_GE(test, tested, 2U * 8 * TOTAL);
}

/* Without sums any packet passes. */
static void sum_off(struct kunit *test)
{
	struct flitcast_site *site = kunit_kzalloc(test, struct_size(site, end, PORT + 1),
						   GFP_KERNEL);
	struct sk_buff_head flits;

	KUNIT_ASSERT_NOT_NULL(test, site);
	__skb_queue_head_init(&flits);
	make(test, &flits, 1);
	*byte_at(&flits, 300) ^= 1;
	KUNIT_EXPECT_TRUE(test, flitcast_sum_test(site, &flits, PORT));
	__skb_queue_purge(&flits);
}

/* Checksums that locate damage end; those that an end has asked for do not. */
static void sum_of_link_ends(struct kunit *test)
{
	struct flitcast_link_sum sum = { 0 };

	KUNIT_EXPECT_FALSE(test, flitcast_link_summed(&sum));
	flitcast_link_sum_locate(&sum);
	KUNIT_EXPECT_TRUE(test, flitcast_link_summed(&sum));
	sum.until = get_jiffies_64();
	KUNIT_EXPECT_FALSE(test, flitcast_link_summed(&sum));
	sum.always = true;
	KUNIT_EXPECT_TRUE(test, flitcast_link_summed(&sum));
}

static struct kunit_case sum_cases[] = {
	KUNIT_CASE(sum_notices_damage),
	KUNIT_CASE(sum_off),
	KUNIT_CASE(sum_of_link_ends),
	{}
};

static struct kunit_suite sum_suite = {
	.name = "flitcast-sum",
	.test_cases = sum_cases,
};

kunit_test_suites(&sum_suite);
