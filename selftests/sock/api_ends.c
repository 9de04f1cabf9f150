// SPDX-License-Identifier: GPL-2.0
/*
 * The ends of a message: how a sender treats targets that do not answer, and how a receiver
 * answers.  This program emulates all targets (fake.h).
 */
#include "faked.h"
#include <linux/flitcast_netlink.h>
#include "cli/request.h"
#include "core/ends/ends.h"

/* The sender retransmits a packet without a request after this time at the earliest. */
#define LONG_WAIT_MS	400
/* Retries of a test that depends on which of two timers expires first: a guest may stall. */
#define ATTEMPTS	5
/* More than the sender's questions to a target before its first retransmission. */
#define QUESTIONS	12
/* The longest wait between two questions is shorter than this. */
#define LONG_MS		10000
/* Messages in flight of a site, in mode care. */
#define IN_FLIGHT	8

/* The next event is a packet (or control) within @ms. */
#define NEXT_PACKET(e, ms)	(fake_next(&self->fake, e, ms) && (e)->is_packet)
#define NEXT_CTRL(e, ms)	(fake_next(&self->fake, e, ms) && !(e)->is_packet)

static int outq(int fd)
{
	int value = -1;

	ioctl(fd, SIOCOUTQ, &value);
	return value;
}

/* Send a message of @len bytes, and receive its first packet.  Return: false if none arrives. */
static bool send_one(struct __test_metadata *_metadata, struct _test_data_faked *self,
		     struct fake_event *packet, size_t len)
{
	static char data[FC_PACKET_MAX * 2];

	EXPECT_EQ(len, RESULT(msg_send(self->fd, data, len, 3, 1000, 0)));
	return NEXT_PACKET(packet, SOON_MS);
}

/* Confirm the message; the sender sends nothing more. */
static bool confirmed(struct _test_data_faked *self, const struct fake_event *packet)
{
	struct fc_ctrl answer = fake_confirm(packet, 0);
	struct fake_event e;

	fake_ctrl(&self->fake, &answer, 1);
	return !fake_next(&self->fake, &e, QUIET_MS) && !outq(self->fd);
}

static void answer_ctrl(struct _test_data_faked *self, const struct fake_event *packet,
			enum fc_ctrl_kind kind, unsigned int base)
{
	struct fc_ctrl answer = fake_answer(packet, 0, kind);

	answer.base = base;
	fake_ctrl(&self->fake, &answer, 1);
}

/*
 * A stalled guest may see the long wait instead of the short one: one of several tries must
 * succeed.  The test logs why other tries failed.
 */
#define ONE_OF_SOME(attempt) do {						\
	unsigned int i_;							\
	const char *bad_ = "";							\
										\
	for (i_ = 0; i_ < ATTEMPTS && bad_; i_++) {				\
		bad_ = attempt(_metadata, self);				\
		if (bad_)							\
			TH_LOG("attempt %u: %s", i_, bad_);			\
	}									\
	EXPECT_EQ(NULL, bad_);							\
} while (0)

/* The confirmation was lost: the sender asks the target, and retransmits nothing. */
static const char *lost_confirmation(struct __test_metadata *_metadata,
				     struct _test_data_faked *self)
{
	struct fake_event packet, e;
	bool asked;

	if (!send_one(_metadata, self, &packet, 4))
		return "no packet";
	asked = NEXT_CTRL(&e, SOON_MS);
	if (asked) {
		EXPECT_EQ(FC_CTRL_ASK, e.ctrl[0].kind);
		EXPECT_EQ(3, e.ctrl[0].dst);
		EXPECT_EQ(0, e.ctrl[0].site);
		EXPECT_EQ(1000, e.ctrl[0].port);
		EXPECT_EQ(packet.packet.sock, e.ctrl[0].sock);
		EXPECT_EQ(packet.packet.incarnation, e.ctrl[0].incarnation);
		EXPECT_EQ(packet.target[0].seq, e.ctrl[0].seq);
	}
	if (!confirmed(self, &packet))
		return "something came after the confirmation";
	return asked ? NULL : "it was not asked";
}

TEST_F(faked, ends__lost_confirmation)
{
	ONE_OF_SOME(lost_confirmation);
}

/*
 * A restarted site refuses one message, gets a socket on that port, and receives the next message,
 * whose @outstanding announces the first one as pending.  However often the target answers
 * FC_CTRL_ASK that it waits for the first one, the sender reports that one as completed.
 */
TEST_F(faked, ends__refused_is_not_waited_for)
{
	struct fake_event first, second, e = { 0 };
	struct fc_ctrl waits;
	unsigned int i;

	ASSERT_TRUE(send_one(_metadata, self, &first, 4));
	ASSERT_TRUE(send_one(_metadata, self, &second, 4));
	EXPECT_EQ(first.target[0].seq + 1, second.target[0].seq);
	answer_ctrl(self, &first, FC_CTRL_REFUSED, 0);
	waits = fake_answer(&second, 0, FC_CTRL_CONFIRM);
	waits.base = 1;
	waits.next = first.target[0].seq;
	for (i = 0; i < QUESTIONS && !(i && e.ctrl[0].kind == FC_CTRL_FORWARD); i++) {
		fake_ctrl(&self->fake, &waits, 1);
		ASSERT_TRUE(NEXT_CTRL(&e, LONG_MS));
	}
	EXPECT_EQ(FC_CTRL_FORWARD, e.ctrl[0].kind);
	EXPECT_EQ(second.target[0].seq, e.ctrl[0].next);
	EXPECT_TRUE(confirmed(self, &second));
}

