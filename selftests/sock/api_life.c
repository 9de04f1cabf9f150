// SPDX-License-Identifier: GPL-2.0
/*
 * The life of sockets and of the sites, links and namespaces under them: close, fork, and deletion.
 */
#include <net/if.h>
#include "api.h"

#define MIB	(1U << 20)

static char big[MIB], got[MIB];

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

static ssize_t soon(int fd, void *data, size_t size, struct sockaddr_flitcast *from)
{
	if (!msg_wait(fd, POLLIN | POLLERR, SOON_MS))
		return -ETIMEDOUT;
	return RESULT(msg_recv(fd, data, size, from, MSG_DONTWAIT));
}

static bool quiet(int fd)
{
	return !msg_wait(fd, POLLIN | POLLERR, QUIET_MS);
}

static int error_soon(int fd, int ms)
{
	msg_wait(fd, POLLERR, ms);
	return msg_error(fd);
}

/* Wait until every sent message is confirmed or aborted. */
static bool calm(int fd)
{
	uint64_t until = now_ms() + SOON_MS;
	int value = 1;

	while (!ioctl(fd, SIOCOUTQ, &value) && value && now_ms() < until)
		sleep_ms(5);
	return !value;
}

TEST_F(line, close__unsent)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;

	for (i = 0; i < 3; i++) {
		msg_fill(big, MIB, i, 0);
		ASSERT_EQ(MIB, RESULT(msg_send(from, big, MIB, 2, PORT, 0)));
	}
	close(from);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(MIB, soon(to, got, sizeof(got), NULL));
		EXPECT_EQ(MIB, msg_check(got, MIB, i, 0));
	}
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, close__exit)
{
	int to = SOCKET(2, PORT), status;
	pid_t child = fork();

	if (!child) {
		int from = SOCKET(0, 0);

		msg_fill(big, MIB, 1, 0);
		_exit(msg_send(from, big, MIB, 2, PORT, 0) == MIB ? 0 : 1);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, status);
	ASSERT_EQ(MIB, soon(to, got, sizeof(got), NULL));
	EXPECT_EQ(MIB, msg_check(got, MIB, 1, 0));
}

TEST_F(line, close__unread)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(100000, RESULT(msg_send(from, big, 100000, 2, PORT, 0)));
	ASSERT_TRUE(calm(from));
	close(to);
	/* The message received before close() was delivered; a message sent now is refused. */
	EXPECT_EQ(0, msg_error(from));
	ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(ECONNREFUSED, error_soon(from, SOON_MS));
}

/* When a full receiver closes its socket, the waiting senders get ECONNREFUSED. */
TEST_F(line, close__full)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), n = 0;
	uint64_t last = now_ms();

	while (now_ms() - last < 1000) {
		if (RESULT(msg_send(from, big, MIB, 2, PORT, MSG_DONTWAIT)) > 0) {
			last = now_ms();
			n++;
		} else {
			sleep_ms(10);
		}
		ASSERT_GT(20, n);
	}
	close(to);
	EXPECT_EQ(ECONNREFUSED, error_soon(from, SOON_MS));
	EXPECT_TRUE(calm(from));
}

TEST_F(line, close__receiver_comes_back)
{
	int from = SOCKET(0, 0), to, round, i;

	for (round = 0; round < 5; round++) {
		to = SOCKET(2, PORT);
		ASSERT_LE(0, to);
		for (i = 0; i < 5; i++) {
			uint64_t key = msg_key(1, round, i);

			msg_fill(big, 100000, key, 0);
			ASSERT_EQ(100000, RESULT(msg_send(from, big, 100000, 2, PORT, 0)));
			ASSERT_EQ(100000, soon(to, got, sizeof(got), NULL)) {
				TH_LOG("round %d message %d", round, i);
			}
			ASSERT_EQ(100000, msg_check(got, 100000, key, 0));
		}
		ASSERT_TRUE(calm(from));
		close(to);
	}
}

