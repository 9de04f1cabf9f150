// SPDX-License-Identifier: GPL-2.0
/*
 * Round-trip time along a chain of network namespaces, n0 n1 n2 ...
 *
 * One thread drives both ends: it makes a socket in n0 and one in the last
 * namespace, sends from the one, receives at the other, and sends back.  No
 * other process runs in the measured path, so that what is timed is the work
 * of the network stack and not the scheduler's.
 *
 * Prints one line of JSON, times in nanoseconds.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/flitcast.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MAX	(1 << 20)
#define PORT		7001

/* A link needs a moment to come up; none needs as long as this. */
#define READY_NS	30000000000ull

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/**
 * struct end - one end of the path
 * @fd: its socket
 * @peer: address of the other end
 * @peer_len: length of that
 */
struct end {
	int fd;
	struct sockaddr_storage peer;
	socklen_t peer_len;
};

/* Makes a socket in namespace n<node>. */
static int socket_in(int node, int family, int type)
{
	struct timeval limit = { .tv_sec = 10 };
	char path[64];
	int ns, fd;

	snprintf(path, sizeof(path), "/run/netns/n%d", node);
	ns = open(path, O_RDONLY | O_CLOEXEC);
	if (ns < 0 || setns(ns, CLONE_NEWNET))
		die(path);
	close(ns);
	fd = socket(family, type, 0);
	if (fd < 0)
		die("socket");
	/* a lost datagram ends the run instead of hanging it */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	return fd;
}

static socklen_t udp_address(int node, struct sockaddr_storage *to)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
		/* the topology gives node k 10.1.0.(k + 1) */
		.sin_addr.s_addr = htonl(0x0a010001 + node),
	};

	memcpy(to, &in, sizeof(in));
	return sizeof(in);
}

static int flitcast_family(void)
{
	FILE *f = fopen("/sys/module/flitcast/parameters/family", "r");
	int family;

	if (!f || fscanf(f, "%d", &family) != 1)
		family = FLITCAST_FAMILY_DEFAULT;
	if (f)
		fclose(f);
	return family;
}

static socklen_t flitcast_address(int node, struct sockaddr_storage *to)
{
	struct sockaddr_flitcast sfc = {
		.sfc_family = flitcast_family(),
		.sfc_addrtype = FLITCAST_ADDR_SITE,
		.sfc_port = PORT,
		.sfc_site = node,
	};

	memcpy(to, &sfc, sizeof(sfc));
	return sizeof(sfc);
}

static const struct transport {
	const char *name;
	int (*family)(void);
	int type;
	socklen_t (*address)(int node, struct sockaddr_storage *to);
} transports[] = {
	{ "udp", NULL, SOCK_DGRAM, udp_address },
	{ "flitcast", flitcast_family, SOCK_RDM, flitcast_address },
};

static void open_end(const struct transport *t, struct end *end, int node, int peer)
{
	struct sockaddr_storage own = { 0 };
	socklen_t len = t->address(node, &own);

	end->fd = socket_in(node, t->family ? t->family() : AF_INET, t->type);
	if (bind(end->fd, (struct sockaddr *)&own, len))
		die("bind");
	end->peer_len = t->address(peer, &end->peer);
}

static void send_message(const struct end *end, const void *message, size_t size)
{
	if (sendto(end->fd, message, size, 0, (const struct sockaddr *)&end->peer,
		   end->peer_len) != (ssize_t)size)
		die("send");
}

static void receive_message(const struct end *end, void *message, size_t size)
{
	ssize_t got = recv(end->fd, message, MESSAGE_MAX, 0);

	if (got < 0)
		die("receive");
	if ((size_t)got != size) {
		fprintf(stderr, "received %zd bytes of %zu\n", got, size);
		exit(1);
	}
}

/* Waits until the path carries messages; leaves none under way. */
static void wait_ready(const struct end *a, const struct end *b, void *message, size_t size)
{
	struct timespec pause = { .tv_nsec = 10000000 };
	uint64_t limit = now() + READY_NS;

	while (sendto(a->fd, message, size, 0, (const struct sockaddr *)&a->peer,
		      a->peer_len) < 0) {
		if ((errno != EHOSTUNREACH && errno != ENETDOWN && errno != ENETUNREACH) ||
		    now() > limit)
			die("no path");
		nanosleep(&pause, NULL);
	}
	receive_message(b, message, size);
}

/* Marks what selftests/bench/profile records: from the first one to the second. */
static void mark(void)
{
	asm volatile("xchg %%bx, %%bx" ::: "memory");
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void usage(void)
{
	fputs("usage: pingpong [-d hops] [-s bytes] [-n count] [-w warm-up] udp|flitcast\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	static char message[MESSAGE_MAX];
	const struct transport *t = NULL;
	uint64_t *times, start, whole;
	int hops = 1, size = 64, count = 400, warm = 50;
	struct end a, b;
	unsigned int i;
	int option, n;

	while ((option = getopt(argc, argv, "d:s:n:w:")) != -1) {
		switch (option) {
		case 'd':
			hops = atoi(optarg);
			break;
		case 's':
			size = atoi(optarg);
			break;
		case 'n':
			count = atoi(optarg);
			break;
		case 'w':
			warm = atoi(optarg);
			break;
		default:
			usage();
		}
	}
	for (i = 0; optind < argc && i < sizeof(transports) / sizeof(transports[0]); i++) {
		if (!strcmp(argv[optind], transports[i].name))
			t = &transports[i];
	}
	if (!t || hops < 1 || size < 1 || size > MESSAGE_MAX || count < 1 || warm < 0)
		usage();

	times = calloc(count, sizeof(*times));
	if (!times)
		die("calloc");
	memset(message, 'x', sizeof(message));
	open_end(t, &a, 0, hops);
	open_end(t, &b, hops, 0);
	wait_ready(&a, &b, message, size);

	whole = now();
	for (n = -warm; n < count; n++) {
		if (n == 0) {
			whole = now();
			mark();
		}
		start = now();
		send_message(&a, message, size);
		receive_message(&b, message, size);
		send_message(&b, message, size);
		receive_message(&a, message, size);
		if (n >= 0)
			times[n] = now() - start;
	}
	mark();
	whole = now() - whole;

	qsort(times, count, sizeof(*times), compare);
	printf("{\"transport\": \"%s\", \"hops\": %d, \"bytes\": %d, \"count\": %d, "
	       "\"min\": %lu, \"median\": %lu, \"p90\": %lu, \"max\": %lu, \"mean\": %lu}\n",
	       t->name, hops, size, count, times[0], times[count / 2],
	       times[count * 9 / 10], times[count - 1], whole / count);
	return 0;
}
