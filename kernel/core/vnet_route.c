// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: by which links a packet goes on.
 */
#include "csr_plan.h"
#include "vnet_machine.h"

u32 fc_vflits_of(const struct fc_vnet *v, const struct fc_flit *front)
{
	u32 len = fc_wire_data_len(front->head);

	if (front->data >= len)
		return 1;
	return 1 + (len - front->data + v->payload - 1) / v->payload;
}

/* Links that are up, and whose peer has room for a packet so long. */
static u32 roomy(const struct fc_vnet *v, u32 n)
{
	u32 rest, links = 0;

	for (rest = v->up & ~fc_bit(FC_PORT_LOCAL); rest; rest &= rest - 1)
		if (v->window[fc_low(rest)] >= n)
			links |= rest & -rest;
	return links;
}

void fc_vnet_forget(struct fc_vnet *v)
{
	struct fc_vmemo *memo = v->memo;
	u32 i;
	u8 c;

	memset(memo, 0, fc_vmemo_room(v->nclasses));
	for (i = 0; i < FC_VMEMO_WAYS; i++)
		memo->way[i].dst = FC_SITE_NONE;
	for (c = 0; c < v->nclasses; c++)
		fc_vclass_onward(v->classes, v->site->id, c, memo->next[c]);
}

const u8 *fc_vnet_find(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 *dirs,
		       u8 next[FC_DIRS_MAX])
{
	u8 from = fc_vmemo_from(class, port);

	if (port == FC_PORT_LOCAL)
		class = fc_vclass_first(v->classes, v->site->id, dst);
	*dirs = fc_vclass_ways(v->classes, v->site->id, dst, class, next);
	if (v->memo)
		*fc_vmemo_at(v->memo, from, dst) = (struct fc_vmemo_way){
			.dst = dst, .dirs = *dirs, .from = from, .class = class,
		};
	return next;
}

/*
 * Directions in which a packet may go on to a site, over links that take it, and the class
 * it has there: the result, or @next.  One of this site that has no way in its class goes the
 * first link of a way around what is dead, as if it were for the site there.
 */
static const u8 *ways(const struct fc_vnet *v, const struct fc_vin *in, u8 class, u8 port, u32 dst,
		      u32 *dirs, u8 next[FC_DIRS_MAX])
{
	const struct fc_topo *topo = v->classes->topo;
	const u8 *row = fc_vonward(v, class, port, dst, dirs, next);
	u32 up = in->links >> 1, rest;
	u8 one[FC_DIRS_MAX];

	*dirs &= up;
	if (!v->site->routes)
		return row;
	*dirs &= v->site->routes[dst];
	if (*dirs || port != FC_PORT_LOCAL)
		return row;
	for (rest = v->site->routes[dst] & up; rest; rest &= rest - 1) {
		u8 d = (u8)fc_low(rest);
		u32 near = fc_topo_neighbour(topo, v->site->id, d);

		if (near == FC_SITE_NONE)
			continue;
		class = fc_vclass_first(v->classes, v->site->id, near);
		if (!(fc_vclass_ways(v->classes, v->site->id, near, class, one) & fc_bit(d)))
			continue;
		next[d] = one[d];
		*dirs |= fc_bit(d);
	}
	return next;
}

u32 fc_vnet_ways(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 flits,
		 u8 next[FC_DIRS_MAX])
{
	struct fc_vin in = { .links = roomy(v, flits) };
	u32 dirs, rest;
	const u8 *row = ways(v, &in, class, port, dst, &dirs, next);

	for (rest = dirs; rest; rest &= rest - 1)
		next[fc_low(rest)] = row[fc_low(rest)];
	return dirs;
}

/* What is before a new packet on a channel, in flits. */
static u32 load_of(const struct fc_vnet *v, u8 class, u8 port)
{
	const struct fc_tx *tx = &v->ch[class].tx[port];

	return fc_vout_of(v, class, port)->load + tx->sent - tx->acked;
}

bool fc_vnet_branch(struct fc_vnet *v, struct fc_vin *in, u8 port, u8 class, u64 mask)
{
	struct fc_vout *out = fc_vout_of(v, class, port);
	struct fc_vbranch *b = &in->branch[in->nbranches];
	u32 number = (u32)(in - v->in) * fc_vslots_of(v) + in->nbranches;

	if (in->nbranches == fc_vslots_of(v))
		return false;
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
	return true;
}

/* The direction straight on in mode postman. */
static u32 straight_on(const struct fc_vnet *v, u8 class, u8 port)
{
	u8 on = v->straight ? v->straight[class * v->nports + port].port : FC_PORT_LOCAL;

	return on == FC_PORT_LOCAL ? 0 : fc_bit(on - 1);
}

/*
 * One more branch: in the direction that most of the targets have, and of those the one
 * with the least before it; straight on rather than another like that.  Return: targets that
 * leave by it, or that find no branch.
 */
