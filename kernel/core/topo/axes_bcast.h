/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcasts in k copies on products of lines and on products of rings.
 */
#ifndef FC_CORE_TOPO_AXES_BCAST_H
#define FC_CORE_TOPO_AXES_BCAST_H

#include "core/topo/rules.h"

/* Lines and meshes: as many copies as axes with more than one site. */
extern const struct fc_bcast_rules fc_topo_line_bcast;
/* Rings and tori: two copies for each axis. */
extern const struct fc_bcast_rules fc_topo_ring_bcast;

/* Return: the site that is to site 0 what @site is to @source, on a ring or torus. */
u32 fc_topo_ring_relative(const struct fc_topo *topo, u32 source, u32 site);

#endif /* FC_CORE_TOPO_AXES_BCAST_H */
