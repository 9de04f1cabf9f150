// SPDX-License-Identifier: GPL-2.0
/*
 * Sending flows: what one source sends to one target, and what the target is told
 * of messages that were given up.
 *
 * Each packet says which messages of its flow are over (struct fc_target, lag).
 * Where a message was given up there may be no later packet, or all later ones may
 * have come and wait at the target for the one that will never be whole; so the
 * target is told by FC_CTRL_FORWARD as well, again and again until a word of it
 * shows that it knows.
 */
#include <linux/jhash.h>
#include <linux/slab.h>
#include "site/tx.h"

/* Told after so long, doubling up to the last, and so often: 14 s in all. */
#define FORWARD_FIRST_NS	(50 * NSEC_PER_MSEC)
#define FORWARD_LAST_NS		(4 * NSEC_PER_SEC)
#define FORWARDS		9

struct tx_flow *flitcast_txflow_find(struct flitcast_source *src, u32 site, u16 port)
{
	struct tx_flow *flow;

	hash_for_each_possible(src->flows, flow, node, jhash_2words(site, port, 0))
		if (flow->site == site && flow->port == port)
			return flow;
	return NULL;
}

/* The target knows, or is not told any more. */
static void forward_end(struct flitcast_site *site, struct tx_flow *flow)
{
	if (list_empty(&flow->forward))
		return;
	list_del_init(&flow->forward);
	flow->src->nforward--;
	site->nforward--;
}

static void flow_free(struct flitcast_site *site, struct tx_flow *flow)
{
	forward_end(site, flow);
	hash_del(&flow->node);
	flow->src->nflows--;
	kfree(flow);
}

/* Targets of a source that ends which are told so; others ask when they need the room. */
#define CLOSED_MAX	16

/* The target need not keep anything of the flow: it may be lost. */
static void tell_closed(struct flitcast_site *site, const struct tx_flow *flow)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_CLOSED, .dst = flow->site, .incarnation = site->incarnation,
		.sock = flow->src->number, .site = site->cfg.id, .port = flow->port,
		.seq = flow->core.next - 1, .next = flow->core.next,
	};

	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

void flitcast_txflow_free_all(struct flitcast_site *site, struct flitcast_source *src)
{
	unsigned int told = site->dead ? CLOSED_MAX : 0;
	struct hlist_node *next;
	struct tx_flow *flow;
	int bucket;

	hash_for_each_safe(src->flows, bucket, next, flow, node) {
		/* One that never said anything has no flow, or is out of reach. */
		if (flow->heard && told++ < CLOSED_MAX)
			tell_closed(site, flow);
		flow_free(site, flow);
	}
}

/* Without those that are detached, if that is enough: they would be forgiven. */
static void evict(struct flitcast_site *site, struct flitcast_source *src, bool detached)
{
	struct hlist_node *next;
	struct tx_flow *flow;
	int bucket;

	hash_for_each_safe(src->flows, bucket, next, flow, node) {
		if (!list_empty(&flow->pending) || (flow->detached && !detached))
			continue;
		if (fc_before(src->next, flow->core.next))
			src->next = flow->core.next;
		flow_free(site, flow);
	}
}

/*
 * A flow that comes back begins above every number it had, with nothing before it:
 * its target takes that for messages given up.
 */
void flitcast_txflow_evict(struct flitcast_site *site, struct flitcast_source *src)
{
	evict(site, src, false);
	if (src->nflows >= FLITCAST_TXFLOWS_MAX / 2)
		evict(site, src, true);
}

struct tx_flow *flitcast_txflow_get(struct flitcast_source *src, u32 site, u16 port)
{
	struct tx_flow *flow = flitcast_txflow_find(src, site, port);

	if (flow)
		return flow;
	flow = kzalloc(sizeof(*flow), GFP_ATOMIC | __GFP_ACCOUNT);
	if (!flow)
		return NULL;
	flow->src = src;
	flow->site = site;
	flow->port = port;
	INIT_LIST_HEAD(&flow->pending);
	INIT_LIST_HEAD(&flow->forward);
	flow->core.next = src->next;
	flow->core.oldest = src->next;
	flow->level = src->next;
	hash_add(src->flows, &flow->node, jhash_2words(site, port, 0));
	src->nflows++;
	return flow;
}

/* Those that may be sent now: what is behind them waits for the window. */
static void window_ready(struct flitcast_site *site, struct tx_flow *flow, bool settle)
{
	struct tx_target *t;

	list_for_each_entry(t, &flow->pending, pending) {
		if (t->core.seq - flow->core.oldest >= FC_FLOW_WINDOW)
			break;
		if (settle)
			flitcast_tx_settle(site, t->msg, false);
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

void flitcast_txflow_silent(struct flitcast_site *site, struct tx_flow *flow, bool silent)
{
	if (flow->silent == silent)
		return;
	flow->silent = silent;
	window_ready(site, flow, true);
}

void flitcast_txflow_heard(struct flitcast_site *site, struct tx_flow *flow, u32 level)
{
	flow->heard = flitcast_site_now(site);
	flow->unreachable = false;
	if (fc_before(flow->level, level))
		flow->level = level;
	if (!fc_before(flow->level, flow->core.oldest))
		forward_end(site, flow);
	flitcast_txflow_silent(site, flow, false);
}

void flitcast_txflow_forward(struct flitcast_site *site, struct tx_flow *flow)
{
	if (!fc_before(flow->level, flow->core.oldest))
		return;
	if (list_empty(&flow->forward)) {
		/* So many: they learn it by a later packet, or when they need the room. */
		if (site->nforward >= FLITCAST_FORWARD_MAX)
			return;
		list_add_tail(&flow->forward, &site->forward);
		flow->src->nforward++;
		site->nforward++;
	}
	flow->forwards = 0;
	flow->forward_at = flitcast_site_now(site);
	flitcast_tx_due(site, flow->forward_at);
}

void flitcast_txflow_behind(struct flitcast_site *site, struct tx_flow *flow, u32 level)
{
	if (!list_empty(&flow->forward))
		return;
	flow->level = level;
	flitcast_txflow_forward(site, flow);
}

static void tell(struct flitcast_site *site, struct tx_flow *flow, u64 now)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_FORWARD, .dst = flow->site, .incarnation = site->incarnation,
		.sock = flow->src->number, .site = site->cfg.id, .port = flow->port,
		.seq = flow->core.oldest - 1, .next = flow->core.oldest,
	};

	flow->forward_at = now + min_t(u64, FORWARD_FIRST_NS << flow->forwards, FORWARD_LAST_NS);
	flow->forwards++;
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

void flitcast_txflow_time(struct flitcast_site *site, u64 now)
{
	struct tx_flow *flow, *next;

	list_for_each_entry_safe(flow, next, &site->forward, forward) {
		struct flitcast_source *src = flow->src;

		if (flow->forward_at <= now) {
			if (flow->forwards >= FORWARDS) {
				forward_end(site, flow);
				/*
				 * It may free the source, and its other flows with it: but
				 * none of those is in this list then.
				 */
				flitcast_source_reap(site, src);
				continue;
			}
			tell(site, flow, now);
		}
		flitcast_tx_due(site, flow->forward_at);
	}
}
