// SPDX-License-Identifier: GPL-2.0
/*
 * Loads that cause a site much work at once.  holds.sh measures how long the site holds its lock;
 * the tests check that the work is done.
 */
#include "faked.h"

#define PACKET		65536
/* Packets of messages of 1 MiB and 16 MiB; the tests omit the last one. */
#define PACKETS		16
#define PACKETS_LONG	256
#define NETWORK		"torus:32x32"
#define NETWORK_SITES	1024
/* Flows that wait for buffer space or an ack; sockets of one user that wait to send. */
#define FLOWS		1500
#define SENDERS		3000

#define USER		1000
/* Bytes of a long message, and messages of a socket. */
#define LONG		(1 << 20)
#define LONGS		10

static char data[16 << 20];

/* Wait for @n answers of one kind. */
static bool answered(struct _test_data_faked *self, enum fc_ctrl_kind kind, unsigned int n)
{
	uint64_t until = now_ms() + SOON_MS;

	while (self->answers[kind] < n && now_ms() < until)
		inspect(self, 20);
	return self->answers[kind] >= n;
}

static bool room_of(int fd, int bytes)
{
	return !setsockopt(fd, SOL_FLITCAST, FLITCAST_RCVBUF, &bytes, sizeof(bytes));
}

/* Send all packets but the last one of a message of a socket of site 4. */
static bool half(struct _test_data_faked *self, unsigned int sock, unsigned int port,
		 unsigned int packets)
{
	const struct fc_target t = { .port = (uint16_t)port, .flags = FC_TARGET_LAST };
	struct fc_packet pk = {
		.src = 4, .incarnation = 100, .sock = sock, .src_port = 9, .ntargets = 1,
		.msg_len = packets * PACKET,
	};

	for (; packets > 1; packets--, pk.offset += PACKET)
		if (!fake_train(&self->fake, &pk, &t))
			return false;
	inspect(self, 0);
	return true;
}

/* Send a message of one byte, the first one of a socket of site 4. */
static void short_one(struct _test_data_faked *self, unsigned int sock, uint8_t flags)
{
	const struct fc_target t = { .port = PORT, .flags = FC_TARGET_LAST };
	const struct fc_packet pk = {
		.src = 4, .incarnation = 100, .sock = sock, .src_port = 9, .ntargets = 1,
		.msg_len = 1, .flags = flags,
	};

	while (self->fake.sent - self->fake.acked >= 4) {
		fake_probe(&self->fake, self->fake.sent);
		inspect(self, 5);
	}
	fake_packet(&self->fake, &pk, &t, "x");
}

/*
 * The receiver closes while incomplete messages of many senders are buffered: all senders get an
 * answer.
 */
TEST_F(faked, hold__receiver_of_halves)
{
	/* The test harness also has a descriptor of the fixture's socket: use another one. */
	int fd = msg_socket(-1, 0, PORT + 1, 0);
	unsigned int i;

	ASSERT_LE(0, fd);
	ASSERT_TRUE(room_of(fd, 32 << 20));
	for (i = 0; i < 20; i++)
		ASSERT_TRUE(half(self, 1000 + i, PORT + 1, PACKETS));
	close(fd);
	/* The receiver had no buffer space for some senders. */
	EXPECT_TRUE(answered(self, FC_CTRL_REFUSED, 12));
}

/* The sender aborts a message of 16 MiB when nearly all of it has arrived. */
TEST_F(faked, hold__long_message_given_up)
{
	const struct fc_ctrl forward = {
		.kind = FC_CTRL_FORWARD, .incarnation = 100, .sock = 1000, .site = 4,
		.port = PORT, .next = 1,
	};
	unsigned int before;

	ASSERT_TRUE(room_of(self->fd, 32 << 20));
	ASSERT_TRUE(half(self, 1000, PORT, PACKETS_LONG));
	before = self->answers[FC_CTRL_CONFIRM];
	fake_ctrl(&self->fake, &forward, 1);
	EXPECT_TRUE(answered(self, FC_CTRL_CONFIRM, before + 1));
}

