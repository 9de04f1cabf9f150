// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds on a site's resources for receivers: memory of receive queues, flows, reports and control
 * entries that it accepts from a neighbour; and on a user's messages in flight.
 */
#include "faked.h"
#include <grp.h>
#include <linux/sock_diag.h>
#include <sys/prctl.h>

#define KIB		1024
#define PACKET		65536
#define GROUP		"/sys/fs/cgroup/flitcast"
/* Limit of the cgroup below, and sockets whose queues would together take three times as much. */
#define GROUP_MIB	32
#define SOCKETS		24

#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

static char data[PACKET];

/* A number in a file: the first one on the line that begins with @key, or in the file. */
static long long number_in(const char *path, const char *key)
{
	FILE *file = fopen(path, "re");
	long long value = -1;
	char line[512];

	while (file && value < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			sscanf(line + strlen(key), "%lld", &value);
	if (file)
		fclose(file);
	return value;
}

/* Read all messages until none has arrived for a while.  Return: the number of messages. */
static unsigned int read_all(int fd, unsigned int wanted)
{
	unsigned int n = 0;

	while (n < wanted && msg_wait(fd, POLLIN, SOON_MS) & POLLIN)
		while (RESULT(msg_recv(fd, data, sizeof(data), NULL, MSG_DONTWAIT)) >= 0)
			n++;
	return n;
}

/*
 * Each target gets one byte of a packet of 64 KiB: the receiver must not keep the rest of the
 * packet.  (It once kept 57 times the receive buffer.)
 */
TEST_F(line, memory__parts_of_large_packets)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT, .offset = 40000, .length = 1 },
		{ .site = 1, .port = PORT },
	};
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), other = SOCKET(1, PORT);
	unsigned int i, n, sent = 0;
	uint64_t before = free_kib();
	int64_t held;
	char byte;

	for (i = 0; i < 1500; i++) {
		data[40000] = (char)i;
		ASSERT_EQ(PACKET, RESULT(msg_send_list(from, data, PACKET, targets, 2, 0)));
		sent++;
		while (RESULT(msg_recv(other, data, sizeof(data), NULL, MSG_DONTWAIT)) >= 0)
			;
	}
	held = (int64_t)(before - free_kib());
	TH_LOG("%u messages: %lld KiB", sent, (long long)held);
	EXPECT_GT(24 * KIB, held);
	for (n = 0; n < sent && msg_wait(to, POLLIN, SOON_MS) & POLLIN; n++) {
		ASSERT_EQ(1, RESULT(msg_recv(to, &byte, 1, NULL, MSG_DONTWAIT)));
		ASSERT_EQ((char)n, byte);
	}
	EXPECT_EQ(sent, n);
}

/* Memory of parts that cross the border of two packets, and of all but one byte of two packets. */
TEST_F(line, memory__parts_across_packets)
{
	static const struct { uint32_t off, len; } parts[] = {
		{ PACKET - 1, 2 }, { PACKET - 700, 1400 }, { PACKET - 5000, 5003 }, { 1, 0 },
		{ PACKET - 3, PACKET + 4 }, { 5, PACKET }, { PACKET, 1 }, { 2 * PACKET - 1, 1 },
	};
	static char big[3 * PACKET], got[3 * PACKET];
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	unsigned int i, round;

	msg_fill(big, sizeof(big), 7, 0);
	/* In the second round unread messages leave little buffer space. */
	for (round = 0; round < 2; round++) {
		for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
			struct flitcast_target t = {
				.site = 2, .port = PORT, .offset = parts[i].off,
				.length = parts[i].len,
			};
			size_t len = parts[i].len ? parts[i].len : sizeof(big) - parts[i].off;

			ASSERT_EQ(sizeof(big), RESULT(msg_send_list(from, big, sizeof(big), &t, 1,
								    0)));
			if (round)
				continue;
			ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS) & POLLIN);
			ASSERT_EQ(len, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
			EXPECT_EQ(0, memcmp(got, big + parts[i].off, len));
		}
	}
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		size_t len = parts[i].len ? parts[i].len : sizeof(big) - parts[i].off;

		ASSERT_TRUE(msg_wait(to, POLLIN, SOON_MS) & POLLIN);
		ASSERT_EQ(len, RESULT(msg_recv(to, got, sizeof(got), NULL, 0)));
		EXPECT_EQ(0, memcmp(got, big + parts[i].off, len));
	}
}

