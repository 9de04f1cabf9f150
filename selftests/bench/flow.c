// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the throughput of one or many senders at full speed to one site.
 *
 *	flow [-b BYTES] [-n MESSAGES] [-T MS] [-r RUNS] -f SITE,... LAB TOPOLOGY MTU WAY...
 *
 * Sites SITE,... send messages of BYTES bytes to site 0 until each has sent MESSAGES, or for MS
 * milliseconds.  LAB is a lab that is up, with addresses and routes: see bench/guest-lib.sh;
 * TOPOLOGY and MTU are only printed.  WAY is flitcast, udp, or tcp (a connection for each
 * sender).  One thread does all the work: each sender in turn sends a message if its socket accepts
 * one, then all pending messages are received; if there was no progress, the thread sleeps.
 *
 * Prints a line of JSON for each method: for RUNS runs, the instructions in which the processor was
 * not idle until all messages were received, or none arrived for a while; and for the last run
 *
 * sent, received	messages; the difference was lost
 * ms			until the last message was received
 * shares		number of messages of each sender among those that arrived within MS
 *			milliseconds, or among the first half of all
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "../sock/msg.h"
#include "idle.h"
#include "inet.h"
#include "stats.h"

#define BYTES_MAX	(1 << 20)
#define DATAGRAM_MAX	65507
#define FLOWS_MAX	64
#define RUNS_MAX	100
#define PORT		7020
/* If no message arrives for this time, the missing messages are lost. */
#define QUIET_MS	2000
/* Time-out of a run; far more than needed. */
#define LIMIT_S		120

enum method { METHOD_FLITCAST, METHOD_UDP, METHOD_TCP };

static const char *const method_names[] = { "flitcast", "udp", "tcp" };

/**
 * struct flow - messages of one sender
 * @site: site of the sender
 * @tx: socket of the sender
 * @rx: TCP: the socket of site 0
 * @part: TCP: bytes already sent of the current message
 * @sent: messages sent
 * @got: bytes received
 * @share: messages received when the shares were recorded
 */
struct flow {
	unsigned int site;
	int tx;
	int rx;
	size_t part;
	uint64_t sent;
	uint64_t got;
	uint64_t share;
};

static struct flow flows[FLOWS_MAX];
static unsigned int nflows, runs = 5;
static const char *lab, *topology, *mtu;
static size_t bytes = 32768;
static uint64_t messages = 16, ms;
static bool shared;
static int sink;
static unsigned char buf[BYTES_MAX];

static void usage(void)
{
	fprintf(stderr, "usage: flow [-b BYTES] [-n MESSAGES] [-T MS] [-r RUNS] -f SITE,... LAB TOPOLOGY MTU WAY...\n");
	exit(EXIT_USAGE);
}

static int flitcast_socket(unsigned int site, unsigned int port)
{
	int netns = lab_open(lab, site), fd = msg_socket(netns, site, port, SOCK_NONBLOCK);

	if (netns < 0 || fd < 0)
		die("socket of site %u: %s", site, strerror(errno));
	close(netns);
	return fd;
}

static void open_flows(enum method method)
{
	const char *why = method == METHOD_FLITCAST ? lab_healthy(lab, 60000) : NULL;
	unsigned int i;

	if (why)
		die("%s", why);
	/* The sites confirm each other's messages some milliseconds later. */
	if (method == METHOD_FLITCAST)
		sleep_ms(QUIET_MS);
	if (method == METHOD_FLITCAST)
		sink = flitcast_socket(0, PORT);
	else if (method == METHOD_UDP)
		sink = inet_udp(lab, INET_LAB, 0, PORT);
	for (i = 0; i < nflows; i++) {
		struct flow *flow = &flows[i];

		*flow = (struct flow){ .site = flow->site };
		if (method == METHOD_FLITCAST)
			flow->tx = flitcast_socket(flow->site, PORT);
		else if (method == METHOD_UDP)
			flow->tx = inet_udp(lab, INET_LAB, flow->site, PORT);
		else
			flow->tx = inet_tcp(lab, INET_LAB, flow->site, 0, PORT + i, &flow->rx);
	}
}

static void close_flows(enum method method)
{
	unsigned int i;

	if (method != METHOD_TCP)
		close(sink);
	for (i = 0; i < nflows; i++) {
		close(flows[i].tx);
		if (method == METHOD_TCP)
			close(flows[i].rx);
	}
}

/* Return: true if some bytes were sent. */
static bool send_one(enum method method, unsigned int number)
{
	struct sockaddr_in to = inet_address(INET_LAB, 0, PORT);
	struct flow *flow = &flows[number];
	ssize_t n;

	memcpy(buf, &number, sizeof(number));
	if (method == METHOD_FLITCAST)
		n = msg_send(flow->tx, buf, bytes, 0, PORT, MSG_DONTWAIT);
	else if (method == METHOD_UDP)
		n = sendto(flow->tx, buf, bytes, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof(to));
	else
		n = send(flow->tx, buf, bytes - flow->part, MSG_DONTWAIT);
	if (n < 0) {
		if (errno != EAGAIN && errno != ENOBUFS)
			die("send from site %u: %s", flow->site, strerror(errno));
		return false;
	}
	flow->part += n;
	if (flow->part == bytes) {
		flow->part = 0;
		flow->sent++;
	}
	return true;
}

