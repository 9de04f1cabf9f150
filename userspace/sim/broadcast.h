/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_BROADCAST_H
#define FLITCAST_SIM_BROADCAST_H

/* Broadcasts among faulty sites; arguments from the command's name on.  Return: exit status. */
int broadcast_main(int argc, char **argv);

#endif /* FLITCAST_SIM_BROADCAST_H */
