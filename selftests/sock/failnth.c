// SPDX-License-Identifier: GPL-2.0
/*
 * Calls whose allocations fail: in each call the first allocation fails, then the second, and so
 * on, until no allocation is left.  The test checks that a failed call returns an errno and has no
 * effect, and that the repeated call succeeds.  Kmemleak finds leaks.
 *
 * Needs a kernel with fault injection (/proc/self/fail-nth), which also lets copies from and to
 * user space fail.
 *
 *   failnth LAB [STEP]	a lab of the topology line:2
 *
 * Modes postman and csr allocate what mode vnet does, and more: of these only each STEP-th
 * allocation fails (default 1).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/sockios.h>
#include <linux/flitcast_netlink.h>
#include "cli/request.h"
#include "lab.h"
#include "msg.h"

#define PORT		4000
/* No call of this test allocates as often. */
#define NTH_MAX		2000
#define SOON_MS		30000

static struct nl_sock *netlink;
static int control, fd = -1, listener = -1, accepted = -1, empty, site0;
static unsigned int tests, failures, step = 1;
static char data[40000];

static void arm(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	/* The injected failure may hit this write itself: retry once. */
	if (pwrite(control, text, length, 0) != length &&
	    pwrite(control, text, length, 0) != length)
		die("fail-nth: %s", strerror(errno));
}

/* Did a call fail since arm()?  Disables the injection. */
static bool disarm(void)
{
	char text[16] = "1";
	int err = errno;
	ssize_t length = pread(control, text, sizeof(text) - 1, 0);

	arm(0);
	errno = err;
	/* If the read itself failed, nothing else did. */
	return length > 0 && !atoi(text);
}

static int result(int64_t got)
{
	return got < 0 ? -errno : 0;
}

/*
 * Sockets.
 */

static int do_socket(void)
{
	fd = socket(msg_family(), SOCK_RDM, 0);
	return result(fd);
}

static int do_connection_socket(void)
{
	fd = socket(msg_family(), SOCK_SEQPACKET, 0);
	return result(fd);
}

static void open_socket(void)
{
	if (do_socket())
		die("socket: %s", strerror(errno));
}

static void close_one(int *one)
{
	if (*one >= 0)
		close(*one);
	*one = -1;
}

static void close_socket(void)
{
	close_one(&fd);
	close_one(&listener);
	close_one(&accepted);
}

/* Expected state after a failed call. */
static bool no_socket(int err)
{
	return !err == (fd >= 0);
}

static bool bound_or_not(int err)
{
	return !err == (msg_name(fd).sfc_port != 0);
}

static bool sent_or_not(int err)
{
	int queued = -1;

	return msg_stats(fd).tx_messages == !err &&
	       (!err || (!ioctl(fd, SIOCOUTQ, &queued) && !queued));
}

static int do_bind(void)
{
	/*
	 * Answers to an earlier socket are still in flight to its port, so each socket gets
	 * another.
	 */
	static uint16_t port = PORT;
	struct sockaddr_flitcast addr = msg_addr(0, ++port);

	return result(bind(fd, (struct sockaddr *)&addr, sizeof(addr)));
}

static void open_bound(void)
{
	open_socket();
	if (do_bind())
		die("bind: %s", strerror(errno));
}

static int do_connect(void)
{
	struct sockaddr_flitcast addr = msg_addr(1, FLITCAST_PORT_ECHO);

	return result(connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
}

static int do_send(void)
{
	return result(msg_send(fd, data, 100, 1, FLITCAST_PORT_ECHO, MSG_DONTWAIT));
}

static int do_send_much(void)
{
	return result(msg_send(fd, data, sizeof(data), 1, FLITCAST_PORT_ECHO, MSG_DONTWAIT));
}

static const struct flitcast_target targets[] = {
	{ .site = 0, .port = FLITCAST_PORT_ECHO }, { .site = 1, .port = FLITCAST_PORT_ECHO },
};

static int do_send_list(void)
{
	return result(msg_send_list(fd, data, 3000, targets, 2, MSG_DONTWAIT));
}

static int do_set_targets(void)
{
	return result(setsockopt(fd, SOL_FLITCAST, FLITCAST_TARGETS, targets, sizeof(targets)));
}

static int do_get_targets(void)
{
	struct flitcast_target got[2];
	socklen_t length = sizeof(got);

	return result(getsockopt(fd, SOL_FLITCAST, FLITCAST_TARGETS, got, &length));
}

/* The socket has both targets, or none if the call failed. */
static bool set_or_not(int err)
{
	struct flitcast_target got[2];
	socklen_t length = sizeof(got);

	if (getsockopt(fd, SOL_FLITCAST, FLITCAST_TARGETS, got, &length))
		return false;
	return length == (err ? 0 : sizeof(got)) && !memcmp(got, targets, length);
}

static int do_set_timeout(void)
{
	unsigned int ms = 1234;

	return result(setsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &ms, sizeof(ms)));
}

