// SPDX-License-Identifier: GPL-2.0
#include "core/link/node.h"
#include "core/wire/wire.h"

void fc_pref_default(struct fc_pref *pref, const struct fc_topo *topo)
{
	u8 d;

	memset(pref, 0, sizeof(*pref));
	for (d = 0; d < topo->ndirs; d++) {
		pref->count[d] = 1;
		pref->port[d][0] = d + 1;
	}
}

/* Directions that lead nearer to a site, around what is dead. */
static u32 directions(const struct fc_node *node, u32 dst)
{
	return node->routes ? node->routes[dst] : fc_topo_minimal(node->topo, node->id, dst);
}

static u32 ports_of(const struct fc_node *node, u32 dst, u32 allowed)
{
	u32 dirs = directions(node, dst), rest, ports = 0;
	const struct fc_pref *pref = node->pref;
	unsigned int rank;
	bool more = true;

	for (rank = 0; more && !ports; rank++) {
		more = false;
		for (rest = dirs; rest; rest &= rest - 1) {
			unsigned int d = fc_low(rest);

			if (rank >= pref->count[d])
				continue;
			more = true;
			ports |= fc_bit(pref->port[d][rank]);
		}
		ports &= allowed;
	}
	return ports;
}

u32 fc_node_ports(const struct fc_node *node, u32 dst, u32 allowed)
{
	u32 ports = ports_of(node, dst, allowed & ~node->avoid & ~node->doubtful);

	return ports ? ports : ports_of(node, dst, allowed & ~node->avoid);
}

/* All ports in the lists of some directions. */
static u32 listed(const struct fc_pref *pref, u32 dirs)
{
	u32 ports = 0;
	u8 i;

	for (; dirs; dirs &= dirs - 1) {
		unsigned int d = fc_low(dirs);

		for (i = 0; i < pref->count[d]; i++)
			ports |= fc_bit(pref->port[d][i]);
	}
	return ports;
}

bool fc_pref_blocks(const struct fc_pref *pref, const struct fc_topo *topo, u32 site, u32 dst,
		    u32 never)
{
	return !(listed(pref, fc_topo_minimal(topo, site, dst)) & ~(never << 1));
}

u32 fc_node_narrow_ports(const struct fc_node *node, u32 dst, u32 up, u32 allowed)
{
	const struct fc_prefer *p;
	u32 never, ports;

	if (!node->prefers)
		return fc_node_ports(node, dst, allowed);
	p = fc_prefer_of(node->prefers, dst);
	ports = listed(node->pref, directions(node, dst)) & up & ~(node->avoid | node->doubtful);
	never = ports & ~(p->never << 1) ? p->never : p->strict;
	up &= ~(never << 1);
	if (p->weighted)
		return fc_prefer_narrow(p, fc_node_ports(node, dst, up) >> 1) << 1 & allowed;
	return fc_prefer_first(p, fc_node_ports(node, dst, up & allowed) >> 1) << 1;
}

u32 fc_node_choose_ports(const struct fc_node *node, u32 dst, u32 up, u32 allowed, u32 key)
{
	const struct fc_prefer *p;
	u32 dirs;

	if (!node->prefers)
		return fc_node_ports(node, dst, allowed);
	p = fc_prefer_of(node->prefers, dst);
	if (!p->weighted)
		return fc_node_narrow_ports(node, dst, up, allowed);
	dirs = fc_node_narrow_ports(node, dst, up, up) >> 1;
	return fc_prefer_choose(p, dirs, key, node->id) << 1 & allowed;
}

u8 fc_node_next_port(const struct fc_node *node, u32 dst)
{
	u32 ports = fc_node_choose_ports(node, dst, node->up, node->up, dst);

	/* A control frame is repeated late: a suspected link may carry it. */
	if (!ports)
		ports = ports_of(node, dst, fc_node_permitted(node, dst, node->up >> 1) << 1);
	return ports ? fc_low(ports) : FC_PORT_NONE;
}

bool fc_node_avoids(const struct fc_node *node, const u8 *head, u64 mask, u8 port)
{
	u32 FC_UNSET dst[FC_TARGETS_MAX];

	fc_wire_target_sites(dst, head);
	for (; mask; mask &= mask - 1) {
		u32 to = dst[fc_low64(mask)];

		if (fc_node_permitted(node, to, directions(node, to)) & ~fc_bit(port - 1))
			return true;
	}
	return false;
}

u64 fc_node_local_mask(const struct fc_node *node, const u8 *head)
{
	u32 FC_UNSET dst[FC_TARGETS_MAX];
	unsigned int i, n = fc_wire_target_sites(dst, head);
	u64 mask = 0;

	for (i = 0; i < n; i++)
		if (dst[i] == node->id)
			mask |= fc_bit64(i);
	return mask;
}
