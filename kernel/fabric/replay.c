// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>
#include "drop.h"
#include "core/link/node.h"
#include "core/wire/wire.h"
#include "fabric/replay.h"
#include "link/link.h"

/* Maximum length of the free list. */
#define POOL_MAX	64

static struct kmem_cache *cache;

/* A constructor prevents zeroing (init_on_alloc): all fields are written anyway. */
static void constructed(void *entry)
{
}

int flitcast_replay_module_init(void)
{
	cache = kmem_cache_create("flitcast_replay", sizeof(struct flitcast_replay_entry), 0,
				  SLAB_HWCACHE_ALIGN, constructed);
	return cache ? 0 : -ENOMEM;
}

void flitcast_replay_module_exit(void)
{
	kmem_cache_destroy(cache);
}

void flitcast_free_list_purge(struct flitcast_free_list *pool)
{
	struct flitcast_replay_entry *entry;

	while ((entry = pool->first)) {
		pool->first = entry->next;
		kmem_cache_free(cache, entry);
	}
	pool->n = 0;
}

static struct flitcast_replay_entry *entry_alloc(struct flitcast_free_list *pool)
{
	struct flitcast_replay_entry *entry = pool->first;

	if (!entry)
		return kmem_cache_alloc(cache, GFP_ATOMIC);
	pool->first = entry->next;
	pool->n--;
	return entry;
}

static void entry_free(struct flitcast_free_list *pool, struct flitcast_replay_entry *entry)
{
	unsigned int i;

	for (i = 0; i < entry->nfrags; i++)
		put_page(entry->frag[i].page);
	if (entry->skb)
		consume_skb(entry->skb);
	if (!pool || pool->n >= POOL_MAX) {
		kmem_cache_free(cache, entry);
		return;
	}
	entry->next = pool->first;
	pool->first = entry;
	pool->n++;
}

/* Return: a frame with the contents of a replay entry; NULL: no memory. */
static struct sk_buff *entry_copy(const struct flitcast_replay_entry *entry, unsigned int headroom)
{
	struct sk_buff *skb;
	unsigned int i;

	if (entry->skb)
		return __pskb_copy(entry->skb, headroom, GFP_ATOMIC);
	skb = flitcast_skb_alloc(headroom, entry->len);
	if (!skb)
		return NULL;
	skb_put_data(skb, entry->head, entry->len);
	for (i = 0; i < entry->nfrags; i++) {
		const struct flitcast_replay_frag *frag = &entry->frag[i];

		get_page(frag->page);
		skb_add_rx_frag(skb, i, frag->page, frag->off, frag->size, frag->size);
	}
	return skb;
}

int flitcast_replay_init(struct flitcast_replay *r, u32 size)
{
	memset(r, 0, sizeof(*r));
	r->entry = kcalloc(size, sizeof(*r->entry), GFP_KERNEL_ACCOUNT);
	r->size = size;
	return r->entry ? 0 : -ENOMEM;
}

static struct flitcast_replay_entry *take(struct flitcast_replay *r)
{
	struct flitcast_replay_entry *entry = r->entry[r->first];

	r->entry[r->first] = NULL;
	r->first = flitcast_replay_place(r, 1);
	r->seq++;
	r->n--;
	return entry;
}

void flitcast_replay_free(struct flitcast_replay *r)
{
	while (r->n)
		entry_free(NULL, take(r));
	kfree(r->entry);
	memset(r, 0, sizeof(*r));
}

/* Copy a flit to a replay entry, by reference to its pages.  Return: false if it does not fit. */
static bool keep(struct flitcast_replay_entry *entry, const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);

	entry->skb = NULL;
	entry->len = 0;
	entry->nfrags = 0;
	if (skb_headlen(skb) > FLITCAST_REPLAY_HEAD || shinfo->nr_frags > FLITCAST_REPLAY_FRAGS ||
	    skb_has_frag_list(skb) || shinfo->flags)
		return false;
	flitcast_replay_fill(entry, skb, 0);
	return true;
}

bool flitcast_replay_add(struct flitcast_replay *r, struct flitcast_free_list *pool, u32 seq,
			 struct sk_buff **skb, u8 parts)
{
	struct flitcast_replay_entry *entry;

