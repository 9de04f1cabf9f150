// SPDX-License-Identifier: GPL-2.0
/*
 * socket(), bind(), names and options.
 */
#include "api.h"

static ssize_t bind_to(int fd, const struct sockaddr_flitcast *addr, socklen_t len)
{
	return RESULT(bind(fd, (const struct sockaddr *)addr, len));
}

static ssize_t bind_port(int fd, uint32_t site, uint16_t port)
{
	struct sockaddr_flitcast addr = msg_addr(site, port);

	return bind_to(fd, &addr, sizeof(addr));
}

static int rdm(void)
{
	return socket(msg_family(), SOCK_RDM | SOCK_CLOEXEC, 0);
}

/* Remove a capability from the effective set of this process. */
static int drop_capability(int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -1;
	data[cap / 32].effective &= ~(1U << cap % 32);
	return syscall(SYS_capset, &header, data);
}

TEST_F(bare, socket__types)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_PACKET };
	unsigned int i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		EXPECT_EQ(-ESOCKTNOSUPPORT, RESULT(socket(msg_family(), types[i], 0))) {
			TH_LOG("type %d", types[i]);
		}
	fd = RESULT(socket(msg_family(), SOCK_RDM, 0));
	EXPECT_LE(0, fd);
	fd = RESULT(socket(msg_family(), SOCK_SEQPACKET, 0));
	EXPECT_LE(0, fd);
}

TEST_F(bare, socket__protocol_is_zero)
{
	EXPECT_EQ(-EPROTONOSUPPORT, RESULT(socket(msg_family(), SOCK_RDM, 1)));
	EXPECT_EQ(-EPROTONOSUPPORT, RESULT(socket(msg_family(), SOCK_RDM, 255)));
	EXPECT_EQ(-EPROTONOSUPPORT, RESULT(socket(msg_family(), SOCK_RDM, 0x7fffffff)));
}

TEST_F(bare, socket__pair)
{
	int pair[2];

	EXPECT_EQ(-EOPNOTSUPP, RESULT(socketpair(msg_family(), SOCK_RDM, 0, pair)));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(socketpair(msg_family(), SOCK_SEQPACKET, 0, pair)));
}

TEST_F(bare, socket__flags)
{
	int fd = socket(msg_family(), SOCK_RDM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(O_NONBLOCK, fcntl(fd, F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(FD_CLOEXEC, fcntl(fd, F_GETFD));
}

TEST_F(bare, socket__unprivileged)
{
	ASSERT_EQ(0, setresgid(65534, 65534, 65534));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_LE(0, RESULT(rdm()));
}

TEST_F(bare, socket__what_it_is)
{
	static const int options[] = { SO_DOMAIN, SO_TYPE, SO_PROTOCOL };
	int want[] = { msg_family(), SOCK_RDM, 0 };
	int fd = rdm(), value;
	socklen_t len = sizeof(value);
	unsigned int i;

	ASSERT_LE(0, fd);
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, options[i], &value, &len));
		EXPECT_EQ(want[i], value);
	}
}

TEST_F(bare, socket__not_connected)
{
	struct sockaddr_flitcast addr = msg_addr(0, 5000);
	socklen_t len = sizeof(addr);
	int fd = rdm();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EOPNOTSUPP, RESULT(listen(fd, 1)));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(accept(fd, NULL, NULL)));
	EXPECT_EQ(-EOPNOTSUPP, RESULT(shutdown(fd, SHUT_RDWR)));
	EXPECT_EQ(-ENOTCONN, RESULT(getpeername(fd, (struct sockaddr *)&addr, &len)));
}

TEST_F(bare, bind__no_site)
{
	int fd = rdm();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENETDOWN, bind_port(fd, FLITCAST_SITE_ANY, 5000));
	EXPECT_EQ(-ENETDOWN, bind_port(fd, 0, 0));
	EXPECT_EQ(-ENETDOWN, bind_port(fd, 1, 5000));
}

