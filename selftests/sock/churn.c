// SPDX-License-Identifier: GPL-2.0
/*
 * Sites, namespaces and the module are removed under full load, again and again.
 *
 *	site 0 ------ site 1 ------ site 2
 *	senders       receiver,     senders,
 *	receiver      transit       receiver
 *
 * A cycle: site 1 is deleted and added again, site 2, which has open sockets, is deleted and added
 * again, the namespace of site 1 is deleted; then, in a new lab, the sockets are closed and the
 * module is removed while the sites still send their messages.  Messages flow before and after each
 * step, and arrive whole, in order and once.  The caller checks the kernel's log, and checks for
 * leaks.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <net/if.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include "lab.h"
#include "msg.h"

#define SITES		3
#define NSENDERS	4
#define NRECEIVERS	SITES
#define PORT		5000
#define MOST		200000
/* Sender ids of one lab: a reopened sender gets a new one. */
#define IDS_MAX		4096
#define REOPEN_MS	20
/* Time for links to come up again and messages to be retransmitted; far more than needed. */
#define PATIENCE_MS	60000
#define UNLOAD_MS	10000
#define TIMEOUT_MS	1000
#define COMPLAINTS_MAX	20
/* Messages that must arrive at a site to show that traffic flows. */
#define FLOWS		5

struct options {
	const char *lab;
	const char *ko;
	const char *params;
	unsigned int cycles;
};

static struct options opt = { .params = "", .cycles = 10 };

/* Head of each message; the byte stream of its key follows. */
struct heading {
	uint32_t id;
	uint32_t number;
};

struct sender {
	int fd;
	uint32_t id;
	uint32_t number;
};

struct receiver {
	int fd;
	uint32_t next[IDS_MAX];		/* by sender: lowest number that may still arrive */
};

static struct sender senders[NSENDERS];
static struct receiver receivers[NRECEIVERS];
static uint32_t next_id;
static pthread_t pump_thread;
static atomic_bool pumping;
/* A socket at site 1 holds the namespace of the site. */
static atomic_bool between, between_closed;
/* Messages that arrived, by site. */
static atomic_ullong arrived[SITES];
static atomic_uint wrong;
/* The initial namespace of this program, which belongs to no lab. */
static int home;

static void __attribute__((format(printf, 1, 2))) complain(const char *fmt, ...)
{
	va_list args;

	if (atomic_fetch_add(&wrong, 1) >= COMPLAINTS_MAX)
		return;
	va_start(args, fmt);
	printf("# ");
	vprintf(fmt, args);
	printf("\n");
	fflush(stdout);
	va_end(args);
}

/*
 * Traffic, in a thread of its own.
 */

static int open_socket(uint32_t site, uint16_t port)
{
	int netns = lab_open(opt.lab, site), fd;
	unsigned int timeout = TIMEOUT_MS;

	if (netns < 0)
		return -1;
	fd = msg_socket(netns, site, port, SOCK_NONBLOCK);
	close(netns);
	if (fd >= 0)
		setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout, sizeof(timeout));
	return fd;
}

/* Open the sockets that are not open.  If a site does not exist yet, a later call retries. */
static void open_all(void)
{
	unsigned int i;

	for (i = 0; i < NRECEIVERS; i++) {
		struct receiver *r = &receivers[i];

		if (r->fd >= 0 || (i == 1 && !atomic_load(&between)))
			continue;
		r->fd = open_socket(i, PORT);
		/* Senders retransmit messages that the previous socket had not confirmed. */
		memset(r->next, 0, sizeof(r->next));
	}
	for (i = 0; i < NSENDERS; i++) {
		struct sender *s = &senders[i];

		if (s->fd >= 0)
			continue;
		s->fd = open_socket(i % 2 * 2, FLITCAST_PORT_ANY);
		s->id = next_id++ % IDS_MAX;
		s->number = 0;
	}
	lab_enter(home);
}

static void close_between(void)
{
	if (receivers[1].fd >= 0)
		close(receivers[1].fd);
	receivers[1].fd = -1;
	atomic_store(&between_closed, true);
}

/* Send a message to the other end and to random other sites. */
static bool send_one(struct sender *s, struct prng *prng)
{
	static char data[MOST];
	uint32_t far = 2 - (s - senders) % 2 * 2, site;
	struct heading heading = { .id = s->id, .number = s->number };
	size_t len = prng_log(prng, sizeof(heading), MOST);
	struct flitcast_target targets[SITES];
	unsigned int n = 0;

	for (site = 0; site < SITES; site++)
		if (site == far || prng_below(prng, 3) == 0)
			targets[n++] = (struct flitcast_target) { .site = site, .port = PORT };
	memcpy(data, &heading, sizeof(heading));
	msg_fill(data + sizeof(heading), len - sizeof(heading),
		 msg_key(len, s->id, s->number), 0);
	if (msg_send_list(s->fd, data, len, targets, n, 0) < 0) {
		if (errno == ENETDOWN) {
			close(s->fd);
			s->fd = -1;
		}
		return false;
	}
	s->number++;
	return true;
}

