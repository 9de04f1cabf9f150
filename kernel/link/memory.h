/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of flits.  What a site reserves for a flit that may come is a bound for the memory of the
 * one that comes: a frame whose device used more is copied.
 */
#ifndef FLITCAST_LINK_MEMORY_H
#define FLITCAST_LINK_MEMORY_H

#include <linux/math.h>
#include <linux/skbuff.h>
#include "core/wire/wire.h"

/* Memory of a flit besides twice its length: an skb with a page for a short frame has this much. */
#define FLITCAST_FLIT_OVERHEAD	2048

/* Return: maximum bytes of memory (truesize) of a flit, by flit size. */
static inline u32 flitcast_flit_memory(u32 flit)
{
	return 2 * flit + FLITCAST_FLIT_OVERHEAD;
}

/* Return: the same for the flits of a packet with @data data bytes. */
static inline u32 flitcast_packet_memory(u32 flit, u32 data)
{
	return (DIV_ROUND_UP(data, flit - FC_LINK_SIZE) + 1) * flitcast_flit_memory(flit);
}

/**
 * flitcast_flit_copy() - copy a frame into less memory than its device used
 * @skb: unshared frame at its link header, without a fragment list; consumed
 *
 * Context: BH disabled.
 *
 * Return: a frame with the same bytes, which takes flitcast_flit_memory() of its length at most; or
 * NULL: no memory, @skb is unchanged.
 */
struct sk_buff *flitcast_flit_copy(struct sk_buff *skb);

#endif /* FLITCAST_LINK_MEMORY_H */
