// SPDX-License-Identifier: GPL-2.0
/*
 * Accepts messages from ports: looks up a flow for each target, picks a traffic class, assigns
 * sequence numbers and queues the message; and aborts the messages of a port or site that goes
 * away.
 *
 *	flitcast_msg_send()
 *	  prepare()       checks, without the lock
 *	  msg_begin()     flows, class, sequence numbers: fails before anything is changed
 *	  msg_go()        flitcast_tx_at_once(): fast path for a single flit, or
 *	                  flitcast_tx_ready(): queue it (txqueue.c)
 */
#include <linux/slab.h>
#include <uapi/linux/flitcast.h>
#include "core/link/turn.h"
#include "ends/tx.h"
#include "ends/txpacket.h"
#include "ends/txqueue.h"
#include "ends/txsched.h"
#include "fabric/enter.h"
#include "fabric/faults.h"
#include "fabric/sum.h"

/* Number of flows looked up before the lock is released once. */
#define FLOWS_BATCH	16

/*
 * Return: true if @msg begins an exchange, which is not allowed while the site is drained; messages
 * of exchanges in progress are.
 */
static bool begins(const struct flitcast_port *port, const struct flitcast_msg *msg)
{
	u8 kind = msg->out.kind;

	/* The answers of the site's own port (without @info) do not count as traffic. */
	return port->ops->info && (kind == FC_KIND_MESSAGE || kind == FC_KIND_DATA ||
				   kind == FC_KIND_CONNECT);
}

/* Abort all messages of a source, within the budget.  Return: true if more are left. */
static bool source_drop(struct flitcast_site *site, struct flitcast_source *src, int *budget)
{
	struct flitcast_msg *msg;

	if (!src)
		return false;
	while (*budget > 0) {
		msg = list_first_entry_or_null(&src->msgs, struct flitcast_msg, source_node);
		if (!msg)
			return false;
		*budget -= TX_COST_FREE;
		flitcast_tx_abort_all(site, msg, -ECONNABORTED, budget);
	}
	return true;
}

void flitcast_port_drop(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;
	bool more;

	if (!site)
		return;
	do {
		int budget = TX_BUDGET;

		flitcast_enter(site);
		more = source_drop(site, port->source, &budget) ||
		       source_drop(site, port->bcasts, &budget);
		if (!more && port->source)
			port->source->next_id++;
		flitcast_leave(site);
	} while (more);
}

/* Drop the references that msg_flows() took on the first @n flows. */
static void flows_let_go(struct flitcast_msg *msg, u32 n)
{
	while (n--)
		msg->target[n].flow->users--;
}

/*
 * Look up or create the flows of a message; the lock is released between batches of them.  Return:
 * 0, or why the message cannot be sent.
 */
static int msg_flows(struct flitcast_site *site, struct flitcast_source *src,
		     struct flitcast_msg *msg, const struct flitcast_msg_dest *dests)
{
	u32 i;

	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];

		t->flow = flitcast_txflow_get(site, src, dests[i].site, dests[i].port);
		if (!t->flow) {
			flows_let_go(msg, i);
			return -ENOMEM;
		}
		t->flow->users++;
		t->msg = msg;
		t->site = dests[i].site;
		t->port = dests[i].port;
		t->index = dests[i].index;
		t->off = dests[i].off;
		t->len = dests[i].len;
		t->core.part = fc_part_make(msg->len, t->off, t->len);
		if ((i + 1) % FLOWS_BATCH)
			continue;
		flitcast_breathe(site);
		/* The source was freed with the site; otherwise it stays, because its port does. */
		if (site->dead)
			return -ENETDOWN;
	}
	return 0;
}

/* Return: true if any target of the message is not detached. */
static bool msg_live(const struct flitcast_msg *msg)
{
	u32 i;

	for (i = 0; i < msg->ntargets; i++)
		if (!flitcast_txflow_detached(msg->target[i].flow))
			return true;
	return false;
}

/* Assign the next sequence number of its flow to a target, or fail it if it is detached. */
static void msg_target(struct flitcast_msg *msg, struct tx_target *t)
{
	struct fc_txflow *flow = &t->flow->core;

	t->flow->users--;
	/*
	 * A broadcast has the same sequence number in all flows, so that flows of broadcasts keep
	 * in step.
	 */
	if (msg->how.copies) {
		flow->next = msg->source->next_bcast;
		if (list_empty(&t->flow->pending))
			flow->oldest = flow->next;
	}
	t->core.seq = flow->next;
	if (flitcast_txflow_detached(t->flow)) {
		t->core.state = FC_TX_FAILED;
		t->err = -ECANCELED;
		return;
	}
	t->since = msg->at.accepted;
	flow->next++;
	list_add_tail(&t->pending, &t->flow->pending);
	msg->state.left++;
}

