// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: by which links a packet leaves.
 */
#include "core/vnet/csr_plan.h"
#include "core/vnet/split.h"
#include "core/vnet/vnet_machine.h"
#include "core/vnet/vnet_pass.h"

u32 fc_vflits_of(const struct fc_vnet *v, const struct fc_flit *front)
{
	u32 len = fc_wire_data_len(front->head);

	if (front->data >= len)
		return 1;
	return 1 + (len - front->data + v->payload - 1) / v->payload;
}

/* Links that are up and usable, and whose window fits a packet of @n flits. */
static u32 roomy(const struct fc_vnet *v, u32 n)
{
	u32 rest, links = 0;

	for (rest = v->up & ~v->node->avoid & ~fc_bit(FC_PORT_LOCAL); rest; rest &= rest - 1)
		if (v->window[fc_low(rest)] >= n)
			links |= rest & -rest;
	return links;
}

/*
 * Directions in which a packet may proceed to a site, over links that take it.  A packet of this
 * site without a route in its class takes the first link of a route around dead links, as any
 * packet may that begins in the lowest class: @class becomes that.
 */
static u32 next_hops(const struct fc_vnet *v, const struct fc_vin *in, u8 *class, u8 port, u32 dst)
{
	u32 up = in->links >> 1, dirs;
	u8 next[FC_DIRS_MAX];

	up = fc_node_permitted(v->node, dst, up);
	fc_vroutes(v, *class, FC_PORT_NONE, dst, &dirs, next);
	dirs &= up;
	if (!v->node->routes)
		return dirs;
	dirs &= v->node->routes[dst];
	if (dirs || port != FC_PORT_LOCAL)
		return dirs;
	*class = 0;
	return v->node->routes[dst] & up & fc_vclass_allowed(v->classes, v->node->id, 0, next);
}

u32 fc_vnet_next_hops(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 flits,
		      u8 next[FC_DIRS_MAX])
{
	struct fc_vin in = { .links = roomy(v, flits) };
	u32 dirs = next_hops(v, &in, &class, port, dst);

	fc_vclass_allowed(v->classes, v->node->id, class, next);
	if (v->node->prefers)
		dirs = fc_prefer_narrow(fc_prefer_of(v->node->prefers, dst), dirs);
	return dirs;
}

void fc_vnet_branch(struct fc_vnet *v, struct fc_vin *in, u8 port, u8 class, u64 mask)
{
	struct fc_vout *out = fc_vout_of(v, class, port);
	struct fc_vbranch *b = &in->branch[in->nbranches];
	u32 number = (u32)(in - v->in) * fc_vslots_of(v) + in->nbranches;

	*b = (struct fc_vbranch){ .mask = mask, .next = FC_VBRANCH_NONE, .port = port,
				  .class = class };
	in->nbranches++;
	in->active++;
	if (out->first == FC_VBRANCH_NONE)
		out->first = number;
	else
		fc_vbranch_of(v, out->last)->next = number;
	out->last = number;
	out->load += in->n;
	fc_vmay_go(v, class, port);
}

/* The direction straight on in mode postman. */
static u32 straight_on(const struct fc_vnet *v, u8 class, u8 port)
{
	u8 on = v->straight ? v->straight[class * v->nports + port].port : FC_PORT_LOCAL;

	return on == FC_PORT_LOCAL ? 0 : fc_bit(on - 1);
}

static void count_type(struct fc_vnet *v, const struct fc_vin *in, u64 local, unsigned int n)
{
	if (!in->nbranches && !local)
		v->node->stat[in->oper ? FC_STAT_PKT_FORCED : FC_STAT_PKT_UNROUTABLE]++;
	else if (in->nbranches + !!local == 1)
		v->node->stat[n == 1 ? FC_STAT_PKT_UNICAST : FC_STAT_PKT_PASSTHRU]++;
	else
		v->node->stat[local ? FC_STAT_PKT_SOME_LOCAL : FC_STAT_PKT_ALL_REMOTE]++;
}

