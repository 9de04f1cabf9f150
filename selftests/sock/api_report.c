// SPDX-License-Identifier: GPL-2.0
/*
 * The sender's view: reports in the error queue, slow targets, and close() with uncompleted
 * messages.
 */
#include <pthread.h>
#include "api.h"

#define MIB	(1U << 20)
#define SLOW_MS	300

static char big[MIB], got[MIB];

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

static int set_int(int fd, int option, int value)
{
	return RESULT(setsockopt(fd, SOL_FLITCAST, option, &value, sizeof(value)));
}

static int set_slow(int fd, uint32_t policy, uint32_t ms)
{
	struct flitcast_slow_target slow = { .policy = policy, .ms = ms };

	return RESULT(setsockopt(fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow, sizeof(slow)));
}

/* A receiver that accepts one message, and then has no buffer space until the message is read. */
static int deaf_socket(int ns, uint32_t site, uint16_t port)
{
	int fd = msg_socket(ns, site, port, 0), least = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	return fd;
}

static int outq(int fd)
{
	int value = -1;

	ioctl(fd, SIOCOUTQ, &value);
	return value;
}

/* Read one pending report.  Return: results in it, or -errno. */
static int report_now(int fd, struct flitcast_report *report, struct flitcast_result *results,
		      size_t room, int *flags)
{
	return RESULT(msg_report(fd, report, results, room, flags));
}

static int report_soon(int fd, struct flitcast_report *report, struct flitcast_result *results,
		       size_t room)
{
	uint64_t until = now_ms() + SOON_MS;
	int n;

	while ((n = report_now(fd, report, results, room, NULL)) == -EAGAIN && now_ms() < until)
		msg_wait(fd, POLLERR, 20);
	return n;
}

static ssize_t soon(int fd, void *data, size_t size)
{
	if (!msg_wait(fd, POLLIN, SOON_MS))
		return -ETIMEDOUT;
	return RESULT(msg_recv(fd, data, size, NULL, MSG_DONTWAIT));
}

#define EXPECT_RESULT(r, s, p, e) do {						\
	EXPECT_EQ(s, (r).site);							\
	EXPECT_EQ(p, (r).port);							\
	EXPECT_EQ(e, (r).error);						\
} while (0)

TEST_F(bare, report__options)
{
	struct flitcast_slow_target slow;
	int fd = socket(msg_family(), SOCK_RDM, 0), value = -1;
	struct flitcast_report report;
	socklen_t len = sizeof(value);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &value, &len));
	EXPECT_EQ(0, value);
	EXPECT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 7));
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &value, &len));
	EXPECT_EQ(1, value);
	EXPECT_EQ(-EINVAL, RESULT(setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &value, 1)));

	EXPECT_EQ(0, set_slow(fd, FLITCAST_SLOW_DETACH, 86400000));
	len = sizeof(slow);
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow, &len));
	EXPECT_EQ(sizeof(slow), len);
	EXPECT_EQ(FLITCAST_SLOW_DETACH, slow.policy);
	EXPECT_EQ(86400000, slow.ms);
	EXPECT_EQ(-EINVAL, set_slow(fd, FLITCAST_SLOW_WAIT, 1));
	EXPECT_EQ(-EINVAL, set_slow(fd, FLITCAST_SLOW_SKIP, 0));
	EXPECT_EQ(-EINVAL, set_slow(fd, FLITCAST_SLOW_SKIP, 86400001));
	EXPECT_EQ(-EINVAL, set_slow(fd, 3, 1));
	EXPECT_EQ(-EINVAL, RESULT(setsockopt(fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &value,
					     sizeof(value))));
	/* A refused setsockopt() does not change the policy. */
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow, &len));
	EXPECT_EQ(FLITCAST_SLOW_DETACH, slow.policy);
	/* Reading the error queue never waits. */
	EXPECT_EQ(-EAGAIN, report_now(fd, &report, NULL, 0, NULL));
}

