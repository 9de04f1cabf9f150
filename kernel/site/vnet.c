// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: runs core/vnet.h as engine.c runs the rest of the core.
 */
#include <linux/slab.h>
#include "core/vnet.h"
#include "site/impl.h"

/**
 * struct flitcast_vnet - the switch of a site
 * @core: what decides
 * @classes: of the topology
 * @way: their table, where the topology needs one
 * @branch: of all inputs
 * @straight: ways straight on, in mode postman
 * @lane: that the packet being fed goes to
 *
 * The site's lock protects it.
 */
struct flitcast_vnet {
	struct fc_vnet core;
	struct fc_vclass classes;
	void *way;
	struct fc_vbranch *branch;
	struct fc_straight *straight;
	u8 lane;
};

static void vnet_free(struct flitcast_site *site, struct flitcast_vnet *v)
{
	u8 c;

	for (c = 0; v->core.ch && c < v->core.nclasses; c++)
		flitcast_channel_free(site, &v->core.ch[c]);
	kfree(v->core.ch);
	kvfree(v->core.in);
	kvfree(v->core.out);
	kvfree(v->branch);
	kvfree(v->straight);
	kfree(v->core.memo);
	kvfree(v->way);
	kfree(v);
}

void flitcast_vnet_free(struct flitcast_site *site)
{
	flitcast_csr_free(site);
	if (site->vnet)
		vnet_free(site, site->vnet);
}

/* Ports of this site at which anything ever comes in by a class; of itself in the lanes. */
static u32 ports_of(const struct flitcast_site *site, u8 class)
{
	u32 ports = class < FC_VNET_LANES ? fc_bit(FC_PORT_LOCAL) : 0;
	u8 p;

	for (p = 1; p < site->core.nports; p++)
		if (site->end[p].classes & fc_bit64(class))
			ports |= fc_bit(p);
	return ports;
}

/* Which classes the links bring, by what the neighbours may send. */
static void find_classes(struct flitcast_site *site, const struct flitcast_vnet *v)
{
	const struct fc_topo *topo = &site->cfg.topo;
	u8 p;

	for (p = 1; p < site->core.nports; p++) {
		u32 peer = fc_topo_neighbour(topo, site->cfg.id, p - 1);

		if (peer != FC_SITE_NONE)
			site->end[p].classes =
				fc_vclass_carried(&v->classes, peer,
						  topo->ops->arrival(topo, site->cfg.id, p - 1));
	}
}

