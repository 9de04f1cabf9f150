// SPDX-License-Identifier: GPL-2.0
/*
 * Table of the receiving flows of a site, and their eviction.
 *
 *	open ----(idle, table fills up: send RESYNC_REQ)----------> asked
 *	open or asked ----(source: all completed, RESYNC)---------> completed
 *	any ----(source: the flow is closed, CLOSED)--------------> closed
 *	asked, completed, closed ----(a packet of the flow)-------> open
 *
 *	Eviction: closed first, then completed, then asked flows whose source is unresponsive
 *	(no answer for SILENT_NS).
 *
 * If a flow is evicted, a late packet of it must not be taken for the first packet of a new flow.
 * So a flow is evicted only if its source has reported all its messages as completed or aborted
 * (states completed and closed), or if the source is unresponsive; and for each source site the
 * table remembers which of its sockets may have had evicted flows.  A packet from one of these
 * sockets that matches no flow is not received until the source has answered FC_CTRL_RESYNC_REQ.
 * Socket numbers increase, so new sockets are not affected.
 *
 * One source site may have at most half of all flows, and the sites with most flows are evicted
 * from first.
 */
#include <linux/hashtable.h>
#include <linux/log2.h>
#include <linux/rbtree.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "ends/check.h"
#include "ends/rxflow.h"
#include "fabric/enter.h"

/* Maximum number of flows of one source site. */
#define FLOWS_OF_ONE	(FLITCAST_FLOWS_MAX / 2)
/* Number of flows from which on sources are asked which of them they no longer need. */
#define FLOWS_MANY	(FLITCAST_FLOWS_MAX / 4 * 3)
/* For each new flow, ask about ASK_BATCH flows that have been idle for ASK_IDLE_NS. */
#define ASK_BATCH	2
#define ASK_IDLE_NS	(100 * NSEC_PER_MSEC)
/* A source that has not answered for this long is unresponsive: the flow may be evicted. */
#define SILENT_NS	NSEC_PER_SEC
/* Maximum number of source sites remembered only because flows of them were evicted. */
#define IDLE_MAX	1024
/* Number of lists of source sites, by the logarithm of their number of flows. */
#define SIZES		(ilog2(FLITCAST_FLOWS_MAX) + 1)

/**
 * struct rx_source - flows of one source site
 * @node: entry in flitcast_rx.sources
 * @flows: tree by socket, port and incarnation: lookup stays O(log n) even if a peer picks its
 *	numbers so that they would collide in a hash table
 * @by_size: entry in flitcast_rx.size or, without flows, flitcast_rx.idle
 * @open: flows in use, least recently used first
 * @asked: flows that the source was asked about, in the order of asking
 * @completed: flows that are completed or closed, oldest first
 * @src: source site
 * @nflows: number of flows
 * @incarnation: incarnation of the site whose flows were evicted, if @forgot
 * @last: highest number of a socket of that incarnation with an evicted flow
 * @forgot: a flow was evicted
 * @any: flows of several incarnations were evicted, or it is unknown which
 */
struct rx_source {
	struct hlist_node node;
	struct rb_root flows;
	struct list_head by_size;
	struct list_head open;
	struct list_head asked;
	struct list_head completed;
	u32 src;
	u32 nflows;
	u32 incarnation;
	u32 last;
	bool forgot;
	bool any;
};

/**
 * struct flitcast_rx - receiving flows of a site
 * @nflows: number of flows
 * @closed: flows that the source has closed, oldest first
 * @completed: flows whose messages the source has all completed or aborted, oldest first
 * @sources: source sites, by site number
 * @size: source sites with flows, by the logarithm of their number of flows
 * @idle: source sites without flows, oldest first
 * @nidle: number of entries of @idle
 * @forgot: a source site was dropped from @idle: any source may have had evicted flows
 */
struct flitcast_rx {
	unsigned int nflows;
	struct list_head closed;
	struct list_head completed;
	DECLARE_HASHTABLE(sources, 8);
	struct list_head size[SIZES];
	struct list_head idle;
	unsigned int nidle;
	bool forgot;
};

int flitcast_rxflow_alloc(struct flitcast_site *site)
{
	struct flitcast_rx *rx = kzalloc(sizeof(*rx), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!rx)
		return -ENOMEM;
	INIT_LIST_HEAD(&rx->closed);
	INIT_LIST_HEAD(&rx->completed);
	INIT_LIST_HEAD(&rx->idle);
	for (i = 0; i < SIZES; i++)
		INIT_LIST_HEAD(&rx->size[i]);
	site->ends->rx.flows = rx;
	return 0;
}