static bool timeout_or_not(int err)
{
	unsigned int ms = 0;
	socklen_t length = sizeof(ms);

	return !getsockopt(fd, SOL_FLITCAST, FLITCAST_TIMEOUT, &ms, &length) &&
	       !err == (ms == 1234);
}

static int do_set_slow(void)
{
	struct flitcast_slow_target slow = { .policy = FLITCAST_SLOW_SKIP, .ms = 1234 };

	return result(setsockopt(fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow, sizeof(slow)));
}

static bool slow_or_not(int err)
{
	struct flitcast_slow_target slow = { 0 };
	socklen_t length = sizeof(slow);

	return !getsockopt(fd, SOL_FLITCAST, FLITCAST_SLOW_TARGET, &slow, &length) &&
	       !err == (slow.ms == 1234);
}

static void open_with_targets(void)
{
	open_bound();
	if (do_set_targets())
		die("FLITCAST_TARGETS: %s", strerror(errno));
}

static int do_get_name(void)
{
	struct sockaddr_flitcast addr;
	socklen_t length = sizeof(addr);

	return result(getsockname(fd, (struct sockaddr *)&addr, &length));
}

/* Open a socket with an unread answer. */
static void open_answered(void)
{
	open_bound();
	if (do_send_much() || !(msg_wait(fd, POLLIN, SOON_MS) & POLLIN))
		die("no answer");
}

static int do_receive(void)
{
	ssize_t got = msg_recv(fd, data, sizeof(data), NULL, MSG_DONTWAIT);

	if (got >= 0 && got != sizeof(data))
		die("%zd bytes", got);
	return result(got);
}

/* Open a socket with an unread report. */
static void open_reported(void)
{
	int on = 1;

	open_bound();
	if (setsockopt(fd, SOL_FLITCAST, FLITCAST_CONFIRM, &on, sizeof(on)) || do_send() ||
	    !(msg_wait(fd, POLLERR, SOON_MS) & POLLERR))
		die("no report");
}

static int do_report(void)
{
	struct flitcast_result results[2];
	struct flitcast_report report;
	int got = msg_report(fd, &report, results, 2, NULL);

	if (got >= 0 && (got != 1 || report.id || results[0].error))
		die("%d results in report %u", got, report.id);
	return result(got);
}

static bool report_kept(int err)
{
	return !err || !do_report();
}

/*
 * Connections, from this site to itself.
 */

/* Address to connect to; the test reads it before it makes allocations fail. */
static struct sockaddr_flitcast callee;

static void open_listening(void)
{
	listener = msg_socket_type(-1, SOCK_SEQPACKET, 0, FLITCAST_PORT_ANY, SOCK_NONBLOCK);
	fd = msg_socket_type(-1, SOCK_SEQPACKET, 0, FLITCAST_PORT_ANY, SOCK_NONBLOCK);
	if (listener < 0 || fd < 0 || listen(listener, 4))
		die("listen: %s", strerror(errno));
	callee = msg_name(listener);
}

static void open_unheard(void)
{
	listener = msg_socket_type(-1, SOCK_SEQPACKET, 0, FLITCAST_PORT_ANY, SOCK_NONBLOCK);
	if (listener < 0)
		die("socket: %s", strerror(errno));
}

static int do_listen(void)
{
	return result(listen(listener, 4));
}

static bool listens(int err)
{
	return !err || !do_listen();
}

static int do_dial(void)
{
	if (!connect(fd, (struct sockaddr *)&callee, sizeof(callee)) || errno == EINPROGRESS)
		return 0;
	return -errno;
}

static int do_accept(void)
{
	accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	return result(accepted);
}

/* After a failed accept() the connection can be accepted, or is accepted, and works. */
static bool is_accepted(int err)
{
	return (!err || (msg_wait(listener, POLLIN, SOON_MS) & POLLIN && !do_accept())) &&
	       msg_wait(fd, POLLOUT, SOON_MS) & POLLOUT && !msg_error(fd);
}

static bool is_connected(int err)
{
	return (!err || !do_dial()) && msg_wait(listener, POLLIN, SOON_MS) & POLLIN &&
	       !do_accept() && is_accepted(0);
}

