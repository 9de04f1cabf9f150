// SPDX-License-Identifier: GPL-2.0
/*
 * Buffer space: a receiver that does not read blocks the senders that send to it, only them, and at
 * a bounded amount.
 */
#include "api.h"

#define MIB	(1U << 20)

/* A socket that accepts nothing for this time is taken for full. */
#define STUCK_MS	1500

static char big[MIB], got[MIB];

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

/* Set or clear O_NONBLOCK: like MSG_DONTWAIT for all calls. */
static void nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

/**
 * stuff() - send until the socket accepts nothing more
 * @fd: socket
 * @site: site of a receiver that does not read
 * @port: its port
 * @len: bytes of each message, message n being stream n of the socket
 * @most: stop after this many messages
 *
 * Return: messages accepted, @most if the socket never refuses, or -errno.
 */
static int stuff(int fd, uint32_t site, uint16_t port, size_t len, int most)
{
	uint64_t last = now_ms();
	int n = 0;

	while (n < most && now_ms() - last < STUCK_MS) {
		ssize_t sent;

		msg_fill(big, len, msg_key(1, fd, n), 0);
		sent = RESULT(msg_send(fd, big, len, site, port, MSG_DONTWAIT));
		if (sent == (ssize_t)len) {
			last = now_ms();
			n++;
		} else if (sent == -EAGAIN) {
			sleep_ms(20);
		} else {
			return sent < 0 ? sent : -EIO;
		}
	}
	return n;
}

/* Reads message @n of @key and of @len bytes.  Return: NULL, or the error. */
static const char *drain_one(int fd, uint32_t key, int n, size_t len)
{
	ssize_t have;

	if (!msg_wait(fd, POLLIN, SOON_MS))
		return "nothing comes";
	have = RESULT(msg_recv(fd, got, sizeof(got), NULL, MSG_DONTWAIT));
	if (have < 0)
		return strerror(-have);
	if (have != (ssize_t)len)
		return "wrong length";
	return msg_check(got, len, msg_key(1, key, n), 0) == len ? NULL : "wrong bytes";
}

/* Reads the messages of stuff(), from message @from to before @to. */
static const char *drain(int fd, uint32_t key, int from, int to, size_t len)
{
	static char text[100];
	const char *bad = NULL;
	int n;

	for (n = from; n < to && !bad; n++)
		bad = drain_one(fd, key, n, len);
	if (bad)
		snprintf(text, sizeof(text), "message %d of %d: %s", n - 1, to, bad);
	return bad ? text : NULL;
}

#define EXPECT_DRAINED(fd, key, from, to, len) do {				\
	const char *bad_ = drain(fd, key, from, to, len);			\
	if (bad_) {								\
		TH_LOG("%s", bad_);						\
		_metadata->passed = 0;						\
	}									\
} while (0)

FIXTURE(deaf) {
	int ns[3];
};

FIXTURE_VARIANT(deaf) {
	size_t len;
	int most;
	int ports;	/* offset from the test's port: each variant has its own */
};

/* Send and receive buffer are 4 MiB each; about as much again is generous. */
FIXTURE_VARIANT_ADD(deaf, empty) { .len = 0, .most = 40000, .ports = 0 };
FIXTURE_VARIANT_ADD(deaf, tiny) { .len = 1, .most = 40000, .ports = 100 };
FIXTURE_VARIANT_ADD(deaf, page) { .len = 4096, .most = 4000, .ports = 200 };
FIXTURE_VARIANT_ADD(deaf, packet) { .len = 65536, .most = 256, .ports = 300 };
FIXTURE_VARIANT_ADD(deaf, large) { .len = MIB, .most = 16, .ports = 400 };

FIXTURE_SETUP(deaf)
{
	int i;

	api_choose_port(_metadata);
	api_port += variant->ports;
	if (lab_sites(LAB) != 3 || lab_healthy(LAB, SOON_MS))
		ASSERT_EQ(0, lab_up(LAB, "line:3")) {
			TH_LOG("%s", cli_output());
		}
	for (i = 0; i < 3; i++) {
		self->ns[i] = lab_open(LAB, i);
		ASSERT_LE(0, self->ns[i]);
	}
}

