// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving ends: flows, messages put together from packets, delivery to ports.
 *
 * The flows are the site's, not the socket's, so that a packet that comes late is
 * known as a duplicate even if another socket has the port by then.
 */
#include <linux/sizes.h>
#include <linux/slab.h>
#include "ends/ports.h"
#include "ends/rx.h"
#include "ends/rxmsg.h"
#include "ends/rxroom.h"
#include "ends/txflow.h"
#include "fabric/csr.h"
#include "fabric/enter.h"

/* Confirmations that were owed are sent so many in one go. */
#define PAY_BUDGET	64

static noinline struct flitcast_port *port_look_up(struct flitcast_site *site, u16 number)
{
	struct flitcast_port *port = flitcast_port_find(site, number);

	if (port)
		site->ends->ports.last = port;
	return port;
}

/* The port, for what comes in. */
static inline struct flitcast_port *port_open(struct flitcast_site *site, u16 number)
{
	struct flitcast_port *port = site->ends->ports.last;

	if (!port || port->number != number)
		port = port_look_up(site, number);
	return port && !port->closing ? port : NULL;
}

static struct rx_key key_of(const struct fc_packet *pk, u16 port)
{
	return (struct rx_key) {
		.src = pk->src, .incarnation = pk->incarnation, .sock = pk->sock, .port = port,
	};
}

/* The same of a control frame of the source. */
static struct rx_key key_of_ctrl(const struct fc_ctrl *ctrl)
{
	return (struct rx_key) {
		.src = ctrl->site, .incarnation = ctrl->incarnation, .sock = ctrl->sock,
		.port = ctrl->port,
	};
}

static void answer(struct flitcast_site *site, const struct fc_packet *pk,
		   const struct fc_target *t, struct rx_flow *flow,
		   enum fc_ctrl_kind kind)
{
	struct fc_ctrl ctrl = {
		.kind = kind, .dst = pk->src, .incarnation = pk->incarnation,
		.sock = pk->sock, .site = site->cfg.id, .port = t->port, .seq = t->seq,
		.next = t->seq - t->lag,
	};

	if (flow) {
		fc_rxflow_confirm(&flow->core, t->seq, &ctrl);
		/* Whatever it says, it says the level with it. */
		list_del_init(&flow->owed);
	}
	site->stat[FC_STAT_CTRL_SENT]++;
	if (kind == FC_CTRL_CONFIRM && site->ctrl.beyond)
		flitcast_ctrl_hold(site, &ctrl, site->ctrl.beyond);
	else
		flitcast_ctrl_send(site, &ctrl);
}

/* A message was delivered whose source can wait for the confirmation. */
static void owe(struct flitcast_site *site, struct rx_flow *flow)
{
	if (!list_empty(&flow->owed))
		return;
	flow->owed_at = flow->used + FC_LATER_NS;
	list_add_tail(&flow->owed, &site->ends->rx.owed);
	site->clock.ends_at = min(site->clock.ends_at, flow->owed_at);
}

/* The confirmation that is owed: of all that was delivered. */
static void pay(struct flitcast_site *site, struct rx_flow *flow)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_CONFIRM, .dst = flow->key.src, .incarnation = flow->key.incarnation,
		.sock = flow->key.sock, .site = site->cfg.id, .port = flow->key.port,
	};

	fc_rxflow_confirm(&flow->core, flow->core.next - 1, &ctrl);
	list_del_init(&flow->owed);
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

bool flitcast_rx_time(struct flitcast_site *site, u64 until)
{
	unsigned int budget = PAY_BUDGET;
	struct rx_flow *flow, *next;

	list_for_each_entry_safe(flow, next, &site->ends->rx.owed, owed) {
		/* The timer goes on with it, so that nobody holds the lock for long. */
		if (flow->owed_at > until || !budget--) {
			site->clock.ends_at = min(site->clock.ends_at, flow->owed_at);
			return flow->owed_at <= until;
		}
		pay(site, flow);
	}
	return false;
}

/* What the source does not send any more. */
struct skip_arg {
	struct flitcast_site *site;
	struct rx_flow *flow;
};

static void skip(void *arg, struct fc_rxmsg *m)
{
	struct skip_arg *a = arg;
	struct flitcast_port *port = flitcast_port_find(a->site, a->flow->key.port);

	if (port)
		port->ops->uncharge(port, flitcast_rxmsg_charged(m), m->early);
	flitcast_rxmsg_drop(a->site, m);
}

