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
	struct fc_effect *e = fc_effect_flit(fx, FC_FX_SEND, port, &ev->flit);

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

/*
 * Where a packet of one flit goes, if all of its targets that are not here go one way: the other
 * targets @there, by @port in @class.
 */
struct aim {
	u64 here;
	u64 there;
	u8 port;
	u8 class;
};

/* Of several ways that with the least before it, as fc_vnet_route() chooses. */
static bool choose(const struct fc_vnet *v, u32 dirs, const u8 *next, struct aim *aim)
{
	u32 least = ~(u32)0;

	aim->port = FC_PORT_NONE;
	for (; dirs; dirs &= dirs - 1) {
		u8 port = (u8)fc_low(dirs) + 1, class = next[port - 1];
		const struct fc_tx *tx = &v->ch[class].tx[port];
		u32 load = fc_vout_of(v, class, port)->load + tx->sent - tx->acked;

		if (!v->window[port] || load >= least)
			continue;
		least = load;
		aim->port = port;
		aim->class = class;
	}
	return aim->port != FC_PORT_NONE;
}

static inline bool only(const struct fc_vnet *v, u32 dirs, const u8 *next, struct aim *aim)
{
	if (!dirs || dirs & (dirs - 1))
		return false;
	aim->port = (u8)fc_low(dirs) + 1;
	aim->class = next[aim->port - 1];
	return v->window[aim->port];
}

/* Of directions those over links that are up, and by which working links lead there. */
static inline u32 working(const struct fc_vnet *v, u32 dirs, u32 dst)
{
	dirs &= v->up >> 1;
	return v->site->routes ? dirs & v->site->routes[dst] : dirs;
}

static noinline bool aim_find(const struct fc_vnet *v, u8 class, u8 port, u32 dst, struct aim *aim)
{
	u8 next[FC_DIRS_MAX];
	const u8 *row;
	u32 dirs;

	row = fc_vonward(v, class, port, dst, &dirs, next);
	return choose(v, working(v, dirs, dst), row, aim);
}

/* At one target. */
static inline bool aim_at(const struct fc_vnet *v, u8 class, u8 port, u32 dst, struct aim *aim)
{
	const struct fc_vmemo_way *way = fc_vknown(v, class, port, dst);
	const u8 *next;
	u32 dirs;

	aim->here = dst == v->site->id;
	aim->there = !aim->here;
	if (aim->here)
		return true;
	if (!way)
		return aim_find(v, class, port, dst, aim);
	dirs = working(v, way->dirs, dst);
	next = v->memo->next[way->class];
	return only(v, dirs, next, aim) || (dirs & (dirs - 1) && choose(v, dirs, next, aim));
}

/* At several: the way of each, if none has another. */
static noinline bool aim_list(const struct fc_vnet *v, u8 class, u8 port, const u8 *head,
			      unsigned int n, struct aim *aim)
{
	u8 next[FC_DIRS_MAX];
	struct aim other;
	unsigned int i;
	u32 dirs;

	aim->here = 0;
	aim->there = 0;
	for (i = 0; i < n; i++) {
		u32 dst = fc_wire_target_site(head, i);
		const u8 *row;

		if (dst == v->site->id) {
			aim->here |= fc_bit64(i);
			continue;
		}
		row = fc_vonward(v, class, port, dst, &dirs, next);
		if (!only(v, working(v, dirs, dst), row, &other) ||
		    (aim->there && (aim->port != other.port || aim->class != other.class)))
			return false;
		aim->port = other.port;
		aim->class = other.class;
		aim->there |= fc_bit64(i);
	}
	return true;
}

/* A whole packet, for here and for one link. */
static bool pass_packet(struct fc_vnet *v, u8 class, const struct fc_event *ev,
			struct fc_effects *fx)
{
	const u8 *head = ev->flit.head;
	enum fc_stat type;
	struct aim aim;
	unsigned int n;

	if (ev->flit.parts != (FC_PART_HEAD | FC_PART_TERM) || v->straight || v->plan || v->slow ||
	    ev->flit.data != fc_wire_data_len(head) || fc_wire_hops(head) >= FC_HOPS_MAX)
		return false;
	n = fc_wire_ntargets(head);
	type = n == 1 ? FC_STAT_PKT_UNICAST : FC_STAT_PKT_PASSTHRU;
	if (n == 1 ? !aim_at(v, class, ev->port, fc_wire_target_site(head, 0), &aim) :
		     !aim_list(v, class, ev->port, head, n, &aim))
		return false;
	if (aim.there && (fc_vout_of(v, aim.class, aim.port)->first != FC_VBRANCH_NONE ||
			  !fc_tx_credit(&v->ch[aim.class].tx[aim.port])))
		return false;
	if (aim.here) {
		fc_effect_flit(fx, FC_FX_STORE, ev->port, &ev->flit)->keep = aim.there;
		fc_effect_add(fx, FC_FX_SERVE, ev->port, NULL)->mask = aim.here;
		if (aim.there)
			type = FC_STAT_PKT_SOME_LOCAL;
	}
	v->site->stat[type]++;
	if (aim.there)
		go(v, aim.class, aim.port, ev, aim.there, fx);
	gone(v, class, ev->port, aim.there ? aim.class : class, fx);
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
