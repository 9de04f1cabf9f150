// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast site drain: refuse new messages, and wait until messages en route complete
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "out.h"

/* Interval of queries, only for progress on a terminal: an event signals the end. */
#define POLL_MS		500

/**
 * struct state - state of the site
 * @drain: it is being drained
 * @pending: messages en route
 */
struct state {
	bool drain;
	uint32_t pending;
};

static void read_state(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SITE_MAX + 1];
	struct state *state = arg;

	get_attrs(message, a, FLITCAST_A_SITE_MAX);
	state->drain = get_u32(a[FLITCAST_A_SITE_DRAIN]);
	state->pending = get_u32(a[FLITCAST_A_SITE_PENDING]);
}

/* Query the site.  Return: 0, or -1 after an error message: the site is gone. */
static int query(uint32_t id, struct state *state, const char *about)
{
	struct request req = { 0 };

	request_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
	put_u32(&req, FLITCAST_A_SITE_ID, id);
	return request_ask(&req, read_state, state, about) ? -1 : 0;
}

static void ignore(uint8_t cmd, struct nlmsghdr *message, void *arg)
{
}

static int wait_until_idle(struct nl_sock *sk, uint32_t id, uint64_t until, const char *about)
{
	struct pollfd poll_fd = { .fd = nl_socket_get_fd(sk), .events = POLLIN };
	struct state state;
	uint32_t first = 0;

	for (;;) {
		uint64_t now;
		int err;

		/* An event only triggers a query; its content is ignored. */
		do
			err = request_read_events(sk, ignore, NULL);
		while (!err || err == -ENOBUFS);
		if (query(id, &state, about))
			return EXIT_FAILED;
		if (!state.drain) {
			progress_end();
			complain("%s: another process has ended the drain", about);
			return EXIT_FAILED;
		}
		if (!state.pending)
			break;
		if (state.pending > first)
			first = state.pending;
		progress(about, first - state.pending, first, "messages");
		now = now_ns();
		if (now >= until) {
			progress_end();
			complain("%s: %u messages are still in flight: the drain goes on", about,
				 state.pending);
			return EXIT_FAILED;
		}
		if (until - now > POLL_MS * 1000000ULL)
			now = until - POLL_MS * 1000000ULL;
		poll(&poll_fd, 1, (until - now + 999999) / 1000000);
	}
	progress_end();
	out_open_object(NULL);
	out_uint("site", "site %llu is idle\n", id);
	out_bool("idle", true);
	out_close_object();
	out_end();
	return 0;
}

int site_drain(const struct option_given *given)
{
	uint32_t id = option_get(given, "site", 0);
	struct request req = { 0 };
	uint64_t until = UINT64_MAX;
	struct nl_sock *sk;
	int status;
	char *about = xprintf("site drain %u", id);

	if (option_was_given(given, "timeout"))
		until = now_ns() + option_get(given, "timeout", 0) * 1000000ULL;
	/* Open the socket before the drain begins, so as not to miss its end. */
	sk = request_events(0);
	request_flitcast(&req, FLITCAST_CMD_SITE_SET, 0);
	put_u32(&req, FLITCAST_A_SITE_ID, id);
	put_u32(&req, FLITCAST_A_SITE_DRAIN, 1);
	status = request_ask(&req, NULL, NULL, about) ? EXIT_FAILED :
						       wait_until_idle(sk, id, until, about);
	nl_socket_free(sk);
	free(about);
	return status;
}
