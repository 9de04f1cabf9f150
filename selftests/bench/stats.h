/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of repeated measurements, as the benchmarks print them.
 */
#ifndef SELFTESTS_BENCH_STATS_H
#define SELFTESTS_BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC (instructions, if the guest counts them). */
uint64_t stats_now(void);

/* Mark for bench/profile, which records from one mark to the next one, alternately. */
static inline void stats_mark(void)
{
	asm volatile("xchg %%bx, %%bx" ::: "memory");
}

/**
 * stats_print() - print statistics as members of a JSON object
 * @values: values in the order of measurement; sorted afterwards
 * @count: number of values, at least one
 *
 * Prints "parts": [...], the means of the first fifth of them, the second and so on, and
 * "min": ..., "q1": ..., "median": ..., "q3": ..., "p99": ..., "max": ..., "mean": ... without
 * braces.
 */
void stats_print(uint64_t *values, size_t count);

#endif /* SELFTESTS_BENCH_STATS_H */
