/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_REPLAY_H
#define FLITCAST_SIM_REPLAY_H

#include "world.h"

/**
 * replay_events() - execute the events of a trace, print each on standard output, and finally the
 * state of every machine
 * @config: scenario
 * @event: events
 * @n: number of events
 * @prefix: prefix of every line
 *
 * Return: NULL, or the invariant that was violated; later events were not executed.
 */
const char *replay_events(const struct world_config *config, const u16 *event, unsigned int n,
			  const char *prefix);

#endif /* FLITCAST_SIM_REPLAY_H */
