// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the latency of a packet of M flits over N links of a line of sites.
 *
 *	latency [-d HOPS,...] [-m FLITS,...] [-n COUNT] -f FLIT LAB
 *
 * LAB is a lab of topology line:N that is up.  One thread holds a socket at each site, so that a
 * message is timed by one clock: from before the sendmsg() at site 0 to after the recvmsg() at site
 * N.  The network is idle when the message is sent.
 *
 * Prints lines of JSON, times in nanoseconds, of three kinds:
 *
 * frame	a frame as long as a flit, but not Flitcast's, behind another on the
 *		first link: what one flit time is
 * flitcast	messages of M flits over N links
 * relays	the same, but each site receives the whole message before it forwards
 *		it: N messages over one link each
 *
 * and at the end a line of counters, of all sites.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "../sock/msg.h"
#include "core/wire/wire.h"

#define LIST_MAX	64
#define COUNT_MAX	1000
#define SITES_MAX	65
#define PORT		7002
/* The second ethertype for experiments; the first is Flitcast's. */
#define ETHERTYPE	0x88B6
#define FRAMES		33
/* Time-out of a measurement; far more than needed. */
#define LIMIT_S		20

/**
 * struct list - numbers of an option
 * @n: count of numbers
 * @value: the numbers
 */
struct list {
	unsigned int n;
	unsigned int value[LIST_MAX];
};

static const char *lab;
static int fds[SITES_MAX];
static unsigned int flit;
static unsigned int messages;
static unsigned char sent[FC_PACKET_MAX], got[FC_PACKET_MAX + 1];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void usage(void)
{
	fprintf(stderr, "usage: latency [-d HOPS,...] [-m FLITS,...] [-n COUNT] -f FLIT LAB\n");
	exit(EXIT_USAGE);
}

static unsigned int number(const char *text, char **end, unsigned int low, unsigned int high)
{
	unsigned long value;

	errno = 0;
	value = strtoul(text, end, 10);
	if (errno || *end == text || *text == '-' || value < low || value > high)
		usage();
	return value;
}

static void read_list(struct list *list, const char *text, unsigned int high)
{
	char *end;

	list->n = 0;
	do {
		if (list->n == LIST_MAX)
			usage();
		list->value[list->n++] = number(text, &end, 1, high);
		text = end + 1;
	} while (*end == ',');
	if (*end)
		usage();
}

/* Set time-outs, so that the program exits if a call hangs. */
static void limit(int fd)
{
	struct timeval t = { .tv_sec = LIMIT_S };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t)))
		die("time-outs of a socket: %s", strerror(errno));
}

static void open_sites(unsigned int sites)
{
	unsigned int site;

	for (site = 0; site < sites; site++) {
		int netns = lab_open(lab, site);

		if (netns < 0)
			die("lab %s has no site %u", lab, site);
		fds[site] = msg_socket(netns, site, PORT, 0);
		if (fds[site] < 0)
			die("socket of site %u: %s", site, strerror(errno));
		limit(fds[site]);
		close(netns);
	}
}

/* Data bytes of a packet of @flits full flits, to one target. */
static unsigned int packet_bytes(unsigned int flits)
{
	return flits * (flit - FC_LINK_SIZE) - FC_PACKET_SIZE - FC_TARGET_SIZE;
}

/* Send a message and receive it.  Return: nanoseconds. */
static uint64_t pass_on(unsigned int from, unsigned int to, size_t size)
{
	uint64_t start = now_ns();
	ssize_t n;

	if (msg_send(fds[from], sent, size, to, PORT, 0) != (ssize_t)size)
		die("send from site %u: %s", from, strerror(errno));
	n = msg_recv(fds[to], got, sizeof(got), NULL, 0);
	start = now_ns() - start;
	if (n < 0)
		die("receive at site %u: %s", to, strerror(errno));
	if ((size_t)n != size || memcmp(sent, got, size))
		die("site %u received something else", to);
	return start;
}

