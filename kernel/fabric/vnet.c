// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of modes vnet, postman and csr (Jesshope, Miller and Yantchev 1988, sections 3 and 4):
 * runs core/vnet/vnet.h, as care.c runs core/care/care.h.
 *
 *	                      one switch per set of channels (bulk, short, high)
 *	frame in   --> flitcast_vnet_receive() --+
 *	own packet --> flitcast_vnet_feed()    --+--> event(): fc_vnet_event() decides,
 *	timer      --> flitcast_vnet_time()    --+    flitcast_effects_perform() carries it out
 *
 *	own packet of one flit --> flitcast_vnet_start(): fast path, past the injection queues
 *
 * Own packets enter by an injection queue, a channel of the local port, which has space for a whole
 * packet.  If one event leaves work (FC_EV_MORE), that is noted in site->todo.more and done before
 * the site is left, so that a status that releases a window of flits does not delay others.
 */
#include <linux/slab.h>
#include "drop.h"
#include "core/vnet/vnet_delay.h"
#include "core/vnet/vnet_pass.h"
#include "fabric/channel.h"
#include "fabric/effects.h"
#include "fabric/enter.h"
#include "fabric/fast.h"
#include "fabric/vnet.h"

/* Frames of one event after which the lock is released, see flitcast_vnet_receive(). */
#define RECEIVE_FRAMES	8

/**
 * struct flitcast_vset - the switch of one set of classes
 * @core: the switch: decides, and stores no frames
 * @branch: memory for the branches of all inputs
 * @injq: injection queue of the packet being fed
 */
struct flitcast_vset {
	struct fc_vnet core;
	struct fc_vbranch *branch;
	u8 injq;
};

/**
 * struct flitcast_vnet - the switches of a site, one per set, independent of each other
 * @classes: classes of channels of the topology, the same in each set
 * @next_hop: routing table of @classes, if the topology needs one; else NULL
 * @straight: in mode postman, eager output of each input; else NULL
 * @set: switches, by enum fc_set
 *
 * The site's lock protects it.
 */
struct flitcast_vnet {
	struct fc_vclass classes;
	void *next_hop;
	struct fc_straight *straight;
	struct flitcast_vset set[];
};

static void set_free(struct flitcast_site *site, struct flitcast_vset *set)
{
	u8 c;

	for (c = 0; set->core.ch && c < set->core.nclasses; c++)
		flitcast_channel_free(site, &set->core.ch[c]);
	kfree(set->core.ch);
	kvfree(set->core.in);
	kvfree(set->core.out);
	kvfree(set->branch);
	kfree(set->core.cache);
}

static void vnet_free(struct flitcast_site *site, struct flitcast_vnet *v)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		set_free(site, &v->set[s]);
	kvfree(v->straight);
	kvfree(v->next_hop);
	kfree(v);
}

void flitcast_vnet_free(struct flitcast_site *site)
{
	if (site->vnet)
		vnet_free(site, site->vnet);
}

/*
 * Return: bit mask of the ports by which packets of a class may arrive; for the classes of
 * injection queues that includes the local port.
 */
static u32 ports_of(const struct flitcast_site *site, u8 class)
{
	u32 ports = class < FC_VNET_INJQS ? fc_bit(FC_PORT_LOCAL) : 0;
	u8 p;

	for (p = 1; p < site->node.nports; p++)
		if (site->end[p].classes & fc_bit64(class))
			ports |= fc_bit(p);
	return ports;
}

/* Find the classes that each link may bring, from the position of the neighbour. */
static void find_classes(struct flitcast_site *site, const struct flitcast_vnet *v)
{
	const struct fc_topo *topo = &site->cfg.topo;
	u8 p;

	for (p = 1; p < site->node.nports; p++) {
		u32 peer = fc_topo_neighbour(topo, site->cfg.id, p - 1);

		if (peer != FC_SITE_NONE)
			site->end[p].classes =
				fc_vclass_carried(&v->classes, peer,
						  topo->ops->arrival(topo, site->cfg.id, p - 1));
	}
}

