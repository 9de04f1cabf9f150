/* SPDX-License-Identifier: GPL-2.0 */
/* Route cache of the switch of mode vnet (vnet_cache.c); vnet_machine.h has its functions. */
#ifndef FC_CORE_VNET_VNET_CACHE_H
#define FC_CORE_VNET_VNET_CACHE_H

#include "core/topo/topo.h"

/* Number of entries of a route cache. */
#define FC_VROUTES	64

/**
 * struct fc_vroute - next hops of packets to a site
 * @dst: the site; FC_SITE_NONE: the entry is empty
 * @dirs: directions, including those of links that are down
 * @from: class in which the packets arrived, or FC_VCLASSES_MAX: this site sends them
 * @class: row of struct fc_vroute_cache, @next, that has their class on each link
 */
struct fc_vroute {
	u32 dst;
	u32 dirs;
	u8 from;
	u8 class;
};

/**
 * struct fc_vroute_cache - cache of results of core/topo/vclass.h
 * @route: by a hash of destination and class; a new entry replaces the old one
 * @next: by class of a packet at this site, and direction: its class on that link
 *
 * All are functions of the topology and the site, so no entry is ever stale.
 */
struct fc_vroute_cache {
	struct fc_vroute route[FC_VROUTES];
	u8 next[][FC_DIRS_MAX];
};

static inline size_t fc_vroute_cache_size(u8 nclasses)
{
	return sizeof(struct fc_vroute_cache) + (size_t)nclasses * FC_DIRS_MAX;
}

#endif /* FC_CORE_VNET_VNET_CACHE_H */
