// SPDX-License-Identifier: GPL-2.0
/*
 * MSG_ZEROCOPY: the kernel uses the program's pages until it notifies the program.
 */
#include "api.h"
#include <signal.h>
#include <linux/errqueue.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define MIB	(1U << 20)

static char big[MIB + 8192], got[MIB];

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

static int set_zerocopy(int fd, int value)
{
	return RESULT(setsockopt(fd, SOL_FLITCAST, FLITCAST_ZEROCOPY, &value, sizeof(value)));
}

/* Read one notification: the kernel is done with messages @ee->ee_info to @ee->ee_data. */
static int reported_now(int fd, struct sock_extended_err *ee)
{
	union {
		char buf[CMSG_SPACE(sizeof(*ee))];
		struct cmsghdr align;
	} control;
	struct msghdr msg = { .msg_control = control.buf, .msg_controllen = sizeof(control.buf) };
	struct cmsghdr *cmsg;

	if (recvmsg(fd, &msg, MSG_ERRQUEUE) < 0)
		return -errno;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!(msg.msg_flags & MSG_ERRQUEUE) || !cmsg || cmsg->cmsg_level != SOL_FLITCAST ||
	    cmsg->cmsg_type != FLITCAST_ZEROCOPY || cmsg->cmsg_len != CMSG_LEN(sizeof(*ee)))
		return -EBADMSG;
	memcpy(ee, CMSG_DATA(cmsg), sizeof(*ee));
	return ee->ee_errno || ee->ee_origin != SO_EE_ORIGIN_ZEROCOPY ? -EBADMSG : 0;
}

/* Wait for the notification of message @last; earlier messages must be notified in order. */
static int reported_soon(int fd, uint32_t first, uint32_t last, uint8_t *code)
{
	uint64_t until = now_ms() + SOON_MS;
	struct sock_extended_err ee;
	int err;

	while (now_ms() < until) {
		err = reported_now(fd, &ee);
		if (err == -EAGAIN) {
			msg_wait(fd, POLLERR, 20);
			continue;
		}
		if (err)
			return err;
		if (ee.ee_info != first || ee.ee_data > last)
			return -ERANGE;
		*code = ee.ee_code;
		if (ee.ee_data == last)
			return 0;
		first = ee.ee_data + 1;
	}
	return -ETIMEDOUT;
}

TEST_F(bare, zerocopy__option)
{
	int fd = socket(msg_family(), SOCK_RDM, 0), value = -1;
	struct sock_extended_err ee;
	socklen_t len = sizeof(value);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_ZEROCOPY, &value, &len));
	EXPECT_EQ(0, value);
	EXPECT_EQ(0, set_zerocopy(fd, 1));
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_ZEROCOPY, &value, &len));
	EXPECT_EQ(1, value);
	EXPECT_EQ(-EAGAIN, reported_now(fd, &ee));
}

/* After the notification the sender may change its buffer: a later reader gets the old data. */
TEST_F(line, zerocopy__reported)
{
	static const size_t sizes[] = { 8192, 8193, 65536, 65537, 200000, MIB };
	static const uint32_t sites[] = { 2, 1, 0 };
	int from = SOCKET(0, 0);
	uint32_t id = 0;
	uint8_t code;
	size_t i, j;

	ASSERT_EQ(0, set_zerocopy(from, 1));
	for (j = 0; j < ARRAY_SIZE(sites); j++) {
		int to = SOCKET(sites[j], PORT);

		for (i = 0; i < ARRAY_SIZE(sizes); i++, id++) {
			char *data = big + (i * 1001) % 4096;

			msg_fill(data, sizes[i], id, 0);
			ASSERT_EQ(sizes[i], RESULT(msg_send(from, data, sizes[i], sites[j], PORT,
							    MSG_ZEROCOPY)));
			ASSERT_EQ(0, reported_soon(from, id, id, &code));
			memset(data, 0xee, sizes[i]);
			ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS));
			ASSERT_EQ(sizes[i], RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
			EXPECT_EQ(sizes[i], msg_check(got, sizes[i], id, 0));
		}
		close(to);
	}
}

/*
 * Send two messages of @len bytes without copying; the receiver has no buffer space for the second
 * one, which is to be sent again.  Return: true if the kernel has notified of the first one alone.
 */
static bool second_waits(int from, int to, const struct sockaddr_flitcast *addr, size_t len)
{
	int least = 1, i;
	uint8_t code;

	setsockopt(to, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	if (set_zerocopy(from, 1))
		return false;
	msg_fill(big, len, 1, 0);
	for (i = 0; i < 2; i++)
		if (sendto(from, big, len, MSG_ZEROCOPY, (const void *)addr, sizeof(*addr)) !=
		    (ssize_t)len || (!i && reported_soon(from, 0, 0, &code)))
			return false;
	return !msg_wait(from, POLLERR, 500);
}

/* The kernel notifies only when the message is completed, since it may have to retransmit. */
TEST_F(line, zerocopy__kept)
{
	const struct sockaddr_flitcast addr = {
		.sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_SITE, .sfc_site = 2,
		.sfc_port = PORT,
	};
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i;
	struct sock_extended_err ee;
	uint8_t code;

	ASSERT_TRUE(second_waits(from, to, &addr, 100000));
	EXPECT_EQ(-EAGAIN, reported_now(from, &ee));
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS));
		ASSERT_EQ(100000, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
		EXPECT_EQ(100000, msg_check(got, 100000, 1, 0));
	}
	EXPECT_EQ(0, reported_soon(from, 1, 1, &code));
}

