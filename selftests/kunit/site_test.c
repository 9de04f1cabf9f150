// SPDX-License-Identifier: GPL-2.0
/*
 * The site layer by itself, without sockets and netlink: the devices and ports that attach or are
 * refused, and the frames that a site sends over a link.
 */
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>
#include <uapi/linux/flitcast.h>
#include <uapi/linux/flitcast_netlink.h>
#include "site/end.h"
#include "selftests/kunit/double.h"

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

/* flitcast_port_attach() by the number of the site. */
static int attach(u32 id, u16 number)
{
	struct flitcast_site *site = flitcast_site_get(&init_net, id);
	int err;

	if (!site)
		return -ENOENT;
	err = flitcast_port_attach(&port.port, site, number);
	flitcast_site_put(site);
	return err;
}

static void sites_are_added_once(struct kunit *test)
{
	struct flitcast_site_config cfg = double_config("line:2", 1), bad = cfg;

	KUNIT_EXPECT_EQ(test, 0, flitcast_site_add(&init_net, &cfg, NULL));
	KUNIT_EXPECT_EQ(test, -EEXIST, flitcast_site_add(&init_net, &cfg, NULL));
	bad.id = 2;
	KUNIT_EXPECT_EQ(test, -EINVAL, flitcast_site_add(&init_net, &bad, NULL));
	bad.id = 0;
	bad.flit = FLITCAST_FLIT_MIN - 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, flitcast_site_add(&init_net, &bad, NULL));
	bad.flit = FLITCAST_FLIT_MIN;
	bad.window = FLITCAST_WINDOW_MAX + 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, flitcast_site_add(&init_net, &bad, NULL));
	KUNIT_EXPECT_EQ(test, 0, flitcast_site_del(&init_net, 1, NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT, flitcast_site_del(&init_net, 1, NULL));
}

static void a_found_site_outlives_its_end(struct kunit *test)
{
	struct flitcast_site_config cfg = double_config("line:2", 1);
	struct flitcast_site *site;

	KUNIT_ASSERT_EQ(test, 0, flitcast_site_add(&init_net, &cfg, NULL));
	site = flitcast_site_get(&init_net, FLITCAST_SITE_ANY);
	KUNIT_ASSERT_NOT_NULL(test, site);
	KUNIT_EXPECT_EQ(test, 0, flitcast_site_del(&init_net, 1, NULL));
	KUNIT_EXPECT_TRUE(test, flitcast_site_dead(site));
	KUNIT_EXPECT_EQ(test, -ENETDOWN, flitcast_port_attach(&port.port, site, 5000));
	KUNIT_EXPECT_PTR_EQ(test, flitcast_site_get(&init_net, 1), (struct flitcast_site *)NULL);
	flitcast_site_put(site);
}

static void ports_are_attached_once(struct kunit *test)
{
	struct flitcast_site_config cfg = double_config("line:2", 1);

	KUNIT_ASSERT_EQ(test, 0, flitcast_site_add(&init_net, &cfg, NULL));
	KUNIT_EXPECT_EQ(test, -EADDRINUSE, attach(1, FLITCAST_PORT_ECHO));
	KUNIT_EXPECT_EQ(test, 0, attach(1, 5000));
	flitcast_port_detach(&port.port);
	KUNIT_EXPECT_EQ(test, 0, attach(1, 5000));
	flitcast_port_detach(&port.port);
	KUNIT_EXPECT_EQ(test, 0, attach(1, FLITCAST_PORT_ANY));
	KUNIT_EXPECT_GE(test, port.port.number, (u16)FLITCAST_PORT_DYNAMIC);
	flitcast_port_detach(&port.port);
	/* a second detach has no effect */
	flitcast_port_detach(&port.port);
	KUNIT_EXPECT_FALSE(test, port.detached);
}

static int link_add(u32 id, struct net_device *device, u32 number, u32 window)
{
	struct flitcast_site *site = flitcast_site_get(&init_net, id);
	int err;

	rtnl_lock();
	err = double_link_add(site, device, number, window);
	rtnl_unlock();
	flitcast_site_put(site);
	return err;
}

