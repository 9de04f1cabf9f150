// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet (vnet.h): all events that the fast path of vnet_pass.c does not complete.
 *
 *	FC_EV_FLIT, fc_llr_flit()
 *	      |
 *	      v
 *	queue of an input port and class
 *	      |  step_in(): begin(), route_packet()          one branch for each next hop,
 *	      v                                              or serve() by the operator
 *	branches, in the line of an output port and class
 *	      |  step_out(): first in line, credit for the whole packet
 *	      v
 *	send(): FC_FX_SEND --> leave_queue() consumes the flit when all branches have sent it
 *
 * An event marks inputs (@come) and outputs (@go) with work, and run() processes them, class by
 * class, in turn.  run() returns true, for FC_EV_MORE, when the effects of one event are full, and
 * at the end sends the acks of all classes that were touched (fc_vupdate()).
 */
#include "core/vnet/csr_plan.h"
#include "core/vnet/vnet_machine.h"

/* No step has more effects than this: a packet is stored, or leaves its queue. */
#define STEP_EFFECTS	(2 * 64 + 4)
/* Slots of a queue: a status has a mask of the flits that its sender has received. */
#define WINDOW_MAX	64

/* Effects after which an event returns; the caller comes again with FC_EV_MORE. */
#define RUN_EFFECTS	32

/* Targets routed after which an event returns: to split a list takes long. */
#define RUN_ROUTED	FC_TARGETS_MAX

static_assert(RUN_EFFECTS + STEP_EFFECTS + FC_PORTS_MAX <= FC_EFFECTS);
/* Each frame of mode csr is an effect: those of a run, and of one step more. */
static_assert(RUN_EFFECTS + FC_PORTS_MAX + FC_CSR_LEGS <= FC_CSR_FRAMES);

u32 fc_vnet_window(u32 payload)
{
	return fc_vnet_flits(payload) > WINDOW_MAX ? 0 : WINDOW_MAX;
}

static void may_come_of(struct fc_vnet *v, u32 number)
{
	u32 at = number / fc_vslots_of(v);

	fc_vmay_come(v, (u8)(at / v->nports), (u8)(at % v->nports));
}

void fc_vnet_init(struct fc_vnet *v)
{
	u32 i, inputs = (u32)v->nclasses * v->nports;
	u8 c;

	v->now = 0;
	v->next_at = FC_NEVER;
	v->work = 0;
	v->touched = 0;
	v->up = fc_bit(FC_PORT_LOCAL);
	v->rotate = 0;
	v->check.at = FC_NEVER;
	memset(v->stall, 0, sizeof(v->stall));
	v->injqs = v->nclasses < FC_VNET_INJQS ? v->nclasses : FC_VNET_INJQS;
	v->resets = 0;
	memset(v->reset, 0, sizeof(v->reset));
	memset(v->come, 0, sizeof(v->come));
	memset(v->go, 0, sizeof(v->go));
	memset(v->unrouted, 0, sizeof(v->unrouted));
	for (i = 0; i < inputs; i++) {
		struct fc_vbranch *branch = v->in[i].branch;

		memset(&v->in[i], 0, sizeof(v->in[i]));
		v->in[i].branch = branch;
		v->out[i].first = FC_VBRANCH_NONE;
		v->out[i].last = FC_VBRANCH_NONE;
		v->out[i].load = 0;
	}
	if (v->cache)
		fc_vroute_cache_clear(v);
	for (c = 0; c < v->nclasses; c++) {
		v->ch[c].timing = v->node->timing;
		v->ch[c].nports = v->nports;
		v->ch[c].vc = fc_set_vc(v->set) + c;
		fc_channel_init(&v->ch[c]);
	}
}

void fc_vnet_purge(struct fc_vnet *v, void (*drop)(void *arg, void *h), void *arg)
{
	u8 c;

	for (c = 0; c < v->nclasses; c++)
		fc_channel_purge(&v->ch[c], drop, arg);
}

bool fc_vnet_idle(const struct fc_vnet *v)
{
	u32 i;

	for (i = 0; i < (u32)v->nclasses * v->nports; i++)
		if (v->in[i].busy || v->ch[i / v->nports].rx[i % v->nports].queued ||
		    v->out[i].first != FC_VBRANCH_NONE)
			return false;
	return true;
}

