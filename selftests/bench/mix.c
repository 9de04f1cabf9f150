// SPDX-License-Identifier: GPL-2.0
/*
 * Small messages and pings beside a bulk flow.
 *
 *	mix [-s SECONDS] [-b] [-p PRIORITY] [-u UID] [-q MIB] [-e SITE] [-m] [-z BYTES] [-i]
 *	    [-f SITE] [-t] LAB
 *
 * With -b one socket of the first site, of user UID and with SO_PRIORITY PRIORITY, always has
 * messages of BULK_BYTES to send to the last site or that of -e, MIB of them or a full send
 * buffer.  With -m two others, of the first site or that of -f, send BYTES each to the last site
 * every 20 ms, one of normal and one of high priority.  With -i another user pings the site that
 * bulk goes to instead, every 7 ms.  With -t by IPv4: the bulk flow is a TCP connection, and the
 * small messages are UDP datagrams.  One thread times all messages by one clock, from before send()
 * to after recv().  The first quarter of the time is not measured.
 *
 * Prints a line of JSON: bytes of bulk per second, and for the others latencies in nanoseconds, and
 * the number of messages that a full socket refused.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include "../sock/lab.h"
#include "../sock/msg.h"
#include "inet.h"
#include "stats.h"

#define BULK_BYTES	65536
/* Send buffer of the bulk flow with -q, which also counts overhead; the maximum for a socket. */
#define QUEUE_ROOM	(256U << 20)
#define PING_BYTES	56
#define PING_UID	1001
#define GAIT_NS		20000000ULL
#define PING_GAIT_NS	7000000ULL
#define COUNT_MAX	4096
/* Values of SO_PRIORITY from here on mean the high class. */
#define HIGH		6

enum kind { BULK, NORMAL, HIGH_CLASS, PING, KINDS };

static const char *const names[KINDS] = { "bulk", "normal", "high", "ping" };

static struct {
	int from, to;
	uint64_t next;
	uint64_t *ns;
	size_t count, refused;
	uint64_t bytes;
} flow[KINDS];

static unsigned char buf[BULK_BYTES];
static unsigned int last, small_site, bulk_site, small_bytes = 64, bulk_queue;
static int bulk_priority;
static uid_t bulk_uid;
static bool inet, with[KINDS];
static uint64_t start_ns, from_ns, until_ns;

static void usage(void)
{
	fprintf(stderr,
		"usage: mix [-s SECONDS] [-b] [-p PRIORITY] [-u UID] [-q MIB] [-e SITE] [-m]\n"
		"           [-z BYTES] [-i] [-f SITE] [-t] LAB\n");
	exit(EXIT_USAGE);
}

/* A bound socket of a user; users other than root have no capabilities. */
static int user_socket(const char *lab, unsigned int site, uint16_t port, uid_t uid)
{
	int netns = lab_open(lab, site), fd = -1;

	if (!lab_enter(netns) && !seteuid(uid)) {
		fd = msg_socket(-1, site, port, SOCK_NONBLOCK);
		if (seteuid(0))
			die("seteuid: %s", strerror(errno));
	}
	close(netns);
	return fd;
}

static void open_flow(const char *lab, enum kind kind)
{
	int priority = kind == HIGH_CLASS ? HIGH : kind == BULK ? bulk_priority : 0;
	unsigned int site = kind == BULK ? 0 : small_site;
	uid_t uid = kind == BULK ? bulk_uid : kind == PING ? PING_UID : 0;
	/* Unsent messages must not load the next measurement, or reach its sockets. */
	struct linger drop = { .l_onoff = !inet };
	int room = QUEUE_ROOM;

	if (inet && kind == BULK) {
		flow[kind].from = inet_tcp(lab, INET_LAB, 0, bulk_site, 7000, &flow[kind].to);
	} else if (inet) {
		flow[kind].from = inet_udp(lab, INET_LAB, site, 7000 + kind);
		flow[kind].to = inet_udp(lab, INET_LAB, last, 7000 + kind);
	} else {
		flow[kind].from = user_socket(lab, site, 0, uid);
		flow[kind].to = kind == PING ? flow[kind].from :
				user_socket(lab, kind == BULK ? bulk_site : last, 7000 + kind, 0);
	}
	if (flow[kind].from < 0 || flow[kind].to < 0 ||
	    setsockopt(flow[kind].from, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)) ||
	    setsockopt(flow[kind].from, SOL_SOCKET, SO_LINGER, &drop, sizeof(drop)))
		die("%s: %s", names[kind], strerror(errno));
	if (kind == BULK && bulk_queue &&
	    (lab_sysctl(lab, 0, "wmem_max", room) ||
	     setsockopt(flow[kind].from, SOL_FLITCAST, FLITCAST_SNDBUF, &room, sizeof(room))))
		die("FLITCAST_SNDBUF: %s", strerror(errno));
	flow[kind].ns = calloc(COUNT_MAX, sizeof(*flow[kind].ns));
	if (!flow[kind].ns)
		die("no memory");
}