/* May this message come in, as far as the port is concerned? */
static enum flitcast_admit may_come(struct flitcast_port *port, const struct fc_packet *pk,
				    bool early)
{
	if (port->ops->admit)
		return port->ops->admit(port, pk, early);
	return pk->kind == FC_KIND_MESSAGE ? FLITCAST_ADMIT_YES : FLITCAST_ADMIT_NO;
}

/*
 * Reserve room for a message and make its place.  Its packets are thought to hold what the first
 * one, which is here, does.  The next message needs no place if that packet is all of it.
 */
static bool admit(struct flitcast_site *site, struct flitcast_port *port,
		  struct rx_flow *flow, struct fc_rxmsg *slot, const struct fc_target *t,
		  const struct fc_part *part, const struct rx_taken *taken, bool later)
{
	u32 extra = min_t(u64, (u64)taken->extra * part->count, SZ_256M);
	u32 charge = flitcast_rxmsg_charge(part) + extra;
	bool early = t->seq != flow->core.next;
	void *msg;

	/* A message that is delivered at once leaves nothing for flitcast_rx_reclaim() to free. */
	if (later || early || !taken->alone)
		rx_holds(flow, port);
	if (later || !flitcast_rx_charge(site, port, flow, charge, early)) {
		rx_holds(flow, port);
		flitcast_rx_reclaim(site, port);
		site->stat[FC_STAT_MSG_NO_ROOM]++;
		*rx_need(flow, t->seq) = charge;
		/* One that came early waits for its turn first. */
		if (!early && list_empty(&flow->waiting))
			list_add_tail(&flow->waiting, &port->waiting);
		return false;
	}
	*rx_need(flow, t->seq) = 0;
	msg = taken->alone ? flitcast_rxmsg_alone(taken->data, charge) :
			     flitcast_rxmsg_make(part, charge, extra);
	if (!msg) {
		site->stat[FC_STAT_NO_MEMORY]++;
		port->ops->uncharge(port, charge, early);
		return false;
	}
	if (early || !taken->alone)
		fc_rxflow_admit(&flow->core, slot, t, part, msg);
	if (!early && !list_empty(&flow->waiting))
		list_del_init(&flow->waiting);
	return true;
}

/* One more packet of a message.  One that was not expected makes the message that. */
static void note_arrival(struct flitcast_arrival *arrival, u64 due, u64 now)
{
	bool first = !arrival->arrived;

	arrival->arrived = now;
	if (first || !due)
		arrival->reserved = due;
	else if (arrival->reserved)
		arrival->reserved = max(arrival->reserved, due);
}

/* A message for a port is complete.  One that nobody is to read may be news for the port, too. */
static void hand_over(struct flitcast_site *site, struct flitcast_port *port, struct sk_buff *skb)
{
	site->stat[FC_STAT_MSG_DELIVERED]++;
	if (!port->ops->deliver(port, skb))
		flitcast_rx_drop(site, skb);
	flitcast_wake(site, port, FLITCAST_WAKE_IN);
}

static void deliver(struct flitcast_site *site, struct flitcast_port *port,
		    struct rx_flow *flow, struct fc_rxmsg *m)
{
	struct sk_buff *skb = flitcast_rxmsg_finish(port, m);
	bool early = m->early;

	fc_rxflow_delivered(&flow->core, m);
	if (early)
		port->ops->promote(port, FLITCAST_DELIVERY(skb)->charge);
	hand_over(site, port, skb);
}

/* What a delivery says of itself; not @charge. */
static void describe(struct flitcast_delivery *d, const struct fc_packet *pk,
		     const struct fc_part *part, u32 cut, const struct flitcast_votes *votes)
{
	d->skip = part->off - part->first * FC_PACKET_MAX - cut;
	d->len = part->len;
	d->site = pk->src;
	d->port = pk->src_port;
	d->hops = pk->hops;
	d->id = pk->id;
	d->offset = part->off;
	d->msg_len = pk->msg_len;
	d->incarnation = pk->incarnation;
	d->sock = pk->sock;
	d->list = !!(pk->flags & FC_PACKET_LIST);
	d->kind = pk->kind;
	d->cast = !!votes;
	d->copies = votes ? votes->copies : 1;
	d->votes = votes ? votes->votes : 1;
	d->dissent = votes ? votes->dissent : 0;
}

