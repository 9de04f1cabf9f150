// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which a site sends messages: users take turns, and so do the sockets of a user.  The
 * messages of a user in one class (SO_PRIORITY) do not wait for those in the other class.
 */
#include "api.h"

#define MIB		(1U << 20)
/* Number of sockets; each has more messages queued than the site has in flight at a time. */
#define BULK_SOCKETS	6
#define BULK_SOCKETS_MAX 90
#define BULK_MESSAGES	360
#define BULK_BYTES	32768
/* A message of few flits. */
#define SHORT_BYTES	3000
#define ROOM		(32 * MIB)
/* Rates at which bulk messages queue up, a quarter of a second each, and do not. */
#define SLOW		"1mbit"
#define FAST		"1gbit"
/* Number of messages of the other side, if it sends more than one small message. */
#define OTHERS		20
/*
 * Bulk messages that may precede the last message of a sender with its own turn: those sent while
 * the bulk was queued, those in the link's queue, and one for each message of the other sender, in
 * turn.
 */
#define BEFORE_FEW	(2 * OTHERS + 16)
/* Messages of one MiB each. */
#define QUEUE_MESSAGES	96
#define PINGS		101
/* Pause between two pings, so that they outlast other work of the machine. */
#define PING_GAP_MS	4

static char big[MIB];

static int set_priority(int fd, int priority)
{
	return RESULT(setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)));
}

static int set_flitcast(int fd, int option, int value)
{
	return RESULT(setsockopt(fd, SOL_FLITCAST, option, &value, sizeof(value)));
}

/* Set the rate of the link from a site to the next of the line, or from site 1 to site 0. */
static int set_rate_of(int site, const char *dev, const char *what, const char *rate)
{
	char command[128];

	snprintf(command, sizeof(command),
		 "tc -n " FRAIL "-%d qdisc %s dev %s root netem limit 1000 rate %s", site, what,
		 dev, rate);
	return system(command);
}

static int set_rate(const char *what, const char *rate)
{
	return set_rate_of(0, "p1", what, rate);
}

/* A socket of user @uid, who has no capabilities unless it is root. */
static int user_socket(int netns, uid_t uid, uint32_t site, int flags)
{
	int fd;

	if (setns(netns, CLONE_NEWNET) || seteuid(uid))
		return -1;
	fd = msg_socket(-1, site, 0, flags);
	return seteuid(0) ? -1 : fd;
}

/**
 * struct contest - messages of a bulk side and another side, all to one socket
 * @sockets: number of bulk sockets
 * @bulk_uid: owner of the bulk sockets
 * @bulk_priority: SO_PRIORITY of the bulk sockets
 * @bulk_bytes: length of each bulk message, BULK_BYTES if 0
 * @uid: owner of the other side's one socket
 * @priority: SO_PRIORITY of the other side's socket
 * @count: number of the other side's messages
 * @bytes: length of each of them, different from @bulk_bytes
 */
struct contest {
	int sockets;
	uid_t bulk_uid;
	int bulk_priority;
	int bulk_bytes;
	uid_t uid;
	int priority;
	int count;
	int bytes;
};

/*
 * Send all bulk messages while the link is slow, then those of the other side, all to one socket.
 * The measure is an order, so the speed of the machine does not matter.
 * Return: bulk messages that arrived before the other side's last one.
 */
