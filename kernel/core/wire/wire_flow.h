/* SPDX-License-Identifier: GPL-2.0 */
/* Which way the flow of a datagram takes. */
#ifndef FC_CORE_WIRE_WIRE_FLOW_H
#define FC_CORE_WIRE_WIRE_FLOW_H

#include "core/wire/wire.h"

/**
 * fc_wire_flow_weight() - rank of a direction for the flow of a datagram
 * @head: head of the datagram
 * @site: site where the directions begin
 * @dir: direction
 *
 * A flow takes the direction with the least weight (highest random weight: Thaler and Ravishankar,
 * IEEE/ACM Transactions on Networking 6, 1998): its packets take one path, and keep it when other
 * links fail.  For lists all sites have one order of directions, which makes trees shorter.
 */
static inline u32 fc_wire_flow_weight(const u8 *head, u32 site, u8 dir)
{
	u32 at = fc_wire_ntargets(head) > 1 ? 0 : site;
	u32 h = (fc_get32(head + FC_AT_SOCK) ^ at * 0x9e3779b1U) + (dir + 1U) * 0x85ebca6bU;

	h = (h ^ h >> 16) * 0x7feb352dU;
	h = (h ^ h >> 15) * 0x846ca68bU;
	return h ^ h >> 16;
}

#endif /* FC_CORE_WIRE_WIRE_FLOW_H */
