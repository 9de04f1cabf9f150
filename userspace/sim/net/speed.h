/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Speed and memory of the simulator, as --speed reports them.
 */
#ifndef FLITCAST_SIM_SPEED_H
#define FLITCAST_SIM_SPEED_H

#include "core/base.h"

struct sim;

/**
 * struct speed - measurements
 * @wall: wall-clock time of the network's cycles, ns
 * @cpu: processor time of the network's cycles, ns
 * @setup: processor time before the first cycle, ns
 * @resident: resident memory before the network was made, kilobytes
 */
struct speed {
	u64 wall;
	u64 cpu;
	u64 setup;
	u64 resident;
};

/* Call these before the network is made, after it is made, and after the last event. */
void speed_begin(struct speed *speed);
void speed_made(struct speed *speed);
void speed_end(struct speed *speed);
void speed_report(const struct speed *speed, const struct sim *sim);

#endif /* FLITCAST_SIM_SPEED_H */
