// SPDX-License-Identifier: GPL-2.0
/*
 * Memory shares: an unprivileged user leaves memory for the sockets of other users.
 */
#include "api.h"
#include <grp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define USER		LAB_USER
#define KIB		1024
#define PACKET		(64 * KIB)
#define MIB		(1024 * KIB)
#define SOCKETS		24
#define LIMITS		"/sys/module/flitcast/parameters/mem"
/* Memory limit of all sockets, in pages: 64 MiB.  An eighth is for receiving. */
#define LIMIT		16384
#define SENDING		(LIMIT / 8 * 7)
/* Reserved for short messages, and each processor's forward allocation of receive queues. */
#define SLACK		(LIMIT / 64 + 512)
#define GROUP		"/sys/fs/cgroup/bounds-mem"

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

static char data[16 * MIB];

static void limit(unsigned int pages)
{
	char text[64];

	snprintf(text, sizeof(text), "%u", pages);
	write_to(LIMITS, text);
}

/*
 * @before: the limit set before the test
 * @go: pipe to hog(), which ends when this end is closed
 * @hog: the process of hog()
 */
FIXTURE(shares) {
	int ns[3];
	char before[64];
	long pages;
	int go;
	pid_t hog;
};

FIXTURE_SETUP(shares)
{
	FILE *file;
	int i;

	api_choose_port(_metadata);
	if (lab_sites(LAB) != 3 || lab_healthy(LAB, SOON_MS))
		ASSERT_EQ(0, lab_up(LAB, "line:3"));
	for (i = 0; i < 3; i++) {
		self->ns[i] = lab_open(LAB, i);
		ASSERT_LE(0, self->ns[i]);
	}
	file = fopen(LIMITS, "re");
	ASSERT_NE(NULL, file);
	ASSERT_NE(NULL, fgets(self->before, sizeof(self->before), file));
	fclose(file);
	self->pages = protocol_pages();
	self->hog = 0;
	limit(LIMIT);
}

static void hog_ends(struct _test_data_shares *self)
{
	int status;

	if (!self->hog)
		return;
	close(self->go);
	waitpid(self->hog, &status, 0);
	self->hog = 0;
}

FIXTURE_TEARDOWN(shares)
{
	uint64_t until = now_ms() + SOON_MS;

	hog_ends(self);
	write_to(LIMITS, self->before);
	/* The only memory left is each processor's forward allocation. */
	while (protocol_pages() > self->pages + 512 && now_ms() < until)
		sleep_ms(10);
	EXPECT_GE(self->pages + 512, protocol_pages());
}

/*
 * Start an unprivileged process that calls @what, reports its result, and then sleeps until it is
 * killed.  Return: the result of @what.
 */
static int hog(struct _test_data_shares *self, int (*what)(void))
{
	int ready[2], go[2], result = -1;
	char byte;

	if (pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		return -1;
	self->hog = fork();
	if (!self->hog) {
		close(go[1]);
		result = lab_become_user() ? what() : -2;
		if (write(ready[1], &result, sizeof(result)) == sizeof(result))
			result = read(go[0], &byte, 1);
		_exit(0);
	}
	close(go[0]);
	close(ready[1]);
	self->go = go[1];
	if (read(ready[0], &result, sizeof(result)) != sizeof(result))
		result = -3;
	close(ready[0]);
	return result;
}

/*
 * Time of the fastest of some transfers of other users, in ms; 0: messages were missing.  Other
 * programs on the processors of the guest slow down single transfers: so there are more of them
 * while none took @enough at most.
 */
static uint64_t transfer(struct _test_data_shares *self, unsigned int port, uint64_t enough)
{
	int from = SOCKET(0, 0), to = SOCKET(2, port);
	uint64_t best = 0, begun, took;
	unsigned int round, i;

	for (round = 0; round < 3 || (enough && best > enough && round < 20); round++) {
		begun = now_ms();
		for (i = 0; i < 200; i++) {
			if (RESULT(msg_send(from, data, PACKET, 2, port, MSG_DONTWAIT)) != PACKET &&
			    !(msg_wait(from, POLLOUT, SOON_MS) & POLLOUT))
				goto out;
			if (!(msg_wait(to, POLLIN, SOON_MS) & POLLIN) ||
			    RESULT(msg_recv(to, data, PACKET, NULL, 0)) != PACKET)
				goto out;
		}
		took = now_ms() - begun;
		if (!best || took < best)
			best = took;
	}
	close(from);
	close(to);
	return best;
out:
	close(from);
	close(to);
	return 0;
}

/* Number of answers to some pings of 4,000 bytes. */
static unsigned int pings(struct _test_data_shares *self)
{
	int fd = SOCKET(0, 0);
	unsigned int i, n = 0;

	for (i = 0; i < 10; i++)
		if (RESULT(msg_send(fd, data, 4000, 2, FLITCAST_PORT_ECHO, 0)) == 4000 &&
		    msg_wait(fd, POLLIN, 2000) & POLLIN &&
		    RESULT(msg_recv(fd, data, PACKET, NULL, MSG_DONTWAIT)) == 4000)
			n++;
	close(fd);
	return n;
}

/* Processes that the kernel killed for lack of memory; -1: the kernel does not count them. */
static long oom_kills(void)
{
	FILE *file = fopen("/proc/vmstat", "re");
	char line[128];
	long n = -1;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "oom_kill %ld", &n);
	if (file)
		fclose(file);
	return n;
}

