/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator's event queue: events by time; those of one time in the order of insertion.
 *
 * Most events are due within a few cycles, so events due within QUEUE_SLOTS cycles are in a timing
 * wheel, a list for each cycle; the few others are in a heap until then.
 */
#ifndef FLITCAST_SIM_QUEUE_H
#define FLITCAST_SIM_QUEUE_H

#include "core/wire/wire.h"

struct edge_packet;
struct far;
struct frame;
struct harts_packet;
struct message;

enum event_kind {
	EVENT_FRAME,		/* a frame arrives at a port */
	EVENT_TIME,		/* a timer of the site may be due */
	EVENT_ROOM,		/* the operator has consumed a word from the fifo-buffer */
	EVENT_FEED,		/* the operator may put a flit into the local net-input */
	EVENT_ROUTE,		/* the routing decision of a packet is complete */
	EVENT_BORN,		/* traffic: the next message */
	EVENT_LINK,		/* a link that fails changes: @port is how, @bytes is which */
	EVENT_NEWS,		/* news of a link may reach the site */
	EVENT_REPEAT,		/* a message may have waited too long for confirmations */
	/* Fidelity edge: */
	EVENT_FRONT,		/* the front of a packet arrives at a net-input */
	EVENT_TERM,		/* its terminator arrives */
	EVENT_FINAL,		/* a net-input in done may send the terminators */
	EVENT_SEEK,		/* a net-input in first counts a seek */
	EVENT_DONE,		/* the downstream fifo-buffer has sent its packet */
	EVENT_TIMEOUT,		/* the upstream fifo-buffer has waited too long */
	/* Broadcasts of HARTS: */
	EVENT_HEADER,		/* a site has received the header of a packet */
	EVENT_READY,		/* a packet may be put on a link */
	EVENT_FREE,		/* a link may carry the next packet that waits for it */
};

/* Cycles of the wheel. */
#define QUEUE_SLOTS	1024

/**
 * struct event - one event
 * @time: cycle
 * @node: site
 * @kind: enum event_kind
 * @port: port the frame or the packet arrives at; of HARTS: direction of travel
 * @vc: virtual channel of the front to route, or of the frame
 * @header: link header of the frame, and the payload of a status
 * @term: kind of the terminator
 * @bytes: bytes of the frame
 * @frame: contents behind @header, or NULL; owned by the event
 * @message: message to repeat
 * @packet: packet of the front; owned by the event
 * @harts: packet of HARTS; owned by the event
 */
struct event {
	u64 time;
	u32 node;
	u8 kind;
	u8 port;
	u8 vc;
	union {
		u8 header[FC_LINK_SIZE + FC_STATUS_SIZE];
		u8 term;
	};
	u32 bytes;
	union {
		struct frame *frame;
		struct message *message;
		struct edge_packet *packet;
		struct harts_packet *harts;
	};
};

/* Events of a chunk: with its other members they take 4 KiB. */
#define CHUNK_EVENTS	63

struct chunk {
	struct chunk *next;
	u32 n;
	struct event event[CHUNK_EVENTS] __attribute__((aligned(64)));
};

/* The events of one cycle. */
struct queue_slot {
	struct chunk *first;
	struct chunk *last;
};

/**
 * struct queue - all events; initially zero
 * @now: time of the current slot
 * @taken: events taken from the first chunk of the current slot
 * @slot: events due from @now on, by time
 * @used: bit i: slot i has events
 * @unused: chunks for more
 * @heap: events due later
 * @n: number of events in @heap
 * @room: capacity of @heap
 * @order: number of the next event put into @heap
 */
struct queue {
	u64 now;
	u32 taken;
	struct queue_slot slot[QUEUE_SLOTS];
	u64 used[QUEUE_SLOTS / 64];
	struct chunk *unused;
	struct far *heap;
	size_t n;
	size_t room;
	u64 order;
};

/* Add an event, which must not be earlier than the event taken last. */
void queue_add(struct queue *queue, const struct event *event);
/* Slow path of queue_near(): the last chunk of the cycle is full, or there is none. */
struct event *queue_more(struct queue *queue, u64 time);

/* Return: slot for an event at @time, to be filled in; NULL: the caller uses queue_add(). */
static inline struct event *queue_near(struct queue *queue, u64 time)
{
	struct chunk *last = queue->slot[time % QUEUE_SLOTS].last;

	/* A past time takes the slow path, too. */
	if (time - queue->now < QUEUE_SLOTS && last && last->n < CHUNK_EVENTS)
		return &last->event[last->n++];
	return queue_more(queue, time);
}

/* Slow path of queue_take(): the current chunk is used up. */
const struct event *queue_next(struct queue *queue);

/* Return: the next event, valid until the one after it is taken; NULL if there is none. */
static inline const struct event *queue_take(struct queue *queue)
{
	const struct chunk *chunk = queue->slot[queue->now % QUEUE_SLOTS].first;

	if (chunk && queue->taken < chunk->n)
		return &chunk->event[queue->taken++];
	return queue_next(queue);
}

/*
 * Return: the @n-th event after the one taken last; @n is less than a chunk; NULL if that event is
 * not in this cycle.
 */
static inline const struct event *queue_ahead(const struct queue *queue, u32 n)
{
	const struct chunk *chunk = queue->slot[queue->now % QUEUE_SLOTS].first;
	u32 at = queue->taken - 1 + n;

	if (at >= CHUNK_EVENTS && chunk) {
		at -= CHUNK_EVENTS;
		chunk = chunk->next;
	}
	return chunk && at < chunk->n ? &chunk->event[at] : NULL;
}

/* Free the queue and the events left. */
void queue_free(struct queue *queue);

#endif /* FLITCAST_SIM_QUEUE_H */
