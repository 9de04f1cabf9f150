// SPDX-License-Identifier: GPL-2.0
#ifdef __KERNEL__
#include <kunit/test.h>
#include <linux/bitops.h>
#else
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#endif

#include "tap.h"

static unsigned int complaints;
static u64 random_state;

void tap_random_seed(u64 seed)
{
	random_state = seed;
}

/* SplitMix64, a generator of pseudo-random numbers. */
u32 tap_random(u32 below)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return (u32)((z >> 32) * below >> 32);
}

#ifdef __KERNEL__
static struct kunit *current_case;

void tap_begin(struct kunit *test)
{
	current_case = test;
	complaints = 0;
	tap_random_seed(1);
}

void tap_complain(const char *file, int line, const char *fmt, ...)
{
	struct va_format text = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	text.va = &args;
	if (!complaints++)
		KUNIT_FAIL(current_case, "%s:%d: %pV", file, line, &text);
	else if (complaints <= TAP_COMPLAINTS)
		kunit_info(current_case, "%s:%d: %pV", file, line, &text);
	va_end(args);
}

/* The compiler emits calls of this for __builtin_popcountll() if there is no libgcc. */
int __popcountdi2(long x);

int __popcountdi2(long x)
{
	return hweight64(x);
}
#else
/* Exit status of a program that has nothing to test. */
#define SKIP	4

static struct tap_test *tests;
static struct tap_test **tests_end = &tests;

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

static bool selected(const struct tap_test *test, const char *prefix)
{
	return !prefix || !strncmp(test->name, prefix, strlen(prefix));
}

int main(int argc, char **argv)
{
	const char *prefix = argc > 1 ? argv[1] : NULL;
	unsigned int failed = 0;
	unsigned int n = 0;

	/* Line buffering, so that output before a sanitizer's exit is not lost. */
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
#endif
