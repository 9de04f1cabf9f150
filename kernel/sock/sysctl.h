/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SYSCTL_H
#define FLITCAST_SYSCTL_H

#include <linux/types.h>

struct net;

/* net.flitcast.message_max, rmem_default, wmem_default of a namespace, bytes. */
u32 flitcast_sysctl_message_max(struct net *net);
int flitcast_sysctl_rmem(struct net *net);
int flitcast_sysctl_wmem(struct net *net);

int flitcast_sysctl_init(void);
void flitcast_sysctl_exit(void);

#endif /* FLITCAST_SYSCTL_H */
