// SPDX-License-Identifier: GPL-2.0
/*
 * sendmsg(): destinations, target lists, parts, sizes and refusals.
 */
#include "api.h"
#include <inttypes.h>

#define MIB	(1U << 20)

static char big[17 * MIB], got[17 * MIB];

/* A socket of site @site of the line. */
#define SOCKET(site, port)	msg_socket(self->ns[site], site, port, 0)

/* Receive one message within SOON_MS.  Return: its length or -errno. */
static ssize_t soon(int fd, void *data, size_t size, struct sockaddr_flitcast *from)
{
	if (!(msg_wait(fd, POLLIN | POLLERR, SOON_MS)))
		return -ETIMEDOUT;
	return RESULT(msg_recv(fd, data, size, from, MSG_DONTWAIT));
}

/* Wait for the pending error; 0 if there is none within SOON_MS. */
static int error_soon(int fd)
{
	msg_wait(fd, POLLERR, SOON_MS);
	return msg_error(fd);
}

static bool quiet(int fd)
{
	return !msg_wait(fd, POLLIN | POLLERR, QUIET_MS);
}

/* sendmsg() with all arguments, for calls that msg_send() cannot make. */
static ssize_t send_raw(int fd, const void *name, socklen_t namelen, const void *data, size_t len,
			const void *control, size_t controllen, int flags)
{
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = {
		.msg_name = (void *)name, .msg_namelen = namelen,
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = (void *)control, .msg_controllen = controllen,
	};

	return RESULT(sendmsg(fd, &msg, flags));
}

/* A buffer of several control messages. */
struct control {
	union {
		char buf[65536];
		struct cmsghdr align;
	};
	size_t used;
};

static void *control_add(struct control *control, int level, int type, size_t len)
{
	struct cmsghdr *cmsg = (void *)(control->buf + control->used);

	cmsg->cmsg_level = level;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(len);
	control->used += CMSG_SPACE(len);
	memset(CMSG_DATA(cmsg), 0, CMSG_SPACE(len) - CMSG_LEN(0));
	return CMSG_DATA(cmsg);
}

/* Send "data" to the targets of the control messages. */
static ssize_t send_control(int fd, const struct control *control)
{
	struct sockaddr_flitcast list = msg_addr_list();

	return send_raw(fd, &list, sizeof(list), "data", 4, control->buf, control->used, 0);
}

TEST_F(line, send__one_target)
{
	int from = SOCKET(0, PORT), to = SOCKET(2, PORT);
	struct sockaddr_flitcast addr;

	ASSERT_EQ(5, RESULT(msg_send(from, "hello", 5, 2, PORT, 0)));
	ASSERT_EQ(5, soon(to, got, sizeof(got), &addr));
	EXPECT_EQ(0, memcmp(got, "hello", 5));
	EXPECT_EQ(msg_family(), addr.sfc_family);
	EXPECT_EQ(FLITCAST_ADDR_SITE, addr.sfc_addrtype);
	EXPECT_EQ(0, addr.sfc_site);
	EXPECT_EQ(PORT, addr.sfc_port);
	EXPECT_EQ(0, addr.sfc_zero);
	EXPECT_EQ(0, addr.sfc_zero2);
	EXPECT_EQ(0, addr.sfc_copies);
	/* The sender's name is a valid address for an answer. */
	ASSERT_EQ(2, RESULT(sendto(to, "ok", 2, 0, (struct sockaddr *)&addr, sizeof(addr))));
	ASSERT_EQ(2, soon(from, got, sizeof(got), &addr));
	EXPECT_EQ(2, addr.sfc_site);
	EXPECT_TRUE(quiet(from));
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, send__to_itself)
{
	int fd = SOCKET(1, PORT);
	struct sockaddr_flitcast addr;

	ASSERT_EQ(4, RESULT(msg_send(fd, "self", 4, 1, PORT, 0)));
	ASSERT_EQ(4, soon(fd, got, sizeof(got), &addr));
	EXPECT_EQ(0, memcmp(got, "self", 4));
	EXPECT_EQ(1, addr.sfc_site);
	EXPECT_EQ(PORT, addr.sfc_port);
	EXPECT_TRUE(quiet(fd));
}

TEST_F(line, send__same_site)
{
	int from = SOCKET(1, PORT), to = SOCKET(1, PORT + 1);

	ASSERT_EQ(3, RESULT(msg_send(from, "one", 3, 1, PORT + 1, 0)));
	ASSERT_EQ(3, soon(to, got, sizeof(got), NULL));
	EXPECT_TRUE(quiet(from));
}

TEST_F(line, send__implicit_bind)
{
	int to = SOCKET(2, PORT), fd;
	struct sockaddr_flitcast addr;

	ASSERT_EQ(0, lab_enter(self->ns[0]));
	fd = socket(msg_family(), SOCK_RDM, 0);
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	addr = msg_name(fd);
	EXPECT_EQ(0, addr.sfc_site);
	EXPECT_LE(FLITCAST_PORT_DYNAMIC, addr.sfc_port);
	ASSERT_EQ(1, soon(to, got, sizeof(got), &addr));
	EXPECT_EQ(msg_name(fd).sfc_port, addr.sfc_port);
	/* A socket that has sent stays bound. */
	ASSERT_EQ(-EINVAL, RESULT(bind(fd, (struct sockaddr *)&addr, sizeof(addr))));
}

