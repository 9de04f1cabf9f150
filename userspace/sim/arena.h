/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a network, which is taken piece by piece and given back as a whole: what
 * is taken together lies together, in huge pages where the system has them.
 */
#ifndef FLITCAST_SIM_ARENA_H
#define FLITCAST_SIM_ARENA_H

#include "base.h"

struct arena_block;

/* Zeroes to begin with. */
struct arena {
	struct arena_block *last;
	size_t size;
	size_t used;
};

/* Zeroes, aligned to a cache line. */
void *arena_take(struct arena *arena, size_t n, size_t size);
void arena_free(struct arena *arena);

#endif /* FLITCAST_SIM_ARENA_H */
