// SPDX-License-Identifier: GPL-2.0
/*
 * Sending end: processes acks and time-outs of messages that are being sent.
 *
 * A message is kept until each of its targets is completed: it has acked the message, refused it
 * (no socket), or the message was aborted for it.  Each target advances on its own
 * (core/ends/ends.c):
 *
 *	ASKING    first packet sent; the target may grant buffer space
 *	   | CONFIRM                 | NO_SPACE
 *	   v                         v
 *	GRANTED   other packets   NO_SPACE  wait for FC_CTRL_GRANT, then ASKING again
 *	   | all packets acked
 *	   v
 *	DONE                      REFUSED: no socket there; FAILED: aborted here
 *
 * Time-outs of a message, from the last packet or new ack on:
 *
 *	@ask       after about one round trip + deviation, doubling: FC_CTRL_ASK to each target that
 *	           has not acked.  Control frames are not retransmitted by links, so a lost ack is
 *	           the usual reason
 *	@repeat    no answer to these either: retransmit what is not acked; exponential backoff
 *	@deadline  abort targets that have been unresponsive or unreachable for too long
 *	@slow      the sender's limit for slow targets (FLITCAST_TX_SKIP, FLITCAST_TX_DETACH)
 *
 * A walk over the targets of a message (enum tx_walk) is done in parts, so that the site's lock is
 * not held for long.
 *
 * Retransmission after a random wait: CARE, section 3.4.
 */
#include <uapi/linux/flitcast.h>
#include "core/ends/ask.h"
#include "ends/ports.h"
#include "ends/tx.h"
#include "ends/txqueue.h"
#include "ends/txsched.h"
#include "fabric/enter.h"
#include "fabric/faults.h"

/* Number of targets of a message that are sent FC_CTRL_ASK at a time. */
#define ASKS_MAX	16
/* Delay before the next ASKS_MAX targets. */
#define ASK_MORE_NS	NSEC_PER_MSEC

/* Notify the netlink listener if a site that is being drained has no message left. */
static void drained(struct flitcast_site *site)
{
	if (site->drain && list_empty(&site->ends->tx.msgs))
		flitcast_site_link_event(site, FC_PORT_LOCAL);
}

/* Return: the message after @msg in the list of the site; NULL: it is the last. */
static struct flitcast_msg *after(const struct flitcast_site *site, struct flitcast_msg *msg)
{
	return list_is_last(&msg->site_node, &site->ends->tx.msgs) ? NULL :
	       list_next_entry(msg, site_node);
}

/* All targets of a message are completed: release its resources, and report the outcome. */
static void msg_completed(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_source *src = msg->source;
	struct flitcast_sent *out = &msg->out;

	flitcast_source_admitted(site, msg);
	flitcast_tx_hold(msg, false, flitcast_site_now(site));
	out->completed_at = flitcast_site_now(site);
	flitcast_tx_schedule(site, msg);
	if (!list_empty(&msg->ready))
		list_del_init(&msg->ready);
	if (site->ends->tx.reroute == msg)
		site->ends->tx.reroute = after(site, msg);
	list_del(&msg->site_node);
	site->ends->tx.nmsgs--;
	list_del(&msg->source_node);
	src->nmsgs--;
	src->charge -= out->charge;
	msg->source = NULL;
	/* A packet of the message that is being fed to the local net-input is sent to its end. */
	if (site->ends->cur[flitcast_site_set(msg->how.class)].msg != msg)
		flitcast_msg_spent(site, msg);
	site->stat[out->err ? FC_STAT_MSG_FAILED : FC_STAT_MSG_CONFIRMED]++;
	if (src->port) {
		struct flitcast_port *port = src->port;
		u8 wake = FLITCAST_WAKE_OUT;

		if (out->err || out->report)
			wake |= FLITCAST_WAKE_ERR;
		/*
		 * The reader of the report may put its reference before sent() returns: take it
		 * before the call.
		 */
		refcount_inc(&msg->refs);
		if (!port->ops->sent(port, out))
			refcount_dec(&msg->refs);
		flitcast_wake(site, port, wake);
	} else {
		flitcast_source_orphan_completed(site, src, out->charge);
	}
	flitcast_msg_completed(site, msg);
	drained(site);
}

