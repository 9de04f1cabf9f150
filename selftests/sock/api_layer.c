// SPDX-License-Identifier: GPL-2.0
/*
 * Services of the generic socket layer: filters, devices, sendfile() and splice(), and messages
 * sent in pieces (MSG_MORE).
 */
#include "api.h"
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <sys/epoll.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include "btf.h"

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

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static ssize_t attach(int fd, struct sock_filter *code, unsigned short len)
{
	struct sock_fprog program = { .len = len, .filter = code };

	return RESULT(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)));
}

/* The socket receives the messages whose byte at @at is @wanted, at most @most bytes of each. */
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

/* Messages that a filter or a security module dropped, as the socket counts them. */
static uint32_t drops(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		return ~0U;
	return info[SK_MEMINFO_DROPS];
}

/* The socket does not receive a message that its filter drops; the sender gets a confirmation. */
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
	/* The dropped messages are queued, but no caller of poll(), recv() or SIOCINQ sees them. */
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
	EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, 1, MSG_DONTWAIT)));
	EXPECT_EQ(0, ioctl(to, SIOCINQ, &value));
	EXPECT_EQ(0, value);
	ASSERT_EQ(2, RESULT(msg_send(fd, "nn", 2, 2, PORT, 0)));
	ASSERT_EQ(4, RESULT(msg_send(fd, "xyes", 4, 2, PORT, 0)));
	EXPECT_EQ(4, soon(to, got, sizeof(got)));
	EXPECT_EQ(0, memcmp(got, "xyes", 4));
	EXPECT_EQ(3, drops(to));
}

/* A message that the filter drops does not end a blocking recv(). */
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

/* A dropped message does not end a blocking recv() with MSG_PEEK either. */
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

/* The result of the filter bounds the received length, of messages of one flit and of many. */
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

/* A filter sees the full length of a message, and the first 2,048 bytes of its data. */
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

/* A filter sees only its target's part of a message, and no headers. */
TEST_F(line, filter__sees_its_part)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT, .offset = 70000, .length = 3 },
		{ .site = 1, .port = PORT, .offset = 2, .length = 10 },
	};
	int fd = SOCKET(0, 0), to[2] = { SOCKET(2, PORT), SOCKET(1, PORT) }, i;

	ASSERT_EQ(0, attach_byte(to[0], SKF_NET_OFF, 'x', -1));
	ASSERT_EQ(0, attach_byte(to[1], SKF_LL_OFF, 'x', -1));
	/* In the first two messages, 'x' is not the first byte of any target's part. */
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

/* A dropped message releases its buffer space, which waiting senders then get. */
TEST_F(line, filter__room)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), sent = 0;
	uint64_t until = now_ms() + 2 * SOON_MS;

	ASSERT_EQ(0, attach_byte(to, 0, 'x', -1));
	memset(big, 'n', MIB);
	/* Send and receive buffer together hold 8 of these messages. */
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

/* Messages that one non-blocking call drops at most. */
#define DROPS_A_CALL	64

/* Wait until all sent messages have arrived. */
static bool all_came(int fd)
{
	uint64_t until = now_ms() + SOON_MS;
	int left = -1;

	while (left && now_ms() < until) {
		if (ioctl(fd, SIOCOUTQ, &left))
			return false;
		sleep_ms(1);
	}
	return !left;
}

/* A non-blocking call filters some messages only; the kernel keeps the others for the next call. */
TEST_F(line, filter__budget)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), ep = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	uint32_t before, calls = 0;
	int i, value = -1;
	ssize_t n;

	ASSERT_EQ(0, attach_byte(to, 0, 'x', -1));
	ASSERT_EQ(0, epoll_ctl(ep, EPOLL_CTL_ADD, to, &event));
	for (i = 0; i < 10 * DROPS_A_CALL; i++)
		ASSERT_EQ(1, RESULT(msg_send(fd, "n", 1, 2, PORT, 0)));
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	ASSERT_TRUE(all_came(fd));
	EXPECT_EQ(0, drops(to));
	EXPECT_EQ(POLLIN, msg_wait(to, POLLIN, 0));
	before = drops(to);
	EXPECT_EQ(DROPS_A_CALL, before);
	EXPECT_EQ(0, ioctl(to, SIOCINQ, &value));
	EXPECT_EQ(0, value);
	EXPECT_EQ(2 * DROPS_A_CALL, drops(to));
	EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, 1, MSG_DONTWAIT | MSG_PEEK)));
	EXPECT_EQ(3 * DROPS_A_CALL, drops(to));
	EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, 1, MSG_DONTWAIT)));
	EXPECT_EQ(4 * DROPS_A_CALL, drops(to));
	/* No message arrives any more: only the edge-triggered event remains. */
	do {
		before = drops(to);
		ASSERT_EQ(1, RESULT(epoll_wait(ep, &event, 1, SOON_MS)));
		n = RESULT(recv(to, got, 1, MSG_DONTWAIT));
		EXPECT_GE(2 * DROPS_A_CALL, drops(to) - before);
		calls++;
	} while (n == -EAGAIN && calls < 20);
	EXPECT_EQ(1, n);
	EXPECT_LT(1, calls);
	EXPECT_EQ(10 * DROPS_A_CALL, drops(to));
	EXPECT_EQ(0, msg_wait(to, POLLIN, 0));
	EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, 1, MSG_DONTWAIT)));
	close(ep);
}

