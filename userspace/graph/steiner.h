/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steiner trees: the least number of links that join a source and its targets.
 */
#ifndef FLITCAST_GRAPH_STEINER_H
#define FLITCAST_GRAPH_STEINER_H

#include "core/topo/topo.h"

/* The tree is exact for at most this number of targets ... */
#define STEINER_TARGETS		12
/* ... if sites times subsets of the targets, and sites times directions, are at most this. */
#define STEINER_ROOM		(1U << 22)
/* With more targets no spanning tree of their distances is computed. */
#define STEINER_SPAN		1024

/**
 * struct steiner - the shortest tree that joins a source and its targets
 * @links: number of its links, or a lower bound
 * @exact: @links is exact
 * @targets: reachable targets that it joins, each counted once, without the source
 */
struct steiner {
	u32 links;
	bool exact;
	u32 targets;
};

/**
 * steiner_tree() - count the links of the shortest tree that joins a source and its targets
 * @tree: result
 * @topo: topology
 * @down: by site, ports whose link one of its ends reports dead (core/faults/routes.h); NULL
 *	if all links work
 * @from: source
 * @target: targets, in any order; may contain duplicates and the source
 * @n: number of @target
 *
 * The links are exact for one target, for targets that form a connected network with their source,
 * and within STEINER_TARGETS and STEINER_ROOM.  Otherwise they are the largest of these lower
 * bounds: the targets, the largest distance, half of a spanning tree of the distances, and the
 * exact links of some of the targets.
 *
 * Takes at most half of 3^STEINER_TARGETS steps for each of 1,024 sites, and 40 MB.
 *
 * Return: false without enough memory.
 */
bool steiner_tree(struct steiner *tree, const struct fc_topo *topo, const u32 *down, u32 from,
		  const u32 *target, u32 n);

#endif /* FLITCAST_GRAPH_STEINER_H */