/*
 * Return: true if a target that did not ack the message may have received it.
 *
 * A target cannot have received the message before the source has begun to send its last packet,
 * which it does after all others.
 *
 * Nor can a target that refused a message of one packet, sent once.  FC_CTRL_NO_SPACE is a refusal
 * of the packet if one has arrived; FC_CTRL_REFUSED may also answer an FC_CTRL_ASK that overtook
 * the packet.  A packet from a failing link may exist twice: see struct flitcast_result.
 */
static bool may_have(const struct tx_target *t)
{
	if (t->core.state == FC_TX_DONE || !t->offers)
		return false;
	if (t->core.part.count > 1 || t->offers > 1)
		return true;
	return !t->refused && (t->core.state != FC_TX_REFUSED || t->questioned);
}

u32 flitcast_sent_fill(const struct flitcast_sent *sent, struct flitcast_result *result)
{
	const struct flitcast_msg *msg = container_of(sent, struct flitcast_msg, out);
	u32 i, n = 0;

	for (i = 0; i < msg->ntargets; i++) {
		const struct tx_target *t = &msg->target[i];

		result[t->index] = (struct flitcast_result) {
			.site = t->site, .port = t->port, .error = -t->err,
			.flags = may_have(t) ? FLITCAST_RESULT_UNKNOWN : 0,
		};
		/*
		 * Targets that target_completed() does not count as failed are not counted here
		 * either.
		 */
		n += may_have(t) && t->err != -ECANCELED &&
		     !(msg->how.copies && t->err == -ECONNREFUSED);
	}
	return n;
}

/* Complete a target with result @err.  The last one completes the message, which may be freed. */
static void target_completed(struct flitcast_site *site, struct tx_target *t, int err)
{
	struct flitcast_msg *msg = t->msg;

	flitcast_tx_update(site, t);
	fc_txlist_unblock(&t->core, &t->flow->patience, flitcast_site_now(site));
	list_del_init(&t->pending);
	t->err = err;
	/* A broadcast addresses only sites with a socket on its port: others are not failures. */
	if (err && !(msg->how.copies && err == -ECONNREFUSED)) {
		msg->out.failed++;
		if (!msg->out.err)
			msg->out.err = err;
	} else if (!err) {
		msg->out.delivered++;
	}
	if (!--msg->state.left)
		msg_completed(site, msg);
}

/*
 * A router, here or on the path, reports that it has no route to the target (FC_CTRL_UNREACHABLE).
 */
static void route_lost(struct tx_flow *flow, u32 seq, bool circle, u64 now)
{
	struct tx_target *t;

	flow->circle = circle;
	if (flow->unreachable)
		return;
	flow->unreachable = true;
	list_for_each_entry(t, &flow->pending, pending) {
		if (t->core.seq == seq)
			t->since = now;
		if (!fc_before(t->core.seq, seq) ||
		    t->core.seq - flow->core.oldest >= FC_FLOW_WINDOW)
			break;
	}
}

/*
 * Update the round-trip estimate: everything sent to the target has been acked (RFC 6298).  The ack
 * of a retransmitted packet is taken for that of the first transmission; and a round trip is
 * bounded by twice the current wait: if round trips become longer, the estimate grows step by step,
 * and a packet that was delayed by a failure does not lengthen all waits.  Packets that were sent
 * before routes changed do not count: they may have waited for a failed link, and the next failure
 * needs short waits.
 */
static void measure(struct flitcast_site *site, const struct tx_target *t, u64 now)
{
	u64 took = now - t->first_at;
	s64 more;

	if (t->sent_at <= site->ends->tx.anew)
		return;
	/*
	 * The target may have delayed the ack.  Where most acks are delayed, the others are those
	 * of packets that something has held up: they alone would make the wait too long.
	 */
	if (t->delay_ack)
		took = max_t(s64, took - FC_ACK_DELAY_NS, 1);
	if (t->first_at != t->sent_at || site->ends->tx.srtt)
		took = min(took, 2 * flitcast_tx_ask_wait(site));
	if (!site->ends->tx.srtt) {
		site->ends->tx.srtt = took;
		site->ends->tx.rttvar = took / 2;
		return;
	}
	more = took - site->ends->tx.srtt;
	site->ends->tx.rttvar += (abs(more) - (s64)site->ends->tx.rttvar) / 4;
	site->ends->tx.srtt += more / 8;
}

