// SPDX-License-Identifier: GPL-2.0
/*
 * A message being sent: its memory.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include "site/tx.h"

struct flitcast_msg *flitcast_msg_alloc(u32 len, u32 ndests, gfp_t gfp)
{
	struct flitcast_msg *msg = kzalloc(sizeof(*msg), gfp);
	unsigned int i;

	if (!msg)
		return NULL;
	refcount_set(&msg->refs, 1);
	INIT_LIST_HEAD(&msg->site_node);
	INIT_LIST_HEAD(&msg->ready);
	INIT_LIST_HEAD(&msg->source_node);
	msg->len = len;
	msg->ntargets = ndests;
	msg->target = kvcalloc(ndests, sizeof(*msg->target), gfp);
	msg->npages = DIV_ROUND_UP(len, PAGE_SIZE);
	if (msg->npages)
		msg->page = kvcalloc(msg->npages, sizeof(*msg->page), gfp);
	if (!msg->target || (msg->npages && !msg->page))
		goto fail;
	for (i = 0; i < msg->npages; i++) {
		msg->page[i] = alloc_page(gfp);
		if (!msg->page[i])
			goto fail;
	}
	return msg;
fail:
	flitcast_msg_free(msg);
	return NULL;
}

void flitcast_msg_free(struct flitcast_msg *msg)
{
	unsigned int i;

	for (i = 0; msg->page && i < msg->npages && msg->page[i]; i++)
		put_page(msg->page[i]);
	kvfree(msg->page);
	kvfree(msg->target);
	kfree(msg);
}

void flitcast_msg_set_kind(struct flitcast_msg *msg, enum fc_kind kind, u32 re)
{
	msg->kind = kind;
	msg->re = re;
}

struct page *flitcast_msg_page(struct flitcast_msg *msg, unsigned int i)
{
	return msg->page[i];
}

void flitcast_msg_put(struct flitcast_msg *msg)
{
	if (refcount_dec_and_test(&msg->refs))
		flitcast_msg_free(msg);
}
