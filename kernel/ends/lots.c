// SPDX-License-Identifier: GPL-2.0
/*
 * Page blocks ("lots") for the data of long messages, with reuse: the kernel may clear every page
 * that it allocates (CONFIG_INIT_ON_ALLOC_DEFAULT_ON), which costs as much as copying the data.
 *
 *	flitcast_lot_get() <--- free list, if the first block has no other reader
 *	      |                     ^
 *	      v                     |
 *	  message ---------> flitcast_lots_put()      LOTS_MAX blocks, in the order of their return
 *
 * Readers of a page hold a reference: replay buffers, frames and, over a veth, messages that wait
 * for a reader at the other end.  So a block may still be read after its message is done with it.
 * The block waits in the free list, and flitcast_lot_get() hands it out only if the list holds the
 * only reference: then no reader can get another one.
 *
 * Blocks in the list stay charged to the memory cgroup that allocated them.  They are freed by the
 * shrinker, and when none was reused for a while.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "ends/lots.h"

/* Capacity of the free list: the unacked data of one busy path, 2 MiB. */
#define LOTS_MAX	64
/* All blocks are freed if none was reused for IDLE to 2 * IDLE. */
#define IDLE		HZ

/*
 * Ring of blocks, in the order of their return.  Only the first one is checked for other readers,
 * as the others were returned later; a block that is read for long blocks the list until it is
 * full.
 */
static DEFINE_SPINLOCK(lock);
static struct page *lots[LOTS_MAX];
static unsigned int first, count;
/*
 * @used: a block was reused since the work item ran; @queued: the work item is scheduled, as it is
 * while there are blocks.
 */
static bool used, queued;
static struct shrinker *shrinker;

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
	if (lot)
		used = true;
	spin_unlock_bh(&lock);
	if (lot)
		return lot;
	/*
	 * Do not try hard: the caller falls back to smaller pages, as for a task's page fragment.
	 */
	return alloc_pages((gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN |
			   __GFP_NORETRY, FLITCAST_LOT_ORDER);
}

/* Free up to @n blocks.  Return: number of blocks freed. */
static unsigned int lots_drop(unsigned int n)
{
	struct page *gone[LOTS_MAX];
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

static void lots_idle(struct work_struct *work)
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
		lots_drop(LOTS_MAX);
}

static DECLARE_DELAYED_WORK(idle, lots_idle);

static unsigned long lots_count(struct shrinker *s, struct shrink_control *sc)
{
	return READ_ONCE(count);
}

static unsigned long lots_scan(struct shrinker *s, struct shrink_control *sc)
{
	return lots_drop(min_t(unsigned long, sc->nr_to_scan, LOTS_MAX));
}

int flitcast_lots_init(void)
{
	shrinker = flitcast_shrinker_make("flitcast_lots", lots_count, lots_scan);
	return shrinker ? 0 : -ENOMEM;
}

void flitcast_lots_put(struct page *const *lot, unsigned int n)
{
	struct page *old[FLITCAST_LOTS_BATCH];
	unsigned int i, nold = 0;
	bool queue;

	spin_lock_bh(&lock);
	for (i = 0; i < n; i++) {
		/*
		 * A block from the memory reserves is not kept: these are for those who free
		 * memory.
		 */
		if (page_is_pfmemalloc(lot[i])) {
			old[nold++] = lot[i];
			continue;
		}
		if (count == LOTS_MAX)
			old[nold++] = take();
		lots[(first + count) % LOTS_MAX] = lot[i];
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

void flitcast_lots_exit(void)
{
	flitcast_shrinker_free(shrinker);
	cancel_delayed_work_sync(&idle);
	lots_drop(LOTS_MAX);
}