/*
 * Return: true if the target has acked all packets, but not the message, which waits there for its
 * predecessors.  Its final ack may get lost.
 */
static bool waits_its_turn(const struct tx_target *t)
{
	return t->core.state == FC_TX_GRANTED && t->core.base == t->core.part.count;
}

/*
 * The target sent a control frame without news.  If the last packet was sent long enough ago,
 * unacked packets are taken for lost and retransmitted.
 */
static void nothing_new(struct flitcast_site *site, struct tx_target *t,
			const struct fc_ctrl *ctrl, u64 now)
{
	bool missing = false;

	/*
	 * The target may still wait for messages that are completed here: a broadcast carries the
	 * largest @outstanding of all its targets (wanted() in txbcast.c); or the target refused
	 * one of them when it had no socket, or could not receive FC_CTRL_FORWARD.
	 */
	if ((t->msg->how.copies || waits_its_turn(t)) &&
	    fc_before(ctrl->next, t->flow->core.oldest))
		flitcast_txflow_behind(site, t->flow, ctrl->next);
	if (ctrl->seq != t->core.seq || fc_txtarget_unsent(&t->core) || !t->most)
		return;
	if (t->core.state == FC_TX_ASKING)
		missing = ctrl->kind == FC_CTRL_GRANT;
	else if (t->core.state == FC_TX_GRANTED)
		missing = ctrl->kind == FC_CTRL_CONFIRM && t->core.base < t->core.part.count;
	if (!missing || now < t->sent_at + ASK_LOST * flitcast_tx_ask_wait(site))
		return;
	fc_txtarget_repeat(&t->core);
	flitcast_tx_ready(site, t->msg);
}

/*
 * A target without state of a flow sends FC_CTRL_RESYNC_REQ and gets the message again.  If it has
 * no memory for the flow, it asks again for each copy: from RESYNCS_AT_ONCE times on,
 * retransmissions are delayed, doubling up to RESYNCS_DOUBLED times.
 */
#define RESYNCS_AT_ONCE	3
#define RESYNCS_DOUBLED	8

/* Return: false if the target has asked too often to get the message again now. */
static bool resync_allowed(const struct flitcast_site *site, struct tx_target *t, u64 now)
{
	u64 wait = 0;

	if (t->resyncs > RESYNCS_AT_ONCE)
		wait = flitcast_tx_ask_wait(site) << (t->resyncs - RESYNCS_AT_ONCE);
	if (now < t->sent_at + wait)
		return false;
	t->resyncs = min(t->resyncs + 1, RESYNCS_AT_ONCE + RESYNCS_DOUBLED);
	return true;
}

/*
 * A target acked packets.  @blocked: other targets of the message waited for it; it then earns more
 * patience (txlist.h).
 */
static void earn(struct tx_target *t, bool blocked)
{
	u16 come = min(t->core.base, t->most), news = come - min(come, t->core.earned);

	t->core.earned += news;
	if (!blocked || !news)
		return;
	fc_patience_earn(&t->flow->patience, news);
	fc_patience_earn(&t->msg->source->patience, news);
}

/*
 * Process a control frame from a target for one message, @t.  The message may be freed afterwards.
 */
static void answered(struct flitcast_site *site, struct tx_target *t,
		     const struct fc_ctrl *ctrl, u64 now)
{
	bool in_flight = t->core.sent > t->core.base;
	struct flitcast_msg *msg = t->msg;
	bool last = msg->state.left == 1, blocked;

	t->asked = 0;
	t->unresponsive = false;
	blocked = t->core.blocks;
	fc_txlist_unblock(&t->core, &t->flow->patience, now);
	/*
	 * Ignore a FC_CTRL_GRANT ("begin") that answers an FC_CTRL_ASK overtaken by the first
	 * packet, whose ack arrived before.  A target that has lost its state of the message
	 * repeats it.
	 */
	if (ctrl->kind == FC_CTRL_GRANT && t->core.state == FC_TX_GRANTED &&
	    now < t->acked_at + flitcast_tx_ask_wait(site))
		return;
	if (ctrl->kind == FC_CTRL_RESYNC_REQ && ctrl->seq == t->core.seq &&
	    !resync_allowed(site, t, now))
		return;
	if (!fc_txtarget_answer(&t->core, ctrl)) {
		nothing_new(site, t, ctrl, now);
		return;
	}
	if (t->core.state == FC_TX_NO_SPACE)
		t->since = now;
	t->flow->news_at = now;
	if (ctrl->kind == FC_CTRL_CONFIRM) {
		t->acked_at = now;
		t->resyncs = 0;
		earn(t, blocked);
		if (in_flight && ctrl->seq == t->core.seq &&
		    (t->core.state == FC_TX_DONE || t->core.base >= t->core.sent))
			measure(site, t, now);
	}
	/* If this completes the message, there is nothing to schedule. */
	if (!last || !fc_txtarget_completed(&t->core)) {
		msg->at.wait = flitcast_tx_wait(site);
		msg->at.repeat = now + msg->at.wait;
		t->asks = 0;
		flitcast_tx_ask_arm(site, msg, now);
		flitcast_tx_schedule(site, msg);
	}
	if (!fc_txtarget_completed(&t->core)) {
		flitcast_tx_update(site, t);
		flitcast_tx_ready(site, msg);
		return;
	}
	target_completed(site, t, t->core.state == FC_TX_REFUSED ? -ECONNREFUSED : 0);
}

