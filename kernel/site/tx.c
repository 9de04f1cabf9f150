// SPDX-License-Identifier: GPL-2.0
/*
 * Sending ends: messages are kept until every target has confirmed, and sent again
 * where no answer comes.
 */
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include "site/tx.h"

/* The message may have something to send. */
void flitcast_tx_ready(struct flitcast_site *site, struct flitcast_msg *msg)
{
	if (list_empty(&msg->ready))
		list_add_tail(&msg->ready, msg->begun ? &site->ready : &site->fresh);
}

/*
 * Has the message packets under way, or room at a target, which it should soon
 * use?  What a silent target is sent again does not count: a site that is gone
 * must not hold back what goes to others.
 */
static bool msg_under_way(const struct flitcast_msg *msg)
{
	u32 i;

	for (i = 0; i < msg->ntargets; i++) {
		const struct tx_target *t = &msg->target[i];

		if (!fc_txtarget_over(&t->core) && t->core.state != FC_TX_NO_ROOM &&
		    !t->silent && t->most)
			return true;
	}
	return false;
}

/* Its state changed: it may become active, or make place for another. */
void flitcast_tx_settle(struct flitcast_site *site, struct flitcast_msg *msg, bool over)
{
	bool active = !over && msg_under_way(msg);

	if (active == msg->active)
		return;
	msg->active = active;
	if (active)
		site->nactive++;
	else
		site->nactive--;
}

/*
 * Flows.
 */

static struct tx_flow *flow_find(struct flitcast_source *src, u32 site, u16 port)
{
	struct tx_flow *flow;

	hash_for_each_possible(src->flows, flow, node, jhash_2words(site, port, 0))
		if (flow->site == site && flow->port == port)
			return flow;
	return NULL;
}

static void flow_free(struct flitcast_source *src, struct tx_flow *flow)
{
	hash_del(&flow->node);
	src->nflows--;
	kfree(flow);
}

/*
 * Flows without messages give way.  One that comes back begins above every number
 * it had, with nothing before it: its target takes that for messages given up.
 */
void flitcast_tx_evict(struct flitcast_source *src)
{
	struct hlist_node *next;
	struct tx_flow *flow;
	int bucket;

	hash_for_each_safe(src->flows, bucket, next, flow, node) {
		if (!list_empty(&flow->pending))
			continue;
		if (fc_before(src->next, flow->core.next))
			src->next = flow->core.next;
		flow_free(src, flow);
	}
}

struct tx_flow *flitcast_tx_flow(struct flitcast_source *src, u32 site, u16 port)
{
	struct tx_flow *flow = flow_find(src, site, port);

	if (flow)
		return flow;
	flow = kzalloc(sizeof(*flow), GFP_ATOMIC | __GFP_ACCOUNT);
	if (!flow)
		return NULL;
	flow->site = site;
	flow->port = port;
	INIT_LIST_HEAD(&flow->pending);
	flow->core.next = src->next;
	flow->core.oldest = src->next;
	hash_add(src->flows, &flow->node, jhash_2words(site, port, 0));
	src->nflows++;
	return flow;
}

/* The oldest message of a flow that is not over; those behind it may be sent now. */
static void flow_advance(struct flitcast_site *site, struct tx_flow *flow)
{
	struct tx_target *t;
	u32 oldest = flow->core.next;

	t = list_first_entry_or_null(&flow->pending, struct tx_target, pending);
	if (t)
		oldest = t->core.seq;
	if (oldest == flow->core.oldest)
		return;
	flow->core.oldest = oldest;
	list_for_each_entry(t, &flow->pending, pending)
		flitcast_tx_ready(site, t->msg);
}

/*
 * Progress.
 */

void flitcast_tx_source_free(struct flitcast_source *src)
{
	struct hlist_node *next;
	struct tx_flow *flow;
	int bucket;

	hash_for_each_safe(src->flows, bucket, next, flow, node)
		flow_free(src, flow);
	kfree(src);
}