/*
 * Return: true if the message is one packet of at most FC_TURN_STREAK flits, which a link sends in
 * a row.
 */
static bool msg_brief(const struct flitcast_site *site, const struct flitcast_msg *msg)
{
	return msg->len <= FC_PACKET_MAX && msg->ntargets <= flitcast_tx_targets_most(site) &&
	       msg->len + fc_head_size(msg->ntargets) <=
	       FC_TURN_STREAK * (site->cfg.flit - FC_LINK_SIZE);
}

/*
 * Return: the traffic class of a message.  A long message is of the high class only if its sender
 * is privileged, so that a short one of that class does not wait for a packet of many flits.  A
 * short message of the low class uses channels of its own, past packets of many flits; unless one
 * of these belongs to the same flow: the target would only make it wait for that one.  In mode csr,
 * messages reserve bandwidth, except short ones of the high class.
 */
static enum flitcast_tx_class
msg_class(const struct flitcast_site *site, const struct flitcast_msg *msg,
	  const struct flitcast_send *how)
{
	enum flitcast_tx_class class = how->class;
	bool brief = msg_brief(site, msg), reserves = flitcast_site_reserves(site);
	u32 i;

	if (class == FLITCAST_TX_HIGH && !brief && (reserves || !how->long_high))
		return FLITCAST_TX_LOW;
	if (class != FLITCAST_TX_LOW || reserves || !brief)
		return class;
	for (i = 0; i < msg->ntargets; i++) {
		const struct list_head *pending = &msg->target[i].flow->pending;

		if (!list_empty(pending) &&
		    list_last_entry(pending, struct tx_target, pending)->msg->how.class == class)
			return class;
	}
	return FLITCAST_TX_SHORT;
}

/* A packet of the message has reserved its path, and arrives at @arrival. */
static void source_reserved(struct flitcast_site *site, struct flitcast_msg *msg, u64 arrival)
{
	struct flitcast_port *port = msg->source->port;
	bool first = msg->how.waits;

	msg->out.reserved = max(msg->out.reserved, arrival);
	if (first)
		flitcast_source_admitted(site, msg);
	else if (port && port->admitted == msg->out.id)
		port->reserved = msg->out.reserved;
}

void flitcast_tx_admitted(struct flitcast_site *site, const struct flitcast_admitted *a)
{
	struct flitcast_source *src = flitcast_source_find(site, a->sock);
	struct tx_flow *flow;
	struct tx_target *t;

	if (!src)
		return;
	flow = flitcast_txflow_find(site, src, a->to.site, a->to.port);
	if (!flow)
		return;
	/* Pending messages that have been sent are within the window. */
	list_for_each_entry(t, &flow->pending, pending) {
		if (t->core.seq == a->to.seq) {
			source_reserved(site, t->msg, a->at);
			return;
		}
		if (t->core.seq - flow->core.oldest >= FC_FLOW_WINDOW)
			return;
	}
}

/* Accept a message.  Return: 0, or why it is refused; nothing is changed then. */
static int msg_begin(struct flitcast_port *port, struct flitcast_msg *msg,
		     const struct flitcast_msg_dest *dests, const struct flitcast_send *how)
{
	struct flitcast_site *site = port->site;
	struct flitcast_source *src;
	int err;
	u64 now;
	u32 i;

	if (site->dead || !port->source)
		return -ENETDOWN;
	src = how->copies ? port->bcasts : port->source;
	err = msg_flows(site, src, msg, dests);
	if (err)
		return err;
	if (site->drain && begins(port, msg))
		err = -ENETDOWN;
	else if (!msg_live(msg))
		err = -ECONNREFUSED;
	if (err) {
		flows_let_go(msg, msg->ntargets);
		return err;
	}
	now = flitcast_site_now(site);
	src->timeout = port->timeout;
	msg->source = src;
	msg->at.accepted = now;
	msg->how.copies = how->copies;
	msg->how.class = msg_class(site, msg, how);
	for (i = 0; i < msg->ntargets; i++)
		msg_target(msg, &msg->target[i]);
	if (msg->how.copies)
		src->next_bcast++;
	msg->out.id = port->source->next_id++;
	msg->how.waits = how->admission && msg->how.class != FLITCAST_TX_HIGH;
	if (msg->how.waits) {
		WRITE_ONCE(port->waits, port->waits + 1);
	} else if (how->admission) {
		port->admitted = msg->out.id;
		port->reserved = 0;
	}
	msg->out.ntargets = msg->ntargets;
	msg->out.charge = how->charge;
	msg->out.report = how->report;
	msg->how.list = how->list;
	msg->how.slow = how->slow;
	msg->how.delay_ack = how->delay_ack;
	msg->at.slow = how->slow == FLITCAST_TX_WAIT ? FC_NEVER : now + how->slow_ns;
	msg->at.wait = flitcast_tx_wait(site);
	msg->at.repeat = FC_NEVER;
	msg->at.ask = FC_NEVER;
	/* walk_deadline() finds targets that are already known to be unreachable. */
	msg->at.deadline = flitcast_faults_any_lost(site) ? now : now + src->timeout;
	list_add_tail(&msg->site_node, &site->ends->tx.msgs);
	site->ends->tx.nmsgs++;
	list_add_tail(&msg->source_node, &src->msgs);
	src->nmsgs++;
	src->charge += how->charge;
	site->stat[FC_STAT_MSG_SENT]++;
	return 0;
}

