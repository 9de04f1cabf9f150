// SPDX-License-Identifier: GPL-2.0
/*
 * Sends from one site of a lab to others, and checks what arrives:
 *
 *   shares messages LAB FROM TO[,TO...] COUNT
 *   shares connection LAB FROM TO COUNT
 *   shares datagrams LAB FROM TO COUNT [FLOWS]
 *
 * Messages and records arrive once and in order at each target.  Datagrams are those of FLOWS (1)
 * UDP sockets, and arrive once, in any order.  COUNT is their number; 0: until SIGUSR1.  Prints
 * "ready", and at the end "COUNT sent".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "lab.h"
#include "msg.h"

#define PORT		4700
#define TARGETS_MAX	16
#define FLOWS_MAX	256
#define NUMBERS_MAX	(1U << 22)
/* Number sent and not received, so that no buffer of a receiver overflows. */
#define AHEAD		64
/* Time without progress after which what is missing is lost. */
#define PATIENCE_MS	20000
/* Time after the last one for duplicates to arrive. */
#define QUIET_MS	100

enum kind { MESSAGES, CONNECTION, DATAGRAMS };

static enum kind kind;
static const char *lab;
static struct flitcast_target targets[TARGETS_MAX];
static int receivers[TARGETS_MAX], senders[FLOWS_MAX];
static uint32_t got[TARGETS_MAX], nreceivers, nsenders = 1, sent, count = NUMBERS_MAX;
static uint8_t seen[NUMBERS_MAX / 8];
static volatile sig_atomic_t reported;

static void on_signal(int sig)
{
	(void)sig;
	reported = 1;
}

static int netns_of(uint32_t site)
{
	int netns = lab_open(lab, site);

	if (netns < 0 || lab_enter(netns))
		die("namespace: %s", strerror(errno));
	return netns;
}

static int open_socket(uint32_t site, uint16_t port)
{
	int netns = netns_of(site), fd;

	fd = msg_socket_type(netns, kind == CONNECTION ? SOCK_SEQPACKET : SOCK_RDM, site, port,
			     SOCK_NONBLOCK);
	if (fd < 0)
		die("socket: %s", strerror(errno));
	close(netns);
	return fd;
}

static struct sockaddr_in inet_of(uint32_t site)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(0x0afe0000 + site),
	};
}

static void open_datagrams(uint32_t from, uint32_t to)
{
	struct sockaddr_in addr = inet_of(to);

	close(netns_of(to));
	receivers[0] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (receivers[0] < 0 || bind(receivers[0], (struct sockaddr *)&addr, sizeof(addr)))
		die("bind: %s", strerror(errno));
	close(netns_of(from));
	for (uint32_t i = 0; i < nsenders; i++) {
		senders[i] = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
		if (senders[i] < 0 || connect(senders[i], (struct sockaddr *)&addr, sizeof(addr)))
			die("connect: %s", strerror(errno));
	}
}

static void open_connection(uint32_t from, uint32_t to)
{
	struct sockaddr_flitcast addr = msg_addr(to, PORT);
	int listener = open_socket(to, PORT);

	senders[0] = open_socket(from, FLITCAST_PORT_ANY);
	if (listen(listener, 1))
		die("listen: %s", strerror(errno));
	if (connect(senders[0], (struct sockaddr *)&addr, sizeof(addr)) && errno != EINPROGRESS)
		die("connect: %s", strerror(errno));
	if (!msg_wait(listener, POLLIN, PATIENCE_MS))
		die("no connection comes: %s", strerror(errno));
	receivers[0] = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	if (receivers[0] < 0 || !msg_wait(senders[0], POLLOUT, PATIENCE_MS))
		die("accept: %s", strerror(errno));
	close(listener);
}

static void open_messages(uint32_t from)
{
	/* Each number of targets has a port, so that lists and unicasts can go at once. */
	for (uint32_t i = 0; i < nreceivers; i++) {
		targets[i].port = PORT + nreceivers;
		receivers[i] = open_socket(targets[i].site, targets[i].port);
	}
	senders[0] = open_socket(from, FLITCAST_PORT_ANY);
}

