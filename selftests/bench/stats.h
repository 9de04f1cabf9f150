/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics of repeated measurements, as the benchmarks print them.
 */
#ifndef SELFTESTS_BENCH_STATS_H
#define SELFTESTS_BENCH_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC: instructions, where the guest counts them. */
uint64_t stats_now(void);

/**
 * stats_print() - members of a JSON object: means of parts, least, quartiles, 99 %, most, mean
 * @values: these, as they were measured; sorted afterwards
 * @count: how many, at least one
 *
 * Prints "parts": [...], the means of the first fifth of them, the second and so on, and
 * "min": ..., "q1": ..., "median": ..., "q3": ..., "p99": ..., "max": ..., "mean": ... without
 * braces.
 */
void stats_print(uint64_t *values, size_t count);

#endif /* SELFTESTS_BENCH_STATS_H */
