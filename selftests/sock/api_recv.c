// SPDX-License-Identifier: GPL-2.0
/*
 * recvmsg(), poll(), and the information about a message.
 */
#include <sys/epoll.h>
#include "api.h"

static char big[1 << 20], got[1 << 20];

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

/**
 * struct received - all results of recvmsg()
 * @result: length or -errno
 * @flags: msg_flags
 * @from: msg_name
 * @namelen: msg_namelen
 * @infos: number of FLITCAST_INFO control messages
 * @others: number of other control messages
 * @info: the last FLITCAST_INFO
 */
struct received {
	ssize_t result;
	int flags;
	struct sockaddr_flitcast from;
	socklen_t namelen;
	int infos;
	int others;
	struct flitcast_info info;
};

static struct received recv_all(int fd, void *data, size_t size, size_t controllen, int flags)
{
	union {
		char buf[512];
		struct cmsghdr align;
	} control;
	struct received r = { 0 };
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr msg = {
		.msg_name = &r.from, .msg_namelen = sizeof(r.from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf, .msg_controllen = controllen,
	};
	struct cmsghdr *cmsg;

	r.result = RESULT(recvmsg(fd, &msg, flags));
	if (r.result < 0)
		return r;
	r.flags = msg.msg_flags;
	r.namelen = msg.msg_namelen;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_FLITCAST || cmsg->cmsg_type != FLITCAST_INFO ||
		    cmsg->cmsg_len != CMSG_LEN(sizeof(r.info))) {
			r.others++;
			continue;
		}
		r.infos++;
		memcpy(&r.info, CMSG_DATA(cmsg), sizeof(r.info));
	}
	return r;
}

TEST_F(line, recv__truncated)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct received r;

	ASSERT_EQ(10, RESULT(msg_send(from, "0123456789", 10, 2, PORT, 0)));
	ASSERT_EQ(4, RESULT(msg_send(from, "next", 4, 2, PORT, 0)));
	memset(got, 0x5a, 16);
	r = recv_all(to, got, 4, 0, 0);
	EXPECT_EQ(4, r.result);
	EXPECT_EQ(MSG_TRUNC, r.flags & MSG_TRUNC);
	EXPECT_EQ(0, memcmp(got, "0123\x5a", 5));
	/* The rest of a truncated message is discarded. */
	r = recv_all(to, got, sizeof(got), 0, 0);
	EXPECT_EQ(4, r.result);
	EXPECT_EQ(0, r.flags & MSG_TRUNC);
	EXPECT_EQ(0, memcmp(got, "next", 4));
}

TEST_F(line, recv__true_length)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct received r;

	msg_fill(big, 200000, 1, 0);
	ASSERT_EQ(200000, RESULT(msg_send(from, big, 200000, 2, PORT, 0)));
	ASSERT_EQ(200000, RESULT(msg_send(from, big, 200000, 2, PORT, 0)));
	ASSERT_EQ(5, RESULT(msg_send(from, big, 5, 2, PORT, 0)));
	r = recv_all(to, got, 70000, 0, MSG_TRUNC);
	EXPECT_EQ(200000, r.result);
	EXPECT_EQ(MSG_TRUNC, r.flags & MSG_TRUNC);
	EXPECT_EQ(70000, msg_check(got, 70000, 1, 0));
	r = recv_all(to, NULL, 0, 0, MSG_TRUNC);
	EXPECT_EQ(200000, r.result);
	r = recv_all(to, got, sizeof(got), 0, MSG_TRUNC);
	EXPECT_EQ(5, r.result);
	EXPECT_EQ(0, r.flags & MSG_TRUNC);
}

TEST_F(line, recv__peek)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;
	struct received r;

	ASSERT_EQ(5, RESULT(msg_send(from, "first", 5, 2, PORT, 0)));
	ASSERT_EQ(6, RESULT(msg_send(from, "second", 6, 2, PORT, 0)));
	for (i = 0; i < 3; i++) {
		r = recv_all(to, got, sizeof(got), 0, MSG_PEEK);
		EXPECT_EQ(5, r.result);
		EXPECT_EQ(0, r.from.sfc_site);
		EXPECT_EQ(0, memcmp(got, "first", 5));
	}
	r = recv_all(to, got, 2, 0, MSG_PEEK | MSG_TRUNC);
	EXPECT_EQ(5, r.result);
	EXPECT_EQ(5, recv_all(to, got, sizeof(got), 0, 0).result);
	EXPECT_EQ(6, recv_all(to, got, sizeof(got), 0, 0).result);
	EXPECT_EQ(-EAGAIN, recv_all(to, got, sizeof(got), 0, MSG_DONTWAIT | MSG_PEEK).result);
}

