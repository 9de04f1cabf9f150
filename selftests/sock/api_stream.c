// SPDX-License-Identifier: GPL-2.0
/* Connections: connect(), listen(), accept(), shutdown(), and data in both directions. */
#include <stdatomic.h>
#include <sys/epoll.h>
#include "api.h"

#define MIB	(1U << 20)

static char big[MIB], got[MIB];

#define SEQ(site, port, flags)	msg_socket_type(self->ns[site], SOCK_SEQPACKET, site, port, flags)
#define RDM(site, port)		msg_socket(self->ns[site], site, port, 0)

static ssize_t connect_to(int fd, uint32_t site, uint16_t port)
{
	struct sockaddr_flitcast addr = msg_addr(site, port);

	return RESULT(connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
}

static struct sockaddr_flitcast peer_of(int fd)
{
	struct sockaddr_flitcast addr = { 0 };
	socklen_t len = sizeof(addr);

	if (getpeername(fd, (struct sockaddr *)&addr, &len) || len != sizeof(addr))
		memset(&addr, 0, sizeof(addr));
	return addr;
}

/* Receive a message, the error or the end of file, within SOON_MS. */
static ssize_t soon(int fd, void *data, size_t size)
{
	if (!msg_wait(fd, POLLIN | POLLERR | POLLHUP, SOON_MS))
		return -ETIMEDOUT;
	return RESULT(recv(fd, data, size, MSG_DONTWAIT));
}

static int accept_soon(int fd)
{
	if (!msg_wait(fd, POLLIN | POLLERR, SOON_MS))
		return -ETIMEDOUT;
	return RESULT(accept4(fd, NULL, NULL, SOCK_CLOEXEC));
}

static int error_soon(int fd)
{
	msg_wait(fd, POLLERR, SOON_MS);
	return msg_error(fd);
}

static ssize_t set_timeout(int fd, unsigned int ms)
{
	return RESULT(setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &ms, sizeof(ms)));
}

/* Connect @from to the listening socket.  Return: true, and the accepted socket in *@end. */
static bool join(int from, int listener, uint32_t site, uint16_t port, int *end)
{
	int flags = fcntl(from, F_GETFL);

	fcntl(from, F_SETFL, flags | O_NONBLOCK);
	if (connect_to(from, site, port) != -EINPROGRESS)
		return false;
	*end = accept_soon(listener);
	if (*end < 0 || msg_wait(from, POLLOUT | POLLERR, SOON_MS) != POLLOUT)
		return false;
	fcntl(from, F_SETFL, flags);
	return !connect_to(from, site, port);
}

FIXTURE(pair) {
	int ns[3];
	int listener;
	int a;
	int b;
};

/* a at site 0 --- b at site 2, accepted from a socket that listens on PORT there. */
FIXTURE_SETUP(pair)
{
	int i;

	api_choose_port(_metadata);
	if (lab_sites(LAB) != 3 || lab_healthy(LAB, SOON_MS))
		ASSERT_EQ(0, lab_up(LAB, "line:3"));
	for (i = 0; i < 3; i++) {
		self->ns[i] = lab_open(LAB, i);
		ASSERT_LE(0, self->ns[i]);
	}
	self->listener = SEQ(2, PORT, 0);
	ASSERT_EQ(0, RESULT(listen(self->listener, 5)));
	self->a = SEQ(0, 0, 0);
	ASSERT_TRUE(join(self->a, self->listener, 2, PORT, &self->b));
}

FIXTURE_TEARDOWN(pair)
{
	const char *bad = lab_healthy(LAB, SOON_MS);

	if (bad) {
		TH_LOG("afterwards: %s", bad);
		_metadata->passed = 0;
	}
}

/* Establishing connections. */