int fc_vnet_injq(const struct fc_vnet *v)
{
	u8 c;

	for (c = 0; c < v->injqs; c++)
		if (!fc_vin_of(v, c, FC_PORT_LOCAL)->busy && !v->ch[c].rx[FC_PORT_LOCAL].queued)
			return c;
	return -1;
}

u32 fc_vnet_seq(const struct fc_vnet *v, u8 injq)
{
	const struct fc_rx *rx = &v->ch[injq].rx[FC_PORT_LOCAL];

	return rx->consumed + rx->queued;
}

void fc_vnet_rerouted(struct fc_vnet *v)
{
	u8 c;

	for (c = 0; c < v->injqs; c++)
		if (fc_vin_of(v, c, FC_PORT_LOCAL)->seek)
			fc_vmay_come(v, c, FC_PORT_LOCAL);
}

/*
 * Inputs.
 */

static void protocol(struct fc_vnet *v, u8 class, u8 port)
{
	v->ch[class].rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
}

static struct fc_flit *slot(const struct fc_channel *ch, u8 port, u32 ahead)
{
	return fc_rx_slot(ch, &ch->rx[port], ch->rx[port].consumed + ahead);
}

/* Does another branch, or the operator, need that flit? */
static bool needed(const struct fc_vin *in, const struct fc_vbranch *b)
{
	u8 i;

	if (in->oper || in->routed != FC_ROUTED_DONE)
		return true;
	for (i = 0; in->active > 1 && i < in->nbranches; i++)
		if (&in->branch[i] != b && !in->branch[i].completed &&
		    in->branch[i].flit <= b->flit)
			return true;
	return false;
}

static void send(struct fc_vnet *v, u32 number, struct fc_vbranch *b, struct fc_vin *in, u8 run,
		 struct fc_effects *fx)
{
	struct fc_channel *ch = &v->ch[b->class];
	u32 at = number / fc_vslots_of(v);
	struct fc_flit *f = slot(&v->ch[at / v->nports], (u8)(at % v->nports), b->flit - in->freed);
	struct fc_effect *e = fc_effect_add(fx, FC_FX_SEND, b->port, f);

	e->vc = ch->vc;
	e->mask = b->mask;
	e->flit.parts &= ~(FC_FLIT_VALID | FC_PART_EAGER);
	e->flit.parts |= (u8)(run << FC_PART_EAGER_SHIFT);
	e->keep = needed(in, b);
	if (!e->keep) {
		f->h = NULL;
		in->moved = true;
	}
	b->flit++;
	fc_vtouch(v, b->class);
	fc_llr_sent(ch, b->port, e);
	may_come_of(v, number);
}

/*
 * The mad postman: forwards the front straight on before the routing decision, if the output is
 * idle and has credit, and if the packet has one target: of several, some may part here.  Where
 * links are known to be dead the site routes first, because straight on may lead to a dead end; so
 * it does where it has preferences, because the next site judges by the topology alone whether the
 * front is dead.
 */
static bool forward_eager(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in,
			  const struct fc_flit *front, struct fc_effects *fx)
{
	u8 run = fc_part_eager(front->parts);
	const struct fc_straight *s;
	struct fc_vout *out;

	if (!v->straight || v->node->routes || v->node->prefers || run == FC_EAGER_MAX ||
	    fc_wire_ntargets(front->head) != 1 || fc_wire_hops(front->head) >= FC_HOPS_MAX ||
	    !fc_vfits(v, in, front))
		return false;
	s = &v->straight[class * v->nports + port];
	if (s->port == FC_PORT_LOCAL ||
	    !(v->up & ~(v->node->avoid | v->node->doubtful) & fc_bit(s->port)))
		return false;
	out = fc_vout_of(v, s->class, s->port);
	if (!fc_vidle(v, s->class, s->port, in->n))
		return false;
	fc_vnet_branch(v, in, s->port, s->class, 1);
	in->branch[0].begun = true;
	in->ran = true;
	v->node->stat[FC_STAT_PKT_EAGER]++;
	send(v, out->first, &in->branch[0], in, run + 1, fx);
	return true;
}

/* Aborts a speculative branch, unless its terminator has left. */
static void branch_dead(struct fc_vnet *v, struct fc_vbranch *b)
{
	if (b->completed)
		return;
	b->dead = true;
	fc_vmay_go(v, b->class, b->port);
}

