/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Splits a packet into branches: by which directions it leaves a site, and which of its targets
 * leave by each.
 *
 * A tree of shortest paths with few links is found by merging, as heuristics for rectilinear
 * Steiner arborescences do (Rao, Sadayappan, Hwang and Shor, Algorithmica 7, 1992): of all pairs of
 * targets the one that can stay together for most links is taken for one target, at the site where
 * the two part, until no pair can stay together even for one link.  Each target that is left is a
 * branch.  Sites on the path compute the same tree, because what two targets can share from there
 * is what they could share from here, less the links that they have gone.
 *
 * By the next link alone the direction goes first that most of the targets have.  The trees are
 * larger, but their branches never cross: no shortest path to a target that does not have the
 * direction leads over a site to which one begins with it.
 */
#ifndef FC_CORE_VNET_SPLIT_H
#define FC_CORE_VNET_SPLIT_H

#include "core/topo/topo.h"
#include "core/wire/wire.h"

/*
 * Lists of more targets than this are parted by the next link alone: merging takes time in
 * proportion to the square of the targets.  So are lists of half of all sites or more, whose trees
 * need nearly every site anyway.
 */
#define FC_SPLIT_MERGED	12

/**
 * struct fc_split - a list at a site
 * @topo: topology
 * @site: where it is
 * @on: directions to prefer where others are as good, or 0
 * @apart: no two branches may come to the same site: the list is parted by the next link alone
 * @dst: sites of the targets
 * @dirs: by target: the directions in which it can go on, not 0
 * @load: by direction that a target has: what waits there
 * @mask: result: by direction, the targets that leave by it
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
 * @load: by direction, what waits there; read for those of @dirs
 * @on: directions to prefer where others are as good, or 0
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
 * fc_split() - part a list
 * @s: list
 * @targets: those of its targets that go on; at least one
 * @common: directions that all of these have
 *
 * A branch leaves by the direction with the least load among those that all of its targets have.
 * Each direction has one branch at most.
 *
 * Return: directions of the branches, whose @mask is set.
 */
u32 fc_split(struct fc_split *s, u64 targets, u32 common);

#endif /* FC_CORE_VNET_SPLIT_H */
