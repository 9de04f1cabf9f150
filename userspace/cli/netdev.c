// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast netdev
 */
#include <stdio.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include "cli.h"
#include "out.h"
#include "rtnl.h"

/**
 * struct netdev - the network device of a site
 * @attr: attributes of rtnetlink
 * @data: attributes of its kind
 * @index: interface index
 * @up: it is set up
 */
struct netdev {
	struct nlattr *attr[IFLA_MAX + 1];
	struct nlattr *data[IFLA_FLITCAST_MAX + 1];
	int index;
	bool up;
};

/* Return: false if the message describes a device of another kind. */
static bool read_netdev(struct nlmsghdr *message, struct netdev *dev)
{
	const struct ifinfomsg *header = nlmsg_data(message);
	struct nlattr *info[IFLA_INFO_MAX + 1];

	if (nlmsg_parse(message, sizeof(*header), dev->attr, IFLA_MAX, NULL) ||
	    !dev->attr[IFLA_LINKINFO] ||
	    nla_parse_nested(info, IFLA_INFO_MAX, dev->attr[IFLA_LINKINFO], NULL) ||
	    strcmp(get_string(info[IFLA_INFO_KIND]), RTNL_KIND) || !info[IFLA_INFO_DATA] ||
	    nla_parse_nested(dev->data, IFLA_FLITCAST_MAX, info[IFLA_INFO_DATA], NULL))
		return false;
	dev->index = header->ifi_index;
	dev->up = header->ifi_flags & IFF_UP;
	return true;
}

static uint8_t get_u8(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= 1 ? nla_get_u8(attr) : 0;
}

/* Print the operational state, by the names of ip(8) in lower case. */
static void print_state(const char *format, const struct netdev *dev)
{
	static const char *const names[] = {
		[IF_OPER_UNKNOWN] = "unknown",
		[IF_OPER_NOTPRESENT] = "notpresent",
		[IF_OPER_DOWN] = "down",
		[IF_OPER_LOWERLAYERDOWN] = "lowerlayerdown",
		[IF_OPER_TESTING] = "testing",
		[IF_OPER_DORMANT] = "dormant",
		[IF_OPER_UP] = "up",
	};
	uint8_t state = get_u8(dev->attr[IFLA_OPERSTATE]);

	out_colored("state", format, names[state < FC_ARRAY_SIZE(names) ? state : IF_OPER_UNKNOWN],
		    state == IF_OPER_UP ? OUT_GOOD :
		    state == IF_OPER_DOWN ? OUT_BAD : OUT_WARNING);
}

/* Print the columns: device, site, state, MTU, address. */
static void print_brief(const struct netdev *dev, const char *address)
{
	out_text("%-16s %-4u ", get_string(dev->attr[IFLA_IFNAME]),
		 get_u32(dev->data[IFLA_FLITCAST_SITE]));
	print_state("%-5s", dev);
	out_text(" %5u %s\n", get_u32(dev->attr[IFLA_MTU]), address);
}

/* @arg: the number of printed devices. */
static void print_netdev(struct nlmsghdr *message, void *arg)
{
	char address[ADDRESS_TEXT];
	unsigned int *count = arg;
	uint8_t raw[ETH_ALEN];
	struct netdev dev;

	if (!read_netdev(message, &dev))
		return;
	(*count)++;
	address_read(dev.attr[IFLA_ADDRESS], raw);
	address_print(raw, address);
	if (out_brief && !out_json) {
		print_brief(&dev, address);
		return;
	}
	out_open_object(NULL);
	out_colored("dev", "dev %s", get_string(dev.attr[IFLA_IFNAME]), OUT_NAME);
	out_uint("ifindex", out_detail(" ifindex %llu"), dev.index);
	out_uint("site", " site %llu", get_u32(dev.data[IFLA_FLITCAST_SITE]));
	print_state(" state %s", &dev);
	if (dev.up && !get_u8(dev.attr[IFLA_CARRIER]))
		out_string("reason", " (%s)", "no carrier");
	else
		out_null("reason");
	out_uint("mtu", " mtu %llu", get_u32(dev.attr[IFLA_MTU]));
	out_string("address", " address %s", address);
	out_text("\n");
	out_close_object();
}