/* Return: false if there is no room now. */
static bool send_one(void)
{
	int fd = senders[sent % nsenders];
	ssize_t n;

	if (kind != MESSAGES)
		n = send(fd, &sent, sizeof(sent), MSG_DONTWAIT | MSG_NOSIGNAL);
	else if (nreceivers == 1)
		n = msg_send(fd, &sent, sizeof(sent), targets[0].site, targets[0].port,
			     MSG_DONTWAIT);
	else
		n = msg_send_list(fd, &sent, sizeof(sent), targets, nreceivers, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == ENOBUFS))
		return false;
	if (n != sizeof(sent))
		die("send: %s", strerror(errno));
	sent++;
	return true;
}

/* Return: false if nothing has come. */
static bool receive_one(uint32_t i)
{
	uint32_t number;
	ssize_t n = recv(receivers[i], &number, sizeof(number), MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return false;
	if (n != sizeof(number) || number >= sent)
		die("recv: %s", strerror(errno));
	if (kind != DATAGRAMS && number != got[i]) {
		fprintf(stderr, "shares: target %u: %u came in the place of %u\n", i, number,
			got[i]);
		exit(1);
	}
	if (kind == DATAGRAMS && seen[number / 8] >> number % 8 & 1) {
		fprintf(stderr, "shares: datagram %u came twice\n", number);
		exit(1);
	}
	seen[number / 8] |= 1 << number % 8;
	got[i]++;
	return true;
}

static uint32_t least_got(void)
{
	uint32_t least = sent;

	for (uint32_t i = 0; i < nreceivers; i++)
		if (got[i] < least)
			least = got[i];
	return least;
}

static bool receive(void)
{
	bool moved = false;

	for (uint32_t i = 0; i < nreceivers; i++)
		while (receive_one(i))
			moved = true;
	return moved;
}

static void run(void)
{
	uint64_t moved_ms = now_ms();

	while (least_got() < sent || (sent < count && !reported)) {
		bool moved = false;

		while (sent < count && !reported && sent - least_got() < AHEAD && send_one())
			moved = true;
		if (receive() || moved) {
			moved_ms = now_ms();
			continue;
		}
		if (now_ms() > moved_ms + PATIENCE_MS) {
			fprintf(stderr, "shares: %u of %u came\n", least_got(), sent);
			exit(1);
		}
		msg_wait(receivers[0], POLLIN, 2);
	}
	for (uint64_t end = now_ms() + QUIET_MS; now_ms() < end; sleep_ms(10))
		if (receive())
			exit((fprintf(stderr, "shares: more came than was sent\n"), 1));
}

int main(int argc, char **argv)
{
	uint32_t from;

	if (argc < 6)
		return EXIT_USAGE;
	kind = !strcmp(argv[1], "messages") ? MESSAGES :
	       !strcmp(argv[1], "connection") ? CONNECTION : DATAGRAMS;
	lab = argv[2];
	from = atoi(argv[3]);
	for (char *word = strtok(argv[4], ","); word; word = strtok(NULL, ","))
		if (nreceivers < TARGETS_MAX)
			targets[nreceivers++].site = atoi(word);
	if (atoi(argv[5]))
		count = atoi(argv[5]);
	if (argc > 6 && kind == DATAGRAMS)
		nsenders = atoi(argv[6]);
	if (!nreceivers || !nsenders || nsenders > FLOWS_MAX || count > NUMBERS_MAX)
		return EXIT_USAGE;
	skip_without_family(false);
	signal(SIGUSR1, on_signal);
	if (kind == MESSAGES)
		open_messages(from);
	else if (kind == CONNECTION)
		open_connection(from, targets[0].site);
	else
		open_datagrams(from, targets[0].site);
	puts("ready");
	fflush(stdout);
	run();
	printf("%u sent\n", sent);
	return 0;
}
