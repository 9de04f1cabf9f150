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

/* Print the attributes that only RDMA links have. */
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

static void print_state(const char *format, uint32_t state)
{
	static const enum out_color colors[] = {
		[FLITCAST_LINK_STATE_DOWN] = OUT_BAD,
		[FLITCAST_LINK_STATE_INIT] = OUT_WARNING,
		[FLITCAST_LINK_STATE_UP] = OUT_GOOD,
	};

	out_colored("state", format, link_state_name(state),
		    state < FC_ARRAY_SIZE(colors) ? colors[state] : OUT_WARNING);
}

/* Print the columns: site, port, device, state, and the other end. */
static void print_brief(struct nlattr **a)
{
	struct nlattr *dev = a[FLITCAST_A_LINK_RDMA];

	out_text("%-4u %-3u %-16s ", get_u32(a[FLITCAST_A_LINK_SITE]),
		 get_u32(a[FLITCAST_A_LINK_PORT]),
		 get_string(dev ? dev : a[FLITCAST_A_LINK_IFNAME]));
	print_state("%-5s", get_u32(a[FLITCAST_A_LINK_STATE]));
	if (a[FLITCAST_A_LINK_PEER_SITE])
		out_text(" %u:%u", get_u32(a[FLITCAST_A_LINK_PEER_SITE]),
			 get_u32(a[FLITCAST_A_LINK_PEER_PORT]));
	out_text("\n");
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
		out_colored("dev", " dev %s", get_string(a[FLITCAST_A_LINK_IFNAME]), OUT_NAME);
		out_uint("ifindex", out_detail(" ifindex %llu"),
			 get_u32(a[FLITCAST_A_LINK_IFINDEX]));
		out_null("rdma");
	}
	out_uint("window", " window %llu", get_u32(a[FLITCAST_A_LINK_WINDOW]));
	out_bool("crc", get_u32(a[FLITCAST_A_LINK_CRC]));
	if (get_u32(a[FLITCAST_A_LINK_CRC]))
		out_text(" crc on");
	print_state(" state %s", get_u32(a[FLITCAST_A_LINK_STATE]));
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
	if (out_brief && !out_json) {
		print_brief(a);
		return;
	}
	out_open_object(NULL);
	print_link_line(a);
	out_text("\n");
	if (show_stats && a[FLITCAST_A_LINK_STATS])
		print_counters("counters", "    ", a[FLITCAST_A_LINK_STATS]);
	out_close_object();
}

/* Put the attributes that identify a link.  Return: its name, for error messages. */
static const char *put_link(struct request *req, const struct option_given *given)
{
	const char *dev = option_text(given, "dev");

	if (dev && strlen(dev) >= IFNAMSIZ)
		bad_usage("\"%s\" is no name of a device: it is too long", dev);
	put_given(req, given);
	return dev ? dev : xprintf("port %llu", (unsigned long long)option_get(given, "port", 0));
}

static int show(const struct option_given *given)
{
	bool one = option_was_given(given, "dev") || option_was_given(given, "port");
	struct request req = { 0 };
	int err;

	request_flitcast(&req, FLITCAST_CMD_LINK_GET, one ? 0 : NLM_F_DUMP);
	if (one)
		put_link(&req, given);
	else
		put_given(&req, given);
	out_open_array(NULL);
	err = request_ask(&req, print_link, NULL, "link show");
	out_close_array();
	out_end();
	return err ? EXIT_FAILED : 0;
}