static void answers(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	struct flitcast_source *src;
	struct tx_target *t, *next;
	struct tx_flow *flow = NULL;
	u64 now = flitcast_site_now(site);
	u32 oldest;

	/* The frame refers to an earlier incarnation of this site. */
	if (ctrl->incarnation != site->incarnation)
		return;
	src = flitcast_source_find(site, ctrl->sock);
	if (src)
		flow = flitcast_txflow_find(site, src, ctrl->site, ctrl->port);
	/* A cumulative ack beyond the last message sent is invalid. */
	if (!flow || fc_before(flow->core.next, ctrl->next))
		return;
	if (ctrl->kind == FC_CTRL_UNREACHABLE) {
		/* A late report may be about a message that is completed. */
		if (!fc_before(ctrl->seq, flow->core.oldest))
			route_lost(flow, ctrl->seq, ctrl->base == FC_UNREACHABLE_HOPS, now);
		return;
	}
	oldest = flow->core.oldest;
	list_for_each_entry_safe(t, next, &flow->pending, pending) {
		/* Messages beyond the window have not been sent. */
		if (t->core.seq - oldest >= FC_FLOW_WINDOW)
			break;
		if (fc_before(t->core.seq, ctrl->next) || t->core.seq == ctrl->seq)
			answered(site, t, ctrl, now);
		else if (fc_before(ctrl->seq, t->core.seq))
			/*
			 * Pending messages are in sequence order: the frame refers to none of the
			 * rest.
			 */
			break;
	}
	flitcast_txflow_advance(site, flow);
	flitcast_txflow_responded(site, flow, ctrl->next);
	flitcast_source_reap(site, src);
}

/*
 * Answer FC_CTRL_RESYNC_REQ: a target without state of the flow, or short of flows, asks which
 * messages are completed.  All messages of an earlier incarnation of this site, or of a closed
 * socket, are completed.
 */
static void send_resync(struct flitcast_site *site, const struct fc_ctrl *ask)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_CLOSED, .dst = ask->site, .incarnation = ask->incarnation,
		.sock = ask->sock, .site = site->cfg.id, .port = ask->port,
		.seq = ask->next - 1, .next = ask->next, .have = ask->have,
	};
	struct flitcast_source *src = NULL;
	struct tx_flow *flow = NULL;

	if (ask->incarnation == site->incarnation)
		src = flitcast_source_find(site, ask->sock);
	if (src)
		flow = flitcast_txflow_find(site, src, ask->site, ask->port);
	if (flow) {
		ctrl.kind = FC_CTRL_RESYNC;
		ctrl.next = flow->core.oldest;
		ctrl.seq = ctrl.next - 1;
	}
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

void flitcast_tx_answer(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	answers(site, ctrl);
	if (ctrl->kind == FC_CTRL_RESYNC_REQ)
		send_resync(site, ctrl);
}

bool flitcast_tx_abort(struct flitcast_site *site, struct tx_target *t, int err)
{
	struct tx_flow *flow = t->flow;
	bool more = t->msg->state.left > 1;

	t->refused = t->core.state == FC_TX_NO_SPACE;
	t->core.state = FC_TX_FAILED;
	target_completed(site, t, err);
	flitcast_txflow_advance(site, flow);
	flitcast_txflow_forward(site, flow);
	return more;
}