FIXTURE_TEARDOWN(deaf)
{
	const char *bad = lab_healthy(LAB, SOON_MS);

	if (bad) {
		TH_LOG("afterwards: %s", bad);
		_metadata->passed = 0;
	}
}

TEST_F(deaf, room__bounded)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), n, more;

	n = stuff(from, 2, PORT, variant->len, variant->most);
	ASSERT_LT(0, n);
	ASSERT_GT(variant->most, n);
	EXPECT_FALSE(msg_wait(from, POLLOUT, 100) & POLLOUT);
	/* The receiver gets all messages when it reads; then the sender can send as many again. */
	EXPECT_DRAINED(to, from, 0, n, variant->len);
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
	EXPECT_NE(0, msg_wait(from, POLLOUT, SOON_MS) & POLLOUT);
	more = stuff(from, 2, PORT, variant->len, variant->most);
	ASSERT_LT(n / 2, more);
	EXPECT_DRAINED(to, from, 0, more, variant->len);
	EXPECT_EQ(0, msg_error(from));
}

TEST_F(deaf, room__to_itself)
{
	int fd = SOCKET(1, PORT), n;

	n = stuff(fd, 1, PORT, variant->len, variant->most);
	ASSERT_LT(0, n);
	ASSERT_GT(variant->most, n);
	EXPECT_DRAINED(fd, fd, 0, n, variant->len);
	EXPECT_EQ(0, msg_wait(fd, POLLIN, QUIET_MS));
}

struct reader {
	int fd;
	uint32_t key;
	int from;
	int to;
	size_t len;
	unsigned int after_ms;
	const char *bad;
};

static void *read_late(void *arg)
{
	struct reader *r = arg;

	sleep_ms(r->after_ms);
	r->bad = drain(r->fd, r->key, r->from, r->to, r->len);
	return NULL;
}

TEST_F(line, room__poll_wakes)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), n;
	struct reader reader = { .fd = to, .key = from, .len = 65536, .after_ms = 300 };
	pthread_t thread;
	uint64_t start;

	n = stuff(from, 2, PORT, 65536, 256);
	ASSERT_GT(256, n);
	reader.to = n;
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_late, &reader));
	start = now_ms();
	EXPECT_NE(0, msg_wait(from, POLLOUT, SOON_MS) & POLLOUT);
	EXPECT_LE(290, now_ms() - start);
	pthread_join(thread, NULL);
	EXPECT_EQ(NULL, reader.bad) {
		TH_LOG("%s", reader.bad);
	}
}

TEST_F(line, room__send_wakes)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), n;
	struct reader reader = { .fd = to, .key = from, .len = 65536, .after_ms = 300 };
	pthread_t thread;
	uint64_t start;

	n = stuff(from, 2, PORT, 65536, 256);
	ASSERT_GT(256, n);
	reader.to = n + 1;
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_late, &reader));
	msg_fill(big, 65536, msg_key(1, from, n), 0);
	start = now_ms();
	EXPECT_EQ(65536, RESULT(msg_send(from, big, 65536, 2, PORT, 0)));
	EXPECT_LE(290, now_ms() - start);
	pthread_join(thread, NULL);
	EXPECT_EQ(NULL, reader.bad) {
		TH_LOG("%s", reader.bad);
	}
}

TEST_F(line, room__send_timeout)
{
	struct timeval timeout = { .tv_usec = 400000 };
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), n;
	uint64_t start;

	n = stuff(from, 2, PORT, 65536, 256);
	ASSERT_GT(256, n);
	ASSERT_EQ(0, setsockopt(from, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)));
	start = now_ms();
	EXPECT_EQ(-EAGAIN, RESULT(msg_send(from, big, 65536, 2, PORT, 0)));
	EXPECT_LE(390, now_ms() - start);
	nonblock(from, true);
	start = now_ms();
	EXPECT_EQ(-EAGAIN, RESULT(msg_send(from, big, 65536, 2, PORT, 0)));
	EXPECT_GT(390, now_ms() - start);
	/* The receiver gets no message that sendmsg() refused. */
	EXPECT_DRAINED(to, from, 0, n, 65536);
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
}

#define WAKES	4000

struct waker {
	int fd;
	int got;
};

