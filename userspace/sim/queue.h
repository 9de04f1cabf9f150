/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulator's future: events by time, those of one time in the order in
 * which they were added.
 */
#ifndef FLITCAST_SIM_QUEUE_H
#define FLITCAST_SIM_QUEUE_H

#include "wire.h"

struct edge_packet;
struct frame;
struct harts_packet;
struct message;

enum event_kind {
	EVENT_FRAME,		/* a frame arrives at a port */
	EVENT_TIME,		/* something in the site may be due */
	EVENT_ROOM,		/* the operator has taken a word from the fifo-buffer */
	EVENT_FEED,		/* the operator may put a flit into the local net-input */
	EVENT_LOOK,		/* the site has looked at the front of a packet */
	EVENT_BORN,		/* traffic: the next message */
	EVENT_REPEAT,		/* a message may have waited too long for confirmations */
	/* Fidelity edge: */
	EVENT_FRONT,		/* the front of a packet arrives at a net-input */
	EVENT_TERM,		/* its terminator does */
	EVENT_FINAL,		/* a net-input in done may send the terminators */
	EVENT_SEEK,		/* a net-input in first counts a seek */
	EVENT_DONE,		/* the downstream fifo-buffer has sent its packet */
	EVENT_TIMEOUT,		/* the upstream fifo-buffer has waited too long */
	/* Broadcasts of HARTS: */
	EVENT_HEADER,		/* a site knows the header of a packet that comes in */
	EVENT_READY,		/* a packet may be put on a link */
	EVENT_FREE,		/* a link may carry the next packet that waits for it */
};

/**
 * struct event - one event
 * @time: when
 * @order: among those of the same time; set by queue_add()
 * @kind: enum event_kind
 * @port: port the frame or the packet arrives at; of HARTS: direction of travel
 * @node: site
 * @header: link header of the frame, and the payload of a status
 * @term: kind of the terminator
 * @vc: virtual channel of the front looked at
 * @frame: what is behind it, or NULL; owned by the event
 * @message: to be repeated
 * @packet: whose front it is; owned by the event
 * @harts: of HARTS; owned by the event
 */
struct event {
	u64 time;
	u64 order;
	u8 kind;
	u8 port;
	union {
		u8 header[FC_LINK_SIZE + FC_STATUS_SIZE];
		u8 term;
		u8 vc;
	};
	u32 node;
	union {
		struct frame *frame;
		struct message *message;
		struct edge_packet *packet;
		struct harts_packet *harts;
	};
};

struct queue {
	struct event *heap;
	size_t n;
	size_t room;
	u64 order;
};

void queue_add(struct queue *queue, const struct event *event);
/* Return: false if there is none. */
bool queue_take(struct queue *queue, struct event *event);
void queue_free(struct queue *queue);

#endif /* FLITCAST_SIM_QUEUE_H */
