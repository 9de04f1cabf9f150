/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Splits a packet into branches: chooses the directions in which it leaves a site, and the targets
 * of each branch.
 *
 * Merging finds a tree of shortest paths with few links, as heuristics for rectilinear Steiner
 * arborescences do (Rao, Sadayappan, Hwang and Shor, Algorithmica 7, 1992): the pair of targets
 * that can share the most links is replaced by one target at the site where the two separate, until
 * no pair can share a link.  Each remaining target is a branch.  Sites on the path compute the same
 * tree, because two targets can share there the links that they could share here, less those
 * already crossed.
 *
 * Splitting by the next link alone takes first the direction that the most targets have.  The trees
 * are larger, but their branches never cross: no shortest path to a target that does not have the
 * direction leads over a site to which a shortest path begins with it.
 */
#ifndef FC_CORE_VNET_SPLIT_H
#define FC_CORE_VNET_SPLIT_H

#include "core/topo/topo.h"
#include "core/wire/wire.h"

/*
 * Lists with more targets than this are split by the next link alone: merging takes time in
 * proportion to the square of the number of targets.  So are lists of half of all sites or more,
 * whose trees include nearly every site anyway.
 */
#define FC_SPLIT_MERGED	12

/**
 * struct fc_split - a list at a site
 * @topo: topology
 * @site: current site
 * @on: directions to prefer among equal ones, or 0
 * @apart: no two branches may cross the same site: split by the next link alone
 * @dst: sites of the targets
 * @dirs: by target: directions of its next hops, not 0
 * @load: by direction of any target: load of the output
 * @mask: result: by direction, targets of the branch
 */
struct fc_split {
	const struct fc_topo *topo;
	u32 site;
	u32 on;
	bool apart;
	u32 dst[FC_TARGETS_MAX];
	u32 dirs[FC_TARGETS_MAX];
	u32 load[FC_DIRS_MAX];
	u64 mask[FC_DIRS_MAX];
};

/**
 * fc_least_load() - choose among directions
 * @load: by direction of @dirs, load of the output
 * @on: directions to prefer among equal ones, or 0
 * @dirs: directions, not 0
 *
 * Return: the direction with the least load; of several the preferred one, or the lowest.
 */
static inline u8 fc_least_load(const u32 *load, u32 on, u32 dirs)
{
	u8 best = (u8)fc_low(dirs);

	for (dirs &= dirs - 1; dirs; dirs &= dirs - 1) {
		u8 d = (u8)fc_low(dirs);

		if (load[d] < load[best] || (load[d] == load[best] && on & fc_bit(d)))
			best = d;
	}
	return best;
}

/**
 * fc_split() - split a list into branches
 * @s: list
 * @targets: mask of the targets to forward; at least one
 * @common: directions that all of these have
 *
 * A branch leaves by the direction with the least load among those that all of its targets have.
 * Each direction has one branch at most.
 *
 * Return: directions of the branches, whose @mask is set.
 */
u32 fc_split(struct fc_split *s, u64 targets, u32 common);

#endif /* FC_CORE_VNET_SPLIT_H */
