/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deflection on a hypercube: a node has as many places as links, and in each slot all its
 * packets leave, over links that bring them nearer or over any others.
 */
#ifndef FLITCAST_SIM_DEFLECT_H
#define FLITCAST_SIM_DEFLECT_H

#include "csr_run.h"

/**
 * struct deflect_packet - a packet in a place of a node
 * @to: target
 * @links: links that it needs in all; 0: there is no packet
 */
struct deflect_packet {
	u16 to;
	u8 links;
};

/* Puts a node's packets, which are in random order, into the order in which they choose. */
typedef void (*deflect_order_fn)(struct deflect_packet *packet, u32 n, u32 node);

void deflect_run(struct csr_result *result, const struct csr_run *run, deflect_order_fn order);

#endif /* FLITCAST_SIM_DEFLECT_H */
