// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/slab.h>
#include "core/wire.h"
#include "fabric/replay.h"
#include "link/link.h"

/* Maximum length of the free list. */
#define POOL_MAX	64

static struct kmem_cache *cache;

/* A constructor prevents zeroing (init_on_alloc): all fields are written anyway. */
static void constructed(void *kept)
{
}

int flitcast_replay_module_init(void)
{
	cache = kmem_cache_create("flitcast_kept", sizeof(struct flitcast_kept), 0,
				  SLAB_HWCACHE_ALIGN, constructed);
	return cache ? 0 : -ENOMEM;
}

void flitcast_replay_module_exit(void)
{
	kmem_cache_destroy(cache);
}

void flitcast_pool_free(struct flitcast_pool *pool)
{
	struct flitcast_kept *kept;

	while ((kept = pool->free)) {
		pool->free = kept->next;
		kmem_cache_free(cache, kept);
	}
	pool->n = 0;
}

static struct flitcast_kept *kept_alloc(struct flitcast_pool *pool)
{
	struct flitcast_kept *kept = pool->free;

	if (!kept)
		return kmem_cache_alloc(cache, GFP_ATOMIC);
	pool->free = kept->next;
	pool->n--;
	return kept;
}

static void kept_free(struct flitcast_pool *pool, struct flitcast_kept *kept)
{
	unsigned int i;

	for (i = 0; i < kept->nfrags; i++)
		put_page(kept->frag[i].page);
	if (kept->skb)
		consume_skb(kept->skb);
	if (!pool || pool->n >= POOL_MAX) {
		kmem_cache_free(cache, kept);
		return;
	}
	kept->next = pool->free;
	pool->free = kept;
	pool->n++;
}

/* Return: a frame with the contents of a replay entry; NULL: no memory. */
static struct sk_buff *kept_copy(const struct flitcast_kept *kept, unsigned int headroom)
{
	struct sk_buff *skb;
	unsigned int i;

	if (kept->skb)
		return __pskb_copy(kept->skb, headroom, GFP_ATOMIC);
	skb = flitcast_skb_alloc(headroom, kept->len);
	if (!skb)
		return NULL;
	skb_put_data(skb, kept->head, kept->len);
	for (i = 0; i < kept->nfrags; i++) {
		const struct flitcast_kept_frag *frag = &kept->frag[i];

		get_page(frag->page);
		skb_add_rx_frag(skb, i, frag->page, frag->off, frag->size, frag->size);
	}
	return skb;
}

int flitcast_replay_init(struct flitcast_replay *r, u32 size)
{
	memset(r, 0, sizeof(*r));
	r->kept = kcalloc(size, sizeof(*r->kept), GFP_KERNEL_ACCOUNT);
	r->size = size;
	return r->kept ? 0 : -ENOMEM;
}

static struct flitcast_kept *take(struct flitcast_replay *r)
{
	struct flitcast_kept *kept = r->kept[r->first];

	r->kept[r->first] = NULL;
	r->first = flitcast_replay_place(r, 1);
	r->seq++;
	r->n--;
	return kept;
}

void flitcast_replay_free(struct flitcast_replay *r)
{
	while (r->n)
		kept_free(NULL, take(r));
	kfree(r->kept);
	memset(r, 0, sizeof(*r));
}

/* Copy a flit to a replay entry, by reference to its pages.  Return: false if it does not fit. */
static bool keep(struct flitcast_kept *kept, const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);

	kept->skb = NULL;
	kept->len = 0;
	kept->nfrags = 0;
	if (skb_headlen(skb) > FLITCAST_KEPT_HEAD || shinfo->nr_frags > FLITCAST_KEPT_FRAGS ||
	    skb_has_frag_list(skb) || shinfo->flags)
		return false;
	flitcast_kept_take(kept, skb, 0);
	return true;
}

bool flitcast_replay_add(struct flitcast_replay *r, struct flitcast_pool *pool, u32 seq,
			 struct sk_buff **skb, u8 parts)
{
	struct flitcast_kept *kept;

	if (!r->n)
		r->seq = seq;
	if (WARN_ON_ONCE(r->n == r->size || seq != r->seq + r->n))
		goto drop;
	kept = kept_alloc(pool);
	if (!kept)
		goto drop;
	kept->parts = parts;
	if (!keep(kept, *skb)) {
		kept->skb = *skb;
		*skb = kept_copy(kept, skb_headroom(kept->skb));
	}
	r->kept[flitcast_replay_place(r, r->n)] = kept;
	r->n++;
	return true;
drop:
	kfree_skb(*skb);
	return false;
}

struct sk_buff *flitcast_replay_copy(const struct flitcast_replay *r, u32 seq,
				     unsigned int headroom, u8 *parts)
{
	u32 i = seq - r->seq;

	*parts = 0;
	if (i >= r->n)
		return NULL;
	*parts = r->kept[flitcast_replay_place(r, i)]->parts;
	return kept_copy(r->kept[flitcast_replay_place(r, i)], headroom);
}

void flitcast_replay_release(struct flitcast_replay *r, struct flitcast_pool *pool, u32 seq)
{
	while (r->n && fc_before(r->seq, seq))
		kept_free(pool, take(r));
}

bool flitcast_replay_rescue(struct flitcast_replay *r, struct flitcast_pool *pool,
			    struct sk_buff_head *flits)
{
	while (r->n) {
		struct flitcast_kept *kept = take(r);
		struct sk_buff *skb = NULL;
		u8 parts = kept->parts;

		/* Drop a packet whose front was acked, or that was aborted. */
		if (parts & FC_PART_HEAD || parts & FC_PART_ABORT)
			__skb_queue_purge(flits);
		if (!(parts & FC_PART_ABORT) && (parts & FC_PART_HEAD || !skb_queue_empty(flits)))
			skb = kept_copy(kept, FLITCAST_LINK_HEADROOM);
		kept_free(pool, kept);
		if (!skb) {
			/* Drop a packet with a flit missing, too. */
			__skb_queue_purge(flits);
			continue;
		}
		__skb_queue_tail(flits, skb);
		if (parts & FC_PART_TERM)
			return true;
	}
	__skb_queue_purge(flits);
	return false;
}
