// SPDX-License-Identifier: GPL-2.0
/*
 * SO_PRIORITY: two classes of messages, of which neither delays the other up at the
 * site that sends.
 */
#include "api.h"

#define MIB		(1U << 20)
/* So many sockets, each with so much, more than the site has under way at a time. */
#define BULK_SOCKETS	6
#define BULK_MESSAGES	360
#define BULK_BYTES	32768
#define ROOM		(32 * MIB)
/* Links on which bulk waits, a quarter of a second each message, and on which it does not. */
#define SLOW		"1mbit"
#define FAST		"1gbit"
/*
 * Messages of it that go before a small one of the other class, which waits for none of them: those
 * that have gone when all of them have been sent, and those on their way into the link.
 */
#define BEFORE_OTHER	(BULK_MESSAGES / 4)
/* In its own class a small one waits for nearly all. */
#define BEFORE_SAME	(BULK_MESSAGES / 2)

static char big[MIB];

static int set_priority(int fd, int priority)
{
	return RESULT(setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)));
}

static int set_flitcast(int fd, int option, int value)
{
	return RESULT(setsockopt(fd, SOL_FLITCAST, option, &value, sizeof(value)));
}

/* The link from site 0 to site 1. */
static int set_rate(const char *what, const char *rate)
{
	char command[128];

	snprintf(command, sizeof(command),
		 "tc -n " FRAIL "-0 qdisc %s dev p1 root netem limit 1000 rate %s", what, rate);
	return system(command);
}

/*
 * All of @bulk_priority's messages are sent while the link is slow, then a small one, all to one
 * socket: how many are there before it?  What is told is order, so it does not matter how fast
 * anything is.
 */
static int before(struct __test_metadata *_metadata, const int *ns, int bulk_priority, int priority)
{
	int room = ROOM, from[BULK_SOCKETS], one, to, i, bulk = 0, small = -1;
	char message[64] = "";

	to = msg_socket(ns[1], 1, PORT, 0);
	one = msg_socket(ns[0], 0, 0, 0);
	EXPECT_EQ(0, setsockopt(to, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)));
	EXPECT_EQ(0, set_priority(one, priority));
	EXPECT_EQ(0, set_rate("replace", SLOW));
	for (i = 0; i < BULK_SOCKETS; i++) {
		from[i] = msg_socket(ns[0], 0, 0, SOCK_NONBLOCK);
		EXPECT_EQ(0, set_flitcast(from[i], FLITCAST_SNDBUF, 4 * MIB));
		EXPECT_EQ(0, set_priority(from[i], bulk_priority));
	}
	for (i = 0; i < BULK_MESSAGES; i++)
		EXPECT_EQ(BULK_BYTES, RESULT(msg_send(from[i % BULK_SOCKETS], big, BULK_BYTES, 1,
						      PORT, 0)));
	EXPECT_EQ(sizeof(message), RESULT(msg_send(one, message, sizeof(message), 1, PORT, 0)));
	EXPECT_EQ(0, set_rate("change", FAST));
	while (bulk < BULK_MESSAGES || small < 0) {
		ssize_t n = msg_wait(to, POLLIN, SOON_MS) ?
			    RESULT(msg_recv(to, big, sizeof(big), NULL, MSG_DONTWAIT)) : -ETIMEDOUT;

		if (n == sizeof(message)) {
			EXPECT_EQ(-1, small);
			small = bulk;
		} else {
			EXPECT_EQ(BULK_BYTES, n);
			if (n != BULK_BYTES)
				break;
			bulk++;
		}
	}
	for (i = 0; i < BULK_SOCKETS; i++)
		close(from[i]);
	close(one);
	close(to);
	TH_LOG("%d behind %d messages of %d: after %d of them", priority, BULK_MESSAGES,
	       bulk_priority, small);
	return small;
}

/* What waits behind megabytes of its own class does not wait behind those of the other. */
TEST_F(frail, priority__high_beside_low)
{
	EXPECT_GT(BEFORE_OTHER, before(_metadata, self->ns, 3, 4));
	EXPECT_LT(BEFORE_SAME, before(_metadata, self->ns, 3, 3));
}

/* Low ones go, too, where there are high ones enough. */
TEST_F(frail, priority__low_beside_high)
{
	EXPECT_GT(BEFORE_OTHER, before(_metadata, self->ns, 6, 0));
	EXPECT_LT(BEFORE_SAME, before(_metadata, self->ns, 6, 6));
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
