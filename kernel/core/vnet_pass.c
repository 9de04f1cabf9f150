// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: what meets nothing on its way.
 *
 * A flit that comes in order to an empty queue and goes to a link that is free is not put into
 * the queue, and no branch waits for the link: it goes out at once, and is taken.  Here is what
 * the event would come to step by step (vnet.c), without the steps; all else is left to them.
 */
#include "vnet_machine.h"

/* Nothing is to be done but this, and the flit is the next one. */
static inline bool alone(const struct fc_vnet *v, const struct fc_rx *rx,
			 const struct fc_event *ev)
{
	return ev->seq == rx->taken && rx->end == ev->seq && !(v->work | v->touched) &&
	       !v->resets && v->now < v->next_at;
}

static inline void go(struct fc_vnet *v, u8 class, u8 port, const struct fc_event *ev, u64 mask,
		      struct fc_effects *fx)
{
	struct fc_effect *e = fc_effect_add(fx, FC_FX_SEND, port, &ev->flit);

	e->mask = mask;
	v->ch[class].now = v->now;
	fc_llr_sent(&v->ch[class], port, e);
}

/* The flit is taken; @other: the class in which it went on. */
static inline void gone(struct fc_vnet *v, u8 class, u8 port, u8 other, struct fc_effects *fx)
{
	v->ch[class].now = v->now;
	fc_llr_passed(&v->ch[class], port);
	fc_vrotate(v, class);
	if (other < class)
		fc_vsettle(v, &v->ch[other], fx);
	fc_vsettle(v, &v->ch[class], fx);
	if (other > class)
		fc_vsettle(v, &v->ch[other], fx);
}

/* The end of a packet has gone. */
static inline void end(struct fc_vin *in, struct fc_vbranch *b, struct fc_vout *out)
{
	out->first = FC_VBRANCH_NONE;
	out->last = FC_VBRANCH_NONE;
	out->load -= in->n;
	b->over = true;
	in->whole = true;
	in->active = 0;
	in->busy = false;
}

/* In the middle of a packet with one branch, or its end. */
static bool pass_flit(struct fc_vnet *v, u8 class, const struct fc_event *ev, struct fc_vin *in,
		      struct fc_effects *fx)
{
	struct fc_vbranch *b = in->branch;
	u32 input = (u32)class * v->nports + ev->port;
	bool last = ev->flit.parts;
	struct fc_vout *out;

	if (ev->flit.parts & ~FC_PART_TERM || in->sight != FC_SIGHT_DONE || in->whole || in->cut ||
	    in->oper || in->nbranches != 1 || !b->begun || b->over || b->dead ||
	    b->flit != in->come || in->freed != in->come || !fc_vfits(v, in, &ev->flit))
		return false;
	out = fc_vout_of(v, b->class, b->port);
	if (out->first != input * fc_vslots_of(v) || (last && b->next != FC_VBRANCH_NONE))
		return false;
	in->left -= ev->flit.data;
	in->come++;
	in->freed++;
	in->moved = true;
	b->flit++;
	go(v, b->class, b->port, ev, b->mask, fx);
	if (last)
		end(in, b, out);
	gone(v, class, ev->port, b->class, fx);
	return true;
}

/* Where the targets of a packet are that has one flit, if all that are not here go one way. */
struct aim {
	u64 here;
	u64 there;
	u8 port;
	u8 class;
};

/* The way of several targets is that of the first only if there is no other for any of them. */
static bool aim_at(const struct fc_vnet *v, u8 class, u8 port, const u8 *head, unsigned int n,
		   struct aim *aim)
{
	u32 dirs, least = 0, id = v->site->id;
	u8 buffer[FC_DIRS_MAX];
	unsigned int i;

	aim->here = 0;
	aim->there = 0;
	aim->port = FC_PORT_NONE;
	aim->class = class;
	for (i = 0; i < n; i++) {
		u32 dst = fc_wire_target_site(head, i);
		const u8 *next;

		if (dst == id) {
			aim->here |= fc_bit64(i);
			continue;
		}
		next = fc_vonward(v, class, port, dst, &dirs, buffer);
		dirs &= v->up >> 1;
		if (v->site->routes)
			dirs &= v->site->routes[dst];
		if (!dirs || (n > 1 && dirs & (dirs - 1)))
			return false;
		if (aim->there) {
			if (aim->port != fc_low(dirs) + 1 || aim->class != next[fc_low(dirs)])
				return false;
		}
		for (; dirs && !aim->there; dirs &= dirs - 1) {
			u8 to = (u8)fc_low(dirs) + 1, to_class = next[to - 1];
			const struct fc_tx *tx = &v->ch[to_class].tx[to];
			u32 load = fc_vout_of(v, to_class, to)->load + tx->sent - tx->acked;

			if (!v->window[to] || (aim->port != FC_PORT_NONE && load >= least))
				continue;
			least = load;
			aim->port = to;
			aim->class = to_class;
		}
		if (aim->port == FC_PORT_NONE)
			return false;
		aim->there |= fc_bit64(i);
	}
	return true;
}

/* A whole packet, for here and for one link. */
static bool pass_packet(struct fc_vnet *v, u8 class, const struct fc_event *ev,
			struct fc_effects *fx)
{
	const u8 *head = ev->flit.head;
	struct fc_effect *e;
	enum fc_stat type;
	struct aim aim;
	unsigned int n;

	if (ev->flit.parts != (FC_PART_HEAD | FC_PART_TERM) || v->straight || v->plan || v->slow ||
	    ev->flit.data != fc_wire_data_len(head) || fc_wire_hops(head) >= FC_HOPS_MAX)
		return false;
	n = fc_wire_ntargets(head);
	if (!aim_at(v, class, ev->port, head, n, &aim))
		return false;
	if (aim.there && (fc_vout_of(v, aim.class, aim.port)->first != FC_VBRANCH_NONE ||
			  !fc_tx_credit(&v->ch[aim.class].tx[aim.port])))
		return false;
	type = n == 1 ? FC_STAT_PKT_UNICAST : FC_STAT_PKT_PASSTHRU;
	if (aim.here) {
		e = fc_effect_add(fx, FC_FX_STORE, ev->port, &ev->flit);
		e->keep = aim.there;
		fc_effect_add(fx, FC_FX_SERVE, ev->port, NULL)->mask = aim.here;
		if (aim.there)
			type = FC_STAT_PKT_SOME_LOCAL;
	}
	v->site->stat[type]++;
	if (aim.there)
		go(v, aim.class, aim.port, ev, aim.there, fx);
	gone(v, class, ev->port, aim.class, fx);
	return true;
}

bool fc_vnet_event(struct fc_vnet *v, u8 class, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_channel *ch = &v->ch[class];
	struct fc_vin *in;

	fx->n = 0;
	if (ev->now > v->now)
		v->now = ev->now;
	if (ev->type != FC_EV_FLIT)
		return fc_vnet_work(v, class, ev, fx);
	if (ev->port != FC_PORT_LOCAL) {
		ch->now = v->now;
		if (fc_llr_acked(ch, ev->port, ev->ack, fx))
			fc_vcredit(v, class, ev->port);
	}
	if (alone(v, &ch->rx[ev->port], ev)) {
		in = fc_vin_of(v, class, ev->port);
		if (in->busy ? pass_flit(v, class, ev, in, fx) : pass_packet(v, class, ev, fx))
			return false;
	}
	return fc_vnet_work(v, class, ev, fx);
}
