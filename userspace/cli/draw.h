/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drawings of a topology.
 */
#ifndef FLITCAST_CLI_DRAW_H
#define FLITCAST_CLI_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include "core/topo/topo.h"

/* A drawing of more sites would not be legible. */
#define DRAW_SITES_MAX	1024

/**
 * struct load - state of one direction of a link
 * @known: the state was queried; else the drawing shows only the topology
 * @up: the link is up
 * @flits: flits sent
 * @tree: in the drawing of a message: number, from 1, of the tree of a broadcast or of the packet
 *	of a list that uses the link; else 0
 * @copy: broadcast: number of the copy that arrives at the site at the other end
 * @targets: list: targets of the packet
 */
struct load {
	bool known;
	bool up;
	uint64_t flits;
	uint32_t tree;
	uint32_t copy;
	uint32_t targets;
};

/* Marks of a site in a drawing. */
enum draw_mark {
	DRAW_PLAIN,
	DRAW_OWN,	/* the site that draws, or the source of the message */
	DRAW_TARGET,
	DRAW_DEAD,
	DRAW_MARKS
};

/**
 * draw_svg() - print the drawing as SVG on standard output
 * @topo: topology
 * @loads: by site * topo->ndirs + direction, or NULL
 * @marks: by site, enum draw_mark, or NULL
 */
void draw_svg(const struct fc_topo *topo, const struct load *loads, const uint8_t *marks);
/* Print the drawing for graphviz. */
void draw_dot(const struct fc_topo *topo, const struct load *loads, const uint8_t *marks);

#endif /* FLITCAST_CLI_DRAW_H */
