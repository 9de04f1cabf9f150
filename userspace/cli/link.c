// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast link
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "core/link/hello.h"
#include "link_auto.h"
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

/*
 * Print the columns: site, port, device, state, the other end, and the expected one if it is
 * another.
 */
static void print_brief(struct nlattr **a)
{
	struct nlattr *dev = a[FLITCAST_A_LINK_RDMA];
	uint32_t site = get_u32(a[FLITCAST_A_LINK_EXPECTED_SITE]);
	uint32_t port = get_u32(a[FLITCAST_A_LINK_EXPECTED_PORT]);

	out_text("%-4u %-3u %-16s ", get_u32(a[FLITCAST_A_LINK_SITE]),
		 get_u32(a[FLITCAST_A_LINK_PORT]),
		 dev || a[FLITCAST_A_LINK_IFNAME] ?
		 get_string(dev ? dev : a[FLITCAST_A_LINK_IFNAME]) : "-");
	print_state("%-5s", get_u32(a[FLITCAST_A_LINK_STATE]));
	if (a[FLITCAST_A_LINK_PEER_SITE])
		out_text(" %u:%u", get_u32(a[FLITCAST_A_LINK_PEER_SITE]),
			 get_u32(a[FLITCAST_A_LINK_PEER_PORT]));
	if (!a[FLITCAST_A_LINK_PEER_SITE] || get_u32(a[FLITCAST_A_LINK_PEER_SITE]) != site ||
	    get_u32(a[FLITCAST_A_LINK_PEER_PORT]) != port)
		out_text(" expected %u:%u", site, port);
	out_text("\n");
}

/* Print the neighbour that the topology has at the port, in text only where it was not found. */
static void print_expected(struct nlattr **a)
{
	uint32_t site = get_u32(a[FLITCAST_A_LINK_EXPECTED_SITE]);
	uint32_t port = get_u32(a[FLITCAST_A_LINK_EXPECTED_PORT]);
	bool found = a[FLITCAST_A_LINK_PEER_SITE] &&
		     get_u32(a[FLITCAST_A_LINK_PEER_SITE]) == site &&
		     get_u32(a[FLITCAST_A_LINK_PEER_PORT]) == port;

	out_uint("expected_site", found ? NULL : " expected %llu", site);
	out_uint("expected_port", found ? NULL : " port %llu", port);
}

/* Print the network device, of which the name or the index may be unknown while it is absent. */
static void print_netdev(struct nlattr **a)
{
	uint8_t address[ETH_ALEN];
	char text[ADDRESS_TEXT];

	if (a[FLITCAST_A_LINK_IFNAME])
		out_colored("dev", " dev %s", get_string(a[FLITCAST_A_LINK_IFNAME]), OUT_NAME);
	else
		out_null("dev");
	if (a[FLITCAST_A_LINK_IFINDEX])
		out_uint("ifindex", out_detail(" ifindex %llu"),
			 get_u32(a[FLITCAST_A_LINK_IFINDEX]));
	else
		out_null("ifindex");
	if (address_read(a[FLITCAST_A_LINK_ADDRESS], address))
		out_string("address", " address %s", address_print(address, text));
	else
		out_null("address");
}

/* Print a number that not every link has. */
static void print_known(const char *key, const char *format, struct nlattr *attr)
{
	if (attr)
		out_uint(key, format, get_u32(attr));
	else
		out_null(key);
}

