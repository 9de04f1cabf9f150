// SPDX-License-Identifier: GPL-2.0
/*
 * The machines of mode care: runs core/site.h.
 *
 * Each set of channels has net-inputs, a router, net-outputs and a fifo-buffer of its own.  So it
 * is a site of the paper by itself, and no packet of one set waits for one of another: they share
 * counters, routes, preference lists and the bandwidth of links (core/turn.h).  In every mode those
 * of the first set know which links are up and where control frames go.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include "fabric/care.h"
#include "fabric/channel.h"
#include "fabric/effects.h"
#include "fabric/enter.h"

/*
 * Messages of a class that a source, and all sources of a user, may have under way: packets wait at
 * their source rather than in the transit pools of others.
 */
#define CARE_ACTIVE_MAX		8
#define CARE_ACTIVE_USER_MAX	16

/**
 * struct flitcast_care - machines of a site besides those of the first set
 * @core: by enum fc_set, from FC_SET_SHORT on
 *
 * The site's lock protects it.
 */
struct flitcast_care {
	struct fc_site core[FC_SET_COUNT - 1];
};

static struct fc_site *care_core(struct flitcast_site *site, u8 set)
{
	return set == FC_SET_BULK ? &site->core : &site->care->core[set - 1];
}

/* Sets that have machines. */
static u8 sets(const struct flitcast_site *site)
{
	return site->care ? FC_SET_COUNT : 1;
}

int flitcast_care_machines(struct flitcast_site *site, struct fc_site *core, u32 ports)
{
	core->in = kcalloc(core->nports, sizeof(*core->in), GFP_KERNEL_ACCOUNT);
	core->out = kcalloc(core->nports, sizeof(*core->out), GFP_KERNEL_ACCOUNT);
	if (!core->in || !core->out || flitcast_channel_alloc(site, &core->data, ports))
		return -ENOMEM;
	fc_site_init(core, get_random_u64());
	return 0;
}

static int care_alloc(struct flitcast_site *site)
{
	u8 s, p;

	if (flitcast_care_machines(site, &site->core, ~0U))
		return -ENOMEM;
	site->care = kzalloc(sizeof(*site->care), GFP_KERNEL_ACCOUNT);
	if (!site->care)
		return -ENOMEM;
	for (s = FC_SET_BULK + 1; s < FC_SET_COUNT; s++) {
		struct fc_site *core = care_core(site, s);

		core->topo = site->core.topo;
		core->pref = site->core.pref;
		core->timing = site->core.timing;
		core->stat = site->core.stat;
		core->id = site->core.id;
		core->nports = site->core.nports;
		core->set = s;
		if (flitcast_care_machines(site, core, ~0U))
			return -ENOMEM;
	}
	/* All packets are of one class. */
	site->nclasses = 1;
	for (p = 1; p < site->core.nports; p++)
		site->end[p].classes = 1;
	return 0;
}

static void drop(void *arg, void *h)
{
	kfree_skb(h);
}

void flitcast_care_purge(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < sets(site); s++)
		fc_site_purge(care_core(site, s), drop, NULL);
}

void flitcast_care_free(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < sets(site); s++) {
		struct fc_site *core = care_core(site, s);

		flitcast_channel_free(site, &core->data);
		kfree(core->in);
		kfree(core->out);
	}
	kfree(site->care);
}

void flitcast_care_count(struct flitcast_site *site, u8 port, u64 *stat)
{
	u8 s;

	for (s = 0; s < sets(site); s++)
		care_core(site, s)->data.rx[port].stat = stat;
}

/* One event into the machines of a set and its effects performed; sets only the event's time. */
static void event(struct flitcast_site *site, u8 set, struct fc_event *ev)
{
	struct fc_effects *fx = flitcast_effects();
	struct fc_site *core = care_core(site, set);
	u8 type = ev->type;
	bool more;
	u32 i;

	lockdep_assert_held(&site->lock);
	/* Kept for the first set; nobody looks at those of another between its events. */
	core->routes = site->core.routes;
	core->rerouting = site->core.rerouting;
	ev->now = flitcast_site_now(site);
	do {
		more = fc_site_event(core, ev, fx);
		for (i = 0; i < fx->n; i++)
			flitcast_effects_perform(site, set, &fx->fx[i]);
		ev->type = FC_EV_MORE;
	} while (more);
	ev->type = type;
	flitcast_machine_due(site, fc_site_next_at(core));
}

void flitcast_care_all(struct flitcast_site *site, struct fc_event *ev)
{
	u8 s;

	for (s = 0; s < sets(site); s++)
		event(site, s, ev);
}

void flitcast_care_time(struct flitcast_site *site, u64 now)
{
	struct fc_event ev = { .type = FC_EV_TIME };
	u8 s;

	for (s = 0; s < sets(site); s++)
		if (fc_site_next_at(care_core(site, s)) <= now)
			event(site, s, &ev);
}

u64 flitcast_care_next_at(const struct flitcast_site *site)
{
	u64 at = fc_site_next_at(&site->core);
	u8 s;

	for (s = 1; s < sets(site); s++)
		at = min(at, fc_site_next_at(&site->care->core[s - 1]));
	return at;
}

void flitcast_care_rerouted(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < sets(site); s++)
		fc_site_rerouted(care_core(site, s));
}

/* All packets are of one class. */
static u64 carried(const struct flitcast_site *site, u8 port)
{
	return 1;
}

static u32 any_window(u32 flit)
{
	return 0;
}

static void receive(struct flitcast_site *site, u8 vc, struct fc_event *ev)
{
	event(site, fc_vc_set(vc), ev);
}

static bool room(struct flitcast_site *site, u8 set)
{
	return fc_site_room(care_core(site, set));
}

static bool stuck(struct flitcast_site *site, u8 set)
{
	return !room(site, set);
}

static u64 entered(struct flitcast_site *site, u8 set)
{
	return (u64)fc_set_vc(set) << 32 | fc_site_seq(care_core(site, set));
}

static u32 taken(struct flitcast_site *site, u8 vc)
{
	return care_core(site, fc_vc_set(vc))->data.rx[FC_PORT_LOCAL].taken;
}

static void feed(struct flitcast_site *site, u8 set, struct fc_event *ev)
{
	ev->seq = fc_site_seq(care_core(site, set));
	event(site, set, ev);
}

const struct flitcast_mode flitcast_mode_care = {
	.version = 2,
	.preferences = true,
	.active = CARE_ACTIVE_MAX,
	.active_user = CARE_ACTIVE_USER_MAX,
	.window = any_window,
	.window_min = any_window,
	.alloc = care_alloc,
	.carried = carried,
	.receive = receive,
	.room = room,
	.stuck = stuck,
	.entered = entered,
	.taken = taken,
	.feed = feed,
};
