// SPDX-License-Identifier: GPL-2.0
/*
 * Small messages beside a bulk flow, both to the last site of a lab.
 *
 *	mix [-s SECONDS] [-b] [-m] [-f SITE] [-t] LAB
 *
 * With -b one socket of the first site always has messages of BULK_BYTES to send.  With -m two
 * others, of the first site or of SITE, send SMALL_BYTES each every 20 ms, one of normal and one of
 * high priority.  With -t by IPv4:
 * the bulk flow is a TCP connection, and the small messages are UDP datagrams.  One
 * thread holds all sockets, so a message is timed by one clock, from before its send() to after
 * its recv().  The first quarter of the time is not measured.
 *
 * Prints a line of JSON: bytes of bulk a second, and for the small ones nanoseconds.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "../sock/msg.h"
#include "inet.h"
#include "stats.h"

#define BULK_BYTES	65536
#define SMALL_BYTES	64
#define GAIT_NS		20000000ULL
#define COUNT_MAX	4096
/* SO_PRIORITY from here on is the high class. */
#define HIGH		6

enum kind { BULK, NORMAL, HIGH_CLASS, KINDS };

static const char *const names[KINDS] = { "bulk", "normal", "high" };

static struct {
	int from, to;
	uint64_t next;
	uint64_t *ns;
	size_t count;
	uint64_t bytes;
} flow[KINDS];

static unsigned char buf[BULK_BYTES];
static unsigned int last, small_site;
static bool inet, with_bulk, with_small;
static uint64_t from_ns, until_ns;

static void usage(void)
{
	fprintf(stderr, "usage: mix [-s SECONDS] [-b] [-m] [-f SITE] [-t] LAB\n");
	exit(EXIT_USAGE);
}

static void open_flow(const char *lab, enum kind kind)
{
	unsigned int site = kind == BULK ? 0 : small_site;
	int priority = kind == HIGH_CLASS ? HIGH : 0, netns;

	if (inet && kind == BULK) {
		flow[kind].from = inet_tcp(lab, 0, last, 7000, &flow[kind].to);
	} else if (inet) {
		flow[kind].from = inet_udp(lab, INET_LAB, site, 7000 + kind);
		flow[kind].to = inet_udp(lab, INET_LAB, last, 7000 + kind);
	} else {
		netns = lab_open(lab, site);
		flow[kind].from = msg_socket(netns, site, 0, SOCK_NONBLOCK);
		close(netns);
		netns = lab_open(lab, last);
		flow[kind].to = msg_socket(netns, last, 7000 + kind, SOCK_NONBLOCK);
		close(netns);
	}
	if (flow[kind].from < 0 || flow[kind].to < 0 ||
	    setsockopt(flow[kind].from, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)))
		die("%s: %s", names[kind], strerror(errno));
	flow[kind].ns = calloc(COUNT_MAX, sizeof(*flow[kind].ns));
	if (!flow[kind].ns)
		die("no memory");
}

/* Return: false if the socket is full. */
static bool send_one(enum kind kind, size_t size)
{
	struct sockaddr_in addr = inet_address(INET_LAB, last, 7000 + kind);
	ssize_t n;

	if (inet && kind == BULK)
		n = send(flow[kind].from, buf, size, MSG_DONTWAIT);
	else if (inet)
		n = sendto(flow[kind].from, buf, size, MSG_DONTWAIT, (struct sockaddr *)&addr,
			   sizeof(addr));
	else
		n = msg_send(flow[kind].from, buf, size, last, 7000 + kind, MSG_DONTWAIT);
	if (n < 0 && errno != EAGAIN)
		die("%s: %s", names[kind], strerror(errno));
	return n >= 0;
}

