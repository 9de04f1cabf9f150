/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_ENDS_LOTS_H
#define FLITCAST_ENDS_LOTS_H

#include <linux/gfp.h>
#include <linux/mm.h>

/* Size of a page block: that of the page fragments of other socket families. */
#define FLITCAST_LOT_ORDER	get_order(32768)
#define FLITCAST_LOT_SIZE	(PAGE_SIZE << FLITCAST_LOT_ORDER)

/**
 * flitcast_lot_get() - get a page block for contiguous data
 * @gfp: allocation flags, if none can be reused
 *
 * A reused block stays charged to the memory cgroup that allocated it.
 *
 * Return: a compound page of FLITCAST_LOT_SIZE bytes of any content, with the only reference to it;
 * NULL: no memory.
 */
struct page *flitcast_lot_get(gfp_t gfp);

/* Maximum number of blocks per flitcast_lots_put() call. */
#define FLITCAST_LOTS_BATCH	16

/**
 * flitcast_lots_put() - return page blocks for reuse
 * @lot: compound pages of FLITCAST_LOT_SIZE; takes over a reference to each; there are no more
 *	writers, but maybe readers
 * @n: number of blocks, at most FLITCAST_LOTS_BATCH
 */
void flitcast_lots_put(struct page *const *lot, unsigned int n);

/* Return: 0 or -ENOMEM. */
int flitcast_lots_init(void);
void flitcast_lots_exit(void);

#endif /* FLITCAST_ENDS_LOTS_H */
