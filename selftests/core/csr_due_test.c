// SPDX-License-Identifier: GPL-2.0
/*
 * The table of due times of a site, against a list of all entries ever noted: the table returns the
 * right times, and forgets the oldest entries first.
 */
#include <string.h>

#include "core/csr/csr_due.h"
#include "tap.h"

#define NOTED	400

static struct {
	struct fc_csr_dues d;
	struct fc_csr_due noted[NOTED];
	u32 n;
} b;

static struct fc_csr_due *find(u32 site, u32 number)
{
	u32 i;

	for (i = 0; i < b.n; i++)
		if (b.noted[i].id.site == site && b.noted[i].id.number == number)
			return &b.noted[i];
	return NULL;
}

/* Note an attempt; older ones are ignored, unless the table has evicted the last one. */
static void note(u32 site, u32 number, u32 attempt, u64 at)
{
	const struct fc_csr_id id = { site, number, attempt };
	struct fc_csr_due *e = find(site, number);
	bool known = fc_csr_due_at(&b.d, site, number);

	fc_csr_due_note(&b.d, &id, at);
	if (!e)
		e = &b.noted[b.n++];
	else if (known && fc_before(attempt, e->id.attempt))
		return;
	*e = (struct fc_csr_due){ .id = id, .at = at };
}

/* Return: number of entries that are due no earlier. */
static u32 later(const struct fc_csr_due *e)
{
	u32 i, n = 0;

	for (i = 0; i < b.n; i++)
		n += &b.noted[i] != e && b.noted[i].at >= e->at;
	return n;
}

TEST(csr_due__last_attempt_or_nothing)
{
	u32 round, reported = 0, forgotten = 0;

	for (round = 0; round < TAP_ROUNDS(500); round++) {
		u32 step, i, sites = 1 + tap_random(4), numbers = 1 + tap_random(90);
		/* Attempt numbers wrap. */
		u32 first = tap_random(2) ? 0 : 0xfffffff0U;

		memset(&b, 0, sizeof(b));
		for (step = 0; step < NOTED; step++) {
			u32 site = tap_random(sites), number = tap_random(numbers) << 8;

			note(site, number, first + tap_random(40), 1 + step + tap_random(30));
			CHECK(fc_csr_due_at(&b.d, site, number) == find(site, number)->at,
			      "what was noted last is forgotten");
		}
		for (i = 0; i < b.n; i++) {
			const struct fc_csr_due *e = &b.noted[i];
			u64 at = fc_csr_due_at(&b.d, e->id.site, e->id.number);

			REQUIRE(!at || at == e->at, "%u instead of %u", (u32)at, (u32)e->at);
			CHECK(at || later(e) >= FC_CSR_DUE_EACH - 1, "%u of %u forgotten", i, b.n);
			reported += !!at;
			forgotten += !at;
		}
		CHECK(!fc_csr_due_at(&b.d, 0, 1) && !fc_csr_due_at(&b.d, sites, 0),
		      "known, and never noted");
	}
	CHECK(forgotten && reported > forgotten, "%u told, %u forgotten", reported, forgotten);
}

/* A site numbers its packets consecutively: the table has to spread such numbers. */
TEST(csr_due__spreads_numbers)
{
	u32 i, step, reported = 0;

	for (step = 1; step <= 256; step *= 256) {
		memset(&b, 0, sizeof(b));
		for (i = 0; i < 128; i++)
			note(5, i * step, 1, i + 1);
		for (i = 0, reported = 0; i < 128; i++)
			reported += !!fc_csr_due_at(&b.d, 5, i * step);
		CHECK(reported > 120, "%u of 128 are known, %u apart", reported, step);
	}
}