/* Send to each port until its receiver accepts no more.  Return: messages accepted, by port. */
static unsigned int stuff_all(int *from, unsigned int n, uint16_t port, unsigned int *count,
			      unsigned int most)
{
	uint64_t last = now_ms();
	unsigned int i, sent = 0;

	while (now_ms() - last < 1500) {
		for (i = 0; i < n; i++) {
			if (count[i] == most ||
			    RESULT(msg_send(from[i], data, PACKET, 2, port + i, MSG_DONTWAIT)) < 0)
				continue;
			count[i]++;
			sent++;
			last = now_ms();
		}
		sleep_ms(1);
	}
	return sent;
}

/* Receivers that do not read share the family's limit; senders wait, and no message is lost. */
TEST_F(line, memory__limit_of_the_family)
{
	static const char *const limits = "/sys/module/flitcast/parameters/mem";
	unsigned int count[4] = { 0 }, i, total;
	int from[4], to[4];
	char old[64] = "";
	long before, full;
	FILE *file;

	file = fopen(limits, "re");
	ASSERT_NE(NULL, file);
	ASSERT_NE(NULL, fgets(old, sizeof(old), file));
	fclose(file);
	before = protocol_pages();
	ASSERT_LE(0, before);
	for (i = 0; i < 4; i++) {
		from[i] = SOCKET(0, 0);
		to[i] = SOCKET(2, PORT + i);
	}
	/* Limit: 6 MiB; the receive buffers have 16 MiB in all. */
	ASSERT_TRUE(write_to(limits, "1536"));
	total = stuff_all(from, 4, PORT, count, 200);
	full = protocol_pages();
	TH_LOG("%u messages of 64 KiB, %ld pages", total, full);
	/*
	 * Senders and receivers have a share each, in two namespaces, and flits occupy more than
	 * their data: the messages have more than a third of the limit.
	 */
	EXPECT_LT(512, total * (PACKET / 4096));
	/* Each processor counts up to 256 pages for itself. */
	EXPECT_GE(1536 + 2 * 256 + 64, full);
	ASSERT_TRUE(write_to(limits, old));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(count[i], read_all(to[i], count[i]));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, msg_error(from[i]));
		close(from[i]);
		close(to[i]);
	}
	/* Only the forward allocation of each processor may remain. */
	EXPECT_GE(before + 512, protocol_pages());
}

/* The receivers, in a cgroup: open sockets, wait for a byte from @go, then read all messages. */
static int receivers(int ns, const unsigned int *count, int ready, int go)
{
	unsigned int i, got[SOCKETS] = { 0 }, left = 0;
	uint64_t last;
	int to[SOCKETS];
	char byte;

	if (!write_to(GROUP "/cgroup.procs", "0"))
		return 1;
	for (i = 0; i < SOCKETS; i++) {
		to[i] = msg_socket(ns, 2, PORT + i, 0);
		if (to[i] < 0)
			return 2;
	}
	if (write(ready, "r", 1) != 1 || read(go, &byte, 1) != 1)
		return 3;
	for (i = 0; i < SOCKETS; i++)
		left += count[i];
	/* Read all sockets in turn: they share the buffer space. */
	for (last = now_ms(); left && now_ms() - last < SOON_MS; sleep_ms(1)) {
		for (i = 0; i < SOCKETS; i++) {
			while (RESULT(msg_recv(to[i], data, sizeof(data), NULL,
					       MSG_DONTWAIT)) >= 0) {
				got[i]++;
				left--;
				last = now_ms();
			}
		}
	}
	if (!left)
		return 0;
	for (i = 0; i < SOCKETS; i++)
		printf("# socket %u: %u of %u\n", i, got[i], count[i]);
	printf("# memory.current %lld KiB, sock %lld KiB\n",
	       number_in(GROUP "/memory.current", "") / KIB,
	       number_in(GROUP "/memory.stat", "sock ") / KIB);
	return 4;
}

