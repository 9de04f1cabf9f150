/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_ENDS_BLOCKS_H
#define FLITCAST_ENDS_BLOCKS_H

#include <linux/gfp.h>
#include <linux/mm.h>

/* Size of a page block: that of the page fragments of other socket families. */
#define FLITCAST_BLOCK_ORDER	get_order(32768)
#define FLITCAST_BLOCK_SIZE	(PAGE_SIZE << FLITCAST_BLOCK_ORDER)

/**
 * flitcast_block_get() - get a page block for contiguous data
 * @gfp: allocation flags, if none can be reused
 *
 * A reused block stays charged to the memory cgroup that allocated it.
 *
 * Return: a compound page of FLITCAST_BLOCK_SIZE bytes of any content, with the only reference to
 * it; NULL: no memory.
 */
struct page *flitcast_block_get(gfp_t gfp);

/* Maximum number of blocks per flitcast_blocks_put() call. */
#define FLITCAST_BLOCKS_BATCH	16

/**
 * flitcast_blocks_put() - return page blocks for reuse
 * @block: compound pages of FLITCAST_BLOCK_SIZE; takes over a reference to each; there are no more
 *	writers, but maybe readers
 * @n: number of blocks, at most FLITCAST_BLOCKS_BATCH
 */
void flitcast_blocks_put(struct page *const *block, unsigned int n);

/* Return: 0 or -ENOMEM. */
int flitcast_blocks_init(void);
void flitcast_blocks_exit(void);

#endif /* FLITCAST_ENDS_BLOCKS_H */
