// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving end: admits messages, stores their packets, delivers complete messages to ports in
 * order, and acks them.
 *
 * A flow is one source socket sending to one local port; its broadcasts are a flow of their own.
 * Each packet carries the sequence number of its message (@seq of struct fc_target), and the number
 * of older messages that the source still keeps, because they are neither completed nor aborted
 * (@outstanding).  The receiver skips all messages before @seq - @outstanding: it drops those not
 * delivered, even complete ones, and waits for them no longer.  A target may receive only a part of
 * a message (@off, @len); below, packets and completeness refer to that part (struct fc_part).
 *
 *	source                              receiver (control frames: FC_CTRL_*)
 *	first packet of message n  ------>  buffer space for all of n?
 *	                           <------  yes: CONFIRM (cumulative ack; packets of n received)
 *	other packets of n         ------>  store them; CONFIRM for each
 *	                                    n complete and in order: deliver to the port; the
 *	                                    CONFIRM may be delayed (FC_PACKET_DELAY_ACK)
 *
 *	first packet of message n  ------>  no buffer space: drop the packet; queue the flow for
 *	                                    a grant, if n is next in order
 *	                           <------  NO_SPACE: n is refused until there is space
 *	                           <------  GRANT: begin with the first packet (space for n is
 *	                                    reserved, rxroom.c)
 *	first packet of message n  ------>  as above
 *
 *	first packet of message n  ------>  no such port, or it does not admit n
 *	                           <------  REFUSED: final
 *
 *	no ack of n in time: ASK   ------>  CONFIRM, NO_SPACE, REFUSED, RESYNC_REQ, or GRANT
 *	                                    (space need not be reserved)
 *	messages before n completed
 *	or aborted: FORWARD        ------>  skip them; CONFIRM
 *	                           <------  RESYNC_REQ: no flow here, it may have been evicted (or
 *	                                    is to be); which messages are completed or aborted?
 *	all before n: RESYNC       ------>  begin a flow with n, or skip them in the old one
 *	all, no flow: CLOSED       ------>  drop what the flow holds
 *
 * A message is admitted only if there is buffer space for all of it, so that it can be completed.
 * Undelivered messages are dropped if the source aborts them, ends, or is unresponsive
 * (flitcast_rx_reclaim()).  Messages are charged to the port from admission until its reader
 * consumes them.
 *
 * Related files: rxflow.c (table of flows), rxmsg.c (reassembly), rxroom.c (buffer space and
 * grants), core/ends/ends.c (sequence numbers and windows; no kernel interfaces).
 *
 * Flows belong to the site, not to the socket: a late packet is recognised as a duplicate even if
 * another socket has bound the port meanwhile.  All functions run under the site's lock.
 */
#include <linux/sizes.h>
#include <linux/slab.h>
#include "drop.h"
#include "ends/ports.h"
#include "ends/rx.h"
#include "ends/rxmsg.h"
#include "ends/rxroom.h"
#include "ends/txflow.h"
#include "fabric/csr.h"
#include "fabric/enter.h"

/* Maximum number of delayed acks sent in one flitcast_rx_time() call. */
#define ACK_BUDGET	64

static noinline struct flitcast_port *port_lookup(struct flitcast_site *site, u16 number)
{
	struct flitcast_port *port = flitcast_port_find(site, number);

	if (port)
		site->ends->ports.last = port;
	return port;
}

/* Return: the port that receives packets for @number; NULL: none, or it is being detached. */
static inline struct flitcast_port *port_open(struct flitcast_site *site, u16 number)
{
	struct flitcast_port *port = site->ends->ports.last;

	if (!port || port->number != number)
		port = port_lookup(site, number);
	return port && !port->closing ? port : NULL;
}

static struct rx_key key_of(const struct fc_packet *pk, u16 port)
{
	return (struct rx_key) {
		.src = pk->src, .incarnation = pk->incarnation, .sock = pk->sock, .port = port,
	};
}

