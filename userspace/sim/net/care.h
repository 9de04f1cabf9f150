/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_CARE_H
#define FLITCAST_SIM_CARE_H

#include "option.h"

/* flitcast-sim care: the CARE protocol under random multicast traffic. */
extern const struct option_command care_command;
/* flitcast-sim vnet: virtual networks under random multicast traffic. */
extern const struct option_command vnet_command;

#endif /* FLITCAST_SIM_CARE_H */