/* A question may overtake the packet: an answer that it has not arrived proves no loss. */
static const char *late_packet(struct __test_metadata *_metadata, struct _test_data_faked *self)
{
	struct fake_event packet, e;

	if (!send_one(_metadata, self, &packet, 4))
		return "no packet";
	if (!NEXT_CTRL(&e, SOON_MS))
		return "not asked";
	answer_ctrl(self, &packet, FC_CTRL_GRANT, 0);
	if (!NEXT_CTRL(&e, SOON_MS)) {
		confirmed(self, &packet);
		return "it was sent again at once";
	}
	return confirmed(self, &packet) ? NULL : "something came after the confirmation";
}

TEST_F(faked, ends__late_packet)
{
	ONE_OF_SOME(late_packet);
}

/* A packet that has not arrived after some round trips is lost: the sender retransmits at once. */
static const char *lost_packet(struct __test_metadata *_metadata, struct _test_data_faked *self)
{
	uint64_t since = now_ms();
	struct fake_event packet, e;
	unsigned int asked;

	if (!send_one(_metadata, self, &packet, 4))
		return "no packet";
	for (asked = 0; NEXT_CTRL(&e, SOON_MS); asked++)
		answer_ctrl(self, &packet, FC_CTRL_GRANT, 0);
	EXPECT_TRUE(e.is_packet);
	EXPECT_EQ(packet.target[0].seq, e.target[0].seq);
	if (!confirmed(self, &packet))
		return "something came after the confirmation";
	return asked && e.ms - since < LONG_WAIT_MS ? NULL : "it took long";
}

TEST_F(faked, ends__lost_packet)
{
	ONE_OF_SOME(lost_packet);
}

/* The second packet of a message is lost: the sender retransmits only that packet. */
static const char *lost_second(struct __test_metadata *_metadata, struct _test_data_faked *self)
{
	uint64_t since = now_ms();
	struct fake_event packet, second, e;
	unsigned int asked;

	if (!send_one(_metadata, self, &packet, FC_PACKET_MAX + 10))
		return "no packet";
	answer_ctrl(self, &packet, FC_CTRL_CONFIRM, 1);
	if (!NEXT_PACKET(&second, SOON_MS))
		return "no second packet";
	EXPECT_EQ(FC_PACKET_MAX, second.packet.offset);
	for (asked = 0; NEXT_CTRL(&e, SOON_MS); asked++)
		answer_ctrl(self, &packet, FC_CTRL_CONFIRM, 1);
	EXPECT_TRUE(e.is_packet);
	EXPECT_EQ(FC_PACKET_MAX, e.packet.offset);
	if (!confirmed(self, &packet))
		return "something came after the confirmation";
	return asked && e.ms - since < LONG_WAIT_MS ? NULL : "it took long";
}

TEST_F(faked, ends__lost_second_packet)
{
	ONE_OF_SOME(lost_second);
}

/*
 * The packet overtook a question en route, so the answer to the question arrives after the
 * confirmation of the packet: the sender does not retransmit.
 */
static const char *wrong_order(struct __test_metadata *_metadata, struct _test_data_faked *self)
{
	struct fake_event packet, e;

	if (!send_one(_metadata, self, &packet, FC_PACKET_MAX + 10))
		return "no packet";
	answer_ctrl(self, &packet, FC_CTRL_CONFIRM, 1);
	answer_ctrl(self, &packet, FC_CTRL_GRANT, 0);
	if (!NEXT_PACKET(&e, SOON_MS))
		return "no second packet";
	EXPECT_EQ(FC_PACKET_MAX, e.packet.offset);
	return confirmed(self, &packet) ? NULL : "something came after the confirmation";
}

TEST_F(faked, ends__answers_in_the_wrong_order)
{
	ONE_OF_SOME(wrong_order);
}

/* The sender retransmits, after a longer wait, to a target that answers none of its questions. */
TEST_F(faked, ends__silence)
{
	struct fake_event packet, e;
	unsigned int asked;

	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	for (asked = 0; NEXT_CTRL(&e, SOON_MS); asked++)
		EXPECT_EQ(FC_CTRL_ASK, e.ctrl[0].kind);
	ASSERT_TRUE(e.is_packet);
	/* The times are from two clocks. */
	EXPECT_LE(LONG_WAIT_MS - 20, e.ms - packet.ms);
	EXPECT_LT(0, asked);
	EXPECT_LT(0, counter("packets_repeated"));
	EXPECT_TRUE(confirmed(self, &packet));
}

/* A message for the real site from one of the others, in one packet. */
static void message(struct _test_data_faked *self, uint32_t seq, uint8_t flags)
{
	struct fc_packet pk = {
		.src = 4, .incarnation = 5, .sock = 6, .src_port = 7, .ntargets = 1,
		.msg_len = 4, .flags = flags,
	};
	struct fc_target t = { .port = PORT, .seq = seq, .flags = FC_TARGET_LAST };

	fake_packet(&self->fake, &pk, &t, "once");
}

/* The next event is a confirmation of the message before @next. */
static bool confirms(struct _test_data_faked *self, struct fake_event *e, uint32_t next)
{
	return NEXT_CTRL(e, SOON_MS) && e->n == 1 && e->ctrl[0].kind == FC_CTRL_CONFIRM &&
	       e->ctrl[0].dst == 4 && e->ctrl[0].incarnation == 5 && e->ctrl[0].sock == 6 &&
	       e->ctrl[0].site == 0 && e->ctrl[0].port == PORT && e->ctrl[0].next == next &&
	       e->ctrl[0].seq == next - 1;
}

