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
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include "lab_impl.h"
#include "liar.h"
#include "netns.h"

bool show_stats;

/* Start the program in the namespace of the site; does not wait for its end. */
static void start_liar(struct lab *lab, uint32_t site, uint32_t lies, uint64_t seed)
{
	char sent_claim[256] = "";
	ssize_t n, have = 0;
	int ends[2], null;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		fail("%s", strerror(errno));
	/* Flush before fork(), so that both processes do not print the same buffer. */
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		fail("%s", strerror(errno));
	if (!pid) {
		null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		/*
		 * Detach the child: a caller that waits for the output of this program must not
		 * wait for the child.
		 */
		if (dup2(ends[1], STDERR_FILENO + 1) < 0 || setsid() < 0 || chdir("/"))
			_exit(EXIT_FAILED);
		closefrom(STDERR_FILENO + 2);
		liar_run(lab, site, lies, seed, STDERR_FILENO + 1);
	}
	close(ends[1]);
	while ((n = read(ends[0], sent_claim + have, sizeof(sent_claim) - 1 - have)) > 0)
		have += n;
	close(ends[0]);
	if (!strcmp(sent_claim, "\n"))
		return;
	fail("lab %s: site %u: %s", lab->name, site, *sent_claim ? strtok(sent_claim, "\n") :
	     "the program that is to lie has ended");
}

/* Return the links to the kernel's site. */
static void give_back(struct lab *lab, uint32_t site, struct nl_sock *genl)
{
	struct request req = { 0 };
	struct request_error error;
	struct nl_sock **all;

	lab_put_links(lab, site, &req);
	if (request_send(genl, &req, NULL, NULL, &error))
		fail("lab %s: site %u: link: %s", lab->name, site, error.text);
	lab_note(lab, site, LAB_LIVES);
	all = xalloc(lab->topo.nsites, sizeof(*all));
	all[site] = genl;
	lab_wait_all(lab, all);
	free(all);
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
		give_back(&lab, site, genl);
	} else if (!liar_ask(lies, seed)) {
		/*
		 * Note the loan first: if this command is killed, a later one can return the links.
		 */
		lab_note(&lab, site, LAB_LENT);
		lab_take_links(&lab, site, genl);
		start_liar(&lab, site, lies, seed);
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
