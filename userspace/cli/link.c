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
#include "rdma.h"
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

static void print_gid(const char *key, const char *format, struct nlattr *attr)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t gid[GID_LENGTH];

	if (gid_read(attr, gid))
		out_string(key, format, gid_print(gid, text));
	else
		out_null(key);
}

/* Attributes that an RDMA link alone has. */
static void print_rdma(struct nlattr **a)
{
	if (a[FLITCAST_A_LINK_CONNECTION])
		out_string("connection", " connection %s",
			   get_string(a[FLITCAST_A_LINK_CONNECTION]));
	else
		out_null("connection");
	if (a[FLITCAST_A_LINK_QP])
		out_uint("qp", " qp %llu", get_u32(a[FLITCAST_A_LINK_QP]));
	else
		out_null("qp");
	print_gid("gid", " gid %s", a[FLITCAST_A_LINK_GID]);
	print_gid("peer_gid", " peer_gid %s", a[FLITCAST_A_LINK_PEER_GID]);
}

void print_link_line(struct nlattr **a)
{
	out_uint("site", "site %llu", get_u32(a[FLITCAST_A_LINK_SITE]));
	out_uint("port", " port %llu", get_u32(a[FLITCAST_A_LINK_PORT]));
	out_string("direction", " %s", get_string(a[FLITCAST_A_LINK_DIRECTION]));
	if (a[FLITCAST_A_LINK_RDMA]) {
		out_null("dev");
		out_null("ifindex");
		out_string("rdma", " rdma %s", get_string(a[FLITCAST_A_LINK_RDMA]));
	} else {
		out_string("dev", " dev %s", get_string(a[FLITCAST_A_LINK_IFNAME]));
		out_uint("ifindex", NULL, get_u32(a[FLITCAST_A_LINK_IFINDEX]));
		out_null("rdma");
	}
	out_uint("window", " window %llu", get_u32(a[FLITCAST_A_LINK_WINDOW]));
	out_bool("crc", get_u32(a[FLITCAST_A_LINK_CRC]));
	if (get_u32(a[FLITCAST_A_LINK_CRC]))
		out_text(" crc on");
	out_string("state", " state %s", link_state_name(get_u32(a[FLITCAST_A_LINK_STATE])));
	if (a[FLITCAST_A_LINK_REASON])
		out_string("reason", " (%s)", get_string(a[FLITCAST_A_LINK_REASON]));
	else
		out_null("reason");
	if (a[FLITCAST_A_LINK_PEER_SITE]) {
		out_uint("peer_site", " peer %llu", get_u32(a[FLITCAST_A_LINK_PEER_SITE]));
		out_uint("peer_port", " port %llu", get_u32(a[FLITCAST_A_LINK_PEER_PORT]));
	} else {
		out_null("peer_site");
		out_null("peer_port");
	}
	print_rdma(a);
}

static void print_link(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_LINK_MAX + 1];

	get_attrs(message, a, FLITCAST_A_LINK_MAX);
	out_open_object(NULL);
	print_link_line(a);
	out_text("\n");
	if (show_stats && a[FLITCAST_A_LINK_STATS])
		print_counters("counters", "    ", a[FLITCAST_A_LINK_STATS]);
	out_close_object();
}

/* "site ID": which of several. */
static bool take_site(struct args *args, struct request *req)
{
	if (!take_word(args, "site"))
		return false;
	put_u32(req, FLITCAST_A_LINK_SITE,
		parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1, "site"));
	return true;
}

static void take_port(struct args *args, struct request *req)
{
	put_u32(req, FLITCAST_A_LINK_PORT,
		parse_number(take_any(args, "port"), 1, UINT32_MAX, "port"));
}

static void take_window(struct args *args, struct request *req)
{
	put_u32(req, FLITCAST_A_LINK_WINDOW,
		parse_number(take_any(args, "window"), 0, UINT32_MAX, "window"));
}

static void take_crc(struct args *args, struct request *req)
{
	put_u32(req, FLITCAST_A_LINK_CRC, parse_switch(take_any(args, "crc"), "crc"));
}

static const char *take_dev(struct args *args)
{
	const char *dev;

	take_word(args, "dev");
	dev = take_any(args, "device");
	if (strlen(dev) >= IFNAMSIZ)
		bad_usage("\"%s\" is no name of a device: it is too long", dev);
	return dev;
}

/* "[dev] DEV", or "port P" of the site: which link; its name for complaints is returned. */
static const char *take_link(struct args *args, struct request *req)
{
	const char *name;

	if (take_word(args, "port")) {
		name = args->argc ? xprintf("port %s", args->argv[0]) : NULL;
		take_port(args, req);
	} else {
		name = take_dev(args);
		put_string(req, FLITCAST_A_LINK_IFNAME, name);
	}
	return name;
}

