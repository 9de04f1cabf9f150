// SPDX-License-Identifier: GPL-2.0
#include <linux/bitmap.h>
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include "compat.h"
#include "core/wire_bytes.h"
#include "ether/ether.h"
#include "fabric/enter.h"
#include "fabric/faults.h"

/* Changes within this time are in one report; likewise, changes of the routes. */
#define DELAY		msecs_to_jiffies(5)
#define REROUTED	HZ
/* Report again even if nothing changes. */
#define REFRESH		(300 * HZ)
/* For so long, a change of the routes may mean that the report was lost. */
#define DOUBT		(10 * HZ)

#define HEAD_SIZE	4
#define REPORT_SIZE	(HEAD_SIZE + FLITCAST_REPORT_MAX * ETH_ALEN)

/* Send a report, in @delay at the latest; @site: FC_SITE_NONE: to all sites. */
static void due(struct flitcast_ether *ether, u32 site, unsigned long delay)
{
	struct flitcast_reports *r = &ether->report;

	spin_lock_bh(&r->lock);
	if (r->open) {
		if (site == FC_SITE_NONE)
			bitmap_fill(r->due, ether->site->cfg.topo.nsites);
		else
			__set_bit(site, r->due);
		if (!r->soon || time_before(jiffies + delay, r->at)) {
			r->at = jiffies + delay;
			mod_delayed_work(system_wq, &r->work, delay);
		}
		r->soon = true;
	}
	spin_unlock_bh(&r->lock);
}

/* Write a report. */
static void put_report(struct flitcast_ether *ether, struct sk_buff *skb, u8 wants)
{
	struct net_device *dev = ether->dev;
	const struct netdev_hw_addr *ha;
	unsigned int n = 0;
	u8 *head = skb_put_zero(skb, HEAD_SIZE);

	netif_addr_lock_bh(dev);
	if (wants & FLITCAST_WANTS_NONE)
		goto out;
	if (dev->flags & IFF_PROMISC)
		wants |= FLITCAST_WANTS_ALL;
	if (dev->flags & IFF_ALLMULTI || netdev_mc_count(dev) > FLITCAST_REPORT_MAX)
		wants |= FLITCAST_WANTS_MULTICAST;
	if (wants & (FLITCAST_WANTS_ALL | FLITCAST_WANTS_MULTICAST))
		goto out;
	netdev_for_each_mc_addr(ha, dev) {
		skb_put_data(skb, ha->addr, ETH_ALEN);
		n++;
	}
out:
	netif_addr_unlock_bh(dev);
	head[0] = wants;
	fc_put16(head + 2, n);
}

/* Queue a report for those of a set of sites that are reachable.  Return: false: not for all. */
static bool queue(struct flitcast_ether *ether, struct sk_buff *skb, const unsigned long *sites)
{
	struct flitcast_dgram dgram = { .port = FLITCAST_DGRAM_REPORT };
	struct flitcast_reports *r = &ether->report;
	struct flitcast_site *site = ether->site;
	u16 *list = flitcast_ether_list(skb, site->cfg.topo.nsites, &dgram);
	u64 now = flitcast_site_now(site);
	u32 to;

	for_each_set_bit(to, sites, site->cfg.topo.nsites) {
		bool lost = flitcast_faults_lost(site, to, now) != FC_NEVER;

		__assign_bit(to, r->missed, lost);
		if (!lost && to != site->cfg.id)
			list[dgram.ntargets++] = to;
	}
	r->sent = jiffies;
	atomic_long_inc(&ether->stat[FLITCAST_ETHER_TX_REPORTS]);
	return flitcast_ether_queue(ether, skb, &dgram);
}

/* Send a report to a set of sites.  Return: false: not to all. */
static bool send(struct flitcast_ether *ether, const unsigned long *sites, u8 wants)
{
	u32 room = FLITCAST_LIST_SIZE(ether->site->cfg.topo.nsites);
	struct sk_buff *skb;
	bool sent;

	skb = alloc_skb(room + REPORT_SIZE, GFP_KERNEL);
	if (!skb)
		return false;
	skb_reserve(skb, room);
	put_report(ether, skb, wants);
	flitcast_enter(ether->site);
	sent = queue(ether, skb, sites);
	flitcast_leave(ether->site);
	return sent;
}