/* Longer programs exceed the memory that a socket may use for options. */
#define SLOW_STEPS	600

/* Attach a program that takes longer to drop a message than a sender takes to send it. */
static ssize_t attach_slow(int fd)
{
	struct sock_filter code[SLOW_STEPS + 1];
	unsigned int i;

	for (i = 0; i < SLOW_STEPS; i++)
		code[i] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF +
						       SKF_AD_PAY_OFFSET);
	code[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	return attach(fd, code, ARRAY_SIZE(code));
}

#define FLOOD_MS	6000
#define CALL_MS		3000

/* A child sends messages that are dropped, until it is killed or FLOOD_MS have passed. */
static pid_t flood(int netns, uint32_t site, uint16_t port)
{
	uint64_t until = now_ms() + FLOOD_MS;
	pid_t child = fork();
	int fd;

	if (child)
		return child;
	fd = msg_socket(netns, site, 0, 0);
	while (now_ms() < until)
		msg_send(fd, "n", 1, 2, port, 0);
	_exit(0);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A flood of messages that the filter drops does not keep a caller in the kernel. */
TEST_F(line, filter__flood)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct itimerval soon = { .it_value.tv_usec = 300000 };
	struct timeval time = { .tv_usec = 300000 };
	int to = SOCKET(2, PORT);
	uint32_t before;
	uint64_t began;
	pid_t child[2];
	unsigned int i;

	ASSERT_EQ(0, attach_slow(to));
	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	child[0] = flood(self->ns[0], 0, PORT);
	child[1] = flood(self->ns[1], 1, PORT);
	sleep_ms(QUIET_MS);
	before = drops(to);
	began = now_ms();
	EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, 1, MSG_DONTWAIT)));
	EXPECT_GE(DROPS_A_CALL, drops(to) - before);
	before = drops(to);
	msg_wait(to, POLLIN, 0);
	EXPECT_GE(2 * DROPS_A_CALL, drops(to) - before);
	EXPECT_GT(began + CALL_MS, now_ms());
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}

	child[0] = flood(self->ns[0], 0, PORT);
	child[1] = flood(self->ns[1], 1, PORT);
	sleep_ms(QUIET_MS);
	began = now_ms();
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	EXPECT_EQ(-EINTR, RESULT(recv(to, got, 1, 0)));
	EXPECT_GT(began + CALL_MS, now_ms());
	began = now_ms();
	ASSERT_EQ(0, setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)));
	EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, 1, 0)));
	EXPECT_GT(began + CALL_MS, now_ms());
	for (i = 0; i < ARRAY_SIZE(child); i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
}

/* A filter on a connection: the reader gets the end of file after the remaining data. */
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
	/* A blocking recv() drops the last message, and returns the end of file. */
	EXPECT_EQ(0, RESULT(recv(b, got, sizeof(got), 0)));
	EXPECT_EQ(0, msg_error(a));
}

/* Load an eBPF program that returns @most: root loads it, any user may attach it. */
static int load_return(uint32_t most)
{
	struct bpf_insn code[] = {
		{ .code = BPF_ALU | BPF_MOV | BPF_K, .dst_reg = 0, .imm = (int)most },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr program = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insn_cnt = ARRAY_SIZE(code),
		.insns = (uintptr_t)code,
		.license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &program);
}

/* Attaches a program, of the classic kind or of eBPF, that returns @most. */
static ssize_t attach_return(int fd, uint32_t most, bool classic)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, most) };
	ssize_t result;
	int program;

	if (classic)
		return attach(fd, code, ARRAY_SIZE(code));
	program = load_return(most);
	if (program < 0)
		return -errno;
	result = RESULT(setsockopt(fd, SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof(program)));
	close(program);
	return result;
}

/* A socket of a user without privilege. */
static int user_socket(int netns, uint32_t site, uint16_t port)
{
	int fd;

	setfsuid(1000);
	fd = msg_socket(netns, site, port, 0);
	setfsuid(0);
	return fd;
}

