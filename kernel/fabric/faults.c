// SPDX-License-Identifier: GPL-2.0
/*
 * Dead and suspected links: receives and sends fault frames (core/faults/faults.h), and computes
 * routes around them (core/faults/routes.h) in a work item, without the site's lock.
 *
 *	link down, or fault frame --> reroute() --> work item: compute()
 *	                                              install(): routes in use, unreachable sites
 *	                                              divert(): packets leave suspected links
 *	                                              rerouted(): route waiting packets again
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include "core/faults/faults.h"
#include "core/faults/routes.h"
#include "fabric/effects.h"
#include "fabric/enter.h"
#include "fabric/faults.h"

/*
 * Minimum interval between two computations; REST_FACTOR times the processor time of the last one,
 * if longer.
 */
#define REST_NS		(20 * NSEC_PER_MSEC)
#define REST_FACTOR	4

/**
 * struct flitcast_faults - dead links known to a site, and its routes
 * @site: the site
 * @core: the known dead and suspected links
 * @asked: generation of @core for which routes are computed, or being computed
 * @next: result of fc_faults_next()
 * @down: by site, bit mask of dead ports, as used for the routes
 * @suspect: by site, bit mask of suspected ports, likewise
 * @avoided: ports whose link was suspected when the routes in use were computed
 * @doubtful: ports to neighbours that others suspected when the routes being computed began
 * @work: scratch memory of fc_routes_compute()
 * @routes: routes in use, and routes being computed
 * @use: index of the routes in use
 * @lost: by site, since when it is unreachable, in units of 2^20 ns; 0: it is reachable
 * @nlost: number of unreachable sites
 * @rest_until: earliest start of the next computation
 * @compute: computes routes
 *
 * Protected by the site's lock, except @down, @suspect, @work and the routes being computed: only
 * @compute uses these, and only one instance of it runs.  The arrays have one word for each site of
 * the topology, and are allocated in one block with the entries of @core.
 */
struct flitcast_faults {
	struct flitcast_site *site;
	struct fc_faults core;
	u32 asked;
	u64 next;
	u32 *down;
	u32 *suspect;
	u32 avoided;
	u32 doubtful;
	u32 *work;
	u32 *routes[2];
	u8 use;
	u32 *lost;
	u32 nlost;
	u64 rest_until;
	struct delayed_work compute;
};

static u32 stamp(u64 now)
{
	return (u32)(now >> 20) | 1;
}

u64 flitcast_faults_lost(const struct flitcast_site *site, u32 dst, u64 now)
{
	const struct flitcast_faults *f = site->faults;

	if (!f->nlost || !f->lost[dst])
		return FC_NEVER;
	return now - ((u64)(stamp(now) - f->lost[dst]) << 20);
}

bool flitcast_faults_any_lost(const struct flitcast_site *site)
{
	return site->faults->nlost;
}

/* Routes have changed: route waiting packets, and retransmit messages to sites now reachable. */
static void rerouted(struct flitcast_site *site)
{
	site->mode->rerouted(site);
	site->todo.up.pending |= FLITCAST_UP_REROUTED;
}

/*
 * Until the routes in use take account of them, packets avoid links that are suspected.  Where they
 * can, they also avoid a neighbour that may be dead, because another site suspects its link to it:
 * an answer to a packet that has just left a dead site's links would wait there for a suspicion of
 * its own.
 */
static void update_avoid(struct flitcast_faults *f)
{
	f->site->node.avoid = fc_faults_suspects(&f->core) & ~f->avoided;
	f->site->node.doubtful = f->core.doubtful | f->doubtful;
}

/* The known dead links have changed: compute new routes. */
static void reroute(struct flitcast_faults *f)
{
	struct flitcast_site *site = f->site;
	u64 now = flitcast_now();

	if (f->asked == f->core.generation)
		return;
	f->asked = f->core.generation;
	if (!fc_faults_any(&f->core)) {
		f->avoided = 0;
		f->core.doubtful = 0;
		f->doubtful = 0;
		update_avoid(f);
		flitcast_copies_end(site, ~(u32)0);
		site->node.routes = NULL;
		site->node.rerouting = false;
		f->nlost = 0;
		rerouted(site);
		return;
	}
	update_avoid(f);
	/* Packets will take links that may be idle, and silent, too: all are tested at once. */
	site->ctrl.tests |= site->node.up & ~fc_bit(FC_PORT_LOCAL);
	site->node.rerouting = true;
	queue_delayed_work(system_unbound_wq, &f->compute, now >= f->rest_until ? 0 :
			   nsecs_to_jiffies(f->rest_until - now) + 1);
}

