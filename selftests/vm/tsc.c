// SPDX-License-Identifier: GPL-2.0
/*
 * Print the rate of this machine's time stamp counter, in kHz.  Built only if the machine has one.
 *
 * The emulator passes this counter through to its guest.  A guest that measures the rate itself at
 * boot, on a busy machine, may be wrong by a factor of ten, and so is its clock.
 *
 * Each guest has it compiled: so without x86intrin.h, which takes a second.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define TRIES		20
#define MEASURE_NS	20000000

/* Read counter and time; of several readings, use that with the shortest interruption. */
static uint64_t read_both(uint64_t *ns)
{
	uint64_t best = UINT64_MAX, counter = 0;
	int i;

	for (i = 0; i < TRIES; i++) {
		uint64_t before = __builtin_ia32_rdtsc(), after;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		after = __builtin_ia32_rdtsc();
		if (after - before >= best)
			continue;
		best = after - before;
		counter = before + best / 2;
		*ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	}
	return counter;
}

int main(void)
{
	const struct timespec wait = { .tv_nsec = MEASURE_NS };
	uint64_t from_ns, to_ns, from = read_both(&from_ns), to;

	nanosleep(&wait, NULL);
	to = read_both(&to_ns);
	printf("%llu\n", (unsigned long long)((to - from) * 1000000 / (to_ns - from_ns)));
	return 0;
}