/*
 * The queues of a program in a memory cgroup are charged to the cgroup; messages that do not fit
 * stay with their senders until the program reads.  (They were once charged to no cgroup: 380 MiB
 * under a limit of 64.)
 */
TEST_F(line, memory__cgroup)
{
	unsigned int i, total, *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int from[SOCKETS], ready[2], go[2], status;
	long long used, sock;
	uint64_t before;
	int64_t held;
	pid_t child;
	char byte;

	if (!lab_memory_group(GROUP, GROUP_MIB))
		SKIP(return, "no memory controller here");
	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe(go));
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(receivers(self->ns[2], count, ready[1], go[0]));
	ASSERT_EQ(1, read(ready[0], &byte, 1));
	before = free_kib();
	for (i = 0; i < SOCKETS; i++)
		from[i] = SOCKET(0, 0);
	/* The send buffers hold as much again: 50 messages each. */
	total = stuff_all(from, SOCKETS, PORT, count, 110);
	used = number_in(GROUP "/memory.current", "");
	sock = number_in(GROUP "/memory.stat", "sock ");
	held = (int64_t)(before - free_kib());
	TH_LOG("%u messages of 64 KiB, memory.current %lld KiB, sock %lld KiB, %lld KiB in all",
	       total, used / KIB, sock / KIB, (long long)held);
	EXPECT_LT(GROUP_MIB * KIB / 4, sock / KIB);
	EXPECT_GE((GROUP_MIB + 4) * KIB, used / KIB);
	EXPECT_EQ(0, number_in(GROUP "/memory.events", "oom_kill "));
	EXPECT_EQ(1, write(go[1], "g", 1));
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	for (i = 0; i < SOCKETS; i++)
		EXPECT_EQ(0, msg_error(from[i]));
	rmdir(GROUP);
}

/*
 * Reserved memory (SO_RESERVE_MEM).
 */

#define USER		1000
#define ROUNDS		3000
#define RESERVED	(256 * KIB)
/* Pages that two processors allocate ahead (forward allocation). */
#define AHEAD_PAGES	512

static int reserve(int fd, int bytes)
{
	return setsockopt(fd, SOL_SOCKET, SO_RESERVE_MEM, &bytes, sizeof(bytes));
}

/* Reads messages until a short one comes. */
static void *read_on(void *arg)
{
	int fd = *(int *)arg;
	char text[16];

	while (recv(fd, text, sizeof(text), 0) != 4)
		;
	return NULL;
}

/*
 * An unprivileged user, in a cgroup, requests reserved memory while messages arrive.  Return: exit
 * status, 0: each request was refused, and each message arrived.
 */
static int reservers(int ns, int from)
{
	pthread_t reader;
	int to, i;

	if (!write_to(GROUP "/cgroup.procs", "0"))
		return 1;
	if (setns(ns, CLONE_NEWNET) || setresuid(USER, USER, USER))
		return 2;
	to = msg_socket(-1, 2, PORT, 0);
	if (pthread_create(&reader, NULL, read_on, &to))
		return 3;
	for (i = 0; i < ROUNDS; i++) {
		if (msg_send(from, data, 3000, 2, PORT, 0) != 3000)
			return 4;
		if (!reserve(to, i % 2 ? RESERVED : 0) || errno != EOPNOTSUPP)
			return 5;
	}
	if (msg_send(from, "stop", 4, 2, PORT, 0) != 4)
		return 6;
	return pthread_join(reader, NULL) ? 7 : 0;
}

/*
 * SO_RESERVE_MEM is refused: it would change the accounting of the receive queue without the lock
 * that protects it.  The counter of the cgroup once fell below 0 ("page_counter underflow").
 */