TEST_F(line, connect__names)
{
	int listener = SEQ(2, PORT, 0), a = SEQ(0, 0, 0), b;
	struct sockaddr_flitcast addr = { 0 };
	socklen_t len = sizeof(addr);

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	ASSERT_EQ(0, fcntl(a, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(0, msg_wait(a, POLLIN, 0) & ~(POLLHUP));
	ASSERT_EQ(-EINPROGRESS, connect_to(a, 2, PORT));
	EXPECT_EQ(-EALREADY, connect_to(a, 2, PORT));
	EXPECT_EQ(0, msg_wait(a, POLLIN | POLLOUT, QUIET_MS));
	EXPECT_EQ(0, peer_of(a).sfc_port);
	ASSERT_EQ(POLLIN, msg_wait(listener, POLLIN | POLLOUT, SOON_MS));
	b = accept4(listener, (struct sockaddr *)&addr, &len, SOCK_CLOEXEC);
	ASSERT_LE(0, b);
	EXPECT_EQ(sizeof(addr), len);
	EXPECT_EQ(msg_family(), addr.sfc_family);
	EXPECT_EQ(FLITCAST_ADDR_SITE, addr.sfc_addrtype);
	EXPECT_EQ(0, addr.sfc_site);
	EXPECT_EQ(msg_name(a).sfc_port, addr.sfc_port);
	ASSERT_EQ(POLLOUT, msg_wait(a, POLLIN | POLLOUT, SOON_MS));
	EXPECT_EQ(0, msg_error(a));
	/* The first call after the attempt has ended returns its result. */
	EXPECT_EQ(0, connect_to(a, 2, PORT));
	EXPECT_EQ(-EISCONN, connect_to(a, 2, PORT));
	EXPECT_EQ(-EISCONN, connect_to(b, 2, PORT));
	/* Each end has its own port, and knows the other end's. */
	EXPECT_EQ(2, peer_of(a).sfc_site);
	EXPECT_EQ(msg_name(b).sfc_port, peer_of(a).sfc_port);
	EXPECT_NE(PORT, peer_of(a).sfc_port);
	EXPECT_EQ(0, peer_of(b).sfc_site);
	EXPECT_EQ(msg_name(a).sfc_port, peer_of(b).sfc_port);
	EXPECT_EQ(2, msg_name(b).sfc_site);
	EXPECT_EQ(0, peer_of(listener).sfc_port);
}

struct connector {
	int fd;
	uint32_t site;
	uint16_t port;
	ssize_t result;
};

static void *connect_and_wait(void *arg)
{
	struct connector *c = arg;

	c->result = connect_to(c->fd, c->site, c->port);
	return NULL;
}

TEST_F(line, connect__waits)
{
	struct connector c = { .fd = SEQ(0, 0, 0), .site = 2, .port = PORT, .result = 1 };
	int listener = SEQ(2, PORT, 0), b;
	pthread_t thread;

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, connect_and_wait, &c));
	ASSERT_TRUE(msg_wait(listener, POLLIN, SOON_MS));
	EXPECT_EQ(1, c.result);
	b = RESULT(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	ASSERT_LE(0, b);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, c.result);
	EXPECT_EQ(FD_CLOEXEC, fcntl(b, F_GETFD));
	EXPECT_EQ(O_NONBLOCK, fcntl(b, F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(-EAGAIN, RESULT(recv(b, got, 1, 0)));
	EXPECT_EQ(-EISCONN, connect_to(c.fd, 2, PORT));
}

/* Several connections at a time, of unbound sockets, both ends at one site. */
TEST_F(line, connect__unbound)
{
	int listener, a[3], i, end;

	ASSERT_EQ(0, lab_enter(self->ns[1]));
	listener = socket(msg_family(), SOCK_SEQPACKET, 0);
	ASSERT_EQ(0, RESULT(listen(listener, 3)));
	ASSERT_LE(FLITCAST_PORT_DYNAMIC, msg_name(listener).sfc_port);
	for (i = 0; i < 3; i++) {
		a[i] = socket(msg_family(), SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
		ASSERT_EQ(-EINPROGRESS, connect_to(a[i], 1, msg_name(listener).sfc_port));
	}
	for (i = 0; i < 3; i++) {
		ASSERT_TRUE(msg_wait(listener, POLLIN, SOON_MS));
		end = accept(listener, NULL, NULL);
		ASSERT_LE(0, end);
		ASSERT_EQ(2, RESULT(send(end, "hi", 2, 0)));
	}
	for (i = 0; i < 3; i++)
		ASSERT_EQ(2, soon(a[i], got, sizeof(got)));
}

TEST_F(line, connect__refused)
{
	int fd = SEQ(0, 0, 0), idle = SEQ(2, PORT, 0), rdm = RDM(2, PORT + 1), listener, end;
	int i;

	ASSERT_LE(0, idle);
	ASSERT_LE(0, rdm);
	EXPECT_EQ(-ECONNREFUSED, connect_to(fd, 2, PORT));
	EXPECT_EQ(-ECONNREFUSED, connect_to(fd, 2, PORT + 1));
	EXPECT_EQ(-ECONNREFUSED, connect_to(fd, 2, PORT + 2));
	EXPECT_EQ(-ECONNREFUSED, connect_to(fd, 2, FLITCAST_PORT_ECHO));
	EXPECT_EQ(-ECONNREFUSED, connect_to(fd, 0, msg_name(fd).sfc_port));
	/* A non-blocking connect() fails likewise, even if the answer arrives during the call. */
	ASSERT_EQ(0, fcntl(fd, F_SETFL, O_NONBLOCK));
	for (i = 0; i < 10; i++) {
		ssize_t result = connect_to(fd, 2, PORT);

		if (result == -EINPROGRESS) {
			int events = msg_wait(fd, POLLOUT, SOON_MS);

			EXPECT_EQ(POLLOUT | POLLERR | POLLHUP, events);
			result = i & 1 ? connect_to(fd, 2, PORT) : -msg_error(fd);
		}
		EXPECT_EQ(-ECONNREFUSED, result);
	}
	/* The failed attempt leaves no state: the socket can be connected. */
	listener = SEQ(2, PORT + 3, 0);
	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	EXPECT_TRUE(join(fd, listener, 2, PORT + 3, &end));
	EXPECT_EQ(0, msg_wait(rdm, POLLIN, 0));
}

TEST_F(line, connect__malformed)
{
	struct sockaddr_flitcast addr = msg_addr(2, PORT), list = msg_addr_list();
	struct sockaddr_flitcast all = addr, zero = addr;
	int type;

	all.sfc_addrtype = FLITCAST_ADDR_BROADCAST;
	zero.sfc_zero2 = 1;
	for (type = 0; type < 2; type++) {
		int fd = type ? SEQ(0, 0, 0) : RDM(0, 0);

#define REFUSED(error, addr, len) \
	EXPECT_EQ(-(error), RESULT(connect(fd, (struct sockaddr *)&(addr), len)))
		REFUSED(EINVAL, list, sizeof(list));
		REFUSED(EINVAL, all, sizeof(all));
		REFUSED(EINVAL, zero, sizeof(zero));
		REFUSED(EINVAL, addr, sizeof(addr) - 1);
		REFUSED(EINVAL, addr, 1);
#undef REFUSED
		EXPECT_EQ(-EINVAL, connect_to(fd, 2, 0));
		EXPECT_EQ(0, peer_of(fd).sfc_port);
		close(fd);
	}
}

TEST_F(line, connect__beyond_the_topology)
{
	int fd = SEQ(0, 0, 0);

	EXPECT_EQ(-EHOSTUNREACH, connect_to(fd, 3, PORT));
	EXPECT_EQ(-EHOSTUNREACH, connect_to(fd, 3, PORT));
	EXPECT_EQ(-ENOTCONN, RESULT(send(fd, "x", 1, MSG_NOSIGNAL)));
}

TEST_F(bare, connect__no_site)
{
	int fd = socket(msg_family(), SOCK_SEQPACKET, 0);

	EXPECT_EQ(-ENETDOWN, connect_to(fd, 0, 5000));
	EXPECT_EQ(-ENETDOWN, RESULT(listen(fd, 1)));
}

/* No task accepts; the listener's late answer is refused. */
TEST_F(line, connect__times_out)
{
	int listener = SEQ(2, PORT, 0), fd = SEQ(0, 0, 0), poller = SEQ(0, 0, SOCK_NONBLOCK), late;

	ASSERT_EQ(0, RESULT(listen(listener, 5)));
	ASSERT_EQ(0, set_timeout(fd, 400));
	ASSERT_EQ(0, set_timeout(poller, 400));
	ASSERT_EQ(-EINPROGRESS, connect_to(poller, 2, PORT));
	EXPECT_EQ(-ETIMEDOUT, connect_to(fd, 2, PORT));
	EXPECT_EQ(ETIMEDOUT, error_soon(poller));
	EXPECT_EQ(-ENOTCONN, RESULT(send(fd, "x", 1, MSG_NOSIGNAL)));
	late = accept_soon(listener);
	ASSERT_LE(0, late);
	EXPECT_EQ(ECONNRESET, error_soon(late));
	/* The listener still works. */
	late = accept_soon(listener);
	ASSERT_TRUE(join(fd, listener, 2, PORT, &late));
}

TEST_F(line, connect__send_timeout)
{
	int listener = SEQ(2, PORT, 0), fd = SEQ(0, 0, 0), end;
	struct timeval tv = { .tv_usec = 200000 };
	uint64_t start = now_ms();

	ASSERT_EQ(0, RESULT(listen(listener, 5)));
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)));
	EXPECT_EQ(-EINPROGRESS, connect_to(fd, 2, PORT));
	EXPECT_LE(150, now_ms() - start);
	/* The attempt continues after the time-out of the call. */
	end = accept_soon(listener);
	ASSERT_LE(0, end);
	EXPECT_EQ(0, connect_to(fd, 2, PORT));
}