/* A receiver delays the ack of a packet that allows it, and then sends it. */
TEST_F(faked, ends__confirmation_later)
{
	struct fake_event e;
	uint64_t since;
	uint32_t seq;

	for (seq = 100; seq < 104; seq++) {
		since = now_ms();
		message(self, seq, FC_PACKET_DELAY_ACK);
		ASSERT_TRUE(confirms(self, &e, seq + 1));
		/* The times are from two clocks. */
		EXPECT_LE(FC_ACK_DELAY_NS / 1000000 - 1, e.ms - since);
	}
	EXPECT_FALSE(fake_next(&self->fake, &e, QUIET_MS));
}

/*
 * A site that is deleted first sends its pending acks.  A stalled guest may have sent them before
 * by timer; so the test tries several times, and all tries must confirm.
 */
TEST_F(faked, ends__confirmed_when_the_site_goes)
{
	struct request req = { 0 };
	struct request_error error;
	struct fake_event e;
	unsigned int i;

	for (i = 0; i < ATTEMPTS; i++) {
		struct nl_sock *netlink = request_open(NETLINK_GENERIC);

		ASSERT_TRUE(netlink);
		/* Prepare the request first: the site is deleted right after the message. */
		request_flitcast(&req, FLITCAST_CMD_SITE_DEL, 0);
		put_u32(&req, FLITCAST_A_SITE_ID, 0);
		message(self, 100, FC_PACKET_DELAY_ACK);
		ASSERT_EQ(0, request_send(netlink, &req, NULL, NULL, &error));
		EXPECT_TRUE(confirms(self, &e, 101));
		EXPECT_FALSE(fake_next(&self->fake, &e, QUIET_MS));
		nl_socket_free(netlink);
		/* Create another site, in another namespace, for the next attempt. */
		close(self->fd);
		ASSERT_EQ(NULL, fake_up(&self->fake, ""));
		self->fd = msg_socket(-1, 0, PORT, 0);
		ASSERT_LE(0, self->fd);
	}
}

/* The confirmation of a later, undelayed message is cumulative: it covers all before it. */
static const char *confirmation_now(struct __test_metadata *_metadata,
				    struct _test_data_faked *self)
{
	static uint32_t seq;
	struct fake_event e;

	message(self, seq, FC_PACKET_DELAY_ACK);
	message(self, seq + 1, FC_PACKET_DELAY_ACK);
	message(self, seq + 2, 0);
	seq += 3;
	if (!confirms(self, &e, seq)) {
		EXPECT_TRUE(e.ctrl[0].next == seq - 2 || e.ctrl[0].next == seq - 1);
		while (fake_next(&self->fake, &e, QUIET_MS))
			;
		return "it was not the first";
	}
	return fake_next(&self->fake, &e, QUIET_MS) ? "it came again" : NULL;
}

TEST_F(faked, ends__confirmation_now)
{
	ONE_OF_SOME(confirmation_now);
}

/* With many messages in flight, and on a retransmission, the sender asks for an immediate ack. */
TEST_F(faked, ends__patience)
{
	unsigned int i, seen = 0;
	struct fake_event e;

	for (i = 0; i < IN_FLIGHT; i++)
		ASSERT_EQ(4, RESULT(msg_send(self->fd, "once", 4, 3, 1000, 0)));
	while (seen < IN_FLIGHT) {
		ASSERT_TRUE(fake_next(&self->fake, &e, SOON_MS));
		/* Skip what a stalled guest causes: questions and retransmissions. */
		if (!e.is_packet || e.target[0].outstanding < seen)
			continue;
		ASSERT_EQ(seen, e.target[0].outstanding);
		EXPECT_EQ(seen < IN_FLIGHT / 2, !!(e.packet.flags & FC_PACKET_DELAY_ACK));
		seen++;
	}
	do {
		ASSERT_TRUE(fake_next(&self->fake, &e, SOON_MS));
	} while (!e.is_packet);
	EXPECT_EQ(0, e.packet.flags);
	e.target[0].seq += IN_FLIGHT - 1 - e.target[0].outstanding;
	EXPECT_TRUE(confirmed(self, &e));
}

/* With reports, a small send buffer, a time limit or several packets the ack is immediate. */
TEST_F(faked, ends__impatience)
{
	const struct flitcast_slow_target slow = { .policy = FLITCAST_SLOW_SKIP, .ms = 60000 };
	const struct flitcast_slow_target wait = { .policy = FLITCAST_SLOW_WAIT };
	int small = 65536, large = 4 << 20, one = 1;
	struct fake_event packet;

	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	EXPECT_EQ(FC_PACKET_DELAY_ACK, packet.packet.flags);
	EXPECT_TRUE(confirmed(self, &packet));

	ASSERT_TRUE(send_one(_metadata, self, &packet, FC_PACKET_MAX + 1));
	EXPECT_EQ(0, packet.packet.flags);
	EXPECT_TRUE(confirmed(self, &packet));

	ASSERT_EQ(0, setsockopt(self->fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow,
				sizeof(slow)));
	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	EXPECT_EQ(0, packet.packet.flags);
	EXPECT_TRUE(confirmed(self, &packet));
	ASSERT_EQ(0, setsockopt(self->fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &wait,
				sizeof(wait)));

	ASSERT_EQ(0, setsockopt(self->fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)));
	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	EXPECT_EQ(0, packet.packet.flags);
	EXPECT_TRUE(confirmed(self, &packet));
	ASSERT_EQ(0, setsockopt(self->fd, SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof(large)));
	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	EXPECT_EQ(FC_PACKET_DELAY_ACK, packet.packet.flags);
	EXPECT_TRUE(confirmed(self, &packet));

	ASSERT_EQ(0, setsockopt(self->fd, SOL_FLITCAST, FLITCAST_CONFIRM, &one, sizeof(one)));
	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	EXPECT_EQ(0, packet.packet.flags);
}