TEST_F(line, memory__reserved)
{
	long before = protocol_pages(), after;
	int from = SOCKET(0, 0), status;
	pid_t child;

	if (!lab_memory_group(GROUP, 256))
		SKIP(return, "no memory controller here");
	child = fork();
	ASSERT_LE(0, child);
	if (!child)
		_exit(reservers(self->ns[2], from));
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	after = protocol_pages();
	TH_LOG("%ld pages before, %ld after", before, after);
	EXPECT_LE(before - AHEAD_PAGES, after);
	EXPECT_GE(before + AHEAD_PAGES, after);
	EXPECT_GT(1024, number_in(GROUP "/memory.stat", "sock ") / KIB);
	rmdir(GROUP);
}

/*
 * Flows.
 */

/* More flows than a site may have; and the limit of flows of a site. */
#define MANY_FLOWS	9000
#define FLOWS_MAX	8192

/*
 * Sockets send one message each and close: the sockets after them are served at once.  (They once
 * waited for a minute.)
 */
TEST_F(line, flows__short_lived_senders)
{
	unsigned int i, n = 0, fd, to = SOCKET(2, PORT);

	for (i = 0; i < MANY_FLOWS; i++) {
		fd = SOCKET(0, 0);
		ASSERT_EQ(4, RESULT(msg_send(fd, "gone", 4, 2, PORT, 0)));
		close(fd);
		while (RESULT(msg_recv(to, data, sizeof(data), NULL, MSG_DONTWAIT)) == 4)
			n++;
		/* Send as fast as the receiver gets the messages. */
		if (i >= n + 500 && !(msg_wait(to, POLLIN, SOON_MS) & POLLIN))
			break;
	}
	EXPECT_EQ(MANY_FLOWS, i);
	EXPECT_EQ(i, n + read_all(to, i - n));
	fd = SOCKET(0, 0);
	ASSERT_EQ(3, RESULT(msg_send(fd, "new", 3, 2, PORT, 0)));
	EXPECT_TRUE(msg_wait(to, POLLIN, SOON_MS) & POLLIN);
	EXPECT_EQ(3, RESULT(msg_recv(to, data, sizeof(data), NULL, MSG_DONTWAIT)));
}

/* Send a message of a socket of a site; the oldest uncompleted one is @outstanding before it. */
static bool message(struct _test_data_faked *self, unsigned int site, unsigned int sock,
		    uint32_t seq, uint8_t outstanding)
{
	const struct fc_packet pk = {
		.src = site, .incarnation = 100, .sock = sock, .src_port = 9, .ntargets = 1,
		.id = seq, .msg_len = 1,
	};
	const struct fc_target t = {
		.port = PORT, .flags = FC_TARGET_LAST, .seq = seq, .outstanding = outstanding,
	};
	uint64_t until = now_ms() + SOON_MS;

	while (self->fake.sent - self->fake.acked >= 4 && now_ms() < until) {
		inspect(self, 0);
		if (self->fake.sent - self->fake.acked < 4)
			break;
		fake_probe(&self->fake, self->fake.sent);
		inspect(self, 1);
	}
	fake_packet(&self->fake, &pk, &t, "x");
	return now_ms() < until;
}

static bool first_message(struct _test_data_faked *self, unsigned int site, unsigned int sock)
{
	return message(self, site, sock, 0, 0);
}

/* Read all pending messages; return their number. */
static unsigned int read_now(int fd)
{
	unsigned int n = 0;

	while (RESULT(msg_recv(fd, data, sizeof(data), NULL, MSG_DONTWAIT)) == 1)
		n++;
	return n;
}

/* Send the message until it is received.  Return: false if it is not received within SOON_MS. */
static bool comes_in(struct _test_data_faked *self, unsigned int site, unsigned int sock)
{
	uint64_t until = now_ms() + SOON_MS;

	while (now_ms() < until) {
		first_message(self, site, sock);
		inspect(self, 200);
		if (read_now(self->fd))
			return true;
	}
	return false;
}

/*
 * Two sites forge sockets, and answer no questions about them.  A third site still gets a flow, the
 * forgers get the answer that there is no space, and the receiver does not accept a late packet of
 * an evicted flow twice.
 */
