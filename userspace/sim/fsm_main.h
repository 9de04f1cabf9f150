/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_FSM_MAIN_H
#define FLITCAST_SIM_FSM_MAIN_H

/* Draws a state machine; arguments from the command's name on.  Return: exit status. */
int fsm_main(int argc, char **argv);

#endif /* FLITCAST_SIM_FSM_MAIN_H */
