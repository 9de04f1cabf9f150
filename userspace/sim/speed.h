/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Speed and memory of the simulator, as --speed reports them.
 */
#ifndef FLITCAST_SIM_SPEED_H
#define FLITCAST_SIM_SPEED_H

#include "base.h"

struct sim;

/**
 * struct speed - measurements
 * @wall: nanoseconds of the network's cycles, by the clock on the wall
 * @cpu: and of them by the processor
 * @setup: nanoseconds by the processor before the first cycle
 * @resident: kilobytes of memory resident before the network was made
 */
struct speed {
	u64 wall;
	u64 cpu;
	u64 setup;
	u64 resident;
};

/* Before the network is made; when it is; and when nothing is left to happen. */
void speed_begin(struct speed *speed);
void speed_made(struct speed *speed);
void speed_end(struct speed *speed);
void speed_report(const struct speed *speed, const struct sim *sim);

#endif /* FLITCAST_SIM_SPEED_H */