/*
 * The routes avoid the links of @suspects now, where others exist: packets leave those that are
 * new.
 */
static void divert(struct flitcast_faults *f, u32 suspects)
{
	struct flitcast_site *site = f->site;
	u32 ports = suspects & ~f->avoided;

	f->avoided = suspects;
	f->doubtful = 0;
	update_avoid(f);
	flitcast_copies_end(site, ~suspects);
	for (; ports; ports &= ports - 1) {
		struct fc_event ev = { .type = FC_EV_SUSPECT, .port = fc_low(ports) };

		site->mode->link(site, &ev);
	}
}

/* Use the computed routes, and record since when sites are unreachable. */
static void install(struct flitcast_faults *f, u32 suspects)
{
	struct flitcast_site *site = f->site;
	bool first = !site->node.routes;
	u32 at = stamp(flitcast_now()), dst;

	f->use ^= 1;
	f->nlost = 0;
	for (dst = 0; dst < site->cfg.topo.nsites; dst++) {
		if (f->routes[f->use][dst] || dst == site->cfg.id)
			f->lost[dst] = 0;
		else if (first || !f->lost[dst])
			f->lost[dst] = at;
		f->nlost += !!f->lost[dst];
	}
	site->node.routes = f->routes[f->use];
	divert(f, suspects);
	rerouted(site);
}

/*
 * Processor time of this task, up to its last tick.  The clock would count the time in which others
 * preempted a computation, and delay the next one by a multiple of that on a busy host.
 */
static u64 processor_time(void)
{
	return current->se.sum_exec_runtime;
}

static void compute(struct work_struct *work)
{
	struct flitcast_faults *f = container_of(to_delayed_work(work), struct flitcast_faults,
						 compute);
	struct flitcast_site *site = f->site;
	u64 began = processor_time(), now;
	u32 generation, suspects;

	flitcast_enter(site);
	generation = f->core.generation;
	suspects = fc_faults_suspects(&f->core);
	f->doubtful = f->core.doubtful;
	f->core.doubtful = 0;
	fc_faults_down(&f->core, f->down, f->suspect);
	flitcast_leave(site);

	fc_routes_compute(&site->cfg.topo, site->cfg.id, f->down, f->suspect,
			  f->routes[!f->use], f->work);

	flitcast_enter(site);
	now = flitcast_now();
	f->rest_until = now + max_t(u64, REST_NS, REST_FACTOR * (processor_time() - began));
	/* Discard the routes if no link is dead any more, or the site is. */
	if (!site->dead && fc_faults_any(&f->core)) {
		site->stat[FC_STAT_REROUTED]++;
		site->node.rerouting = generation != f->core.generation;
		/* reroute() may have queued the work already. */
		if (site->node.rerouting)
			queue_delayed_work(system_unbound_wq, &f->compute,
					   nsecs_to_jiffies(f->rest_until - now) + 1);
		install(f, suspects);
	}
	flitcast_leave(site);
}

int flitcast_faults_alloc(struct flitcast_site *site)
{
	struct flitcast_faults *f = kzalloc(sizeof(*f), GFP_KERNEL_ACCOUNT);
	u32 n = site->cfg.topo.nsites;
	u32 *words;

	if (!f)
		return -ENOMEM;
	f->core.known = kvcalloc(n, sizeof(*f->core.known) + 8 * sizeof(*words),
				 GFP_KERNEL_ACCOUNT);
	if (!f->core.known) {
		kfree(f);
		return -ENOMEM;
	}
	words = (u32 *)(f->core.known + n);
	f->down = words;
	f->work = words + n;
	f->routes[0] = words + 4 * n;
	f->routes[1] = words + 5 * n;
	f->lost = words + 6 * n;
	f->suspect = words + 7 * n;
	f->site = site;
	f->next = FC_NEVER;
	f->core.topo = &site->cfg.topo;
	f->core.id = site->cfg.id;
	f->core.incarnation = site->incarnation;
	f->core.interval = FLITCAST_DIGEST_NS;
	f->core.spacing = FLITCAST_FAULTS_NS;
	INIT_DELAYED_WORK(&f->compute, compute);
	fc_faults_init(&f->core);
	/* No link is up yet: flitcast_faults_begin() computes the first routes. */
	f->asked = f->core.generation - 1;
	site->faults = f;
	return 0;
}

