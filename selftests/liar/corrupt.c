// SPDX-License-Identifier: GPL-2.0
/*
 * Replace a site of a lab (flitcast lab up) by a faulty program, or end that.
 *
 *	corrupt [name NAME] SITE [on | off | show | LIE[,LIE]...] [seed N]
 *
 * LIE is a fault in the handling of broadcasts: alter (forward altered ones), drop (forward none),
 * forge (send some in the name of other sites), replay (send old ones again).  The program ends
 * with the lab, and when the site is killed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/flitcast_netlink.h>
#include "lab_impl.h"
#include "liar.h"
#include "netns.h"
#include "place.h"

bool show_stats;

/**
 * struct lie - what a faulty site is to do
 * @lab: its lab
 * @site: number of the site
 * @lies: LIE_*
 * @seed: seed of its random numbers
 */
struct lie {
	const struct lab *lab;
	uint32_t site;
	uint32_t lies;
	uint64_t seed;
};

static void lie_run(void *arg, int ready)
{
	const struct lie *lie = arg;

	liar_run(lie->lab, lie->site, lie->lies, lie->seed, ready);
}

static int run(const struct option_given *given)
{
	const char *what = option_text(given, "LIE");
	struct lab lab = { 0 };
	uint32_t site, lies = LIE_ALL, *sites;
	uint64_t seed;
	struct nl_sock *genl;
	char names[LIES_SIZE], *name;
	size_t n;

	sites = lab_sites(&lab, given, &n);
	if (n > 1)
		bad_usage("one site lies at a time");
	site = sites[0];
	free(sites);
	seed = option_get(given, "seed", site);
	if (what && !strcmp(what, "show")) {
		name = lab_netns(&lab, site);
		netns_enter(name);
		puts(lies_name(liar_lies(), names));
		free(name);
		return 0;
	}
	if (what && !strcmp(what, "off"))
		lies = 0;
	else if (what && strcmp(what, "on"))
		lies = lies_parse(what);
	if (lab.fate[site] == LAB_DEAD)
		fail("lab %s: site %u is dead", lab.name, site);
	if (!lies && lab.fate[site] == LAB_LIVES)
		return 0;
	if (lies && *lab.rdma)
		fail("lab %s: liars send over network devices, and its links are RDMA links",
		     lab.name);
	if (lies && lab.flit > lab.mtu)
		fail("lab %s: liars send single frames, and flits are longer", lab.name);
	genl = lab_open(&lab, site, NETLINK_GENERIC);
	if (!lies) {
		liar_ask(0, 0);
		place_give_back(&lab, site, genl);
	} else if (!liar_ask(lies, seed)) {
		/*
		 * Note the loan first: if this command is killed, a later one can return the links.
		 */
		lab_note(&lab, site, LAB_LENT);
		lab_take_links(&lab, site, genl);
		place_start(&lab, site, lie_run, &(struct lie){ &lab, site, lies, seed });
	}
	return 0;
}

static const struct option_entry options[] = {
	OPTION("name", "NAME", "name of the lab (" LAB_DEFAULT ")", TEXT, 0),
	OPTION("SITE", NULL, "the site that is to lie", TEXT, 0,
	       .how = OPTION_PLAIN | OPTION_NEED | OPTION_LATE),
	OPTION("seed", "N", "of its random numbers", NUMBER, 0, OPTION_RANGE(0, UINT32_MAX)),
	OPTION("LIE", "[,LIE...]", "its lies, or on for all, off, or show", TEXT, 0,
	       .how = OPTION_PLAIN | OPTION_LATE),
};

static const struct option_command command = {
	.name = "corrupt",
	.help = "Let a program that lies take the place of a site",
	OPTION_TABLE(options),
	.run = run,
};

const struct option_program option_program = {
	.name = "corrupt",
	.commands = (const struct option_command *const[]) { &command, NULL },
};

int main(int argc, char **argv)
{
	return option_run(&command, argc, argv);
}
