// SPDX-License-Identifier: GPL-2.0
/*
 * A message being sent: its memory.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <uapi/linux/flitcast.h>
#include "site/tx.h"

static_assert(sizeof(struct flitcast_msg) <= FLITCAST_MSG_SIZE);
static_assert(sizeof(struct tx_target) <= FLITCAST_MSG_TARGET);

/* Pages of data are together in so many at most (32 KiB): each lot is one fragment of a flit. */
#define LOT_ORDER	3

/* As many pages together as are still wanted, but none that are not; one, if there are no more. */
static struct page *lot_alloc(unsigned int want, gfp_t gfp, unsigned int *order)
{
	gfp_t easily = (gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY;
	struct page *lot;

	for (*order = min_t(unsigned int, ilog2(want), LOT_ORDER); *order; --*order) {
		lot = alloc_pages(easily, *order);
		if (lot)
			return lot;
	}
	return alloc_page(gfp);
}

static bool pages_alloc(struct flitcast_msg *msg, gfp_t gfp)
{
	unsigned int order, i = 0, n;
	struct page *lot;

	while (i < msg->npages) {
		lot = lot_alloc(msg->npages - i, gfp, &order);
		if (!lot)
			return false;
		for (n = 0; n < 1U << order; n++)
			msg->page[i++] = lot + n;
	}
	return true;
}

/* All but the pages, for which there is a list of @npages. */
static struct flitcast_msg *msg_make(u32 len, u32 ndests, unsigned int npages, gfp_t gfp)
{
	struct flitcast_msg *msg = kzalloc(sizeof(*msg), gfp);

	if (!msg)
		return NULL;
	refcount_set(&msg->refs, 1);
	INIT_LIST_HEAD(&msg->site_node);
	INIT_LIST_HEAD(&msg->ready);
	INIT_LIST_HEAD(&msg->source_node);
	msg->len = len;
	msg->due = FC_NEVER;
	msg->ntargets = ndests;
	msg->target = ndests == 1 ? &msg->one : kvcalloc(ndests, sizeof(*msg->target), gfp);
	msg->npages = npages;
	if (msg->npages)
		msg->page = msg->npages <= ARRAY_SIZE(msg->few) ? msg->few :
			    kvcalloc(msg->npages, sizeof(*msg->page), gfp);
	if (msg->target && (msg->page || !msg->npages))
		return msg;
	flitcast_msg_free(msg);
	return NULL;
}

struct flitcast_msg *flitcast_msg_alloc(u32 len, u32 ndests, gfp_t gfp)
{
	unsigned int npages = len > FLITCAST_MSG_SMALL ? DIV_ROUND_UP(len, PAGE_SIZE) : 0;
	struct flitcast_msg *msg = msg_make(len, ndests, npages, gfp);

	if (!msg || pages_alloc(msg, gfp))
		return msg;
	flitcast_msg_free(msg);
	return NULL;
}

/* The pages of the program that the data is in: they have to follow each other. */
static bool pin(struct flitcast_msg *msg, struct iov_iter *from)
{
	unsigned int n = 0, room = msg->npages;
	u32 left = msg->len;

	while (left) {
		size_t start;
		ssize_t got;

		if (n == room)
			return false;
		got = iov_iter_get_pages2(from, msg->page + n, left, room - n, &start);
		if (got <= 0)
			return false;
		if (n && start)
			return false;
		if (!n)
			msg->start = start;
		n += DIV_ROUND_UP(start + got, PAGE_SIZE);
		left -= got;
		if (left && offset_in_page(start + got))
			return false;
	}
	msg->npages = n;
	return true;
}

struct flitcast_msg *flitcast_msg_pin(u32 len, u32 ndests, struct iov_iter *from,
				      struct ubuf_info *held, gfp_t gfp)
{
	struct flitcast_msg *msg = msg_make(len, ndests, DIV_ROUND_UP(len, PAGE_SIZE) + 1, gfp);
	struct iov_iter before = *from;

	if (!msg)
		return NULL;
	msg->held = held;
	net_zcopy_get(held);
	if (pin(msg, from))
		return msg;
	flitcast_msg_free(msg);
	*from = before;
	return NULL;
}

void flitcast_msg_drop_data(struct flitcast_msg *msg)
{
	unsigned int i;

	if (!msg->page)
		return;
	/* The first of a lot comes last: others say that they belong to it while it is there. */
	for (i = msg->npages; i--;)
		if (msg->page[i] && (msg->held || !PageTail(msg->page[i])))
			put_page(msg->page[i]);
	if (msg->page != msg->few)
		kvfree(msg->page);
	msg->page = NULL;
	net_zcopy_put(msg->held);
	msg->held = NULL;
}

void flitcast_msg_free(struct flitcast_msg *msg)
{
	flitcast_msg_drop_data(msg);
	if (msg->target != &msg->one)
		kvfree(msg->target);
	kfree(msg);
}

void flitcast_msg_set_kind(struct flitcast_msg *msg, enum fc_kind kind, u32 re)
{
	msg->out.kind = kind;
	msg->re = re;
}

bool flitcast_msg_from_iter(struct flitcast_msg *msg, struct iov_iter *from)
{
	u32 at, n;

	if (!msg->npages)
		return copy_from_iter_full(msg->small, msg->len, from);
	for (at = 0; at < msg->len; at += PAGE_SIZE) {
		n = min_t(u32, PAGE_SIZE, msg->len - at);
		if (copy_page_from_iter(msg->page[at / PAGE_SIZE], 0, n, from) != n)
			return false;
	}
	return true;
}

bool flitcast_msg_from_skb(struct flitcast_msg *msg, const struct sk_buff *skb, u32 skip)
{
	int err = 0;
	u32 at;

	if (!msg->npages)
		return !skb_copy_bits(skb, skip, msg->small, msg->len);
	for (at = 0; at < msg->len && !err; at += PAGE_SIZE) {
		void *to = kmap_local_page(msg->page[at / PAGE_SIZE]);

		err = skb_copy_bits(skb, skip + at, to, min_t(u32, PAGE_SIZE, msg->len - at));
		kunmap_local(to);
	}
	return !err;
}

void flitcast_msg_put(struct flitcast_msg *msg)
{
	if (refcount_dec_and_test(&msg->refs))
		flitcast_msg_free(msg);
}

void flitcast_sent_put(struct flitcast_sent *sent)
{
	flitcast_msg_put(container_of(sent, struct flitcast_msg, out));
}

u32 flitcast_sent_fill(const struct flitcast_sent *sent, bool all,
		       struct flitcast_result *result)
{
	const struct flitcast_msg *msg = container_of(sent, struct flitcast_msg, out);
	u32 i, n = 0;

	for (i = 0; i < msg->ntargets; i++) {
		const struct tx_target *t = &msg->target[i];

		result[t->index].site = t->site;
		result[t->index].port = t->port;
		result[t->index].error = -t->err;
	}
	if (all)
		return msg->ntargets;
	for (i = 0; i < msg->ntargets; i++)
		if (result[i].error && result[i].error != ECANCELED)
			result[n++] = result[i];
	return n;
}