/* A refused sendmsg() may bind the socket or not, but the socket works. */
TEST_F(line, send__refused_then_good)
{
	int to = SOCKET(2, PORT), fd;

	ASSERT_EQ(0, lab_enter(self->ns[0]));
	fd = socket(msg_family(), SOCK_RDM, 0);
	ASSERT_EQ(-EHOSTUNREACH, RESULT(msg_send(fd, "x", 1, 3, PORT, 0)));
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(1, soon(to, got, sizeof(got), NULL));
}

TEST_F(line, send__list_by_control_message)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT }, { .site = 0, .port = PORT },
		{ .site = 1, .port = PORT },
	};
	int to[3], from = SOCKET(0, PORT + 1), i;
	struct sockaddr_flitcast addr;

	for (i = 0; i < 3; i++)
		to[i] = SOCKET(i, PORT);
	ASSERT_EQ(4, RESULT(msg_send_list(from, "list", 4, targets, 3, 0)));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(4, soon(to[i], got, sizeof(got), &addr));
		EXPECT_EQ(0, memcmp(got, "list", 4));
		EXPECT_EQ(0, addr.sfc_site);
		EXPECT_EQ(PORT + 1, addr.sfc_port);
	}
	for (i = 0; i < 3; i++)
		EXPECT_TRUE(quiet(to[i]));
	EXPECT_EQ(0, msg_error(from));
}

TEST_F(line, send__list_of_one)
{
	struct flitcast_target target = { .site = 2, .port = PORT };
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);

	ASSERT_EQ(3, RESULT(msg_send_list(from, "one", 3, &target, 1, 0)));
	EXPECT_EQ(3, soon(to, got, sizeof(got), NULL));
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, send__list_by_option)
{
	struct flitcast_target targets[] = {
		{ .site = 1, .port = PORT }, { .site = 2, .port = PORT },
	};
	int from = SOCKET(0, 0), one = SOCKET(1, PORT), two = SOCKET(2, PORT);
	struct sockaddr_flitcast list = msg_addr_list();

	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_TARGETS, targets, sizeof(targets)));
	ASSERT_EQ(4, send_raw(from, &list, sizeof(list), "both", 4, NULL, 0, 0));
	EXPECT_EQ(4, soon(one, got, sizeof(got), NULL));
	EXPECT_EQ(4, soon(two, got, sizeof(got), NULL));
	/*
	 * The list set with setsockopt() stays in use; a control message replaces it for one
	 * message.
	 */
	ASSERT_EQ(3, RESULT(msg_send_list(from, "one", 3, targets, 1, 0)));
	EXPECT_EQ(3, soon(one, got, sizeof(got), NULL));
	EXPECT_TRUE(quiet(two));
	ASSERT_EQ(5, send_raw(from, &list, sizeof(list), "again", 5, NULL, 0, 0));
	EXPECT_EQ(5, soon(one, got, sizeof(got), NULL));
	EXPECT_EQ(5, soon(two, got, sizeof(got), NULL));
	/* A message to the address of a site ignores the list. */
	ASSERT_EQ(2, RESULT(msg_send(from, "it", 2, 2, PORT, 0)));
	EXPECT_EQ(2, soon(two, got, sizeof(got), NULL));
	EXPECT_TRUE(quiet(one));
	/* A program can remove the list. */
	ASSERT_EQ(0, setsockopt(from, SOL_FLITCAST, FLITCAST_TARGETS, NULL, 0));
	EXPECT_EQ(-EDESTADDRREQ, send_raw(from, &list, sizeof(list), "none", 4, NULL, 0, 0));
}

TEST_F(line, send__several_ports_of_a_site)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT + 1 }, { .site = 2, .port = PORT },
		{ .site = 2, .port = PORT + 2 },
	};
	int from = SOCKET(0, 0), to[3], i;

	for (i = 0; i < 3; i++)
		to[i] = SOCKET(2, PORT + i);
	msg_fill(big, 200000, 1, 0);
	ASSERT_EQ(200000, RESULT(msg_send_list(from, big, 200000, targets, 3, 0)));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(200000, soon(to[i], got, sizeof(got), NULL));
		EXPECT_EQ(200000, msg_check(got, 200000, 1, 0));
	}
}

/* Each target gets its part of the message, and nothing else. */
TEST_F(line, send__parts)
{
	static const struct { uint32_t offset, length, want; } parts[] = {
		{ 0, 0, 300000 },		/* all */
		{ 0, 1, 1 },
		{ 1, 65535, 65535 },
		{ 65536, 65536, 65536 },	/* exactly one packet */
		{ 65535, 65538, 65538 },	/* across three packets */
		{ 299999, 1, 1 },
		{ 299999, 0, 1 },
		{ 300000, 0, 0 },		/* empty, at the end */
		{ 131072, 0, 168928 },
		{ 0, 300000, 300000 },
	};
	struct flitcast_target targets[ARRAY_SIZE(parts)];
	int from = SOCKET(0, 0), to[ARRAY_SIZE(parts)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		to[i] = SOCKET(i % 3, PORT + i);
		ASSERT_LE(0, to[i]);
		targets[i] = (struct flitcast_target) {
			.site = i % 3, .port = PORT + i,
			.offset = parts[i].offset, .length = parts[i].length,
		};
	}
	msg_fill(big, 300000, 7, 0);
	ASSERT_EQ(300000, RESULT(msg_send_list(from, big, 300000, targets, ARRAY_SIZE(parts), 0)));
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		EXPECT_EQ(parts[i].want, soon(to[i], got, sizeof(got), NULL)) {
			TH_LOG("part %u", i);
		}
		EXPECT_EQ(parts[i].want, msg_check(got, parts[i].want, 7, parts[i].offset)) {
			TH_LOG("part %u", i);
		}
	}
	EXPECT_EQ(0, msg_error(from));
}

