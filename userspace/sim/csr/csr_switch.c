// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "csr_switch.h"
#include "base/util.h"

void csr_switch_init(struct csr_switch *sw, const struct csr_run *run)
{
	u32 nodes = 1u << run->dimension;

	*sw = (struct csr_switch){
		.dimension = run->dimension, .nodes = nodes,
		.buffers = 2 * run->dimension * nodes, .rng = { run->seed },
	};
	sw->now = xcalloc(sw->buffers, sizeof(*sw->now));
	sw->next = xcalloc(sw->buffers, sizeof(*sw->next));
}

void csr_switch_free(struct csr_switch *sw)
{
	free(sw->now);
	free(sw->next);
}

void csr_switch_enter(struct csr_switch *sw, u32 buffer, u32 to)
{
	u32 links = (u32)__builtin_popcount(to ^ csr_buffer_node(sw, buffer));

	sw->now[buffer] = (struct csr_packet){ .to = (u16)to, .hops = 1, .links = (u8)links };
	sw->count.entered++;
	sw->inside++;
}

static void arrive(struct csr_switch *sw, const struct csr_packet *packet, u32 node)
{
	sw->inside--;
	sw->stray += packet->to != node;
	sw->count.delivered++;
	sw->count.useful += packet->links;
}

static void place(struct csr_switch *sw, struct csr_packet packet, u32 buffer,
		  csr_first_wins_fn first_wins)
{
	struct csr_packet *at = &sw->next[buffer];

	packet.hops++;
	if (at->hops) {
		sw->inside--;
		sw->count.dropped++;
		if (first_wins(sw, at, &packet))
			return;
	}
	*at = packet;
}

void csr_switch_step(struct csr_switch *sw, csr_first_wins_fn first_wins)
{
	struct csr_packet *now = sw->now;

	memset(sw->next, 0, sw->buffers * sizeof(*sw->next));
	for (u32 dimension = 0; dimension < sw->dimension; dimension++) {
		u32 behind = csr_dimension_next(sw, dimension);

		for (u32 i = 0; i < 2 * sw->nodes; i++) {
			struct csr_packet packet = now[csr_buffer(sw, dimension, 0, i)];
			u32 node = csr_buffer_node(sw, i) ^ (i >> sw->dimension) << dimension;

			if (!packet.hops)
				continue;
			if (packet.hops == sw->dimension)
				arrive(sw, &packet, node);
			else
				place(sw, packet, csr_buffer_to(sw, behind, node, packet.to),
				      first_wins);
		}
	}
	sw->now = sw->next;
	sw->next = now;
}