/*
 * Ask a target whether the message has arrived or, if the target refused it, whether there is
 * space.
 */
static void ask(struct flitcast_site *site, const struct flitcast_msg *msg,
		struct tx_target *t)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_ASK, .dst = t->flow->site, .incarnation = site->incarnation,
		.sock = msg->source->number, .site = site->cfg.id, .port = t->flow->port,
		.seq = t->core.seq, .next = t->flow->core.oldest,
	};

	t->questioned = true;
	if (!t->asked)
		t->asked = flitcast_site_now(site);
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

/*
 * Return: when to send the next FC_CTRL_ASK; FC_NEVER if no answer is due.  The wait doubles each
 * time.  Targets that refused the message are asked by walk_repeat(), and unresponsive ones get
 * only their oldest message, and questions about it.
 */
static u64 ask_due(const struct flitcast_site *site, const struct tx_target *t)
{
	if (fc_txtarget_completed(&t->core) || t->core.state == FC_TX_NO_SPACE || !t->most ||
	    (t->flow->unresponsive && t->core.seq != t->flow->core.oldest) ||
	    fc_txtarget_unsent(&t->core) || t->asks == ASKS)
		return FC_NEVER;
	return fc_ask_at(t->sent_at, site->ends->tx.anew, t->asks, flitcast_tx_ask_wait(site)) +
	       (t->delay_ack ? FC_ACK_DELAY_NS : 0);
}

/* TX_WALK_ASK: ask a target that has not acked in time. */
static void walk_ask(struct flitcast_site *site, struct flitcast_msg *msg, struct tx_target *t,
		     u64 now, int *budget)
{
	u64 due = ask_due(site, t);

	if (due <= now) {
		*budget -= TX_COST_ACT;
		ask(site, msg, t);
		t->asks++;
		msg->walk.acts++;
		/* Wait for the answer before retransmitting, even if the clock has jumped. */
		msg->at.repeat = max(msg->at.repeat, now + flitcast_tx_ask_wait(site));
		due = ask_due(site, t);
	}
	msg->at.ask = min(msg->at.ask, max(due, now + ASK_MORE_NS));
}

/* TX_WALK_REPEAT: FC_CTRL_ASK was not answered in time either.  Retransmit what is not acked. */
static void walk_repeat(struct flitcast_site *site, struct flitcast_msg *msg, struct tx_target *t,
			int *budget)
{
	*budget -= TX_COST_ACT;
	/* The target is unresponsive only if it was sent something and does not answer. */
	if (t->asked && t->flow->responded_at < t->asked && !fc_txtarget_unsent(&t->core)) {
		if (!t->flow->unresponsive)
			t->flow->asked_since = t->asked;
		flitcast_txflow_unresponsive(site, t->flow, true);
	}
	if (waits_its_turn(t) || fc_txtarget_repeat(&t->core))
		ask(site, msg, t);
	t->unresponsive = true;
	flitcast_tx_update(site, t);
}

/*
 * Return: false if the previous copy still waits in the local net-input: do not queue another
 * behind.
 */
static bool repeat_begin(struct flitcast_site *site, struct flitcast_msg *msg, u64 now)
{
	if (flitcast_oper_stands(site, msg->entered)) {
		msg->at.repeat = now + msg->at.wait;
		return false;
	}
	msg->at.wait = min_t(u64, 2 * msg->at.wait, RTO_LAST_NS);
	/* Retransmission after a random wait (CARE, section 3.4). */
	msg->at.repeat = now + msg->at.wait + fc_random(&site->rng) % (u32)(msg->at.wait / 4);
	return true;
}

/*
 * Return: when a target is aborted if it makes no progress.
 *
 * A target that answers FC_CTRL_NO_SPACE is not unresponsive: how long it may take is the sender's
 * choice (FLITCAST_SLOW_TARGET).  A target that keeps answering that it has nothing of the
 * message makes no progress: its answers get through, and the message does not.
 */
