// SPDX-License-Identifier: GPL-2.0
/*
 * Sending flows: what one source sends to one target, and how the target learns of aborted
 * messages.
 *
 * Each packet carries the number of the oldest outstanding message of its flow (struct fc_target,
 * @outstanding).  After a message is aborted there may be no later packet; or all later ones may
 * have arrived, and wait at the target for the aborted one.  So the source also sends
 * FC_CTRL_FORWARD, and repeats it until the target acks it:
 *
 *	source                                target
 *	message 5 aborted
 *	FORWARD (next: 6)  --- lost
 *	FORWARD (next: 6)  ---------------->  skip 5, deliver complete successors
 *	                   <----------------  CONFIRM (next: 6 or more)
 *
 * A flow without pending messages may be evicted.  Its successor starts above all numbers it has
 * used, which its target takes for messages that were aborted.
 */
#include <linux/slab.h>
#include "ends/tx.h"
#include "ends/txflow.h"
#include "ends/txqueue.h"
#include "ends/txsched.h"
#include "fabric/enter.h"

/* FC_CTRL_FORWARD: first and last interval (doubling), and number of transmissions: 14 s in all. */
#define FORWARD_FIRST_NS	(50 * NSEC_PER_MSEC)
#define FORWARD_LAST_NS		(4ULL * NSEC_PER_SEC)
#define FORWARDS		9

/* Number of flows examined to find one to evict. */
#define EVICT_BUDGET	16

static_assert(FLITCAST_SITES_MAX <= 1U << 16);

/*
 * Index of a flow in the xarray of its source.  Most sources send to one port number: XORing it
 * with that of the first flow makes their indices dense, and the tree flat.
 */
static unsigned long flow_index(const struct flitcast_site *site, const struct flitcast_source *src,
				u32 target, u16 port)
{
	return (unsigned long)(port ^ src->first_port) << site->ends->sources.site_bits | target;
}

struct tx_flow *flitcast_txflow_find(struct flitcast_site *site, struct flitcast_source *src,
				     u32 target, u16 port)
{
	struct tx_flow **last = &src->flow_last[target % TX_FLOWS_LAST], *flow = *last;

	if (flow && flow->site == target && flow->port == port)
		return flow;
	/* An invalid site number would alias the index of another flow. */
	if (unlikely(target >= site->cfg.topo.nsites))
		return NULL;
	flow = xa_load(&src->flows, flow_index(site, src, target, port));
	if (flow)
		*last = flow;
	return flow;
}

/* Stop sending FC_CTRL_FORWARD: the target has acked it, or it was sent often enough. */
static void forward_end(struct flitcast_site *site, struct tx_flow *flow)
{
	if (RB_EMPTY_NODE(&flow->forward))
		return;
	rb_erase_cached(&flow->forward, &site->ends->tx.forward);
	RB_CLEAR_NODE(&flow->forward);
	flow->src->nforward--;
	site->ends->tx.nforward--;
}

static bool forward_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct tx_flow, forward)->forward_at <
	       rb_entry(b, struct tx_flow, forward)->forward_at;
}

static void forward_add(struct flitcast_site *site, struct tx_flow *flow, u64 at)
{
	flow->forward_at = at;
	rb_add_cached(&flow->forward, &site->ends->tx.forward, forward_before);
	flitcast_tx_due(site, at);
}

/*
 * When a source ends, at most CLOSED_MAX targets are sent FC_CTRL_CLOSED, and CLOSED_BUDGET flows
 * are examined.  The others ask (FC_CTRL_RESYNC_REQ) when their flow tables fill up.
 */
#define CLOSED_MAX	16
#define CLOSED_BUDGET	64

/* Send FC_CTRL_CLOSED: the target may free the flow.  Sent once, without an ack. */
static void send_closed(struct flitcast_site *site, const struct tx_flow *flow)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_CLOSED, .dst = flow->site, .incarnation = site->incarnation,
		.sock = flow->src->number, .site = site->cfg.id, .port = flow->port,
		.seq = flow->core.next - 1, .next = flow->core.next,
	};

	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

void flitcast_txflow_send_closed(struct flitcast_site *site, struct flitcast_source *src)
{
	unsigned int nsent = 0, visited = 0;
	struct tx_flow *flow;
	unsigned long index;

	xa_for_each(&src->flows, index, flow) {
		if (nsent == CLOSED_MAX || visited++ == CLOSED_BUDGET)
			return;
		/* A target that has never sent anything has no flow, or is unreachable. */
		if (!flow->responded_at)
			continue;
		send_closed(site, flow);
		nsent++;
	}
}

void flitcast_txflow_free_all(struct flitcast_source *src)
{
	struct tx_flow *flow;
	unsigned long index;

	xa_for_each(&src->flows, index, flow) {
		kfree(flow);
		cond_resched();
	}
	xa_destroy(&src->flows);
}

/*
 * Return: true if a flow may be evicted.  Eviction of a detached flow re-admits its target, so it
 * is passed over once.
 */
static bool may_evict(struct tx_flow *flow)
{
	if (flow->users || !list_empty(&flow->pending))
		return false;
	if (!flitcast_txflow_detached(flow) || flow->spared)
		return true;
	flow->spared = true;
	return false;
}

/*
 * Evict one flow without messages among the next EVICT_BUDGET of the source.  If the flow is
 * created again, it starts above all numbers used before, with none outstanding: its target takes
 * the gap for aborted messages.
 */
