// SPDX-License-Identifier: GPL-2.0
/*
 * The socket interface: broadcasts.
 */
#include "api.h"

/* A socket of site @site of the line. */
#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

static bool quiet(int fd)
{
	return !msg_wait(fd, POLLIN | POLLERR, QUIET_MS);
}

static ssize_t cast(int fd, const struct sockaddr_flitcast *to, const void *data, size_t len)
{
	return RESULT(sendto(fd, data, len, 0, (const void *)to, sizeof(*to)));
}

/* What a site of the line has refused for want of a socket. */
static uint64_t refused(int site)
{
	return cli("-n " LAB "-%d -j stats show", site) ? ~0ULL :
	       json_sum(cli_output(), "messages_refused");
}

TEST_F(line, cast__all_others_get_it)
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

	EXPECT_EQ(1, cast(fd, &addr, "x", 1));
	EXPECT_EQ(1, msg_wait(near, POLLIN, 10000));
	EXPECT_EQ(1, msg_recv(near, &c, 1, &from, 0));
	EXPECT_EQ('x', c);
	EXPECT_EQ(0, from.sfc_site);
	EXPECT_EQ(1, msg_wait(far, POLLIN, 10000));
	EXPECT_EQ(1, msg_recv(far, &c, 1, &from, 0));
	/* A line has one path. */
	addr.sfc_copies = 2;
	EXPECT_EQ(-EOPNOTSUPP, cast(fd, &addr, "x", 1));
	addr.sfc_copies = 0;
	EXPECT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_COPIES, &two, sizeof(two)));
	EXPECT_EQ(-EOPNOTSUPP, cast(fd, &addr, "x", 1));
	addr.sfc_copies = 1;
	EXPECT_EQ(-EMSGSIZE, cast(fd, &addr, large, sizeof(large)));
	addr.sfc_site = 1;
	EXPECT_EQ(-EINVAL, cast(fd, &addr, "x", 1));
	addr.sfc_site = 0;
	addr.sfc_port = 0;
	EXPECT_EQ(-EINVAL, cast(fd, &addr, "x", 1));
	EXPECT_TRUE(quiet(near));
	EXPECT_TRUE(quiet(far));
}

/* Who has no socket for it does not make a broadcast fail. */
TEST_F(line, cast__to_those_that_listen)
{
	struct sockaddr_flitcast addr = {
		.sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_BROADCAST,
		.sfc_port = PORT,
	};
	int fd = SOCKET(0, 0), near = SOCKET(1, PORT), one = 1;
	struct flitcast_result result[4];
	struct flitcast_report report;

	EXPECT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)));
	EXPECT_EQ(1, cast(fd, &addr, "x", 1));
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
 * A broadcast says what any of those it is for may wait for.  Who was not there for that one does
 * not wait: it is over for it.
 */
TEST_F(line, cast__who_comes_late_waits_for_nobody)
{
	struct sockaddr_flitcast addr = {
		.sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_BROADCAST,
		.sfc_port = PORT,
	};
	int fd = SOCKET(0, 0), near = SOCKET(1, PORT), far, small = 1;
	uint64_t before = refused(2), until;
	char c;

	ASSERT_EQ(0, setsockopt(near, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)));
	/* The first one takes all the room of one that does not read. */
	EXPECT_EQ(1, cast(fd, &addr, "a", 1));
	ASSERT_EQ(1, msg_wait(near, POLLIN, SOON_MS));
	EXPECT_EQ(1, cast(fd, &addr, "b", 1));
	until = now_ms() + SOON_MS;
	while (refused(2) < before + 2 && now_ms() < until)
		sleep_ms(10);
	ASSERT_EQ(before + 2, refused(2));
	far = SOCKET(2, PORT);
	EXPECT_EQ(1, cast(fd, &addr, "c", 1));
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

TEST_F(line, cast__options)
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

API_MAIN