static void *read_all(void *arg)
{
	struct waker *w = arg;

	while (w->got < WAKES && msg_wait(w->fd, POLLIN, SOON_MS))
		while (RESULT(recv(w->fd, got, 1, MSG_DONTWAIT)) == 1)
			w->got++;
	return NULL;
}

/*
 * A receiver frees buffer space at the moment a sender begins to wait for it, on another processor,
 * again and again: no other event would wake the sender.
 */
TEST_F(alone, room__wakes_race)
{
	int from = msg_socket(-1, 1, 0, 0), room = 4096, i;
	struct waker w = { .fd = msg_socket(-1, 1, PORT, 0) };
	struct timeval timeout = { .tv_sec = SOON_MS / 1000 };
	pthread_t thread;

	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_SNDBUF, &room, sizeof(room)));
	ASSERT_EQ(0, setsockopt(w.fd, SOL_FLITCAST, FLITCAST_RCVBUF, &room, sizeof(room)));
	ASSERT_EQ(0, setsockopt(from, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_all, &w));
	for (i = 0; i < WAKES; i++)
		ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 1, PORT, 0)));
	pthread_join(thread, NULL);
	EXPECT_EQ(WAKES, w.got);
}

static void *send_many(void *arg)
{
	int i;

	for (i = 0; i < WAKES; i++)
		if (msg_send(*(int *)arg, "x", 1, 1, PORT, 0) != 1)
			return arg;
	return NULL;
}

/* Several threads that send at a time are counted, each message of theirs. */
TEST_F(alone, stats__threads)
{
	int from = msg_socket(-1, 1, 0, 0), to = msg_socket(-1, 1, PORT, 0), i, n;
	pthread_t thread[2];
	void *bad;

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, send_many, &from));
	for (n = 0; n < 2 * WAKES; n++) {
		ASSERT_NE(0, msg_wait(to, POLLIN, SOON_MS));
		ASSERT_EQ(1, RESULT(recv(to, got, 1, MSG_DONTWAIT)));
	}
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], &bad);
		EXPECT_EQ(NULL, bad);
	}
	EXPECT_EQ(2 * WAKES, msg_stats(from).tx_messages);
	EXPECT_EQ(2 * WAKES, msg_stats(to).rx_messages);
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void alarm_in(unsigned int ms, int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 },
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* A message is sent entirely or not at all: an interrupted call has sent nothing. */
TEST_F(line, room__send_interrupted)
{
	struct timeval timeout = { .tv_sec = 1000 };
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), n;

	n = stuff(from, 2, PORT, 65536, 256);
	ASSERT_GT(256, n);
	alarm_in(300, 0);
	EXPECT_EQ(-EINTR, RESULT(msg_send(from, big, 65536, 2, PORT, 0)));
	/* A call on a socket with a time-out does not restart after a signal, see signal(7). */
	ASSERT_EQ(0, setsockopt(from, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)));
	alarm_in(300, SA_RESTART);
	EXPECT_EQ(-EINTR, RESULT(msg_send(from, big, 65536, 2, PORT, 0)));
	EXPECT_DRAINED(to, from, 0, n, 65536);
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
	EXPECT_EQ(n, msg_stats(from).tx_messages);
}

TEST_F(line, room__send_restarted)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), n;
	struct reader reader = { .fd = to, .key = from, .len = 65536, .after_ms = 900 };
	pthread_t thread;
	sigset_t set;

	n = stuff(from, 2, PORT, 65536, 256);
	ASSERT_GT(256, n);
	reader.to = n + 1;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	ASSERT_EQ(0, pthread_create(&thread, NULL, read_late, &reader));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	msg_fill(big, 65536, msg_key(1, from, n), 0);
	alarm_in(200, SA_RESTART);
	EXPECT_EQ(65536, RESULT(msg_send(from, big, 65536, 2, PORT, 0)));
	pthread_join(thread, NULL);
	EXPECT_EQ(NULL, reader.bad) {
		TH_LOG("%s", reader.bad);
	}
	/* The message arrived once. */
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
}

/*
 *	0 ----- 1 ----- 2
 *	|       |       |\
 *	stuffs  |       | deaf
 *	others -+-------+ good
 */