/* A packet has @most + 1 targets: one frame answers for @most of them, another for the last one. */
static void answers(struct __test_metadata *_metadata, struct _test_data_faked *self,
		    unsigned int most)
{
	struct fc_packet pk = {
		.src = 4, .incarnation = 5, .sock = 6, .src_port = 7, .ntargets = most + 1,
		.msg_len = 4, .flags = FC_PACKET_LIST,
	};
	struct fc_target t[FC_CTRLS_MAX + 1] = { 0 };
	unsigned int i, k, seen = 0;
	struct fake_event e;
	int second;

	for (i = 0; i < pk.ntargets; i++) {
		/* Only the first two ports have a socket. */
		t[i].port = PORT + i;
		t[i].seq = 100 + i;
	}
	t[i - 1].flags = FC_TARGET_LAST;
	second = msg_socket(-1, 0, PORT + 1, 0);
	ASSERT_LE(0, second);
	fake_packet(&self->fake, &pk, t, "many");
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
		ASSERT_EQ(i ? 1 : most, e.n);
		for (k = 0; k < e.n; k++) {
			unsigned int n = e.ctrl[k].port - PORT;

			ASSERT_GT(pk.ntargets, n);
			seen |= 1 << n;
			EXPECT_EQ(4, e.ctrl[k].dst);
			EXPECT_EQ(5, e.ctrl[k].incarnation);
			EXPECT_EQ(6, e.ctrl[k].sock);
			EXPECT_EQ(0, e.ctrl[k].site);
			EXPECT_EQ(100 + n, e.ctrl[k].seq);
			EXPECT_EQ(n < 2 ? FC_CTRL_CONFIRM : FC_CTRL_REFUSED, e.ctrl[k].kind);
			EXPECT_EQ(100 + n + (n < 2), e.ctrl[k].next);
		}
	}
	EXPECT_EQ((1 << pk.ntargets) - 1, seen);
	EXPECT_FALSE(fake_next(&self->fake, &e, QUIET_MS));
	close(second);
}

/* One control frame answers for the targets of a packet, as many as fit. */
TEST_F(faked, ends__answers_in_one_frame)
{
	answers(_metadata, self, FC_CTRLS_MAX);
}

/* A control frame is not longer than a flit. */
TEST_F(faked, ends__answers_as_a_flit_has_room)
{
	close(self->fd);
	ASSERT_EQ(NULL, fake_up(&self->fake, "flit 256"));
	self->fd = msg_socket(-1, 0, PORT, 0);
	ASSERT_LE(0, self->fd);
	answers(_metadata, self, 5);
}

/* Target lists that site 0 forwards. */

#define RETRY_MS	300
/* Local ports in a list.  The test itself answers for the target at the far end of the list. */
#define NEAR_PORTS	9

/*
 *	[ site 7 ] ------ site 0 ------ [ site 1 ]	of a ring
 *	 by[1]		   real		 by[0]
 */
FIXTURE(amid) {
	struct fake by[2];
	int fd[NEAR_PORTS];
};

static const char *amid_up(struct _test_data_amid *self, const char *settings)
{
	const char *bad = fake_site("ring:8", settings);
	unsigned int i;

	for (i = 0; !bad && i < 2; i++) {
		bad = fake_link(&self->by[i], i + 1, i ? 7 : 1, 2 - i);
		/* Packets from site 7 have crossed the seam of the ring. */
		self->by[i].vc = FC_VC_CLASS + 2;
	}
	for (i = 0; !bad && i < NEAR_PORTS; i++) {
		self->fd[i] = msg_socket(-1, 0, PORT + i, 0);
		if (self->fd[i] < 0)
			return "no socket";
	}
	return bad ? bad : fake_all_up(self->by, 2);
}

static void amid_close(struct _test_data_amid *self)
{
	unsigned int i;

	for (i = 0; i < NEAR_PORTS; i++)
		close(self->fd[i]);
	for (i = 0; i < 2; i++)
		close(self->by[i].fd);
}

FIXTURE_SETUP(amid)
{
	const char *bad;

	api_choose_port(_metadata);
	bad = amid_up(self, "mode vnet retry 300ms");
	ASSERT_EQ(NULL, bad) {
		TH_LOG("%s", bad);
	}
}

FIXTURE_TEARDOWN(amid)
{
	amid_close(self);
}

/* A list of site 7: @n ports of the real site from @first on, and, if @far, one of site 1. */
static void list(struct _test_data_amid *self, uint32_t seq, uint8_t flags, unsigned int first,
		 unsigned int n, bool far)
{
	struct fc_packet pk = {
		.src = 7, .incarnation = 5, .sock = 6, .src_port = 7, .ntargets = n + far,
		.msg_len = 4, .flags = FC_PACKET_LIST | flags,
	};
	struct fc_target t[NEAR_PORTS + 1] = { 0 };
	struct fake_event e;
	unsigned int i;

	for (i = 0; i < pk.ntargets; i++) {
		t[i].site = i == n;
		t[i].port = PORT + first + i;
		t[i].seq = seq;
	}
	t[i - 1].flags = FC_TARGET_LAST;
	fake_packet(&self->by[1], &pk, t, "list");
	/* Wait until site 0 has forwarded the packet. */
	while (far && fake_next(&self->by[0], &e, SOON_MS) && !e.is_packet)
		;
}

