// SPDX-License-Identifier: GPL-2.0
/*
 * The socket interface: broadcasts.
 */
#include "api.h"
#include "fake.h"

/* A socket of site @site of the line. */
#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

static bool quiet(int fd)
{
	return !msg_wait(fd, POLLIN | POLLERR, QUIET_MS);
}

static ssize_t bcast(int fd, const struct sockaddr_flitcast *to, const void *data, size_t len)
{
	return RESULT(sendto(fd, data, len, 0, (const void *)to, sizeof(*to)));
}

/* Messages that site @site has refused because no socket was bound to their port. */
static uint64_t refused(int site)
{
	return cli("-n " LAB "-%d -j stats show", site) ? ~0ULL :
	       json_sum(cli_output(), "messages_refused");
}

TEST_F(line, bcast__all_others_get_it)
{
	struct sockaddr_flitcast addr = {
		.sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_BROADCAST,
		.sfc_port = PORT,
	};
	int fd = SOCKET(0, 0), near = SOCKET(1, PORT), far = SOCKET(2, PORT);
	struct sockaddr_flitcast from;
	static char large[65537];
	int two = 2;
	char c;

	EXPECT_EQ(1, bcast(fd, &addr, "x", 1));
	EXPECT_EQ(1, msg_wait(near, POLLIN, 10000));
	EXPECT_EQ(1, msg_recv(near, &c, 1, &from, 0));
	EXPECT_EQ('x', c);
	EXPECT_EQ(0, from.sfc_site);
	EXPECT_EQ(1, msg_wait(far, POLLIN, 10000));
	EXPECT_EQ(1, msg_recv(far, &c, 1, &from, 0));
	/* A line has one path. */
	addr.sfc_copies = 2;
	EXPECT_EQ(-EOPNOTSUPP, bcast(fd, &addr, "x", 1));
	addr.sfc_copies = 0;
	EXPECT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_COPIES, &two, sizeof(two)));
	EXPECT_EQ(-EOPNOTSUPP, bcast(fd, &addr, "x", 1));
	addr.sfc_copies = 1;
	EXPECT_EQ(-EMSGSIZE, bcast(fd, &addr, large, sizeof(large)));
	addr.sfc_site = 1;
	EXPECT_EQ(-EINVAL, bcast(fd, &addr, "x", 1));
	addr.sfc_site = 0;
	addr.sfc_port = 0;
	EXPECT_EQ(-EINVAL, bcast(fd, &addr, "x", 1));
	EXPECT_TRUE(quiet(near));
	EXPECT_TRUE(quiet(far));
}

/* A site without a receiving socket, which answers ECONNREFUSED, does not fail a broadcast. */
TEST_F(line, bcast__to_those_that_listen)
{
	struct sockaddr_flitcast addr = {
		.sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_BROADCAST,
		.sfc_port = PORT,
	};
	int fd = SOCKET(0, 0), near = SOCKET(1, PORT), one = 1;
	struct flitcast_result result[4];
	struct flitcast_report report;

	EXPECT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)));
	EXPECT_EQ(1, bcast(fd, &addr, "x", 1));
	EXPECT_EQ(1, msg_wait(near, POLLIN, 10000));
	EXPECT_NE(0, msg_wait(fd, POLLERR, 10000));
	ASSERT_EQ(2, msg_report(fd, &report, result, 4, NULL));
	EXPECT_EQ(2, report.targets);
	EXPECT_EQ(1, report.delivered);
	EXPECT_EQ(0, report.failed);
	EXPECT_EQ(1, report.left_out);
	EXPECT_EQ(0, result[0].error);
	EXPECT_EQ(ECONNREFUSED, result[1].error);
	EXPECT_EQ(0, msg_error(fd));
}

/*
 * A broadcast carries the oldest sequence number that is not completed.  A receiver that was not
 * bound when an older broadcast arrived does not wait for that one.
 */
TEST_F(line, bcast__a_late_target_waits_for_no_other)
{
	struct sockaddr_flitcast addr = {
		.sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_BROADCAST,
		.sfc_port = PORT,
	};
	int fd = SOCKET(0, 0), near = SOCKET(1, PORT), far, small = 1;
	uint64_t before = refused(2), until;
	char c;

	ASSERT_EQ(0, setsockopt(near, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)));
	/* The first broadcast fills the buffer of a receiver that does not read. */
	EXPECT_EQ(1, bcast(fd, &addr, "a", 1));
	ASSERT_EQ(1, msg_wait(near, POLLIN, SOON_MS));
	EXPECT_EQ(1, bcast(fd, &addr, "b", 1));
	until = now_ms() + SOON_MS;
	while (refused(2) < before + 2 && now_ms() < until)
		sleep_ms(10);
	ASSERT_EQ(before + 2, refused(2));
	far = SOCKET(2, PORT);
	EXPECT_EQ(1, bcast(fd, &addr, "c", 1));
	ASSERT_EQ(1, msg_wait(far, POLLIN, SOON_MS));
	EXPECT_EQ(1, msg_recv(far, &c, 1, NULL, 0));
	EXPECT_EQ('c', c);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(1, msg_wait(near, POLLIN, SOON_MS));
		EXPECT_EQ(1, msg_recv(near, &c, 1, NULL, 0));
		EXPECT_EQ('a' + i, c);
	}
	EXPECT_TRUE(quiet(far));
	EXPECT_EQ(0, msg_error(fd));
}

