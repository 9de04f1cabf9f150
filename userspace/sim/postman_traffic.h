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
 * @pattern: which
 * @from: POSTMAN_ONE: column and row of the source
 * @to: and of the target
 * @flits: of data in each packet
 * @share: how many of the nodes send, in millionths; which do is random
 * @nth: not 0: these do: with numbers, row by row, that it divides
 * @each: packets of each node that sends; POSTMAN_TRANSPOSE: 1
 * @seed: of what is random
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

/* Adds the packets to a new or cleared net of @size columns and rows. */
void postman_traffic_add(struct postman_net *net, u32 size, const struct postman_traffic *traffic);

#endif /* FLITCAST_SIM_POSTMAN_TRAFFIC_H */
