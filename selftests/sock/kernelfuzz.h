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
/* The two sites that netlink programs change; their numbers follow those of the lab. */
#define PLAYED		2
#define PLAY_SITE	3

struct thread {
	struct worker w;	/* first member: calls get a pointer to it */
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
/* Restore the state of the two sites and their link in which each netlink program begins. */
void kernelfuzz_restore_played(struct thread *t, uint64_t seed);
void kernelfuzz_remove_played(struct thread *t);
/* Look up the id of the netlink family on this machine. */
void kernelfuzz_find_family(void);
/* Open netlink sockets of @t in the namespaces of both sites.  Moves the caller into one. */
void kernelfuzz_open_netlink(struct thread *t);

/* kernelfuzz_sock.c */
long kernelfuzz_filter(struct worker *w);
long kernelfuzz_talk(struct worker *w);
long kernelfuzz_inspect(struct worker *w);
long kernelfuzz_sockopt(struct worker *w);
long kernelfuzz_reserve(struct worker *w);

/* kernelfuzz_task.c */
long kernelfuzz_signal(struct worker *w);
long kernelfuzz_victim(struct worker *w);
long kernelfuzz_memory(struct worker *w);
void kernelfuzz_catch_signals(void);
/* Register the calling thread as @t, and create its timer. */
void kernelfuzz_make_timer(struct thread *t);
void kernelfuzz_stop_timer(struct thread *t);
/*
 * Put this process into the memory cgroup @directory.  kernelfuzz_reset_memory() sets its limit to
 * the initial one of each program.
 */
void kernelfuzz_enter_cgroup(const char *directory);
void kernelfuzz_reset_memory(void);
/* Bytes of socket memory charged to a cgroup and its children. */
uint64_t kernelfuzz_socket_memory(const char *directory);
/* Make this process uid 1000, in the user and mount namespaces of another process. */
void kernelfuzz_enter_user(pid_t holder);

#endif /* SELFTESTS_SOCK_KERNELFUZZ_H */
