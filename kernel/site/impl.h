/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside kernel/site: the layer above the fabric and the ends.
 */
#ifndef FLITCAST_SITE_IMPL_H
#define FLITCAST_SITE_IMPL_H

#include "fabric/site.h"
#include "site/event.h"

/* Sites of a namespace. */
#define FLITCAST_NET_SITES_MAX	256

/* engine.c */

int flitcast_engine_init(void);
void flitcast_engine_exit(void);
enum hrtimer_restart flitcast_engine_timer(struct hrtimer *timer);

/* feed.c */

/* Budget of one hold of the lock: flits fed, weighted by the frames that each makes. */
#define FLITCAST_FEED_FRAMES	16

/* Feed the local net-input, and deduct what that costs from *@budget. */
void flitcast_site_feed(struct flitcast_site *site, int *budget);

/* alloc.c */

/* Return: an unpublished site with one reference; NULL: no memory.  May sleep. */
struct flitcast_site *flitcast_site_alloc(struct net *net, const struct flitcast_site_config *cfg);
/* Compute the timing of the state machines from the tuning of the site. */
void flitcast_site_set_timing(struct flitcast_site *site);

/* port.c */

/* The site is dead: abort its messages, then detach its ports. */
void flitcast_ports_gone(struct flitcast_site *site)
	__must_hold(&site->lock);

/* event.c */

/* Report a change of a site to the listener, which may sleep. */
void flitcast_event_notify(struct net *net, const struct flitcast_site_info *info,
			   enum flitcast_site_event event);
/* Report that a site's end of a link was added, removed or changed; nothing if it has none. */
void flitcast_event_link(struct flitcast_site *site, u32 port, bool added);
/* Report a site to the event listener, which may sleep. */
void flitcast_event_site(struct flitcast_site *site, enum flitcast_site_event event);
/* Work handler of flitcast_site_link_event(): report the changes that it recorded. */
void flitcast_event_work(struct work_struct *work);

#endif /* FLITCAST_SITE_IMPL_H */
