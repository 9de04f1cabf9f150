/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paper's Figure 5: the saturation point of the schemes, which is the useful share of
 * the links at the attempt rate where it is largest, by dimension of the hypercube; and what
 * control intervals cost CSR, whose slots are 1 + beta long.
 */
#ifndef FLITCAST_SIM_CSR_SATURATION_H
#define FLITCAST_SIM_CSR_SATURATION_H

#include "csr_run.h"

#define CSR_SATURATION_FIRST	2
#define CSR_SATURATION_LAST	13
#define CSR_SATURATIONS		(CSR_SATURATION_LAST - CSR_SATURATION_FIRST + 1)

/* Lengths of the control interval that are shown, in packets: 0, 0.1, .. 1. */
#define CSR_BETAS		11
/* The dimension for which they are drawn. */
#define CSR_BETA_DIMENSION	7

/**
 * struct csr_saturation - of one scheme and dimension
 * @most: largest useful share of the links
 * @attempts: at which attempt rate
 * @full: useful share at an attempt rate of 1
 * @rises: no attempt rate that was tried has more than a higher one
 * @analysis: largest useful share by analysis; 0: there is none of the scheme
 */
struct csr_saturation {
	double most;
	double attempts;
	double full;
	bool rises;
	double analysis;
};

/**
 * struct csr_saturations - what was measured
 * @at: by scheme and dimension, from CSR_SATURATION_FIRST
 * @wrong: findings of the oracle
 */
struct csr_saturations {
	struct csr_saturation at[CSR_SCHEMES][CSR_SATURATIONS];
	u64 wrong;
};

/**
 * csr_saturations_measure() - simulates; takes most of the time of a report
 * @all: result
 * @slots: of a hypercube of 7 dimensions, and of others as many as take as long
 * @seed: of what is random
 * @fault: defect of CSR
 */
void csr_saturations_measure(struct csr_saturations *all, u64 slots, u64 seed, u8 fault);

/* The saturation point as Figure 5 has it: of CSR by analysis. */
double csr_saturation_of(const struct csr_saturations *all, enum csr_scheme_id id, u32 dimension);

/* The beta at which CSR has come down to another scheme; negative: it is below at once. */
double csr_saturation_beta(const struct csr_saturations *all, enum csr_scheme_id id, u32 dimension);

void csr_saturations_print(const struct csr_saturations *all);

/*
 * As DIR/csr-figure-5.svg and DIR/csr-beta.svg.  Return: false, with a line on standard error, if
 * they cannot be written.
 */
bool csr_saturations_draw(const struct csr_saturations *all, const char *dir);

#endif /* FLITCAST_SIM_CSR_SATURATION_H */
