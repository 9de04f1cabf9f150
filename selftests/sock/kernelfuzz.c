// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of random calls, from several threads at a few sockets and sites.  A program that
 * reaches new code, as measured by KCOV, is kept and mutated.
 *
 *   kernelfuzz [--seconds N] [--seed N] [--journal FILE] [--replay FILE] [--repeat N]
 *              [--cgroup DIR] [--user PID:LAB] LAB
 *
 * The calls are those of sendfuzz.c and of the other files of kernelfuzz: netlink requests that
 * add, change and delete two sites and the link between them, socket filters, options, signals.  A
 * program is a list of calls, each with its thread and the seed of its arguments; so one line of
 * text is a call, and a program with lines removed is still a program.  The same seed begins with
 * the same programs; which of them are kept depends on how threads interleave.
 *
 * A program runs in one of several places, each a process with its threads: "root"; "memory", in a
 * memory cgroup with a limit; "user", a process of uid 1000 in a user namespace that owns the
 * network namespaces of a lab of its own, and in a memory cgroup, too.  If the kernel kills a
 * process because of its cgroup's limit, another process replaces it.
 *
 * Each program is written to the journal before it runs, so that the last ones are known after a
 * crash.  The run ends at a warning in the kernel's log.
 *
 * KCOV does not record code that runs in interrupts, since it belongs to no thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/kcov.h>
#include "kernelfuzz.h"
#include "lab.h"
#include "msg.h"
#include "sendfuzz.h"

#define SOCKETS		6
#define CALLS_MAX	24
#define CORPUS_MAX	1024
/* Programs in a journal; there are two journals, the current one and the previous one. */
#define JOURNAL_MAX	16
/* Time-out of a program: a call waits 20 ms, and close() up to a second. */
#define STUCK_S		120
/* Interval at which socket memory is compared; messages of closed sockets may still be charged. */
#define ACCOUNTS_MS	10000
#define STABLE_MS	40000
/* Code addresses that one thread records of a program. */
#define COVER_MAX	(64 << 10)
/* One bit for each address of the module's code, which is smaller. */
#define PLACES		(1U << 22)

/* Other calls than those of sendfuzz.c; netlink is the last of them. */
static const struct {
	const char *name;
	long (*call)(struct worker *w);
	unsigned int weight;
} more_calls[] = {
	{ "filter", kernelfuzz_filter, 12 },
	{ "talk", kernelfuzz_talk, 16 },
	{ "look", kernelfuzz_inspect, 16 },
	{ "sockopt", kernelfuzz_sockopt, 12 },
	{ "reserve", kernelfuzz_reserve, 6 },
	{ "signal", kernelfuzz_signal, 6 },
	{ "victim", kernelfuzz_victim, 1 },
	{ "memory", kernelfuzz_memory, 3 },
	{ "netlink", kernelfuzz_netlink, 0 },
};

#define MORE_CALLS	(sizeof(more_calls) / sizeof(*more_calls))

enum places { PLACE_ROOT, PLACE_MEMORY, PLACE_USER, PLACES_OF_PROGRAMS };

/* Calls that a program prefers: all kinds; more_calls; netlink, too. */
enum theme { THEME_ANY, THEME_MORE, THEME_NETLINK, THEMES };

struct call {
	unsigned int thread;
	unsigned int kind;	/* index in fuzz_calls, then in more_calls */
	uint64_t seed;
	uint32_t fork;
	uint64_t fork_state;
};

struct program {
	uint64_t seed;		/* seed of its sockets */
	unsigned int place;
	unsigned int count;
	struct call calls[CALLS_MAX];
};

/* A process that runs programs. */
struct place {
	const char *name;
	bool there;
	pid_t process;
	int line;	/* a byte starts a program; a byte comes back when it has ended */
};

/* Memory that the process which chooses programs shares with those that run them. */
struct shared {
	struct program program;
	bool kcov;
	unsigned int fresh;	/* addresses that this program was the first to reach */
	unsigned int places;
	uint8_t reached[PLACES / 8];
};

static struct options {
	const char *lab;
	const char *journal;
	const char *replay;
	const char *cgroup;
	const char *user_lab;
	pid_t user;
	unsigned int seconds;
	unsigned int repeat;
	uint64_t seed;
} opt = { .seconds = 60, .repeat = 1 };