TEST_F(line, close__sender_comes_back)
{
	int to = SOCKET(2, PORT), round, i;

	for (round = 0; round < 20; round++) {
		struct sockaddr_flitcast addr;
		int from = SOCKET(0, PORT);

		ASSERT_LE(0, from);
		for (i = 0; i < 5; i++) {
			uint32_t words[2] = { round, i };

			ASSERT_EQ(8, RESULT(msg_send(from, words, 8, 2, PORT, 0)));
		}
		close(from);
		for (i = 0; i < 5; i++) {
			uint32_t words[2];

			ASSERT_EQ(8, soon(to, words, 8, &addr));
			EXPECT_EQ(PORT, addr.sfc_port);
			EXPECT_EQ(round, words[0]);
			EXPECT_EQ(i, words[1]);
		}
	}
	EXPECT_TRUE(quiet(to));
}

/* Each message of many closed sockets arrives once; the order of the sockets does not matter. */
TEST_F(line, close__many)
{
	int to = SOCKET(2, PORT), i, n;
	bool seen[300] = { false };

	for (i = 0; i < 300; i++) {
		int fd = SOCKET(0, 0);

		msg_fill(big, 5000, 1, 0);
		memcpy(big, &i, sizeof(i));
		ASSERT_EQ(5000, RESULT(msg_send(fd, big, 5000, 2, PORT, 0)));
		close(fd);
	}
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(5000, soon(to, got, sizeof(got), NULL));
		memcpy(&n, got, sizeof(n));
		ASSERT_LE(0, n);
		ASSERT_GT(300, n);
		EXPECT_FALSE(seen[n]);
		seen[n] = true;
	}
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, dup__shared)
{
	int from = SOCKET(0, PORT), to = SOCKET(2, PORT), copy = dup(from), again;

	close(from);
	ASSERT_EQ(1, RESULT(msg_send(copy, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(1, soon(to, got, sizeof(got), NULL));
	EXPECT_EQ(PORT, msg_name(copy).sfc_port);
	/* The port is released when the last descriptor is closed. */
	again = SOCKET(0, PORT);
	EXPECT_EQ(-1, again);
	close(copy);
	again = SOCKET(0, PORT);
	EXPECT_LE(0, again);
}

TEST_F(line, fork__shared)
{
	int from = SOCKET(0, PORT), to = SOCKET(2, PORT), status, i;
	pid_t child;

	child = fork();
	if (!child) {
		/* The child has both sockets, too. */
		for (i = 0; i < 10; i++)
			if (msg_send(from, "child", 5, 2, PORT, 0) != 5)
				_exit(1);
		_exit(0);
	}
	close(from);
	for (i = 0; i < 10; i++)
		ASSERT_EQ(5, soon(to, got, sizeof(got), NULL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_TRUE(quiet(to));
}

/* A sender is killed while it waits for buffer space: its port becomes free, and the site works. */
TEST_F(line, kill__in_send)
{
	int to = SOCKET(2, PORT), again = -1, status;
	uint64_t until;
	pid_t child;

	child = fork();
	if (!child) {
		int from = SOCKET(0, PORT);

		for (;;)
			msg_send(from, big, MIB, 2, PORT, 0);
	}
	sleep_ms(1500);
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	for (until = now_ms() + SOON_MS; again < 0 && now_ms() < until;)
		again = SOCKET(0, PORT);
	EXPECT_LE(0, again);
	ASSERT_EQ(MIB, soon(to, got, sizeof(got), NULL));
}

struct waiter {
	int fd;
	ssize_t result;
};

static void *wait_in_recv(void *arg)
{
	struct waiter *w = arg;
	char byte;

	w->result = RESULT(msg_recv(w->fd, &byte, 1, NULL, 0));
	return NULL;
}

static void *wait_in_poll(void *arg)
{
	struct waiter *w = arg;

	w->result = msg_wait(w->fd, POLLIN, SOON_MS);
	return NULL;
}

static void *wait_in_send(void *arg)
{
	struct waiter *w = arg;

	do {
		w->result = RESULT(msg_send(w->fd, big, MIB, 2, PORT, 0));
	} while (w->result >= 0);
	return NULL;
}

TEST_F(frail, site_del__wakes)
{
	struct waiter reader = { .fd = SOCKET(0, 0) }, poller = { .fd = SOCKET(0, 0) };
	struct waiter sender = { .fd = SOCKET(0, 0) };
	int deaf = SOCKET(2, PORT);
	pthread_t thread[3];
	int i;

	ASSERT_LE(0, deaf);
	ASSERT_EQ(0, pthread_create(&thread[0], NULL, wait_in_recv, &reader));
	ASSERT_EQ(0, pthread_create(&thread[1], NULL, wait_in_poll, &poller));
	ASSERT_EQ(0, pthread_create(&thread[2], NULL, wait_in_send, &sender));
	sleep_ms(1500);
	ASSERT_EQ(0, cli("-n " FRAIL "-0 site del 0"));
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(-ENETDOWN, reader.result);
	EXPECT_NE(0, poller.result & POLLERR);
	EXPECT_EQ(-ENETDOWN, sender.result);
}

TEST_F(frail, site_del__stays_down)
{
	struct sockaddr_flitcast addr = msg_addr(0, PORT + 1);
	int fd = SOCKET(0, PORT), fresh, i;
	char byte;

	ASSERT_EQ(0, lab_enter(self->ns[0]));
	fresh = socket(msg_family(), SOCK_RDM, 0);
	ASSERT_EQ(0, cli("-n " FRAIL "-0 site del 0"));
	ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ENETDOWN, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
		EXPECT_EQ(-ENETDOWN, RESULT(msg_recv(fd, &byte, 1, NULL, 0)));
	}
	EXPECT_EQ(-ENETDOWN, RESULT(bind(fresh, (struct sockaddr *)&addr, sizeof(addr))));
	EXPECT_EQ(-ENETDOWN, RESULT(msg_send(fresh, "x", 1, 2, PORT, 0)));
	/* The socket was bound to the earlier incarnation of the site. */
	ASSERT_EQ(0, cli("-n " FRAIL "-0 site add 0 topology line:3"));
	EXPECT_EQ(-ENETDOWN, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(0, RESULT(bind(fresh, (struct sockaddr *)&addr, sizeof(addr))));
	/* The port is free in the new incarnation, though the socket is still open. */
	EXPECT_LE(0, SOCKET(0, PORT));
}

TEST_F(frail, site_del__queued)
{
	int from = SOCKET(2, 0), to = SOCKET(0, PORT), i, n = 0;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 0, PORT, 0)));
	ASSERT_TRUE(calm(from));
	ASSERT_EQ(0, cli("-n " FRAIL "-0 site del 0"));
	/* Confirmed messages can still be read; then recv() returns the error. */
	for (i = 0; i < 5; i++)
		n += RESULT(msg_recv(to, got, 1, NULL, MSG_DONTWAIT)) == 1;
	EXPECT_EQ(3, n);
	EXPECT_EQ(-ENETDOWN, RESULT(msg_recv(to, got, 1, NULL, MSG_DONTWAIT)));
}

TEST_F(frail, site_del__peers)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), one = SOCKET(1, PORT), err;
	struct flitcast_target targets[] = {
		{ .site = 1, .port = PORT }, { .site = 2, .port = PORT },
	};
	unsigned int timeout = 2000;

	ASSERT_LE(0, to);
	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout, sizeof(timeout)));
	ASSERT_EQ(0, cli("-n " FRAIL "-2 site del 2"));
	ASSERT_EQ(4, RESULT(msg_send_list(from, "list", 4, targets, 2, 0)));
	/* The remaining site receives the message; the sender gets an error for the deleted one. */
	EXPECT_EQ(4, soon(one, got, sizeof(got), NULL));
	err = error_soon(from, SOON_MS);
	EXPECT_TRUE(err == ETIMEDOUT || err == EHOSTUNREACH) {
		TH_LOG("error %d", err);
	}
	EXPECT_TRUE(calm(from));
}

