/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SYSCTL_H
#define FLITCAST_SYSCTL_H

#include <linux/types.h>

struct net;

/* Smallest receive or send buffer, bytes. */
#define FLITCAST_MEM_LEAST	4096

/* net.flitcast.message_max, {r,w}mem_default, {r,w}mem_max of a namespace, bytes. */
u32 flitcast_sysctl_message_max(struct net *net);
int flitcast_sysctl_rmem(struct net *net);
int flitcast_sysctl_wmem(struct net *net);
int flitcast_sysctl_rmem_max(struct net *net);
int flitcast_sysctl_wmem_max(struct net *net);

int flitcast_sysctl_init(void);
void flitcast_sysctl_exit(void);

#endif /* FLITCAST_SYSCTL_H */
