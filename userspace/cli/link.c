// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast link
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "out.h"
#include "rtnl.h"

const char *link_state_name(uint32_t state)
{
	switch ((enum flitcast_link_state)state) {
	case FLITCAST_LINK_STATE_DOWN:
		return "down";
	case FLITCAST_LINK_STATE_INIT:
		return "init";
	case FLITCAST_LINK_STATE_UP:
		return "up";
	}
	return "unknown";
}

void print_link_line(const struct nlattr **a)
{
	out_uint("site", "site %llu", nl_u32(a[FLITCAST_A_LINK_SITE]));
	out_uint("port", " port %llu", nl_u32(a[FLITCAST_A_LINK_PORT]));
	out_string("direction", " %s", nl_string(a[FLITCAST_A_LINK_DIRECTION]));
	out_string("dev", " dev %s", nl_string(a[FLITCAST_A_LINK_IFNAME]));
	out_uint("ifindex", NULL, nl_u32(a[FLITCAST_A_LINK_IFINDEX]));
	out_uint("window", " window %llu", nl_u32(a[FLITCAST_A_LINK_WINDOW]));
	out_bool("crc", nl_u32(a[FLITCAST_A_LINK_CRC]));
	if (nl_u32(a[FLITCAST_A_LINK_CRC]))
		out_text(" crc on");
	out_string("state", " state %s", link_state_name(nl_u32(a[FLITCAST_A_LINK_STATE])));
	if (a[FLITCAST_A_LINK_REASON])
		out_string("reason", " (%s)", nl_string(a[FLITCAST_A_LINK_REASON]));
	else
		out_null("reason");
	if (a[FLITCAST_A_LINK_PEER_SITE]) {
		out_uint("peer_site", " peer %llu", nl_u32(a[FLITCAST_A_LINK_PEER_SITE]));
		out_uint("peer_port", " port %llu", nl_u32(a[FLITCAST_A_LINK_PEER_PORT]));
	} else {
		out_null("peer_site");
		out_null("peer_port");
	}
}

static void print_link(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[FLITCAST_A_LINK_MAX + 1];

	nl_parse_genl(data, length, a, FLITCAST_A_LINK_MAX);
	out_open_object(NULL);
	print_link_line(a);
	out_text("\n");
	if (show_stats && a[FLITCAST_A_LINK_STATS])
		print_counters("counters", "    ", a[FLITCAST_A_LINK_STATS]);
	out_close_object();
}

/* "site ID": which of several. */
static bool take_site(struct args *args, struct nl_request *req)
{
	if (!take_word(args, "site"))
		return false;
	nl_put_u32(req, FLITCAST_A_LINK_SITE,
		   parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1, "site"));
	return true;
}

static const char *take_dev(struct args *args)
{
	const char *dev = take_any(args, "device");

	if (strlen(dev) >= IFNAMSIZ)
		bad_usage("\"%s\" is no name of a device: it is too long", dev);
	return dev;
}

static int show(struct args *args)
{
	struct nl_request req = { 0 };
	const char *dev = NULL;
	int err;

	if (take_word(args, "dev") || (args->argc && !is_prefix(args->argv[0], "site")))
		dev = take_dev(args);
	nl_begin_flitcast(&req, FLITCAST_CMD_LINK_GET, dev ? 0 : NLM_F_DUMP);
	if (dev)
		nl_put_string(&req, FLITCAST_A_LINK_IFNAME, dev);
	take_site(args, &req);
	take_end(args);
	nl_end(&req);
	out_open_array(NULL);
	err = nl_ask(&req, print_link, NULL, "link show");
	out_close_array();
	out_end();
	return err ? EXIT_FAILED : 0;
}

static void put_crc(struct args *args, struct nl_request *req)
{
	nl_put_u32(req, FLITCAST_A_LINK_CRC, parse_switch(take_any(args, "crc"), "crc"));
}

static int add(struct args *args)
{
	const char *dev = take_dev(args);
	uint32_t mtu = 0, old = 0;
	struct nl_request req = { 0 };
	bool port = false;
	int err;

	nl_begin_flitcast(&req, FLITCAST_CMD_LINK_NEW, 0);
	nl_put_string(&req, FLITCAST_A_LINK_IFNAME, dev);
	while (args->argc) {
		if (take_word(args, "port")) {
			nl_put_u32(&req, FLITCAST_A_LINK_PORT,
				   parse_number(take_any(args, "port"), 1, UINT32_MAX, "port"));
			port = true;
		} else if (take_word(args, "mtu")) {
			mtu = parse_number(take_any(args, "mtu"), 68, 65535, "mtu");
		} else if (take_word(args, "window")) {
			nl_put_u32(&req, FLITCAST_A_LINK_WINDOW,
				   parse_number(take_any(args, "window"), 0, UINT32_MAX,
						"window"));
		} else if (take_word(args, "crc")) {
			put_crc(args, &req);
		} else if (!take_site(args, &req)) {
			take_end(args);
		}
	}
	if (!port)
		bad_usage("port is missing");
	nl_end(&req);

	if (mtu) {
		err = rtnl_get_mtu(dev, &old);
		if (!err && old != mtu)
			err = rtnl_set_mtu(dev, mtu);
		if (err) {
			complain("link add %s: mtu %u: %s", dev, mtu, strerror(-err));
			return EXIT_FAILED;
		}
	}
	err = nl_ask(&req, NULL, NULL, xprintf("link add %s", dev));
	/* Refused: nothing changes. */
	if (err && mtu && old != mtu)
		rtnl_set_mtu(dev, old);
	return err ? EXIT_FAILED : 0;
}

static int set(struct args *args)
{
	const char *dev = take_dev(args);
	struct nl_request req = { 0 };

	nl_begin_flitcast(&req, FLITCAST_CMD_LINK_SET, 0);
	nl_put_string(&req, FLITCAST_A_LINK_IFNAME, dev);
	while (args->argc) {
		if (take_word(args, "window"))
			nl_put_u32(&req, FLITCAST_A_LINK_WINDOW,
				   parse_number(take_any(args, "window"), 0, UINT32_MAX,
						"window"));
		else if (take_word(args, "crc"))
			put_crc(args, &req);
		else if (!take_site(args, &req))
			take_end(args);
	}
	nl_end(&req);
	return nl_ask(&req, NULL, NULL, xprintf("link set %s", dev)) ? EXIT_FAILED : 0;
}

static int del(struct args *args)
{
	const char *dev = take_dev(args);
	struct nl_request req = { 0 };

	nl_begin_flitcast(&req, FLITCAST_CMD_LINK_DEL, 0);
	nl_put_string(&req, FLITCAST_A_LINK_IFNAME, dev);
	take_site(args, &req);
	take_end(args);
	nl_end(&req);
	return nl_ask(&req, NULL, NULL, xprintf("link del %s", dev)) ? EXIT_FAILED : 0;
}

static const struct command commands[] = {
	{ "add", add, "DEV port P [site ID] [mtu N] [window N] [crc { on | off }]" },
	{ "show", show, "[DEV] [site ID]" },
	{ "set", set, "DEV [site ID] [window N] [crc { on | off }]" },
	{ "del", del, "DEV [site ID]" },
	{ 0 }
};

int do_link(struct args *args)
{
	return run_command("link", commands, args);
}