/* Print what the peer delays, in text only if it does. */
static void print_delay(struct nlattr **a)
{
	uint32_t stores = get_u32(a[FLITCAST_A_LINK_IN_STORES]);
	uint32_t in_age = get_u32(a[FLITCAST_A_LINK_IN_AGE]);
	uint32_t out_age = get_u32(a[FLITCAST_A_LINK_OUT_AGE]);

	out_uint("in_stores", stores ? " in_stores %llu" : NULL, stores);
	out_uint("in_age", in_age ? " in_age %llu" : NULL, in_age);
	print_known("in_source", " in_source %llu", a[FLITCAST_A_LINK_IN_SOURCE]);
	print_known("in_flits", " in_flits %llu", a[FLITCAST_A_LINK_IN_FLITS]);
	print_known("in_total", " in_total %llu", a[FLITCAST_A_LINK_IN_TOTAL]);
	out_uint("out_age", out_age ? " out_age %llu" : NULL, out_age);
	print_known("out_source", " out_source %llu", a[FLITCAST_A_LINK_OUT_SOURCE]);
	print_known("out_target", " out_target %llu", a[FLITCAST_A_LINK_OUT_TARGET]);
	print_known("out_flits", " out_flits %llu", a[FLITCAST_A_LINK_OUT_FLITS]);
}

void print_link_line(struct nlattr **a)
{
	out_uint("site", "site %llu", get_u32(a[FLITCAST_A_LINK_SITE]));
	out_uint("port", " port %llu", get_u32(a[FLITCAST_A_LINK_PORT]));
	out_string("direction", " %s", get_string(a[FLITCAST_A_LINK_DIRECTION]));
	if (a[FLITCAST_A_LINK_RDMA]) {
		out_null("dev");
		out_null("ifindex");
		out_null("address");
		out_string("rdma", " rdma %s", get_string(a[FLITCAST_A_LINK_RDMA]));
	} else {
		print_netdev(a);
		out_null("rdma");
	}
	out_uint("window", " window %llu", get_u32(a[FLITCAST_A_LINK_WINDOW]));
	out_bool("crc", get_u32(a[FLITCAST_A_LINK_CRC]));
	if (get_u32(a[FLITCAST_A_LINK_CRC]))
		out_text(" crc on");
	out_uint("hello", out_detail(" hello %llu"), get_u32(a[FLITCAST_A_LINK_HELLO]));
	out_uint("dead", out_detail(" dead %llu"), get_u32(a[FLITCAST_A_LINK_DEAD]));
	print_state(" state %s", get_u32(a[FLITCAST_A_LINK_STATE]));
	if (a[FLITCAST_A_LINK_REASON])
		out_string("reason", " (%s)", get_string(a[FLITCAST_A_LINK_REASON]));
	else
		out_null("reason");
	out_bool("suspect", get_u32(a[FLITCAST_A_LINK_SUSPECT]));
	if (a[FLITCAST_A_LINK_PEER_SITE]) {
		out_uint("peer_site", " peer %llu", get_u32(a[FLITCAST_A_LINK_PEER_SITE]));
		out_uint("peer_port", " port %llu", get_u32(a[FLITCAST_A_LINK_PEER_PORT]));
	} else {
		out_null("peer_site");
		out_null("peer_port");
	}
	print_expected(a);
	print_rdma(a);
	print_delay(a);
	print_known("damaged_source", " damaged_source %llu", a[FLITCAST_A_LINK_DAMAGED_SOURCE]);
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
	const char *dev = option_text(given, "dev"), *address = option_text(given, "address");
	uint8_t raw[ETH_ALEN];

	if (dev)
		rtnl_check_name(dev);
	put_given(req, given);
	if (address) {
		if (!address_parse(address, raw))
			bad_usage("\"%s\" is no address of a device", address);
		put_bytes(req, FLITCAST_A_LINK_ADDRESS, raw, sizeof(raw));
		return address;
	}
	return dev ? dev : xprintf("port %llu", (unsigned long long)option_get(given, "port", 0));
}