void flitcast_faults_begin(struct flitcast_site *site)
{
	flitcast_enter(site);
	reroute(site->faults);
	flitcast_leave(site);
}

void flitcast_faults_stop(struct flitcast_site *site)
{
	cancel_delayed_work_sync(&site->faults->compute);
}

void flitcast_faults_free(struct flitcast_site *site)
{
	if (!site->faults)
		return;
	kvfree(site->faults->core.known);
	kfree(site->faults);
}

bool flitcast_site_fault(struct flitcast_site *site, struct fc_fault *fault)
{
	const struct fc_faults *f = &site->faults->core;
	u32 nsites = site->cfg.topo.nsites;

	spin_lock_bh(&site->lock);
	for (; fault->site < nsites; fault->site++) {
		const struct fc_known *k = &f->known[fault->site];

		/* The site may know of dead links of its own that it has not announced yet. */
		fault->ports = fault->site == f->id ? f->links & ~f->up : k->ports;
		fault->suspect = fault->site == f->id ? f->suspect : k->suspect;
		fault->incarnation = fault->site == f->id ? f->incarnation : k->incarnation;
		fault->version = k->version;
		if (fault->ports | fault->suspect)
			break;
	}
	spin_unlock_bh(&site->lock);
	return fault->site < nsites;
}

void flitcast_faults_link(struct flitcast_site *site, u8 port, bool up)
{
	struct flitcast_faults *f = site->faults;

	if (site->dead)
		return;
	fc_faults_link(&f->core, port, up, flitcast_now());
	site->clock.faults_news = true;
	reroute(f);
}

void flitcast_faults_suspect(struct flitcast_site *site, u8 port, bool suspect)
{
	struct flitcast_faults *f = site->faults;

	if (site->dead)
		return;
	fc_faults_suspect(&f->core, port, suspect, flitcast_now());
	site->clock.faults_news = true;
	reroute(f);
}

bool flitcast_faults_in(struct flitcast_site *site, u8 port, struct sk_buff *skb)
{
	struct flitcast_faults *f = site->faults;
	u32 limited = f->core.limited;
	struct fc_faults_msg msg;

	if (!pskb_may_pull(skb, skb->len) || !fc_wire_faults_decode(&msg, skb->data, skb->len) ||
	    !fc_faults_received(&f->core, port, &msg, flitcast_now()))
		return false;
	site->end[port].link->stat[FC_LSTAT_RX_LIMITED] += f->core.limited - limited;
	/* Usually the digests are equal, and there is nothing to send. */
	if (fc_faults_next(&f->core) < f->next)
		site->clock.faults_news = true;
	reroute(f);
	return true;
}

bool flitcast_faults_due(const struct flitcast_site *site, u64 now)
{
	return site->faults->next <= now;
}

void flitcast_faults_time(struct flitcast_site *site, u64 now, bool early)
{
	if (early)
		fc_faults_early(&site->faults->core, now);
	if (early || flitcast_faults_due(site, now))
		site->clock.faults_news = true;
}

u64 flitcast_faults_next_at(const struct flitcast_site *site)
{
	/* With updates pending, flitcast_faults_send() computes it. */
	return site->clock.faults_news ? FC_NEVER : site->faults->next;
}

void flitcast_faults_send(struct flitcast_site *site)
{
	struct flitcast_faults *f = site->faults;
	u64 now = flitcast_site_now(site);
	struct fc_faults_msg msg;
	u8 p;

	site->clock.faults_news = false;
	fc_faults_time(&f->core, now);
	for (p = 1; p < site->node.nports; p++)
		while (f->core.up & fc_bit(p) && fc_faults_frame(&f->core, p, &msg, now))
			flitcast_output_faults(site, p, &msg);
	f->next = fc_faults_next(&f->core);
	flitcast_machine_due(site, f->next);
}
