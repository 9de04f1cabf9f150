/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Graphs: any connected network, given by its links.
 *
 * Links are canonical: the end with the smaller number first, and in ascending order, so
 * that a network has one list of links, and one name: "graph:N:DIGEST".
 */
#ifndef FC_CORE_TOPO_GRAPH_H
#define FC_CORE_TOPO_GRAPH_H

#include "core/topo/topo.h"

/* All distances are kept: two megabytes. */
#define FC_GRAPH_SITES_MAX	1024
/* As many as fit a netlink attribute. */
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
 * @neighbour: for each site and direction, FC_DIRS_MAX of a site, the neighbour
 * @back: likewise, the direction in which that one sees the site
 * @distance: for each pair of sites, links on a shortest path
 * @queue: for the search of these
 * @digest: 64-bit FNV-1a hash of the links, each end as four bytes, the highest first
 * @nsites: sites
 * @nlinks: links
 * @degree: by site, its links
 * @ndirs: the most links of a site
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
 * fc_graph_begin() - are links canonical, and of how many sites
 * @graph: result but for the arrays and @ndirs; untouched unless NULL is returned
 * @link: links, the caller's, which stay as long as the graph
 * @nlinks: how many
 *
 * Return: NULL, or a constant text with the error.
 */
const char *fc_graph_begin(struct fc_graph *graph, const struct fc_graph_link *link, u32 nlinks);

/* Return: bytes of memory that fc_graph_fill() needs, aligned as u16 is. */
size_t fc_graph_room(const struct fc_graph *graph);

/**
 * fc_graph_fill() - neighbours and distances
 * @graph: from fc_graph_begin()
 * @room: memory, which stays as long as the graph
 *
 * Takes time in proportion to the sites times the links.
 *
 * Return: NULL, or a constant text: the graph is not connected, or a site has more
 * links than ports.
 */
const char *fc_graph_fill(struct fc_graph *graph, void *room);

/**
 * fc_graph_topo() - the topology that a graph is
 * @topo: result
 * @graph: filled; stays as long as the topology
 */
void fc_graph_topo(struct fc_topo *topo, const struct fc_graph *graph);

#endif /* FC_CORE_TOPO_GRAPH_H */