TEST_F(bare, send__no_site)
{
	int fd = rdm();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENETDOWN, RESULT(msg_send(fd, "x", 1, 0, 5000, 0)));
}

TEST_F(bare, recv__not_bound)
{
	char byte;
	int fd = rdm();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EINVAL, RESULT(msg_recv(fd, &byte, 1, NULL, 0)));
}

TEST_F(bare, name__not_bound)
{
	int fd = rdm();
	struct sockaddr_flitcast addr;

	ASSERT_LE(0, fd);
	addr = msg_name(fd);
	EXPECT_EQ(msg_family(), addr.sfc_family);
	EXPECT_EQ(FLITCAST_ADDR_SITE, addr.sfc_addrtype);
	EXPECT_EQ(FLITCAST_SITE_ANY, addr.sfc_site);
	EXPECT_EQ(0, addr.sfc_port);
}

TEST_F(alone, bind__explicit)
{
	struct sockaddr_flitcast addr;
	int fd = rdm();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, bind_port(fd, 1, 5000));
	addr = msg_name(fd);
	EXPECT_EQ(msg_family(), addr.sfc_family);
	EXPECT_EQ(FLITCAST_ADDR_SITE, addr.sfc_addrtype);
	EXPECT_EQ(1, addr.sfc_site);
	EXPECT_EQ(5000, addr.sfc_port);
	EXPECT_EQ(0, addr.sfc_copies);
	EXPECT_EQ(0, addr.sfc_zero);
	EXPECT_EQ(0, addr.sfc_zero2);
}

TEST_F(alone, bind__extreme_ports)
{
	int low = rdm(), high = rdm();

	EXPECT_EQ(0, bind_port(low, 1, 1));
	EXPECT_EQ(0, bind_port(high, 1, 65535));
	EXPECT_EQ(1, msg_name(low).sfc_port);
	EXPECT_EQ(65535, msg_name(high).sfc_port);
}

TEST_F(alone, bind__free_port)
{
	bool seen[65536] = { false };
	int i;

	for (i = 0; i < 200; i++) {
		int fd = rdm();
		uint16_t port;

		ASSERT_EQ(0, bind_port(fd, FLITCAST_SITE_ANY, 0));
		port = msg_name(fd).sfc_port;
		EXPECT_LE(FLITCAST_PORT_DYNAMIC, port);
		EXPECT_FALSE(seen[port]);
		seen[port] = true;
	}
}

/* If no port is free, bind() fails and does not search for ever. */
TEST_F(alone, bind__no_free_port)
{
	int i, fd, last = -1;

	ASSERT_EQ(0, allow_descriptors(20000));
	for (i = FLITCAST_PORT_DYNAMIC; i < 65536; i++) {
		fd = rdm();
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, bind_port(fd, 1, i)) {
			TH_LOG("port %d", i);
		}
		last = fd;
	}
	fd = rdm();
	EXPECT_EQ(-EADDRINUSE, bind_port(fd, 1, 0));
	close(last);
	EXPECT_EQ(0, bind_port(fd, 1, 0));
	EXPECT_EQ(65535, msg_name(fd).sfc_port);
}

TEST_F(alone, bind__only_site)
{
	int any = rdm(), zero = rdm();

	EXPECT_EQ(0, bind_port(any, FLITCAST_SITE_ANY, 5000));
	EXPECT_EQ(1, msg_name(any).sfc_site);
	EXPECT_EQ(0, bind_port(zero, 0, 5001));
	EXPECT_EQ(1, msg_name(zero).sfc_site);
}

