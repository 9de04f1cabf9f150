// SPDX-License-Identifier: GPL-2.0
/*
 * Throughput and latency of a lab under random traffic.
 *
 *	load [-s SECONDS] [-p PATTERN] -r RATE -b BYTES -m MODE LAB
 *
 * Messages of BYTES bytes to one target each are created at random times, RATE per second in the
 * whole network, a Poisson process; PATTERN is uniform (the default), transpose (of a torus of as
 * many rows as columns) or hot (one in four for site 0).  One thread holds a socket at each site,
 * so a message is timed by one clock, from its creation to after the recvmsg(), including the time
 * for which it waits for a full socket.  The first quarter of the time is not measured.
 *
 * MODE is the mode of the lab, and only printed, except "udp": IPv4 datagrams, for which the lab
 * has addresses and routes, and some of which may be lost.
 *
 * Prints a line of JSON, times in nanoseconds.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "../sock/msg.h"
#include "inet.h"
#include "stats.h"

#define SITES_MAX	256
#define BYTES_MAX	65536
#define PORT		7003
/* Time-out for the network to become empty at the end; far more than needed. */
#define DRAIN_S		60
/* A datagram is lost if it has not arrived for this time after the previous one. */
#define LOST_NS		5000000000ULL

/* Header of each message. */
struct head {
	uint64_t born;
	uint32_t number;
	uint32_t from;
};

/* A message that waits for its full socket. */
struct waiting {
	struct waiting *next;
	struct head head;
	uint32_t to;
};

static struct {
	int fd;
	struct waiting *first, **end;
} sites[SITES_MAX];

static const char *lab, *pattern = "uniform", *mode;
static unsigned int nsites, side, bytes;
static double rate, seconds = 4;
static bool by_udp;
static uint64_t born, received, received_at, counted, from_ns, until_ns;
static uint64_t *latency;
static size_t room;
static unsigned char buf[BYTES_MAX];

static void usage(void)
{
	fprintf(stderr, "usage: load [-s SECONDS] [-p PATTERN] -r RATE -b BYTES -m MODE LAB\n");
	exit(EXIT_USAGE);
}

static uint32_t target(uint32_t from)
{
	uint32_t to = from;

	if (!strcmp(pattern, "transpose"))
		to = from % side * side + from / side;
	else if (!strcmp(pattern, "hot") && random() % 4 == 0)
		to = 0;
	while (to == from)
		to = random() % nsites;
	return to;
}

/* Return: false if the socket is full. */
static bool send_one(uint32_t at, const struct waiting *w)
{
	struct sockaddr_in addr;
	ssize_t n;

	memcpy(buf, &w->head, sizeof(w->head));
	if (by_udp) {
		addr = inet_address(INET_LAB, w->to, PORT);
		n = sendto(sites[at].fd, buf, bytes, MSG_DONTWAIT, (struct sockaddr *)&addr,
			   sizeof(addr));
	} else {
		n = msg_send(sites[at].fd, buf, bytes, w->to, PORT, MSG_DONTWAIT);
	}
	if (n == (ssize_t)bytes)
		return true;
	if (errno != EAGAIN)
		die("send from site %u: %s", at, strerror(errno));
	return false;
}

static void send_waiting(uint32_t at)
{
	struct waiting *w;

	while ((w = sites[at].first) && send_one(at, w)) {
		sites[at].first = w->next;
		if (!w->next)
			sites[at].end = &sites[at].first;
		free(w);
	}
}

static void give_birth(uint64_t when)
{
	struct waiting *w = calloc(1, sizeof(*w));
	uint32_t at = random() % nsites;

	if (!w)
		die("no memory");
	w->head = (struct head){ when, (uint32_t)born++, at };
	w->to = target(at);
	*sites[at].end = w;
	sites[at].end = &w->next;
	send_waiting(at);
}

static void note(uint64_t ns)
{
	if (counted == room) {
		room = room ? 2 * room : 4096;
		latency = realloc(latency, room * sizeof(*latency));
		if (!latency)
			die("no memory");
	}
	latency[counted++] = ns;
}