/* After its receive buffer grows, the receiver grants buffer space to the waiting senders. */
TEST_F(faked, hold__waiting_for_room)
{
	unsigned int i, n = 0;
	char byte;

	ASSERT_TRUE(room_of(self->fd, 4096));
	for (i = 0; i < FLOWS; i++) {
		short_one(self, 1000 + i, 0);
		inspect(self, 0);
	}
	ASSERT_TRUE(answered(self, FC_CTRL_NO_SPACE, FLOWS - 20));
	ASSERT_TRUE(room_of(self->fd, 32 << 20));
	while (RESULT(msg_recv(self->fd, &byte, 1, NULL, MSG_DONTWAIT)) == 1)
		n++;
	TH_LOG("%u read, %u without room, %u invited", n, self->answers[FC_CTRL_NO_SPACE],
	       self->answers[FC_CTRL_GRANT]);
	EXPECT_LT(0, n);
	EXPECT_TRUE(answered(self, FC_CTRL_GRANT, 1));
	/* Senders with a grant retransmit; reading their messages allows further grants. */
	for (i = 0; i < FLOWS; i++) {
		short_one(self, 1000 + i, 0);
		inspect(self, 0);
		while (RESULT(msg_recv(self->fd, &byte, 1, NULL, MSG_DONTWAIT)) == 1)
			n++;
	}
	for (i = 0; i < 100 && n < FLOWS; i++) {
		inspect(self, 20);
		while (RESULT(msg_recv(self->fd, &byte, 1, NULL, MSG_DONTWAIT)) == 1)
			n++;
	}
	TH_LOG("%u read, %u invited", n, self->answers[FC_CTRL_GRANT]);
	EXPECT_LT(FLOWS / 2, n);
}

/* A site with many pending acks is deleted. */
TEST_F(faked, hold__pending_acks)
{
	unsigned int i;

	for (i = 0; i < FLOWS; i++)
		short_one(self, 1000 + i, FC_PACKET_DELAY_ACK);
	EXPECT_EQ(0, cli("site del 0"));
}

/* Confirm received packets and questions.  Return: false if none has arrived for a while. */
static bool confirm_all(struct fake *fake)
{
	struct fake_event e;
	unsigned int i;

	if (!fake_next(fake, &e, 20))
		return false;
	for (i = 0; i < e.n; i++) {
		struct fc_ctrl ctrl;

		if (e.is_packet) {
			ctrl = fake_confirm(&e, i);
		} else {
			ctrl = e.ctrl[i];
			if (ctrl.kind != FC_CTRL_ASK)
				continue;
			ctrl.kind = FC_CTRL_CONFIRM;
			ctrl.dst = e.ctrl[i].site;
			ctrl.site = e.ctrl[i].dst;
			ctrl.next = ctrl.seq + 1;
		}
		fake_ctrl(fake, &ctrl, 1);
	}
	return true;
}

/* Confirm everything until @wanted messages are confirmed.  Return: the number confirmed. */
static uint64_t confirmed(struct fake *fake, unsigned int wanted, uint64_t until)
{
	while (confirm_all(fake) || (counter("messages_confirmed") < wanted && now_ms() < until))
		;
	return counter("messages_confirmed");
}

/* Many sockets of one user have messages to send when the link accepts flits again. */
TEST_F(faked, hold__many_senders)
{
	uint64_t until = now_ms() + SOON_MS;
	unsigned int i;
	int fd[SENDERS];

	ASSERT_EQ(0, allow_descriptors(SENDERS + 100));
	for (i = 0; i < SENDERS; i++) {
		fd[i] = msg_socket(-1, 0, 0, 0);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(5000, RESULT(msg_send(fd[i], data, 5000, 1 + i % (FAKE_SITES - 1), PORT,
						MSG_DONTWAIT)));
	}
	EXPECT_EQ(SENDERS, confirmed(&self->fake, SENDERS, until));
	for (i = 0; i < SENDERS; i++)
		close(fd[i]);
}

