// SPDX-License-Identifier: GPL-2.0
/*
 * Page blocks for the data of long messages, with reuse: the kernel may clear every page
 * that it allocates (CONFIG_INIT_ON_ALLOC_DEFAULT_ON), which costs as much as copying the data.
 *
 *	flitcast_block_get() <--- free list, if the first block has no other reader
 *	      |                     ^
 *	      v                     |
 *	  message ---------> flitcast_blocks_put()      BLOCKS_MAX blocks, in order of return
 *
 * Readers of a page hold a reference: replay buffers, frames and, over a veth, messages that wait
 * for a reader at the other end.  So a block may still be read after its message is done with it.
 * The block waits in the free list, and flitcast_block_get() hands it out only if the list holds
 * the only reference: then no reader can get another one.
 *
 * Blocks in the list stay charged to the memory cgroup that allocated them.  They are freed by the
 * shrinker, and when none was reused for a while.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "ends/blocks.h"

/* Capacity of the free list: the unacked data of one busy path, 2 MiB. */
#define BLOCKS_MAX	64
/* All blocks are freed if none was reused for IDLE to 2 * IDLE. */
#define IDLE		HZ

/*
 * Ring of blocks, in the order of their return.  Only the first one is checked for other readers,
 * as the others were returned later; a block that is read for long blocks the list until it is
 * full.
 */
static DEFINE_SPINLOCK(lock);
static struct page *blocks[BLOCKS_MAX];
static unsigned int first, count;
/*
 * @used: a block was reused since the work item ran; @queued: the work item is scheduled, as it is
 * while there are blocks.
 */
static bool used, queued;
static struct shrinker *shrinker;

static struct page *take(void)
{
	struct page *block = blocks[first];

	first = (first + 1) % BLOCKS_MAX;
	count--;
	return block;
}

struct page *flitcast_block_get(gfp_t gfp)
{
	struct page *block = NULL;

	spin_lock_bh(&lock);
	if (count && page_ref_count(blocks[first]) == 1)
		block = take();
	if (block)
		used = true;
	spin_unlock_bh(&lock);
	if (block)
		return block;
	/*
	 * Do not try hard: the caller falls back to smaller pages, as for a task's page fragment.
	 */
	return alloc_pages((gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN |
			   __GFP_NORETRY, FLITCAST_BLOCK_ORDER);
}

/* Free up to @n blocks.  Return: number of blocks freed. */
static unsigned int blocks_drop(unsigned int n)
{
	struct page *gone[BLOCKS_MAX];
	unsigned int i;

	spin_lock_bh(&lock);
	n = min(n, count);
	for (i = 0; i < n; i++)
		gone[i] = take();
	spin_unlock_bh(&lock);
	for (i = 0; i < n; i++)
		put_page(gone[i]);
	return n;
}

static void blocks_idle(struct work_struct *work)
{
	bool again;

	spin_lock_bh(&lock);
	again = used;
	queued = again;
	used = false;
	spin_unlock_bh(&lock);
	if (again)
		queue_delayed_work(system_unbound_wq, to_delayed_work(work), IDLE);
	else
		blocks_drop(BLOCKS_MAX);
}

static DECLARE_DELAYED_WORK(idle, blocks_idle);

static unsigned long blocks_count(struct shrinker *s, struct shrink_control *sc)
{
	return READ_ONCE(count);
}

static unsigned long blocks_scan(struct shrinker *s, struct shrink_control *sc)
{
	return blocks_drop(min_t(unsigned long, sc->nr_to_scan, BLOCKS_MAX));
}

int flitcast_blocks_init(void)
{
	shrinker = flitcast_shrinker_make("flitcast_blocks", blocks_count, blocks_scan);
	return shrinker ? 0 : -ENOMEM;
}

void flitcast_blocks_put(struct page *const *block, unsigned int n)
{
	struct page *old[FLITCAST_BLOCKS_BATCH];
	unsigned int i, nold = 0;
	bool queue;

	spin_lock_bh(&lock);
	for (i = 0; i < n; i++) {
		/*
		 * A block from the memory reserves is not kept: these are for those who free
		 * memory.
		 */
		if (page_is_pfmemalloc(block[i])) {
			old[nold++] = block[i];
			continue;
		}
		if (count == BLOCKS_MAX)
			old[nold++] = take();
		blocks[(first + count) % BLOCKS_MAX] = block[i];
		count++;
	}
	queue = count && !queued;
	queued |= queue;
	spin_unlock_bh(&lock);
	if (queue)
		queue_delayed_work(system_unbound_wq, &idle, IDLE);
	while (nold)
		put_page(old[--nold]);
}

void flitcast_blocks_exit(void)
{
	flitcast_shrinker_free(shrinker);
	cancel_delayed_work_sync(&idle);
	blocks_drop(BLOCKS_MAX);
}