struct thread kernelfuzz_threads[THREADS];

static struct thread *const threads = kernelfuzz_threads;
static struct place place[PLACES_OF_PROGRAMS] = {
	[PLACE_ROOT] = { .name = "root", .there = true },
	[PLACE_MEMORY] = { .name = "memory" },
	[PLACE_USER] = { .name = "user" },
};

static struct shared *shared;
static const struct program *running;
static sem_t over;
static struct prng prng;
static struct program corpus[CORPUS_MAX];
static unsigned int kept;
static uint64_t programs, calls, killed;
static int log_fd;

static uint32_t pick(uint32_t bound)
{
	return prng_below(&prng, bound);
}

/*
 * Programs.
 */

/* The number of a kind that does not exist, and that of netlink. */
static unsigned int kinds(void)
{
	return fuzz_ncalls + MORE_CALLS;
}

static unsigned int kind_netlink(void)
{
	return kinds() - 1;
}

static const char *kind_name(unsigned int kind)
{
	return kind < fuzz_ncalls ? fuzz_calls[kind].name : more_calls[kind - fuzz_ncalls].name;
}

static unsigned int kind_weight(unsigned int kind)
{
	return kind < fuzz_ncalls ? fuzz_calls[kind].weight : more_calls[kind - fuzz_ncalls].weight;
}

static unsigned int a_kind(enum theme theme)
{
	unsigned int total = 0, first = 0, at, i;

	if (theme == THEME_NETLINK && !pick(3))
		return kind_netlink();
	if (theme == THEME_MORE && pick(3))
		first = fuzz_ncalls;
	for (i = first; i < kinds(); i++)
		total += kind_weight(i);
	at = pick(total);
	for (i = first; at >= kind_weight(i); i++)
		at -= kind_weight(i);
	return i;
}

static struct call a_call(enum theme theme)
{
	return (struct call) {
		.thread = pick(THREADS), .kind = a_kind(theme), .seed = prng_next(&prng),
		.fork = FUZZ_NO_FORK,
	};
}

static bool has_netlink(const struct program *p)
{
	unsigned int i;

	for (i = 0; i < p->count; i++)
		if (p->calls[i].kind == kind_netlink())
			return true;
	return false;
}

static unsigned int a_place(void)
{
	unsigned int at;

	do {
		at = pick(PLACES_OF_PROGRAMS);
	} while (!place[at].there);
	return at;
}

static void new_program(struct program *p)
{
	enum theme theme = pick(THEMES);

	p->seed = prng_next(&prng);
	p->place = a_place();
	p->count = 1 + pick(CALLS_MAX);
	for (unsigned int i = 0; i < p->count; i++)
		p->calls[i] = a_call(theme);
}

static void change_program(struct program *p)
{
	const struct program *other = &corpus[pick(kept)];
	unsigned int at = pick(p->count), n;

	switch (pick(8)) {
	case 0:
		if (p->count < CALLS_MAX)
			p->calls[p->count++] = a_call(has_netlink(p) ? THEME_NETLINK : THEME_MORE);
		break;
	case 1:
		if (p->count > 1)
			p->calls[at] = p->calls[--p->count];
		break;
	case 2:
		p->calls[at].seed = prng_next(&prng);
		p->calls[at].fork = FUZZ_NO_FORK;
		break;
	case 3:
		/* Keep the first few draws, and change the others. */
		p->calls[at].fork = pick(40);
		p->calls[at].fork_state = prng_next(&prng) | 1;
		break;
	case 4:
		/* Repeat the call in another thread, at the same time. */
		if (p->count < CALLS_MAX) {
			p->calls[p->count] = p->calls[at];
			p->calls[p->count++].thread = pick(THREADS);
		}
		break;
	case 5:
		n = pick(other->count) + 1;
		for (unsigned int i = 0; i < n && p->count < CALLS_MAX; i++)
			p->calls[p->count++] = other->calls[i];
		break;
	case 6:
		p->place = a_place();
		break;
	default:
		p->seed = prng_next(&prng);
	}
}

