/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One run of a scheme on a hypercube, slot by slot: the common part of all schemes.
 *
 * Targets are uniform, the own node included, so that a packet needs each dimension with
 * probability 1/2; the network can carry 2 packets for each node and slot.
 */
#ifndef FLITCAST_SIM_CSR_RUN_H
#define FLITCAST_SIM_CSR_RUN_H

#include "option.h"
#include "base/random.h"

#define CSR_DIMENSION_MIN	2
#define CSR_DIMENSION_MAX	14
/* Unit of probabilities: millionths. */
#define CSR_ONE			OPTION_UNIT

/* Injected defects. */
enum csr_fault {
	CSR_SOUND,
	CSR_GHOSTS,	/* reservations of a blocked flit are freed at once */
	CSR_KEEP,	/* a blocked packet keeps its target */
	CSR_FORGET,	/* a reservation for the last link is not recorded */
	CSR_OVERTAKE,	/* the order of packets is not preserved (on topologies) */
	CSR_FAULTS
};

/**
 * struct csr_run - settings of a run
 * @dimension: d, dimension of the hypercube
 * @arrive: probability that an entry buffer that is not backlogged has a new packet in a slot,
 *	and of deflection, that a free place is filled
 * @retry: probability that a backlogged one attempts (CSR; the others have no backlog)
 * @backlogged: all entry buffers begin backlogged (CSR)
 * @warm: slots before anything is counted
 * @slots: slots counted
 * @seed: seed of the random numbers
 * @fault: defect
 */
struct csr_run {
	u32 dimension;
	u32 arrive;
	u32 retry;
	bool backlogged;
	u64 warm;
	u64 slots;
	u64 seed;
	enum csr_fault fault;
};

/**
 * struct csr_count - counters of a run
 * @attempts: flits sent, or packets that requested entry
 * @entered: packets that entered
 * @delivered: packets delivered at their target
 * @useful: links that delivered packets needed
 * @dropped: packets dropped en route
 * @backlogged: backlogged entry buffers, sum over slots
 * @admission: slots from a packet's first attempt until it enters, sum over @entered (on
 *	topologies)
 * @transit: slots from then until it is delivered, sum over @delivered (on topologies)
 */
struct csr_count {
	u64 attempts;
	u64 entered;
	u64 delivered;
	u64 useful;
	u64 dropped;
	u64 backlogged;
	u64 admission;
	u64 transit;
};

/**
 * struct csr_result - results of a run
 * @run: settings
 * @count: counters from @run.warm on
 * @lost: packets that entered and have disappeared
 * @stray: packets that left the network elsewhere than at their target
 * @clashes: times that two packets needed one link in one slot, where the scheme rules it out
 * @unreserved: links used without a reservation, or reserved without being used (CSR)
 */
struct csr_result {
	struct csr_run run;
	struct csr_count count;
	u64 lost;
	u64 stray;
	u64 clashes;
	u64 unreserved;
};

/**
 * struct csr_scheme - a scheme to compare
 * @choice: choice of --scheme
 * @title: for tables and plots
 * @run: run the scheme
 */
struct csr_scheme {
	struct option_choice choice;
	const char *title;
	void (*run)(struct csr_result *result, const struct csr_run *run);
};

enum csr_scheme_id {
	CSR_CSR,
	CSR_DEFLECT_PRIORITY,
	CSR_DEFLECT_SIMPLE,
	CSR_UNBUFFERED_PRIORITY,
	CSR_UNBUFFERED_SIMPLE,
	CSR_SCHEMES
};

extern const struct csr_scheme csr_schemes[CSR_SCHEMES];

void csr_cube_run(struct csr_result *result, const struct csr_run *run);
void csr_deflect_priority_run(struct csr_result *result, const struct csr_run *run);
void csr_deflect_simple_run(struct csr_result *result, const struct csr_run *run);
void csr_unbuffered_priority_run(struct csr_result *result, const struct csr_run *run);
void csr_unbuffered_simple_run(struct csr_result *result, const struct csr_run *run);

/* Packets delivered for each node and slot. */
double csr_throughput(const struct csr_result *result);
/* Share of the links that did useful work. */
double csr_useful(const struct csr_result *result);
/* Mean share of backlogged entry buffers. */
double csr_backlogged(const struct csr_result *result);
/* Findings of the oracle. */
u64 csr_wrong(const struct csr_result *result);

/**
 * csr_slots() - simulate all slots of a run
 * @run: settings
 * @slot: simulates one slot of @net
 * @net: network
 * @count: counters of @net
 *
 * Return: counters from the end of the warm-up on.
 */
struct csr_count csr_slots(const struct csr_run *run, void (*slot)(void *net), void *net,
			   const struct csr_count *count);

static inline bool csr_chance(struct rng *rng, u32 probability)
{
	return rng_below(rng, CSR_ONE) < probability;
}

#endif /* FLITCAST_SIM_CSR_RUN_H */
