// SPDX-License-Identifier: GPL-2.0
/* Codes of frames: frames put on one end of a link and taken from the other, in any order. */
#include <linux/random.h>
#include <linux/slab.h>
#include <kunit/test.h>
#include "core/wire/wire_link.h"
#include "link/link.h"

#define FRAMES		180
#define EPOCH		0x1234
#define HEADROOM	(FC_LINK_SIZE + FC_CODE_SIZE)
#define PAYLOAD		FC_STATUS_SIZE

/**
 * struct ends - the two ends of a link
 * @from: transmits
 * @to: receives
 * @frame: frames transmitted, with their codes
 * @plain: the bytes of these without
 */
struct ends {
	struct flitcast_link *from;
	struct flitcast_link *to;
	struct sk_buff *frame[FRAMES];
	u8 plain[FRAMES][FC_LINK_SIZE + PAYLOAD];
};

/* The link comes up with keys that begin with @key. */
static void come_up(struct ends *ends, u8 key)
{
	u8 keys[FLITCAST_CODE_KEYS] = { key };

	local_bh_disable();
	flitcast_code_begin(ends->from, keys, keys, EPOCH, EPOCH);
	flitcast_code_begin(ends->to, keys, keys, EPOCH, EPOCH);
	local_bh_enable();
}

/* Frames in turn: of the high class, other flits, control. */
static struct sk_buff *make(struct kunit *test, unsigned int i)
{
	static const u8 types[] = { FC_FRAME_FLIT, FC_FRAME_FLIT, FC_FRAME_STATUS };
	static const u8 sets[] = { FC_SET_HIGH, FC_SET_BULK, FC_SET_BULK };
	struct fc_link_hdr hdr = {
		.type = types[i % 3], .vc = fc_set_vc(sets[i % 3]), .len = PAYLOAD,
		.flags = i % 3 < 2 ? FC_PART_TERM : 0, .epoch = EPOCH, .seq = i, .ack = 2 * i,
	};
	struct sk_buff *skb = alloc_skb(HEADROOM + PAYLOAD, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, HEADROOM);
	get_random_bytes(skb_put(skb, PAYLOAD), PAYLOAD);
	fc_wire_link_encode(skb_push(skb, FC_LINK_SIZE), &hdr);
	return skb;
}

static void transmit(struct kunit *test, struct ends *ends)
{
	unsigned int i;

	for (i = 0; i < FRAMES; i++) {
		kfree_skb(ends->frame[i]);
		ends->frame[i] = make(test, i);
		memcpy(ends->plain[i], ends->frame[i]->data, sizeof(ends->plain[i]));
		local_bh_disable();
		KUNIT_EXPECT_TRUE(test, flitcast_code_put(ends->from, ends->frame[i]));
		local_bh_enable();
	}
}

/* Receive a copy of a frame with a bit changed; -1: as it is.  Return: true if it was taken. */
static bool take(struct kunit *test, struct ends *ends, unsigned int i, int bit)
{
	struct sk_buff *skb = skb_copy(ends->frame[i], GFP_KERNEL);
	bool taken;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	if (bit >= 0)
		skb->data[bit / 8] ^= 1 << bit % 8;
	local_bh_disable();
	taken = flitcast_code_take(ends->to, skb);
	local_bh_enable();
	if (!taken)
		return false;
	KUNIT_EXPECT_EQ(test, (unsigned int)sizeof(ends->plain[i]), skb->len);
	KUNIT_EXPECT_EQ(test, 0, memcmp(ends->plain[i], skb->data, skb->len));
	kfree_skb(skb);
	return true;
}

/*
 * Receive all frames: one group after the other, as devices with priorities send them, and the
 * frames of a group in pairs, the second one first.  Return: number of frames taken.
 */
static unsigned int take_all(struct kunit *test, struct ends *ends)
{
	unsigned int group, i, n = 0;

	for (group = 0; group < 3; group++) {
		for (i = group; i < FRAMES; i += 6) {
			n += take(test, ends, i + 3, -1);
			n += take(test, ends, i, -1);
		}
	}
	return n;
}