/* Makes the routing decision.  Return: false if there is no route yet. */
static bool route_packet(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in,
			 struct fc_effects *fx)
{
	const struct fc_flit *front = slot(&v->ch[class], port, 0);
	const struct fc_topo *topo = v->classes->topo;
	u32 dst = fc_wire_target_site(front->head, 0);
	struct fc_vbranch *b = &in->branch[0];

	in->routed = FC_ROUTED_DONE;
	if (fc_postman_dead(topo, v->node->id, port, dst, fc_part_eager(front->parts))) {
		v->node->stat[FC_STAT_PKT_DEAD]++;
		if (in->ran)
			branch_dead(v, b);
		return true;
	}
	if (in->ran && fc_postman_right(topo, v->node->id, dst, b->port - 1)) {
		v->node->stat[FC_STAT_PKT_UNICAST]++;
		fc_vmay_go(v, b->class, b->port);
		return true;
	}
	if (in->ran)
		branch_dead(v, b);
	return fc_vnet_route(v, class, port, in, front, fx);
}

static bool begin(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in,
		  const struct fc_flit *front, struct fc_effects *fx)
{
	u32 n = fc_vflits_of(v, front);

	in->oper = 0;
	in->datagram = fc_wire_datagram(front->head);
	in->left = fc_wire_data_len(front->head);
	in->n = (u16)n;
	in->come = 0;
	in->freed = 0;
	in->nbranches = 0;
	in->active = 0;
	in->whole = false;
	in->cut = false;
	in->moved = false;
	in->ran = false;
	in->stored = false;
	in->abandoned = false;
	in->rest = false;
	in->routed = FC_ROUTED_NOT;
	fc_progress_begin(&in->progress, front->head, v->now);
	if (n > v->ch[class].window) {
		/* The packet exceeds the window: its sender violates the size of flits. */
		protocol(v, class, port);
		in->come = 1;
		in->cut = true;
		in->busy = true;
		return true;
	}
	if (port != FC_PORT_LOCAL && n > 1) {
		fc_vnet_watch(v);
		if (fc_stall_stores(&v->stall[port], v->now)) {
			in->stored = true;
			in->busy = true;
			/* A front before it was cut that waited for FC_EV_ROUTE. */
			v->unrouted[class] &= ~fc_bit(port);
			return true;
		}
	}
	if (port != FC_PORT_LOCAL && (forward_eager(v, class, port, in, front, fx) || v->slow)) {
		in->busy = true;
		v->unrouted[class] |= fc_bit(port);
		fc_effect_add(fx, FC_FX_ROUTE, port, NULL)->vc = v->ch[class].vc;
		return true;
	}
	in->busy = route_packet(v, class, port, in, fx);
	in->seek = !in->busy;
	return in->busy;
}

/* Takes in the flits of the first packet that have arrived since. */
static void take_in(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in)
{
	u8 i;

	while (!in->whole && !in->cut) {
		const struct fc_flit *f = slot(&v->ch[class], port, in->come - in->freed);

		if (in->come >= in->freed + v->ch[class].window || !(f->parts & FC_FLIT_VALID))
			return;
		if (in->come && f->parts & FC_PART_HEAD) {
			/* The next packet began without an end to this one. */
			protocol(v, class, port);
			fc_vnet_cut(v, in);
			return;
		}
		if (f->parts & FC_PART_ABORT || !fc_vfits(v, in, f)) {
			if (!(f->parts & FC_PART_ABORT))
				protocol(v, class, port);
			in->come++;
			fc_vnet_cut(v, in);
			return;
		}
		in->left -= f->data;
		in->come++;
		in->whole = f->parts & FC_PART_TERM;
		for (i = 0; i < in->nbranches; i++)
			if (!in->branch[i].completed)
				fc_vmay_go(v, in->branch[i].class, in->branch[i].port);
	}
}

/* Hands the whole packet to the operator. */
static void serve(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in, struct fc_effects *fx)
{
	bool last = !in->active;
	u16 i;

	for (i = 0; i < in->n; i++) {
		struct fc_flit *f = slot(&v->ch[class], port, i);
		struct fc_effect *e = fc_effect_add(fx, FC_FX_STORE, port, f);

		e->flit.parts &= ~(FC_FLIT_VALID | FC_PART_EAGER);
		e->keep = !last;
		if (last)
			f->h = NULL;
	}
	fc_effect_add(fx, FC_FX_SERVE, port, NULL)->mask = in->oper;
	in->oper = 0;
}

