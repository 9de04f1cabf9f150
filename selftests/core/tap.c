// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

/* Exit status of a program that has nothing to test. */
#define SKIP	4

static struct tap_test *tests;
static struct tap_test **tests_end = &tests;
static unsigned int complaints;
static u64 random_state;

void tap_register(struct tap_test *test)
{
	*tests_end = test;
	tests_end = &test->next;
}

void tap_complain(const char *file, int line, const char *fmt, ...)
{
	va_list args;

	if (complaints++ >= TAP_COMPLAINTS)
		return;
	printf("# %s:%d: ", file, line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
}

void tap_random_seed(u64 seed)
{
	random_state = seed;
}

/* SplitMix64. */
u32 tap_random(u32 below)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return (u32)((z >> 32) * below >> 32);
}

static bool selected(const struct tap_test *test, const char *prefix)
{
	return !prefix || !strncmp(test->name, prefix, strlen(prefix));
}

int main(int argc, char **argv)
{
	const char *prefix = argc > 1 ? argv[1] : NULL;
	unsigned int failed = 0;
	unsigned int n = 0;

	/* A sanitizer's end must not swallow what was printed before it. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (struct tap_test *test = tests; test; test = test->next)
		n += selected(test, prefix);
	printf("TAP version 13\n1..%u\n", n);
	n = 0;
	for (struct tap_test *test = tests; test; test = test->next) {
		if (!selected(test, prefix))
			continue;
		complaints = 0;
		tap_random_seed(1);
		test->run();
		failed += complaints > 0;
		printf("%sok %u %s\n", complaints ? "not " : "", ++n, test->name);
	}
	if (!n)
		return SKIP;
	return failed ? 1 : 0;
}
