// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of messages being sent: allocation, filling, free list.
 *
 *	data                          where
 *	<= FLITCAST_MSG_SMALL bytes   in struct flitcast_msg (@small)
 *	up to a page block            page fragment of the calling task
 *	full page blocks              blocks of their own (blocks.c), which are reused
 *	MSG_ZEROCOPY                  user pages, pinned (flitcast_msg_pin())
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include "core/bucket.h"
#include "ends/state.h"
#include "ends/blocks.h"
#include "ends/msg.h"
#include "fabric/enter.h"
#include "fabric/sum.h"

/* Sparse allots a whole byte to each bool bit-field, so that its sizes are larger. */
#ifndef __CHECKER__
static_assert(sizeof(struct flitcast_msg) <= FLITCAST_MSG_SIZE);
static_assert(sizeof(struct tx_target) <= FLITCAST_MSG_TARGET);
#endif

/* Maximum length of the free list of messages of a site. */
#define SPARES_MAX	64
/*
 * Rate limit for freeing page blocks under the lock: SPENT_BURST at once, as many as blocks.c
 * caches, and one more per SPENT_NS, which no link exceeds.
 */
#define SPENT_BURST	64
#define SPENT_NS	(2 * NSEC_PER_USEC)

/* Pages of the array @page of a message: the data may begin anywhere in the first one. */
static u32 pages_of(u32 len)
{
	return DIV_ROUND_UP(len, PAGE_SIZE) + 1;
}

u32 *flitcast_msg_crc(struct flitcast_msg *msg, u32 packet)
{
	if (msg->len <= FC_PACKET_MAX)
		return &msg->crc;
	/* Behind the array of pages. */
	return (u32 *)(msg->page + pages_of(msg->len)) + packet;
}

/*
 * Allocate pages for the data of a message.  A rest smaller than a page block goes into the page
 * fragment of the calling task, after what the task sent before, as in other socket families: a
 * short message needs no pages of its own.  The message holds one reference to each block it uses.
 */
static bool pages_alloc(struct flitcast_msg *msg, gfp_t gfp)
{
	struct page_frag *frag = &current->task_frag;
	u32 left = msg->len, i = 0;

	while (left) {
		struct page *block = left >= FLITCAST_BLOCK_SIZE ? flitcast_block_get(gfp) : NULL;
		u32 at = 0, n = FLITCAST_BLOCK_SIZE;

		if (!block) {
			/* Further pieces start at a page boundary. */
			frag->offset = ALIGN(frag->offset, i ? PAGE_SIZE : sizeof(u64));
			if (!skb_page_frag_refill(1, frag, gfp)) {
				msg->npages = i;
				return false;
			}
			block = frag->page;
			get_page(block);
			at = frag->offset;
			n = min(left, frag->size - at);
			frag->offset += n;
		}
		if (!i)
			msg->start = offset_in_page(at);
		left -= n;
		for (n += at, at /= PAGE_SIZE; at * PAGE_SIZE < n; at++)
			msg->page[i++] = block + at;
	}
	msg->npages = i;
	return true;
}

u32 flitcast_msg_run(const struct flitcast_msg *msg, u32 from, u32 len, struct page **block,
		     u32 *off)
{
	u32 in = msg->start + from;
	struct page *page = msg->page[in / PAGE_SIZE];

	*block = msg->held ? page : compound_head(page);
	*off = ((page - *block) << PAGE_SHIFT) + offset_in_page(in);
	return min_t(u32, len, (msg->held ? PAGE_SIZE : page_size(*block)) - *off);
}

/* Initialise a message for one target, without data. */
static void msg_init(struct flitcast_msg *msg, u32 len)
{
	/* The caller writes @small, or the members in the same place. */
	memset(msg, 0, offsetof(struct flitcast_msg, held));
	refcount_set(&msg->refs, 1);
	INIT_LIST_HEAD(&msg->ready);
	msg->len = len;
	msg->at.due = FC_NEVER;
	msg->ntargets = 1;
	msg->target = &msg->one;
}

/* Allocate a message with an array of @npages page pointers, but without pages. */
static struct flitcast_msg *msg_make(u32 len, u32 ndests, unsigned int npages, gfp_t gfp)
{
	struct flitcast_msg *msg = kmalloc(sizeof(*msg), gfp);

