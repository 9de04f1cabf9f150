/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A token bucket, kept as the time at which it is full: what a neighbour may make a site do.
 */
#ifndef FC_CORE_BUCKET_H
#define FC_CORE_BUCKET_H

#include "core/base.h"

/**
 * fc_bucket_take() - take tokens out of a bucket
 * @full_at: when it is full again; 0: a full one
 * @now: time
 * @each: time in which one token comes
 * @burst: tokens of a full bucket
 * @n: tokens wanted, at most @burst
 *
 * Return: false if there are not so many; then none is taken.
 */
static inline bool fc_bucket_take(u64 *full_at, u64 now, u64 each, u64 burst, u32 n)
{
	u64 full = *full_at > now ? *full_at : now;

	if (full - now + n * each > burst * each)
		return false;
	*full_at = full + n * each;
	return true;
}

#endif /* FC_CORE_BUCKET_H */
