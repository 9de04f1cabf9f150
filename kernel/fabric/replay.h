/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replay buffer of a link: flits that the peer has not acked yet, for retransmission.
 *
 *	seq       seq+1     ...       seq+n-1
 *	[entry] - [entry] - ... - [entry]      <--- flitcast_replay_add(): flit sent
 *	   |
 *	   +---> flitcast_replay_release(): acked    flitcast_replay_rescue(): link is down
 *	                                             flitcast_replay_again(): link is suspected
 *
 * A frame is transmitted without a copy, and the peer, which over a veth gets the same memory,
 * writes its own link header into it.  So an entry is not the frame, but a copy of the few bytes
 * before the data, and references to the pages of the data.
 */
#ifndef FLITCAST_FABRIC_REPLAY_H
#define FLITCAST_FABRIC_REPLAY_H

#include <linux/skbuff.h>
#include <linux/types.h>
#include "core/link/node.h"
#include "core/wire/wire.h"

/* Bytes of a replay entry besides pages: a front with one or two targets, or a small message. */
#define FLITCAST_REPLAY_HEAD	176
/* Maximum number of page fragments of a replay entry. */
#define FLITCAST_REPLAY_FRAGS	4

/**
 * struct flitcast_replay_frag - a page fragment
 * @page: page; the entry holds a reference
 * @off: offset in the page
 * @size: length in bytes
 */
struct flitcast_replay_frag {
	struct page *page;
	u32 off;
	u32 size;
};

/**
 * struct flitcast_replay_entry - replay entry: a flit as it was sent, without its link header
 * @next: next entry, while in the free list
 * @skb: the whole flit, if it does not fit @head and @frag; else NULL
 * @len: length of @head
 * @parts: FC_PART_*
 * @nfrags: number of page fragments
 * @copied: a copy of the packet was stored, to be sent by another route
 * @frag: page fragments
 * @head: bytes before the fragments
 */
struct flitcast_replay_entry {
	union {
		struct flitcast_replay_entry *next;
		struct sk_buff *skb;
	};
	u16 len;
	u8 parts;
	u8 nfrags;
	bool copied;
	struct flitcast_replay_frag frag[FLITCAST_REPLAY_FRAGS];
	u8 head[FLITCAST_REPLAY_HEAD];
};

/**
 * struct flitcast_free_list - free list of replay entries
 * @first: head of the list
 * @n: number of entries
 *
 * The site's lock protects it.
 */
struct flitcast_free_list {
	struct flitcast_replay_entry *first;
	unsigned int n;
};

/**
 * struct flitcast_replay - ring buffer of replay entries
 * @entry: ring of @size entries; NULL while there is no link
 * @seq: sequence number of the first flit
 * @size: capacity: the window of the site, an upper bound of every peer's window
 * @first: index of the first flit
 * @n: number of entries
 * @open: flitcast_replay_again() found the last packet incomplete: its terminator was not sent yet
 *
 * The site's lock protects it.
 */
struct flitcast_replay {
	struct flitcast_replay_entry **entry;
	u32 seq;
	u16 size;
	u16 first;
	u16 n;
	bool open;
};

int flitcast_replay_module_init(void);
void flitcast_replay_module_exit(void);
void flitcast_free_list_purge(struct flitcast_free_list *pool);

int flitcast_replay_init(struct flitcast_replay *r, u32 size);
void flitcast_replay_free(struct flitcast_replay *r);

/**
 * flitcast_replay_add() - keep a flit that is about to be sent
 * @r: buffer; not full, as unacked flits are limited by the window
 * @pool: free list of the site
 * @seq: sequence number of the flit
 * @skb: the flit, without its link header; its linear part is private. On return, the frame to
 *	send: the same, or a copy if the buffer keeps the original; NULL: no memory for a copy, the
 *	peer asks for the flit
 * @parts: FC_PART_*
 *
 * Return: false: no memory; nothing is kept, and @skb is freed.
 */
