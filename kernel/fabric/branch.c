// SPDX-License-Identifier: GPL-2.0
/* Copies of a flit that leaves by several ports: one frame for each port but one. */
#include <linux/mm.h>
#include "fabric/branch.h"
#include "core/wire/wire_sum.h"
#include "link/link.h"

/* Append the data after the head: page fragments by reference, the rest as a copy. */
static void put_data(struct sk_buff *to, const struct sk_buff *skb, u32 head)
{
	const struct skb_shared_info *from = skb_shinfo(skb);
	struct skb_shared_info *shinfo = skb_shinfo(to);
	unsigned int i;

	skb_put_data(to, skb->data + head, skb_headlen(skb) - head);
	for (i = 0; i < from->nr_frags; i++) {
		shinfo->frags[i] = from->frags[i];
		get_page(skb_frag_page(&from->frags[i]));
	}
	shinfo->nr_frags = from->nr_frags;
	to->len += skb->data_len;
	to->data_len = skb->data_len;
	to->truesize += skb->data_len;
}

/*
 * Return: the maximum size of the head of a branch; the actual size of a bitmap is known only after
 * writing it.
 */
static u32 most(const u8 *head, u32 old, u64 mask)
{
	return fc_wire_mapped(head) ? old : fc_head_size(hweight64(mask));
}

/* Write the head of a branch to @dst; @sum: the packet has one. */
static u32 subset(u8 *dst, const u8 *src, u64 mask, bool sum)
{
	return sum ? fc_wire_summed_subset(dst, src, mask, 0) :
		     fc_wire_head_subset(dst, src, mask, 0);
}

struct sk_buff *flitcast_branch_copy(struct sk_buff *skb, unsigned int headroom, u64 mask,
				     bool sum)
{
	u32 old = mask ? fc_wire_head_len(skb->data) : 0;
	u32 size = mask ? most(skb->data, old, mask) : 0;
	struct sk_buff *copy;

	/* Fragment lists and special pages (e.g. zerocopy) cannot be shared by reference. */
	if (skb_has_frag_list(skb) || skb_shinfo(skb)->flags)
		return __pskb_copy(skb, headroom, GFP_ATOMIC);
	copy = flitcast_skb_alloc(headroom, size + skb_headlen(skb) - old);
	if (!copy)
		return NULL;
	if (size)
		skb_put(copy, subset(skb_tail_pointer(copy), skb->data, mask, sum));
	put_data(copy, skb, old);
	return copy;
}

void flitcast_branch_cut(struct sk_buff *skb, u64 mask, unsigned int n, bool sum)
{
	u32 old = fc_wire_head_len(skb->data), less;

	if (fc_wire_mapped(skb->data)) {
		u32 size = subset(skb->data, skb->data, mask, sum);

		less = old - size;
		memmove(skb->data + less, skb->data, size);
	} else {
		less = old - fc_head_size(n);
		subset(skb->data + less, skb->data, mask, sum);
	}
	skb_pull(skb, less);
}