static void on_signal(int sig __attribute__((unused)))
{
}

TEST_F(line, connect__interrupted)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval timer = { .it_value.tv_usec = 200000 };
	int listener = SEQ(2, PORT, 0), fd = SEQ(0, 0, 0), end;

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	EXPECT_EQ(-EINTR, connect_to(fd, 2, PORT));
	setitimer(ITIMER_REAL, &timer, NULL);
	end = accept_soon(listener);
	ASSERT_LE(0, end);
	EXPECT_EQ(0, connect_to(fd, 2, PORT));
	setitimer(ITIMER_REAL, &timer, NULL);
	EXPECT_EQ(-EINTR, RESULT(accept(listener, NULL, NULL)));
}

/* Listening. */

TEST_F(line, listen__errors)
{
	int listener = SEQ(2, PORT, 0), idle = SEQ(2, 0, 0), a = SEQ(0, 0, 0), b, value;
	struct timeval tv = { .tv_usec = 500000 };
	uint64_t start;

	EXPECT_EQ(-EINVAL, RESULT(accept(idle, NULL, NULL)));
	ASSERT_EQ(0, RESULT(listen(listener, 0)));
	ASSERT_EQ(0, RESULT(listen(listener, -1)));
	EXPECT_EQ(0, msg_wait(listener, POLLIN | POLLOUT, 0));
	EXPECT_EQ(-ENOTCONN, RESULT(recv(listener, got, 1, 0)));
	EXPECT_EQ(-ENOTCONN, RESULT(send(listener, got, 1, 0)));
	EXPECT_EQ(0, RESULT(shutdown(listener, SHUT_WR)));
	EXPECT_EQ(-EINVAL, connect_to(listener, 0, PORT));
	EXPECT_EQ(-EINVAL, RESULT(ioctl(listener, SIOCINQ, &value)));
	ASSERT_EQ(0, fcntl(listener, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, RESULT(accept(listener, NULL, NULL)));
	ASSERT_EQ(0, fcntl(listener, F_SETFL, 0));
	ASSERT_EQ(0, setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)));
	start = now_ms();
	EXPECT_EQ(-EAGAIN, RESULT(accept(listener, NULL, NULL)));
	/* Where the host was stalled, ticks that count as time come all at once. */
	EXPECT_LE(375, now_ms() - start);
	ASSERT_TRUE(join(a, listener, 2, PORT, &b));
	EXPECT_EQ(-EINVAL, RESULT(listen(a, 1)));
	EXPECT_EQ(-EINVAL, RESULT(listen(b, 1)));
	EXPECT_EQ(-EINVAL, RESULT(accept(a, NULL, NULL)));
}

/* The backlog bounds the connections that wait for accept(); the other attempts keep waiting. */
TEST_F(line, listen__backlog)
{
	int listener = SEQ(2, PORT, 0), fd[6], end[6], i, n;

	ASSERT_EQ(0, RESULT(listen(listener, 2)));
	for (i = 0; i < 6; i++) {
		fd[i] = SEQ(i % 3, 0, SOCK_NONBLOCK);
		ASSERT_EQ(-EINPROGRESS, connect_to(fd[i], 2, PORT));
	}
	for (i = 0; i < SOON_MS / 10 && msg_stats(listener).rx_no_space < 4; i++)
		sleep_ms(10);
	EXPECT_LE(4, msg_stats(listener).rx_no_space);
	for (i = 0; i < 6; i++)
		EXPECT_EQ(0, msg_wait(fd[i], POLLOUT, 0));
	for (n = 0; n < 6; n++) {
		end[n] = accept_soon(listener);
		ASSERT_LE(0, end[n]);
		ASSERT_EQ(sizeof(n), RESULT(send(end[n], &n, sizeof(n), 0)));
	}
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(sizeof(n), soon(fd[i], &n, sizeof(n)));
		EXPECT_EQ(msg_name(fd[i]).sfc_port, peer_of(end[n]).sfc_port);
	}
	EXPECT_EQ(0, msg_wait(listener, POLLIN, QUIET_MS));
	/* A listening socket receives no messages. */
	EXPECT_EQ(0, msg_stats(listener).rx_messages);
}

