// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of a program that act on its processes: signals, the death of a process during its calls,
 * memory limits; and the places of processes, a memory cgroup and a user namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kernelfuzz.h"
#include "lab.h"

#define USER		1000
/*
 * Limits, in KiB: the initial limit of each program, and the amount that a call adds to the memory
 * in use.
 */
#define MEMORY_KIB	(32 << 10)

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id	_sigev_un._tid
#endif

/* Descriptors of memory.max and memory.current, or -1. */
static int memory_max = -1, memory_current = -1;

static void ignore(int number)
{
	(void)number;
}

/* SIGALRM interrupts a call with EINTR; after SIGUSR1 a call may restart. */
void kernelfuzz_catch_signals(void)
{
	struct sigaction action = { .sa_handler = ignore };

	if (sigaction(SIGALRM, &action, NULL))
		die("sigaction: %s", strerror(errno));
	action.sa_flags = SA_RESTART;
	if (sigaction(SIGUSR1, &action, NULL))
		die("sigaction: %s", strerror(errno));
}

void kernelfuzz_make_timer(struct thread *t)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };

	t->id = (pid_t)syscall(SYS_gettid);
	event.sigev_notify_thread_id = t->id;
	if (timer_create(CLOCK_MONOTONIC, &event, &t->timer))
		die("timer_create: %s", strerror(errno));
}

void kernelfuzz_stop_timer(struct thread *t)
{
	struct itimerspec never = { 0 };

	if (timer_settime(t->timer, 0, &never, NULL))
		die("timer_settime: %s", strerror(errno));
}

/* Send SIGALRM to this thread later, maybe repeatedly; or SIGUSR1 to another thread now. */
long kernelfuzz_signal(struct worker *w)
{
	struct thread *t = (struct thread *)w;
	struct itimerspec when = { 0 };

	if (!fuzz_below(w, 3))
		return syscall(SYS_tgkill, getpid(), kernelfuzz_threads[fuzz_below(w, THREADS)].id,
			       SIGUSR1);
	when.it_value.tv_nsec = 1000 * (1 + fuzz_below(w, 1000 * FUZZ_WAIT_MS));
	if (fuzz_below(w, 2))
		when.it_interval.tv_nsec = 1000000 * (2 + fuzz_below(w, FUZZ_WAIT_MS));
	return timer_settime(t->timer, 0, &when, NULL);
}

/* A child that may be killed at any time: its own sockets are closed with it. */
static void __attribute__((noreturn)) be_victim(struct worker *w)
{
	uint32_t n = 1 + fuzz_below(w, 8), own = fuzz_below(w, fuzz_sockets + 1), i;

	for (i = 0; i < own; i++)
		fuzz_socket[i] = fuzz_open(w);
	while (n--) {
		if (fuzz_below(w, 2))
			kernelfuzz_talk(w);
		else
			fuzz_calls[fuzz_below(w, fuzz_ncalls)].call(w);
	}
	_exit(0);
}

long kernelfuzz_victim(struct worker *w)
{
	struct timespec wait = { .tv_nsec = 1000 * fuzz_below(w, 2000 * FUZZ_WAIT_MS) };
	sigset_t all, before;
	pid_t child;
	int status;

	/* Block signals: they restart fork(), maybe for ever. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	child = fork();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!child)
		be_victim(w);
	if (child < 0) {
		if (errno != ENOMEM && errno != EAGAIN && errno != EINTR)
			die("fork: %s", strerror(errno));
		return child;
	}
	nanosleep(&wait, NULL);
	kill(child, SIGKILL);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			die("waitpid: %s", strerror(errno));
	/* A memory cgroup may also have sent the SIGKILL. */
	if (WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL : WEXITSTATUS(status))
		die("a child ended with status %#x", status);
	return 0;
}

static long limit_memory(uint64_t bytes)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);

	return pwrite(memory_max, text, len, 0);
}

/* Set a memory limit near the memory in use, or any.  Without a cgroup this does nothing. */
long kernelfuzz_memory(struct worker *w)
{
	static const uint32_t more[] = { 0, 4, 16, 64, 256, 1024, 4096, 16384, 65536 };
	uint32_t kib = more[fuzz_below(w, sizeof(more) / sizeof(*more))];
	bool add = fuzz_below(w, 16);
	char text[32] = "";

	if (memory_max < 0)
		return 0;
	if (!add)
		return limit_memory((uint64_t)kib << 10);
	if (pread(memory_current, text, sizeof(text) - 1, 0) <= 0)
		die("memory.current: %s", strerror(errno));
	return limit_memory(strtoull(text, NULL, 10) + ((uint64_t)kib << 10));
}

void kernelfuzz_reset_memory(void)
{
	if (memory_max >= 0 && limit_memory((uint64_t)MEMORY_KIB << 10) < 0)
		die("memory.max: %s", strerror(errno));
}

static int open_file(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

void kernelfuzz_enter_cgroup(const char *directory)
{
	int processes = open_file(directory, "cgroup.procs", O_WRONLY);

	memory_max = open_file(directory, "memory.max", O_WRONLY);
	memory_current = open_file(directory, "memory.current", O_RDONLY);
	kernelfuzz_reset_memory();
	if (write(processes, "0", 1) != 1)
		die("%s/cgroup.procs: %s", directory, strerror(errno));
	close(processes);
}

uint64_t kernelfuzz_socket_memory(const char *directory)
{
	int fd = open_file(directory, "memory.stat", O_RDONLY);
	char text[8192];
	ssize_t len = read(fd, text, sizeof(text) - 1);
	const char *at;

	close(fd);
	text[len > 0 ? len : 0] = 0;
	at = strstr(text, "\nsock ");
	if (!at)
		die("%s/memory.stat has no sock", directory);
	return strtoull(at + strlen("\nsock "), NULL, 10);
}

void kernelfuzz_enter_user(pid_t holder)
{
	char directory[64];
	int user, mounts;

	snprintf(directory, sizeof(directory), "/proc/%d/ns", (int)holder);
	user = open_file(directory, "user", O_RDONLY);
	mounts = open_file(directory, "mnt", O_RDONLY);
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		die("setresuid: %s", strerror(errno));
	/* The owner of a user namespace has all capabilities in it. */
	if (setns(user, CLONE_NEWUSER) || setns(mounts, CLONE_NEWNS))
		die("setns: %s", strerror(errno));
	close(user);
	close(mounts);
}
