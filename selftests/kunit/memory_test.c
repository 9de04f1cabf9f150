// SPDX-License-Identifier: GPL-2.0
/* Copies of flits that a device received in more memory than a site reserves. */
#include <kunit/test.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include "link/memory.h"

/* A flit of @len bytes, a few of them linear, with pages of which it uses a part. */
static struct sk_buff *fat(struct kunit *test, const u8 *bytes, unsigned int len)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);
	unsigned int at = min(len, 40U), part, i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_data(skb, bytes, at);
	for (i = 0; at < len; i++, at += part) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);

		KUNIT_ASSERT_NOT_NULL(test, page);
		part = min(len - at, DIV_ROUND_UP(len, 8));
		memcpy(page_address(page) + 24, bytes + at, part);
		skb_add_rx_frag(skb, i, page, 24, part, PAGE_SIZE << 2);
	}
	return skb;
}

static void copies_have_the_same_bytes(struct kunit *test)
{
	static const unsigned int lengths[] = { 24, 64, 1500, 3071, 3072, 3073, 4096, 9000, 65535 };
	u8 *bytes = kunit_kmalloc(test, 65535, GFP_KERNEL);
	u8 *got = kunit_kmalloc(test, 65535, GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_TRUE(test, bytes && got);
	get_random_bytes(bytes, 65535);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		unsigned int len = lengths[i];
		struct sk_buff *skb = fat(test, bytes, len), *copy;

		local_bh_disable();
		copy = flitcast_flit_copy(skb);
		local_bh_enable();
		KUNIT_ASSERT_NOT_NULL(test, copy);
		KUNIT_EXPECT_EQ(test, len, copy->len);
		KUNIT_EXPECT_LE(test, skb_headlen(copy),
				(unsigned int)(skb_tail_pointer(copy) - copy->data));
		KUNIT_EXPECT_EQ(test, 0, skb_copy_bits(copy, 0, got, len));
		KUNIT_EXPECT_EQ_MSG(test, 0, memcmp(bytes, got, len), "%u bytes", len);
		KUNIT_EXPECT_LE_MSG(test, copy->truesize, flitcast_flit_memory(len), "%u bytes",
				    len);
		KUNIT_EXPECT_EQ(test, 0, skb_linearize(copy));
		KUNIT_EXPECT_EQ_MSG(test, 0, memcmp(bytes, copy->data, len), "%u bytes, linear",
				    len);
		kfree_skb(copy);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(copies_have_the_same_bytes),
	{ }
};

static struct kunit_suite memory_suite = {
	.name = "flitcast-memory",
	.test_cases = cases,
};

kunit_test_suite(memory_suite);
