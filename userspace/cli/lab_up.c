// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast lab up
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include "core/bounds.h"
#include "lab_impl.h"
#include "netns.h"
#include "network.h"
#include "paths.h"
#include "rtnl.h"

#define FLIT_DEFAULT	1500
#define FLIT_RDMA_DEFAULT 4096

/* Descriptors of one namespace while the lab is set up. */
struct place {
	int netns;
	struct nl_sock *rtnl;
	struct nl_sock *genl;
};

/* Delete a lab whose creation failed, and exit. */
#define give_up(lab, format, ...)						\
	do {									\
		complain(format, ##__VA_ARGS__);				\
		lab_take_down(lab, false);					\
		exit(EXIT_FAILED);						\
	} while (0)

/* Abort between two steps if a signal has arrived. */
static void check_signals(const struct lab *lab)
{
	if (!interrupted)
		return;
	if (lab_take_down(lab, false))
		fail("lab up: interrupted: flitcast lab down takes away what is left of lab %s",
		     lab->name);
	fail("lab up: interrupted: nothing is left of lab %s", lab->name);
}

/* Disable IPv6 in the namespace of this thread: its packets would distort the counters. */
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
		/* A kernel without IPv6 has no such file. */
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
		char *name = lab_netns(lab, site);

		place->netns = netns_create(name);
		if (place->netns < 0)
			give_up(lab, "lab up: namespace %s: %s", name, strerror(-place->netns));
		disable_ipv6();
		place->rtnl = request_open(NETLINK_ROUTE);
		place->genl = request_open(NETLINK_GENERIC);
		if (!place->rtnl || !place->genl)
			give_up(lab, "lab up: namespace %s: netlink: %s", name, strerror(errno));
		free(name);
		progress("lab up: namespaces", site + 1, lab->topo.nsites, "");
		check_signals(lab);
	}
}

/* Is this the end of the two from which the link is created? */
static bool is_first_end(const struct fc_topo *topo, uint32_t site, uint8_t dir, uint32_t *peer)
{
	*peer = fc_topo_neighbour(topo, site, dir);
	return *peer != FC_SITE_NONE &&
	       (site < *peer || (site == *peer && dir < topo->ops->arrival(topo, site, dir)));
}

static void make_veths(const struct lab *lab, const struct place *places)
{
	const struct fc_topo *topo = &lab->topo;
	struct request req = { 0 };
	char dev[16], other[16];
	struct request_error error;
	uint32_t site, peer;
	uint8_t dir;

	for (site = 0; site < topo->nsites; site++) {
		for (dir = 0; dir < topo->ndirs; dir++) {
			if (!lab_has_veth(lab, site, dir) ||
			    !is_first_end(topo, site, dir, &peer))
				continue;
			snprintf(dev, sizeof(dev), "p%u", dir + 1);
			snprintf(other, sizeof(other), "p%u",
				 topo->ops->arrival(topo, site, dir) + 1);
			rtnl_put_veth(&req, dev, other, places[peer].netns, lab->mtu);
		}
		if (request_send(places[site].rtnl, &req, NULL, NULL, &error))
			give_up(lab, "lab up: links of site %u: %s", site, error.text);
		progress("lab up: links of", site + 1, topo->nsites, "sites");
		check_signals(lab);
	}
}

/* A veth comes up only when both its ends exist and are up; enable NAPI before. */
static void open_veths(const struct lab *lab, const struct place *places)
{
	const struct fc_topo *topo = &lab->topo;
	struct request req = { 0 };
	struct request_error error;
	uint32_t site;
	char dev[16];
	uint8_t dir;
	int err;

	for (site = 0; site < topo->nsites; site++) {
		for (dir = 0; dir < topo->ndirs; dir++) {
			if (!lab_has_veth(lab, site, dir))
				continue;
			snprintf(dev, sizeof(dev), "p%u", dir + 1);
			err = rtnl_set_napi(nl_socket_get_fd(places[site].rtnl), dev);
			if (err)
				give_up(lab, "lab up: site %u: NAPI of %s: %s", site, dev,
					strerror(-err));
		}
		rtnl_put_up(&req, "lo");
		lab_put_devices(lab, site, true, &req);
		if (request_send(places[site].rtnl, &req, NULL, NULL, &error))
			give_up(lab, "lab up: devices of site %u: %s", site, error.text);
		check_signals(lab);
	}
}

static void make_sites(const struct lab *lab, const struct place *places,
		       const struct paths *paths)
{
	struct request req = { 0 };
	struct request_error error;
	uint32_t site;

	for (site = 0; site < lab->topo.nsites; site++) {
		lab_put_site(lab, site, &req);
		lab_put_links(lab, site, &req);
		if (request_send(places[site].genl, &req, NULL, NULL, &error))
			give_up(lab, "lab up: site %u%s: %s", site,
				error.index ? ": link" : "", error.text);
		if (lab->copies > 1 && paths_set(paths, places[site].genl, site, &error))
			give_up(lab, "lab up: paths of site %u: %s", site, error.text);
		if (lab->ip) {
			lab_put_ip(site, &req);
			if (request_send(places[site].rtnl, &req, NULL, NULL, &error))
				give_up(lab, "lab up: network device of site %u: %s", site,
					error.text);
		}
		progress("lab up: sites", site + 1, lab->topo.nsites, "");
		check_signals(lab);
	}
}

