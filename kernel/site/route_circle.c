// SPDX-License-Identifier: GPL-2.0
/*
 * Circles of preference lists that a site can find alone: a neighbour with the default table has no
 * choice but to send packets back here.
 */
#include "compat.h"
#include "site/route.h"

/* Does a neighbour send packets to @dst back, by every first choice of the default table? */
static bool sends_back(const struct fc_topo *topo, u32 here, u8 port, u32 dst)
{
	u32 peer = fc_topo_neighbour(topo, here, port - 1);

	/* A default list has one port, and the directions that lead nearer have links. */
	return peer != FC_SITE_NONE && peer != dst &&
	       fc_topo_minimal(topo, peer, dst) ==
	       fc_bit(topo->ops->arrival(topo, here, port - 1));
}

void flitcast_route_warn(const struct fc_topo *topo, u32 here, u8 dir, const u8 *ports, u8 nports,
			 struct netlink_ext_ack *extack)
{
	u32 dst;
	u8 i;

	for (dst = 0; dst < topo->nsites; dst++) {
		if (!(dst % 1024))
			cond_resched();
		if (dst == here || !(fc_topo_minimal(topo, here, dst) & fc_bit(dir)))
			continue;
		for (i = 0; i < nports; i++) {
			if (!sends_back(topo, here, ports[i], dst))
				continue;
			FLITCAST_ERR_MSG_FMT(extack, "a neighbour by default sends packets back",
					     "port %u: site %u by default sends packets for %u back",
					     ports[i],
					     fc_topo_neighbour(topo, here, ports[i] - 1), dst);
			return;
		}
	}
}