static bool alloc_inputs(struct flitcast_site *site, struct flitcast_vnet *v)
{
	u32 inputs = (u32)v->core.nclasses * v->core.nports, used = 0;
	u8 each = fc_vnet_branches(site->cfg.topo.ndirs), c, p;
	struct fc_vbranch *branch;

	for (c = 0; c < v->core.nclasses; c++)
		used += hweight32(ports_of(site, c));
	v->core.in = kvcalloc(inputs, sizeof(*v->core.in), GFP_KERNEL);
	v->core.out = kvcalloc(inputs, sizeof(*v->core.out), GFP_KERNEL);
	branch = kvcalloc((size_t)used * each, sizeof(*branch), GFP_KERNEL);
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

static bool alloc_channels(struct flitcast_site *site, struct flitcast_vnet *v)
{
	u8 c;

	v->core.ch = kcalloc(v->core.nclasses, sizeof(*v->core.ch), GFP_KERNEL);
	if (!v->core.ch)
		return false;
	for (c = 0; c < v->core.nclasses; c++)
		if (flitcast_channel_alloc(site, &v->core.ch[c], ports_of(site, c)))
			return false;
	return true;
}

static bool alloc_ways(struct flitcast_site *site, struct flitcast_vnet *v)
{
	size_t room = fc_vclass_room(&v->classes, site->cfg.id);

	if (!room)
		return true;
	v->way = kvmalloc(room, GFP_KERNEL);
	if (!v->way)
		return false;
	fc_vclass_fill(&v->classes, site->cfg.id, v->way);
	return true;
}

static bool alloc_memo(struct flitcast_vnet *v)
{
	v->core.memo = kmalloc(fc_vmemo_room(v->core.nclasses), GFP_KERNEL);
	return v->core.memo;
}

static bool alloc_straight(struct flitcast_site *site, struct flitcast_vnet *v)
{
	if (site->cfg.mode != FC_MODE_POSTMAN)
		return true;
	v->straight = kvcalloc((size_t)v->core.nclasses * v->core.nports, sizeof(*v->straight),
			       GFP_KERNEL);
	if (!v->straight)
		return false;
	fc_postman_fill(&v->classes, site->cfg.id, v->core.nports, v->straight);
	v->core.straight = v->straight;
	return true;
}

int flitcast_vnet_alloc(struct flitcast_site *site)
{
	struct flitcast_vnet *v = kzalloc(sizeof(*v), GFP_KERNEL);
	const struct fc_topo *topo = &site->cfg.topo;

	if (!v)
		return -ENOMEM;
	/* The configuration was checked: there are classes. */
	if (WARN_ON_ONCE(fc_vclass_init(&v->classes, topo))) {
		kfree(v);
		return -EINVAL;
	}
	v->core.classes = &v->classes;
	v->core.site = &site->core;
	v->core.payload = site->cfg.flit - FC_LINK_SIZE;
	v->core.nports = site->core.nports;
	v->core.nclasses = v->classes.count;
	find_classes(site, v);
	if (!alloc_ways(site, v) || !alloc_inputs(site, v) || !alloc_channels(site, v) ||
	    !alloc_straight(site, v) || !alloc_memo(v)) {
		vnet_free(site, v);
		return -ENOMEM;
	}
	fc_vnet_init(&v->core);
	site->vnet = v;
	if (site->cfg.mode == FC_MODE_VNET)
		site->hops = &v->core;
	return site->cfg.mode == FC_MODE_CSR ? flitcast_csr_alloc(site, &v->core) : 0;
}

static void drop(void *arg, void *h)
{
	kfree_skb(h);
}

void flitcast_vnet_purge(struct flitcast_site *site)
{
	if (site->vnet)
		fc_vnet_purge(&site->vnet->core, drop, NULL);
}

u8 flitcast_vnet_classes(const struct flitcast_site *site)
{
	return site->vnet ? site->vnet->core.nclasses : 0;
}

const struct fc_vclass *flitcast_vnet_vclass(const struct flitcast_site *site)
{
	return &site->vnet->classes;
}

void flitcast_vnet_event(struct flitcast_site *site, u8 class, struct fc_event *ev)
{
	struct fc_effects *fx = flitcast_engine_effects();
	u8 type = ev->type;
	bool more;
	u32 i;

	lockdep_assert_held(&site->lock);
	ev->now = flitcast_site_now(site);
	do {
		more = fc_vnet_event(&site->vnet->core, class, ev, fx);
		for (i = 0; i < fx->n; i++)
			flitcast_engine_perform(site, &fx->fx[i]);
		ev->type = FC_EV_MORE;
	} while (more);
	ev->type = type;
}

u64 flitcast_vnet_next_at(const struct flitcast_site *site)
{
	return site->vnet ? site->vnet->core.next_at : FC_NEVER;
}

void flitcast_vnet_count(struct flitcast_site *site, u8 port, u64 *stat)
{
	u8 c;

	for (c = 0; c < flitcast_vnet_classes(site); c++)
		site->vnet->core.ch[c].rx[port].stat = stat;
}

void flitcast_vnet_rerouted(struct flitcast_site *site)
{
	struct fc_event ev = { .type = FC_EV_MORE };

	fc_vnet_rerouted(&site->vnet->core);
	flitcast_vnet_event(site, 0, &ev);
}

bool flitcast_vnet_room(struct flitcast_site *site, bool amid)
{
	int lane;

	/* A packet goes to one lane, which has room for all of it. */
	if (amid)
		return true;
	lane = fc_vnet_lane(&site->vnet->core);
	if (lane < 0)
		return false;
	site->vnet->lane = lane;
	return true;
}

u64 flitcast_vnet_entered(const struct flitcast_site *site)
{
	u8 lane = site->vnet->lane;

	return (u64)(lane + 1) << 32 | fc_vnet_seq(&site->vnet->core, lane);
}

u32 flitcast_vnet_taken(const struct flitcast_site *site, u8 lane)
{
	return site->vnet->core.ch[lane].rx[FC_PORT_LOCAL].taken;
}

void flitcast_vnet_feed(struct flitcast_site *site, struct fc_event *ev)
{
	u8 lane = site->vnet->lane;

	ev->seq = fc_vnet_seq(&site->vnet->core, lane);
	flitcast_vnet_event(site, lane, ev);
}

bool flitcast_vnet_start(struct flitcast_site *site, struct sk_buff *skb)
{
	struct fc_vhop hop = {
		.head = skb->data, .now = flitcast_site_now(site), .port = FC_PORT_LOCAL,
	};
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .flags = FC_PART_HEAD | FC_PART_TERM,
	};
	struct fc_event ev = { .type = FC_EV_MORE };

	if (!site->hops || site->resets || !fc_vnet_start(site->hops, &hop))
		return false;
	hdr.vc = FC_VC_CLASS + hop.class;
	hdr.seq = hop.seq;
	hdr.ack = hop.ack;
	flitcast_engine_flit(site, hop.port, skb, &hdr);
	if (hop.more)
		flitcast_vnet_event(site, hop.class, &ev);
	return true;
}