/*
 * Wait until all sites have routes.  On failure keep the lab, so that the user can find the cause.
 */
static int wait_for_sites(const struct lab *lab, const struct place *places)
{
	struct nl_sock **genl = xalloc(lab->topo.nsites, sizeof(*genl));
	uint32_t site;
	char *wrong;

	for (site = 0; site < lab->topo.nsites; site++)
		genl[site] = places[site].genl;
	wrong = lab_wait(lab, genl, "lab up: routes from", &interrupted);
	free(genl);
	check_signals(lab);
	if (!wrong) {
		if (!strcmp(lab->integrity, "off"))
			printf("lab %s: integrity off: packets are not checked from end to end\n",
			       lab->name);
		return 0;
	}
	complain("lab %s: %s", lab->name, wrong);
	free(wrong);
	return EXIT_FAILED;
}

/* Store an absolute path, which is valid in any working directory. */
static const char *lab_key(const char *path)
{
	char *full = realpath(path, NULL);

	if (!full)
		fail("lab up: key %s: %s", path, strerror(errno));
	return full;
}

/* Set MTU and flit size to the defaults of the kind of links. */
static void set_sizes(struct lab *lab)
{
	if (*lab->rdma && lab->mtu)
		bad_usage("mtu is of network devices, and a lab of RDMA links has none");
	if (!*lab->rdma && !lab->mtu)
		lab->mtu = FLIT_DEFAULT;
	if (!lab->flit)
		lab->flit = *lab->rdma ? FLIT_RDMA_DEFAULT : lab->mtu;
}

/*
 * Only the numbers of sites and ports distinguish links of one RDMA port: two labs would connect to
 * each other's sites.  Save the lab before searching for others, so that of two labs that come up
 * at the same time at least one finds the other.
 */
static void refuse_same_rdma(const struct lab *lab)
{
	char *other = lab_same_rdma(lab);

	if (!other)
		return;
	/* No lab_take_down(): the device may be the other lab's. */
	lab_forget(lab);
	fail("lab up: the links of lab %s are over RDMA port %s already: take it down first, or use another port",
	     other, lab->rdma);
}

int lab_up(const struct option_given *given)
{
	struct lab lab = {
		.mtu = option_get(given, "mtu", 0),
		.flit = option_get(given, "flit", 0),
		.window = option_get(given, "window", 0),
		.crc = option_get(given, "crc", 0),
		.ip = option_was_given(given, "ip"),
	};
	const char *spec = option_text(given, "SPEC"), *mode = option_text(given, "mode");
	unsigned int copies = option_get(given, "copies", 0);
	bool rdma = option_was_given(given, "rdma"), own_rdma;
	struct request req = { 0 };
	struct place *places;
	struct paths paths;
	uint32_t site;
	char *wrong;

	lab_set_name(&lab, option_text(given, "name"));
	snprintf(lab.integrity, sizeof(lab.integrity), "%s",
		 option_was_given(given, "integrity") ? option_text(given, "integrity") : "off");
	if (mode)
		snprintf(lab.mode, sizeof(lab.mode), "%s", mode);
	if (option_was_given(given, "rdma-dev"))
		rdma_take(option_text(given, "rdma-dev"), lab.rdma);
	if (option_was_given(given, "key"))
		lab.key = lab_key(option_text(given, "key"));
	own_rdma = rdma && !*lab.rdma;
	if (own_rdma)
		lab_rdma_set_own(&lab);
	set_sizes(&lab);
	network_parse(&lab.topo, spec, "lab up:");
	if (lab.topo.nsites > LAB_SITES_MAX)
		fail("lab up: %s has %u sites, and a network has at most %d", spec,
		     lab.topo.nsites, LAB_SITES_MAX);
	fc_topo_print(&lab.topo, lab.spec);
	lab.fate = xalloc(lab.topo.nsites, 1);
	paths_find(&paths, &lab.topo, copies, "lab up");
	lab.copies = paths.copies;
	if (geteuid())
		fail("lab up: only root may make network namespaces");

	if (*lab.rdma && !own_rdma && !rdma_exists(lab.rdma))
		fail("lab up: there is no RDMA port %s here", lab.rdma);

	/* Check that the module is loaded before creating anything. */
	request_flitcast(&req, FLITCAST_CMD_SITE_GET, 0);
	request_free(&req);
	for (site = 0; site < lab.topo.nsites; site++) {
		char *name = lab_netns(&lab, site);
		struct lab other = lab;

		if (netns_exists(name)) {
			if (lab_load(&other))
				fail("lab %s is up already: take it down first, or give another name",
				     lab.name);
			fail("lab up: there is a network namespace %s already: give another name",
			     name);
		}
		free(name);
	}
	lab_allow_descriptors();
	catch_signals();
	lab_save(&lab);
	if (*lab.rdma)
		refuse_same_rdma(&lab);
	wrong = *lab.rdma ? lab_rdma_up(&lab) : NULL;
	if (wrong)
		give_up(&lab, "lab up: %s", wrong);
	places = xalloc(lab.topo.nsites, sizeof(*places));
	make_namespaces(&lab, places);
	make_veths(&lab, places);
	open_veths(&lab, places);
	make_sites(&lab, places, &paths);
	paths_free(&paths);
	return wait_for_sites(&lab, places);
}