/* Create sites 0 and 1 in the caller's namespace, with a link between them if @linked. */
static bool network(bool linked)
{
	if (cli("site add 0 topology line:2") || cli("site add 1 topology line:2"))
		return false;
	if (!linked)
		return true;
	return !system("ip link add h0 type veth peer name h1 && ip link set h0 up && "
		       "ip link set h1 up") &&
	       !cli("link add h0 site 0 port 1") && !cli("link add h1 site 1 port 2");
}

/* Fill sockets that do not read.  Return: messages sent, or a negative value. */
static int unread(void)
{
	int from[SOCKETS], to, size = 32 * MIB;
	unsigned int i, n = 0;
	uint64_t last;

	if (!network(true)) {
		printf("# %s", cli_output());
		return -10;
	}
	for (i = 0; i < SOCKETS; i++) {
		to = msg_socket(-1, 1, PORT + i, 0);
		from[i] = msg_socket(-1, 0, PORT + i, 0);
		if (to < 0 || from[i] < 0 ||
		    setsockopt(to, SOL_FLITCAST, FLITCAST_RCVBUF, &size, sizeof(size)))
			return -11;
	}
	for (last = now_ms(); now_ms() - last < 1500; sleep_ms(1)) {
		for (i = 0; i < SOCKETS; i++) {
			if (RESULT(msg_send(from[i], data, PACKET, 1, PORT + i,
					    MSG_DONTWAIT)) != PACKET)
				continue;
			n++;
			last = now_ms();
		}
	}
	return n;
}

/* Other users keep their throughput while a hog uses all memory it gets, at least @hogged pages. */
static void others_go_on(struct __test_metadata *_metadata, struct _test_data_shares *self,
			 int (*what)(void), long hogged)
{
	uint64_t alone, beside;
	long held;
	int n;

	alone = transfer(self, PORT + 100, 0);
	ASSERT_LT(0, alone);
	n = hog(self, what);
	ASSERT_LT(0, n);
	held = protocol_pages();
	beside = transfer(self, PORT + 101, 2 * alone);
	TH_LOG("%d messages, %ld pages; transfers: %llu ms alone, %llu beside", n, held,
	       (unsigned long long)alone, (unsigned long long)beside);
	EXPECT_LE(hogged, held);
	EXPECT_GE(self->pages + LIMIT / 2 + SLACK, held);
	EXPECT_LT(0, beside);
	EXPECT_GE(2 * alone, beside);
	EXPECT_EQ(10, pings(self));
	EXPECT_GE(0, oom_kills());
}

/*
 * The receive queues of a user that does not read fill that user's share.  Pings and transfers of
 * others continue.  (Messages larger than a page were lost once.)
 */
TEST_F(shares, memory__sockets_that_do_not_read)
{
	others_go_on(_metadata, self, unread, LIMIT / 3);
}

