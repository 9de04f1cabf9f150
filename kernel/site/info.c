// SPDX-License-Identifier: GPL-2.0
/* Snapshots of the configuration, state and counters of a site and its links. */
#include <linux/etherdevice.h>
#include "ends/state.h"
#include "fabric/enter.h"
#include "fabric/relay.h"
#include "site/impl.h"

void flitcast_site_info(struct flitcast_site *site, struct flitcast_site_info *info)
{
	u8 p;

	memset(info, 0, sizeof(*info));
	info->cfg = site->cfg;
	if (site->auth)
		info->cfg.flit += FC_CODE_SIZE;
	info->incarnation = site->incarnation;
	spin_lock_bh(&site->lock);
	info->sockets = site->ends->ports.sockets;
	info->drain = site->drain;
	info->keyed = site->auth;
	info->pending = site->ends->tx.nmsgs;
	flitcast_charge_info(site, info);
	for (p = 1; p < site->node.nports; p++) {
		info->links += flitcast_end_used(&site->end[p]);
		info->links_up += site->end[p].link && site->end[p].hello.state == FC_LINK_UP;
	}
	spin_unlock_bh(&site->lock);
}

u32 flitcast_site_count(const struct flitcast_site *site)
{
	return site->cfg.topo.nsites;
}

u32 flitcast_site_id(const struct flitcast_site *site)
{
	return site->cfg.id;
}

bool flitcast_site_draining(const struct flitcast_site *site)
{
	return READ_ONCE(site->drain);
}

void flitcast_site_stats(struct flitcast_site *site, u64 *values)
{
	spin_lock_bh(&site->lock);
	memcpy(values, site->stat, sizeof(site->stat));
	spin_unlock_bh(&site->lock);
}

void flitcast_site_stats_reset(struct flitcast_site *site)
{
	u8 p;

	spin_lock_bh(&site->lock);
	memset(site->stat, 0, sizeof(site->stat));
	for (p = 1; p < site->node.nports; p++) {
		struct flitcast_link *link = site->end[p].link;

		if (link)
			memset(link->stat, 0, sizeof(link->stat));
	}
	spin_unlock_bh(&site->lock);
}

/*
 * Fill in why the link is not up, or is suspected, if so; what contradicts is named of both ends.
 */
static void put_reason(const struct fc_hello *hello, struct flitcast_link_info *info)
{
	u8 reason = hello->own.reason;

	if (reason == FC_REASON_CABLE_SITE || reason == FC_REASON_CABLE_PORT)
		snprintf(info->reason, sizeof(info->reason),
			 "cabled to site %u port %u, expected site %u port %u",
			 hello->peer.site, hello->peer.port, hello->want_site, hello->want_port);
	else if (reason == FC_REASON_VERSION)
		snprintf(info->reason, sizeof(info->reason),
			 "the peer speaks protocol version %u, this site %u",
			 hello->peer.ver_max, hello->own.ver_max);
	else if (reason)
		/* The backend may know a more specific reason than "no carrier". */
		strscpy(info->reason, *info->device.reason ? info->device.reason :
			fc_reason_text(reason), sizeof(info->reason));
	else
		strscpy(info->reason, fc_suspicion_text(hello->suspicion), sizeof(info->reason));
}

static void put_bound(const struct flitcast_end *end, struct flitcast_link_info *info)
{
	flitcast_link_describe(end->link, &info->device);
	info->state = end->hello.state;
	info->suspect = end->hello.suspicion;
	put_reason(&end->hello, info);
	info->peer_site = end->hello.peer.epoch ? end->hello.peer.site : FC_SITE_NONE;
	info->peer_port = end->hello.peer.port;
	info->window = end->hello.own.window;
	info->crc = end->hello.own.flags & FC_HELLO_SUM;
	info->hello = end->hello.own.interval;
	info->dead = end->hello.dead;
}

/* A link whose device is absent is down. */
static void put_absent(const struct flitcast_binding *binding, struct flitcast_link_info *info)
{
	info->device.absent = true;
	strscpy(info->device.name, binding->name, sizeof(info->device.name));
	info->state = FC_LINK_DOWN;
	strscpy(info->reason, binding->refusal ? binding->refusal : "no device",
		sizeof(info->reason));
	info->peer_site = FC_SITE_NONE;
	info->window = binding->settings.window;
	info->crc = binding->settings.crc;
	info->hello = binding->settings.hello;
	info->dead = binding->settings.dead;
}

static void put_delay(const struct flitcast_site *site, u8 port, struct fc_delay *d)
{
	/* Reads the clock: only an event sets that of the site (flitcast_site_now()). */
	u64 now = flitcast_now();

	site->mode->delay(site, port, now, d);
	flitcast_relay_delay(site, port, now, d);
}

int flitcast_link_info(struct flitcast_site *site, u32 port, struct flitcast_link_info *info)
{
	const struct fc_topo *topo = &site->cfg.topo;
	struct flitcast_end *end;

	memset(info, 0, sizeof(*info));
	if (!port || port >= site->node.nports)
		return -ENOENT;
	end = &site->end[port];
	spin_lock_bh(&site->lock);
	if (!flitcast_end_used(end)) {
		spin_unlock_bh(&site->lock);
		return -ENOENT;
	}
	info->port = port;
	info->damaged_source = FC_SITE_NONE;
	fc_delay_init(&info->delay);
	info->expected_site = fc_topo_neighbour(topo, site->cfg.id, port - 1);
	info->expected_port = topo->ops->arrival(topo, site->cfg.id, port - 1) + 1;
	if (end->link) {
		put_bound(end, info);
		put_delay(site, port, &info->delay);
		if (end->link->stat[FC_LSTAT_RX_DAMAGED])
			info->damaged_source = end->damaged_source;
	} else {
		put_absent(&end->binding, info);
	}
	ether_addr_copy(info->device.address, end->binding.address);
	spin_unlock_bh(&site->lock);
	return 0;
}

int flitcast_link_stats(struct flitcast_site *site, u32 port, u64 *values)
{
	int err = -ENOENT;

	if (!port || port >= site->node.nports)
		return -ENOENT;
	spin_lock_bh(&site->lock);
	if (site->end[port].link) {
		memcpy(values, site->end[port].link->stat, sizeof(site->end[port].link->stat));
		err = 0;
	}
	spin_unlock_bh(&site->lock);
	return err;
}