TEST_F(line, listen__closed)
{
	int listener = SEQ(2, PORT, 0), fd[4], i;

	ASSERT_EQ(0, RESULT(listen(listener, 2)));
	for (i = 0; i < 4; i++) {
		fd[i] = SEQ(0, 0, SOCK_NONBLOCK);
		ASSERT_EQ(-EINPROGRESS, connect_to(fd[i], 2, PORT));
	}
	ASSERT_TRUE(msg_wait(listener, POLLIN, SOON_MS));
	close(listener);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(ECONNREFUSED, error_soon(fd[i]));
}

static void *accept_and_wait(void *arg)
{
	struct connector *c = arg;

	c->result = RESULT(accept(c->fd, NULL, NULL));
	return NULL;
}

/* shutdown(SHUT_RD) on a listener refuses pending and new connections, and wakes accept(). */
TEST_F(line, listen__shut)
{
	int listener = SEQ(2, PORT, 0), fd[4], end, i;
	struct connector c[2];
	pthread_t thread[2];

	ASSERT_EQ(0, RESULT(listen(listener, 2)));
	for (i = 0; i < 4; i++) {
		fd[i] = SEQ(0, 0, SOCK_NONBLOCK);
		ASSERT_EQ(-EINPROGRESS, connect_to(fd[i], 2, PORT));
	}
	ASSERT_TRUE(msg_wait(listener, POLLIN, SOON_MS));
	ASSERT_EQ(0, RESULT(shutdown(listener, SHUT_RD)));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(ECONNREFUSED, error_soon(fd[i]));
	EXPECT_EQ(-EINVAL, RESULT(accept(listener, NULL, NULL)));
	EXPECT_EQ(-ECONNREFUSED, connect_to(SEQ(1, 0, 0), 2, PORT));
	EXPECT_EQ(-ENOTCONN, RESULT(shutdown(listener, SHUT_RD)));
	/* The socket may listen again, with its whole backlog. */
	ASSERT_EQ(0, RESULT(listen(listener, 2)));
	ASSERT_TRUE(join(SEQ(0, 0, 0), listener, 2, PORT, &end));
	for (i = 0; i < 2; i++) {
		c[i] = (struct connector){ .fd = listener, .result = 1 };
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, accept_and_wait, &c[i]));
	}
	sleep_ms(QUIET_MS);
	ASSERT_EQ(0, RESULT(shutdown(listener, SHUT_RDWR)));
	for (i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(-EINVAL, c[i].result);
	}
	EXPECT_NE(0, msg_wait(listener, POLLIN, 0) & POLLHUP);
}

/* The error of an attempt is reported once: if another call fetches it, connect() still fails. */
static atomic_bool take_errors;
static atomic_int taken_errors;

static void *take_error(void *arg)
{
	while (take_errors)
		if (msg_error(*(int *)arg))
			taken_errors++;
	return NULL;
}

TEST_F(line, connect__error_taken)
{
	int fd = SEQ(0, 0, 0), i, aborted = 0, refused = 0;
	pthread_t thread;

	take_errors = true;
	ASSERT_EQ(0, pthread_create(&thread, NULL, take_error, &fd));
	for (i = 0; i < 300; i++) {
		ssize_t result = connect_to(fd, 2, PORT);

		aborted += result == -ECONNABORTED;
		refused += result == -ECONNREFUSED;
	}
	take_errors = false;
	pthread_join(thread, NULL);
	EXPECT_EQ(300, aborted + refused);
	EXPECT_EQ(aborted, taken_errors);
}

TEST_F(line, accept__inherits)
{
	int listener = SEQ(2, PORT, 0), a = SEQ(0, 0, 0), b, value;
	unsigned int timeout = 1234, on = 1, room = 50000;
	socklen_t len = sizeof(value);

	ASSERT_EQ(0, set_timeout(listener, timeout));
	ASSERT_EQ(0, setsockopt(listener, SOL_FLITCAST, FLITCAST_INFO, &on, sizeof(on)));
	ASSERT_EQ(0, setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)));
	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	ASSERT_TRUE(join(a, listener, 2, PORT, &b));
	ASSERT_EQ(0, getsockopt(b, SOL_FLITCAST, FLITCAST_TIMEOUT, &value, &len));
	EXPECT_EQ(timeout, value);
	ASSERT_EQ(0, getsockopt(b, SOL_FLITCAST, FLITCAST_INFO, &value, &len));
	EXPECT_EQ(1, value);
	ASSERT_EQ(0, getsockopt(b, SOL_SOCKET, SO_RCVBUF, &value, &len));
	EXPECT_EQ(2 * room, value);
	ASSERT_EQ(0, getsockopt(b, SOL_SOCKET, SO_TYPE, &value, &len));
	EXPECT_EQ(SOCK_SEQPACKET, value);
	ASSERT_EQ(0, getsockopt(b, SOL_SOCKET, SO_ACCEPTCONN, &value, &len));
	EXPECT_EQ(0, value);
	ASSERT_EQ(0, getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &value, &len));
	EXPECT_EQ(1, value);
}

/* Each connection uses a port at either end, and frees it. */
TEST_F(line, accept__many)
{
	int listener = SEQ(2, PORT, 0), a[150], b[150], round, i;

	ASSERT_EQ(0, allow_descriptors(1000));
	ASSERT_EQ(0, RESULT(listen(listener, 10)));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 150; i++) {
			a[i] = SEQ(0, 0, 0);
			ASSERT_TRUE(join(a[i], listener, 2, PORT, &b[i]));
			ASSERT_EQ(sizeof(i), RESULT(send(a[i], &i, sizeof(i), 0)));
		}
		for (i = 0; i < 150; i++) {
			int value;

			ASSERT_EQ(sizeof(value), soon(b[i], &value, sizeof(value)));
			EXPECT_EQ(i, value);
			close(round % 2 ? a[i] : b[i]);
			ASSERT_EQ(0, soon(round % 2 ? b[i] : a[i], got, 1));
			close(round % 2 ? b[i] : a[i]);
		}
	}
}

/*
 * Messages.
 */

