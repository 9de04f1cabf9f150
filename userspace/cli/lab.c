// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast lab: a whole network in network namespaces of this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include "lab.h"
#include "lab_impl.h"
#include "netns.h"
#include "out.h"
#include "core/bcast/path.h"

int lab_take_down(const struct lab *lab, bool shown)
{
	int status = 0, err;
	uint32_t site;
	char *wrong;

	for (site = 0; site < lab->topo.nsites; site++) {
		char *name = lab_netns(lab, site);

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

static int down(const struct option_given *given)
{
	struct lab lab = { 0 };

	lab_set_name(&lab, option_text(given, "name"));
	/* A lab that is down already is no failure. */
	if (!lab_load(&lab))
		return 0;
	return lab_take_down(&lab, true);
}

/* Run the command in the namespace of a site, and wait.  Return: the exit status. */
static int run_there(const char *netns, char **argv)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		complain("lab exec: %s: %s", argv[0], strerror(netns_exec(netns, argv)));
		_exit(EXIT_FAILED);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		fail("lab exec: %s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

static int exec(const struct option_given *given)
{
	struct lab lab = { 0 };
	int status = 0, err;
	uint32_t *sites;
	size_t i, n;
	char *name;

	sites = lab_sites(&lab, given, &n);
	for (i = 0; i < n; i++)
		if (lab.fate[sites[i]] == LAB_DEAD)
			fail("lab %s: site %u is dead", lab.name, sites[i]);
	for (i = 0; i < n; i++) {
		name = lab_netns(&lab, sites[i]);
		if (n == 1) {
			err = netns_exec(name, given->argv);
			fail("lab exec: %s: %s", given->argv[0], strerror(err));
		}
		err = run_there(name, given->argv);
		status = err ? err : status;
		free(name);
	}
	free(sites);
	return status;
}

/* Query the state of a site.  Return: false after an error message. */
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

static int show(const struct option_given *given)
{
	struct lab lab = { 0 };
	int status = 0;
	uint32_t site;

	lab_set_name(&lab, option_text(given, "name"));
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
		if (dead && !out_json)
			out_colored(NULL, " %s", "dead", OUT_BAD);
		out_bool("lent", lab.fate[site] == LAB_LENT);
		out_text(lab.fate[site] == LAB_LENT ? " lent" : "");
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
		/* A site that was deleted has no links up. */
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

static int graph(const struct option_given *given)
{
	struct lab lab = { 0 };
	struct load *loads;
	uint8_t *marks;
	uint32_t site;

	lab_set_name(&lab, option_text(given, "name"));
	lab_need(&lab);
	if (lab.topo.nsites > DRAW_SITES_MAX)
		fail("lab %s: drawings have at most %d sites", lab.name, DRAW_SITES_MAX);
	loads = read_loads(&lab);
	marks = xalloc(lab.topo.nsites, 1);
	for (site = 0; site < lab.topo.nsites; site++)
		if (lab.fate[site] == LAB_DEAD)
			marks[site] = DRAW_DEAD;
	if (option_was_given(given, "--dot"))
		draw_dot(&lab.topo, loads, marks);
	else
		draw_svg(&lab.topo, loads, marks);
	free(marks);
	free(loads);
	out_flush();
	return 0;
}

#define NAME \
	OPTION("name", "NAME", "name of the lab (" LAB_DEFAULT ")", TEXT, 0, \
	       .complete = complete_labs)
#define SITES(help_) \
	OPTION("SITE", "[,SITE...]", help_, TEXT, 0, \
	       .how = OPTION_PLAIN | OPTION_NEED | OPTION_LATE | OPTION_REPEAT)

static const struct option_entry name_options[] = { NAME };
static const struct option_entry graph_options[] = { NAME, OPTION_DRAWINGS };
static const struct option_entry fate_options[] = { NAME, SITES("1-5,9, or all") };

static const struct option_entry up_options[] = {
	OPTION("SPEC", NULL, "the network: ring:8, torus:4x4, graph:FILE", TEXT, 0,
	       .how = OPTION_PLAIN | OPTION_NEED, .complete = complete_topologies),
	NAME,
	OPTION("mode", "MODE", "switching mode: " FC_MODES, TEXT, 0, .complete = complete_modes),
	OPTION("copies", "K", "disjoint paths for K copies of broadcasts", NUMBER, 0,
	       OPTION_RANGE(1, FC_PATH_COPIES_MAX)),
	OPTION("mtu", "N", "MTU of the links", NUMBER, 0, OPTION_RANGE(256, 65535)),
	OPTION("flit", "BYTES", "size of flits", NUMBER, 0,
	       OPTION_RANGE(FLITCAST_FLIT_MIN, FLITCAST_FLIT_MAX)),
	OPTION("window", "N", "flits in flight on a link and channel", NUMBER, 0,
	       OPTION_RANGE(1, 64)),
	OPTION("crc", NULL, "have every frame carry a checksum", SWITCH, 0),
	OPTION("integrity", "end|off", "check packets from end to end; default off", TEXT, 0,
	       .complete = complete_integrity),
	OPTION("key", "FILE", "key of the network, 64 hexadecimal digits", FILE, 0),
	OPTION("ip", NULL, "a network device " LAB_IP_DEVICE " at each site; site 5: 10.254.0.5",
	       FLAG, 0),
	OPTION("rdma", NULL, "links over an RDMA device of its own", FLAG, 0, .group = 1),
	OPTION("rdma-dev", "DEV[/PORT]", "links over this RDMA port", TEXT, 0, .group = 1),
};

static const struct option_entry exec_options[] = {
	NAME,
	OPTION("SITE", "[,SITE...]", "1-5,9, or all: one after the other", TEXT, 0,
	       .how = OPTION_PLAIN | OPTION_NEED | OPTION_LATE),
	OPTION("COMMAND", " [ARG]...", "the command and its arguments", REST, 0,
	       .how = OPTION_PLAIN | OPTION_NEED | OPTION_LATE),
};

const struct option_command lab_command = {
	.name = "lab",
	.help = "Build whole networks of namespaces on this machine",
	.commands = (const struct option_command[]) {
		{ "show", "Show a lab and its sites", OPTION_TABLE(name_options), .run = show },
		{ "up", "Build a lab", OPTION_TABLE(up_options), .run = lab_up },
		{ "exec", "Run a command at sites of a lab", OPTION_TABLE(exec_options),
		  .run = exec },
		{ "graph", "Print a picture of a lab, with the load of its links",
		  OPTION_TABLE(graph_options), .run = graph },
		{ "kill", "Let sites die", OPTION_TABLE(fate_options), .run = lab_kill },
		{ "revive", "Bring dead sites back", OPTION_TABLE(fate_options),
		  .run = lab_revive },
		{ "down", "Take a lab down", OPTION_TABLE(name_options), .run = down },
		{ 0 }
	},
};