/*
 * A filter may return any length, also one between the length it sees and that of the message: this
 * crashed the kernel once (kernel BUG at net/core/skbuff.c).
 */
TEST_F(line, filter__any_length)
{
	static const uint32_t more[] = { 1, 2047, 2048, 2049, 4999, 5000, 5001, 65536, ~0U };
	int fd = SOCKET(0, 0), to = user_socket(self->ns[2], 2, PORT), value;
	const size_t n = 5000;
	unsigned int i, kind;

	ASSERT_LE(0, to);
	msg_fill(big, n, 1, 0);
	for (kind = 0; kind < 2; kind++) {
		for (i = 0; i < 60 + ARRAY_SIZE(more); i++) {
			uint32_t most = i < 60 ? 2049 + 50 * i : more[i - 60];
			int want = most < n ? (int)most : (int)n;

			ASSERT_EQ(0, attach_return(to, most, kind));
			ASSERT_EQ(n, RESULT(msg_send(fd, big, n, 2, PORT, 0)));
			ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS) & POLLIN);
			EXPECT_EQ(0, ioctl(to, SIOCINQ, &value));
			EXPECT_EQ(want, value);
			EXPECT_EQ(want, RESULT(recv(to, got, sizeof(got), MSG_DONTWAIT)));
			EXPECT_EQ(0, memcmp(big, got, want));
			/* A blocking recv() is the first call that runs the filter. */
			ASSERT_EQ(n, RESULT(msg_send(fd, big, n, 2, PORT, 0)));
			EXPECT_EQ(want, RESULT(recv(to, got, sizeof(got), 0)));
		}
	}
}

/* A detached program, even one that never ran, drops nothing. */
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
 * Security modules.
 */

/*
 * Load a security module in BPF that denies the sockets of the family all messages.  Return: a
 * descriptor that keeps it attached.
 */
static int forbid(void)
{
	static char log[4096];
	struct bpf_insn code[] = {
		/* r2 = ((struct sock *)ctx[0])->sk_family */
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1 },
		{ .code = BPF_LDX | BPF_MEM | BPF_H, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_2,
		  .off = btf_member("sock_common", "skc_family") },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_2, .off = 1,
		  .imm = msg_family() },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = -EPERM },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr program = {
		.prog_type = BPF_PROG_TYPE_LSM, .expected_attach_type = BPF_LSM_MAC,
		.insn_cnt = ARRAY_SIZE(code), .insns = (uintptr_t)code,
		.license = (uintptr_t)"GPL", .log_buf = (uintptr_t)log, .log_size = sizeof(log),
		.log_level = 1,
		.attach_btf_id = btf_function("bpf_lsm_socket_sock_rcv_skb"),
	}, attach = { };
	int fd = bpf(BPF_PROG_LOAD, &program), link;

	if (fd < 0) {
		printf("# %s: %s\n", strerror(errno), log);
		return -1;
	}
	attach.raw_tracepoint.prog_fd = fd;
	link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attach);
	close(fd);
	return link;
}

/* Is there a security module of programs? */
static bool has_bpf_lsm(void)
{
	char text[256] = "";
	FILE *file;

	mount("none", "/sys/kernel/security", "securityfs", 0, NULL);
	file = fopen("/sys/kernel/security/lsm", "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strstr(text, "bpf");
}

/* The socket does not receive what a security module denies, with a filter attached or not. */
TEST_F(line, security__drops)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), one = 1, round, link;
	struct flitcast_result result;
	struct flitcast_report report;

	if (!has_bpf_lsm())
		SKIP(return, "no security module of programs here (lsm=bpf)");
	ASSERT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)));
	for (round = 0; round < 2; round++) {
		if (round)
			ASSERT_EQ(0, attach_byte(to, 0, 'x', -1));
		link = forbid();
		ASSERT_LE(0, link);
		ASSERT_EQ(2, RESULT(msg_send(fd, "xn", 2, 2, PORT, 0)));
		ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS) & POLLERR);
		ASSERT_EQ(1, RESULT(msg_report(fd, &report, &result, 1, NULL)));
		EXPECT_EQ(0, result.error);
		EXPECT_EQ(-EAGAIN, RESULT(recv(to, got, sizeof(got), MSG_DONTWAIT)));
		EXPECT_EQ(round + 1, drops(to));
		close(link);
		ASSERT_EQ(2, RESULT(msg_send(fd, "xy", 2, 2, PORT, 0)));
		EXPECT_EQ(2, soon(to, got, sizeof(got)));
		EXPECT_EQ('y', got[1]);
		ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS) & POLLERR);
		ASSERT_EQ(1, RESULT(msg_report(fd, &report, &result, 1, NULL)));
	}
}

