/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rules of a topology (struct fc_topo_ops) for virtual networks, and for broadcasts.
 */
#ifndef FC_CORE_TOPO_RULES_H
#define FC_CORE_TOPO_RULES_H

#include "core/topo/bcast.h"
#include "core/topo/vclass.h"

/**
 * struct fc_vclass_rules - virtual networks of a topology
 * @init: set at least @count; returns NULL, or the reason why there are no classes (required)
 * @room: fc_vclass_room(); with @fill, for rules that need a table (optional)
 * @fill: fc_vclass_fill() (optional)
 * @first: fc_vclass_first() of two different sites (required)
 * @productive: directions that lead from a site nearer to another in a class; 0 if a packet of the
 *	class cannot be en route to it there (required)
 * @allowed: subset of a mask of directions in which a packet of a class may leave a site, with the
 *	class on each; any result for directions without a link (required)
 *
 * All sites and classes passed exist.  Only @productive depends on a destination.  Only @allowed
 * prevents deadlock: each step leads to a buffer of a higher rank.  A comment above the rules of
 * each topology defines the rank of the buffer at a site for packets that arrive in a class.
 */
struct fc_vclass_rules {
	const char *(*init)(struct fc_vclass *v);
	size_t (*room)(const struct fc_vclass *v, u32 site);
	void (*fill)(struct fc_vclass *v, u32 site, void *room);
	u8 (*first)(const struct fc_vclass *v, u32 src, u32 dst);
	u32 (*productive)(const struct fc_vclass *v, u32 site, u32 dst, u8 class);
	u32 (*allowed)(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next);
};

/* Tags A to D of a packet of a broadcast (HARTS, section 4). */
#define FC_BCAST_TAG_A	0x01
#define FC_BCAST_TAG_B	0x02
#define FC_BCAST_TAG_C	0x04
#define FC_BCAST_TAG_D	0x08

/**
 * struct fc_bcast_sends - runs that begin at a site
 * @n: number of runs
 * @run: @dir, @left, @step and @tags of each; a run with @left 0 sends nothing
 *
 * The packet of a run visits @left sites straight ahead, and is a copy for each of them (the
 * primitive RELAY of HARTS, section 3); at each of them the rules may begin further runs.
 */
struct fc_bcast_sends {
	u32 n;
	struct fc_bcast_packet run[FC_DIRS_MAX];
};

/**
 * struct fc_bcast_rules - broadcasts of a topology
 * @fits: returns false for topologies of this kind to which these rules do not apply (optional)
 * @otherwise: rules for them; NULL: they have none
 * @most: returns the maximum number of copies (required)
 * @relative: returns a site relative to a source, both of the topology; NULL: the network is not
 *	symmetric, and @next serves each source
 * @start: gives the runs of the source (required without @next)
 * @forward: gives the runs that begin at a site where a packet arrives; the packet's own run
 *	continues straight ahead, and @left does not count this site any more (required without
 *	@next)
 * @next: instead of runs: fc_bcast_next() of two or more copies, computed without a table
 */
struct fc_bcast_rules {
	bool (*fits)(const struct fc_topo *topo);
	const struct fc_bcast_rules *otherwise;
	unsigned int (*most)(const struct fc_topo *topo);
	u32 (*relative)(const struct fc_topo *topo, u32 source, u32 site);
	void (*start)(const struct fc_bcast *b, struct fc_bcast_sends *sends);
	void (*forward)(const struct fc_bcast *b, const struct fc_bcast_packet *p,
			struct fc_bcast_sends *sends);
	u32 (*next)(const struct fc_bcast *b, u32 source, u32 site, u8 from);
};

static inline void fc_bcast_send(struct fc_bcast_sends *sends, u8 dir, u32 left, u8 step, u8 tags)
{
	sends->run[sends->n++] = (struct fc_bcast_packet){
		.left = left, .dir = dir, .step = step, .tags = tags,
	};
}

#endif /* FC_CORE_TOPO_RULES_H */
