// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast ping: round trips to the echo port of a site
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "cli.h"
#include "flitcast.h"
#include "out.h"

#define COUNT_DEFAULT	4
#define INTERVAL_MS	1000
#define BYTES_DEFAULT	64
/* Wait for answers after the last message was sent. */
#define WAIT_MS		10000

/* Header of a message. */
struct stamp {
	uint32_t number;
	uint32_t zero;
	uint64_t sent_at;
};

/**
 * struct tally - statistics of answers
 * @sent: messages sent
 * @received: answers received
 * @least: shortest round trip, ns
 * @most: longest round trip, ns
 * @sum: sum of all round trips, ns
 */
struct tally {
	uint32_t sent;
	uint32_t received;
	uint64_t least;
	uint64_t most;
	uint64_t sum;
};

static volatile sig_atomic_t stopped;

static void on_interrupt(int number)
{
	stopped = 1;
}

static void take_answer(int fd, struct tally *tally, char *buf, size_t size, uint32_t site)
{
	struct flitcast_from from;
	struct stamp stamp;
	uint64_t trip;
	ssize_t got;

	got = flitcast_recv(fd, buf, size, &from, MSG_DONTWAIT);
	if (got < (ssize_t)sizeof(stamp) || from.site != site || from.port != FLITCAST_PORT_ECHO)
		return;
	memcpy(&stamp, buf, sizeof(stamp));
	trip = now_ns() - stamp.sent_at;
	tally->received++;
	tally->sum += trip;
	if (!tally->least || trip < tally->least)
		tally->least = trip;
	if (trip > tally->most)
		tally->most = trip;
	out_open_object(NULL);
	out_uint("bytes", "%llu bytes", got);
	out_uint("site", " from site %llu", site);
	out_uint("seq", " seq=%llu", stamp.number);
	if (from.has_info)
		out_uint("hops", " hops=%llu", from.info.hops);
	/* Mode csr: time from the arrival to the reserved time. */
	if (from.has_info && from.info.reserved)
		out_float("early_ms", " early=%.3f ms",
			  (int64_t)(from.info.reserved - from.info.arrived) / 1e6);
	out_float("rtt_ms", " time=%.3f ms\n", trip / 1e6);
	out_close_object();
	if (!out_json)
		out_flush();
}

static void send_probe(int fd, struct tally *tally, char *buf, size_t length, uint32_t site)
{
	const struct flitcast_target target = { .site = site, .port = FLITCAST_PORT_ECHO };
	struct stamp stamp = { .number = ++tally->sent, .sent_at = now_ns() };
	char why[128];
	int err;

	memset(buf, 'f', length);
	memcpy(buf, &stamp, sizeof(stamp));
	/* The call reports the failure of an earlier message, too. */
	if (flitcast_send(fd, buf, length, &target, 1, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return;
	err = errno;
	flitcast_refusal(fd, why, sizeof(why));
	if (*why || tally->sent == 1)
		fail("ping %u: %s", site, *why ? why : strerror(err));
	complain("ping %u: seq %u: %s", site, stamp.number, strerror(err));
}

static void print_summary(const struct tally *tally, uint32_t site)
{
	double loss = tally->sent ? 100.0 * (tally->sent - tally->received) / tally->sent : 0;

	out_text("--- site %u ---\n", site);
	out_uint("sent", "%llu sent", tally->sent);
	out_uint("received", ", %llu received", tally->received);
	out_float("loss_percent", ", %.0f %% lost\n", loss);
	if (!tally->received) {
		out_null("rtt_min_ms");
		out_null("rtt_avg_ms");
		out_null("rtt_max_ms");
		return;
	}
	out_float("rtt_min_ms", "rtt min/avg/max %.3f", tally->least / 1e6);
	out_float("rtt_avg_ms", "/%.3f", (double)tally->sum / tally->received / 1e6);
	out_float("rtt_max_ms", "/%.3f ms\n", tally->most / 1e6);
}

static int run(const struct option_given *given)
{
	uint32_t count = option_get(given, "-c", COUNT_DEFAULT);
	uint32_t interval = option_get(given, "-i", INTERVAL_MS);
	uint32_t bytes = option_get(given, "-s", BYTES_DEFAULT);
	uint32_t patience = option_get(given, "-W", WAIT_MS);
	uint32_t own = option_get(given, "site", FLITCAST_SITE_ANY);
	uint32_t site = option_get(given, "SITE", 0);
	struct sigaction action = { .sa_handler = on_interrupt };
	struct pollfd poll_fd = { .events = POLLIN };
	uint64_t next, end = UINT64_MAX;
	struct tally tally = { 0 };
	char *out_buf, *in_buf;
	int one = 1;

	poll_fd.fd = open_socket("ping", own, FLITCAST_PORT_ANY);
	setsockopt(poll_fd.fd, SOL_FLITCAST, FLITCAST_INFO, &one, sizeof(one));
	/* Without SA_RESTART the signal ends poll(). */
	sigaction(SIGINT, &action, NULL);
	out_buf = xalloc(1, bytes);
	in_buf = xalloc(1, bytes);

	out_open_object(NULL);
	out_open_array("answers");
	next = now_ns();
	while (!stopped && tally.received < count) {
		uint64_t now = now_ns(), until;

		if (tally.sent < count && now >= next) {
			send_probe(poll_fd.fd, &tally, out_buf, bytes, site);
			next += interval * 1000000ULL;
			if (tally.sent == count)
				end = now + patience * 1000000ULL;
		}
		until = tally.sent < count ? next : end;
		now = now_ns();
		if (tally.sent == count && now >= end)
			break;
		if (poll(&poll_fd, 1, now < until ? (until - now + 999999) / 1000000 : 0) <= 0)
			continue;
		if (poll_fd.revents & POLLIN) {
			take_answer(poll_fd.fd, &tally, in_buf, bytes, site);
		} else if (poll_fd.revents & POLLERR) {
			socklen_t length = sizeof(one);
			int err = 0;

			/* A message failed: no answer will arrive for it. */
			getsockopt(poll_fd.fd, SOL_SOCKET, SO_ERROR, &err, &length);
			complain("ping %u: %s", site, strerror(err));
			if (tally.sent == count)
				break;
		}
	}
	out_close_array();
	print_summary(&tally, site);
	out_close_object();
	out_end();
	close(poll_fd.fd);
	free(out_buf);
	free(in_buf);
	return tally.received == tally.sent && tally.sent ? 0 : EXIT_FAILED;
}

static const struct option_entry options[] = {
	OPTION("SITE", NULL, "the site that is to answer", NUMBER, 0,
	       OPTION_RANGE(0, FLITCAST_SITE_ANY - 1), .how = OPTION_PLAIN | OPTION_NEED),
	OPTION("-c", "N", "number of questions", NUMBER, 0, OPTION_RANGE(1, UINT32_MAX)),
	OPTION("-i", "S", "seconds between two of them", SECONDS, 0),
	OPTION("-s", "BYTES", "size of each", NUMBER, 0,
	       OPTION_RANGE(sizeof(struct stamp), FLITCAST_MESSAGE_MAX)),
	OPTION("-W", "S", "seconds to wait for the last answer", SECONDS, 0, OPTION_RANGE(1, 0)),
	OPTION_SITE("site", 0),
};

const struct option_command ping_command = {
	.name = "ping",
	.help = "Ask a site for answers, and measure the round trips",
	OPTION_TABLE(options),
	.run = run,
};
