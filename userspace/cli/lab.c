// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast lab: a whole network in network namespaces of this machine.
 *
 * Site N of the lab NAME is in the namespace NAME-N; its port P is the veth pP.
 * The file STATE_DIR/NAME says what the lab is; it is there before the first
 * namespace and goes after the last, so that "down" always finds its work.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include "cli.h"
#include "lab.h"
#include "netns.h"
#include "out.h"
#include "rtnl.h"

#define STATE_DIR	"/run/flitcast/lab"
#define DEFAULT_NAME	"flitcast"
#define NAME_MAX_LENGTH	32
/* Three descriptors a site, and a machine's patience. */
#define SITES_MAX	4096
#define DESCRIPTORS	(SITES_MAX * 3 + 64)
#define FLIT_DEFAULT	1500
/* Links come up in milliseconds; an emulated machine is a hundred times slower. */
#define PATIENCE_NS	30000000000ULL
#define PATIENCE_SITE_NS 100000000ULL

/**
 * struct lab - what the state file tells
 * @name: of the lab
 * @spec: topology as given
 * @mode: switching mode, or ""
 * @mtu: of the veths, and flit size
 * @window: flits under way, 0 for the default
 * @crc: frames carry a checksum; only known while it is made
 * @topo: from @spec
 */
struct lab {
	char name[NAME_MAX_LENGTH + 1];
	char spec[FC_SPEC_MAX];
	char mode[16];
	uint32_t mtu;
	uint32_t window;
	bool crc;
	struct fc_topo topo;
};

/* One namespace while the lab is set up: descriptors. */
struct place {
	int netns;
	int rtnl;
	int genl;
};

static char *state_path(const char *name)
{
	return xprintf(STATE_DIR "/%s", name);
}

static char *netns_name(const struct lab *lab, uint32_t site)
{
	return xprintf("%s-%u", lab->name, site);
}