static bool alloc_inputs(struct flitcast_site *site, struct flitcast_vset *v)
{
	u32 inputs = (u32)v->core.nclasses * v->core.nports, used = 0;
	u8 each = fc_vnet_branches(site->cfg.topo.ndirs), c, p;
	struct fc_vbranch *branch;

	for (c = 0; c < v->core.nclasses; c++)
		used += hweight32(ports_of(site, c));
	v->core.in = kvcalloc(inputs, sizeof(*v->core.in), GFP_KERNEL_ACCOUNT);
	v->core.out = kvcalloc(inputs, sizeof(*v->core.out), GFP_KERNEL_ACCOUNT);
	branch = kvcalloc((size_t)used * each, sizeof(*branch), GFP_KERNEL_ACCOUNT);
	v->branch = branch;
	if (!v->core.in || !v->core.out || !branch)
		return false;
	for (c = 0; c < v->core.nclasses; c++) {
		u32 ports = ports_of(site, c);

		for (p = 0; p < v->core.nports; p++) {
			if (!(ports & fc_bit(p)))
				continue;
			v->core.in[(u32)c * v->core.nports + p].branch = branch;
			branch += each;
		}
	}
	return true;
}

static bool alloc_channels(struct flitcast_site *site, struct flitcast_vset *v)
{
	u8 c;

	v->core.ch = kcalloc(v->core.nclasses, sizeof(*v->core.ch), GFP_KERNEL_ACCOUNT);
	if (!v->core.ch)
		return false;
	for (c = 0; c < v->core.nclasses; c++)
		if (flitcast_channel_alloc(site, &v->core.ch[c], ports_of(site, c)))
			return false;
	return true;
}

static bool alloc_next_hops(struct flitcast_site *site, struct flitcast_vnet *v)
{
	size_t room = fc_vclass_room(&v->classes, site->cfg.id);

	if (!room)
		return true;
	v->next_hop = kvmalloc(room, GFP_KERNEL_ACCOUNT);
	if (!v->next_hop)
		return false;
	fc_vclass_fill(&v->classes, site->cfg.id, v->next_hop);
	return true;
}

static bool alloc_cache(struct flitcast_vset *v)
{
	v->core.cache = kmalloc(fc_vroute_cache_size(v->core.nclasses), GFP_KERNEL_ACCOUNT);
	return v->core.cache;
}

static bool alloc_straight(struct flitcast_site *site, struct flitcast_vnet *v)
{
	if (!fc_mode_ops(site->cfg.mode)->eager)
		return true;
	v->straight = kvcalloc((size_t)v->classes.count * site->node.nports, sizeof(*v->straight),
			       GFP_KERNEL_ACCOUNT);
	if (!v->straight)
		return false;
	fc_postman_fill(&v->classes, site->cfg.id, site->node.nports, v->straight);
	return true;
}

static bool alloc_set(struct flitcast_site *site, struct flitcast_vnet *v, u8 number)
{
	struct flitcast_vset *set = &v->set[number];

	set->core.classes = &v->classes;
	set->core.node = &site->node;
	set->core.straight = v->straight;
	set->core.payload = site->cfg.flit - FC_LINK_SIZE;
	set->core.nports = site->node.nports;
	set->core.nclasses = v->classes.count;
	set->core.set = number;
	if (!alloc_inputs(site, set) || !alloc_channels(site, set) || !alloc_cache(set))
		return false;
	fc_vnet_init(&set->core);
	return true;
}

int flitcast_vnet_alloc(struct flitcast_site *site)
{
	const struct fc_topo *topo = &site->cfg.topo;
	struct flitcast_vnet *v;
	bool good;
	u8 s;

	v = kzalloc(struct_size(v, set, FC_SET_COUNT), GFP_KERNEL_ACCOUNT);
	if (!v)
		return -ENOMEM;
	/* flitcast_vnet_check() has accepted the topology. */
	if (WARN_ON_ONCE(fc_vclass_init(&v->classes, topo))) {
		kfree(v);
		return -EINVAL;
	}
	find_classes(site, v);
	good = alloc_next_hops(site, v) && alloc_straight(site, v);
	for (s = 0; good && s < FC_SET_COUNT; s++)
		good = alloc_set(site, v, s);
	if (!good) {
		vnet_free(site, v);
		return -ENOMEM;
	}
	site->vnet = v;
	site->nclasses = v->classes.count;
	for (s = 0; s < FC_SET_COUNT && site->cfg.mode == FC_MODE_VNET; s++)
		site->hops[s] = &v->set[s].core;
	return 0;
}