/* One control frame acks messages of many sockets: as many as a user may have in flight. */
TEST_F(faked, hold__all_confirmed_at_once)
{
	struct fc_ctrl ctrl[FC_CTRLS_MAX] = { 0 };
	unsigned int i, n = 0, in_flight = FC_CTRLS_MAX * FC_FLOW_WINDOW;
	uint64_t until = now_ms() + SOON_MS;
	int fd[FC_CTRLS_MAX], room = 4 << 20;
	struct fake_event e;

	for (i = 0; i < FC_CTRLS_MAX; i++) {
		fd[i] = msg_socket(-1, 0, PORT + 1 + i, 0);
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, setsockopt(fd[i], SOL_FLITCAST, FLITCAST_SNDBUF, &room,
					sizeof(room)));
	}
	for (i = 0; i < in_flight; i++)
		ASSERT_EQ(PACKET, RESULT(msg_send(fd[i % FC_CTRLS_MAX], data, PACKET, 1, PORT,
						  MSG_DONTWAIT)));
	while (n < FC_CTRLS_MAX && now_ms() < until) {
		struct fc_ctrl one;

		if (!fake_next(&self->fake, &e, 20) || !e.is_packet)
			continue;
		/* Send the newest confirmation of each socket after the loop. */
		one = fake_confirm(&e, 0);
		i = e.packet.src_port - PORT - 1;
		ASSERT_LT(i, FC_CTRLS_MAX);
		if (!ctrl[i].next || (int32_t)(one.next - ctrl[i].next) > 0)
			ctrl[i] = one;
		n++;
	}
	fake_ctrl(&self->fake, ctrl, FC_CTRLS_MAX);
	EXPECT_EQ(in_flight, confirmed(&self->fake, in_flight, until));
	for (i = 0; i < FC_CTRLS_MAX; i++)
		close(fd[i]);
}

/* Targets at one site of a packet, and packets that wait for one that is missing. */
#define TARGETS		64
#define AFTER_GAP	63

/*
 * A flit that was lost arrives, and with it a window of packets is complete, each for many targets
 * at the site.
 */
TEST(hold__window_after_a_gap)
{
	struct fc_packet pk = {
		.src = 4, .incarnation = 100, .sock = 1000, .src_port = 9, .ntargets = TARGETS,
		.msg_len = 4, .flags = FC_PACKET_LIST,
	};
	const unsigned int answers = TARGETS * (AFTER_GAP + 1);
	uint64_t until = now_ms() + SOON_MS;
	struct fc_target t[TARGETS] = { 0 };
	struct fake fake;
	const char *bad;
	unsigned int i;

	api_choose_port(_metadata);
	bad = fake_up(&fake, "mode vnet flit 1500 window 64 retry 300ms");
	ASSERT_EQ(NULL, bad) {
		TH_LOG("%s", bad);
	}
	for (i = 0; i < TARGETS; i++)
		t[i].port = PORT + 1 + i;
	t[TARGETS - 1].flags = FC_TARGET_LAST;
	/* On a line packets to the first site are in this class. */
	fake.vc = FC_VC_CLASS + 1;
	for (i = 1; i <= AFTER_GAP; i++) {
		fake.sent = i;
		pk.sock = 1000 + i;
		fake_packet(&fake, &pk, t, "four");
	}
	EXPECT_EQ(0, counter("control_sent"));
	fake.sent = 0;
	pk.sock = 1000;
	fake_packet(&fake, &pk, t, "four");
	fake.sent = AFTER_GAP + 1;
	while (counter("control_sent") < answers && now_ms() < until)
		sleep_ms(10);
	EXPECT_EQ(answers, counter("control_sent"));
	EXPECT_EQ(0, cli("site del 0"));
}

