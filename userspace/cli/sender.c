// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "out.h"
#include "sender.h"

/* Interval of progress on a terminal; reports wake the sender. */
#define POLL_MS		500
/* Maximum time until a signal ends a call that waits for buffer space. */
#define STOP_POLL_MS	500
/* Maximum number of targets in a report: a broadcast has one for each other site. */
#define RESULTS_MAX	65536
/* Maximum number of failed targets named. */
#define COMPLAINTS_MAX	10

/* Interval of attempts to reach targets that have no socket yet. */
#define RETRY_MS	100

static const char *error_text(int err)
{
	switch (err) {
	case ECONNREFUSED:
		return "connection refused: no receiver has this port";
	case EHOSTUNREACH:
		return "no route to the site: flitcast topology faults shows why";
	case ELOOP:
		return "packets crossed 1024 links: flitcast topology check finds the circle";
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
	struct timeval interval = { .tv_usec = STOP_POLL_MS * 1000 };
	int one = 1;

	sender->fd = open_socket("send", site, FLITCAST_PORT_ANY);
	if (setsockopt(sender->fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)) ||
	    (timeout && setsockopt(sender->fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout,
				   sizeof(timeout))) ||
	    setsockopt(sender->fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, slow, sizeof(*slow)) ||
	    (sender->stop && setsockopt(sender->fd, SOL_SOCKET, SO_SNDTIMEO, &interval,
					sizeof(interval))))
		sender_refused(sender);
	if (sender->broadcast)
		return;
	sender->tally = xalloc(sender->count, sizeof(*sender->tally));
	sender->left = xalloc(sender->count, sizeof(*sender->left));
	memcpy(sender->left, sender->targets, sender->count * sizeof(*sender->left));
	sender->nleft = sender->count;
}

/* The first report of a broadcast lists its targets: all other sites. */
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

/* Results are in the order of the list: search from the hint on. */
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
	fail("send to %s: the kernel reports on site %u port %u, which is no target",
	     sender->to, result->site, result->port);
}

/* Send later messages only to targets that got all messages so far. */
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
	sender->completed = report->completed;
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
		/* ECONNREFUSED does not fail a broadcast: the site has no socket on the port. */
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

/* Read all reports from the error queue.  Return: true if there was one. */
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

struct behind {
	uint32_t site;
	uint16_t port;
	char text[64];
};

static void read_behind(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SOCKET_MAX + 1];
	struct behind *behind = arg;

	get_attrs(message, a, FLITCAST_A_SOCKET_MAX);
	if (a[FLITCAST_A_SOCKET_WAIT] && get_u32(a[FLITCAST_A_SOCKET_SITE]) == behind->site &&
	    get_u32(a[FLITCAST_A_SOCKET_PORT]) == behind->port)
		snprintf(behind->text, sizeof(behind->text), "waits for site %u port %u",
			 get_u32(a[FLITCAST_A_SOCKET_WAIT_SITE]),
			 get_u32(a[FLITCAST_A_SOCKET_WAIT_PORT]));
}

/* Return: a text with the number of failed targets, and the one that the kernel waits for. */
static const char *targets_behind(const void *arg)
{
	const struct sender *sender = arg;
	struct request req = { 0 };
	static struct behind behind;
	struct sockaddr_flitcast own;
	socklen_t length = sizeof(own);
	static struct nl_sock *genl;
	size_t i, failed = 0;

	behind.text[0] = '\0';
	if (!genl)
		genl = request_open(NETLINK_GENERIC);
	if (!genl || getsockname(sender->fd, (struct sockaddr *)&own, &length))
		return "";
	behind.site = own.sfc_site;
	behind.port = own.sfc_port;
	request_flitcast(&req, FLITCAST_CMD_SOCKET_GET, NLM_F_DUMP);
	put_u32(&req, FLITCAST_A_SOCKET_SITE, behind.site);
	put_u32(&req, FLITCAST_A_SOCKET_PORT, behind.port);
	request_send(genl, &req, read_behind, &behind, NULL);
	for (i = 0; i < sender->count; i++)
		failed += sender->tally[i].failed > 0;
	if (failed)
		snprintf(behind.text + strlen(behind.text),
			 sizeof(behind.text) - strlen(behind.text), "%s%zu of %zu targets failed",
			 *behind.text ? ", " : "", failed, sender->count);
	return behind.text;
}