	if (!r->n)
		r->seq = seq;
	if (WARN_ON_ONCE(r->n == r->size || seq != r->seq + r->n))
		goto drop;
	entry = entry_alloc(pool);
	if (!entry)
		goto drop;
	entry->parts = parts;
	entry->copied = false;
	if (!keep(entry, *skb)) {
		entry->skb = *skb;
		*skb = entry_copy(entry, skb_headroom(entry->skb));
	}
	r->entry[flitcast_replay_place(r, r->n)] = entry;
	r->n++;
	return true;
drop:
	flitcast_drop(*skb, FLITCAST_DROP_NO_MEMORY);
	return false;
}

struct sk_buff *flitcast_replay_copy(const struct flitcast_replay *r, u32 seq,
				     unsigned int headroom, u8 *parts)
{
	u32 i = seq - r->seq;

	*parts = 0;
	if (i >= r->n)
		return NULL;
	*parts = r->entry[flitcast_replay_place(r, i)]->parts;
	return entry_copy(r->entry[flitcast_replay_place(r, i)], headroom);
}

void flitcast_replay_release(struct flitcast_replay *r, struct flitcast_free_list *pool, u32 seq)
{
	while (r->n && fc_before(r->seq, seq))
		entry_free(pool, take(r));
}

/*
 * Add the next flit of the buffer, or its copy, to those of its packet.  Return: true if they are a
 * complete packet now.
 */
static bool collect(const struct flitcast_replay_entry *entry, struct sk_buff_head *flits)
{
	struct sk_buff *skb = NULL;
	u8 parts = entry->parts;

	/* Drop a packet whose front was acked, or that was copied or aborted. */
	if (parts & FC_PART_HEAD || parts & FC_PART_ABORT)
		flitcast_drop_queue(flits, FLITCAST_DROP_CUT);
	if (!entry->copied && !(parts & FC_PART_ABORT) &&
	    (parts & FC_PART_HEAD || !skb_queue_empty(flits)))
		skb = entry_copy(entry, FLITCAST_LINK_HEADROOM);
	if (!skb) {
		/* Drop a packet with a flit missing, too. */
		flitcast_drop_queue(flits, FLITCAST_DROP_CUT);
		return false;
	}
	__skb_queue_tail(flits, skb);
	return parts & FC_PART_TERM;
}

/* Is the packet that a flit begins to be copied, because it can leave by another link? */
static bool copies(const struct flitcast_replay_entry *entry, const struct fc_node *node, u8 port)
{
	const u8 *head = entry->skb ? entry->skb->data : entry->head;

	return fc_node_may_copy(head) &&
	       fc_node_avoids(node, head, fc_mask_all(fc_wire_ntargets(head)), port);
}

u16 flitcast_replay_again(struct flitcast_replay *r, const struct fc_node *node, u8 port, u16 *at,
			  struct sk_buff_head *flits)
{
	bool stays = false;

	while (*at < r->n) {
		const struct flitcast_replay_entry *entry;

		entry = r->entry[flitcast_replay_place(r, *at)];
		++*at;
		r->open = !(entry->parts & FC_PART_TERM);
		if (entry->parts & FC_PART_HEAD)
			stays = !copies(entry, node, port);
		if (!stays && collect(entry, flits))
			return skb_queue_len(flits);
	}
	/* Copies: the buffer keeps the flits. */
	flitcast_drop_queue(flits, FLITCAST_USED);
	return 0;
}

void flitcast_replay_copied(struct flitcast_replay *r, u16 at, u16 n)
{
	for (; n; n--)
		r->entry[flitcast_replay_place(r, --at)]->copied = true;
}

bool flitcast_replay_rescue(struct flitcast_replay *r, struct flitcast_free_list *pool,
			    struct sk_buff_head *flits)
{
	while (r->n) {
		struct flitcast_replay_entry *entry = take(r);
		bool complete = collect(entry, flits);

		entry_free(pool, entry);
		if (complete)
			return true;
	}
	r->open = false;
	flitcast_drop_queue(flits, FLITCAST_DROP_CUT);
	return false;
}
