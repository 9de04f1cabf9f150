/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hexagonal meshes: functions beyond the table of topologies, for simulator and drawings.
 */
#ifndef FC_CORE_TOPO_HEXMESH_H
#define FC_CORE_TOPO_HEXMESH_H

#include "core/topo/topo.h"

struct fc_bcast_rules;

/* Directions h0 to h5, 60 degrees apart; three axes. */
#define FC_HEXMESH_DIRS		6
#define FC_HEXMESH_AXES		3

/**
 * fc_hexmesh_tag() - the routing tag: shortest paths differ only in the order of these steps
 * @topo: a hexmesh
 * @from: site
 * @to: site
 * @tag: result: number of steps in the directions h0, h1 and h2; negative: in the opposite ones,
 *	h3, h4 and h5
 *
 * At most two of them are not 0, and the directions of those two are adjacent.
 */
void fc_hexmesh_tag(const struct fc_topo *topo, u32 from, u32 to, s32 tag[FC_HEXMESH_AXES]);

/*
 * Algorithm A (HARTS, section 5): visits all sites along one direction of a hexmesh; a second copy
 * travels in the opposite direction.  Only for comparison: fc_bcast_init() does not choose it.
 */
extern const struct fc_bcast_rules fc_bcast_hamilton;

#endif /* FC_CORE_TOPO_HEXMESH_H */
