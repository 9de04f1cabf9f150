// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include "cli.h"
#include "out.h"
#include "sender.h"

/* For progress on a terminal alone: reports wake. */
#define LOOK_MS		500
/* Within this a signal ends a call that waits for room. */
#define STOP_LOOK_MS	500
/* Targets of a report: a broadcast has as many as there are sites. */
#define RESULTS_MAX	65536
/* Targets that failed are named, but not a whole screen of them. */
#define COMPLAINTS_MAX	10

static const char *error_text(int err)
{
	switch (err) {
	case ETIMEDOUT:
		return "did not confirm in time";
	case ETIME:
		return "was slower than --slow allows";
	case ECANCELED:
		return "was detached before";
	default:
		return strerror(err);
	}
}

void sender_refused(const struct sender *sender)
{
	char why[128];
	int err = errno;

	flitcast_refusal(sender->fd, why, sizeof(why));
	fail("send to %s: %s", sender->to, *why ? why : strerror(err));
}

void sender_open(struct sender *sender, uint32_t site, uint32_t timeout,
		 const struct flitcast_slow_target *slow)
{
	struct timeval look = { .tv_usec = STOP_LOOK_MS * 1000 };
	int one = 1;

	sender->fd = open_socket("send", site, FLITCAST_PORT_ANY);
	if (setsockopt(sender->fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)) ||
	    (timeout && setsockopt(sender->fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout,
				   sizeof(timeout))) ||
	    setsockopt(sender->fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, slow, sizeof(*slow)) ||
	    (sender->stop && setsockopt(sender->fd, SOL_SOCKET, SO_SNDTIMEO, &look,
					sizeof(look))))
		sender_refused(sender);
	if (sender->broadcast)
		return;
	sender->tally = xalloc(sender->count, sizeof(*sender->tally));
	sender->left = xalloc(sender->count, sizeof(*sender->left));
	memcpy(sender->left, sender->targets, sender->count * sizeof(*sender->left));
	sender->nleft = sender->count;
}

/* A broadcast goes to all others: its first report says who they are. */
static void learn_targets(struct sender *sender, const struct flitcast_result *results, size_t n)
{
	size_t i;

	sender->targets = xalloc(n ? n : 1, sizeof(*sender->targets));
	sender->tally = xalloc(n ? n : 1, sizeof(*sender->tally));
	sender->count = n;
	for (i = 0; i < n; i++) {
		sender->targets[i].site = results[i].site;
		sender->targets[i].port = results[i].port;
	}
}

/* Results come in the order of the list: the target is at the hint, or behind it. */
static size_t find(const struct sender *sender, const struct flitcast_result *result,
		   size_t hint)
{
	size_t i;

	for (i = 0; i < sender->count; i++) {
		size_t at = (hint + i) % sender->count;

		if (sender->targets[at].site == result->site &&
		    sender->targets[at].port == result->port)
			return at;
	}
	fail("send to %s: the kernel reports on site %u port %u, to which nothing was sent",
	     sender->to, result->site, result->port);
}

/* Later messages go to those alone that have had every one so far. */
static void leave_out(struct sender *sender)
{
	size_t i;

	sender->nleft = 0;
	for (i = 0; i < sender->count; i++)
		if (!sender->tally[i].failed)
			sender->left[sender->nleft++] = sender->targets[i];
}

static void take_report(struct sender *sender, const struct flitcast_report *report,
			const struct flitcast_result *results, size_t n)
{
	size_t i, at = 0;

	sender->reported++;
	sender->reserved = report->reserved;
	sender->over = report->over;
	if (sender->broadcast && !sender->targets)
		learn_targets(sender, results, n);
	for (i = 0; i < n; i++) {
		struct tally *tally;

		at = find(sender, &results[i], at);
		tally = &sender->tally[at++];
		if (!results[i].error) {
			tally->delivered++;
			continue;
		}
		/* Who has no socket is not among those a broadcast is for. */
		if (sender->broadcast && results[i].error == ECONNREFUSED) {
			tally->absent++;
			continue;
		}
		if (!tally->failed++)
			tally->error = results[i].error;
		if (results[i].flags & FLITCAST_RESULT_UNKNOWN)
			tally->unknown++;
	}
	if (sender->broadcast ? !report->failed : report->delivered == report->targets)
		return;
	sender->lossy++;
	if (sender->leave_out)
		leave_out(sender);
}