TEST_F(alone, bind__several_sites)
{
	int fd = rdm();

	ASSERT_EQ(0, cli("site add 2 topology line:3"));
	EXPECT_EQ(-EADDRNOTAVAIL, bind_port(fd, FLITCAST_SITE_ANY, 5000));
	EXPECT_EQ(-EADDRNOTAVAIL, bind_port(fd, 0, 5000));
	EXPECT_EQ(0, bind_port(fd, 2, 5000));
	EXPECT_EQ(2, msg_name(fd).sfc_site);
	/* Ports are per site: port 5000 of site 1 is not port 5000 of site 2. */
	fd = rdm();
	EXPECT_EQ(0, bind_port(fd, 1, 5000));
	EXPECT_EQ(1, msg_name(fd).sfc_site);
}

/* Site 0 is no wildcard: a network that has a site 0 binds to that site. */
TEST_F(alone, bind__site_zero)
{
	int fd = rdm();

	ASSERT_EQ(0, cli("site add 0 topology line:3"));
	EXPECT_EQ(0, bind_port(fd, 0, 5000));
	EXPECT_EQ(0, msg_name(fd).sfc_site);
	EXPECT_EQ(5000, msg_name(fd).sfc_port);
}

TEST_F(alone, bind__in_use)
{
	int one = rdm(), two = rdm();

	ASSERT_EQ(0, bind_port(one, 1, 5000));
	EXPECT_EQ(-EADDRINUSE, bind_port(two, 1, 5000));
	EXPECT_EQ(-EADDRINUSE, bind_port(two, FLITCAST_SITE_ANY, 5000));
	/* The site itself uses this port. */
	EXPECT_EQ(-EADDRINUSE, bind_port(two, 1, FLITCAST_PORT_ECHO));
	/* A refusal leaves the socket as it was, and close() the port free. */
	close(one);
	EXPECT_EQ(0, bind_port(two, 1, 5000));
}

TEST_F(alone, bind__unknown_site)
{
	int fd = rdm();

	EXPECT_EQ(-EADDRNOTAVAIL, bind_port(fd, 2, 5000));
	EXPECT_EQ(-EADDRNOTAVAIL, bind_port(fd, 77777, 5000));
	EXPECT_EQ(-EADDRNOTAVAIL, bind_port(fd, 0xfffffffe, 5000));
	EXPECT_EQ(0, bind_port(fd, 1, 5000));
}

TEST_F(alone, bind__twice)
{
	int fd = rdm();

	ASSERT_EQ(0, bind_port(fd, 1, 5000));
	EXPECT_EQ(-EINVAL, bind_port(fd, 1, 5001));
	EXPECT_EQ(-EINVAL, bind_port(fd, 1, 5000));
	EXPECT_EQ(5000, msg_name(fd).sfc_port);
}

TEST_F(alone, bind__wrong_length)
{
	struct {
		struct sockaddr_flitcast addr;
		char more[112];
	} big = { .addr = msg_addr(1, 5000) };
	socklen_t len;
	int fd = rdm();

	ASSERT_LE(0, fd);
	for (len = 0; len <= sizeof(big); len++) {
		if (len == sizeof(big.addr))
			continue;
		EXPECT_EQ(-EINVAL, bind_to(fd, &big.addr, len)) {
			TH_LOG("length %u", len);
		}
	}
	EXPECT_EQ(-EINVAL, bind_to(fd, &big.addr, -1));
	EXPECT_EQ(-EFAULT, RESULT(bind(fd, (void *)16, sizeof(big.addr))));
	EXPECT_EQ(0, bind_to(fd, &big.addr, sizeof(big.addr)));
}

