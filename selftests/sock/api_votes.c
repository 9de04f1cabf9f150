// SPDX-License-Identifier: GPL-2.0
/*
 * Acceptance of broadcasts that arrive in several copies.  This program emulates all other sites
 * (fake.h).
 *
 *	site 0 (real) --- 1
 *	  |               |	hypercube:2: broadcasts of site 3 arrive by both,
 *	  2 ------------- 3	and one of them may forge
 */
#include "api.h"
#include "fake.h"

#define SOURCE		3
#define INCARNATION	7
#define SOCK		(FC_SOCK_BCAST | 1)
/* The first sequence number of the flow. */
#define FIRST		100

FIXTURE(votes) {
	struct fake by[2];
	int fd;
};

FIXTURE_SETUP(votes)
{
	struct flitcast_reception reception = { FLITCAST_RECEPTION_ALL, 0, 60000 };
	const char *bad;
	int copies = 2;

	api_choose_port(_metadata);
	bad = fake_site("hypercube:2", "");
	for (unsigned int i = 0; i < 2 && !bad; i++)
		bad = fake_link(&self->by[i], i + 1, 1 << i, i + 1);
	if (!bad)
		bad = fake_all_up(self->by, 2);
	ASSERT_EQ(NULL, bad) {
		TH_LOG("%s", bad);
	}
	self->fd = msg_socket(-1, 0, PORT, 0);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, setsockopt(self->fd, SOL_FLITCAST, FLITCAST_COPIES, &copies,
				sizeof(copies)));
	ASSERT_EQ(0, setsockopt(self->fd, SOL_FLITCAST, FLITCAST_RECEPTION, &reception,
				sizeof(reception)));
}

FIXTURE_TEARDOWN(votes)
{
	close(self->fd);
}

/* Send a copy of broadcast FIRST + @n over link @by, of retransmission @attempt. */
static void copy(struct _test_data_votes *self, unsigned int by, uint16_t port, unsigned int n,
		 unsigned int attempt, uint8_t outstanding)
{
	struct fc_packet pk = {
		.src = SOURCE, .incarnation = INCARNATION, .sock = SOCK, .src_port = 9,
		.ntargets = 1, .id = n, .msg_len = 1, .hops = 1,
		.kind = FC_KIND_MESSAGE,
	};
	struct fc_bcast_hdr bcast = {
		.number = 10 * attempt + n, .port = port, .copies = 2, .outstanding = outstanding,
		.seq = FIRST + n,
	};
	char c = 'a' + n;

	fake_bcast(&self->by[by], &pk, &bcast, &c);
}

/* Wait for the next answer of site 0 to the source, over either link. */
static bool answer(struct _test_data_votes *self, struct fc_ctrl *ctrl)
{
	uint64_t until = now_ms() + SOON_MS;
	struct fake_event e;

	while (now_ms() < until) {
		for (unsigned int i = 0; i < 2; i++) {
			if (!fake_next(&self->by[i], &e, 10) || e.is_packet)
				continue;
			*ctrl = e.ctrl[e.n - 1];
			return true;
		}
	}
	return false;
}

static bool reads(int fd, char want)
{
	char c = 0;

	return msg_wait(fd, POLLIN, SOON_MS) & POLLIN && msg_recv(fd, &c, 1, NULL, 0) == 1 &&
	       c == want;
}

/*
 * The two copies of a broadcast agree, but one denies that an earlier one exists, which has not
 * arrived yet.  Whichever copy arrives last, the site waits for the earlier broadcast.
 */
static void before(struct __test_metadata *_metadata, struct _test_data_votes *self,
		   unsigned int liar)
{
	struct fc_ctrl ctrl;

	copy(self, 0, PORT, 1, liar == 0, liar != 0);
	copy(self, 1, PORT, 1, liar == 1, liar != 1);
	ASSERT_TRUE(answer(self, &ctrl));
	EXPECT_EQ(FC_CTRL_CONFIRM, ctrl.kind);
	EXPECT_EQ(FIRST + 1, ctrl.seq);
	EXPECT_EQ(1, ctrl.base);
	EXPECT_EQ(FIRST, ctrl.next);
	EXPECT_EQ(0, msg_wait(self->fd, POLLIN, 0));
	copy(self, 0, PORT, 0, 0, 0);
	copy(self, 1, PORT, 0, 0, 0);
	EXPECT_TRUE(reads(self->fd, 'a'));
	EXPECT_TRUE(reads(self->fd, 'b'));
}

