/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SOCK_H
#define FLITCAST_SOCK_H

/* Register the sysctls, the protocols, and last the family, which lets users in. */
int flitcast_sock_init(void);
void flitcast_sock_exit(void);

#endif /* FLITCAST_SOCK_H */