static int show(struct args *args)
{
	bool all = !args->argc || is_prefix(args->argv[0], "site");
	struct request req = { 0 };
	int err;

	request_flitcast(&req, FLITCAST_CMD_LINK_GET, all ? NLM_F_DUMP : 0);
	if (!all)
		take_link(args, &req);
	take_site(args, &req);
	take_end(args);
	out_open_array(NULL);
	err = request_ask(&req, print_link, NULL, "link show");
	out_close_array();
	out_end();
	return err ? EXIT_FAILED : 0;
}

static void take_peer(struct args *args, struct request *req)
{
	const char *text = take_any(args, "peer");
	uint8_t gid[GID_LENGTH];

	if (!gid_parse(text, gid))
		bad_usage("peer is a GID, written as an IPv6 or IPv4 address, not \"%s\"", text);
	put_bytes(req, FLITCAST_A_LINK_PEER_GID, gid, sizeof(gid));
}

static int add(struct args *args)
{
	bool rdma = take_word(args, "rdma"), peer = false, port = false;
	uint32_t mtu = 0, old = 0;
	struct request req = { 0 };
	char rdma_port[RDMA_SIZE];
	const char *dev;
	int err;

	request_flitcast(&req, FLITCAST_CMD_LINK_NEW, 0);
	if (rdma) {
		rdma_take(args, rdma_port);
		put_string(&req, FLITCAST_A_LINK_RDMA, rdma_port);
		dev = xprintf("rdma %s", rdma_port);
	} else {
		dev = take_dev(args);
		put_string(&req, FLITCAST_A_LINK_IFNAME, dev);
	}
	while (args->argc) {
		if (rdma && take_word(args, "peer")) {
			take_peer(args, &req);
			peer = true;
		} else if (take_word(args, "port")) {
			take_port(args, &req);
			port = true;
		} else if (take_word(args, "mtu")) {
			if (rdma)
				bad_usage("mtu is of a network device, and RDMA links have none");
			mtu = parse_number(take_any(args, "mtu"), 68, 65535, "mtu");
		} else if (take_word(args, "window")) {
			take_window(args, &req);
		} else if (take_word(args, "crc")) {
			take_crc(args, &req);
		} else if (!take_site(args, &req)) {
			take_end(args);
		}
	}
	if (rdma && !peer)
		bad_usage("peer is missing: the GID of the RDMA port at the other end");
	if (!port)
		bad_usage("port is missing");

	if (mtu) {
		err = rtnl_get_mtu(dev, &old);
		if (!err && old != mtu)
			err = rtnl_set_mtu(dev, mtu);
		if (err) {
			complain("link add %s: mtu %u: %s", dev, mtu, strerror(-err));
			return EXIT_FAILED;
		}
	}
	err = request_ask(&req, NULL, NULL, xprintf("link add %s", dev));
	/* Refused: nothing changes. */
	if (err && mtu && old != mtu)
		rtnl_set_mtu(dev, old);
	return err ? EXIT_FAILED : 0;
}

static int set(struct args *args)
{
	struct request req = { 0 };
	const char *name;

	request_flitcast(&req, FLITCAST_CMD_LINK_SET, 0);
	name = take_link(args, &req);
	while (args->argc) {
		if (take_word(args, "window"))
			take_window(args, &req);
		else if (take_word(args, "crc"))
			take_crc(args, &req);
		else if (!take_site(args, &req))
			take_end(args);
	}
	return request_ask(&req, NULL, NULL, xprintf("link set %s", name)) ? EXIT_FAILED : 0;
}

static int del(struct args *args)
{
	struct request req = { 0 };
	const char *name;

	request_flitcast(&req, FLITCAST_CMD_LINK_DEL, 0);
	name = take_link(args, &req);
	take_site(args, &req);
	take_end(args);
	return request_ask(&req, NULL, NULL, xprintf("link del %s", name)) ? EXIT_FAILED : 0;
}

static const struct command commands[] = {
	{ "add", add, "DEV port P [site ID] [mtu N] [window N] [crc { on | off }]\n"
	  "rdma DEV/PORT peer GID port P [site ID] [window N] [crc { on | off }]" },
	{ "show", show, "[DEV | port P] [site ID]" },
	{ "set", set, "{ DEV | port P } [site ID] [window N] [crc { on | off }]" },
	{ "del", del, "{ DEV | port P } [site ID]" },
	{ 0 }
};

int do_link(struct args *args)
{
	return run_command("link", commands, args);
}
