/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pseudo-random numbers of the simulator: integers only, so that the same seed
 * gives the same output on every machine.
 */
#ifndef FLITCAST_SIM_RANDOM_H
#define FLITCAST_SIM_RANDOM_H

#include "core/base.h"

struct rng {
	u64 state;
};

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static inline u64 rng_u64(struct rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Return: 0 .. @below - 1; the bias, below 2^-32 of a value, is negligible. */
static inline u32 rng_below(struct rng *rng, u32 below)
{
	return (u32)((rng_u64(rng) >> 32) * below >> 32);
}

static inline u32 rng_between(struct rng *rng, u32 first, u32 last)
{
	return first + rng_below(rng, last - first + 1);
}

/**
 * rng_exponential() - draw an exponentially distributed number, mean 1, in units of 2^-32
 * @rng: generator
 *
 * Von Neumann's comparison method (1951): no logarithm, whose last bits differ
 * between C libraries.
 *
 * Return: the number.
 */
static inline u64 rng_exponential(struct rng *rng)
{
	u64 whole = 0;

	for (;;) {
		u32 first = (u32)(rng_u64(rng) >> 32);
		u32 last = first;
		unsigned int run = 0;
		u32 next;

		do {
			next = (u32)(rng_u64(rng) >> 32);
			run++;
			if (next >= last)
				break;
			last = next;
		} while (true);
		if (run & 1)
			return whole << 32 | first;
		whole++;
	}
}

#endif /* FLITCAST_SIM_RANDOM_H */
