// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/mman.h>

#include "arena.h"
#include "util.h"

/* A huge page of x86-64 and of arm64 with pages of 4 KiB. */
#define BLOCK	((size_t)2 << 20)
#define LINE	64

struct arena_block {
	struct arena_block *before;
};

void *arena_take(struct arena *arena, size_t n, size_t size)
{
	size_t bytes = (n * size + LINE - 1) / LINE * LINE;
	struct arena_block *block;
	void *p;

	if (arena->size - arena->used < bytes) {
		arena->size = (bytes + LINE + BLOCK - 1) / BLOCK * BLOCK;
		block = xaligned(BLOCK, arena->size);
		/* Without huge pages the kernel uses small ones, which are slower. */
		madvise(block, arena->size, MADV_HUGEPAGE);
		memset(block, 0, arena->size);
		block->before = arena->last;
		arena->last = block;
		arena->used = LINE;
	}
	p = (char *)arena->last + arena->used;
	arena->used += bytes;
	return p;
}

void arena_free(struct arena *arena)
{
	while (arena->last) {
		struct arena_block *block = arena->last;

		arena->last = block->before;
		free(block);
	}
}
