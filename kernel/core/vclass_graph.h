/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables of the virtual networks of graphs, which have no arithmetic.
 */
#ifndef FC_CORE_VCLASS_GRAPH_H
#define FC_CORE_VCLASS_GRAPH_H

#include "vclass.h"

/* Return: see fc_vclass_room(). */
size_t fc_vclass_graph_room(const struct fc_topo *topo, u32 site);

/* See fc_vclass_fill(). */
void fc_vclass_graph_fill(struct fc_vclass *v, u32 site, void *room);

#endif /* FC_CORE_VCLASS_GRAPH_H */
