/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes around dead links: for each site, the directions in which a shortest path over links that
 * work begins.  Where nothing is dead these are the topology's own minimal directions, and no table
 * is needed.
 */
#ifndef FC_CORE_ROUTES_H
#define FC_CORE_ROUTES_H

#include "base.h"
#include "topo.h"

/**
 * fc_routes_compute() - a table of routes
 * @topo: topology of the network
 * @from: site they begin at
 * @down: by site, ports whose link does not work, as announced by one of its ends (bit 0 is unused)
 * @routes: result: by site, directions; 0: there is no route, or it is @from
 * @work: twice as many words as the topology has sites
 *
 * Takes time in proportion to the sites and their directions.
 */
void fc_routes_compute(const struct fc_topo *topo, u32 from, const u32 *down, u32 *routes,
		       u32 *work);

/**
 * fc_routes_link_works() - does neither end announce a link as dead
 * @topo: topology of the network
 * @down: by site, ports whose link does not work
 * @site: one end
 * @dir: direction of the link there
 *
 * Return: false also where the topology has no such link.
 */
bool fc_routes_link_works(const struct fc_topo *topo, const u32 *down, u32 site, u8 dir);

#endif /* FC_CORE_ROUTES_H */
