// SPDX-License-Identifier: GPL-2.0
/*
 * Bounds on one user's sites, sockets and targets.  All tests run as an unprivileged user in a user
 * namespace.
 */
#include "api.h"
#include <grp.h>
#include <sys/prctl.h>

#define USER		1000
#define NETWORK		"torus:32x32"
#define NETWORK_SITES	1024
#define NET_SITES_MAX	256
#define TARGETS_MAX	1024
#define TXFLOWS_MAX	4096
/* Range of ports that bind() chooses from. */
#define PORT_DYNAMIC	0xc000
#define PORTS		(0x10000 - PORT_DYNAMIC)

/* The networks of these tests have no links: sent messages stay queued. */
FIXTURE(user) {
	int unused;
};

FIXTURE_SETUP(user)
{
	api_choose_port(_metadata);
	ASSERT_EQ(0, allow_descriptors(PORTS + 100));
	ASSERT_EQ(0, setgroups(0, NULL));
	ASSERT_EQ(0, setresgid(USER, USER, USER));
	ASSERT_EQ(0, setresuid(USER, USER, USER));
	/*
	 * A process that changed its user may write its own files in /proc only if it is dumpable.
	 */
	ASSERT_EQ(0, prctl(PR_SET_DUMPABLE, 1));
	ASSERT_EQ(0, unshare(CLONE_NEWUSER | CLONE_NEWNET));
	ASSERT_TRUE(write_to("/proc/self/setgroups", "deny"));
	ASSERT_TRUE(write_to("/proc/self/uid_map", "0 1000 1"));
	ASSERT_TRUE(write_to("/proc/self/gid_map", "0 1000 1"));
}

FIXTURE_TEARDOWN(user)
{
}

static bool sent_claim(const char *text)
{
	return strstr(cli_output(), text);
}

/* A network may not have too many sites, which the kernel iterates, nor may a namespace. */
TEST_F(user, sites__of_a_network_and_of_a_namespace)
{
	unsigned int i;

	EXPECT_NE(0, cli("site add 0 topology torus:512x512"));
	EXPECT_TRUE(sent_claim("a network has 1024 sites at most")) {
		TH_LOG("%s", cli_output());
	}
	EXPECT_NE(0, cli("site add 0 topology line:1025"));
	for (i = 0; i < NET_SITES_MAX; i++)
		ASSERT_EQ(0, cli("site add %u topology line:300", i)) {
			TH_LOG("%u: %s", i, cli_output());
		}
	EXPECT_NE(0, cli("site add %u topology line:300", i));
	EXPECT_TRUE(sent_claim("a namespace has 256 sites at most")) {
		TH_LOG("%s", cli_output());
	}
	/* After a site is deleted, another one can be added. */
	EXPECT_EQ(0, cli("site del 7"));
	EXPECT_EQ(0, cli("site add %u topology line:300", i));
}

/* Broadcast one byte to the maximum number of sites: each needs a flow and is asked. */
TEST_F(user, targets__a_byte_broadcast)
{
	struct sockaddr_flitcast all = {
		.sfc_family = msg_family(), .sfc_addrtype = FLITCAST_ADDR_BROADCAST,
		.sfc_port = PORT,
	};
	unsigned int i;
	int fd;

	ASSERT_EQ(0, cli("site add 0 topology " NETWORK));
	fd = msg_socket(-1, 0, PORT, 0);
	ASSERT_LE(0, fd);
	for (i = 0; i < 20; i++)
		EXPECT_EQ(1, RESULT(sendto(fd, "b", 1, 0, (void *)&all, sizeof(all))));
	/* Deleting the socket and the site frees all flows and messages. */
	close(fd);
	EXPECT_EQ(0, cli("site del 0"));
}

/* The maximum number of targets, different ones each time: more flows than a source may have. */
TEST_F(user, targets__more_than_flows)
{
	static struct flitcast_target targets[TARGETS_MAX];
	unsigned int i, n;
	int fd;

	ASSERT_EQ(0, cli("site add 0 topology " NETWORK));
	fd = msg_socket(-1, 0, PORT, 0);
	ASSERT_LE(0, fd);
	for (n = 0; n < 3 * TXFLOWS_MAX / TARGETS_MAX; n++) {
		for (i = 0; i < TARGETS_MAX; i++)
			targets[i] = (struct flitcast_target){ .site = i, .port = 1 + n };
		ASSERT_EQ(1, RESULT(msg_send_list(fd, "t", 1, targets, TARGETS_MAX, 0)));
	}
	close(fd);
	EXPECT_EQ(0, cli("site del 0"));
}

/* bind() assigns every dynamic port once, and fails when there are no more. */
TEST_F(user, sockets__all_ports)
{
	static bool had[PORTS];
	struct sockaddr_flitcast name;
	unsigned int i, shown;
	const char *at;
	int fd, one;

	ASSERT_EQ(0, cli("site add 0 topology line:2"));
	one = msg_socket(-1, 0, 0, 0);
	ASSERT_LE(0, one);
	had[msg_name(one).sfc_port - PORT_DYNAMIC] = true;
	for (i = 1; i < PORTS; i++) {
		fd = msg_socket(-1, 0, 0, 0);
		ASSERT_LE(0, fd) {
			TH_LOG("%u: %s", i, strerror(errno));
		}
		name = msg_name(fd);
		ASSERT_LE(PORT_DYNAMIC, name.sfc_port);
		ASSERT_FALSE(had[name.sfc_port - PORT_DYNAMIC]);
		had[name.sfc_port - PORT_DYNAMIC] = true;
	}
	EXPECT_EQ(-EADDRINUSE, RESULT(msg_socket(-1, 0, 0, 0)));
	EXPECT_EQ(-EADDRINUSE, RESULT(msg_socket(-1, 0, msg_name(one).sfc_port, 0)));
	fd = msg_socket(-1, 0, PORT, 0);
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, cli("site show 0"));
	EXPECT_TRUE(sent_claim("sockets 16385")) {
		TH_LOG("%s", cli_output());
	}
	EXPECT_EQ(0, cli("socket show"));
	for (shown = 0, at = cli_output(); (at = strchr(at, '\n')); at++)
		shown++;
	EXPECT_LE(PORTS + 1, shown);
	name = msg_name(one);
	close(one);
	one = msg_socket(-1, 0, 0, 0);
	ASSERT_LE(0, one);
	EXPECT_EQ(name.sfc_port, msg_name(one).sfc_port);
	/* The deletion of the site releases its sockets one after the other. */
	EXPECT_EQ(0, cli("site del 0"));
	EXPECT_EQ(-ENETDOWN, RESULT(msg_send(one, "x", 1, 1, PORT, 0)));
}

/* Sockets close before the site has sent their messages: the site keeps the messages. */
TEST_F(user, sockets__closed_before_the_end)
{
	static char data[65536];
	unsigned int i;
	int fd;

	ASSERT_EQ(0, cli("site add 0 topology " NETWORK));
	for (i = 0; i < 3000; i++) {
		fd = msg_socket(-1, 0, 0, 0);
		ASSERT_LE(0, fd);
		ASSERT_EQ(sizeof(data),
			  RESULT(msg_send(fd, data, sizeof(data), i % 1024, PORT, 0)));
		close(fd);
	}
	EXPECT_EQ(0, cli("site del 0"));
}

API_MAIN
