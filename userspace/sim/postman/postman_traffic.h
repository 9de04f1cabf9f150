/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_POSTMAN_TRAFFIC_H
#define FLITCAST_SIM_POSTMAN_TRAFFIC_H

#include "postman_net.h"

enum postman_pattern {
	POSTMAN_ONE,		/* one packet */
	POSTMAN_TRANSPOSE,	/* row i, column j sends to row j, column i */
	POSTMAN_UNIFORM,	/* to any other node */
	POSTMAN_HOTSPOT,	/* to the node in the middle */
	POSTMAN_PATTERNS
};

/* Shares are in millionths. */
#define POSTMAN_UNIT		1000000

/**
 * struct postman_traffic - packets, all present from the beginning
 * @pattern: pattern
 * @from: POSTMAN_ONE: column and row of the source
 * @to: POSTMAN_ONE: column and row of the target
 * @flits: data flits of each packet
 * @share: share of nodes, chosen at random, that send, in millionths
 * @nth: if not 0, every @nth node sends instead, counted row by row
 * @each: packets of each node that sends; POSTMAN_TRANSPOSE: 1
 * @seed: seed of the random numbers
 */
struct postman_traffic {
	enum postman_pattern pattern;
	u32 from[POSTMAN_DIMENSIONS];
	u32 to[POSTMAN_DIMENSIONS];
	u32 flits;
	u64 share;
	u32 nth;
	u32 each;
	u64 seed;
};

/* Add the packets to a new or cleared net of @size columns and rows. */
void postman_traffic_add(struct postman_net *net, u32 size, const struct postman_traffic *traffic);

#endif /* FLITCAST_SIM_POSTMAN_TRAFFIC_H */
