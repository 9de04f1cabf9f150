// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "queue.h"
#include "util.h"

static bool earlier(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void queue_add(struct queue *queue, const struct event *event)
{
	size_t at = queue->n;

	if (queue->n == queue->room) {
		queue->room = queue->room ? 2 * queue->room : 1024;
		queue->heap = xrealloc(queue->heap, queue->room * sizeof(*queue->heap));
	}
	queue->n++;
	queue->heap[at] = *event;
	queue->heap[at].order = queue->order++;
	while (at && earlier(&queue->heap[at], &queue->heap[(at - 1) / 2])) {
		struct event parent = queue->heap[(at - 1) / 2];

		queue->heap[(at - 1) / 2] = queue->heap[at];
		queue->heap[at] = parent;
		at = (at - 1) / 2;
	}
}

bool queue_take(struct queue *queue, struct event *event)
{
	struct event last;
	size_t at = 0;

	if (!queue->n)
		return false;
	*event = queue->heap[0];
	last = queue->heap[--queue->n];
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
	return true;
}

void queue_free(struct queue *queue)
{
	free(queue->heap);
}