/* What deliver_next() does where one is ready, or was put off. */
static noinline void deliver_waiting(struct flitcast_site *site, struct flitcast_port *port,
				     struct rx_flow *flow)
{
	struct fc_rxmsg *m;

	while ((m = fc_rxflow_ready(&flow->core)))
		deliver(site, port, flow, m);
	/* That of a message that was put off as early, too. */
	if (*rx_need(flow, flow->core.next) && list_empty(&flow->waiting)) {
		list_add_tail(&flow->waiting, &port->waiting);
		flitcast_rx_invite(site, port);
	}
}

/* The turn of those behind a message that was delivered has come. */
static inline void deliver_next(struct flitcast_site *site, struct flitcast_port *port,
				struct rx_flow *flow)
{
	if (fc_rxflow_ready(&flow->core) || *rx_need(flow, flow->core.next))
		deliver_waiting(site, port, flow);
}

/* When a packet was to come, by its header, which is not kept. */
static u64 csr_due(struct flitcast_site *site, const struct sk_buff_head *flits,
		   const struct flitcast_votes *votes)
{
	return votes ? 0 : flitcast_csr_due(site, skb_peek(flits)->data);
}

/*
 * A broadcast is the same to all: it does not say which older messages this target has not got yet.
 * Return: what it says to this one, in @own; NULL: it is beyond the window.
 */
static const struct fc_target *cast_target(const struct rx_flow *flow, const struct fc_target *t,
					   struct fc_target *own)
{
	if ((s32)(t->seq - flow->core.next) >= FC_FLOW_WINDOW)
		return NULL;
	*own = *t;
	own->lag = max_t(s32, t->seq - flow->core.next, 0);
	return own;
}

/* A packet was taken: it is kept, and delivered with the others if it was the last one. */
static void rx_keep(struct flitcast_site *site, struct flitcast_port *port, struct rx_flow *flow,
		    struct fc_rxmsg *slot, const struct fc_packet *pk, const struct fc_part *part,
		    struct rx_taken *taken, u64 due, const struct flitcast_votes *votes)
{
	u16 index = pk->offset / FC_PACKET_MAX - part->first;
	struct sk_buff *skb = taken->alone ? taken->data :
					     flitcast_rxmsg_keep(port, slot, index, taken);

	note_arrival(FLITCAST_ARRIVAL(skb), due, flow->used);
	describe(FLITCAST_DELIVERY(skb), pk, part, taken->cut, votes);
	if (slot->state == FC_RX_EMPTY) {
		fc_rxflow_pass(&flow->core);
		hand_over(site, port, skb);
		deliver_next(site, port, flow);
		return;
	}
	fc_rxmsg_stored(slot, index);
	if (fc_rxflow_ready(&flow->core))
		deliver_waiting(site, port, flow);
}

/* The level of a flow was @before.  Others may have waited only for what the source gave up. */
static void went_up(struct flitcast_site *site, struct flitcast_port *port, struct rx_flow *flow,
		    u32 before)
{
	struct fc_rxmsg *m;

	if (flow->core.next == before)
		return;
	while ((m = fc_rxflow_ready(&flow->core)))
		deliver(site, port, flow, m);
	flitcast_rx_level(site, port, flow, before);
}