TEST_F(pair, data__both_directions)
{
	static const uint32_t sizes[] = { 0, 1, 2, 1400, 1500, 65535, 65536, 65537, MIB };
	struct iovec iov = { .iov_base = got, .iov_len = sizeof(got) };
	struct sockaddr_flitcast from;
	struct msghdr msg = {
		.msg_name = &from, .msg_iov = &iov, .msg_iovlen = 1,
	};
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		int out = i & 1 ? self->a : self->b, in = i & 1 ? self->b : self->a;
		uint32_t size = sizes[i / 2];

		msg_fill(big, size, i, 0);
		ASSERT_EQ(size, RESULT(send(out, big, size, MSG_EOR)));
		ASSERT_TRUE(msg_wait(in, POLLIN, SOON_MS));
		msg.msg_namelen = sizeof(from);
		ASSERT_EQ(size, RESULT(recvmsg(in, &msg, 0)));
		EXPECT_EQ(MSG_EOR, msg.msg_flags);
		EXPECT_EQ(size, msg_check(got, size, i, 0));
		EXPECT_EQ(i & 1 ? 0 : 2, from.sfc_site);
		EXPECT_EQ(msg_name(out).sfc_port, from.sfc_port);
	}
	EXPECT_EQ(ARRAY_SIZE(sizes), msg_stats(self->a).tx_messages);
	EXPECT_EQ(ARRAY_SIZE(sizes), msg_stats(self->a).rx_messages);
	EXPECT_EQ(ARRAY_SIZE(sizes), msg_stats(self->b).rx_messages);
	/* The counters count messages of the user only. */
	for (i = 0; i < SOON_MS && msg_stats(self->a).tx_confirmed < ARRAY_SIZE(sizes); i++)
		sleep_ms(1);
	EXPECT_EQ(ARRAY_SIZE(sizes), msg_stats(self->a).tx_confirmed);
}

TEST_F(pair, data__truncated_and_peeked)
{
	struct iovec iov = { .iov_base = got, .iov_len = 3 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	ASSERT_EQ(6, RESULT(send(self->a, "abcdef", 6, 0)));
	ASSERT_EQ(2, RESULT(send(self->a, "gh", 2, 0)));
	ASSERT_TRUE(msg_wait(self->b, POLLIN, SOON_MS));
	EXPECT_EQ(6, RESULT(recv(self->b, got, 1, MSG_PEEK | MSG_TRUNC)));
	EXPECT_EQ(3, RESULT(recvmsg(self->b, &msg, 0)));
	EXPECT_EQ(MSG_EOR | MSG_TRUNC, msg.msg_flags);
	EXPECT_EQ(2, soon(self->b, got, sizeof(got)));
	EXPECT_EQ(0, memcmp(got, "gh", 2));
}

TEST_F(pair, data__no_destination_but_the_peer)
{
	struct flitcast_target target = { .site = 1, .port = 5000 };
	struct sockaddr_flitcast addr = peer_of(self->a);

	EXPECT_EQ(-EISCONN, RESULT(msg_send(self->a, "x", 1, addr.sfc_site, addr.sfc_port, 0)));
	EXPECT_EQ(-EISCONN, RESULT(msg_send_list(self->a, "x", 1, &target, 1, 0)));
	EXPECT_EQ(1, RESULT(send(self->a, "x", 1, 0)));
	EXPECT_EQ(1, soon(self->b, got, sizeof(got)));
}

/* Only the peer's messages reach a connected socket. */
TEST_F(pair, data__strangers)
{
	int rdm = RDM(0, 0), seq = SEQ(0, 0, 0), same = RDM(2, 0);
	uint16_t b = msg_name(self->b).sfc_port;

	ASSERT_EQ(1, RESULT(msg_send(rdm, "x", 1, 2, b, 0)));
	EXPECT_EQ(ECONNREFUSED, error_soon(rdm));
	ASSERT_EQ(1, RESULT(msg_send(same, "x", 1, 2, b, 0)));
	EXPECT_EQ(ECONNREFUSED, error_soon(same));
	ASSERT_EQ(1, RESULT(msg_send(rdm, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(ECONNREFUSED, error_soon(rdm));
	EXPECT_EQ(-ECONNREFUSED, connect_to(seq, 2, b));
	EXPECT_EQ(0, msg_wait(self->b, POLLIN | POLLERR, 0));
	EXPECT_EQ(0, msg_wait(self->listener, POLLIN | POLLERR, 0));
	EXPECT_EQ(1, RESULT(send(self->a, "x", 1, 0)));
	EXPECT_EQ(1, soon(self->b, got, sizeof(got)));
}

struct flow {
	int fd;
	uint64_t key;
	unsigned int count;
	unsigned int bad;
};

static uint32_t flow_size(const struct flow *f, unsigned int i)
{
	return msg_key(f->key, 0, i) % 8 ? msg_key(f->key, 1, i) % 3000 :
					   msg_key(f->key, 1, i) % 150000;
}

static void *flow_out(void *arg)
{
	char *data = malloc(150000);
	struct flow *f = arg;
	unsigned int i;

	for (i = 0; i < f->count; i++) {
		uint32_t size = flow_size(f, i);

		msg_fill(data, size, f->key + i, 0);
		if (send(f->fd, data, size, MSG_NOSIGNAL) != size)
			f->bad++;
	}
	free(data);
	return NULL;
}

static void *flow_in(void *arg)
{
	char *data = malloc(150000);
	struct flow *f = arg;
	unsigned int i;

	for (i = 0; i < f->count; i++) {
		uint32_t size = flow_size(f, i);
		ssize_t n = recv(f->fd, data, 150000, 0);

		if (n != size || msg_check(data, size, f->key + i, 0) != size)
			f->bad++;
	}
	free(data);
	return NULL;
}

/* Two threads send in both directions at once. */
TEST_F(pair, data__in_order)
{
	struct flow flow[4] = {
		{ .fd = self->a, .key = 1000, .count = 300 },
		{ .fd = self->b, .key = 1000, .count = 300 },
		{ .fd = self->b, .key = 2000, .count = 300 },
		{ .fd = self->a, .key = 2000, .count = 300 },
	};
	pthread_t thread[4];
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, i & 1 ? flow_in : flow_out,
					    &flow[i]));
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, flow[i].bad);
	}
}

