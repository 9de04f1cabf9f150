// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations that fail: each operation runs with its first allocation failing, then with the
 * second, and so on until no allocation is left.  A failed operation must have no effect, and
 * succeed when it is repeated.  Kmemleak finds leaks.
 *
 * Failslab and fail_page_alloc must also apply to allocations that may sleep: selftests/kunit/run
 * sets that.
 */
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <net/net_namespace.h>
#include <uapi/linux/flitcast.h>
#include "fabric/mode.h"
#include "selftests/kunit/double.h"

/* No operation of this test allocates as often. */
#define NTH_MAX		1000

static struct net_device *dev[2];
static struct double_port port;

static int begin(struct kunit *test)
{
	double_port_init(&port);
	return 0;
}

static void end(struct kunit *test)
{
	double_port_end(&port);
	double_line_end(dev);
}

/* Count only allocations of this task, not those of interrupts. */
static void fail_nth(unsigned int n)
{
	WRITE_ONCE(current->fail_nth, n);
}

/* Did an allocation fail since fail_nth()?  Disables the injection. */
static bool failed(void)
{
	unsigned int left = READ_ONCE(current->fail_nth);

	fail_nth(0);
	return !left;
}

static bool too_many(struct kunit *test, unsigned int n)
{
	KUNIT_EXPECT_LT(test, n, (unsigned int)NTH_MAX);
	return n >= NTH_MAX;
}

static void add_site(struct kunit *test, const struct flitcast_site_config *cfg)
{
	bool more = true;
	unsigned int n;
	int err;

	for (n = 1; more && !too_many(test, n); n++) {
		fail_nth(n);
		err = flitcast_site_add(&init_net, cfg, NULL);
		more = failed();
		if (!more)
			KUNIT_EXPECT_EQ(test, 0, err);
		if (err)
			KUNIT_EXPECT_EQ(test, -ENOMEM, err);
		KUNIT_EXPECT_EQ(test, err ? -ENOENT : 0, flitcast_site_del(&init_net, 1, NULL));
	}
	/* The operation has allocations that can fail. */
	KUNIT_EXPECT_GT(test, n, 5U);
}

static void adding_a_site(struct kunit *test)
{
	struct flitcast_site_config cfg = double_config("torus:4x4", 1);

	add_site(test, &cfg);
}

/* Mode csr allocates the memory of mode vnet, and memory for reservations. */
static void adding_a_site_that_reserves(struct kunit *test)
{
	struct flitcast_site_config cfg = double_config("line:2", 1);

	cfg.mode = FC_MODE_CSR;
	cfg.window = flitcast_mode(cfg.mode)->window(cfg.flit);
	add_site(test, &cfg);
}

static void adding_a_link(struct kunit *test)
{
	struct flitcast_site_config cfg = double_config("line:2", 0);
	struct flitcast_site *site;
	bool more = true;
	unsigned int n;
	int err;

	KUNIT_ASSERT_EQ(test, 0, double_devices_add(dev));
	KUNIT_ASSERT_EQ(test, 0, flitcast_site_add(&init_net, &cfg, NULL));
	site = flitcast_site_get(&init_net, 0);
	for (n = 1; more && !too_many(test, n); n++) {
		rtnl_lock();
		fail_nth(n);
		err = double_link_add(site, dev[0], 1, 0);
		more = failed();
		KUNIT_EXPECT_EQ(test, err ? -ENOENT : 0, flitcast_link_del(site, 1, NULL));
		rtnl_unlock();
		if (!more)
			KUNIT_EXPECT_EQ(test, 0, err);
		if (err)
			KUNIT_EXPECT_EQ(test, -ENOMEM, err);
	}
	flitcast_site_put(site);
	KUNIT_EXPECT_GT(test, n, 2U);
}

static void attaching_a_port(struct kunit *test)
{
	struct flitcast_site_config cfg = double_config("line:2", 0);
	struct flitcast_site *site;
	bool more = true;
	unsigned int n;
	int err;

	KUNIT_ASSERT_EQ(test, 0, flitcast_site_add(&init_net, &cfg, NULL));
	site = flitcast_site_get(&init_net, 0);
	for (n = 1; more && !too_many(test, n); n++) {
		fail_nth(n);
		err = flitcast_port_attach(&port.port, site, 5000);
		more = failed();
		if (!more)
			KUNIT_EXPECT_EQ(test, 0, err);
		if (err)
			KUNIT_EXPECT_EQ(test, -ENOMEM, err);
		flitcast_port_detach(&port.port);
	}
	flitcast_site_put(site);
	KUNIT_EXPECT_GT(test, n, 2U);
}

/* An accepted message arrives, whichever allocation fails en route: the sender retries later. */
static void sending_a_message(struct kunit *test)
{
	static const u32 lengths[] = { 100, 20000 };
	struct flitcast_site *site;
	bool more;
	unsigned int i, n, taken = 0;
	int err;

	double_line(test, dev);
	site = flitcast_site_get(&init_net, 0);
	KUNIT_ASSERT_EQ(test, 0, flitcast_port_attach(&port.port, site, 5000));
	flitcast_site_put(site);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		more = true;
		for (n = 1; more && !too_many(test, n); n++) {
			fail_nth(n);
			err = double_send(&port, 1, FLITCAST_PORT_ECHO, lengths[i], n);
			more = failed();
			if (err) {
				KUNIT_EXPECT_EQ(test, -ENOMEM, err);
				KUNIT_EXPECT_TRUE(test, more);
				continue;
			}
			taken++;
			KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(&port.over,
									    DOUBLE_SOON));
			KUNIT_EXPECT_EQ(test, 0, port.err);
			/* The echo may fail for lack of memory, but not in this task. */
			KUNIT_ASSERT_TRUE(test, double_received(&port, lengths[i], n));
		}
		KUNIT_EXPECT_GT(test, n, 3U);
	}
	KUNIT_EXPECT_EQ(test, taken, port.sent);
	KUNIT_EXPECT_EQ(test, 0U, port.charged);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(adding_a_site),
	KUNIT_CASE(adding_a_site_that_reserves),
	KUNIT_CASE(adding_a_link),
	KUNIT_CASE(attaching_a_port),
	KUNIT_CASE(sending_a_message),
	{ }
};

static struct kunit_suite suite = {
	.name = "alloc", .suite_init = double_begin, .suite_exit = double_end,
	.init = begin, .exit = end, .test_cases = cases,
};

kunit_test_suites(&suite);
