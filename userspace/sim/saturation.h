/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Saturation: the load above which the queues in the sources grow as long as messages are
 * generated.
 */
#ifndef FLITCAST_SIM_SATURATION_H
#define FLITCAST_SIM_SATURATION_H

#include "sim.h"

/*
 * Warns on standard error of a load that no way of routing can carry, where nothing else limits
 * what waits.  Return: it did.
 */
bool saturation_expected(const struct config *config);

/* The same, when the last message is generated, of what the network has carried less. */
void saturation_measured(const struct sim *sim);

#endif /* FLITCAST_SIM_SATURATION_H */