TEST_F(alone, bind__malformed)
{
	struct sockaddr_flitcast good = msg_addr(1, 5000), addr;
	int fd = rdm();

	ASSERT_LE(0, fd);
#define REFUSED(member, value) do {						\
	addr = good;								\
	addr.member = (value);							\
	EXPECT_EQ(-EINVAL, bind_to(fd, &addr, sizeof(addr))) {			\
		TH_LOG(#member " " #value);					\
	}									\
} while (0)
	REFUSED(sfc_family, AF_INET);
	REFUSED(sfc_family, AF_UNSPEC);
	REFUSED(sfc_family, 0xffff);
	REFUSED(sfc_addrtype, 0);
	REFUSED(sfc_addrtype, FLITCAST_ADDR_LIST);
	REFUSED(sfc_addrtype, FLITCAST_ADDR_BROADCAST);
	REFUSED(sfc_addrtype, 4);
	REFUSED(sfc_addrtype, 255);
	REFUSED(sfc_copies, 1);
	REFUSED(sfc_copies, 255);
	REFUSED(sfc_zero, 1);
	REFUSED(sfc_zero, 0x8000);
	REFUSED(sfc_zero2, 1);
	REFUSED(sfc_zero2, 0x80000000);
#undef REFUSED
	EXPECT_EQ(0, bind_to(fd, &good, sizeof(good)));
}

TEST_F(alone, bind__reserved_ports)
{
	int fd = rdm();

	EXPECT_EQ(0, bind_port(fd, 1, 1023));
	ASSERT_EQ(0, drop_capability(CAP_NET_BIND_SERVICE));
	fd = rdm();
	EXPECT_EQ(-EACCES, bind_port(fd, 1, 1));
	EXPECT_EQ(-EACCES, bind_port(fd, 1, 1022));
	EXPECT_EQ(-EACCES, bind_port(fd, 1, 1023));
	EXPECT_EQ(0, bind_port(fd, 1, 1024));
	fd = rdm();
	EXPECT_EQ(0, bind_port(fd, 1, 0));
}

TEST_F(alone, bind__unprivileged)
{
	int fd;

	ASSERT_EQ(0, setresgid(65534, 65534, 65534));
	ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	fd = rdm();
	EXPECT_EQ(-EACCES, bind_port(fd, 1, 1023));
	EXPECT_EQ(0, bind_port(fd, 1, 5000));
}

static void *bind_repeatedly(void *arg)
{
	int *wins = arg, i;

	for (i = 0; i < 300; i++) {
		int fd = rdm();

		if (!bind_port(fd, 1, 5000))
			(*wins)++;
		close(fd);
	}
	return NULL;
}

/* Two threads bind one port over and over: afterwards the port is free. */
TEST_F(alone, bind__race)
{
	int wins[2] = { 0 }, fd = rdm();
	pthread_t thread[2];

	ASSERT_EQ(0, pthread_create(&thread[0], NULL, bind_repeatedly, &wins[0]));
	ASSERT_EQ(0, pthread_create(&thread[1], NULL, bind_repeatedly, &wins[1]));
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	EXPECT_LT(0, wins[0] + wins[1]);
	EXPECT_EQ(0, bind_port(fd, 1, 5000));
}

TEST_F(alone, name__short_buffer)
{
	struct sockaddr_flitcast addr;
	socklen_t len = 4;
	int fd = msg_socket(-1, 1, 5000, 0);

	ASSERT_LE(0, fd);
	memset(&addr, 0x5a, sizeof(addr));
	EXPECT_EQ(0, getsockname(fd, (struct sockaddr *)&addr, &len));
	EXPECT_EQ(sizeof(addr), len);
	EXPECT_EQ(FLITCAST_ADDR_SITE, addr.sfc_addrtype);
	EXPECT_EQ(0x5a5a, addr.sfc_port);
}

TEST_F(alone, peer__none)
{
	struct sockaddr_flitcast addr;
	socklen_t len = sizeof(addr);
	int fd = msg_socket(-1, 1, 5000, 0);

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOTCONN, RESULT(getpeername(fd, (struct sockaddr *)&addr, &len)));
}

static ssize_t set_option(int fd, int option, const void *value, socklen_t len)
{
	return RESULT(setsockopt(fd, SOL_FLITCAST, option, value, len));
}

static ssize_t get_option(int fd, int option, void *value, socklen_t *len)
{
	return RESULT(getsockopt(fd, SOL_FLITCAST, option, value, len));
}

