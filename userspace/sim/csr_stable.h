/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paper's Figure 4: what is carried and what arrives, by the share of the entry buffers
 * that is backlogged, and where both are the same.
 */
#ifndef FLITCAST_SIM_CSR_STABLE_H
#define FLITCAST_SIM_CSR_STABLE_H

#include "csr_theory.h"

#define CSR_STABLE_DIMENSION	11
/* Probability of an arrival, in the figure; of a retrial: 1. */
#define CSR_STABLE_ARRIVE	(CSR_ONE / 20)
/* Backlogged shares of 0, 0.1, .. 1. */
#define CSR_STABLE_POINTS	11
#define CSR_STABLE_RETRIES	4

extern const u32 csr_stable_retry[CSR_STABLE_RETRIES];

/* From which the network came to its stable point. */
enum csr_start {
	CSR_FROM_EMPTY,
	CSR_FROM_BACKLOGGED,
	CSR_STARTS
};

/**
 * struct csr_stable - what was found
 * @carried: by share: throughput for each node and slot, of the analysis
 * @simulated: the same, measured
 * @arriving: new packets for each node and slot that do not find their entry buffer backlogged
 * @theory: where these meet, by probability of a retrial, the last of which is 1
 * @backlogged: share measured there, by start
 * @throughput: for each node and slot, the same
 * @retried: throughput measured, by probability of a retrial
 * @others: pairs of probabilities that were tried (analysis)
 * @single: of these, those with a single stable point
 * @wrong: findings of the oracle
 */
struct csr_stable {
	double carried[CSR_STABLE_POINTS];
	double simulated[CSR_STABLE_POINTS];
	double arriving[CSR_STABLE_POINTS];
	struct csr_theory_stable theory[CSR_STABLE_RETRIES];
	double backlogged[CSR_STARTS];
	double throughput[CSR_STARTS];
	double retried[CSR_STABLE_RETRIES];
	u32 others;
	u32 single;
	u64 wrong;
};

void csr_stable_measure(struct csr_stable *stable, u64 slots, u64 seed, u8 fault);
void csr_stable_print(const struct csr_stable *stable);
/* As DIR/csr-figure-4.svg.  Return: false, with a line on standard error, if that fails. */
bool csr_stable_draw(const struct csr_stable *stable, const char *dir);

#endif /* FLITCAST_SIM_CSR_STABLE_H */