static void print_program(FILE *to, const struct program *p)
{
	fprintf(to, "program %" PRIu64 " %s\n", p->seed, place[p->place].name);
	for (unsigned int i = 0; i < p->count; i++) {
		const struct call *c = &p->calls[i];

		fprintf(to, "call %u %s %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", c->thread,
			kind_name(c->kind), c->seed, c->fork, c->fork_state);
	}
}

static unsigned int place_named(const char *name)
{
	unsigned int i;

	for (i = 0; i < PLACES_OF_PROGRAMS; i++)
		if (!strcmp(name, place[i].name))
			break;
	if (i == PLACES_OF_PROGRAMS || !place[i].there)
		die("there is no place %s here", name);
	return i;
}

/* Read the next program.  Return: false at the end of the file. */
static bool read_program(FILE *from, struct program *p)
{
	char line[256], name[32];
	bool begun = false;

	p->count = 0;
	for (;;) {
		long here = ftell(from);
		struct call c;

		if (!fgets(line, sizeof(line), from))
			return begun;
		if (begun && !strncmp(line, "program ", 8)) {
			fseek(from, here, SEEK_SET);
			return true;
		}
		/* A program that names no place runs in place root. */
		strcpy(name, place[PLACE_ROOT].name);
		if (sscanf(line, "program %" SCNu64 " %31s", &p->seed, name) >= 1) {
			p->place = place_named(name);
			begun = true;
			continue;
		}
		if (sscanf(line, "call %u %31s %" SCNu64 " %" SCNu32 " %" SCNu64, &c.thread, name,
			   &c.seed, &c.fork, &c.fork_state) != 5)
			die("cannot read: %s", line);
		for (c.kind = 0; c.kind < kinds() && strcmp(name, kind_name(c.kind));)
			c.kind++;
		if (!begun || c.thread >= THREADS || p->count == CALLS_MAX || c.kind == kinds())
			die("cannot run: %s", line);
		p->calls[p->count++] = c;
	}
}

/* Record the program that runs next in a file, so that it is known after a crash. */
static void write_journal(const struct program *p)
{
	static FILE *file;
	static unsigned int count;
	char older[4096];

	if (!opt.journal)
		return;
	if (!file || ++count == JOURNAL_MAX) {
		snprintf(older, sizeof(older), "%s.old", opt.journal);
		if (file && (fclose(file) || rename(opt.journal, older)))
			die("%s: %s", older, strerror(errno));
		file = fopen(opt.journal, "w");
		if (!file)
			die("%s: %s", opt.journal, strerror(errno));
		count = 0;
	}
	print_program(file, p);
	if (fflush(file))
		die("%s: %s", opt.journal, strerror(errno));
}

/* Running programs, in the process of a place. */

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem))
		if (errno != EINTR)
			die("sem_wait: %s", strerror(errno));
}

static void *run_calls(void *arg)
{
	struct thread *t = arg;

	for (;;) {
		wait_for(&t->go);
		for (unsigned int i = 0; i < running->count; i++) {
			const struct call *c = &running->calls[i];

			if (c->thread != t->number)
				continue;
			t->w.prng.state = c->seed;
			t->w.draws = 0;
			t->w.fork = c->fork;
			t->w.fork_state = c->fork_state;
			if (c->kind < fuzz_ncalls)
				fuzz_calls[c->kind].call(&t->w);
			else
				more_calls[c->kind - fuzz_ncalls].call(&t->w);
		}
		kernelfuzz_stop_timer(t);
		sem_post(&over);
	}
	return NULL;
}

/* Mark the code that the threads have reached.  Return: number of new addresses. */
static unsigned int gather(void)
{
	unsigned int before = shared->places;

	for (unsigned int i = 0; i < THREADS; i++) {
		uint64_t *cover = threads[i].cover;
		uint64_t n = cover ? cover[0] : 0;

		for (uint64_t j = 1; j <= n; j++) {
			uint32_t at = cover[j] % PLACES;

			if (shared->reached[at / 8] & 1 << at % 8)
				continue;
			shared->reached[at / 8] |= 1 << at % 8;
			shared->places++;
		}
	}
	return shared->places - before;
}