/*
 * Why the next flit to leave a queue has a handle: only copies of it were sent, or a branch ended
 * before it.  In mode postman speculation ends branches, and misroutes copies of packets.
 */
static u8 drop_reason(const struct fc_vnet *v, const struct fc_vin *in)
{
	u8 i;

	if (v->straight)
		return FC_DROP_USED;
	if (in->cut)
		return FC_DROP_CUT;
	if (in->abandoned)
		return FC_DROP_STUCK;
	if (!in->nbranches)
		return FC_DROP_UNROUTABLE;
	for (i = 0; i < in->nbranches; i++)
		if (in->branch[i].flit <= in->freed)
			return FC_DROP_DOWN;
	return FC_DROP_USED;
}

/* Consumes the flits that no branch needs: the peer gets their credit back. */
static void leave_queue(struct fc_vnet *v, u8 class, u8 port, struct fc_vin *in,
			struct fc_effects *fx)
{
	u16 keep = in->come;
	u8 i;

	for (i = 0; i < in->nbranches; i++)
		if (!in->branch[i].completed && !in->cut && in->branch[i].flit < keep)
			keep = in->branch[i].flit;
	if (in->oper)
		keep = 0;
	while (in->freed < keep) {
		struct fc_flit flit = fc_rx_consume(&v->ch[class], port);

		fc_effect_drop(fx, port, &flit, drop_reason(v, in));
		in->freed++;
		in->moved = true;
	}
}

static bool step_in(struct fc_vnet *v, u8 class, u8 port, struct fc_effects *fx)
{
	struct fc_vin *in = fc_vin_of(v, class, port);

	if (!in->busy) {
		struct fc_flit *first;

		if (!v->ch[class].rx[port].queued)
			return false;
		first = slot(&v->ch[class], port, 0);
		if (!(first->parts & FC_FLIT_VALID))
			return false;
		if (!(first->parts & FC_PART_HEAD)) {
			struct fc_flit flit = fc_rx_consume(&v->ch[class], port);
			u8 why = in->rest ? FC_DROP_CUT : FC_DROP_PROTOCOL;

			/* A terminator that aborts may follow a packet that was cut here. */
			if (flit.parts & FC_PART_ABORT)
				why = FC_DROP_USED;
			else if (!in->rest)
				protocol(v, class, port);
			fc_effect_drop(fx, port, &flit, why);
			return true;
		}
		if (!begin(v, class, port, in, first, fx))
			return false;
	}
	take_in(v, class, port, in);
	if (in->stored && in->whole && in->routed == FC_ROUTED_NOT)
		in->routed = FC_ROUTED_NOW;
	if (!in->cut && in->routed == FC_ROUTED_NOT)
		return false;
	if (!in->cut && in->routed == FC_ROUTED_NOW)
		route_packet(v, class, port, in, fx);
	if (in->whole && in->oper)
		serve(v, class, port, in, fx);
	leave_queue(v, class, port, in, fx);
	if (!(in->whole || in->cut) || in->active || in->oper || in->freed != in->come)
		return false;
	in->busy = false;
	return true;
}

/*
 * Outputs.
 */

/* A branch of an output, behind branch @before if it is not the first, has ended. */
static void unlink(struct fc_vnet *v, struct fc_vout *out, u32 before, u32 number)
{
	struct fc_vbranch *b = fc_vbranch_of(v, number);
	struct fc_vin *in = &v->in[number / fc_vslots_of(v)];

	if (before == FC_VBRANCH_NONE)
		out->first = b->next;
	else
		fc_vbranch_of(v, before)->next = b->next;
	if (out->last == number)
		out->last = before;
	out->load -= in->n;
	if (out->first == FC_VBRANCH_NONE)
		fc_llr_wait_ends(&v->ch[b->class], b->port);
	b->completed = true;
	in->active--;
	may_come_of(v, number);
}

/* The first branch of an output has ended. */
static void leave(struct fc_vnet *v, u8 class, u8 port)
{
	struct fc_vout *out = fc_vout_of(v, class, port);

	unlink(v, out, FC_VBRANCH_NONE, out->first);
}