void sender_progress(const struct sender *sender)
{
	if (sender->name && sender->bytes)
		progress_remark(sender->name, sender->bytes, sender->total, "bytes",
				targets_behind, sender);
}

int sender_send(struct sender *sender, const void *data, size_t length)
{
	ssize_t sent;

	/* Read reports, because unread ones fill the send buffer. */
	take_reports(sender);
	if (!sender->broadcast && !sender->nleft) {
		errno = ENOTCONN;
		return -1;
	}
	sender->begun_at = now_ns();
	/*
	 * With @stop the call times out every STOP_POLL_MS, because a signal may arrive right
	 * before it.
	 */
	do {
		sender_progress(sender);
		sent = sender->broadcast ?
		       flitcast_broadcast(sender->fd, data, length, sender->broadcast,
					  sender->copies, MSG_NOSIGNAL) :
		       flitcast_send(sender->fd, data, length, sender->left, sender->nleft,
				     MSG_NOSIGNAL);
	} while (sent < 0 && (errno == EINTR || (sender->stop && errno == EAGAIN)) &&
		 !sender_stopped(sender));
	if (sent < 0) {
		if (errno == EAGAIN)
			errno = EINTR;
		return -1;
	}
	sender->sent++;
	return 0;
}

/*
 * Wait until every message is reported: each is eventually confirmed or aborted.  Return: false
 * if sender_stopped() before.
 */
static bool wait_for_reports(struct sender *sender, bool quiet)
{
	struct pollfd poll_fd = { .fd = sender->fd };

	while (sender->reported < sender->sent) {
		socklen_t length = sizeof(int);
		int err = 0;

		if (sender_stopped(sender))
			return false;
		if (!quiet)
			progress("waiting for confirmation", sender->reported, sender->sent,
				 "messages");
		poll(&poll_fd, 1, POLL_MS);
		if (take_reports(sender) || !(poll_fd.revents & POLLERR))
			continue;
		getsockopt(sender->fd, SOL_SOCKET, SO_ERROR, &err, &length);
		/* The site is gone: only reports from before its removal are left. */
		if (err && !take_reports(sender))
			fail("send to %s: %s", sender->to, strerror(err));
	}
	return true;
}

/*
 * Select the targets without a receiver for the next attempt.  A receiver that started while the
 * message was en route may get it twice, which is rare.  Return: their number.
 */
static size_t choose_late(struct sender *sender)
{
	size_t i;

	sender->nleft = 0;
	for (i = 0; i < sender->count; i++)
		if (sender->tally[i].error == ECONNREFUSED)
			sender->left[sender->nleft++] = sender->targets[i];
	return sender->nleft;
}

static void forget_refusals(struct sender *sender)
{
	size_t i;

	for (i = 0; i < sender->count; i++)
		if (sender->tally[i].error == ECONNREFUSED)
			sender->tally[i] = (struct tally){ 0 };
}

/* Count all attempts as one message, sent to every target. */
static void sum_up(struct sender *sender)
{
	size_t i;

	sender->sent = 1;
	sender->reported = 1;
	sender->lossy = 0;
	for (i = 0; i < sender->count; i++)
		sender->lossy |= sender->tally[i].failed > 0;
	leave_out(sender);
}

int sender_send_first(struct sender *sender, const void *data, size_t length)
{
	uint64_t until = now_ns() + sender->wait * 1000000ULL;
	size_t late;
	int err = 0;

	for (;;) {
		if (sender_send(sender, data, length)) {
			err = errno;
			break;
		}
		if (!wait_for_reports(sender, true)) {
			err = EINTR;
			break;
		}
		late = choose_late(sender);
		if (!late || now_ns() >= until)
			break;
		progress("receivers", sender->count - late, sender->count, "are there");
		poll(NULL, 0, RETRY_MS);
		if (sender_stopped(sender)) {
			err = EINTR;
			break;
		}
		forget_refusals(sender);
	}
	progress_end();
	sum_up(sender);
	errno = err;
	return err ? -1 : 0;
}