/* Every message has a report, with its targets in the order of the list. */
TEST_F(line, report__confirmed)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT }, { .site = 0, .port = PORT },
		{ .site = 1, .port = PORT },
	};
	int fd = SOCKET(0, 0), to[3], i, flags = 0;
	struct flitcast_result results[4];
	struct flitcast_report report;

	for (i = 0; i < 3; i++)
		to[i] = SOCKET(i, PORT);
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	ASSERT_EQ(100000, RESULT(msg_send_list(fd, big, 100000, targets, 3, 0)));
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(i ? 1 : 3, report_soon(fd, &report, results, 4));
		EXPECT_EQ(1 + i, report.id);
		EXPECT_EQ(FLITCAST_REPORT_ALL, report.flags);
		EXPECT_EQ(i ? 1 : 3, report.targets);
		EXPECT_EQ(i ? 1 : 3, report.delivered);
		EXPECT_EQ(0, report.failed);
		EXPECT_EQ(0, report.left_out);
		EXPECT_EQ(0, report.lost);
		EXPECT_EQ(0, report.unknown);
		EXPECT_RESULT(results[0], 2, PORT, 0);
		if (i)
			break;
		EXPECT_RESULT(results[1], 0, PORT, 0);
		EXPECT_RESULT(results[2], 1, PORT, 0);
	}
	/* The socket has nothing left of the report: no error, no buffer in use, no event. */
	EXPECT_EQ(-EAGAIN, report_now(fd, &report, results, 4, NULL));
	EXPECT_EQ(0, msg_error(fd));
	EXPECT_EQ(0, outq(fd));
	EXPECT_FALSE(msg_wait(fd, POLLERR, 0) & POLLERR);
	/* A queued report is an event, occupies buffer space, and may be truncated. */
	ASSERT_EQ(1, RESULT(msg_send_list(fd, "x", 1, targets, 3, 0)));
	EXPECT_NE(0, msg_wait(fd, POLLERR, SOON_MS) & POLLERR);
	EXPECT_LT(0, outq(fd));
	EXPECT_EQ(1, report_now(fd, &report, results, 1, &flags));
	EXPECT_EQ(MSG_ERRQUEUE | MSG_TRUNC, flags & (MSG_ERRQUEUE | MSG_TRUNC));
	EXPECT_EQ(3, report.targets);
	EXPECT_EQ(0, outq(fd));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(i == 2 ? 1 : 100000, soon(to[i], got, sizeof(got)));
}

/* Reports that the test creates while another thread reads them. */
#define RACES	5000

static void *read_reports(void *arg)
{
	struct flitcast_report report;
	struct flitcast_result result;
	uint64_t until = now_ms() + 60000;
	static uint32_t delivered;
	int fd = *(int *)arg;

	for (delivered = 0; delivered < RACES && now_ms() < until;)
		if (msg_report(fd, &report, &result, 1, NULL) == 1)
			delivered += report.delivered;
	return &delivered;
}

/* Another thread reads a report at the moment it is created. */
TEST_F(line, report__read_at_once)
{
	int tx = SOCKET(0, FLITCAST_PORT_ANY), rx = SOCKET(1, 4100), one = 1;
	uint32_t sent = 0, received = 0;
	uint64_t until = now_ms() + 60000;
	pthread_t thread;
	void *delivered;

	ASSERT_LE(0, tx);
	ASSERT_LE(0, rx);
	ASSERT_EQ(0, setsockopt(tx, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_reports, &tx));
	while (received < RACES && now_ms() < until) {
		if (sent < RACES && msg_send(tx, "x", 1, 1, 4100, MSG_DONTWAIT) == 1)
			sent++;
		while (msg_recv(rx, got, sizeof(got), NULL, MSG_DONTWAIT) == 1)
			received++;
	}
	EXPECT_EQ(RACES, received);
	pthread_join(thread, &delivered);
	EXPECT_EQ(RACES, *(uint32_t *)delivered);
	close(tx);
	close(rx);
}

TEST_F(line, report__failures)
{
	struct flitcast_target targets[] = {
		{ .site = 1, .port = PORT + 1 }, { .site = 2, .port = PORT },
		{ .site = 0, .port = PORT + 1 },
	};
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct flitcast_result results[4];
	struct flitcast_report report;

	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	ASSERT_EQ(2, RESULT(msg_send_list(fd, "xy", 2, targets, 3, 0)));
	ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS) & POLLERR);
	ASSERT_EQ(2, report_soon(fd, &report, results, 4));
	EXPECT_EQ(1, report.id);
	EXPECT_EQ(0, report.flags);
	EXPECT_EQ(3, report.targets);
	EXPECT_EQ(1, report.delivered);
	EXPECT_EQ(2, report.failed);
	EXPECT_RESULT(results[0], 1, PORT + 1, ECONNREFUSED);
	EXPECT_RESULT(results[1], 0, PORT + 1, ECONNREFUSED);
	/* The error that the report carried is not pending on the socket any more. */
	EXPECT_EQ(0, msg_error(fd));
	EXPECT_EQ(-EAGAIN, report_now(fd, &report, results, 4, NULL));
	EXPECT_EQ(1, soon(to, got, sizeof(got)));
	EXPECT_EQ(2, soon(to, got, sizeof(got)));
	/* With FLITCAST_CONFIRM the report has all targets, and the socket no pending error. */
	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	ASSERT_EQ(2, RESULT(msg_send_list(fd, "xy", 2, targets, 3, 0)));
	ASSERT_EQ(3, report_soon(fd, &report, results, 4));
	EXPECT_EQ(0, msg_error(fd));
	EXPECT_RESULT(results[0], 1, PORT + 1, ECONNREFUSED);
	EXPECT_RESULT(results[1], 2, PORT, 0);
	EXPECT_RESULT(results[2], 0, PORT + 1, ECONNREFUSED);
	EXPECT_EQ(2, soon(to, got, sizeof(got)));
}

