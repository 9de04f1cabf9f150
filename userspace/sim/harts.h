/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_HARTS_H
#define FLITCAST_SIM_HARTS_H

/* The command "harts".  Return: exit status. */
int harts_main(int argc, char **argv);

#endif /* FLITCAST_SIM_HARTS_H */