/* Return: true if site 7 receives a confirmation within @ms. */
static bool confirmed_to(struct _test_data_amid *self, struct fake_event *e, unsigned int ms)
{
	return fake_next(&self->by[1], e, ms) && !e->is_packet &&
	       e->ctrl[0].kind == FC_CTRL_CONFIRM && e->ctrl[0].dst == 7;
}

/* A site delays its ack until the targets behind it in the list have acked. */
TEST_F(amid, ends__confirmation_goes_with_those_behind)
{
	struct fc_ctrl behind = {
		.kind = FC_CTRL_CONFIRM, .hops = 1, .dst = 7, .incarnation = 5, .sock = 6,
		.site = 1, .port = PORT + 1, .seq = 100, .next = 101,
	};
	struct fake_event e;

	list(self, 100, 0, 0, 1, true);
	EXPECT_FALSE(fake_next(&self->by[1], &e, RETRY_MS / 3));
	fake_ctrl(&self->by[0], &behind, 1);
	ASSERT_TRUE(confirmed_to(self, &e, SOON_MS));
	ASSERT_EQ(2, e.n);
	EXPECT_EQ(1, e.ctrl[0].site);
	EXPECT_EQ(0, e.ctrl[1].site);
	EXPECT_EQ(101, e.ctrl[1].next);
	EXPECT_FALSE(fake_next(&self->by[1], &e, QUIET_MS));
}

/* A target delays its ack for one retry time at most, however many messages follow. */
TEST_F(amid, ends__confirmation_waits_for_retry)
{
	uint64_t since = now_ms(), first;
	struct fake_event e;
	uint32_t seq = 100;

	do {
		list(self, seq++, 0, 0, 1, true);
	} while (!confirmed_to(self, &e, RETRY_MS / 6) && now_ms() - since < 10 * RETRY_MS);
	first = now_ms() - since;
	/* The times are from two clocks: allow 20 ms. */
	EXPECT_LT(RETRY_MS - 20, first);
	EXPECT_GT(5 * RETRY_MS, first);
	/* The delayed ack found none to join: site 0 does not delay the next ones. */
	since = now_ms();
	for (first = seq; seq < first + 8; seq++) {
		list(self, seq, 0, 0, 1, true);
		do {
			ASSERT_TRUE(confirmed_to(self, &e, SOON_MS));
		} while (e.ctrl[0].next <= seq);
	}
	EXPECT_GT(4 * RETRY_MS, now_ms() - since);
}

/*
 * A deleted site sends all pending acks, also those delayed for targets behind it: each once,
 * although one ack may include another one.
 */
TEST_F(amid, ends__confirmed_once_when_the_site_goes)
{
	unsigned int times[NEAR_PORTS], attempt, i;
	struct request req = { 0 };
	struct request_error error;
	struct fake_event e;
	const char *bad;

	for (attempt = 0; attempt < ATTEMPTS; attempt++) {
		struct nl_sock *netlink = request_open(NETLINK_GENERIC);

		ASSERT_TRUE(netlink);
		request_flitcast(&req, FLITCAST_CMD_SITE_DEL, 0);
		put_u32(&req, FLITCAST_A_SITE_ID, 0);
		list(self, 100, 0, 0, 4, true);
		list(self, 100, FC_PACKET_DELAY_ACK, 4, 5, false);
		for (i = 0; i < NEAR_PORTS; i++)
			ASSERT_EQ(POLLIN, msg_wait(self->fd[i], POLLIN, SOON_MS));
		ASSERT_EQ(0, request_send(netlink, &req, NULL, NULL, &error));
		memset(times, 0, sizeof(times));
		/* The site also returns the list that went to site 1, because that link is gone. */
		while (fake_next(&self->by[1], &e, QUIET_MS))
			for (i = 0; !e.is_packet && i < e.n; i++)
				times[(e.ctrl[i].port - PORT) % NEAR_PORTS]++;
		for (i = 0; i < NEAR_PORTS; i++)
			EXPECT_EQ(1, times[i]);
		nl_socket_free(netlink);
		/* Another site, in another namespace. */
		amid_close(self);
		bad = amid_up(self, "mode vnet retry 300ms");
		ASSERT_EQ(NULL, bad) {
			TH_LOG("%s", bad);
		}
	}
}

