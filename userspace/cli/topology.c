// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast topology
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "draw.h"
#include "faults.h"
#include "lab.h"
#include "network.h"
#include "out.h"
#include "paths.h"

struct own {
	uint32_t site;
	char spec[FC_SPEC_MAX];
};

static void read_site(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_SITE_MAX + 1];
	struct own *own = arg;

	get_attrs(message, a, FLITCAST_A_SITE_MAX);
	own->site = get_u32(a[FLITCAST_A_SITE_ID]);
	snprintf(own->spec, sizeof(own->spec), "%s", get_string(a[FLITCAST_A_SITE_TOPOLOGY]));
}

static void print_neighbours(const struct fc_topo *topo, uint32_t site)
{
	uint8_t dir;

	for (dir = 0; dir < topo->ndirs; dir++) {
		uint32_t peer = fc_topo_neighbour(topo, site, dir);
		char name[DIRECTION_SIZE];

		if (peer == FC_SITE_NONE)
			continue;
		topo->ops->dir_name(topo, dir, name);
		out_open_object(NULL);
		out_uint("site", "site %llu", site);
		out_uint("port", " port %llu", dir + 1);
		out_string("direction", " %s", name);
		out_uint("peer_site", " to site %llu", peer);
		out_uint("peer_port", " port %llu\n", topo->ops->arrival(topo, site, dir) + 1);
		out_close_object();
	}
}

static void print_text(const struct fc_topo *topo, uint32_t own)
{
	char spec[FC_SPEC_MAX], name[DIRECTION_SIZE];
	uint32_t site;
	uint8_t dir;

	fc_topo_print(topo, spec);
	out_open_object(NULL);
	out_string("topology", "topology %s", spec);
	out_uint("sites", " sites %llu", topo->nsites);
	out_text(" directions");
	out_open_array("directions");
	for (dir = 0; dir < topo->ndirs; dir++) {
		topo->ops->dir_name(topo, dir, name);
		out_string(NULL, " %s", name);
	}
	out_close_array();
	out_text("\n");
	if (own != FC_SITE_NONE)
		out_uint("site", NULL, own);
	else
		out_null("site");
	out_open_array("links");
	if (own != FC_SITE_NONE)
		print_neighbours(topo, own);
	else
		for (site = 0; site < topo->nsites; site++)
			print_neighbours(topo, site);
	out_close_array();
	out_close_object();
	out_end();
}

static int show(struct args *args)
{
	struct own own = { .site = FC_SITE_NONE };
	bool svg = false, dot = false;
	const char *spec = NULL;
	struct request req = { 0 };
	struct load *loads = NULL;
	struct fc_topo topo;
	uint8_t *marks;

	while (args->argc) {
		if (take_option(args, "--svg"))
			svg = true;
		else if (take_option(args, "--dot"))
			dot = true;
		else if (take_word(args, "site"))
			own.site = parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1,
						"site");
		else if (!spec && args->argv[0][0] != '-')
			spec = take_any(args, "topology");
		else if (!take_output_option(args))
			take_end(args);
	}
	if (svg && dot)
		bad_usage("one drawing at a time: --svg or --dot");
	if (!spec) {
		request_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
		if (own.site != FC_SITE_NONE)
			put_u32(&req, FLITCAST_A_SITE_ID, own.site);
		if (request_ask(&req, read_site, &own, "topology show"))
			return EXIT_FAILED;
		spec = own.spec;
		if (!network_read(&topo, spec, own.site, "topology show"))
			return EXIT_FAILED;
	} else {
		network_parse(&topo, spec, "topology");
	}
	if (own.site != FC_SITE_NONE && own.site >= topo.nsites)
		fail("topology %s: there is no site %u", spec, own.site);
	if (!svg && !dot) {
		print_text(&topo, own.site);
		return 0;
	}
	if (topo.nsites > DRAW_SITES_MAX)
		fail("topology %s: drawings have at most %d sites", spec, DRAW_SITES_MAX);
	/* Of the network this site is in, not of one that is only thought of. */
	if (*own.spec)
		loads = lab_loads_of(&topo);
	marks = xalloc(topo.nsites, 1);
	if (own.site != FC_SITE_NONE)
		marks[own.site] = DRAW_OWN;
	if (svg)
		draw_svg(&topo, loads, marks);
	else
		draw_dot(&topo, loads, marks);
	free(marks);
	out_flush();
	return 0;
}

