// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of a site for requests, and events about its changes.
 */
#include "ends/state.h"
#include "site/impl.h"

void flitcast_site_info(struct flitcast_site *site, struct flitcast_site_info *info)
{
	u8 p;

	memset(info, 0, sizeof(*info));
	info->cfg = site->cfg;
	info->incarnation = site->incarnation;
	spin_lock_bh(&site->lock);
	info->sockets = site->ends->ports.sockets;
	info->drain = site->drain;
	info->keyed = site->auth;
	info->pending = site->ends->tx.nmsgs;
	for (p = 1; p < site->node.nports; p++) {
		info->links += flitcast_end_used(&site->end[p]);
		info->links_up += site->end[p].link && site->end[p].hello.state == FC_LINK_UP;
	}
	spin_unlock_bh(&site->lock);
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