static int show(const struct option_given *given)
{
	bool one = option_was_given(given, "dev") || option_was_given(given, "address") ||
		   option_was_given(given, "port");
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
	const char *port_text = option_text(given, "port");
	uint32_t mtu = option_get(given, "mtu", 0), old = 0, port;
	bool is_auto = !strcmp(port_text, "auto");
	struct request req = { 0 };
	char rdma_port[RDMA_SIZE];
	uint8_t gid[GID_LENGTH];
	const char *dev;
	int err;

	if (rdma && !peer)
		bad_usage("peer GID is missing: the GID of the RDMA port at the other end");
	if (mtu && !option_text(given, "dev"))
		bad_usage("mtu is of a network device that dev names");
	if (!rdma && peer)
		bad_usage("peer is of RDMA links");
	if (is_auto && !option_text(given, "dev"))
		bad_usage("port auto needs the name of a network device");
	if (!is_auto)
		port = parse_number(port_text, 1, UINT32_MAX, "port");
	request_flitcast(&req, FLITCAST_CMD_LINK_NEW, 0);
	dev = put_link(&req, given);
	if (is_auto) {
		port = link_auto_port(dev, option_get(given, "site", FLITCAST_SITE_ANY));
		if (!port)
			return EXIT_FAILED;
	}
	put_u32(&req, FLITCAST_A_LINK_PORT, port);
	if (rdma) {
		rdma_take(rdma, rdma_port);
		put_string(&req, FLITCAST_A_LINK_RDMA, rdma_port);
		dev = xprintf("rdma %s", rdma_port);
		if (!gid_parse(peer, gid))
			bad_usage("peer is a GID, written as an IPv6 or IPv4 address, not \"%s\"",
				  peer);
		put_bytes(&req, FLITCAST_A_LINK_PEER_GID, gid, sizeof(gid));
	}
	if (option_was_given(given, "wait"))
		put_u32(&req, FLITCAST_A_LINK_WAIT, 1);
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
#define ADDRESS \
	OPTION("address", "MAC", "the permanent address of the network device", TEXT, 0, .group = 1)
#define PORT(how_, group_) \
	OPTION("port", "P", "port of the site, as its topology numbers them", NUMBER, 0, \
	       OPTION_RANGE(1, UINT32_MAX), .how = how_, .group = group_, \
	       .attr = FLITCAST_A_LINK_PORT)
#define SETTINGS \
	OPTION_SITE("site", FLITCAST_A_LINK_SITE), \
	OPTION("window", "N", "flits that the other end may have in flight", NUMBER, 0, \
	       OPTION_RANGE(0, UINT32_MAX), .attr = FLITCAST_A_LINK_WINDOW), \
	OPTION("crc", NULL, "have every frame carry a checksum", SWITCH, 0, \
	       .attr = FLITCAST_A_LINK_CRC), \
	OPTION("hello", "MS", "interval of HELLO", NUMBER, 0, \
	       OPTION_RANGE(FC_HELLO_MS_MIN, FC_HELLO_MS_MAX), .attr = FLITCAST_A_LINK_HELLO), \
	OPTION("dead", "N", "silent intervals of the peer after which the link is dead", NUMBER, \
	       0, OPTION_RANGE(FC_HELLO_DEAD_MIN, FC_HELLO_DEAD_MAX), \
	       .attr = FLITCAST_A_LINK_DEAD)

static const struct option_entry add_options[] = {
	DEV(OPTION_NEED),
	OPTION("rdma", "DEV[/PORT]", "the port of an RDMA device, in place of a network device",
	       TEXT, 0, .group = 1),
	ADDRESS,
	OPTION("port", "P", "port of the site, as its topology numbers them; auto: the one that\n"
	       "leads to the peer, whose link must be there already", TEXT, 0, .how = OPTION_NEED),
	OPTION("peer", "GID", "with rdma: the RDMA port at the other end", TEXT, 0),
	SETTINGS,
	OPTION("wait", NULL, "if there is no such device, wait until it appears", FLAG, 0),
	OPTION("mtu", "N", "set the MTU of the device first", NUMBER, 0, OPTION_RANGE(68, 65535)),
};

static const struct option_entry show_options[] = {
	DEV(0),
	ADDRESS,
	PORT(0, 1),
	OPTION_SITE("site", FLITCAST_A_LINK_SITE),
};

static const struct option_entry set_options[] = {
	DEV(OPTION_NEED),
	ADDRESS,
	PORT(0, 1),
	SETTINGS,
};

static const struct option_entry del_options[] = {
	DEV(OPTION_NEED),
	ADDRESS,
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
