/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes around dead links: for each site, the directions in which shortest paths over working
 * links begin.  If no link is dead or suspected, these are the minimal directions of the topology,
 * and no table is needed.
 *
 * A path avoids suspected links if possible, and otherwise is a shortest one over all working
 * links.  Sites with the same database form no loop: if all paths from a site to a destination have
 * suspected links, its next hop is nearer to the destination, or has a path without such links.
 */
#ifndef FC_CORE_FAULTS_ROUTES_H
#define FC_CORE_FAULTS_ROUTES_H

#include "core/base.h"
#include "core/topo/topo.h"

/**
 * fc_routes_compute() - compute the table of routes of a site
 * @topo: topology of the network
 * @from: site at which the routes begin
 * @down: by site, ports whose link does not work, as announced by one of its ends (bit 0 is unused)
 * @suspect: by site, ports whose link is suspected, as @down; NULL: none is
 * @routes: result: by site, directions; 0 for @from, and without a route
 * @work: scratch memory, three words for each site of the topology; two without @suspect
 *
 * Takes time in proportion to the sites and their directions.
 */
void fc_routes_compute(const struct fc_topo *topo, u32 from, const u32 *down,
		       const u32 *suspect, u32 *routes, u32 *work);

/**
 * fc_routes_link_works() - does a link work, by the announcements of both ends?
 * @topo: topology of the network
 * @down: by site, ports whose link does not work
 * @site: site at one end
 * @dir: direction of the link from that site
 *
 * Return: false also if the topology has no such link.
 */
bool fc_routes_link_works(const struct fc_topo *topo, const u32 *down, u32 site, u8 dir);

#endif /* FC_CORE_FAULTS_ROUTES_H */
