// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of random calls, from several threads at a few sockets and sites, that are
 * kept and changed where they reached code that none before them reached: KCOV tells.
 *
 *   kernelfuzz [--seconds N] [--seed N] [--journal FILE] [--replay FILE] [--repeat N] LAB
 *
 * The calls are those of sendfuzz.c, and requests of netlink that make, change and take
 * out two sites with a link between them.  A program is a list of calls, each with its
 * thread and the number that its arguments are drawn from; so one line of text is a call,
 * and what is left of a program after lines are taken out is a program.  The same seed
 * begins with the same programs; which of them are kept depends on how threads meet.
 *
 * Each program is written to the journal before it runs, so that the last ones are known
 * where the kernel dies of one.  A complaint in the kernel's log ends it.
 *
 * Code that runs in interrupts belongs to no thread, and KCOV tells nothing of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <net/if.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include <linux/kcov.h>
#include "../net/nlgarbage.h"
#include "cli/nl.h"
#include "lab.h"
#include "msg.h"
#include "sendfuzz.h"

#define THREADS		3
#define SOCKETS		6
#define CALLS_MAX	24
#define CORPUS_MAX	1024
/* Programs in a journal, of which there are two, the newer one and the older one. */
#define JOURNAL_MAX	16
/* A call waits 20 ms, and close() up to a second. */
#define STUCK_S		120
/* Places of the code that one thread remembers of a program. */
#define COVER_MAX	(64 << 10)
/* One bit for each address of the module's code, which is smaller. */
#define PLACES		(1U << 22)

/* The two sites that netlink plays with; the sites of the lab come before them. */
#define PLAYED		2
#define PLAY_TOPOLOGY	"line:5"
#define PLAY_SITE	3

struct call {
	unsigned int thread;
	unsigned int kind;	/* of fuzz_calls, or the number after them: netlink */
	uint64_t seed;
	uint32_t fork;
	uint64_t fork_state;
};

struct program {
	uint64_t seed;		/* of its sockets */
	unsigned int count;
	struct call calls[CALLS_MAX];
};

struct thread {
	struct worker w;	/* first: what a call is given */
	unsigned int number;
	sem_t go;
	int netlink[PLAYED];
	struct nlgarbage request;
	uint64_t *cover;	/* NULL without KCOV */
};

static struct options {
	const char *lab;
	const char *journal;
	const char *replay;
	unsigned int seconds;
	unsigned int repeat;
	uint64_t seed;
} opt = { .seconds = 60, .repeat = 1 };

static struct thread threads[THREADS];
static const struct program *running;
static sem_t over;
static struct prng prng;
static struct program corpus[CORPUS_MAX];
static unsigned int kept;
static uint8_t reached[PLACES / 8];
static unsigned int places;
static uint64_t programs, calls;
static int log_fd;
static uint16_t family;
static char devices[PLAYED][IFNAMSIZ];

static uint32_t pick(uint32_t bound)
{
	return prng_below(&prng, bound);
}

/*
 * Netlink.
 */

static uint32_t draw(void *arg, uint32_t bound)
{
	return fuzz_below(arg, bound);
}

static void put_u32(struct nlgarbage *g, uint16_t type, uint32_t value)
{
	nlgarbage_put(g, type, &value, sizeof(value));
}

static void put_string(struct nlgarbage *g, uint16_t type, const char *value)
{
	nlgarbage_put(g, type, value, strlen(value) + 1);
}

/* One of a few numbers that are near bounds, or a small one. */
static uint32_t setting(struct nlgarbage *g)
{
	static const uint32_t some[] = { 0, 1, 100, 256, 1000, 1500, 4096, 100000, 1000000 };

	return nlgarbage_pick(g, 2) ? nlgarbage_pick(g, 64) :
				      some[nlgarbage_pick(g, sizeof(some) / sizeof(*some))];
}

static void put_site(struct nlgarbage *g, uint16_t type, unsigned int played)
{
	if (nlgarbage_pick(g, 8))
		put_u32(g, type, nlgarbage_pick(g, 8) ? PLAY_SITE + played : nlgarbage_pick(g, 6));
}

