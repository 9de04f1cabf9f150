/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * libflitcast: circles in the routing tables of a network.
 *
 * Each site forwards a packet to one of the next hops that its table has for the target.  Where
 * tables disagree, packets can come back to a site again and again, and never arrive.  The check
 * needs the tables only: it applies to a routing of any kind, before a site loads it.
 */
#ifndef FLITCAST_ROUTES_H
#define FLITCAST_ROUTES_H

#include <stdbool.h>
#include <stdint.h>
#include "flitcast_paths.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct flitcast_circle - sites among which packets to a target can go round
 * @target: the target
 * @sites: number of sites of the circle
 * @site: the sites: each has the following one as a next hop, and the last one has the first
 * @open: some site of the circle, or of a circle that shares sites with it, also has a next hop
 *	from which packets do not come back
 */
struct flitcast_circle {
	uint32_t target;
	uint32_t sites;
	const uint32_t *site;
	bool open;
};

/**
 * struct flitcast_routes - the routing tables of a network
 * @next: store the next hops of packets for @target at @site, another site, in @hop: neighbours of
 *	@site, in any order; @hop has room for all of them.  Return: number of next hops; 0 if
 *	@site drops the packets.
 * @data: first argument of @next
 */
struct flitcast_routes {
	uint32_t (*next)(void *data, uint32_t site, uint32_t target, uint32_t *hop);
	void *data;
};

/**
 * flitcast_routes_circles() - find circles in routing tables
 * @graph: the network
 * @routes: its tables
 * @first: first target
 * @last: last target
 * @found: called for each circle, with @data; a result other than 0 ends the search.  The circle
 *	is valid during the call.  NULL: only count the circles
 * @data: first argument of @found
 * @error: if not NULL, gets a constant error message
 *
 * Circles that are joined, so that packets of each can get into the other and back, count as one:
 * @found is called with a shortest circle through the site of the least number.  So a target has
 * no circle if and only if none is found for it.  Takes time in proportion to sites + links for
 * each target.
 *
 * Return: number of circles found, or -1 with errno EINVAL (malformed arguments, or a next hop
 * that is no neighbour) or ENOMEM.
 */
int flitcast_routes_circles(const struct flitcast_graph *graph,
			    const struct flitcast_routes *routes, uint32_t first, uint32_t last,
			    int (*found)(void *data, const struct flitcast_circle *circle),
			    void *data, const char **error);

#ifdef __cplusplus
}
#endif

#endif /* FLITCAST_ROUTES_H */