TEST_F(faked, flows__made_up_sockets)
{
	unsigned int i, n = 0, before;
	struct fc_ctrl over;

	for (i = 0; i < MANY_FLOWS; i++) {
		ASSERT_TRUE(first_message(self, 4 + i % 2, 1000 + i / 2));
		n += read_now(self->fd);
	}
	inspect(self, QUIET_MS);
	n += read_now(self->fd);
	TH_LOG("%u received, %u confirmed, %u without room, %u asked", n,
	       self->answers[FC_CTRL_CONFIRM], self->answers[FC_CTRL_NO_SPACE],
	       self->answers[FC_CTRL_RESYNC_REQ]);
	EXPECT_LE(FLOWS_MAX, n);
	EXPECT_LT(0, self->answers[FC_CTRL_RESYNC_REQ]);
	EXPECT_TRUE(comes_in(self, 6, 7));
	EXPECT_LT(0, counter("flows_forgotten"));
	/*
	 * The least recently used flow was evicted, one of the first.  Its packets arrive late, a
	 * second time:
	 */
	before = self->answers[FC_CTRL_RESYNC_REQ];
	ASSERT_TRUE(first_message(self, 4, 1000));
	ASSERT_TRUE(first_message(self, 5, 1000));
	inspect(self, QUIET_MS);
	EXPECT_EQ(0, read_now(self->fd));
	EXPECT_LT(before, self->answers[FC_CTRL_RESYNC_REQ]);
	EXPECT_LT(0, counter("flows_unknown"));
	/* The source answers that the flow is completed. */
	over = self->level;
	over.kind = FC_CTRL_RESYNC;
	over.site = over.dst;
	over.dst = 0;
	over.next = 1;
	fake_ctrl(&self->fake, &over, 1);
	ASSERT_TRUE(first_message(self, over.site, over.sock));
	inspect(self, QUIET_MS);
	EXPECT_EQ(0, read_now(self->fd));
	EXPECT_EQ(FC_CTRL_CONFIRM, self->answer.kind);
	EXPECT_EQ(1, self->answer.next);
}

/*
 * A message waits for buffer space behind an aborted one.  The abort reached the target before the
 * flow existed; a later question of the source repeats it.  (The message once waited for ever.)
 */
TEST_F(faked, room__a_question_carries_the_ack)
{
	struct fc_ctrl ask = {
		.kind = FC_CTRL_ASK, .incarnation = 100, .sock = 7, .site = 4, .port = PORT,
		.seq = 1, .next = 1,
	};
	int room = 4096;
	unsigned int i;

	ASSERT_EQ(0, setsockopt(self->fd, SOL_FLITCAST, FLITCAST_RCVBUF, &room, sizeof(room)));
	for (i = 0; i < 100 && !self->answers[FC_CTRL_NO_SPACE]; i++) {
		ASSERT_TRUE(first_message(self, 5, 1000 + i));
		inspect(self, QUIET_MS);
	}
	ASSERT_EQ(1, self->answers[FC_CTRL_NO_SPACE]);
	ASSERT_TRUE(message(self, 4, 7, 0, 0));
	inspect(self, SOON_MS);
	ASSERT_TRUE(message(self, 4, 7, 1, 1));
	inspect(self, SOON_MS);
	ASSERT_EQ(3, self->answers[FC_CTRL_NO_SPACE]);
	fake_ctrl(&self->fake, &ask, 1);
	inspect(self, SOON_MS);
	EXPECT_EQ(4, self->answers[FC_CTRL_NO_SPACE]);
	EXPECT_EQ(1, self->answer.next);
	/*
	 * Receivers grant buffer space in the order of the requests; the last sender does not use
	 * its grant.
	 */
	EXPECT_EQ(i - 1, read_now(self->fd));
	inspect(self, QUIET_MS);
	EXPECT_LT(0, self->answers[FC_CTRL_GRANT]);
	EXPECT_EQ(7, self->answer.sock);
	EXPECT_EQ(1, self->answer.seq);
	ASSERT_TRUE(message(self, 4, 7, 1, 0));
	inspect(self, SOON_MS);
	EXPECT_EQ(FC_CTRL_CONFIRM, self->answer.kind);
	EXPECT_EQ(2, self->answer.next);
}