/* Send an accepted message, now or in its turn. */
static void msg_go(struct flitcast_site *site, struct flitcast_msg *msg)
{
	/* Accepting a message with many targets took long: release the lock once. */
	if (msg->ntargets > FLOWS_BATCH) {
		bool completed;

		refcount_inc(&msg->refs);
		flitcast_leave(site);
		flitcast_enter(site);
		completed = !msg->state.left;
		flitcast_msg_put(msg);
		if (completed)
			return;
	}
	if (flitcast_tx_at_once(site, msg))
		return;
	flitcast_tx_schedule(site, msg);
	flitcast_tx_ready(site, msg);
}

/*
 * Check the targets of a message.  The first broadcast of a port creates its source of broadcasts.
 */
static int prepare(struct flitcast_port *port, const struct flitcast_msg_dest *dests, u32 n,
		   const struct flitcast_send *how)
{
	struct flitcast_site *site = port->site;

	if (!site)
		return -ENETDOWN;
	while (n--)
		if (dests[n].site >= site->cfg.topo.nsites)
			return flitcast_site_dead(site) ? -ENETDOWN : -EHOSTUNREACH;
	return how->copies && !READ_ONCE(port->bcasts) ? flitcast_source_bcasts(site, port) : 0;
}

int flitcast_msg_send(struct flitcast_port *port, struct flitcast_msg *msg,
		      const struct flitcast_msg_dest *dests, const struct flitcast_send *how,
		      u32 *id)
{
	int err = prepare(port, dests, msg->ntargets, how);

	if (err)
		return err;
	flitcast_enter(port->site);
	err = msg_begin(port, msg, dests, how);
	if (!err) {
		*id = msg->out.id;
		msg_go(port->site, msg);
	}
	flitcast_leave(port->site);
	return err;
}

int flitcast_port_send(struct flitcast_port *port, const void *data, u32 len,
		       const struct flitcast_msg_dest *dest, const struct flitcast_send *how)
{
	int err = prepare(port, dest, 1, how);
	struct flitcast_site *site = port->site;
	struct flitcast_msg *msg;
	u32 crc = 0;

	if (err)
		return err;
	if (flitcast_site_verifies(site))
		crc = flitcast_crc(0, data, len);
	flitcast_enter(site);
	msg = flitcast_msg_reuse(site, len);
	if (!msg) {
		flitcast_leave(site);
		msg = flitcast_msg_alloc(len, 1, GFP_KERNEL_ACCOUNT);
		if (!msg)
			return -ENOMEM;
		flitcast_enter(site);
	}
	memcpy(msg->small, data, len);
	msg->crc = crc;
	err = msg_begin(port, msg, dest, how);
	if (!err)
		msg_go(site, msg);
	else
		flitcast_msg_completed(site, msg);
	flitcast_leave(site);
	return err;
}

bool flitcast_tx_purge(struct flitcast_site *site)
{
	struct flitcast_msg *msg;
	int budget = TX_BUDGET;
	u8 s;

	while ((msg = list_first_entry_or_null(&site->ends->tx.msgs, struct flitcast_msg,
					       site_node))) {
		if (budget <= 0)
			return true;
		budget -= TX_COST_FREE;
		flitcast_tx_abort_all(site, msg, -ENETDOWN, &budget);
	}
	for (s = 0; s < FC_SET_COUNT; s++) {
		struct flitcast_cur *cur = &site->ends->cur[s];

		if (!cur->msg)
			continue;
		flitcast_msg_spent(site, cur->msg);
		flitcast_msg_put(cur->msg);
		cur->msg = NULL;
		flitcast_oper_forget(site, s);
	}
	/* Stop sending FC_CTRL_FORWARD. */
	site->ends->tx.forward = RB_ROOT_CACHED;
	site->ends->tx.nforward = 0;
	return false;
}
