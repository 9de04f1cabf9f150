// SPDX-License-Identifier: GPL-2.0
/*
 * Two connected sockets and the listening one, until the program is killed:
 *
 *	pair LISTENER PORT CONNECTOR
 *
 * LISTENER and CONNECTOR are sites of this namespace.  Prints "ready".
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/flitcast.h>

static int open_at(unsigned int site, unsigned int port)
{
	struct sockaddr_flitcast addr = {
		.sfc_family = FLITCAST_FAMILY_DEFAULT, .sfc_addrtype = FLITCAST_ADDR_SITE,
		.sfc_site = site, .sfc_port = port,
	};
	int fd = socket(addr.sfc_family, SOCK_SEQPACKET, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		perror("pair: bind");
		exit(1);
	}
	return fd;
}

int main(int argc, char **argv)
{
	struct sockaddr_flitcast addr = {
		.sfc_family = FLITCAST_FAMILY_DEFAULT, .sfc_addrtype = FLITCAST_ADDR_SITE,
	};
	struct pollfd poll_fd = { .events = POLLOUT };
	int listener;

	if (argc != 4)
		return 2;
	addr.sfc_site = atoi(argv[1]);
	addr.sfc_port = atoi(argv[2]);
	listener = open_at(addr.sfc_site, addr.sfc_port);
	poll_fd.fd = open_at(atoi(argv[3]), FLITCAST_PORT_ANY);
	/* A non-blocking socket is connected once its connection has been accepted. */
	fcntl(poll_fd.fd, F_SETFL, O_NONBLOCK);
	if (listen(listener, 1) ||
	    !connect(poll_fd.fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    accept(listener, NULL, NULL) < 0 || poll(&poll_fd, 1, -1) != 1) {
		perror("pair");
		return 1;
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