/* Return: the key of the flow that a control frame from the source refers to. */
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
		.next = t->seq - t->outstanding,
	};

	if (flow) {
		fc_rxflow_confirm(&flow->core, t->seq, &ctrl);
		/* This frame carries the cumulative ack: cancel the delayed one. */
		list_del_init(&flow->ack_pending);
	}
	site->stat[FC_STAT_CTRL_SENT]++;
	/* The acks of @beyond targets beyond this site will pass by: this one joins their frame. */
	if (kind == FC_CTRL_CONFIRM && site->ctrl.beyond)
		flitcast_ctrl_hold(site, &ctrl, site->ctrl.beyond);
	else
		flitcast_ctrl_send(site, &ctrl);
}

/* Schedule a delayed ack of a delivered message.  @used is the time of the current packet. */
static void delay_ack(struct flitcast_site *site, struct rx_flow *flow)
{
	if (!list_empty(&flow->ack_pending))
		return;
	flow->ack_at = flow->used + FC_ACK_DELAY_NS;
	list_add_tail(&flow->ack_pending, &site->ends->rx.ack_pending);
	site->clock.ends_at = min(site->clock.ends_at, flow->ack_at);
}

/* Send the delayed ack of a flow: one frame, which acks all messages delivered so far. */
static void send_acks(struct flitcast_site *site, struct rx_flow *flow)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_CONFIRM, .dst = flow->key.src, .incarnation = flow->key.incarnation,
		.sock = flow->key.sock, .site = site->cfg.id, .port = flow->key.port,
	};

	fc_rxflow_confirm(&flow->core, flow->core.next - 1, &ctrl);
	list_del_init(&flow->ack_pending);
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

bool flitcast_rx_time(struct flitcast_site *site, u64 until)
{
	unsigned int budget = ACK_BUDGET;
	struct rx_flow *flow, *next;

	list_for_each_entry_safe(flow, next, &site->ends->rx.ack_pending, ack_pending) {
		/* Not due, or over budget, to limit how long the lock is held: set the timer. */
		if (flow->ack_at > until || !budget--) {
			site->clock.ends_at = min(site->clock.ends_at, flow->ack_at);
			return flow->ack_at <= until;
		}
		send_acks(site, flow);
	}
	return false;
}

struct skip_arg {
	struct flitcast_site *site;
	struct rx_flow *flow;
};

/* Drop an undelivered message, complete or not, that the source has aborted or completed. */
static void skip(void *arg, struct fc_rxmsg *m)
{
	struct skip_arg *a = arg;
	struct flitcast_port *port = flitcast_port_find(a->site, a->flow->key.port);

	if (port)
		port->ops->uncharge(port, flitcast_rxmsg_charged(m), m->early);
	flitcast_rxmsg_drop(a->site, m, FLITCAST_DROP_ABORTED);
}

/* Ask the port whether it admits a new message.  Without ops->admit: FC_KIND_MESSAGE only. */
static enum flitcast_admit may_come(struct flitcast_port *port, const struct fc_packet *pk,
				    bool early)
{
	if (port->ops->admit)
		return port->ops->admit(port, pk, early);
	return pk->kind == FC_KIND_MESSAGE ? FLITCAST_ADMIT_YES : FLITCAST_ADMIT_NO;
}

/*
 * Reserve buffer space for a message and occupy its slot in the window.  @taken is its first
 * packet; the charge assumes that each packet takes as much memory beyond its data as this one.  A
 * message that is next in order and complete in this packet (@taken->alone) needs no slot.
 *
 * @refuse: act as if there were no space (FLITCAST_ADMIT_LATER).
 * Return: false: no space: rx_need() is set, and the flow waits for a grant when the message is
 * next in order; or no memory: rx_need() is 0, so the answer to FC_CTRL_ASK is FC_CTRL_GRANT.
 */
