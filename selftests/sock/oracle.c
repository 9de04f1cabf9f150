// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the outcome of each message at each of its targets, while links, sites and processors
 * fail:
 *
 *   oracle [-c] [-n DELIVERIES] [-s SECONDS] [-t MS] [-r BYTES] [-S SEED] LAB
 *
 * Random target lists in two priorities, with a part for each target, of 0 bytes to 16 MiB, slow
 * targets that the sender waits for, skips or detaches, broadcasts in one and three copies (-c),
 * and connections.  Slow receivers have a receive buffer of BYTES (-r).  Every message is reported
 * (FLITCAST_CONFIRM).  For every target:
 *
 *  - it gets a message at most once per life of its socket, and those of a sender in order
 *  - every byte and the FLITCAST_INFO are right
 *  - reported as delivered: it arrived, unless the socket closed before it was read
 *  - reported as canceled: it did not arrive; as refused: likewise, if the socket was always open
 *  - reported as ETIMEDOUT, EHOSTUNREACH, ELOOP, ETIME or ENETDOWN: it never arrived, unless
 *    the report also marks the outcome as unknown (FLITCAST_RESULT_UNKNOWN)
 *  - every message is reported once, soon after the last fault at the latest: no message waits
 *    for four time-outs without traffic
 *
 * SIGUSR1 ends the phase of faults: then every sender sends to every receiver once more, and all
 * these messages arrive.  DELIVERIES are spread over SECONDS, and take longer on a slow machine.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>
#include "lab.h"
#include "oracle.h"

/* Errors printed at most. */
#define WRONG_MAX	20
/* Time after the last message for duplicates to arrive. */
#define QUIET_MS	500
/* Time for all sites to reach each other after the faults end. */
#define HEALTHY_MS	120000
/* A message may wait for the time-out of the one before it, and its own. */
#define TIMEOUTS	4

struct options opt = { .deliveries = 5000, .seconds = 10, .timeout_ms = 6000 };
unsigned int nsites;
struct prng prng;
char *inbox, *outbox;
struct seen seen;

static volatile sig_atomic_t healed;

static void on_signal(int sig)
{
	(void)sig;
	healed = 1;
}

