/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_FABRIC_GRAPH_H
#define FLITCAST_FABRIC_GRAPH_H

#include "core/topo/graph.h"

/**
 * flitcast_graph_get() - the graph of these links, made if nobody has it
 * @link: links
 * @nlinks: how many
 * @wrong: gets a constant text where they are not those of a graph
 *
 * Context: may sleep.
 * Return: the graph, with a reference, or ERR_PTR: -EINVAL, -ENOMEM.
 */
const struct fc_graph *flitcast_graph_get(const struct fc_graph_link *link, u32 nlinks,
					  const char **wrong);
/* Another reference to what the caller has one of.  Context: may sleep. */
void flitcast_graph_hold(const struct fc_graph *graph);
/* Context: may sleep. */
void flitcast_graph_put(const struct fc_graph *graph);

#endif /* FLITCAST_FABRIC_GRAPH_H */
