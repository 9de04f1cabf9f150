// SPDX-License-Identifier: GPL-2.0
#include "link/link.h"
#include "link/memory.h"

/* A frame up to this length becomes linear; of a longer one the rest is in pages. */
#define LINEAR		3072
#define HEAD		256

struct sk_buff *flitcast_flit_copy(struct sk_buff *skb)
{
	unsigned int head = skb->len > LINEAR ? HEAD : skb->len, i;
	struct sk_buff *copy;
	int err;

	copy = alloc_skb_with_frags(FLITCAST_LINK_HEADROOM + head, skb->len - head,
				    PAGE_ALLOC_COSTLY_ORDER, &err, GFP_ATOMIC);
	if (!copy)
		return NULL;
	skb_reserve(copy, FLITCAST_LINK_HEADROOM);
	skb_put(copy, head);
	err = skb_copy_bits(skb, 0, copy->data, head);
	for (i = 0; i < skb_shinfo(copy)->nr_frags && !err; i++) {
		const skb_frag_t *frag = &skb_shinfo(copy)->frags[i];

		err = skb_copy_bits(skb, head, skb_frag_address(frag), skb_frag_size(frag));
		head += skb_frag_size(frag);
	}
	if (err) {
		consume_skb(copy);
		return NULL;
	}
	copy->len = skb->len;
	copy->data_len = skb->len - skb_headlen(copy);
	consume_skb(skb);
	return copy;
}
