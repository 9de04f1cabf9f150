/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a mad postman's nodes, and the choices that the paper leaves open.
 */
#ifndef FLITCAST_SIM_POSTMAN_MODEL_H
#define FLITCAST_SIM_POSTMAN_MODEL_H

#include "core/base.h"

/* Dimensions: the machines of a node, and their output channels. */
#define POSTMAN_X		0
#define POSTMAN_Y		1
#define POSTMAN_DIMENSIONS	2

/* The paper's flit: eight bits and a valid bit. */
#define POSTMAN_FLIT		9
#define POSTMAN_FLIT_MAX	64
/* Bits of an address flit that are no address: the valid bit and the dimension flag. */
#define POSTMAN_FLIT_FLAGS	2

/* Maximum number of columns and rows: the addresses of the paper's flit. */
#define POSTMAN_SIZE_MAX	128

/* First machine of a packet with two addresses in its source node. */
enum postman_start {
	POSTMAN_START_CHESS,		/* X where row + column is even, else Y */
	POSTMAN_START_X,
	POSTMAN_START_Y,
	POSTMAN_STARTS
};

/* Injected defects, to test the oracle. */
enum postman_fault {
	POSTMAN_SOUND,
	POSTMAN_KEEP,		/* a blocked dead flit is stored, like a packet */
	POSTMAN_TURN,		/* a turn takes a cycle more */
	POSTMAN_OVERRUN,	/* busyback signals are ignored */
	POSTMAN_FAULTS
};

/**
 * struct postman_model - behaviour of nodes
 * @flit: bits of a flit, W
 * @eager: a node forwards a packet in its dimension at its first bit (mad postman), not when
 *	its first flit has arrived (virtual cut-through)
 * @adapt: a blocked packet may swap its addresses and continue in the other dimension
 * @sourcing: a packet that has been stored may do so, too
 * @busyback: a machine with a stored packet that has not begun to leave accepts no other;
 *	else its buffer has space for all
 * @foresee: only heads that stay in their dimension are forwarded at the first bit: no dead flits
 * @turn: cycles from the first bit of the second flit until it enters the other dimension
 * @delay: cycles until the upstream machine sees a busyback
 * @again: a packet not forwarded at its first bit may be when its first flit has arrived
 * @cross: an output serves the other machine of the node before its own
 * @start: first machine of packets
 * @fault: defect
 */
struct postman_model {
	u32 flit;
	bool eager;
	bool adapt;
	bool sourcing;
	bool busyback;
	bool foresee;
	u32 turn;
	u32 delay;
	bool again;
	bool cross;
	enum postman_start start;
	enum postman_fault fault;
};

/*
 * Model with all mechanisms of the paper.  Its 89 and 570 cycles leave a cycle for the turn of
 * the mad postman, and two for that of virtual cut-through.
 */
#define POSTMAN_MODEL { \
	.flit = POSTMAN_FLIT, .eager = true, .adapt = true, .sourcing = true, .busyback = true, \
	.turn = 1, .delay = 1, .again = true, \
}

static inline struct postman_model postman_model(bool eager)
{
	struct postman_model model = POSTMAN_MODEL;

	model.eager = eager;
	model.turn = eager ? 1 : 2;
	return model;
}

#endif /* FLITCAST_SIM_POSTMAN_MODEL_H */