/* Return: true if at least one message was received. */
static bool receive_all(enum method method)
{
	unsigned int number, i;
	bool some = false;
	ssize_t n;

	if (method != METHOD_TCP) {
		while ((n = recv(sink, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
			memcpy(&number, buf, sizeof(number));
			if ((size_t)n != bytes || number >= nflows)
				die("something else was received");
			flows[number].got += n;
			some = true;
		}
		return some;
	}
	for (i = 0; i < nflows; i++) {
		while ((n = recv(flows[i].rx, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
			flows[i].got += n;
			some = true;
		}
	}
	return some;
}

static uint64_t received(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < nflows; i++)
		sum += flows[i].got;
	return sum / bytes;
}

static uint64_t all_sent(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < nflows; i++)
		sum += flows[i].sent;
	return sum;
}

static void take_shares(void)
{
	unsigned int i;

	for (i = 0; i < nflows; i++)
		flows[i].share = flows[i].got / bytes;
	shared = true;
}

/* One run.  Return: nanoseconds until the last message was received. */
static uint64_t run(enum method method)
{
	uint64_t start = stats_now(), last = start, now = start;
	bool sending = true, some, part;
	unsigned int i;

	shared = false;
	while (sending || received() < all_sent()) {
		some = false;
		part = false;
		for (i = 0; i < nflows; i++) {
			/* complete each partly sent message */
			if ((sending && (ms || flows[i].sent < messages)) || flows[i].part)
				some |= send_one(method, i);
			part |= flows[i].part;
		}
		if (receive_all(method)) {
			some = true;
			last = stats_now();
		}
		now = stats_now();
		sending = ms ? now < start + ms * 1000000 : all_sent() < nflows * messages;
		sending |= part;
		if (!shared && (ms ? !sending : received() * 2 >= nflows * messages))
			take_shares();
		if (!sending && now > last + QUIET_MS * 1000000ULL)
			break;
		if (now > start + LIMIT_S * 1000000000ULL)
			die("%s: not done in %u s", method_names[method], LIMIT_S);
		if (!some || ms)
			usleep(ms ? 1000 : 100);
	}
	return last - start;
}

static void measure(enum method method)
{
	uint64_t work[RUNS_MAX], took = 0, idle, start, sent = 0, got = 0;
	unsigned int i;

	for (i = 0; i <= runs; i++) {
		open_flows(method);
		idle = idle_ns();
		start = stats_now();
		took = run(method);
		/* the first run is a warm-up */
		work[i ? i - 1 : 0] = stats_now() - start - (idle_ns() - idle);
		sent = all_sent();
		got = received();
		close_flows(method);
		sleep_ms(200);
	}
	printf("{\"way\": \"%s\", \"what\": \"flow\", \"topology\": \"%s\", \"mtu\": %s, \"bytes\": %zu, "
	       "\"senders\": %u, \"count\": %u, ", method_names[method], topology, mtu, bytes,
	       nflows, runs);
	stats_print(work, runs);
	printf(", \"sent\": %llu, \"received\": %llu, \"ms\": %.3f, \"shares\": [",
	       (unsigned long long)sent, (unsigned long long)got, took / 1e6);
	for (i = 0; i < nflows; i++)
		printf("%s%llu", i ? ", " : "", (unsigned long long)flows[i].share);
	printf("]}\n");
	fflush(stdout);
}

static void read_sites(const char *text)
{
	char *end;

	do {
		if (nflows == FLOWS_MAX)
			usage();
		flows[nflows].site = strtoul(text, &end, 10);
		if (end == text || !flows[nflows++].site)
			usage();
		text = end + 1;
	} while (*end == ',');
	if (*end)
		usage();
}

int main(int argc, char **argv)
{
	enum method method;
	int option;

	while ((option = getopt(argc, argv, "b:n:T:r:f:")) != -1) {
		if (option == 'b')
			bytes = strtoul(optarg, NULL, 10);
		else if (option == 'n')
			messages = strtoul(optarg, NULL, 10);
		else if (option == 'T')
			ms = strtoul(optarg, NULL, 10);
		else if (option == 'r')
			runs = strtoul(optarg, NULL, 10);
		else if (option == 'f')
			read_sites(optarg);
		else
			usage();
	}
	if (bytes < sizeof(nflows) || bytes > DATAGRAM_MAX || !messages || !runs ||
	    runs > RUNS_MAX || !nflows || argc - optind < 4)
		usage();
	lab = argv[optind++];
	topology = argv[optind++];
	mtu = argv[optind++];
	for (; optind < argc; optind++) {
		for (method = METHOD_FLITCAST; method <= METHOD_TCP; method++)
			if (!strcmp(argv[optind], method_names[method]))
				break;
		if (method > METHOD_TCP)
			usage();
		measure(method);
	}
	return 0;
}
