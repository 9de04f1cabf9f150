/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes around dead links: for each site, the directions in which a shortest path over links that
 * work begins.  Where nothing is dead these are the topology's own minimal directions, and no table
 * is needed.
 *
 * A path avoids suspected links if another one exists, and else takes a shortest one over all links
 * that work.  Sites that know the same links make no loop: of the sites from which all paths to a
 * destination lead over suspected links, each next hop is nearer to it or has a path without.
 */
#ifndef FC_CORE_FAULTS_ROUTES_H
#define FC_CORE_FAULTS_ROUTES_H

#include "core/base.h"
#include "core/topo/topo.h"

/**
 * fc_routes_compute() - a table of routes
 * @topo: topology of the network
 * @from: site they begin at
 * @down: by site, ports whose link does not work, as announced by one of its ends (bit 0 is unused)
 * @suspect: by site, ports whose link is suspected, likewise; NULL: none is
 * @routes: result: by site, directions; 0: there is no route, or it is @from
 * @work: three times as many words as the topology has sites; twice without @suspect
 *
 * Takes time in proportion to the sites and their directions.
 */
void fc_routes_compute(const struct fc_topo *topo, u32 from, const u32 *down,
		       const u32 *suspect, u32 *routes, u32 *work);

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

#endif /* FC_CORE_FAULTS_ROUTES_H */