/*
 * Print for one message the time until it was confirmed, and in mode csr the reserved time of
 * arrival.
 */
static void print_times(const struct sender *sender)
{
	if (sender->sent != 1)
		return;
	if (sender->reserved)
		out_float("reserved_ms", "reserved to arrive within %.3f ms\n",
			  (int64_t)(sender->reserved - sender->begun_at) / 1e6);
	out_float("completed_ms", NULL, (sender->completed - sender->begun_at) / 1e6);
}

/* "site 5", and the port unless it is the default. */
static const char *target_name(const struct flitcast_target *target, char buf[48])
{
	int n = snprintf(buf, 48, "site %u", target->site);

	if (target->port != DEFAULT_PORT)
		snprintf(buf + n, 48 - n, " port %u", target->port);
	return buf;
}

/* Print one target as a line, or as an object. */
static void print_target(const struct sender *sender, size_t i, bool confirm)
{
	const struct flitcast_target *target = &sender->targets[i];
	const struct tally *tally = &sender->tally[i];
	char name[48];

	if (!out_json) {
		if (tally->failed)
			return;
		printf("%s: %s", target_name(target, name),
		       tally->absent ? "no receiver" : "delivered");
		if (confirm)
			printf(" (%llu of %llu messages)", (unsigned long long)tally->delivered,
			       (unsigned long long)sender->sent);
		putchar('\n');
		return;
	}
	out_open_object(NULL);
	out_uint("site", NULL, target->site);
	out_uint("port", NULL, target->port);
	out_uint("delivered", NULL, tally->delivered);
	out_uint("failed", NULL, tally->failed);
	out_uint("unknown", NULL, tally->unknown);
	if (tally->failed)
		out_string("error", NULL, strerrorname_np(tally->error));
	else
		out_null("error");
	out_close_object();
}

static void print_result(const struct sender *sender, bool confirm)
{
	bool each = confirm || out_json || !sender->broadcast;
	size_t i, absent = 0, failed = 0;

	out_open_object(NULL);
	out_uint("messages", NULL, sender->sent);
	out_uint("bytes", NULL, sender->bytes);
	if (confirm || out_json)
		print_times(sender);
	out_open_array("targets");
	for (i = 0; i < sender->count; i++) {
		absent += sender->tally[i].absent > 0;
		failed += sender->tally[i].failed > 0;
		if (each)
			print_target(sender, i, confirm);
	}
	out_close_array();
	out_close_object();
	if (!each) {
		out_text("broadcast: delivered to %zu of %zu sites",
			 sender->count - absent - failed, sender->count);
		if (absent)
			out_text(", %zu have no receiver", absent);
		out_text("\n");
	}
	out_end();
}

static void complain_of_targets(const struct sender *sender)
{
	size_t i, n = 0;
	char name[48];

	for (i = 0; i < sender->count; i++) {
		const struct tally *tally = &sender->tally[i];
		char after[64] = "";

		if (!tally->failed || n++ >= COMPLAINTS_MAX)
			continue;
		if (tally->delivered)
			snprintf(after, sizeof(after), " after %llu of %llu messages",
				 (unsigned long long)tally->delivered,
				 (unsigned long long)sender->sent);
		complain("send: %s: %s%s%s", target_name(&sender->targets[i], name),
			 error_text(tally->error), after,
			 tally->unknown ? " (the message may have arrived)" : "");
	}
	if (n > COMPLAINTS_MAX)
		complain("send: %zu targets more have failed: flitcast -j send names all",
			 n - COMPLAINTS_MAX);
}

int sender_finish(struct sender *sender, bool confirm, bool quiet)
{
	bool some = false;
	size_t i;

	if (!wait_for_reports(sender, quiet))
		fail("send to %s: interrupted: %llu of %llu messages are confirmed", sender->to,
		     (unsigned long long)sender->reported, (unsigned long long)sender->sent);
	progress_end();
	print_result(sender, confirm);
	complain_of_targets(sender);
	if (!sender->lossy)
		return 0;
	for (i = 0; i < sender->count; i++)
		some |= !sender->tally[i].failed && !sender->tally[i].absent;
	return some ? EXIT_PARTLY : EXIT_FAILED;
}
