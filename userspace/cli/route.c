// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast route: the preference table of a site
 */
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "out.h"

static void print_route(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_ROUTE_MAX + 1];
	struct nlattr *ports;
	int i;

	get_attrs(message, a, FLITCAST_A_ROUTE_MAX);
	ports = a[FLITCAST_A_ROUTE_PORTS];
	out_open_object(NULL);
	out_uint("site", "site %llu", get_u32(a[FLITCAST_A_ROUTE_SITE]));
	out_string("direction", " %s", get_string(a[FLITCAST_A_ROUTE_DIRECTION]));
	out_text(" ports ");
	out_open_array("ports");
	for (i = 0; ports && i < nla_len(ports); i++)
		out_uint(NULL, i ? ",%llu" : "%llu", ((const uint8_t *)nla_data(ports))[i]);
	out_close_array();
	out_uint("generation", " generation %llu", get_u32(a[FLITCAST_A_ROUTE_GENERATION]));
	out_text("\n");
	out_close_object();
}

/* Put the direction, if one is given, and the other attributes. */
static const char *put_direction(struct request *req, const struct option_given *given)
{
	const char *direction = option_text(given, "DIRECTION");

	if (direction && (!*direction || strlen(direction) >= DIRECTION_SIZE))
		bad_usage("\"%s\" is no direction", direction);
	put_given(req, given);
	return direction;
}

static int show(const struct option_given *given)
{
	bool all = !option_was_given(given, "DIRECTION");
	struct request req = { 0 };
	int err;

	request_flitcast(&req, FLITCAST_CMD_ROUTE_GET, all ? NLM_F_DUMP : 0);
	put_direction(&req, given);
	out_open_array(NULL);
	err = request_ask(&req, print_route, NULL, "route show");
	out_close_array();
	out_end();
	return err ? EXIT_FAILED : 0;
}

static void put_ports(struct request *req, const char *list)
{
	uint8_t ports[FC_PORTS_MAX];
	char *copy = xprintf("%s", list);
	char *rest = copy, *word;
	size_t n = 0;

	while ((word = strsep(&rest, ","))) {
		if (n == FC_DIRS_MAX)
			bad_usage("at most %d ports", FC_DIRS_MAX);
		ports[n++] = parse_number(word, 1, FC_DIRS_MAX, "port");
	}
	put_bytes(req, FLITCAST_A_ROUTE_PORTS, ports, n);
	free(copy);
}

static int set(const struct option_given *given)
{
	struct request req = { 0 };
	const char *direction;

	request_flitcast(&req, FLITCAST_CMD_ROUTE_SET, 0);
	direction = put_direction(&req, given);
	put_ports(&req, option_text(given, "ports"));
	return request_ask(&req, NULL, NULL, xprintf("route set %s", direction)) ? EXIT_FAILED : 0;
}

static int del(const struct option_given *given)
{
	struct request req = { 0 };
	const char *direction;

	request_flitcast(&req, FLITCAST_CMD_ROUTE_DEL, 0);
	direction = put_direction(&req, given);
	return request_ask(&req, NULL, NULL, xprintf("route del %s", direction)) ? EXIT_FAILED : 0;
}

#define DIRECTION(how_) \
	OPTION("DIRECTION", NULL, "a direction of the topology, as route show prints it", TEXT, 0, \
	       .how = OPTION_PLAIN | OPTION_DASH | (how_), .attr = FLITCAST_A_ROUTE_DIRECTION)
#define SITE	OPTION_SITE("site", FLITCAST_A_ROUTE_SITE)

static const struct option_entry show_options[] = { DIRECTION(0), SITE };
static const struct option_entry del_options[] = { DIRECTION(OPTION_NEED), SITE };
static const struct option_entry save_options[] = { SITE };

static const struct option_entry set_options[] = {
	DIRECTION(OPTION_NEED),
	OPTION("ports", "P1[,P2]...", "the ports, in decreasing order of preference", TEXT, 0,
	       .how = OPTION_NEED),
	SITE,
};

static const struct option_entry restore_options[] = {
	OPTION("FILE", NULL, "a file that route save printed; -: standard input", FILE, 0,
	       .how = OPTION_PLAIN | OPTION_NEED),
	OPTION("same-generation", NULL, "refuse where a table has changed since", FLAG, 0),
};

const struct option_command route_command = {
	.name = "route",
	.help = "Show and change which ports a direction prefers",
	.commands = (const struct option_command[]) {
		{ "show", "Show preference tables", OPTION_TABLE(show_options), .run = show },
		{ "set", "Replace the list of a direction", OPTION_TABLE(set_options),
		  .run = set },
		{ "del", "Restore the default list of a direction", OPTION_TABLE(del_options),
		  .run = del },
		{ "save", "Print whole tables as JSON", OPTION_TABLE(save_options),
		  .run = route_save },
		{ "restore", "Replace tables by saved ones", OPTION_TABLE(restore_options),
		  .run = route_restore },
		{ 0 }
	},
};
