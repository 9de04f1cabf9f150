/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random calls at a common set of sockets, for programs that make many of them.
 */
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
 * struct worker - one thread that calls
 * @prng: the arguments of a call are drawn from it alone
 * @draws: numbers drawn since @draws was set to 0
 * @fork: with this draw @prng goes on from @fork_state: what comes before it is as it was
 * @fork_state: another state
 * @calls: that it is to make
 * @arena: FUZZ_ARENA bytes, then a page that may not be touched
 */
struct worker {
	struct prng prng;
	uint32_t draws;
	uint32_t fork;
	uint64_t fork_state;
	uint64_t calls;
	char *arena;
};

/* Never a number of draws. */
#define FUZZ_NO_FORK	UINT32_MAX

/* Of the caller: sites, numbered from 0, and their namespaces. */
extern unsigned int fuzz_sites;
extern int fuzz_netns[FUZZ_SITES_MAX];
/* The sockets, and how many are in use: FUZZ_SOCKETS_MAX if nobody says. */
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

/* Draws a number of a call: 0 .. @bound - 1. */
uint32_t fuzz_below(struct worker *w, uint32_t bound);
/* A number that code gets wrong. */
uint64_t fuzz_awkward(struct worker *w);
/* A place for @len bytes, mostly good; nothing of the program's own is there. */
void *fuzz_pointer(struct worker *w, uint64_t len);
/* One of the sockets. */
int fuzz_a_socket(struct worker *w);
/* Does the manual have this errno for fuzz_calls[@i]? */
bool fuzz_expected(unsigned int i, int err);
/*
 * Another socket, at some site; puts the thread into its namespace.  Return: a descriptor, or
 * -1 where there is no memory for one.
 */
int fuzz_open(struct worker *w);
/* Allocate memory for worker.arena. */
char *fuzz_arena(void);

#endif /* SELFTESTS_SOCK_SENDFUZZ_H */
