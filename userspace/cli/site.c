// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast site
 */
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "key.h"
#include "network.h"
#include "out.h"

/* Microseconds, in the largest unit that takes no fraction. */
static void print_time(const char *key, const char *word, uint32_t usecs)
{
	if (usecs % 1000)
		out_text(" %s %uus", word, usecs);
	else if (usecs % 1000000 || !usecs)
		out_text(" %s %ums", word, usecs / 1000);
	else
		out_text(" %s %us", word, usecs / 1000000);
	out_uint(key, NULL, usecs);
}

void print_site_line(struct nlattr **a)
{
	uint32_t drain, pending;

	out_uint("site", "site %llu", get_u32(a[FLITCAST_A_SITE_ID]));
	out_string("topology", " topology %s", get_string(a[FLITCAST_A_SITE_TOPOLOGY]));
	out_string("mode", " mode %s", get_string(a[FLITCAST_A_SITE_MODE]));
	out_uint("flit", " flit %llu", get_u32(a[FLITCAST_A_SITE_FLIT]));
	out_uint("window", " window %llu", get_u32(a[FLITCAST_A_SITE_WINDOW]));
	out_uint("ports", " ports %llu", get_u32(a[FLITCAST_A_SITE_PORTS]));
	out_uint("links", " links %llu", get_u32(a[FLITCAST_A_SITE_LINKS]));
	out_uint("links_up", " up %llu", get_u32(a[FLITCAST_A_SITE_LINKS_UP]));
	out_uint("sockets", " sockets %llu", get_u32(a[FLITCAST_A_SITE_SOCKETS]));
	drain = get_u32(a[FLITCAST_A_SITE_DRAIN]);
	pending = get_u32(a[FLITCAST_A_SITE_PENDING]);
	out_bool("drain", drain);
	out_uint("pending", NULL, pending);
	if (drain && pending)
		out_text(" drain on pending %u", pending);
	else if (drain)
		out_text(" drain on idle");
}

static void print_site(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SITE_MAX + 1];

	get_attrs(message, a, FLITCAST_A_SITE_MAX);
	out_open_object(NULL);
	print_site_line(a);
	out_text("\n   ");
	print_time("seek_us", "seek", get_u32(a[FLITCAST_A_SITE_SEEK]));
	out_uint("seek_max", " seek-max %llu", get_u32(a[FLITCAST_A_SITE_SEEK_MAX]));
	print_time("timeout_us", "timeout", get_u32(a[FLITCAST_A_SITE_TIMEOUT]));
	print_time("retry_us", "retry", get_u32(a[FLITCAST_A_SITE_RETRY]));
	print_time("probe_us", "probe", get_u32(a[FLITCAST_A_SITE_PROBE]));
	out_uint("transit", " transit %llu", get_u32(a[FLITCAST_A_SITE_TRANSIT]));
	print_time("grace_us", "grace", get_u32(a[FLITCAST_A_SITE_GRACE]));
	out_bool("key", get_u32(a[FLITCAST_A_SITE_KEYED]));
	if (get_u32(a[FLITCAST_A_SITE_KEYED]))
		out_text(" key");
	out_uint("incarnation", NULL, get_u32(a[FLITCAST_A_SITE_INCARNATION]));
	out_text("\n");
	out_close_object();
}

static int show(struct args *args)
{
	struct request req = { 0 };
	int err;

	request_flitcast(&req, FLITCAST_CMD_SITE_GET, args->argc ? 0 : NLM_F_DUMP);
	if (args->argc)
		put_u32(&req, FLITCAST_A_SITE_ID,
			parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1, "site"));
	take_end(args);
	out_open_array(NULL);
	err = request_ask(&req, print_site, NULL, "site show");
	out_close_array();
	out_end();
	return err ? EXIT_FAILED : 0;
}

/* What set alone takes. */
static bool take_state(struct args *args, struct request *req)
{
	if (!take_word(args, "drain"))
		return false;
	put_u32(req, FLITCAST_A_SITE_DRAIN, parse_switch(take_any(args, "drain"), "drain"));
	return true;
}