/*
 * Frames.
 */

#define TRACING		"/sys/kernel/tracing/"
#define PROBE		"fcscrub"

static bool append_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

/*
 * Set a probe where the kernel copies a message to its reader: the probe records device, route and
 * extensions of the skb.
 */
static bool set_probe(void)
{
	char text[512];

	mount("none", TRACING, "tracefs", 0, NULL);
	snprintf(text, sizeof(text),
		 "p:" PROBE " skb_copy_datagram_iter dev=+%d(%%di):x64 dst=+%d(%%di):x64 nfct=+%d(%%di):x64 ext=+%d(%%di):x8",
		 btf_member("sk_buff", "dev"), btf_member("sk_buff", "_skb_refdst"),
		 btf_member("sk_buff", "_nfct"), btf_member("sk_buff", "active_extensions"));
	return append_to(TRACING "kprobe_events", text);
}

/* Read the line that the probe printed for this process.  Return: false if there is none. */
static bool probed(char *line, size_t size)
{
	FILE *file = fopen(TRACING "trace", "re");
	bool found = false;
	char pid[16];

	snprintf(pid, sizeof(pid), "-%d ", getpid());
	while (file && !found && fgets(line, size, file))
		found = strstr(line, PROBE ":") && strstr(line, pid);
	if (file)
		fclose(file);
	return found;
}

/*
 * An unread message keeps neither metadata that others attach to its frame at the receiver's
 * device, here a tunnel's route, nor the device.
 */
TEST_F(frail, queue__nothing_hangs_on_frames)
{
	static const char hang[] =
		"tc -n " FRAIL "-2 qdisc add dev p2 clsact && "
		"tc -n " FRAIL "-2 filter add dev p2 ingress matchall "
		"action tunnel_key set id 42 src_ip 10.0.0.1 dst_ip 10.0.0.2";
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	char line[512] = "";
	bool found;

	if (!set_probe())
		SKIP(return, "no probes here");
	if (system(hang)) {
		append_to(TRACING "kprobe_events", "-:" PROBE);
		SKIP(return, "tc has no tunnel_key here");
	}
	ASSERT_TRUE(append_to(TRACING "events/kprobes/" PROBE "/enable", "1"));
	ASSERT_EQ(500, RESULT(msg_send(fd, big, 500, 2, PORT, 0)));
	EXPECT_EQ(500, soon(to, got, sizeof(got)));
	found = probed(line, sizeof(line));
	append_to(TRACING "events/kprobes/" PROBE "/enable", "0");
	append_to(TRACING "kprobe_events", "-:" PROBE);
	EXPECT_TRUE(found);
	EXPECT_TRUE(strstr(line, "dev=0x0 dst=0x0 nfct=0x0 ext=0x0")) {
		TH_LOG("%s", line);
	}
	close(fd);
	close(to);
}

/*
 * Devices: a socket that asks to be bound to a device is refused.
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

/* The last piece sets the destination. */
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
	/* The kernel keeps nothing of a joined message; a list refers to the total length. */
	ASSERT_EQ(2, RESULT(msg_send(fd, "ab", 2, 2, PORT, 0)));
	EXPECT_EQ(2, soon(to, got, sizeof(got)));
	ASSERT_EQ(5, RESULT(send(fd, "12345", 5, MSG_MORE)));
	ASSERT_EQ(5, RESULT(msg_send_list(fd, "67890", 5, targets, 2, 0)));
	EXPECT_EQ(8, soon(to, got, sizeof(got)));
	EXPECT_EQ(0, memcmp(got, "34567890", 8));
	EXPECT_EQ(10, soon(other, got, sizeof(got)));
	/* The receiver gets nothing of a message whose last piece was never sent. */
	ASSERT_EQ(5, RESULT(send(fd, "12345", 5, MSG_MORE)));
	close(fd);
	EXPECT_EQ(0, msg_wait(to, POLLIN, QUIET_MS));
}

/* A message that exceeds the maximum is dropped; the next piece begins a new message. */
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

/* Without send buffer, the last piece may be repeated; a wrong address drops all pieces. */
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
	/* If the file is too short, an empty piece ends the message unless the kernel does. */
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

/* Pieces that two threads send on one socket may mix. */
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
		/*
		 * The receiver has all messages, but the last one of a thread may precede pieces of
		 * the other.
		 */
		if (sum >= 2 * 2000 * 8 - 3 * 8 && !msg_wait(to, POLLIN, QUIET_MS))
			break;
	}
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	EXPECT_LE(2 * 2000 * 8 - 3 * 8, sum);
	EXPECT_EQ(0, sum % 8);
}

API_MAIN
