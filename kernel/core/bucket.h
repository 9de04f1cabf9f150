/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Token bucket, represented by the time at which it is full: limits the rate of work that a
 * neighbour causes.
 */
#ifndef FC_CORE_BUCKET_H
#define FC_CORE_BUCKET_H

#include "core/base.h"

/**
 * fc_bucket_take() - take tokens out of a bucket
 * @full_at: time at which the bucket is full again; initially 0
 * @now: time
 * @each: time in which the bucket gains a token
 * @burst: number of tokens of a full bucket
 * @n: number of tokens to take, at most @burst
 *
 * Return: false if the bucket has fewer; then none is taken.
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
