// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "../sock/lab.h"
#include "inet.h"

#define ROOM		(4 << 20)
#define LIMIT_S		10

struct sockaddr_in inet_address(uint32_t net, unsigned int site, unsigned int port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(net + site + 1),
	};

	return addr;
}

static int inet_socket(const char *lab, unsigned int site, int type)
{
	struct timeval limit = { .tv_sec = LIMIT_S };
	int netns = lab_open(lab, site), fd, room = ROOM;

	if (netns < 0 || lab_enter(netns))
		die("lab %s has no site %u", lab, site);
	close(netns);
	fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		die("socket of site %u: %s", site, strerror(errno));
	return fd;
}

int inet_udp(const char *lab, uint32_t net, unsigned int site, unsigned int port)
{
	struct sockaddr_in own = inet_address(net, site, port);
	int fd = inet_socket(lab, site, SOCK_DGRAM);

	if (bind(fd, (struct sockaddr *)&own, sizeof(own)))
		die("UDP at site %u: %s", site, strerror(errno));
	return fd;
}

int inet_tcp(const char *lab, uint32_t net, unsigned int from, unsigned int to, unsigned int port,
	     int *peer)
{
	struct sockaddr_in addr = inet_address(net, to, port);
	int listener = inet_socket(lab, to, SOCK_STREAM), one = 1, fd;

	if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(listener, (struct sockaddr *)&addr, sizeof(addr)) || listen(listener, 1))
		die("TCP at site %u: %s", to, strerror(errno));
	fd = inet_socket(lab, from, SOCK_STREAM);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("TCP from site %u to %u: %s", from, to, strerror(errno));
	*peer = accept(listener, NULL, NULL);
	close(listener);
	if (*peer < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
	    setsockopt(*peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("TCP from site %u to %u: %s", from, to, strerror(errno));
	return fd;
}

void inet_transfer(int from, int to, unsigned char *data, size_t size)
{
	size_t sent = 0, got = 0;
	ssize_t n;

	while (got < size) {
		if (sent < size) {
			n = send(from, data, size - sent, MSG_DONTWAIT);
			if (n < 0 && errno != EAGAIN)
				die("TCP send: %s", strerror(errno));
			sent += n > 0 ? n : 0;
		}
		n = recv(to, data, size - got, sent < size ? MSG_DONTWAIT : 0);
		if (!n || (n < 0 && (errno != EAGAIN || sent == size)))
			die("TCP receive: %s", n ? strerror(errno) : "closed");
		got += n > 0 ? n : 0;
	}
}