/* Failures that the program does not read: the kernel keeps the last few, and counts the others. */
TEST_F(line, report__unread_failures)
{
	int fd = SOCKET(0, 0), i, n, reports = 0;
	struct flitcast_result results[2];
	struct flitcast_report report;
	uint32_t lost = 0;

	for (i = 0; i < 200; i++) {
		ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 1, PORT + 1, 0)));
		ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS) & POLLERR);
		EXPECT_EQ(ECONNREFUSED, msg_error(fd));
	}
	EXPECT_EQ(0, outq(fd));
	while ((n = report_now(fd, &report, results, 2, NULL)) == 1) {
		lost += report.lost;
		EXPECT_EQ(lost + reports, report.id);
		reports++;
	}
	EXPECT_EQ(-EAGAIN, n);
	EXPECT_EQ(200, reports + lost);
	EXPECT_EQ(lost, msg_stats(fd).reports_lost);
	ASSERT_EQ(0, cli("-s -j -n " LAB "-0 socket show port %u", msg_name(fd).sfc_port));
	EXPECT_EQ(lost, json_sum(cli_output(), "reports_lost"));
	EXPECT_LT(10, reports);
	EXPECT_GE(64, reports);
}

/* Pending and unread reports occupy send buffer, so that none has to be dropped. */
TEST_F(line, report__holds_room)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), room = 20000, n = 0, i;
	struct flitcast_result results[2];
	struct flitcast_report report;
	uint64_t until = now_ms() + SOON_MS;

	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)));
	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	/* Until the next message is refused: earlier ones are completed, their reports unread. */
	for (; n < 1000; n++) {
		ssize_t sent = -EAGAIN;
		bool over = false;

		/* All earlier messages are confirmed, and the socket refuses the next one. */
		while (sent == -EAGAIN && !over && now_ms() < until) {
			over = msg_stats(fd).tx_confirmed == (uint64_t)n;
			sent = RESULT(msg_send(fd, "x", 1, 2, PORT, MSG_DONTWAIT));
			if (sent == -EAGAIN)
				sleep_ms(5);
		}
		if (sent != 1)
			break;
	}
	EXPECT_LT(5, n);
	ASSERT_GT(1000, n);
	EXPECT_EQ(-EAGAIN, RESULT(msg_send(fd, "x", 1, 2, PORT, MSG_DONTWAIT)));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(1, report_soon(fd, &report, results, 2));
		EXPECT_EQ(i, report.id);
		EXPECT_EQ(1, soon(to, got, 1));
	}
	EXPECT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, MSG_DONTWAIT)));
	EXPECT_EQ(1, soon(to, got, 1));
}

/* A target that takes too long is skipped for this message; the other target gets it at once. */
TEST_F(line, slow__skip)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT }, { .site = 1, .port = PORT },
	};
	int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT), good = SOCKET(1, PORT);
	struct flitcast_result results[2];
	struct flitcast_report report;
	uint64_t start = now_ms();
	int i;

	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	ASSERT_EQ(0, set_slow(fd, FLITCAST_SLOW_SKIP, SLOW_MS));
	for (i = 0; i < 30; i++) {
		msg_fill(big, 10000, msg_key(1, 1, i), 0);
		ASSERT_EQ(10000, RESULT(msg_send_list(fd, big, 10000, targets, 2, 0)));
	}
	for (i = 0; i < 30; i++) {
		ASSERT_EQ(10000, soon(good, got, sizeof(got)));
		EXPECT_EQ(10000, msg_check(got, 10000, msg_key(1, 1, i), 0));
	}
	for (i = 0; i < 30; i++) {
		ASSERT_EQ(2, report_soon(fd, &report, results, 2));
		EXPECT_EQ(i, report.id);
		EXPECT_RESULT(results[0], 2, PORT, i ? ETIME : 0);
		EXPECT_RESULT(results[1], 1, PORT, 0);
		if (i)
			EXPECT_LE(SLOW_MS - 10, now_ms() - start);
	}
	EXPECT_EQ(0, outq(fd));
	/* The receiver gets the messages sent later, not the skipped ones. */
	ASSERT_EQ(10000, soon(deaf, got, sizeof(got)));
	EXPECT_EQ(10000, msg_check(got, 10000, msg_key(1, 1, 0), 0));
	EXPECT_EQ(0, msg_wait(deaf, POLLIN, QUIET_MS));
	ASSERT_EQ(0, set_slow(fd, FLITCAST_SLOW_WAIT, 0));
	for (i = 0; i < 3; i++) {
		msg_fill(big, 20000, msg_key(1, 2, i), 0);
		ASSERT_EQ(20000, RESULT(msg_send_list(fd, big, 20000, targets, 2, 0)));
	}
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(20000, soon(deaf, got, sizeof(got)));
		EXPECT_EQ(20000, msg_check(got, 20000, msg_key(1, 2, i), 0));
		EXPECT_EQ(20000, soon(good, got, sizeof(got)));
	}
}