/* A closed source goes with its last message; its user has no more to do with it. */
void flitcast_tx_reap(struct flitcast_source *src)
{
	if (src->port || !list_empty(&src->msgs))
		return;
	hash_del(&src->node);
	flitcast_tx_source_free(src);
}

/* Every target is over. */
static void msg_over(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_source *src = msg->source;

	flitcast_tx_settle(site, msg, true);
	list_del_init(&msg->ready);
	list_del_init(&msg->site_node);
	list_del_init(&msg->source_node);
	site->stat[msg->err ? FC_STAT_MSG_FAILED : FC_STAT_MSG_CONFIRMED]++;
	if (src->port) {
		const struct flitcast_sent sent = {
			.charge = msg->charge, .err = msg->err, .id = msg->id, .kind = msg->kind,
		};

		src->port->ops->sent(src->port, &sent);
		flitcast_engine_wake(site, src->port, FLITCAST_WAKE_OUT |
				     (msg->err ? FLITCAST_WAKE_ERR : 0));
	} else {
		site->orphans -= msg->charge;
	}
	msg->source = NULL;
	flitcast_msg_put(msg);
	flitcast_site_drained(site);
}

/* This target is over; its message may be.  The message may be gone afterwards. */
static void target_over(struct flitcast_site *site, struct tx_target *t, int err)
{
	struct flitcast_msg *msg = t->msg;

	list_del_init(&t->pending);
	if (err && !msg->err)
		msg->err = err;
	if (!--msg->left)
		msg_over(site, msg);
}

void flitcast_tx_answer(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	struct flitcast_source *src;
	struct tx_target *t, *next;
	struct tx_flow *flow = NULL;
	u64 now = flitcast_now();

	if (ctrl->incarnation != site->incarnation)
		return;
	hash_for_each_possible(site->sources, src, node, ctrl->sock) {
		if (src->number == ctrl->sock) {
			flow = flow_find(src, ctrl->site, ctrl->port);
			break;
		}
	}
	/* A level beyond what was sent is nobody's. */
	if (!flow || fc_before(flow->core.next, ctrl->next))
		return;
	list_for_each_entry_safe(t, next, &flow->pending, pending) {
		if (ctrl->kind == FC_CTRL_UNREACHABLE) {
			if (t->core.seq == ctrl->seq && !t->unreachable) {
				t->unreachable = true;
				t->since = now;
			}
			continue;
		}
		/* Numbers go up: nothing behind it is spoken of. */
		if (!fc_before(t->core.seq, ctrl->next) && t->core.seq != ctrl->seq)
			continue;
		t->asked = 0;
		t->silent = false;
		t->unreachable = false;
		if (!fc_txtarget_answer(&t->core, ctrl))
			continue;
		if (t->core.state == FC_TX_NO_ROOM)
			t->since = now;
		if (t->most && ctrl->kind == FC_CTRL_CONFIRM)
			site->srtt += (s64)(now - t->sent_at - site->srtt) / 8;
		t->msg->wait = flitcast_tx_wait(site);
		t->msg->repeat_at = now + t->msg->wait;
		if (fc_txtarget_over(&t->core)) {
			struct flitcast_msg *msg = t->msg;
			bool last = msg->left == 1;

			target_over(site, t,
				    t->core.state == FC_TX_REFUSED ? -ECONNREFUSED : 0);
			if (!last)
				flitcast_tx_settle(site, msg, false);
		} else {
			flitcast_tx_settle(site, t->msg, false);
			flitcast_tx_ready(site, t->msg);
		}
	}
	flow_advance(site, flow);
	flitcast_tx_reap(src);
}

/* Give a target up; false if that was the end of the message. */
bool flitcast_tx_give_up(struct flitcast_site *site, struct tx_target *t, int err)
{
	struct tx_flow *flow = t->flow;
	bool more = t->msg->left > 1;

	t->core.state = FC_TX_FAILED;
	target_over(site, t, err);
	flow_advance(site, flow);
	return more;
}

