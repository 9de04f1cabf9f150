/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sites of a network namespace: creation, lookup, tuning, removal.
 */
#ifndef FLITCAST_SITE_SITE_H
#define FLITCAST_SITE_SITE_H

#include "fabric/fabric.h"

/* Callers hold genl's lock or RTNL, except for flitcast_site_get() and flitcast_site_put(). */

/**
 * flitcast_site_add() - make a site and publish it in its namespace
 * @net: namespace
 * @cfg: configuration; checked here
 * @extack: gets the reason of a refusal
 *
 * Return: 0, -EEXIST, -EINVAL, -ENOMEM, -ENOSPC, or the error of the crypto layer for the key.
 */
int flitcast_site_add(struct net *net, const struct flitcast_site_config *cfg,
		      struct netlink_ext_ack *extack);

/**
 * flitcast_site_tune() - change the tuning of a site
 * @site: site
 * @tuning: new tuning; the caller has checked its limits
 */
void flitcast_site_tune(struct flitcast_site *site, const struct flitcast_site_tuning *tuning);

/**
 * flitcast_site_drain() - refuse new messages from sockets, or accept them again
 * @site: site
 * @drain: true: refuse
 *
 * Pending messages are completed; an event reports when none is left.  Meanwhile sendmsg() and
 * connect() fail with ENETDOWN.
 */
void flitcast_site_drain(struct flitcast_site *site, bool drain);

/**
 * flitcast_site_del() - remove a site and its links; its sockets get ENETDOWN
 * @net: namespace
 * @id: site
 * @extack: gets the reason of a refusal
 *
 * Return: 0, -ENOENT.
 */
int flitcast_site_del(struct net *net, u32 id, struct netlink_ext_ack *extack);

/**
 * flitcast_site_get() - find a site and take a reference
 * @net: namespace
 * @id: site, or FLITCAST_SITE_ANY for the only one
 *
 * Return: the site, or NULL if there is none, or with FLITCAST_SITE_ANY more than one.
 */
struct flitcast_site *flitcast_site_get(struct net *net, u32 id);
void flitcast_site_put(struct flitcast_site *site);

/**
 * flitcast_site_next() - walk the sites of a namespace
 * @net: namespace
 * @from: smallest identity wanted
 *
 * Return: the site with the smallest identity >= @from, with a reference, or
 * NULL.
 */
struct flitcast_site *flitcast_site_next(struct net *net, u32 from);

void flitcast_site_info(struct flitcast_site *site, struct flitcast_site_info *info);

int flitcast_site_init(void);
void flitcast_site_exit(void);

/* Watch for network devices that links wait for.  Context: module init and exit. */
int flitcast_replug_init(void);
void flitcast_replug_exit(void);

/* Inform the neighbours of all sites of a namespace that the host shuts down; or wait for that. */
void flitcast_shutdown(struct net *net);
int flitcast_shutdown_init(void);
void flitcast_shutdown_exit(void);

#endif /* FLITCAST_SITE_SITE_H */
