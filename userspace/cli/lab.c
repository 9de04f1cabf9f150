// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast lab: a whole network in network namespaces of this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include "lab.h"
#include "lab_impl.h"
#include "liar.h"
#include "netns.h"
#include "out.h"

int lab_take_down(const struct lab *lab, bool shown)
{
	int status = 0, err;
	uint32_t site;
	char *wrong;

	for (site = 0; site < lab->topo.nsites; site++) {
		char *name = lab_netns(lab, site);

		if (lab->fate[site] == LAB_LIES && netns_exists(name))
			lab_end_liar(lab, site);
		err = netns_delete(name);
		if (err && err != -ENOENT) {
			complain("lab down: namespace %s: %s", name, strerror(-err));
			status = EXIT_FAILED;
		}
		free(name);
		if (shown)
			progress("lab down", site + 1, lab->topo.nsites, "sites");
	}
	progress_end();
	wrong = status ? NULL : lab_rdma_down(lab);
	if (wrong) {
		complain("lab down: %s", wrong);
		free(wrong);
		status = EXIT_FAILED;
	}
	err = status ? 0 : lab_forget(lab);
	if (err) {
		char *path = lab_path(lab);

		complain("lab down: %s: %s", path, strerror(-err));
		free(path);
		status = EXIT_FAILED;
	}
	return status;
}

static int down(struct args *args)
{
	struct lab lab = { 0 };

	lab_take_name(args, &lab);
	take_end(args);
	/* To be down is all that is asked. */
	if (!lab_load(&lab))
		return 0;
	return lab_take_down(&lab, true);
}

static int exec(struct args *args)
{
	struct lab lab = { 0 };
	uint32_t site;
	char *name;
	int err;

	lab_take_name(args, &lab);
	site = lab_take_site(args, &lab);
	if (!args->argc)
		bad_usage("command is missing");
	if (lab.fate[site] == LAB_DEAD)
		fail("lab %s: site %u is dead", lab.name, site);
	name = lab_netns(&lab, site);
	err = netns_exec(name, args->argv);
	fail("lab exec: %s: %s", args->argv[0], strerror(err));
}

/* What a site says; false if that is not to be had. */
static bool ask(const struct lab *lab, uint32_t site, struct site_state *state)
{
	struct nl_sock *genl = lab_open(lab, site, NETLINK_GENERIC);
	struct request_error error;
	int err;

	err = lab_ask(genl, state, &error);
	if (err)
		complain("lab %s: site %u: %s", lab->name, site, error.text);
	nl_socket_free(genl);
	return !err;
}

static int show(struct args *args)
{
	struct lab lab = { 0 };
	int status = 0;
	uint32_t site;

	lab_take_name(args, &lab);
	while (take_output_option(args))
		continue;
	take_end(args);
	lab_need(&lab);
	out_open_object(NULL);
	out_string("name", "lab %s", lab.name);
	out_string("topology", " topology %s", lab.spec);
	if (*lab.rdma) {
		out_null("mtu");
		out_string("rdma", " rdma %s", lab.rdma);
	} else {
		out_uint("mtu", " mtu %llu", lab.mtu);
		out_null("rdma");
	}
	out_uint("flit", " flit %llu\n", lab.flit);
	out_open_array("sites");
	for (site = 0; site < lab.topo.nsites; site++) {
		char *name = lab_netns(&lab, site);
		bool dead = lab.fate[site] == LAB_DEAD;
		struct site_state state = { 0 };
		char lies[LIES_SIZE];

		if (!netns_exists(name)) {
			complain("lab %s: namespace %s is gone", lab.name, name);
			status = EXIT_FAILED;
			free(name);
			continue;
		}
		if (!dead && !ask(&lab, site, &state))
			status = EXIT_FAILED;
		out_open_object(NULL);
		out_uint("site", "site %llu", site);
		out_string("netns", " netns %s", name);
		out_uint("links", " links %llu", state.links);
		out_uint("links_up", " up %llu", state.up);
		out_uint("sockets", " sockets %llu", state.sockets);
		out_bool("dead", dead);
		out_text(dead ? " dead" : "");
		if (lab.fate[site] == LAB_LIES)
			out_string("lies", " lies %s", lies_name(liar_lies(), lies));
		else
			out_null("lies");
		out_text("\n");
		out_close_object();
		free(name);
	}
	out_close_array();
	out_close_object();
	out_end();
	return status;
}