/* Wait until all messages of @site are confirmed: then its links are idle and have all credit. */
static void calm(unsigned int site)
{
	uint64_t until = now_ms() + LIMIT_S * 1000;

	for (;;) {
		struct flitcast_sock_stats stats = msg_stats(fds[site]);

		if (stats.tx_failed)
			die("site %u: a message was given up", site);
		if (stats.tx_messages && stats.tx_confirmed == stats.tx_messages)
			return;
		if (now_ms() > until)
			die("site %u: a message was not confirmed", site);
		sleep_ms(1);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void report(const char *what, unsigned int hops, unsigned int flits, size_t bytes,
		   uint64_t *times, unsigned int count)
{
	qsort(times, count, sizeof(*times), compare);
	printf("{\"what\": \"%s\", \"hops\": %u, \"flits\": %u, \"bytes\": %zu, \"count\": %u, "
	       "\"min\": %llu, \"median\": %llu, \"max\": %llu}\n",
	       what, hops, flits, bytes, count, (unsigned long long)times[0],
	       (unsigned long long)times[count / 2], (unsigned long long)times[count - 1]);
	fflush(stdout);
}

/*
 * Messages over @hops links.  The first message is not reported: at each link it requests the acks
 * that the last flit before it left pending.
 */
static void measure(unsigned int hops, unsigned int flits, unsigned int count)
{
	size_t bytes = packet_bytes(flits);
	uint64_t times[COUNT_MAX];
	unsigned int i;

	for (i = 0; i <= count; i++) {
		uint64_t t;

		msg_fill(sent, bytes, msg_key(1, 0, messages++), 0);
		t = pass_on(0, hops, bytes);
		calm(0);
		if (i)
			times[i - 1] = t;
	}
	report("flitcast", hops, flits, bytes, times, count);
}

/* Store and forward: each site receives the whole message before it forwards it. */
static void measure_relays(unsigned int hops, unsigned int flits)
{
	size_t bytes = packet_bytes(flits);
	unsigned int i, pass;
	uint64_t t;

	/* The first pass warms up, and is not reported. */
	for (pass = 0; pass < 2; pass++) {
		msg_fill(sent, bytes, msg_key(1, 0, messages++), 0);
		t = 0;
		for (i = 0; i < hops; i++)
			t += pass_on(i, i + 1, bytes);
		for (i = 0; i < hops; i++)
			calm(i);
	}
	report("relays", hops, flits, bytes, &t, 1);
}

static int packet_socket(unsigned int site, const char *dev)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE),
	};
	int netns = lab_open(lab, site), fd;

	if (netns < 0 || lab_enter(netns))
		die("lab %s has no site %u", lab, site);
	close(netns);
	addr.sll_ifindex = if_nametoindex(dev);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETHERTYPE));
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("packet socket on %s: %s", dev, strerror(errno));
	limit(fd);
	return fd;
}

/*
 * Frames of the length of a full flit, all at once: the later ones leave the link one flit time
 * apart.
 */
static void measure_frame(void)
{
	/* On a line, port 1 leads to the next site, port 2 to the previous one. */
	int to = packet_socket(0, "p1"), from = packet_socket(1, "p2");
	size_t size = ETH_HLEN + flit;
	uint64_t times[FRAMES], last = 0;
	struct ethhdr *eth = (struct ethhdr *)sent;
	unsigned int i;

	memset(sent, 0, size);
	memset(eth->h_dest, 0xff, ETH_ALEN);
	eth->h_source[0] = 0x02;
	eth->h_proto = htons(ETHERTYPE);
	for (i = 0; i < FRAMES; i++) {
		if (send(to, sent, size, 0) != (ssize_t)size)
			die("frame: %s", strerror(errno));
	}
	for (i = 0; i < FRAMES; i++) {
		if (recv(from, got, sizeof(got), 0) != (ssize_t)size)
			die("frame: %s", strerror(errno));
		times[i] = now_ns() - last;
		last += times[i];
	}
	close(to);
	close(from);
	/* No frame precedes the first one. */
	report("frame", 1, 1, size, times + 1, FRAMES - 1);
}

static void report_counters(unsigned int sites)
{
	static const char *const names[] = {
		"packets_forced", "packets_resent", "packets_repeated", "packets_aborted",
		"packets_discarded", "packets_duplicate", "tx_dropped", "rx_lost", "resets",
	};
	uint64_t sum[sizeof(names) / sizeof(names[0])] = { 0 };
	unsigned int site, i;

	for (site = 0; site < sites; site++) {
		if (cli("-n %s-%u -j -s stats show", lab, site))
			die("stats show: %s", cli_output());
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			sum[i] += json_sum(cli_output(), names[i]);
		if (cli("-n %s-%u -j -s link show", lab, site))
			die("link show: %s", cli_output());
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			sum[i] += json_sum(cli_output(), names[i]);
	}
	printf("{\"what\": \"counters\"");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		printf(", \"%s\": %llu", names[i], (unsigned long long)sum[i]);
	printf("}\n");
}

int main(int argc, char **argv)
{
	struct list hops = { .n = 1, .value = { 1 } }, flits = hops;
	unsigned int count = 3, most = 0, sites, i, j;
	char *end;
	int option;

	while ((option = getopt(argc, argv, "d:f:m:n:")) != -1) {
		switch (option) {
		case 'd':
			read_list(&hops, optarg, SITES_MAX - 1);
			break;
		case 'f':
			flit = number(optarg, &end, 256, 65535);
			break;
		case 'm':
			read_list(&flits, optarg, FC_PACKET_MAX);
			break;
		case 'n':
			count = number(optarg, &end, 1, COUNT_MAX);
			break;
		default:
			usage();
		}
	}
	if (!flit || optind != argc - 1)
		usage();
	lab = argv[optind];
	for (i = 0; i < hops.n; i++)
		most = hops.value[i] > most ? hops.value[i] : most;
	sites = lab_sites(lab);
	if (most >= sites)
		die("lab %s has %u sites: too few for %u hops", lab, sites, most);
	for (i = 0; i < flits.n; i++)
		if (packet_bytes(flits.value[i]) > FC_PACKET_MAX)
			die("%u flits of %u bytes are more than one packet", flits.value[i], flit);

	skip_without_family(false);
	measure_frame();
	open_sites(sites);
	for (i = 0; i < hops.n; i++)
		for (j = 0; j < flits.n; j++)
			measure(hops.value[i], flits.value[j], count);
	for (i = 0; i < hops.n; i++)
		for (j = 0; j < flits.n; j++)
			measure_relays(hops.value[i], flits.value[j]);
	report_counters(sites);
	return 0;
}
