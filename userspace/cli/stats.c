// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast stats: counters of sites and of their links
 */
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "out.h"

/* Read a counter; false if the attribute is none. */
static bool read_counter(struct nlattr *attr, const char **name, uint64_t *value)
{
	struct nlattr *a[FLITCAST_A_STAT_MAX + 1];

	if (nla_type(attr) != FLITCAST_A_STATS_COUNTER ||
	    nla_parse_nested(a, FLITCAST_A_STAT_MAX, attr, NULL))
		return false;
	*name = get_string(a[FLITCAST_A_STAT_NAME]);
	*value = get_u64(a[FLITCAST_A_STAT_VALUE]);
	return true;
}

static void print_attrs(const char *key, const char *indent, struct nlattr *head, int length)
{
	struct nlattr *attr;
	const char *name;
	uint64_t value;
	int rest;

	out_open_object(key);
	nla_for_each_attr(attr, head, length, rest) {
		if (!read_counter(attr, &name, &value))
			continue;
		out_text("%s%-20s", indent, name);
		out_uint(name, " %12llu\n", value);
	}
	out_close_object();
}

void print_counters(const char *key, const char *indent, struct nlattr *nest)
{
	print_attrs(key, indent, nla_data(nest), nla_len(nest));
}

uint64_t find_counter(struct nlattr *nest, const char *wanted)
{
	struct nlattr *attr;
	const char *name;
	uint64_t value;
	int rest;

	nla_for_each_nested(attr, nest, rest)
		if (read_counter(attr, &name, &value) && !strcmp(name, wanted))
			return value;
	return 0;
}

static void print_site_stats(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_STATS_MAX + 1];

	get_attrs(message, a, FLITCAST_A_STATS_MAX);
	out_open_object(NULL);
	out_uint("site", "site %llu\n", get_u32(a[FLITCAST_A_STATS_SITE]));
	/* The counters are attributes of the message, not of a nest. */
	print_attrs("counters", "    ", genlmsg_attrdata(nlmsg_data(message), 0),
		    genlmsg_attrlen(nlmsg_data(message), 0));
	out_close_object();
}

static int ask(const struct option_given *given, uint8_t cmd, uint16_t flags, const char *about)
{
	struct request req = { 0 };

	request_flitcast(&req, cmd, given->count ? 0 : flags);
	put_given(&req, given);
	return request_ask(&req, print_site_stats, NULL, about) ? EXIT_FAILED : 0;
}

static int show(const struct option_given *given)
{
	int status;

	out_open_array(NULL);
	status = ask(given, FLITCAST_CMD_STATS_GET, NLM_F_DUMP, "stats show");
	out_close_array();
	out_end();
	return status;
}

static int reset(const struct option_given *given)
{
	return ask(given, FLITCAST_CMD_STATS_RESET, 0, "stats reset");
}

static const struct option_entry options[] = {
	OPTION_SITE_BARE("one site; without it all sites of the namespace",
			 FLITCAST_A_STATS_SITE, 0),
};

const struct option_command stats_command = {
	.name = "stats",
	.help = "Show and reset the counters of sites",
	.commands = (const struct option_command[]) {
		{ "show", "Show the counters", OPTION_TABLE(options), .run = show },
		{ "reset", "Set them, and those of the links, to zero", OPTION_TABLE(options),
		  .run = reset },
		{ 0 }
	},
};
