// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast monitor: events of sites and links, as they happen
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "out.h"

/* Minimum buffer for events: a smaller one would lose every event. */
#define BUFFER_MIN	4096
#define BUFFER_MAX	(1U << 30)
/* Events read at a time, between two checks for signals. */
#define READS		64

static bool stamps;

/* Begin a line: the time if requested, and the event. */
static void begin(const char *event)
{
	char text[64], date[32];
	struct timespec now;
	struct tm parts;

	out_open_object(NULL);
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &parts);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text, sizeof(text), "%s.%06ldZ", date, now.tv_nsec / 1000);
	out_string("time", stamps ? "%s " : NULL, text);
	out_string("event", "%-12s", event);
}

/* One line is one JSON document; flush it, so that a reader of a pipe gets it at once. */
static void end(void)
{
	out_text("\n");
	out_close_object();
	out_end();
}

static void print_site(const char *event, struct nlmsghdr *message)
{
	struct nlattr *a[FLITCAST_A_SITE_MAX + 1];

	get_attrs(message, a, FLITCAST_A_SITE_MAX);
	begin(event);
	out_text(" ");
	print_site_line(a);
	end();
}

static void print_link(const char *event, struct nlmsghdr *message)
{
	struct nlattr *a[FLITCAST_A_LINK_MAX + 1];

	get_attrs(message, a, FLITCAST_A_LINK_MAX);
	begin(event);
	out_text(" ");
	print_link_line(a);
	end();
}

static void print_event(uint8_t cmd, struct nlmsghdr *message, void *arg)
{
	switch (cmd) {
	case FLITCAST_CMD_SITE_ADD_NTF:
		print_site("site-add", message);
		break;
	case FLITCAST_CMD_SITE_DEL_NTF:
		print_site("site-del", message);
		break;
	case FLITCAST_CMD_SITE_CHANGE_NTF:
		print_site("site-change", message);
		break;
	case FLITCAST_CMD_LINK_CHANGE_NTF:
		print_link("link-change", message);
		break;
	case FLITCAST_CMD_LINK_DEL_NTF:
		print_link("link-del", message);
		break;
	}
}

static void print_site_state(struct nlmsghdr *message, void *arg)
{
	print_site("site-state", message);
}

static void print_link_state(struct nlmsghdr *message, void *arg)
{
	print_link("link-state", message);
}

/* Print the current sites and links; the socket already receives events, so no change is missed. */
static int print_state(void)
{
	struct request req = { 0 };

	request_flitcast(&req, FLITCAST_CMD_SITE_GET, NLM_F_DUMP);
	if (request_ask(&req, print_site_state, NULL, "monitor"))
		return EXIT_FAILED;
	request_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
	return request_ask(&req, print_link_state, NULL, "monitor") ? EXIT_FAILED : 0;
}

static void print_lost(void)
{
	begin("lost");
	out_text(" events: more came than were read");
	end();
}

/* Print the events received.  Return: 0, or EXIT_FAILED if the socket failed. */
static int read_events(struct nl_sock *sk, bool state)
{
	unsigned int i;

	for (i = 0; i < READS; i++) {
		int err = request_read_events(sk, print_event, NULL);

		if (err == -EAGAIN)
			return 0;
		if (err == -ENOBUFS) {
			print_lost();
			if (state && print_state())
				return EXIT_FAILED;
		} else if (err) {
			complain("monitor: %s", strerror(-err));
			return EXIT_FAILED;
		}
	}
	return 0;
}

static int watch(struct nl_sock *sk, bool state)
{
	struct pollfd poll_fds[3] = {
		{ .fd = nl_socket_get_fd(sk), .events = POLLIN },
		{ .events = POLLIN },
		/*
		 * poll() reports POLLERR of a pipe without a reader even if no event is requested.
		 */
		{ .fd = STDOUT_FILENO },
	};
	sigset_t signals;
	int status;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	poll_fds[1].fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (poll_fds[1].fd < 0)
		fail("monitor: signals: %s", strerror(errno));

	status = state ? print_state() : 0;
	while (!status) {
		if (poll(poll_fds, 3, -1) < 0) {
			if (errno == EINTR)
				continue;
			fail("monitor: %s", strerror(errno));
		}
		if (poll_fds[1].revents || poll_fds[2].revents & (POLLERR | POLLHUP))
			break;
		if (poll_fds[0].revents)
			status = read_events(sk, state);
	}
	close(poll_fds[1].fd);
	return status;
}

static int run(const struct option_given *given)
{
	struct nl_sock *sk;
	int status;

	stamps = option_was_given(given, "-t");
	/* Each event is a document on a line of its own. */
	out_pretty = false;
	sk = request_events(option_get(given, "--buffer", 0));
	/* The exit of the reader of a pipe is no failure. */
	signal(SIGPIPE, SIG_IGN);
	out_reader_may_go = true;
	status = watch(sk, option_was_given(given, "--state"));
	nl_socket_free(sk);
	return status;
}

static const struct option_entry options[] = {
	OPTION("-t", NULL, "begin each event with its time", FLAG, 0, .longer = "--timestamp"),
	OPTION("--state", NULL, "begin with the sites and links that are there", FLAG, 0),
	OPTION("--buffer", "BYTES", "room for events that are not read yet", NUMBER, 0,
	       OPTION_RANGE(BUFFER_MIN, BUFFER_MAX)),
};

const struct option_command monitor_command = {
	.name = "monitor",
	.help = "Print changes of sites, links, routes and messages as they come",
	OPTION_TABLE(options),
	.run = run,
};