/* Keeps of the next hops the reserved ones in mode csr, if there are any, or the preferred ones. */
static void narrow(const struct fc_vnet *v, struct fc_split *s, const u8 *head, u64 targets)
{
	for (; targets; targets &= targets - 1) {
		unsigned int i = fc_low64(targets);
		u32 planned = v->plan ? s->dirs[i] & fc_csr_plan_dirs(v->plan, head, i) : 0;

		s->dirs[i] = planned ? planned :
			     fc_node_preferred(v->node, s->dst[i], s->dirs[i], head);
	}
}

/*
 * Parts the targets that go on by the directions in which they leave.
 * Return: these; @all: those in which they could.
 */
static u32 part(const struct fc_vnet *v, struct fc_split *s, const u8 *head, const u8 *row,
		u64 remote, u32 *all)
{
	u32 common = ~(u32)0, rest;
	u64 left;

	*all = 0;
	for (left = remote; left; left &= left - 1) {
		*all |= s->dirs[fc_low64(left)];
		common &= s->dirs[fc_low64(left)];
	}
	for (rest = *all; rest; rest &= rest - 1) {
		u8 d = (u8)fc_low(rest);

		/* Straight on is the one path of a flow in mode postman: speculation takes it. */
		s->load[d] = fc_wire_datagram(head) && s->on & fc_bit(d) ?
			     0 : fc_vload(v, head, row[d], d + 1);
	}
	return fc_split(s, remote, common);
}

/* Makes a branch for each direction in which targets leave. */
static void branch(struct fc_vnet *v, struct fc_vin *in, struct fc_split *s, const u8 *head,
		   const u8 *row, u64 remote)
{
	u32 all, result = part(v, s, head, row, remote, &all), rest;

	if (all & s->on & ~result)
		v->node->stat[FC_STAT_PKT_ADAPTED]++;
	for (rest = result; rest; rest &= rest - 1) {
		u8 d = (u8)fc_low(rest);

		fc_vnet_branch(v, in, d + 1, row[d], s->mask[d]);
	}
}

bool fc_vnet_route(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in,
		   const struct fc_flit *front, struct fc_effects *fx)
{
	const u8 *head = front->head;
	unsigned int i, n;
	u64 local = 0, remote = 0, stuck = 0, apart = 0, unreachable = 0;
	bool far = fc_wire_hops(head) >= FC_HOPS_MAX;
	struct fc_split FC_UNSET s;
	u8 next[FC_DIRS_MAX], injq = class;

	s.topo = v->classes->topo;
	s.site = v->node->id;
	s.on = straight_on(v, class, port);
	s.apart = v->apart;
	n = fc_wire_target_sites(s.dst, head);
	if (port == FC_PORT_LOCAL)
		class = fc_vnet_begin(v, s.dst, n);
	v->nrouted += n;
	in->links = roomy(v, in->n);
	for (i = 0; i < n; i++) {
		if (s.dst[i] == v->node->id) {
			local |= fc_bit64(i);
			continue;
		}
		s.dirs[i] = 0;
		if (!far)
			s.dirs[i] = next_hops(v, in, &class, port, s.dst[i]);
		if (s.dirs[i])
			remote |= fc_bit64(i);
		else if (far || (port == FC_PORT_LOCAL && !v->node->rerouting))
			unreachable |= fc_bit64(i);
		else
			stuck |= fc_bit64(i);
	}
	/* A packet for this site alone is admitted, too: its sender waits for the admission. */
	if (v->plan && !stuck && port == FC_PORT_LOCAL) {
		switch (fc_csr_plan_admit(v->plan, injq, in, head, fx)) {
		case FC_CSR_STAYS:
			return false;
		case FC_CSR_ADMITTED:
			break;
		case FC_CSR_APART:
			apart = remote;
			remote = 0;
			break;
		}
	}
	if (far)
		v->node->stat[FC_STAT_PKT_HOPS]++;
	/* Reported once: a packet that waits, and is routed again, has no unreachable targets. */
	if (unreachable)
		fc_effect_add(fx, FC_FX_UNREACHABLE, port, front)->mask = unreachable;
	/* A packet of this site waits for routes; the operator stores any other one. */
	if (stuck && port == FC_PORT_LOCAL) {
		v->node->stat[FC_STAT_SEEK]++;
		return false;
	}
	in->oper = local | stuck | apart;
	narrow(v, &s, head, remote);
	if (remote)
		branch(v, in, &s, head, fc_vroute_classes(v, class, next), remote);
	count_type(v, in, local, n);
	return true;
}

