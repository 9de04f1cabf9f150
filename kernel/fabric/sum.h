/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums of packets and control entries, from end to end (core/wire/wire_sum.h), in networks with
 * integrity end.
 */
#ifndef FLITCAST_FABRIC_SUM_H
#define FLITCAST_FABRIC_SUM_H

#include <linux/skbuff.h>
#include "core/wire/wire_sum.h"
#include "fabric/fabric.h"

/* Return: CRC-32C of @len bytes at @data, which continue those of @crc; 0: none are before them. */
u32 flitcast_crc(u32 crc, const void *data, u32 len);

/* As flitcast_crc(), of the data of an skb from @off on. */
u32 flitcast_crc_skb(u32 crc, struct sk_buff *skb, u32 off);

/* Set the sum of a packet, if the network has sums; @crc: of its data. */
static inline void flitcast_sum_packet(const struct flitcast_site *site, u8 *head, u32 crc)
{
	if (flitcast_site_verifies(site))
		fc_wire_set_sum(head, crc);
}

/*
 * Return: true if a packet, whose flits are in @flits, is as its source made it, or is of this
 * site, or the network has no sums; else the damage is counted.  @port: by which it came in;
 * FC_PORT_LOCAL: from this site.  Context: the site's lock.
 */
bool flitcast_sum_test(struct flitcast_site *site, const struct sk_buff_head *flits, u8 port);

/* A packet, or a control entry, of site @src that came in by @port is damaged: count it. */
void flitcast_sum_damaged(struct flitcast_site *site, u32 src, u8 port);

#endif /* FLITCAST_FABRIC_SUM_H */
