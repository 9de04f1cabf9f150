/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who hears of changes of a site and of its links.
 */
#ifndef FLITCAST_FABRIC_EVENT_H
#define FLITCAST_FABRIC_EVENT_H

#include <linux/workqueue.h>
#include "fabric/fabric.h"

/**
 * struct flitcast_news - changes that the listener is to be told of
 * @changed: links whose state changed since @work ran; bit 0: the site itself
 * @work: tells the listener
 */
struct flitcast_news {
	u32 changed;
	struct work_struct work;
};

/* Tell the listener, who may sleep, of a site. */
void flitcast_event_tell(struct net *net, const struct flitcast_site_info *info,
			 enum flitcast_site_event event);
/* Likewise, of a site's end of a link (nothing if it has none). */
void flitcast_event_link(struct flitcast_site *site, u32 port, bool added);
/* Tell the listener soon of a link, or of the site itself (port 0). */
void flitcast_site_link_event(struct flitcast_site *site, u8 port);

#endif /* FLITCAST_FABRIC_EVENT_H */