static int before(struct __test_metadata *_metadata, const int *ns, const struct contest *c)
{
	int bytes = c->bulk_bytes ? c->bulk_bytes : BULK_BYTES;
	int room = ROOM, from[BULK_SOCKETS_MAX], one, to, i, bulk = 0, others = 0, last = -1;

	to = msg_socket(ns[1], 1, PORT, 0);
	EXPECT_EQ(0, setsockopt(to, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)));
	EXPECT_EQ(0, set_rate("replace", SLOW));
	for (i = 0; i < c->sockets; i++) {
		from[i] = user_socket(ns[0], c->bulk_uid, 0, SOCK_NONBLOCK);
		EXPECT_EQ(0, set_flitcast(from[i], FLITCAST_SNDBUF, 4 * MIB));
		EXPECT_EQ(0, set_priority(from[i], c->bulk_priority));
	}
	one = user_socket(ns[0], c->uid, 0, 0);
	EXPECT_EQ(0, set_priority(one, c->priority));
	for (i = 0; i < BULK_MESSAGES; i++)
		EXPECT_EQ(bytes, RESULT(msg_send(from[i % c->sockets], big, bytes, 1, PORT, 0)));
	for (i = 0; i < c->count; i++)
		EXPECT_EQ(c->bytes, RESULT(msg_send(one, big, c->bytes, 1, PORT, 0)));
	EXPECT_EQ(0, set_rate("change", FAST));
	while (bulk < BULK_MESSAGES || others < c->count) {
		ssize_t n = msg_wait(to, POLLIN, SOON_MS) ?
			    RESULT(msg_recv(to, big, sizeof(big), NULL, MSG_DONTWAIT)) : -ETIMEDOUT;

		if (n == c->bytes) {
			others++;
			last = bulk;
		} else {
			EXPECT_EQ(bytes, n);
			if (n != bytes)
				break;
			bulk++;
		}
	}
	for (i = 0; i < c->sockets; i++)
		close(from[i]);
	close(one);
	close(to);
	TH_LOG("%d of %d B, uid %d, class %d, behind %d of %d B, uid %d, class %d, %d sockets: after %d",
	       c->count, c->bytes, c->uid, c->priority, BULK_MESSAGES, bytes, c->bulk_uid,
	       c->bulk_priority, c->sockets, last);
	return last;
}

/* A socket does not wait for the messages of other sockets, and gets its share of the link. */
TEST_F(frail, priority__turns_of_sockets)
{
	EXPECT_GT(BEFORE_FEW, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS, .bulk_priority = 3, .priority = 3, .count = 1,
		.bytes = 64 }));
	/*
	 * Sockets take turns by message, so the one socket does not overtake more than its share.
	 */
	EXPECT_LT(OTHERS * BULK_SOCKETS / 2, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS, .bulk_priority = 3, .priority = 3, .count = OTHERS,
		.bytes = BULK_BYTES - 1 }));
}

/* A message of the higher class precedes messages of the user's other sockets. */
TEST_F(frail, priority__high_beside_low)
{
	EXPECT_GT(BEFORE_FEW, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS, .bulk_priority = 3, .priority = 4, .count = OTHERS,
		.bytes = BULK_BYTES - 1 }));
}

/* A long message needs CAP_NET_ADMIN for the higher class, a short one does not. */
TEST_F(frail, priority__long_ones_take_privilege)
{
	EXPECT_LT(OTHERS * BULK_SOCKETS / 2, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS, .bulk_uid = 1000, .bulk_priority = 3, .uid = 1000,
		.priority = 6, .count = OTHERS, .bytes = BULK_BYTES - 1 }));
	/* The bulk messages are short, too: long packets would delay the other side. */
	EXPECT_GT(BEFORE_FEW, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS, .bulk_uid = 1000, .bulk_priority = 3,
		.bulk_bytes = SHORT_BYTES, .uid = 1000, .priority = 6, .count = OTHERS,
		.bytes = SHORT_BYTES - 1 }));
}

/* Low-class messages get a share beside many high-class messages. */
TEST_F(frail, priority__low_beside_high)
{
	EXPECT_GT(BEFORE_FEW, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS, .bulk_priority = 6, .priority = 0, .count = 1,
		.bytes = 64 }));
	EXPECT_GT(BULK_MESSAGES / 2, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS, .bulk_priority = 6, .priority = 0, .count = OTHERS,
		.bytes = BULK_BYTES - 1 }));
}

