/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks: each frame without a checksum has one, over the bytes that the link itself acts upon.
 * Damage passes for one value of 2^32.  Three multiplications, and no CRC, because each link that a
 * flit crosses makes and tests a check.
 */
#ifndef FC_CORE_WIRE_WIRE_CHECK_H
#define FC_CORE_WIRE_WIRE_CHECK_H

#include "core/wire/wire.h"
#include "core/wire/wire_bytes.h"

/* One step of a check: no two words lead from one state to the same next one, nor two states. */
static inline u64 fc_check_word(u64 state, u64 word)
{
	return ((state ^ state >> 32) + word) * 0xbf58476d1ce4e5b9ULL;
}

/* One step more, so that the highest bits of the last word change all of the check, too. */
static inline u32 fc_check_end(u64 state)
{
	return (u32)(fc_check_word(state, 0) >> 32);
}

/* The link header without the place of the check. */
static inline u64 fc_check_header(const u8 *p)
{
	return fc_check_word(fc_check_word(0, fc_get64_le(p)), fc_get64_le(p + 8));
}

static_assert(FC_LINK_SUM == 2 * sizeof(u64));

/**
 * fc_link_check() - check of a flit without a checksum: of its link header
 * @p: the header
 *
 * Return: the check, in the place of the checksum.
 */
static inline u32 fc_link_check(const u8 *p)
{
	return fc_check_end(fc_check_header(p));
}

/**
 * fc_wire_check() - check of a frame other than a flit that has no checksum
 * @p: link header, of which the place of the check is not covered, and payload
 * @len: bytes of the payload
 *
 * Return: the check.
 */
u32 fc_wire_check(const u8 *p, u32 len);

/* As fc_wire_link_encode(), with the check of any frame; the payload is at @p + FC_LINK_SIZE. */
void fc_wire_frame_encode(u8 *p, const struct fc_link_hdr *h);

#endif /* FC_CORE_WIRE_WIRE_CHECK_H */