TEST_F(line, send__part_beyond_the_message)
{
	struct flitcast_target target = { .site = 2, .port = PORT };
	static const struct { uint32_t offset, length; } bad[] = {
		{ 5, 0 }, { 5, 1 }, { 0, 5 }, { 4, 1 }, { 1, 4 }, { 0xffffffff, 0 },
		{ 0, 0xffffffff }, { 1, 0xffffffff }, { 0xffffffff, 1 }, { 0xfffffffe, 6 },
	};
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		target.offset = bad[i].offset;
		target.length = bad[i].length;
		EXPECT_EQ(-EINVAL, RESULT(msg_send_list(from, "four", 4, &target, 1, 0))) {
			TH_LOG("offset %u length %u", target.offset, target.length);
		}
	}
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, send__nothing)
{
	struct flitcast_target targets[] = {
		{ .site = 1, .port = PORT }, { .site = 2, .port = PORT },
	};
	int from = SOCKET(0, 0), one = SOCKET(1, PORT), two = SOCKET(2, PORT);
	struct sockaddr_flitcast addr = { 0 };

	ASSERT_EQ(0, RESULT(msg_send(from, "", 0, 2, PORT, 0)));
	ASSERT_EQ(0, soon(two, got, sizeof(got), &addr));
	EXPECT_EQ(msg_name(from).sfc_port, addr.sfc_port);
	ASSERT_EQ(0, RESULT(msg_send_list(from, NULL, 0, targets, 2, 0)));
	EXPECT_EQ(0, soon(one, got, sizeof(got), NULL));
	EXPECT_EQ(0, soon(two, got, sizeof(got), NULL));
	/* Each empty send was a message. */
	EXPECT_TRUE(quiet(two));
	ASSERT_EQ(0, RESULT(msg_send(from, "", 0, 2, PORT, 0)));
	ASSERT_EQ(1, RESULT(msg_send(from, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(0, soon(two, got, sizeof(got), NULL));
	EXPECT_EQ(1, soon(two, got, sizeof(got), NULL));
}

/* Lengths around the sizes of flits, packets and pages. */
TEST_F(line, send__sizes)
{
	static const unsigned int about[] = {
		1, 60, 96, 128, 1400, 1484, 1500, 4096, 8192, 65536, 2 * 65536, 10 * 65536,
	};
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), delta;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(about); i++) {
		for (delta = -1; delta <= 1; delta++) {
			size_t len = about[i] + delta;
			uint64_t key = msg_key(1, 2, len);

			msg_fill(big, len, key, 0);
			ASSERT_EQ(len, RESULT(msg_send(from, big, len, 2, PORT, 0)));
			ASSERT_EQ(len, soon(to, got, sizeof(got), NULL));
			ASSERT_EQ(len, msg_check(got, len, key, 0));
		}
	}
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, send__largest)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);

	msg_fill(big, MIB, 3, 0);
	ASSERT_EQ(MIB, RESULT(msg_send(from, big, MIB, 2, PORT, 0)));
	ASSERT_EQ(MIB, soon(to, got, sizeof(got), NULL));
	EXPECT_EQ(MIB, msg_check(got, MIB, 3, 0));
	EXPECT_EQ(-EMSGSIZE, RESULT(msg_send(from, big, MIB + 1, 2, PORT, 0)));
	EXPECT_EQ(-EMSGSIZE, RESULT(msg_send(from, big, 16 * MIB, 2, PORT, 0)));
	EXPECT_EQ(-EMSGSIZE, RESULT(msg_send(from, big, 0x7ffff000, 2, PORT, 0)));
	EXPECT_TRUE(quiet(to));
}

/* Pages that the kernel has allocated since it started. */
static uint64_t pages_given(void)
{
	FILE *f = fopen("/proc/vmstat", "re");
	char name[64];
	uint64_t value, sum = 0;

	if (!f)
		return 0;
	while (fscanf(f, "%63s %" SCNu64, name, &value) == 2)
		if (!strncmp(name, "pgalloc_", 8))
			sum += value;
	fclose(f);
	return sum;
}

/* The kernel reuses pages of long messages: it clears them before it hands them out. */
TEST_F(line, send__pages_again)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), i, n = 300;
	const size_t len = 65536;
	uint64_t given = 0;

	for (i = -20; i < n; i++) {
		if (!i)
			given = pages_given();
		msg_fill(big, len, i, 0);
		ASSERT_EQ(len, RESULT(msg_send(from, big, len, 2, PORT, 0)));
		ASSERT_EQ(len, soon(to, got, sizeof(got), NULL));
		EXPECT_EQ(len, msg_check(got, len, i, 0));
	}
	given = pages_given() - given;
	EXPECT_LT(given, n * len / sysconf(_SC_PAGESIZE) / 2);
}

