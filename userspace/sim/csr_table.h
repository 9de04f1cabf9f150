/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paper's Table 1: throughput of CSR on a hypercube of 7 dimensions, by attempt rate.
 */
#ifndef FLITCAST_SIM_CSR_TABLE_H
#define FLITCAST_SIM_CSR_TABLE_H

#include "csr_run.h"

#define CSR_TABLE_DIMENSION	7
#define CSR_TABLE_ROWS		11

/**
 * struct csr_published - a row, in millionths
 * @attempts: attempt rate, p0
 * @analysis: throughput for each node and slot, of the approximate analysis
 * @simulation: and of the paper's simulation
 * @tolerance: how far a simulation here may be off that, per cent.  Of the lightest rows the paper
 *	itself has few packets; the heaviest have many, and tell the models apart
 */
struct csr_published {
	u32 attempts;
	u32 analysis;
	u32 simulation;
	double tolerance;
};

extern const struct csr_published csr_published[CSR_TABLE_ROWS];

/* Models beside the one that reproduces the table. */
enum csr_variant {
	CSR_V_GHOSTS,
	CSR_V_KEEP,
	CSR_VARIANTS
};

/**
 * struct csr_table - what was measured
 * @result: of each row
 * @throughput: of each row
 * @analysis: attempt rate at which the analysis has the throughput of the row; of the last row, the
 *	throughput at its attempt rate
 * @variant: throughput of the last row, by variant
 * @off_most: greatest difference of analysis and simulation, per cent
 * @wrong: findings of the oracle
 */
struct csr_table {
	struct csr_result result[CSR_TABLE_ROWS];
	double throughput[CSR_TABLE_ROWS];
	double analysis[CSR_TABLE_ROWS];
	double variant[CSR_VARIANTS];
	double off_most;
	u64 wrong;
};

void csr_table_measure(struct csr_table *table, u64 slots, u64 seed, u8 fault);

/* Return: how many numbers are not reproduced. */
u32 csr_table_print(const struct csr_table *table);

#endif /* FLITCAST_SIM_CSR_TABLE_H */