struct fc_vnet *flitcast_vnet_core(struct flitcast_site *site, u8 set)
{
	return &site->vnet->set[set].core;
}

static void drop(void *arg, void *h)
{
	flitcast_drop(h, FLITCAST_DROP_DOWN);
}

void flitcast_vnet_purge(struct flitcast_site *site)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		fc_vnet_purge(&site->vnet->set[s].core, drop, NULL);
}

u64 flitcast_vnet_carried(const struct flitcast_site *site, u8 port)
{
	return fc_vclass_carried(&site->vnet->classes, site->cfg.id, port - 1);
}

/* Process one event.  Return: true if there is more to do (FC_EV_MORE). */
static bool event(struct flitcast_site *site, u8 vc, struct fc_event *ev)
{
	struct fc_vnet *core = &site->vnet->set[fc_vc_set(vc)].core;
	struct fc_effects *fx = site->todo.effects;
	bool more;
	u32 i;

	lockdep_assert_held(&site->lock);
	ev->now = flitcast_site_now(site);
	core->stepwise = !flitcast_fast();
	more = fc_vnet_event(core, fc_vc_class(vc), ev, fx);
	for (i = 0; i < fx->n; i++)
		flitcast_effects_perform(site, core->set, &fx->fx[i]);
	flitcast_machine_due(site, core->next_at);
	return more;
}

void flitcast_vnet_event(struct flitcast_site *site, u8 vc, struct fc_event *ev)
{
	u8 type = ev->type;

	while (event(site, vc, ev))
		ev->type = FC_EV_MORE;
	ev->type = type;
}

void flitcast_vnet_receive(struct flitcast_site *site, u8 vc, struct fc_event *ev)
{
	u32 frames = site->out.frames;

	/* Many frames leave before the site is fed, which may queue as many again. */
	if (event(site, vc, ev) || site->out.frames - frames > RECEIVE_FRAMES)
		site->todo.more |= fc_bit(fc_vc_set(vc));
}

void flitcast_vnet_more(struct flitcast_site *site)
{
	struct fc_event ev = { .type = FC_EV_MORE };
	u8 set = fc_low(site->todo.more);

	site->todo.more &= ~fc_bit(set);
	flitcast_vnet_receive(site, fc_set_vc(set), &ev);
}

void flitcast_vnet_all(struct flitcast_site *site, struct fc_event *ev)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		flitcast_vnet_event(site, fc_set_vc(s), ev);
}

void flitcast_vnet_time(struct flitcast_site *site, u64 now)
{
	struct fc_event ev = { .type = FC_EV_TIME };

	flitcast_vnet_all(site, &ev);
}

u64 flitcast_vnet_next_at(const struct flitcast_site *site)
{
	u64 at = FC_NEVER;
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		at = min(at, site->vnet->set[s].core.next_at);
	return at;
}

void flitcast_vnet_count(struct flitcast_site *site, u8 port, u64 *stat)
{
	u8 c, s;

	for (s = 0; s < FC_SET_COUNT; s++)
		for (c = 0; c < site->nclasses; c++)
			site->vnet->set[s].core.ch[c].rx[port].stat = stat;
}

void flitcast_vnet_delay(const struct flitcast_site *site, u8 port, u64 now, struct fc_delay *d)
{
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		fc_vnet_delay(&site->vnet->set[s].core, port, now, d);
}

const struct fc_vclass *flitcast_vnet_classes(const struct flitcast_site *site)
{
	return &site->vnet->classes;
}

void flitcast_vnet_rerouted(struct flitcast_site *site)
{
	struct fc_event ev = { .type = FC_EV_MORE };
	u8 s;

	for (s = 0; s < FC_SET_COUNT; s++)
		fc_vnet_rerouted(&site->vnet->set[s].core);
	flitcast_vnet_all(site, &ev);
}

bool flitcast_vnet_room(struct flitcast_site *site, u8 set)
{
	/*
	 * Choose an injection queue with space for a whole packet; all flits of the packet use it.
	 */
	int injq = fc_vnet_injq(&site->vnet->set[set].core);

	if (injq < 0)
		return false;
	site->vnet->set[set].injq = injq;
	return true;
}