/* A reader that does not read blocks its sender, and gets all data in the end. */
TEST_F(pair, data__deaf_peer)
{
	unsigned int n = 0, i;

	msg_fill(big, 100000, 5, 0);
	/* Confirmations of earlier messages release send buffer for more. */
	do {
		while (RESULT(send(self->a, big, 100000, MSG_DONTWAIT)) == 100000)
			ASSERT_GT(1000, ++n);
		ASSERT_EQ(EAGAIN, errno);
	} while (msg_wait(self->a, POLLOUT, QUIET_MS));
	for (i = 0; i < n; i++) {
		ASSERT_EQ(100000, soon(self->b, got, sizeof(got)));
		EXPECT_EQ(100000, msg_check(got, 100000, 5, 0));
	}
	EXPECT_EQ(POLLOUT, msg_wait(self->a, POLLOUT, SOON_MS));
}

TEST_F(pair, data__fork)
{
	int status, i;
	pid_t child;

	for (i = 0; i < 3; i++) {
		child = fork();
		if (!child)
			_exit(send(self->a, &i, sizeof(i), 0) == sizeof(i) ? 0 : 1);
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_EQ(0, status);
	}
	for (i = 0; i < 3; i++) {
		int value;

		ASSERT_EQ(sizeof(value), soon(self->b, &value, sizeof(value)));
		EXPECT_EQ(i, value);
	}
	/* The exit of a child closes no connection. */
	EXPECT_EQ(0, msg_wait(self->b, POLLIN | POLLRDHUP, QUIET_MS));
}

/* End of a connection. */

static volatile sig_atomic_t pipes;

static void on_pipe(int sig __attribute__((unused)))
{
	pipes++;
}

TEST_F(pair, shutdown__half)
{
	struct sigaction action = { .sa_handler = on_pipe };
	int i;

	sigaction(SIGPIPE, &action, NULL);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(50000, RESULT(send(self->a, big, 50000, 0)));
	ASSERT_EQ(0, RESULT(shutdown(self->a, SHUT_WR)));
	ASSERT_EQ(0, RESULT(shutdown(self->a, SHUT_WR)));
	EXPECT_EQ(-EPIPE, RESULT(send(self->a, "x", 1, MSG_NOSIGNAL)));
	EXPECT_EQ(0, pipes);
	EXPECT_EQ(-EPIPE, RESULT(send(self->a, "x", 1, 0)));
	EXPECT_EQ(1, pipes);
	/* The reader gets all data, and then the end of file at each call. */
	for (i = 0; i < 20; i++)
		ASSERT_EQ(50000, soon(self->b, got, sizeof(got)));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, soon(self->b, got, sizeof(got)));
	EXPECT_EQ(POLLIN | POLLRDHUP | POLLOUT,
		  msg_wait(self->b, POLLIN | POLLRDHUP | POLLOUT, 0));
	/* The other direction still works. */
	ASSERT_EQ(5, RESULT(send(self->b, "still", 5, 0)));
	ASSERT_EQ(5, soon(self->a, got, sizeof(got)));
	ASSERT_EQ(0, RESULT(shutdown(self->b, SHUT_RDWR)));
	ASSERT_EQ(0, soon(self->a, got, sizeof(got)));
	EXPECT_NE(0, msg_wait(self->a, POLLIN, 0) & POLLHUP);
	EXPECT_NE(0, msg_wait(self->b, POLLIN, 0) & POLLHUP);
	EXPECT_EQ(0, msg_error(self->a));
	EXPECT_EQ(0, msg_error(self->b));
}

TEST_F(pair, shutdown__errors)
{
	int fresh = SEQ(0, 0, 0);

	EXPECT_EQ(-EINVAL, RESULT(shutdown(self->a, 3)));
	EXPECT_EQ(-EINVAL, RESULT(shutdown(self->a, -1)));
	EXPECT_EQ(-ENOTCONN, RESULT(shutdown(fresh, SHUT_RDWR)));
	EXPECT_EQ(1, RESULT(send(self->a, "x", 1, 0)));
	EXPECT_EQ(1, soon(self->b, got, 1));
}

/* A receiver that shuts down reading resets the connection of a peer that sends. */
TEST_F(pair, shutdown__read)
{
	ASSERT_EQ(3, RESULT(send(self->a, "one", 3, 0)));
	ASSERT_TRUE(msg_wait(self->b, POLLIN, SOON_MS));
	ASSERT_EQ(0, RESULT(shutdown(self->b, SHUT_RD)));
	/* Data received before shutdown() can still be read. */
	EXPECT_EQ(3, RESULT(recv(self->b, got, sizeof(got), 0)));
	EXPECT_EQ(0, RESULT(recv(self->b, got, sizeof(got), 0)));
	ASSERT_EQ(3, RESULT(send(self->a, "two", 3, 0)));
	ASSERT_NE(0, msg_wait(self->a, POLLERR, SOON_MS) & POLLERR);
	EXPECT_EQ(-ECONNRESET, RESULT(send(self->a, "x", 1, MSG_NOSIGNAL)));
	EXPECT_EQ(-EPIPE, RESULT(send(self->a, "x", 1, MSG_NOSIGNAL)));
	EXPECT_EQ(0, RESULT(recv(self->a, got, 1, 0)));
}

TEST_F(pair, close__end_of_file)
{
	ASSERT_EQ(3, RESULT(send(self->a, "one", 3, 0)));
	close(self->a);
	ASSERT_EQ(3, soon(self->b, got, sizeof(got)));
	ASSERT_EQ(0, soon(self->b, got, sizeof(got)));
	/* The first message causes a reset; later calls fail at once. */
	ASSERT_EQ(1, RESULT(send(self->b, "x", 1, MSG_NOSIGNAL)));
	ASSERT_NE(0, msg_wait(self->b, POLLERR, SOON_MS) & POLLERR);
	EXPECT_EQ(-EPIPE, RESULT(send(self->b, "x", 1, MSG_NOSIGNAL)));
	EXPECT_EQ(-EPIPE, RESULT(send(self->b, "x", 1, MSG_NOSIGNAL)));
	EXPECT_EQ(0, RESULT(recv(self->b, got, 1, 0)));
	EXPECT_EQ(-EISCONN, connect_to(self->b, 0, PORT));
}

