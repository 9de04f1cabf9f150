// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "compat.h"
#include "core/wire/wire_bytes.h"
#include "ether/ether.h"
#include "fabric/enter.h"
#include "fabric/faults.h"

/* Changes within this time are in one report. */
#define DELAY		msecs_to_jiffies(5)
/* Least time between two reports: users may join and leave groups as often as they like. */
#define GAP		msecs_to_jiffies(100)
/* For so long, a change of the routes may mean that the report of a change was lost. */
#define DOUBT		(10 * HZ)
/* Report again even if nothing changes. */
#define REFRESH		(300 * HZ)
/* Times that a site is asked again for its report; it may have no device. */
#define TRIES		8

/* Between one and two seconds: all devices have the same reason to report again. */
static unsigned long later(void)
{
	return HZ + get_random_u32() % HZ;
}

/* Send what is due in @delay at the latest, but for GAP.  Context: the lock of @r. */
static void schedule_report(struct flitcast_reports *r, unsigned long delay)
{
	unsigned long at = jiffies + delay;

	lockdep_assert_held(&r->lock);
	if (time_before(at, r->sent + GAP))
		at = r->sent + GAP;
	if (!r->soon || time_before(at, r->at)) {
		r->at = at;
		mod_delayed_work(system_unbound_wq, &r->work, at - jiffies);
	}
	r->soon = true;
}

/* A report is due at a site; FC_SITE_NONE: at all. */
static void due(struct flitcast_ether *ether, u32 site, unsigned long delay)
{
	struct flitcast_reports *r = &ether->report;

	spin_lock_bh(&r->lock);
	if (r->open) {
		if (site == FC_SITE_NONE)
			bitmap_fill(r->due, ether->site->cfg.topo.nsites);
		else
			__set_bit(site, r->due);
		schedule_report(r, delay);
	}
	spin_unlock_bh(&r->lock);
}

/* Write a report of the addresses of the device. */
static void put_report(struct flitcast_ether *ether, struct sk_buff *skb, u8 wants)
{
	struct net_device *dev = ether->dev;
	const struct netdev_hw_addr *ha;
	unsigned int n = 0;
	u8 *head = skb->data;

	netif_addr_lock_bh(dev);
	if (dev->flags & IFF_PROMISC)
		wants |= FLITCAST_WANTS_ALL;
	if (dev->flags & IFF_ALLMULTI || netdev_mc_count(dev) > FLITCAST_REPORT_MAX)
		wants |= FLITCAST_WANTS_MULTICAST;
	if (!(wants & (FLITCAST_WANTS_ALL | FLITCAST_WANTS_MULTICAST)))
		netdev_for_each_mc_addr(ha, dev) {
			skb_put_data(skb, ha->addr, ETH_ALEN);
			n++;
		}
	netif_addr_unlock_bh(dev);
	head[0] = wants;
	fc_put16(head + 2, n);
}

/* Queue a report for those of a set of sites that are reachable.  Return: false: not for all. */
static bool queue(struct flitcast_ether *ether, struct sk_buff *skb, const unsigned long *sites)
{
	struct flitcast_site *site = ether->site;
	struct flitcast_dgram dgram = {
		.hash = site->incarnation, .port = FLITCAST_DGRAM_REPORT,
		.queue = FLITCAST_DGRAM_REPORTS,
	};
	u16 *list = flitcast_ether_list(skb, site->cfg.topo.nsites, &dgram);
	struct flitcast_reports *r = &ether->report;
	u64 now = flitcast_site_now(site);
	u32 to;

	for_each_set_bit(to, sites, site->cfg.topo.nsites) {
		bool lost = flitcast_faults_lost(site, to, now) != FC_NEVER;

		__assign_bit(to, r->missed, lost);
		if (!lost && to != site->cfg.id)
			list[dgram.ntargets++] = to;
	}
	if (!dgram.ntargets) {
		consume_skb(skb);
		return true;
	}
	flitcast_dgram_sum(site, skb, &dgram);
	if (!flitcast_ether_queue(ether, skb, &dgram))
		return false;
	atomic_long_inc(&ether->stat[FLITCAST_ETHER_TX_REPORTS]);
	return true;
}

