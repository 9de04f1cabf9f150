// SPDX-License-Identifier: GPL-2.0
/*
 * What the socket layer offers for every family: filters, devices, sendfile() and splice(), and
 * pieces of messages (MSG_MORE).
 */
#include "api.h"
#include <linux/filter.h>
#include <sys/mman.h>
#include <sys/sendfile.h>

#define MIB	(1U << 20)

static char big[2 * MIB], got[2 * MIB];

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

static ssize_t soon(int fd, void *data, size_t size)
{
	if (!msg_wait(fd, POLLIN | POLLERR | POLLHUP, SOON_MS))
		return -ETIMEDOUT;
	return RESULT(recv(fd, data, size, MSG_DONTWAIT));
}

static ssize_t connect_to(int fd, uint32_t site, uint16_t port)
{
	struct sockaddr_flitcast addr = msg_addr(site, port);

	return RESULT(connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
}

/*
 * Filters.
 */

static ssize_t attach(int fd, struct sock_filter *code, unsigned short len)
{
	struct sock_fprog program = { .len = len, .filter = code };

	return RESULT(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)));
}

/* Messages whose byte at @at is @wanted, and of these @most bytes. */
static ssize_t attach_byte(int fd, uint32_t at, char wanted, uint32_t most)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, at),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned char)wanted, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, most),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};

	return attach(fd, code, ARRAY_SIZE(code));
}

/* What it does not want is not received, and the sender is told that it was. */
TEST_F(line, filter__drops)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), one = 1, i, value = -1;
	struct flitcast_result result;
	struct flitcast_report report;

	ASSERT_EQ(0, attach_byte(to, 0, 'x', -1));
	ASSERT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)));
	ASSERT_EQ(1, RESULT(msg_send(fd, "n", 1, 2, PORT, 0)));
	ASSERT_EQ(0, RESULT(msg_send(fd, "", 0, 2, PORT, 0)));
	for (i = 0; i < 2; i++) {
		ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS) & POLLERR);
		ASSERT_EQ(1, RESULT(msg_report(fd, &report, &result, 1, NULL)));
		EXPECT_EQ(0, result.error);
	}
	/* They are there, and nobody who looks sees them. */
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
	EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, 1, MSG_DONTWAIT)));
	EXPECT_EQ(0, ioctl(to, SIOCINQ, &value));
	EXPECT_EQ(0, value);
	ASSERT_EQ(2, RESULT(msg_send(fd, "nn", 2, 2, PORT, 0)));
	ASSERT_EQ(4, RESULT(msg_send(fd, "xyes", 4, 2, PORT, 0)));
	EXPECT_EQ(4, soon(to, got, sizeof(got)));
	EXPECT_EQ(0, memcmp(got, "xyes", 4));
}

/* A call that waits is not ended by what it does not want. */
TEST_F(line, filter__recv_waits)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), status;
	pid_t child;

	ASSERT_EQ(0, attach_byte(to, 0, 'x', -1));
	child = fork();
	if (!child)
		_exit(recv(to, got, sizeof(got), 0) == 2 ? 0 : 1);
	ASSERT_EQ(1, RESULT(msg_send(fd, "n", 1, 2, PORT, 0)));
	sleep_ms(QUIET_MS);
	EXPECT_EQ(0, waitpid(child, &status, WNOHANG));
	ASSERT_EQ(2, RESULT(msg_send(fd, "xy", 2, 2, PORT, 0)));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

/* Nor by one that looks and does not take. */
TEST_F(line, filter__peek)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), i, value = 0;

	ASSERT_EQ(0, attach_byte(to, 1, 'x', 2));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(2, RESULT(msg_send(fd, "nn", 2, 2, PORT, 0)));
	ASSERT_EQ(5, RESULT(msg_send(fd, "yxabc", 5, 2, PORT, 0)));
	ASSERT_EQ(2, RESULT(msg_send(fd, "nn", 2, 2, PORT, 0)));
	EXPECT_EQ(2, RESULT(recv(to, got, sizeof(got), MSG_PEEK)));
	EXPECT_EQ(2, RESULT(recv(to, got, sizeof(got), MSG_PEEK | MSG_TRUNC)));
	EXPECT_EQ(0, ioctl(to, SIOCINQ, &value));
	EXPECT_EQ(2, value);
	EXPECT_EQ(2, RESULT(recv(to, got, sizeof(got), MSG_TRUNC)));
	EXPECT_EQ(0, memcmp(got, "yx", 2));
	EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, sizeof(got), MSG_PEEK | MSG_DONTWAIT)));
}