static u64 target_deadline(struct flitcast_site *site, const struct tx_target *t, u64 timeout,
			   u64 now)
{
	u64 stuck;

	if (!fc_txtarget_unsent(&t->core)) {
		if (t->asked)
			return t->asked + timeout;
		if (t->core.state == FC_TX_NO_SPACE || waits_its_turn(t) || !t->first_at)
			return now + timeout;
		return max(t->first_at, t->flow->news_at) + timeout;
	}
	/* Messages queued behind one that the target does not answer share its time-out. */
	if (t->flow->unresponsive)
		return max(t->msg->at.accepted, t->flow->asked_since) + timeout;
	/*
	 * The message has not left this site, so no answer is due.  Wait as long as packets of any
	 * message leave; and without limit while it waits for a reservation (FLITCAST_ADMISSION).
	 */
	stuck = flitcast_site_reserves(site) && t->msg->how.class != FLITCAST_TX_HIGH ?
		FC_NEVER : flitcast_oper_stuck(site, flitcast_site_set(t->msg->how.class));
	if (stuck == FC_NEVER)
		return now + timeout;
	return max(stuck, t->msg->at.accepted) + timeout;
}

/* The target is reachable again: retransmit now. */
static void route_restored(struct flitcast_site *site, struct flitcast_msg *msg,
			   struct tx_target *t,
		     u64 now)
{
	t->lost = false;
	t->flow->unreachable = false;
	msg->at.wait = flitcast_tx_wait(site);
	msg->at.repeat = now;
}

/*
 * Routes have changed: if the ack of a target is overdue, ask it anew, and retransmit as if the
 * packet had just been sent.
 */
static void ask_anew(const struct flitcast_site *site, struct flitcast_msg *msg,
		     struct tx_target *t, u64 now)
{
	if (!fc_ask_overdue(t->sent_at, flitcast_tx_ask_wait(site), now))
		return;
	t->asks = 0;
	msg->at.ask = min(msg->at.ask, now);
	msg->at.wait = flitcast_tx_wait(site);
	msg->at.repeat = min(msg->at.repeat, now + msg->at.wait);
}

/*
 * TX_WALK_DEADLINE: abort a target that is unresponsive or unreachable for too long. Return: false
 * if the message was completed and freed.
 */
static bool walk_deadline(struct flitcast_site *site, struct flitcast_msg *msg,
			  struct tx_target *t, u64 now, int *budget)
{
	u64 grace = (u64)site->cfg.tuning.grace * NSEC_PER_USEC;
	u64 at = target_deadline(site, t, msg->source->timeout, now);
	u64 lost = flitcast_faults_lost(site, t->site, now);

	if (lost != FC_NEVER) {
		if (!t->flow->unreachable)
			t->since = now;
		t->flow->unreachable = true;
		t->flow->circle = false;
		t->lost = true;
		at = min(at, lost + grace);
	} else if (t->lost) {
		route_restored(site, msg, t, now);
	}
	if (at > now) {
		msg->at.deadline = min(msg->at.deadline, at);
		if (msg->walk.anew)
			ask_anew(site, msg, t, now);
		return true;
	}
	*budget -= TX_COST_ACT;
	if (!t->flow->unreachable)
		return flitcast_tx_abort(site, t, -ETIMEDOUT);
	return flitcast_tx_abort(site, t, t->flow->circle ? -ELOOP : -EHOSTUNREACH);
}

/* Return: the message of a detached target to abort next, from the last on; @t comes last. */
static struct tx_target *detach_next(struct tx_target *t)
{
	struct list_head *pending = &t->flow->pending;
	struct tx_target *last = list_last_entry(pending, struct tx_target, pending);

	if (last == t && !list_is_first(&t->pending, pending))
		last = list_prev_entry(t, pending);
	return last;
}

/*
 * TX_WALK_SLOW: the target exceeded the sender's limit.  Return: false if the message was completed
 * and freed.
 */
static bool walk_slow(struct flitcast_site *site, struct flitcast_msg *msg, struct tx_target *t,
		      int *budget)
{
	struct tx_target *pos = t;

	if (msg->how.slow == FLITCAST_TX_DETACH) {
		/*
		 * First abort the other pending messages of this target.  The source cannot be
		 * freed meanwhile: @msg still belongs to it.
		 */
		t->flow->detached = t->flow->src->era;
		while ((pos = detach_next(t)) != t) {
			if (*budget <= 0)
				return true;
			*budget -= TX_COST_ACT;
			flitcast_tx_abort(site, pos, -ETIME);
		}
	}
	*budget -= TX_COST_ACT;
	return flitcast_tx_abort(site, t, -ETIME);
}

