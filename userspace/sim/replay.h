/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_REPLAY_H
#define FLITCAST_SIM_REPLAY_H

#include "world.h"

/**
 * replay_events() - let the events of a trace happen, telling each on standard
 *	output, and then what every machine is doing
 * @config: scenario
 * @event: events
 * @n: how many
 * @prefix: of every line
 *
 * Return: NULL, or which promise was broken; events after that did not happen.
 */
const char *replay_events(const struct world_config *config, const u16 *event, unsigned int n,
			  const char *prefix);

#endif /* FLITCAST_SIM_REPLAY_H */