/* Its result is how much is received, of messages of one flit and of many. */
TEST_F(line, filter__trims)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	static const size_t sizes[] = { 4, 1000, 100000, MIB };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t n = sizes[i], most = n / 2 + 1;

		ASSERT_EQ(0, attach_byte(to, 0, 'x', most));
		msg_fill(big, n, i, 0);
		big[0] = 'x';
		ASSERT_EQ(n, RESULT(msg_send(fd, big, n, 2, PORT, 0)));
		EXPECT_EQ(most, soon(to, got, sizeof(got)));
		EXPECT_EQ(0, memcmp(big, got, most));
	}
}

/* It sees the length of all of a message, and of its data 2,048 bytes. */
TEST_F(line, filter__sees)
{
	struct sock_filter length[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MIB, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, -1),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);

	memset(big, 'x', MIB);
	ASSERT_EQ(0, attach(to, length, ARRAY_SIZE(length)));
	ASSERT_EQ(MIB - 1, RESULT(msg_send(fd, big, MIB - 1, 2, PORT, 0)));
	ASSERT_EQ(MIB, RESULT(msg_send(fd, big, MIB, 2, PORT, 0)));
	EXPECT_EQ(MIB, soon(to, got, sizeof(got)));
	ASSERT_EQ(0, attach_byte(to, 2047, 'x', -1));
	ASSERT_EQ(MIB, RESULT(msg_send(fd, big, MIB, 2, PORT, 0)));
	EXPECT_EQ(MIB, soon(to, got, sizeof(got)));
	ASSERT_EQ(0, attach_byte(to, 2048, 'x', -1));
	ASSERT_EQ(MIB, RESULT(msg_send(fd, big, MIB, 2, PORT, 0)));
	EXPECT_EQ(0, msg_wait(to, POLLIN, 2 * QUIET_MS));
}

/* Its part of a message, and no headers. */
TEST_F(line, filter__sees_its_part)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT, .offset = 70000, .length = 3 },
		{ .site = 1, .port = PORT, .offset = 2, .length = 10 },
	};
	int fd = SOCKET(0, 0), to[2] = { SOCKET(2, PORT), SOCKET(1, PORT) }, i;

	ASSERT_EQ(0, attach_byte(to[0], SKF_NET_OFF, 'x', -1));
	ASSERT_EQ(0, attach_byte(to[1], SKF_LL_OFF, 'x', -1));
	/* The first two begin with it elsewhere. */
	for (i = 0; i < 4; i++) {
		memset(big, i < 2 ? 'x' : 'n', 80000);
		memcpy(big + 70000, i < 2 ? "nyz" : "xyz", 3);
		big[2] = i < 2 ? 'n' : 'x';
		ASSERT_EQ(80000, RESULT(msg_send_list(fd, big, 80000, targets, 2, 0)));
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(3, soon(to[0], got, sizeof(got)));
		EXPECT_EQ(0, memcmp(got, "xyz", 3));
		EXPECT_EQ(10, soon(to[1], got, sizeof(got)));
	}
}

/* What is dropped gives its room back to those who wait for it. */
TEST_F(line, filter__room)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), sent = 0;
	uint64_t until = now_ms() + 2 * SOON_MS;

	ASSERT_EQ(0, attach_byte(to, 0, 'x', -1));
	memset(big, 'n', MIB);
	/* Send and receive room together hold 8 of them. */
	while (sent < 20 && now_ms() < until) {
		ssize_t n = RESULT(msg_send(fd, big, MIB, 2, PORT, MSG_DONTWAIT));

		if (n == MIB)
			sent++;
		else
			ASSERT_EQ(-EAGAIN, n);
		ASSERT_EQ(0, msg_wait(to, POLLIN, 10));
	}
	EXPECT_EQ(20, sent);
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(1, soon(to, got, sizeof(got)));
	EXPECT_EQ(0, msg_error(fd));
}