static void walk_start(struct flitcast_msg *msg, enum tx_walk walk)
{
	msg->walk.what = walk;
	msg->walk.at = 0;
	msg->walk.due = 0;
	msg->walk.acts = 0;
}

/* Start the walk that is due, if none is in progress.  Return: false if nothing is due. */
static bool walk_begin(struct flitcast_site *site, struct flitcast_msg *msg, u64 now)
{
	if (msg->walk.what != TX_WALK_NONE)
		return msg->walk.due <= now;
	if (msg->at.slow <= now) {
		walk_start(msg, TX_WALK_SLOW);
	} else if (msg->at.deadline <= now) {
		/* Reset before the walk: an event during the walk may set it again. */
		msg->at.deadline = FC_NEVER;
		walk_start(msg, TX_WALK_DEADLINE);
	} else if (msg->at.ask <= now) {
		msg->at.ask = FC_NEVER;
		walk_start(msg, TX_WALK_ASK);
	} else if (msg->at.repeat <= now && repeat_begin(site, msg, now)) {
		walk_start(msg, TX_WALK_REPEAT);
	} else {
		return false;
	}
	return true;
}

/* Visit one target.  Return: false if the message was completed and freed. */
static bool walk_target(struct flitcast_site *site, struct flitcast_msg *msg, struct tx_target *t,
			u64 now, int *budget)
{
	switch ((enum tx_walk)msg->walk.what) {
	case TX_WALK_ABORT:
		*budget -= TX_COST_ACT;
		return flitcast_tx_abort(site, t, msg->walk.err);
	case TX_WALK_SLOW:
		return walk_slow(site, msg, t, budget);
	case TX_WALK_DEADLINE:
		return walk_deadline(site, msg, t, now, budget);
	case TX_WALK_ASK:
		walk_ask(site, msg, t, now, budget);
		break;
	case TX_WALK_REPEAT:
		walk_repeat(site, msg, t, budget);
		break;
	case TX_WALK_NONE:
		break;
	}
	return true;
}

/* Continue the walk within the budget.  Return: false if the message was completed and freed. */
static bool walk(struct flitcast_site *site, struct flitcast_msg *msg, u64 now, int *budget)
{
	msg->walk.due = 0;
	while (msg->walk.at < msg->ntargets) {
		struct tx_target *t = &msg->target[msg->walk.at];

		if (*budget <= 0)
			return true;
		if (msg->walk.acts == ASKS_MAX) {
			msg->walk.acts = 0;
			msg->walk.due = now + ASK_MORE_NS;
			return true;
		}
		--*budget;
		if (!fc_txtarget_completed(&t->core)) {
			if (!walk_target(site, msg, t, now, budget))
				return false;
			/* walk_slow() ran out of budget: visit the same target again. */
			if (msg->walk.what == TX_WALK_SLOW && !fc_txtarget_completed(&t->core))
				continue;
		}
		msg->walk.at++;
	}
	if (msg->walk.what == TX_WALK_REPEAT)
		flitcast_tx_ready(site, msg);
	/* If routes have changed again during the walk, the next one asks, too. */
	if (msg->walk.what == TX_WALK_DEADLINE && msg->at.deadline > now)
		msg->walk.anew = false;
	msg->walk.what = TX_WALK_NONE;
	return true;
}

bool flitcast_tx_abort_all(struct flitcast_site *site, struct flitcast_msg *msg, int err,
			   int *budget)
{
	if (msg->walk.what != TX_WALK_ABORT) {
		walk_start(msg, TX_WALK_ABORT);
		msg->walk.err = err;
	}
	if (!walk(site, msg, flitcast_site_now(site), budget))
		return true;
	flitcast_tx_schedule(site, msg);
	return false;
}

void flitcast_tx_rerouted(struct flitcast_site *site)
{
	u64 now = flitcast_site_now(site), at;

	lockdep_assert_held(&site->lock);
	at = fc_ask_anew_at(site->ends->tx.anew, site->ends->tx.again, flitcast_tx_ask_wait(site),
			    now);
	if (at <= now) {
		site->ends->tx.anew = now;
		site->ends->tx.asks = true;
		site->ends->tx.again = FC_NEVER;
	} else {
		site->ends->tx.again = at;
		flitcast_tx_due(site, at);
	}
	site->ends->tx.reroute = list_first_entry_or_null(&site->ends->tx.msgs, struct flitcast_msg,
							  site_node);
	if (site->ends->tx.reroute)
		flitcast_tx_due(site, 0);
}

