// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "postman_traffic.h"
#include "base/random.h"
#include "base/util.h"

static void target(const struct postman_traffic *traffic, u32 size, const u32 *from, u32 *to,
		   struct rng *rng)
{
	switch (traffic->pattern) {
	case POSTMAN_TRANSPOSE:
		to[POSTMAN_X] = from[POSTMAN_Y];
		to[POSTMAN_Y] = from[POSTMAN_X];
		return;
	case POSTMAN_UNIFORM:
		do {
			to[POSTMAN_X] = rng_below(rng, size);
			to[POSTMAN_Y] = rng_below(rng, size);
		} while (to[POSTMAN_X] == from[POSTMAN_X] && to[POSTMAN_Y] == from[POSTMAN_Y]);
		return;
	case POSTMAN_HOTSPOT:
		to[POSTMAN_X] = size / 2;
		to[POSTMAN_Y] = size / 2;
		return;
	case POSTMAN_ONE:
	case POSTMAN_PATTERNS:
		break;
	}
	die("no such traffic");
}

/* Choose the nodes that send; all sets of their number are equally likely. */
static bool *senders(const struct postman_traffic *traffic, u32 size, struct rng *rng)
{
	u32 nodes = size * size;
	u64 wanted = (nodes * traffic->share + POSTMAN_UNIT / 2) / POSTMAN_UNIT;
	bool *sends = xcalloc(nodes, sizeof(*sends));

	for (u32 node = 0; node < nodes; node++) {
		if (traffic->nth) {
			sends[node] = node % traffic->nth == 0;
		} else if (rng_below(rng, nodes - node) < wanted) {
			sends[node] = true;
			wanted--;
		}
	}
	return sends;
}

void postman_traffic_add(struct postman_net *net, u32 size, const struct postman_traffic *traffic)
{
	struct rng rng = { traffic->seed };
	u32 from[POSTMAN_DIMENSIONS], to[POSTMAN_DIMENSIONS];
	bool *sends;

	if (traffic->pattern == POSTMAN_ONE) {
		postman_net_add(net, traffic->from, traffic->to, traffic->flits);
		return;
	}
	sends = senders(traffic, size, &rng);
	for (u32 node = 0; node < size * size; node++) {
		for (u32 i = 0; sends[node] && i < traffic->each; i++) {
			from[POSTMAN_X] = node % size;
			from[POSTMAN_Y] = node / size;
			target(traffic, size, from, to, &rng);
			if (from[POSTMAN_X] != to[POSTMAN_X] || from[POSTMAN_Y] != to[POSTMAN_Y])
				postman_net_add(net, from, to, traffic->flits);
		}
	}
	free(sends);
}