/* MSG_PEEK does not release buffer space, however often. */
TEST_F(line, recv__peek_room)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;

	msg_fill(big, 65536, 1, 0);
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(65536, RESULT(msg_send(from, big, 65536, 2, PORT, 0)));
		ASSERT_EQ(65536, recv_all(to, got, sizeof(got), 0, MSG_PEEK).result);
		ASSERT_EQ(65536, recv_all(to, got, sizeof(got), 0, 0).result);
	}
	EXPECT_EQ(300, msg_stats(to).rx_messages);
}

TEST_F(alone, recv__do_not_wait)
{
	int fd = msg_socket(-1, 1, PORT, 0), nonblock = msg_socket(-1, 1, 0, SOCK_NONBLOCK);
	char byte;

	EXPECT_EQ(-EAGAIN, RESULT(msg_recv(fd, &byte, 1, NULL, MSG_DONTWAIT)));
	EXPECT_EQ(-EAGAIN, RESULT(msg_recv(nonblock, &byte, 1, NULL, 0)));
}

TEST_F(alone, recv__timeout)
{
	struct timeval timeout = { .tv_usec = 300000 };
	int fd = msg_socket(-1, 1, PORT, 0);
	uint64_t start = now_ms();
	char byte;

	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)));
	EXPECT_EQ(-EAGAIN, RESULT(msg_recv(fd, &byte, 1, NULL, 0)));
	EXPECT_LE(290, now_ms() - start);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* Raise SIGALRM after @ms. */
static void alarm_in(unsigned int ms, int flags)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 },
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

TEST_F(alone, recv__interrupted)
{
	struct timeval timeout = { .tv_sec = 1000 };
	int fd = msg_socket(-1, 1, PORT, 0);
	char byte;

	alarm_in(200, 0);
	EXPECT_EQ(-EINTR, RESULT(msg_recv(fd, &byte, 1, NULL, 0)));
	/* A call on a socket with a time-out does not restart after a signal, see signal(7). */
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)));
	alarm_in(200, SA_RESTART);
	EXPECT_EQ(-EINTR, RESULT(msg_recv(fd, &byte, 1, NULL, 0)));
}

struct late {
	int fd;
	unsigned int after_ms;
	uint32_t site;
	uint16_t port;
};

static void *send_late(void *arg)
{
	struct late *late = arg;

	sleep_ms(late->after_ms);
	msg_send(late->fd, "late", 4, late->site, late->port, 0);
	return NULL;
}

TEST_F(line, recv__restarted)
{
	struct late late = { .fd = SOCKET(0, 0), .after_ms = 800, .site = 2, .port = PORT };
	int to = SOCKET(2, PORT);
	pthread_t thread;
	sigset_t set;

	/* The other thread must not get the signal. */
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	ASSERT_EQ(0, pthread_create(&thread, NULL, send_late, &late));
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	alarm_in(200, SA_RESTART);
	EXPECT_EQ(4, recv_all(to, got, sizeof(got), 0, 0).result);
	pthread_join(thread, NULL);
}

TEST_F(line, recv__wakes)
{
	struct late late = { .fd = SOCKET(0, 0), .after_ms = 300, .site = 2, .port = PORT };
	int to = SOCKET(2, PORT);
	uint64_t start = now_ms();
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, send_late, &late));
	EXPECT_EQ(4, recv_all(to, got, sizeof(got), 0, 0).result);
	EXPECT_LE(290, now_ms() - start);
	pthread_join(thread, NULL);
}

TEST_F(alone, recv__flags)
{
	int fd = msg_socket(-1, 1, PORT, 0);

	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 1, PORT, 0)));
	ASSERT_NE(0, msg_wait(fd, POLLIN, SOON_MS));
	EXPECT_EQ(-EOPNOTSUPP, recv_all(fd, got, 1, 0, MSG_OOB).result);
	EXPECT_EQ(-EAGAIN, recv_all(fd, got, 1, 0, MSG_ERRQUEUE).result);
	EXPECT_EQ(1, recv_all(fd, got, 1, 0, MSG_DONTWAIT).result);
	/* io_uring always sets MSG_NOSIGNAL. */
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 1, PORT, MSG_NOSIGNAL)));
	EXPECT_EQ(1, recv_all(fd, got, 1, 0, MSG_NOSIGNAL).result);
	/* MSG_WAITALL does not wait for more than one message. */
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 1, PORT, 0)));
	EXPECT_EQ(1, recv_all(fd, got, sizeof(got), 0, MSG_WAITALL).result);
}