TEST_F(line, bcast__options)
{
	static const struct {
		struct flitcast_reception r;
		int err;
	} cases[] = {
		{ { FLITCAST_RECEPTION_FIRST, 0, 1 }, 0 },
		{ { FLITCAST_RECEPTION_ALL, 0, 86400000 }, 0 },
		{ { FLITCAST_RECEPTION_MAJORITY, 0, 1000 }, 0 },
		{ { FLITCAST_RECEPTION_QUORUM, 16, 1000 }, 0 },
		{ { FLITCAST_RECEPTION_QUORUM, 0, 1000 }, EINVAL },
		{ { FLITCAST_RECEPTION_QUORUM, 17, 1000 }, EINVAL },
		{ { FLITCAST_RECEPTION_ALL, 1, 1000 }, EINVAL },
		{ { FLITCAST_RECEPTION_QUORUM + 1, 0, 1000 }, EINVAL },
		{ { FLITCAST_RECEPTION_FIRST, 0, 0 }, EINVAL },
		{ { FLITCAST_RECEPTION_FIRST, 0, 86400001 }, EINVAL },
	};
	struct flitcast_reception before = { FLITCAST_RECEPTION_FIRST, 0, 1000 }, now;
	int fd = SOCKET(0, 0), copies;
	socklen_t len = sizeof(now);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int err = -RESULT(setsockopt(fd, SOL_FLITCAST, FLITCAST_RECEPTION, &cases[i].r,
					     sizeof(cases[i].r)));

		EXPECT_EQ(cases[i].err, err) {
			TH_LOG("case %zu", i);
		}
		if (!err)
			before = cases[i].r;
		EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_RECEPTION, &now, &len));
		EXPECT_EQ(0, memcmp(&now, &before, sizeof(now)));
	}
	EXPECT_EQ(-1, setsockopt(fd, SOL_FLITCAST, FLITCAST_RECEPTION, &now, 8));
	len = sizeof(copies);
	EXPECT_EQ(0, getsockopt(fd, SOL_FLITCAST, FLITCAST_COPIES, &copies, &len));
	EXPECT_EQ(1, copies);
	copies = 17;
	EXPECT_EQ(-1, setsockopt(fd, SOL_FLITCAST, FLITCAST_COPIES, &copies, sizeof(copies)));
	copies = 0;
	EXPECT_EQ(-1, setsockopt(fd, SOL_FLITCAST, FLITCAST_COPIES, &copies, sizeof(copies)));
}

/* Site 0 of a line; the test emulates the other sites. */
FIXTURE(faked) {
	struct fake fake;
	int fd;
};