/* The control message sets the policy of one message, whatever the socket's policy. */
TEST_F(line, slow__per_message)
{
	char control[CMSG_SPACE(sizeof(struct flitcast_slow_target))] = { };
	struct flitcast_slow_target slow = { .policy = FLITCAST_SLOW_SKIP, .ms = SLOW_MS };
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	struct iovec iov = { .iov_base = big, .iov_len = 10000 };
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT);
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	struct flitcast_result results[2];
	struct flitcast_report report;

	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	cmsg->cmsg_level = SOL_FLITCAST;
	cmsg->cmsg_type = FLITCAST_SLOW_TARGET;
	cmsg->cmsg_len = CMSG_LEN(sizeof(slow) - 1);
	EXPECT_EQ(-EINVAL, RESULT(sendmsg(fd, &msg, 0)));
	cmsg->cmsg_len = CMSG_LEN(sizeof(slow));
	slow.policy = 9;
	memcpy(CMSG_DATA(cmsg), &slow, sizeof(slow));
	EXPECT_EQ(-EINVAL, RESULT(sendmsg(fd, &msg, 0)));
	slow.policy = FLITCAST_SLOW_SKIP;
	memcpy(CMSG_DATA(cmsg), &slow, sizeof(slow));
	ASSERT_EQ(10000, RESULT(msg_send(fd, big, 10000, 2, PORT, 0)));	/* fills the buffer */
	ASSERT_EQ(10000, RESULT(sendmsg(fd, &msg, 0)));
	ASSERT_EQ(10000, RESULT(msg_send(fd, big, 10000, 2, PORT, 0)));	/* waits */
	ASSERT_EQ(1, report_soon(fd, &report, results, 2));
	EXPECT_EQ(0, results[0].error);
	ASSERT_EQ(1, report_soon(fd, &report, results, 2));
	EXPECT_EQ(1, report.id);
	EXPECT_EQ(ETIME, results[0].error);
	EXPECT_EQ(0, msg_wait(fd, POLLERR, 2 * SLOW_MS) & POLLERR);
	EXPECT_EQ(10000, soon(deaf, got, sizeof(got)));
	EXPECT_EQ(10000, soon(deaf, got, sizeof(got)));
	ASSERT_EQ(1, report_soon(fd, &report, results, 2));
	EXPECT_EQ(2, report.id);
	EXPECT_EQ(0, results[0].error);
}

/* The report of a slow target states whether the target may have the message. */
TEST_F(line, unknown__slow)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT }, { .site = 1, .port = PORT },
	};
	int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT), good = SOCKET(1, PORT);
	struct flitcast_result results[2];
	struct flitcast_report report;

	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));	/* fills the buffer */
	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	ASSERT_EQ(0, set_slow(fd, FLITCAST_SLOW_SKIP, SLOW_MS));
	/* The sender sends no second packet to a target without buffer space for the first one. */
	ASSERT_EQ(100000, RESULT(msg_send_list(fd, big, 100000, targets, 2, 0)));
	EXPECT_EQ(100000, soon(good, got, sizeof(got)));
	ASSERT_EQ(2, report_soon(fd, &report, results, 2));
	EXPECT_RESULT(results[0], 2, PORT, ETIME);
	EXPECT_EQ(0, results[0].flags);
	EXPECT_RESULT(results[1], 1, PORT, 0);
	EXPECT_EQ(0, results[1].flags);
	EXPECT_EQ(1, report.failed);
	EXPECT_EQ(0, report.unknown);
	EXPECT_EQ(1, soon(deaf, got, sizeof(got)));
	EXPECT_EQ(0, msg_wait(deaf, POLLIN, QUIET_MS));
}

