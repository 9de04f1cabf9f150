/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of kernelfuzz: the calls that it makes besides those of sendfuzz.c, and the
 * threads that make them.
 */
#ifndef SELFTESTS_SOCK_KERNELFUZZ_H
#define SELFTESTS_SOCK_KERNELFUZZ_H

#include <semaphore.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "../net/nlgarbage.h"
#include "sendfuzz.h"

#define THREADS		3
/* The two sites that netlink programs change; the sites of the lab come before them. */
#define PLAYED		2
#define PLAY_SITE	3

struct thread {
	struct worker w;	/* first: what a call is given */
	unsigned int number;
	pid_t id;
	timer_t timer;		/* its signals go to this thread */
	int kcov;		/* -1 without KCOV */
	sem_t go;
	int netlink[PLAYED];
	struct nlgarbage request;
	uint64_t *cover;	/* NULL without KCOV */
};

extern struct thread kernelfuzz_threads[THREADS];

/* kernelfuzz_netlink.c */
long kernelfuzz_netlink(struct worker *w);
/* The two sites and their link as every program with netlink finds them. */
void kernelfuzz_restore_played(struct thread *t, uint64_t seed);
/* The number of the netlink family, of this machine. */
void kernelfuzz_find_family(void);
/* Sockets of @t in the namespaces of both sites.  Puts the caller into one of them. */
void kernelfuzz_open_netlink(struct thread *t);

/* kernelfuzz_sock.c */
long kernelfuzz_filter(struct worker *w);
long kernelfuzz_talk(struct worker *w);
long kernelfuzz_look(struct worker *w);
long kernelfuzz_sockopt(struct worker *w);
long kernelfuzz_reserve(struct worker *w);

/* kernelfuzz_task.c */
long kernelfuzz_signal(struct worker *w);
long kernelfuzz_victim(struct worker *w);
long kernelfuzz_memory(struct worker *w);
void kernelfuzz_catch_signals(void);
/* The calling thread is @t; give it a timer. */
void kernelfuzz_make_timer(struct thread *t);
void kernelfuzz_stop_timer(struct thread *t);
/*
 * Put this process into a memory cgroup, of this directory.  kernelfuzz_reset_memory() sets
 * its limit to that which every program begins with.
 */
void kernelfuzz_enter_cgroup(const char *directory);
void kernelfuzz_reset_memory(void);
/* Bytes that sockets have charged to a cgroup and its children. */
uint64_t kernelfuzz_socket_memory(const char *directory);
/* Make this process uid 1000, in the user and mount namespaces of another process. */
void kernelfuzz_enter_user(pid_t holder);

#endif /* SELFTESTS_SOCK_KERNELFUZZ_H */
