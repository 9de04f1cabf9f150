/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drawings of a topology.
 */
#ifndef FLITCAST_CLI_DRAW_H
#define FLITCAST_CLI_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include "topo.h"

/* What is drawn has to be read. */
#define DRAW_SITES_MAX	1024

/**
 * struct load - what is known of one direction of a link
 * @known: somebody asked; else the link is drawn as the topology has it
 * @up: it is up
 * @flits: flits sent
 * @tree: the drawing is one of a broadcast: the tree of it that goes there, from 1, or 0
 * @copy: of a tree: the number of the copy that comes to the site at the other end
 */
struct load {
	bool known;
	bool up;
	uint64_t flits;
	uint32_t tree;
	uint32_t copy;
};

/**
 * draw_svg() - to standard output
 * @topo: topology
 * @loads: by site * topo->ndirs + direction, or NULL
 * @own: site to mark, or FC_SITE_NONE
 */
void draw_svg(const struct fc_topo *topo, const struct load *loads, uint32_t own);
/* The same for graphviz. */
void draw_dot(const struct fc_topo *topo, const struct load *loads, uint32_t own);

#endif /* FLITCAST_CLI_DRAW_H */
