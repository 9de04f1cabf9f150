/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Preference tables of sites from a file: lines as "flitcast route show" prints them,
 *
 *	site ID to TARGETS [prefer PORTS] [never PORTS [strict]] [weights WEIGHTS] [generation N]
 *	site ID DIRECTION ports PORTS [generation N]
 *
 * in any order; # begins a comment.
 */
#ifndef FLITCAST_SIM_ROUTES_H
#define FLITCAST_SIM_ROUTES_H

#include "core/link/node.h"

struct config;

/**
 * struct routes - the tables of a network
 * @nsites: number of sites
 * @listed: by site, directions whose list the file has
 * @pref: by site, its lists of directions; NULL: the default ones
 * @prefers: by site, its entries for targets; NULL: it has none
 */
struct routes {
	u32 nsites;
	u32 *listed;
	struct fc_pref **pref;
	struct fc_prefer_table **prefers;
};

/**
 * routes_read() - read the tables of a network
 * @path: file
 * @config: settings, with the topology and the mode
 * @classes: classes of the network, in modes that have them
 *
 * Return: the tables, which a site would accept, or NULL after an error message on standard error.
 */
struct routes *routes_read(const char *path, const struct config *config,
			   const struct fc_vclass *classes);

/**
 * routes_static() - tables of static routing (CARE, 4.6): one net-output for each target
 * @topo: topology
 *
 * Return: tables with the first direction of each target, which in a mesh is that of the first
 * dimension in which the sites differ.
 */
struct routes *routes_static(const struct fc_topo *topo);
void routes_free(struct routes *routes);

/* Give a site its tables; @routes may be NULL. */
static inline void routes_apply(const struct routes *routes, struct fc_node *node)
{
	if (!routes)
		return;
	if (routes->pref[node->id])
		node->pref = routes->pref[node->id];
	node->prefers = routes->prefers[node->id];
}

#endif /* FLITCAST_SIM_ROUTES_H */