/* With a linger time of 0 the peer gets a reset and no end of file. */
TEST_F(pair, close__reset)
{
	struct linger drop = { .l_onoff = 1 };

	ASSERT_EQ(3, RESULT(send(self->a, "one", 3, 0)));
	ASSERT_EQ(3, soon(self->b, got, sizeof(got)));
	ASSERT_EQ(0, setsockopt(self->a, SOL_SOCKET, SO_LINGER, &drop, sizeof(drop)));
	close(self->a);
	EXPECT_EQ(ECONNRESET, error_soon(self->b));
	EXPECT_EQ(-EPIPE, RESULT(send(self->b, "x", 1, MSG_NOSIGNAL)));
	EXPECT_EQ(0, RESULT(recv(self->b, got, 1, 0)));
}

/* After shutdown(), close() with SO_LINGER 0 resets the connection and drops unread messages. */
TEST_F(pair, close__reset_in_traffic)
{
	struct linger drop = { .l_onoff = 1 };
	int room = 4096;
	ssize_t n;

	ASSERT_EQ(0, setsockopt(self->b, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)));
	while (send(self->a, big, 100000, MSG_DONTWAIT) > 0)
		continue;
	ASSERT_EQ(0, RESULT(shutdown(self->a, SHUT_WR)));
	ASSERT_EQ(0, setsockopt(self->a, SOL_SOCKET, SO_LINGER, &drop, sizeof(drop)));
	close(self->a);
	/* The receiver can read what arrived before the reset. */
	do
		n = soon(self->b, got, sizeof(got));
	while (n > 0);
	EXPECT_EQ(-ECONNRESET, n);
}

/* Both ends close at once: neither gets an error. */
TEST_F(pair, close__both)
{
	ASSERT_EQ(0, RESULT(shutdown(self->a, SHUT_WR)));
	ASSERT_EQ(0, soon(self->b, got, 1));
	close(self->b);
	ASSERT_EQ(0, soon(self->a, got, 1));
	EXPECT_EQ(0, msg_error(self->a));
}

/* To kill a process closes its connections in order. */
TEST_F(pair, close__killed)
{
	int fd, listener = SEQ(1, PORT, 0);
	pid_t child;

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	child = fork();
	if (!child) {
		fd = SEQ(0, 0, 0);
		connect_to(fd, 1, PORT);
		send(fd, "x", 1, MSG_NOSIGNAL);
		for (;;)
			pause();
	}
	fd = accept_soon(listener);
	ASSERT_LE(0, fd);
	/* Now the child has its connection, too: without it the connection would be reset. */
	EXPECT_EQ(1, soon(fd, got, 1));
	kill(child, SIGKILL);
	EXPECT_EQ(0, soon(fd, got, 1));
	waitpid(child, NULL, 0);
}

/* An edge-triggered epoll that requests the end of file only. */
TEST_F(pair, epoll__end)
{
	struct epoll_event event = { .events = EPOLLRDHUP | EPOLLET };
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->b, &event));
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, 0));
	ASSERT_EQ(1, RESULT(send(self->a, "x", 1, 0)));
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, QUIET_MS));
	close(self->a);
	ASSERT_EQ(1, epoll_wait(epoll, &event, 1, SOON_MS));
	EXPECT_NE(0, event.events & EPOLLRDHUP);
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, QUIET_MS));
}

TEST_F(line, epoll__connect)
{
	struct epoll_event event = { .events = EPOLLOUT | EPOLLET };
	int epoll = epoll_create1(EPOLL_CLOEXEC), listener = SEQ(2, PORT, 0);
	int fd = SEQ(0, 0, SOCK_NONBLOCK);

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	ASSERT_EQ(-EINPROGRESS, connect_to(fd, 2, PORT));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	EXPECT_EQ(0, epoll_wait(epoll, &event, 1, QUIET_MS));
	ASSERT_LE(0, accept_soon(listener));
	ASSERT_EQ(1, epoll_wait(epoll, &event, 1, SOON_MS));
	EXPECT_EQ(EPOLLOUT, event.events);
}

/* Errors of connections whose site, or whose peer's site, is deleted. */
TEST_F(frail, site_del__connected)
{
	int listener = SEQ(2, PORT, 0), a[2], b[2], waits, i;

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	for (i = 0; i < 2; i++) {
		a[i] = SEQ(0, 0, 0);
		ASSERT_EQ(0, set_timeout(a[i], 1000));
		ASSERT_TRUE(join(a[i], listener, 2, PORT, &b[i]));
	}
	waits = SEQ(0, 0, SOCK_NONBLOCK);
	ASSERT_EQ(0, set_timeout(waits, 1000));
	ASSERT_EQ(2, RESULT(send(a[0], "ab", 2, 0)));
	ASSERT_TRUE(msg_wait(b[0], POLLIN, SOON_MS));
	ASSERT_EQ(0, cli("-n " FRAIL "-2 site del 2"));
	EXPECT_EQ(-ENETDOWN, RESULT(accept(listener, NULL, NULL)));
	EXPECT_EQ(-ENETDOWN, RESULT(recv(b[0], got, sizeof(got), 0)));
	EXPECT_EQ(2, RESULT(recv(b[0], got, sizeof(got), 0)));
	EXPECT_EQ(-ENETDOWN, RESULT(recv(b[0], got, sizeof(got), 0)));
	EXPECT_EQ(ENETDOWN, msg_error(b[1]));
	EXPECT_EQ(-ENETDOWN, RESULT(send(b[1], "x", 1, MSG_NOSIGNAL)));
	/* The peers find out when they send: no site answers, or there is no route. */
	ASSERT_EQ(1, RESULT(send(a[0], "x", 1, MSG_NOSIGNAL)));
	ASSERT_EQ(-EINPROGRESS, connect_to(waits, 2, PORT));
	i = error_soon(a[0]);
	EXPECT_TRUE(i == ETIMEDOUT || i == EHOSTUNREACH);
	EXPECT_EQ(-EPIPE, RESULT(send(a[0], "x", 1, MSG_NOSIGNAL)));
	i = error_soon(waits);
	EXPECT_TRUE(i == ETIMEDOUT || i == EHOSTUNREACH);
}

