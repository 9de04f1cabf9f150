// SPDX-License-Identifier: GPL-2.0
/* Notifications of changes of sites and links, for the one listener (netlink). */
#include <linux/mutex.h>
#include "fabric/event.h"
#include "fabric/site.h"

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

void flitcast_site_link_event(struct flitcast_site *site, u8 port)
{
	lockdep_assert_held(&site->lock);
	site->news.changed |= fc_bit(port);
	if (!site->dead)
		schedule_work(&site->news.work);
}
