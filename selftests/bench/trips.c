// SPDX-License-Identifier: GPL-2.0
/*
 * Measures a round trip between site 0 of a line and another site.
 *
 *	trips [-n COUNT] [-w WARM-UP] [-i MS,...] -d HOPS,... -b BYTES,... LAB TOPOLOGY MTU WAY...
 *
 * LAB is a lab that is up, with addresses and routes: see bench/guest-lib.sh; TOPOLOGY and MTU are
 * only printed.  One thread drives both ends: it sends at one end, receives at the other, and sends
 * back, so that it measures the network and not the scheduler.  Between two round trips it sleeps
 * for MS milliseconds (default 0: not at all).  WAY is one of
 *
 * flitcast	a message there, a message back
 * udp		datagrams, forwarded by IPv4
 * device	datagrams over the network devices of the sites
 * device-tcp	one connection over these
 * batman	datagrams within the Ethernet of batman-adv, which forwards frames
 * redirect	the same, but the sites between forward frames below their stacks (tc, XDP);
 *		redirect:NAME also sets its name in the figures
 * tcp		one connection from end to end
 * relays	a connection for each link; a site forwards a message when it has all of it
 * packet	packet sockets, over one link only
 *
 * Messages longer than a datagram are omitted by the methods with datagrams.  Prints a line of JSON
 * for each measurement, times in nanoseconds (instructions, if the guest counts them).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "../sock/msg.h"
#include "inet.h"
#include "numbers.h"
#include "packet.h"
#include "stats.h"

#define BYTES_MAX	(1 << 20)
#define DATAGRAM_MAX	65507
#define FRAME_MAX	1500
#define HOPS_MAX	64
#define LIST_MAX	32
#define PORT		7001
#define LIMIT_S		10
#define INTERVAL_MAX_MS	60000
/* Time-out for links to come up; far more than needed. */
#define READY_S		60
/* Time for the sites to confirm each other's messages after that, some milliseconds. */
#define QUIET_MS	100

/**
 * struct trip - the ends of a path
 * @hops: number of links
 * @to: socket of site k of the path, or connection to site k + 1 (relays)
 * @from: relays: the other end of the connection from site k, at site k + 1
 * @net: network, for UDP and TCP
 * @address: packet sockets: by end, the address to which the other end sends
 */
struct trip {
	unsigned int hops;
	int to[HOPS_MAX + 1];
	int from[HOPS_MAX];
	uint32_t net;
	struct sockaddr_ll address[2];
};

/**
 * struct method - a kind of network and sockets
 * @name: name
 * @net: network, for UDP and TCP
 * @bytes_max: longest message
 * @hops_max: longest path
 * @open: open the sockets
 * @send: send a message from site 0 to the last one, or back if @back, and receive it
 */
struct method {
	const char *name;
	uint32_t net;
	size_t bytes_max;
	unsigned int hops_max;
	void (*open)(struct trip *trip);
	void (*send)(const struct trip *trip, size_t bytes, bool back);
};

static const char *lab, *topology, *mtu;
static unsigned int count = 400, warm = 50;
static unsigned char message[BYTES_MAX];

static void usage(void)
{
	fprintf(stderr, "usage: trips [-n COUNT] [-w WARM-UP] [-i MS,...] -d HOPS,... -b BYTES,... LAB TOPOLOGY MTU WAY...\n");
	exit(EXIT_USAGE);
}

static void receive(int fd, size_t bytes)
{
	ssize_t n = recv(fd, message, sizeof(message), 0);

	if (n != (ssize_t)bytes)
		die("receive: %s", n < 0 ? strerror(errno) : "another length");
}