void flitcast_rxflow_free(struct flitcast_site *site)
{
	struct flitcast_rx *rx = site->ends->rx.flows;
	struct rx_flow *flow, *next_flow;
	struct rx_source *source;
	struct hlist_node *next;
	int bucket;

	if (!rx)
		return;
	/* All ports are detached: no flow holds messages. */
	hash_for_each_safe(rx->sources, bucket, next, source, node) {
		rbtree_postorder_for_each_entry_safe(flow, next_flow, &source->flows, node)
			kfree(flow);
		kfree(source);
	}
	kfree(rx);
	site->ends->rx.flows = NULL;
	site->ends->rx.last = NULL;
}

static struct rx_source *source_find(struct flitcast_rx *rx, u32 src)
{
	struct rx_source *source;

	hash_for_each_possible(rx->sources, source, node, src)
		if (source->src == src)
			return source;
	return NULL;
}

static int key_cmp(const void *key, const struct rb_node *node)
{
	const struct rx_key *a = key, *b = &rb_entry(node, struct rx_flow, node)->key;

	if (a->sock != b->sock)
		return a->sock < b->sock ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	if (a->incarnation != b->incarnation)
		return a->incarnation < b->incarnation ? -1 : 1;
	return 0;
}

static bool key_less(struct rb_node *a, const struct rb_node *b)
{
	return key_cmp(&rb_entry(a, struct rx_flow, node)->key, b) < 0;
}

struct rx_flow *flitcast_rxflow_lookup(struct flitcast_site *site, const struct rx_key *key)
{
	const struct rx_source *source = source_find(site->ends->rx.flows, key->src);
	struct rb_node *node = source ? rb_find(key, &source->flows, key_cmp) : NULL;

	if (!node)
		return NULL;
	site->ends->rx.last = rb_entry(node, struct rx_flow, node);
	return site->ends->rx.last;
}

static void source_free(struct rx_source *source)
{
	hash_del(&source->node);
	list_del(&source->by_size);
	kfree(source);
}

/*
 * @source has no flows.  It is freed, unless it must be remembered that flows of it were evicted:
 * then it becomes idle, and the source that has been idle for longest may be freed.
 */
static void source_rest(struct flitcast_rx *rx, struct rx_source *source)
{
	if (!source->forgot && !source->any) {
		source_free(source);
		return;
	}
	list_move_tail(&source->by_size, &rx->idle);
	if (rx->nidle++ < IDLE_MAX)
		return;
	source_free(list_first_entry(&rx->idle, struct rx_source, by_size));
	rx->nidle--;
	rx->forgot = true;
}

/* Count a flow of @source in or out.  With its last flow, @source is freed or becomes idle. */
static void source_count(struct flitcast_rx *rx, struct rx_source *source, int more)
{
	/* A source without flows that is in a list is idle. */
	if (!source->nflows && !list_empty(&source->by_size))
		rx->nidle--;
	source->nflows += more;
	rx->nflows += more;
	if (source->nflows)
		list_move_tail(&source->by_size, &rx->size[ilog2(source->nflows)]);
	else
		source_rest(rx, source);
}

static struct rx_source *source_get(struct flitcast_rx *rx, u32 src)
{
	struct rx_source *source = source_find(rx, src);

	if (source)
		return source;
	source = kzalloc(sizeof(*source), GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!source)
		return NULL;
	source->src = src;
	source->any = rx->forgot;
	INIT_LIST_HEAD(&source->by_size);
	INIT_LIST_HEAD(&source->open);
	INIT_LIST_HEAD(&source->asked);
	INIT_LIST_HEAD(&source->completed);
	hash_add(rx->sources, &source->node, src);
	return source;
}

bool flitcast_rxflow_old(const struct flitcast_site *site, const struct rx_key *key)
{
	const struct rx_source *source = source_find(site->ends->rx.flows, key->src);

	if (!source)
		return site->ends->rx.flows->forgot;
	if (source->any)
		return true;
	return source->forgot && source->incarnation == key->incarnation &&
	       !fc_before(source->last, key->sock & ~FC_SOCK_BCAST);
}