/* On a connection; and its end is read after what is left. */
TEST_F(line, filter__connection)
{
	int listener = msg_socket_type(self->ns[2], SOCK_SEQPACKET, 2, PORT, 0), b, i;
	int a = msg_socket_type(self->ns[0], SOCK_SEQPACKET, 0, 0, SOCK_NONBLOCK);

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	ASSERT_EQ(0, attach_byte(listener, 0, 'x', -1));
	ASSERT_EQ(-EINPROGRESS, connect_to(a, 2, PORT));
	ASSERT_TRUE(msg_wait(listener, POLLIN, SOON_MS));
	b = accept(listener, NULL, NULL);
	ASSERT_LE(0, b);
	ASSERT_NE(0, msg_wait(a, POLLOUT, SOON_MS));
	ASSERT_EQ(0, attach_byte(b, 0, 'x', -1));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(1, RESULT(send(a, "n", 1, 0)));
		ASSERT_EQ(2, RESULT(send(a, "xy", 2, 0)));
		ASSERT_EQ(1, RESULT(send(a, "n", 1, 0)));
	}
	ASSERT_EQ(0, RESULT(shutdown(a, SHUT_WR)));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(2, soon(b, got, sizeof(got)));
	/* Blocking: the last one that is not wanted, and the end behind it. */
	EXPECT_EQ(0, RESULT(recv(b, got, sizeof(got), 0)));
	EXPECT_EQ(0, msg_error(a));
}

/* Without a program that has not been asked yet, everything comes. */
TEST_F(line, filter__detached)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), value = 0;
	uint64_t until = now_ms() + SOON_MS;

	ASSERT_EQ(0, attach_byte(to, 0, 'x', -1));
	ASSERT_EQ(1, RESULT(msg_send(fd, "n", 1, 2, PORT, 0)));
	while (!msg_stats(to).rx_messages && now_ms() < until)
		sleep_ms(5);
	ASSERT_EQ(0, RESULT(setsockopt(to, SOL_SOCKET, SO_DETACH_FILTER, &value, sizeof(value))));
	EXPECT_EQ(1, RESULT(recv(to, got, 1, MSG_PEEK)));
	EXPECT_EQ(1, RESULT(recv(to, got, 1, 0)));
}

/*
 * Devices: a socket that asks for one is refused what it would not get.
 */

TEST_F(alone, device__refused)
{
	int fd = msg_socket(-1, 1, PORT, 0), fresh = socket(msg_family(), SOCK_RDM, 0), index = 1;
	struct sockaddr_flitcast addr = msg_addr(1, PORT + 1);
	char text[100] = "";
	socklen_t len = sizeof(text);

	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 1, PORT, 0)));
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3)) {
		ASSERT_EQ(EOPNOTSUPP, errno);
		return;
	}
	ASSERT_EQ(0, setsockopt(fresh, SOL_SOCKET, SO_BINDTOIFINDEX, &index, sizeof(index)));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(msg_send(fd, "x", 1, 1, PORT, 0)));
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_ERRMSG, text, &len));
	EXPECT_NE(NULL, strstr(text, "SO_BINDTODEVICE"));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(msg_send(fd, big, 1000, 1, PORT, 0)));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(recv(fd, got, 1, 0)));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(bind(fresh, (struct sockaddr *)&addr, sizeof(addr))));
	EXPECT_EQ(-EOPNOTSUPP, connect_to(fresh, 1, PORT));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(msg_send(fresh, "x", 1, 1, PORT, 0)));
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "", 0));
	EXPECT_EQ(1, RESULT(recv(fd, got, 1, 0)));
	EXPECT_EQ(1, RESULT(msg_send(fd, "x", 1, 1, PORT, 0)));
}