/*
 * A sender that changes its buffer before the notification changes no message, nor broadcast: the
 * receiver gets what there was at sendmsg(), or nothing, and the sender is told.
 */
TEST_F(line, zerocopy__changed)
{
	const struct sockaddr_flitcast addr[] = {
		{ .sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_SITE, .sfc_site = 2,
		  .sfc_port = PORT },
		{ .sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_BROADCAST,
		  .sfc_port = PORT, .sfc_copies = 1 },
	};
	/* Two packets, and as much as a broadcast may have in one. */
	static const size_t len[] = { 100000, 60000 };
	uint8_t code;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(addr); i++) {
		int from = SOCKET(0, 0), to = SOCKET(2, PORT);

		ASSERT_TRUE(second_waits(from, to, &addr[i], len[i]));
		big[7] ^= 1;
		ASSERT_EQ(len[i], RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
		EXPECT_EQ(len[i], msg_check(got, len[i], 1, 0));
		ASSERT_EQ(0, reported_soon(from, 1, 1, &code));
		EXPECT_EQ(EBADMSG, msg_error(from));
		EXPECT_EQ(-EAGAIN, RESULT(msg_recv(to, got, sizeof(got), NULL, MSG_DONTWAIT)));
		close(from);
		close(to);
	}
}

/* In another process: changes a byte in each flit of @data for ever. */
static void change(volatile char *data, size_t len)
{
	size_t at;

	for (;;)
		for (at = 0; at < len; at += 1400)
			data[at]++;
}

/*
 * Data that changes all the time comes damaged; but no link is blamed for it, although links test
 * data then.
 */
TEST_F(line, zerocopy__races)
{
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	uint64_t until = now_ms() + 2000;
	const size_t len = 100000;
	struct sock_extended_err ee;
	char *data = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "on one processor nothing changes data meanwhile");
	ASSERT_NE(MAP_FAILED, data);
	ASSERT_EQ(0, set_zerocopy(from, 1));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		change(data, len);
	while (now_ms() < until) {
		sendto(from, data, len, MSG_ZEROCOPY | MSG_DONTWAIT, (void *)&addr, sizeof(addr));
		while (!reported_now(from, &ee))
			;
		while (msg_recv(to, got, sizeof(got), NULL, MSG_DONTWAIT) >= 0)
			;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ASSERT_EQ(0, cli("-n " LAB "-2 -s -j link show"));
	EXPECT_LT(0, json_sum(cli_output(), "rx_damaged"));
	EXPECT_EQ(0, json_sum(cli_output(), "rx_checksum"));
	ASSERT_EQ(0, cli("-n " LAB "-1 -s -j link show"));
	EXPECT_EQ(0, json_sum(cli_output(), "rx_checksum"));
	munmap(data, len);
	close(from);
	close(to);
}