/* What the kernel can read it reads itself. */
static void take_topology(struct args *args, struct request *req)
{
	const char *spec = take_any(args, "topology");
	struct fc_topo topo;

	if (!network_is_graph(spec)) {
		put_string(req, FLITCAST_A_SITE_TOPOLOGY, spec);
		return;
	}
	network_parse(&topo, spec, "topology");
	network_put(req, &topo);
}

static void take_key(struct args *args, struct request *req)
{
	if (!key_put(req, take_any(args, "key"), "site"))
		exit(EXIT_FAILED);
}

/* What add and set take after the number of the site. */
static bool take_setting(struct args *args, struct request *req)
{
	if (take_word(args, "topology"))
		take_topology(args, req);
	else if (take_word(args, "mode"))
		put_string(req, FLITCAST_A_SITE_MODE, take_any(args, "mode"));
	else if (take_word(args, "flit"))
		put_u32(req, FLITCAST_A_SITE_FLIT,
			parse_number(take_any(args, "flit size"), 0, UINT32_MAX, "flit size"));
	else if (take_word(args, "window"))
		put_u32(req, FLITCAST_A_SITE_WINDOW,
			parse_number(take_any(args, "window"), 0, UINT32_MAX, "window"));
	else if (take_word(args, "seek"))
		put_u32(req, FLITCAST_A_SITE_SEEK, parse_time(take_any(args, "seek"), "seek"));
	else if (take_word(args, "seek-max"))
		put_u32(req, FLITCAST_A_SITE_SEEK_MAX,
			parse_number(take_any(args, "seek-max"), 0, UINT32_MAX, "seek-max"));
	else if (take_word(args, "timeout"))
		put_u32(req, FLITCAST_A_SITE_TIMEOUT,
			parse_time(take_any(args, "timeout"), "timeout"));
	else if (take_word(args, "retry"))
		put_u32(req, FLITCAST_A_SITE_RETRY,
			parse_time(take_any(args, "retry"), "retry"));
	else if (take_word(args, "probe"))
		put_u32(req, FLITCAST_A_SITE_PROBE,
			parse_time(take_any(args, "probe"), "probe"));
	else if (take_word(args, "transit"))
		put_u32(req, FLITCAST_A_SITE_TRANSIT,
			parse_number(take_any(args, "transit"), 0, UINT32_MAX, "transit"));
	else if (take_word(args, "grace"))
		put_u32(req, FLITCAST_A_SITE_GRACE,
			parse_time(take_any(args, "grace"), "grace"));
	else if (take_word(args, "key"))
		take_key(args, req);
	else
		return false;
	return true;
}

static int change(struct args *args, uint8_t cmd, const char *verb, bool settings)
{
	struct request req = { 0 };
	uint32_t id;
	char *about;

	id = parse_number(take_any(args, "number of the site"), 0, FLITCAST_SITE_ANY - 1, "site");
	request_flitcast(&req, cmd, 0);
	put_u32(&req, FLITCAST_A_SITE_ID, id);
	while (settings && (take_setting(args, &req) ||
			    (cmd == FLITCAST_CMD_SITE_SET && take_state(args, &req))))
		continue;
	take_end(args);
	about = xprintf("site %s %u", verb, id);
	return request_ask(&req, NULL, NULL, about) ? EXIT_FAILED : 0;
}

static int add(struct args *args)
{
	return change(args, FLITCAST_CMD_SITE_NEW, "add", true);
}

static int set(struct args *args)
{
	return change(args, FLITCAST_CMD_SITE_SET, "set", true);
}

static int del(struct args *args)
{
	return change(args, FLITCAST_CMD_SITE_DEL, "del", false);
}

static const struct command commands[] = {
	{ "add", add, "ID topology SPEC [mode MODE] [flit BYTES] [window N] [key FILE]\n"
	  "   [TUNING]" },
	{ "show", show, "[ID]" },
	{ "set", set, "ID [seek TIME] [seek-max N] [timeout TIME] [retry TIME] [probe TIME]\n"
	  "   [transit N] [grace TIME]\n"
	  "ID drain { on | off }" },
	{ "drain", site_drain, "ID [timeout S]" },
	{ "del", del, "ID" },
	{ "save", site_save, "[ID]" },
	{ "restore", site_restore, "FILE [check]" },
	{ 0 }
};

int do_site(struct args *args)
{
	return run_command("site", commands, args);
}
