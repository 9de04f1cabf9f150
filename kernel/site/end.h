/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Links of a site: how a device becomes one, and ceases to be one.
 */
#ifndef FLITCAST_SITE_END_H
#define FLITCAST_SITE_END_H

#include "fabric/end.h"

struct flitcast_site;
struct flitcast_site_config;
struct net_device;
struct netlink_ext_ack;

/* Check that a window is large enough for the mode.  Return: 0 or -EINVAL. */
int flitcast_window_check(const struct flitcast_site_config *cfg, u32 window,
			  struct netlink_ext_ack *extack);
/* Remove a link, if the port has one, from its site and destroy it.  Context: RTNL held. */
void flitcast_site_link_gone(struct flitcast_site *site, u8 port);

/**
 * flitcast_link_return() - bind a network device that has appeared to the link that waits for it
 * @site: site
 * @dev: device
 *
 * A link whose device is absent, and was configured by the permanent address or the name of @dev,
 * gets it in the same port, whatever its MTU.  If the link cannot use the device, its reason says
 * why.
 *
 * Context: RTNL held.  Return: true if a link of the site waited for the device.
 */
bool flitcast_link_return(struct flitcast_site *site, struct net_device *dev);
/*
 * A device is unregistered or gets another name: links that could not use it forget why.  Context:
 * RTNL held.
 */
void flitcast_link_forget(struct flitcast_site *site, const struct net_device *dev);
/* Inform the peers of all links that this site leaves; the links are then no longer up. */
void flitcast_links_leave(struct flitcast_site *site);

#endif /* FLITCAST_SITE_END_H */
