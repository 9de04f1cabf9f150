// SPDX-License-Identifier: GPL-2.0
/*
 * flitcast lab kill, revive: sites that die, and come back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/flitcast_netlink.h>
#include "lab_impl.h"
#include "netns.h"

/*
 * Its links are cut before the site is taken out: what it would say when it goes, nobody
 * hears.
 */
int lab_kill(struct args *args)
{
	struct nl_request req = { 0 };
	struct lab lab = { 0 };
	struct nl_error error;
	uint32_t site;
	int fd, err;

	lab_take_name(args, &lab);
	site = lab_take_site(args, &lab);
	take_end(args);
	if (lab.fate[site] == LAB_DEAD)
		fail("lab %s: site %u is dead already", lab.name, site);
	fd = lab_open(&lab, site, NETLINK_ROUTE);
	lab_put_devices(&lab, site, false, &req);
	if (nl_talk(fd, &req, NULL, NULL, &error))
		fail("lab %s: devices of site %u: %s", lab.name, site, error.text);
	close(fd);
	lab_note(&lab, site, LAB_DEAD);
	fd = lab_open(&lab, site, NETLINK_GENERIC);
	nl_begin_flitcast(&req, FLITCAST_CMD_SITE_DEL, 0);
	nl_put_u32(&req, FLITCAST_A_SITE_ID, site);
	nl_end(&req);
	err = nl_talk(fd, &req, NULL, NULL, &error);
	/* Somebody may have taken it out before. */
	if (err && err != -ENOENT)
		fail("lab %s: site %u: %s", lab.name, site, error.text);
	close(fd);
	nl_free(&req);
	return 0;
}

int lab_revive(struct args *args)
{
	struct nl_request req = { 0 };
	struct lab lab = { 0 };
	struct nl_error error;
	uint32_t site, other;
	char *wrong;
	int fd, *genl;

	lab_take_name(args, &lab);
	site = lab_take_site(args, &lab);
	take_end(args);
	if (lab.fate[site] != LAB_DEAD)
		fail("lab %s: site %u is not dead", lab.name, site);
	fd = lab_open(&lab, site, NETLINK_ROUTE);
	lab_put_devices(&lab, site, true, &req);
	if (nl_talk(fd, &req, NULL, NULL, &error))
		fail("lab %s: devices of site %u: %s", lab.name, site, error.text);
	close(fd);
	genl = xalloc(lab.topo.nsites, sizeof(*genl));
	genl[site] = lab_open(&lab, site, NETLINK_GENERIC);
	lab_put_site(&lab, site, &req);
	if (nl_talk(genl[site], &req, NULL, NULL, &error))
		fail("lab %s: site %u%s: %s", lab.name, site, error.index ? ": link" : "",
		     error.text);
	nl_free(&req);
	lab_note(&lab, site, LAB_LIVES);
	lab_allow_descriptors();
	for (other = 0; other < lab.topo.nsites; other++)
		if (other != site && lab.fate[other] == LAB_LIVES)
			genl[other] = lab_open(&lab, other, NETLINK_GENERIC);
	wrong = lab_wait(&lab, genl, "lab revive: ways from");
	if (wrong)
		fail("lab %s: %s", lab.name, wrong);
	free(genl);
	return 0;
}