	if (!msg)
		return NULL;
	msg_init(msg, len);
	msg->held = NULL;
	msg->start = 0;
	memset(msg->few, 0, sizeof(msg->few));
	msg->ntargets = ndests;
	if (ndests != 1)
		msg->target = kvcalloc(ndests, sizeof(*msg->target), gfp);
	msg->npages = npages;
	if (msg->npages)
		msg->page = msg->npages <= ARRAY_SIZE(msg->few) && len <= FC_PACKET_MAX ? msg->few :
			    kvzalloc(msg->npages * sizeof(*msg->page) +
				     DIV_ROUND_UP(len, FC_PACKET_MAX) * sizeof(u32), gfp);
	if (msg->target && (msg->page || !msg->npages))
		return msg;
	/* No page is allocated yet. */
	msg->npages = 0;
	flitcast_msg_free(msg);
	return NULL;
}

struct flitcast_msg *flitcast_msg_alloc(u32 len, u32 ndests, gfp_t gfp)
{
	unsigned int npages = len > FLITCAST_MSG_SMALL ? pages_of(len) : 0;
	struct flitcast_msg *msg = msg_make(len, ndests, npages, gfp);

	if (!msg || !npages || pages_alloc(msg, gfp))
		return msg;
	flitcast_msg_free(msg);
	return NULL;
}

/* Pin the user pages of the data.  Return: false if the data is not contiguous in them. */
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

/* Add bytes [at, at + len) of the message, which are at @data, to the sums of their packets. */
static void add_crc(struct flitcast_msg *msg, u32 at, const u8 *data, u32 len)
{
	u32 n;

	for (; len; at += n, data += n, len -= n) {
		u32 *crc = flitcast_msg_crc(msg, at / FC_PACKET_MAX);

		n = min(len, FC_PACKET_MAX - at % FC_PACKET_MAX);
		*crc = flitcast_crc(*crc, data, n);
	}
}

/* Return: CRC-32C of a packet of a message of user pages. */
static u32 pages_crc(const struct flitcast_msg *msg, u32 packet)
{
	u32 at = packet * FC_PACKET_MAX, len = fc_data_len(msg->len, at);
	u32 crc = 0, n, off;

	for (; len; at += n, len -= n) {
		struct page *page;
		u8 *data;

		n = flitcast_msg_run(msg, at, len, &page, &off);
		data = kmap_local_page(page);
		crc = flitcast_crc(crc, data + off, n);
		kunmap_local(data);
	}
	return crc;
}

bool flitcast_msg_changed(struct flitcast_msg *msg, u32 packet)
{
	return pages_crc(msg, packet) != *flitcast_msg_crc(msg, packet);
}

struct flitcast_msg *flitcast_msg_pin(u32 len, u32 ndests, struct iov_iter *from,
				      struct ubuf_info *held, bool sum, gfp_t gfp)
{
	struct flitcast_msg *msg = msg_make(len, ndests, pages_of(len), gfp);
	struct iov_iter before = *from;
	u32 packet;

	if (!msg)
		return NULL;
	msg->held = held;
	net_zcopy_get(held);
	if (pin(msg, from)) {
		for (packet = 0; sum && packet * FC_PACKET_MAX < len; packet++)
			*flitcast_msg_crc(msg, packet) = pages_crc(msg, packet);
		return msg;
	}
	flitcast_msg_free(msg);
	*from = before;
	return NULL;
}

/*
 * Return: true if the @n pages of the message fill the page block, so that no other data is in it.
 */
static bool block_whole(struct page *block, unsigned int n)
{
	return n * PAGE_SIZE == FLITCAST_BLOCK_SIZE && page_size(block) == FLITCAST_BLOCK_SIZE;
}

static void pages_drop(const struct flitcast_msg *msg)
{
	struct page *blocks[FLITCAST_BLOCKS_BATCH];
	unsigned int end, i, n, nblocks = 0;

	if (msg->held) {
		for (i = 0; i < msg->npages && msg->page[i]; i++)
			put_page(msg->page[i]);
		return;
	}
	/* From the last page on: pages name their block only while it is referenced. */
	for (end = msg->npages; end; end -= n) {
		struct page *last = msg->page[end - 1], *block = compound_head(last);

		/* Data may begin in the middle of a block, but is contiguous in it. */
		n = min_t(unsigned int, last - block + 1, end);
		while (msg->page[end - n] != last + 1 - n)
			n--;
		if (!block_whole(block, n)) {
			put_page(block);
			continue;
		}
		blocks[nblocks++] = block;
		if (nblocks == FLITCAST_BLOCKS_BATCH) {
			flitcast_blocks_put(blocks, nblocks);
			nblocks = 0;
		}
	}
	if (nblocks)
		flitcast_blocks_put(blocks, nblocks);
}

