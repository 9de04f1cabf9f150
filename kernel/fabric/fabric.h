/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface of the fabric to the layers above: paths of broadcasts, dead links, properties.
 *
 * The inside of a site is in fabric/site.h; its links, routes and counters are in site/site.h, its
 * messages in ends/port.h.
 */
#ifndef FLITCAST_FABRIC_FABRIC_H
#define FLITCAST_FABRIC_FABRIC_H

#include <linux/types.h>
#include <linux/netlink.h>
#include "core/bounds.h"
#include "core/mode.h"
#include "core/topo/topo.h"
#include "core/bcast/path.h"
#include "core/wire/wire_faults.h"
#include "fabric/config.h"

struct net;
struct flitcast_site;

/* Paths of broadcasts in several copies, if the topology is a graph (core/bcast/path.h). */

/**
 * flitcast_site_path_set() - set the paths of a source's broadcasts at a site
 * @site: site
 * @source: site where the broadcasts begin
 * @copies: number of copies
 * @entry: next hops at this site, replacing any present ones; validated here
 * @n: number of entries
 * @extack: reason of a refusal
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP (no graph), -ENOMEM.
 */
int flitcast_site_path_set(struct flitcast_site *site, u32 source, u32 copies,
			   const struct fc_path_entry *entry, u32 n,
			   struct netlink_ext_ack *extack);

/* Remove the paths of a source.  Return: 0, -ENOENT. */
int flitcast_site_path_del(struct flitcast_site *site, u32 source, u32 copies,
			   struct netlink_ext_ack *extack);

/**
 * flitcast_site_path_next() - walk the paths of broadcasts
 * @site: site
 * @source: in: first source; out: next source that has paths
 * @copies: in: first number of copies, 0 to begin with; out: that of the paths
 * @entry: filled in with the next hops
 *
 * Return: number of next hops; 0: there are no more paths.
 */
u32 flitcast_site_path_next(struct flitcast_site *site, u32 *source, u32 *copies,
			    struct fc_path_entry entry[FC_PATH_ENTRIES_MAX]);

/* Dead links. */

/**
 * flitcast_site_fault() - walk the dead links that a site knows of
 * @site: site
 * @fault: in: first site; out: next site with dead links. Version 0: not announced yet (this site's
 *	own links, shortly after its creation)
 *
 * Return: false if there is none.
 */
bool flitcast_site_fault(struct flitcast_site *site, struct fc_fault *fault);

/* A site and its network. */

/* Return: true if a broadcast of the site may have so many copies; it may have 1. */
bool flitcast_site_copies(const struct flitcast_site *site, u8 copies);
/* Return: the maximum number of copies of a broadcast of the site. */
u8 flitcast_site_copies_max(const struct flitcast_site *site);
/* Return: the maximum size of a broadcast in bytes. */
u32 flitcast_site_bcast_max(const struct flitcast_site *site);
/* Return: true if the site was removed from its namespace. */
bool flitcast_site_dead(const struct flitcast_site *site);
/* Return: true if packets of the site reserve their path before they enter (mode csr). */
bool flitcast_site_reserves(const struct flitcast_site *site);
/* Return: true if packets of the network have a sum from end to end (integrity end). */
bool flitcast_site_verifies(const struct flitcast_site *site);

#endif /* FLITCAST_FABRIC_FABRIC_H */
