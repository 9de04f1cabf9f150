/* SPDX-License-Identifier: GPL-2.0 */
/* Random networks. */
#ifndef FLITCAST_SIM_RANDOM_GRAPH_H
#define FLITCAST_SIM_RANDOM_GRAPH_H

#include "graph.h"

#define RANDOM_GRAPH_SITES	32

/**
 * random_graph() - build two random cycles through all sites, without a common link
 * @topo: result, to be given to graph_free(): each site has four links
 * @sites: number of sites, 6 to RANDOM_GRAPH_SITES
 * @seed: the same seed gives the same graph
 */
void random_graph(struct fc_topo *topo, u32 sites, u64 seed);

#endif /* FLITCAST_SIM_RANDOM_GRAPH_H */