/* Fill the send buffers of sockets, 1 GiB each.  Return: messages accepted, or a negative value. */
static int unsent(void)
{
	int fd, size = 1024 * MIB;
	unsigned int i, n = 0;

	if (!network(false) || !write_to("/proc/sys/net/flitcast/wmem_max", "1073741824"))
		return -10;
	for (i = 0; i < SOCKETS; i++) {
		fd = msg_socket(-1, 0, 0, 0);
		if (fd < 0 || setsockopt(fd, SOL_FLITCAST, FLITCAST_SNDBUF, &size, sizeof(size)))
			return -11;
		while (RESULT(msg_send(fd, data, MIB, 1, PORT, MSG_DONTWAIT)) == MIB)
			n++;
		/* Messages of closed sockets count as well. */
		if (i % 2)
			close(fd);
		/* Pieces of messages count as well. */
		if (RESULT(msg_send(fd, data, MIB, 1, PORT, MSG_DONTWAIT | MSG_MORE)) > 0)
			n++;
	}
	return n;
}

/* The send queues of a user fill that user's share, whatever the buffers of the sockets allow. */
TEST_F(shares, memory__sockets_that_send_to_no_socket)
{
	others_go_on(_metadata, self, unsent, SENDING / 2 - 512);
}

/*
 * A namespace with sites 0 and 1; one socket has an unread message, and no buffer space for more:
 * further messages stay with their sender.
 */
static bool full_receiver(void)
{
	int to, from, room = 4096;

	if (unshare(CLONE_NEWNET) || !network(true))
		return false;
	to = msg_socket(-1, 1, PORT, 0);
	from = msg_socket(-1, 0, 0, 0);
	return !setsockopt(to, SOL_FLITCAST, FLITCAST_RCVBUF, &room, sizeof(room)) &&
	       RESULT(msg_send(from, data, PACKET, 1, PORT, 0)) == PACKET &&
	       msg_wait(to, POLLIN, SOON_MS) & POLLIN;
}

/*
 * Hog: short messages, each from its own socket that is closed at once, so that neither a socket's
 * buffer nor the number of open files bounds them.
 */
static int closed(void)
{
	unsigned int i, n = 0, ms = 600000;
	int fd;

	if (!full_receiver())
		return -10;
	for (i = 0; i < LIMIT / 2; i++) {
		fd = msg_socket(-1, 0, 0, 0);
		if (fd < 0 || setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &ms, sizeof(ms)))
			return -11;
		n += RESULT(msg_send(fd, data, 4096, 1, PORT, MSG_DONTWAIT)) == 4096;
		close(fd);
	}
	return n;
}

TEST_F(shares, memory__short_messages_of_closed_sockets)
{
	others_go_on(_metadata, self, closed, SENDING / 2 - 512);
}

/* A message larger than any user's share is refused; a short one is accepted. */
TEST_F(shares, memory__message_above_every_share)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	char why[64] = "";
	socklen_t len = sizeof(why);

	limit(64);
	EXPECT_EQ(-ENOBUFS, RESULT(msg_send(fd, data, 3 * PACKET, 2, PORT, 0)));
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_ERRMSG, why, &len));
	EXPECT_STREQ("message longer than 7/16 of the module parameter mem", why);
	EXPECT_EQ(-ENOBUFS, RESULT(msg_send(fd, data, 3 * PACKET, 2, PORT, MSG_MORE)));
	EXPECT_TRUE(msg_wait(fd, POLLOUT, 0) & POLLOUT);
	EXPECT_FALSE(write_to(LIMITS, "63"));
	EXPECT_EQ(1000, RESULT(msg_send(fd, data, 1000, 2, PORT, 0)));
	ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS) & POLLIN);
	EXPECT_EQ(1000, RESULT(msg_recv(to, data, PACKET, NULL, 0)));
}

