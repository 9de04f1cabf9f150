/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link between two hosts that stall, with the core's link-level retry and handshake: when do its
 * ends suspect it, or take it down?  Time is in nanoseconds.
 */
#ifndef FLITCAST_SIM_FAILOVER_H
#define FLITCAST_SIM_FAILOVER_H

#include "option.h"

#define FAILOVER_MS	1000000ULL
#define FAILOVER_S	(1000 * FAILOVER_MS)
/* Per cent. */
#define FAILOVER_LOSS_MAX	95

/* Faults of a link that was whole. */
enum failover_fault {
	FAILOVER_SILENT,	/* nothing passes in either direction */
	FAILOVER_SIMPLEX,	/* nothing passes from host 0 to host 1 */
	FAILOVER_DEAD,		/* host 1 stops */
	FAILOVER_FAULTS
};

/**
 * struct failover_model - the link, its hosts and their settings
 * @loss: frames lost, per cent
 * @each: time between the beginnings of two stalls, in the mean, or 0: no host stalls
 * @stall: how long a stall lasts
 * @stall_most: not 0: that is the mean of an exponential distribution, cut off here
 * @together: both hosts stall at once
 * @busy: time between two flits of a host, 0: none
 * @leaves: no host sends flits while an end suspects the link, as where another route exists
 * @held: hosts take no flits out of their queues
 * @late: timers that run late count as if they had run in time (a control: counterexample C13)
 * @turn: not 0: the link is whole and silent in turn, each for so long
 * @hello: interval of HELLO, ms
 * @dead: intervals of silence that mean death
 */
struct failover_model {
	u32 loss;
	u64 each;
	u64 stall;
	u64 stall_most;
	bool together;
	u64 busy;
	bool leaves;
	bool held;
	bool late;
	u64 turn;
	u16 hello;
	u8 dead;
};

/**
 * struct failover_result - counts of a run
 * @silences: times a peer did not answer polls (FC_FX_SUSPECT), until it answers again
 * @suspicions: times an end began to suspect the link
 * @trusts: times it ended that, with the link up
 * @deaths: times an end took the link down because its peer was silent
 * @resets: times it did so for another reason
 * @avoided: time with a suspicion at an end, or an end down
 */
struct failover_result {
	u64 silences;
	u64 suspicions;
	u64 trusts;
	u64 deaths;
	u64 resets;
	u64 avoided;
};

/* Runs a link that was up for a second for so long.  The same seed gives the same result. */
struct failover_result failover_run(const struct failover_model *model, u64 time, u64 seed);

/**
 * failover_fail() - time from a failure until an end suspects the link, or takes it down
 * @model: the link
 * @fault: how it fails, at a random time
 * @first: result: time until one of the ends does
 * @last: result: time until each of the ends that run does
 * @seed: seed of the random numbers
 *
 * Return: false if it was suspected or down before the failure; there is no result then.
 */
bool failover_fail(const struct failover_model *model, enum failover_fault fault, u64 *first,
		   u64 *last, u64 seed);

extern const struct option_command failover_command;

#endif /* FLITCAST_SIM_FAILOVER_H */
