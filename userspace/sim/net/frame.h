/* SPDX-License-Identifier: GPL-2.0 */
/* Frames on links, and lists of flits. */
#ifndef FLITCAST_SIM_FRAME_H
#define FLITCAST_SIM_FRAME_H

#include "core/channel.h"

struct message;
struct sim;

/**
 * struct frame - contents of a frame behind its link header, constant
 * @message: message of the data (the frame carries only the range of bytes, not the bytes)
 * @next: next frame of the free list
 * @refs: reference count
 * @size: bytes of @payload
 * @data: bytes of data
 * @offset: of the first byte in the message
 * @payload: encoded head, or control frame
 */
struct frame {
	union {
		const struct message *message;
		struct frame *next;
	};
	u32 refs;
	u32 size;
	u32 data;
	u32 offset;
	u8 payload[];
};

/* A list of flits, first in first out. */
struct flits {
	struct fc_flit *flit;
	u32 first;
	u32 n;
	u32 room;
};

/* @like: a frame whose data the new one has, too, or NULL */
struct frame *frame_new(struct sim *sim, u32 size, const struct frame *like);
void frame_free(struct sim *sim, struct frame *frame);

static inline void frame_get(struct frame *frame)
{
	frame->refs++;
}

static inline void frame_put(struct sim *sim, struct frame *frame)
{
	if (frame && !--frame->refs)
		frame_free(sim, frame);
}

void flits_add(struct flits *list, const struct fc_flit *flit);
struct fc_flit flits_take(struct flits *list);
/* Release the frames of a list. */
void flits_free(struct sim *sim, struct flits *list);

#endif /* FLITCAST_SIM_FRAME_H */
