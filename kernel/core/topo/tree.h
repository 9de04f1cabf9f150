/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcast in one copy where no rules have runs for it: for each source a tree of shortest paths,
 * of which each site computes its own branches without a table.
 */
#ifndef FC_CORE_TOPO_TREE_H
#define FC_CORE_TOPO_TREE_H

#include "core/topo/topo.h"

/* @from of fc_tree_next(): the site is the source. */
#define FC_TREE_SOURCE	0xff

/**
 * fc_tree_next() - next hops of a broadcast
 * @topo: topology of the network
 * @source: source of the broadcast
 * @site: site that the packet has reached
 * @from: direction from @site of the input link, or FC_TREE_SOURCE
 * @next: result, if true is returned: directions in which to forward the packet
 *
 * The parent of a site is its neighbour in the first of the directions that lead nearer to
 * the source.
 *
 * Return: false if the input link is not on the tree.
 */
bool fc_tree_next(const struct fc_topo *topo, u32 source, u32 site, u8 from, u32 *next);

#endif /* FC_CORE_TOPO_TREE_H */