TEST_F(line, recv__name)
{
	int from = SOCKET(1, PORT), to = SOCKET(2, PORT);
	struct sockaddr_flitcast addr;
	socklen_t len = 3;
	struct received r;

	ASSERT_EQ(1, RESULT(msg_send(from, "a", 1, 2, PORT, 0)));
	r = recv_all(to, got, sizeof(got), 0, 0);
	EXPECT_EQ(sizeof(addr), r.namelen);
	EXPECT_EQ(msg_family(), r.from.sfc_family);
	EXPECT_EQ(FLITCAST_ADDR_SITE, r.from.sfc_addrtype);
	EXPECT_EQ(1, r.from.sfc_site);
	EXPECT_EQ(PORT, r.from.sfc_port);
	/* recvmsg() without FLITCAST_INFO gets no info; a short buffer gets a truncated message. */
	ASSERT_EQ(1, RESULT(msg_send(from, "b", 1, 2, PORT, 0)));
	EXPECT_EQ(1, RESULT(read(to, got, sizeof(got))));
	ASSERT_EQ(1, RESULT(msg_send(from, "c", 1, 2, PORT, 0)));
	memset(&addr, 0x5a, sizeof(addr));
	EXPECT_EQ(1, RESULT(recvfrom(to, got, 1, 0, (struct sockaddr *)&addr, &len)));
	EXPECT_EQ(sizeof(addr), len);
	EXPECT_EQ(FLITCAST_ADDR_SITE, addr.sfc_addrtype);
	EXPECT_EQ(0x5a, addr.sfc_copies);
	EXPECT_EQ('c', got[0]);
}

TEST_F(line, info__not_asked)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct received r;

	ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
	r = recv_all(to, got, sizeof(got), 256, 0);
	EXPECT_EQ(1, r.result);
	EXPECT_EQ(0, r.infos + r.others);
}

TEST_F(line, info__site)
{
	int from = SOCKET(0, 0), on = 1, i, to[3];
	struct received r;

	for (i = 0; i < 3; i++) {
		to[i] = SOCKET(i, PORT);
		ASSERT_EQ(0, setsockopt(to[i], SOL_FLITCAST, FLITCAST_INFO, &on, sizeof(on)));
		ASSERT_EQ(1000, RESULT(msg_send(from, big, 1000, i, PORT, 0)));
		r = recv_all(to[i], got, sizeof(got), 256, 0);
		EXPECT_EQ(1000, r.result);
		ASSERT_EQ(1, r.infos);
		EXPECT_EQ(0, r.others);
		EXPECT_EQ(FLITCAST_ADDR_SITE, r.info.addrtype);
		EXPECT_EQ(1, r.info.copies);
		EXPECT_EQ(1, r.info.votes);
		EXPECT_EQ(0, r.info.zero);
		EXPECT_EQ(0, r.info.offset);
		EXPECT_EQ(1000, r.info.length);
		/* On a line, site i is i links from site 0. */
		EXPECT_EQ(i, r.info.hops);
	}
}

