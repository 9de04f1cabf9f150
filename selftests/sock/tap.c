// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the frames that a packet socket for all protocols sees a device send.
 *
 *	tap DEVICE
 *
 * Prints "ready", and at SIGTERM the number of Flitcast frames sent.  Exit status: 0.
 */
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include "lab.h"
#include "core/wire/wire.h"

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

int main(int argc, char **argv)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	struct sigaction action = { .sa_handler = on_signal };
	int fd = socket(AF_PACKET, SOCK_DGRAM, 0);
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	unsigned int out = 0;

	if (argc != 2)
		die("usage: tap DEVICE");
	at.sll_ifindex = if_nametoindex(argv[1]);
	if (!at.sll_ifindex)
		die("%s: %s", argv[1], strerror(errno));
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die("packet socket: %s", strerror(errno));
	sigaction(SIGTERM, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (!stopped) {
		struct sockaddr_ll from;
		socklen_t size = sizeof(from);
		char byte;

		if (poll(&ready, 1, 100) <= 0)
			continue;
		while (recvfrom(fd, &byte, 1, MSG_DONTWAIT, (struct sockaddr *)&from, &size) > 0)
			out += from.sll_pkttype == PACKET_OUTGOING &&
			       from.sll_protocol == htons(FC_ETHERTYPE);
	}
	printf("%u\n", out);
	return 0;
}
