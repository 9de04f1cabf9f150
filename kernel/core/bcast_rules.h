/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of broadcasts: one small file a topology.
 *
 * A rule's send begins a run: the packet visits @left sites straight ahead, is
 * a copy for each of them (the primitive RELAY of HARTS, section 3), and at each the
 * rules may begin further runs.
 */
#ifndef FC_CORE_BCAST_RULES_H
#define FC_CORE_BCAST_RULES_H

#include "bcast.h"

/* The paper's tags A to D. */
#define FC_BCAST_TAG_A	0x01
#define FC_BCAST_TAG_B	0x02
#define FC_BCAST_TAG_C	0x04
#define FC_BCAST_TAG_D	0x08

/**
 * struct fc_bcast_sends - what begins at a site
 * @n: how many
 * @run: @dir, @left, @step and @tags of each; one with @left 0 sends nothing
 */
struct fc_bcast_sends {
	u32 n;
	struct fc_bcast_packet run[FC_DIRS_MAX];
};

/**
 * struct fc_bcast_rules - rules for one kind of topology
 * @topo: the kind
 * @refuse: says why not, for a topology of that kind; may be missing
 * @most: the largest number of copies
 * @relative: a site relative to a source, both of the topology
 * @start: what the source sends
 * @forward: what a site sends when a packet has come, besides what goes on straight
 *	ahead; @left does not count this site any more
 */
struct fc_bcast_rules {
	const struct fc_topo_ops *topo;
	const char *(*refuse)(const struct fc_topo *topo);
	unsigned int (*most)(const struct fc_topo *topo);
	u32 (*relative)(const struct fc_topo *topo, u32 source, u32 site);
	void (*start)(const struct fc_bcast *b, struct fc_bcast_sends *sends);
	void (*forward)(const struct fc_bcast *b, const struct fc_bcast_packet *p,
			struct fc_bcast_sends *sends);
};

static inline void fc_bcast_send(struct fc_bcast_sends *sends, u8 dir, u32 left, u8 step, u8 tags)
{
	sends->run[sends->n++] = (struct fc_bcast_packet){
		.left = left, .dir = dir, .step = step, .tags = tags,
	};
}

extern const struct fc_bcast_rules fc_bcast_hexmesh;
extern const struct fc_bcast_rules fc_bcast_torus;
extern const struct fc_bcast_rules fc_bcast_hypercube;

/*
 * Algorithm A (HARTS, section 5): along one direction of a hexmesh through all
 * sites, and for a second copy against it.  For comparison; fc_bcast_init() does
 * not choose it.
 */
extern const struct fc_bcast_rules fc_bcast_hamilton;

#endif /* FC_CORE_BCAST_RULES_H */
