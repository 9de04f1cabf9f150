// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

/* Delay of the first line, and interval of the others, ms. */
#define FIRST	1000
#define EACH	200

static u64 begun;
static u64 shown_at;
static bool shown;

/* Time in milliseconds, never 0. */
static u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (u64)time.tv_sec * 1000 + (u64)time.tv_nsec / 1000000 + 1;
}

static u64 passed(void)
{
	if (!begun)
		begun = now();
	return now() - begun;
}

bool progress_due(void)
{
	return passed() >= FIRST && now() - shown_at >= EACH && isatty(STDERR_FILENO);
}

u64 progress_seconds(void)
{
	return passed() / 1000;
}

void progress_show(const char *fmt, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	shown = true;
	shown_at = now();
	fprintf(stderr, "\r\033[K");
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fflush(stderr);
}

void progress_wipe(void)
{
	if (shown)
		fprintf(stderr, "\r\033[K");
	shown = false;
}
