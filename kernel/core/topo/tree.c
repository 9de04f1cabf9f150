// SPDX-License-Identifier: GPL-2.0
#include "core/topo/tree.h"

bool fc_tree_next(const struct fc_topo *topo, u32 source, u32 site, u8 from, u32 *next)
{
	bool here = site == source;
	u8 d;

	if (source >= topo->nsites || (here && from != FC_TREE_SOURCE))
		return false;
	if (!here && from != fc_low(fc_topo_minimal(topo, site, source)))
		return false;
	*next = 0;
	for (d = 0; d < topo->ndirs; d++) {
		u32 v = fc_topo_neighbour(topo, site, d);

		if (v != FC_SITE_NONE && v != source &&
		    fc_low(fc_topo_minimal(topo, v, source)) == topo->ops->arrival(topo, site, d))
			*next |= fc_bit(d);
	}
	return true;
}