FIXTURE_SETUP(faked)
{
	const char *bad;

	api_choose_port(_metadata);
	bad = fake_up(&self->fake, "");
	ASSERT_EQ(NULL, bad) {
		TH_LOG("%s", bad);
	}
	self->fd = msg_socket(-1, 0, 0, 0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(faked)
{
	close(self->fd);
}

/* Site @site answers broadcast @seq with @kind, having received all numbers before @next. */
static void answer_ctrl(struct _test_data_faked *self, enum fc_ctrl_kind kind, uint32_t site,
			uint32_t seq, uint32_t next)
{
	struct fc_ctrl ctrl = {
		.kind = kind, .hops = 1, .dst = 0,
		.incarnation = self->fake.bcast_packet.incarnation,
		.sock = self->fake.bcast_packet.sock, .site = site, .port = PORT, .seq = seq,
		.next = next,
	};

	fake_ctrl(&self->fake, &ctrl, 1);
}

/* Wait for a broadcast of the socket, new or retransmitted.  Return: false if none arrives. */
static bool comes(struct _test_data_faked *self)
{
	unsigned int before = self->fake.ncasts;
	uint64_t until = now_ms() + SOON_MS;
	struct fake_event e;

	while (self->fake.ncasts == before && now_ms() < until)
		fake_next(&self->fake, &e, 10);
	return self->fake.ncasts == before + 1;
}

static bool bcast_comes(struct _test_data_faked *self)
{
	struct sockaddr_flitcast addr = {
		.sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_BROADCAST,
		.sfc_port = PORT,
	};

	return bcast(self->fd, &addr, "x", 1) == 1 && comes(self);
}

/*
 * A restarted site has refused the second broadcast and not answered the first one, when a socket
 * is bound to its port and the second one is retransmitted for another target.  The site must not
 * take the first one for completed then: it would confirm a message that it did not receive.
 */
TEST_F(faked, bcast__refused_and_sent_again)
{
	uint32_t first, site;

	ASSERT_TRUE(bcast_comes(self));
	first = self->fake.bcast.seq;
	ASSERT_TRUE(bcast_comes(self));
	EXPECT_EQ(first + 1, self->fake.bcast.seq);
	EXPECT_EQ(1, self->fake.bcast.outstanding);
	for (site = 2; site < FAKE_SITES; site++)
		answer_ctrl(self, FC_CTRL_CONFIRM, site, first, first + 1);
	answer_ctrl(self, FC_CTRL_REFUSED, 1, first + 1, first);
	answer_ctrl(self, FC_CTRL_NO_SPACE, 2, first + 1, first + 1);
	answer_ctrl(self, FC_CTRL_GRANT, 2, first + 1, first + 1);
	do {
		ASSERT_TRUE(comes(self));
	} while (self->fake.bcast.seq != first + 1);
	EXPECT_EQ(1, self->fake.bcast.outstanding);
}

/*
 * A site without memory for a flow asks again and again which messages are completed
 * (FC_CTRL_RESYNC_REQ), here for a broadcast with more open predecessors than @outstanding can
 * count.  The source must not retransmit at each request.
 */
TEST_F(faked, bcast__no_memory_for_a_flow)
{
	struct fc_ctrl ctrl = { .kind = FC_CTRL_RESYNC_REQ, .hops = 1, .site = 1, .port = PORT };
	unsigned int answered, before;
	uint32_t first = 0, site, i;
	struct fake_event e;
	uint64_t until;

	for (i = 0; i <= FC_BCAST_OUTSTANDING_MAX; i++) {
		ASSERT_TRUE(bcast_comes(self));
		if (!i)
			first = self->fake.bcast.seq;
		for (site = 1; site < FAKE_SITES; site++)
			if (site != 1 || i != FC_BCAST_OUTSTANDING_MAX)
				answer_ctrl(self, site == 2 ? FC_CTRL_NO_SPACE : FC_CTRL_REFUSED,
					    site,
				    first + i, first);
	}
	EXPECT_EQ(FC_BCAST_OUTSTANDING_MAX, self->fake.bcast.outstanding);
	ctrl.incarnation = self->fake.bcast_packet.incarnation;
	ctrl.sock = self->fake.bcast_packet.sock;
	ctrl.seq = first + FC_BCAST_OUTSTANDING_MAX;
	ctrl.next = first;
	before = self->fake.ncasts;
	answered = before - 1;
	until = now_ms() + 2000;
	while (now_ms() < until) {
		for (; answered != self->fake.ncasts; answered++)
			fake_ctrl(&self->fake, &ctrl, 1);
		fake_next(&self->fake, &e, 1);
	}
	TH_LOG("%u broadcasts", self->fake.ncasts - before);
	EXPECT_LE(2, self->fake.ncasts - before);
	EXPECT_GT(60, self->fake.ncasts - before);
}

/* A broadcast keeps its number, whichever targets are left out. */
TEST_F(faked, bcast__first_target_is_detached)
{
	struct flitcast_slow_target slow = { FLITCAST_SLOW_DETACH, 100 };
	uint32_t first, site;
	struct fake_event e;

	ASSERT_EQ(0, setsockopt(self->fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow,
				sizeof(slow)));
	ASSERT_TRUE(bcast_comes(self));
	first = self->fake.bcast.seq;
	for (site = 2; site < FAKE_SITES; site++)
		answer_ctrl(self, FC_CTRL_CONFIRM, site, first, first + 1);
	/* Site 0 reports to site 1 that the broadcast is completed: site 1 was detached. */
	do {
		ASSERT_TRUE(fake_next(&self->fake, &e, SOON_MS));
	} while (e.is_packet || e.ctrl[0].kind != FC_CTRL_FORWARD);
	EXPECT_EQ(1, e.ctrl[0].dst);
	EXPECT_EQ(ETIME, msg_error(self->fd));
	ASSERT_TRUE(bcast_comes(self));
	EXPECT_EQ(first + 1, self->fake.bcast.seq);
}

API_MAIN