void flitcast_msg_drop_data(struct flitcast_msg *msg)
{
	if (!msg->page)
		return;
	pages_drop(msg);
	if (msg->page != msg->few)
		kvfree(msg->page);
	msg->page = NULL;
	net_zcopy_put(msg->held);
	msg->held = NULL;
}

void flitcast_msg_spent(struct flitcast_site *site, struct flitcast_msg *msg)
{
	u32 blocks = DIV_ROUND_UP(msg->npages, FLITCAST_BLOCK_SIZE / PAGE_SIZE);

	lockdep_assert_held(&site->lock);
	if (blocks <= 1 || (blocks <= SPENT_BURST &&
			    fc_bucket_take(&site->ends->pool.spent_at, flitcast_site_now(site),
					   SPENT_NS, SPENT_BURST, blocks))) {
		flitcast_msg_drop_data(msg);
		return;
	}
	refcount_inc(&msg->refs);
	list_add_tail(&msg->site_node, &site->ends->pool.spent);
	queue_work(system_unbound_wq, &site->ends->sources.free);
}

bool flitcast_msg_free_spent(struct flitcast_site *site)
{
	struct flitcast_msg *msg;

	spin_lock_bh(&site->lock);
	msg = list_first_entry_or_null(&site->ends->pool.spent, struct flitcast_msg, site_node);
	if (msg)
		list_del(&msg->site_node);
	spin_unlock_bh(&site->lock);
	if (!msg)
		return false;
	flitcast_msg_drop_data(msg);
	flitcast_msg_put(msg);
	return true;
}

void flitcast_msg_free(struct flitcast_msg *msg)
{
	flitcast_msg_drop_data(msg);
	if (msg->target != &msg->one)
		kvfree(msg->target);
	kfree(msg);
}

struct flitcast_msg *flitcast_msg_reuse(struct flitcast_site *site, u32 len)
{
	struct flitcast_msg *msg = site->ends->pool.first;

	lockdep_assert_held(&site->lock);
	if (!msg)
		return NULL;
	site->ends->pool.first = msg->next_free;
	site->ends->pool.n--;
	msg_init(msg, len);
	return msg;
}

void flitcast_msg_completed(struct flitcast_site *site, struct flitcast_msg *msg)
{
	lockdep_assert_held(&site->lock);
	if (!refcount_dec_and_test(&msg->refs))
		return;
	if (site->ends->pool.n == SPARES_MAX || msg->target != &msg->one) {
		flitcast_msg_free(msg);
		return;
	}
	flitcast_msg_drop_data(msg);
	msg->next_free = site->ends->pool.first;
	site->ends->pool.first = msg;
	site->ends->pool.n++;
}

void flitcast_msg_pool_free(struct flitcast_site *site)
{
	struct flitcast_msg *msg;

	while ((msg = site->ends->pool.first)) {
		site->ends->pool.first = msg->next_free;
		kfree(msg);
	}
}

void flitcast_msg_set_kind(struct flitcast_msg *msg, enum fc_kind kind, u32 re)
{
	msg->out.kind = kind;
	msg->how.re = re;
}

/* The data of the message that is contiguous from byte @at on.  Return: its bytes. */
static u32 data_at(const struct flitcast_msg *msg, u32 at, u8 **data)
{
	struct page *block;
	u32 n, off;

	if (!msg->npages) {
		*data = (u8 *)msg->small + at;
		return msg->len - at;
	}
	n = flitcast_msg_run(msg, at, msg->len - at, &block, &off);
	*data = page_address(block) + off;
	return n;
}

bool flitcast_msg_from_iter(struct flitcast_msg *msg, struct iov_iter *from, bool sum)
{
	u32 at, n;
	u8 *data;

	for (at = 0; at < msg->len; at += n) {
		n = data_at(msg, at, &data);
		if (!copy_from_iter_full(data, n, from))
			return false;
		if (sum)
			add_crc(msg, at, data, n);
	}
	return true;
}

bool flitcast_msg_from_skb(struct flitcast_msg *msg, const struct sk_buff *skb, u32 skip, bool sum)
{
	u32 at, n;
	u8 *data;

	for (at = 0; at < msg->len; at += n) {
		n = data_at(msg, at, &data);
		if (skb_copy_bits(skb, skip + at, data, n))
			return false;
		if (sum)
			add_crc(msg, at, data, n);
	}
	return true;
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
