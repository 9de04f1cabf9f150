/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_REPLAY_MAIN_H
#define FLITCAST_SIM_REPLAY_MAIN_H

#include "option.h"

/* flitcast-sim replay: a chosen order of events in a small network. */
extern const struct option_command replay_command;

#endif /* FLITCAST_SIM_REPLAY_MAIN_H */