/* A site has no queue for classes that a link cannot carry: only a faulty peer uses them. */
TEST(ends__class_that_a_link_does_not_carry)
{
	struct fc_packet pk = {
		.src = 4, .incarnation = 5, .sock = 6, .src_port = 7, .ntargets = 1,
		.msg_len = 4, .flags = FC_PACKET_LIST,
	};
	struct fc_target t = { .flags = FC_TARGET_LAST };
	unsigned int class, refused = 0;
	struct fake_event e;
	struct fake fake;
	const char *bad;
	int fd;

	api_choose_port(_metadata);
	bad = fake_up(&fake, "mode vnet");
	ASSERT_EQ(NULL, bad) {
		TH_LOG("%s", bad);
	}
	fd = msg_socket(-1, 0, PORT, 0);
	ASSERT_LE(0, fd);
	t.port = PORT;
	/* On a line packets go up in one, and down in the other: to the first site only down. */
	for (class = 0; class < 2; class++) {
		bool carried = class == 1;

		fake.vc = FC_VC_CLASS + class;
		fake.sent = 0;
		fake_packet(&fake, &pk, &t, "four");
		EXPECT_EQ(carried, fake_next(&fake, &e, carried ? SOON_MS : QUIET_MS));
		if (carried)
			EXPECT_EQ(FC_CTRL_CONFIRM, e.ctrl[0].kind);
		refused += !carried;
		ASSERT_FALSE(cli("-s -j link show"));
		EXPECT_EQ(refused, json_sum(cli_output(), "rx_malformed"));
		/* A probe does not make the site accept the refused packet. */
		fake_probe(&fake, fake.sent + 5);
		EXPECT_FALSE(fake_next(&fake, &e, QUIET_MS));
	}
	EXPECT_FALSE(cli("site del 0"));
	close(fd);
}

/*
 * In mode care an unfinished packet blocks no packet of another channel set, neither on a link nor
 * in reassembly.  Peers that have one channel for all sets negotiate another protocol version.
 */
TEST_F(faked, ends__sets_go_on_by_themselves)
{
	struct fc_packet pk = {
		.src = 4, .incarnation = 5, .sock = 6, .src_port = 7, .ntargets = 1,
		.msg_len = 60000,
	};
	struct fc_target t = { .port = PORT, .flags = FC_TARGET_LAST };
	static const uint8_t sets[] = { FC_SET_SHORT, FC_SET_HIGH };
	uint8_t data[8];
	struct fake_event e;

	EXPECT_EQ(5, self->fake.link.ver_min);
	EXPECT_EQ(5, self->fake.link.ver_max);
	fake_front(&self->fake, &pk, &t);
	pk.msg_len = 4;
	for (unsigned int i = 0; i < 2; i++) {
		pk.sock++;
		self->fake.vc = fc_set_vc(sets[i]);
		self->fake.sent = 0;
		fake_packet(&self->fake, &pk, &t, "four");
		ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
		EXPECT_EQ(FC_CTRL_CONFIRM, e.ctrl[0].kind);
		EXPECT_EQ(pk.sock, e.ctrl[0].sock);
		EXPECT_EQ(4, msg_recv(self->fd, data, sizeof(data), NULL, 0));
	}
}

/* The site forwards the entries of a frame that have the same next hop in one frame. */
TEST_F(faked, ends__entries_part)
{
	struct fake_event packet, e;
	struct fc_ctrl c[3];

	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	c[0] = fake_answer(&packet, 0, FC_CTRL_REFUSED);
	c[0].dst = 5;
	c[1] = fake_confirm(&packet, 0);
	c[2] = fake_answer(&packet, 0, FC_CTRL_GRANT);
	c[2].dst = 6;
	fake_ctrl(&self->fake, c, 3);
	ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
	/* Skip a question, which the sender asks on a busy guest. */
	if (e.ctrl[0].kind == FC_CTRL_ASK)
		ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
	ASSERT_EQ(2, e.n);
	EXPECT_EQ(FC_CTRL_REFUSED, e.ctrl[0].kind);
	EXPECT_EQ(5, e.ctrl[0].dst);
	EXPECT_EQ(c[0].hops + 1, e.ctrl[0].hops);
	EXPECT_EQ(FC_CTRL_GRANT, e.ctrl[1].kind);
	EXPECT_EQ(6, e.ctrl[1].dst);
	EXPECT_EQ(0, outq(self->fd));
	EXPECT_EQ(2, counter("control_forwarded"));
}

/* A later confirmation of the same flow replaces the queued one. */
TEST_F(faked, ends__later_entries_cover_earlier_ones)
{
	struct fc_ctrl c[3] = {
		{ .kind = FC_CTRL_CONFIRM, .dst = 3, .site = 5, .port = 7, .seq = 1, .next = 2 },
		{ .kind = FC_CTRL_CONFIRM, .dst = 3, .site = 5, .port = 8, .seq = 1, .next = 2 },
		{ .kind = FC_CTRL_CONFIRM, .dst = 3, .site = 5, .port = 7, .seq = 4, .next = 5 },
	};
	struct fake_event e;

	fake_ctrl(&self->fake, c, 3);
	ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
	ASSERT_EQ(2, e.n);
	EXPECT_EQ(7, e.ctrl[0].port);
	EXPECT_EQ(4, e.ctrl[0].seq);
	EXPECT_EQ(8, e.ctrl[1].port);
}

/* If one entry is invalid, the site ignores the whole frame. */
TEST_F(faked, ends__a_bad_entry_spoils_the_frame)
{
	struct fake_event packet, e;
	struct fc_ctrl c[2];

	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	c[0] = fake_answer(&packet, 0, FC_CTRL_REFUSED);
	c[1] = c[0];
	c[1].site = FAKE_SITES;
	fake_ctrl(&self->fake, c, 2);
	c[1].site = 3;
	c[1].port = 0;
	fake_ctrl(&self->fake, c, 2);
	EXPECT_TRUE(NEXT_CTRL(&e, SOON_MS));
	EXPECT_EQ(FC_CTRL_ASK, e.ctrl[0].kind);
	EXPECT_EQ(0, cli("-s -j link show"));
	EXPECT_EQ(2, json_sum(cli_output(), "rx_malformed"));
	EXPECT_EQ(0, msg_error(self->fd));
	EXPECT_LT(0, outq(self->fd));
}

/* Incarnations of a site. */