static void any_order_once(struct kunit *test)
{
	struct ends *ends = test->priv;

	come_up(ends, 1);
	transmit(test, ends);
	KUNIT_EXPECT_EQ(test, (unsigned int)FRAMES, take_all(test, ends));
	KUNIT_EXPECT_EQ(test, 0U, take_all(test, ends));
}

static void damaged(struct kunit *test)
{
	struct ends *ends = test->priv;
	unsigned int i;
	int bit, bits;

	come_up(ends, 2);
	transmit(test, ends);
	for (i = 0; i < 3; i++) {
		/* The sum of the link header and the payload of a flit have no code. */
		bits = 8 * (FC_LINK_SIZE + FC_CODE_SIZE + (i == 2 ? PAYLOAD : 0));
		for (bit = 0; bit < bits; bit++) {
			if (bit / 8 >= FC_LINK_SUM && bit / 8 < FC_LINK_SIZE)
				continue;
			/* A HELLO has another code, which is checked elsewhere. */
			if (bit / 8 == FC_LINK_TYPE &&
			    ((ends->plain[i][FC_LINK_TYPE] ^ 1 << bit % 8) == FC_FRAME_HELLO))
				continue;
			KUNIT_EXPECT_FALSE_MSG(test, take(test, ends, i, bit), "frame %u, bit %d",
					       i, bit);
		}
		KUNIT_EXPECT_TRUE(test, take(test, ends, i, -1));
	}
}

static void another_life(struct kunit *test)
{
	struct ends *ends = test->priv;

	come_up(ends, 3);
	transmit(test, ends);
	come_up(ends, 4);
	KUNIT_EXPECT_EQ(test, 0U, take_all(test, ends));
	local_bh_disable();
	flitcast_code_end(ends->to);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, 0U, take_all(test, ends));
}

/* The low bits of numbers wrap, and do not come again. */
static void numbers_wrap(struct kunit *test)
{
	struct ends *ends = test->priv;
	const u64 at = BIT_ULL(32) - FRAMES / 2;
	unsigned int i, n = 0;

	come_up(ends, 5);
	ends->from->code.tx.number = at;
	ends->to->code.rx.number = at;
	for (i = 0; i < FLITCAST_CODE_GROUPS; i++)
		ends->to->code.rx.window[i].number = at;
	transmit(test, ends);
	for (i = 0; i < FRAMES; i++)
		n += take(test, ends, i, -1);
	KUNIT_EXPECT_EQ(test, (unsigned int)FRAMES, n);
	KUNIT_EXPECT_EQ(test, BIT_ULL(32) + FRAMES / 2, ends->to->code.rx.number);
	/* Numbers with the same low bits, 2^32 frames later. */
	ends->to->code.rx.number += BIT_ULL(32);
	KUNIT_EXPECT_EQ(test, 0U, take_all(test, ends));
}

static int begin(struct kunit *test)
{
	struct ends *ends = kunit_kzalloc(test, sizeof(*ends), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ends);
	ends->from = kunit_kzalloc(test, sizeof(*ends->from), GFP_KERNEL);
	ends->to = kunit_kzalloc(test, sizeof(*ends->to), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ends->from);
	KUNIT_ASSERT_NOT_NULL(test, ends->to);
	flitcast_code_init(&ends->from->code, true);
	flitcast_code_init(&ends->to->code, true);
	test->priv = ends;
	return 0;
}

static void end(struct kunit *test)
{
	struct ends *ends = test->priv;
	unsigned int i;

	for (i = 0; ends && i < FRAMES; i++)
		kfree_skb(ends->frame[i]);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(any_order_once),
	KUNIT_CASE(damaged),
	KUNIT_CASE(another_life),
	KUNIT_CASE(numbers_wrap),
	{ }
};

static struct kunit_suite suite = {
	.name = "code", .init = begin, .exit = end, .test_cases = cases,
};

kunit_test_suites(&suite);
