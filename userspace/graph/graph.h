/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Topologies by their specification, for programs: those of fc_topo_parse(), and graph:FILE.
 */
#ifndef FLITCAST_GRAPH_H
#define FLITCAST_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include "core/topo/graph.h"

#define GRAPH_PREFIX		"graph:"
#define GRAPH_ERROR_SIZE	512

/**
 * graph_topology() - read a specification
 * @topo: result, to be given to graph_free(); untouched unless true is returned
 * @spec: such as torus:4x4, or graph:FILE
 * @error: on failure gets the error message; for a file, with its line
 *
 * A file has one link per line, the numbers of two sites, and comments from # to the end of
 * a line; or it is JSON, {"sites": N, "links": [[A, B], ...]}.  Sites are 0 to N - 1.
 *
 * Return: true, or false after an error.
 */
bool graph_topology(struct fc_topo *topo, const char *spec, char error[GRAPH_ERROR_SIZE]);

/**
 * graph_links() - build the topology of a list of links
 * @topo: result, to be given to graph_free(); untouched unless NULL is returned
 * @link: canonical links; copied
 * @nlinks: number of links
 *
 * Return: NULL, or a constant error message.
 */
const char *graph_links(struct fc_topo *topo, const struct fc_graph_link *link, size_t nlinks);

/* Free the graph of a topology, if it has one; not needed before a program exits. */
void graph_free(struct fc_topo *topo);

#endif /* FLITCAST_GRAPH_H */
