// SPDX-License-Identifier: GPL-2.0
/* When a source asks a target that has not acked, as routes change or do not. */
#include "core/channel.h"
#include "core/ends/ask.h"
#include "tap.h"

#define WAIT	20u

TEST(ask_at__doubles)
{
	static const u64 after[] = { 1, 3, 7, 15, 31 };

	for (u8 i = 0; i < FC_ARRAY_SIZE(after); i++)
		CHECK(fc_ask_at(1000, 0, i, WAIT) == 1000 + after[i] * WAIT, "question %u", i);
	/* After a change of routes, packets that are not overdue are asked about as ever. */
	CHECK(fc_ask_at(1000, 1000, 0, WAIT) == 1000 + WAIT, "sent since");
	CHECK(fc_ask_at(1000, 1000 + WAIT - 1, 0, WAIT) == 1000 + WAIT, "not overdue");
}

/* Routes have changed: what is overdue is asked about at once, and again soon. */
TEST(ask_at__anew)
{
	CHECK(!fc_ask_overdue(0, WAIT, 5000), "not sent");
	for (u32 sent = 1; sent < 5000; sent += 7) {
		u64 first = fc_ask_at(sent, 5000, 0, WAIT), second = fc_ask_at(sent, 5000, 1, WAIT);

		CHECK(fc_ask_overdue(sent, WAIT, 5000) == (first <= 5000), "sent at %u: %llu", sent,
		      (unsigned long long)first);
		CHECK(first >= 5000, "sent at %u: asked before routes changed", sent);
		CHECK(second == first + 2 * WAIT, "sent at %u: %llu", sent,
		      (unsigned long long)second);
	}
}

/* Where routes change all the time, questions have their limit. */
TEST(ask_anew__is_limited)
{
	u64 anew = 0, again = FC_NEVER;
	u32 n = 0;

	for (u64 now = 1; now <= 100000; now++) {
		again = fc_ask_anew_at(anew, again, WAIT, now);
		if (again > now)
			continue;
		CHECK(!anew || now - anew == FC_ASK_CALM * WAIT, "after %llu",
		      (unsigned long long)(now - anew));
		anew = now;
		again = FC_NEVER;
		n++;
	}
	CHECK(n == 100000 / (FC_ASK_CALM * WAIT), "%u times", n);
}

/* A question that waits is not postponed where the wait becomes longer, or routes change again. */
TEST(ask_anew__is_not_postponed)
{
	u64 again = fc_ask_anew_at(1000, FC_NEVER, WAIT, 1001);

	CHECK(again == 1000 + FC_ASK_CALM * WAIT, "%llu", (unsigned long long)again);
	for (u64 now = 1002; now <= again; now++)
		CHECK(fc_ask_anew_at(1000, again, now, now) == again, "at %llu",
		      (unsigned long long)now);
	/* A shorter wait makes it earlier. */
	CHECK(fc_ask_anew_at(1000, again, 1, 1010) == 1000 + FC_ASK_CALM, "not earlier");
}