static void put_site_settings(struct nlgarbage *g, uint8_t cmd)
{
	static const char *const topologies[] = {
		PLAY_TOPOLOGY, PLAY_TOPOLOGY, "ring:5", "torus:3x3", "hypercube:3", "hexmesh:2",
	};
	static const char *const modes[] = { "vnet", "care", "csr", "postman" };
	unsigned int i;

	if (cmd == FLITCAST_CMD_SITE_NEW) {
		put_string(g, FLITCAST_A_SITE_TOPOLOGY, topologies[nlgarbage_pick(g, 6)]);
		if (nlgarbage_pick(g, 2))
			put_string(g, FLITCAST_A_SITE_MODE, modes[nlgarbage_pick(g, 4)]);
	} else if (nlgarbage_pick(g, 2)) {
		put_u32(g, FLITCAST_A_SITE_DRAIN, nlgarbage_pick(g, 2));
	}
	for (i = nlgarbage_pick(g, 3); i; i--) {
		static const uint16_t types[] = {
			FLITCAST_A_SITE_FLIT, FLITCAST_A_SITE_WINDOW, FLITCAST_A_SITE_SEEK,
			FLITCAST_A_SITE_SEEK_MAX, FLITCAST_A_SITE_TIMEOUT, FLITCAST_A_SITE_RETRY,
			FLITCAST_A_SITE_PROBE, FLITCAST_A_SITE_TRANSIT, FLITCAST_A_SITE_GRACE,
		};

		put_u32(g, types[nlgarbage_pick(g, 9)], setting(g));
	}
}

static void put_link(struct nlgarbage *g, uint8_t cmd, unsigned int played)
{
	if (nlgarbage_pick(g, 4))
		put_u32(g, FLITCAST_A_LINK_PORT,
			nlgarbage_pick(g, 6) ? 1 + played : nlgarbage_pick(g, 8));
	if (nlgarbage_pick(g, 4))
		put_string(g, FLITCAST_A_LINK_IFNAME,
			   nlgarbage_pick(g, 8) ? devices[played] : "lo");
	if (cmd != FLITCAST_CMD_LINK_NEW && cmd != FLITCAST_CMD_LINK_SET)
		return;
	if (!nlgarbage_pick(g, 3))
		put_u32(g, FLITCAST_A_LINK_WINDOW, setting(g));
	if (!nlgarbage_pick(g, 3))
		put_u32(g, FLITCAST_A_LINK_CRC, nlgarbage_pick(g, 2));
}

static void put_list(struct nlgarbage *g, bool ports)
{
	static const char *const directions[] = { "+x", "-x", "+y", "-y", "d0" };
	uint8_t list[8];
	unsigned int i, n = nlgarbage_pick(g, 4);

	put_string(g, FLITCAST_A_ROUTE_DIRECTION, directions[nlgarbage_pick(g, 5)]);
	for (i = 0; i < n; i++)
		list[i] = nlgarbage_pick(g, 5);
	if (ports)
		nlgarbage_put(g, FLITCAST_A_ROUTE_PORTS, list, n);
}

static void put_route(struct nlgarbage *g, uint8_t cmd)
{
	unsigned int i;

	if (cmd != FLITCAST_CMD_ROUTE_REPLACE) {
		put_list(g, cmd == FLITCAST_CMD_ROUTE_SET);
		return;
	}
	if (nlgarbage_pick(g, 2))
		put_u32(g, FLITCAST_A_ROUTE_GENERATION, nlgarbage_pick(g, 4));
	for (i = nlgarbage_pick(g, 3); i; i--) {
		size_t start = g->used;
		struct nlattr *nest = nlgarbage_put(g, FLITCAST_A_ROUTE_ENTRY | NLA_F_NESTED,
						    "", 0);

		put_list(g, true);
		if (nest)
			nest->nla_len = g->used - start;
	}
}

static void put_path(struct nlgarbage *g, uint8_t cmd)
{
	uint8_t ways[4 * 4];
	unsigned int i, n = 4 * (1 + nlgarbage_pick(g, 4));

	put_u32(g, FLITCAST_A_PATH_SOURCE, nlgarbage_pick(g, 6));
	put_u32(g, FLITCAST_A_PATH_COPIES, 1 + nlgarbage_pick(g, 4));
	for (i = 0; i < n; i++)
		ways[i] = nlgarbage_pick(g, 4);
	if (cmd == FLITCAST_CMD_PATH_SET)
		nlgarbage_put(g, FLITCAST_A_PATH_WAYS, ways, n);
}

