// SPDX-License-Identifier: GPL-2.0
#include "link/link.h"
#include "link/memory.h"

/* A frame up to this length becomes linear; of a longer one the rest is in pages. */
#define LINEAR		(PAGE_SIZE - 1024)
#define HEAD		256

struct sk_buff *flitcast_flit_copy(struct sk_buff *skb)
{
	unsigned int head = skb->len > LINEAR ? HEAD : skb->len, i, done = head;
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

		err = skb_copy_bits(skb, done, skb_frag_address(frag), skb_frag_size(frag));
		done += skb_frag_size(frag);
	}
	if (err) {
		consume_skb(copy);
		return NULL;
	}
	copy->data_len = skb->len - copy->len;
	copy->len = skb->len;
	consume_skb(skb);
	return copy;
}
