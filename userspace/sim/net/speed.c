// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/output.h"
#include "sim.h"
#include "speed.h"

typedef unsigned __int128 u128;

/* Nanoseconds in a second, and in a millisecond. */
#define SECOND	1000000000ULL
#define MILLI	1000000ULL

static u64 clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (u64)now.tv_sec * SECOND + (u64)now.tv_nsec;
}

/* Maximum resident memory, kilobytes. */
static u64 resident(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (u64)usage.ru_maxrss;
}

void speed_begin(struct speed *speed)
{
	speed->resident = resident();
	speed->setup = clock_now(CLOCK_PROCESS_CPUTIME_ID);
}

void speed_made(struct speed *speed)
{
	speed->cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);
	speed->setup = speed->cpu - speed->setup;
	speed->wall = clock_now(CLOCK_MONOTONIC);
}

void speed_end(struct speed *speed)
{
	speed->cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - speed->cpu;
	speed->wall = clock_now(CLOCK_MONOTONIC) - speed->wall;
}

static u64 a_second(u64 n, u64 time)
{
	return time ? (u64)((u128)n * SECOND / time) : 0;
}

void speed_report(const struct speed *speed, const struct sim *sim)
{
	u64 hops = sim->link_stat[FC_LSTAT_RX_FLITS];

	output_group("speed");
	output_number("flit_hops", hops);
	output_fixed("seconds", speed->wall / MILLI, 1000);
	output_fixed("cpu_seconds", speed->cpu / MILLI, 1000);
	output_fixed("setup_cpu_seconds", speed->setup / MILLI, 1000);
	output_number("flit_hops_per_second", a_second(hops, speed->wall));
	output_number("flit_hops_per_cpu_second", a_second(hops, speed->cpu));
	output_number("bytes_per_site",
		      (resident() - speed->resident) * 1024 / sim->config.topo.nsites);
	output_group_end();
}
