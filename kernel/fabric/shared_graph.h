/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_FABRIC_SHARED_GRAPH_H
#define FLITCAST_FABRIC_SHARED_GRAPH_H

#include "core/topo/graph.h"

/**
 * flitcast_graph_get() - get the graph of a set of links, creating it if needed
 * @link: links
 * @nlinks: number of links
 * @wrong: set to a constant string if the links are invalid
 *
 * Context: may sleep.
 * Return: the graph, with a reference, or ERR_PTR: -EINVAL, -ENOMEM.
 */
const struct fc_graph *flitcast_graph_get(const struct fc_graph_link *link, u32 nlinks,
					  const char **wrong);
/* Take another reference; the caller holds one.  Context: may sleep. */
void flitcast_graph_hold(const struct fc_graph *graph);
/* Context: may sleep. */
void flitcast_graph_put(const struct fc_graph *graph);

#endif /* FLITCAST_FABRIC_SHARED_GRAPH_H */
