/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drawings of a topology.
 */
#ifndef FLITCAST_CLI_DRAW_H
#define FLITCAST_CLI_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include "topo.h"

/* A drawing of more sites would not be legible. */
#define DRAW_SITES_MAX	1024

/**
 * struct load - state of one direction of a link
 * @known: the state was queried; else the link is drawn as the topology has it
 * @up: it is up
 * @flits: flits sent
 * @tree: the drawing is one of a message: the tree of a broadcast or the packet of a list that
 *	goes there, from 1, or 0
 * @copy: of a broadcast: the number of the copy that comes to the site at the other end
 * @targets: of a list: targets of the packet
 */
struct load {
	bool known;
	bool up;
	uint64_t flits;
	uint32_t tree;
	uint32_t copy;
	uint32_t targets;
};

/* How a site is drawn. */
enum draw_mark {
	DRAW_PLAIN,
	DRAW_OWN,	/* the site that draws, or the source of the message */
	DRAW_TARGET,
	DRAW_DEAD,
	DRAW_MARKS
};

/**
 * draw_svg() - to standard output
 * @topo: topology
 * @loads: by site * topo->ndirs + direction, or NULL
 * @marks: by site, enum draw_mark, or NULL
 */
void draw_svg(const struct fc_topo *topo, const struct load *loads, const uint8_t *marks);
/* Print the drawing for graphviz. */
void draw_dot(const struct fc_topo *topo, const struct load *loads, const uint8_t *marks);

#endif /* FLITCAST_CLI_DRAW_H */