TEST_F(line, info__list)
{
	struct flitcast_target targets[] = {
		{ .site = 1, .port = PORT, .offset = 10, .length = 20 },
		{ .site = 2, .port = PORT, .offset = 90000 },
	};
	int from = SOCKET(0, 0), one = SOCKET(1, PORT), two = SOCKET(2, PORT), on = 1;
	struct received r, s;

	ASSERT_EQ(0, setsockopt(one, SOL_FLITCAST, FLITCAST_INFO, &on, sizeof(on)));
	ASSERT_EQ(0, setsockopt(two, SOL_FLITCAST, FLITCAST_INFO, &on, sizeof(on)));
	ASSERT_EQ(100000, RESULT(msg_send_list(from, big, 100000, targets, 2, 0)));
	r = recv_all(one, got, sizeof(got), 256, 0);
	EXPECT_EQ(20, r.result);
	ASSERT_EQ(1, r.infos);
	EXPECT_EQ(FLITCAST_ADDR_LIST, r.info.addrtype);
	EXPECT_EQ(10, r.info.offset);
	EXPECT_EQ(100000, r.info.length);
	EXPECT_EQ(1, r.info.hops);
	s = recv_all(two, got, sizeof(got), 256, 0);
	EXPECT_EQ(10000, s.result);
	ASSERT_EQ(1, s.infos);
	EXPECT_EQ(FLITCAST_ADDR_LIST, s.info.addrtype);
	EXPECT_EQ(90000, s.info.offset);
	EXPECT_EQ(100000, s.info.length);
	EXPECT_EQ(2, s.info.hops);
	/* Both targets received one message: it has one id. */
	EXPECT_EQ(r.info.id, s.info.id);
	/* A list of one target still has the address type of a list. */
	ASSERT_EQ(5, RESULT(msg_send_list(from, big, 5, (struct flitcast_target[]) {
		{ .site = 1, .port = PORT } }, 1, 0)));
	r = recv_all(one, got, sizeof(got), 256, 0);
	ASSERT_EQ(1, r.infos);
	EXPECT_EQ(FLITCAST_ADDR_LIST, r.info.addrtype);
	EXPECT_NE(s.info.id, r.info.id);
}

TEST_F(line, info__ids_differ)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), on = 1, i;
	uint32_t id[50];

	ASSERT_EQ(0, setsockopt(to, SOL_FLITCAST, FLITCAST_INFO, &on, sizeof(on)));
	for (i = 0; i < 50; i++) {
		struct received r;
		int k;

		ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
		r = recv_all(to, got, sizeof(got), 256, 0);
		ASSERT_EQ(1, r.infos);
		id[i] = r.info.id;
		for (k = 0; k < i; k++)
			EXPECT_NE(id[k], id[i]);
	}
}

static uint64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The arrival time is that of the arrival, not of the read; here no window was reserved. */
TEST_F(line, info__arrival)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), on = 1, i;
	struct flitcast_admission admission;
	struct flitcast_report report;
	struct flitcast_result result;
	uint64_t before, came[2];
	socklen_t len = sizeof(admission);
	struct received r;

	ASSERT_EQ(0, setsockopt(to, SOL_FLITCAST, FLITCAST_INFO, &on, sizeof(on)));
	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_CONFIRM, &on, sizeof(on)));
	before = monotonic_ns();
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(100000, RESULT(msg_send(from, big, 100000, 2, PORT, 0)));
		ASSERT_NE(0, msg_wait(from, POLLERR, SOON_MS) & POLLERR);
		came[i] = monotonic_ns();
		ASSERT_EQ(1, RESULT(msg_report(from, &report, &result, 1, NULL)));
		EXPECT_EQ(0, report.reserved);
		EXPECT_LE(before, report.completed);
		EXPECT_GE(came[i], report.completed);
	}
	for (i = 0; i < 2; i++) {
		r = recv_all(to, got, sizeof(got), 256, i ? 0 : MSG_PEEK);
		ASSERT_EQ(1, r.infos);
		EXPECT_EQ(0, r.info.reserved);
		EXPECT_LE(before, r.info.arrived);
		EXPECT_GE(came[0], r.info.arrived);
	}
	r = recv_all(to, got, sizeof(got), 256, 0);
	ASSERT_EQ(1, r.infos);
	EXPECT_LE(came[0], r.info.arrived);
	EXPECT_GE(came[1], r.info.arrived);
	ASSERT_EQ(0, getsockopt(from, SOL_FLITCAST, FLITCAST_ADMISSION, &admission, &len));
	EXPECT_EQ(sizeof(admission), len);
	EXPECT_EQ(0, admission.waiting);
	EXPECT_EQ(0, admission.reserved);
}

TEST_F(line, info__no_space)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), on = 1;
	struct received r;

	ASSERT_EQ(0, setsockopt(to, SOL_FLITCAST, FLITCAST_INFO, &on, sizeof(on)));
	ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
	r = recv_all(to, got, sizeof(got), CMSG_LEN(4), 0);
	EXPECT_EQ(1, r.result);
	EXPECT_EQ(MSG_CTRUNC, r.flags & MSG_CTRUNC);
}

