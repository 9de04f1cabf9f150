// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "stats.h"

uint64_t stats_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Number of consecutive parts of a measurement; each has its own mean. */
#define PARTS	5

void stats_print(uint64_t *values, size_t count)
{
	size_t parts = count < PARTS ? count : PARTS, part, from = 0, i = 0;
	double sum = 0, mean;

	printf("\"parts\": [");
	for (part = 0; part < parts; part++, from = i) {
		for (mean = 0; i < count * (part + 1) / parts; i++)
			mean += values[i];
		sum += mean;
		printf("%s%.0f", part ? ", " : "", mean / (i - from));
	}
	qsort(values, count, sizeof(*values), compare);
	printf("], \"min\": %llu, \"q1\": %llu, \"median\": %llu, \"q3\": %llu, \"p99\": %llu, \"max\": %llu, \"mean\": %.0f",
	       (unsigned long long)values[0], (unsigned long long)values[count / 4],
	       (unsigned long long)values[count / 2],
	       (unsigned long long)values[count - 1 - count / 4],
	       (unsigned long long)values[count - 1 - count / 100],
	       (unsigned long long)values[count - 1], sum / count);
}
