/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Throughput by approximate analysis: each buffer by itself, independent of all others.
 *
 * CSR uses the paper's equations (7) and (8).  The unbuffered schemes are in a thesis that the
 * paper refers to; here the same method yields them.  q(i): probability that a buffer has a packet
 * on its i-th hop; T = q(1) + .. + q(d-1), packets with a next hop, into one of two buffers each:
 *
 *	q(1) = p0 (1 - T/2)^2
 *	q(i+1) = q(i) (1 - T/4)						simple
 *	q(i+1) = q(i) (1 - (q(i+1) + .. + q(d-1))/2 - q(i)/4)		priority
 *	R = 2d q(d)
 */
#ifndef FLITCAST_SIM_CSR_THEORY_H
#define FLITCAST_SIM_CSR_THEORY_H

#include "csr_run.h"

/* Attempt rate of a throughput per node and slot; INFINITY if there is none. */
double csr_theory_attempts(enum csr_scheme_id id, u32 dimension, double throughput);

/* Inverse function: throughput of an attempt rate, for CSR. */
double csr_theory_throughput(u32 dimension, double attempts);

/* The largest throughput at any attempt rate up to 1. */
double csr_theory_most(enum csr_scheme_id id, u32 dimension);

/**
 * struct csr_theory_stable - stable point, at which the throughput equals the arrivals
 * @backlogged: share of the entry buffers that is backlogged
 * @attempts: attempt rate
 * @throughput: throughput per node and slot
 * @points: number of points at which both are equal
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
