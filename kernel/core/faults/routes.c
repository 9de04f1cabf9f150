// SPDX-License-Identifier: GPL-2.0
/*
 * One breadth-first search finds all shortest paths from a site: a site that is reached is reached
 * in the directions of all those one step before it.
 */
#include "core/faults/routes.h"

bool fc_routes_link_works(const struct fc_topo *topo, const u32 *down, u32 site, u8 dir)
{
	u32 peer = fc_topo_neighbour(topo, site, dir);

	return peer != FC_SITE_NONE && !(down[site] & fc_bit(dir + 1)) &&
	       !(down[peer] & fc_bit(topo->ops->arrival(topo, site, dir) + 1));
}

/*
 * Routes over links that work and, if @suspect is not NULL, are not suspected.  Return: number of
 * sites reached.
 */
static u32 search(const struct fc_topo *topo, u32 from, const u32 *down, const u32 *suspect,
		  u32 *routes, u32 *work)
{
	u32 *steps = work, *queue = work + topo->nsites;
	u32 head = 0, tail = 0, site;
	u8 d;

	for (site = 0; site < topo->nsites; site++) {
		routes[site] = 0;
		steps[site] = FC_SITE_NONE;
	}
	steps[from] = 0;
	queue[tail++] = from;
	while (head < tail) {
		site = queue[head++];
		for (d = 0; d < topo->ndirs; d++) {
			u32 peer;

			if (!fc_routes_link_works(topo, down, site, d) ||
			    (suspect && !fc_routes_link_works(topo, suspect, site, d)))
				continue;
			peer = fc_topo_neighbour(topo, site, d);
			if (steps[peer] == FC_SITE_NONE) {
				steps[peer] = steps[site] + 1;
				queue[tail++] = peer;
			}
			if (steps[peer] == steps[site] + 1)
				routes[peer] |= site == from ? fc_bit(d) : routes[site];
		}
	}
	return tail;
}

void fc_routes_compute(const struct fc_topo *topo, u32 from, const u32 *down,
		       const u32 *suspect, u32 *routes, u32 *work)
{
	u32 *all = work + 2 * topo->nsites, site;

	if (search(topo, from, down, suspect, routes, work) == topo->nsites || !suspect)
		return;
	search(topo, from, down, NULL, all, work);
	for (site = 0; site < topo->nsites; site++)
		if (!routes[site])
			routes[site] = all[site];
}