/* The kernel does not reuse pages of a message that is still unread. */
TEST_F(line, send__pages_unread)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT), later[10], i;

	for (i = 0; i < 10; i++)
		later[i] = SOCKET(2, PORT + 1 + i);
	for (i = 0; i < 500; i++) {
		/* Lengths that fill page blocks, and lengths beyond them. */
		size_t len = 65536 + i % 50 * 1000;

		msg_fill(big, len, i, 0);
		if (i % 50 == 0)
			ASSERT_EQ(len, RESULT(msg_send(from, big, len, 2, PORT + 1 + i / 50, 0)));
		ASSERT_EQ(len, RESULT(msg_send(from, big, len, 2, PORT, 0)));
		ASSERT_EQ(len, soon(to, got, sizeof(got), NULL));
		ASSERT_EQ(len, msg_check(got, len, i, 0));
	}
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(65536, soon(later[i], got, sizeof(got), NULL));
		EXPECT_EQ(65536, msg_check(got, 65536, i * 50, 0));
	}
}

/* Set a sysctl of the namespace of this thread.  Return: 0 or -errno. */
static int set_sysctl(const char *name, const char *value)
{
	char path[128];
	ssize_t err;
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/flitcast/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = RESULT(write(fd, value, strlen(value)));
	close(fd);
	return err < 0 ? err : 0;
}

static int get_sysctl(const char *name)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/net/flitcast/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -1;
	close(fd);
	return atoi(text);
}

TEST_F(line, sysctl__message_max)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);

	ASSERT_EQ(0, lab_enter(self->ns[0]));
	EXPECT_EQ(MIB, get_sysctl("message_max"));
	EXPECT_EQ(-EINVAL, set_sysctl("message_max", "0"));
	EXPECT_EQ(-EINVAL, set_sysctl("message_max", "-1"));
	EXPECT_EQ(-EINVAL, set_sysctl("message_max", "16777217"));
	ASSERT_EQ(0, set_sysctl("message_max", "100"));
	EXPECT_EQ(-EMSGSIZE, RESULT(msg_send(from, big, 101, 2, PORT, 0)));
	ASSERT_EQ(100, RESULT(msg_send(from, big, 100, 2, PORT, 0)));
	EXPECT_EQ(100, soon(to, got, sizeof(got), NULL));
	/* The limit applies to senders of its namespace only. */
	EXPECT_EQ(5, RESULT(msg_send(to, "12345", 5, 2, PORT, 0)));
	EXPECT_EQ(5, soon(to, got, sizeof(got), NULL));
	ASSERT_EQ(0, lab_enter(self->ns[2]));
	EXPECT_EQ(MIB, get_sysctl("message_max"));
	ASSERT_EQ(0, lab_enter(self->ns[0]));
	ASSERT_EQ(0, set_sysctl("message_max", "1048576"));
}

/* The largest possible message, to a receiver whose buffer is smaller. */
TEST_F(line, sysctl__sixteen_mebibytes)
{
	int from = SOCKET(0, 0), to = SOCKET(2, PORT);
	size_t most = 16 * MIB;

	ASSERT_EQ(0, lab_enter(self->ns[0]));
	ASSERT_EQ(0, set_sysctl("message_max", "16777216"));
	msg_fill(big, most, 4, 0);
	EXPECT_EQ(-EMSGSIZE, RESULT(msg_send(from, big, most + 1, 2, PORT, 0)));
	EXPECT_EQ(most, RESULT(msg_send(from, big, most, 2, PORT, 0)));
	EXPECT_NE(0, msg_wait(to, POLLIN, 4 * SOON_MS));
	EXPECT_EQ(most, RESULT(msg_recv(to, got, sizeof(got), NULL, MSG_DONTWAIT)));
	EXPECT_EQ(most, msg_check(got, most, 4, 0));
	ASSERT_EQ(0, set_sysctl("message_max", "1048576"));
}

TEST_F(bare, sysctl__per_namespace)
{
	EXPECT_EQ(MIB, get_sysctl("message_max"));
	EXPECT_LE(2 * MIB, get_sysctl("rmem_default"));
	EXPECT_LE(2 * MIB, get_sysctl("wmem_default"));
}

TEST_F(line, send__no_destination)
{
	struct sockaddr_flitcast list = msg_addr_list();
	int fd = SOCKET(0, 0);

	EXPECT_EQ(-EDESTADDRREQ, RESULT(send(fd, "x", 1, 0)));
	EXPECT_EQ(-EDESTADDRREQ, RESULT(write(fd, "x", 1)));
	EXPECT_EQ(-EDESTADDRREQ, send_raw(fd, &list, sizeof(list), "x", 1, NULL, 0, 0));
}