/*
 * Send a report to a set of sites, if it has any; @down: of no address, because the device is down.
 * Return: false: not to all.
 */
static bool send(struct flitcast_ether *ether, const unsigned long *sites, u8 wants, bool down)
{
	u32 room = FLITCAST_LIST_SIZE(ether->site->cfg.topo.nsites);
	struct sk_buff *skb;
	bool sent;

	if (bitmap_empty(sites, ether->site->cfg.topo.nsites))
		return true;
	/* not charged: two at most each 100 ms, from a workqueue */
	skb = alloc_skb(room + FLITCAST_REPORT_SIZE, GFP_KERNEL);
	if (!skb)
		return false;
	skb_reserve(skb, room);
	skb_put_zero(skb, FLITCAST_REPORT_HEAD);
	if (!down)
		put_report(ether, skb, wants);
	flitcast_enter(ether->site);
	sent = queue(ether, skb, sites);
	flitcast_leave(ether->site);
	return sent;
}

/* Send a report to the sites in r->to, and ask those for theirs from which none has come. */
static bool send_and_ask(struct flitcast_ether *ether)
{
	u32 nsites = ether->site->cfg.topo.nsites;
	struct flitcast_reports *r = &ether->report;
	bool sent;

	flitcast_members_missing(&ether->members, r->ask);
	bitmap_and(r->ask, r->ask, r->to, nsites);
	bitmap_andnot(r->to, r->to, r->ask, nsites);
	sent = send(ether, r->ask, FLITCAST_WANTS_REPORTS, false);
	return send(ether, r->to, 0, false) && sent;
}

/* The question or the answer may be lost.  flitcast_report_rerouted() asks unreachable sites. */
static void ask_again(struct flitcast_ether *ether)
{
	u32 nsites = ether->site->cfg.topo.nsites;
	struct flitcast_reports *r = &ether->report;

	bitmap_andnot(r->ask, r->ask, r->missed, nsites);
	spin_lock_bh(&r->lock);
	if (r->open && r->tries < TRIES && !bitmap_empty(r->ask, nsites)) {
		bitmap_or(r->due, r->due, r->ask, nsites);
		schedule_report(r, later() << r->tries);
		r->tries++;
	}
	spin_unlock_bh(&r->lock);
}

static void report_work(struct work_struct *work)
{
	struct flitcast_ether *ether = container_of(to_delayed_work(work), struct flitcast_ether,
						    report.work);
	struct flitcast_reports *r = &ether->report;
	u32 nsites = ether->site->cfg.topo.nsites;
	bool repeat;

	spin_lock_bh(&r->lock);
	if (!r->open) {
		spin_unlock_bh(&r->lock);
		return;
	}
	if (r->soon)
		bitmap_copy(r->to, r->due, nsites);
	else
		bitmap_fill(r->to, nsites);
	bitmap_zero(r->due, nsites);
	repeat = r->repeat;
	r->repeat = false;
	r->soon = false;
	r->sent = jiffies;
	spin_unlock_bh(&r->lock);

	if (!send_and_ask(ether)) {
		spin_lock_bh(&r->lock);
		r->repeat |= repeat;
		spin_unlock_bh(&r->lock);
		repeat = true;
	}
	if (repeat)
		due(ether, FC_SITE_NONE, later());
	ask_again(ether);

	spin_lock_bh(&r->lock);
	if (r->open && !r->soon)
		mod_delayed_work(system_unbound_wq, &r->work, REFRESH + later());
	spin_unlock_bh(&r->lock);
}