/* Users take turns, even if one of them has many sockets, or uses the higher class. */
TEST_F(frail, priority__turns_of_users)
{
	EXPECT_GT(BEFORE_FEW, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS_MAX, .bulk_uid = 1000, .uid = 1001, .count = OTHERS,
		.bytes = BULK_BYTES - 1 }));
	EXPECT_GT(BEFORE_FEW, before(_metadata, self->ns, &(struct contest) {
		.sockets = BULK_SOCKETS, .bulk_uid = 1000, .bulk_priority = 6, .uid = 1001,
		.count = OTHERS, .bytes = BULK_BYTES - 1 }));
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/*
 * Lower quartile of round trips to the echo port of a site, in ns; 0: an answer was lost.  Other
 * work of the machine delays single round trips, a queue in their route delays all of them.
 */
static uint64_t ping(int fd, uint32_t site)
{
	char message[56] = "";
	uint64_t took[PINGS];
	int i;

	for (i = 0; i < PINGS; i++) {
		took[i] = now_ns();
		if (msg_send(fd, message, sizeof(message), site, FLITCAST_PORT_ECHO, 0) < 0 ||
		    !msg_wait(fd, POLLIN, SOON_MS) ||
		    msg_recv(fd, message, sizeof(message), NULL, 0) < 0)
			return 0;
		took[i] = now_ns() - took[i];
		poll(NULL, 0, PING_GAP_MS);
	}
	qsort(took, PINGS, sizeof(took[0]), compare_times);
	return took[PINGS / 4];
}

/*
 * 96 MiB of one user, queued for a site behind a slow link, do not delay another user's ping to the
 * site on the other side: it takes at most twice as long as on an idle site.
 */
TEST_F(frail, priority__ping_beside_a_queue)
{
	struct linger drop = { .l_onoff = 1 };
	int to, from[BULK_SOCKETS], one, i, n, queued = 0, waits = 0;
	uint64_t idle, beside, after;

	to = msg_socket(self->ns[0], 0, PORT, 0);
	one = user_socket(self->ns[1], 1001, 1, 0);
	ASSERT_LE(0, one);
	idle = ping(one, 2);
	idle = ping(one, 2);
	EXPECT_EQ(0, set_rate_of(1, "p2", "replace", SLOW));
	for (i = 0; i < BULK_SOCKETS; i++) {
		from[i] = user_socket(self->ns[1], 1000, 1, SOCK_NONBLOCK);
		EXPECT_EQ(0, set_flitcast(from[i], FLITCAST_SNDBUF, 32 * MIB));
		EXPECT_EQ(0, setsockopt(from[i], SOL_SOCKET, SO_LINGER, &drop, sizeof(drop)));
		for (n = 0; n < QUEUE_MESSAGES / BULK_SOCKETS; n++)
			queued += msg_send(from[i], big, MIB, 0, PORT, 0) == MIB;
	}
	EXPECT_EQ(QUEUE_MESSAGES, queued);
	beside = ping(one, 2);
	/* The large messages were queued during the whole measurement. */
	for (i = 0; i < BULK_SOCKETS; i++) {
		EXPECT_EQ(0, ioctl(from[i], SIOCOUTQ, &n));
		waits += n / MIB;
		close(from[i]);
	}
	EXPECT_LT(QUEUE_MESSAGES * 9 / 10, waits);
	/* A machine with other work may have become slower or faster meanwhile. */
	after = ping(one, 2);
	EXPECT_LT(0, after);
	if (after > idle)
		idle = after;
	TH_LOG("ping: %llu us, beside %d MiB: %llu us", (unsigned long long)idle / 1000, queued,
	       (unsigned long long)beside / 1000);
	EXPECT_LT(0, idle);
	EXPECT_LT(0, beside);
	EXPECT_GE(2 * idle, beside);
	close(one);
	close(to);
}

/* Bands of the qdisc of a link: of priorities 7, 6, 0, and of all others. */
enum { CONTROL_BAND, HIGH_BAND, LOW_BAND, OTHER_BAND, BANDS };