static void close_now(int fd)
{
	struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

/* Sends one message, and waits for its user's share. */
static void *send_one(void *arg)
{
	return (void *)RESULT(msg_send(*(int *)arg, data, MIB, 1, PORT, 0));
}

/*
 * A socket without messages that waits for its user's share is woken when another socket releases
 * memory: sendmsg(), poll(), and epoll with EPOLLET.
 */
TEST_F(shares, memory__wake_up_of_waiters)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int full, waits, polls, edge = epoll_create1(EPOLL_CLOEXEC);
	pthread_t thread;
	void *result;

	ASSERT_TRUE(full_receiver());
	full = msg_socket(-1, 0, 0, 0);
	waits = msg_socket(-1, 0, 0, 0);
	polls = msg_socket(-1, 0, 0, 0);
	/* The share is 2 MiB at most. */
	limit(1024);
	while (RESULT(msg_send(full, data, PACKET, 1, PORT, MSG_DONTWAIT)) == PACKET)
		;
	EXPECT_EQ(0, msg_wait(polls, POLLOUT, QUIET_MS) & POLLOUT);
	EXPECT_EQ(0, epoll_ctl(edge, EPOLL_CTL_ADD, polls, &event));
	EXPECT_EQ(0, epoll_wait(edge, &event, 1, QUIET_MS));
	ASSERT_EQ(0, pthread_create(&thread, NULL, send_one, &waits));
	sleep_ms(QUIET_MS);
	EXPECT_EQ(EBUSY, pthread_tryjoin_np(thread, &result));
	close_now(full);
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(MIB, (ssize_t)result);
	close_now(waits);
	EXPECT_EQ(1, epoll_wait(edge, &event, 1, SOON_MS));
	EXPECT_TRUE(msg_wait(polls, POLLOUT, SOON_MS) & POLLOUT);
	/* EAGAIN alone, without a call of poll(), also arms the wakeup. */
	waits = msg_socket(-1, 0, 0, 0);
	while (RESULT(msg_send(waits, data, PACKET, 1, PORT, MSG_DONTWAIT)) == PACKET)
		;
	while (epoll_wait(edge, &event, 1, 0) == 1)
		;
	EXPECT_EQ(-EAGAIN, RESULT(msg_send(polls, data, MIB, 1, PORT, MSG_DONTWAIT)));
	close_now(waits);
	EXPECT_EQ(1, epoll_wait(edge, &event, 1, SOON_MS));
}

/* Fills the user's share; messages that were in flight may leave room later. */
static void fill(int fd)
{
	int n;

	do {
		n = 0;
		while (RESULT(msg_send(fd, data, PACKET, 1, PORT, MSG_DONTWAIT)) == PACKET)
			n++;
		sleep_ms(QUIET_MS);
	} while (n);
}

/* Sends a short message, and waits for its user's share. */
static void *send_short(void *arg)
{
	return (void *)RESULT(msg_send(*(int *)arg, data, PACKET, 1, PORT, 0));
}

/*
 * A socket that waits for more than is available does not block others that wait for less: neither
 * after a refused call that is not repeated, nor while the socket is not bound.
 */
TEST_F(shares, memory__wake_up_past_one_that_needs_more)
{
	int full, little, refused, waits, unbound;
	pthread_t thread;
	void *result;

	ASSERT_TRUE(full_receiver());
	full = msg_socket(-1, 0, 0, 0);
	little = msg_socket(-1, 0, 0, 0);
	refused = msg_socket(-1, 0, 0, 0);
	waits = msg_socket(-1, 0, 0, 0);
	unbound = socket(msg_family(), SOCK_RDM | SOCK_CLOEXEC, 0);
	ASSERT_LE(0, unbound);
	limit(1024);
	EXPECT_EQ(PACKET, RESULT(msg_send(little, data, PACKET, 1, PORT, MSG_DONTWAIT)));
	EXPECT_EQ(PACKET, RESULT(msg_send(little, data, PACKET, 1, PORT, MSG_DONTWAIT)));
	fill(full);
	EXPECT_EQ(-EAGAIN, RESULT(msg_send(refused, data, MIB, 1, PORT, MSG_DONTWAIT)));
	EXPECT_EQ(0, msg_wait(unbound, POLLOUT, 0) & POLLOUT);
	ASSERT_EQ(0, pthread_create(&thread, NULL, send_short, &waits));
	sleep_ms(QUIET_MS);
	EXPECT_EQ(EBUSY, pthread_tryjoin_np(thread, &result));
	close_now(little);
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(PACKET, (ssize_t)result);
	close_now(full);
	EXPECT_TRUE(msg_wait(unbound, POLLOUT, SOON_MS) & POLLOUT);
}

/*
 * Fill the share of root, 2 MiB at most, with messages of two sockets.  Return: the socket with two
 * of them; the other one in *@full.
 */