bool flitcast_replay_add(struct flitcast_replay *r, struct flitcast_free_list *pool, u32 seq,
			 struct sk_buff **skb, u8 parts);
/* Return: a copy of flit @seq; NULL: it is not in the buffer, or no memory; @parts is 0 then. */
struct sk_buff *flitcast_replay_copy(const struct flitcast_replay *r, u32 seq,
				     unsigned int headroom, u8 *parts);
/* The peer has acked all flits before @seq: free them. */
void flitcast_replay_release(struct flitcast_replay *r, struct flitcast_free_list *pool, u32 seq);
/*
 * Copy the next complete packet, from entry @at on, that was neither copied before nor is acked in
 * part, and that can leave @node by another link than @port; the buffer keeps its flits, because
 * the peer still expects their numbers.  @at becomes the entry behind it.  Return: the number of
 * its flits; 0: there is none.
 */
u16 flitcast_replay_again(struct flitcast_replay *r, const struct fc_node *node, u8 port, u16 *at,
			  struct sk_buff_head *flits);
/* The copy of the packet of @n flits before entry @at was stored: do not copy or rescue it. */
void flitcast_replay_copied(struct flitcast_replay *r, u16 at, u16 n);
/*
 * Remove the next complete packet from the buffer, in order; incomplete ones before it are dropped,
 * and so are those that were copied.  Return: false if there is none, and the buffer is empty.
 */
bool flitcast_replay_rescue(struct flitcast_replay *r, struct flitcast_free_list *pool,
			    struct sk_buff_head *flits);

/* For replay.c and pass.c. */

/* Return: the index of the flit @i after the first one. */
static inline unsigned int flitcast_replay_place(const struct flitcast_replay *r, u16 i)
{
	unsigned int at = r->first + i;

	return at < r->size ? at : at - r->size;
}

/*
 * Copy the linear part of a frame, from @skip on, and take references to its pages.  They fit
 * @entry.
 */
static __always_inline void flitcast_replay_fill(struct flitcast_replay_entry *entry,
						 const struct sk_buff *skb, unsigned int skip)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	unsigned int i, len = skb_headlen(skb) - skip;

	entry->skb = NULL;
	entry->len = len;
	memcpy(entry->head, skb->data + skip, len);
	for (i = 0; i < shinfo->nr_frags; i++) {
		const skb_frag_t *frag = &shinfo->frags[i];

		entry->frag[i].page = skb_frag_page(frag);
		entry->frag[i].off = skb_frag_off(frag);
		entry->frag[i].size = skb_frag_size(frag);
		get_page(entry->frag[i].page);
	}
	entry->nfrags = shinfo->nr_frags;
}

/* Return: true if a frame fits a replay entry without keeping the skb. */
static inline bool flitcast_replay_small(const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);

	return skb_headlen(skb) - FC_LINK_SIZE <= FLITCAST_REPLAY_HEAD &&
	       shinfo->nr_frags <= FLITCAST_REPLAY_FRAGS && !shinfo->flags && !shinfo->frag_list;
}

/*
 * As flitcast_replay_add(), for a frame that starts with its link header and passed
 * flitcast_replay_small(); @pool is not empty.  Return: false if the buffer is full, which is a
 * bug.
 */
static __always_inline bool flitcast_replay_put(struct flitcast_replay *r,
						struct flitcast_free_list *pool, u32 seq,
						const struct sk_buff *skb, u8 parts)
{
	struct flitcast_replay_entry *entry = pool->first;

	if (!r->n)
		r->seq = seq;
	if (WARN_ON_ONCE(r->n == r->size || seq != r->seq + r->n))
		return false;
	pool->first = entry->next;
	pool->n--;
	entry->parts = parts;
	entry->copied = false;
	flitcast_replay_fill(entry, skb, FC_LINK_SIZE);
	r->entry[flitcast_replay_place(r, r->n)] = entry;
	r->n++;
	return true;
}

#endif /* FLITCAST_FABRIC_REPLAY_H */