static bool admit(struct flitcast_site *site, struct flitcast_port *port,
		  struct rx_flow *flow, struct fc_rxmsg *slot, const struct fc_target *t,
		  const struct fc_part *part, const struct rx_taken *taken, bool refuse)
{
	u32 extra = min_t(u64, (u64)taken->extra * part->count, SZ_256M);
	u32 charge = flitcast_rxmsg_charge(part) + extra;
	bool early = t->seq != flow->core.next;
	void *msg;

	/* A message that is delivered at once leaves flitcast_rx_reclaim() nothing to drop. */
	if (refuse || early || !taken->alone)
		rx_holds(flow, port);
	if (refuse || !flitcast_rx_charge(site, port, flow, charge, early)) {
		rx_holds(flow, port);
		flitcast_rx_reclaim(site, port);
		site->stat[FC_STAT_MSG_NO_SPACE]++;
		*rx_need(flow, t->seq) = charge;
		/* An early message must not queue for a grant: its predecessors come first. */
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

/*
 * Update the arrival times of a message for one more packet, which csr_due() expected at @due.
 * The latest @due is the reserved arrival time of the message; 0 if it is 0 for any packet.
 */
static void note_arrival(struct flitcast_arrival *arrival, u64 due, u64 now)
{
	bool first = !arrival->arrived;

	arrival->arrived = now;
	if (first || !due)
		arrival->reserved = due;
	else if (arrival->reserved)
		arrival->reserved = max(arrival->reserved, due);
}

/* Why the port did not take a message: without data it has changed the state of the socket. */
static enum flitcast_drop unread(const struct sk_buff *skb)
{
	switch (FLITCAST_DELIVERY(skb)->kind) {
	case FC_KIND_MESSAGE:
		return FLITCAST_DROP_FILTERED;
	case FC_KIND_DATA:
		return FLITCAST_DROP_REFUSED;
	}
	return FLITCAST_USED;
}

/*
 * Hand a complete message to the port, and wake it even if no task is to read the message: it may
 * have changed the state of the socket.
 */
static void deliver_skb(struct flitcast_site *site, struct flitcast_port *port, struct sk_buff *skb)
{
	bool listed = !list_empty(&port->woken);
	unsigned int done;

	site->stat[FC_STAT_MSG_DELIVERED]++;
	done = port->ops->deliver(port, skb, !listed);
	if (!(done & FLITCAST_DELIVERED))
		flitcast_rx_drop(site, skb, unread(skb));
	if (listed)
		port->wake_mask |= FLITCAST_WAKE_IN;
	else if (done & FLITCAST_DELIVER_HELD)
		flitcast_woken_add(site, port, FLITCAST_WAKE_IN);
}

static void deliver(struct flitcast_site *site, struct flitcast_port *port,
		    struct rx_flow *flow, struct fc_rxmsg *m)
{
	struct sk_buff *skb = flitcast_rxmsg_finish(port, m);
	bool early = m->early;

	fc_rxflow_delivered(&flow->core, m);
	if (early)
		port->ops->promote(port, FLITCAST_DELIVERY(skb)->charge);
	deliver_skb(site, port, skb);
}

/*
 * Fill in the metadata of a message, except @charge (rxmsg.c).  The skb of the message begins with
 * the data of packet @part->first, without the first @cut bytes, which rxmsg.c has dropped.
 */
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
	d->bcast = !!votes;
	d->copies = votes ? votes->copies : 1;
	d->votes = votes ? votes->votes : 1;
	d->dissent = votes ? votes->dissent : 0;
}

/* Slow path of deliver_next(): the next message is complete, or was refused. */
static noinline void deliver_waiting(struct flitcast_site *site, struct flitcast_port *port,
				     struct rx_flow *flow)
{
	struct fc_rxmsg *m;

	while ((m = fc_rxflow_ready(&flow->core)))
		deliver(site, port, flow, m);
	/* The next message may have been refused while it was early: queue for a grant now. */
	if (*rx_need(flow, flow->core.next) && list_empty(&flow->waiting)) {
		list_add_tail(&flow->waiting, &port->waiting);
		flitcast_rx_grant(site, port);
	}
}

/* A message was delivered: deliver its complete successors too. */
static inline void deliver_next(struct flitcast_site *site, struct flitcast_port *port,
				struct rx_flow *flow)
{
	if (fc_rxflow_ready(&flow->core) || *rx_need(flow, flow->core.next))
		deliver_waiting(site, port, flow);
}

/* Return: arrival time reserved in mode csr, or 0.  flitcast_rxmsg_take() drops the header. */
static u64 csr_due(struct flitcast_site *site, const struct sk_buff_head *flits,
		   const struct flitcast_votes *votes)
{
	return votes ? 0 : flitcast_csr_due(site, skb_peek(flits)->data);
}

/*
 * A broadcast packet is identical for all targets: its @outstanding is the largest one of any
 * target, up to a limit.  A new flow begins by it.  A flow that has begun ignores it, and skips
 * messages only by FC_CTRL_FORWARD, FC_CTRL_ASK and FC_CTRL_RESYNC.  Return: the target entry with
 * an @outstanding that skips nothing, in @own; NULL: the message is beyond the window: drop it, the
 * source retransmits it.
 */
static const struct fc_target *bcast_target(const struct rx_flow *flow, const struct fc_target *t,
					    struct fc_target *own)
{
	if ((s32)(t->seq - flow->core.next) >= FC_FLOW_WINDOW)
		return NULL;
	*own = *t;
	own->outstanding = max_t(s32, t->seq - flow->core.next, 0);
	return own;
}

/* Store an accepted packet, and deliver the message if this was the last packet missing. */
static void rx_keep(struct flitcast_site *site, struct flitcast_port *port, struct rx_flow *flow,
		    struct fc_rxmsg *slot, const struct fc_packet *pk, const struct fc_part *part,
		    struct rx_taken *taken, u64 due, const struct flitcast_votes *votes)
{
	u16 index = pk->offset / FC_PACKET_MAX - part->first;
	struct sk_buff *skb = taken->alone ? taken->data :
					     flitcast_rxmsg_keep(port, slot, index, taken);

	note_arrival(FLITCAST_ARRIVAL(skb), due, flow->used);
	describe(FLITCAST_DELIVERY(skb), pk, part, taken->cut, votes);
	/* A message without a slot is next in order and complete in this packet, see admit(). */
	if (slot->state == FC_RX_EMPTY) {
		fc_rxflow_pass(&flow->core);
		deliver_skb(site, port, skb);
		deliver_next(site, port, flow);
		return;
	}
	fc_rxmsg_stored(slot, index);
	if (fc_rxflow_ready(&flow->core))
		deliver_waiting(site, port, flow);
}

/*
 * The next message of a flow was @before.  If messages were skipped since, deliver the complete
 * ones that waited only for skipped messages, and release the grant, which was for @before.
 */
static void went_up(struct flitcast_site *site, struct flitcast_port *port, struct rx_flow *flow,
		    u32 before)
{
	struct fc_rxmsg *m;

	if (flow->core.next == before)
		return;
	while ((m = fc_rxflow_ready(&flow->core)))
		deliver(site, port, flow, m);
	flitcast_rx_completed(site, port, flow, before);
}

/* Process a packet whose port and flow exist.  Return: as flitcast_rx_packet(). */
static noinline bool rx_any(struct flitcast_site *site, struct flitcast_port *port,
			    struct rx_flow *flow, struct sk_buff_head *flits,
			    const struct fc_packet *pk, const struct fc_target *t,
			    const struct flitcast_votes *votes)
{
	u16 packet = pk->offset / FC_PACKET_MAX;
	struct fc_part part;
	struct fc_rxmsg *slot;
	enum flitcast_admit admitted;
	enum fc_rx_verdict verdict;
	struct skip_arg arg = { .site = site, .flow = flow };
	struct rx_taken taken;
	u64 due;
	struct fc_target own;
	enum flitcast_drop why = FLITCAST_DROP_PROTOCOL;
	bool completed = true;
	u32 before;

	if (votes && flow->core.begun) {
		t = bcast_target(flow, t, &own);
		if (!t) {
			completed = false;
			goto drop;
		}
	}
	part = fc_part_make(pk->msg_len, t->off, t->len);
	/* A flow begins with the oldest message that its source keeps: nothing is skipped then. */
	before = flow->core.begun ? flow->core.next : t->seq - t->outstanding;
	verdict = fc_rxflow_packet(&flow->core, t, &part, packet, &slot, skip, &arg);
	went_up(site, port, flow, before);
	switch (verdict) {
	case FC_RX_BAD:
		site->stat[FC_STAT_PKT_BAD]++;
		goto drop;
	case FC_RX_DUPLICATE:
		site->stat[FC_STAT_PKT_DUPLICATE]++;
		why = FLITCAST_USED;
		answer(site, pk, t, flow, FC_CTRL_CONFIRM);
		goto drop;
	case FC_RX_ADMIT:
		/* No state, or dropped by flitcast_rx_reclaim(): restart with packet part.first. */
		if (packet != part.first) {
			answer(site, pk, t, flow, FC_CTRL_GRANT);
			why = FLITCAST_DROP_FORGOTTEN;
			completed = false;
			goto drop;
		}
		admitted = may_come(port, pk, t->seq != flow->core.next);
		if (admitted == FLITCAST_ADMIT_NO) {
			site->stat[FC_STAT_MSG_REFUSED]++;
			why = FLITCAST_DROP_REFUSED;
			answer(site, pk, t, flow, FC_CTRL_REFUSED);
			goto drop;
		}
		due = csr_due(site, flits, votes);
		flitcast_rxmsg_take(port, flits, &part, packet, &taken);
		if (!admit(site, port, flow, slot, t, &part, &taken,
			   admitted == FLITCAST_ADMIT_LATER)) {
			why = FLITCAST_DROP_NO_SPACE;
			flitcast_drop_list(taken.data, why);
			answer(site, pk, t, flow, FC_CTRL_NO_SPACE);
			completed = false;
			goto drop;
		}
		break;
	case FC_RX_TAKE:
		due = csr_due(site, flits, votes);
		flitcast_rxmsg_take(port, flits, &part, packet, &taken);
		break;
	}
	rx_keep(site, port, flow, slot, pk, &part, &taken, due, votes);
	if (pk->flags & FC_PACKET_DELAY_ACK && fc_before(t->seq, flow->core.next))
		delay_ack(site, flow);
	else
		answer(site, pk, t, flow, FC_CTRL_CONFIRM);
	return true;
drop:
	flitcast_drop_queue(flits, why);
	return completed;
}

/*
 * Process a packet whose port or flow does not exist: refuse it, ask the source for the state of
 * the flow, or create the flow.  Return: as flitcast_rx_packet().
 */
static noinline bool rx_first(struct flitcast_site *site, struct flitcast_port *port,
			      struct rx_flow *flow, struct sk_buff_head *flits,
			      const struct fc_packet *pk, const struct fc_target *t,
			      const struct flitcast_votes *votes)
{
	const struct rx_key key = key_of(pk, t->port);
	enum flitcast_drop why = FLITCAST_DROP_NO_SPACE;
	bool completed = true;

	if (!port) {
		/* Ack a message that was delivered before the socket was closed; refuse others. */
		bool had = flow && fc_before(t->seq, flow->core.next);

		why = had ? FLITCAST_USED : FLITCAST_DROP_REFUSED;
		if (!had)
			site->stat[FC_STAT_MSG_REFUSED]++;
		answer(site, pk, t, had ? flow : NULL, had ? FC_CTRL_CONFIRM : FC_CTRL_REFUSED);
		goto drop;
	}
	if (flitcast_rxflow_old(site, &key) ||
	    (votes && t->outstanding == FC_BCAST_OUTSTANDING_MAX)) {
		/*
		 * The flow may have been evicted, or more older messages may be outstanding than
		 * @outstanding can express: ask the source which messages are completed or aborted.
		 * The source sends all other messages again.
		 */
		site->stat[FC_STAT_FLOW_UNKNOWN]++;
		why = FLITCAST_DROP_FORGOTTEN;
		flitcast_rx_resync(site, &key, t->seq, t->seq - t->outstanding);
		completed = false;
		goto drop;
	}
	flow = flitcast_rxflow_make(site, port, &key);
	if (flow)
		return rx_any(site, port, flow, flits, pk, t, votes);
	/* No flow: the table is full, or no memory.  flitcast_rx_ask() lets the source retry. */
	answer(site, pk, t, NULL, FC_CTRL_NO_SPACE);
	completed = false;
drop:
	flitcast_drop_queue(flits, why);
	return completed;
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

/* Skip all messages before @oldest: the source has aborted or completed them. */
static void forward(struct flitcast_site *site, struct flitcast_port *port, struct rx_flow *flow,
		    u32 oldest)
{
	struct skip_arg arg = { .site = site, .flow = flow };
	u32 before = flow->core.next;

	fc_rxflow_forward(&flow->core, oldest, skip, &arg);
	went_up(site, port, flow, before);
}

void flitcast_rx_forward(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	/* @next is the ack.  @seq must name a message: one that the source no longer keeps. */
	struct fc_ctrl reply = {
		.kind = FC_CTRL_CONFIRM, .dst = ctrl->site, .incarnation = ctrl->incarnation,
		.sock = ctrl->sock, .site = site->cfg.id, .port = ctrl->port,
		.seq = ctrl->next - 1, .next = ctrl->next,
	};
	struct flitcast_port *port = port_open(site, ctrl->port);
	const struct rx_key key = key_of_ctrl(ctrl);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	/* Without a flow, or a port, there is nothing to skip. */
	if (flow && port && flow->core.begun) {
		flitcast_rxflow_used(site, flow);
		forward(site, port, flow, ctrl->next);
		fc_rxflow_confirm(&flow->core, reply.seq, &reply);
	}
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &reply);
}

/* The answer to an older FC_CTRL_RESYNC_REQ creates no flow: messages may have completed since. */
#define ANSWER_NS	(4ULL * NSEC_PER_SEC)

void flitcast_rx_resynced(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	struct flitcast_port *port = port_open(site, ctrl->port);
	bool closed = ctrl->kind == FC_CTRL_CLOSED;
	const struct rx_key key = key_of_ctrl(ctrl);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	if (!flow) {
		/*
		 * Create the flow: the source retransmits outstanding messages, and they must find
		 * it.  @have returns the time of the request, see flitcast_rx_resync().
		 */
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
		flitcast_rxflow_empty(site, flow, FLITCAST_DROP_ABORTED);
	/*
	 * Let the flow be evicted, unless core.next is after ctrl->next: then the source still
	 * keeps messages that were delivered here, and retransmissions of these must find the flow.
	 */
	if (closed || fc_before(flow->core.next, ctrl->next))
		flitcast_rxflow_update(site, flow, flow->core.next, closed);
	else
		flitcast_rxflow_update(site, flow, ctrl->next, false);
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

	t.outstanding = min_t(u32, ask->seq - ask->next, FC_FLOW_WINDOW - 1);
	/*
	 * The source has completed or aborted all messages before @next.  The flow may not know: a
	 * source that waits for a grant sends no packet with @outstanding, and FC_CTRL_FORWARD may
	 * have been acked before a delayed packet with an old @outstanding created this flow.
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
		flitcast_rx_resync(site, &key, ask->seq, ask->next);
	} else if (!flow) {
		/* Let the source begin with the first packet: that creates the flow. */
		answer(site, &pk, &t, NULL, FC_CTRL_GRANT);
	} else if (!*rx_need(flow, ask->seq) ||
		   (flow->granted && ask->seq == flow->core.next)) {
		answer(site, &pk, &t, flow, FC_CTRL_GRANT);
	} else {
		flitcast_rxflow_used(site, flow);
		if (ask->seq == flow->core.next && list_empty(&flow->waiting))
			list_add_tail(&flow->waiting, &port->waiting);
		answer(site, &pk, &t, flow, FC_CTRL_NO_SPACE);
		/* If there is space by now, FC_CTRL_GRANT follows. */
		flitcast_rx_grant(site, port);
	}
}