/* A detached target is left out until the program sets the policy again. */
TEST_F(line, slow__detach)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT }, { .site = 1, .port = PORT },
	};
	int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT), good = SOCKET(1, PORT);
	struct flitcast_result results[2];
	struct flitcast_report report;
	char text[100] = "";
	socklen_t len = sizeof(text);
	int i;

	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	ASSERT_EQ(0, set_slow(fd, FLITCAST_SLOW_DETACH, SLOW_MS));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(10000, RESULT(msg_send_list(fd, big, 10000, targets, 2, 0)));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(2, report_soon(fd, &report, results, 2));
		EXPECT_EQ(i ? ETIME : 0, results[0].error);
		EXPECT_EQ(0, results[1].error);
	}
	/* The target stays left out although it has buffer space by now. */
	EXPECT_EQ(10000, soon(deaf, got, sizeof(got)));
	ASSERT_EQ(10000, RESULT(msg_send_list(fd, big, 10000, targets, 2, 0)));
	ASSERT_EQ(2, report_soon(fd, &report, results, 2));
	EXPECT_EQ(1, report.left_out);
	EXPECT_EQ(1, report.delivered);
	EXPECT_EQ(0, report.failed);
	EXPECT_RESULT(results[0], 2, PORT, ECANCELED);
	EXPECT_RESULT(results[1], 1, PORT, 0);
	EXPECT_EQ(0, msg_wait(deaf, POLLIN, QUIET_MS));
	/* A left-out target is no failure, and without FLITCAST_CONFIRM causes no report. */
	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 0));
	ASSERT_EQ(1, RESULT(msg_send_list(fd, "x", 1, targets, 2, 0)));
	EXPECT_FALSE(msg_wait(fd, POLLERR, QUIET_MS) & POLLERR);
	EXPECT_EQ(-ECONNREFUSED, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_ERRMSG, text, &len));
	EXPECT_NE(NULL, strstr(text, "detached"));
	ASSERT_EQ(0, set_slow(fd, FLITCAST_SLOW_WAIT, 0));
	ASSERT_EQ(2, RESULT(msg_send_list(fd, "xy", 2, targets, 2, 0)));
	EXPECT_EQ(2, soon(deaf, got, sizeof(got)));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(10000, soon(good, got, sizeof(got)));
	EXPECT_EQ(1, soon(good, got, sizeof(got)));
	EXPECT_EQ(2, soon(good, got, sizeof(got)));
}

/* Messages to a list: 16 MiB, to two receivers that read at once, and a slow one. */
#define BULK		16
#define BULK_MS		3000
#define BULK_PAUSE_MS	1000

/**
 * struct bulk_reader - a receiver of the list
 * @thread: reading thread
 * @fd: its socket
 * @pause_ms: pause before each message
 * @stop: no more messages are expected
 * @mask: messages received
 * @bad: messages that were altered or out of order
 */
struct bulk_reader {
	pthread_t thread;
	int fd;
	unsigned int pause_ms;
	volatile bool stop;
	uint32_t mask;
	unsigned int bad;
};

static void *bulk_read(void *arg)
{
	struct bulk_reader *reader = arg;
	char *data = malloc(MIB);
	uint32_t i = 0;

	while (data && !reader->stop && reader->mask >> (BULK - 1) == 0) {
		if (!msg_wait(reader->fd, POLLIN, 20))
			continue;
		sleep_ms(reader->pause_ms);
		if (msg_recv(reader->fd, data, MIB, NULL, MSG_DONTWAIT) != MIB) {
			reader->bad++;
			continue;
		}
		while (i < BULK && msg_check(data, MIB, msg_key(1, 3, i), 0) != MIB)
			i++;
		if (i < BULK)
			reader->mask |= 1U << i++;
		else
			reader->bad++;
	}
	free(data);
	return NULL;
}

/**
 * struct bulk - a list of 16 MiB
 * @reader: its receivers; the last one is slow
 * @errors: messages reported as failed, by receiver; with ETIME, and with ECANCELED
 * @unknown: those of @errors that the receiver may have
 */
struct bulk {
	struct bulk_reader reader[3];
	unsigned int errors[3][2];
	unsigned int unknown[3];
};

/* Send the list, and read the reports.  Return: false if a message or report is missing. */
static bool bulk_send(int fd, const struct flitcast_target *targets, struct bulk *bulk)
{
	struct flitcast_result results[3];
	struct flitcast_report report;
	unsigned int i, t;

	for (i = 0; i < BULK; i++) {
		msg_fill(big, MIB, msg_key(1, 3, i), 0);
		if (msg_send_list(fd, big, MIB, targets, 3, 0) != MIB)
			return false;
	}
	for (i = 0; i < BULK; i++) {
		if (report_soon(fd, &report, results, 3) != 3)
			return false;
		for (t = 0; t < 3; t++) {
			bulk->errors[t][0] += results[t].error == ETIME;
			bulk->errors[t][1] += results[t].error == ECANCELED;
			bulk->unknown[t] += results[t].error &&
					    results[t].flags & FLITCAST_RESULT_UNKNOWN;
			if (results[t].error && results[t].error != ETIME &&
			    results[t].error != ECANCELED)
				return false;
		}
	}
	return true;
}