TEST_F(votes, votes__the_first_lies_about_what_came_before)
{
	before(_metadata, self, 0);
}

TEST_F(votes, votes__the_last_lies_about_what_came_before)
{
	before(_metadata, self, 1);
}

/*
 * A forged copy announces more earlier broadcasts than exist.  The site waits for them, asks the
 * source, and gets the answer that they are completed.
 */
TEST_F(votes, votes__what_is_over_is_not_waited_for)
{
	struct fc_ctrl ctrl, forward = {
		.kind = FC_CTRL_FORWARD, .hops = 1, .dst = 0, .incarnation = INCARNATION,
		.sock = SOCK, .site = SOURCE, .port = PORT, .seq = FIRST - 1, .next = FIRST,
	};

	copy(self, 0, PORT, 0, 0, 0);
	copy(self, 1, PORT, 0, 1, FC_BCAST_OUTSTANDING_MAX - 1);
	ASSERT_TRUE(answer(self, &ctrl));
	EXPECT_EQ(FIRST, ctrl.seq);
	EXPECT_EQ(1, ctrl.base);
	EXPECT_EQ(FIRST - (FC_BCAST_OUTSTANDING_MAX - 1), ctrl.next);
	fake_ctrl(&self->by[0], &forward, 1);
	EXPECT_TRUE(reads(self->fd, 'a'));
	ASSERT_TRUE(answer(self, &ctrl));
	EXPECT_EQ(FIRST + 1, ctrl.next);
}

/*
 * More earlier broadcasts than the field can count may still come: a site without a flow asks the
 * source which of them are completed before it receives any.
 */
TEST_F(votes, votes__more_to_come_than_a_header_counts)
{
	struct fc_ctrl ctrl;

	for (unsigned int i = 0; i < 2; i++)
		copy(self, i, PORT, 0, 0, FC_BCAST_OUTSTANDING_MAX);
	ASSERT_TRUE(answer(self, &ctrl));
	EXPECT_EQ(FC_CTRL_RESYNC_REQ, ctrl.kind);
	EXPECT_EQ(FIRST, ctrl.seq);
	EXPECT_EQ(0, msg_wait(self->fd, POLLIN, 0));
	ctrl.kind = FC_CTRL_RESYNC;
	ctrl.dst = 0;
	ctrl.site = SOURCE;
	ctrl.hops = 1;
	ctrl.next = FIRST;
	fake_ctrl(&self->by[0], &ctrl, 1);
	for (unsigned int i = 0; i < 2; i++)
		copy(self, i, PORT, 0, 1, FC_BCAST_OUTSTANDING_MAX);
	EXPECT_TRUE(reads(self->fd, 'a'));
	ASSERT_TRUE(answer(self, &ctrl));
	EXPECT_EQ(FC_CTRL_CONFIRM, ctrl.kind);
	EXPECT_EQ(FIRST + 1, ctrl.next);
}

/* Without a socket the site refuses one copy, and confirms no other broadcasts because of it. */
TEST_F(votes, votes__one_copy_confirms_nothing)
{
	struct fc_ctrl ctrl;

	for (unsigned int i = 0; i < 2; i++) {
		/* The second round is a retransmission. */
		copy(self, 0, PORT + 1, 1, i, 0);
		ASSERT_TRUE(answer(self, &ctrl));
		EXPECT_EQ(FC_CTRL_REFUSED, ctrl.kind);
		EXPECT_EQ(FIRST + 1, ctrl.seq);
		EXPECT_EQ(FIRST + 1 - (FC_FLOW_WINDOW - 1), ctrl.next);
		copy(self, 1, PORT + 1, 1, i, 0);
	}
}

API_MAIN
