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

/* Print microseconds in the largest unit that needs no fraction. */
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
	if (out_brief && !out_json) {
		out_text("%-4u %-20s %-8s %u/%u up\n", get_u32(a[FLITCAST_A_SITE_ID]),
			 get_string(a[FLITCAST_A_SITE_TOPOLOGY]),
			 get_string(a[FLITCAST_A_SITE_MODE]),
			 get_u32(a[FLITCAST_A_SITE_LINKS_UP]), get_u32(a[FLITCAST_A_SITE_LINKS]));
		return;
	}
	out_open_object(NULL);
	print_site_line(a);
	out_text("\n   ");
	print_time("seek_us", "seek", get_u32(a[FLITCAST_A_SITE_SEEK]));
	out_uint("seek_max", " seek-max %llu", get_u32(a[FLITCAST_A_SITE_SEEK_MAX]));
	print_time("timeout_us", "timeout", get_u32(a[FLITCAST_A_SITE_TIMEOUT]));
	print_time("retry_us", "retry", get_u32(a[FLITCAST_A_SITE_RETRY]));
	print_time("poll_us", "poll", get_u32(a[FLITCAST_A_SITE_POLL]));
	out_uint("transit", " transit %llu", get_u32(a[FLITCAST_A_SITE_TRANSIT]));
	print_time("grace_us", "grace", get_u32(a[FLITCAST_A_SITE_GRACE]));
	out_string("integrity", " integrity %s", get_string(a[FLITCAST_A_SITE_INTEGRITY]));
	out_bool("key", get_u32(a[FLITCAST_A_SITE_KEYED]));
	if (get_u32(a[FLITCAST_A_SITE_KEYED]))
		out_text(" key");
	out_uint("memory_kib", out_detail(" memory %lluKiB"), get_u32(a[FLITCAST_A_SITE_MEMORY]));
	out_uint("share_kib", out_detail(" share %lluKiB"), get_u32(a[FLITCAST_A_SITE_SHARE]));
	out_uint("incarnation", out_detail(" incarnation %llu"),
		 get_u32(a[FLITCAST_A_SITE_INCARNATION]));
	out_text("\n");
	out_close_object();
}

static int show(const struct option_given *given)
{
	struct request req = { 0 };
	int err;

	request_flitcast(&req, FLITCAST_CMD_SITE_GET, given->count ? 0 : NLM_F_DUMP);
	put_given(&req, given);
	out_open_array(NULL);
	err = request_ask(&req, print_site, NULL, "site show");
	out_close_array();
	out_end();
	return err ? EXIT_FAILED : 0;
}

/* The kernel parses topologies other than graphs. */
static void put_topology(struct request *req, const char *spec)
{
	struct fc_topo topo;

	if (!network_is_graph(spec)) {
		put_string(req, FLITCAST_A_SITE_TOPOLOGY, spec);
		return;
	}
	network_parse(&topo, spec, "topology");
	network_put(req, &topo);
}

static int change(const struct option_given *given, uint8_t cmd, const char *verb)
{
	const char *spec = option_text(given, "topology"), *key = option_text(given, "key");
	struct request req = { 0 };
	char *about;

	request_flitcast(&req, cmd, 0);
	put_given(&req, given);
	if (spec)
		put_topology(&req, spec);
	if (key && !key_put(&req, key, "site"))
		return EXIT_FAILED;
	about = xprintf("site %s %llu", verb,
			(unsigned long long)option_get(given, "site", 0));
	return request_ask(&req, NULL, NULL, about) ? EXIT_FAILED : 0;
}

static int add(const struct option_given *given)
{
	return change(given, FLITCAST_CMD_SITE_NEW, "add");
}

static int set(const struct option_given *given)
{
	return change(given, FLITCAST_CMD_SITE_SET, "set");
}

static int del(const struct option_given *given)
{
	return change(given, FLITCAST_CMD_SITE_DEL, "del");
}

