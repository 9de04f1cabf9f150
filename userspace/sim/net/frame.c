// SPDX-License-Identifier: GPL-2.0
/*
 * Frames, and lists of flits.
 */
#include <stdlib.h>

#include "sim.h"
#include "base/util.h"

/* Size of most frames: data flits, fronts of one target, control frames. */
#define SMALL	(sizeof(struct frame) + FC_PACKET_SIZE + FC_TARGET_SIZE)

static_assert(FC_CTRL_SIZE <= FC_PACKET_SIZE + FC_TARGET_SIZE);

struct frame *frame_new(struct sim *sim, u32 size, const struct frame *like)
{
	struct frame *frame = sim->unused;

	if (sizeof(*frame) + size > SMALL)
		frame = xcalloc(1, sizeof(*frame) + size);
	else if (frame)
		sim->unused = frame->next;
	else
		frame = arena_take(&sim->arena, 1, SMALL);
	frame->refs = 1;
	frame->size = size;
	frame->message = NULL;
	if (like) {
		frame->message = like->message;
		frame->offset = like->offset;
		frame->data = like->data;
	}
	sim->frames++;
	return frame;
}

void frame_free(struct sim *sim, struct frame *frame)
{
	sim->frames--;
	if (sizeof(*frame) + frame->size > SMALL) {
		free(frame);
		return;
	}
	frame->next = sim->unused;
	sim->unused = frame;
}

void flits_add(struct flits *list, const struct fc_flit *flit)
{
	if (list->n == list->room) {
		u32 room = list->room ? 2 * list->room : 8;
		struct fc_flit *flits = xcalloc(room, sizeof(*flits));

		for (u32 i = 0; i < list->n; i++)
			flits[i] = list->flit[(list->first + i) % list->room];
		free(list->flit);
		list->flit = flits;
		list->first = 0;
		list->room = room;
	}
	list->flit[(list->first + list->n++) % list->room] = *flit;
}

struct fc_flit flits_take(struct flits *list)
{
	struct fc_flit flit = list->flit[list->first];

	list->first = (list->first + 1) % list->room;
	list->n--;
	return flit;
}

void flits_free(struct sim *sim, struct flits *list)
{
	while (list->n)
		frame_put(sim, flits_take(list).h);
	free(list->flit);
}