/* The sender sent all of the first message, and only the first packet of the second one. */
TEST_F(frail, site_del__unknown)
{
	int from = SOCKET(0, 0), one = 1, i;
	struct flitcast_result result;
	struct flitcast_report report;
	unsigned int timeout = 2000;

	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout, sizeof(timeout)));
	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)));
	ASSERT_EQ(0, cli("-n " FRAIL "-2 site del 2"));
	ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
	ASSERT_EQ(MIB, RESULT(msg_send(from, big, MIB, 2, PORT, 0)));
	for (i = 0; i < 2; i++) {
		ASSERT_NE(0, msg_wait(from, POLLERR, SOON_MS) & POLLERR);
		ASSERT_EQ(1, RESULT(msg_report(from, &report, &result, 1, NULL)));
		EXPECT_EQ(i, report.id);
		EXPECT_EQ(1, report.failed);
		EXPECT_TRUE(result.error == ETIMEDOUT || result.error == EHOSTUNREACH);
		EXPECT_EQ(i ? 0 : FLITCAST_RESULT_UNKNOWN, result.flags);
		EXPECT_EQ(!i, report.unknown);
	}
	EXPECT_TRUE(calm(from));
}

/* A transit site is deleted while messages cross it. */
TEST_F(frail, site_del__in_transit)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i, err;
	unsigned int timeout = 2000;

	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout, sizeof(timeout)));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(MIB, RESULT(msg_send(from, big, MIB, 2, PORT, 0)));
	ASSERT_EQ(0, cli("-n " FRAIL "-1 site del 1"));
	for (i = 0; i < 3; i++)
		if (!msg_wait(to, POLLIN, 500) || msg_recv(to, got, MIB, NULL, 0) != MIB)
			break;
	EXPECT_TRUE(calm(from));
	err = msg_error(from);
	EXPECT_TRUE(!err || err == ETIMEDOUT || err == EHOSTUNREACH) {
		TH_LOG("error %d", err);
	}
	/* The sender reported every message that was not received, and maybe others. */
	EXPECT_LE(3 - i, (int)msg_stats(from).tx_failed);
}

