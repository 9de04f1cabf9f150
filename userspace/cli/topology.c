// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast topology
 */
#include <stdlib.h>
#include <linux/flitcast.h>
#include <linux/flitcast_netlink.h>
#include "check.h"
#include "cli.h"
#include "draw.h"
#include "faults.h"
#include "lab.h"
#include "network.h"
#include "out.h"
#include "paths.h"

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

static int show(const struct option_given *given)
{
	bool svg = option_was_given(given, "--svg"), dot = option_was_given(given, "--dot");
	uint32_t site = option_get(given, "site", FC_SITE_NONE);
	const char *spec = option_text(given, "SPEC");
	struct network_own own;
	struct load *loads = NULL;
	struct fc_topo topo;
	uint8_t *marks;

	if (spec) {
		network_parse(&topo, spec, "topology");
		if (site != FC_SITE_NONE && site >= topo.nsites)
			fail("topology %s: there is no site %u", spec, site);
	} else {
		if (!network_own(&own, site, "topology show"))
			return EXIT_FAILED;
		topo = own.topo;
		site = own.site;
	}
	if (!svg && !dot) {
		print_text(&topo, site);
		return 0;
	}
	if (topo.nsites > DRAW_SITES_MAX)
		fail("topology %s: drawings have at most %d sites", spec ? spec : own.spec,
		     DRAW_SITES_MAX);
	/* Only the network of a site has loads, not a hypothetical one. */
	if (!spec)
		loads = lab_loads_of(&topo);
	marks = xalloc(topo.nsites, 1);
	if (site != FC_SITE_NONE)
		marks[site] = DRAW_OWN;
	if (svg)
		draw_svg(&topo, loads, marks);
	else
		draw_dot(&topo, loads, marks);
	free(marks);
	out_flush();
	return 0;
}

/* By site: ports whose link is reported dead, and suspected. */
struct reports {
	uint32_t *down;
	uint32_t *suspect;
};

/* Ends of a link whose report names it.  Return: mask: 1: this end, 2: the other end. */
static unsigned int reported_by(const struct fc_topo *topo, const uint32_t *down, uint32_t site,
				uint8_t dir, uint32_t peer)
{
	return (down[site] >> (dir + 1) & 1) |
	       (down[peer] >> (topo->ops->arrival(topo, site, dir) + 1) & 1) << 1;
}

static void print_reporters(const char *key, const char *verb, unsigned int reporter,
			    uint32_t site, uint32_t peer)
{
	out_open_array(key);
	if (reporter)
		out_text("%s", verb);
	if (reporter & 1)
		out_uint(NULL, " site %llu", site);
	if (reporter & 2)
		out_uint(NULL, reporter & 1 ? ", site %llu" : " site %llu", peer);
	out_close_array();
}

static void print_fault(const struct fc_topo *topo, const struct reports *reports, uint32_t site,
			uint8_t dir, uint32_t peer)
{
	char name[DIRECTION_SIZE];

	topo->ops->dir_name(topo, dir, name);
	out_open_object(NULL);
	out_uint("site", "site %llu", site);
	out_uint("port", " port %llu", dir + 1);
	out_string("direction", " %s", name);
	out_uint("peer_site", " to site %llu", peer);
	out_uint("peer_port", " port %llu", topo->ops->arrival(topo, site, dir) + 1);
	print_reporters("reported_by", ": says", reported_by(topo, reports->down, site, dir, peer),
			site, peer);
	print_reporters("suspected_by", ": suspected by",
			reported_by(topo, reports->suspect, site, dir, peer), site, peer);
	out_text("\n");
	out_close_object();
}

static void print_faults(const struct fc_topo *topo, uint32_t own, const struct reports *reports)
{
	uint32_t *routes = faults_routes(topo, own, reports->down, reports->suspect), site, peer;
	uint8_t dir;

	out_open_object(NULL);
	out_uint("site", NULL, own);
	out_open_array("links");
	for (site = 0; site < topo->nsites; site++) {
		for (dir = 0; dir < topo->ndirs; dir++) {
			peer = fc_topo_neighbour(topo, site, dir);
			/* Each link once. */
			if (peer != FC_SITE_NONE && site < peer &&
			    (reported_by(topo, reports->down, site, dir, peer) ||
			     reported_by(topo, reports->suspect, site, dir, peer)))
				print_fault(topo, reports, site, dir, peer);
		}
	}
	out_close_array();
	out_open_array("lost");
	for (site = 0; routes && site < topo->nsites; site++)
		if (!routes[site] && site != own)
			out_uint(NULL, "no route to site %llu\n", site);
	out_close_array();
	out_close_object();
	out_end();
	free(routes);
}

static int faults(const struct option_given *given)
{
	struct network_own own;
	struct reports reports;

	if (!network_own(&own, option_get(given, "site", FC_SITE_NONE), "topology faults"))
		return EXIT_FAILED;
	reports.down = xalloc(own.topo.nsites, sizeof(*reports.down));
	reports.suspect = xalloc(own.topo.nsites, sizeof(*reports.suspect));
	if (!faults_read(&own.topo, own.site, reports.down, reports.suspect, "topology faults"))
		return EXIT_FAILED;
	print_faults(&own.topo, own.site, &reports);
	free(reports.down);
	free(reports.suspect);
	return 0;
}

static const struct option_entry show_options[] = {
	OPTION("SPEC", NULL, "a topology; without it that of the site here", TEXT, 0,
	       .how = OPTION_PLAIN, .complete = complete_topologies),
	OPTION("site", "ID", "the links of this site alone", NUMBER, 0,
	       OPTION_RANGE(0, FLITCAST_SITE_ANY - 1), .complete = complete_sites),
	OPTION_DRAWINGS,
};

static const struct option_entry faults_options[] = {
	OPTION_SITE("site", 0),
};

static const struct option_entry check_options[] = {
	OPTION("topology", "SPEC", "of this network, in place of that of the site here", TEXT, 0,
	       .group = 1, .complete = complete_topologies),
	OPTION("site", "ID", SITE_HELP, NUMBER, 0, OPTION_RANGE(0, FLITCAST_SITE_ANY - 1),
	       .group = 1, .complete = complete_sites),
	OPTION("FILE", NULL, "tables that route save printed; -: standard input", FILE, 0,
	       .how = OPTION_PLAIN | OPTION_NEED | OPTION_LATE | OPTION_REPEAT | OPTION_DASH),
};

static const struct option_entry paths_options[] = {
	OPTION("copies", "K", "find paths for K copies and give them to the site", NUMBER, 0,
	       OPTION_RANGE(1, FC_PATH_COPIES_MAX)),
	OPTION_SITE("site", 0),
};

const struct option_command topology_command = {
	.name = "topology",
	.help = "Show the shape of a network, its dead links, circles, and paths of broadcasts",
	.commands = (const struct option_command[]) {
		{ "show", "Show a network", OPTION_TABLE(show_options), .run = show },
		{ "faults", "Show links that are dead, as far as the site knows",
		  OPTION_TABLE(faults_options), .run = faults },
		{ "check", "Find circles that saved preference tables make",
		  OPTION_TABLE(check_options), .run = topology_check },
		{ "paths", "Show or set the disjoint paths of broadcasts",
		  OPTION_TABLE(paths_options), .run = topology_paths },
		{ 0 }
	},
};