static uint64_t real_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Each option that requests the arrival time of messages. */
TEST_F(line, stamp__options)
{
	static const struct {
		int option, type;
		unsigned int unit;	/* nanoseconds per unit of its second field */
	} stamps[] = {
		{ SO_TIMESTAMP_OLD, SCM_TIMESTAMP, 1000 },
		{ SO_TIMESTAMP_NEW, SO_TIMESTAMP_NEW, 1000 },
		{ SO_TIMESTAMPNS_OLD, SCM_TIMESTAMPNS, 1 },
		{ SO_TIMESTAMPNS_NEW, SO_TIMESTAMPNS_NEW, 1 },
	};
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), on = 1;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(stamps); i++) {
		union {
			char buf[256];
			struct cmsghdr align;
		} control;
		char byte;
		struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
		struct msghdr msg = {
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = control.buf, .msg_controllen = sizeof(control),
		};
		uint64_t before, there, at;
		struct cmsghdr *cmsg;
		int64_t value[2];

		ASSERT_EQ(0, setsockopt(to, SOL_SOCKET, stamps[i].option, &on, sizeof(on)));
		before = real_ns();
		ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
		ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS));
		there = real_ns();
		/* The time stamp is that of the arrival, not that of the recvmsg() call. */
		sleep_ms(50);
		ASSERT_EQ(1, RESULT(recvmsg(to, &msg, 0)));
		cmsg = CMSG_FIRSTHDR(&msg);
		ASSERT_NE(NULL, cmsg);
		EXPECT_EQ(SOL_SOCKET, cmsg->cmsg_level);
		EXPECT_EQ(stamps[i].type, cmsg->cmsg_type);
		ASSERT_EQ(CMSG_LEN(sizeof(value)), cmsg->cmsg_len);
		memcpy(value, CMSG_DATA(cmsg), sizeof(value));
		at = value[0] * 1000000000ULL + value[1] * stamps[i].unit;
		EXPECT_LE(before - before % stamps[i].unit, at);
		EXPECT_GE(there, at);
		EXPECT_EQ(NULL, CMSG_NXTHDR(&msg, cmsg));
	}
}

TEST_F(line, stamp__ioctl)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	uint64_t before, there, at;
	struct timespec ts;
	char byte;

	/* The first call asks for time stamps from then on. */
	ioctl(to, SIOCGSTAMPNS, &ts);
	before = real_ns();
	ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
	ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS));
	there = real_ns();
	sleep_ms(50);
	ASSERT_EQ(1, RESULT(msg_recv(to, &byte, 1, NULL, 0)));
	ASSERT_EQ(0, RESULT(ioctl(to, SIOCGSTAMPNS, &ts)));
	at = ts.tv_sec * 1000000000ULL + ts.tv_nsec;
	EXPECT_LE(before, at);
	EXPECT_GE(there, at);
}

TEST_F(line, recv__bad_pointers)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;

	/* A message that cannot be copied to the caller still releases its buffer space. */
	msg_fill(big, 65536, 1, 0);
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(65536, RESULT(msg_send(from, big, 65536, 2, PORT, 0)));
		ASSERT_NE(0, msg_wait(to, POLLIN, SOON_MS));
		EXPECT_EQ(-EFAULT, recv_all(to, (void *)16, 65536, 0, MSG_DONTWAIT).result);
		while (recv_all(to, got, sizeof(got), 0, MSG_DONTWAIT).result >= 0)
			continue;
	}
}

TEST_F(line, recv__scatter)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;
	struct iovec iov[8];
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 8 };

	msg_fill(big, 100000, 3, 0);
	ASSERT_EQ(100000, RESULT(msg_send(from, big, 100000, 2, PORT, 0)));
	memset(got, 0, sizeof(got));
	for (i = 0; i < 8; i++)
		iov[i] = (struct iovec) { .iov_base = got + i * 13000, .iov_len = 13000 };
	ASSERT_EQ(100000, RESULT(recvmsg(to, &msg, 0)));
	EXPECT_EQ(0, msg.msg_flags & MSG_TRUNC);
	EXPECT_EQ(100000, msg_check(got, 100000, 3, 0));
}

TEST_F(line, recv__several_at_once)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;
	struct timespec patience = { .tv_sec = SOON_MS / 1000 };
	struct mmsghdr msgs[5] = { 0 };
	struct iovec iov[5];

	for (i = 0; i < 5; i++) {
		iov[i] = (struct iovec) { .iov_base = got + 16 * i, .iov_len = 16 };
		msgs[i].msg_hdr = (struct msghdr) { .msg_iov = &iov[i], .msg_iovlen = 1 };
		ASSERT_EQ(i, RESULT(msg_send(from, "12345", i, 2, PORT, 0)));
	}
	ASSERT_EQ(5, RESULT(recvmmsg(to, msgs, 5, 0, &patience)));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(i, msgs[i].msg_len);
}