TEST_F(line, room__others_go_on)
{
	int stuffer = SOCKET(0, 0), deaf = SOCKET(2, PORT), good = SOCKET(2, PORT + 1);
	int from[3], n, i, k;
	uint64_t start;

	n = stuff(stuffer, 2, PORT, MIB, 16);
	ASSERT_GT(16, n);
	for (k = 0; k < 3; k++)
		from[k] = SOCKET(k, 0);
	start = now_ms();
	for (i = 0; i < 50; i++) {
		for (k = 0; k < 3; k++) {
			size_t len = i * 1000;

			msg_fill(big, len, msg_key(1, from[k], i), 0);
			ASSERT_EQ(len, RESULT(msg_send(from[k], big, len, 2, PORT + 1, 0)));
			EXPECT_DRAINED(good, from[k], i, i + 1, len);
		}
	}
	/* Time-outs must not have caused the progress: it is less than 4 MB. */
	EXPECT_GT(SOON_MS, now_ms() - start);
	EXPECT_DRAINED(deaf, stuffer, 0, n, MIB);
	EXPECT_EQ(0, msg_error(stuffer));
}

/* Another target of the same socket is not blocked either, while there is send buffer. */
TEST_F(line, room__same_socket)
{
	int from = SOCKET(0, 0), deaf = SOCKET(2, PORT), good = SOCKET(2, PORT + 1);
	int taken, i;

	taken = stuff(from, 2, PORT, 65536, 256);
	ASSERT_GT(256, taken);
	/*
	 * Make half of the send buffer free again.  The receive buffer is as large, but half of it
	 * may hold messages that arrived out of order, which stay in the send buffer, too.
	 */
	EXPECT_DRAINED(deaf, from, 0, taken / 2, 65536);
	ASSERT_NE(0, msg_wait(from, POLLOUT, SOON_MS) & POLLOUT);
	for (i = 0; i < 50; i++) {
		msg_fill(big, 10000, msg_key(1, from, i), 0);
		ASSERT_EQ(10000, RESULT(msg_send(from, big, 10000, 2, PORT + 1, 0)));
		EXPECT_DRAINED(good, from, i, i + 1, 10000);
	}
	EXPECT_DRAINED(deaf, from, taken / 2, taken, 65536);
}

/* A target without buffer space is split off the list: the others get the message at once. */
TEST_F(line, room__list_with_one_deaf)
{
	struct flitcast_target targets[] = {
		{ .site = 1, .port = PORT }, { .site = 2, .port = PORT },
		{ .site = 2, .port = PORT + 1 },
	};
	int stuffer = SOCKET(0, 0), from = SOCKET(0, 0), deaf = SOCKET(2, PORT);
	int one = SOCKET(1, PORT), two = SOCKET(2, PORT + 1), n, i;

	n = stuff(stuffer, 2, PORT, 65536, 256);
	ASSERT_GT(256, n);
	for (i = 0; i < 3; i++) {
		msg_fill(big, MIB, msg_key(1, from, i), 0);
		ASSERT_EQ(MIB, RESULT(msg_send_list(from, big, MIB, targets, 3, 0)));
		EXPECT_DRAINED(one, from, i, i + 1, MIB);
		EXPECT_DRAINED(two, from, i, i + 1, MIB);
	}
	EXPECT_EQ(0, msg_stats(from).tx_confirmed);
	/* The deaf target gets it when it reads, after the earlier messages. */
	for (i = 0; i < n + 3; i++) {
		struct sockaddr_flitcast addr;

		ASSERT_NE(0, msg_wait(deaf, POLLIN, SOON_MS)) {
			TH_LOG("message %d", i);
		}
		ASSERT_LT(0, RESULT(msg_recv(deaf, got, sizeof(got), &addr, 0)));
	}
	EXPECT_EQ(0, msg_wait(deaf, POLLIN, QUIET_MS));
	EXPECT_EQ(0, msg_error(from));
}