static void print_name(struct nlmsghdr *message, void *arg)
{
	struct netdev dev;

	(void)arg;
	if (read_netdev(message, &dev))
		puts(get_string(dev.attr[IFLA_IFNAME]));
}

static void complete_netdevs(void)
{
	struct request req = { 0 };

	rtnl_put_get(&req, NULL);
	request_ask_rtnl(&req, print_name, NULL, "complete");
}

/* @arg: the interface index of the device. */
static void read_index(struct nlmsghdr *message, void *arg)
{
	struct netdev dev;

	if (read_netdev(message, &dev))
		*(int *)arg = dev.index;
}

/* Name of the device, which is checked, or NULL if none is given. */
static const char *name_given(const struct option_given *given)
{
	const char *name = option_text(given, "NAME");

	if (name)
		rtnl_check_name(name);
	return name;
}

static int refuse_kind(const char *about)
{
	complain("%s: the device is not of kind " RTNL_KIND, about);
	return EXIT_FAILED;
}

static int show(const struct option_given *given)
{
	const char *name = name_given(given);
	const char *about = name ? xprintf("netdev show %s", name) : "netdev show";
	struct request req = { 0 };
	unsigned int count = 0;
	int err;

	request_find_family();
	rtnl_put_get(&req, name);
	out_open_array(NULL);
	err = request_ask_rtnl(&req, print_netdev, &count, about);
	out_close_array();
	out_end();
	if (!err && name && !count)
		return refuse_kind(about);
	return err ? EXIT_FAILED : 0;
}

static int add(const struct option_given *given)
{
	const char *name = name_given(given);
	struct request req = { 0 };

	request_find_family();
	rtnl_put_flitcast(&req, name, option_get(given, "site", FLITCAST_SITE_ANY), 0);
	return request_ask_rtnl(&req, NULL, NULL, xprintf("netdev add %s", name)) ?
	       EXIT_FAILED : 0;
}

static int del(const struct option_given *given)
{
	const char *name = name_given(given), *about = xprintf("netdev del %s", name);
	struct request req = { 0 };
	int index = 0;

	request_find_family();
	rtnl_put_get(&req, name);
	if (request_ask_rtnl(&req, read_index, &index, about))
		return EXIT_FAILED;
	if (!index)
		return refuse_kind(about);
	/* By its index: another device may get the name meanwhile. */
	rtnl_put_del(&req, name, index);
	return request_ask_rtnl(&req, NULL, NULL, about) ? EXIT_FAILED : 0;
}

#define NAME(help_, how_, ...) \
	OPTION("NAME", NULL, help_, TEXT, 0, .how = OPTION_PLAIN | (how_), ##__VA_ARGS__)

static const struct option_entry show_options[] = {
	NAME("the network device", 0, .complete = complete_netdevs),
};

static const struct option_entry add_options[] = {
	NAME("name of the new network device", OPTION_NEED),
	OPTION_SITE("site", 0),
};

static const struct option_entry del_options[] = {
	NAME("the network device", OPTION_NEED, .complete = complete_netdevs),
};

const struct option_command netdev_command = {
	.name = "netdev",
	.help = "Set up and show the network devices of sites, which carry IP",
	.commands = (const struct option_command[]) {
		{ "show", "Show network devices of sites", OPTION_TABLE(show_options),
		  .run = show },
		{ "add", "Make a network device of a site", OPTION_TABLE(add_options), .run = add },
		{ "del", "Delete a network device of a site", OPTION_TABLE(del_options),
		  .run = del },
		{ 0 }
	},
};