/* Evict @flow.  Its source is freed, or becomes idle, with its last flow. */
static void forget(struct flitcast_site *site, struct rx_flow *flow)
{
	struct rx_source *source = flow->source;
	u32 sock = flow->key.sock & ~FC_SOCK_BCAST;

	if (!source->forgot) {
		source->forgot = true;
		source->incarnation = flow->key.incarnation;
		source->last = sock;
	} else if (source->incarnation != flow->key.incarnation) {
		source->any = true;
	} else if (fc_before(source->last, sock)) {
		source->last = sock;
	}
	flitcast_rxflow_empty(site, flow, FLITCAST_DROP_FORGOTTEN);
	if (site->ends->rx.last == flow)
		site->ends->rx.last = NULL;
	list_del(&flow->ack_pending);
	list_del(&flow->lru);
	list_del(&flow->completed);
	list_del(&flow->held);
	rb_erase(&flow->node, &source->flows);
	source_count(site->ends->rx.flows, source, -1);
	site->stat[FC_STAT_FLOW_FORGOTTEN]++;
	kfree(flow);
}

/* Return: a source site with the most flows, to within a factor of two; NULL: no site has any. */
static struct rx_source *largest(struct flitcast_rx *rx)
{
	int i;

	for (i = SIZES - 1; i >= 0; i--)
		if (!list_empty(&rx->size[i]))
			return list_first_entry(&rx->size[i], struct rx_source, by_size);
	return NULL;
}

/* Ask a source site about its least recently used flows. */
static void ask(struct flitcast_site *site, struct rx_source *source)
{
	u64 now = flitcast_site_now(site);
	unsigned int i;

	for (i = 0; i < ASK_BATCH; i++) {
		struct rx_flow *flow = list_first_entry_or_null(&source->open, struct rx_flow, lru);

		if (!flow || now < flow->used + ASK_IDLE_NS)
			return;
		list_move_tail(&flow->lru, &source->asked);
		flow->asked_at = now;
		flitcast_rx_resync(site, &flow->key, flow->core.next - 1, flow->core.next);
	}
}

/* Return: a flow that may be evicted for a new one of @source; NULL: none. */
static struct rx_flow *victim(struct flitcast_site *site, struct rx_source *source)
{
	u64 now = flitcast_site_now(site);
	struct flitcast_rx *rx = site->ends->rx.flows;
	struct rx_source *from = source;
	struct rx_flow *flow;

	if (source->nflows >= FLOWS_OF_ONE) {
		/* @source has used up its share: evict one of its own flows. */
		flow = list_first_entry_or_null(&source->completed, struct rx_flow, completed);
	} else {
		flow = list_first_entry_or_null(&rx->closed, struct rx_flow, lru);
		if (!flow)
			flow = list_first_entry_or_null(&rx->completed, struct rx_flow, lru);
		/* Evict from the source with most flows, unless @source has as many. */
		from = largest(rx);
	}
	if (flow)
		return flow;
	if (!from || (from != source && from->nflows <= source->nflows))
		return NULL;
	/* If a source does not answer, evict the flow that it was asked about first. */
	flow = list_first_entry_or_null(&from->asked, struct rx_flow, lru);
	return flow && now >= flow->asked_at + SILENT_NS ? flow : NULL;
}

struct rx_flow *flitcast_rxflow_make(struct flitcast_site *site, struct flitcast_port *port,
				     const struct rx_key *key)
{
	struct rx_source *source = source_get(site->ends->rx.flows, key->src);
	struct flitcast_rx *rx = site->ends->rx.flows;
	struct rx_flow *flow, *evicted = NULL;
	struct mem_cgroup *old;

	if (!source)
		goto no_memory;
	if (rx->nflows >= FLOWS_MANY || source->nflows >= FLOWS_OF_ONE / 4 * 3)
		ask(site, source->nflows >= FLOWS_OF_ONE / 4 * 3 ? source : largest(rx));
	if (rx->nflows >= FLITCAST_FLOWS_MAX || source->nflows >= FLOWS_OF_ONE) {
		evicted = victim(site, source);
		if (!evicted) {
			site->stat[FC_STAT_FLOW_NO_SPACE]++;
			goto none;
		}
	}
	old = set_active_memcg(port->ops->memcg ? port->ops->memcg(port) : NULL);
	flow = kzalloc(sizeof(*flow), GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT);
	set_active_memcg(old);
	if (!flow)
		goto no_memory;
	flow->key = *key;
	flow->source = source;
	INIT_LIST_HEAD(&flow->waiting);
	INIT_LIST_HEAD(&flow->ack_pending);
	INIT_LIST_HEAD(&flow->completed);
	INIT_LIST_HEAD(&flow->held);
	flow->used = flitcast_site_now(site);
	rb_add(&flow->node, &source->flows, key_less);
	list_add_tail(&flow->lru, &source->open);
	source_count(rx, source, 1);
	/*
	 * Count the new flow first: the evicted one may belong to the same source, which must not
	 * be freed or become idle in between.
	 */
	if (evicted)
		forget(site, evicted);
	return flow;
no_memory:
	site->stat[FC_STAT_NO_MEMORY]++;
none:
	if (source && !source->nflows && list_empty(&source->by_size))
		source_rest(rx, source);
	return NULL;
}