/* All senders that wait for the same receiver get a turn. */
TEST_F(line, room__fair)
{
	int from[3], count[3] = { 0 }, next[3] = { 0 }, taken[3], to = SOCKET(2, PORT), i, k;

	for (k = 0; k < 3; k++)
		from[k] = SOCKET(k, PORT + 1);
	for (k = 0; k < 3; k++) {
		taken[k] = stuff(from[k], 2, PORT, 65536, 256);
		ASSERT_LT(0, taken[k]);
		ASSERT_GT(256, taken[k]);
	}
	for (i = 0; i < taken[0] + taken[1] + taken[2]; i++) {
		struct sockaddr_flitcast addr;

		ASSERT_NE(0, msg_wait(to, POLLIN, SOON_MS)) {
			TH_LOG("message %d of %d", i, taken[0] + taken[1] + taken[2]);
		}
		ASSERT_EQ(65536, RESULT(msg_recv(to, got, sizeof(got), &addr, 0)));
		k = addr.sfc_site;
		ASSERT_GT(3, k);
		ASSERT_EQ(65536, msg_check(got, 65536, msg_key(1, from[k], next[k]), 0));
		next[k]++;
		/* The first sender filled the buffer alone; from then on all three wait. */
		if (i >= taken[0])
			count[k]++;
	}
	for (k = 0; k < 3; k++)
		EXPECT_EQ(taken[k], next[k]);
	EXPECT_LT(0, count[1]);
	EXPECT_LT(0, count[2]);
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
}

TEST_F(line, room__small_send_buffer)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), value = 2048, i;

	/* An empty send buffer accepts one message of any length. */
	ASSERT_EQ(0, setsockopt(from, SOL_SOCKET, SO_SNDBUF, &value, sizeof(value)));
	for (i = 0; i < 20; i++) {
		msg_fill(big, MIB, msg_key(1, from, i), 0);
		ASSERT_EQ(MIB, RESULT(msg_send(from, big, MIB, 2, PORT, 0)));
		EXPECT_DRAINED(to, from, i, i + 1, MIB);
		EXPECT_NE(0, msg_wait(from, POLLOUT, SOON_MS) & POLLOUT);
	}
}

TEST_F(line, room__small_receive_buffer)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), value = 2048, n;

	/* An empty receive buffer accepts one message of any length. */
	ASSERT_EQ(0, setsockopt(to, SOL_SOCKET, SO_RCVBUF, &value, sizeof(value)));
	n = stuff(from, 2, PORT, MIB, 16);
	ASSERT_LE(3, n);
	ASSERT_GT(16, n);
	EXPECT_DRAINED(to, from, 0, n, MIB);
	n = stuff(from, 2, PORT, 100, 20000);
	ASSERT_LE(3, n);
	ASSERT_GT(20000, n);
	EXPECT_DRAINED(to, from, 0, n, 100);
}

/*
 * The kernel caches some megabytes of free pages per processor, uncounted: only larger losses
 * count.
 */
#define CACHED_KIB	(32 * 1024)

/* Memory in use since free_kib() returned @since, in KiB. */
static int64_t lost_kib(uint64_t since)
{
	return (int64_t)(since - free_kib());
}