static void receive(uint32_t at)
{
	struct head head;
	ssize_t n;

	while ((n = recv(sites[at].fd, buf, sizeof(buf), MSG_DONTWAIT)) >= 0) {
		uint64_t now = stats_now();

		if ((size_t)n != bytes)
			die("site %u received %zd bytes", at, n);
		memcpy(&head, buf, sizeof(head));
		received++;
		received_at = now;
		if (now >= from_ns && now < until_ns)
			note(now - head.born);
	}
	if (errno != EAGAIN)
		die("receive at site %u: %s", at, strerror(errno));
}

/* Return: seconds to the creation of the next message. */
static double pause_s(void)
{
	return -log((random() + 1.0) / 2147483649.0) / rate;
}

static void wait_until(int epoll, uint64_t when)
{
	struct epoll_event events[64];
	uint64_t now = stats_now();
	struct timespec t = { 0 };
	struct pollfd pfd = { .fd = epoll, .events = POLLIN };
	int n;

	if (when > now) {
		t.tv_sec = (when - now) / 1000000000;
		t.tv_nsec = (when - now) % 1000000000;
	}
	if (ppoll(&pfd, 1, &t, NULL) <= 0)
		return;
	n = epoll_wait(epoll, events, 64, 0);
	for (int i = 0; i < n; i++) {
		uint32_t at = events[i].data.u32;

		receive(at);
		send_waiting(at);
	}
}

static int open_sites(void)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	nsites = lab_sites(lab);
	if (!nsites || nsites > SITES_MAX)
		die("lab %s has %u sites", lab, nsites);
	side = (unsigned int)(sqrt(nsites) + 0.5);
	for (uint32_t at = 0; at < nsites; at++) {
		struct epoll_event e = {
			.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.u32 = at,
		};
		int netns = lab_open(lab, at);

		sites[at].end = &sites[at].first;
		if (by_udp)
			sites[at].fd = inet_udp(lab, INET_LAB, at, PORT);
		else
			sites[at].fd = netns < 0 ? -1 : msg_socket(netns, at, PORT, 0);
		if (sites[at].fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, sites[at].fd, &e))
			die("socket of site %u: %s", at, strerror(errno));
		close(netns);
	}
	return epoll;
}

static void report(void)
{
	double measured = (until_ns - from_ns) / 1e9;

	if (!counted)
		die("nothing arrived");
	printf("{\"way\": \"%s\", \"what\": \"load\", \"pattern\": \"%s\", \"bytes\": %u, "
	       "\"offered\": %.1f, \"carried\": %.1f, \"lost\": %llu, \"count\": %llu, ",
	       mode, pattern, bytes, rate, counted / measured,
	       (unsigned long long)(born - received), (unsigned long long)counted);
	stats_print(latency, counted);
	printf(", \"p99\": %llu}\n", (unsigned long long)latency[counted * 99 / 100]);
}

static void run(int epoll)
{
	uint64_t start = stats_now(), next = start, limit;

	from_ns = start + (uint64_t)(seconds * 0.25e9);
	until_ns = start + (uint64_t)(seconds * 1e9);
	while (next < until_ns) {
		while (stats_now() < next)
			wait_until(epoll, next);
		give_birth(next);
		next += (uint64_t)(pause_s() * 1e9);
	}
	limit = stats_now() + DRAIN_S * 1000000000ULL;
	while (received < born && !(by_udp && stats_now() > received_at + LOST_NS)) {
		if (stats_now() > limit)
			die("%llu of %llu messages did not arrive",
			    (unsigned long long)(born - received), (unsigned long long)born);
		wait_until(epoll, by_udp ? received_at + LOST_NS + 1 : limit);
	}
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "b:m:p:r:s:")) != -1) {
		switch (option) {
		case 'b':
			bytes = atoi(optarg);
			break;
		case 'm':
			mode = optarg;
			break;
		case 'p':
			pattern = optarg;
			break;
		case 'r':
			rate = atof(optarg);
			break;
		case 's':
			seconds = atof(optarg);
			break;
		default:
			usage();
		}
	}
	if (optind != argc - 1 || !mode || rate <= 0 || seconds <= 0 ||
	    bytes < sizeof(struct head) || bytes > BYTES_MAX)
		usage();
	lab = argv[optind];
	by_udp = !strcmp(mode, "udp");
	srandom(1);
	run(open_sites());
	report();
	return 0;
}
