// SPDX-License-Identifier: GPL-2.0
/*
 * Random calls (sendfuzz.c): each either succeeds or fails with an errno that the manual lists, and
 * the sites must answer afterwards.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab.h"
#include "msg.h"
#include "sendfuzz.h"

#define THREADS_MAX	16
#define CALLS_MAX	32
#define STUCK_MS	60000
#define HEAL_MS		60000
/* Tolerance for memory that the rest of the machine uses meanwhile. */
#define MEMORY_KIB	(64 * 1024)

struct options {
	const char *lab;
	uint64_t count;
	uint64_t seed;
	unsigned int threads;
};

static struct options opt = { .count = 100000, .threads = 2 };

static atomic_ullong done, good, wrong;
static atomic_ullong errors[CALLS_MAX][200], successes[CALLS_MAX];

static void call_one(struct worker *w)
{
	unsigned int total = 0, at, i;
	int err;

	for (i = 0; i < fuzz_ncalls; i++)
		total += fuzz_calls[i].weight;
	at = prng_below(&w->prng, total);
	for (i = 0; at >= fuzz_calls[i].weight; i++)
		at -= fuzz_calls[i].weight;
	errno = 0;
	if (fuzz_calls[i].call(w) >= 0) {
		atomic_fetch_add(&good, 1);
		atomic_fetch_add(&successes[i], 1);
		return;
	}
	err = errno;
	if (err > 0 && err < 200)
		atomic_fetch_add(&errors[i][err], 1);
	if (fuzz_expected(i, err) || atomic_fetch_add(&wrong, 1) >= 20)
		return;
	fprintf(stderr, "sendfuzz: %s: %s: the manual does not have this\n", fuzz_calls[i].name,
		strerror(err));
}

static void *work(void *arg)
{
	struct worker *w = arg;
	uint64_t i;

	for (i = 0; i < w->calls; i++) {
		call_one(w);
		atomic_fetch_add(&done, 1);
	}
	return NULL;
}

/* Wait until all threads have finished; no call may take longer than STUCK_MS. */
static void watch(void)
{
	bool terminal = isatty(STDERR_FILENO);
	uint64_t last = 0, since = now_ms();

	while (atomic_load(&done) < opt.count) {
		sleep_ms(terminal ? 500 : 50);
		if (atomic_load(&done) != last) {
			last = atomic_load(&done);
			since = now_ms();
		} else if (now_ms() - since > STUCK_MS) {
			die("no call has come back for %d s, after %llu", STUCK_MS / 1000,
			    atomic_load(&done));
		}
		if (terminal)
			fprintf(stderr, "\r\033[Ksendfuzz: %llu of %" PRIu64 " calls",
				atomic_load(&done), opt.count);
	}
	if (terminal)
		fputc('\n', stderr);
}

static void report(void)
{
	unsigned int i, err;

	for (i = 0; i < fuzz_ncalls; i++) {
		printf("sendfuzz: %s: %llu done", fuzz_calls[i].name, atomic_load(&successes[i]));
		for (err = 1; err < 200; err++)
			if (atomic_load(&errors[i][err]))
				printf(", %s %llu", strerrorname_np(err),
				       atomic_load(&errors[i][err]));
		printf("\n");
	}
}

static const char *heal(void)
{
	uint64_t until = now_ms() + HEAL_MS;
	const char *bad;

	do {
		bad = lab_healthy(opt.lab, 5000);
	} while (bad && now_ms() < until);
	return bad;
}

static void usage(FILE *to)
{
	fputs("Usage: sendfuzz [--count N] [--threads N] [--seed N] LAB\n"
	      "\n"
	      "Exit status: 0 all is well, 1 not, 2 usage, 4 cannot run.\n", to);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", 1, NULL, 'c' }, { "threads", 1, NULL, 't' }, { "seed", 1, NULL, 's' },
		{ "help", 0, NULL, 'h' }, { 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			opt.count = strtoull(optarg, NULL, 0);
			break;
		case 't':
			opt.threads = strtoul(optarg, NULL, 0);
			break;
		case 's':
			opt.seed = strtoull(optarg, NULL, 0);
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind != argc - 1 || !opt.count || !opt.threads || opt.threads > THREADS_MAX) {
		usage(stderr);
		exit(EXIT_USAGE);
	}
	opt.lab = argv[optind];
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	uint64_t since, until;
	const char *bad;
	unsigned int i;
	int64_t lost = 0;

	opt.seed = now_ms() ^ (uint64_t)getpid() << 32;
	parse(argc, argv);
	skip_without_family(false);
	signal(SIGPIPE, SIG_IGN);
	fuzz_sites = lab_sites(opt.lab);
	if (!fuzz_sites)
		die("there is no lab %s", opt.lab);
	if (fuzz_sites > FUZZ_SITES_MAX)
		fuzz_sites = FUZZ_SITES_MAX;
	for (i = 0; i < fuzz_sites; i++)
		fuzz_netns[i] = lab_open(opt.lab, i);
	fprintf(stderr, "sendfuzz: seed %" PRIu64 "\n", opt.seed);
	for (i = 0; i < opt.threads; i++) {
		workers[i].prng.state = msg_key(opt.seed, i, 0);
		workers[i].fork = FUZZ_NO_FORK;
		workers[i].calls = opt.count / opt.threads + (i < opt.count % opt.threads);
		workers[i].arena = fuzz_arena();
		memset(workers[i].arena, 0, FUZZ_ARENA);
	}
	for (i = 0; i < fuzz_sockets; i++) {
		fuzz_socket[i] = fuzz_open(&workers[0]);
		if (fuzz_socket[i] < 0)
			die("socket: %s", strerror(errno));
	}
	since = meminfo("MemFree");
	for (i = 0; i < opt.threads; i++)
		if (pthread_create(&threads[i], NULL, work, &workers[i]))
			die("pthread_create: %s", strerror(errno));
	watch();
	for (i = 0; i < opt.threads; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < fuzz_sockets; i++)
		close(fuzz_socket[i]);
	report();
	if (!atomic_load(&successes[0]) || !atomic_load(&successes[3])) {
		fprintf(stderr, "sendfuzz: not one message was sent, or received\n");
		atomic_fetch_add(&wrong, 1);
	}
	bad = heal();
	if (bad) {
		fprintf(stderr, "sendfuzz: afterwards: %s\n", bad);
		atomic_fetch_add(&wrong, 1);
	}
	/* The sites abort messages without confirmation after FLITCAST_TIMEOUT. */
	for (until = now_ms() + HEAL_MS; now_ms() < until; sleep_ms(100)) {
		lost = (int64_t)(since - meminfo("MemFree"));
		if (lost < MEMORY_KIB)
			break;
	}
	if (lost >= MEMORY_KIB) {
		fprintf(stderr, "sendfuzz: %" PRId64 " KiB of memory are gone\n", lost);
		atomic_fetch_add(&wrong, 1);
	}
	printf("sendfuzz: seed %" PRIu64 ": %llu calls, %llu of them done: %s\n", opt.seed,
	       atomic_load(&done), atomic_load(&good), atomic_load(&wrong) ? "FAILED" : "passed");
	return atomic_load(&wrong) ? 1 : 0;
}
