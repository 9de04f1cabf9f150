/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_ENDS_LOTS_H
#define FLITCAST_ENDS_LOTS_H

#include <linux/gfp.h>
#include <linux/mm.h>

/* As many as what sockets of other families take at once. */
#define FLITCAST_LOT_ORDER	get_order(32768)
#define FLITCAST_LOT_SIZE	(PAGE_SIZE << FLITCAST_LOT_ORDER)

/**
 * flitcast_lot_get() - pages for data that is together
 * @gfp: how to allocate them, where none are there to be used again
 *
 * What was used before is charged to who had it first.
 *
 * Return: a compound page of FLITCAST_LOT_SIZE bytes of any content, with a reference that nobody
 * else has; NULL: no memory.
 */
struct page *flitcast_lot_get(gfp_t gfp);

/* As many are given back at a time. */
#define FLITCAST_LOTS_BATCH	16

/**
 * flitcast_lots_put() - they are not needed any more
 * @lot: compound pages of that size, with a reference of the caller's to each; nobody writes to
 *	them any more, others may still read
 * @n: how many, at most FLITCAST_LOTS_BATCH
 */
void flitcast_lots_put(struct page *const *lot, unsigned int n);

/* Return: 0 or -ENOMEM. */
int flitcast_lots_init(void);
void flitcast_lots_exit(void);

#endif /* FLITCAST_ENDS_LOTS_H */
