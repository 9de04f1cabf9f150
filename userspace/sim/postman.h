/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_POSTMAN_H
#define FLITCAST_SIM_POSTMAN_H

/* Return: exit status. */
int postman_main(int argc, char **argv);

#endif /* FLITCAST_SIM_POSTMAN_H */