/* The link is reset: the operator sends whole packets again, by another route. */
static void strand(struct fc_vnet *v, u8 class, u8 port)
{
	struct fc_vout *out = fc_vout_of(v, class, port);

	while (out->first != FC_VBRANCH_NONE) {
		struct fc_vbranch *b = fc_vbranch_of(v, out->first);
		struct fc_vin *in = &v->in[out->first / fc_vslots_of(v)];

		/* A speculative branch before the routing decision decides nothing. */
		if (in->routed != FC_ROUTED_DONE)
			in->ran = false;
		else if (!in->cut && !in->moved && !b->dead)
			in->oper |= b->mask;
		leave(v, class, port);
	}
}

/*
 * Routes avoid the link now: the operator sends packets that wait for it by another route.  A
 * packet that has begun, which is the first one, goes on.
 */
static void divert(struct fc_vnet *v, u8 class, u8 port)
{
	struct fc_vout *out = fc_vout_of(v, class, port);
	u32 number, next, before = FC_VBRANCH_NONE;

	for (number = out->first; number != FC_VBRANCH_NONE; number = next) {
		struct fc_vbranch *b = fc_vbranch_of(v, number);
		u32 at = number / fc_vslots_of(v);
		struct fc_vin *in = &v->in[at];
		const struct fc_flit *front = slot(&v->ch[at / v->nports], (u8)(at % v->nports), 0);

		next = b->next;
		if (b->begun || in->cut || !fc_node_avoids(v->node, front->head, b->mask, port)) {
			before = number;
			continue;
		}
		in->oper |= b->mask;
		unlink(v, out, before, number);
	}
}

/*
 * In mode csr: is it the turn of a packet?  It moves to the front then, past the others in line,
 * but not past one that has begun.
 */
static bool turn(struct fc_vnet *v, u8 class, u8 port)
{
	struct fc_vout *out = fc_vout_of(v, class, port);
	u32 number, before = FC_VBRANCH_NONE;

	for (number = out->first; number != FC_VBRANCH_NONE;
	     number = fc_vbranch_of(v, number)->next) {
		struct fc_vbranch *b = fc_vbranch_of(v, number);
		u32 at = number / fc_vslots_of(v);
		const struct fc_flit *front = slot(&v->ch[at / v->nports], (u8)(at % v->nports), 0);

		if (b->begun || v->in[at].cut ||
		    fc_csr_plan_go(v->plan, &v->in[at], front->head, b))
			break;
		before = number;
	}
	if (number == FC_VBRANCH_NONE || number == out->first)
		return number != FC_VBRANCH_NONE;
	fc_vbranch_of(v, before)->next = fc_vbranch_of(v, number)->next;
	if (out->last == number)
		out->last = before;
	fc_vbranch_of(v, number)->next = out->first;
	out->first = number;
	return true;
}

/*
 * Branches without credit wait.  If the peer takes nothing, they are abandoned, of any place in the
 * line: in mode csr the first one may wait for its window.  Return: true: one was abandoned.
 */
static bool abandon(struct fc_vnet *v, u8 class, u8 port)
{
	struct fc_vout *out = fc_vout_of(v, class, port);
	struct fc_channel *ch = &v->ch[class];
	u32 number, before = FC_VBRANCH_NONE;

	for (number = out->first; number != FC_VBRANCH_NONE; before = number,
	     number = fc_vbranch_of(v, number)->next) {
		struct fc_vin *in = &v->in[number / fc_vslots_of(v)];
		struct fc_vbranch *b = fc_vbranch_of(v, number);

		if (in->cut || !fc_vlacks_credit(v, b, in))
			continue;
		if (!b->asked)
			fc_llr_add_flags(ch, port, FC_STATUS_ACK_REQUEST);
		b->asked = true;
		fc_llr_wait(ch, port);
		if (!fc_llr_stuck(ch, port, in->datagram))
			continue;
		ch->rx[port].stat[FC_LSTAT_TX_ABANDONED]++;
		in->abandoned = true;
		unlink(v, out, before, number);
		return true;
	}
	return false;
}