static void links_are_refused(struct kunit *test)
{
	struct flitcast_site_config first = double_config("line:2", 0);
	struct flitcast_site_config second = double_config("line:2", 1);
	struct flitcast_site_config wide = double_config("line:3", 2);

	wide.flit = 1501;
	KUNIT_ASSERT_EQ(test, 0, double_devices_add(dev));
	KUNIT_ASSERT_EQ(test, 0, flitcast_site_add(&init_net, &first, NULL));
	KUNIT_ASSERT_EQ(test, 0, flitcast_site_add(&init_net, &second, NULL));
	KUNIT_ASSERT_EQ(test, 0, flitcast_site_add(&init_net, &wide, NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, link_add(0, dev[0], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, link_add(0, dev[0], 3, 0));
	/* site 0 of a line has no neighbour on port 2 */
	KUNIT_EXPECT_EQ(test, -EINVAL, link_add(0, dev[0], 2, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, link_add(0, dev[0], 1, FLITCAST_WINDOW_DEFAULT + 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, link_add(2, dev[0], 2, 0));
	KUNIT_EXPECT_EQ(test, 0, link_add(0, dev[0], 1, 0));
	KUNIT_EXPECT_EQ(test, -EEXIST, link_add(0, dev[1], 1, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, link_add(1, dev[0], 2, 0));
	flitcast_site_del(&init_net, 2, NULL);
}

/* The echo port of the other site returns each message. */
static void messages_come_back(struct kunit *test)
{
	static const u32 lengths[] = { 0, 1, 1400, 1500, 65536, 65537, 300000 };
	unsigned int i;

	double_line(test, dev);
	KUNIT_ASSERT_EQ(test, 0, attach(0, 5000));
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		KUNIT_ASSERT_EQ(test, 0, double_send(&port, 1, FLITCAST_PORT_ECHO, lengths[i], i));
		KUNIT_EXPECT_TRUE(test, double_received(&port, lengths[i], i));
		KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(&port.over, DOUBLE_SOON));
		KUNIT_EXPECT_EQ(test, 0, port.err);
	}
	KUNIT_EXPECT_EQ(test, (unsigned int)ARRAY_SIZE(lengths), port.sent);
	KUNIT_EXPECT_EQ(test, 0U, port.charged);
}

static void no_socket_is_reported(struct kunit *test)
{
	double_line(test, dev);
	KUNIT_ASSERT_EQ(test, 0, attach(0, 5000));
	KUNIT_EXPECT_EQ(test, -EHOSTUNREACH, double_send(&port, 2, 5000, 10, 0));
	KUNIT_ASSERT_EQ(test, 0, double_send(&port, 1, 4999, 10, 0));
	KUNIT_ASSERT_TRUE(test, wait_for_completion_timeout(&port.over, DOUBLE_SOON));
	KUNIT_EXPECT_EQ(test, -ECONNREFUSED, port.err);
	KUNIT_EXPECT_EQ(test, 1U, port.sent);
}

static void a_site_ends_in_traffic(struct kunit *test)
{
	unsigned int i;

	double_line(test, dev);
	KUNIT_ASSERT_EQ(test, 0, attach(0, 5000));
	for (i = 0; i < 20; i++)
		KUNIT_ASSERT_EQ(test, 0, double_send(&port, 1, FLITCAST_PORT_ECHO, 100000, i));
	KUNIT_EXPECT_TRUE(test, double_received(&port, 100000, 0));
	KUNIT_EXPECT_EQ(test, 0, flitcast_site_del(&init_net, 0, NULL));
	KUNIT_EXPECT_TRUE(test, port.detached);
	KUNIT_EXPECT_EQ(test, -ENETDOWN, double_send(&port, 1, FLITCAST_PORT_ECHO, 1, 0));
}

static void a_device_goes_in_traffic(struct kunit *test)
{
	unsigned int i;

	double_line(test, dev);
	KUNIT_ASSERT_EQ(test, 0, attach(0, 5000));
	for (i = 0; i < 5; i++)
		KUNIT_ASSERT_EQ(test, 0, double_send(&port, 1, FLITCAST_PORT_ECHO, 100000, i));
	KUNIT_EXPECT_TRUE(test, double_received(&port, 100000, 0));
	double_devices_del(dev);
	/* Ten times as long as a link takes to come up. */
	KUNIT_EXPECT_FALSE(test, double_link_up(0, 1, 2 * HZ));
}

/* A host that shuts down informs its neighbours. */
static void a_host_shuts_down(struct kunit *test)
{
	unsigned long until = jiffies + DOUBLE_SOON;
	struct flitcast_link_info info = { };
	struct flitcast_site *site;

	double_line(test, dev);
	/* As flitcast_shutdown() for each site. */
	site = flitcast_site_get(&init_net, 0);
	KUNIT_ASSERT_NOT_NULL(test, site);
	flitcast_links_leave(site);
	flitcast_site_put(site);
	site = flitcast_site_get(&init_net, 1);
	KUNIT_ASSERT_NOT_NULL(test, site);
	while (!flitcast_link_info(site, 2, &info) && !strstr(info.reason, "its host shut down") &&
	       time_before(jiffies, until))
		msleep(20);
	flitcast_site_put(site);
	KUNIT_EXPECT_EQ(test, FLITCAST_LINK_STATE_INIT, info.state);
	KUNIT_EXPECT_NOT_NULL(test, strstr(info.reason, "its host shut down"));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(sites_are_added_once),
	KUNIT_CASE(a_found_site_outlives_its_end),
	KUNIT_CASE(ports_are_attached_once),
	KUNIT_CASE(links_are_refused),
	KUNIT_CASE(messages_come_back),
	KUNIT_CASE(no_socket_is_reported),
	KUNIT_CASE(a_site_ends_in_traffic),
	KUNIT_CASE(a_device_goes_in_traffic),
	KUNIT_CASE(a_host_shuts_down),
	{ }
};

static struct kunit_suite suite = {
	.name = "site", .suite_init = double_begin, .suite_exit = double_end,
	.init = begin, .exit = end, .test_cases = cases,
};

kunit_test_suites(&suite);