/* Has the target, which put the message off, room by now? */
static void ask(struct flitcast_site *site, const struct flitcast_msg *msg,
		struct tx_target *t)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_ASK, .dst = t->flow->site, .incarnation = site->incarnation,
		.sock = msg->source->number, .site = site->cfg.id, .port = t->flow->port,
		.seq = t->core.seq, .next = t->flow->core.oldest,
	};

	if (!t->asked)
		t->asked = flitcast_now();
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_engine_ctrl(site, &ctrl);
}

/* No answer in time; false if the message is over, and gone. */
static bool msg_repeat(struct flitcast_site *site, struct flitcast_msg *msg, u64 now)
{
	struct flitcast_source *src = msg->source;
	u32 i;

	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];
		bool unsent = fc_txtarget_unsent(&t->core);

		if (fc_txtarget_over(&t->core))
			continue;
		if (fc_txtarget_repeat(&t->core))
			ask(site, msg, t);
		t->silent = true;
		/* It cannot answer what has not gone from here. */
		if (unsent || !t->asked || now < t->asked + src->timeout)
			continue;
		if (!flitcast_tx_give_up(site, t, t->unreachable ? -EHOSTUNREACH : -ETIMEDOUT)) {
			flitcast_tx_reap(src);
			return false;
		}
	}
	msg->wait = min_t(u64, 2 * msg->wait, RTO_LAST_NS);
	/* Retransmission after a random wait (CARE, section 3.4). */
	msg->repeat_at = now + msg->wait + fc_random(&site->rng) % (u32)(msg->wait / 4);
	flitcast_tx_settle(site, msg, false);
	flitcast_tx_ready(site, msg);
	return true;
}

/*
 * Targets to which there is no way: given up when that has been so for a while;
 * false if the message is over, and gone.
 */
static bool msg_lost(struct flitcast_site *site, struct flitcast_msg *msg, u64 now)
{
	struct flitcast_source *src = msg->source;
	u32 i;

	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];
		u64 since;

		if (fc_txtarget_over(&t->core))
			continue;
		since = flitcast_faults_lost(site, t->flow->site, now);
		if (since == FC_NEVER)
			continue;
		if (!t->unreachable)
			t->since = now;
		t->unreachable = true;
		t->lost = true;
		if (now < since + LOST_NS) {
			flitcast_tx_due(site, since + LOST_NS);
		} else if (!flitcast_tx_give_up(site, t, -EHOSTUNREACH)) {
			flitcast_tx_reap(src);
			return false;
		}
	}
	return true;
}

void flitcast_tx_rerouted(struct flitcast_site *site)
{
	struct flitcast_msg *msg;
	u64 now = flitcast_now();
	u32 i;

	lockdep_assert_held(&site->lock);
	if (flitcast_faults_any_lost(site))
		flitcast_tx_due(site, now);
	list_for_each_entry(msg, &site->msgs, site_node) {
		for (i = 0; i < msg->ntargets; i++) {
			struct tx_target *t = &msg->target[i];

			if (!t->lost || flitcast_faults_lost(site, t->flow->site, now) != FC_NEVER)
				continue;
			t->lost = false;
			t->unreachable = false;
			msg->wait = flitcast_tx_wait(site);
			msg->repeat_at = now;
			flitcast_tx_due(site, now);
		}
	}
}

/* Something is due: what went unanswered is sent again, or given up. */
void flitcast_tx_time(struct flitcast_site *site)
{
	struct flitcast_msg *msg, *next;
	u64 now = flitcast_now();

	site->ends_at = FC_NEVER;
	list_for_each_entry_safe(msg, next, &site->msgs, site_node) {
		if (msg->holding && msg->hold_until <= now) {
			msg->holding = false;
			flitcast_tx_ready(site, msg);
		}
		if (msg->repeat_at <= now && !msg_repeat(site, msg, now))
			continue;
		if (flitcast_faults_any_lost(site) && !msg_lost(site, msg, now))
			continue;
		flitcast_tx_due(site, msg->repeat_at);
		if (msg->holding)
			flitcast_tx_due(site, msg->hold_until);
	}
}