/* The site of the connecting socket is deleted: the attempt fails. */
TEST_F(frail, site_del__connecting)
{
	struct connector c = { .fd = SEQ(0, 0, 0), .site = 2, .port = PORT, .result = 1 };
	int listener = SEQ(2, PORT, 0);
	pthread_t thread;

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, connect_and_wait, &c));
	ASSERT_TRUE(msg_wait(listener, POLLIN, SOON_MS));
	ASSERT_EQ(0, cli("-n " FRAIL "-0 site del 0"));
	pthread_join(thread, NULL);
	EXPECT_EQ(-ENETDOWN, c.result);
}

/* Set netem loss on all links.  Return: 0, or a non-zero status. */
static int lose(const char *percent)
{
	static const char *const ends[] = { "0 dev p1", "1 dev p1", "1 dev p2", "2 dev p2" };
	char command[200];
	unsigned int i;
	int bad = 0;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		snprintf(command, sizeof(command),
			 "tc -n " FRAIL "-%.1s qdisc replace%s root netem loss %s >/dev/null 2>&1",
			 ends[i], ends[i] + 1, percent);
		bad |= system(command);
	}
	return bad;
}

/*
 * An end that has read everything and closes refuses no received message: its confirmations may be
 * lost, and the site repeats them after the socket is closed.
 */
TEST_F(frail, close__lossy_links)
{
	int listener = SEQ(2, PORT, 0), a[30], b[30], round, i;

	ASSERT_EQ(0, RESULT(listen(listener, 30)));
	system("modprobe sch_netem 2>/dev/null");
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 30; i++) {
			a[i] = SEQ(0, 0, 0);
			ASSERT_TRUE(join(a[i], listener, 2, PORT, &b[i]));
		}
		if (lose("20%"))
			SKIP(return, "there is no netem");
		for (i = 0; i < 30; i++) {
			ASSERT_EQ(4, RESULT(send(a[i], "data", 4, 0)));
			ASSERT_EQ(0, RESULT(shutdown(a[i], SHUT_WR)));
		}
		for (i = 0; i < 30; i++) {
			/* A frame may be lost many times. */
			msg_wait(b[i], POLLRDHUP, 2 * SOON_MS);
			ASSERT_EQ(4, soon(b[i], got, sizeof(got)));
			ASSERT_EQ(0, soon(b[i], got, sizeof(got)));
			close(b[i]);
		}
		for (i = 0; i < 30; i++) {
			uint64_t until = now_ms() + 3 * SOON_MS;
			int out = 1;

			msg_wait(a[i], POLLRDHUP, 2 * SOON_MS);
			EXPECT_EQ(0, soon(a[i], got, sizeof(got)));
			while (!ioctl(a[i], SIOCOUTQ, &out) && out && now_ms() < until)
				sleep_ms(10);
			EXPECT_EQ(0, out);
			EXPECT_EQ(0, msg_error(a[i]));
			close(a[i]);
		}
		ASSERT_EQ(0, lose("0%"));
	}
}

/* A default destination of a datagram socket. */

TEST_F(line, rdm__connected)
{
	int fd = RDM(0, 0), to = RDM(2, PORT), other = RDM(1, PORT), from = RDM(1, 0);
	struct flitcast_target target = { .site = 1, .port = PORT };
	struct sockaddr unspec = { .sa_family = AF_UNSPEC };

	EXPECT_EQ(-EDESTADDRREQ, RESULT(send(fd, "x", 1, 0)));
	ASSERT_EQ(0, connect_to(fd, 2, PORT));
	EXPECT_EQ(2, peer_of(fd).sfc_site);
	EXPECT_EQ(PORT, peer_of(fd).sfc_port);
	ASSERT_EQ(3, RESULT(send(fd, "one", 3, 0)));
	EXPECT_EQ(3, soon(to, got, sizeof(got)));
	/* An address in the call overrides the default destination. */
	ASSERT_EQ(5, RESULT(msg_send(fd, "other", 5, 1, PORT, 0)));
	EXPECT_EQ(5, soon(other, got, sizeof(got)));
	ASSERT_EQ(4, RESULT(msg_send_list(fd, "list", 4, &target, 1, 0)));
	EXPECT_EQ(4, soon(other, got, sizeof(got)));
	/* The socket still receives from any sender. */
	ASSERT_EQ(4, RESULT(msg_send(from, "back", 4, 0, msg_name(fd).sfc_port, 0)));
	EXPECT_EQ(4, soon(fd, got, sizeof(got)));
	ASSERT_EQ(0, connect_to(fd, 1, PORT));
	ASSERT_EQ(2, RESULT(write(fd, "on", 2)));
	EXPECT_EQ(2, soon(other, got, sizeof(got)));
	ASSERT_EQ(0, RESULT(connect(fd, &unspec, sizeof(unspec))));
	EXPECT_EQ(0, peer_of(fd).sfc_port);
	EXPECT_EQ(-EDESTADDRREQ, RESULT(send(fd, "x", 1, 0)));
	/* The socket has no connection to shut down. */
	EXPECT_EQ(-EOPNOTSUPP, RESULT(shutdown(fd, SHUT_WR)));
}

TEST_F(line, rdm__connected_to_no_socket)
{
	int fd = RDM(0, 0);

	ASSERT_EQ(0, connect_to(fd, 2, PORT));
	ASSERT_EQ(1, RESULT(send(fd, "x", 1, 0)));
	EXPECT_EQ(ECONNREFUSED, error_soon(fd));
	ASSERT_EQ(0, connect_to(fd, 100, PORT));
	EXPECT_EQ(-EHOSTUNREACH, RESULT(send(fd, "x", 1, 0)));
}

API_MAIN