static int fill_share(int *full)
{
	int little = msg_socket(-1, 0, 0, 0), i;

	*full = msg_socket(-1, 0, 0, 0);
	limit(1024);
	for (i = 0; i < 2; i++)
		if (RESULT(msg_send(little, data, PACKET, 1, PORT, MSG_DONTWAIT)) != PACKET)
			return -1;
	while (RESULT(msg_send(*full, data, PACKET, 1, PORT, MSG_DONTWAIT)) == PACKET)
		;
	return little;
}

/* A thread that polls a socket does not consume the wakeup of one that sends less. */
TEST_F(shares, memory__wake_up_beside_poll)
{
	int full, little, waits;
	pthread_t thread;
	void *result;

	ASSERT_TRUE(full_receiver());
	waits = msg_socket(-1, 0, 0, 0);
	little = fill_share(&full);
	ASSERT_LE(0, little);
	ASSERT_EQ(0, pthread_create(&thread, NULL, send_short, &waits));
	sleep_ms(QUIET_MS);
	EXPECT_EQ(EBUSY, pthread_tryjoin_np(thread, &result));
	EXPECT_EQ(0, msg_wait(waits, POLLOUT, 0) & POLLOUT);
	close_now(little);
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(PACKET, (ssize_t)result);
	close_now(full);
	close_now(waits);
}

/* A full send queue to receivers that do not read does not keep its user from receiving. */
TEST_F(shares, memory__receiving_beside_a_full_send_queue)
{
	static const unsigned int bytes[] = { 1000, PACKET };
	int to = SOCKET(2, PORT), from = SOCKET(2, 0), full = SOCKET(0, 0), other = SOCKET(0, PORT);
	int room = 4096;
	unsigned int i;

	ASSERT_EQ(0, setsockopt(to, SOL_FLITCAST, FLITCAST_RCVBUF, &room, sizeof(room)));
	limit(1024);
	while (RESULT(msg_send(full, data, PACKET, 2, PORT, MSG_DONTWAIT)) == PACKET ||
	       RESULT(msg_send(full, data, 3000, 2, PORT, MSG_DONTWAIT)) == 3000)
		;
	/* All sites here belong to one user and, by their namespaces, to three shares. */
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(bytes[i], RESULT(msg_send(from, data, bytes[i], 0, PORT, 0)));
		ASSERT_TRUE(msg_wait(other, POLLIN, SOON_MS) & POLLIN);
		EXPECT_EQ(bytes[i], RESULT(msg_recv(other, data, PACKET, NULL, 0)));
	}
	close_now(full);
	close(other);
	close(from);
	close(to);
}

/* connect() charges its packets to the share, even if the socket is closed afterwards. */
TEST_F(shares, memory__connections_that_are_not_accepted)
{
	const struct sockaddr_flitcast addr = {
		.sfc_family = FLITCAST_FAMILY_DEFAULT, .sfc_addrtype = FLITCAST_ADDR_SITE,
		.sfc_site = 1, .sfc_port = PORT,
	};
	int listener, fd, i, err = -EINPROGRESS, ms = 600000;

	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	ASSERT_TRUE(network(true));
	listener = msg_socket_type(-1, SOCK_SEQPACKET, 1, PORT, 0);
	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	limit(1024);
	for (i = 0; i < 2048 && err == -EINPROGRESS; i++) {
		fd = socket(msg_family(), SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &ms, sizeof(ms)));
		err = RESULT(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)));
		close(fd);
	}
	EXPECT_EQ(-ENOBUFS, err);
	close(listener);
	ASSERT_EQ(0, cli("site del 0"));
	ASSERT_EQ(0, cli("site del 1"));
}

/* SIGIO announces free space in the share once any message fits. */
TEST_F(shares, memory__wake_up_by_a_signal)
{
	const struct timespec soon = { SOON_MS / 1000, 0 }, quiet = { 0, QUIET_MS * 1000000 };
	int full, little, waits;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &set, NULL));
	ASSERT_TRUE(full_receiver());
	waits = msg_socket(-1, 0, 0, 0);
	ASSERT_EQ(0, fcntl(waits, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(waits, F_SETFL, O_ASYNC | O_NONBLOCK));
	little = fill_share(&full);
	ASSERT_LE(0, little);
	EXPECT_EQ(-EAGAIN, RESULT(msg_send(waits, data, PACKET, 1, PORT, 0)));
	EXPECT_EQ(-1, sigtimedwait(&set, NULL, &quiet));
	/* The share has space for that message, but not for a message of any length. */
	close_now(little);
	EXPECT_EQ(-1, sigtimedwait(&set, NULL, &quiet));
	close_now(full);
	EXPECT_EQ(SIGIO, sigtimedwait(&set, NULL, &soon));
	close_now(waits);
}