/*
 * Faults that a neighbour reports.
 */

#define NEWS		4000
/*
 * Fault updates accepted in a burst, as many as there are sites plus those of one interval; and
 * updates accepted in each interval (core/faults/faults.h).
 */
#define NEWS_SPACING	256
#define SPACING_MS	50

/* A site limits the fault updates that it accepts from a forging neighbour, and recovers later. */
TEST_F(faked, faults__made_up_news)
{
	struct fc_faults_msg msg = { 0 };
	uint64_t limited, took = now_ms();
	uint32_t reported = 0;
	unsigned int i;

	while (reported < NEWS) {
		msg.n = FC_FAULTS_MAX;
		for (i = 0; i < msg.n; i++, reported++)
			msg.fault[i] = (struct fc_fault) {
				.site = 2 + reported % 5, .incarnation = 1,
				.version = 1000 + reported,
				.ports = reported & 1 ? 2 : 4,
			};
		fake_faults(&self->fake, &msg);
		inspect(self, 0);
	}
	inspect(self, QUIET_MS);
	took = now_ms() - took;
	EXPECT_FALSE(cli("-s -j link show"));
	limited = json_sum(cli_output(), "rx_limited");
	TH_LOG("%u told in %u ms, %u not believed", reported, (unsigned int)took,
	       (unsigned int)limited);
	EXPECT_LE(reported, limited + FAKE_SITES + NEWS_SPACING * (took / SPACING_MS + 2));
	EXPECT_LT(0, limited);
	for (i = 0; i < 100; i++) {
		msg.n = 1;
		msg.fault[0] = (struct fc_fault) {
			.site = 4, .incarnation = 1, .version = 1000 + reported++, .ports = 2 | 4,
		};
		fake_faults(&self->fake, &msg);
		inspect(self, SPACING_MS);
		ASSERT_FALSE(cli("topology faults"));
		if (strstr(cli_output(), "site 4 port 1") && strstr(cli_output(), "site 4 port 2"))
			break;
	}
	EXPECT_GT(100, i);
}

/*
 * Control entries of a neighbour.
 */

/*
 * Entries accepted in a burst, and in each further millisecond (CTRL_BURST and CTRL_NS,
 * fabric/ctrl.c).
 */
#define ENTRIES_BURST	16384
#define ENTRIES_PER_MS	1000
#define ENTRIES		200000

/**
 * struct entries - control entries that the neighbour has sent
 * @came: entries counted as received
 * @limited: entries dropped by the rate limit
 */
struct entries {
	uint64_t came;
	uint64_t limited;
};

static struct entries entries_now(void)
{
	struct entries e = { 0 };

	if (cli("-s -j link show"))
		return e;
	e.came = FC_CTRLS_MAX * json_sum(cli_output(), "rx_control");
	e.limited = json_sum(cli_output(), "rx_limited");
	return e;
}

/* Send acks of messages that do not exist. */
static void made_up_entries(struct _test_data_faked *self, unsigned int n)
{
	struct fc_ctrl ctrl[FC_CTRLS_MAX];
	unsigned int i;

	for (i = 0; i < FC_CTRLS_MAX; i++)
		ctrl[i] = (struct fc_ctrl) {
			.kind = FC_CTRL_CONFIRM, .incarnation = 100, .sock = 1000 + i, .site = 4,
			.port = 9,
		};
	for (i = 0; i < n; i += FC_CTRLS_MAX)
		fake_ctrl(&self->fake, ctrl, FC_CTRLS_MAX);
}

/*
 * A neighbour sends control entries as fast as it can: the site accepts a burst of them, and then a
 * limited number in each millisecond; after a pause it accepts a burst again.  A slow machine stays
 * below the limit, and all entries are accepted.
 */
