/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The preference table of a site: lists of directions (struct fc_pref), and entries of preferences
 * among the next hops to targets (struct fc_prefer).
 *
 * Netlink's lock serialises the requests that change a table.
 */
#ifndef FLITCAST_SITE_ROUTE_H
#define FLITCAST_SITE_ROUTE_H

#include "core/link/node.h"

struct flitcast_site;
struct netlink_ext_ack;

/**
 * flitcast_route_set() - replace the preference list of a direction
 * @site: site
 * @dir: direction of the topology
 * @ports: ports in decreasing order of preference, no port twice
 * @nports: 1 .. number of directions; 0 restores the default (port @dir + 1)
 * @extack: reason of a refusal, or a warning: see flitcast_route_warn()
 *
 * Return: 0, -EINVAL, -ENOMEM, -EOPNOTSUPP (only mode care has lists of directions).
 */
int flitcast_route_set(struct flitcast_site *site, u8 dir, const u8 *ports, u8 nports,
		       struct netlink_ext_ack *extack);

/*
 * Set a warning, if a neighbour with the default table sends packets of a valid list back here.  It
 * is no error: the table of the neighbour may be changed next.
 */
void flitcast_route_warn(const struct fc_topo *topo, u32 here, u8 dir, const u8 *ports, u8 nports,
			 struct netlink_ext_ack *extack);

/**
 * flitcast_prefer_set() - add an entry of preferences among next hops, or replace it
 * @site: site
 * @entry: the entry, whose directions exist; it replaces the one for the same targets
 * @extack: reason of a refusal
 *
 * Return: 0, -EINVAL, -ENOSPC (FC_PREFER_MAX entries), -ENOMEM.
 */
int flitcast_prefer_set(struct flitcast_site *site, const struct fc_prefer *entry,
			struct netlink_ext_ack *extack);

/**
 * flitcast_prefer_del() - remove an entry
 * @site: site
 * @entry: its targets; other members are not read
 * @extack: reason of a refusal
 *
 * Return: 0, -ENOENT, -ENOMEM.
 */
int flitcast_prefer_del(struct flitcast_site *site, const struct fc_prefer *entry,
			struct netlink_ext_ack *extack);

/* Read entry @index, from 0.  Return: false if there are fewer. */
bool flitcast_prefer_get(struct flitcast_site *site, u32 index, struct fc_prefer *entry,
			 u32 *generation);

/**
 * flitcast_route_replace() - replace the whole table at once
 * @site: site
 * @pref: a list for each direction of the topology, as in flitcast_route_set(); the default ones
 *	in modes other than care
 * @entry: entries of preferences among next hops, as in flitcast_prefer_set()
 * @count: number of entries
 * @generation: generation of the table to be replaced; NULL: any
 * @extack: reason of a refusal
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOSPC, -ENOMEM, -ESTALE (another generation).
 */
int flitcast_route_replace(struct flitcast_site *site, const struct fc_pref *pref,
			   const struct fc_prefer *entry, u32 count, const u32 *generation,
			   struct netlink_ext_ack *extack);

/* Read the preference list of a direction: at most FC_PORTS_MAX ports.  Return: their number. */
u8 flitcast_route_get(struct flitcast_site *site, u8 dir, u8 *ports, u32 *generation);

#endif /* FLITCAST_SITE_ROUTE_H */
