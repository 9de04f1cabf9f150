// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast route: the preference table of a site
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "core/mode.h"
#include "cli.h"
#include "network.h"
#include "out.h"
#include "prefer.h"
#include "prefer_text.h"
#include "util.h"

static void print_list(struct nlattr *const *a)
{
	const struct nlattr *ports = a[FLITCAST_A_ROUTE_PORTS];
	int i;

	out_string("direction", " %s", get_string(a[FLITCAST_A_ROUTE_DIRECTION]));
	out_text(" ports ");
	out_open_array("ports");
	for (i = 0; ports && i < nla_len(ports); i++)
		out_uint(NULL, i ? ",%llu" : "%llu", ((const uint8_t *)nla_data(ports))[i]);
	out_close_array();
}

static void print_route(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_ROUTE_MAX + 1];
	struct fc_prefer entry;

	get_attrs(message, a, FLITCAST_A_ROUTE_MAX);
	out_open_object(NULL);
	out_uint("site", "site %llu", get_u32(a[FLITCAST_A_ROUTE_SITE]));
	if (prefer_get(&entry, a))
		prefer_print(&entry);
	else
		print_list(a);
	out_uint("generation", " generation %llu", get_u32(a[FLITCAST_A_ROUTE_GENERATION]));
	out_text("\n");
	out_close_object();
}

/*
 * Put the direction or the targets that are given, and the site.  Return: a text with them; NULL if
 * there are none.
 */
static const char *put_which(struct request *req, const struct option_given *given,
			     struct fc_prefer *entry)
{
	const char *direction = option_text(given, "DIRECTION"), *to = option_text(given, "to");
	const char *wrong = NULL;

	if (direction && (!*direction || strlen(direction) >= DIRECTION_SIZE))
		bad_usage("\"%s\" is no direction", direction);
	put_given(req, given);
	if (!to)
		return direction;
	memset(entry, 0, sizeof(*entry));
	wrong = prefer_text_targets(entry, to);
	if (wrong)
		bad_usage("\"%s\": %s", to, wrong);
	return xprintf("to %s", to);
}

