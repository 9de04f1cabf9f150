// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast lab kill, revive: take sites of a lab down, and bring them back.
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
#include "netns.h"
#include "paths.h"

/* Return: the sites named; exits unless all of them are dead (@dead), or none. */
static uint32_t *take_sites(struct lab *lab, const struct option_given *given, bool dead, size_t *n)
{
	uint32_t *sites = lab_sites(lab, given, n);
	size_t i;

	for (i = 0; i < *n; i++)
		if ((lab->fate[sites[i]] == LAB_DEAD) != dead)
			fail("lab %s: site %u is %s", lab->name, sites[i],
			     dead ? "not dead" : "dead already");
	return sites;
}

static void set_devices(const struct lab *lab, uint32_t site, bool up)
{
	struct nl_sock *rtnl = lab_open(lab, site, NETLINK_ROUTE);
	struct request req = { 0 };
	struct request_error error;

	lab_put_devices(lab, site, up, &req);
	if (request_send(rtnl, &req, NULL, NULL, &error))
		fail("lab %s: devices of site %u: %s", lab->name, site, error.text);
	nl_socket_free(rtnl);
}

void lab_take_links(const struct lab *lab, uint32_t site, struct nl_sock *genl)
{
	struct request req = { 0 };
	struct request_error error;
	uint8_t dir;
	int err;

	for (dir = 0; dir < lab->topo.ndirs; dir++) {
		if (fc_topo_neighbour(&lab->topo, site, dir) == FC_SITE_NONE)
			continue;
		request_flitcast(&req, FLITCAST_CMD_LINK_DEL, 0);
		put_u32(&req, FLITCAST_A_LINK_SITE, site);
		put_u32(&req, FLITCAST_A_LINK_PORT, dir + 1);
		err = request_send(genl, &req, NULL, NULL, &error);
		/* The program that borrowed the links may have exited meanwhile. */
		if (err && err != -ENOENT)
			fail("lab %s: site %u: port %u: %s", lab->name, site, dir + 1,
			     error.text);
	}
}

/*
 * Cut the links before deleting the site, so that its last frames reach no peer.  RDMA links have
 * no devices to take down: delete these links.
 */
static void kill_site(struct lab *lab, uint32_t site)
{
	struct request req = { 0 };
	struct request_error error;
	struct nl_sock *genl;
	int err;

	set_devices(lab, site, false);
	lab_note(lab, site, LAB_DEAD);
	genl = lab_open(lab, site, NETLINK_GENERIC);
	if (*lab->rdma)
		lab_take_links(lab, site, genl);
	request_flitcast(&req, FLITCAST_CMD_SITE_DEL, 0);
	put_u32(&req, FLITCAST_A_SITE_ID, site);
	err = request_send(genl, &req, NULL, NULL, &error);
	/* The site may have been deleted already. */
	if (err && err != -ENOENT)
		fail("lab %s: site %u: %s", lab->name, site, error.text);
	nl_socket_free(genl);
}

int lab_kill(const struct option_given *given)
{
	struct lab lab = { 0 };
	uint32_t *sites;
	size_t i, n;

	sites = take_sites(&lab, given, false, &n);
	for (i = 0; i < n; i++)
		kill_site(&lab, sites[i]);
	free(sites);
	return 0;
}

void lab_wait_all(const struct lab *lab, struct nl_sock **genl)
{
	uint32_t site;
	char *wrong;

	lab_allow_descriptors();
	for (site = 0; site < lab->topo.nsites; site++)
		if (lab->fate[site] == LAB_LIVES && !genl[site])
			genl[site] = lab_open(lab, site, NETLINK_GENERIC);
	wrong = lab_wait(lab, genl, "lab: routes from", NULL);
	if (wrong)
		fail("lab %s: %s", lab->name, wrong);
	for (site = 0; site < lab->topo.nsites; site++)
		if (genl[site])
			nl_socket_free(genl[site]);
}

static void revive_ip(const struct lab *lab, uint32_t site)
{
	struct nl_sock *rtnl = lab_open(lab, site, NETLINK_ROUTE);
	struct request req = { 0 };
	struct request_error error;

	lab_put_ip(site, &req);
	if (request_send(rtnl, &req, NULL, NULL, &error))
		fail("lab %s: network device of site %u: %s", lab->name, site, error.text);
	nl_socket_free(rtnl);
}

int lab_revive(const struct option_given *given)
{
	struct request req = { 0 };
	struct lab lab = { 0 };
	struct request_error error;
	struct paths paths;
	uint32_t *sites;
	size_t i, n;
	struct nl_sock **genl;
	char *wrong;

	sites = take_sites(&lab, given, true, &n);
	paths_find(&paths, &lab.topo, lab.copies, "lab revive");
	genl = xalloc(lab.topo.nsites, sizeof(*genl));
	wrong = *lab.rdma ? lab_rdma_find(&lab) : NULL;
	if (wrong)
		fail("lab %s: %s", lab.name, wrong);
	for (i = 0; i < n; i++) {
		uint32_t site = sites[i];

		set_devices(&lab, site, true);
		genl[site] = lab_open(&lab, site, NETLINK_GENERIC);
		lab_put_site(&lab, site, &req);
		lab_put_links(&lab, site, &req);
		if (request_send(genl[site], &req, NULL, NULL, &error))
			fail("lab %s: site %u%s: %s", lab.name, site,
			     error.index ? ": link" : "", error.text);
		if (lab.copies > 1 && paths_set(&paths, genl[site], site, &error))
			fail("lab %s: paths of site %u: %s", lab.name, site, error.text);
		if (lab.ip)
			revive_ip(&lab, site);
		lab_note(&lab, site, LAB_LIVES);
	}
	paths_free(&paths);
	lab_wait_all(&lab, genl);
	free(genl);
	free(sites);
	return 0;
}