/* Whatever is in the error queue; returns whether something was. */
static bool take_reports(struct sender *sender)
{
	static struct flitcast_result results[RESULTS_MAX];
	struct flitcast_report report;
	bool any = false;

	for (;;) {
		ssize_t n = flitcast_recv_report(sender->fd, &report, results,
						 RESULTS_MAX);

		if (n >= 0) {
			take_report(sender, &report, results, n);
			any = true;
		} else if (errno == EAGAIN) {
			return any;
		} else if (errno != EINTR) {
			fail("send to %s: report: %s", sender->to, strerror(errno));
		}
	}
}

int sender_send(struct sender *sender, const void *data, size_t length)
{
	ssize_t sent;

	/* What is reported and not read takes room. */
	take_reports(sender);
	if (!sender->broadcast && !sender->nleft) {
		errno = ENOTCONN;
		return -1;
	}
	sender->begun_at = now_ns();
	/* With @stop the call ends every STOP_LOOK_MS: a signal may come right before it. */
	do
		sent = sender->broadcast ?
		       flitcast_broadcast(sender->fd, data, length, sender->broadcast,
					  sender->copies, MSG_NOSIGNAL) :
		       flitcast_send(sender->fd, data, length, sender->left, sender->nleft,
				     MSG_NOSIGNAL);
	while (sent < 0 && (errno == EINTR || (sender->stop && errno == EAGAIN)) &&
	       !sender_stopped(sender));
	if (sent < 0) {
		if (errno == EAGAIN)
			errno = EINTR;
		return -1;
	}
	sender->sent++;
	return 0;
}

/* Of one message: how long it took to be confirmed, and, in mode csr, to come at the latest. */
static void print_times(const struct sender *sender)
{
	if (sender->sent != 1)
		return;
	if (sender->reserved)
		out_float("reserved_ms", "reserved to arrive within %.3f ms\n",
			  (int64_t)(sender->reserved - sender->begun_at) / 1e6);
	out_float("over_ms", NULL, (sender->over - sender->begun_at) / 1e6);
}

static void print_targets(const struct sender *sender)
{
	size_t i;

	out_open_object(NULL);
	out_uint("messages", NULL, sender->sent);
	print_times(sender);
	out_open_array("targets");
	for (i = 0; i < sender->count; i++) {
		const struct tally *tally = &sender->tally[i];

		out_open_object(NULL);
		out_uint("site", "site %llu", sender->targets[i].site);
		out_uint("port", " port %llu", sender->targets[i].port);
		out_uint("delivered", " delivered %llu", tally->delivered);
		out_text(" of %llu", (unsigned long long)sender->sent);
		out_uint("failed", NULL, tally->failed);
		out_uint("unknown", tally->unknown ? ", %llu may have come" : NULL, tally->unknown);
		if (tally->absent)
			out_text(": no socket");
		if (tally->failed) {
			out_text(": %s", error_text(tally->error));
			out_string("error", NULL, strerrorname_np(tally->error));
		} else {
			out_null("error");
		}
		out_text("\n");
		out_close_object();
	}
	out_close_array();
	out_close_object();
	out_end();
}

static void complain_of_targets(const struct sender *sender)
{
	size_t i, n = 0;

	for (i = 0; i < sender->count; i++) {
		const struct tally *tally = &sender->tally[i];

		if (tally->failed && n++ < COMPLAINTS_MAX)
			complain("send to %u:%u: %s (%llu of %llu messages delivered)",
				 sender->targets[i].site, sender->targets[i].port,
				 error_text(tally->error),
				 (unsigned long long)tally->delivered,
				 (unsigned long long)sender->sent);
	}
	if (n > COMPLAINTS_MAX)
		complain("send to %s: and %zu more", sender->to, n - COMPLAINTS_MAX);
}

int sender_finish(struct sender *sender, bool confirm, bool quiet)
{
	struct pollfd poll_fd = { .fd = sender->fd };

	/* Each is confirmed or given up some time: the time-out of the socket sees to it. */
	while (sender->reported < sender->sent) {
		socklen_t length = sizeof(int);
		int err = 0;

		if (sender_stopped(sender))
			fail("send to %s: interrupted: %llu of %llu messages are confirmed",
			     sender->to, (unsigned long long)sender->reported,
			     (unsigned long long)sender->sent);

		if (!quiet)
			progress("waiting for confirmation", sender->reported, sender->sent,
				 "messages");
		poll(&poll_fd, 1, LOOK_MS);
		if (take_reports(sender) || !(poll_fd.revents & POLLERR))
			continue;
		getsockopt(sender->fd, SOL_SOCKET, SO_ERROR, &err, &length);
		/* The site is gone: nothing more is told than was by then. */
		if (err && !take_reports(sender))
			fail("send to %s: %s", sender->to, strerror(err));
	}
	progress_end();
	if (confirm)
		print_targets(sender);
	complain_of_targets(sender);
	return sender->lossy ? EXIT_FAILED : 0;
}
