// SPDX-License-Identifier: GPL-2.0
/*
 * Lots of pages for long messages, which are used again: the kernel may clear every page that it
 * gives (CONFIG_INIT_ON_ALLOC_DEFAULT_ON), which costs as much as to copy data there.
 *
 * Whoever reads a page has a reference to it: replay buffers, frames, and over a veth what waits
 * for a reader at the other end.  So a lot that its message has no use for may still be read.  It
 * waits here, and is written again when the reference here is the only one: nobody can come
 * to have another one then.
 *
 * Lots that wait are charged to whoever they were allocated for.  They go when the kernel wants
 * memory back, and when none was wanted for a while.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "compat.h"
#include "ends/lots.h"

/* As many as are kept on one busy way before its links have told what they took: 2 MiB. */
#define LOTS_MAX	64
/* All go when none was used again for so long, to twice that. */
#define IDLE		HZ

/*
 * In order of their return; only the first one is looked at, as others were given back later.  One
 * that is read for long stands before them until there are too many.
 */
static DEFINE_SPINLOCK(lock);
static struct page *lots[LOTS_MAX];
static unsigned int first, count;
/* One was used again since the work ran that looks for that, and is queued while there are lots. */
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
	/* There are others if this fails; as of those of a task, no effort is made for so many. */
	return alloc_pages((gfp & ~__GFP_DIRECT_RECLAIM) | __GFP_COMP | __GFP_NOWARN |
			   __GFP_NORETRY, FLITCAST_LOT_ORDER);
}

/* So many go.  Return: how many did. */
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
		/* The lot is from the reserves, which are for those who free memory. */
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
