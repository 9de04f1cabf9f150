/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_BROADCAST_H
#define FLITCAST_SIM_BROADCAST_H

#include "option.h"

/* flitcast-sim broadcast: broadcasts among faulty sites. */
extern const struct option_command broadcast_command;

#endif /* FLITCAST_SIM_BROADCAST_H */
