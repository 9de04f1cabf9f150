/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the fuzzers: a reader of the input, and CHECK() of tap.h, which here ends the run,
 * so that libFuzzer keeps the input.
 */
#ifndef SELFTESTS_CORE_FUZZ_H
#define SELFTESTS_CORE_FUZZ_H

#include "tap.h"

/**
 * struct fuzz - the unread input; zeros follow its end
 * @at: next byte
 * @end: end of the input
 */
struct fuzz {
	const u8 *at;
	const u8 *end;
};

static inline size_t fuzz_left(const struct fuzz *f)
{
	return (size_t)(f->end - f->at);
}

static inline u8 fuzz_u8(struct fuzz *f)
{
	return f->at < f->end ? *f->at++ : 0;
}

static inline u16 fuzz_u16(struct fuzz *f)
{
	u16 high = fuzz_u8(f);

	return (u16)(high << 8 | fuzz_u8(f));
}

static inline u32 fuzz_u32(struct fuzz *f)
{
	u32 high = fuzz_u16(f);

	return high << 16 | fuzz_u16(f);
}

static inline u64 fuzz_u64(struct fuzz *f)
{
	u64 high = fuzz_u32(f);

	return high << 32 | fuzz_u32(f);
}

/* Draw a number from one byte; @below is in 1 .. 256. */
static inline u32 fuzz_below(struct fuzz *f, u32 below)
{
	return fuzz_u8(f) % below;
}

/* A window of a link: mostly small, so that it is often full. */
static inline u32 fuzz_window(struct fuzz *f)
{
	u8 how = fuzz_u8(f);

	return how >> 5 == 7 ? 64 : 1 + how % 12;
}

/* A copy in a heap block of exactly @size bytes, so that ASan detects accesses beyond it. */
void *fuzz_copy(const void *from, size_t size);

/* Allocate zeroed memory. */
void *fuzz_room(size_t n, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* SELFTESTS_CORE_FUZZ_H */
