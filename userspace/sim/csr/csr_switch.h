/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The descending-dimensions switch (the paper's Figure 1) in each node of a hypercube.
 *
 * Each dimension of a node has a forward buffer, whose packet crosses the link to the
 * neighbour, and an internal buffer, whose packet stays; then the packet moves to the next lower
 * dimension, the highest following the lowest.  A packet passes d buffers, one per slot.
 */
#ifndef FLITCAST_SIM_CSR_SWITCH_H
#define FLITCAST_SIM_CSR_SWITCH_H

#include "csr_run.h"

/**
 * struct csr_packet - a packet in a buffer
 * @to: target
 * @hops: buffers passed, including this one; 0: there is no packet
 * @links: total number of links that it needs
 */
struct csr_packet {
	u16 to;
	u8 hops;
	u8 links;
};

/**
 * struct csr_switch - all nodes
 * @dimension: d
 * @nodes: 2^d
 * @buffers: 2d for each node
 * @now: packets by buffer
 * @next: packets by buffer in the next slot
 * @count: counters
 * @inside: packets in buffers
 * @stray: packets that left elsewhere than at their target
 * @rng: random numbers
 */
struct csr_switch {
	u32 dimension;
	u32 nodes;
	u32 buffers;
	struct csr_packet *now;
	struct csr_packet *next;
	struct csr_count count;
	u64 inside;
	u64 stray;
	struct rng rng;
};

/* Arbitrate between two packets that need one buffer.  Return: true if the first gets it. */
typedef bool (*csr_first_wins_fn)(struct csr_switch *sw, const struct csr_packet *a,
				  const struct csr_packet *b);

void csr_switch_init(struct csr_switch *sw, const struct csr_run *run);
void csr_switch_free(struct csr_switch *sw);
/* A packet enters in a free buffer. */
void csr_switch_enter(struct csr_switch *sw, u32 buffer, u32 to);
/* Move all packets by one buffer; of two that need the same buffer one is dropped. */
void csr_switch_step(struct csr_switch *sw, csr_first_wins_fn first_wins);

/* Packets that entered and have disappeared. */
static inline u64 csr_switch_lost(const struct csr_switch *sw)
{
	return sw->count.entered - sw->count.delivered - sw->count.dropped - sw->inside;
}

static inline u32 csr_buffer(const struct csr_switch *sw, u32 dimension, u32 forward, u32 node)
{
	return (2 * dimension + forward) << sw->dimension | node;
}

static inline u32 csr_buffer_dimension(const struct csr_switch *sw, u32 buffer)
{
	return buffer >> sw->dimension >> 1;
}

static inline u32 csr_buffer_forward(const struct csr_switch *sw, u32 buffer)
{
	return buffer >> sw->dimension & 1;
}

static inline u32 csr_buffer_node(const struct csr_switch *sw, u32 buffer)
{
	return buffer & (sw->nodes - 1);
}

/* The dimension that follows @dimension. */
static inline u32 csr_dimension_next(const struct csr_switch *sw, u32 dimension)
{
	return dimension ? dimension - 1 : sw->dimension - 1;
}

/* The buffer that a packet for @to needs at a dimension of a node. */
static inline u32 csr_buffer_to(const struct csr_switch *sw, u32 dimension, u32 node, u32 to)
{
	return csr_buffer(sw, dimension, (node ^ to) >> dimension & 1, node);
}

/* A random target whose packets need this buffer. */
static inline u32 csr_random_target(struct csr_switch *sw, u32 buffer)
{
	u32 dimension = csr_buffer_dimension(sw, buffer);
	u32 node = csr_buffer_node(sw, buffer);
	u32 tag = rng_below(&sw->rng, sw->nodes) & ~(1u << dimension);

	return node ^ (tag | csr_buffer_forward(sw, buffer) << dimension);
}

#endif /* FLITCAST_SIM_CSR_SWITCH_H */
