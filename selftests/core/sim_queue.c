// SPDX-License-Identifier: GPL-2.0
/*
 * The contract of the simulator's queue: it returns events by time, those of one time in the order
 * in which they were added, and all of them.
 */
#include "base/queue.h"
#include "tap.h"

/* Return: a delay around the end of the wheel, within it, or far beyond it. */
static u64 ahead(void)
{
	switch (tap_random(4)) {
	case 0:
		return tap_random(3);
	case 1:
		return QUEUE_SLOTS - 2 + tap_random(4);
	case 2:
		return tap_random(3 * QUEUE_SLOTS);
	}
	return tap_random(100 * QUEUE_SLOTS);
}

/* Add @at_once events at a time, each numbered by its @node, and check the order. */
static void check_order(u32 events, u32 at_once)
{
	struct queue queue = { 0 };
	u32 added = 0, taken = 0;
	u64 time = 0;
	u32 last = 0;

	while (taken < events) {
		const struct event *e;

		for (u32 n = tap_random(at_once + 1); n && added < events; n--) {
			struct event new = { .time = time + ahead(), .node = ++added };

			queue_add(&queue, &new);
		}
		e = queue_take(&queue);
		if (!e) {
			CHECK(added == taken, "%u events were added, %u came", added, taken);
			continue;
		}
		CHECK(e->time > time || (e->time == time && (e->node > last || !taken)),
		      "event %u of %llu after %u of %llu", e->node, (unsigned long long)e->time,
		      last, (unsigned long long)time);
		time = e->time;
		last = e->node;
		taken++;
	}
	CHECK(!queue_take(&queue), "one too many");
	queue_free(&queue);
}

TEST(queue__order)
{
	for (u32 i = 1; i < 300; i++)
		check_order(i * 10, 1 + i % 40);
}

/* Lists that need several chunks, and a queue that is freed while full. */
TEST(queue__many)
{
	struct queue queue = { 0 };

	check_order(100000, 1000);
	for (u32 i = 0; i < 100000; i++) {
		struct event new = { .time = ahead() };

		queue_add(&queue, &new);
	}
	queue_free(&queue);
}