static void evict(struct flitcast_site *site, struct flitcast_source *src)
{
	unsigned int budget = EVICT_BUDGET;
	struct tx_flow *flow;

	while (budget--) {
		flow = xa_find(&src->flows, &src->hand, ULONG_MAX, XA_PRESENT);
		if (!flow) {
			src->hand = 0;
			continue;
		}
		src->hand++;
		if (!may_evict(flow))
			continue;
		if (fc_before(src->next, flow->core.next))
			src->next = flow->core.next;
		forward_end(site, flow);
		xa_erase(&src->flows, src->hand - 1);
		if (src->flow_last[flow->site % TX_FLOWS_LAST] == flow)
			src->flow_last[flow->site % TX_FLOWS_LAST] = NULL;
		src->nflows--;
		kfree(flow);
		return;
	}
}

struct tx_flow *flitcast_txflow_get(struct flitcast_site *site, struct flitcast_source *src,
				    u32 target, u16 port)
{
	struct tx_flow *flow = flitcast_txflow_find(site, src, target, port);

	if (flow)
		return flow;
	if (src->nflows >= FLITCAST_TXFLOWS_MAX)
		evict(site, src);
	flow = kzalloc(sizeof(*flow), GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!flow)
		return NULL;
	flow->src = src;
	flow->site = target;
	flow->port = port;
	INIT_LIST_HEAD(&flow->pending);
	RB_CLEAR_NODE(&flow->forward);
	flow->core.next = src->next;
	flow->core.oldest = src->next;
	flow->acked = src->next;
	if (!src->nflows)
		src->first_port = port;
	if (xa_is_err(xa_store(&src->flows, flow_index(site, src, target, port), flow,
			       GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT))) {
		kfree(flow);
		return NULL;
	}
	src->nflows++;
	src->flow_last[target % TX_FLOWS_LAST] = flow;
	return flow;
}

/* Queue the messages of a flow within the window; messages beyond it wait. */
static void window_ready(struct flitcast_site *site, struct tx_flow *flow, bool update)
{
	struct tx_target *t;

	list_for_each_entry(t, &flow->pending, pending) {
		if (t->core.seq - flow->core.oldest >= FC_FLOW_WINDOW)
			break;
		if (update)
			flitcast_tx_update(site, t);
		flitcast_tx_ready(site, t->msg);
	}
}

void flitcast_txflow_advance(struct flitcast_site *site, struct tx_flow *flow)
{
	struct tx_target *t;
	u32 oldest = flow->core.next;

	t = list_first_entry_or_null(&flow->pending, struct tx_target, pending);
	if (t)
		oldest = t->core.seq;
	if (oldest == flow->core.oldest)
		return;
	flow->core.oldest = oldest;
	window_ready(site, flow, false);
}

void flitcast_txflow_unresponsive(struct flitcast_site *site, struct tx_flow *flow,
				  bool unresponsive)
{
	if (flow->unresponsive == unresponsive)
		return;
	flow->unresponsive = unresponsive;
	window_ready(site, flow, true);
}

void flitcast_txflow_responded(struct flitcast_site *site, struct tx_flow *flow, u32 acked)
{
	flow->responded_at = flitcast_site_now(site);
	flow->unreachable = false;
	if (fc_before(flow->acked, acked))
		flow->acked = acked;
	if (!fc_before(flow->acked, flow->core.oldest))
		forward_end(site, flow);
	flitcast_txflow_unresponsive(site, flow, false);
}

void flitcast_txflow_forward(struct flitcast_site *site, struct tx_flow *flow)
{
	if (!fc_before(flow->acked, flow->core.oldest))
		return;
	if (RB_EMPTY_NODE(&flow->forward)) {
		/*
		 * Too many: the targets learn it from a later packet, or ask when they need the
		 * space.
		 */
		if (site->ends->tx.nforward >= FLITCAST_FORWARD_MAX)
			return;
		flow->src->nforward++;
		site->ends->tx.nforward++;
	} else {
		rb_erase_cached(&flow->forward, &site->ends->tx.forward);
	}
	flow->forwards = 0;
	forward_add(site, flow, flitcast_site_now(site));
}

void flitcast_txflow_behind(struct flitcast_site *site, struct tx_flow *flow, u32 acked)
{
	if (!RB_EMPTY_NODE(&flow->forward))
		return;
	flow->acked = acked;
	flitcast_txflow_forward(site, flow);
}

static void send_forward(struct flitcast_site *site, struct tx_flow *flow, u64 now)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_FORWARD, .dst = flow->site, .incarnation = site->incarnation,
		.sock = flow->src->number, .site = site->cfg.id, .port = flow->port,
		.seq = flow->core.oldest - 1, .next = flow->core.oldest,
	};

	rb_erase_cached(&flow->forward, &site->ends->tx.forward);
	forward_add(site, flow,
		    now + min_t(u64, FORWARD_FIRST_NS << flow->forwards, FORWARD_LAST_NS));
	flow->forwards++;
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

struct flitcast_source *flitcast_txflow_time(struct flitcast_site *site, u64 now,
					     int *budget)
{
	struct rb_node *first;

	while ((first = rb_first_cached(&site->ends->tx.forward))) {
		struct tx_flow *flow = rb_entry(first, struct tx_flow, forward);

		/*
		 * Over budget: the timer handles the rest, so that the lock is not held for long.
		 */
		if (flow->forward_at > now || *budget <= 0) {
			flitcast_tx_due(site, flow->forward_at);
			return NULL;
		}
		*budget -= TX_COST_ACT;
		if (flow->forwards < FORWARDS) {
			send_forward(site, flow, now);
			continue;
		}
		forward_end(site, flow);
		return flow->src;
	}
	return NULL;
}