/*
 * Messages in pieces.
 */

/* The destination is that of the last one. */
TEST_F(line, more__joined)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT, .offset = 2, .length = 8 }, { .site = 1, .port = PORT },
	};
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), other = SOCKET(1, PORT), out = -1;

	ASSERT_EQ(3, RESULT(msg_send(fd, "one", 3, 1, PORT, MSG_MORE)));
	ASSERT_EQ(3, RESULT(send(fd, "two", 3, MSG_MORE)));
	ASSERT_EQ(0, RESULT(send(fd, "", 0, MSG_MORE)));
	EXPECT_EQ(0, msg_wait(other, POLLIN, QUIET_MS));
	EXPECT_EQ(0, msg_stats(fd).tx_messages);
	EXPECT_EQ(0, ioctl(fd, SIOCOUTQ, &out));
	EXPECT_EQ(0, out);
	ASSERT_EQ(5, RESULT(msg_send(fd, "three", 5, 2, PORT, 0)));
	EXPECT_EQ(11, soon(to, got, sizeof(got)));
	EXPECT_EQ(0, memcmp(got, "onetwothree", 11));
	EXPECT_EQ(1, msg_stats(fd).tx_messages);
	/* Nothing is left of it; and as a list, of whose parts the whole length counts. */
	ASSERT_EQ(2, RESULT(msg_send(fd, "ab", 2, 2, PORT, 0)));
	EXPECT_EQ(2, soon(to, got, sizeof(got)));
	ASSERT_EQ(5, RESULT(send(fd, "12345", 5, MSG_MORE)));
	ASSERT_EQ(5, RESULT(msg_send_list(fd, "67890", 5, targets, 2, 0)));
	EXPECT_EQ(8, soon(to, got, sizeof(got)));
	EXPECT_EQ(0, memcmp(got, "34567890", 8));
	EXPECT_EQ(10, soon(other, got, sizeof(got)));
	/* Nothing of one that was never ended comes. */
	ASSERT_EQ(5, RESULT(send(fd, "12345", 5, MSG_MORE)));
	close(fd);
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
}

/* What is too long is dropped, and the next message begins anew. */
TEST_F(line, more__too_long)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), i;

	for (i = 0; i < 8; i++) {
		msg_fill(big, 131072, 5, i * 131072);
		ASSERT_EQ(131072, RESULT(msg_send(fd, big, 131072, 2, PORT, MSG_MORE)));
	}
	EXPECT_EQ(-EMSGSIZE, RESULT(msg_send(fd, "x", 1, 2, PORT, MSG_MORE)));
	ASSERT_EQ(3, RESULT(msg_send(fd, "new", 3, 2, PORT, 0)));
	EXPECT_EQ(3, soon(to, got, sizeof(got)));
	for (i = 0; i < 8; i++) {
		msg_fill(big, 131072, 5, i * 131072);
		ASSERT_EQ(131072, RESULT(msg_send(fd, big, 131072, 2, PORT, i < 7 ? MSG_MORE : 0)));
	}
	EXPECT_EQ(MIB, soon(to, got, sizeof(got)));
	EXPECT_EQ(MIB, msg_check(got, MIB, 5, 0));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(msg_send(fd, big, 10000, 2, PORT,
					       MSG_MORE | MSG_ZEROCOPY)));
}

/* Without send room the last piece may come again; an address that is wrong drops all. */
TEST_F(line, more__again)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), n = 0, i, room = 4096;

	ASSERT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_SNDBUF, &room, sizeof(room)));
	ASSERT_EQ(0, setsockopt(to, SOL_FLITCAST, FLITCAST_RCVBUF, &room, sizeof(room)));
	ASSERT_EQ(5, RESULT(send(fd, "gone ", 5, MSG_MORE)));
	EXPECT_EQ(-EDESTADDRREQ, RESULT(send(fd, "x", 1, 0)));
	do {
		while (RESULT(msg_send(fd, big, MIB, 2, PORT, MSG_DONTWAIT)) == MIB)
			ASSERT_GT(100, ++n);
	} while (msg_wait(fd, POLLOUT, 2 * QUIET_MS));
	ASSERT_EQ(6, RESULT(send(fd, "first ", 6, MSG_MORE | MSG_DONTWAIT)));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(-EAGAIN, RESULT(msg_send(fd, "last", 4, 2, PORT, MSG_DONTWAIT)));
	for (i = 0; i < n; i++)
		ASSERT_EQ(MIB, soon(to, got, sizeof(got)));
	ASSERT_EQ(4, RESULT(msg_send(fd, "last", 4, 2, PORT, 0)));
	ASSERT_EQ(10, soon(to, got, sizeof(got)));
	EXPECT_EQ(0, memcmp(got, "first last", 10));
}