/* Send the list; the slow receiver reads at a tenth of the rate of the others. */
static bool bulk_run(const int *ns, int port, uint32_t policy, struct bulk *bulk)
{
	struct flitcast_target targets[3] = {
		{ .site = 1, .port = port }, { .site = 2, .port = port },
		{ .site = 2, .port = port + 1 },
	};
	int fd = msg_socket(ns[0], 0, FLITCAST_PORT_ANY, 0), t;
	bool ok;

	memset(bulk, 0, sizeof(*bulk));
	if (set_int(fd, FLITCAST_CONFIRM, 1) ||
	    set_slow(fd, policy, policy == FLITCAST_SLOW_WAIT ? 0 : BULK_MS))
		return false;
	for (t = 0; t < 3; t++) {
		struct bulk_reader *reader = &bulk->reader[t];

		reader->fd = msg_socket(ns[targets[t].site], targets[t].site, targets[t].port, 0);
		reader->pause_ms = t == 2 ? BULK_PAUSE_MS : 0;
		if (pthread_create(&reader->thread, NULL, bulk_read, reader))
			return false;
	}
	ok = bulk_send(fd, targets, bulk);
	/* Confirmed messages may still be unread. */
	sleep_ms(2 * BULK_PAUSE_MS);
	for (t = 0; t < 3; t++) {
		struct bulk_reader *reader = &bulk->reader[t];

		reader->stop = policy != FLITCAST_SLOW_WAIT;
		pthread_join(reader->thread, NULL);
		ok = ok && !reader->bad;
		close(reader->fd);
	}
	close(fd);
	return ok;
}

#define EXPECT_BULK_FAST(bulk) do {						\
	int t_;									\
										\
	for (t_ = 0; t_ < 2; t_++) {						\
		EXPECT_EQ((1U << BULK) - 1, (bulk).reader[t_].mask);		\
		EXPECT_EQ(0, (bulk).errors[t_][0]);				\
		EXPECT_EQ(0, (bulk).errors[t_][1]);				\
	}									\
} while (0)

/* The slow receiver has each message, or the sender knows that it may not have it. */
#define EXPECT_BULK_KNOWN(bulk) do {						\
	unsigned int n_ = (bulk).errors[2][0] + (bulk).errors[2][1] +		\
			  __builtin_popcount((bulk).reader[2].mask);		\
										\
	EXPECT_LE(BULK, n_);							\
	EXPECT_GE(BULK, n_ - (bulk).unknown[2]);				\
} while (0)

/* The sender waits for the slow receiver, which gets all messages. */
TEST_F(line, slow__bulk_wait)
{
	struct bulk bulk;

	ASSERT_TRUE(bulk_run(self->ns, PORT, FLITCAST_SLOW_WAIT, &bulk));
	EXPECT_BULK_FAST(bulk);
	EXPECT_EQ((1U << BULK) - 1, bulk.reader[2].mask);
	EXPECT_EQ(0, bulk.errors[2][0]);
	EXPECT_EQ(0, bulk.errors[2][1]);
}

/* The others receive all; the slow one misses some messages, in order, and the sender knows. */
TEST_F(line, slow__bulk_skip)
{
	struct bulk bulk;

	ASSERT_TRUE(bulk_run(self->ns, PORT, FLITCAST_SLOW_SKIP, &bulk));
	EXPECT_BULK_FAST(bulk);
	EXPECT_LT(0, bulk.errors[2][0]);
	EXPECT_GT(BULK, bulk.errors[2][0]);
	EXPECT_EQ(0, bulk.errors[2][1]);
	EXPECT_BULK_KNOWN(bulk);
}

/* The slow receiver gets the first messages, and none of those after its detachment. */
TEST_F(line, slow__bulk_detach)
{
	struct bulk bulk;

	ASSERT_TRUE(bulk_run(self->ns, PORT, FLITCAST_SLOW_DETACH, &bulk));
	EXPECT_BULK_FAST(bulk);
	EXPECT_LT(0, bulk.errors[2][0]);
	EXPECT_NE(0, bulk.reader[2].mask);
	EXPECT_EQ(0, bulk.reader[2].mask & (bulk.reader[2].mask + 1));
	EXPECT_BULK_KNOWN(bulk);
}

/*
 * The receiver discards its part of a message that the sender aborted, though the sender sends it
 * nothing more: another sender gets the buffer space.
 */
TEST_F(line, slow__room_comes_back)
{
	int half = SOCKET(0, 0), other = SOCKET(1, 0), to = SOCKET(2, PORT);
	int room = MIB / 2 + MIB / 8;
	struct flitcast_result results[1];
	struct flitcast_report report;
	uint64_t start;

	ASSERT_EQ(0, setsockopt(to, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)));
	ASSERT_EQ(0, cli("lab exec name " LAB " 0 tc qdisc add dev p1 root netem rate 4mbit")) {
		TH_LOG("%s", cli_output());
	}
	ASSERT_EQ(0, set_slow(half, FLITCAST_SLOW_SKIP, SLOW_MS));
	ASSERT_EQ(MIB, RESULT(msg_send(half, big, MIB, 2, PORT, 0)));
	EXPECT_EQ(1, report_soon(half, &report, results, 1));
	EXPECT_EQ(ETIME, results[0].error);
	start = now_ms();
	ASSERT_EQ(MIB, RESULT(msg_send(other, big, MIB, 2, PORT, 0)));
	EXPECT_EQ(MIB, soon(to, got, sizeof(got)));
	/* The receiver would time out an unresponsive source only after 15 s. */
	EXPECT_GT(10000, now_ms() - start);
	EXPECT_EQ(0, cli("lab exec name " LAB " 0 tc qdisc del dev p1 root"));
}

