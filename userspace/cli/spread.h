/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_CLI_SPREAD_H
#define FLITCAST_CLI_SPREAD_H

#include "core/topo/topo.h"

struct point {
	double x, y;
};

/**
 * spread() - compute positions for the sites of a network without a regular shape
 * @topo: topology
 * @length: approximate length of a link
 * @apart: minimum distance of two sites
 *
 * The result depends only on the arguments.
 *
 * Return: positions by site; to be freed by the caller.
 */
struct point *spread(const struct fc_topo *topo, double length, double apart);

#endif /* FLITCAST_CLI_SPREAD_H */
