/* SPDX-License-Identifier: GPL-2.0 */
/* The part of the C library that tests of the core use, for tests that run in a kernel. */
#ifndef SELFTESTS_KUNIT_STDLIB_H
#define SELFTESTS_KUNIT_STDLIB_H

#include <linux/bug.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Header of an allocation of malloc(): the size, for realloc(). */
#define MALLOC_HEAD	16

static inline void *malloc(size_t size)
{
	size_t *head = kvmalloc(MALLOC_HEAD + size, GFP_KERNEL);

	if (!head)
		return NULL;
	*head = size;
	return (u8 *)head + MALLOC_HEAD;
}

static inline void *calloc(size_t n, size_t size)
{
	void *p = malloc(n * size);

	if (p)
		memset(p, 0, n * size);
	return p;
}

static inline void free(void *p)
{
	if (p)
		kvfree((u8 *)p - MALLOC_HEAD);
}

static inline void *realloc(void *p, size_t size)
{
	size_t old = p ? *(size_t *)((u8 *)p - MALLOC_HEAD) : 0;
	void *new = malloc(size);

	if (!new)
		return NULL;
	memcpy(new, p, min(old, size));
	free(p);
	return new;
}

#define abort()	BUG()

#endif /* SELFTESTS_KUNIT_STDLIB_H */