TEST_F(line, send__malformed_address)
{
	struct sockaddr_flitcast good = msg_addr(2, PORT), addr;
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	socklen_t len;

#define REFUSED(member, value) do {						\
	addr = good;								\
	addr.member = (value);							\
	EXPECT_EQ(-EINVAL, send_raw(fd, &addr, sizeof(addr), "x", 1, NULL, 0, 0)) { \
		TH_LOG(#member " " #value);					\
	}									\
} while (0)
	REFUSED(sfc_family, AF_INET);
	REFUSED(sfc_family, AF_UNSPEC);
	REFUSED(sfc_addrtype, 0);
	REFUSED(sfc_addrtype, 4);
	REFUSED(sfc_addrtype, 255);
	REFUSED(sfc_copies, 1);
	REFUSED(sfc_port, 0);
	REFUSED(sfc_zero, 1);
	REFUSED(sfc_zero2, 1);
	/* In the address of a list, all fields but the family must be zero. */
	good = msg_addr_list();
	REFUSED(sfc_copies, 1);
	REFUSED(sfc_port, PORT);
	REFUSED(sfc_site, 2);
	REFUSED(sfc_zero, 1);
	REFUSED(sfc_zero2, 1);
#undef REFUSED
	good = msg_addr(2, PORT);
	for (len = 1; len < sizeof(good); len++)
		EXPECT_EQ(-EINVAL, send_raw(fd, &good, len, "x", 1, NULL, 0, 0)) {
			TH_LOG("length %u", len);
		}
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, send__site_beyond_the_topology)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT }, { .site = 3, .port = PORT },
	};
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), i;

	EXPECT_EQ(-EHOSTUNREACH, RESULT(msg_send(fd, "x", 1, 3, PORT, 0)));
	/* Repeat often enough to fill the send buffer if refused messages stayed in it. */
	for (i = 0; i < 600; i++)
		ASSERT_EQ(-EHOSTUNREACH, RESULT(msg_send(fd, "x", 1, 3, PORT, MSG_DONTWAIT)));
	EXPECT_EQ(-EHOSTUNREACH, RESULT(msg_send(fd, "x", 1, 0xfffffffe, PORT, 0)));
	EXPECT_EQ(-EHOSTUNREACH, RESULT(msg_send(fd, "x", 1, FLITCAST_SITE_ANY, PORT, 0)));
	/* If one target has no route, no target gets the message. */
	EXPECT_EQ(-EHOSTUNREACH, RESULT(msg_send_list(fd, "x", 1, targets, 2, 0)));
	EXPECT_TRUE(quiet(to));
	EXPECT_EQ(0, msg_error(fd));
	EXPECT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, MSG_DONTWAIT)));
	EXPECT_EQ(1, soon(to, got, sizeof(got), NULL));
}

TEST_F(line, send__no_socket_there)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct flitcast_sock_stats stats;

	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT + 1, 0)));
	EXPECT_EQ(ECONNREFUSED, error_soon(fd));
	/* The socket reports the error once. */
	EXPECT_EQ(0, msg_error(fd));
	EXPECT_FALSE(msg_wait(fd, POLLERR, QUIET_MS) & POLLERR);
	stats = msg_stats(fd);
	EXPECT_EQ(1, stats.tx_failed);
	EXPECT_EQ(0, stats.tx_confirmed);
	/* The socket reports an error of a target at the sender's own site, too. */
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 0, PORT + 1, 0)));
	EXPECT_EQ(ECONNREFUSED, error_soon(fd));
	/* The socket still works. */
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(1, soon(to, got, sizeof(got), NULL));
	EXPECT_EQ(0, msg_error(fd));
}

/* A pending error is also the result of the next call, which does nothing else. */
TEST_F(line, send__pending_error)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	char byte;

	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT + 1, 0)));
	ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS));
	EXPECT_EQ(-ECONNREFUSED, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	EXPECT_TRUE(quiet(to));
	EXPECT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, 0)));
	EXPECT_EQ(1, soon(to, got, sizeof(got), NULL));
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT + 1, 0)));
	ASSERT_NE(0, msg_wait(fd, POLLERR, SOON_MS));
	EXPECT_EQ(-ECONNREFUSED, RESULT(msg_recv(fd, &byte, 1, NULL, MSG_DONTWAIT)));
	EXPECT_EQ(-EAGAIN, RESULT(msg_recv(fd, &byte, 1, NULL, MSG_DONTWAIT)));
}

/* A large message: the refusal arrives while most packets are still unsent. */
TEST_F(line, send__no_socket_there_large)
{
	int fd = SOCKET(0, 0);

	ASSERT_EQ(MIB, RESULT(msg_send(fd, big, MIB, 2, PORT, 0)));
	EXPECT_EQ(ECONNREFUSED, error_soon(fd));
}

TEST_F(line, send__some_refused)
{
	struct flitcast_target targets[] = {
		{ .site = 1, .port = PORT }, { .site = 2, .port = PORT },
		{ .site = 2, .port = PORT + 1 }, { .site = 0, .port = PORT },
	};
	int fd = SOCKET(0, 0), one = SOCKET(1, PORT), two = SOCKET(2, PORT), i;

	for (i = 0; i < 5; i++) {
		msg_fill(big, 100000, i, 0);
		ASSERT_EQ(100000, RESULT(msg_send_list(fd, big, 100000, targets, 4, 0)));
		EXPECT_EQ(100000, soon(one, got, sizeof(got), NULL));
		EXPECT_EQ(100000, msg_check(got, 100000, i, 0));
		EXPECT_EQ(100000, soon(two, got, sizeof(got), NULL));
		EXPECT_EQ(100000, msg_check(got, 100000, i, 0));
		EXPECT_EQ(ECONNREFUSED, error_soon(fd));
	}
	EXPECT_EQ(5, msg_stats(fd).tx_failed);
}