/* Set the limit of the namespace of this thread. */
static void message_max(unsigned int bytes)
{
	FILE *file = fopen("/proc/sys/net/flitcast/message_max", "w");

	if (file) {
		fprintf(file, "%u", bytes);
		fclose(file);
	}
}

/* An unread report blocks no message, however large: messages never wait for the sender to read. */
TEST_F(line, report__unread_and_large)
{
	static char large[8 * MIB];
	struct timeval timeout = { .tv_sec = 10 };
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), events;
	struct flitcast_result results[2];
	struct flitcast_report report;

	ASSERT_EQ(0, lab_enter(self->ns[0]));
	message_max(8 * MIB);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)));
	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	ASSERT_EQ(100, RESULT(msg_send(fd, big, 100, 2, PORT, 0)));
	ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS) & POLLERR);
	events = msg_wait(fd, POLLOUT, 0);
	EXPECT_NE(0, events & POLLOUT);
	EXPECT_EQ(sizeof(large), RESULT(msg_send(fd, large, sizeof(large), 2, PORT, 0)));
	EXPECT_EQ(100, soon(to, got, sizeof(got)));
	EXPECT_EQ(MIB, soon(to, got, sizeof(got)));
	ASSERT_EQ(1, report_soon(fd, &report, results, 2));
	ASSERT_EQ(1, report_soon(fd, &report, results, 2));
	EXPECT_EQ(0, outq(fd));
	message_max(MIB);
}

/*
 * When reports alone fill the send buffer, a blocking call fails: only its caller could read them.
 */
TEST_F(line, report__fill_the_room)
{
	struct timeval timeout = { .tv_sec = 10 };
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), room = 4096, n, i;
	struct flitcast_result results[2];
	struct flitcast_report report;
	char text[100] = "";
	socklen_t len = sizeof(text);
	ssize_t sent = 0;

	ASSERT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_SNDBUF, &room, sizeof(room)));
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)));
	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	for (n = 0; n < 100; n++) {
		sent = RESULT(msg_send(fd, "", 0, 2, PORT, 0));
		if (sent)
			break;
		ASSERT_EQ(0, soon(to, got, sizeof(got)));
	}
	EXPECT_EQ(-ENOBUFS, sent);
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_ERRMSG, text, &len));
	EXPECT_NE(NULL, strstr(text, "unread reports"));
	EXPECT_LE(4096 / 640, n);
	EXPECT_GE(4096 / 640 + 1, n);
	/* poll() agrees: it shows reports to read, and no buffer space to send. */
	EXPECT_EQ(POLLERR, msg_wait(fd, POLLOUT, 0));
	EXPECT_EQ(-EAGAIN, RESULT(msg_send(fd, "", 0, 2, PORT, MSG_DONTWAIT)));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(1, report_soon(fd, &report, results, 2));
		EXPECT_EQ(i, report.id);
		EXPECT_EQ(0, results[0].error);
	}
	EXPECT_EQ(POLLOUT, msg_wait(fd, POLLOUT, 0));
	EXPECT_EQ(0, RESULT(msg_send(fd, "", 0, 2, PORT, 0)));
	EXPECT_EQ(0, soon(to, got, sizeof(got)));
}

static void linger(int fd, int seconds)
{
	struct linger l = { .l_onoff = 1, .l_linger = seconds };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
}

static void *read_later(void *arg)
{
	sleep_ms(SLOW_MS);
	msg_recv(*(int *)arg, got, sizeof(got), NULL, 0);
	return NULL;
}

/* close() waits up to the SO_LINGER time; the site keeps sending the remaining messages. */
TEST_F(line, close__linger)
{
	int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT);
	pthread_t thread;
	uint64_t start;

	ASSERT_EQ(10000, RESULT(msg_send(fd, big, 10000, 2, PORT, 0)));
	ASSERT_EQ(20000, RESULT(msg_send(fd, big, 20000, 2, PORT, 0)));
	linger(fd, 1);
	start = now_ms();
	close(fd);
	EXPECT_LE(990, now_ms() - start);
	EXPECT_EQ(10000, soon(deaf, got, sizeof(got)));
	EXPECT_EQ(20000, soon(deaf, got, sizeof(got)));
	/* close() returns as soon as the messages are completed. */
	fd = SOCKET(0, 0);
	ASSERT_EQ(10000, RESULT(msg_send(fd, big, 10000, 2, PORT, 0)));
	ASSERT_EQ(20000, RESULT(msg_send(fd, big, 20000, 2, PORT, 0)));
	linger(fd, 100);
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_later, &deaf));
	start = now_ms();
	close(fd);
	EXPECT_LE(SLOW_MS - 10, now_ms() - start);
	EXPECT_GT(SOON_MS, now_ms() - start);
	pthread_join(thread, NULL);
	/* The receiver has the message. */
	EXPECT_EQ(20000, RESULT(msg_recv(deaf, got, sizeof(got), NULL, MSG_DONTWAIT)));
}