static void open_flitcast(struct trip *trip)
{
	struct timeval limit = { .tv_sec = LIMIT_S };
	unsigned int site, i;
	int netns;

	for (i = 0; i < 2; i++) {
		site = i ? trip->hops : 0;
		netns = lab_open(lab, site);
		trip->to[site] = msg_socket(netns, site, PORT, 0);
		if (netns < 0 || trip->to[site] < 0 ||
		    setsockopt(trip->to[site], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
			die("socket of site %u: %s", site, strerror(errno));
		close(netns);
	}
}

static void send_flitcast(const struct trip *trip, size_t bytes, bool back)
{
	unsigned int from = back ? trip->hops : 0, to = trip->hops - from;

	if (msg_send(trip->to[from], message, bytes, to, PORT, 0) != (ssize_t)bytes)
		die("send: %s", strerror(errno));
	receive(trip->to[to], bytes);
}

static void open_udp(struct trip *trip)
{
	trip->to[0] = inet_udp(lab, trip->net, 0, PORT);
	trip->to[trip->hops] = inet_udp(lab, trip->net, trip->hops, PORT);
}

/* XDP does not preserve the information that a checksum is still missing. */
static void open_redirect(struct trip *trip)
{
	int one = 1;

	open_udp(trip);
	if (setsockopt(trip->to[0], SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one)) ||
	    setsockopt(trip->to[trip->hops], SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one)))
		die("UDP without checksum: %s", strerror(errno));
}

static void send_udp(const struct trip *trip, size_t bytes, bool back)
{
	unsigned int from = back ? trip->hops : 0, to = trip->hops - from;
	struct sockaddr_in addr = inet_address(trip->net, to, PORT);

	if (sendto(trip->to[from], message, bytes, 0, (struct sockaddr *)&addr,
		   sizeof(addr)) != (ssize_t)bytes)
		die("send: %s", strerror(errno));
	receive(trip->to[to], bytes);
}

static void open_tcp(struct trip *trip)
{
	trip->to[0] = inet_tcp(lab, trip->net, 0, trip->hops, PORT, &trip->to[trip->hops]);
}

static void send_tcp(const struct trip *trip, size_t bytes, bool back)
{
	unsigned int from = back ? trip->hops : 0;

	inet_transfer(trip->to[from], trip->to[trip->hops - from], message, bytes);
}

static void open_relays(struct trip *trip)
{
	unsigned int i;

	for (i = 0; i < trip->hops; i++)
		trip->to[i] = inet_tcp(lab, trip->net, i, i + 1, PORT, &trip->from[i]);
}

static void send_relays(const struct trip *trip, size_t bytes, bool back)
{
	unsigned int i;

	for (i = 0; i < trip->hops && !back; i++)
		inet_transfer(trip->to[i], trip->from[i], message, bytes);
	for (i = trip->hops; i-- && back;)
		inet_transfer(trip->from[i], trip->to[i], message, bytes);
}

static void open_packet(struct trip *trip)
{
	struct sockaddr_ll *ends = trip->address;
	int device;

	trip->to[0] = packet_socket(lab, 0, "p1", &ends[0]);
	trip->to[1] = packet_socket(lab, 1, "p2", &ends[1]);
	/* The sender passes its own device's index, and the other device's address. */
	device = ends[0].sll_ifindex;
	ends[0].sll_ifindex = ends[1].sll_ifindex;
	ends[1].sll_ifindex = device;
}

static void send_packet(const struct trip *trip, size_t bytes, bool back)
{
	const struct sockaddr_ll *to = &trip->address[!back];

	if (sendto(trip->to[back], message, bytes, 0, (const struct sockaddr *)to,
		   sizeof(*to)) != (ssize_t)bytes)
		die("send: %s", strerror(errno));
	receive(trip->to[!back], bytes);
}

static const struct method methods[] = {
	{ "flitcast", 0, BYTES_MAX, HOPS_MAX, open_flitcast, send_flitcast },
	{ "udp", INET_LAB, DATAGRAM_MAX, HOPS_MAX, open_udp, send_udp },
	{ "device", INET_DEVICE, DATAGRAM_MAX, HOPS_MAX, open_udp, send_udp },
	{ "device-tcp", INET_DEVICE, BYTES_MAX, HOPS_MAX, open_tcp, send_tcp },
	{ "batman", INET_BATMAN, DATAGRAM_MAX, HOPS_MAX, open_udp, send_udp },
	{ "redirect", INET_REDIRECT, DATAGRAM_MAX, HOPS_MAX, open_redirect, send_udp },
	{ "tcp", INET_LAB, BYTES_MAX, HOPS_MAX, open_tcp, send_tcp },
	{ "relays", INET_LAB, BYTES_MAX, HOPS_MAX, open_relays, send_relays },
	{ "packet", 0, FRAME_MAX, 1, open_packet, send_packet },
};