static bool step_out(struct fc_vnet *v, u8 class, u8 port, struct fc_effects *fx)
{
	struct fc_vout *out = fc_vout_of(v, class, port);
	struct fc_channel *ch = &v->ch[class];
	struct fc_vbranch *b;
	struct fc_vin *in;
	u32 number;

	if (out->first == FC_VBRANCH_NONE)
		return false;
	if (v->plan && !turn(v, class, port))
		return abandon(v, class, port);
	number = out->first;
	b = fc_vbranch_of(v, number);
	in = &v->in[number / fc_vslots_of(v)];
	if (in->cut || b->dead) {
		/* Send the terminator, unless the front has it. */
		if (b->begun && b->flit < in->n) {
			struct fc_effect *e = fc_effect_add(fx, FC_FX_SEND, port, NULL);

			e->vc = ch->vc;
			e->flit.parts = FC_PART_TERM | FC_PART_ABORT;
			fc_llr_sent(ch, port, e);
		}
		leave(v, class, port);
		return true;
	}
	/* After a speculative front the rest waits for the routing decision. */
	if (in->routed != FC_ROUTED_DONE && b->flit < in->n)
		return false;
	if (fc_vlacks_credit(v, b, in))
		return abandon(v, class, port);
	if (b->flit == in->come) {
		/* The speculative front was the whole packet. */
		if (b->flit < in->n)
			return false;
		leave(v, class, port);
		return true;
	}
	if (v->plan && !b->begun) {
		u32 at = number / fc_vslots_of(v);

		fc_csr_plan_gone(v->plan, port,
				 slot(&v->ch[at / v->nports], (u8)(at % v->nports), 0)->head);
	}
	b->begun = true;
	send(v, number, b, in, 0, fx);
	if (b->flit < in->come)
		return true;
	/* take_in() schedules the branch again when more flits arrive. */
	if (!in->whole)
		return false;
	leave(v, class, port);
	return true;
}

/*
 * Events.
 */

/* Resets one class of a link; the peer does likewise. */
static void channel_reset(struct fc_vnet *v, u8 class, u8 port, struct fc_effects *fx)
{
	struct fc_channel *ch = &v->ch[class];
	struct fc_vin *in = fc_vin_of(v, class, port);

	strand(v, class, port);
	if (in->busy) {
		fc_vnet_cut(v, in);
		in->come = 0;
		in->freed = 0;
	}
	in->seek = false;
	in->rest = false;
	fc_llr_reset(ch, port, v->window[port] < ch->window ? v->window[port] : ch->window, fx);
	if (v->up & fc_bit(port))
		ch->up |= fc_bit(port);
	else
		ch->up &= ~fc_bit(port);
	fc_vmay_come(v, class, port);
}

static bool resets(struct fc_vnet *v, struct fc_effects *fx)
{
	u8 p;

	for (; v->resets; v->resets &= v->resets - 1) {
		p = (u8)fc_low(v->resets);
		for (; v->reset[p]; v->reset[p] &= v->reset[p] - 1) {
			u8 c = (u8)fc_low64(v->reset[p]);

			if (fx->n > FC_EFFECTS - STEP_EFFECTS)
				return true;
			fc_vtouch(v, c);
			channel_reset(v, c, p, fx);
		}
	}
	return false;
}

/* Bits from @from on first, then the others. */
static unsigned int from_on(u64 mask, unsigned int from)
{
	u64 high = mask & ~(fc_bit64(from) - 1);

	return fc_low64(high ? high : mask);
}

static void work_class(struct fc_vnet *v, u8 c, struct fc_effects *fx)
{
	if (v->go[c]) {
		u8 p = (u8)fc_low(v->go[c]);

		if (!step_out(v, c, p, fx))
			v->go[c] &= ~fc_bit(p);
	} else {
		u8 p = (u8)fc_low(v->come[c]);

		if (!step_in(v, c, p, fx))
			v->come[c] &= ~fc_bit(p);
	}
}

/* Return: true if there is more to do than goes in one event. */
static bool run(struct fc_vnet *v, struct fc_effects *fx)
{
	u8 c;

	if (resets(v, fx))
		return true;
	v->nrouted = 0;
	while (v->work) {
		if (fx->n >= RUN_EFFECTS || v->nrouted >= RUN_ROUTED)
			return true;
		c = (u8)from_on(v->work, v->rotate);
		fc_vtouch(v, c);
		if (v->go[c] | v->come[c])
			work_class(v, c, fx);
		if (!(v->go[c] | v->come[c])) {
			v->work &= ~fc_bit64(c);
			fc_vrotate(v, c);
		}
	}
	for (; v->touched; v->touched &= v->touched - 1) {
		c = (u8)fc_low64(v->touched);
		if (fx->n > FC_EFFECTS - FC_PORTS_MAX)
			return true;
		fc_vupdate(v, &v->ch[c], fx);
	}
	return false;
}

