// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: fast paths.
 *
 * A flit that arrives in order at an empty queue, and whose outputs are idle and have credit, is
 * consumed and forwarded at once, without queue and branches:
 *
 *	pass_packet()	a whole packet with one target (fc_vnet_hop(), _here(), _start())
 *	pass_list()	a whole packet with several targets
 *	pass_later()	a later flit of a packet with one branch (fc_vnet_later())
 *
 * The effects are those of the steps in vnet.c (core/fuzz compares them).  Any other flit goes
 * through the steps.
 */
#include "core/vnet/split.h"
#include "core/vnet/vnet_machine.h"
#include "core/vnet/vnet_pass.h"

/* Is the switch idle, and the flit the next of its channel? */
static inline bool alone(const struct fc_vnet *v, const struct fc_rx *rx,
			 const struct fc_event *ev)
{
	return ev->seq == rx->consumed && rx->end == ev->seq && !(v->work | v->touched) &&
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

/* Consumes the flit; @classes: its class, and all in which it was sent. */
static inline void gone(struct fc_vnet *v, u8 class, u8 port, u64 classes, struct fc_effects *fx)
{
	v->ch[class].now = v->now;
	fc_llr_forwarded(&v->ch[class], port);
	fc_vrotate(v, class);
	for (; classes; classes &= classes - 1)
		fc_vupdate(v, &v->ch[fc_low64(classes)], fx);
}

/* The preferred of @dirs whose links are usable, and that begin routes over working links. */
static inline u32 working(const struct fc_vnet *v, u32 dirs, u32 dst, const u8 *head)
{
	dirs &= (v->up & ~v->node->avoid) >> 1;
	if (v->node->routes)
		dirs &= v->node->routes[dst];
	return fc_node_preferred(v->node, dst, fc_node_permitted(v->node, dst, dirs), head);
}

/* Hands a packet for this site to the operator, with its frame. */
static inline void store(u8 port, const struct fc_event *ev, u64 here, struct fc_effects *fx)
{
	fc_effect_flit(fx, FC_FX_STORE, port, &ev->flit);
	fc_effect_add(fx, FC_FX_SERVE, port, NULL)->mask = here;
}

/*
 * Finds the directions of each target of @s, of any and of all.  Return: false if some target has
 * no route, or if a peer at one of the next hops has no room for one flit.
 */
static inline bool route_list(const struct fc_vnet *v, u8 class, struct fc_split *s, const u8 *head,
			      unsigned int n, u32 *all, u32 *common, u64 *here)
{
	u32 dirs, any = 0, each = ~(u32)0;
	u8 next[FC_DIRS_MAX];
	unsigned int i;

	*here = 0;
	for (i = 0; i < n; i++) {
		u32 dst = s->dst[i];

		if (dst == v->node->id) {
			*here |= fc_bit64(i);
			continue;
		}
		fc_vroutes(v, class, FC_PORT_NONE, dst, &dirs, next);
		dirs = working(v, dirs, dst, head);
		if (!dirs)
			return false;
		s->dirs[i] = dirs;
		any |= dirs;
		each &= dirs;
	}
	*all = any;
	*common = each;
	for (dirs = any; dirs; dirs &= dirs - 1)
		if (!v->window[fc_low(dirs) + 1])
			return false;
	return true;
}

/* Forwards a whole packet with several targets, if each of its outputs is idle and has credit. */
static noinline bool pass_list(struct fc_vnet *v, u8 class, const struct fc_event *ev,
			       struct fc_effects *fx)
{
	u64 here, classes = fc_bit64(class);
	u8 next[FC_DIRS_MAX], as = class;
	struct fc_split FC_UNSET s;
	enum fc_stat type;
	unsigned int n;
	const u8 *row;
	u32 all, common, rest;

	n = fc_wire_target_sites(s.dst, ev->flit.head);
	if (ev->port == FC_PORT_LOCAL && n)
		as = fc_vnet_begin(v, s.dst, n);
	if (!route_list(v, as, &s, ev->flit.head, n, &all, &common, &here))
		return false;
	s.topo = v->classes->topo;
	s.site = v->node->id;
	s.on = 0;
	s.apart = v->apart;
	row = fc_vroute_classes(v, as, next);
	if (all & (all - 1)) {
		for (rest = all; rest; rest &= rest - 1)
			s.load[fc_low(rest)] = fc_vload(v, ev->flit.head, row[fc_low(rest)],
							(u8)fc_low(rest) + 1);
		all = fc_split(&s, fc_mask_all(n) & ~here, common);
	} else if (all) {
		s.mask[fc_low(all)] = fc_mask_all(n) & ~here;
	}
	for (rest = all; rest; rest &= rest - 1)
		if (!fc_vidle(v, row[fc_low(rest)], (u8)fc_low(rest) + 1, 1))
			return false;
	type = FC_STAT_PKT_PASSTHRU;
	if (here ? all : all & (all - 1))
		type = here ? FC_STAT_PKT_SOME_LOCAL : FC_STAT_PKT_ALL_REMOTE;
	v->node->stat[type]++;
	for (rest = all; rest; rest &= rest - 1) {
		u8 d = (u8)fc_low(rest);

		go(v, row[d], d + 1, ev, s.mask[d], fx);
		fx->fx[fx->n - 1].keep = here || rest & (rest - 1);
		classes |= fc_bit64(row[d]);
	}
	if (here)
		store(ev->port, ev, here, fx);
	gone(v, class, ev->port, classes, fx);
	return true;
}

/* Chooses the output of a packet.  Return: false if its class has no route. */
static noinline bool route_lookup(const struct fc_vnet *v, struct fc_vhop *hop)
{
	u32 dst = fc_wire_target_site(hop->head, 0), load[FC_DIRS_MAX], dirs, rest;
	u8 next[FC_DIRS_MAX], d;
	const u8 *row;

	row = fc_vroutes(v, hop->class, hop->port, dst, &dirs, next);
	dirs = working(v, dirs, dst, hop->head);
	if (!dirs)
		return false;
	for (rest = dirs; rest; rest &= rest - 1) {
		d = (u8)fc_low(rest);
		load[d] = fc_vload(v, hop->head, row[d], d + 1);
	}
	d = fc_least_load(load, 0, dirs);
	hop->out_port = d + 1;
	hop->out_class = row[d];
	return true;
}

/* As route_lookup(), inline where the cache has the route and it has one direction. */
static inline bool route_known(const struct fc_vnet *v, struct fc_vhop *hop)
{
	u32 dst = fc_wire_target_site(hop->head, 0), dirs;
	const struct fc_vroute *route = fc_vroute_cached(v, hop->class, hop->port, dst);

	if (!route)
		return route_lookup(v, hop);
	dirs = working(v, route->dirs, dst, hop->head);
	if (!dirs || dirs & (dirs - 1))
		return route_lookup(v, hop);
	hop->out_port = (u8)fc_low(dirs) + 1;
	hop->out_class = v->cache->next[route->class][hop->out_port - 1];
	return true;
}

/* Is the switch idle, the flit the next of its channel, and its ack the last one? */
static inline bool in_turn(const struct fc_vnet *v, const struct fc_vhop *hop)
{
	const struct fc_channel *ch = &v->ch[hop->class];
	const struct fc_rx *rx = &ch->rx[hop->port];

	return hop->seq == rx->consumed && hop->seq == rx->end &&
	       !(v->work | v->touched | v->resets) &&
	       ((!hop->ack && !rx->reverse_active) || hop->ack == ch->tx[hop->port].acked);
}

/* Is it also the first of a packet that may cross another link? */
static inline bool next(const struct fc_vnet *v, const struct fc_vhop *hop)
{
	return in_turn(v, hop) && !fc_vin_of(v, hop->class, hop->port)->busy &&
	       fc_wire_hops(hop->head) < FC_HOPS_MAX;
}

/* Consumes the flit where no ack is due and no timer is to be armed. */
static inline void consume(struct fc_vnet *v, const struct fc_vhop *hop)
{
	struct fc_rx *rx = &v->ch[hop->class].rx[hop->port];

	rx->consumed++;
	rx->end++;
	fc_vrotate(v, hop->class);
}

/* As consume(); the local port has no peer to acknowledge to. */
static inline void consume_local(struct fc_vnet *v, const struct fc_vhop *hop)
{
	struct fc_rx *rx = &v->ch[hop->class].rx[FC_PORT_LOCAL];

	consume(v, hop);
	rx->acked = rx->consumed;
}

/* As consume(), for a whole packet. */
static inline void silently(struct fc_vnet *v, const struct fc_vhop *hop)
{
	consume(v, hop);
	v->node->stat[FC_STAT_PKT_UNICAST]++;
}

enum fc_hop fc_vnet_here(struct fc_vnet *v, struct fc_vhop *hop)
{
	if (!next(v, hop))
		return FC_HOP_NOT;
	hop->out_class = hop->class;
	hop->out_port = FC_PORT_LOCAL;
	if (!fc_llr_ack_not_due(&v->ch[hop->class], hop->port))
		return FC_HOP_WHEN;
	silently(v, hop);
	return FC_HOP_GONE;
}

/* Is there a route whose output is idle and has credit? */
static __always_inline bool choose_output(const struct fc_vnet *v, struct fc_vhop *hop)
{
	const struct fc_tx *tx;

	if (!route_known(v, hop))
		return false;
	tx = &v->ch[hop->out_class].tx[hop->out_port];
	/* A window that is 0 is no credit. */
	return fc_tx_credit(tx) &&
	       fc_vout_of(v, hop->out_class, hop->out_port)->first == FC_VBRANCH_NONE;
}

/* Does the poll timer of the output run? */
static inline bool timed(const struct fc_vnet *v, const struct fc_vhop *hop)
{
	return v->ch[hop->out_class].tx[hop->out_port].poll_at != FC_NEVER;
}

/* Sends the flit on a channel whose poll timer runs. */
static inline void out(struct fc_vnet *v, struct fc_vhop *hop)
{
	struct fc_channel *ch = &v->ch[hop->out_class];
	struct fc_tx *tx = &ch->tx[hop->out_port];

	hop->seq = tx->sent++;
	hop->ack = 0;
	if (tx->reverse_active) {
		hop->ack = ch->rx[hop->out_port].consumed;
		fc_llr_ack_sent(ch, hop->out_port);
	}
}

enum fc_hop fc_vnet_hop(struct fc_vnet *v, struct fc_vhop *hop)
{
	if (!next(v, hop) || !choose_output(v, hop))
		return FC_HOP_NOT;
	if (!fc_llr_ack_not_due(&v->ch[hop->class], hop->port) || !timed(v, hop))
		return FC_HOP_WHEN;
	silently(v, hop);
	out(v, hop);
	return FC_HOP_GONE;
}

/* May a flit that is not the first leave by the one branch of its packet, behind the others? */
static inline bool follows(const struct fc_vnet *v, const struct fc_vhop *hop,
			   const struct fc_vin *in)
{
	const struct fc_flit flit = { .data = hop->data, .parts = hop->parts };
	const struct fc_vbranch *b = in->branch;
	u32 input = (u32)hop->class * v->nports + hop->port;

	return !(hop->parts & ~FC_PART_TERM) && in->busy && in->routed == FC_ROUTED_DONE &&
	       !in->whole && !in->cut && !in->oper && in->nbranches == 1 && b->begun &&
	       !b->completed && !b->dead && b->flit == in->come && in->freed == in->come &&
	       fc_vfits(v, in, &flit) &&
	       fc_vout_of(v, b->class, b->port)->first == input * fc_vslots_of(v) &&
	       (!hop->parts || b->next == FC_VBRANCH_NONE);
}

/* The packet has one flit less to come. */
static inline void advance(struct fc_vnet *v, const struct fc_vhop *hop)
{
	struct fc_vin *in = fc_vin_of(v, hop->class, hop->port);
	struct fc_vbranch *b = in->branch;
	struct fc_vout *out;

	in->left -= hop->data;
	in->come++;
	in->freed++;
	in->moved = true;
	b->flit++;
	if (!hop->parts)
		return;
	/* The terminator has left. */
	out = fc_vout_of(v, b->class, b->port);
	out->first = FC_VBRANCH_NONE;
	out->last = FC_VBRANCH_NONE;
	out->load -= in->n;
	b->completed = true;
	in->whole = true;
	in->active = 0;
	in->busy = false;
}

enum fc_hop fc_vnet_later(struct fc_vnet *v, struct fc_vhop *hop)
{
	const struct fc_vin *in = fc_vin_of(v, hop->class, hop->port);

	if (!in_turn(v, hop) || !follows(v, hop, in))
		return FC_HOP_NOT;
	hop->out_class = in->branch->class;
	hop->out_port = in->branch->port;
	if ((hop->port != FC_PORT_LOCAL && !fc_llr_ack_not_due(&v->ch[hop->class], hop->port)) ||
	    !timed(v, hop))
		return FC_HOP_WHEN;
	advance(v, hop);
	if (hop->port == FC_PORT_LOCAL)
		consume_local(v, hop);
	else
		consume(v, hop);
	out(v, hop);
	return FC_HOP_GONE;
}

/* Consumes a packet of this site, or lets it overtake those in its injection queue. */
static inline void begun(struct fc_vnet *v, const struct fc_vhop *hop)
{
	const struct fc_rx *rx = &v->ch[hop->class].rx[FC_PORT_LOCAL];

	if (!fc_vin_of(v, hop->class, FC_PORT_LOCAL)->busy && !rx->queued)
		consume_local(v, hop);
	v->node->stat[FC_STAT_PKT_UNICAST]++;
}

enum fc_hop fc_vnet_start(struct fc_vnet *v, struct fc_vhop *hop)
{
	if (v->work | v->touched | v->resets || !choose_output(v, hop))
		return FC_HOP_NOT;
	if (!timed(v, hop))
		return FC_HOP_WHEN;
	begun(v, hop);
	out(v, hop);
	return FC_HOP_GONE;
}

bool fc_vnet_aim(const struct fc_vnet *v, const u8 *head, u32 flits, u8 *port)
{
	struct fc_vhop hop = { .head = head, .port = FC_PORT_LOCAL };
	u32 dst = fc_wire_target_site(head, 0);
	struct fc_aim aim;
	u8 p;

	*port = FC_PORT_LOCAL;
	if (dst == v->node->id)
		return true;
	if (route_known(v, &hop)) {
		*port = hop.out_port;
		return fc_vnet_takes(v, hop.out_class, hop.out_port, flits);
	}
	/* There may be a detour. */
	aim = (struct fc_aim){ .head = head, .dst = &dst, .n = 1, .flits = flits };
	fc_vnet_aim_list(v, &aim);
	for (p = 1; p < v->nports; p++)
		if (aim.mask[p])
			*port = p;
	return aim.takes;
}

/* Consumes the flit, and makes its ack due or arms the delayed-ack timer. */
static void in_timed(struct fc_vnet *v, const struct fc_vhop *hop)
{
	struct fc_channel *ch = &v->ch[hop->class];

	ch->now = v->now;
	fc_llr_forwarded(ch, hop->port);
	fc_vrotate(v, hop->class);
	if (hop->head)
		v->node->stat[FC_STAT_PKT_UNICAST]++;
	else
		advance(v, hop);
}

/* Sends the flit, and arms the poll timer. */
static void out_timed(struct fc_vnet *v, struct fc_vhop *hop)
{
	struct fc_channel *ch = &v->ch[hop->out_class];
	struct fc_effect e = { .ack = 0 };

	ch->now = v->now;
	fc_llr_sent(ch, hop->out_port, &e);
	hop->seq = e.seq;
	hop->ack = e.ack;
}

/* As fc_vupdate(), without room for an effect. */
static enum fc_hop update_done(struct fc_vnet *v, u8 class)
{
	const struct fc_channel *ch = &v->ch[class];

	if (ch->status) {
		v->touched |= fc_bit64(class);
		return FC_HOP_MORE;
	}
	fc_vdue(v, ch);
	return FC_HOP_GONE;
}

enum fc_hop fc_vnet_hop_timed(struct fc_vnet *v, struct fc_vhop *hop)
{
	enum fc_hop in = FC_HOP_GONE, out = FC_HOP_GONE;

	if (hop->now > v->now)
		v->now = hop->now;
	if (hop->port == FC_PORT_LOCAL && hop->head)
		begun(v, hop);
	else
		in_timed(v, hop);
	if (hop->out_port != FC_PORT_LOCAL) {
		out_timed(v, hop);
		out = update_done(v, hop->out_class);
	}
	if (hop->port != FC_PORT_LOCAL)
		in = update_done(v, hop->class);
	return in == FC_HOP_MORE ? in : out;
}

/* Is the flit a whole packet, in mode vnet itself? */
static inline bool whole(const struct fc_vnet *v, const struct fc_flit *f)
{
	return f->parts == (FC_PART_HEAD | FC_PART_TERM) && f->data == fc_wire_data_len(f->head) &&
	       !v->straight && !v->plan && !v->slow && fc_wire_hops(f->head) < FC_HOPS_MAX;
}

/* The flit has passed the switch. */
static inline void passed(const struct fc_vnet *v, const struct fc_event *ev,
			  const struct fc_vhop *hop, u64 mask, struct fc_effects *fx)
{
	struct fc_effect *e = fc_effect_flit(fx, FC_FX_SEND, hop->out_port, &ev->flit);

	e->mask = mask;
	e->vc = v->ch[hop->out_class].vc;
	e->seq = hop->seq;
	e->ack = hop->ack;
}

/* Forwards or delivers a whole packet with one target. */
static inline enum fc_hop pass_packet(struct fc_vnet *v, u8 class, const struct fc_event *ev,
				      struct fc_effects *fx)
{
	struct fc_vhop hop = {
		.head = ev->flit.head, .now = ev->now, .seq = ev->seq, .ack = ev->ack,
		.class = class, .port = ev->port,
	};
	enum fc_hop verdict;

	if (ev->port == FC_PORT_LOCAL)
		verdict = fc_vnet_start(v, &hop);
	else if (fc_wire_target_site(ev->flit.head, 0) == v->node->id)
		verdict = fc_vnet_here(v, &hop);
	else
		verdict = fc_vnet_hop(v, &hop);
	if (verdict == FC_HOP_WHEN)
		verdict = fc_vnet_hop_timed(v, &hop);
	if (verdict == FC_HOP_NOT)
		return verdict;
	if (hop.out_port == FC_PORT_LOCAL) {
		store(ev->port, ev, 1, fx);
		return verdict;
	}
	passed(v, ev, &hop, 1, fx);
	return verdict;
}

/* Forwards a flit that is not the first of its packet. */
static enum fc_hop pass_later(struct fc_vnet *v, u8 class, const struct fc_event *ev,
			      struct fc_effects *fx)
{
	struct fc_vhop hop = {
		.now = ev->now, .seq = ev->seq, .ack = ev->ack, .data = ev->flit.data,
		.class = class, .port = ev->port, .parts = ev->flit.parts,
	};
	const struct fc_vin *in = fc_vin_of(v, class, ev->port);
	enum fc_hop verdict = FC_HOP_NOT;

	if (in->nbranches == 1)
		verdict = fc_vnet_later(v, &hop);
	if (verdict == FC_HOP_WHEN)
		verdict = fc_vnet_hop_timed(v, &hop);
	if (verdict != FC_HOP_NOT)
		passed(v, ev, &hop, in->branch->mask, fx);
	return verdict;
}

/* Forwards a flit without the queue, if possible. */
static enum fc_hop pass(struct fc_vnet *v, u8 class, const struct fc_event *ev,
			struct fc_effects *fx)
{
	if (!whole(v, &ev->flit))
		return pass_later(v, class, ev, fx);
	if (fc_wire_ntargets(ev->flit.head) == 1)
		return pass_packet(v, class, ev, fx);
	return !fc_vin_of(v, class, ev->port)->busy && alone(v, &v->ch[class].rx[ev->port], ev) &&
	       pass_list(v, class, ev, fx) ? FC_HOP_GONE : FC_HOP_NOT;
}

bool fc_vnet_event(struct fc_vnet *v, u8 class, const struct fc_event *ev, struct fc_effects *fx)
{
	static const struct fc_event again = { .type = FC_EV_MORE };
	struct fc_channel *ch = &v->ch[class];
	enum fc_hop verdict = FC_HOP_NOT;

	fx->n = 0;
	if (ev->now > v->now)
		v->now = ev->now;
	if (ev->type != FC_EV_FLIT)
		return fc_vnet_work(v, class, ev, fx);
	if (ev->port != FC_PORT_LOCAL) {
		ch->now = v->now;
		if (fc_llr_acked(ch, ev->port, ev->ack, fx)) {
			fc_vcredit(v, class, ev->port);
			fc_vdue(v, ch);
		}
	}
	if (!v->stepwise)
		verdict = pass(v, class, ev, fx);
	if (verdict == FC_HOP_NOT)
		return fc_vnet_work(v, class, ev, fx);
	return verdict == FC_HOP_MORE && fc_vnet_work(v, class, &again, fx);
}
