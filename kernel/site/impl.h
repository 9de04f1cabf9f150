/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside kernel/site: what stands above the fabric and the ends.
 */
#ifndef FLITCAST_SITE_IMPL_H
#define FLITCAST_SITE_IMPL_H

#include "fabric/site.h"
#include "site/site.h"

/* Sites of a namespace. */
#define FLITCAST_NET_SITES_MAX	256

/* engine.c */

int flitcast_engine_init(void);
void flitcast_engine_exit(void);
enum hrtimer_restart flitcast_engine_timer(struct hrtimer *timer);

/* alloc.c */

/* Return: a site that nobody knows yet, with one reference; NULL: no memory.  May sleep. */
struct flitcast_site *flitcast_site_alloc(struct net *net, const struct flitcast_site_config *cfg);
/* The times of its machines, from its tuning. */
void flitcast_site_set_timing(struct flitcast_site *site);

/* port.c */

/* The site is dead: its messages, and then its ports, go one after the other. */
void flitcast_ports_gone(struct flitcast_site *site)
	__must_hold(&site->lock);

/* info.c */

/* Tell the listener, who may sleep, of a site. */
void flitcast_event_site(struct flitcast_site *site, enum flitcast_site_event event);
/* Tell the listener of what flitcast_site_link_event() noted. */
void flitcast_event_work(struct work_struct *work);

#endif /* FLITCAST_SITE_IMPL_H */
