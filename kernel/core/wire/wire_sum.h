/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums from end to end, which no site on the path makes.  The source of a packet makes its sum, and
 * each target tests it before it uses anything of the packet.
 *
 *	sum = CRC-32C of the data  ^  check of the header  ^  check of each target
 *
 * So the sum has the guarantees of CRC-32C where only data is damaged; other damage passes for one
 * value of 2^32.  Parts are joined by exclusive or, because a site that sends a packet on to some
 * of its targets takes out the checks of the others (fc_wire_summed_subset()) without knowing any
 * other part: damage of the list that came before stays visible in each branch.
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
	u64 last = fc_get64_le(head + P_SUM) >> 48 & ~(u64)FC_PACKET_APART;
	u64 state;

	state = fc_check_word(0, fc_get64_le(head));
	/* Without the size of the bitmap, and the number of targets. */
	state = fc_check_word(state, fc_get64_le(head + P_SOCK) & 0xffffffffffffULL);
	state = fc_check_word(state, fc_get64_le(head + P_ID));
	/* Offset, flags and kind; a packet has one header, which needs no further step. */
	state = fc_check_word(state, last << 32 | (fc_get64_le(head + P_OFFSET) & 0xffffffff));
	return (u32)(state >> 32);
}

static_assert(P_BITMAP == P_SOCK + 6 && P_OFFSET == P_ID + 8 && P_SUM == P_OFFSET + 4 &&
	      P_FLAGS == P_SUM + 6 && P_KIND == P_FLAGS + 1);

/* State of the check of a target, by all fields of its entry but the site. */
static inline u64 fc_sum_entry(const u8 *head, const u8 *entry)
{
	u64 rest = fc_get64_le(entry + T_LEN);

	/* A broadcast has its label in that place. */
	if (head[P_SOCK] & (FC_SOCK_BCAST >> 24))
		rest &= ~0xffffffffULL;
	/* Without the flags. */
	return fc_check_word(fc_check_word(0, fc_get64_le(entry + T_PORT) & ~0xff0000ULL), rest);
}

static_assert(T_FLAGS == T_PORT + 2 && T_OFF == T_PORT + 4 && T_SEQ == T_LEN + 4);

/* Check of a target; @site: its site, or the number of a broadcast, which stands in that place. */
static inline u32 fc_sum_target(u64 entry, u32 site)
{
	return fc_check_end(fc_check_word(entry, site));
}

/* The checks of the targets of @mask, joined. */
u32 fc_sum_targets(const u8 *head, u64 mask);

/* As fc_wire_head_subset(), of a packet that has a sum. */
u32 fc_wire_summed_subset(u8 *dst, const u8 *src, u64 mask, u16 hops);

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

/* Offset in a control entry. */
#define FC_AT_CTRL_SUM	40

/**
 * fc_wire_ctrl_sum() - sum of a control entry, from end to end
 * @p: entry; its links crossed, which sites on the path count, are not covered
 *
 * Return: the sum; other damage passes for one value of 2^32.
 */
static inline u32 fc_wire_ctrl_sum(const u8 p[FC_CTRL_SIZE])
{
	u64 state;

	state = fc_check_word(0, fc_get64_le(p) & ~0xffff0000ULL);
	state = fc_check_word(state, fc_get64_le(p + 8));
	state = fc_check_word(state, fc_get64_le(p + 16));
	state = fc_check_word(state, fc_get64_le(p + 24));
	return fc_check_end(fc_check_word(state, fc_get64_le(p + 32)));
}

static_assert(FC_AT_CTRL_HOPS == 2 && FC_AT_CTRL_SUM == 40);

/* Sets the sum of an entry that this end makes. */
static inline void fc_wire_ctrl_set_sum(u8 p[FC_CTRL_SIZE])
{
	fc_put32(p + FC_AT_CTRL_SUM, fc_wire_ctrl_sum(p));
}

/* Returns true if the entry is as its end made it. */
static inline bool fc_wire_ctrl_intact(const u8 p[FC_CTRL_SIZE])
{
	return fc_get32(p + FC_AT_CTRL_SUM) == fc_wire_ctrl_sum(p);
}

#endif /* FC_CORE_WIRE_WIRE_SUM_H */
