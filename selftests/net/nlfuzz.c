// SPDX-License-Identifier: GPL-2.0
/*
 * Sends random requests to every command of the netlink family.
 *
 *	nlfuzz [SECONDS [SEED]]
 *
 * Runs in its own network namespace, which has a site and a device.  Each request gets exactly one
 * verdict, in bounded time, from the set of errors that the family documents; afterwards the family
 * still gives valid answers.  The same seed makes the same requests.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include "nlgarbage.h"

#define ANSWER_MAX	65536
/* A request waits only for locks; an emulated machine is slow. */
#define VERDICT_MS	10000
#define SKIP		4

static uint64_t state;
static int fd;
static uint16_t family;
static uint32_t sequence;

/* xorshift64* */
static uint32_t pick(uint32_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((state * 2685821657736338717ULL) >> 32) % below;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static uint32_t pick_for(void *unused, uint32_t below)
{
	(void)unused;
	return pick(below);
}

static struct nlgarbage request = { .pick = pick_for };

static void begin(uint16_t type, uint16_t flags, uint8_t cmd)
{
	nlgarbage_begin(&request, type, flags, cmd, ++sequence);
}

static bool allowed(int err)
{
	static const int errors[] = {
		0, EINVAL, ENOENT, EEXIST, EBUSY, ENODEV, ERANGE, EOPNOTSUPP, ENOMEM, EPERM,
		ESTALE,
	};
	unsigned int i;

	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (err == errors[i])
			return true;
	return false;
}

static void give_up(const char *what, long value)
{
	printf("not ok 1 - request %u: %s (%ld)\n1..1\n", sequence, what, value);
	exit(1);
}

/* Send the request, and read until the final ack.  Return: the error. */
static int talk(void (*answer)(const struct nlmsghdr *header))
{
	struct nlmsghdr *header = (void *)request.data;
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	static char buf[ANSWER_MAX];

	header->nlmsg_len = request.used;
	if (send(fd, request.data, request.used, 0) < 0)
		give_up("cannot send", errno);
	for (;;) {
		ssize_t got;

		if (poll(&poll_fd, 1, VERDICT_MS) != 1)
			give_up("no verdict", 0);
		got = recv(fd, buf, sizeof(buf), 0);
		if (got < 0)
			give_up("cannot receive", errno);
		for (header = (void *)buf; NLMSG_OK(header, got);
		     header = NLMSG_NEXT(header, got)) {
			if (header->nlmsg_seq != sequence)
				give_up("answer to another request", header->nlmsg_seq);
			if (header->nlmsg_type == NLMSG_ERROR || header->nlmsg_type == NLMSG_DONE)
				return -*(int *)NLMSG_DATA(header);
			if (answer)
				answer(header);
		}
	}
}

static void read_family(const struct nlmsghdr *header)
{
	int left = header->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	const char *p = (const char *)NLMSG_DATA(header) + GENL_HDRLEN;

	while (left >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)p;

		if (attr->nla_len < NLA_HDRLEN)
			return;
		if (attr->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, attr + 1, sizeof(family));
		p += NLA_ALIGN(attr->nla_len);
		left -= NLA_ALIGN(attr->nla_len);
	}
}

static void find_family(void)
{
	begin(GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	nlgarbage_put(&request, CTRL_ATTR_FAMILY_NAME, FLITCAST_FAMILY_NAME,
		      sizeof(FLITCAST_FAMILY_NAME));
	if (talk(read_family) || !family) {
		printf("1..0 # SKIP the module flitcast is not loaded\n");
		exit(SKIP);
	}
}

static int make_site(void)
{
	uint32_t id = 4;

	begin(family, 0, FLITCAST_CMD_SITE_NEW);
	nlgarbage_put(&request, FLITCAST_A_SITE_ID, &id, sizeof(id));
	nlgarbage_put(&request, FLITCAST_A_SITE_TOPOLOGY, "torus:3x3", 10);
	return talk(NULL);
}

static int get_site(void)
{
	uint32_t id = 4;

	begin(family, 0, FLITCAST_CMD_SITE_GET);
	nlgarbage_put(&request, FLITCAST_A_SITE_ID, &id, sizeof(id));
	return talk(NULL);
}

int main(int argc, char **argv)
{
	double until = seconds() + (argc > 1 ? atof(argv[1]) : 5);
	uint64_t seed = (uint64_t)time(NULL) << 16 | getpid();
	unsigned long refused = 0, n = 0;
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int err;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	state = seed ? seed : 1;
	printf("TAP version 13\n# seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	if (unshare(CLONE_NEWNET)) {
		printf("1..0 # SKIP cannot make a network namespace: %s\n", strerror(errno));
		return SKIP;
	}
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		give_up("no netlink", errno);
	find_family();
	err = make_site();
	if (err)
		give_up("cannot make a site", err);

	while (seconds() < until) {
		unsigned int i;

		begin(family, pick(4) ? 0 : NLM_F_DUMP, pick(FLITCAST_CMD_MAX + 4));
		for (i = pick(6); i; i--)
			nlgarbage_put_random(&request, 3);
		/* Cut the request off within an attribute. */
		if (!pick(16) && request.used > NLMSG_HDRLEN + GENL_HDRLEN)
			request.used -= pick(request.used - NLMSG_HDRLEN - GENL_HDRLEN);
		err = talk(NULL);
		if (!allowed(err))
			give_up("an error that is not documented", err);
		refused += !!err;
		n++;
	}
	printf("# %lu requests, %lu refused\n", n, refused);
	err = get_site();
	/* A random request may have deleted the site. */
	if (err == ENOENT)
		err = make_site();
	if (err)
		give_up("the family does not work any more", err);
	printf("ok 1 - garbage is refused\n1..1\n");
	return 0;
}
