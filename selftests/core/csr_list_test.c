// SPDX-License-Identifier: GPL-2.0
/*
 * The reservation list of a link against that of the paper: an array of slots, each with a link bit
 * and a number of buffers.
 */
#include <string.h>

#include "core/csr/csr_list.h"
#include "tap.h"

#define SIZE	64
#define SLOTS	128

static struct {
	struct fc_csr_res res[SIZE];
	struct fc_csr_pool pool;
	struct fc_csr_link link;
	bool bit[SLOTS];
	u32 buffers[SLOTS];
} b;

static void setup(u16 k)
{
	memset(&b, 0, sizeof(b));
	b.pool.res = b.res;
	b.pool.size = SIZE;
	fc_csr_pool_init(&b.pool);
	b.link.first = FC_CSR_NONE;
	b.link.k = k;
}

/* Rule of the paper's section 2, slot by slot, for @len slots of the link. */
static bool slots_fit(u64 from, u64 min, u64 len, u64 *at)
{
	u64 t, s;

	for (t = from; t + len <= SLOTS; t++) {
		bool free = t >= min;

		for (s = t; s < t + len; s++)
			free &= !b.bit[s];
		if (free) {
			*at = t;
			return true;
		}
		if (b.buffers[t] >= b.link.k)
			return false;
	}
	return false;
}

static void slots_add(const struct fc_csr_res *r, int sign)
{
	u64 t;

	for (t = r->at; t < r->end; t++) {
		CHECK(b.bit[t] == (sign < 0), "slot %u twice", (u32)t);
		b.bit[t] = sign > 0;
	}
	for (t = r->from; t < r->at; t++)
		b.buffers[t] += (u32)sign;
}

static bool reserve(u64 from, u64 min, u64 len, u32 number, u16 *index)
{
	struct fc_csr_res r = { .from = from, .state = FC_CSR_TENT, .id = { 1, number, 0 } };
	bool fits = fc_csr_list_fit(&b.pool, &b.link, from, min, len, &r.at);

	if (!fits)
		return false;
	r.end = r.at + len;
	*index = fc_csr_list_add(&b.pool, &b.link, &r);
	return *index != FC_CSR_NONE;
}

/* Check that the list is in order, and that its entries do not overlap. */
static void check_list(u32 n)
{
	u64 end = 0;
	u32 seen = 0;
	u16 i;

	for (i = b.link.first; i != FC_CSR_NONE; i = b.res[i].next) {
		CHECK(b.res[i].at >= end, "windows overlap");
		end = b.res[i].end;
		seen++;
	}
	CHECK(seen == n && b.pool.used == n, "%u in the list, %u in use, not %u", seen,
	      b.pool.used, n);
}

TEST(csr_list_fit__equals_slots)
{
	static const u16 ks[] = { 0, 1, 2, 4, 8 };
	u32 round, full = 0, made = 0;

	for (round = 0; round < TAP_ROUNDS(20000); round++) {
		u16 held[SIZE], n = 0, i;
		u32 step, number = 0;

		setup(ks[tap_random(FC_ARRAY_SIZE(ks))]);
		for (step = 0; step < 40; step++) {
			u64 from = tap_random(48), min = from + tap_random(3);
			u64 len = 1 + tap_random(4), at, want = 0;
			bool fits, should = slots_fit(from, min, len, &want);

			fits = fc_csr_list_fit(&b.pool, &b.link, from, min, len, &at);
			REQUIRE(fits == should, "k %u: %u..: %s", b.link.k, (u32)from,
				fits ? "fits" : "does not fit");
			full += !fits;
			if (fits) {
				REQUIRE(at == want, "k %u: %u, not %u", b.link.k, (u32)at,
					(u32)want);
				REQUIRE(reserve(from, min, len, number++, &i), "no room");
				slots_add(&b.res[i], 1);
				held[n++] = i;
				made++;
			}
			if (n && !tap_random(3)) {
				u16 which = (u16)tap_random(n);

				slots_add(&b.res[held[which]], -1);
				fc_csr_list_del(&b.pool, &b.link, held[which]);
				held[which] = held[--n];
			}
			check_list(n);
		}
	}
	CHECK(full > made / 20, "only %u of %u did not fit", full, full + made);
}

TEST(csr_list_add__refused_by_an_empty_pool)
{
	u16 i, at;

	setup(0);
	for (i = 0; i < SIZE; i++)
		CHECK(reserve(2 * i, 2 * i, 1, i, &at), "%u", i);
	CHECK(!reserve(2 * SIZE, 2 * SIZE, 1, i, &at), "one too many");
	check_list(SIZE);
	fc_csr_list_del(&b.pool, &b.link, 0);
	CHECK(reserve(2 * SIZE, 2 * SIZE, 1, i, &at) && at == 0, "no room again");
}

/* The pool finds packets even if all have the same hash. */
TEST(csr_list_pool__finds_every_packet)
{
	u16 at[SIZE];
	u32 number, left;

	setup(0);
	for (number = 0; number < SIZE; number++)
		REQUIRE(reserve(number, number, 1, number * 65536, &at[number]), "%u", number);
	for (left = SIZE; left; left--) {
		u32 which = tap_random(left);

		for (number = 0; number < left; number++) {
			u16 i = at[number];
			u16 first = fc_csr_pool_first(&b.pool, 1, b.res[i].id.number);

			CHECK(first == i, "%u is not found", number);
			CHECK(fc_csr_pool_next(&b.pool, first) == FC_CSR_NONE, "twice");
			CHECK(fc_csr_pool_first(&b.pool, 2, b.res[i].id.number) == FC_CSR_NONE,
			      "of another site");
		}
		fc_csr_list_del(&b.pool, &b.link, at[which]);
		at[which] = at[left - 1];
	}
	check_list(0);
}
