/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fixtures of the tests of the socket interface, and their main().
 *
 *   bare   a network namespace without a site
 *   alone  a network namespace with site 1 of a line:3, without links
 *   line   site 0 --- site 1 --- site 2, a namespace each
 *   frail  the same, set up anew for each test
 *
 * The line is set up once for all tests of a program, and again after a test that leaves a site
 * unresponsive; that test fails.
 *
 * A program runs all its tests, or those that match one of the shell patterns it is
 * given.  $FLITCAST_TEST_TIMEOUT: seconds a test may take.
 */
#ifndef SELFTESTS_SOCK_API_H
#define SELFTESTS_SOCK_API_H

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <linux/capability.h>
#include <linux/sockios.h>
#include "kselftest_harness.h"
#include "lab.h"
#include "msg.h"

#define LAB	"fcapi"
/* A line that is set up anew for each test, for tests that break their lab. */
#define FRAIL	"fcfrail"

/* An event that must happen has SOON_MS; a test watches QUIET_MS for one that must not happen. */
#define SOON_MS		20000
#define QUIET_MS	300

#define TIMEOUT_S	120

/*
 * The first of the PORTS_A_TEST ports that belong to this test and its children.  Messages of
 * sockets of an earlier test may still be in flight to the ports of that test.
 */
#define PORT		api_port
#define PORTS_A_TEST	700

static int api_port;

/* The outcome of a call and its errno in one value: the result, or -errno. */
#define RESULT(call)	({ errno = 0; ssize_t r_ = (call); r_ < 0 ? -(ssize_t)errno : r_; })

static void api_choose_port(const struct __test_metadata *test)
{
	struct __fixture_metadata *f;
	struct __test_metadata *t;

	api_port = 2000;
	for (f = __fixture_list; f; f = f->next) {
		for (t = f->tests; t; t = t->next) {
			if (t == test)
				return;
			api_port += PORTS_A_TEST;
		}
	}
}

FIXTURE(bare) {
	int unused;
};

FIXTURE_SETUP(bare)
{
	api_choose_port(_metadata);
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
}

FIXTURE_TEARDOWN(bare)
{
}

FIXTURE(alone) {
	int netns;
};

FIXTURE_SETUP(alone)
{
	api_choose_port(_metadata);
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	self->netns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, self->netns);
	ASSERT_EQ(0, cli("site add 1 topology line:3")) {
		TH_LOG("%s", cli_output());
	}
}

FIXTURE_TEARDOWN(alone)
{
}

FIXTURE(line) {
	int ns[3];
};

FIXTURE_SETUP(line)
{
	int i;

	api_choose_port(_metadata);
	if (lab_sites(LAB) != 3 || lab_healthy(LAB, SOON_MS))
		ASSERT_EQ(0, lab_up(LAB, "line:3 integrity end")) {
			TH_LOG("%s", cli_output());
		}
	for (i = 0; i < 3; i++) {
		self->ns[i] = lab_open(LAB, i);
		ASSERT_LE(0, self->ns[i]);
	}
}

FIXTURE_TEARDOWN(line)
{
	const char *bad = lab_healthy(LAB, SOON_MS);

	if (bad) {
		TH_LOG("afterwards: %s", bad);
		_metadata->passed = 0;
	}
}

FIXTURE(frail) {
	int ns[3];
};

FIXTURE_SETUP(frail)
{
	int i;

	api_choose_port(_metadata);
	ASSERT_EQ(0, lab_up(FRAIL, "line:3 integrity end")) {
		TH_LOG("%s", cli_output());
	}
	for (i = 0; i < 3; i++) {
		self->ns[i] = lab_open(FRAIL, i);
		ASSERT_LE(0, self->ns[i]);
	}
}

FIXTURE_TEARDOWN(frail)
{
	EXPECT_EQ(0, cli("lab down name " FRAIL)) {
		TH_LOG("%s", cli_output());
	}
}

/* Removes the tests that no pattern matches. */
static void api_filter(int argc, char **argv)
{
	struct __fixture_metadata *f;
	struct __test_metadata *t;
	int i;

	for (f = __fixture_list; f; f = f->next) {
		struct __test_metadata **link = &f->tests;

		while ((t = *link)) {
			for (i = 1; i < argc; i++)
				if (!fnmatch(argv[i], t->name, 0))
					break;
			if (argc > 1 && i == argc)
				*link = t->next;
			else
				link = &t->next;
		}
	}
}

static void api_timeouts(void)
{
	const char *given = getenv("FLITCAST_TEST_TIMEOUT");
	struct __fixture_metadata *f;
	struct __test_metadata *t;

	for (f = __fixture_list; f; f = f->next)
		for (t = f->tests; t; t = t->next)
			t->timeout = given ? atoi(given) : TIMEOUT_S;
}

static void api_cleanup(void)
{
	cli("lab down name " LAB);
	cli("lab down name " FRAIL);
}

static int api_main(int argc, char **argv)
{
	skip_without_family(true);
	if (geteuid()) {
		printf("1..0 # SKIP needs root, to make network namespaces\n");
		return EXIT_SKIP;
	}
	api_filter(argc, argv);
	api_timeouts();
	/* Flush each line: tests are processes of their own and write to the same output. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	atexit(api_cleanup);
	return test_harness_run(argc, argv);
}

#define API_MAIN								\
	static void __attribute__((constructor)) __constructor_order_last(void)	\
	{									\
		if (!__constructor_order)					\
			__constructor_order = _CONSTRUCTOR_ORDER_BACKWARD;	\
	}									\
	int main(int argc, char **argv)						\
	{									\
		return api_main(argc, argv);					\
	}

#endif /* SELFTESTS_SOCK_API_H */
