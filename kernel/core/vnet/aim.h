/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a datagram of a site with several targets goes first: question to a mode, and answer.
 */
#ifndef FC_CORE_VNET_AIM_H
#define FC_CORE_VNET_AIM_H

#include "core/base.h"

/**
 * struct fc_aim - a datagram that waits to enter, and the links that it takes first
 * @head: its head, of which no target is read
 * @dst: sites of its targets
 * @n: how many, at most FC_TARGETS_MAX
 * @flits: flits that it has
 * @takes: result: it may enter now
 * @mask: result, by port: the targets to which it takes this link; of FC_PORT_LOCAL: those without
 *	a route, and this site
 */
struct fc_aim {
	const u8 *head;
	const u32 *dst;
	u32 n;
	u32 flits;
	bool takes;
	u64 mask[FC_PORTS_MAX];
};

#endif /* FC_CORE_VNET_AIM_H */