static unsigned int run_program(const struct program *p)
{
	struct linger none = { .l_onoff = 0 };
	struct timespec until;
	unsigned int i, fresh;

	kernelfuzz_reset_memory();
	if (has_netlink(p))
		kernelfuzz_restore_played(&threads[0], p->seed);
	threads[0].w.prng.state = p->seed;
	threads[0].w.fork = FUZZ_NO_FORK;
	for (i = 0; i < SOCKETS; i++)
		fuzz_socket[i] = fuzz_open(&threads[0].w);
	running = p;
	for (i = 0; i < THREADS; i++) {
		if (threads[i].cover)
			threads[i].cover[0] = 0;
		sem_post(&threads[i].go);
	}
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += STUCK_S;
	for (i = 0; i < THREADS; i++)
		while (sem_timedwait(&over, &until))
			if (errno != EINTR)
				die("a program is not over after %d s", STUCK_S);
	fresh = gather();
	for (i = 0; i < SOCKETS; i++) {
		if (fuzz_socket[i] < 0)
			continue;
		setsockopt(fuzz_socket[i], SOL_SOCKET, SO_LINGER, &none, sizeof(none));
		close(fuzz_socket[i]);
	}
	/* The cgroup of this process pays for the sites that it adds. */
	if (has_netlink(p))
		kernelfuzz_remove_played(&threads[0]);
	return fresh;
}

