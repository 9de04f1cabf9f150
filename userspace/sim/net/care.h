/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_CARE_H
#define FLITCAST_SIM_CARE_H

#include "option.h"

struct config;

/* flitcast-sim care: the CARE protocol under random multicast traffic. */
extern const struct option_command care_command;
/* flitcast-sim vnet: virtual networks under random multicast traffic. */
extern const struct option_command vnet_command;

/**
 * care_settings() - settings of a run of mode care by another command
 * @config: result: the defaults, with fidelity word and no limit of memory
 * @spec: a valid topology other than a graph
 */
void care_settings(struct config *config, const char *spec);

/**
 * care_simulate() - send the messages of a script, each to one target, and print nothing
 * @config: settings, with a script that has not been sent
 * @delivered: result: by message, cycle of the delivery, or FC_NEVER
 *
 * Return: findings of the oracle, which should be 0; they are printed on standard error.
 */
u64 care_simulate(const struct config *config, u64 *delivered);

#endif /* FLITCAST_SIM_CARE_H */