TEST_F(line, send__target_twice)
{
	struct flitcast_target targets[] = {
		{ .site = 2, .port = PORT }, { .site = 1, .port = PORT },
		{ .site = 2, .port = PORT, .offset = 1 },
	};
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);

	EXPECT_EQ(-EINVAL, RESULT(msg_send_list(fd, "four", 4, targets, 3, 0)));
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, send__target_malformed)
{
	struct flitcast_target target = { .site = 2, .port = PORT };
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), i;

	for (i = 0; i < 16; i++) {
		target.flags = 1 << i;
		EXPECT_EQ(-EINVAL, RESULT(msg_send_list(fd, "four", 4, &target, 1, 0)));
	}
	target.flags = 0;
	target.port = 0;
	EXPECT_EQ(-EINVAL, RESULT(msg_send_list(fd, "four", 4, &target, 1, 0)));
	EXPECT_TRUE(quiet(to));
}

/* The maximum number of targets, each with a part of its own. */
TEST_F(line, send__most_targets)
{
	static struct flitcast_target targets[FLITCAST_TARGETS_MAX + 1];
	static int to[FLITCAST_TARGETS_MAX];
	int fd = SOCKET(0, 0), i;

	ASSERT_EQ(0, allow_descriptors(2000));
	for (i = 0; i < FLITCAST_TARGETS_MAX; i++) {
		targets[i] = (struct flitcast_target) {
			.site = i % 3, .port = PORT + i / 3, .offset = 4 * i, .length = 4,
		};
		to[i] = SOCKET(i % 3, PORT + i / 3);
		ASSERT_LE(0, to[i]);
	}
	targets[i] = (struct flitcast_target) { .site = 0, .port = 4000 };
	msg_fill(big, 4 * i, 5, 0);
	EXPECT_EQ(-EINVAL, RESULT(msg_send_list(fd, big, 4 * i, targets, i + 1, 0)));
	ASSERT_EQ(4 * i, RESULT(msg_send_list(fd, big, 4 * i, targets, i, 0)));
	for (i = 0; i < FLITCAST_TARGETS_MAX; i++) {
		ASSERT_EQ(4, soon(to[i], got, sizeof(got), NULL)) {
			TH_LOG("target %d", i);
		}
		ASSERT_EQ(4, msg_check(got, 4, 5, 4 * i));
	}
	EXPECT_EQ(0, msg_error(fd));
	for (i = 0; i < FLITCAST_TARGETS_MAX; i++)
		EXPECT_FALSE(msg_wait(to[i], POLLIN, 0));
}

/* Lists about as long as a packet can hold, with data of several packets. */
TEST_F(line, send__list_sizes)
{
	static const int sizes[] = { 2, 31, 63, 64, 65, 70, 128, 129, 200 };
	static struct flitcast_target targets[200];
	int fd = SOCKET(0, 0), to[200], i;
	unsigned int s;

	ASSERT_EQ(0, allow_descriptors(2000));
	for (i = 0; i < 200; i++) {
		targets[i] = (struct flitcast_target) { .site = i % 3, .port = PORT + i / 3 };
		to[i] = SOCKET(i % 3, PORT + i / 3);
		ASSERT_LE(0, to[i]);
	}
	for (s = 0; s < ARRAY_SIZE(sizes); s++) {
		msg_fill(big, 70000, s, 0);
		ASSERT_EQ(70000, RESULT(msg_send_list(fd, big, 70000, targets, sizes[s], 0)));
		for (i = 0; i < sizes[s]; i++) {
			ASSERT_EQ(70000, soon(to[i], got, sizeof(got), NULL)) {
				TH_LOG("target %d of %d", i, sizes[s]);
			}
			ASSERT_EQ(70000, msg_check(got, 70000, s, 0));
		}
	}
	EXPECT_EQ(0, msg_error(fd));
}

TEST_F(line, send__list_and_site)
{
	struct flitcast_target target = { .site = 1, .port = PORT };
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	struct control control = { .used = 0 };
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);

	memcpy(control_add(&control, SOL_FLITCAST, FLITCAST_TARGETS, sizeof(target)), &target,
	       sizeof(target));
	EXPECT_EQ(-EINVAL, send_raw(fd, &addr, sizeof(addr), "x", 1, control.buf, control.used, 0));
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, send__other_control_messages)
{
	struct flitcast_target target = { .site = 2, .port = PORT };
	struct control control = { .used = 0 };
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);

	/* Flitcast ignores control messages of other protocols, wherever they stand. */
	control_add(&control, SOL_TIPC, 77, 5);
	memcpy(control_add(&control, SOL_FLITCAST, FLITCAST_TARGETS, sizeof(target)), &target,
	       sizeof(target));
	control_add(&control, SOL_TIPC, 78, 1);
	EXPECT_EQ(4, send_control(fd, &control));
	EXPECT_EQ(4, soon(to, got, sizeof(got), NULL));
	/* A repeated or unknown control message of Flitcast is an error. */
	memcpy(control_add(&control, SOL_FLITCAST, FLITCAST_TARGETS, sizeof(target)), &target,
	       sizeof(target));
	EXPECT_EQ(-EINVAL, send_control(fd, &control));
	control.used = 0;
	memcpy(control_add(&control, SOL_FLITCAST, FLITCAST_TARGETS, sizeof(target)), &target,
	       sizeof(target));
	control_add(&control, SOL_FLITCAST, FLITCAST_INFO, sizeof(struct flitcast_info));
	EXPECT_EQ(-EINVAL, send_control(fd, &control));
	control.used = 0;
	control_add(&control, SOL_FLITCAST, 99, 16);
	EXPECT_EQ(-EINVAL, send_control(fd, &control));
	EXPECT_TRUE(quiet(to));
}

