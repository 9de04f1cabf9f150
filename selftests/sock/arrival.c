// SPDX-License-Identifier: GPL-2.0
/*
 * In mode csr a sender gets the reserved arrival time of its message before the message enters the
 * network, and the receiver gets the reserved and the actual arrival time.
 *
 *   arrival LAB		a lab of the topology line:4, in mode csr
 *
 * All sites of a lab have one clock, so the times of both ends can be compared: a probe carries the
 * delay from its arrival to that of the packet, which the receiver adds to the time of the former.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include "lab.h"
#include "msg.h"

#define PORT	4000
#define SITES	4
#define ROUNDS	20
#define SOON_MS	120000

static unsigned int tests, failures;

static void check(int ok, const char *what)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++tests, what);
	failures += !ok;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/**
 * struct reported - times of a message, as both ends know them
 * @before: time before sendmsg()
 * @admitted: time after sendmsg()
 * @admission: admission of the message, read after sendmsg()
 * @report: final report of the message
 * @info: info of the receiver with the latest reserved arrival
 * @after: time after the report
 */
struct reported {
	uint64_t before;
	uint64_t admitted;
	struct flitcast_admission admission;
	struct flitcast_report report;
	struct flitcast_info info;
	uint64_t after;
};

static struct flitcast_info info_of(int fd)
{
	static char data[200000];
	union {
		char buf[CMSG_SPACE(sizeof(struct flitcast_info))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	struct flitcast_info info;
	struct cmsghdr *cmsg;

	if (!msg_wait(fd, POLLIN, SOON_MS) || recvmsg(fd, &msg, 0) < 0)
		die("recvmsg: %s", strerror(errno));
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != FLITCAST_INFO || cmsg->cmsg_len != CMSG_LEN(sizeof(info)))
		die("no info");
	memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
	return info;
}

static void ask_admission(int fd, struct flitcast_admission *admission)
{
	socklen_t len = sizeof(*admission);

	if (getsockopt(fd, SOL_FLITCAST, FLITCAST_ADMISSION, admission, &len) ||
	    len != sizeof(*admission))
		die("FLITCAST_ADMISSION: %s", strerror(errno));
}

/* Send one message to sites @first to @last, and collect its times. */
static struct reported send_one(int fd, const int *to, size_t bytes, uint32_t first, uint32_t last)
{
	static const char data[200000];
	struct flitcast_target target[SITES];
	struct flitcast_result result[SITES];
	struct reported reported;
	uint32_t site, n = 0;
	ssize_t sent;

	memset(target, 0, sizeof(target));
	for (site = first; site <= last; site++)
		target[n++] = (struct flitcast_target) { .site = site, .port = PORT };
	reported.before = now_ns();
	sent = n > 1 ? msg_send_list(fd, data, bytes, target, n, 0) :
		       msg_send(fd, data, bytes, first, PORT, 0);
	reported.admitted = now_ns();
	if (sent != (ssize_t)bytes)
		die("sendmsg: %s", strerror(errno));
	ask_admission(fd, &reported.admission);
	memset(&reported.info, 0, sizeof(reported.info));
	for (site = first; site <= last; site++) {
		struct flitcast_info info = info_of(to[site]);

		if (!info.reserved || site == first || info.reserved > reported.info.reserved)
			reported.info = info;
		if (!info.reserved)
			break;
	}
	if (!(msg_wait(fd, POLLERR, SOON_MS) & POLLERR) ||
	    msg_report(fd, &reported.report, result, SITES, NULL) != (int)n)
		die("report: %s", strerror(errno));
	reported.after = now_ns();
	return reported;
}

static int between(uint64_t low, uint64_t time, uint64_t high)
{
	return low <= time && time <= high;
}

/* Conditions that hold for any number of packets and targets, and any number of retries. */
static int reserved_well(const struct reported *t, uint32_t id)
{
	return !t->admission.waiting && t->admission.id == id && t->report.id == id &&
	       t->info.id == id && t->report.reserved > t->before &&
	       t->report.reserved >= t->admission.reserved &&
	       t->info.reserved >= t->report.reserved &&
	       between(t->before, t->info.arrived, t->after) &&
	       between(t->before, t->report.completed, t->after) && t->report.delivered ==
	       t->report.targets;
}

/* One packet: the whole reservation was known at admission, and the probe needed less time. */
static int reserved_at_once(const struct reported *t)
{
	return t->admission.reserved > t->before &&
	       t->report.reserved == t->admission.reserved &&
	       t->info.reserved - t->admission.reserved <= t->admitted - t->before;
}

static void show(const char *what, const struct reported *t)
{
	printf("# %s: admitted after %lld us, reserved to arrive after %lld (receiver: %lld), ",
	       what, (long long)(t->admitted - t->before) / 1000,
	       (long long)(t->report.reserved - t->before) / 1000,
	       (long long)(t->info.reserved - t->before) / 1000);
	printf("arrived after %lld, over after %lld\n",
	       (long long)(t->info.arrived - t->before) / 1000,
	       (long long)(t->report.completed - t->before) / 1000);
}

int main(int argc, char **argv)
{
	int to[SITES], from, on = 1, good = 0, at_once = 0, late = 0, i;
	uint32_t site, id = 0;
	struct reported t;

	if (argc != 2)
		return EXIT_USAGE;
	from = msg_socket(lab_open(argv[1], 0), 0, 0, 0);
	if (from < 0 || setsockopt(from, SOL_FLITCAST, FLITCAST_CONFIRM, &on, sizeof(on)))
		die("socket: %s", strerror(errno));
	for (site = 0; site < SITES; site++) {
		to[site] = msg_socket(lab_open(argv[1], site), site, PORT, 0);
		if (to[site] < 0 ||
		    setsockopt(to[site], SOL_FLITCAST, FLITCAST_INFO, &on, sizeof(on)))
			die("socket: %s", strerror(errno));
	}

	for (i = 0; i < ROUNDS; i++) {
		t = send_one(from, to, 1000, SITES - 1, SITES - 1);
		show("over three links", &t);
		good += reserved_well(&t, id++);
		at_once += reserved_at_once(&t);
		late += t.info.arrived > t.info.reserved;
	}
	printf("# %d of %d were late\n", late, ROUNDS);
	check(good == ROUNDS, "both ends are told when a message was to come, and came");
	check(at_once == ROUNDS, "the sender as soon as it is admitted");
	t = send_one(from, to, 200000, SITES - 1, SITES - 1);
	show("four packets", &t);
	check(reserved_well(&t, id++), "the last of several packets counts");
	t = send_one(from, to, 1000, 1, SITES - 1);
	show("a list", &t);
	check(reserved_well(&t, id++), "and of a list the last target");
	t = send_one(from, to, 1000, 0, 0);
	check(!t.admission.reserved && t.admission.id == id && !t.report.reserved &&
	      !t.info.reserved && between(t.before, t.info.arrived, t.after),
	      "nothing is reserved to the own site");
	return failures ? 1 : 0;
}
