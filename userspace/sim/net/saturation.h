/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Saturation: the load above which the queues in the sources grow as long as messages are
 * generated.
 */
#ifndef FLITCAST_SIM_SATURATION_H
#define FLITCAST_SIM_SATURATION_H

#include "sim.h"

/*
 * Warn on standard error of a load that no routing can carry, if nothing else limits the queues.
 * Return: true if it warned.
 */
bool saturation_expected(const struct config *config);

/*
 * Warn on standard error, once the last message is generated, if the network carried less than the
 * load.
 */
void saturation_measured(const struct sim *sim);

#endif /* FLITCAST_SIM_SATURATION_H */