int flitcast_report_init(struct flitcast_ether *ether)
{
	unsigned int longs = BITS_TO_LONGS(ether->site->cfg.topo.nsites);
	struct flitcast_reports *r = &ether->report;

	spin_lock_init(&r->lock);
	INIT_DELAYED_WORK(&r->work, report_work);
	r->due = kcalloc(4 * longs, sizeof(long), GFP_KERNEL_ACCOUNT);
	if (!r->due)
		return -ENOMEM;
	r->missed = r->due + longs;
	r->to = r->missed + longs;
	r->ask = r->to + longs;
	r->sent = jiffies - GAP;
	return 0;
}

void flitcast_report_free(struct flitcast_ether *ether)
{
	kfree(ether->report.due);
}

void flitcast_report_changed(struct flitcast_ether *ether)
{
	struct flitcast_reports *r = &ether->report;

	spin_lock_bh(&r->lock);
	r->repeat = true;
	r->changed = jiffies;
	spin_unlock_bh(&r->lock);
	due(ether, FC_SITE_NONE, DELAY);
}

void flitcast_report_rerouted(struct flitcast_ether *ether)
{
	struct flitcast_reports *r = &ether->report;
	struct flitcast_site *site = ether->site;
	u64 now = flitcast_site_now(site);
	unsigned long delay = later();
	bool back = false, doubt;
	u32 to;

	lockdep_assert_held(&site->lock);
	for_each_set_bit(to, r->missed, site->cfg.topo.nsites)
		if (flitcast_faults_lost(site, to, now) == FC_NEVER) {
			due(ether, to, delay);
			back = true;
		}
	spin_lock_bh(&r->lock);
	if (back)
		r->tries = 0;
	doubt = time_before(jiffies, r->changed + DOUBT);
	spin_unlock_bh(&r->lock);
	if (doubt)
		due(ether, FC_SITE_NONE, delay);
}

void flitcast_report_missing(struct flitcast_ether *ether, u32 site)
{
	struct flitcast_reports *r = &ether->report;

	spin_lock_bh(&r->lock);
	r->tries = min(r->tries, TRIES - 3U);
	spin_unlock_bh(&r->lock);
	due(ether, site, later());
}

void flitcast_report_open(struct flitcast_ether *ether)
{
	struct flitcast_reports *r = &ether->report;

	spin_lock_bh(&r->lock);
	r->open = true;
	r->tries = 0;
	spin_unlock_bh(&r->lock);
	flitcast_report_changed(ether);
}

void flitcast_report_stop(struct flitcast_ether *ether)
{
	struct flitcast_reports *r = &ether->report;

	spin_lock_bh(&r->lock);
	r->open = false;
	r->soon = false;
	spin_unlock_bh(&r->lock);
	cancel_delayed_work_sync(&r->work);
	/* If it is lost, the others send multicast frames that the site drops. */
	bitmap_fill(r->to, ether->site->cfg.topo.nsites);
	send(ether, r->to, 0, true);
}

void flitcast_report_receive(struct flitcast_ether *ether, struct sk_buff *skb, u32 site,
			     u32 incarnation, u32 number)
{
	const struct flitcast_member report = { .incarnation = incarnation, .number = number };
	unsigned int n;
	u8 wants;

	if (!pskb_may_pull(skb, FLITCAST_REPORT_HEAD))
		goto malformed;
	wants = skb->data[0];
	n = fc_get16(skb->data + 2);
	if (n > FLITCAST_REPORT_MAX || skb->len != FLITCAST_REPORT_HEAD + n * ETH_ALEN ||
	    !pskb_may_pull(skb, skb->len))
		goto malformed;
	atomic_long_inc(&ether->stat[FLITCAST_ETHER_RX_REPORTS]);
	flitcast_members_set(&ether->members, site, &report, wants,
			     skb->data + FLITCAST_REPORT_HEAD, n);
	if (wants & FLITCAST_WANTS_REPORTS)
		due(ether, site, DELAY);
	consume_skb(skb);
	return;

malformed:
	flitcast_ether_drop(ether, FLITCAST_ETHER_RX_HEADER, skb);
}
