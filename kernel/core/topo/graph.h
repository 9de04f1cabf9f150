/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Graphs: any connected network, given by its links.
 *
 * The list of links is canonical: each link has the end with the smaller number first, and links
 * are in ascending order.  So a network has one list, and one name: "graph:N:DIGEST".
 */
#ifndef FC_CORE_TOPO_GRAPH_H
#define FC_CORE_TOPO_GRAPH_H

#include "core/topo/topo.h"

/* Maximum number of sites: the distances of all pairs take two megabytes. */
#define FC_GRAPH_SITES_MAX	1024
/* Maximum number of links: they fit a netlink attribute. */
#define FC_GRAPH_LINKS_MAX	8000

/**
 * struct fc_graph_link - a link
 * @site: its ends, the smaller number first
 */
struct fc_graph_link {
	u32 site[2];
};

/**
 * struct fc_graph - a graph; constant once filled
 * @link: its links
 * @neighbour: by site and direction (FC_DIRS_MAX for each site), the neighbour
 * @back: by site and direction, the direction from the neighbour to the site
 * @distance: for each pair of sites, number of links on a shortest path
 * @queue: queue of the breadth-first search for @distance
 * @digest: 64-bit FNV-1a hash of the links, each end as four bytes, big-endian
 * @nsites: number of sites
 * @nlinks: number of links
 * @degree: by site, number of its links
 * @ndirs: maximum of @degree
 */
struct fc_graph {
	const struct fc_graph_link *link;
	u16 *neighbour;
	u8  *back;
	u16 *distance;
	u16 *queue;
	u8  *degree;
	u64 digest;
	u32 nsites;
	u32 nlinks;
	u8  ndirs;
};

/**
 * fc_graph_begin() - validate a list of links, and count the sites
 * @graph: result, except the arrays and @ndirs; unchanged unless NULL is returned
 * @link: links; the caller's memory, which outlives the graph
 * @nlinks: number of links
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_graph_begin(struct fc_graph *graph, const struct fc_graph_link *link, u32 nlinks);

/* Return: bytes of memory that fc_graph_fill() needs, aligned as u16 is. */
size_t fc_graph_room(const struct fc_graph *graph);

/**
 * fc_graph_fill() - compute neighbours and distances
 * @graph: from fc_graph_begin()
 * @room: memory, which outlives the graph
 *
 * Takes time in proportion to the sites times the links.
 *
 * Return: NULL, or a constant text: the graph is not connected, or a site has more
 * links than ports.
 */
const char *fc_graph_fill(struct fc_graph *graph, void *room);

/**
 * fc_graph_topo() - make a topology of a graph
 * @topo: result
 * @graph: graph, filled; outlives the topology
 */
void fc_graph_topo(struct fc_topo *topo, const struct fc_graph *graph);

#endif /* FC_CORE_TOPO_GRAPH_H */
