/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums from end to end, which no site on the path makes.  That of a packet: its source makes it, and
 * each target tests it before it uses anything of the packet.
 *
 *	sum = CRC-32C of the data  ^  check of the header  ^  check of each target
 *
 * So the sum has the guarantees of CRC-32C where only data is damaged; other damage passes for one
 * value of 2^32.  Parts are joined by exclusive or, because a site that sends a packet on to some of
 * its targets takes out the checks of the others (fc_wire_head_subset()) without knowing any other
 * part: damage of the list that came before stays visible in each branch.
 *
 * Not covered: the links crossed, the copies around suspected links, and FC_PACKET_APART, which
 * sites on the path write, and a label of a broadcast; none of them changes what a target delivers.
 * The bitmap and the number of targets tell which targets the list has; so they are covered.
 */
#ifndef FC_CORE_WIRE_WIRE_SUM_H
#define FC_CORE_WIRE_WIRE_SUM_H

#include "core/wire/wire_check.h"
#include "core/wire/wire_plain.h"

/* Check of the constant fields of a packet header. */
static inline u32 fc_sum_header(const u8 *head)
{
	u8 flags = head[P_FLAGS] & (u8)~FC_PACKET_APART;
	u64 state;

	state = fc_check_word(0, fc_get64_le(head));
	/* Without the size of the bitmap, and the number of targets. */
	state = fc_check_word(state, fc_get64_le(head + P_SOCK) & 0xffffffffffffULL);
	state = fc_check_word(state, fc_get64_le(head + P_ID));
	state = fc_check_word(state, (u64)fc_get32(head + P_OFFSET) << 16 |
				     (u64)head[P_KIND] << 8 | flags);
	return fc_check_end(state);
}

static_assert(P_BITMAP == P_SOCK + 6 && P_OFFSET == P_ID + 8);

/* State of the check of a target, by all fields of its entry but the site. */
static inline u64 fc_sum_entry(const u8 *head, const u8 *entry)
{
	bool bcast = fc_get32(head + P_SOCK) & FC_SOCK_BCAST;
	u64 part = fc_get64_le(entry + T_OFF);

	/* A broadcast has its copies in the place of T_OFF, and its label behind that. */
	if (bcast)
		part &= 0xffffffffULL;
	part = fc_check_word(0, part);
	return fc_check_word(part, (u64)fc_get32(entry + T_SEQ) << 32 |
				   (u64)fc_get16(entry + T_PORT) << 8 | entry[T_OUTSTANDING]);
}

/* Check of a target; @site: its site, or the number of a broadcast, which stands in that place. */
static inline u32 fc_sum_target(u64 entry, u32 site)
{
	return fc_check_end(fc_check_word(entry, site));
}

/* The checks of the targets of @mask, joined. */
u32 fc_sum_targets(const u8 *head, u64 mask);

/**
 * fc_wire_sum() - sum of a packet
 * @head: packet header and list; the list is valid
 * @crc: CRC-32C of the data of the packet (RFC 3720, B.4)
 *
 * Return: the sum.
 */
static inline u32 fc_wire_sum(const u8 *head, u32 crc)
{
	const u8 *entry = head + FC_PACKET_SIZE;

	crc ^= fc_sum_header(head);
	if (fc_head_single(head))
		return crc ^ fc_sum_target(fc_sum_entry(head, entry), fc_get32(entry + T_SITE));
	return crc ^ fc_sum_targets(head, ~0ULL);
}

/* Sets the sum of a packet whose header and list are complete. */
static inline void fc_wire_set_sum(u8 *head, u32 crc)
{
	fc_put32(head + P_SUM, fc_wire_sum(head, crc));
}

/* Returns true if the packet is as its source made it; @crc: of the data that arrived. */
static inline bool fc_wire_intact(const u8 *head, u32 crc)
{
	return fc_get32(head + P_SUM) == fc_wire_sum(head, crc);
}

/**
 * fc_ctrl_sum() - sum of a control entry, from end to end
 * @c: entry; its links crossed, which sites on the path count, are not covered
 *
 * Return: the sum; other damage passes for one value of 2^32.
 */
static inline u32 fc_ctrl_sum(const struct fc_ctrl *c)
{
	u64 state;

	state = fc_check_word(0, (u64)c->base << 32 | (u64)c->port << 16 | c->kind);
	state = fc_check_word(state, (u64)c->dst << 32 | c->incarnation);
	state = fc_check_word(state, (u64)c->sock << 32 | c->site);
	state = fc_check_word(state, (u64)c->seq << 32 | c->next);
	return fc_check_end(fc_check_word(state, c->have));
}

#endif /* FC_CORE_WIRE_WIRE_SUM_H */
