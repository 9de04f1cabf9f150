// SPDX-License-Identifier: GPL-2.0
/*
 * Mode care (CARE, sections 2 and 4): runs core/care/care.h, the state machines of a site.
 *
 *	link --> net-input --> router --> net-output --> link
 *	            |                        ^
 *	            v (blocked, or for this site)
 *	         operator (store.c) --> transit pool --> local net-input (site/feed.c)
 *
 * Each set of channels (bulk, short, high) has net-inputs, a router, net-outputs and a fifo-buffer
 * of its own, so that each is one site in the sense of the paper, and no packet of one set waits
 * for one of another.  Sets share counters, routes, preference lists and the bandwidth of links
 * (core/link/turn.h).
 */
#include <linux/random.h>
#include <linux/slab.h>
#include "drop.h"
#include "core/vnet/aim.h"
#include "core/care/care.h"
#include "fabric/channel.h"
#include "fabric/effects.h"
#include "fabric/enter.h"

/*
 * Limits of active messages per class, of a source and of all sources of a user: packets are to
 * wait at their source rather than in the transit pools of others.
 */
#define CARE_ACTIVE_MAX		8
#define CARE_ACTIVE_USER_MAX	16

/**
 * struct flitcast_care - the state machines of a site
 * @core: state machines, by enum fc_set
 *
 * The site's lock protects it.
 */
struct flitcast_care {
	struct fc_site core[FC_SET_COUNT];
};

static int core_alloc(struct flitcast_site *site, struct fc_site *core)
{
	core->in = kcalloc(site->node.nports, sizeof(*core->in), GFP_KERNEL_ACCOUNT);
	core->out = kcalloc(site->node.nports, sizeof(*core->out), GFP_KERNEL_ACCOUNT);
	if (!core->in || !core->out || flitcast_channel_alloc(site, &core->data, ~0U))
		return -ENOMEM;
	fc_site_init(core, get_random_u64());
	return 0;
}

static int care_alloc(struct flitcast_site *site)
{
	u8 s, p;

	site->care = kzalloc(sizeof(*site->care), GFP_KERNEL_ACCOUNT);
	if (!site->care)
		return -ENOMEM;
	for (s = 0; s < FC_SET_COUNT; s++) {
		struct fc_site *core = &site->care->core[s];

		core->node = &site->node;
		core->set = s;
		core->payload = site->cfg.flit - FC_LINK_SIZE;
		if (core_alloc(site, core))
			return -ENOMEM;
	}
	/* All packets are of one class. */
	site->nclasses = 1;
	for (p = 1; p < site->node.nports; p++)
		site->end[p].classes = 1;
	return 0;
}

static void drop(void *arg, void *h)
{
	flitcast_drop(h, FLITCAST_DROP_DOWN);
}

static void purge(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		fc_site_purge(&site->care->core[s], drop, NULL);
}

static void care_free(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; site->care && s < FC_SET_COUNT; s++) {
		struct fc_site *core = &site->care->core[s];

		flitcast_channel_free(site, &core->data);
		kfree(core->in);
		kfree(core->out);
	}
	kfree(site->care);
}

static void count(struct flitcast_site *site, u8 port, u64 *stat)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		site->care->core[s].data.rx[port].stat = stat;
}

static void delay(const struct flitcast_site *site, u8 port, u64 now, struct fc_delay *d)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		fc_site_delay(&site->care->core[s], port, now, d);
}

/*
 * Process an event in the machines of a set, and perform its effects.  In @ev only @now is changed.
 */
static void event(struct flitcast_site *site, u8 set, struct fc_event *ev)
{
	struct fc_effects *fx = site->todo.effects;
	struct fc_site *core = &site->care->core[set];
	u8 type = ev->type;
	bool more;
	u32 i;

	lockdep_assert_held(&site->lock);
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

static void all(struct flitcast_site *site, struct fc_event *ev)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		event(site, s, ev);
}

static void care_time(struct flitcast_site *site, u64 now)
{
	struct fc_event ev = { .type = FC_EV_TIME };
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		if (fc_site_next_at(&site->care->core[s]) <= now)
			event(site, s, &ev);
}

static u64 next_at(const struct flitcast_site *site)
{
	u64 at = FC_NEVER;
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		at = min(at, fc_site_next_at(&site->care->core[s]));
	return at;
}

static void rerouted(struct flitcast_site *site)
{
	struct fc_event ev = { .type = FC_EV_MORE };
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		fc_site_rerouted(&site->care->core[s]);
	all(site, &ev);
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
	return fc_site_room(&site->care->core[set]);
}

static bool stuck(struct flitcast_site *site, u8 set)
{
	return !room(site, set);
}

static u64 entered(struct flitcast_site *site, u8 set)
{
	return (u64)fc_set_vc(set) << 32 | fc_site_seq(&site->care->core[set]);
}

static u32 taken(struct flitcast_site *site, u8 vc)
{
	return site->care->core[fc_vc_set(vc)].data.rx[FC_PORT_LOCAL].consumed;
}

static void feed(struct flitcast_site *site, u8 set, struct fc_event *ev)
{
	ev->seq = fc_site_seq(&site->care->core[set]);
	event(site, set, ev);
}

/*
 * Packets of the site enter by one net-input, one after the other, whatever links they leave by:
 * one queue serves all.
 */
static bool aim(struct flitcast_site *site, u8 set, const u8 *head, u32 flits, u8 *port)
{
	*port = FC_PORT_LOCAL;
	return true;
}

static void aim_list(struct flitcast_site *site, u8 set, struct fc_aim *aim)
{
	memset(aim->mask, 0, sizeof(aim->mask));
	aim->mask[FC_PORT_LOCAL] = fc_mask_all(aim->n);
	aim->takes = true;
}

const struct flitcast_mode flitcast_mode_care = {
	.active = CARE_ACTIVE_MAX,
	.active_user = CARE_ACTIVE_USER_MAX,
	.window = any_window,
	.window_min = any_window,
	.alloc = care_alloc,
	.free = care_free,
	.purge = purge,
	.count = count,
	.delay = delay,
	.carried = carried,
	.receive = receive,
	.link = all,
	.time = care_time,
	.next_at = next_at,
	.rerouted = rerouted,
	.room = room,
	.stuck = stuck,
	.entered = entered,
	.taken = taken,
	.feed = feed,
	.aim = aim,
	.aim_list = aim_list,
};