/* The attributes that a command takes, mostly with a meaning. */
static void put_attributes(struct nlgarbage *g, uint8_t cmd, unsigned int played)
{
	switch (cmd) {
	case FLITCAST_CMD_SITE_NEW:
	case FLITCAST_CMD_SITE_SET:
		put_site(g, FLITCAST_A_SITE_ID, played);
		put_site_settings(g, cmd);
		break;
	case FLITCAST_CMD_LINK_GET:
	case FLITCAST_CMD_LINK_NEW:
	case FLITCAST_CMD_LINK_SET:
	case FLITCAST_CMD_LINK_DEL:
		put_site(g, FLITCAST_A_LINK_SITE, played);
		put_link(g, cmd, played);
		break;
	case FLITCAST_CMD_ROUTE_GET:
	case FLITCAST_CMD_ROUTE_SET:
	case FLITCAST_CMD_ROUTE_DEL:
	case FLITCAST_CMD_ROUTE_REPLACE:
		put_site(g, FLITCAST_A_ROUTE_SITE, played);
		put_route(g, cmd);
		break;
	case FLITCAST_CMD_PATH_SET:
	case FLITCAST_CMD_PATH_DEL:
		put_site(g, FLITCAST_A_PATH_SITE, played);
		put_path(g, cmd);
		break;
	case FLITCAST_CMD_SOCKET_GET:
		put_site(g, FLITCAST_A_SOCKET_SITE, played);
		put_u32(g, FLITCAST_A_SOCKET_PORT, FUZZ_PORT + nlgarbage_pick(g, SOCKETS));
		break;
	default:
		/* The first attribute of every set is the site. */
		put_site(g, 1, played);
	}
}

/* Everything that has come, a dump to its end. */
static void drain(int fd)
{
	char unread[8192];

	while (recv(fd, unread, sizeof(unread), MSG_DONTWAIT | MSG_TRUNC) > 0)
		;
}

static long request(struct nlgarbage *g, int fd)
{
	long sent;

	((struct nlmsghdr *)g->data)->nlmsg_len = g->used;
	sent = send(fd, g->data, g->used, MSG_DONTWAIT);
	drain(fd);
	return sent;
}

static long call_netlink(struct worker *w)
{
	struct thread *t = (struct thread *)w;
	struct nlgarbage *g = &t->request;
	unsigned int played = fuzz_below(w, PLAYED);
	uint8_t cmd = fuzz_below(w, FLITCAST_CMD_MAX + 2);

	nlgarbage_begin(g, family, fuzz_below(w, 4) ? 0 : NLM_F_DUMP, cmd, 1);
	put_attributes(g, cmd, played);
	if (!fuzz_below(w, 6))
		nlgarbage_put_random(g, 3);
	return request(g, t->netlink[played]);
}

/* The two sites and their link as every program with netlink finds them. */
static void restore_played(const struct program *p)
{
	static const char *const modes[] = { "vnet", "care", "csr", "postman" };
	struct nlgarbage *g = &threads[0].request;
	unsigned int i;

	for (i = 0; i < PLAYED; i++) {
		nlgarbage_begin(g, family, 0, FLITCAST_CMD_SITE_DEL, 1);
		put_u32(g, FLITCAST_A_SITE_ID, PLAY_SITE + i);
		request(g, threads[0].netlink[i]);
		nlgarbage_begin(g, family, 0, FLITCAST_CMD_SITE_NEW, 1);
		put_u32(g, FLITCAST_A_SITE_ID, PLAY_SITE + i);
		put_string(g, FLITCAST_A_SITE_TOPOLOGY, PLAY_TOPOLOGY);
		put_string(g, FLITCAST_A_SITE_MODE, modes[p->seed % 4]);
		request(g, threads[0].netlink[i]);
		nlgarbage_begin(g, family, 0, FLITCAST_CMD_LINK_NEW, 1);
		put_u32(g, FLITCAST_A_LINK_SITE, PLAY_SITE + i);
		put_u32(g, FLITCAST_A_LINK_PORT, 1 + i);
		put_string(g, FLITCAST_A_LINK_IFNAME, devices[i]);
		request(g, threads[0].netlink[i]);
	}
}

/*
 * Programs.
 */