static void open_dialled(void)
{
	open_listening();
	if (do_dial() || !(msg_wait(listener, POLLIN, SOON_MS) & POLLIN))
		die("connect: %s", strerror(errno));
}

static void open_connected(void)
{
	open_dialled();
	if (do_accept() || !is_accepted(0))
		die("accept: %s", strerror(errno));
}

static int do_stream(void)
{
	return result(send(fd, data, sizeof(data), MSG_DONTWAIT));
}

/* The data that arrives contains nothing from the failed call. */
static bool stream_arrives(int err)
{
	char *got = data;

	if (err && do_stream())
		return false;
	return msg_wait(accepted, POLLIN, SOON_MS) & POLLIN &&
	       recv(accepted, got, sizeof(data), MSG_TRUNC) == sizeof(data) &&
	       recv(accepted, got, sizeof(data), MSG_TRUNC) < 0 && errno == EAGAIN;
}

static int do_shutdown(void)
{
	return result(shutdown(fd, SHUT_WR));
}

/* The peer sees the shutdown, possibly only after a second call. */
static bool is_shut(int err)
{
	char byte;

	if (err && do_shutdown() && errno != ENOTCONN)
		return false;
	return msg_wait(accepted, POLLIN, SOON_MS) & POLLIN && !recv(accepted, &byte, 1, 0);
}

static int do_poll(void)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	return result(poll(&p, 1, 0));
}

static int do_close(void)
{
	int got = close(fd);

	fd = -1;
	return result(got);
}

/*
 * Netlink.  The kernel may fail to allocate its answer: the program gets ENOBUFS, or no answer.
 */

static struct request req;

/* Answer of a request, truncated; its first bytes suffice for the comparison. */
static struct {
	char data[4096];
	size_t length;
} answer;

static void keep_answer(struct nlmsghdr *message, void *arg)
{
	size_t length = nlmsg_datalen(message);

	(void)arg;
	if (length > sizeof(answer.data) - answer.length)
		length = sizeof(answer.data) - answer.length;
	memcpy(answer.data + answer.length, nlmsg_data(message), length);
	answer.length += length;
}