static bool read_one(struct receiver *r)
{
	static char data[MOST];
	struct heading heading;
	ssize_t n = msg_recv(r->fd, data, sizeof(data), NULL, MSG_TRUNC);
	unsigned int site = r - receivers;

	if (n < 0) {
		if (errno == ENETDOWN) {
			close(r->fd);
			r->fd = -1;
		} else if (errno != EAGAIN && errno != EINTR) {
			complain("site %u: recvmsg: %s", site, strerror(errno));
		}
		return false;
	}
	memcpy(&heading, data, sizeof(heading));
	if (n < (ssize_t)sizeof(heading) || n > MOST || heading.id >= IDS_MAX ||
	    msg_check(data + sizeof(heading), n - sizeof(heading),
		      msg_key(n, heading.id, heading.number), 0) != n - sizeof(heading))
		complain("site %u: %zd bytes that nobody sent", site, n);
	else if (heading.number < r->next[heading.id])
		complain("site %u: message %u of sender %u once more, or too late", site,
			 heading.number, heading.id);
	else
		r->next[heading.id] = heading.number + 1;
	atomic_fetch_add(&arrived[site], 1);
	return true;
}

static void *pump(void *arg)
{
	struct prng prng = { .state = now_ms() };
	uint64_t open_at = 0;
	unsigned int i;

	(void)arg;
	while (atomic_load(&pumping)) {
		bool busy = false;

		if (!atomic_load(&between) && !atomic_load(&between_closed))
			close_between();
		if (now_ms() >= open_at) {
			open_all();
			open_at = now_ms() + REOPEN_MS;
		}
		for (i = 0; i < NSENDERS; i++)
			busy |= senders[i].fd >= 0 && send_one(&senders[i], &prng);
		for (i = 0; i < NRECEIVERS; i++)
			busy |= receivers[i].fd >= 0 && read_one(&receivers[i]);
		if (!busy)
			sleep_ms(1);
	}
	/* After the sockets are closed, the sites still send the queued messages. */
	for (i = 0; i < NSENDERS; i++)
		if (senders[i].fd >= 0)
			close(senders[i].fd);
	for (i = 0; i < NRECEIVERS; i++)
		if (receivers[i].fd >= 0)
			close(receivers[i].fd);
	return NULL;
}

static void start_traffic(void)
{
	unsigned int i;

	next_id = 0;
	for (i = 0; i < NSENDERS; i++)
		senders[i].fd = -1;
	for (i = 0; i < NRECEIVERS; i++)
		receivers[i].fd = -1;
	atomic_store(&between, true);
	atomic_store(&between_closed, false);
	atomic_store(&pumping, true);
	if (pthread_create(&pump_thread, NULL, pump, NULL))
		die("no thread");
}

static void stop_traffic(void)
{
	if (!atomic_load(&pumping))
		return;
	atomic_store(&pumping, false);
	pthread_join(pump_thread, NULL);
}

/* Do messages arrive at both ends? */
static bool flows(void)
{
	uint64_t until = now_ms() + PATIENCE_MS;
	unsigned int site;

	for (site = 0; site < SITES; site += 2) {
		uint64_t want = atomic_load(&arrived[site]) + FLOWS;

		while (atomic_load(&arrived[site]) < want) {
			if (now_ms() > until) {
				complain("nothing more arrives at site %u", site);
				return false;
			}
			sleep_ms(1);
		}
	}
	return true;
}

/* Parts of the lab that are removed. */

