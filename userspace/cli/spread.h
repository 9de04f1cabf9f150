/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_CLI_SPREAD_H
#define FLITCAST_CLI_SPREAD_H

#include "topo.h"

struct point {
	double x, y;
};

/**
 * spread() - places for the sites of a network that has no shape of its own
 * @topo: topology
 * @length: about that of a link
 * @apart: no two sites are nearer to each other
 *
 * The same every time.
 *
 * Return: by site; the caller's to free.
 */
struct point *spread(const struct fc_topo *topo, double length, double apart);

#endif /* FLITCAST_CLI_SPREAD_H */
