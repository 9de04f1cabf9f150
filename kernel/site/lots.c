// SPDX-License-Identifier: GPL-2.0
/*
 * Lots of pages for long messages, which are used again: the kernel may clear every page that it
 * gives (CONFIG_INIT_ON_ALLOC_DEFAULT_ON), which costs as much as to copy data there.
 *
 * Whoever reads a page has a reference to it: replay buffers, frames, and over a veth what waits
 * for a reader at the other end.  So a lot that its message has no use for may still be read.  It
 * waits here, and is written again when the reference here is the only one: nobody can come
 * to have another one then.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include "site/lots.h"

/* As many as are kept on one busy way before its links have told what they took: 2 MiB. */
#define LOTS_MAX	64

/*
 * In order of their return; only the first one is looked at, as others were given back later.  One
 * that is read for long stands before them until there are too many.
 */
static DEFINE_SPINLOCK(lock);
static struct page *lots[LOTS_MAX];
static unsigned int first, count;

static struct page *take(void)
{
	struct page *lot = lots[first];

	first = (first + 1) % LOTS_MAX;
	count--;
	return lot;
}

struct page *flitcast_lot_get(gfp_t gfp)
{
	struct page *lot = NULL;

	spin_lock_bh(&lock);
	if (count && page_ref_count(lots[first]) == 1)
		lot = take();
	spin_unlock_bh(&lock);
	if (lot)
		return lot;
	/* There are others if this fails; as of those of a task, no effort is made for so many. */
	return alloc_pages((gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN |
			   __GFP_NORETRY, FLITCAST_LOT_ORDER);
}

void flitcast_lot_put(struct page *lot)
{
	struct page *old = NULL;

	/* Of the reserves, which are for those who free memory. */
	if (page_is_pfmemalloc(lot)) {
		put_page(lot);
		return;
	}
	spin_lock_bh(&lock);
	if (count == LOTS_MAX)
		old = take();
	lots[(first + count) % LOTS_MAX] = lot;
	count++;
	spin_unlock_bh(&lock);
	if (old)
		put_page(old);
}

void flitcast_lots_exit(void)
{
	while (count)
		put_page(take());
}