/* Run the flitcast command for a site; complain with its output if it fails. */
#define at(site, fmt, ...)							\
	(!cli("-n %s-%u " fmt, opt.lab, site, ##__VA_ARGS__) ||			\
	 (complain("site %u: " fmt ": %s", site, ##__VA_ARGS__, cli_output()), false))

static bool site_away(void)
{
	return at(1, "site del 1") && at(1, "site add 1 topology line:3 integrity off") &&
	       at(1, "link add p1 port 1") && at(1, "link add p2 port 2") && flows();
}

/* Delete and add site 2, whose sockets are open. */
static bool end_away(void)
{
	return at(2, "site del 2") && at(2, "site add 2 topology line:3 integrity off") &&
	       at(2, "link add p2 port 2") && flows();
}

static bool has_device(int fd, const char *name)
{
	struct ifreq ifr = { 0 };

	strncpy(ifr.ifr_name, name, sizeof(ifr.ifr_name) - 1);
	return !ioctl(fd, SIOCGIFINDEX, &ifr);
}

/* The namespace is deleted when the peer of its device in another namespace has disappeared. */
static bool namespace_away(void)
{
	uint64_t until = now_ms() + PATIENCE_MS;
	char path[64];
	int netns = lab_open(opt.lab, 0), fd;

	atomic_store(&between, false);
	while (!atomic_load(&between_closed))
		sleep_ms(1);
	if (netns < 0 || lab_enter(netns))
		die("namespace of site 0: %s", strerror(errno));
	close(netns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	lab_enter(home);
	snprintf(path, sizeof(path), "/run/netns/%s-1", opt.lab);
	if (umount2(path, MNT_DETACH) || unlink(path)) {
		complain("%s: %s", path, strerror(errno));
		close(fd);
		return false;
	}
	while (has_device(fd, "p1")) {
		if (now_ms() > until) {
			complain("the namespace of site 1 does not go away");
			close(fd);
			return false;
		}
		sleep_ms(1);
	}
	close(fd);
	return true;
}

/* The sockets have just been closed: the kernel frees those of threads a little later. */
static bool module_away(void)
{
	uint64_t until = now_ms() + UNLOAD_MS;

	while (syscall(SYS_delete_module, "flitcast", O_NONBLOCK)) {
		if (now_ms() > until) {
			complain("the module does not go: %s", strerror(errno));
			return false;
		}
		sleep_ms(1);
	}
	return true;
}

static void module_back(void)
{
	int fd = open(opt.ko, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, opt.params, 0))
		die("%s: %s", opt.ko, strerror(errno));
	close(fd);
}

static void lab_again(void)
{
	if (lab_up(opt.lab, "line:3"))
		die("lab up: %s", cli_output());
	start_traffic();
}

static const struct {
	const char *name;
	bool (*away)(void);
} kinds[] = {
	{ "the site between is deleted", site_away },
	{ "a site with open sockets is deleted", end_away },
	{ "the namespace of the site between is deleted", namespace_away },
	{ "the module goes, with what closed sockets left", module_away },
};

#define KINDS	(sizeof(kinds) / sizeof(*kinds))

static unsigned int well[KINDS];

static bool cycle(void)
{
	unsigned int i;

	lab_again();
	for (i = 0; i < KINDS; i++) {
		bool last = i == KINDS - 1;

		/* The previous step has cut the path between the ends. */
		if (last) {
			stop_traffic();
			lab_again();
		}
		if (!flows())
			break;
		if (last)
			stop_traffic();
		if (!kinds[i].away())
			break;
		well[i]++;
		if (last)
			module_back();
	}
	stop_traffic();
	return i == KINDS;
}

static void usage(FILE *to)
{
	fputs("Usage: churn --ko FLITCAST.KO [--params WORDS] [--cycles N] LAB\n"
	      "\n"
	      "Exit status: 0 all is well, 1 not, 2 usage, 4 cannot run.\n", to);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cycles", required_argument, NULL, 'c' },
		{ "ko", required_argument, NULL, 'k' },
		{ "params", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	unsigned int n, i;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			opt.cycles = strtoul(optarg, NULL, 0);
			break;
		case 'k':
			opt.ko = optarg;
			break;
		case 'p':
			opt.params = optarg;
			break;
		default:
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : EXIT_USAGE;
		}
	}
	if (optind != argc - 1 || !opt.ko || !opt.cycles) {
		usage(stderr);
		return EXIT_USAGE;
	}
	opt.lab = argv[optind];
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	printf("TAP version 13\n");
	skip_without_family(true);
	for (n = 0; n < opt.cycles && cycle(); n++)
		if (n % 10 == 9) {
			printf("# %u cycles\n", n + 1);
			fflush(stdout);
		}
	for (i = 0; i < KINDS; i++)
		printf("%sok %u - %u times: %s\n", well[i] == opt.cycles ? "" : "not ", i + 1,
		       well[i], kinds[i].name);
	printf("%sok %zu - %llu messages arrived, whole, in order and once\n",
	       atomic_load(&wrong) ? "not " : "", KINDS + 1,
	       (unsigned long long)(arrived[0] + arrived[1] + arrived[2]));
	printf("1..%zu\n", KINDS + 1);
	return atomic_load(&wrong) || n < opt.cycles;
}
