// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the classes of the flits on the links of a site of a two-dimensional torus, in mode vnet.
 *
 *	sniff
 *
 * Runs in the network namespace of the site, whose devices are p1 (+x), p2 (-x), p3 (+y) and p4
 * (-y), prints "ready", and ends with SIGTERM.  A class has a bit for each dimension, 1 if its
 * packets go towards coordinate 0, and a level above these, 0 or 1.  A flit with another bit or
 * level must not be on the link, whichever links are dead.  Prints the flits of each link.
 *
 * Exit status: 0: each flit was in a class that its link may carry; 1: it was not, or no flit was
 * seen.
 */
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include "lab.h"
#include "core/wire/wire.h"

#define PORTS		4
#define ETHER_SIZE	14
#define CLASSES		64

static uint64_t seen[PORTS + 1][2][CLASSES];
static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static unsigned int port_of(int ifindex)
{
	char name[IF_NAMESIZE];

	if (!if_indextoname(ifindex, name) || name[0] != 'p' || name[1] < '1' ||
	    name[1] > '0' + PORTS || name[2])
		return 0;
	return name[1] - '0';
}

static void take(const uint8_t *frame, ssize_t n, const struct sockaddr_ll *from)
{
	unsigned int port = port_of(from->sll_ifindex);
	uint8_t type = frame[ETHER_SIZE + 1], vc = frame[ETHER_SIZE + 2];

	if (!port || n < ETHER_SIZE + FC_LINK_SIZE || type != FC_FRAME_FLIT || vc < FC_VC_CLASS ||
	    vc >= FC_VC_COUNT)
		return;
	seen[port][from->sll_pkttype == PACKET_OUTGOING][fc_vc_class(vc)]++;
}

/* May a link carry the class, in the direction at this end? */
static bool carries(unsigned int port, bool out, unsigned int class)
{
	unsigned int dim = (port - 1) / 2;
	bool down = ((port - 1) % 2) == out;

	return class < 8 && (class >> dim & 1) == down;
}

/* Print the flits of a link by class.  Return: flits in classes that it must not carry. */
static uint64_t report_link(unsigned int port, bool out, uint64_t *sum)
{
	uint64_t wrong = 0;
	unsigned int class;

	for (class = 0; class < CLASSES; class++) {
		uint64_t n = seen[port][out][class];
		bool good = carries(port, out, class);

		if (!n)
			continue;
		*sum += n;
		wrong += good ? 0 : n;
		printf("p%u %s class %u: %llu%s\n", port, out ? "to" : "from", class,
		       (unsigned long long)n, good ? "" : ": it has no business there");
	}
	return wrong;
}

static bool report(void)
{
	uint64_t sum = 0, wrong = 0;
	unsigned int port;

	for (port = 1; port <= PORTS; port++)
		wrong += report_link(port, false, &sum) + report_link(port, true, &sum);
	printf("%llu flits, %llu of them wrong\n", (unsigned long long)sum,
	       (unsigned long long)wrong);
	return sum && !wrong;
}

int main(void)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(FC_ETHERTYPE)), room = 1 << 22;
	struct sigaction action = { .sa_handler = on_signal };
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	if (fd < 0)
		die("packet socket: %s", strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (!stopped) {
		struct sockaddr_ll from;
		socklen_t size = sizeof(from);
		uint8_t frame[ETHER_SIZE + FC_LINK_SIZE];
		ssize_t n;

		/* A device that goes down causes a socket error; the capture continues. */
		if (poll(&ready, 1, 200) <= 0)
			continue;
		n = recvfrom(fd, frame, sizeof(frame), MSG_DONTWAIT, (struct sockaddr *)&from,
			     &size);
		if (n > 0)
			take(frame, n, &from);
	}
	return report() ? 0 : 1;
}