/* With a linger time of 0 the site drops unsent messages. */
TEST_F(line, close__drop)
{
	int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT);
	uint64_t start = now_ms();

	ASSERT_EQ(10000, RESULT(msg_send(fd, big, 10000, 2, PORT, 0)));
	ASSERT_NE(0, msg_wait(deaf, POLLIN, SOON_MS));
	ASSERT_EQ(20000, RESULT(msg_send(fd, big, 20000, 2, PORT, 0)));
	linger(fd, 0);
	close(fd);
	EXPECT_GT(SOON_MS, now_ms() - start);
	EXPECT_EQ(10000, soon(deaf, got, sizeof(got)));
	EXPECT_EQ(0, msg_wait(deaf, POLLIN, 5 * QUIET_MS));
	/* Another socket gets the buffer space of the dropped message. */
	fd = SOCKET(0, 0);
	ASSERT_EQ(30000, RESULT(msg_send(fd, big, 30000, 2, PORT, 0)));
	EXPECT_EQ(30000, soon(deaf, got, sizeof(got)));
}

/* After close(), the site keeps sending for FLITCAST_TIMEOUT at most. */
TEST_F(line, close__deadline)
{
	int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT);

	ASSERT_EQ(0, set_int(fd, FLITCAST_TIMEOUT, 2 * SLOW_MS));
	ASSERT_EQ(10000, RESULT(msg_send(fd, big, 10000, 2, PORT, 0)));
	ASSERT_EQ(20000, RESULT(msg_send(fd, big, 20000, 2, PORT, 0)));
	ASSERT_NE(0, msg_wait(deaf, POLLIN, SOON_MS));
	close(fd);
	sleep_ms(5 * SLOW_MS);
	EXPECT_EQ(10000, soon(deaf, got, sizeof(got)));
	EXPECT_EQ(0, msg_wait(deaf, POLLIN, 5 * QUIET_MS));
}

/*
 * A receiver that closes its socket notifies a waiting sender at once.  Otherwise the sender finds
 * out with its next question, within four seconds, two on average.
 */
TEST_F(line, close__wakes_waiters)
{
	uint64_t waited = 0;
	int i;

	for (i = 0; i < 4; i++) {
		int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT + i);
		uint64_t start;

		ASSERT_EQ(10000, RESULT(msg_send(fd, big, 10000, 2, PORT + i, 0)));
		ASSERT_EQ(20000, RESULT(msg_send(fd, big, 20000, 2, PORT + i, 0)));
		ASSERT_NE(0, msg_wait(deaf, POLLIN, SOON_MS));
		/* The intervals between the sender's questions grow. */
		EXPECT_FALSE(msg_wait(fd, POLLERR, 4000) & POLLERR);
		start = now_ms();
		close(deaf);
		EXPECT_NE(0, msg_wait(fd, POLLERR, SOON_MS) & POLLERR);
		waited += now_ms() - start;
		EXPECT_EQ(ECONNREFUSED, msg_error(fd));
		close(fd);
	}
	EXPECT_GT(3000, waited);
}

/* A receiver that reports that it has no buffer space is responsive: it does not time out. */
TEST_F(line, timeout__not_for_readers)
{
	int fd = SOCKET(0, 0), deaf = deaf_socket(self->ns[2], 2, PORT);

	ASSERT_EQ(0, set_int(fd, FLITCAST_TIMEOUT, 2 * SLOW_MS));
	ASSERT_EQ(10000, RESULT(msg_send(fd, big, 10000, 2, PORT, 0)));
	ASSERT_EQ(20000, RESULT(msg_send(fd, big, 20000, 2, PORT, 0)));
	EXPECT_FALSE(msg_wait(fd, POLLERR, 10 * SLOW_MS) & POLLERR);
	EXPECT_EQ(10000, soon(deaf, got, sizeof(got)));
	EXPECT_EQ(20000, soon(deaf, got, sizeof(got)));
}

/* A requested report is created even if the site is deleted. */
TEST_F(alone, report__site_gone)
{
	int fd = msg_socket(self->netns, 1, PORT, 0);
	struct flitcast_result results[2];
	struct flitcast_report report;

	ASSERT_EQ(0, set_int(fd, FLITCAST_CONFIRM, 1));
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(-EAGAIN, report_now(fd, &report, results, 2, NULL));
	ASSERT_EQ(0, cli("site del 1"));
	ASSERT_EQ(1, report_now(fd, &report, results, 2, NULL));
	EXPECT_RESULT(results[0], 2, PORT, ENETDOWN);
}

API_MAIN
