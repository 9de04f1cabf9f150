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

/**
 * struct flitcast_locate - search for the links that damage packets
 * @next_at: this site sends no FC_CTRL_DAMAGED before
 * @until: packets of this site have FC_PACKET_LOCATE
 *
 * Both in jiffies of 64 bits.
 */
struct flitcast_locate {
	u64 next_at;
	u64 until;
};

/* Set the sum of a packet, if the network has sums; @crc: of its data. */
void flitcast_sum_packet(const struct flitcast_site *site, u8 *head, u32 crc);

/*
 * Return: true if a packet, whose flits are in @flits, is as its source made it, or is of this
 * site, or the network has no sums.  @port: by which it came in; FC_PORT_LOCAL: from this site.
 * Context: the site's lock.
 */
bool flitcast_sum_test(const struct flitcast_site *site, const struct sk_buff_head *flits, u8 port);

/* A target has received damaged packets of this site: locate the damage for a while. */
void flitcast_sum_locate(struct flitcast_site *site);

#endif /* FLITCAST_FABRIC_SUM_H */
