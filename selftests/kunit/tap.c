// SPDX-License-Identifier: GPL-2.0
/*
 * The harness of the core's tests, as KUnit's: selftests/core/tap.h.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include "selftests/core/tap.h"

static struct kunit *current_case;
static unsigned int complaints;
static u64 random_state;

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

void tap_random_seed(u64 seed)
{
	random_state = seed;
}

/* SplitMix64, as in user space. */
u32 tap_random(u32 below)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return (u32)((z >> 32) * below >> 32);
}

/* What the compiler makes of __builtin_popcountll() where there is no libgcc. */
int __popcountdi2(long x);

int __popcountdi2(long x)
{
	return hweight64(x);
}