static int add(const struct option_given *given)
{
	const char *rdma = option_text(given, "rdma"), *peer = option_text(given, "peer");
	uint32_t mtu = option_get(given, "mtu", 0), old = 0;
	struct request req = { 0 };
	char rdma_port[RDMA_SIZE];
	uint8_t gid[GID_LENGTH];
	const char *dev;
	int err;

	if (rdma && !peer)
		bad_usage("peer GID is missing: the GID of the RDMA port at the other end");
	if (rdma && mtu)
		bad_usage("mtu is of a network device, and RDMA links have none");
	if (!rdma && peer)
		bad_usage("peer is of RDMA links");
	request_flitcast(&req, FLITCAST_CMD_LINK_NEW, 0);
	dev = put_link(&req, given);
	if (rdma) {
		rdma_take(rdma, rdma_port);
		put_string(&req, FLITCAST_A_LINK_RDMA, rdma_port);
		dev = xprintf("rdma %s", rdma_port);
		if (!gid_parse(peer, gid))
			bad_usage("peer is a GID, written as an IPv6 or IPv4 address, not \"%s\"",
				  peer);
		put_bytes(&req, FLITCAST_A_LINK_PEER_GID, gid, sizeof(gid));
	}
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
	/* Restore the MTU if the kernel refused the request. */
	if (err && mtu && old != mtu)
		rtnl_set_mtu(dev, old);
	return err ? EXIT_FAILED : 0;
}

static int set(const struct option_given *given)
{
	struct request req = { 0 };
	const char *name;

	request_flitcast(&req, FLITCAST_CMD_LINK_SET, 0);
	name = put_link(&req, given);
	return request_ask(&req, NULL, NULL, xprintf("link set %s", name)) ? EXIT_FAILED : 0;
}

static int del(const struct option_given *given)
{
	struct request req = { 0 };
	const char *name;

	request_flitcast(&req, FLITCAST_CMD_LINK_DEL, 0);
	name = put_link(&req, given);
	return request_ask(&req, NULL, NULL, xprintf("link del %s", name)) ? EXIT_FAILED : 0;
}

#define DEV(how_) \
	OPTION("dev", "DEV", "the network device", TEXT, 0, .how = OPTION_BARE | (how_), \
	       .group = 1, .attr = FLITCAST_A_LINK_IFNAME, .complete = complete_devices)
#define PORT(how_, group_) \
	OPTION("port", "P", "port of the site, as its topology numbers them", NUMBER, 0, \
	       OPTION_RANGE(1, UINT32_MAX), .how = how_, .group = group_, \
	       .attr = FLITCAST_A_LINK_PORT)
#define SETTINGS \
	OPTION_SITE("site", FLITCAST_A_LINK_SITE), \
	OPTION("window", "N", "flits that the other end may have in flight", NUMBER, 0, \
	       OPTION_RANGE(0, UINT32_MAX), .attr = FLITCAST_A_LINK_WINDOW), \
	OPTION("crc", NULL, "have every frame carry a checksum", SWITCH, 0, \
	       .attr = FLITCAST_A_LINK_CRC)

static const struct option_entry add_options[] = {
	DEV(OPTION_NEED),
	OPTION("rdma", "DEV[/PORT]", "the port of an RDMA device, in place of a network device",
	       TEXT, 0, .group = 1),
	PORT(OPTION_NEED, 0),
	OPTION("peer", "GID", "with rdma: the RDMA port at the other end", TEXT, 0),
	SETTINGS,
	OPTION("mtu", "N", "set the MTU of the device first", NUMBER, 0, OPTION_RANGE(68, 65535)),
};

static const struct option_entry show_options[] = {
	DEV(0),
	PORT(0, 1),
	OPTION_SITE("site", FLITCAST_A_LINK_SITE),
};

static const struct option_entry set_options[] = {
	DEV(OPTION_NEED),
	PORT(0, 1),
	SETTINGS,
};

static const struct option_entry del_options[] = {
	DEV(OPTION_NEED),
	PORT(0, 1),
	OPTION_SITE("site", FLITCAST_A_LINK_SITE),
};

const struct option_command link_command = {
	.name = "link",
	.help = "Set up and show the links of sites",
	.commands = (const struct option_command[]) {
		{ "show", "Show links", OPTION_TABLE(show_options), .run = show },
		{ "add", "Use a network device, or an RDMA connection, as a link",
		  OPTION_TABLE(add_options), .run = add },
		{ "set", "Change a link", OPTION_TABLE(set_options), .run = set },
		{ "del", "Take a link out", OPTION_TABLE(del_options), .run = del },
		{ 0 }
	},
};
