// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>
#include "core/wire.h"
#include "site/replay.h"

int flitcast_replay_init(struct flitcast_replay *r, u32 size)
{
	memset(r, 0, sizeof(*r));
	r->skb = kcalloc(size, sizeof(*r->skb), GFP_KERNEL);
	r->parts = kcalloc(size, sizeof(*r->parts), GFP_KERNEL);
	r->size = size;
	if (r->skb && r->parts)
		return 0;
	flitcast_replay_free(r);
	return -ENOMEM;
}

static unsigned int place(const struct flitcast_replay *r, u16 i)
{
	unsigned int at = r->first + i;

	return at < r->size ? at : at - r->size;
}

static struct sk_buff *take(struct flitcast_replay *r, u8 *parts)
{
	struct sk_buff *skb = r->skb[r->first];

	*parts = r->parts[r->first];
	r->skb[r->first] = NULL;
	r->first = place(r, 1);
	r->seq++;
	r->n--;
	return skb;
}

void flitcast_replay_free(struct flitcast_replay *r)
{
	u8 parts;

	while (r->n)
		kfree_skb(take(r, &parts));
	kfree(r->skb);
	kfree(r->parts);
	memset(r, 0, sizeof(*r));
}

void flitcast_replay_add(struct flitcast_replay *r, u32 seq, struct sk_buff *skb, u8 parts)
{
	if (!r->n)
		r->seq = seq;
	if (WARN_ON_ONCE(r->n == r->size || seq != r->seq + r->n)) {
		kfree_skb(skb);
		return;
	}
	r->skb[place(r, r->n)] = skb;
	r->parts[place(r, r->n)] = parts;
	r->n++;
}

struct sk_buff *flitcast_replay_get(const struct flitcast_replay *r, u32 seq, u8 *parts)
{
	u32 i = seq - r->seq;

	if (i >= r->n)
		return NULL;
	*parts = r->parts[place(r, i)];
	return r->skb[place(r, i)];
}

void flitcast_replay_release(struct flitcast_replay *r, u32 seq)
{
	u8 parts;

	while (r->n && fc_before(r->seq, seq))
		consume_skb(take(r, &parts));
}

bool flitcast_replay_rescue(struct flitcast_replay *r, struct sk_buff_head *flits)
{
	u8 parts;

	while (r->n) {
		struct sk_buff *skb = take(r, &parts);

		/* A packet whose front has gone, or that was aborted, is of no use. */
		if (parts & FC_PART_HEAD || parts & FC_PART_ABORT)
			__skb_queue_purge(flits);
		if (parts & FC_PART_ABORT || (!(parts & FC_PART_HEAD) && skb_queue_empty(flits))) {
			kfree_skb(skb);
			continue;
		}
		__skb_queue_tail(flits, skb);
		if (parts & FC_PART_TERM)
			return true;
	}
	__skb_queue_purge(flits);
	return false;
}