/* Who of the ends of a link says that it is dead: 1: this one, 2: the other. */
static unsigned int said(const struct fc_topo *topo, const uint32_t *down, uint32_t site,
			 uint8_t dir, uint32_t peer)
{
	return (down[site] >> (dir + 1) & 1) |
	       (down[peer] >> (topo->ops->arrival(topo, site, dir) + 1) & 1) << 1;
}

static void print_fault(const struct fc_topo *topo, const uint32_t *down, uint32_t site,
			uint8_t dir, uint32_t peer)
{
	unsigned int who = said(topo, down, site, dir, peer);
	char name[DIRECTION_SIZE];

	topo->ops->dir_name(topo, dir, name);
	out_open_object(NULL);
	out_uint("site", "site %llu", site);
	out_uint("port", " port %llu", dir + 1);
	out_string("direction", " %s", name);
	out_uint("peer_site", " to site %llu", peer);
	out_uint("peer_port", " port %llu", topo->ops->arrival(topo, site, dir) + 1);
	out_open_array("said_by");
	if (who & 1)
		out_uint(NULL, ": says site %llu", site);
	if (who & 2)
		out_uint(NULL, who & 1 ? ", site %llu" : ": says site %llu", peer);
	out_close_array();
	out_text("\n");
	out_close_object();
}

static void print_faults(const struct fc_topo *topo, uint32_t own, const uint32_t *down)
{
	uint32_t *routes = faults_routes(topo, own, down), site, peer;
	uint8_t dir;

	out_open_object(NULL);
	out_uint("site", NULL, own);
	out_open_array("links");
	for (site = 0; site < topo->nsites; site++) {
		for (dir = 0; dir < topo->ndirs; dir++) {
			peer = fc_topo_neighbour(topo, site, dir);
			/* Each link once. */
			if (peer != FC_SITE_NONE && site < peer &&
			    said(topo, down, site, dir, peer))
				print_fault(topo, down, site, dir, peer);
		}
	}
	out_close_array();
	out_open_array("lost");
	for (site = 0; routes && site < topo->nsites; site++)
		if (!routes[site] && site != own)
			out_uint(NULL, "no way to site %llu\n", site);
	out_close_array();
	out_close_object();
	out_end();
	free(routes);
}

static int faults(struct args *args)
{
	struct own own = { .site = FC_SITE_NONE };
	struct request req = { 0 };
	struct fc_topo topo;
	uint32_t *down;

	request_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
	while (args->argc) {
		if (take_word(args, "site"))
			put_u32(&req, FLITCAST_A_SITE_ID,
				parse_number(take_any(args, "site"), 0, FLITCAST_SITE_ANY - 1,
					     "site"));
		else if (!take_output_option(args))
			take_end(args);
	}
	if (request_ask(&req, read_site, &own, "topology faults"))
		return EXIT_FAILED;
	if (!network_read(&topo, own.spec, own.site, "topology faults"))
		return EXIT_FAILED;
	if (own.site >= topo.nsites)
		fail("topology %s: there is no site %u", own.spec, own.site);
	down = xalloc(topo.nsites, sizeof(*down));
	if (!faults_read(&topo, own.site, down, "topology faults"))
		return EXIT_FAILED;
	print_faults(&topo, own.site, down);
	free(down);
	return 0;
}

static const struct command commands[] = {
	{ "show", show, "[SPEC] [site ID] [--dot | --svg]" },
	{ "faults", faults, "[site ID]" },
	{ "paths", topology_paths, "[copies K] [site ID]" },
	{ 0 }
};

int do_topology(struct args *args)
{
	return run_command("topology", commands, args);
}