/*
 * Routes have changed: check the deadlines of messages, which finds unreachable targets, and asks
 * about overdue packets.
 */
static void reroute_time(struct flitcast_site *site, u64 now, int *budget)
{
	while (site->ends->tx.reroute && *budget > 0) {
		struct flitcast_msg *msg = site->ends->tx.reroute;

		*budget -= TX_COST_MSG;
		site->ends->tx.reroute = after(site, msg);
		msg->at.deadline = now;
		msg->walk.anew |= site->ends->tx.asks;
		flitcast_tx_schedule(site, msg);
	}
	if (site->ends->tx.reroute)
		flitcast_tx_due(site, 0);
	else
		site->ends->tx.asks = false;
}

/* A timer of the message has expired.  The message may be freed afterwards. */
static void msg_time(struct flitcast_site *site, struct flitcast_msg *msg, u64 now, int *budget)
{
	*budget -= TX_COST_MSG;
	if (msg->state.holding && flitcast_tx_hold_until(msg) <= now) {
		msg->state.holding = false;
		flitcast_tx_ready(site, msg);
	}
	while (*budget > 0 && walk_begin(site, msg, now))
		if (!walk(site, msg, now, budget))
			return;
	flitcast_tx_schedule(site, msg);
}

/* Move messages whose @ask is due from the list of late ones to the tree, within the budget. */
static void late_time(struct flitcast_site *site, u64 now, int *budget)
{
	struct flitcast_msg *msg, *next;

	list_for_each_entry_safe(msg, next, &site->ends->tx.late, late) {
		if (msg->at.ask > now || *budget <= 0) {
			flitcast_tx_due(site, msg->at.ask);
			return;
		}
		*budget -= TX_COST_MSG;
		flitcast_tx_schedule(site, msg);
	}
}

/*
 * Abort messages of closed sockets after the time-out of the socket; earlier, in the order of their
 * time-outs, if closed sockets hold more than FLITCAST_ORPHANS_MAX bytes.
 */
static void closing_time(struct flitcast_site *site, u64 now, int *budget)
{
	struct rb_node *first;

	while ((first = rb_first_cached(&site->ends->sources.closing))) {
		struct flitcast_source *src = rb_entry(first, struct flitcast_source, closing);
		struct flitcast_msg *msg;

		if (src->until > now && site->ends->sources.orphans <= FLITCAST_ORPHANS_MAX) {
			flitcast_tx_due(site, src->until);
			return;
		}
		if (*budget <= 0) {
			flitcast_tx_due(site, 0);
			return;
		}
		*budget -= TX_COST_FREE;
		msg = list_first_entry_or_null(&src->msgs, struct flitcast_msg, source_node);
		if (msg)
			flitcast_tx_abort_all(site, msg, -ETIMEDOUT, budget);
		flitcast_source_reap(site, src);
	}
}

void flitcast_tx_time(struct flitcast_site *site)
{
	u64 now = flitcast_site_now(site);
	int budget = TX_BUDGET;
	struct flitcast_source *src;
	struct rb_node *first;

	site->clock.ends_at = FC_NEVER;
	if (site->ends->tx.again <= now)
		flitcast_tx_rerouted(site);
	else if (site->ends->tx.again != FC_NEVER)
		flitcast_tx_due(site, site->ends->tx.again);
	reroute_time(site, now, &budget);
	late_time(site, now, &budget);
	while ((first = rb_first_cached(&site->ends->tx.due))) {
		struct flitcast_msg *msg = rb_entry(first, struct flitcast_msg, due_node);
		/*
		 * Over budget: the timer handles the rest, so that the lock is not held for long.
		 */
		if (msg->at.due > now || budget <= 0) {
			flitcast_tx_due(site, msg->at.due);
			break;
		}
		src = msg->source;
		msg_time(site, msg, now, &budget);
		flitcast_source_reap(site, src);
	}
	closing_time(site, now, &budget);
	while ((src = flitcast_txflow_time(site, now, &budget)))
		flitcast_source_reap(site, src);
}
