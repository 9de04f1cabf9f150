// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast stats: counters of sites and of their links
 */
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "out.h"

/* The next counter of a nest; NULL to begin with, NULL after the last. */
static const struct nlattr *next_counter(const struct nlattr *nest, const struct nlattr *at,
					 const char **name, uint64_t *value)
{
	const struct nlattr *a[FLITCAST_A_STAT_MAX + 1];

	at = nl_next(nest, at, FLITCAST_A_STATS_COUNTER);
	if (!at)
		return NULL;
	nl_parse(nl_data(at), nl_length(at), a, FLITCAST_A_STAT_MAX);
	*name = nl_string(a[FLITCAST_A_STAT_NAME]);
	*value = nl_u64(a[FLITCAST_A_STAT_VALUE]);
	return at;
}

void print_counters(const char *key, const char *indent, const struct nlattr *nest)
{
	const struct nlattr *at = NULL;
	const char *name;
	uint64_t value;

	out_open_object(key);
	while ((at = next_counter(nest, at, &name, &value))) {
		out_text("%s%-20s", indent, name);
		out_uint(name, " %12llu\n", value);
	}
	out_close_object();
}

uint64_t find_counter(const struct nlattr *nest, const char *wanted)
{
	const struct nlattr *at = NULL;
	const char *name;
	uint64_t value;

	while ((at = next_counter(nest, at, &name, &value)))
		if (!strcmp(name, wanted))
			return value;
	return 0;
}

static void print_site_stats(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[FLITCAST_A_STATS_MAX + 1];
	/* The counters stand beside the site, not in a nest: make it look like one. */
	char copy[65536];
	struct nlattr *nest = (void *)copy;

	nl_parse_genl(data, length, a, FLITCAST_A_STATS_MAX);
	if (length > sizeof(copy))
		return;
	memcpy(copy, data, length);
	/* The generic netlink header is as long as that of an attribute. */
	nest->nla_len = length;
	nest->nla_type = 0;
	out_open_object(NULL);
	out_uint("site", "site %llu\n", nl_u32(a[FLITCAST_A_STATS_SITE]));
	print_counters("counters", "    ", nest);
	out_close_object();
}

static int ask(struct args *args, uint8_t cmd, uint16_t flags, const char *about)
{
	struct nl_request req = { 0 };

	if (take_word(args, "site") || args->argc)
		flags = 0;
	nl_begin_flitcast(&req, cmd, flags);
	if (args->argc)
		nl_put_u32(&req, FLITCAST_A_STATS_SITE,
			   parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1, "site"));
	take_end(args);
	nl_end(&req);
	return nl_ask(&req, print_site_stats, NULL, about) ? EXIT_FAILED : 0;
}

static int show(struct args *args)
{
	int status;

	out_open_array(NULL);
	status = ask(args, FLITCAST_CMD_STATS_GET, NLM_F_DUMP, "stats show");
	out_close_array();
	out_end();
	return status;
}

static int reset(struct args *args)
{
	return ask(args, FLITCAST_CMD_STATS_RESET, 0, "stats reset");
}

static const struct command commands[] = {
	{ "show", show, "[[site] ID]" },
	{ "reset", reset, "[[site] ID]" },
	{ 0 }
};

int do_stats(struct args *args)
{
	return run_command("stats", commands, args);
}
