/* SPDX-License-Identifier: GPL-2.0 */
/* Random calls on a common set of sockets, for fuzzing programs. */
#ifndef SELFTESTS_SOCK_SENDFUZZ_H
#define SELFTESTS_SOCK_SENDFUZZ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "msg.h"

#define FUZZ_SOCKETS_MAX	24
#define FUZZ_SITES_MAX		16
#define FUZZ_PORT		7000
/* No call waits longer than this. */
#define FUZZ_WAIT_MS		20
#define FUZZ_ARENA		(4 << 20)

/**
 * struct worker - a thread that makes calls
 * @prng: generator of all arguments of a call
 * @draws: numbers drawn since @draws was set to 0
 * @fork: at this draw, the state of @prng becomes @fork_state
 * @fork_state: other state of @prng
 * @calls: calls left to make
 * @arena: FUZZ_ARENA bytes, then an inaccessible page
 */
struct worker {
	struct prng prng;
	uint32_t draws;
	uint32_t fork;
	uint64_t fork_state;
	uint64_t calls;
	char *arena;
};

/* No draw has this number. */
#define FUZZ_NO_FORK	UINT32_MAX

/* Set by the program: sites, numbered from 0, and their namespaces. */
extern unsigned int fuzz_sites;
extern int fuzz_netns[FUZZ_SITES_MAX];
/* The sockets, and how many of them are in use: FUZZ_SOCKETS_MAX by default. */
extern unsigned int fuzz_sockets;
extern atomic_int fuzz_socket[FUZZ_SOCKETS_MAX];

struct fuzz_call {
	const char *name;
	long (*call)(struct worker *w);
	/* errnos, besides those of every call */
	const int *may;
	unsigned int weight;
};

extern const struct fuzz_call fuzz_calls[];
extern const unsigned int fuzz_ncalls;

/* Draw an argument of a call: 0 .. @bound - 1. */
uint32_t fuzz_below(struct worker *w, uint32_t bound);
/* Draw a number that code may handle wrongly. */
uint64_t fuzz_awkward(struct worker *w);
/* Draw a pointer to @len bytes, mostly valid; it never points to data of the program itself. */
void *fuzz_pointer(struct worker *w, uint64_t len);
/* Draw one of the sockets. */
int fuzz_a_socket(struct worker *w);
/* Does the manual list this errno for fuzz_calls[@i]? */
bool fuzz_expected(unsigned int i, int err);
/*
 * Open another socket at some site; moves the thread into the site's namespace.  Return: a
 * descriptor, or -1 if there is no memory.
 */
int fuzz_open(struct worker *w);
/* Allocate memory for worker.arena. */
char *fuzz_arena(void);

#endif /* SELFTESTS_SOCK_SENDFUZZ_H */