static void link_reset(struct fc_vnet *v, u8 port, u32 window)
{
	fc_vnet_rerouted(v);
	v->window[port] = window;
	v->resets |= fc_bit(port);
	v->reset[port] = v->nclasses < 64 ? fc_bit64(v->nclasses) - 1 : ~(u64)0;
}

/* Routes avoid a link: nothing may need it that can leave it. */
static void suspect(struct fc_vnet *v, u8 port, struct fc_effects *fx)
{
	u8 c;

	for (c = 0; c < v->nclasses; c++) {
		fc_vtouch(v, c);
		divert(v, c, port);
		/* Another packet may be first now, and need less credit. */
		fc_vmay_go(v, c, port);
		if (!fc_tx_empty(&v->ch[c].tx[port]))
			fc_effect_add(fx, FC_FX_COPY, port, NULL)->vc = v->ch[c].vc;
	}
}

static void trust(struct fc_vnet *v, u8 port)
{
	u8 c;

	for (c = 0; c < v->nclasses; c++) {
		fc_vtouch(v, c);
		fc_llr_hasten(&v->ch[c], port);
	}
	v->next_at = v->now;
}

static void route_now(struct fc_vnet *v, u8 class, u32 ports)
{
	for (ports &= v->unrouted[class]; ports; ports &= ports - 1) {
		u8 p = (u8)fc_low(ports);
		struct fc_vin *in = fc_vin_of(v, class, p);

		v->unrouted[class] &= ~fc_bit(p);
		/* The packet that waited was cut, and another one is first. */
		if (in->routed != FC_ROUTED_NOT)
			continue;
		in->routed = FC_ROUTED_NOW;
		fc_vmay_come(v, class, p);
	}
}

static void route_at(struct fc_vnet *v, u8 class, u8 port)
{
	u8 c;

	if (port != FC_PORT_LOCAL)
		route_now(v, class, fc_bit(port));
	else
		for (c = 0; c < v->nclasses; c++)
			route_now(v, c, ~(u32)0);
}

/* Packets that wait for a link that takes nothing are abandoned. */
static void stuck(struct fc_vnet *v, u8 class, u32 ports)
{
	for (ports &= v->ch[class].stuck; ports; ports &= ports - 1)
		fc_vcredit(v, class, (u8)fc_low(ports));
}

static void timers(struct fc_vnet *v)
{
	u8 c;

	if (v->now < v->next_at)
		return;
	fc_vnet_check(v);
	v->next_at = v->check.at;
	for (c = 0; c < v->nclasses; c++) {
		if (v->ch[c].next_at <= v->now) {
			fc_vtouch(v, c);
			fc_llr_time(&v->ch[c]);
			stuck(v, c, ~(u32)0);
		}
		if (v->ch[c].next_at < v->next_at)
			v->next_at = v->ch[c].next_at;
	}
}

bool fc_vnet_work(struct fc_vnet *v, u8 class, const struct fc_event *ev, struct fc_effects *fx)
{
	struct fc_channel *ch = &v->ch[class];

	fc_vtouch(v, class);
	switch ((enum fc_event_type)ev->type) {
	case FC_EV_FLIT:
		if (fc_llr_flit(ch, ev, fx))
			fc_vmay_come(v, class, ev->port);
		break;
	case FC_EV_STATUS:
		if (fc_llr_acked(ch, ev->port, ev->ack, fx))
			fc_vmay_go(v, class, ev->port);
		fc_llr_status(ch, ev, fx);
		stuck(v, class, fc_bit(ev->port));
		break;
	case FC_EV_LINK_UP:
		v->up |= fc_bit(ev->port);
		link_reset(v, ev->port, ev->count);
		break;
	case FC_EV_LINK_DOWN:
		v->up &= ~fc_bit(ev->port);
		link_reset(v, ev->port, FC_VCLASSES_MAX);
		break;
	case FC_EV_ROUTE:
		route_at(v, class, ev->port);
		break;
	case FC_EV_SUSPECT:
		suspect(v, ev->port, fx);
		break;
	case FC_EV_TRUST:
		trust(v, ev->port);
		break;
	case FC_EV_ROOM:
	case FC_EV_TIME:
	case FC_EV_MORE:
		break;
	}
	timers(v);
	return run(v, fx);
}