/* Any packet of a flow, step by step. */
static noinline bool rx_any(struct flitcast_site *site, struct flitcast_port *port,
			    struct rx_flow *flow, struct sk_buff_head *flits,
			    const struct fc_packet *pk, const struct fc_target *t,
			    const struct flitcast_votes *votes)
{
	struct fc_part part;
	u16 packet;
	struct fc_rxmsg *slot;
	enum flitcast_admit admitted;
	enum fc_rx_verdict verdict;
	struct skip_arg arg;
	struct rx_taken taken;
	u64 due;
	struct fc_target own;
	bool over = true;
	u32 before;

	if (votes && flow->core.begun) {
		t = cast_target(flow, t, &own);
		if (!t) {
			over = false;
			goto drop;
		}
	}
	part = fc_part_make(pk->msg_len, t->off, t->len);
	packet = pk->offset / FC_PACKET_MAX;
	arg.site = site;
	arg.flow = flow;
	before = flow->core.begun ? flow->core.next : t->seq - t->lag;
	verdict = fc_rxflow_packet(&flow->core, t, &part, packet, &slot, skip, &arg);
	went_up(site, port, flow, before);
	switch (verdict) {
	case FC_RX_BAD:
		site->stat[FC_STAT_PKT_BAD]++;
		goto drop;
	case FC_RX_DUPLICATE:
		site->stat[FC_STAT_PKT_DUPLICATE]++;
		answer(site, pk, t, flow, FC_CTRL_CONFIRM);
		goto drop;
	case FC_RX_ADMIT:
		/* A later one of a message that was given up here: from the beginning. */
		if (packet != part.first) {
			answer(site, pk, t, flow, FC_CTRL_ROOM);
			over = false;
			goto drop;
		}
		admitted = may_come(port, pk, t->seq != flow->core.next);
		if (admitted == FLITCAST_ADMIT_NO) {
			site->stat[FC_STAT_MSG_REFUSED]++;
			answer(site, pk, t, flow, FC_CTRL_REFUSED);
			goto drop;
		}
		due = csr_due(site, flits, votes);
		flitcast_rxmsg_take(port, flits, &part, packet, &taken);
		if (!admit(site, port, flow, slot, t, &part, &taken,
			   admitted == FLITCAST_ADMIT_LATER)) {
			kfree_skb_list(taken.data);
			answer(site, pk, t, flow, FC_CTRL_NO_ROOM);
			over = false;
			goto drop;
		}
		break;
	case FC_RX_TAKE:
		due = csr_due(site, flits, votes);
		flitcast_rxmsg_take(port, flits, &part, packet, &taken);
		break;
	}
	rx_keep(site, port, flow, slot, pk, &part, &taken, due, votes);
	if (pk->flags & FC_PACKET_LATER && fc_before(t->seq, flow->core.next))
		owe(site, flow);
	else
		answer(site, pk, t, flow, FC_CTRL_CONFIRM);
	return true;
drop:
	__skb_queue_purge(flits);
	return over;
}

/* There is no such port, or it has no flow of the source yet. */
static noinline bool rx_first(struct flitcast_site *site, struct flitcast_port *port,
			      struct rx_flow *flow, struct sk_buff_head *flits,
			      const struct fc_packet *pk, const struct fc_target *t,
			      const struct flitcast_votes *votes)
{
	const struct rx_key key = key_of(pk, t->port);
	bool over = true;

	if (!port) {
		/* What a socket received before it was closed is not refused afterwards. */
		bool had = flow && fc_before(t->seq, flow->core.next);

		if (!had)
			site->stat[FC_STAT_MSG_REFUSED]++;
		answer(site, pk, t, had ? flow : NULL, had ? FC_CTRL_CONFIRM : FC_CTRL_REFUSED);
		goto drop;
	}
	if (flitcast_rxflow_old(site, &key) || (votes && t->lag == FC_CAST_LAG_MAX)) {
		/*
		 * The flow may have been forgotten, or more older messages may be to come than
		 * @lag can say: ask the source which are over; it sends the others again.
		 */
		site->stat[FC_STAT_FLOW_UNKNOWN]++;
		flitcast_rx_level_ask(site, &key, t->seq, t->seq - t->lag);
		over = false;
		goto drop;
	}
	flow = flitcast_rxflow_make(site, port, &key);
	if (flow)
		return rx_any(site, port, flow, flits, pk, t, votes);
	/* The source asks when others may have gone. */
	answer(site, pk, t, NULL, FC_CTRL_NO_ROOM);
	over = false;
drop:
	__skb_queue_purge(flits);
	return over;
}

bool flitcast_rx_packet(struct flitcast_site *site, struct sk_buff_head *flits,
			const struct fc_packet *pk, const struct fc_target *t,
			const struct flitcast_votes *votes)
{
	struct flitcast_port *port = port_open(site, t->port);
	const struct rx_key key = key_of(pk, t->port);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	if (unlikely(!port || !flow))
		return rx_first(site, port, flow, flits, pk, t, votes);
	flitcast_rxflow_used(site, flow);
	return rx_any(site, port, flow, flits, pk, t, votes);
}

