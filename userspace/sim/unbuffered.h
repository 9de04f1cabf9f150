/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_UNBUFFERED_H
#define FLITCAST_SIM_UNBUFFERED_H

#include "csr_switch.h"

/**
 * unbuffered_run() - the switch without reservations
 * @result: what happened
 * @run: what is asked for
 * @first_wins: which of two packets that want a buffer gets it; the other is dropped
 *
 * A new packet enters only where no packet under way wants the buffer.
 */
void unbuffered_run(struct csr_result *result, const struct csr_run *run,
		    csr_first_wins_fn first_wins);

#endif /* FLITCAST_SIM_UNBUFFERED_H */
