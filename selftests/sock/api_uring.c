// SPDX-License-Identifier: GPL-2.0
/* Socket calls through io_uring. */
#include <linux/io_uring.h>
#include <sys/mman.h>
#include "api.h"

#define ENTRIES	8

static char big[1 << 20], got[1 << 20];

/**
 * struct ring - an io_uring
 * @fd: descriptor
 * @sq: submission ring, mapped, and likewise the others
 */
struct ring {
	int fd;
	struct io_uring_params params;
	char *sq;
	char *cq;
	struct io_uring_sqe *sqe;
};

/* Return: 0 or -errno. */
static int ring_open(struct ring *r)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_SHARED | MAP_POPULATE;
	size_t sq, cq;

	memset(r, 0, sizeof(*r));
	r->fd = syscall(SYS_io_uring_setup, ENTRIES, &r->params);
	if (r->fd < 0)
		return -errno;
	sq = r->params.sq_off.array + r->params.sq_entries * sizeof(unsigned int);
	cq = r->params.cq_off.cqes + r->params.cq_entries * sizeof(struct io_uring_cqe);
	r->sq = mmap(NULL, sq, prot, flags, r->fd, IORING_OFF_SQ_RING);
	r->cq = mmap(NULL, cq, prot, flags, r->fd, IORING_OFF_CQ_RING);
	r->sqe = mmap(NULL, r->params.sq_entries * sizeof(*r->sqe), prot, flags, r->fd,
		      IORING_OFF_SQES);
	return r->sq == MAP_FAILED || r->cq == MAP_FAILED || r->sqe == MAP_FAILED ? -ENOMEM : 0;
}

/* Submit one request.  Return: 1 or -errno. */
static int ring_submit(struct ring *r, const struct io_uring_sqe *sqe)
{
	unsigned int *tail = (void *)(r->sq + r->params.sq_off.tail);
	unsigned int mask = *(unsigned int *)(r->sq + r->params.sq_off.ring_mask);
	unsigned int *array = (void *)(r->sq + r->params.sq_off.array);
	unsigned int at = *tail & mask;

	r->sqe[at] = *sqe;
	array[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	return RESULT(syscall(SYS_io_uring_enter, r->fd, 1, 0, 0, NULL, 0));
}

static bool ring_empty(struct ring *r)
{
	return *(unsigned int *)(r->cq + r->params.cq_off.head) ==
	       __atomic_load_n((unsigned int *)(r->cq + r->params.cq_off.tail), __ATOMIC_ACQUIRE);
}

/* Wait for the next completed request.  Return: its result, and its user data in *@data. */
static int ring_wait_flags(struct ring *r, uint64_t *data, uint32_t *flags)
{
	unsigned int *head = (void *)(r->cq + r->params.cq_off.head);
	unsigned int mask = *(unsigned int *)(r->cq + r->params.cq_off.ring_mask);
	struct io_uring_cqe *cqe = (void *)(r->cq + r->params.cq_off.cqes);
	struct io_uring_cqe done;

	while (ring_empty(r))
		if (RESULT(syscall(SYS_io_uring_enter, r->fd, 0, 1, IORING_ENTER_GETEVENTS,
				   NULL, 0)) < 0)
			return -errno;
	done = cqe[*head & mask];
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	if (data)
		*data = done.user_data;
	if (flags)
		*flags = done.flags;
	return done.res;
}

static int ring_wait(struct ring *r, uint64_t *data)
{
	return ring_wait_flags(r, data, NULL);
}

FIXTURE(uring) {
	int ns[3];
	struct ring ring;
};

FIXTURE_SETUP(uring)
{
	int i, err;

	api_choose_port(_metadata);
	if (lab_sites(LAB) != 3 || lab_healthy(LAB, SOON_MS))
		ASSERT_EQ(0, lab_up(LAB, "line:3"));
	for (i = 0; i < 3; i++) {
		self->ns[i] = lab_open(LAB, i);
		ASSERT_LE(0, self->ns[i]);
	}
	err = ring_open(&self->ring);
	if (err == -ENOSYS || err == -EPERM)
		SKIP(return, "this kernel has no io_uring, or forbids it");
	ASSERT_EQ(0, err);
}

FIXTURE_TEARDOWN(uring)
{
	const char *bad = lab_healthy(LAB, SOON_MS);

	if (bad) {
		TH_LOG("afterwards: %s", bad);
		_metadata->passed = 0;
	}
}

#define SOCKET(type, site, port) msg_socket_type(self->ns[site], type, site, port, 0)

static struct io_uring_sqe request(uint8_t op, int fd, const void *addr, uint64_t data)
{
	return (struct io_uring_sqe) {
		.opcode = op, .fd = fd, .addr = (uintptr_t)addr, .len = 1, .user_data = data,
	};
}

TEST_F(uring, uring__messages)
{
	int from = SOCKET(SOCK_RDM, 0, 0), to = SOCKET(SOCK_RDM, 2, PORT);
	struct sockaddr_flitcast addr = msg_addr(2, PORT), sender;
	struct iovec out = { .iov_base = big, .iov_len = sizeof(big) };
	struct iovec in = { .iov_base = got, .iov_len = sizeof(got) };
	struct msghdr send = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = &out, .msg_iovlen = 1,
	};
	struct msghdr recv = {
		.msg_name = &sender, .msg_namelen = sizeof(sender), .msg_iov = &in, .msg_iovlen = 1,
	};
	struct io_uring_sqe sqe;
	uint64_t data;
	int round;

	for (round = 0; round < 20; round++) {
		/* Submit the receive request before the message is sent. */
		sqe = request(IORING_OP_RECVMSG, to, &recv, 1);
		ASSERT_EQ(1, ring_submit(&self->ring, &sqe));
		EXPECT_TRUE(ring_empty(&self->ring));
		msg_fill(big, sizeof(big), round, 0);
		sqe = request(IORING_OP_SENDMSG, from, &send, 2);
		ASSERT_EQ(1, ring_submit(&self->ring, &sqe));
		ASSERT_EQ(sizeof(big), ring_wait(&self->ring, &data));
		ASSERT_EQ(sizeof(big), ring_wait(&self->ring, &data));
		EXPECT_EQ(sizeof(got), msg_check(got, sizeof(got), round, 0));
		EXPECT_EQ(0, sender.sfc_site);
		EXPECT_EQ(msg_name(from).sfc_port, sender.sfc_port);
	}
}