struct load_reader {
	struct load *loads;
	uint32_t ndirs;
};

static void read_load(struct nlmsghdr *message, void *arg)
{
	struct nlattr *a[FLITCAST_A_LINK_MAX + 1];
	struct load_reader *reader = arg;
	struct load *load;
	uint32_t port;

	get_attrs(message, a, FLITCAST_A_LINK_MAX);
	port = get_u32(a[FLITCAST_A_LINK_PORT]);
	if (!port || port > reader->ndirs)
		return;
	load = &reader->loads[port - 1];
	load->up = get_u32(a[FLITCAST_A_LINK_STATE]) == FLITCAST_LINK_STATE_UP;
	if (a[FLITCAST_A_LINK_STATS])
		load->flits = find_counter(a[FLITCAST_A_LINK_STATS], "tx_flits");
}

static struct load *read_loads(const struct lab *lab)
{
	const struct fc_topo *topo = &lab->topo;
	struct load *loads = xalloc((size_t)topo->nsites * topo->ndirs, sizeof(*loads));
	struct request req = { 0 };
	size_t i;
	uint32_t site;

	for (i = 0; i < (size_t)topo->nsites * topo->ndirs; i++)
		loads[i].known = true;
	for (site = 0; site < topo->nsites; site++) {
		struct load_reader reader = {
			.loads = loads + (size_t)site * topo->ndirs,
			.ndirs = topo->ndirs,
		};
		struct nl_sock *genl = lab_open(lab, site, NETLINK_GENERIC);

		request_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
		/* A site that somebody took out has no links that are up. */
		request_send(genl, &req, read_load, &reader, NULL);
		nl_socket_free(genl);
	}
	return loads;
}

struct load *lab_loads_of(const struct fc_topo *topo)
{
	struct lab lab = { .name = LAB_DEFAULT };
	char spec[FC_SPEC_MAX];

	fc_topo_print(topo, spec);
	if (geteuid() || !lab_load(&lab) || strcmp(lab.spec, spec))
		return NULL;
	return read_loads(&lab);
}

static int graph(struct args *args)
{
	bool svg = false, dot = false;
	struct lab lab = { 0 };
	struct load *loads;
	uint8_t *marks;
	uint32_t site;

	lab_take_name(args, &lab);
	while (args->argc) {
		if (take_option(args, "--svg"))
			svg = true;
		else if (take_option(args, "--dot"))
			dot = true;
		else
			take_end(args);
	}
	if (svg && dot)
		bad_usage("one drawing at a time: --svg or --dot");
	lab_need(&lab);
	if (lab.topo.nsites > DRAW_SITES_MAX)
		fail("lab %s: drawings have at most %d sites", lab.name, DRAW_SITES_MAX);
	loads = read_loads(&lab);
	marks = xalloc(lab.topo.nsites, 1);
	for (site = 0; site < lab.topo.nsites; site++)
		if (lab.fate[site] == LAB_DEAD)
			marks[site] = DRAW_DEAD;
	if (dot)
		draw_dot(&lab.topo, loads, marks);
	else
		draw_svg(&lab.topo, loads, marks);
	free(marks);
	free(loads);
	out_flush();
	return 0;
}

static const struct command commands[] = {
	{ "up", lab_up, "SPEC [copies K] [mtu N] [flit N] [window N] [crc { on | off }]\n"
	  "   [mode MODE] [key FILE] [name NAME] [--rdma | rdma-dev DEV/PORT]" },
	{ "exec", exec, "[name NAME] SITE COMMAND [ARG]..." },
	{ "graph", graph, "[name NAME] [--svg | --dot]" },
	{ "show", show, "[name NAME] [-j]" },
	{ "kill", lab_kill, "[name NAME] SITE..." },
	{ "revive", lab_revive, "[name NAME] SITE..." },
	{ "corrupt", lab_corrupt, "[name NAME] SITE [on | off | LIE[,LIE]...] [seed N]" },
	{ "down", down, "[name NAME]" },
	{ 0 }
};

int do_lab(struct args *args)
{
	return run_command("lab", commands, args);
}
