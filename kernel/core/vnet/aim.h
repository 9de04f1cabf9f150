/* SPDX-License-Identifier: GPL-2.0 */
/*
 * First links of a datagram of this site that has several targets: request to a mode, and result.
 */
#ifndef FC_CORE_VNET_AIM_H
#define FC_CORE_VNET_AIM_H

#include "core/base.h"

/**
 * struct fc_aim - a datagram that waits to enter, and the links that it takes first
 * @head: head, whose targets are not read
 * @dst: sites of the targets
 * @n: number of targets, at most FC_TARGETS_MAX
 * @flits: number of flits
 * @takes: result: the datagram may enter now
 * @mask: result, by port: targets that are reached by this link; for FC_PORT_LOCAL: targets without
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