/* Zero-copy sends: the program may change its data after the notification. */
TEST_F(uring, uring__zerocopy)
{
	int from = SOCKET(SOCK_RDM, 0, 0), to = SOCKET(SOCK_RDM, 2, PORT), round;
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	struct io_uring_sqe sqe;
	uint32_t flags;

	for (round = 0; round < 20; round++) {
		msg_fill(big, sizeof(big), round, 0);
		sqe = request(IORING_OP_SEND_ZC, from, big, 1);
		sqe.len = sizeof(big);
		sqe.addr2 = (uintptr_t)&addr;
		sqe.addr_len = sizeof(addr);
		ASSERT_EQ(1, ring_submit(&self->ring, &sqe));
		ASSERT_EQ(sizeof(big), ring_wait_flags(&self->ring, NULL, &flags));
		EXPECT_EQ(IORING_CQE_F_MORE, flags);
		EXPECT_LE(0, ring_wait_flags(&self->ring, NULL, &flags));
		EXPECT_EQ(IORING_CQE_F_NOTIF, flags);
		memset(big, 0xee, sizeof(big));
		ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS));
		ASSERT_EQ(sizeof(got), RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
		EXPECT_EQ(sizeof(got), msg_check(got, sizeof(got), round, 0));
	}
}

/* Without send buffer the request waits in the ring; the program does not block. */
TEST_F(uring, uring__sender_waits)
{
	int from = SOCKET(SOCK_RDM, 0, 0), to = SOCKET(SOCK_RDM, 2, PORT), n = 0, i;
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	struct iovec out = { .iov_base = big, .iov_len = sizeof(big) };
	struct msghdr send = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = &out, .msg_iovlen = 1,
	};
	struct io_uring_sqe sqe = request(IORING_OP_SENDMSG, from, &send, 1);

	/* Send until a request stays pending for a second: acks may release buffer space. */
	for (;;) {
		ASSERT_EQ(1, ring_submit(&self->ring, &sqe));
		ASSERT_GT(100, ++n);
		if (!msg_wait(self->ring.fd, POLLIN, 1000))
			break;
		ASSERT_EQ(sizeof(big), ring_wait(&self->ring, NULL));
	}
	for (i = 0; i < n; i++) {
		ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS));
		ASSERT_EQ(sizeof(big), RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
	}
	EXPECT_EQ(sizeof(big), ring_wait(&self->ring, NULL));
}

TEST_F(uring, uring__connection)
{
	int listener = SOCKET(SOCK_SEQPACKET, 2, PORT), fd = SOCKET(SOCK_SEQPACKET, 0, 0);
	int no_peer = SOCKET(SOCK_SEQPACKET, 0, 0), end = -1, i;
	struct sockaddr_flitcast addr = msg_addr(2, PORT), wrong = msg_addr(2, PORT + 1);
	struct io_uring_sqe sqe;
	uint64_t data;

	ASSERT_EQ(0, RESULT(listen(listener, 1)));
	sqe = request(IORING_OP_ACCEPT, listener, NULL, 1);
	sqe.len = 0;
	sqe.accept_flags = SOCK_CLOEXEC;
	ASSERT_EQ(1, ring_submit(&self->ring, &sqe));
	EXPECT_TRUE(ring_empty(&self->ring));
	sqe = request(IORING_OP_CONNECT, fd, &addr, 2);
	sqe.len = 0;
	sqe.off = sizeof(addr);
	ASSERT_EQ(1, ring_submit(&self->ring, &sqe));
	for (i = 0; i < 2; i++) {
		int result = ring_wait(&self->ring, &data);

		if (data == 1)
			end = result;
		else
			EXPECT_EQ(0, result);
	}
	ASSERT_LE(0, end);
	/* Wait for the end of a connection by poll. */
	sqe = request(IORING_OP_POLL_ADD, end, NULL, 3);
	sqe.len = 0;
	sqe.poll32_events = POLLRDHUP;
	ASSERT_EQ(1, ring_submit(&self->ring, &sqe));
	ASSERT_EQ(4, RESULT(send(fd, "data", 4, 0)));
	ASSERT_TRUE(msg_wait(end, POLLIN, SOON_MS));
	EXPECT_TRUE(ring_empty(&self->ring));
	EXPECT_EQ(4, RESULT(recv(end, got, sizeof(got), 0)));
	close(fd);
	EXPECT_EQ(POLLRDHUP, ring_wait(&self->ring, &data) & POLLRDHUP);
	EXPECT_EQ(3, data);
	sqe = request(IORING_OP_CONNECT, no_peer, &wrong, 4);
	sqe.len = 0;
	sqe.off = sizeof(wrong);
	ASSERT_EQ(1, ring_submit(&self->ring, &sqe));
	EXPECT_EQ(-ECONNREFUSED, ring_wait(&self->ring, &data));
	EXPECT_EQ(4, data);
}

API_MAIN
