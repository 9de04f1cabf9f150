// SPDX-License-Identifier: GPL-2.0
/* The window of numbers that came from a source, beside a model that knows all of them. */
#include <string.h>

#include "core/faults/seen.h"
#include "tap.h"

/* Numbers of a run, from @base on. */
#define NUMBERS	(8 * FC_SEEN_BITS)

static bool came[NUMBERS];

/* A number comes: compare the result with the model. */
static void take(struct fc_seen *s, u32 base, u32 n, u32 *end)
{
	bool old = n + FC_SEEN_BITS < *end, first = fc_seen_first(s, base + n);

	/* A new window begins. */
	if (old)
		memset(came, 0, sizeof(came));
	CHECK(first == !came[n], "base %u: number %u of %u: %s", base, n, *end,
	      first ? "new" : "a double");
	came[n] = true;
	if (n >= *end || old)
		*end = n + 1;
}

TEST(seen__any_order)
{
	static const u32 bases[] = { 0, 1, 0x7fffffff, 0xffffffff - NUMBERS / 2, 0xffffffff };
	static const u32 spreads[] = { 1, 2, 63, 64, 65, FC_SEEN_BITS - 1, FC_SEEN_BITS,
				       FC_SEEN_BITS + 1, 3 * FC_SEEN_BITS };

	for (unsigned int b = 0; b < FC_ARRAY_SIZE(bases); b++) {
		for (unsigned int i = 0; i < FC_ARRAY_SIZE(spreads); i++) {
			struct fc_seen s = { 0 };
			u32 end = 0, at = 0;

			memset(came, 0, sizeof(came));
			while (at + spreads[i] < NUMBERS) {
				take(&s, bases[b], at + tap_random(spreads[i]), &end);
				at += tap_random(3) ? 0 : 1 + tap_random(spreads[i] / 2 + 1);
				if (!tap_random(8) && end)
					take(&s, bases[b], tap_random(end), &end);
			}
		}
	}
}

/* All orders of six numbers with doubles, around the ends of the window. */
TEST(seen__every_order)
{
	static const u32 numbers[] = { 0, 1, FC_SEEN_BITS - 1, FC_SEEN_BITS, FC_SEEN_BITS + 1,
				       2 * FC_SEEN_BITS };
	const unsigned int n = FC_ARRAY_SIZE(numbers);

	for (unsigned int order = 0; order < 6 * 6 * 6 * 6 * 6 * 6; order++) {
		struct fc_seen s = { 0 };
		unsigned int rest = order;
		u32 end = 0;

		memset(came, 0, sizeof(came));
		for (unsigned int i = 0; i < n; i++) {
			take(&s, 0xfffff000, numbers[rest % n], &end);
			rest /= n;
		}
	}
}
