/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paper's laws of latency, and the latency of one packet in an empty network:
 * W bits of a flit, L flits, D channels, T: a cycle.
 *
 *	mad postman		kTD + LWT, k = 1
 *	virtual cut-through	WTD + LWT
 */
#ifndef FLITCAST_SIM_POSTMAN_LAW_H
#define FLITCAST_SIM_POSTMAN_LAW_H

#include "postman_net.h"

/* The paper's array, and the channels from corner to corner. */
#define POSTMAN_SIZE		32
#define POSTMAN_HOPS		(2 * (POSTMAN_SIZE - 1))
/* Data flits of its packets: an 8 bit integer. */
#define POSTMAN_DATA		1

/* What is compared: with and without eager. */
enum postman_strategy {
	POSTMAN_MAD,
	POSTMAN_CUT,
	POSTMAN_STRATEGIES
};

extern const char *const postman_strategies[POSTMAN_STRATEGIES];

struct postman_model postman_strategy_model(enum postman_strategy strategy, u8 fault);

/* Cycles by the law. */
u64 postman_law_cycles(enum postman_strategy strategy, u32 flit, u32 flits, u32 hops);

/**
 * struct postman_law - measured from (1,1) to each other node of the paper's array
 * @corner: to (32,32): 89 and 570 in the paper
 * @straight: by channels: of a packet of 27 bits that has one address, 0 if there is none
 * @turned: of one of 27 bits that turns
 * @same: nodes, by strategy, to which the latency is that of the law
 * @below: nodes to which it is W - 1 (straight) or 2W - 3 cycles (turned) below
 * @nodes: how many there are
 * @lengths: other lengths and flits that were tried
 * @lengths_right: by strategy, how many were the law's for the mad postman, and
 *	so much below for virtual cut-through
 * @right: every packet was delivered once and at its target
 */
struct postman_law {
	u64 corner[POSTMAN_STRATEGIES];
	u64 straight[POSTMAN_STRATEGIES][POSTMAN_HOPS + 1];
	u64 turned[POSTMAN_STRATEGIES][POSTMAN_HOPS + 1];
	u32 same[POSTMAN_STRATEGIES];
	u32 below[POSTMAN_STRATEGIES];
	u32 nodes;
	u32 lengths;
	u32 lengths_right[POSTMAN_STRATEGIES];
	bool right;
};

void postman_law_measure(struct postman_law *law, u8 fault);
void postman_law_print(const struct postman_law *law);

/**
 * postman_law_draw() - the latencies as DIR/postman-latency.svg
 * @law: measured
 * @dir: directory
 *
 * Return: false, with a line on standard error, if it cannot be written.
 */
bool postman_law_draw(const struct postman_law *law, const char *dir);

#endif /* FLITCAST_SIM_POSTMAN_LAW_H */
