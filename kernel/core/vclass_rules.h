/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of virtual networks: one small file for one or two kinds of topology.
 */
#ifndef FC_CORE_VCLASS_RULES_H
#define FC_CORE_VCLASS_RULES_H

#include "vclass.h"

/**
 * struct fc_vclass_rules - rules for one kind of topology
 * @topo: the kind
 * @init: set what they need, @count at least; returns NULL, or why there are none
 * @first: fc_vclass_first() of two different sites
 * @wanted: directions that lead from a site nearer to another in a class; 0 if a packet of the
 *	class cannot be on its way there
 * @onward: those of a mask of directions in which a packet of a class may leave a site, with
 *	the class on each; where there is no link it does not matter
 *
 * All get sites and classes that exist.  @wanted alone sees a destination, and @onward
 * alone gives the order: each step of it leads to a buffer of a larger rank, which is
 * given at the top of each file for a buffer at a site for packets that came in a class.
 */
struct fc_vclass_rules {
	const struct fc_topo_ops *topo;
	const char *(*init)(struct fc_vclass *v);
	u8 (*first)(const struct fc_vclass *v, u32 src, u32 dst);
	u32 (*wanted)(const struct fc_vclass *v, u32 site, u32 dst, u8 class);
	u32 (*onward)(const struct fc_vclass *v, u32 site, u8 class, u32 mask, u8 *next);
};

extern const struct fc_vclass_rules fc_vclass_line;
extern const struct fc_vclass_rules fc_vclass_ring;
extern const struct fc_vclass_rules fc_vclass_mesh;
extern const struct fc_vclass_rules fc_vclass_torus;
extern const struct fc_vclass_rules fc_vclass_hypercube;
extern const struct fc_vclass_rules fc_vclass_hexmesh;
extern const struct fc_vclass_rules fc_vclass_graph;

#endif /* FC_CORE_VCLASS_RULES_H */
