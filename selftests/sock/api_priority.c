// SPDX-License-Identifier: GPL-2.0
/*
 * SO_PRIORITY: two classes of messages, of which neither delays the other up at the
 * site that sends.
 */
#include "api.h"

#define MIB		(1U << 20)
/* So many sockets, each with so much, keep a site busy. */
#define BULK_SOCKETS	6
#define BULK_ROOM	(4 * MIB)
/* A message of it. */
#define BULK_BYTES	(MIB / 4)
/* More than the site has under way at a time. */
#define BULK_WAITING	(12 * MIB)
#define SAMPLES		9

static char big[MIB];

static int set_priority(int fd, int priority)
{
	return RESULT(setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)));
}

static int set_flitcast(int fd, int option, int value)
{
	return RESULT(setsockopt(fd, SOL_FLITCAST, option, &value, sizeof(value)));
}

static int outq(int fd)
{
	int value = 0;

	ioctl(fd, SIOCOUTQ, &value);
	return value;
}

/* Messages from site 0 to site 2, all the time. */
struct bulk {
	int fd[BULK_SOCKETS];
	int to;
	pthread_t sender, receiver;
	volatile bool stop;
};

static void *bulk_send(void *arg)
{
	struct bulk *bulk = arg;
	uint16_t port = msg_name(bulk->to).sfc_port;
	struct pollfd pfd[BULK_SOCKETS];
	int i;

	for (i = 0; i < BULK_SOCKETS; i++)
		pfd[i] = (struct pollfd) { .fd = bulk->fd[i], .events = POLLOUT };
	while (!bulk->stop) {
		poll(pfd, BULK_SOCKETS, 100);
		for (i = 0; i < BULK_SOCKETS; i++)
			while (msg_send(bulk->fd[i], big, BULK_BYTES, 2, port,
					MSG_DONTWAIT) > 0)
				continue;
	}
	return NULL;
}

static void *bulk_receive(void *arg)
{
	static char got[MIB];
	struct bulk *bulk = arg;

	while (!bulk->stop)
		if (msg_wait(bulk->to, POLLIN, 100))
			msg_recv(bulk->to, got, sizeof(got), NULL, MSG_DONTWAIT);
	return NULL;
}

static int waiting(const struct bulk *bulk)
{
	int i, sum = 0;

	for (i = 0; i < BULK_SOCKETS; i++)
		sum += outq(bulk->fd[i]);
	return sum;
}

static void bulk_start(struct __test_metadata *_metadata, struct bulk *bulk, const int *ns,
		       int priority)
{
	uint64_t until = now_ms() + SOON_MS;
	int i;

	bulk->stop = false;
	bulk->to = msg_socket(ns[2], 2, PORT + 9, SOCK_NONBLOCK);
	ASSERT_LE(0, bulk->to);
	for (i = 0; i < BULK_SOCKETS; i++) {
		bulk->fd[i] = msg_socket(ns[0], 0, 0, SOCK_NONBLOCK);
		ASSERT_LE(0, bulk->fd[i]);
		ASSERT_EQ(0, set_flitcast(bulk->fd[i], FLITCAST_SNDBUF, BULK_ROOM));
		ASSERT_EQ(0, set_priority(bulk->fd[i], priority));
	}
	ASSERT_EQ(0, pthread_create(&bulk->sender, NULL, bulk_send, bulk));
	ASSERT_EQ(0, pthread_create(&bulk->receiver, NULL, bulk_receive, bulk));
	while (waiting(bulk) < BULK_WAITING && now_ms() < until)
		sleep_ms(5);
	ASSERT_LE(BULK_WAITING, waiting(bulk));
}

static void bulk_stop(struct bulk *bulk)
{
	struct linger drop = { .l_onoff = 1 };
	int i;

	bulk->stop = true;
	pthread_join(bulk->sender, NULL);
	pthread_join(bulk->receiver, NULL);
	for (i = 0; i < BULK_SOCKETS; i++) {
		setsockopt(bulk->fd[i], SOL_SOCKET, SO_LINGER, &drop, sizeof(drop));
		close(bulk->fd[i]);
	}
	close(bulk->to);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Seconds that a message of 64 bytes takes to site 1: the median, and the @worst. */
static double latency(struct __test_metadata *_metadata, const int *ns, int priority,
		      double *worst)
{
	int from = msg_socket(ns[0], 0, 0, 0), to = msg_socket(ns[1], 1, PORT, 0), i;
	double took[SAMPLES];
	char small[64] = "";

	EXPECT_EQ(0, set_priority(from, priority));
	for (i = 0; i < SAMPLES; i++) {
		double since = now_s();

		EXPECT_EQ(sizeof(small), RESULT(msg_send(from, small, sizeof(small), 1, PORT, 0)));
		EXPECT_LT(0, msg_wait(to, POLLIN, SOON_MS));
		EXPECT_EQ(sizeof(small), RESULT(msg_recv(to, small, sizeof(small), NULL,
							 MSG_DONTWAIT)));
		took[i] = now_s() - since;
	}
	close(from);
	close(to);
	qsort(took, SAMPLES, sizeof(*took), compare);
	*worst = took[SAMPLES - 1];
	return took[SAMPLES / 2];
}

/*
 * Both classes, on the way that the other one fills, and on its own.  There the worst counts:
 * while the receiver has no room, because its thread does not run, nobody waits behind anything.
 */
static void measure(struct __test_metadata *_metadata, const int *ns, int bulk_priority,
		    int priority, double *idle, double *same, double *other)
{
	struct bulk bulk;
	double worst;

	*idle = latency(_metadata, ns, priority, &worst);
	bulk_start(_metadata, &bulk, ns, bulk_priority);
	*other = latency(_metadata, ns, priority, &worst);
	latency(_metadata, ns, bulk_priority, same);
	bulk_stop(&bulk);
	TH_LOG("%d beside %d: idle %.1f ms, beside the other class %.1f, beside its own %.1f",
	       priority, bulk_priority, 1e3 * *idle, 1e3 * *other, 1e3 * *same);
}

/* What waits behind megabytes of its own class does not wait behind those of the other. */
TEST_F(line, priority__high_beside_low)
{
	double idle, same, other;

	measure(_metadata, self->ns, 3, 4, &idle, &same, &other);
	EXPECT_LT(4 * other, same);
}

/* Low ones go, too, where high ones never end. */
TEST_F(line, priority__low_beside_high)
{
	double idle, same, other;

	measure(_metadata, self->ns, 6, 0, &idle, &same, &other);
	EXPECT_LT(2 * other, same);
}

/* It may be changed at any time, and order is kept. */
TEST_F(line, priority__order_is_kept)
{
	int from = msg_socket(self->ns[0], 0, 0, 0), to = msg_socket(self->ns[2], 2, PORT, 0);
	uint32_t i, got;

	ASSERT_EQ(0, set_flitcast(from, FLITCAST_SNDBUF, 8 * MIB));
	for (i = 0; i < 32; i++) {
		ASSERT_EQ(0, set_priority(from, i % 4 ? 5 : 0));
		memcpy(big, &i, sizeof(i));
		ASSERT_EQ(i % 4 ? 64 : 200000, RESULT(msg_send(from, big, i % 4 ? 64 : 200000, 2,
							       PORT, 0)));
	}
	for (i = 0; i < 32; i++) {
		ASSERT_LT(0, msg_wait(to, POLLIN, SOON_MS));
		ASSERT_EQ(sizeof(got), RESULT(msg_recv(to, &got, sizeof(got), NULL, 0)));
		EXPECT_EQ(i, got);
	}
	close(from);
	close(to);
}

API_MAIN
