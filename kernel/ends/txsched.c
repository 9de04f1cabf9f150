// SPDX-License-Identifier: GPL-2.0
/* Timers of messages, and the accounting of active ones. */
#include "ends/tx.h"
#include "ends/txqueue.h"
#include "ends/txsched.h"

void flitcast_tx_update(struct flitcast_site *site, struct tx_target *t)
{
	struct flitcast_msg *msg = t->msg;
	bool in_flight = !fc_txtarget_completed(&t->core) && t->core.state != FC_TX_NO_SPACE &&
			 !t->unresponsive && t->most && !t->flow->unresponsive;

	if (in_flight == t->in_flight)
		return;
	t->in_flight = in_flight;
	if (!in_flight) {
		if (!--msg->state.nin_flight)
			flitcast_txqueue_inactive(site, msg);
	} else if (!msg->state.nin_flight++) {
		flitcast_txqueue_active(site, msg);
	}
}

static bool due_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct flitcast_msg, due_node)->at.due <
	       rb_entry(b, struct flitcast_msg, due_node)->at.due;
}

/* Return: when a message that is not completed is due next. */
static u64 due_of(const struct flitcast_msg *msg)
{
	u64 at = min3(msg->at.repeat, msg->at.deadline, msg->at.slow);

	if (msg->walk.what != TX_WALK_NONE)
		return msg->walk.due;
	at = min(at, msg->at.ask);
	return msg->state.holding ? min(at, flitcast_tx_hold_until(msg)) : at;
}

void flitcast_tx_schedule(struct flitcast_site *site, struct flitcast_msg *msg)
{
	/* A completed message has no timer. */
	u64 at = msg->state.left ? due_of(msg) : FC_NEVER;

	if (msg->state.late) {
		list_del(&msg->late);
		msg->state.late = false;
	}
	if (at == msg->at.due)
		return;
	if (msg->at.due != FC_NEVER)
		rb_erase_cached(&msg->due_node, &site->ends->tx.due);
	msg->at.due = at;
	if (at == FC_NEVER)
		return;
	rb_add_cached(&msg->due_node, &site->ends->tx.due, due_before);
	flitcast_tx_due(site, at);
}

void flitcast_tx_schedule_sent(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_msg *last = NULL;

	if (!list_empty(&site->ends->tx.late))
		last = list_last_entry(&site->ends->tx.late, struct flitcast_msg, late);
	/*
	 * Append to the list if that keeps it sorted, which is the usual case; the tree is for all
	 * others.
	 */
	if (due_of(msg) != msg->at.ask || (last && msg->at.ask < last->at.ask)) {
		flitcast_tx_schedule(site, msg);
		return;
	}
	list_add_tail(&msg->late, &site->ends->tx.late);
	msg->state.late = true;
	flitcast_tx_due(site, msg->at.ask);
}
