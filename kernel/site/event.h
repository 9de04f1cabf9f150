/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events: changes of sites and links, for the one listener (netlink).
 */
#ifndef FLITCAST_SITE_EVENT_H
#define FLITCAST_SITE_EVENT_H

#include "site/site.h"

/* Changes of a site. */
enum flitcast_site_event {
	FLITCAST_SITE_ADDED,
	FLITCAST_SITE_CHANGED,	/* drain begun, ended or completed */
	FLITCAST_SITE_REMOVED,
};

/**
 * struct flitcast_event_ops - callbacks of the listener for changes
 * @site: a site was added or removed, or has changed
 * @link: a link was added or removed, or has changed its state
 *
 * Called in process context, without locks; may sleep.
 */
struct flitcast_event_ops {
	void (*site)(struct net *net, const struct flitcast_site_info *info,
		     enum flitcast_site_event event);
	void (*link)(struct net *net, u32 site, const struct flitcast_link_info *info,
		     bool added);
};

/* There is one listener, registered before the first site is created and until the last is gone. */
void flitcast_event_register(const struct flitcast_event_ops *ops);
void flitcast_event_unregister(void);

#endif /* FLITCAST_SITE_EVENT_H */