TEST_F(bare, option__info)
{
	int fd = rdm(), value = 1;
	socklen_t len = sizeof(value);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, get_option(fd, FLITCAST_INFO, &value, &len));
	EXPECT_EQ(0, value);
	value = 1;
	ASSERT_EQ(0, set_option(fd, FLITCAST_INFO, &value, sizeof(value)));
	value = 0;
	ASSERT_EQ(0, get_option(fd, FLITCAST_INFO, &value, &len));
	EXPECT_EQ(1, value);
	EXPECT_EQ(sizeof(value), len);
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_INFO, &value, 1));
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_INFO, &value, 0));
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_INFO, &value, 8));
}

TEST_F(bare, option__admission)
{
	struct flitcast_admission admission;
	socklen_t len = sizeof(admission) + 8;
	int fd = rdm();

	ASSERT_LE(0, fd);
	memset(&admission, 0xff, sizeof(admission));
	ASSERT_EQ(0, get_option(fd, FLITCAST_ADMISSION, &admission, &len));
	EXPECT_EQ(sizeof(admission), len);
	EXPECT_EQ(0, admission.id);
	EXPECT_EQ(0, admission.waiting);
	EXPECT_EQ(0, admission.reserved);
	EXPECT_EQ(-ENOPROTOOPT, set_option(fd, FLITCAST_ADMISSION, &admission,
					   sizeof(admission)));
}

TEST_F(bare, option__timeout)
{
	int fd = rdm();
	unsigned int value = 0;
	socklen_t len = sizeof(value);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, get_option(fd, FLITCAST_TIMEOUT, &value, &len));
	EXPECT_LT(0, value);
	value = 1500;
	ASSERT_EQ(0, set_option(fd, FLITCAST_TIMEOUT, &value, sizeof(value)));
	value = 0;
	ASSERT_EQ(0, get_option(fd, FLITCAST_TIMEOUT, &value, &len));
	EXPECT_EQ(1500, value);
	/* A time-out of 0 would fail any message, whatever the network. */
	value = 0;
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_TIMEOUT, &value, sizeof(value)));
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_TIMEOUT, &value, 3));
	EXPECT_EQ(-EFAULT, set_option(fd, FLITCAST_TIMEOUT, (void *)16, sizeof(value)));
}

TEST_F(alone, option__errmsg)
{
	char text[256] = "unchanged";
	socklen_t len = sizeof(text);
	int fd = rdm();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, get_option(fd, FLITCAST_ERRMSG, text, &len));
	EXPECT_STREQ("", text);
	EXPECT_EQ(1, len);
	ASSERT_EQ(-EADDRNOTAVAIL, bind_port(fd, 2, 5000));
	len = sizeof(text);
	ASSERT_EQ(0, get_option(fd, FLITCAST_ERRMSG, text, &len));
	EXPECT_LT(5, strnlen(text, sizeof(text)));
	EXPECT_EQ(strnlen(text, sizeof(text)) + 1, len);
	/* A short buffer gets the beginning; the bytes behind the buffer are not written. */
	text[4] = 0x5a;
	len = 4;
	EXPECT_EQ(0, get_option(fd, FLITCAST_ERRMSG, text, &len));
	EXPECT_EQ(0x5a, text[4]);
	EXPECT_GE(4, len);
	EXPECT_NE(0, set_option(fd, FLITCAST_ERRMSG, "x", 2));
}

