// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "option.h"
#include "util.h"

volatile sig_atomic_t interrupted;

static bool progress_shown;
/* Start of the work that progress() shows, and its progress at that time. */
static uint64_t begun_at, begun_with;

static void complain_args(const char *format, va_list args)
{
	progress_end();
	fflush(stdout);
	fputs("flitcast: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_args(format, args);
	va_end(args);
}

void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain_args(format, args);
	va_end(args);
	exit(EXIT_FAILED);
}

void bad_usage(const char *format, ...)
{
	va_list args;

	progress_end();
	fflush(stdout);
	va_start(args, format);
	exit(option_vusage(format, args));
}

uint32_t parse_number(const char *text, uint32_t min, uint32_t max, const char *what)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
		bad_usage("%s is a number from %u to %u, not \"%s\"", what, min, max, text);
	return value;
}

void *xalloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		fail("out of memory");
	return memory;
}

void *xrealloc(void *old, size_t size)
{
	void *memory = realloc(old, size);

	if (!memory)
		fail("out of memory");
	return memory;
}

char *xprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		fail("out of memory");
	va_end(args);
	return text;
}

static void on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = SA_RESETHAND }, old;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static const char *bytes_text(uint64_t bytes, char buf[32])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = bytes;
	unsigned int i;

	for (i = 0; value >= 1024 && i < 4; i++)
		value /= 1024;
	snprintf(buf, 32, i ? "%.1f %s" : "%.0f %s", value, units[i]);
	return buf;
}

/* Is stderr a terminal that can wipe a line? */
static bool can_show(void)
{
	const char *term = getenv("TERM");

	return term && *term && strcmp(term, "dumb") && isatty(STDERR_FILENO);
}

void progress_remark(const char *what, uint64_t done, uint64_t total, const char *unit,
		     const char *(*remark)(const void *arg), const void *arg)
{
	static uint64_t shown_at;
	uint64_t now = now_ns();
	const char *text;
	char a[32], b[32];

	if (!can_show())
		return;
	if (!begun_at || done < begun_with) {
		begun_at = now;
		begun_with = done;
	}
	/* Update at most ten times a second. */
	if (progress_shown && now - shown_at < 100000000)
		return;
	shown_at = now;
	progress_shown = true;
	if (strcmp(unit, "bytes")) {
		snprintf(a, sizeof(a), "%llu", (unsigned long long)done);
		snprintf(b, sizeof(b), "%llu", (unsigned long long)total);
		fprintf(stderr, total ? "\r\033[K%s: %s of %s%s%s" : "\r\033[K%s: %s%.0s%s%s", what,
			a, b, *unit ? " " : "", unit);
	} else {
		bytes_text(done, a);
		bytes_text(total, b);
		fprintf(stderr, total ? "\r\033[K%s: %s of %s" : "\r\033[K%s: %s", what, a, b);
	}
	if (total)
		fprintf(stderr, " (%u %%)", (unsigned int)(done * 100.0 / total));
	if (!strcmp(unit, "bytes") && now > begun_at)
		fprintf(stderr, ", %s/s",
			bytes_text((done - begun_with) * 1e9 / (now - begun_at), a));
	text = remark ? remark(arg) : "";
	if (*text)
		fprintf(stderr, ", %s", text);
	fflush(stderr);
}

void progress(const char *what, uint64_t done, uint64_t total, const char *unit)
{
	progress_remark(what, done, total, unit, NULL, NULL);
}

void progress_end(void)
{
	begun_at = 0;
	if (!progress_shown)
		return;
	fputs("\r\033[K", stderr);
	progress_shown = false;
}
