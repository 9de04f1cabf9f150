// SPDX-License-Identifier: GPL-2.0
/*
 * In mode csr a message is admitted before it enters the network: sendmsg() blocks until then.  A
 * non-blocking sendmsg() returns EAGAIN while the previous message waits.
 *
 *   admission LAB dead|alive		a lab of the topology line:2; dead: its link loses
 *					all frames, but neither end knows that yet
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include "lab.h"
#include "msg.h"

#define PORT	4000

static unsigned int tests, failures;
static int high;

static void check(int ok, const char *what)
{
	printf("%sok %u - %s (%s)\n", ok ? "" : "not ", ++tests, what, strerror(errno));
	failures += !ok;
	errno = 0;
}

/* Messages of the socket that wait to be admitted. */
static uint32_t waiting(int fd)
{
	struct flitcast_admission admission = { .waiting = 99 };
	socklen_t len = sizeof(admission);

	getsockopt(fd, SOL_FLITCAST, FLITCAST_ADMISSION, &admission, &len);
	return admission.waiting;
}

/* A short message of the high class needs no reservation. */
static int high_goes(void)
{
	struct flitcast_admission admission = { .waiting = 99 };
	socklen_t len = sizeof(admission);
	int priority = FLITCAST_PRIORITY_HIGH, good, i;

	setsockopt(high, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority));
	for (i = 0; i < 2; i++)
		if (msg_send(high, "h", 1, 1, PORT, MSG_DONTWAIT) != 1)
			return 0;
	good = !getsockopt(high, SOL_FLITCAST, FLITCAST_ADMISSION, &admission, &len);
	return good && !admission.waiting && admission.id && !admission.reserved;
}

/* The link loses all frames: no reservation succeeds. */
static void dead(int fd)
{
	struct timeval wait = { .tv_usec = 1000 };

	check(msg_send(fd, "a", 1, 1, PORT, MSG_DONTWAIT) == 1, "the first is taken");
	check(msg_send(fd, "b", 1, 1, PORT, MSG_DONTWAIT) == -1 && errno == EAGAIN,
	      "the second has to wait");
	check(waiting(fd) == 1, "the first one is said to wait");
	check(high_goes(), "one of another socket and the high class is taken");
	check(!msg_wait(fd, POLLOUT, 0), "no POLLOUT");
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	check(msg_send(fd, "b", 1, 1, PORT, 0) == -1 && errno == EAGAIN,
	      "nor does it go within its time-out");
	/* The site detects the dead link: there is no route, and no message waits any more. */
	check(msg_wait(fd, POLLOUT, 120000), "POLLOUT when the first one is over");
	check(!waiting(fd), "and it does not wait any more");
}

static void alive(int fd, int to)
{
	char byte;
	int i;

	for (i = 0; i < 20; i++)
		if (msg_send(fd, "c", 1, 1, PORT, 0) != 1 || !(msg_wait(fd, POLLOUT, 0)))
			break;
	check(i == 20, "what was sent is admitted");
	for (i = 0; i < 20; i++)
		if (!msg_wait(to, POLLIN, 120000) || msg_recv(to, &byte, 1, NULL, 0) != 1)
			break;
	check(i == 20, "and comes");
	check(msg_send(fd, "d", 1, 0, PORT, 0) == 1 && msg_wait(fd, POLLOUT, 0),
	      "to its own site as well");
	{
		struct sockaddr_flitcast all = {
			.sfc_family = (uint16_t)msg_family(),
			.sfc_addrtype = FLITCAST_ADDR_BROADCAST, .sfc_port = PORT,
		};

		check(sendto(fd, "e", 1, 0, (struct sockaddr *)&all, sizeof(all)) == -1 &&
		      errno == EOPNOTSUPP, "there are no broadcasts");
	}
}

int main(int argc, char **argv)
{
	int from, to;

	if (argc != 3)
		return EXIT_USAGE;
	from = msg_socket(lab_open(argv[1], 0), 0, PORT, 0);
	to = msg_socket(lab_open(argv[1], 1), 1, PORT, 0);
	high = msg_socket(lab_open(argv[1], 0), 0, PORT + 1, 0);
	if (from < 0 || to < 0 || high < 0)
		die("socket: %s", strerror(errno));
	if (!strcmp(argv[2], "dead"))
		dead(from);
	else
		alive(from, to);
	return failures ? 1 : 0;
}