static u64 part(struct fc_vnet *v, struct fc_vin *in, u8 class, u8 port, const u8 *head,
		u64 targets, const u32 *dirs)
{
	u32 on = straight_on(v, class, port), all = 0, any, rest, best_load = 0;
	unsigned int most = 0;
	const u8 *row = NULL;
	u8 next[FC_DIRS_MAX];
	u64 mask = 0, left;
	u8 best = 0, best_class = 0;

	for (left = targets; left; left &= left - 1)
		all |= dirs[fc_low64(left)];
	for (rest = all; rest; rest &= rest - 1) {
		u8 d = (u8)fc_low(rest), first = FC_VCLASSES_MAX;
		unsigned int count = 0;
		u64 these = 0;
		u32 load;

		for (left = targets; left; left &= left - 1) {
			unsigned int i = fc_low64(left);

			if (!(dirs[i] & fc_bit(d)))
				continue;
			/* Of packets that come here the class does not depend on the target. */
			if (port == FC_PORT_LOCAL || first == FC_VCLASSES_MAX)
				row = ways(v, in, class, port, fc_wire_target_site(head, i),
					   &any, next);
			if (first == FC_VCLASSES_MAX)
				first = row[d];
			if (row[d] != first)
				continue;
			these |= fc_bit64(i);
			count++;
		}
		load = load_of(v, first, d + 1);
		if (count > most || (count == most && load < best_load) ||
		    (count == most && load == best_load && fc_bit(d) == on)) {
			most = count;
			mask = these;
			best = d;
			best_class = first;
			best_load = load;
		}
	}
	if (all & on && fc_bit(best) != on)
		v->site->stat[FC_STAT_PKT_ADAPTED]++;
	if (!fc_vnet_branch(v, in, best + 1, best_class, mask)) {
		v->site->stat[FC_STAT_PKT_FORCED]++;
		in->oper |= mask;
	}
	return mask;
}

static void count_type(struct fc_vnet *v, const struct fc_vin *in, u64 local, unsigned int n)
{
	if (!in->nbranches && !local)
		v->site->stat[in->oper ? FC_STAT_PKT_FORCED : FC_STAT_PKT_UNROUTABLE]++;
	else if (in->nbranches + !!local == 1)
		v->site->stat[n == 1 ? FC_STAT_PKT_UNICAST : FC_STAT_PKT_PASSTHRU]++;
	else
		v->site->stat[local ? FC_STAT_PKT_SOME_LOCAL : FC_STAT_PKT_ALL_REMOTE]++;
}

/* In mode csr: only the ways that are reserved, where there are such. */
static void keep_to_plan(const struct fc_vnet *v, const u8 *head, u64 targets, u32 *dirs)
{
	for (; targets; targets &= targets - 1) {
		unsigned int i = fc_low64(targets);
		u32 planned = dirs[i] & fc_csr_plan_dirs(v->plan, head, i);

		if (planned)
			dirs[i] = planned;
	}
}

bool fc_vnet_route(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in,
		   const struct fc_flit *front, struct fc_effects *fx)
{
	const u8 *head = front->head;
	unsigned int i, n = fc_wire_ntargets(head);
	u64 local = 0, remote = 0, stuck = 0, apart = 0, unreachable = 0;
	bool far = fc_wire_hops(head) >= FC_HOPS_MAX;
	u32 dirs[FC_TARGETS_MAX];
	u8 next[FC_DIRS_MAX];

	in->links = roomy(v, in->n);
	for (i = 0; i < n; i++) {
		u32 dst = fc_wire_target_site(head, i);

		if (dst == v->site->id) {
			local |= fc_bit64(i);
			continue;
		}
		dirs[i] = 0;
		if (!far)
			ways(v, in, class, port, dst, &dirs[i], next);
		if (dirs[i])
			remote |= fc_bit64(i);
		else if (far || (port == FC_PORT_LOCAL && !v->site->rerouting))
			unreachable |= fc_bit64(i);
		else
			stuck |= fc_bit64(i);
	}
	/* What is for here alone is admitted as well: its sender waits to hear it. */
	if (v->plan && !stuck && port == FC_PORT_LOCAL) {
		switch (fc_csr_plan_admit(v->plan, class, in, head)) {
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
		v->site->stat[FC_STAT_PKT_HOPS]++;
	/* Said once: a packet that comes here again, because it waits, has none. */
	if (unreachable)
		fc_effect_add(fx, FC_FX_UNREACHABLE, port, front)->mask = unreachable;
	/* Here it waits for routes; what passes by waits outside its class. */
	if (stuck && port == FC_PORT_LOCAL) {
		v->site->stat[FC_STAT_SEEK]++;
		return false;
	}
	in->oper = local | stuck | apart;
	if (v->plan)
		keep_to_plan(v, head, remote, dirs);
	while (remote)
		remote &= ~part(v, in, class, port, head, remote, dirs);
	count_type(v, in, local, n);
	return true;
}
