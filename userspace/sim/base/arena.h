/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a network: allocated piece by piece, and freed as a whole.  Pieces allocated together
 * are adjacent, in huge pages if the system has them.
 */
#ifndef FLITCAST_SIM_ARENA_H
#define FLITCAST_SIM_ARENA_H

#include "core/base.h"

struct arena_block;

/* Initially zero. */
struct arena {
	struct arena_block *last;
	size_t size;
	size_t used;
};

/* Return: zeroed memory, aligned to a cache line. */
void *arena_take(struct arena *arena, size_t n, size_t size);
void arena_free(struct arena *arena);

#endif /* FLITCAST_SIM_ARENA_H */
