/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Access to numbers in frames, in network byte order; only for code that encodes frames.
 */
#ifndef FC_CORE_WIRE_WIRE_BYTES_H
#define FC_CORE_WIRE_WIRE_BYTES_H

#include "core/base.h"

static inline u16 fc_get16(const u8 *p)
{
	return (u16)(p[0] << 8 | p[1]);
}

static inline u32 fc_get32(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

/* The first byte is the lowest one: for hashes, of which the fastest order is as good as any. */
static inline u64 fc_get64_le(const u8 *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v;
}

static inline void fc_put16(u8 *p, u16 v)
{
	p[0] = (u8)(v >> 8);
	p[1] = (u8)v;
}

static inline void fc_put32(u8 *p, u32 v)
{
	fc_put16(p, (u16)(v >> 16));
	fc_put16(p + 2, (u16)v);
}

#endif /* FC_CORE_WIRE_WIRE_BYTES_H */