/* Four senders send for seconds to a receiver that never reads: memory use stays bounded. */
TEST_F(line, memory__deaf_receiver)
{
	int from[4], to, k, n = 0, attempts = 0, round;
	uint64_t before, full, slab, until;
	int64_t lost;

	if (getenv("FLITCAST_DEBUG"))
		SKIP(return, "this kernel keeps freed memory for a while");
	/* Each round holds 20 MiB: if it leaked, four rounds would exceed any cache. */
	before = free_kib();
	for (round = 0; round < 5; round++) {
		to = SOCKET(2, PORT);
		for (k = 0; k < 4; k++) {
			from[k] = SOCKET(k / 2, 0);
			ASSERT_LT(0, stuff(from[k], 2, PORT, 65536, 256));
		}
		if (round == 4)
			break;
		close(to);
		for (k = 0; k < 4; k++)
			close(from[k]);
		for (until = now_ms() + SOON_MS; lost_kib(before) > CACHED_KIB && now_ms() < until;)
			sleep_ms(50);
	}
	/* Buffers of 4 MiB: four send buffers, one receive buffer; and messages in flight. */
	lost = lost_kib(before);
	EXPECT_GT(64 * 1024, lost) {
		TH_LOG("%lld KiB", (long long)lost);
	}
	full = free_kib();
	slab = meminfo("SUnreclaim");
	until = now_ms() + 6000;
	while (now_ms() < until) {
		for (k = 0; k < 4; k++) {
			attempts++;
			if (RESULT(msg_send(from[k], big, 65536, 2, PORT, MSG_DONTWAIT)) >= 0)
				n++;
		}
		if (attempts % 400 == 0)
			sleep_ms(5);
	}
	EXPECT_GT(8, n) {
		TH_LOG("%d of %d taken", n, attempts);
	}
	EXPECT_GT(16 * 1024, lost_kib(full)) {
		TH_LOG("%lld KiB", (long long)lost_kib(full));
	}
	EXPECT_GT(4 * 1024, (int64_t)(meminfo("SUnreclaim") - slab)) {
		TH_LOG("%lld KiB of slab", (long long)(meminfo("SUnreclaim") - slab));
	}
	close(to);
	for (k = 0; k < 4; k++)
		close(from[k]);
	for (until = now_ms() + SOON_MS; lost_kib(before) > CACHED_KIB && now_ms() < until;)
		sleep_ms(50);
	EXPECT_GE(CACHED_KIB, lost_kib(before)) {
		TH_LOG("%lld KiB are gone", (long long)lost_kib(before));
	}
}

#define CLOSED_KIB	(128 * 1024)

/* The memory of closed sockets whose receiver never reads is bounded, too. */
TEST_F(line, memory__closed_senders)
{
	uint64_t before = free_kib(), until;
	int to = SOCKET(2, PORT), i;
	int64_t most = 0;

	if (getenv("FLITCAST_DEBUG"))
		SKIP(return, "this kernel keeps freed memory for a while");
	for (i = 0; i < 800; i++) {
		int fd = SOCKET(0, 0);

		ASSERT_EQ(262144, RESULT(msg_send(fd, big, 262144, 2, PORT, 0)));
		close(fd);
		/* A timer aborts messages beyond the bound, on a processor that may be busy. */
		for (until = now_ms() + SOON_MS;
		     lost_kib(before) > CLOSED_KIB && now_ms() < until;)
			sleep_ms(10);
		if (lost_kib(before) > most)
			most = lost_kib(before);
		if (most > CLOSED_KIB)
			break;
	}
	/* The sockets sent 200 MiB; the kernel keeps 64 MiB, besides the receive buffer. */
	EXPECT_GE(CLOSED_KIB, most) {
		TH_LOG("%lld KiB", (long long)most);
	}
	close(to);
	for (until = now_ms() + SOON_MS; lost_kib(before) > 16 * 1024 && now_ms() < until;)
		sleep_ms(50);
	EXPECT_GE(16 * 1024, lost_kib(before)) {
		TH_LOG("%lld KiB are gone", (long long)lost_kib(before));
	}
}

/* Small messages, large lists, short-lived sockets: all their memory is freed. */
TEST_F(line, memory__many_sockets)
{
	int i, k, to = SOCKET(2, PORT), round;
	uint64_t before = 0, until;

	if (getenv("FLITCAST_DEBUG"))
		SKIP(return, "this kernel keeps freed memory for a while");
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 300; i++) {
			int fd = SOCKET(0, 0);

			for (k = 0; k < 3; k++)
				ASSERT_EQ(100, RESULT(msg_send(fd, big, 100, 2, PORT, 0)));
			close(fd);
			for (k = 0; k < 3; k++) {
				ASSERT_NE(0, msg_wait(to, POLLIN, SOON_MS));
				ASSERT_EQ(100, RESULT(msg_recv(to, got, 100, NULL, 0)));
			}
		}
		/* The first rounds fill caches. */
		if (round == 1)
			before = meminfo("SUnreclaim");
	}
	for (until = now_ms() + SOON_MS;
	     (int64_t)(meminfo("SUnreclaim") - before) > 2 * 1024 && now_ms() < until;)
		sleep_ms(50);
	EXPECT_GT(2 * 1024, (int64_t)(meminfo("SUnreclaim") - before)) {
		TH_LOG("%lld KiB", (long long)(meminfo("SUnreclaim") - before));
	}
}

API_MAIN