/* A site ignores answers to messages of its earlier incarnation. */
TEST_F(faked, ends__answers_to_an_earlier_life)
{
	static const enum fc_ctrl_kind kinds[] = {
		FC_CTRL_CONFIRM, FC_CTRL_REFUSED, FC_CTRL_NO_SPACE, FC_CTRL_UNREACHABLE,
	};
	struct fake_event packet, e;
	struct fc_ctrl late;
	unsigned int i;

	ASSERT_TRUE(send_one(_metadata, self, &packet, 4));
	for (i = 0; i < FC_ARRAY_SIZE(kinds); i++) {
		late = fake_confirm(&packet, 0);
		late.kind = kinds[i];
		late.incarnation--;
		fake_ctrl(&self->fake, &late, 1);
	}
	/* The sender still waits for an answer. */
	ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
	EXPECT_EQ(FC_CTRL_ASK, e.ctrl[0].kind);
	EXPECT_LT(0, outq(self->fd));
	EXPECT_EQ(0, msg_error(self->fd));
	late = fake_confirm(&packet, 0);
	fake_ctrl(&self->fake, &late, 1);
	EXPECT_TRUE(msg_wait(self->fd, POLLOUT, SOON_MS));
	while (fake_next(&self->fake, &e, QUIET_MS))
		EXPECT_FALSE(e.is_packet);
	EXPECT_EQ(0, outq(self->fd));
	EXPECT_EQ(0, msg_error(self->fd));
}

/* A message of one letter from port 7 of site 4, in incarnation @incarnation, to PORT. */
static void letter(struct _test_data_faked *self, uint32_t incarnation, uint32_t seq,
		   uint8_t outstanding, char text)
{
	const struct fc_packet pk = {
		.src = 4, .incarnation = incarnation, .sock = 6, .src_port = 7, .ntargets = 1,
		.id = seq, .msg_len = 1,
	};
	const struct fc_target t = {
		.port = PORT, .flags = FC_TARGET_LAST, .outstanding = outstanding, .seq = seq,
	};

	fake_packet(&self->fake, &pk, &t, &text);
}

/* Expect the confirmation of a letter to that incarnation. */
static void answered(struct __test_metadata *_metadata, struct _test_data_faked *self,
		     uint32_t incarnation, uint32_t next)
{
	struct fake_event e;

	ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
	EXPECT_EQ(FC_CTRL_CONFIRM, e.ctrl[0].kind);
	EXPECT_EQ(4, e.ctrl[0].dst);
	EXPECT_EQ(incarnation, e.ctrl[0].incarnation);
	EXPECT_EQ(next, e.ctrl[0].next);
}

/* Receive the pending one-byte messages; return them as a string. */
static const char *letters(int fd)
{
	static char all[64];
	size_t n = 0;

	while (n < sizeof(all) - 1 && msg_recv(fd, &all[n], 1, NULL, MSG_DONTWAIT) == 1)
		n++;
	all[n] = '\0';
	return all;
}

/*
 * A restarted site counts from 0, with the same sockets and ports.  A packet of its earlier
 * incarnation is received once, is confirmed to that incarnation, and does not affect the new flow.
 */
TEST_F(faked, ends__packets_of_an_earlier_life)
{
	struct fc_ctrl forward = {
		.kind = FC_CTRL_FORWARD, .incarnation = 100, .sock = 6, .site = 4, .port = PORT,
		.seq = 999, .next = 1000,
	};
	struct fake_event e;

	letter(self, 100, 0, 0, 'a');
	answered(_metadata, self, 100, 1);
	letter(self, 100, 1, 0, 'b');
	answered(_metadata, self, 100, 2);
	/* The new incarnation: these are no duplicates. */
	letter(self, 200, 0, 0, 'A');
	answered(_metadata, self, 200, 1);
	letter(self, 200, 1, 0, 'B');
	answered(_metadata, self, 200, 2);
	EXPECT_STREQ("abAB", letters(self->fd));
	/* Late packets of the old incarnation: a duplicate, and a new one. */
	letter(self, 100, 1, 0, 'b');
	answered(_metadata, self, 100, 2);
	letter(self, 100, 2, 0, 'c');
	answered(_metadata, self, 100, 3);
	EXPECT_STREQ("c", letters(self->fd));
	EXPECT_EQ(1, counter("packets_duplicate"));
	/* All messages of the earlier incarnation are completed, and none of the new one. */
	fake_ctrl(&self->fake, &forward, 1);
	answered(_metadata, self, 100, 1000);
	letter(self, 200, 3, 1, 'D');
	answered(_metadata, self, 200, 2);
	EXPECT_STREQ("", letters(self->fd));
	letter(self, 200, 2, 0, 'C');
	answered(_metadata, self, 200, 4);
	EXPECT_STREQ("CD", letters(self->fd));
	EXPECT_FALSE(fake_next(&self->fake, &e, QUIET_MS));
}

/*
 * A faulty site changes the length of a message with each packet: the receiver drops and counts
 * packets that differ from the first one, and gets the whole message.
 */
