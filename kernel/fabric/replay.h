/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The replay buffer of a link: the flits that its peer has not taken yet.
 *
 * A frame goes out as it is, and the peer, who over a veth gets its very memory, writes its own
 * link header into it.  What is kept is therefore no frame, but a copy of the few bytes before
 * the data, and references to the pages of the data.
 */
#ifndef FLITCAST_FABRIC_REPLAY_H
#define FLITCAST_FABRIC_REPLAY_H

#include <linux/skbuff.h>
#include <linux/types.h>
#include "core/wire.h"

/* Bytes that a flit is kept with besides pages: a front with a target or two, small messages. */
#define FLITCAST_KEPT_HEAD	176
/* Of so many pages. */
#define FLITCAST_KEPT_FRAGS	4

/**
 * struct flitcast_kept_frag - some of a page
 * @page: page, with a reference
 * @off: where it begins
 * @size: bytes
 */
struct flitcast_kept_frag {
	struct page *page;
	u32 off;
	u32 size;
};

/**
 * struct flitcast_kept - a flit as it was sent, without its link header
 * @next: the next one, while it is in a pool
 * @skb: all of it, where it has more bytes or pages than there is room for here; else NULL
 * @len: bytes of @head
 * @parts: FC_PART_*
 * @nfrags: pages
 * @frag: those
 * @head: the bytes before them
 */
struct flitcast_kept {
	union {
		struct flitcast_kept *next;
		struct sk_buff *skb;
	};
	u16 len;
	u8 parts;
	u8 nfrags;
	struct flitcast_kept_frag frag[FLITCAST_KEPT_FRAGS];
	u8 head[FLITCAST_KEPT_HEAD];
};

/**
 * struct flitcast_pool - memory of flits that are not kept any more, for the next ones
 * @free: these
 * @n: how many
 *
 * The site's lock protects it.
 */
struct flitcast_pool {
	struct flitcast_kept *free;
	unsigned int n;
};

/**
 * struct flitcast_replay - a ring of @size places
 * @kept: flits in order; NULL while there is no link
 * @seq: number of the first one
 * @size: the window of the site: the most that any peer's lets be sent
 * @first: its place
 * @n: how many
 *
 * The site's lock protects it.
 */
struct flitcast_replay {
	struct flitcast_kept **kept;
	u32 seq;
	u16 size;
	u16 first;
	u16 n;
};

int flitcast_replay_module_init(void);
void flitcast_replay_module_exit(void);
void flitcast_pool_free(struct flitcast_pool *pool);

int flitcast_replay_init(struct flitcast_replay *r, u32 size);
void flitcast_replay_free(struct flitcast_replay *r);

/**
 * flitcast_replay_add() - a flit is about to be sent
 * @r: buffer; there is room: no more than the window is unacknowledged
 * @pool: of the site
 * @seq: number of the flit
 * @skb: the flit, without its link header; its linear part is nobody else's.  Becomes the frame
 *	to be sent: the same or, where that is kept, a copy; NULL: no memory for one, the peer
 *	asks for it
 * @parts: FC_PART_*
 *
 * Return: false if nothing is kept, for want of memory; @skb is freed then.
 */
bool flitcast_replay_add(struct flitcast_replay *r, struct flitcast_pool *pool, u32 seq,
			 struct sk_buff **skb, u8 parts);
/* Return: a copy of flit @seq, or NULL where there is none, or no memory: @parts is 0 then. */
struct sk_buff *flitcast_replay_copy(const struct flitcast_replay *r, u32 seq,
				     unsigned int headroom, u8 *parts);
/* Flits before @seq are not needed any more. */
void flitcast_replay_release(struct flitcast_replay *r, struct flitcast_pool *pool, u32 seq);
/*
 * Take the next packet whose flits are all there out of the buffer, in order; what
 * stands before it is dropped.  Return: false if there is none, and the buffer is empty.
 */
bool flitcast_replay_rescue(struct flitcast_replay *r, struct flitcast_pool *pool,
			    struct sk_buff_head *flits);

/* For replay.c and those who keep a flit for each frame. */

/* Where the flit @i after the first one is. */
static inline unsigned int flitcast_replay_place(const struct flitcast_replay *r, u16 i)
{
	unsigned int at = r->first + i;

	return at < r->size ? at : at - r->size;
}

/* The few bytes of a frame, but for the first @skip, and its pages: there is room for them. */
static __always_inline void flitcast_kept_take(struct flitcast_kept *kept,
					       const struct sk_buff *skb, unsigned int skip)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	unsigned int i, len = skb_headlen(skb) - skip;

	kept->skb = NULL;
	kept->len = len;
	memcpy(kept->head, skb->data + skip, len);
	for (i = 0; i < shinfo->nr_frags; i++) {
		const skb_frag_t *frag = &shinfo->frags[i];

		kept->frag[i].page = skb_frag_page(frag);
		kept->frag[i].off = skb_frag_off(frag);
		kept->frag[i].size = skb_frag_size(frag);
		get_page(kept->frag[i].page);
	}
	kept->nfrags = shinfo->nr_frags;
}

/* Is there room for a frame's bytes after its link header, and its pages, without the skb? */
static inline bool flitcast_replay_small(const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);

	return skb_headlen(skb) - FC_LINK_SIZE <= FLITCAST_KEPT_HEAD &&
	       shinfo->nr_frags <= FLITCAST_KEPT_FRAGS && !shinfo->flags && !shinfo->frag_list;
}

/*
 * As flitcast_replay_add(), of a frame at its link header that is small, where @pool is not empty.
 * Return: false if there is no place for it, which is a mistake of ours.
 */
static inline bool flitcast_replay_put(struct flitcast_replay *r, struct flitcast_pool *pool,
				       u32 seq, const struct sk_buff *skb, u8 parts)
{
	struct flitcast_kept *kept = pool->free;

	if (!r->n)
		r->seq = seq;
	if (WARN_ON_ONCE(r->n == r->size || seq != r->seq + r->n))
		return false;
	pool->free = kept->next;
	pool->n--;
	kept->parts = parts;
	flitcast_kept_take(kept, skb, FC_LINK_SIZE);
	r->kept[flitcast_replay_place(r, r->n)] = kept;
	r->n++;
	return true;
}

#endif /* FLITCAST_FABRIC_REPLAY_H */
