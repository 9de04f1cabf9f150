/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Throughput by approximate analysis: each buffer by itself, independent of all others.
 *
 * CSR is the paper's, equations (7) and (8).  The unbuffered schemes are in a thesis that the
 * paper refers to; here they are done in the same manner.  q(i): a buffer has a packet on its
 * i-th hop; T = q(1) + .. + q(d-1), those that go on, each into one of two buffers:
 *
 *	q(1) = p0 (1 - T/2)^2
 *	q(i+1) = q(i) (1 - T/4)						simple
 *	q(i+1) = q(i) (1 - (q(i+1) + .. + q(d-1))/2 - q(i)/4)		priority
 *	R = 2d q(d)
 */
#ifndef FLITCAST_SIM_CSR_THEORY_H
#define FLITCAST_SIM_CSR_THEORY_H

#include "csr_run.h"

/* Attempt rate of a throughput per node and slot; INFINITY where there is none. */
double csr_theory_attempts(enum csr_scheme_id id, u32 dimension, double throughput);

/* The reverse: throughput of an attempt rate, for CSR. */
double csr_theory_throughput(u32 dimension, double attempts);

/* The largest throughput at any attempt rate up to 1. */
double csr_theory_most(enum csr_scheme_id id, u32 dimension);

/**
 * struct csr_theory_stable - where as much arrives as is carried
 * @backlogged: share of the entry buffers that is backlogged
 * @attempts: attempt rate there
 * @throughput: per node and slot
 * @points: how many such points there are
 */
struct csr_theory_stable {
	double backlogged;
	double attempts;
	double throughput;
	u32 points;
};

/* The paper's Figure 4: probabilities of an arrival and of a retrial. */
struct csr_theory_stable csr_theory_stable(u32 dimension, double arrive, double retry);

#endif /* FLITCAST_SIM_CSR_THEORY_H */
