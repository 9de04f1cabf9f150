/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode csr (core/vnet/csr_plan.h) beside the switch of vnet.c, as fabric/csr.c of the kernel: each
 * packet reserves its path before it enters.  The core counts its times in nanoseconds, so that a
 * cycle is one.
 */
#ifndef FLITCAST_SIM_RESERVE_H
#define FLITCAST_SIM_RESERVE_H

#include "sim.h"

/* Give a switch its plan; @seed: of the waits between attempts. */
void reserve_init(struct sim *sim, u32 at, u64 seed);
/* Send a frame of mode csr to a neighbour (FC_FX_RESERVE). */
void reserve_send(struct sim *sim, u32 at, const struct fc_effect *fx);
/* Process a frame of a neighbour.  Return: false if it is malformed. */
bool reserve_in(struct sim *sim, u32 at, u8 port, const struct frame *frame,
		struct fc_effects *effects);

#endif /* FLITCAST_SIM_RESERVE_H */