/* Make the kernel record the code that a thread reaches, in a buffer that this program reads. */
static uint64_t *cover_of(int fd)
{
	uint64_t *cover;

	if (ioctl(fd, KCOV_INIT_TRACE, COVER_MAX))
		die("KCOV_INIT_TRACE: %s", strerror(errno));
	cover = mmap(NULL, COVER_MAX * sizeof(*cover), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (cover == MAP_FAILED)
		die("kcov: %s", strerror(errno));
	return cover;
}

/* A thread enables KCOV for itself. */
static void *begin_thread(void *arg)
{
	struct thread *t = arg;

	kernelfuzz_make_timer(t);
	if (t->cover && ioctl(t->kcov, KCOV_ENABLE, KCOV_TRACE_PC))
		die("KCOV_ENABLE: %s", strerror(errno));
	sem_post(&over);
	return run_calls(t);
}

/* Open the namespaces of the lab of this place. */
static void open_lab(const char *lab)
{
	unsigned int i;

	fuzz_sites = lab_sites(lab);
	if (fuzz_sites != PLAY_SITE + PLAYED)
		die("lab %s has %u sites", lab, fuzz_sites);
	for (i = 0; i < fuzz_sites; i++)
		fuzz_netns[i] = lab_open(lab, i);
}

/* Set up this new process as that of a place. */
static void begin_place(unsigned int at)
{
	char directory[PATH_MAX];
	unsigned int i;

	/* Allocate as root, before the memory limit is set. */
	for (i = 0; i < THREADS; i++) {
		struct thread *t = &threads[i];

		t->number = i;
		t->w.arena = fuzz_arena();
		memset(t->w.arena, 0, FUZZ_ARENA);
		t->kcov = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
		if (t->kcov >= 0)
			t->cover = cover_of(t->kcov);
	}
	shared->kcov = threads[0].cover;
	kernelfuzz_catch_signals();
	if (at != PLACE_ROOT && opt.cgroup) {
		snprintf(directory, sizeof(directory), "%s/%s", opt.cgroup, place[at].name);
		kernelfuzz_enter_cgroup(directory);
	}
	if (at == PLACE_USER)
		kernelfuzz_enter_user(opt.user);
	open_lab(at == PLACE_USER ? opt.user_lab : opt.lab);
	sem_init(&over, 0, 0);
	for (i = 0; i < THREADS; i++) {
		struct thread *t = &threads[i];
		pthread_t id;

		kernelfuzz_open_netlink(t);
		sem_init(&t->go, 0, 0);
		if (pthread_create(&id, NULL, begin_thread, t))
			die("pthread_create: %s", strerror(errno));
		wait_for(&over);
	}
	/* An earlier process may have been killed before it did so. */
	kernelfuzz_remove_played(&threads[0]);
}

static void __attribute__((noreturn)) be_place(unsigned int at, int line)
{
	char byte = 0;

	begin_place(at);
	/* Set it after the change of the user, which clears it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		die("prctl: %s", strerror(errno));
	do {
		if (write(line, &byte, 1) != 1)
			break;
		if (read(line, &byte, 1) != 1)
			break;
		shared->fresh = run_program(&shared->program);
	} while (1);
	_exit(0);
}

/* Choosing programs, and supervising them. */

static bool complaint(const char *text)
{
	static const char *const words[] = {
		"WARNING:", "BUG:", "KASAN", "KCSAN", "UBSAN", "ODEBUG", "INFO:", "Oops",
		"refcount_t:", "corruption", "general protection", "leaked reference",
		"possible ", "invalid wait context", "cut here", "underflow",
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* Check whether the kernel has logged a warning since the last call. */
static void check_log(void)
{
	char text[4096];

	for (;;) {
		ssize_t n = read(log_fd, text, sizeof(text) - 1);

		/* EPIPE: messages were overwritten before they were read. */
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			return;
		text[n] = 0;
		if (complaint(text)) {
			fprintf(stderr, "kernelfuzz: the kernel complains: %s", text);
			fprintf(stderr, "kernelfuzz: it was running\n");
			print_program(stderr, running);
			exit(1);
		}
	}
}

/* Wait for a byte from a place.  Return: false if its process ended instead. */
static bool received_from(struct place *at)
{
	struct pollfd fd = { .fd = at->line, .events = POLLIN };
	char byte;

	/* A stuck process detects that itself, and earlier. */
	if (poll(&fd, 1, 2 * STUCK_S * 1000) != 1)
		die("nothing was heard of place %s for %d s", at->name, 2 * STUCK_S);
	return read(at->line, &byte, 1) == 1;
}

/* Reap the process of a place; only the limit of its cgroup may have ended it. */
static void bury(struct place *at)
{
	int status;

	if (waitpid(at->process, &status, 0) != at->process)
		die("waitpid: %s", strerror(errno));
	close(at->line);
	at->process = 0;
	check_log();
	if (at == &place[PLACE_ROOT] || !opt.cgroup || !WIFSIGNALED(status) ||
	    WTERMSIG(status) != SIGKILL)
		die("the process of place %s ended with status %#x", at->name, status);
	killed++;
}

static void start(unsigned int number)
{
	struct place *at = &place[number];
	int lines[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lines))
		die("socketpair: %s", strerror(errno));
	fflush(stdout);
	at->process = fork();
	if (at->process < 0)
		die("fork: %s", strerror(errno));
	if (!at->process) {
		close(lines[0]);
		be_place(number, lines[1]);
	}
	close(lines[1]);
	at->line = lines[0];
}

/* Get a process of a place that can run programs. */
static struct place *have_place(unsigned int number)
{
	struct place *at = &place[number];
	unsigned int tries;

	for (tries = 0; tries < 100; tries++) {
		if (at->process)
			return at;
		start(number);
		if (received_from(at))
			return at;
		bury(at);
	}
	die("the process of place %s ends at once, always", at->name);
}

/* No socket is open, and no site is left: soon no such memory is charged to the cgroups. */
static void compare_accounts(void)
{
	uint64_t until = now_ms() + STABLE_MS, charged;

	if (!opt.cgroup)
		return;
	for (unsigned int i = 0; i < PLACES_OF_PROGRAMS; i++)
		if (place[i].there)
			have_place(i);
	while ((charged = kernelfuzz_socket_memory(opt.cgroup)) != 0) {
		if (now_ms() > until)
			die("%" PRIu64 " bytes are charged to sockets and sites that are gone", charged);
		sleep_ms(100);
	}
}

/* Return: number of code addresses that no earlier program reached. */
static unsigned int run(const struct program *p)
{
	struct place *at = have_place(p->place);
	static uint64_t compared;
	char byte = 0;

	write_journal(p);
	running = p;
	shared->program = *p;
	shared->fresh = 0;
	if (write(at->line, &byte, 1) != 1 || !received_from(at))
		bury(at);
	programs++;
	calls += p->count;
	check_log();
	if (now_ms() - compared > ACCOUNTS_MS) {
		compare_accounts();
		compared = now_ms();
	}
	return shared->fresh;
}

static void fuzz(void)
{
	uint64_t until = now_ms() + opt.seconds * 1000ULL;
	struct program p;

	do {
		if (kept && pick(4)) {
			p = corpus[pick(kept)];
			for (unsigned int i = 1 + pick(3); i; i--)
				change_program(&p);
		} else {
			new_program(&p);
		}
		if (run(&p))
			corpus[kept < CORPUS_MAX ? kept++ : pick(CORPUS_MAX)] = p;
	} while (now_ms() < until);
}

static void replay(void)
{
	for (unsigned int i = 0; i < opt.repeat; i++) {
		FILE *from = fopen(opt.replay, "r");
		struct program p;

		if (!from)
			die("%s: %s", opt.replay, strerror(errno));
		while (read_program(from, &p))
			run(&p);
		fclose(from);
	}
}

/* Initialization. */

static void begin(void)
{
	unsigned int i;

	kernelfuzz_find_family();
	fuzz_sockets = SOCKETS;
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd < 0 || lseek(log_fd, 0, SEEK_END) < 0)
		die("/dev/kmsg: %s", strerror(errno));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	running = &shared->program;
	place[PLACE_MEMORY].there = opt.cgroup;
	place[PLACE_USER].there = opt.user;
	for (i = 0; i < PLACES_OF_PROGRAMS; i++)
		if (!place[i].there)
			fprintf(stderr, "kernelfuzz: no place %s here\n", place[i].name);
}

static void usage(FILE *to)
{
	fputs("Usage: kernelfuzz [--seconds N] [--seed N] [--journal FILE]\n"
	      "                  [--replay FILE [--repeat N]]\n"
	      "                  [--cgroup DIR] [--user PID:LAB] LAB\n"
	      "\n"
	      "--cgroup: a memory cgroup that has children memory and user.\n"
	      "--user: a process in a user namespace, and the lab that it made there.\n"
	      "\n"
	      "Exit status: 0 all is well, 1 the kernel complains, 2 usage, 4 cannot run.\n", to);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", 1, NULL, 'n' }, { "seed", 1, NULL, 's' },
		{ "journal", 1, NULL, 'j' }, { "replay", 1, NULL, 'r' },
		{ "repeat", 1, NULL, 'R' }, { "cgroup", 1, NULL, 'c' }, { "user", 1, NULL, 'u' },
		{ "help", 0, NULL, 'h' }, { 0 }
	};
	char *lab;
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case 'n':
			opt.seconds = strtoul(optarg, NULL, 0);
			break;
		case 's':
			opt.seed = strtoull(optarg, NULL, 0);
			break;
		case 'j':
			opt.journal = optarg;
			break;
		case 'r':
			opt.replay = optarg;
			break;
		case 'R':
			opt.repeat = strtoul(optarg, NULL, 0);
			break;
		case 'c':
			opt.cgroup = optarg;
			break;
		case 'u':
			opt.user = strtol(optarg, &lab, 10);
			opt.user_lab = lab + (*lab == ':');
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(EXIT_USAGE);
		}
	}
	if (optind != argc - 1) {
		usage(stderr);
		exit(EXIT_USAGE);
	}
	opt.lab = argv[optind];
}

int main(int argc, char **argv)
{
	opt.seed = now_ms() ^ (uint64_t)getpid() << 32;
	parse(argc, argv);
	skip_without_family(false);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	prng.state = opt.seed;
	fprintf(stderr, "kernelfuzz: seed %" PRIu64 "\n", opt.seed);
	begin();
	if (opt.replay)
		replay();
	else
		fuzz();
	compare_accounts();
	check_log();
	printf("kernelfuzz: seed %" PRIu64 ": %" PRIu64 " programs, %" PRIu64
	       " calls, %u places of the code, %u programs kept, %" PRIu64
	       " processes killed by a limit\n", opt.seed, programs, calls, shared->places, kept,
	       killed);
	if (!shared->kcov)
		fprintf(stderr, "kernelfuzz: no KCOV here: nothing tells new code from old\n");
	/* A program without effect, or a module without KCOV, reaches no code. */
	if (shared->kcov && shared->places < 100) {
		fprintf(stderr, "kernelfuzz: that is hardly anything\n");
		return 1;
	}
	return 0;
}