static void receive(enum kind kind)
{
	static unsigned char got[BULK_BYTES];
	ssize_t n;

	while ((n = recv(flow[kind].to, got, sizeof(got), MSG_DONTWAIT)) >= 0) {
		uint64_t now = stats_now(), sent;

		if (now < from_ns || now >= until_ns)
			continue;
		flow[kind].bytes += n;
		if (kind == BULK)
			continue;
		if (n != SMALL_BYTES || flow[kind].count == COUNT_MAX)
			die("%s: received %zd bytes", names[kind], n);
		memcpy(&sent, got, sizeof(sent));
		flow[kind].ns[flow[kind].count++] = now - sent;
	}
	if (errno != EAGAIN)
		die("%s: %s", names[kind], strerror(errno));
}

static void send_small(enum kind kind)
{
	uint64_t now = stats_now();

	if (now < flow[kind].next)
		return;
	flow[kind].next += GAIT_NS;
	memcpy(buf, &now, sizeof(now));
	if (!send_one(kind, SMALL_BYTES))
		die("%s: the socket is full", names[kind]);
}

static void run(double seconds)
{
	int first = with_bulk ? BULK : NORMAL, end = with_small ? KINDS : NORMAL;
	uint64_t start = stats_now();

	from_ns = start + (uint64_t)(seconds * 0.25e9);
	until_ns = start + (uint64_t)(seconds * 1e9);
	flow[NORMAL].next = start;
	flow[HIGH_CLASS].next = start + GAIT_NS / 2;
	while (stats_now() < until_ns) {
		struct pollfd fds[KINDS + 1];
		uint64_t next = until_ns, now;
		struct timespec t = { 0 };
		int kind, n = 0;

		for (kind = first; kind < end; kind++) {
			fds[n++] = (struct pollfd){ flow[kind].to, POLLIN, 0 };
			if (kind == BULK) {
				fds[n++] = (struct pollfd){ flow[kind].from, POLLOUT, 0 };
				while (send_one(BULK, sizeof(buf)))
					;
			} else {
				send_small(kind);
				if (flow[kind].next < next)
					next = flow[kind].next;
			}
		}
		now = stats_now();
		if (now < next)
			t.tv_nsec = next - now;
		if (t.tv_nsec >= 1000000000) {
			t.tv_sec = t.tv_nsec / 1000000000;
			t.tv_nsec %= 1000000000;
		}
		if (ppoll(fds, n, &t, NULL) <= 0)
			continue;
		for (kind = first; kind < end; kind++)
			receive(kind);
	}
}

static void report(double seconds)
{
	double measured = seconds * 0.75;

	printf("{\"way\": \"%s\", \"what\": \"mix\", \"links\": %u, \"rate\": %.0f",
	       inet ? "inet" : "flitcast", last - small_site, flow[BULK].bytes / measured);
	for (int kind = NORMAL; kind < KINDS && with_small; kind++) {
		if (!flow[kind].count)
			die("%s: nothing arrived", names[kind]);
		printf(", \"%s\": {\"count\": %zu, ", names[kind], flow[kind].count);
		stats_print(flow[kind].ns, flow[kind].count);
		printf(", \"p99\": %llu}",
		       (unsigned long long)flow[kind].ns[flow[kind].count * 99 / 100]);
	}
	printf("}\n");
}

int main(int argc, char **argv)
{
	double seconds = 2;
	int option;

	while ((option = getopt(argc, argv, "bf:ms:t")) != -1) {
		switch (option) {
		case 'b':
			with_bulk = true;
			break;
		case 'f':
			small_site = strtoul(optarg, NULL, 10);
			break;
		case 'm':
			with_small = true;
			break;
		case 's':
			seconds = atof(optarg);
			break;
		case 't':
			inet = true;
			break;
		default:
			usage();
		}
	}
	if (optind != argc - 1 || seconds <= 0 || !(with_bulk || with_small))
		usage();
	last = lab_sites(argv[optind]) - 1;
	if (small_site >= last)
		usage();
	if (with_bulk)
		open_flow(argv[optind], BULK);
	for (int kind = NORMAL; kind < KINDS && with_small; kind++)
		open_flow(argv[optind], kind);
	run(seconds);
	report(seconds);
	return 0;
}