TEST_F(faked, ends__one_length_for_a_message)
{
	static char data[FC_PACKET_MAX * 2];
	struct fc_packet pk = {
		.src = 4, .incarnation = 100, .sock = 6, .src_port = 9, .ntargets = 1,
		.msg_len = FC_PACKET_MAX + 100,
	};
	struct fc_target t = { .port = PORT, .flags = FC_TARGET_LAST };
	struct fake_event e;

	ASSERT_TRUE(fake_train(&self->fake, &pk, &t));
	ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
	EXPECT_EQ(FC_CTRL_CONFIRM, e.ctrl[0].kind);
	EXPECT_EQ(1, e.ctrl[0].base);
	pk.offset = FC_PACKET_MAX;
	pk.msg_len = FC_PACKET_MAX + 200;
	fake_packet(&self->fake, &pk, &t, data);
	EXPECT_FALSE(fake_next(&self->fake, &e, QUIET_MS));
	EXPECT_EQ(-EAGAIN, RESULT(msg_recv(self->fd, data, sizeof(data), NULL, MSG_DONTWAIT)));
	EXPECT_EQ(1, counter("packets_bad"));
	pk.msg_len = FC_PACKET_MAX + 100;
	fake_packet(&self->fake, &pk, &t, data);
	ASSERT_TRUE(NEXT_CTRL(&e, SOON_MS));
	EXPECT_EQ(1, e.ctrl[0].next);
	EXPECT_EQ(FC_PACKET_MAX + 100,
		  RESULT(msg_recv(self->fd, data, sizeof(data), NULL, MSG_DONTWAIT)));
}

/* Reports. */

/* The error in the result of a target, by site. */
static const int fates[FAKE_SITES] = {
	[3] = ECONNREFUSED, [4] = EHOSTUNREACH, [5] = ELOOP, [6] = ETIMEDOUT,
};

/* Site @answer.site answers a packet or, if @asked, a question; the last site only questions. */
static void meet(struct _test_data_faked *self, struct fc_ctrl answer, bool asked)
{
	switch (fates[answer.site]) {
	case ECONNREFUSED:
		answer.kind = FC_CTRL_REFUSED;
		break;
	case EHOSTUNREACH:
	case ELOOP:
		answer.kind = FC_CTRL_UNREACHABLE;
		answer.base = fates[answer.site] == ELOOP ? FC_UNREACHABLE_HOPS : 0;
		break;
	case ETIMEDOUT:
		return;
	default:
		if (answer.site == FAKE_SITES - 1 && !asked)
			return;
		answer.kind = FC_CTRL_CONFIRM;
		answer.next = answer.seq + 1;
	}
	fake_ctrl(&self->fake, &answer, 1);
}

static void meet_all(struct _test_data_faked *self, const struct fake_event *e)
{
	unsigned int i;

	for (i = 0; i < e->n; i++) {
		struct fc_ctrl c = e->ctrl[i];

		if (e->is_packet) {
			meet(self, fake_answer(e, i, FC_CTRL_GRANT), false);
		} else if (c.kind == FC_CTRL_ASK) {
			c.site = c.dst;
			c.dst = 0;
			meet(self, c, true);
		}
	}
}

/* Wait for a report of @fd.  Return: number of results, or -errno. */
static int report(struct _test_data_faked *self, int fd, struct flitcast_result *results)
{
	struct iovec iov = { .iov_base = results, .iov_len = FAKE_SITES * sizeof(*results) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	uint64_t until = now_ms() + SOON_MS;
	struct fake_event e;
	ssize_t n;

	while ((n = RESULT(recvmsg(fd, &msg, MSG_ERRQUEUE))) == -EAGAIN && now_ms() < until)
		if (fake_next(&self->fake, &e, 20))
			meet_all(self, &e);
	return n < 0 ? n : (int)(n / sizeof(*results));
}

/* The report of a message names the targets that did not get it, with the reason, and no others. */
TEST_F(faked, ends__report_names_the_lost_ones)
{
	int value = 2000, fd = msg_socket(-1, 0, 0, 0), i, round, n;
	struct flitcast_result results[FAKE_SITES];
	struct flitcast_target targets[FAKE_SITES - 1] = { 0 };
	const unsigned int lost[] = { 6, 5, 4, 3 };
	struct fake_event e;

	for (i = 0; i < FAKE_SITES - 1; i++)
		targets[i] = (struct flitcast_target) { .site = FAKE_SITES - 1 - i, .port = 50 };
	ASSERT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &value, sizeof(value)));
	/* The socket has reports of failures only, and then reports of all messages. */
	for (round = 0; round < 2; round++) {
		ASSERT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &round,
					sizeof(round)));
		ASSERT_EQ(4, RESULT(msg_send_list(fd, "lost", 4, targets, FAKE_SITES - 1, 0)));
		n = report(self, fd, results);
		ASSERT_EQ(round ? FAKE_SITES - 1 : (int)ARRAY_SIZE(lost), n);
		for (i = 0; i < n; i++) {
			EXPECT_EQ(50, results[i].port);
			EXPECT_EQ(round ? targets[i].site : lost[i], results[i].site);
			EXPECT_EQ(fates[results[i].site % FAKE_SITES], results[i].error);
		}
		/* The sender gets one report, and the message is completed. */
		EXPECT_EQ(-EAGAIN, RESULT(recvmsg(fd, &(struct msghdr) { 0 }, MSG_ERRQUEUE)));
		EXPECT_EQ(0, outq(fd));
	}
	/* The other targets continue. */
	for (n = 0, i = 0; i < FAKE_SITES - 1; i++)
		if (!fates[targets[i].site])
			targets[n++] = targets[i];
	ASSERT_EQ(4, RESULT(msg_send_list(fd, "more", 4, targets, n, 0)));
	ASSERT_EQ(n, report(self, fd, results));
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, results[i].error);
	while (fake_next(&self->fake, &e, QUIET_MS))
		meet_all(self, &e);
	close(fd);
}

API_MAIN