void flitcast_rxflow_used(struct flitcast_site *site, struct rx_flow *flow)
{
	flow->used = flitcast_site_now(site);
	if (list_is_last(&flow->lru, &flow->source->open))
		return;
	list_move_tail(&flow->lru, &flow->source->open);
	list_del_init(&flow->completed);
}

/* Does the flow hold messages that are not delivered, refused messages or a grant? */
static bool holds(const struct rx_flow *flow)
{
	unsigned int i;

	for (i = 0; i < FC_FLOW_WINDOW; i++)
		if (flow->core.msg[i].state != FC_RX_EMPTY || flow->need[i])
			return true;
	return flow->granted;
}

bool flitcast_rxflow_update(struct flitcast_site *site, struct rx_flow *flow, u32 oldest,
			    bool closed)
{
	struct flitcast_rx *rx = site->ends->rx.flows;

	if (oldest != flow->core.next || holds(flow))
		return false;
	/* No need for the delayed ack: the source already knows that all messages are completed. */
	list_del_init(&flow->ack_pending);
	list_move_tail(&flow->lru, closed ? &rx->closed : &rx->completed);
	list_move_tail(&flow->completed, &flow->source->completed);
	return true;
}

#ifdef CONFIG_DEBUG_NET
/* Return: the number of entries of a list, counted up to @most + 1. */
static unsigned int list_len(const struct list_head *list, unsigned int most)
{
	const struct list_head *entry;
	unsigned int n = 0;

	list_for_each(entry, list)
		if (n++ > most)
			break;
	return n;
}

/* Return: the number of flows of a source that are completed or closed. */
static unsigned int source_check(struct flitcast_site *site, struct rx_source *source, bool *last)
{
	unsigned int n = 0, open, asked, completed;
	struct rb_node *node;

	for (node = rb_first(&source->flows); node; node = rb_next(node)) {
		struct rx_flow *flow = rb_entry(node, struct rx_flow, node);

		WARN_ONCE(flow->source != source, "a flow in the tree of another source\n");
		*last |= flow == site->ends->rx.last;
		n++;
	}
	open = list_len(&source->open, n);
	asked = list_len(&source->asked, n);
	completed = list_len(&source->completed, n);
	WARN_ONCE(n != source->nflows || n != open + asked + completed,
		  "source %u: %u flows, counted %u; %u open, %u asked, %u over\n", source->src, n,
		  source->nflows, open, asked, completed);
	WARN_ONCE(n > FLOWS_OF_ONE, "source %u has %u flows\n", source->src, n);
	return completed;
}

unsigned int flitcast_rxflow_check(struct flitcast_site *site)
{
	unsigned int nflows = 0, nsources = 0, nidle = 0, completed = 0, sized = 0, n, i;
	struct flitcast_rx *rx = site->ends->rx.flows;
	bool last = !site->ends->rx.last;
	struct rx_source *source;

	hash_for_each(rx->sources, i, source, node) {
		completed += source_check(site, source, &last);
		nflows += source->nflows;
		nsources++;
		nidle += !source->nflows;
	}
	for (i = 0; i < SIZES; i++) {
		n = 0;
		list_for_each_entry(source, &rx->size[i], by_size) {
			WARN_ONCE(!source->nflows || ilog2(source->nflows) != i,
				  "source %u: %u flows, in size %u\n", source->src,
				  source->nflows, i);
			if (n++ > nsources)
				break;
		}
		sized += n;
	}
	n = list_len(&rx->idle, nidle);
	WARN_ONCE(rx->nflows != nflows || nflows > FLITCAST_FLOWS_MAX, "%u flows, counted %u\n",
		  nflows, rx->nflows);
	WARN_ONCE(nidle != n || nidle != rx->nidle || nidle > IDLE_MAX,
		  "%u idle sources, %u in the list, counted %u\n", nidle, n, rx->nidle);
	WARN_ONCE(sized != nsources - nidle, "%u sources by size, not %u\n", sized,
		  nsources - nidle);
	n = list_len(&rx->closed, nflows) + list_len(&rx->completed, nflows);
	WARN_ONCE(n != completed, "%u flows are settled or closed, %u by source\n", n, completed);
	WARN_ONCE(!last, "flow_last is no flow\n");
	return nflows + nsources;
}
#endif
