// SPDX-License-Identifier: GPL-2.0
#include "core/vnet/postman.h"

void fc_postman_fill(const struct fc_vclass *v, u32 site, u8 nports, struct fc_straight *table)
{
	const struct fc_topo *topo = v->topo;
	u8 next[FC_DIRS_MAX], class, port;

	for (class = 0; class < v->count; class++) {
		u32 allowed = fc_vclass_allowed(v, site, class, next);

		for (port = 0; port < nports; port++) {
			struct fc_straight *s = &table[class * nports + port];
			u8 dir;

			*s = (struct fc_straight){ .port = FC_PORT_LOCAL };
			if (port == FC_PORT_LOCAL || topo->graph)
				continue;
			dir = topo->ops->arrival(topo, site, port - 1);
			/* In a hypercube the next step in a dimension leads back. */
			if (dir == port - 1 || !(allowed & fc_bit(dir)))
				continue;
			*s = (struct fc_straight){ .port = dir + 1, .class = next[dir] };
		}
	}
}

bool fc_postman_right(const struct fc_topo *topo, u32 site, u32 dst, u8 dir)
{
	return fc_topo_minimal(topo, site, dst) & fc_bit(dir);
}

bool fc_postman_dead(const struct fc_topo *topo, u32 site, u8 port, u32 dst, u8 eager)
{
	u8 dir;

	if (!eager || port == FC_PORT_LOCAL)
		return false;
	dir = topo->ops->arrival(topo, site, port - 1);
	for (; eager; eager--) {
		site = fc_topo_neighbour(topo, site, port - 1);
		if (site == FC_SITE_NONE || !fc_postman_right(topo, site, dst, dir))
			return true;
	}
	return false;
}
