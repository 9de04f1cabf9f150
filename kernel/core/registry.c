// SPDX-License-Identifier: GPL-2.0
#include "topo.h"

const struct fc_topo_ops *const fc_topo_registry[] = {
	&fc_topo_line,
	&fc_topo_ring,
	&fc_topo_mesh,
	&fc_topo_torus,
	&fc_topo_hypercube,
	&fc_topo_hexmesh,
	&fc_topo_graph,
};

const unsigned int fc_topo_registry_size = FC_ARRAY_SIZE(fc_topo_registry);
