/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_FSM_MAIN_H
#define FLITCAST_SIM_FSM_MAIN_H

#include "option.h"

/* flitcast-sim fsm: the state machines of a site. */
extern const struct option_command fsm_command;

#endif /* FLITCAST_SIM_FSM_MAIN_H */
