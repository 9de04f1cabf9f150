/* SPDX-License-Identifier: GPL-2.0 */
/* Notifications of changes of a site and its links (event.c). */
#ifndef FLITCAST_FABRIC_EVENT_H
#define FLITCAST_FABRIC_EVENT_H

#include <linux/workqueue.h>
#include "fabric/fabric.h"

/**
 * struct flitcast_news - changes to report to the listener
 * @changed: links whose state changed since @work ran; bit 0: the site itself
 * @work: reports them
 */
struct flitcast_news {
	u32 changed;
	struct work_struct work;
};

/* Report a change of a site to the listener, which may sleep. */
void flitcast_event_notify(struct net *net, const struct flitcast_site_info *info,
			   enum flitcast_site_event event);
/* Report that a site's end of a link was added, removed or changed; nothing if it has none. */
void flitcast_event_link(struct flitcast_site *site, u32 port, bool added);
/* Schedule a report about a link, or about the site itself (port 0). */
void flitcast_site_link_event(struct flitcast_site *site, u8 port);

#endif /* FLITCAST_FABRIC_EVENT_H */