TEST_F(line, send__control_lengths)
{
	struct flitcast_target target = { .site = 2, .port = PORT };
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	struct control control;
	struct cmsghdr *cmsg = (void *)control.buf;
	size_t len;

	/* Every length but that of one target: part of one, or beyond the buffer. */
	for (len = 0; len <= CMSG_LEN(5 * sizeof(target)); len++) {
		control.used = 0;
		memcpy(control_add(&control, SOL_FLITCAST, FLITCAST_TARGETS, sizeof(target)),
		       &target, sizeof(target));
		if (len == CMSG_LEN(sizeof(target)))
			continue;
		cmsg->cmsg_len = len;
		EXPECT_EQ(-EINVAL, send_control(fd, &control)) {
			TH_LOG("length %zu", len);
		}
	}
	/* A list of no targets is a message without destination. */
	cmsg->cmsg_len = CMSG_LEN(0);
	control.used = CMSG_SPACE(0);
	EXPECT_EQ(-EDESTADDRREQ, send_control(fd, &control));
	control.used = CMSG_SPACE(sizeof(target));
	cmsg->cmsg_len = -1;
	EXPECT_EQ(-EINVAL, send_control(fd, &control));
	cmsg->cmsg_len = 0x7fffffff;
	EXPECT_EQ(-EINVAL, send_control(fd, &control));
	EXPECT_TRUE(quiet(to));
	cmsg->cmsg_len = CMSG_LEN(sizeof(target));
	EXPECT_EQ(4, send_control(fd, &control));
	EXPECT_EQ(4, soon(to, got, sizeof(got), NULL));
}

TEST_F(line, send__flags)
{
	static const int bad[] = { MSG_PEEK, MSG_TRUNC, MSG_FASTOPEN, MSG_WAITALL };
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(-EINVAL, RESULT(msg_send(fd, "x", 1, 2, PORT, bad[i]))) {
			TH_LOG("flag %#x", bad[i]);
		}
	EXPECT_EQ(-EOPNOTSUPP, RESULT(msg_send(fd, "x", 1, 2, PORT, MSG_OOB)));
	EXPECT_TRUE(quiet(to));
	EXPECT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, MSG_DONTWAIT | MSG_NOSIGNAL)));
	EXPECT_EQ(1, soon(to, got, sizeof(got), NULL));
	/* Flitcast ignores these hints, which other families accept. */
	EXPECT_EQ(1, RESULT(msg_send(fd, "x", 1, 2, PORT, MSG_CONFIRM | MSG_DONTROUTE)));
	EXPECT_EQ(1, soon(to, got, sizeof(got), NULL));
}

TEST_F(line, send__bad_pointers)
{
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);
	size_t page = sysconf(_SC_PAGESIZE);
	char *map;
	int i;

	map = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, mprotect(map + 3 * page, page, PROT_NONE));
	/* Repeat often enough to fill the send buffer if refused messages stayed in it. */
	for (i = 0; i < 600; i++)
		ASSERT_EQ(-EFAULT, send_raw(fd, &addr, sizeof(addr), map + 1, 4 * page - 1, NULL,
					    0, MSG_DONTWAIT));
	for (i = 0; i < 600; i++)
		ASSERT_EQ(-EFAULT, send_raw(fd, &addr, sizeof(addr), map + 3 * page - 1, 2, NULL,
					    0, MSG_DONTWAIT));
	EXPECT_EQ(-EFAULT, send_raw(fd, (void *)16, sizeof(addr), map, 1, NULL, 0, 0));
	EXPECT_EQ(-EFAULT, send_raw(fd, &addr, sizeof(addr), map, 1, (void *)16, 64, 0));
	EXPECT_EQ(-EFAULT, send_raw(fd, &addr, sizeof(addr), (void *)16, 1, NULL, 0, 0));
	EXPECT_TRUE(quiet(to));
	EXPECT_EQ(3 * page, send_raw(fd, &addr, sizeof(addr), map, 3 * page, NULL, 0, 0));
	EXPECT_EQ(3 * page, soon(to, got, sizeof(got), NULL));
}

TEST_F(line, send__gather)
{
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), i;
	struct iovec iov[100];
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = iov, .msg_iovlen = 100,
	};
	size_t at = 0;

	msg_fill(big, MIB, 6, 0);
	for (i = 0; i < 100; i++) {
		iov[i].iov_base = big + at;
		iov[i].iov_len = i * 37 % 5000;
		at += iov[i].iov_len;
	}
	ASSERT_EQ(at, RESULT(sendmsg(fd, &msg, 0)));
	ASSERT_EQ(at, soon(to, got, sizeof(got), NULL));
	EXPECT_EQ(at, msg_check(got, at, 6, 0));
}