#define ID(how)	OPTION_SITE_BARE("number of the site", FLITCAST_A_SITE_ID, how)
#define TIME(name, help, attr_) \
	OPTION(name, "TIME", help, TIME, 0, .attr = FLITCAST_A_SITE_ ## attr_)
#define COUNT(name, value, help, attr_, how_) \
	OPTION(name, value, help, NUMBER, 0, OPTION_RANGE(0, UINT32_MAX), .how = how_, \
	       .attr = FLITCAST_A_SITE_ ## attr_)
#define TUNING \
	TIME("seek", "interval at which a packet without a free output counts a seek", SEEK), \
	COUNT("seek-max", "N", "looks before it is stored where it is", SEEK_MAX, 0), \
	TIME("timeout", "time that a blocked multicast waits before it is aborted", TIMEOUT), \
	TIME("retry", "time before an overtaken flit is asked for", RETRY), \
	TIME("poll", "time before an unacknowledged flit is asked for", POLL), \
	COUNT("transit", "N", "packets stored for others at a time", TRANSIT, 0), \
	TIME("grace", "time without a route before messages to a target fail", GRACE)

static const struct option_entry add_options[] = {
	ID(OPTION_NEED),
	OPTION("topology", "SPEC", "the network: ring:8, torus:4x4, graph:FILE", TEXT, 0,
	       .how = OPTION_NEED, .complete = complete_topologies),
	OPTION("mode", "MODE", "switching mode of the network: " FC_MODES, TEXT, 0,
	       .attr = FLITCAST_A_SITE_MODE, .complete = complete_modes),
	COUNT("flit", "BYTES", "size of flits, headers included", FLIT, 0),
	COUNT("window", "N", "flits in flight on a link and channel, at most", WINDOW, 0),
	OPTION("integrity", "end|off", "check packets from end to end, or do not", TEXT, 0,
	       .attr = FLITCAST_A_SITE_INTEGRITY, .complete = complete_integrity),
	OPTION("key", "FILE", "key of the network, 64 hexadecimal digits", FILE, 0),
	TUNING,
};

static const struct option_entry set_options[] = {
	ID(OPTION_NEED),
	TUNING,
	/* The kernel refuses these options: they cannot be changed. */
	OPTION("topology", "SPEC", NULL, TEXT, 0, .how = OPTION_HIDDEN),
	OPTION("mode", "MODE", NULL, TEXT, 0, .how = OPTION_HIDDEN, .attr = FLITCAST_A_SITE_MODE),
	OPTION("integrity", "end|off", NULL, TEXT, 0, .how = OPTION_HIDDEN,
	       .attr = FLITCAST_A_SITE_INTEGRITY),
	OPTION("key", "FILE", NULL, FILE, 0, .how = OPTION_HIDDEN),
	COUNT("flit", "BYTES", NULL, FLIT, OPTION_HIDDEN),
	COUNT("window", "N", NULL, WINDOW, OPTION_HIDDEN),
	OPTION("drain", NULL, "begin to take no new messages, or end that", SWITCH, 0,
	       .attr = FLITCAST_A_SITE_DRAIN),
};

static const struct option_entry drain_options[] = {
	ID(OPTION_NEED),
	OPTION("timeout", "S", "seconds to wait, at most", SECONDS, 0),
};

static const struct option_entry id_options[] = { ID(0) };
static const struct option_entry del_options[] = { ID(OPTION_NEED) };

static const struct option_entry restore_options[] = {
	OPTION("FILE", NULL, "a file that site save printed; -: standard input", FILE, 0,
	       .how = OPTION_PLAIN | OPTION_NEED),
	OPTION("check", NULL, "check the file, and change nothing", FLAG, 0),
};

static const struct option_entry remove_options[] = {
	OPTION("FILE", NULL, "a file that site save printed; -: standard input", FILE, 0,
	       .how = OPTION_PLAIN | OPTION_NEED),
};

const struct option_command site_command = {
	.name = "site",
	.help = "Set up and show the sites of this host or namespace",
	.commands = (const struct option_command[]) {
		{ "show", "Show sites", OPTION_TABLE(id_options), .run = show },
		{ "add", "Make this host or namespace a site of a network",
		  OPTION_TABLE(add_options), .run = add },
		{ "set", "Change what a site does about a busy network", OPTION_TABLE(set_options),
		  .run = set },
		{ "drain", "Take no new messages, and wait until those in flight are completed",
		  OPTION_TABLE(drain_options), .run = site_drain },
		{ "del", "Take a site out, with its links", OPTION_TABLE(del_options), .run = del },
		{ "save", "Print the configuration of sites as JSON", OPTION_TABLE(id_options),
		  .run = site_save },
		{ "restore", "Make the sites as a saved configuration has them",
		  OPTION_TABLE(restore_options), .run = site_restore },
		{ "remove", "Take out the sites that a saved configuration has",
		  OPTION_TABLE(remove_options), .run = site_remove },
		{ 0 }
	},
};
