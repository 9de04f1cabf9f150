/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only file of the core that includes headers from outside: integer types, mem*, assertions.
 *
 * The core is compiled into the module, the simulator and the tests.  It owns
 * no memory, no clock, no lock and no randomness, and its objects import
 * nothing but memcpy(), memset(), memcmp() and memmove().
 */
#ifndef FC_CORE_BASE_H
#define FC_CORE_BASE_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/string.h>
#include <linux/build_bug.h>
#include <linux/bug.h>
#define FC_BUG_ON_US(cond)	WARN_ON_ONCE(cond)
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#ifndef static_assert
#define static_assert(cond, ...)	_Static_assert(cond, "" __VA_ARGS__)
#endif
/* A condition that only a bug in this code can cause: a test aborts at once. */
#define FC_BUG_ON_US(cond)	({ bool c_ = (cond); if (c_) __builtin_trap(); c_; })
#ifndef __printf
#define __printf(a, b)		__attribute__((format(printf, a, b)))
#endif
#ifndef noinline
#define noinline		__attribute__((noinline))
#endif
#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#endif

/* A local variable that is written before it is read: the compiler need not zero it. */
#if defined(__has_attribute) && __has_attribute(uninitialized)
#define FC_UNSET		__attribute__((uninitialized))
#else
#define FC_UNSET
#endif

#define FC_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The local port and the ports of the links; sets of ports are u32 masks. */
#define FC_PORT_LOCAL		0
#define FC_PORTS_MAX		32
#define FC_PORT_NONE		0xff

/* No site: no site has this identity. */
#define FC_SITE_NONE		0xffffffffU

static inline u32 fc_bit(unsigned int n)
{
	return (u32)1 << n;
}

static inline u64 fc_bit64(unsigned int n)
{
	return (u64)1 << n;
}

/* Index of the lowest bit; mask is not 0. */
static inline unsigned int fc_low(u32 mask)
{
	return __builtin_ctz(mask);
}

/* Tests each half: on 32 bits __builtin_ctzll() would call into libgcc. */
static inline unsigned int fc_low64(u64 mask)
{
	return (u32)mask ? fc_low((u32)mask) : 32 + fc_low((u32)(mask >> 32));
}

/* Is sequence number a before b?  Numbers wrap. */
static inline bool fc_before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

static inline bool fc_before16(u16 a, u16 b)
{
	return (u16)(b - a - 1) < 0x7fff;
}

static inline u64 fc_mask_all(unsigned int n)
{
	return n >= 64 ? ~(u64)0 : fc_bit64(n) - 1;
}

/* xorshift64*: random enough to keep two sites out of lockstep. */
static inline u32 fc_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (u32)((*state * 0x2545F4914F6CDD1DULL) >> 32);
}

/* Return: a random number below @n <= 2^47; a product, because the kernel divides u64 slowly. */
static inline u64 fc_random_below(u64 *state, u64 n)
{
	return ((u64)(fc_random(state) >> 16) * n) >> 16;
}

#endif /* FC_CORE_BASE_H */
