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

/* charge.c */

/* Make the accounts of a site, for the calling task.  Return: false: no memory.  May sleep. */
bool flitcast_charge_open(struct flitcast_site *site);
/* Release all that is charged.  The site holds no flits.  May sleep. */
void flitcast_charge_close(struct flitcast_site *site);
/**
 * flitcast_charge_site() - charge the network-buffers of a site
 * @site: site
 * @extack: gets the amount that is refused
 *
 * Context: process.
 *
 * Return: 0; -ENOBUFS: the user's share does not allow it; -ENOMEM: the memory cgroup does not.
 */
int flitcast_charge_site(struct flitcast_site *site, struct netlink_ext_ack *extack);
/* As flitcast_charge_site(), for the windows of a link.  Context: RTNL held. */
int flitcast_charge_link(struct flitcast_site *site, u8 port, struct netlink_ext_ack *extack);
/* Release what flitcast_charge_link() has charged.  Context: RTNL held. */
void flitcast_uncharge_link(struct flitcast_site *site, u8 port);

/* Fill in what the maker of a site pays.  Context: the site's lock. */
void flitcast_charge_info(const struct flitcast_site *site, struct flitcast_site_info *info);

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