/* Return: false if the socket is full. */
static bool send_one(enum kind kind, size_t size)
{
	struct sockaddr_in addr = inet_address(INET_LAB, last, 7000 + kind);
	unsigned int to = kind == BULK || kind == PING ? bulk_site : last;
	ssize_t n;

	if (inet && kind == BULK)
		n = send(flow[kind].from, buf, size, MSG_DONTWAIT);
	else if (inet)
		n = sendto(flow[kind].from, buf, size, MSG_DONTWAIT, (struct sockaddr *)&addr,
			   sizeof(addr));
	else
		n = msg_send(flow[kind].from, buf, size, to,
			     kind == PING ? FLITCAST_PORT_ECHO : 7000 + kind, MSG_DONTWAIT);
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

		/* A packet of the previous measurement may have left when its socket was closed. */
		memcpy(&sent, got, sizeof(sent));
		if (now < from_ns || now >= until_ns || (kind != BULK && sent < start_ns))
			continue;
		flow[kind].bytes += n;
		if (kind == BULK)
			continue;
		if (n != (kind == PING ? PING_BYTES : (ssize_t)small_bytes) ||
		    flow[kind].count == COUNT_MAX)
			die("%s: received %zd bytes", names[kind], n);
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
	flow[kind].next += kind == PING ? PING_GAIT_NS : GAIT_NS;
	memcpy(buf, &now, sizeof(now));
	if (!send_one(kind, kind == PING ? PING_BYTES : small_bytes))
		flow[kind].refused++;
}

/* Send bulk until its queue has the wanted length, or its socket accepts no more. */
static void send_bulk(void)
{
	int used = 0;

	do {
		if (bulk_queue && !ioctl(flow[BULK].from, SIOCOUTQ, &used) &&
		    (unsigned int)used >> 20 >= bulk_queue)
			return;
	} while (send_one(BULK, BULK_BYTES));
}

static void run(double seconds)
{
	uint64_t start;

	start_ns = stats_now();
	if (with[BULK])
		send_bulk();
	start = stats_now();
	from_ns = start + (uint64_t)(seconds * 0.25e9);
	until_ns = start + (uint64_t)(seconds * 1e9);
	for (int kind = NORMAL; kind < KINDS; kind++)
		flow[kind].next = start + (kind == HIGH_CLASS ? GAIT_NS / 2 : 0);
	while (stats_now() < until_ns) {
		struct pollfd fds[KINDS + 1];
		uint64_t next = until_ns, now;
		struct timespec t = { 0 };
		int kind, n = 0;

		for (kind = BULK; kind < KINDS; kind++) {
			if (!with[kind])
				continue;
			fds[n++] = (struct pollfd){ flow[kind].to, POLLIN, 0 };
			if (kind == BULK) {
				/* The queue is refilled when its messages arrive. */
				if (!bulk_queue)
					fds[n++] = (struct pollfd){ flow[kind].from, POLLOUT, 0 };
				send_bulk();
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
		for (kind = BULK; kind < KINDS; kind++)
			if (with[kind])
				receive(kind);
	}
}

static void report(double seconds)
{
	double measured = seconds * 0.75;
	int queued = 0;

	if (with[BULK] && !inet && ioctl(flow[BULK].from, SIOCOUTQ, &queued))
		die("SIOCOUTQ: %s", strerror(errno));
	printf("{\"way\": \"%s\", \"what\": \"mix\", \"links\": %u, \"bytes\": %u",
	       inet ? "inet" : "flitcast", (with[PING] ? bulk_site : last) - small_site,
	       with[PING] ? PING_BYTES : small_bytes);
	printf(", \"queued\": %d", queued);
	printf(", \"rate\": %.0f, \"small_rate\": %.0f", flow[BULK].bytes / measured,
	       (flow[NORMAL].bytes + flow[HIGH_CLASS].bytes + flow[PING].bytes) / measured);
	for (int kind = NORMAL; kind < KINDS; kind++) {
		if (!flow[kind].count)
			continue;
		printf(", \"%s\": {\"count\": %zu, \"refused\": %zu, ", names[kind],
		       flow[kind].count, flow[kind].refused);
		stats_print(flow[kind].ns, flow[kind].count);
		printf("}");
	}
	printf("}\n");
}

int main(int argc, char **argv)
{
	double seconds = 2;
	int option;

	bulk_site = -1;
	while ((option = getopt(argc, argv, "be:f:imp:q:s:tu:z:")) != -1) {
		switch (option) {
		case 'b':
			with[BULK] = true;
			break;
		case 'e':
			bulk_site = strtoul(optarg, NULL, 10);
			break;
		case 'f':
			small_site = strtoul(optarg, NULL, 10);
			break;
		case 'i':
			with[PING] = true;
			break;
		case 'm':
			with[NORMAL] = true;
			with[HIGH_CLASS] = true;
			break;
		case 'p':
			bulk_priority = atoi(optarg);
			break;
		case 'q':
			bulk_queue = strtoul(optarg, NULL, 10);
			break;
		case 's':
			seconds = atof(optarg);
			break;
		case 't':
			inet = true;
			break;
		case 'u':
			bulk_uid = strtoul(optarg, NULL, 10);
			break;
		case 'z':
			small_bytes = strtoul(optarg, NULL, 10);
			break;
		default:
			usage();
		}
	}
	if (optind != argc - 1 || seconds <= 0 || (with[PING] && inet) ||
	    !(with[BULK] || with[NORMAL] || with[PING]) ||
	    small_bytes < sizeof(uint64_t) || small_bytes > BULK_BYTES)
		usage();
	last = lab_sites(argv[optind]) - 1;
	if (bulk_site > last)
		bulk_site = last;
	if (small_site >= last)
		usage();
	for (int kind = BULK; kind < KINDS; kind++)
		if (with[kind])
			open_flow(argv[optind], kind);
	run(seconds);
	report(seconds);
	return 0;
}