/* Count the frames of site 0 for site 1 in each band so far. */
static void count_bands(unsigned long long count[BANDS])
{
	FILE *tc = popen("tc -s -n " FRAIL "-0 class show dev p1", "r");
	char line[256];
	int band = 0;

	memset(count, 0, BANDS * sizeof(count[0]));
	while (tc && fgets(line, sizeof(line), tc)) {
		if (sscanf(line, "class prio 1:%d", &band) != 1 && band >= 1 && band <= BANDS)
			sscanf(line, " Sent %*u bytes %llu pkt", &count[band - 1]);
	}
	if (tc)
		pclose(tc);
}

/* Flits that site 0 has sent to site 1 again. */
static uint64_t resent(void)
{
	return cli("-s -j -n " FRAIL "-0 link show p1") ? UINT64_MAX :
		json_sum(cli_output(), "tx_resent");
}

/*
 * Send @n messages of @bytes from a socket to site 1, one after the other, and count the frames in
 * each band meanwhile.
 */
static void send_in_bands(struct __test_metadata *_metadata, int from, int to, int n, int bytes,
			  unsigned long long count[BANDS])
{
	unsigned long long before[BANDS];
	int i;

	count_bands(before);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(bytes, RESULT(msg_send(from, big, bytes, 1, PORT, 0)));
		EXPECT_LT(0, msg_wait(to, POLLIN, SOON_MS));
		EXPECT_EQ(bytes, RESULT(msg_recv(to, big, sizeof(big), NULL, 0)));
	}
	count_bands(count);
	for (i = 0; i < BANDS; i++)
		count[i] -= before[i];
	TH_LOG("%d of %d B: %llu %llu %llu %llu frames", n, bytes, count[0], count[1], count[2],
	       count[3]);
}

/*
 * A qdisc sees the class of flits; none is above what any socket may ask for, as other users of
 * the cable have.
 */
TEST_F(frail, priority__bands_of_a_qdisc)
{
	const int from = user_socket(self->ns[0], 1000, 0, 0);
	const int to = msg_socket(self->ns[1], 1, PORT, 0);
	unsigned long long count[BANDS];
	uint64_t again;

	ASSERT_EQ(0, system("tc -n " FRAIL "-0 qdisc replace dev p1 root handle 1: prio bands 4 "
			    "priomap 2 3 3 3 3 3 1 0 3 3 3 3 3 3 3 3"));
	send_in_bands(_metadata, from, to, OTHERS, BULK_BYTES, count);
	/* Each message is more than 20 flits. */
	EXPECT_LE(20 * OTHERS, count[LOW_BAND]);
	EXPECT_EQ(0, count[HIGH_BAND]);
	send_in_bands(_metadata, from, to, OTHERS, 64, count);
	EXPECT_LE(OTHERS, count[LOW_BAND]);
	EXPECT_EQ(0, count[HIGH_BAND]);
	ASSERT_EQ(0, set_priority(from, 6));
	send_in_bands(_metadata, from, to, OTHERS, 64, count);
	EXPECT_LE(OTHERS, count[HIGH_BAND]);
	/* The user has no privilege: long messages are low. */
	send_in_bands(_metadata, from, to, OTHERS, BULK_BYTES, count);
	EXPECT_LE(20 * OTHERS, count[LOW_BAND]);
	EXPECT_EQ(0, count[HIGH_BAND]);

	/* Flits wait for longer than polls do, which must not overtake them. */
	ASSERT_EQ(0, system("tc -n " FRAIL "-0 qdisc add dev p1 parent 1:3 netem delay 60ms"));
	again = resent();
	send_in_bands(_metadata, from, to, OTHERS, BULK_BYTES, count);
	EXPECT_EQ(again, resent());
	count_bands(count);
	EXPECT_LT(0, count[CONTROL_BAND]);
	EXPECT_EQ(0, count[OTHER_BAND]);
	close(from);
	close(to);
}

/* A program may change the priority of a socket at any time; its messages stay in order. */
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