/* All before a level is over at the source: what was received of that is, too. */
static void forward(struct flitcast_site *site, struct flitcast_port *port, struct rx_flow *flow,
		    u32 level)
{
	struct skip_arg arg = { .site = site, .flow = flow };
	u32 before = flow->core.next;

	fc_rxflow_forward(&flow->core, level, skip, &arg);
	went_up(site, port, flow, before);
}

void flitcast_rx_forward(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	/* Of a message that is over at its source: it answers for none. */
	struct fc_ctrl reply = {
		.kind = FC_CTRL_CONFIRM, .dst = ctrl->site, .incarnation = ctrl->incarnation,
		.sock = ctrl->sock, .site = site->cfg.id, .port = ctrl->port,
		.seq = ctrl->next - 1, .next = ctrl->next,
	};
	struct flitcast_port *port = port_open(site, ctrl->port);
	const struct rx_key key = key_of_ctrl(ctrl);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	/* Else nothing is kept of it, and there is nothing to forget. */
	if (flow && port && flow->core.begun) {
		flitcast_rxflow_used(site, flow);
		forward(site, port, flow, ctrl->next);
		fc_rxflow_confirm(&flow->core, reply.seq, &reply);
	}
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &reply);
}

/* An answer that is older than this may speak of what was over before. */
#define ANSWER_NS	(4 * NSEC_PER_SEC)

void flitcast_rx_over(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	struct flitcast_port *port = port_open(site, ctrl->port);
	bool closed = ctrl->kind == FC_CTRL_CLOSED;
	const struct rx_key key = key_of_ctrl(ctrl);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	if (!flow) {
		/* What is not over comes again, and finds the flow. */
		if (closed || !port || flitcast_site_now(site) - ctrl->have > ANSWER_NS)
			return;
		flow = flitcast_rxflow_make(site, port, &key);
		if (flow)
			fc_rxflow_begin(&flow->core, ctrl->next);
		return;
	}
	if (port && flow->core.begun)
		forward(site, port, flow, ctrl->next);
	if (closed)
		flitcast_rxflow_empty(site, flow);
	if (closed || fc_before(flow->core.next, ctrl->next))
		flitcast_rxflow_settle(site, flow, flow->core.next, closed);
	else
		flitcast_rxflow_settle(site, flow, ctrl->next, false);
}

void flitcast_rx_ask(struct flitcast_site *site, const struct fc_ctrl *ask)
{
	struct fc_packet pk = {
		.src = ask->site, .incarnation = ask->incarnation, .sock = ask->sock,
	};
	struct fc_target t = { .port = ask->port, .seq = ask->seq };
	struct flitcast_port *port = port_open(site, ask->port);
	const struct rx_key key = key_of_ctrl(ask);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	t.lag = min_t(u32, ask->seq - ask->next, FC_FLOW_WINDOW - 1);
	/*
	 * The source keeps nothing before that.  One that waits for room sends no packet that would
	 * say so; and FC_CTRL_FORWARD was perhaps answered before this flow was here, which a
	 * packet began that had waited on its way and says less.
	 */
	if (flow && port && flow->core.begun)
		forward(site, port, flow, ask->next);
	if (flow && (fc_before(ask->seq, flow->core.next) ||
		     (port && fc_rxflow_holds(&flow->core, ask->seq)))) {
		answer(site, &pk, &t, flow, FC_CTRL_CONFIRM);
	} else if (!port) {
		answer(site, &pk, &t, NULL, FC_CTRL_REFUSED);
	} else if (!flow && flitcast_rxflow_old(site, &key)) {
		site->stat[FC_STAT_FLOW_UNKNOWN]++;
		flitcast_rx_level_ask(site, &key, ask->seq, ask->next);
	} else if (!flow) {
		/* Nothing is known of it: it may come as if for the first time. */
		answer(site, &pk, &t, NULL, FC_CTRL_ROOM);
	} else if (!*rx_need(flow, ask->seq) ||
		   (flow->invited && ask->seq == flow->core.next)) {
		answer(site, &pk, &t, flow, FC_CTRL_ROOM);
	} else {
		flitcast_rxflow_used(site, flow);
		if (ask->seq == flow->core.next && list_empty(&flow->waiting))
			list_add_tail(&flow->waiting, &port->waiting);
		answer(site, &pk, &t, flow, FC_CTRL_NO_ROOM);
		flitcast_rx_invite(site, port);
	}
}
