/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcasts in several copies on a graph: libflitcast's disjoint paths, converted to the path
 * entries of each site (core/bcast/path.h).
 */
#ifndef FLITCAST_GRAPH_PATHS_H
#define FLITCAST_GRAPH_PATHS_H

#include "flitcast_paths.h"
#include "core/topo/graph.h"
#include "core/bcast/path.h"

/**
 * graph_paths() - find and check disjoint paths from a source
 * @paths: result, to be given to flitcast_paths_free(); untouched unless NULL is returned
 * @graph: the network
 * @source: source of the broadcasts
 * @copies: number of copies
 *
 * The result depends only on the arguments, so that all sites find the same paths.
 *
 * Return: NULL, or a constant text; errno is that of flitcast_paths_find().
 */
const char *graph_paths(struct flitcast_paths *paths, const struct fc_graph *graph,
			uint32_t source, unsigned int copies);

/**
 * graph_path_entries() - extract the parts of paths that lead through a site
 * @topo: topology of the graph
 * @paths: paths
 * @site: the site
 * @entry: gets the path entries, in order, and checked
 * @n: gets the number of path entries
 *
 * Return: NULL, or a constant text: the paths need more entries or labels than the limits allow.
 */
const char *graph_path_entries(const struct fc_topo *topo, const struct flitcast_paths *paths,
			       uint32_t site, struct fc_path_entry entry[FC_PATH_ENTRIES_MAX],
			       uint32_t *n);

#endif /* FLITCAST_GRAPH_PATHS_H */