static const struct method *find_method(const char *name)
{
	size_t length = strcspn(name, ":");
	unsigned int i;

	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strlen(methods[i].name) == length && !strncmp(name, methods[i].name, length))
			return &methods[i];
	usage();
	return NULL;
}

static void close_trip(struct trip *trip)
{
	unsigned int i;

	for (i = 0; i <= trip->hops; i++) {
		if (trip->to[i])
			close(trip->to[i]);
		if (i < trip->hops && trip->from[i])
			close(trip->from[i]);
	}
}

/* Wait until every site of the lab answers every other one, and the answers are confirmed. */
static void await_links(void)
{
	const char *why = lab_healthy(lab, READY_S * 1000);

	if (why)
		die("%s", why);
	sleep_ms(QUIET_MS);
}

static void measure(const char *name, const struct method *method, unsigned int interval,
		    unsigned int hops, size_t bytes)
{
	struct trip trip = { .hops = hops, .net = method->net };
	uint64_t *times = calloc(count, sizeof(*times)), start;
	unsigned int i;

	if (!times)
		die("no memory");
	method->open(&trip);
	for (i = 0; i < warm + count; i++) {
		if (interval)
			sleep_ms(interval);
		if (i >= warm)
			stats_mark();
		start = stats_now();
		method->send(&trip, bytes, false);
		method->send(&trip, bytes, true);
		if (i < warm)
			continue;
		times[i - warm] = stats_now() - start;
		stats_mark();
	}
	printf("{\"way\": \"%s\", \"what\": \"round trip\", \"topology\": \"%s\", \"mtu\": %s, "
	       "\"interval\": %u, \"hops\": %u, \"bytes\": %zu, \"count\": %u, ", name, topology,
	       mtu, interval, hops, bytes, count);
	stats_print(times, count);
	printf("}\n");
	fflush(stdout);
	close_trip(&trip);
	free(times);
}

int main(int argc, char **argv)
{
	unsigned int hops[LIST_MAX], bytes[LIST_MAX], intervals[LIST_MAX] = { 0 };
	unsigned int nhops = 0, nbytes = 0, nintervals = 1, i, j, k;
	const struct method *method;
	const char *name;
	int option;

	while ((option = getopt(argc, argv, "n:w:i:d:b:")) != -1) {
		if (option == 'n')
			count = atoi(optarg);
		else if (option == 'w')
			warm = atoi(optarg);
		else if (option == 'i')
			nintervals = numbers_parse(optarg, intervals, LIST_MAX, INTERVAL_MAX_MS);
		else if (option == 'd')
			nhops = numbers_parse(optarg, hops, LIST_MAX, HOPS_MAX);
		else if (option == 'b')
			nbytes = numbers_parse(optarg, bytes, LIST_MAX, BYTES_MAX);
		else
			usage();
	}
	if (!count || !nintervals || !nhops || !nbytes || argc - optind < 4)
		usage();
	lab = argv[optind++];
	topology = argv[optind++];
	mtu = argv[optind++];
	memset(message, 'x', sizeof(message));
	for (; optind < argc; optind++) {
		method = find_method(argv[optind]);
		if (method->open == open_flitcast)
			await_links();
		name = strchr(argv[optind], ':');
		name = name ? name + 1 : argv[optind];
		for (j = 0; j < nintervals; j++)
			for (k = 0; k < nbytes; k++)
				for (i = 0; i < nhops; i++)
					if (bytes[k] <= method->bytes_max &&
					    hops[i] <= method->hops_max)
						measure(name, method, intervals[j], hops[i],
							bytes[k]);
	}
	return 0;
}