/* Does a datagram of this site wait for a channel?  Messages do not count: some always wait. */
static bool waits(const struct fc_vnet *v, u8 class, u8 port)
{
	u8 c, i;

	for (c = 0; c < v->injqs; c++) {
		const struct fc_vin *in = fc_vin_of(v, c, FC_PORT_LOCAL);

		for (i = 0; in->busy && in->datagram && i < in->nbranches; i++)
			if (!in->branch[i].completed && in->branch[i].port == port &&
			    in->branch[i].class == class)
				return true;
	}
	return false;
}

/* If one more datagram waits, is there an injection queue in which none does? */
static bool queue_left(const struct fc_vnet *v)
{
	u8 c, waiting = 0;

	for (c = 0; c < v->injqs; c++) {
		const struct fc_vin *in = fc_vin_of(v, c, FC_PORT_LOCAL);

		waiting += in->busy && in->datagram;
	}
	return waiting + 1 < v->injqs || v->injqs == 1;
}

bool fc_vnet_takes(const struct fc_vnet *v, u8 class, u8 port, u32 flits)
{
	return fc_vidle(v, class, port, flits) || (!waits(v, class, port) && queue_left(v));
}

void fc_vnet_aim_list(const struct fc_vnet *v, struct fc_aim *aim)
{
	const struct fc_vin in = { .links = roomy(v, aim->flits) };
	u32 i, rest, dirs;
	bool some = false, all = true, missing = false;
	u8 next[FC_DIRS_MAX], class = fc_vnet_begin(v, aim->dst, aim->n);
	struct fc_split FC_UNSET s;
	u64 remote = 0;
	const u8 *row;

	memset(aim->mask, 0, sizeof(aim->mask));
	s.topo = v->classes->topo;
	s.site = v->node->id;
	s.on = straight_on(v, class, FC_PORT_LOCAL);
	s.apart = v->apart;
	for (i = 0; i < aim->n; i++) {
		u32 dst = aim->dst[i];

		s.dst[i] = dst;
		s.dirs[i] = 0;
		if (dst != v->node->id)
			s.dirs[i] = fc_node_preferred(v->node, dst,
						      next_hops(v, &in, &class, FC_PORT_LOCAL, dst),
						      aim->head);
		if (!s.dirs[i]) {
			aim->mask[FC_PORT_LOCAL] |= fc_bit64(i);
			missing |= dst != v->node->id;
			continue;
		}
		remote |= fc_bit64(i);
	}
	/* The datagram would wait for the routes, and hold an injection queue meanwhile. */
	aim->takes = !missing || !v->node->rerouting;
	if (!remote)
		return;
	row = fc_vroute_classes(v, class, next);
	for (rest = part(v, &s, aim->head, row, remote, &dirs); rest; rest &= rest - 1) {
		u8 d = (u8)fc_low(rest);
		bool now = fc_vidle(v, row[d], d + 1, aim->flits);

		aim->mask[d + 1] = s.mask[d];
		some |= now || !waits(v, row[d], d + 1);
		all &= now;
	}
	aim->takes &= some && (all || queue_left(v));
}