/* Raising the limit wakes waiting senders. */
TEST_F(shares, memory__wake_up_by_another_limit)
{
	int full, little, waits;
	pthread_t thread;
	void *result;

	ASSERT_TRUE(full_receiver());
	waits = msg_socket(-1, 0, 0, 0);
	little = fill_share(&full);
	ASSERT_LE(0, little);
	ASSERT_EQ(0, pthread_create(&thread, NULL, send_short, &waits));
	sleep_ms(QUIET_MS);
	EXPECT_EQ(EBUSY, pthread_tryjoin_np(thread, &result));
	limit(LIMIT);
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(PACKET, (ssize_t)result);
	close_now(full);
	close_now(little);
	close_now(waits);
}

/* Removing a site wakes all senders that wait on it, and they get an error. */
TEST_F(shares, memory__site_goes)
{
	int to, full, waits, room = 4096, i;
	pthread_t thread[3];
	void *result;

	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	ASSERT_TRUE(network(true));
	to = msg_socket(-1, 1, PORT, 0);
	full = msg_socket(-1, 1, 0, 0);
	waits = msg_socket(-1, 0, 0, 0);
	ASSERT_EQ(0, setsockopt(to, SOL_FLITCAST, FLITCAST_RCVBUF, &room, sizeof(room)));
	ASSERT_EQ(PACKET, RESULT(msg_send(full, data, PACKET, 1, PORT, 0)));
	ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS) & POLLIN);
	limit(1024);
	while (RESULT(msg_send(full, data, PACKET, 1, PORT, MSG_DONTWAIT)) == PACKET)
		;
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, send_short, &waits));
	sleep_ms(QUIET_MS);
	ASSERT_EQ(0, cli("site del 0"));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &result));
		EXPECT_TRUE((ssize_t)result == -ENETDOWN || (ssize_t)result == -ENODEV);
	}
	close_now(full);
}

/* Sockets without messages do not occupy the share of their user. */
TEST_F(shares, memory__idle_sockets)
{
	int to = SOCKET(2, PORT), fd[400], i;

	limit(1024);
	for (i = 0; i < 400; i++) {
		fd[i] = SOCKET(0, 0);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(8192, RESULT(msg_send(fd[i], data, 8192, 2, PORT, 0)));
		ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS) & POLLIN);
		ASSERT_EQ(8192, RESULT(msg_recv(to, data, PACKET, NULL, 0)));
	}
	i = SOCKET(0, 0);
	EXPECT_TRUE(msg_wait(i, POLLOUT, 0) & POLLOUT);
	EXPECT_EQ(PACKET, RESULT(msg_send(i, data, PACKET, 2, PORT, MSG_DONTWAIT)));
	ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS) & POLLIN);
	EXPECT_EQ(PACKET, RESULT(msg_recv(to, data, PACKET, NULL, 0)));
	close(i);
	for (i = 0; i < 400; i++)
		close(fd[i]);
}

/* Several users that release nothing get half of the remaining memory each; the next user, too. */
TEST_F(shares, memory__many_users)
{
	int fds[4 * SOCKETS], *fd = fds;
	unsigned int user, i, n;
	long left = SENDING;

	ASSERT_TRUE(full_receiver());
	for (user = 0; user < 4; user++) {
		setfsuid(USER + user);
		for (i = n = 0; i < SOCKETS; i++) {
			*fd = msg_socket(-1, 0, 0, 0);
			ASSERT_LE(0, *fd);
			while (RESULT(msg_send(*fd, data, PACKET, 1, PORT, MSG_DONTWAIT)) == PACKET)
				n++;
			fd++;
		}
		TH_LOG("user %u: %u messages of %u pages", user, n, PACKET / 4096);
		EXPECT_GE(left / 2, (long)n * (PACKET / 4096));
		EXPECT_LE(left / 2 - SLACK, (long)n * (PACKET / 4096));
		left -= (long)n * (PACKET / 4096);
	}
	setfsuid(0);
	EXPECT_LT(0, transfer(self, PORT + 100, 0));
	while (fd > fds)
		close_now(*--fd);
}