TEST_F(line, send__several_at_once)
{
	struct sockaddr_flitcast addr = msg_addr(2, PORT);
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT), i;
	struct mmsghdr msgs[5] = { 0 };
	struct iovec iov[5];

	for (i = 0; i < 5; i++) {
		iov[i] = (struct iovec) { .iov_base = "12345", .iov_len = i + 1 };
		msgs[i].msg_hdr = (struct msghdr) {
			.msg_name = &addr, .msg_namelen = sizeof(addr),
			.msg_iov = &iov[i], .msg_iovlen = 1,
		};
	}
	ASSERT_EQ(5, RESULT(sendmmsg(fd, msgs, 5, 0)));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(i + 1, soon(to, got, sizeof(got), NULL));
}

/* The message does not change when the sender overwrites its buffer after sendmsg(). */
TEST_F(line, send__copies)
{
	int fd = SOCKET(0, 0), to = SOCKET(2, PORT);

	msg_fill(big, MIB, 8, 0);
	ASSERT_EQ(MIB, RESULT(msg_send(fd, big, MIB, 2, PORT, 0)));
	memset(big, 0, MIB);
	ASSERT_EQ(MIB, soon(to, got, sizeof(got), NULL));
	EXPECT_EQ(MIB, msg_check(got, MIB, 8, 0));
}

/* 1,000 messages of random lengths arrive in order. */
TEST_F(line, send__order)
{
	int from = msg_socket(self->ns[0], 0, 0, SOCK_NONBLOCK);
	int to = msg_socket(self->ns[2], 2, PORT, SOCK_NONBLOCK);
	uint64_t until = now_ms() + 3 * SOON_MS;
	struct prng prng = { .state = 42 };
	uint32_t len[1000];
	int sent = 0, received = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(len); i++)
		len[i] = prng_below(&prng, 4) ? prng_log(&prng, 0, 100000) : 0;
	while (received < 1000) {
		struct pollfd fds[] = {
			{ .fd = to, .events = POLLIN },
			{ .fd = from, .events = sent < 1000 ? POLLOUT : 0 },
		};

		ASSERT_LT(now_ms(), until) {
			TH_LOG("sent %d received %d", sent, received);
		}
		poll(fds, 2, 1000);
		while (sent < 1000) {
			msg_fill(big, len[sent], msg_key(9, 0, sent), 0);
			if (RESULT(msg_send(from, big, len[sent], 2, PORT, 0)) != len[sent])
				break;
			sent++;
		}
		for (;;) {
			ssize_t n = RESULT(msg_recv(to, got, sizeof(got), NULL, 0));

			if (n == -EAGAIN)
				break;
			ASSERT_EQ(len[received], n) {
				TH_LOG("message %d", received);
			}
			ASSERT_EQ(n, msg_check(got, n, msg_key(9, 0, received), 0));
			received++;
		}
	}
	EXPECT_TRUE(quiet(to));
	EXPECT_EQ(0, msg_error(from));
}

/* Two ports of a site do not receive each other's messages. */
TEST_F(line, send__two_ports)
{
	int from = SOCKET(0, 0), one = SOCKET(2, PORT), two = SOCKET(2, PORT + 1), i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(3, RESULT(msg_send(from, "one", 3, 2, PORT, 0)));
		ASSERT_EQ(6, RESULT(msg_send(from, "second", 6, 2, PORT + 1, 0)));
	}
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(3, soon(one, got, sizeof(got), NULL));
		ASSERT_EQ(6, soon(two, got, sizeof(got), NULL));
	}
	EXPECT_TRUE(quiet(one));
	EXPECT_TRUE(quiet(two));
}

struct sender {
	int fd;
	uint32_t number;
	int failed;
};

static void *send_hundred(void *arg)
{
	struct sender *sender = arg;
	uint32_t words[2] = { sender->number };

	for (words[1] = 0; words[1] < 100; words[1]++) {
		struct flitcast_target targets[] = {
			{ .site = 2, .port = PORT }, { .site = 1, .port = PORT },
		};

		if (msg_send_list(sender->fd, words, sizeof(words), targets, 2, 0) != sizeof(words))
			sender->failed = errno;
	}
	return NULL;
}

/* Several threads send on one socket: each thread's messages arrive in order, none twice. */
TEST_F(line, send__threads)
{
	int fd = SOCKET(0, 0), two = SOCKET(2, PORT), one = SOCKET(1, PORT), i;
	uint32_t next[4] = { 0 }, words[2];
	struct sender sender[4];
	pthread_t thread[4];

	for (i = 0; i < 4; i++) {
		sender[i] = (struct sender) { .fd = fd, .number = i };
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, send_hundred, &sender[i]));
	}
	for (i = 0; i < 400; i++) {
		ASSERT_EQ(sizeof(words), soon(two, words, sizeof(words), NULL));
		ASSERT_GT(4, words[0]);
		ASSERT_EQ(next[words[0]], words[1]);
		next[words[0]]++;
		ASSERT_EQ(sizeof(words), soon(one, words, sizeof(words), NULL));
	}
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(0, sender[i].failed);
	}
	EXPECT_TRUE(quiet(two));
}

API_MAIN
