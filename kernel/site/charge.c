// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that the maker of a site pays for.  A peer may send as many flits as it has credit for,
 * and they are never refused; so their memory is charged when the link is added, by the largest
 * memory of a flit (link/memory.h):
 *
 *	window of each channel, in	flits that wait for one before them, or for a link
 *	window of each channel, out	flits that the peer has not acked
 *
 * Flits of the site's own messages are in the second, too, and their sender has paid for them.
 */
#include <linux/bitops.h>
#include <linux/netlink.h>
#include "compat.h"
#include "fabric/channel.h"
#include "link/memory.h"
#include "mem/account.h"
#include "site/impl.h"

static long pages_of(u64 bytes)
{
	return DIV_ROUND_UP_ULL(bytes, PAGE_SIZE);
}

static unsigned long kib(long pages)
{
	return pages << (PAGE_SHIFT - 10);
}

/* Windows of a link, both directions, of all channels and the broadcasts. */
static long link_pages(const struct flitcast_site *site, u8 port)
{
	u32 in = hweight64(site->end[port].classes);
	u32 out = hweight64(site->mode->carried(site, port));
	u64 flits = (u64)(FC_SET_COUNT * (in + out) + 2) * site->cfg.window;

	return pages_of(flits * flitcast_flit_memory(site->cfg.flit));
}

/* The network-buffer of each set of channels holds one packet. */
static long site_pages(const struct flitcast_site *site)
{
	return pages_of((u64)FC_SET_COUNT * flitcast_packet_memory(site->cfg.flit, FC_PACKET_MAX));
}

static int reserve(struct flitcast_site *site, long pages, struct netlink_ext_ack *extack)
{
	int err = flitcast_account_reserve(site->buffers.reserved, pages);

	if (err == -ENOBUFS)
		FLITCAST_ERR_MSG_FMT(extack, "buffers exceed the user's share of site_mem",
				     "buffers of %lu KiB: the user's share has %lu KiB left",
				     kib(pages),
				     kib(flitcast_account_free(site->buffers.reserved)));
	else if (err)
		FLITCAST_ERR_MSG_FMT(extack, "buffers exceed the limit of the memory cgroup",
				     "buffers of %lu KiB exceed the limit of the memory cgroup",
				     kib(pages));
	return err;
}

int flitcast_charge_site(struct flitcast_site *site, struct netlink_ext_ack *extack)
{
	return reserve(site, site_pages(site), extack);
}

int flitcast_charge_link(struct flitcast_site *site, u8 port, struct netlink_ext_ack *extack)
{
	ASSERT_RTNL();
	return reserve(site, link_pages(site, port), extack);
}

void flitcast_uncharge_link(struct flitcast_site *site, u8 port)
{
	ASSERT_RTNL();
	flitcast_account_unreserve(site->buffers.reserved, link_pages(site, port));
}

bool flitcast_charge_open(struct flitcast_site *site)
{
	site->buffers.reserved = flitcast_account_open(site->net);
	site->buffers.held = flitcast_account_open(site->net);
	return site->buffers.reserved && site->buffers.held;
}

void flitcast_charge_close(struct flitcast_site *site)
{
	struct flitcast_account *reserved, *held;

	spin_lock_bh(&site->lock);
	reserved = site->buffers.reserved;
	held = site->buffers.held;
	site->buffers.reserved = NULL;
	site->buffers.held = NULL;
	spin_unlock_bh(&site->lock);
	if (reserved && flitcast_account_pages(reserved))
		flitcast_account_unreserve(reserved, flitcast_account_pages(reserved));
	flitcast_account_close(reserved);
	flitcast_account_close(held);
}

void flitcast_charge_info(const struct flitcast_site *site, struct flitcast_site_info *info)
{
	const struct flitcast_account *reserved = site->buffers.reserved;

	/* A site that is deleted pays no more. */
	if (!reserved)
		return;
	info->memory = kib(flitcast_account_pages(reserved) +
			   flitcast_account_pages(site->buffers.held));
	info->share = kib(flitcast_account_share_pages(reserved));
}