/* A user with many subordinate uids is one user, even in the network namespace of the host. */
TEST_F(shares, memory__subordinate_uids)
{
	struct linger now = { .l_onoff = 1 };
	int ready[2], mapped[2], i, fd, n = 0;
	char path[64], byte;

	ASSERT_TRUE(full_receiver());
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(mapped, O_CLOEXEC));
	self->hog = fork();
	if (!self->hog) {
		close(mapped[1]);
		if (setgroups(0, NULL) || setresgid(USER, USER, USER) ||
		    setresuid(USER, USER, USER) || prctl(PR_SET_DUMPABLE, 1) ||
		    unshare(CLONE_NEWUSER) ||
		    write(ready[1], "u", 1) != 1 || read(mapped[0], &byte, 1) != 1)
			_exit(1);
		for (i = 0; i < 10; i++) {
			setfsuid(1 + i);
			fd = msg_socket(-1, 0, 0, 0);
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
			while (RESULT(msg_send(fd, data, PACKET, 1, PORT, MSG_DONTWAIT)) == PACKET)
				n++;
		}
		if (write(ready[1], &n, sizeof(n)) == sizeof(n))
			n = read(mapped[0], &byte, 1);
		_exit(0);
	}
	close(mapped[0]);
	self->go = mapped[1];
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	/* Write the uid map as newuidmap does for a user listed in /etc/subuid. */
	snprintf(path, sizeof(path), "/proc/%d/uid_map", self->hog);
	ASSERT_TRUE(write_to(path, "0 1000 1\n1 100000 65536\n"));
	ASSERT_EQ(1, write(mapped[1], "m", 1));
	ASSERT_EQ(sizeof(n), read(ready[0], &n, sizeof(n)));
	EXPECT_LT(0, n);
	EXPECT_GE(LIMIT / 2, n * (PACKET / 4096));
	EXPECT_LT(0, transfer(self, PORT + 100, 0));
}

/* A process in a cgroup full of reclaimable memory reads messages, and reports each of them. */
static void read_in_group(int ns, int reported)
{
	size_t size = 100 * MIB, at;
	int to, n;
	char *p;

	if (!write_to(GROUP "/cgroup.procs", "0"))
		_exit(1);
	to = msg_socket(ns, 2, PORT, 0);
	do {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (at = 0; at < size; at += MIB) {
			memset(p + at, 1, MIB);
			madvise(p + at, MIB, MADV_FREE);
		}
		n = 0;
		if (write(reported, &n, sizeof(n)) == sizeof(n) &&
		    msg_wait(to, POLLIN, SOON_MS) & POLLIN)
			n = RESULT(msg_recv(to, data, sizeof(data), NULL, 0));
		munmap(p, size);
	} while (write(reported, &n, sizeof(n)) == sizeof(n));
	_exit(0);
}

/* The send queues of one user do not block the receive queues of another user's cgroup. */
TEST_F(shares, memory__cgroup_of_another_user)
{
	int reported[2], from = SOCKET(0, 0), n, i;
	pid_t child;

	if (!lab_memory_group(GROUP, 64))
		SKIP(return, "no memory cgroups here");
	ASSERT_EQ(0, pipe2(reported, O_CLOEXEC));
	child = fork();
	if (!child)
		read_in_group(self->ns[2], reported[1]);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(sizeof(n), read(reported[0], &n, sizeof(n)));
		EXPECT_EQ(256 * KIB, RESULT(msg_send(from, data, 256 * KIB, 2, PORT, 0)));
		ASSERT_EQ(sizeof(n), read(reported[0], &n, sizeof(n)));
		EXPECT_EQ(256 * KIB, n);
		if (!i)
			EXPECT_LT(0, hog(self, unread));
	}
	kill(child, SIGKILL);
	waitpid(child, &i, 0);
	EXPECT_EQ(0, rmdir(GROUP));
}

API_MAIN