static void open_netlink(void)
{
	struct timeval soon = { .tv_usec = 100000 };

	lab_enter(empty);
	netlink = request_open(NETLINK_GENERIC);
	if (!netlink)
		die("netlink: %s", strerror(errno));
	setsockopt(nl_socket_get_fd(netlink), SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
}

static void close_netlink(void)
{
	nl_socket_free(netlink);
	lab_enter(site0);
}

static int talk(void)
{
	struct request_error error;

	return request_send(netlink, &req, keep_answer, NULL, &error);
}

/* Requests are built before allocations fail. */
static void ask_site_of(const char *mode)
{
	open_netlink();
	request_flitcast(&req, FLITCAST_CMD_SITE_NEW, 0);
	put_u32(&req, FLITCAST_A_SITE_ID, 1);
	put_string(&req, FLITCAST_A_SITE_TOPOLOGY, "torus:4x4");
	put_string(&req, FLITCAST_A_SITE_MODE, mode);
}

static void ask_site_vnet(void)
{
	ask_site_of("vnet");
}

static void ask_site_postman(void)
{
	ask_site_of("postman");
}

static void ask_site_csr(void)
{
	ask_site_of("csr");
}

static void ask_site_care(void)
{
	ask_site_of("care");
}

/* Discard unread answers, so that none is mistaken for the answer to the next request. */
static void ask_anew(void)
{
	close_netlink();
	open_netlink();
}

static int site_del(void)
{
	ask_anew();
	request_flitcast(&req, FLITCAST_CMD_SITE_DEL, 0);
	put_u32(&req, FLITCAST_A_SITE_ID, 1);
	return talk();
}

static void ask_site_del(void)
{
	site_del();
	close_netlink();
}

/* A successful request had its effect, a failed one had none.  The answer itself may be lost. */
static bool done_or_not(int err, int undone)
{
	if (err == -ENOMEM)
		return undone == -ENOENT;
	return !undone || (err && undone == -ENOENT);
}

static bool site_made(int err)
{
	return done_or_not(err, site_del());
}

static void with_site(const char *mode)
{
	ask_site_of(mode);
	if (talk())
		die("no site: %s", strerror(errno));
	ask_anew();
}

static void ask_link_new(void)
{
	with_site("vnet");
	request_flitcast(&req, FLITCAST_CMD_LINK_NEW, 0);
	put_u32(&req, FLITCAST_A_LINK_SITE, 1);
	put_string(&req, FLITCAST_A_LINK_IFNAME, "nth0");
	put_u32(&req, FLITCAST_A_LINK_PORT, 1);
}

static void ask_link_del(void)
{
	ask_link_new();
	if (talk())
		die("no link: %s", strerror(errno));
	request_flitcast(&req, FLITCAST_CMD_LINK_DEL, 0);
	put_string(&req, FLITCAST_A_LINK_IFNAME, "nth0");
}

static int link_del(void)
{
	ask_anew();
	request_flitcast(&req, FLITCAST_CMD_LINK_DEL, 0);
	put_string(&req, FLITCAST_A_LINK_IFNAME, "nth0");
	return talk();
}

static bool link_made(int err)
{
	return done_or_not(err, link_del());
}

static bool link_ended(int err)
{
	int undone = link_del();

	return err == -ENOMEM ? !undone : undone == -ENOENT || (err && !undone);
}

/* Read the table of routes, and its generation. */
static void read_routes(void)
{
	ask_anew();
	request_flitcast(&req, FLITCAST_CMD_ROUTE_GET, NLM_F_DUMP);
	answer.length = 0;
	if (talk())
		die("routes: %s", strerror(errno));
}

static char routes[sizeof(answer.data)];
static size_t routes_length;

static void ask_route_set(void)
{
	static const uint8_t ports[] = { 3, 1 };

	/* Only mode care has a table of routes. */
	with_site("care");
	read_routes();
	memcpy(routes, answer.data, answer.length);
	routes_length = answer.length;
	request_flitcast(&req, FLITCAST_CMD_ROUTE_SET, 0);
	put_string(&req, FLITCAST_A_ROUTE_DIRECTION, "+x");
	put_bytes(&req, FLITCAST_A_ROUTE_PORTS, ports, sizeof(ports));
}

static void ask_route_replace(void)
{
	static const uint8_t ports[] = { 4, 2, 1 };
	struct nlattr *nest;

	ask_route_set();
	request_free(&req);
	memset(&req, 0, sizeof(req));
	request_flitcast(&req, FLITCAST_CMD_ROUTE_REPLACE, 0);
	nest = put_nest(&req, FLITCAST_A_ROUTE_ENTRY);
	put_string(&req, FLITCAST_A_ROUTE_DIRECTION, "-y");
	put_bytes(&req, FLITCAST_A_ROUTE_PORTS, ports, sizeof(ports));
	put_nest_end(&req, nest);
}

static bool routes_changed(int err)
{
	bool changed;

	read_routes();
	changed = answer.length != routes_length || memcmp(answer.data, routes, routes_length);
	return err == -ENOMEM ? !changed : err || changed;
}

static void ask_dump(uint8_t cmd)
{
	ask_link_new();
	if (talk())
		die("no link: %s", strerror(errno));
	request_flitcast(&req, cmd, NLM_F_DUMP);
}

static void ask_sites(void)
{
	ask_dump(FLITCAST_CMD_SITE_GET);
}

static void ask_links(void)
{
	ask_dump(FLITCAST_CMD_LINK_GET);
}

static void ask_routes(void)
{
	ask_dump(FLITCAST_CMD_ROUTE_GET);
}

static void ask_stats(void)
{
	ask_dump(FLITCAST_CMD_STATS_GET);
}

static void ask_faults(void)
{
	ask_dump(FLITCAST_CMD_FAULT_GET);
}

static void nothing(void)
{
}

static bool any(int err)
{
	(void)err;
	return true;
}

static const struct call {
	const char *name;
	void (*before)(void);
	int (*call)(void);
	void (*after)(void);
	bool (*good)(int err);	/* had the call its effect, or none if it failed? */
	unsigned int least;	/* allocations of the call that can fail, at least */
} calls[] = {
	{ "socket", nothing, do_socket, close_socket, no_socket, 2 },
	{ "socket for connections", nothing, do_connection_socket, close_socket, no_socket, 2 },
	{ "bind", open_socket, do_bind, close_socket, bound_or_not, 1 },
	{ "connect", open_bound, do_connect, close_socket, any, 1 },
	{ "send a little", open_bound, do_send, close_socket, sent_or_not, 2 },
	{ "send much", open_bound, do_send_much, close_socket, sent_or_not, 5 },
	{ "send to a list", open_bound, do_send_list, close_socket, sent_or_not, 3 },
	{ "set targets", open_bound, do_set_targets, close_socket, set_or_not, 2 },
	{ "set time-out", open_bound, do_set_timeout, close_socket, timeout_or_not, 1 },
	{ "set slow targets", open_bound, do_set_slow, close_socket, slow_or_not, 1 },
	{ "get targets", open_with_targets, do_get_targets, close_socket, any, 1 },
	{ "getsockname", open_bound, do_get_name, close_socket, any, 1 },
	{ "receive", open_answered, do_receive, close_socket, any, 1 },
	{ "receive a report", open_reported, do_report, close_socket, report_kept, 1 },
	{ "poll", open_bound, do_poll, close_socket, any, 1 },
	{ "close", open_answered, do_close, close_socket, any, 0 },
	{ "listen", open_unheard, do_listen, close_socket, listens, 0 },
	{ "connect to one who listens", open_listening, do_dial, close_socket, is_connected, 2 },
	{ "accept", open_dialled, do_accept, close_socket, is_accepted, 4 },
	{ "send on a connection", open_connected, do_stream, close_socket, stream_arrives, 5 },
	{ "shut down a connection", open_connected, do_shutdown, close_socket, is_shut, 1 },
	{ "site new, mode vnet", ask_site_vnet, talk, ask_site_del, site_made, 5 },
	{ "site new, mode postman", ask_site_postman, talk, ask_site_del, site_made, 5 },
	{ "site new, mode csr", ask_site_csr, talk, ask_site_del, site_made, 5 },
	{ "site new, mode care", ask_site_care, talk, ask_site_del, site_made, 5 },
	{ "link new", ask_link_new, talk, ask_site_del, link_made, 3 },
	{ "link del", ask_link_del, talk, ask_site_del, link_ended, 1 },
	{ "route set", ask_route_set, talk, ask_site_del, routes_changed, 1 },
	{ "route replace", ask_route_replace, talk, ask_site_del, routes_changed, 1 },
	{ "dump of sites", ask_sites, talk, ask_site_del, any, 2 },
	{ "dump of links", ask_links, talk, ask_site_del, any, 2 },
	{ "dump of routes", ask_routes, talk, ask_site_del, any, 2 },
	{ "dump of stats", ask_stats, talk, ask_site_del, any, 2 },
	{ "dump of faults", ask_faults, talk, ask_site_del, any, 2 },
};

/* May a call return @err if an allocation fails? */
static bool fair(int err)
{
	return err == -ENOMEM || err == -ENOBUFS || err == -EFAULT || err == -EAGAIN ||
	       err == -ENFILE;
}

/* Most of the allocations of these are those of mode vnet. */
static bool similar(const struct call *c)
{
	return c->before == ask_site_postman || c->before == ask_site_csr;
}

static void test(const struct call *c)
{
	unsigned int n, each = similar(c) ? step : 1, rounds = 0, unfair = 0;
	bool injected = true;
	int err = 0;

	for (n = 1; injected && n < NTH_MAX; n += each, rounds++) {
		c->before();
		arm(n);
		err = c->call();
		injected = disarm();
		if (err && (!injected || !fair(err)) && unfair++ < 5)
			printf("# the %u. time: %s%s\n", n, strerror(-err),
			       injected ? "" : ", though nothing failed");
		if (!c->good(err) && unfair++ < 5)
			printf("# the %u. time: %s, but that is not how things are\n", n,
			       err ? strerror(-err) : "success");
		c->after();
	}
	/* do not count the last round, in which nothing failed */
	rounds--;
	if (rounds < c->least || injected) {
		printf("# %u times something failed\n", rounds);
		unfair++;
	}
	failures += unfair > 0;
	printf("%sok %u - %s (%u)\n", unfair ? "not " : "", ++tests, c->name, rounds);
}

int main(int argc, char **argv)
{
	const char *bad;
	unsigned int i;

	if (argc < 2)
		return EXIT_USAGE;
	if (argc > 2)
		step = atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	/* Give libnl a heap that it need not extend while allocations fail. */
	mallopt(M_TOP_PAD, 64 << 20);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	free(malloc(1));
	control = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (control < 0) {
		printf("1..0 # SKIP no fault injection: %s\n", strerror(errno));
		return EXIT_SKIP;
	}
	site0 = lab_open(argv[1], 0);
	if (unshare(CLONE_NEWNET))
		die("unshare: %s", strerror(errno));
	empty = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (system("ip link add nth0 type veth peer name nth1 && ip link set nth0 up"))
		die("no device");
	if (lab_enter(site0))
		die("setns: %s", strerror(errno));
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		test(&calls[i]);
	bad = lab_healthy(argv[1], SOON_MS);
	if (bad)
		printf("# %s\n", bad);
	failures += !!bad;
	printf("%sok %u - everything works as before\n1..%u\n", bad ? "not " : "", tests + 1,
	       tests + 1);
	return failures ? 1 : 0;
}
