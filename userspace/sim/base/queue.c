// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "queue.h"
#include "util.h"

/* An event beyond the wheel, with its rank among events of the same time. */
struct far {
	struct event event;
	u64 order;
};

static_assert(sizeof(struct event) == 64, "a cache line");
static_assert(!(QUEUE_SLOTS % 64), "whole words of a bitmap");

static struct chunk *chunk_new(struct queue *queue)
{
	struct chunk *chunk = queue->unused;

	if (chunk)
		queue->unused = chunk->next;
	else
		chunk = xaligned(64, sizeof(*chunk));
	chunk->next = NULL;
	chunk->n = 0;
	return chunk;
}

static void chunk_put(struct queue *queue, struct chunk *chunk)
{
	chunk->next = queue->unused;
	queue->unused = chunk;
}

/* Append an event to a slot of the wheel.  Return: the event, to be filled in. */
static struct event *slot_add(struct queue *queue, u64 time)
{
	u32 at = time % QUEUE_SLOTS;
	struct queue_slot *slot = &queue->slot[at];
	struct chunk *last = slot->last;

	if (!last) {
		last = chunk_new(queue);
		slot->first = last;
		slot->last = last;
		queue->used[at / 64] |= fc_bit64(at % 64);
	} else if (last->n == CHUNK_EVENTS) {
		last->next = chunk_new(queue);
		last = last->next;
		slot->last = last;
	}
	return &last->event[last->n++];
}

struct event *queue_more(struct queue *queue, u64 time)
{
	if (time < queue->now)
		die("an event is added to the past");
	return time - queue->now < QUEUE_SLOTS ? slot_add(queue, time) : NULL;
}

/*
 * The heap.
 */

static bool earlier(const struct far *a, const struct far *b)
{
	return a->event.time != b->event.time ? a->event.time < b->event.time :
						a->order < b->order;
}

static void far_add(struct queue *queue, const struct event *event)
{
	struct far new = { .event = *event, .order = queue->order++ };
	size_t at = queue->n;

	if (queue->n == queue->room) {
		queue->room = queue->room ? 2 * queue->room : 1024;
		queue->heap = xrealloc(queue->heap, queue->room * sizeof(*queue->heap));
	}
	queue->n++;
	while (at && earlier(&new, &queue->heap[(at - 1) / 2])) {
		queue->heap[at] = queue->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	queue->heap[at] = new;
}

static void far_take(struct queue *queue)
{
	struct far last = queue->heap[--queue->n];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= queue->n)
			break;
		if (child + 1 < queue->n && earlier(&queue->heap[child + 1], &queue->heap[child]))
			child++;
		if (!earlier(&queue->heap[child], &last))
			break;
		queue->heap[at] = queue->heap[child];
		at = child;
	}
	queue->heap[at] = last;
}

void queue_add(struct queue *queue, const struct event *event)
{
	struct event *near = queue_near(queue, event->time);

	if (near)
		*near = *event;
	else
		far_add(queue, event);
}

/* Time of the first slot after @now that has events; the wheel has some. */
static u64 next_used(const struct queue *queue)
{
	u32 from = (queue->now + 1) % QUEUE_SLOTS;
	u64 bits = queue->used[from / 64] & ~(fc_bit64(from % 64) - 1);
	u32 word = from / 64;

	while (!bits) {
		word = (word + 1) % (QUEUE_SLOTS / 64);
		bits = queue->used[word];
	}
	return queue->now + 1 + (64 * word + fc_low64(bits) - from) % QUEUE_SLOTS;
}

static bool wheel_empty(const struct queue *queue)
{
	for (u32 i = 0; i < QUEUE_SLOTS / 64; i++)
		if (queue->used[i])
			return false;
	return true;
}

/*
 * Advance the time.  Events that come within the range of the wheel move to slots that were out of
 * range until now and hence are empty, so the order is preserved.
 */
static bool advance(struct queue *queue)
{
	if (!wheel_empty(queue))
		queue->now = next_used(queue);
	else if (queue->n)
		queue->now = queue->heap[0].event.time;
	else
		return false;
	while (queue->n && queue->heap[0].event.time - queue->now < QUEUE_SLOTS) {
		*slot_add(queue, queue->heap[0].event.time) = queue->heap[0].event;
		far_take(queue);
	}
	return true;
}

const struct event *queue_next(struct queue *queue)
{
	for (;;) {
		u32 at = queue->now % QUEUE_SLOTS;
		struct queue_slot *slot = &queue->slot[at];
		struct chunk *chunk = slot->first;

		if (chunk && queue->taken < chunk->n)
			return &chunk->event[queue->taken++];
		queue->taken = 0;
		if (chunk) {
			slot->first = chunk->next;
			chunk_put(queue, chunk);
			if (slot->first)
				continue;
			slot->last = NULL;
			queue->used[at / 64] &= ~fc_bit64(at % 64);
		}
		if (!advance(queue))
			return NULL;
	}
}

void queue_free(struct queue *queue)
{
	while (queue_take(queue))
		;
	while (queue->unused) {
		struct chunk *chunk = queue->unused;

		queue->unused = chunk->next;
		free(chunk);
	}
	free(queue->heap);
}
