/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The harness of the core's tests: no fixtures, TAP on standard output.
 *
 *	TEST(topo_parse__refuses_zero)
 *	{
 *		CHECK(fc_topo_parse(&topo, "mesh:0x4"), "took it");
 *	}
 *
 * Under __KERNEL__ each TEST is a case of KUnit: see selftests/kunit.
 *
 * A test fails with its first CHECK that does not hold; the others still run, and print at most
 * TAP_COMPLAINTS errors.  A program runs all its tests, or those whose names begin with its first
 * argument.
 */
#ifndef SELFTESTS_CORE_TAP_H
#define SELFTESTS_CORE_TAP_H

#ifndef __KERNEL__
#include <stdbool.h>
#include <stdio.h>
#endif

#include "core/base.h"

#define TAP_COMPLAINTS	10

/*
 * Number of rounds of a random test: a debug kernel, on an emulated machine, is some hundred times
 * slower.  The build of another machine that is emulated sets TAP_SHARE.
 */
#ifdef __KERNEL__
#define TAP_SHARE	50
#endif
#ifdef TAP_SHARE
#define TAP_ROUNDS(n)	((n) / TAP_SHARE + 1U)
#else
#define TAP_ROUNDS(n)	((n) + 0U)
#endif

#ifdef __KERNEL__
struct kunit;

void tap_begin(struct kunit *test);

#define TEST(name)							\
	static void name(void);						\
	static void __maybe_unused tap_case_##name(struct kunit *test)	\
	{								\
		tap_begin(test);					\
		name();							\
	}								\
	static void name(void)
#else
struct tap_test {
	const char *name;
	void (*run)(void);
	struct tap_test *next;
};

void tap_register(struct tap_test *test);

#define TEST(name)							\
	static void name(void);						\
	static struct tap_test tap_##name = { #name, name, NULL };	\
	static void __attribute__((constructor)) tap_register_##name(void) \
	{								\
		tap_register(&tap_##name);				\
	}								\
	static void name(void)
#endif

void __printf(3, 4) tap_complain(const char *file, int line, const char *fmt, ...);

/* Pseudo-random numbers, the same in every run. */
u32 tap_random(u32 below);
void tap_random_seed(u64 seed);

/* True if the condition holds; otherwise the test fails. */
#define CHECK(cond, fmt, ...)						\
({									\
	bool holds_ = (cond);						\
									\
	if (!holds_)							\
		tap_complain(__FILE__, __LINE__, "%s: " fmt, #cond,	\
			     ##__VA_ARGS__);				\
	holds_;								\
})

/* For conditions that the rest of the test needs. */
#define REQUIRE(cond, fmt, ...)						\
	do {								\
		if (!CHECK(cond, fmt, ##__VA_ARGS__))			\
			return;						\
	} while (0)

#endif /* SELFTESTS_CORE_TAP_H */