/* Set or clear the carrier of a device in the namespace of this thread.  Return: 0 or -errno. */
static int set_device(const char *dev, bool up)
{
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int err;

	strncpy(request.ifr_name, dev, sizeof(request.ifr_name) - 1);
	err = ioctl(fd, SIOCGIFFLAGS, &request) ? -errno : 0;
	request.ifr_flags = up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP;
	if (!err && ioctl(fd, SIOCSIFFLAGS, &request))
		err = -errno;
	close(fd);
	return err;
}

/*
 * Links fail while messages are in flight: the receiver releases the buffer space reserved for the
 * incomplete messages, or it would refuse all messages for good.
 */
TEST_F(frail, room__halves)
{
	int to = SOCKET(2, PORT), from[6], round, i, whole = 0;
	unsigned int timeout = 300;
	uint64_t start;

	for (round = 0; round < 8; round++) {
		for (i = 0; i < 6; i++) {
			from[i] = SOCKET(0, 0);
			ASSERT_EQ(0, setsockopt(from[i], SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout,
						sizeof(timeout)));
			ASSERT_EQ(MIB, RESULT(msg_send(from[i], big, MIB, 2, PORT, 0)));
		}
		ASSERT_EQ(0, lab_enter(self->ns[1]));
		sleep_ms(10 + 15 * round);
		ASSERT_EQ(0, set_device("p1", false));
		for (i = 0; i < 6; i++) {
			ASSERT_TRUE(calm(from[i]));
			close(from[i]);
		}
		ASSERT_EQ(0, set_device("p1", true));
		/* Read the messages that arrived completely. */
		while (msg_wait(to, POLLIN, QUIET_MS) & POLLIN)
			whole += RESULT(msg_recv(to, got, sizeof(got), NULL, MSG_DONTWAIT)) == MIB;
	}
	TH_LOG("%d of 48 messages came whole", whole);
	EXPECT_GT(48, whole);
	start = now_ms();
	from[0] = SOCKET(1, 0);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(MIB, RESULT(msg_send(from[0], big, MIB, 2, PORT, 0)));
	for (i = 0; i < 4; i++) {
		ASSERT_NE(0, msg_wait(to, POLLIN, 3 * SOON_MS)) {
			TH_LOG("message %d of 4", i);
		}
		TH_LOG("message %d after %llu ms", i, (unsigned long long)(now_ms() - start));
		ASSERT_EQ(MIB, RESULT(msg_recv(to, got, sizeof(got), NULL, MSG_DONTWAIT)));
	}
}