/* The text belongs to the last call: a successful call clears it. */
TEST_F(alone, option__errmsg_forgotten)
{
	struct sockaddr_flitcast to = msg_addr(1, 5000);
	char text[256], byte;
	socklen_t len;
	int fd = rdm(), i;
	unsigned int value = 1;

	ASSERT_EQ(0, bind_port(fd, 1, 5000));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(-EINVAL, RESULT(msg_send(fd, "x", 1, 1, 0, 0)));
		len = sizeof(text);
		ASSERT_EQ(0, get_option(fd, FLITCAST_ERRMSG, text, &len));
		EXPECT_LT(1, len);
		/* Reading the text is no refused call, and does not change it. */
		len = sizeof(text);
		ASSERT_EQ(0, get_option(fd, FLITCAST_ERRMSG, text, &len));
		EXPECT_LT(1, len);
		switch (i) {
		case 0:
			ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 1, 5000, 0)));
			break;
		case 1:
			ASSERT_EQ(1, RESULT(msg_recv(fd, &byte, 1, NULL, 0)));
			break;
		case 2:
			ASSERT_EQ(0, set_option(fd, FLITCAST_INFO, &value, sizeof(value)));
			break;
		case 3:
			ASSERT_EQ(0, RESULT(connect(fd, (struct sockaddr *)&to, sizeof(to))));
			break;
		case 4:
			/* The call fails, but is not refused. */
			ASSERT_EQ(-EAGAIN, RESULT(msg_recv(fd, &byte, 1, NULL, MSG_DONTWAIT)));
			break;
		}
		len = sizeof(text);
		ASSERT_EQ(0, get_option(fd, FLITCAST_ERRMSG, text, &len));
		EXPECT_EQ(1, len);
	}
}

TEST_F(alone, option__stats)
{
	struct flitcast_sock_stats stats;
	socklen_t len = sizeof(stats);
	int fd = msg_socket(-1, 1, 5000, 0);
	char byte;

	ASSERT_LE(0, fd);
	ASSERT_EQ(1, RESULT(msg_send(fd, "x", 1, 1, 5000, 0)));
	ASSERT_EQ(1, RESULT(msg_recv(fd, &byte, 1, NULL, 0)));
	ASSERT_EQ(0, get_option(fd, FLITCAST_STATS, &stats, &len));
	EXPECT_EQ(sizeof(stats), len);
	EXPECT_EQ(1, stats.tx_messages);
	EXPECT_EQ(1, stats.rx_messages);
	EXPECT_EQ(0, stats.tx_failed);
	EXPECT_NE(0, set_option(fd, FLITCAST_STATS, &stats, sizeof(stats)));
}

TEST_F(bare, option__targets)
{
	struct flitcast_target list[3] = {
		{ .site = 1, .port = 2 }, { .site = 3, .port = 4, .offset = 5, .length = 6 },
	}, got[3] = { 0 };
	static struct flitcast_target many[FLITCAST_TARGETS_MAX + 1];
	socklen_t len = sizeof(got);
	int fd = rdm();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, set_option(fd, FLITCAST_TARGETS, list, 2 * sizeof(*list)));
	EXPECT_EQ(0, get_option(fd, FLITCAST_TARGETS, got, &len));
	EXPECT_EQ(2 * sizeof(*list), len);
	EXPECT_EQ(0, memcmp(list, got, 2 * sizeof(*list)));
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_TARGETS, list, sizeof(*list) - 1));
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_TARGETS, list, sizeof(*list) + 1));
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_TARGETS, many, sizeof(many)));
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_TARGETS, many, 0x7ffffff0));
	EXPECT_EQ(-EINVAL, set_option(fd, FLITCAST_TARGETS, many, 0x80000000));
	EXPECT_EQ(-EFAULT, set_option(fd, FLITCAST_TARGETS, (void *)16, sizeof(*list)));
	EXPECT_EQ(0, set_option(fd, FLITCAST_TARGETS, many, sizeof(many) - sizeof(*many)));
	EXPECT_EQ(0, set_option(fd, FLITCAST_TARGETS, NULL, 0));
}

TEST_F(bare, option__unknown)
{
	socklen_t len = sizeof(int);
	int fd = rdm(), value = 0, option;

	ASSERT_LE(0, fd);
	for (option = -1; option < 64; option++) {
		/* FLITCAST_REPORT is a control message, and no option. */
		if (option >= FLITCAST_TARGETS && option <= FLITCAST_ZEROCOPY &&
		    option != FLITCAST_REPORT)
			continue;
		EXPECT_EQ(-ENOPROTOOPT, set_option(fd, option, &value, sizeof(value)));
		EXPECT_EQ(-ENOPROTOOPT, get_option(fd, option, &value, &len));
	}
	EXPECT_EQ(-ENOPROTOOPT, RESULT(setsockopt(fd, 0x7777, 1, &value, sizeof(value))));
	EXPECT_EQ(-ENOPROTOOPT, RESULT(getsockopt(fd, 0x7777, 1, &value, &len)));
}

