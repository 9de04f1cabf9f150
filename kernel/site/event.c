// SPDX-License-Identifier: GPL-2.0
/* Notifications of changes of sites and links, for the one listener (netlink). */
#include <linux/mutex.h>
#include "site/impl.h"

/* The listener.  The lock keeps it registered while it is called. */
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

void flitcast_event_notify(struct net *net, const struct flitcast_site_info *info,
			   enum flitcast_site_event event)
{
	mutex_lock(&listener_lock);
	if (listener)
		listener->site(net, info, event);
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

void flitcast_event_site(struct flitcast_site *site, enum flitcast_site_event event)
{
	struct flitcast_site_info info;

	flitcast_site_info(site, &info);
	flitcast_event_notify(site->net, &info, event);
}

void flitcast_event_work(struct work_struct *work)
{
	struct flitcast_site *site = container_of(work, struct flitcast_site, news.work);
	u32 changed;

	spin_lock_bh(&site->lock);
	changed = site->news.changed;
	site->news.changed = 0;
	spin_unlock_bh(&site->lock);
	if (changed & fc_bit(FC_PORT_LOCAL))
		flitcast_event_site(site, FLITCAST_SITE_CHANGED);
	for (changed &= ~fc_bit(FC_PORT_LOCAL); changed; changed &= changed - 1)
		flitcast_event_link(site, fc_low(changed), true);
}
