/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Steiner trees: how few links join a source and its targets.
 */
#ifndef FLITCAST_GRAPH_STEINER_H
#define FLITCAST_GRAPH_STEINER_H

#include "topo.h"

/* The tree is exact for so many targets ... */
#define STEINER_TARGETS		12
/* ... where sites times subsets of the targets, and sites times directions, are at most this. */
#define STEINER_ROOM		(1U << 22)
/* With more targets no spanning tree of their distances is computed. */
#define STEINER_SPAN		1024

/**
 * struct steiner - the shortest tree that joins a source and its targets
 * @links: its links, or a lower bound of them
 * @exact: they are exact
 * @targets: reachable targets that it joins, each counted once, without the source
 */
struct steiner {
	u32 links;
	bool exact;
	u32 targets;
};

/**
 * steiner_tree() - links of the shortest tree that joins a source and its targets
 * @tree: result
 * @topo: topology
 * @down: by site, ports whose link does not work, as one of its ends says (core/routes.h); NULL
 *	where all work
 * @from: source
 * @target: targets, in any order, the same one several times or the source if need be
 * @n: how many
 *
 * The links are exact for one target, for targets that form a connected network with their source,
 * and within STEINER_TARGETS and STEINER_ROOM.  Otherwise they are the largest of these lower
 * bounds: the targets, the largest distance, half of a spanning tree of the distances, and the
 * exact links of some of the targets.
 *
 * Takes at most half of 3^STEINER_TARGETS steps for each of 1,024 sites, and 40 MB.
 *
 * Return: false where there is not enough memory.
 */
bool steiner_tree(struct steiner *tree, const struct fc_topo *topo, const u32 *down, u32 from,
		  const u32 *target, u32 n);

#endif /* FLITCAST_GRAPH_STEINER_H */
