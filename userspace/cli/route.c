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

static bool take_site(struct args *args, struct request *req)
{
	if (!take_word(args, "site"))
		return false;
	put_u32(req, FLITCAST_A_ROUTE_SITE,
		parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1, "site"));
	return true;
}

static const char *take_direction(struct args *args)
{
	const char *direction = take_any(args, "direction");

	if (!*direction || strlen(direction) >= DIRECTION_SIZE)
		bad_usage("\"%s\" is no direction", direction);
	return direction;
}

static int show(struct args *args)
{
	struct request req = { 0 };
	const char *direction = NULL;
	int err;

	if (args->argc && !is_prefix(args->argv[0], "site"))
		direction = take_direction(args);
	request_flitcast(&req, FLITCAST_CMD_ROUTE_GET, direction ? 0 : NLM_F_DUMP);
	if (direction)
		put_string(&req, FLITCAST_A_ROUTE_DIRECTION, direction);
	take_site(args, &req);
	take_end(args);
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

static int set(struct args *args)
{
	const char *direction = take_direction(args);
	struct request req = { 0 };
	bool ports = false;

	request_flitcast(&req, FLITCAST_CMD_ROUTE_SET, 0);
	put_string(&req, FLITCAST_A_ROUTE_DIRECTION, direction);
	while (args->argc) {
		if (take_word(args, "ports")) {
			put_ports(&req, take_any(args, "list of ports"));
			ports = true;
		} else if (!take_site(args, &req)) {
			take_end(args);
		}
	}
	if (!ports)
		bad_usage("list of ports is missing");
	return request_ask(&req, NULL, NULL, xprintf("route set %s", direction)) ? EXIT_FAILED : 0;
}

static int del(struct args *args)
{
	const char *direction = take_direction(args);
	struct request req = { 0 };

	request_flitcast(&req, FLITCAST_CMD_ROUTE_DEL, 0);
	put_string(&req, FLITCAST_A_ROUTE_DIRECTION, direction);
	take_site(args, &req);
	take_end(args);
	return request_ask(&req, NULL, NULL, xprintf("route del %s", direction)) ? EXIT_FAILED : 0;
}

static const struct command commands[] = {
	{ "show", show, "[DIRECTION] [site ID]" },
	{ "set", set, "DIRECTION ports P1[,P2]... [site ID]" },
	{ "del", del, "DIRECTION [site ID]" },
	{ "save", route_save, "[site ID]" },
	{ "restore", route_restore, "FILE [same-generation]" },
	{ 0 }
};

int do_route(struct args *args)
{
	return run_command("route", commands, args);
}