static void set_name(struct lab *lab, const char *name)
{
	const char *p;

	for (p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
			break;
	if (*p || p == name || p - name > NAME_MAX_LENGTH || *name == '-')
		bad_usage("name of a lab: up to %d letters, digits, - and _, not \"%s\"",
			  NAME_MAX_LENGTH, name);
	strcpy(lab->name, name);
}

/* Reads the state; false if there is no such lab. */
static bool load_state(struct lab *lab)
{
	char *path = state_path(lab->name);
	const char *wrong = NULL;
	FILE *file;

	file = fopen(path, "re");
	if (!file && errno == ENOENT) {
		free(path);
		return false;
	}
	if (!file)
		fail("lab %s: %s: %s", lab->name, path, strerror(errno));
	lab->mode[0] = '\0';
	if (fscanf(file, "topology %63s mtu %u window %u", lab->spec, &lab->mtu, &lab->window) != 3)
		wrong = "not written by lab up";
	fclose(file);
	if (!wrong)
		wrong = fc_topo_parse(&lab->topo, lab->spec);
	if (!wrong && lab->topo.nsites > SITES_MAX)
		wrong = "too many sites";
	if (wrong)
		fail("lab %s: %s: %s", lab->name, path, wrong);
	free(path);
	return true;
}

/* Complete from the first moment, and only one of two at a time succeeds. */
static void save_state(const struct lab *lab)
{
	char *path = state_path(lab->name);
	char *draft = xprintf(STATE_DIR "/.%s.%d", lab->name, getpid());
	FILE *file;
	int err = 0;

	if ((mkdir("/run/flitcast", 0755) && errno != EEXIST) ||
	    (mkdir(STATE_DIR, 0755) && errno != EEXIST))
		fail("lab up: cannot make " STATE_DIR ": %s", strerror(errno));
	file = fopen(draft, "we");
	if (!file)
		fail("lab up: %s: %s", draft, strerror(errno));
	fprintf(file, "topology %s\nmtu %u\nwindow %u\n", lab->spec, lab->mtu, lab->window);
	if (fclose(file) || link(draft, path))
		err = errno;
	unlink(draft);
	if (err == EEXIST)
		fail("lab %s is up already: take it down first, or give another name", lab->name);
	if (err)
		fail("lab up: %s: %s", path, strerror(err));
	free(draft);
	free(path);
}

static int take_down(const struct lab *lab, bool shown)
{
	char *path = state_path(lab->name);
	int status = 0;
	uint32_t site;

	for (site = 0; site < lab->topo.nsites; site++) {
		char *name = netns_name(lab, site);
		int err = netns_delete(name);

		if (err && err != -ENOENT) {
			complain("lab down: namespace %s: %s", name, strerror(-err));
			status = EXIT_FAILED;
		}
		free(name);
		if (shown)
			progress("lab down", site + 1, lab->topo.nsites, "sites");
	}
	progress_end();
	if (!status && unlink(path) && errno != ENOENT) {
		complain("lab down: %s: %s", path, strerror(errno));
		status = EXIT_FAILED;
	}
	free(path);
	return status;
}

/* Nothing of a lab that did not come to be is left. */
#define give_up(lab, format, ...)						\
	do {									\
		complain(format, ##__VA_ARGS__);				\
		take_down(lab, false);						\
		exit(EXIT_FAILED);						\
	} while (0)

static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS)
		return;
	limit.rlim_cur = DESCRIPTORS;
	if (limit.rlim_max < DESCRIPTORS)
		limit.rlim_max = DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* In the namespace of this thread.  Its noise would be among the counts. */
static void disable_ipv6(void)
{
	static const char *const files[] = {
		"/proc/sys/net/ipv6/conf/all/disable_ipv6",
		"/proc/sys/net/ipv6/conf/default/disable_ipv6",
	};
	unsigned int i;
	int fd;

	for (i = 0; i < 2; i++) {
		fd = open(files[i], O_WRONLY | O_CLOEXEC);
		/* No such file: a kernel without IPv6. */
		if (fd < 0)
			continue;
		if (write(fd, "1", 1) != 1)
			complain("%s: %s", files[i], strerror(errno));
		close(fd);
	}
}

static void make_namespaces(const struct lab *lab, struct place *places)
{
	uint32_t site;

	for (site = 0; site < lab->topo.nsites; site++) {
		struct place *place = &places[site];
		char *name = netns_name(lab, site);

		place->netns = netns_create(name);
		if (place->netns < 0)
			give_up(lab, "lab up: namespace %s: %s", name, strerror(-place->netns));
		disable_ipv6();
		place->rtnl = nl_open(NETLINK_ROUTE);
		place->genl = nl_open(NETLINK_GENERIC);
		if (place->rtnl < 0 || place->genl < 0)
			give_up(lab, "lab up: namespace %s: netlink: %s", name,
				strerror(place->rtnl < 0 ? -place->rtnl : -place->genl));
		free(name);
		progress("lab up: namespaces", site + 1, lab->topo.nsites, "");
	}
}

/* Is this the end from which the link is made?  One of the two is. */
static bool is_first_end(const struct fc_topo *topo, uint32_t site, uint8_t dir, uint32_t *peer)
{
	*peer = fc_topo_neighbour(topo, site, dir);
	return *peer != FC_SITE_NONE &&
	       (site < *peer || (site == *peer && dir < topo->ops->arrival(topo, site, dir)));
}

static void make_veths(const struct lab *lab, const struct place *places)
{
	const struct fc_topo *topo = &lab->topo;
	struct nl_request req = { 0 };
	char dev[16], other[16];
	struct nl_error error;
	uint32_t site, peer;
	uint8_t dir;

	for (site = 0; site < topo->nsites; site++) {
		for (dir = 0; dir < topo->ndirs; dir++) {
			if (!is_first_end(topo, site, dir, &peer))
				continue;
			snprintf(dev, sizeof(dev), "p%u", dir + 1);
			snprintf(other, sizeof(other), "p%u", topo->ops->arrival(topo, site, dir) + 1);
			rtnl_put_veth(&req, dev, other, places[peer].netns, lab->mtu);
		}
		if (nl_talk(places[site].rtnl, &req, NULL, NULL, &error))
			give_up(lab, "lab up: links of site %u: %s", site, error.text);
		progress("lab up: links of", site + 1, topo->nsites, "sites");
	}
	nl_free(&req);
}

/* A veth comes up only when both its ends are there, and best with its NAPI. */
static void open_veths(const struct lab *lab, const struct place *places)
{
	const struct fc_topo *topo = &lab->topo;
	struct nl_request req = { 0 };
	struct nl_error error;
	uint32_t site;
	char dev[16];
	uint8_t dir;
	int err;

	for (site = 0; site < topo->nsites; site++) {
		rtnl_put_up(&req, "lo");
		for (dir = 0; dir < topo->ndirs; dir++) {
			if (fc_topo_neighbour(topo, site, dir) == FC_SITE_NONE)
				continue;
			snprintf(dev, sizeof(dev), "p%u", dir + 1);
			err = rtnl_set_napi(places[site].rtnl, dev);
			if (err)
				give_up(lab, "lab up: site %u: NAPI of %s: %s", site, dev,
					strerror(-err));
			rtnl_put_up(&req, dev);
		}
		if (nl_talk(places[site].rtnl, &req, NULL, NULL, &error))
			give_up(lab, "lab up: devices of site %u: %s", site, error.text);
	}
	nl_free(&req);
}

static void make_sites(const struct lab *lab, const struct place *places)
{
	const struct fc_topo *topo = &lab->topo;
	struct nl_request req = { 0 };
	struct nl_error error;
	uint32_t site;
	char dev[16];
	uint8_t dir;

	for (site = 0; site < topo->nsites; site++) {
		nl_begin_flitcast(&req, FLITCAST_CMD_SITE_NEW, 0);
		nl_put_u32(&req, FLITCAST_A_SITE_ID, site);
		nl_put_string(&req, FLITCAST_A_SITE_TOPOLOGY, lab->spec);
		nl_put_u32(&req, FLITCAST_A_SITE_FLIT, lab->mtu);
		if (*lab->mode)
			nl_put_string(&req, FLITCAST_A_SITE_MODE, lab->mode);
		if (lab->window)
			nl_put_u32(&req, FLITCAST_A_SITE_WINDOW, lab->window);
		nl_end(&req);
		for (dir = 0; dir < topo->ndirs; dir++) {
			if (fc_topo_neighbour(topo, site, dir) == FC_SITE_NONE)
				continue;
			snprintf(dev, sizeof(dev), "p%u", dir + 1);
			nl_begin_flitcast(&req, FLITCAST_CMD_LINK_NEW, 0);
			nl_put_u32(&req, FLITCAST_A_LINK_SITE, site);
			nl_put_string(&req, FLITCAST_A_LINK_IFNAME, dev);
			nl_put_u32(&req, FLITCAST_A_LINK_PORT, dir + 1);
			nl_put_u32(&req, FLITCAST_A_LINK_CRC, lab->crc);
			nl_end(&req);
		}
		if (nl_talk(places[site].genl, &req, NULL, NULL, &error))
			give_up(lab, "lab up: site %u%s: %s", site,
				error.index ? ": link" : "", error.text);
		progress("lab up: sites", site + 1, topo->nsites, "");
	}
	nl_free(&req);
}

/**
 * struct site_state - what a site says of itself
 * @links: links it has
 * @up: of these, up
 * @sockets: sockets bound
 */
struct site_state {
	uint32_t links;
	uint32_t up;
	uint32_t sockets;
};

static void read_site_state(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[FLITCAST_A_SITE_MAX + 1];
	struct site_state *state = arg;

	nl_parse_genl(data, length, a, FLITCAST_A_SITE_MAX);
	state->links = nl_u32(a[FLITCAST_A_SITE_LINKS]);
	state->up = nl_u32(a[FLITCAST_A_SITE_LINKS_UP]);
	state->sockets = nl_u32(a[FLITCAST_A_SITE_SOCKETS]);
}

/* 0 or a refusal in @error. */
static int ask_site_state(int genl, struct site_state *state, struct nl_error *error)
{
	struct nl_request req = { 0 };
	int err;

	memset(state, 0, sizeof(*state));
	nl_begin_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
	nl_end(&req);
	err = nl_talk(genl, &req, read_site_state, state, error);
	nl_free(&req);
	return err;
}

struct down_link {
	bool found;
	uint32_t port;
	char reason[128];
};

static void read_down_link(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[FLITCAST_A_LINK_MAX + 1];
	struct down_link *down = arg;

	nl_parse_genl(data, length, a, FLITCAST_A_LINK_MAX);
	if (down->found || nl_u32(a[FLITCAST_A_LINK_STATE]) == FLITCAST_LINK_STATE_UP)
		return;
	down->found = true;
	down->port = nl_u32(a[FLITCAST_A_LINK_PORT]);
	snprintf(down->reason, sizeof(down->reason), "%s",
		 a[FLITCAST_A_LINK_REASON] ? nl_string(a[FLITCAST_A_LINK_REASON]) :
		 link_state_name(nl_u32(a[FLITCAST_A_LINK_STATE])));
}

/* The lab stays for whoever wants to find out why. */
static int complain_down(const struct lab *lab, int genl, uint32_t site)
{
	struct nl_request req = { 0 };
	struct down_link down = { 0 };

	nl_begin_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
	nl_end(&req);
	nl_talk(genl, &req, read_down_link, &down, NULL);
	nl_free(&req);
	complain("lab %s: site %u port %u does not come up: %s", lab->name, site, down.port,
		 down.found ? down.reason : "no longer so");
	return EXIT_FAILED;
}

static int wait_for_links(const struct lab *lab, const struct place *places)
{
	uint64_t until = now_ns() + PATIENCE_NS + PATIENCE_SITE_NS * lab->topo.nsites;
	struct timespec nap = { .tv_nsec = 10000000 };
	uint32_t site = 0;

	while (site < lab->topo.nsites) {
		struct site_state state;
		struct nl_error error;

		if (ask_site_state(places[site].genl, &state, &error))
			give_up(lab, "lab up: site %u: %s", site, error.text);
		if (state.up == state.links) {
			site++;
			progress("lab up: links up at", site, lab->topo.nsites, "sites");
			continue;
		}
		if (now_ns() > until)
			return complain_down(lab, places[site].genl, site);
		nanosleep(&nap, NULL);
	}
	progress_end();
	return 0;
}

static int up(struct args *args)
{
	struct lab lab = { .name = DEFAULT_NAME, .mtu = FLIT_DEFAULT };
	const char *spec = take_any(args, "topology");
	struct nl_request req = { 0 };
	struct place *places;
	const char *wrong;
	uint32_t site;

	while (args->argc) {
		if (take_word(args, "mtu"))
			lab.mtu = parse_number(take_any(args, "mtu"), 256, 65535, "mtu");
		else if (take_word(args, "mode"))
			snprintf(lab.mode, sizeof(lab.mode), "%s", take_any(args, "mode"));
		else if (take_word(args, "window"))
			lab.window = parse_number(take_any(args, "window"), 1, 64, "window");
		else if (take_word(args, "crc"))
			lab.crc = parse_switch(take_any(args, "crc"), "crc");
		else if (take_word(args, "name"))
			set_name(&lab, take_any(args, "name"));
		else
			take_end(args);
	}
	wrong = fc_topo_parse(&lab.topo, spec);
	if (wrong)
		fail("lab up: %s: %s", spec, wrong);
	if (lab.topo.nsites > SITES_MAX)
		fail("lab up: %s: a lab has at most %d sites", spec, SITES_MAX);
	fc_topo_print(&lab.topo, lab.spec);
	if (geteuid())
		fail("lab up: only root may make network namespaces");

	/* Before anything is made: is the module there? */
	nl_begin_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
	nl_free(&req);
	for (site = 0; site < lab.topo.nsites; site++) {
		char *name = netns_name(&lab, site);
		struct lab other = lab;

		if (netns_exists(name)) {
			if (load_state(&other))
				fail("lab %s is up already: take it down first, or give another name",
				     lab.name);
			fail("lab up: there is a network namespace %s already", name);
		}
		free(name);
	}
	allow_descriptors();
	save_state(&lab);
	places = xalloc(lab.topo.nsites, sizeof(*places));
	make_namespaces(&lab, places);
	make_veths(&lab, places);
	open_veths(&lab, places);
	make_sites(&lab, places);
	return wait_for_links(&lab, places);
}

/* "name NAME" */
static void take_name(struct args *args, struct lab *lab)
{
	strcpy(lab->name, DEFAULT_NAME);
	if (take_word(args, "name"))
		set_name(lab, take_any(args, "name"));
}

static void need_lab(struct lab *lab)
{
	if (!load_state(lab))
		fail("lab %s is not up", lab->name);
}

static int down(struct args *args)
{
	struct lab lab = { 0 };

	take_name(args, &lab);
	take_end(args);
	/* To be down is all that is asked. */
	if (!load_state(&lab))
		return 0;
	return take_down(&lab, true);
}

static int exec(struct args *args)
{
	struct lab lab = { 0 };
	uint32_t site;
	char *name;
	int err;

	take_name(args, &lab);
	site = parse_number(take_any(args, "site"), 0, SITES_MAX - 1, "site");
	if (!args->argc)
		bad_usage("command is missing");
	need_lab(&lab);
	if (site >= lab.topo.nsites)
		fail("lab %s: there is no site %u: sites are 0 to %u", lab.name, site,
		     lab.topo.nsites - 1);
	name = netns_name(&lab, site);
	err = netns_exec(name, args->argv);
	fail("lab exec: %s: %s", args->argv[0], strerror(err));
}

/* A netlink socket in the namespace of a site, which is entered. */
static int open_site(const struct lab *lab, uint32_t site)
{
	char *name = netns_name(lab, site);
	int fd;

	netns_enter(name);
	fd = nl_open(NETLINK_GENERIC);
	if (fd < 0)
		fail("lab %s: namespace %s: netlink: %s", lab->name, name, strerror(-fd));
	free(name);
	return fd;
}

static int show(struct args *args)
{
	struct lab lab = { 0 };
	int status = 0;
	uint32_t site;

	take_name(args, &lab);
	while (take_output_option(args))
		continue;
	take_end(args);
	need_lab(&lab);
	out_open_object(NULL);
	out_string("name", "lab %s", lab.name);
	out_string("topology", " topology %s", lab.spec);
	out_uint("mtu", " mtu %llu\n", lab.mtu);
	out_open_array("sites");
	for (site = 0; site < lab.topo.nsites; site++) {
		char *name = netns_name(&lab, site);
		struct site_state state;
		struct nl_error error;
		int genl;

		if (!netns_exists(name)) {
			complain("lab %s: namespace %s is gone", lab.name, name);
			status = EXIT_FAILED;
			free(name);
			continue;
		}
		genl = open_site(&lab, site);
		if (ask_site_state(genl, &state, &error)) {
			complain("lab %s: site %u: %s", lab.name, site, error.text);
			status = EXIT_FAILED;
		}
		close(genl);
		out_open_object(NULL);
		out_uint("site", "site %llu", site);
		out_string("netns", " netns %s", name);
		out_uint("links", " links %llu", state.links);
		out_uint("links_up", " up %llu", state.up);
		out_uint("sockets", " sockets %llu\n", state.sockets);
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

static void read_load(const void *data, size_t length, void *arg)
{
	const struct nlattr *a[FLITCAST_A_LINK_MAX + 1];
	struct load_reader *reader = arg;
	struct load *load;
	uint32_t port;

	nl_parse_genl(data, length, a, FLITCAST_A_LINK_MAX);
	port = nl_u32(a[FLITCAST_A_LINK_PORT]);
	if (!port || port > reader->ndirs)
		return;
	load = &reader->loads[port - 1];
	load->up = nl_u32(a[FLITCAST_A_LINK_STATE]) == FLITCAST_LINK_STATE_UP;
	if (a[FLITCAST_A_LINK_STATS])
		load->flits = find_counter(a[FLITCAST_A_LINK_STATS], "tx_flits");
}

static struct load *read_loads(const struct lab *lab)
{
	const struct fc_topo *topo = &lab->topo;
	struct load *loads = xalloc((size_t)topo->nsites * topo->ndirs, sizeof(*loads));
	struct nl_request req = { 0 };
	size_t i;
	uint32_t site;

	for (i = 0; i < (size_t)topo->nsites * topo->ndirs; i++)
		loads[i].known = true;
	for (site = 0; site < topo->nsites; site++) {
		struct load_reader reader = {
			.loads = loads + (size_t)site * topo->ndirs,
			.ndirs = topo->ndirs,
		};
		int genl = open_site(lab, site);

		nl_begin_flitcast(&req, FLITCAST_CMD_LINK_GET, NLM_F_DUMP);
		nl_end(&req);
		/* A site that somebody took out has no links that are up. */
		nl_talk(genl, &req, read_load, &reader, NULL);
		close(genl);
	}
	nl_free(&req);
	return loads;
}

struct load *lab_loads_of(const struct fc_topo *topo)
{
	struct lab lab = { .name = DEFAULT_NAME };
	char spec[FC_SPEC_MAX];

	fc_topo_print(topo, spec);
	if (geteuid() || !load_state(&lab) || strcmp(lab.spec, spec))
		return NULL;
	return read_loads(&lab);
}

static int graph(struct args *args)
{
	bool svg = false, dot = false;
	struct lab lab = { 0 };
	struct load *loads;

	take_name(args, &lab);
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
	need_lab(&lab);
	if (lab.topo.nsites > DRAW_SITES_MAX)
		fail("lab %s: drawings have at most %d sites", lab.name, DRAW_SITES_MAX);
	loads = read_loads(&lab);
	if (dot)
		draw_dot(&lab.topo, loads, FC_SITE_NONE);
	else
		draw_svg(&lab.topo, loads, FC_SITE_NONE);
	free(loads);
	out_flush();
	return 0;
}

static const struct command commands[] = {
	{ "up", up, "SPEC [mtu N] [window N] [crc { on | off }] [mode MODE] [name NAME]" },
	{ "exec", exec, "[name NAME] SITE COMMAND [ARG]..." },
	{ "graph", graph, "[name NAME] [--svg | --dot]" },
	{ "show", show, "[name NAME] [-j]" },
	{ "down", down, "[name NAME]" },
	{ 0 }
};

int do_lab(struct args *args)
{
	return run_command("lab", commands, args);
}