static const char *kind_name(unsigned int kind)
{
	return kind < fuzz_ncalls ? fuzz_calls[kind].name : "netlink";
}

static unsigned int a_kind(bool netlink)
{
	unsigned int total = 0, at, i;

	if (netlink && !pick(3))
		return fuzz_ncalls;
	for (i = 0; i < fuzz_ncalls; i++)
		total += fuzz_calls[i].weight;
	at = pick(total);
	for (i = 0; at >= fuzz_calls[i].weight; i++)
		at -= fuzz_calls[i].weight;
	return i;
}

static struct call a_call(bool netlink)
{
	return (struct call) {
		.thread = pick(THREADS), .kind = a_kind(netlink), .seed = prng_next(&prng),
		.fork = FUZZ_NO_FORK,
	};
}

static bool has_netlink(const struct program *p)
{
	unsigned int i;

	for (i = 0; i < p->count; i++)
		if (p->calls[i].kind == fuzz_ncalls)
			return true;
	return false;
}

static void new_program(struct program *p)
{
	bool netlink = !pick(3);

	p->seed = prng_next(&prng);
	p->count = 1 + pick(CALLS_MAX);
	for (unsigned int i = 0; i < p->count; i++)
		p->calls[i] = a_call(netlink);
}

static void change_program(struct program *p)
{
	const struct program *other = &corpus[pick(kept)];
	unsigned int at = pick(p->count), n;

	switch (pick(7)) {
	case 0:
		if (p->count < CALLS_MAX)
			p->calls[p->count++] = a_call(has_netlink(p));
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
		/* The first few choices stay. */
		p->calls[at].fork = pick(40);
		p->calls[at].fork_state = prng_next(&prng) | 1;
		break;
	case 4:
		/* The same call elsewhere, at the same time. */
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
	default:
		p->seed = prng_next(&prng);
	}
}

static void print_program(FILE *to, const struct program *p)
{
	fprintf(to, "program %" PRIu64 "\n", p->seed);
	for (unsigned int i = 0; i < p->count; i++) {
		const struct call *c = &p->calls[i];

		fprintf(to, "call %u %s %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", c->thread,
			kind_name(c->kind), c->seed, c->fork, c->fork_state);
	}
}

/* Reads the next one.  Return: false at the end of the file. */
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
		if (sscanf(line, "program %" SCNu64, &p->seed) == 1) {
			begun = true;
			continue;
		}
		if (sscanf(line, "call %u %31s %" SCNu64 " %" SCNu32 " %" SCNu64, &c.thread, name,
			   &c.seed, &c.fork, &c.fork_state) != 5)
			die("cannot read: %s", line);
		for (c.kind = 0; c.kind < fuzz_ncalls && strcmp(name, kind_name(c.kind));)
			c.kind++;
		if (!begun || c.thread >= THREADS || p->count == CALLS_MAX ||
		    strcmp(name, kind_name(c.kind)))
			die("cannot run: %s", line);
		p->calls[p->count++] = c;
	}
}

/* The program that is going to run, where it is known whatever becomes of this kernel. */
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

/*
 * Running them.
 */

static void *run_calls(void *arg)
{
	struct thread *t = arg;

	for (;;) {
		sem_wait(&t->go);
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
				call_netlink(&t->w);
		}
		sem_post(&over);
	}
	return NULL;
}

/* Marks what the threads have reached.  Return: how much of it is new. */
static unsigned int gather(void)
{
	unsigned int before = places;

	for (unsigned int i = 0; i < THREADS; i++) {
		uint64_t *cover = threads[i].cover;
		uint64_t n = cover ? cover[0] : 0;

		for (uint64_t j = 1; j <= n; j++) {
			uint32_t place = cover[j] % PLACES;

			if (reached[place / 8] & 1 << place % 8)
				continue;
			reached[place / 8] |= 1 << place % 8;
			places++;
		}
	}
	return places - before;
}