/* A link that is down for a while delays messages, and loses none. */
TEST_F(frail, link_del__comes_back)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), round;

	for (round = 0; round < 3; round++) {
		msg_fill(big, MIB, round, 0);
		ASSERT_EQ(MIB, RESULT(msg_send(from, big, MIB, 2, PORT, 0)));
		ASSERT_EQ(0, cli("-n " FRAIL "-1 link del p1")) {
			TH_LOG("%s", cli_output());
		}
		ASSERT_EQ(5, RESULT(msg_send(from, "after", 5, 2, PORT, 0)));
		sleep_ms(500);
		ASSERT_EQ(0, cli("-n " FRAIL "-1 link add p1 port 1")) {
			TH_LOG("%s", cli_output());
		}
		ASSERT_EQ(MIB, soon(to, got, sizeof(got), NULL));
		EXPECT_EQ(MIB, msg_check(got, MIB, round, 0));
		ASSERT_EQ(5, soon(to, got, sizeof(got), NULL));
	}
	EXPECT_TRUE(quiet(to));
	EXPECT_TRUE(calm(from));
	EXPECT_EQ(0, msg_error(from));
}

TEST_F(frail, link_del__stays_away)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), err;
	unsigned int timeout = 2000;
	uint64_t start;

	ASSERT_LE(0, to);
	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_TIMEOUT, &timeout, sizeof(timeout)));
	ASSERT_EQ(0, cli("-n " FRAIL "-1 link del p1"));
	start = now_ms();
	ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
	err = error_soon(from, SOON_MS);
	EXPECT_EQ(EHOSTUNREACH, err);
	EXPECT_LE(1900, now_ms() - start);
}

/* Sockets keep their namespace, even when its name is deleted. */
TEST_F(frail, netns_del__sockets_live)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), again, i;

	for (i = 0; i < 3; i++)
		close(self->ns[i]);
	ASSERT_EQ(0, cli("lab down name " FRAIL));
	/* The namespace between has neither name nor socket: the kernel deletes it. */
	EXPECT_EQ(1, RESULT(msg_send(from, "x", 1, 0, msg_name(from).sfc_port, 0)));
	EXPECT_EQ(1, soon(from, got, sizeof(got), NULL));
	again = msg_socket(-1, 2, PORT, 0);
	EXPECT_EQ(-1, again);
	close(from);
	close(to);
	/* All names are free again: a new lab of the same name comes up. */
	ASSERT_EQ(0, lab_up(FRAIL, "line:3")) {
		TH_LOG("%s", cli_output());
	}
	EXPECT_EQ(NULL, lab_healthy(FRAIL, SOON_MS));
}

/* Open, bound, unbound and full sockets do not delay the deletion of a namespace. */
TEST_F(frail, netns_del__all_at_once)
{
	int fd[30], i;

	for (i = 0; i < 30; i++) {
		fd[i] = SOCKET(i % 3, i % 2 ? 0 : PORT + i);
		ASSERT_LE(0, fd[i]);
	}
	for (i = 0; i < 300; i++)
		msg_send(fd[i % 30], big, i * 100, i % 7 % 3, PORT + i % 30, MSG_DONTWAIT);
	for (i = 0; i < 3; i++)
		close(self->ns[i]);
	ASSERT_EQ(0, cli("lab down name " FRAIL));
	for (i = 0; i < 30; i++)
		close(fd[i]);
	ASSERT_EQ(0, lab_up(FRAIL, "line:3")) {
		TH_LOG("%s", cli_output());
	}
	EXPECT_EQ(NULL, lab_healthy(FRAIL, SOON_MS));
}

API_MAIN