static int file_of(size_t len, uint64_t key)
{
	int fd = memfd_create("data", MFD_CLOEXEC);

	msg_fill(big, len, key, 0);
	if (fd < 0 || write(fd, big, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))
		return -1;
	return fd;
}

/* A file of more than a page is one message. */
TEST_F(line, more__sendfile)
{
	static const size_t sizes[] = { 1, 4096, 4097, 65536, 65537, 1000000, MIB };
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), in;
	unsigned int i;

	ASSERT_EQ(0, connect_to(fd, 2, PORT));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		in = file_of(sizes[i], i);
		ASSERT_LE(0, in);
		ASSERT_EQ(sizes[i], RESULT(sendfile(fd, in, NULL, sizes[i])));
		EXPECT_EQ(sizes[i], soon(to, got, sizeof(got)));
		EXPECT_EQ(sizes[i], msg_check(got, sizes[i], i, 0));
		close(in);
	}
	/* Where the file ends before, an empty piece ends the message, if the kernel does not. */
	in = file_of(100000, 9);
	ASSERT_EQ(100000, RESULT(sendfile(fd, in, NULL, 200000)));
	if (!msg_wait(to, POLLIN, QUIET_MS))
		ASSERT_EQ(0, RESULT(send(fd, "", 0, 0)));
	EXPECT_EQ(100000, soon(to, got, sizeof(got)));
	EXPECT_EQ(100000, msg_check(got, 100000, 9, 0));
	close(in);
}

TEST_F(line, more__splice)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), pipes[2], i;

	ASSERT_EQ(0, connect_to(fd, 2, PORT));
	ASSERT_EQ(0, pipe(pipes));
	msg_fill(big, 60000, 3, 0);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(20000, RESULT(write(pipes[1], big + i * 20000, 20000)));
		ASSERT_EQ(20000, RESULT(splice(pipes[0], NULL, fd, NULL, 20000,
					       i < 2 ? SPLICE_F_MORE : 0)));
	}
	EXPECT_EQ(60000, soon(to, got, sizeof(got)));
	EXPECT_EQ(60000, msg_check(got, 60000, 3, 0));
}

/* Two threads' pieces mix, and nothing worse comes of it. */
static void *send_pieces(void *arg)
{
	int fd = *(int *)arg, i;

	for (i = 0; i < 2000; i++)
		send(fd, "12345678", 8, i % 4 == 3 ? 0 : MSG_MORE);
	return NULL;
}

TEST_F(alone, more__threads)
{
	int to = msg_socket(-1, 1, PORT, 0), fd = msg_socket(-1, 1, 0, 0);
	uint64_t until = now_ms() + SOON_MS;
	pthread_t thread[2];
	ssize_t sum = 0;
	int i;

	ASSERT_EQ(0, connect_to(fd, 1, PORT));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, send_pieces, &fd));
	while (sum < 2 * 2000 * 8 && now_ms() < until) {
		ssize_t n = soon(to, got, sizeof(got));

		ASSERT_LE(0, n);
		sum += n;
		/* All are taken, but the last of one thread may come before pieces of the other. */
		if (sum >= 2 * 2000 * 8 - 3 * 8 && !msg_wait(to, POLLIN, QUIET_MS))
			break;
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_LE(2 * 2000 * 8 - 3 * 8, sum);
	EXPECT_EQ(0, sum % 8);
}

API_MAIN