static int show(const struct option_given *given)
{
	bool all = !option_was_given(given, "DIRECTION") && !option_was_given(given, "to");
	struct request req = { 0 };
	struct fc_prefer entry;
	int err;

	request_flitcast(&req, FLITCAST_CMD_ROUTE_GET, all ? NLM_F_DUMP : 0);
	put_which(&req, given, &entry);
	if (option_was_given(given, "to"))
		prefer_put_targets(&req, &entry);
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

/* Put an entry for targets: all but these is still to be read. */
static void put_entry(struct request *req, const struct option_given *given,
		      struct fc_prefer *entry)
{
	const char *order = option_text(given, "prefer"), *never = option_text(given, "never");
	const char *weights = option_text(given, "weights");
	bool strict = option_was_given(given, "strict");
	char error[PREFER_ERROR_SIZE];
	const char *wrong = NULL;

	if (option_was_given(given, "ports"))
		bad_usage("\"ports\" is the list of a direction; for targets there is \"prefer\"");
	if (order)
		wrong = prefer_text_order(entry, order, error);
	if (!wrong && never)
		wrong = prefer_text_never(entry, never, error);
	if (!wrong && weights)
		wrong = prefer_text_weights(entry, weights, error);
	if (!wrong)
		wrong = prefer_text_check(entry);
	if (wrong)
		bad_usage("%s", wrong);
	if (strict && !never)
		bad_usage("\"strict\" belongs to \"never\"");
	entry->strict = strict ? entry->never : 0;
	prefer_put(req, entry);
}

/*
 * The kernel has refused an entry: name the first target that it leaves without a next hop, if that
 * is why.  Kernels before 6.2 cannot name it.
 */
static void explain(const struct option_given *given, const struct fc_prefer *entry)
{
	struct network_own own;
	struct fc_vclass v;
	u64 classes = 0;
	u32 dst, r;

	if (!entry->never ||
	    !network_own(&own, option_get(given, "site", FC_SITE_NONE), "route set") ||
	    !fc_mode_ops(own.mode)->classes || fc_vclass_init(&v, &own.topo))
		return;
	if (fc_vclass_room(&v, own.site))
		fc_vclass_fill(&v, own.site, xalloc(1, fc_vclass_room(&v, own.site)));
	classes = fc_prefer_classes(&v, own.site);
	for (dst = 0; dst < own.topo.nsites; dst++) {
		for (r = 0; r < entry->nranges; r++)
			if (dst >= entry->range[r].first && dst <= entry->range[r].last)
				break;
		if (dst == own.site || (entry->nranges && r == entry->nranges) ||
		    !fc_prefer_blocks(&v, own.site, classes, dst, entry->never))
			continue;
		complain("route set: site %u would have no way left", dst);
		return;
	}
}

static int set(const struct option_given *given)
{
	struct request req = { 0 };
	struct fc_prefer entry;
	const char *which;
	int err;

	request_flitcast(&req, FLITCAST_CMD_ROUTE_SET, 0);
	which = put_which(&req, given, &entry);
	if (option_was_given(given, "to")) {
		put_entry(&req, given, &entry);
	} else {
		if (option_was_given(given, "prefer") || option_was_given(given, "never") ||
		    option_was_given(given, "strict") || option_was_given(given, "weights"))
			bad_usage("the list of a direction has \"ports\" alone");
		if (!option_was_given(given, "ports"))
			bad_usage("ports P1[,P2]... is missing");
		put_ports(&req, option_text(given, "ports"));
	}
	err = request_ask(&req, NULL, NULL, xprintf("route set %s", which));
	if (!err)
		return 0;
	if (option_was_given(given, "to") && err == -EINVAL)
		explain(given, &entry);
	return EXIT_FAILED;
}

static int del(const struct option_given *given)
{
	struct request req = { 0 };
	struct fc_prefer entry;
	const char *which;

	request_flitcast(&req, FLITCAST_CMD_ROUTE_DEL, 0);
	which = put_which(&req, given, &entry);
	if (option_was_given(given, "to"))
		prefer_put_targets(&req, &entry);
	return request_ask(&req, NULL, NULL, xprintf("route del %s", which)) ? EXIT_FAILED : 0;
}

/* A direction, whose list of ports is meant, or targets, whose entry is meant. */
#define WHICH(how_) \
	OPTION("DIRECTION", NULL, "a direction of the topology, as route show prints it", TEXT, 0, \
	       .how = OPTION_PLAIN | OPTION_DASH | (how_), .group = 1, \
	       .attr = FLITCAST_A_ROUTE_DIRECTION), \
	OPTION("to", "TARGETS", "the targets of an entry: all, or sites such as 1-5,9", TEXT, 0, \
	       .how = (how_), .group = 1)
#define SITE	OPTION_SITE("site", FLITCAST_A_ROUTE_SITE)

static const struct option_entry show_options[] = { WHICH(0), SITE };
static const struct option_entry del_options[] = { WHICH(OPTION_NEED), SITE };
static const struct option_entry save_options[] = { SITE };

static const struct option_entry set_options[] = {
	WHICH(OPTION_NEED),
	OPTION("ports", "P1[,P2]...", "mode care: the ports of the direction, in order", TEXT, 0),
	OPTION("prefer", "P1[,P2]...", "the ports to use, in decreasing order of preference", TEXT,
	       0),
	OPTION("never", "P1[,P2]...", "ports to use only where no other is left", TEXT, 0),
	OPTION("strict", NULL, "do not use them even then", FLAG, 0),
	OPTION("weights", "P1:W1[,P2:W2]...", "shares of the packets by port, 1 to 100 each", TEXT,
	       0),
	SITE,
};

static const struct option_entry restore_options[] = {
	OPTION("FILE", NULL, "a file that route save printed; -: standard input", FILE, 0,
	       .how = OPTION_PLAIN | OPTION_NEED),
	OPTION("same-generation", NULL, "refuse where a table has changed since", FLAG, 0),
};

const struct option_command route_command = {
	.name = "route",
	.help = "Show and change which ports a site prefers",
	.commands = (const struct option_command[]) {
		{ "show", "Show preference tables", OPTION_TABLE(show_options), .run = show },
		{ "set", "Replace the entry of targets, or the list of a direction",
		  OPTION_TABLE(set_options), .run = set },
		{ "del", "Remove the entry of targets, or the list of a direction",
		  OPTION_TABLE(del_options), .run = del },
		{ "save", "Print whole tables as JSON", OPTION_TABLE(save_options),
		  .run = route_save },
		{ "restore", "Replace tables by saved ones", OPTION_TABLE(restore_options),
		  .run = route_restore },
		{ 0 }
	},
};
