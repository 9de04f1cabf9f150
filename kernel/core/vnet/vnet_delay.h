/* SPDX-License-Identifier: GPL-2.0 */
/* The switch of mode vnet: packets that a peer delays (core/link/delay.h). */
#ifndef FC_CORE_VNET_VNET_DELAY_H
#define FC_CORE_VNET_VNET_DELAY_H

#include "core/link/delay.h"
#include "core/vnet/vnet.h"

/* Adds what the peer of a port delays to a report. */
void fc_vnet_delay(const struct fc_vnet *v, u8 port, u64 now, struct fc_delay *d);

#endif /* FC_CORE_VNET_VNET_DELAY_H */