u64 flitcast_vnet_entered(struct flitcast_site *site, u8 set)
{
	const struct flitcast_vset *v = &site->vnet->set[set];

	return (u64)(fc_set_vc(set) + v->injq) << 32 | fc_vnet_seq(&v->core, v->injq);
}

u32 flitcast_vnet_taken(struct flitcast_site *site, u8 vc)
{
	const struct fc_vnet *core = &site->vnet->set[fc_vc_set(vc)].core;

	return core->ch[fc_vc_class(vc)].rx[FC_PORT_LOCAL].consumed;
}

bool flitcast_vnet_stuck(struct flitcast_site *site, u8 set)
{
	return fc_vnet_injq(&site->vnet->set[set].core) < 0;
}

void flitcast_vnet_feed(struct flitcast_site *site, u8 set, struct fc_event *ev)
{
	const struct flitcast_vset *v = &site->vnet->set[set];

	ev->seq = fc_vnet_seq(&v->core, v->injq);
	flitcast_vnet_event(site, fc_set_vc(set) + v->injq, ev);
}

bool flitcast_vnet_start(struct flitcast_site *site, u8 set, struct sk_buff *skb)
{
	struct fc_vnet *core = &site->vnet->set[set].core;
	struct fc_vhop hop = {
		.head = skb->data, .port = FC_PORT_LOCAL,
	};
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .flags = FC_PART_HEAD | FC_PART_TERM,
	};
	enum fc_hop verdict;

	if (site->cfg.mode != FC_MODE_VNET || site->todo.resets)
		return false;
	verdict = fc_vnet_start(core, &hop);
	if (verdict == FC_HOP_NOT)
		return false;
	if (verdict == FC_HOP_WHEN) {
		hop.now = flitcast_site_now(site);
		/* The flit just sent carries the ack, so that the switch has none to send. */
		WARN_ON_ONCE(fc_vnet_hop_timed(core, &hop) == FC_HOP_MORE);
		flitcast_machine_due(site, core->next_at);
	}
	hdr.vc = fc_set_vc(set) + hop.out_class;
	hdr.seq = hop.seq;
	hdr.ack = hop.ack;
	flitcast_output_flit(site, hop.out_port, skb, &hdr);
	return true;
}

bool flitcast_vnet_aim(struct flitcast_site *site, u8 set, const u8 *head, u32 flits, u8 *port)
{
	return fc_vnet_aim(&site->vnet->set[set].core, head, flits, port);
}

void flitcast_vnet_aim_list(struct flitcast_site *site, u8 set, struct fc_aim *aim)
{
	fc_vnet_aim_list(&site->vnet->set[set].core, aim);
}

const char *flitcast_vnet_check(const struct flitcast_site_config *cfg)
{
	struct fc_vclass classes;
	const char *wrong = fc_vclass_init(&classes, &cfg->topo);

	if (wrong || flitcast_vnet_window(flitcast_site_frame(cfg)))
		return wrong;
	wrong = KBUILD_MODNAME ": mode vnet needs flits of 1061 bytes or more";
	if (cfg->key)
		wrong = KBUILD_MODNAME ": mode vnet needs flits of 1073 bytes or more with a key";
	return wrong;
}

u32 flitcast_vnet_window(u32 flit)
{
	return flit > FC_LINK_SIZE ? fc_vnet_window(flit - FC_LINK_SIZE) : 0;
}

u32 flitcast_vnet_window_min(u32 flit)
{
	return fc_vnet_flits(flit - FC_LINK_SIZE);
}

const struct flitcast_mode flitcast_mode_vnet = {
	.past_injqs = true,
	.at_once = true,
	FLITCAST_VNET_MODE,
	.alloc = flitcast_vnet_alloc,
	.free = flitcast_vnet_free,
	.link = flitcast_vnet_all,
	.time = flitcast_vnet_time,
};

const struct flitcast_mode flitcast_mode_postman = {
	.at_once = true,
	FLITCAST_VNET_MODE,
	.alloc = flitcast_vnet_alloc,
	.free = flitcast_vnet_free,
	.link = flitcast_vnet_all,
	.time = flitcast_vnet_time,
};