/* The kernel copies short data, and data in pieces that do not adjoin. */
TEST_F(line, zerocopy__copied)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	struct iovec iov[2] = {
		{ .iov_base = big, .iov_len = 10000 },
		{ .iov_base = big + 12000, .iov_len = 10000 },
	};
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = iov, .msg_iovlen = 2,
	};
	struct sock_extended_err ee;
	uint8_t code = 0;

	/* Without the option the flag has no effect. */
	ASSERT_EQ(10000, RESULT(msg_send(from, big, 10000, 2, PORT, MSG_ZEROCOPY)));
	ASSERT_EQ(10000, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
	EXPECT_EQ(-EAGAIN, reported_now(from, &ee));
	ASSERT_EQ(0, set_zerocopy(from, 1));
	ASSERT_EQ(100, RESULT(msg_send(from, big, 100, 2, PORT, MSG_ZEROCOPY)));
	ASSERT_EQ(0, reported_soon(from, 0, 0, &code));
	EXPECT_EQ(SO_EE_CODE_ZEROCOPY_COPIED, code);
	ASSERT_EQ(100, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
	msg_fill(big, 10000, 7, 0);
	msg_fill(big + 12000, 10000, 7, 10000);
	code = 0;
	ASSERT_EQ(20000, RESULT(sendmsg(from, &msg, MSG_ZEROCOPY)));
	ASSERT_EQ(0, reported_soon(from, 1, 1, &code));
	EXPECT_EQ(SO_EE_CODE_ZEROCOPY_COPIED, code);
	ASSERT_EQ(20000, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
	EXPECT_EQ(20000, msg_check(got, 20000, 7, 0));
}

/* A refused message gets no number and no notification. */
TEST_F(line, zerocopy__refused)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct sock_extended_err ee;
	uint8_t code;

	ASSERT_EQ(0, set_zerocopy(from, 1));
	EXPECT_EQ(-EFAULT, RESULT(msg_send(from, (void *)16, 65536, 2, PORT, MSG_ZEROCOPY)));
	EXPECT_EQ(-EHOSTUNREACH, RESULT(msg_send(from, big, 65536, 77, PORT, MSG_ZEROCOPY)));
	EXPECT_EQ(-EAGAIN, reported_now(from, &ee));
	/* An empty message causes no notification. */
	ASSERT_EQ(0, RESULT(msg_send(from, big, 0, 2, PORT, MSG_ZEROCOPY)));
	ASSERT_EQ(0, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
	ASSERT_EQ(65536, RESULT(msg_send(from, big, 65536, 2, PORT, MSG_ZEROCOPY)));
	EXPECT_EQ(0, reported_soon(from, 0, 0, &code));
}

/*
 * Without the right to lock memory, RLIMIT_MEMLOCK bounds the pages that a user may pin: beyond it
 * sendmsg() fails, and the message gets no number.  Completed and refused messages release their
 * pages: in the end the user may pin as much as in the beginning.
 */
TEST_F(line, zerocopy__limit)
{
	const long page = sysconf(_SC_PAGESIZE), pages = 64, most = (pages - 2) * page;
	const struct rlimit limit = { .rlim_cur = pages * page, .rlim_max = pages * page };
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), least = 1, round, i;
	struct sock_extended_err ee;
	uint32_t id = 0;
	uint8_t code;

	setsockopt(to, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least));
	ASSERT_EQ(0, set_zerocopy(from, 1));
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, seteuid(65534));
	for (round = 0; round < 20; round++) {
		msg_fill(big, 100000, round, 0);
		/* The receiver has no buffer space for the second and the third message. */
		for (i = 0; i < 3; i++) {
			ASSERT_EQ(100000, RESULT(msg_send(from, big, 100000, 2, PORT,
							  MSG_ZEROCOPY)));
			if (!i)
				ASSERT_EQ(0, reported_soon(from, id, id, &code));
		}
		EXPECT_EQ(-ENOBUFS, RESULT(msg_send(from, big, 100000, 2, PORT, MSG_ZEROCOPY)));
		EXPECT_EQ(-EHOSTUNREACH, RESULT(msg_send(from, big, 2 * page, 77, PORT,
							 MSG_ZEROCOPY)));
		EXPECT_EQ(-EFAULT, RESULT(msg_send(from, (void *)16, 2 * page, 2, PORT,
						   MSG_ZEROCOPY)));
		EXPECT_EQ(-EAGAIN, reported_now(from, &ee));
		for (i = 0; i < 3; i++) {
			ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS));
			ASSERT_EQ(100000, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
			EXPECT_EQ(100000, msg_check(got, 100000, round, 0));
		}
		ASSERT_EQ(0, reported_soon(from, id + 1, id + 2, &code));
		id += 3;
	}
	EXPECT_EQ(-ENOBUFS, RESULT(msg_send(from, big, most + page, 2, PORT, MSG_ZEROCOPY)));
	ASSERT_EQ(most, RESULT(msg_send(from, big, most, 2, PORT, MSG_ZEROCOPY)));
	ASSERT_EQ(0, reported_soon(from, id, id, &code));
	ASSERT_EQ(most, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
	ASSERT_EQ(0, seteuid(0));
}

/* A list is one message with one notification; and close() with messages in flight. */
TEST_F(line, zerocopy__list)
{
	int from = SOCKET(0, 0), one = SOCKET(1, PORT), two = SOCKET(2, PORT), i;
	const struct flitcast_target targets[] = {
		{ .site = 1, .port = PORT }, { .site = 2, .port = PORT, .offset = 70000 },
	};
	uint8_t code;

	ASSERT_EQ(0, set_zerocopy(from, 1));
	for (i = 0; i < 20; i++) {
		msg_fill(big, 150000, i, 0);
		ASSERT_EQ(150000, RESULT(msg_send_list(from, big, 150000, targets, 2,
						       MSG_ZEROCOPY)));
		if (i == 10) {
			close(from);
			from = SOCKET(0, 0);
			ASSERT_EQ(0, set_zerocopy(from, 1));
		} else {
			ASSERT_EQ(0, reported_soon(from, i % 11, i % 11, &code));
		}
		ASSERT_TRUE(msg_wait(one, POLLIN, SOON_MS));
		ASSERT_EQ(150000, RESULT(msg_recv(one, got, sizeof(got), NULL, 0)));
		EXPECT_EQ(150000, msg_check(got, 150000, i, 0));
		ASSERT_TRUE(msg_wait(two, POLLIN, SOON_MS));
		ASSERT_EQ(80000, RESULT(msg_recv(two, got, sizeof(got), NULL, 0)));
		EXPECT_EQ(80000, msg_check(got, 80000, i, 70000));
	}
}

API_MAIN