TEST_F(bare, option__bad_pointers)
{
	socklen_t len = sizeof(int), negative = -1;
	int fd = rdm(), value;

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EFAULT, get_option(fd, FLITCAST_INFO, (void *)16, &len));
	EXPECT_EQ(-EFAULT, get_option(fd, FLITCAST_INFO, &value, (void *)16));
	EXPECT_EQ(-EINVAL, get_option(fd, FLITCAST_INFO, &value, &negative));
}

TEST_F(bare, option__buffers)
{
	int fd = rdm(), value = 65536, got = 0;
	socklen_t len = sizeof(got);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &value, sizeof(value)));
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &got, &len));
	EXPECT_EQ(2 * value, got);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, sizeof(value)));
	ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &len));
	EXPECT_EQ(2 * value, got);
}

/* The requested buffer size is set, within bounds that each namespace has of its own. */
TEST_F(bare, option__room)
{
	static const struct {
		int option, same;
		const char *most;
	} rooms[] = {
		{ FLITCAST_SNDBUF, SO_SNDBUF, "/proc/sys/net/flitcast/wmem_max" },
		{ FLITCAST_RCVBUF, SO_RCVBUF, "/proc/sys/net/flitcast/rmem_max" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		int fd = rdm(), value = 4096, most = 0, got = 0, file;
		socklen_t len = sizeof(got);
		char text[32] = "";

		file = open(rooms[i].most, O_RDWR);
		ASSERT_LT(0, read(file, text, sizeof(text) - 1));
		most = atoi(text);
		EXPECT_LE(2 * FLITCAST_MESSAGE_MAX, most);
		ASSERT_EQ(0, set_option(fd, rooms[i].option, &value, sizeof(value)));
		ASSERT_EQ(0, get_option(fd, rooms[i].option, &got, &len));
		EXPECT_EQ(value, got);
		ASSERT_EQ(0, getsockopt(fd, SOL_SOCKET, rooms[i].same, &got, &len));
		EXPECT_EQ(value, got);
		ASSERT_EQ(0, set_option(fd, rooms[i].option, &most, sizeof(most)));
		/* A refused setsockopt() does not change the value. */
		for (value = 4095; value != 0; value = value > 0 ? -1 : 0)
			EXPECT_EQ(-EINVAL, set_option(fd, rooms[i].option, &value, sizeof(value)));
		value = most + 1;
		EXPECT_EQ(-EINVAL, set_option(fd, rooms[i].option, &value, sizeof(value)));
		EXPECT_EQ(-EINVAL, set_option(fd, rooms[i].option, &value, 3));
		ASSERT_EQ(0, get_option(fd, rooms[i].option, &got, &len));
		EXPECT_EQ(most, got);
		ASSERT_EQ(6, pwrite(file, "100000", 6, 0));
		value = 100001;
		EXPECT_EQ(-EINVAL, set_option(fd, rooms[i].option, &value, sizeof(value)));
		value = 100000;
		EXPECT_EQ(0, set_option(fd, rooms[i].option, &value, sizeof(value)));
		EXPECT_EQ(-EINVAL, RESULT(pwrite(file, "4095", 4, 0)));
	}
}

TEST_F(bare, ioctl__unknown)
{
	char space[64];
	int fd = rdm();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-ENOTTY, RESULT(ioctl(fd, SIOCPROTOPRIVATE, space)));
	EXPECT_EQ(-EFAULT, RESULT(ioctl(fd, SIOCOUTQ, (void *)16)));
}

API_MAIN