TEST_F(faked, ctrl__made_up_entries)
{
	struct fc_ctrl ask = {
		.kind = FC_CTRL_ASK, .incarnation = 100, .sock = 7, .site = 4, .port = PORT,
	};
	struct entries before, after;
	uint64_t took;

	ASSERT_TRUE(comes_in(self, 4, 7));
	inspect(self, QUIET_MS);
	made_up_entries(self, ENTRIES_BURST);
	inspect(self, QUIET_MS);
	before = entries_now();
	EXPECT_LE(ENTRIES_BURST, before.came);
	EXPECT_EQ(0, before.limited);
	took = now_ms();
	made_up_entries(self, ENTRIES);
	after = entries_now();
	took = now_ms() - took;
	TH_LOG("%u entries in %u ms, %u not believed", (unsigned int)(after.came - before.came),
	       (unsigned int)took, (unsigned int)after.limited);
	EXPECT_LE(after.came - before.came,
		  after.limited + ENTRIES_BURST + ENTRIES_PER_MS * (took + 1));
	EXPECT_LE(after.limited + ENTRIES_BURST, after.came - before.came);
	inspect(self, QUIET_MS);
	before = entries_now();
	made_up_entries(self, ENTRIES_BURST);
	inspect(self, QUIET_MS);
	after = entries_now();
	EXPECT_EQ(ENTRIES_BURST, after.came - before.came);
	EXPECT_EQ(before.limited, after.limited);
	self->answers[FC_CTRL_CONFIRM] = 0;
	fake_ctrl(&self->fake, &ask, 1);
	inspect(self, QUIET_MS);
	EXPECT_EQ(1, self->answers[FC_CTRL_CONFIRM]);
}

/* Messages in flight of one user. */

#define SENDERS		40
/* Limit of messages in flight of a user and class, in mode care. */
#define USER_MAX	16
#define ATTEMPTS	10

/* The fixture faked, run by an unprivileged user in a user namespace. */
FIXTURE(user) {
	struct fake fake;
};

FIXTURE_SETUP(user)
{
	const char *bad;

	api_choose_port(_metadata);
	ASSERT_EQ(0, setgroups(0, NULL));
	ASSERT_EQ(0, setresgid(USER, USER, USER));
	ASSERT_EQ(0, setresuid(USER, USER, USER));
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	ASSERT_EQ(0, unshare(CLONE_NEWUSER));
	ASSERT_TRUE(write_to("/proc/self/setgroups", "deny"));
	ASSERT_TRUE(write_to("/proc/self/uid_map", "0 1000 1"));
	ASSERT_TRUE(write_to("/proc/self/gid_map", "0 1000 1"));
	bad = fake_up(&self->fake, "");
	ASSERT_EQ(NULL, bad) {
		TH_LOG("%s", bad);
	}
}

FIXTURE_TEARDOWN(user)
{
}

/**
 * struct senders - a message of each of many sockets
 * @packet: received packets
 * @n: number of received packets
 */
struct senders {
	struct fake_event packet[SENDERS];
	unsigned int n;
};

/* Receive a packet within @ms; then ack every packet so far if @done, or only answer it if not. */
static void meet(struct _test_data_user *self, struct senders *s, bool done, unsigned int ms)
{
	struct fake_event e;
	unsigned int i;

	if (!fake_next(&self->fake, &e, ms))
		return;
	for (i = 0; e.is_packet && i < s->n; i++)
		if (s->packet[i].packet.sock == e.packet.sock)
			break;
	if (e.is_packet && i == s->n && s->n < SENDERS)
		s->packet[s->n++] = e;
	for (i = 0; i < s->n; i++) {
		struct fc_ctrl answer = fake_confirm(&s->packet[i], 0);

		answer.next -= !done;
		fake_ctrl(&self->fake, &answer, 1);
	}
}

/* Number of evictions: more than the number of sources without flows that the site remembers. */
#define EVICTIONS	1500

/*
 * The table of flows is full, and a source site has one flow, which it closes before the first
 * packet of its next socket: that flow is evicted for the new one.  The site once freed the source
 * in between, and then used it, after as many evictions as it remembers sources without flows.
 */
