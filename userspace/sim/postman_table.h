/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The transposition of a 32x32 matrix: the paper's table, and what changes it.
 */
#ifndef FLITCAST_SIM_POSTMAN_TABLE_H
#define FLITCAST_SIM_POSTMAN_TABLE_H

#include "postman_law.h"

/* Shares of the elements that are sent: 100, 50, 33 and 25 per cent. */
#define POSTMAN_SPARSITIES	4
#define POSTMAN_DRAWS_MAX	1000

/* Of the paper. */
extern const u64 postman_published[POSTMAN_STRATEGIES][POSTMAN_SPARSITIES];

/**
 * struct postman_cell - one strategy, one sparsity
 * @least: least time of the draws, cycles; of all elements there is one only
 * @most: most
 * @mean: mean
 * @not_above: draws that took no longer than the paper's number
 * @nth: time if every 2nd, 3rd or 4th element is sent, row by row
 * @dead: dead flits for each packet, mean
 */
struct postman_cell {
	u64 least;
	u64 most;
	double mean;
	u32 not_above;
	u64 nth;
	double dead;
};

/* What changes it: mechanisms that are taken away, and choices that the paper leaves open. */
enum postman_variant {
	POSTMAN_V_ALL,
	POSTMAN_V_ADAPT,
	POSTMAN_V_SOURCING,
	POSTMAN_V_NEITHER,
	POSTMAN_V_BUSYBACK,
	POSTMAN_V_FORESEE,
	POSTMAN_V_DELAY,
	POSTMAN_V_AGAIN,
	POSTMAN_V_CROSS,
	POSTMAN_V_X,
	POSTMAN_V_Y,
	POSTMAN_VARIANTS
};

/**
 * struct postman_table - what was measured
 * @cell: the paper's table
 * @variant: the same in all variants, with fewer draws
 * @draws: draws of each sparse cell
 * @wrong: runs that were not postman_result_right()
 */
struct postman_table {
	struct postman_cell cell[POSTMAN_STRATEGIES][POSTMAN_SPARSITIES];
	struct postman_cell variant[POSTMAN_VARIANTS][POSTMAN_STRATEGIES][POSTMAN_SPARSITIES];
	u32 draws;
	u32 wrong;
};

void postman_table_measure(struct postman_table *table, u32 draws, u64 seed, u8 fault);
void postman_table_print(const struct postman_table *table);

#endif /* FLITCAST_SIM_POSTMAN_TABLE_H */