void wrong(const char *fmt, ...)
{
	va_list args;

	if (++seen.wrong > WRONG_MAX)
		return;
	va_start(args, fmt);
	fputs("oracle: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}

void *oracle_alloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		die("no memory");
	return p;
}

int oracle_socket(int type, uint32_t site, uint32_t port)
{
	int netns = lab_open(opt.lab, site), fd, err;

	if (netns < 0)
		die("lab %s: site %u: %s", opt.lab, site, strerror(errno));
	fd = msg_socket_type(netns, type, site, port, SOCK_NONBLOCK);
	err = errno;
	close(netns);
	errno = err;
	/* bind() returns EADDRNOTAVAIL if no site has that number. */
	if (fd < 0 && errno == EADDRNOTAVAIL)
		errno = ENETDOWN;
	return fd;
}

uint32_t oracle_port(void)
{
	static uint32_t next = SENDER_BASE;

	if (next > UINT16_MAX)
		die("no port is left that nobody had");
	return next++;
}

bool oracle_gone(int fd)
{
	ssize_t n;

	do
		n = recv(fd, inbox, BYTES_MAX + 1, MSG_DONTWAIT);
	while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 && errno == ENETDOWN;
}

static bool step(bool more, bool hurry)
{
	bool moved = oracle_recv_step(hurry);

	moved |= oracle_send_step(more);
	moved |= oracle_conn_step(more);
	if (!moved)
		sleep_ms(2);
	return moved;
}

/* Print the state of the sockets of each site, to show what they wait for. */
static void show(void)
{
	unsigned int site;

	for (site = 0; site < nsites; site++) {
		cli("-n %s-%u socket show", opt.lab, site);
		fprintf(stderr, "%s", cli_output());
	}
}

/* Packets sent for the first time: a large message on a slow machine still adds some. */
static uint64_t packets_sent(void)
{
	uint64_t sum = 0;
	unsigned int site;

	for (site = 0; site < nsites; site++)
		if (!cli("-n %s-%u -j stats show", opt.lab, site))
			sum += json_sum(cli_output(), "packets_sent");
	return sum;
}

/* Wait until all messages and connections are completed. */
static void calm(const char *when)
{
	uint64_t moved = now_ms(), before = packets_sent(), now;

	while (!oracle_send_over() || !oracle_conn_over()) {
		if (step(false, true))
			moved = now_ms();
		if (now_ms() <= moved + TIMEOUTS * opt.timeout_ms)
			continue;
		now = packets_sent();
		if (now != before) {
			before = now;
			moved = now_ms();
			continue;
		}
		wrong("%s: nothing comes or is told for %u time-outs of %u ms", when, TIMEOUTS,
		      opt.timeout_ms);
		oracle_send_blame();
		oracle_conn_blame();
		show();
		return;
	}
}

/* Are more messages due after the time that has passed? */
static bool wanted(double began)
{
	double passed = (now_s() - began) / opt.seconds;

	return seen.due < opt.deliveries && (double)seen.due <= passed * (double)opt.deliveries;
}

static void run(void)
{
	double began = now_s();
	const char *sick;
	uint64_t until;

	while (!healed || seen.due < opt.deliveries)
		step(wanted(began), false);
	calm("after the faults");
	sick = lab_healthy(opt.lab, HEALTHY_MS);
	if (sick)
		wrong("after the faults: %s", sick);
	/* One may have closed its socket in the last step of the faults. */
	while (!oracle_recv_all_open())
		step(false, true);
	oracle_send_final();
	calm("at the end");
	until = now_ms() + QUIET_MS;
	while (now_ms() < until)
		step(false, true);
}

static void parse(int argc, char **argv)
{
	int option;

	opt.seed = (uint64_t)time(NULL);
	while ((option = getopt(argc, argv, "cn:s:t:r:S:")) != -1) {
		switch (option) {
		case 'c':
			opt.bcasts = true;
			break;
		case 'n':
			opt.deliveries = strtoull(optarg, NULL, 0);
			break;
		case 's':
			opt.seconds = atoi(optarg);
			break;
		case 't':
			opt.timeout_ms = atoi(optarg);
			break;
		case 'r':
			opt.room = atoi(optarg);
			break;
		case 'S':
			opt.seed = strtoull(optarg, NULL, 0);
			break;
		default:
			argc = 0;
		}
	}
	if (argc - optind != 1 || !opt.seconds || !opt.timeout_ms) {
		fprintf(stderr, "Usage: oracle [-c] [-n DELIVERIES] [-s SECONDS] [-t MS] [-r BYTES] [-S SEED] LAB\n");
		exit(EXIT_USAGE);
	}
	opt.lab = argv[optind];
}

static void report(void)
{
	printf("oracle: %" PRIu64 " targets: %" PRIu64 " came (%" PRIu64 " MB, %" PRIu64
	       " broadcasts), %" PRIu64 " told delivered, %" PRIu64 " refused, %" PRIu64
	       " canceled\n", seen.due, seen.came, seen.bytes >> 20, seen.bcasts, seen.delivered,
	       seen.refused, seen.canceled);
	printf("oracle: %" PRIu64 " told failed: %" PRIu64 " silent, %" PRIu64 " without a way, %"
	       PRIu64 " slow, %" PRIu64 " of sites that went\n", seen.failed,
	       seen.reported[FAILED_TIMEDOUT], seen.reported[FAILED_UNREACHABLE],
	       seen.reported[FAILED_SLOW],
	       seen.reported[FAILED_DOWN]);
	printf("oracle: %" PRIu64 " of them told unknown, of which %" PRIu64 " came; of those refused %"
	       PRIu64 "\n", seen.unknown, seen.unknown_came, seen.refused_came);
	printf("oracle: %" PRIu64 " sites went; %" PRIu64 " came to a second life, %" PRIu64
	       " told of one that ended; at most %" PRIu64 " ms to a report\n",
	       seen.deaths, seen.again, seen.excused, seen.longest_ms);
	printf("oracle: %" PRIu64 " connections, %" PRIu64 " to the end, %" PRIu64 " broken, %"
	       PRIu64 " records\n", seen.connected, seen.completed, seen.broken, seen.records);
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_signal };
	unsigned int site;

	sigaction(SIGUSR1, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv);
	skip_without_family(false);
	nsites = lab_sites(opt.lab);
	if (nsites < 3)
		die("there is no lab %s, or it is too small", opt.lab);
	prng.state = opt.seed;
	inbox = oracle_alloc(BYTES_MAX + 1, 1);
	outbox = oracle_alloc(BYTES_MAX, 1);
	for (site = 0; site < nsites; site++)
		if (lab_sysctl(opt.lab, site, "message_max", BYTES_MAX))
			die("site %u: message_max: %s", site, strerror(errno));
	oracle_recv_open();
	oracle_send_open();
	oracle_conn_open();
	printf("oracle: ready, seed %" PRIu64 "\n", opt.seed);
	run();
	oracle_send_judge();
	report();
	if (seen.wrong)
		fprintf(stderr, "oracle: %" PRIu64 " errors\n", seen.wrong);
	printf("oracle: %s\n", seen.wrong ? "failed" : "passed");
	return seen.wrong ? 1 : 0;
}