TEST_F(user, flows__eviction_of_the_only_flow)
{
	static struct _test_data_faked peer;
	unsigned int i, n = 0;
	uint64_t before;

	memset(&peer, 0, sizeof(peer));
	peer.fake = self->fake;
	peer.fd = msg_socket(-1, 0, PORT, 0);
	ASSERT_LE(0, peer.fd);
	for (i = 0; i < FLOWS_MAX - 1; i++) {
		ASSERT_TRUE(first_message(&peer, 4 + i % 2, 1000 + i / 2));
		n += read_now(peer.fd);
	}
	before = counter("flows_forgotten");
	for (i = 0; i < EVICTIONS; i++) {
		struct fc_ctrl closed = {
			.kind = FC_CTRL_CLOSED, .incarnation = 100, .sock = 1000 + i, .site = 6,
			.port = PORT, .seq = 0, .next = 1,
		};

		ASSERT_TRUE(first_message(&peer, 6, 1000 + i));
		fake_ctrl(&peer.fake, &closed, 1);
		n += read_now(peer.fd);
	}
	inspect(&peer, QUIET_MS);
	n += read_now(peer.fd);
	EXPECT_EQ(FLOWS_MAX - 1 + EVICTIONS, n);
	EXPECT_EQ(EVICTIONS - 1, counter("flows_forgotten") - before);
	close(peer.fd);
	self->fake = peer.fake;
}

/* Return: number of messages in flight before one of them was completed. */
static unsigned int in_flight(struct __test_metadata *_metadata, struct _test_data_user *self)
{
	static struct senders s;
	unsigned int i, went, value = 100000;
	uint64_t until = now_ms() + SOON_MS;
	int fd[SENDERS];

	memset(&s, 0, sizeof(s));
	for (i = 0; i < SENDERS; i++) {
		fd[i] = msg_socket(-1, 0, 0, 0);
		EXPECT_EQ(0, setsockopt(fd[i], SOL_FLITCAST, FLITCAST_TIMEOUT, &value,
					sizeof(value)));
		EXPECT_EQ(4, RESULT(msg_send(fd[i], "wait", 4, 3, PORT, 0)));
		meet(self, &s, false, 0);
	}
	while (s.n < USER_MAX && now_ms() < until)
		meet(self, &s, false, 10);
	until = now_ms() + QUIET_MS;
	while (now_ms() < until)
		meet(self, &s, false, 10);
	went = s.n;
	TH_LOG("%u of %u under way", went, SENDERS);
	/* The other messages are sent when these are completed. */
	until = now_ms() + SOON_MS;
	while (s.n < SENDERS && now_ms() < until)
		meet(self, &s, true, 100);
	EXPECT_EQ(SENDERS, s.n);
	for (i = 0; i < SENDERS; i++)
		close(fd[i]);
	return went;
}

/*
 * Many sockets of one user send to a site that confirms nothing: as many messages as the user's
 * limit are in flight, and the others wait at their sockets until those are completed.
 */
TEST_F(user, sockets__in_flight)
{
	unsigned int i, went = 0;

	/* A stalled guest does not answer in time: retry. */
	for (i = 0; i < ATTEMPTS && went != USER_MAX; i++)
		went = in_flight(_metadata, self);
	EXPECT_EQ(USER_MAX, went);
}

/* More sockets of one site become readable at once than the site wakes in one batch. */
TEST_F(line, wake__many_readers)
{
	struct flitcast_target targets[60];
	struct pollfd fds[60];
	int from = SOCKET(0, 0), i, n;
	uint64_t until;

	for (i = 0; i < 60; i++) {
		targets[i] = (struct flitcast_target) { .site = 2, .port = PORT + i };
		fds[i] = (struct pollfd) { .fd = SOCKET(2, PORT + i), .events = POLLIN };
	}
	for (n = 0; n < 20; n++) {
		ASSERT_EQ(4, RESULT(msg_send_list(from, "all", 4, targets, 60, 0)));
		for (i = 0, until = now_ms() + SOON_MS; i < 60 && now_ms() < until; i++) {
			ASSERT_LT(0, poll(&fds[i], 1, SOON_MS));
			ASSERT_EQ(4, RESULT(msg_recv(fds[i].fd, data, 4, NULL, MSG_DONTWAIT)));
		}
		ASSERT_EQ(60, i);
	}
}

API_MAIN