static void report_work(struct work_struct *work)
{
	struct flitcast_ether *ether = container_of(to_delayed_work(work), struct flitcast_ether,
						    report.work);
	struct flitcast_reports *r = &ether->report;
	u32 nsites = ether->site->cfg.topo.nsites;
	unsigned long *sites = bitmap_alloc(nsites, GFP_KERNEL);
	bool sent = false;
	u8 wants = 0;

	spin_lock_bh(&r->lock);
	if (sites) {
		bitmap_copy(sites, r->due, nsites);
		bitmap_zero(r->due, nsites);
		/* Nothing has changed. */
		if (!r->soon)
			bitmap_fill(sites, nsites);
		if (r->asks)
			wants = FLITCAST_WANTS_REPORTS;
		r->asks = false;
	}
	r->soon = false;
	spin_unlock_bh(&r->lock);

	if (sites)
		sent = send(ether, sites, wants);
	bitmap_free(sites);
	if (!sent) {
		spin_lock_bh(&r->lock);
		r->asks |= wants;
		spin_unlock_bh(&r->lock);
		due(ether, FC_SITE_NONE, REROUTED);
	}

	spin_lock_bh(&r->lock);
	if (r->open && !r->soon)
		mod_delayed_work(system_wq, &r->work, REFRESH);
	spin_unlock_bh(&r->lock);
}

int flitcast_report_init(struct flitcast_ether *ether)
{
	u32 nsites = ether->site->cfg.topo.nsites;
	struct flitcast_reports *r = &ether->report;

	spin_lock_init(&r->lock);
	INIT_DELAYED_WORK(&r->work, report_work);
	r->due = kcalloc(2 * BITS_TO_LONGS(nsites), sizeof(long), GFP_KERNEL_ACCOUNT);
	r->missed = r->due + BITS_TO_LONGS(nsites);
	return r->due ? 0 : -ENOMEM;
}

void flitcast_report_free(struct flitcast_ether *ether)
{
	kfree(ether->report.due);
}

void flitcast_report_changed(struct flitcast_ether *ether)
{
	due(ether, FC_SITE_NONE, DELAY);
}

void flitcast_report_rerouted(struct flitcast_ether *ether)
{
	struct flitcast_reports *r = &ether->report;
	struct flitcast_site *site = ether->site;
	u64 now = flitcast_site_now(site);
	u32 to;

	lockdep_assert_held(&site->lock);
	if (time_before(jiffies, r->sent + DOUBT)) {
		due(ether, FC_SITE_NONE, REROUTED);
		return;
	}
	for_each_set_bit(to, r->missed, site->cfg.topo.nsites)
		if (flitcast_faults_lost(site, to, now) == FC_NEVER)
			due(ether, to, REROUTED);
}

void flitcast_report_open(struct flitcast_ether *ether)
{
	struct flitcast_reports *r = &ether->report;

	spin_lock_bh(&r->lock);
	r->open = true;
	r->asks = true;
	spin_unlock_bh(&r->lock);
	due(ether, FC_SITE_NONE, DELAY);
}

void flitcast_report_stop(struct flitcast_ether *ether)
{
	struct flitcast_reports *r = &ether->report;

	spin_lock_bh(&r->lock);
	r->open = false;
	r->soon = false;
	bitmap_fill(r->due, ether->site->cfg.topo.nsites);
	spin_unlock_bh(&r->lock);
	cancel_delayed_work_sync(&r->work);
	/* Without it, the others send frames that the site drops. */
	send(ether, r->due, FLITCAST_WANTS_NONE);
	bitmap_zero(r->due, ether->site->cfg.topo.nsites);
}

void flitcast_report_receive(struct flitcast_ether *ether, struct sk_buff *skb, u32 site,
			     u32 incarnation, u32 number)
{
	const struct flitcast_member report = { .incarnation = incarnation, .number = number };
	unsigned int n;
	u8 wants;

	if (!pskb_may_pull(skb, HEAD_SIZE))
		goto malformed;
	wants = skb->data[0];
	n = fc_get16(skb->data + 2);
	if (n > FLITCAST_REPORT_MAX || skb->len != HEAD_SIZE + n * ETH_ALEN ||
	    !pskb_may_pull(skb, skb->len))
		goto malformed;
	atomic_long_inc(&ether->stat[FLITCAST_ETHER_RX_REPORTS]);
	flitcast_members_set(&ether->members, site, &report, wants, skb->data + HEAD_SIZE, n);
	if (wants & FLITCAST_WANTS_REPORTS)
		due(ether, site, DELAY);
	consume_skb(skb);
	return;

malformed:
	flitcast_ether_drop(ether, FLITCAST_ETHER_RX_HEADER, skb);
}
