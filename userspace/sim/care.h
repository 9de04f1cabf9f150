/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_CARE_H
#define FLITCAST_SIM_CARE_H

/* flitcast-sim care: the CARE protocol under random multicast traffic.  Return: exit status. */
int care_main(int argc, char **argv);
/* flitcast-sim vnet: the same with virtual networks. */
int vnet_main(int argc, char **argv);

#endif /* FLITCAST_SIM_CARE_H */