TEST_F(line, poll__in_and_out)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct pollfd pfd = { .fd = to, .events = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM };
	char byte;

	ASSERT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(POLLOUT | POLLWRNORM, pfd.revents);
	ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
	ASSERT_NE(0, msg_wait(to, POLLIN, SOON_MS));
	ASSERT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM, pfd.revents);
	ASSERT_EQ(1, RESULT(msg_recv(to, &byte, 1, NULL, 0)));
	ASSERT_EQ(1, poll(&pfd, 1, 0));
	EXPECT_EQ(POLLOUT | POLLWRNORM, pfd.revents);
}

/* A message of 0 bytes makes the socket readable. */
TEST_F(line, poll__empty_message)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);

	ASSERT_EQ(0, RESULT(msg_send(from, "", 0, 2, PORT, 0)));
	EXPECT_EQ(POLLIN, msg_wait(to, POLLIN, SOON_MS));
	EXPECT_EQ(0, RESULT(msg_recv(to, got, 1, NULL, MSG_DONTWAIT)));
	EXPECT_EQ(0, msg_wait(to, POLLIN, 0));
}

TEST_F(line, poll__wakes)
{
	struct late late = { .fd = SOCKET(0, 0), .after_ms = 300, .site = 2, .port = PORT };
	int to = SOCKET(2, PORT);
	uint64_t start = now_ms();
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, send_late, &late));
	EXPECT_EQ(POLLIN, msg_wait(to, POLLIN, SOON_MS));
	EXPECT_LE(290, now_ms() - start);
	pthread_join(thread, NULL);
}

TEST_F(line, poll__edge)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int ep = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, to, &event));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
		ASSERT_EQ(1, epoll_wait(ep, &event, 1, SOON_MS));
		EXPECT_NE(0, event.events & EPOLLIN);
		ASSERT_EQ(1, RESULT(msg_recv(to, got, 1, NULL, MSG_DONTWAIT)));
	}
	EXPECT_EQ(0, epoll_wait(ep, &event, 1, QUIET_MS));
}

TEST_F(line, ioctl__inq)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), value = -1;

	ASSERT_EQ(0, ioctl(to, SIOCINQ, &value));
	EXPECT_EQ(0, value);
	ASSERT_EQ(77, RESULT(msg_send(from, big, 77, 2, PORT, 0)));
	ASSERT_EQ(5, RESULT(msg_send(from, big, 5, 2, PORT, 0)));
	ASSERT_NE(0, msg_wait(to, POLLIN, SOON_MS));
	/* SIOCINQ returns the length of the next message, as on every datagram socket. */
	ASSERT_EQ(0, ioctl(to, SIOCINQ, &value));
	EXPECT_EQ(77, value);
	ASSERT_EQ(77, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
	ASSERT_NE(0, msg_wait(to, POLLIN, SOON_MS));
	ASSERT_EQ(0, ioctl(to, SIOCINQ, &value));
	EXPECT_EQ(5, value);
}

TEST_F(line, ioctl__outq)
{
	int from = SOCKET(0, 0), value = -1;
	uint64_t until;

	ASSERT_EQ(0, ioctl(from, SIOCOUTQ, &value));
	EXPECT_EQ(0, value);
	/* The port of the other site is closed: the message stays queued until it is refused. */
	ASSERT_EQ(sizeof(big), RESULT(msg_send(from, big, sizeof(big), 2, PORT, 0)));
	until = now_ms() + SOON_MS;
	do {
		ASSERT_EQ(0, ioctl(from, SIOCOUTQ, &value));
	} while (value && now_ms() < until);
	EXPECT_EQ(0, value);
	EXPECT_EQ(ECONNREFUSED, msg_error(from));
}

TEST_F(line, recv__two_threads)
{
	struct late late[2] = {
		{ .fd = SOCKET(0, 0), .after_ms = 200, .site = 2, .port = PORT },
		{ .fd = SOCKET(1, 0), .after_ms = 400, .site = 2, .port = PORT },
	};
	int to = SOCKET(2, PORT), i;
	pthread_t thread[2];

	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, send_late, &late[i]));
	EXPECT_EQ(4, RESULT(msg_recv(to, got, 16, NULL, 0)));
	EXPECT_EQ(4, RESULT(msg_recv(to, got, 16, NULL, 0)));
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
}

API_MAIN
