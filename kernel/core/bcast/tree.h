/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast of one copy where no rules are known for the topology: a tree of shortest
 * paths for each source, of which each site knows its own branches without a table.
 */
#ifndef FC_CORE_BCAST_TREE_H
#define FC_CORE_BCAST_TREE_H

#include "core/topo/topo.h"

/* fc_tree_next(): at the source itself. */
#define FC_TREE_SOURCE	0xff

/**
 * fc_tree_next() - next hops of a broadcast
 * @topo: topology of the network
 * @source: where it began
 * @site: where it is
 * @from: direction of the link on which it came, as @site sees it, or FC_TREE_SOURCE
 * @next: gets the directions in which it is forwarded, if it may come there
 *
 * The parent of a site is its neighbour in the first of the directions that lead nearer to
 * the source.
 *
 * Return: false if it may not come there.
 */
bool fc_tree_next(const struct fc_topo *topo, u32 source, u32 site, u8 from, u32 *next);

#endif /* FC_CORE_BCAST_TREE_H */