/* close() with linger time 0 drops uncompleted messages: to all sites, and one of 16 MiB. */
TEST_F(bare, hold__close_without_linger)
{
	const struct linger linger = { .l_onoff = 1 };
	int room = 64 << 20, fd;
	struct sockaddr_flitcast all = {
		.sfc_family = FLITCAST_FAMILY_DEFAULT, .sfc_port = PORT,
		.sfc_addrtype = FLITCAST_ADDR_BROADCAST,
	};

	ASSERT_EQ(0, cli("site add 0 topology " NETWORK " grace 60s"));
	ASSERT_EQ(0, system("echo 16777216 >/proc/sys/net/flitcast/message_max"));
	ASSERT_EQ(0, system("echo 67108864 >/proc/sys/net/flitcast/wmem_max"));
	fd = msg_socket(-1, 0, 0, 0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	ASSERT_EQ(0, setsockopt(fd, SOL_FLITCAST, FLITCAST_SNDBUF, &room, sizeof(room)));
	ASSERT_EQ(100, RESULT(sendto(fd, data, 100, MSG_DONTWAIT, (struct sockaddr *)&all,
				     sizeof(all))));
	ASSERT_EQ(sizeof(data), RESULT(msg_send(fd, data, sizeof(data), 1, PORT, MSG_DONTWAIT)));
	ASSERT_EQ(sizeof(data), RESULT(msg_send(fd, data, sizeof(data), 1023, PORT,
						MSG_DONTWAIT)));
	close(fd);
	EXPECT_EQ(0, cli("site del 0"));
}

/* Sockets of a process that is killed, the messages that each sends, and one in so many listens. */
#define KILLED		1000
#define KILLED_SENDS	6
#define KILLED_LISTENS	8

/*
 * Open one socket of the process below, as an ordinary user: each eighth listens, the next one
 * connects to it, the others are for messages.
 */
static int killed_socket(const struct _test_data_line *self, unsigned int i,
			 const struct sockaddr_flitcast *before)
{
	unsigned int kind = i % KILLED_LISTENS;
	int fd;

	if (lab_enter(self->ns[i % 3]) || seteuid(USER))
		return -1;
	fd = msg_socket_type(-1, kind < 2 ? SOCK_SEQPACKET : SOCK_RDM, FLITCAST_SITE_ANY,
			     FLITCAST_PORT_ANY, SOCK_NONBLOCK);
	if (!kind && listen(fd, 10))
		return -1;
	if (kind == 1)
		connect(fd, (const struct sockaddr *)before, sizeof(*before));
	return seteuid(0) ? -1 : fd;
}

/* Open the sockets, send to all of them, and wait for the end. */
static void killed_process(const struct _test_data_line *self, int ready)
{
	static struct sockaddr_flitcast name[KILLED];
	static int fd[KILLED];
	const struct sockaddr_flitcast *to;
	unsigned int i, k;

	if (allow_descriptors(KILLED + 100))
		_exit(1);
	for (i = 0; i < KILLED; i++) {
		fd[i] = killed_socket(self, i, i ? &name[i - 1] : NULL);
		if (fd[i] < 0)
			_exit(2);
		name[i] = msg_name(fd[i]);
	}
	for (k = 0; k < KILLED_SENDS; k++) {
		for (i = 0; i < KILLED; i++) {
			to = &name[(i * 7 + k * 101) % KILLED];
			msg_send(fd[i], data, 1 << (i + 5 * k) % 17, to->sfc_site, to->sfc_port,
				 MSG_DONTWAIT);
		}
	}
	if (write(ready, "", 1) == 1)
		pause();
	_exit(3);
}

/* A user's process with many sockets, of messages and of connections, is killed. */
TEST_F(line, hold__process_killed)
{
	int ready[2], status;
	pid_t child;
	char byte;

	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	child = fork();
	if (!child)
		killed_process(self, ready[1]);
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	ASSERT_EQ(0, kill(child, SIGKILL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
}

/* Messages of 1 MiB, of two sockets at each end of a line to those at the other end. */
TEST_F(line, hold__long_messages)
{
	int room = 8 * LONG, i;
	uint64_t until = now_ms() + SOON_MS;
	unsigned int sent[4] = { 0 }, received = 0;
	struct pollfd fd[4];

	for (i = 0; i < 4; i++) {
		fd[i].fd = msg_socket(self->ns[i & 2], FLITCAST_SITE_ANY, PORT + i, 0);
		fd[i].events = POLLIN;
		ASSERT_LE(0, fd[i].fd);
		ASSERT_TRUE(room_of(fd[i].fd, room));
		ASSERT_EQ(0, setsockopt(fd[i].fd, SOL_FLITCAST, FLITCAST_SNDBUF, &room,
					sizeof(room)));
	}
	while (received < 4 * LONGS && now_ms() < until) {
		for (i = 0; i < 4; i++) {
			while (sent[i] < LONGS &&
			       RESULT(msg_send(fd[i].fd, data, LONG, ~i & 2, PORT + (i ^ 2),
					       MSG_DONTWAIT)) == LONG)
				sent[i]++;
			while (RESULT(msg_recv(fd[i].fd, data, LONG, NULL, MSG_DONTWAIT)) == LONG)
				received++;
		}
		poll(fd, 4, 10);
	}
	EXPECT_EQ(4 * LONGS, received);
	for (i = 0; i < 4; i++)
		close(fd[i].fd);
}

API_MAIN
