// SPDX-License-Identifier: GPL-2.0
/*
 * Who hears of changes: of sites, and of the ends of links.
 */
#include <linux/mutex.h>
#include "site/impl.h"

/* Who hears of changes; the lock keeps it there while it is told of one. */
static const struct flitcast_event_ops *listener;
static DEFINE_MUTEX(listener_lock);

void flitcast_event_register(const struct flitcast_event_ops *ops)
{
	mutex_lock(&listener_lock);
	listener = ops;
	mutex_unlock(&listener_lock);
}

void flitcast_event_unregister(void)
{
	mutex_lock(&listener_lock);
	listener = NULL;
	mutex_unlock(&listener_lock);
}

void flitcast_event_site(struct flitcast_site *site, enum flitcast_site_event event)
{
	struct flitcast_site_info info;

	flitcast_site_info(site, &info);
	mutex_lock(&listener_lock);
	if (listener)
		listener->site(site->net, &info, event);
	mutex_unlock(&listener_lock);
}

void flitcast_event_link(struct flitcast_site *site, u32 port, bool added)
{
	struct flitcast_link_info info;

	if (flitcast_link_info(site, port, &info))
		return;
	mutex_lock(&listener_lock);
	if (listener)
		listener->link(site->net, site->cfg.id, &info, added);
	mutex_unlock(&listener_lock);
}

void flitcast_event_work(struct work_struct *work)
{
	struct flitcast_site *site = container_of(work, struct flitcast_site, event);
	u32 changed;

	spin_lock_bh(&site->lock);
	changed = site->changed;
	site->changed = 0;
	spin_unlock_bh(&site->lock);
	if (changed & fc_bit(FC_PORT_LOCAL))
		flitcast_event_site(site, FLITCAST_SITE_CHANGED);
	for (changed &= ~fc_bit(FC_PORT_LOCAL); changed; changed &= changed - 1)
		flitcast_event_link(site, fc_low(changed), true);
}

void flitcast_site_link_event(struct flitcast_site *site, u8 port)
{
	lockdep_assert_held(&site->lock);
	site->changed |= fc_bit(port);
	if (!site->dead)
		schedule_work(&site->event);
}

void flitcast_site_drained(struct flitcast_site *site)
{
	if (site->drain && list_empty(&site->msgs))
		flitcast_site_link_event(site, FC_PORT_LOCAL);
}
