// SPDX-License-Identifier: GPL-2.0
/*
 * The preference table of a site (CARE, Table G).
 */
#include "fabric/enter.h"
#include "site/site.h"

/* Check the preference list of a direction. */
static int check_list(const struct flitcast_site *site, u8 dir, const u8 *ports, u8 nports,
		      struct netlink_ext_ack *extack)
{
	u32 seen = 0;
	u8 i;

	if (dir >= site->cfg.topo.ndirs) {
		NL_SET_ERR_MSG_MOD(extack, "the topology has no such direction");
		return -EINVAL;
	}
	if (nports > site->cfg.topo.ndirs) {
		NL_SET_ERR_MSG_MOD(extack, "more ports than the topology has");
		return -EINVAL;
	}
	for (i = 0; i < nports; i++) {
		if (!ports[i] || ports[i] >= site->node.nports) {
			NL_SET_ERR_MSG_MOD(extack, "the topology has no such port");
			return -EINVAL;
		}
		if (seen & fc_bit(ports[i])) {
			NL_SET_ERR_MSG_MOD(extack, "a port is named twice");
			return -EINVAL;
		}
		seen |= fc_bit(ports[i]);
	}
	return 0;
}

/* Modes with virtual networks route by the topology alone. */
static int check_mode(const struct flitcast_site *site, struct netlink_ext_ack *extack)
{
	if (site->mode->preferred)
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "only mode care has preference lists");
	return -EOPNOTSUPP;
}

static void changed(struct flitcast_site *site)
{
	site->generation++;
	site->mode->preferred(site);
}

int flitcast_route_set(struct flitcast_site *site, u8 dir, const u8 *ports, u8 nports,
		       struct netlink_ext_ack *extack)
{
	int err = check_mode(site, extack);

	if (!err)
		err = check_list(site, dir, ports, nports, extack);
	if (err)
		return err;
	flitcast_enter(site);
	if (nports) {
		memcpy(site->pref.port[dir], ports, nports);
		site->pref.count[dir] = nports;
	} else {
		site->pref.port[dir][0] = dir + 1;
		site->pref.count[dir] = 1;
	}
	changed(site);
	flitcast_leave(site);
	return 0;
}

int flitcast_route_replace(struct flitcast_site *site, const struct fc_pref *pref,
			   const u32 *generation, struct netlink_ext_ack *extack)
{
	int err = check_mode(site, extack);
	u8 dir;

	if (err)
		return err;
	for (dir = 0; dir < site->cfg.topo.ndirs; dir++) {
		if (!pref->count[dir]) {
			NL_SET_ERR_MSG_MOD(extack, "a route needs at least one port");
			return -EINVAL;
		}
		err = check_list(site, dir, pref->port[dir], pref->count[dir], extack);
		if (err)
			return err;
	}
	flitcast_enter(site);
	if (generation && *generation != site->generation) {
		NL_SET_ERR_MSG_MOD(extack, "the table has changed: read it again");
		err = -ESTALE;
	} else {
		site->pref = *pref;
		changed(site);
	}
	flitcast_leave(site);
	return err;
}

u8 flitcast_route_get(struct flitcast_site *site, u8 dir, u8 *ports, u32 *generation)
{
	u8 n;

	if (dir >= site->cfg.topo.ndirs)
		return 0;
	spin_lock_bh(&site->lock);
	n = site->pref.count[dir];
	memcpy(ports, site->pref.port[dir], n);
	*generation = site->generation;
	spin_unlock_bh(&site->lock);
	return n;
}