static bool complaint(const char *text)
{
	static const char *const words[] = {
		"WARNING:", "BUG:", "KASAN", "KCSAN", "UBSAN", "ODEBUG", "INFO:", "Oops",
		"refcount_t:", "corruption", "general protection", "leaked reference",
		"possible ", "invalid wait context", "cut here",
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* Looks whether the kernel has complained since the last time. */
static void look_at_log(void)
{
	char text[4096];

	for (;;) {
		ssize_t n = read(log_fd, text, sizeof(text) - 1);

		/* EPIPE: there was more than the log holds. */
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

static unsigned int run_program(const struct program *p)
{
	struct linger none = { .l_onoff = 0 };
	struct timespec until;
	unsigned int i, fresh;

	write_journal(p);
	if (has_netlink(p))
		restore_played(p);
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
		if (sem_timedwait(&over, &until))
			die("a program is not over after %d s", STUCK_S);
	fresh = gather();
	for (i = 0; i < SOCKETS; i++) {
		setsockopt(fuzz_socket[i], SOL_SOCKET, SO_LINGER, &none, sizeof(none));
		close(fuzz_socket[i]);
	}
	programs++;
	calls += p->count;
	look_at_log();
	return fresh;
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
		if (run_program(&p))
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
			run_program(&p);
		fclose(from);
	}
}

/*
 * Beginning.
 */

static int netlink_in(unsigned int played)
{
	int fd;

	if (lab_enter(fuzz_netns[PLAY_SITE + played]))
		die("setns: %s", strerror(errno));
	fd = nl_open(NETLINK_GENERIC);
	if (fd < 0)
		die("netlink: %s", strerror(-fd));
	return fd;
}

/* What the threads record of the kernel's code is read from there. */
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

/* A thread turns KCOV on for itself. */
static void *begin_thread(void *arg)
{
	struct thread *t = arg;
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		t->cover = cover_of(fd);
		if (ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
			die("KCOV_ENABLE: %s", strerror(errno));
	}
	sem_post(&over);
	return run_calls(t);
}

static void begin(void)
{
	struct nl_request req = { 0 };
	unsigned int i, j;

	fuzz_sites = lab_sites(opt.lab);
	if (fuzz_sites != PLAY_SITE + PLAYED)
		die("lab %s has %u sites", opt.lab, fuzz_sites);
	fuzz_sockets = SOCKETS;
	for (i = 0; i < fuzz_sites; i++)
		fuzz_netns[i] = lab_open(opt.lab, i);
	for (i = 0; i < PLAYED; i++)
		snprintf(devices[i], IFNAMSIZ, "play%u", i);
	nl_begin_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
	family = ((struct nlmsghdr *)req.data)->nlmsg_type;
	nl_free(&req);
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd < 0 || lseek(log_fd, 0, SEEK_END) < 0)
		die("/dev/kmsg: %s", strerror(errno));
	sem_init(&over, 0, 0);
	for (i = 0; i < THREADS; i++) {
		struct thread *t = &threads[i];
		pthread_t id;

		t->number = i;
		t->w.arena = fuzz_arena();
		memset(t->w.arena, 0, FUZZ_ARENA);
		t->request.pick = draw;
		t->request.arg = &t->w;
		for (j = 0; j < PLAYED; j++)
			t->netlink[j] = netlink_in(j);
		sem_init(&t->go, 0, 0);
		if (pthread_create(&id, NULL, begin_thread, t))
			die("pthread_create: %s", strerror(errno));
		sem_wait(&over);
	}
	if (!threads[0].cover)
		fprintf(stderr, "kernelfuzz: no KCOV here: nothing tells new code from old\n");
}

static void usage(FILE *to)
{
	fputs("Usage: kernelfuzz [--seconds N] [--seed N] [--journal FILE]\n"
	      "                  [--replay FILE [--repeat N]] LAB\n"
	      "\n"
	      "Exit status: 0 all is well, 1 the kernel complains, 2 usage, 4 cannot run.\n", to);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", 1, NULL, 'n' }, { "seed", 1, NULL, 's' },
		{ "journal", 1, NULL, 'j' }, { "replay", 1, NULL, 'r' },
		{ "repeat", 1, NULL, 'R' }, { "help", 0, NULL, 'h' }, { 0 }
	};
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
	printf("kernelfuzz: seed %" PRIu64 ": %" PRIu64 " programs, %" PRIu64
	       " calls, %u places of the code, %u programs kept\n", opt.seed, programs, calls,
	       places, kept);
	/* A program that does nothing, or a module without KCOV, reaches none. */
	if (threads[0].cover && places < 100) {
		fprintf(stderr, "kernelfuzz: that is hardly anything\n");
		return 1;
	}
	return 0;
}
