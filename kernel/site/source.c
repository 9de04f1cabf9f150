// SPDX-License-Identifier: GPL-2.0
/*
 * The sending side of a port: it begins with bind(), takes messages, and ends when
 * it is closed and its last message is over.
 */
#include <linux/slab.h>
#include "site/tx.h"

int flitcast_tx_attach(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src = kzalloc(sizeof(*src), GFP_ATOMIC | __GFP_ACCOUNT);

	if (!src)
		return -ENOMEM;
	src->number = site->next_sock++;
	src->port = port;
	src->src_port = port->number;
	src->timeout = port->timeout;
	hash_init(src->flows);
	INIT_LIST_HEAD(&src->msgs);
	hash_add(site->sources, &src->node, src->number);
	port->source = src;
	return 0;
}

static void source_free(struct flitcast_site *site, struct flitcast_source *src)
{
	hash_del(&src->node);
	flitcast_txflow_free_all(site, src);
	kfree(src);
}

void flitcast_source_reap(struct flitcast_site *site, struct flitcast_source *src)
{
	if (!src->port && list_empty(&src->msgs) && !src->nforward)
		source_free(site, src);
}

void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src = port->source;
	struct flitcast_msg *msg, *next;

	port->source = NULL;
	src->port = NULL;
	src->timeout = port->timeout;
	src->until = flitcast_now() + src->timeout;
	list_for_each_entry(msg, &src->msgs, source_node) {
		site->orphans += msg->out.charge;
		msg->deadline_at = min(msg->deadline_at, src->until);
		flitcast_tx_schedule(site, msg);
	}
	flitcast_source_reap(site, src);
	/* The oldest go first where closed sockets have left too much behind. */
	list_for_each_entry_safe(msg, next, &site->msgs, site_node) {
		if (site->orphans <= FLITCAST_ORPHANS_MAX)
			break;
		src = msg->source;
		if (src->port)
			continue;
		flitcast_tx_give_up_all(site, msg, -ETIMEDOUT);
		flitcast_source_reap(site, src);
	}
}

/* What goes on comes to its end while a site is drained; nothing begins. */
static bool begins(const struct flitcast_port *port, const struct flitcast_msg *msg)
{
	u8 kind = msg->out.kind;

	/* The answers of the site itself are no traffic of its own. */
	return port->ops->info && (kind == FC_KIND_MESSAGE || kind == FC_KIND_DATA ||
				   kind == FC_KIND_CONNECT);
}

bool flitcast_port_busy(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;
	bool busy;

	if (!site)
		return false;
	spin_lock_bh(&site->lock);
	busy = port->source && !list_empty(&port->source->msgs);
	spin_unlock_bh(&site->lock);
	return busy;
}

void flitcast_port_drop(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;
	struct flitcast_msg *msg, *next;

	if (!site)
		return;
	flitcast_engine_enter(site);
	if (port->source) {
		list_for_each_entry_safe(msg, next, &port->source->msgs, source_node)
			flitcast_tx_give_up_all(site, msg, -ECONNABORTED);
		port->source->next_id++;
	}
	flitcast_engine_leave(site);
}

void flitcast_port_forgive(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;
	struct tx_flow *flow;
	int bucket;

	if (!site)
		return;
	spin_lock_bh(&site->lock);
	if (port->source)
		hash_for_each(port->source->flows, bucket, flow, node)
			flow->detached = false;
	spin_unlock_bh(&site->lock);
}

/* Find or make the flows of a message.  Return: 0, or why it cannot be sent. */
static int msg_flows(struct flitcast_site *site, struct flitcast_source *src,
		     struct flitcast_msg *msg, const struct flitcast_msg_dest *dests)
{
	bool live = false;
	u32 i;

	if (src->nflows + msg->ntargets > FLITCAST_TXFLOWS_MAX)
		flitcast_txflow_evict(site, src);
	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];

		if (dests[i].site >= site->cfg.topo.nsites)
			return -EHOSTUNREACH;
		t->flow = flitcast_txflow_get(src, dests[i].site, dests[i].port);
		if (!t->flow)
			return -ENOMEM;
		live |= !t->flow->detached;
	}
	return live ? 0 : -ECONNREFUSED;
}

/* A target of a message that will be sent. */
static void msg_target(struct flitcast_msg *msg, struct tx_target *t,
		       const struct flitcast_msg_dest *dest)
{
	t->msg = msg;
	t->site = dest->site;
	t->port = dest->port;
	t->index = dest->index;
	t->off = dest->off;
	t->len = dest->len;
	if (t->flow->detached) {
		t->core.state = FC_TX_FAILED;
		t->err = -ECANCELED;
		return;
	}
	t->since = msg->accepted;
	t->core.part = fc_part_make(msg->len, t->off, t->len);
	t->core.seq = t->flow->core.next++;
	list_add_tail(&t->pending, &t->flow->pending);
	msg->left++;
}

int flitcast_msg_send(struct flitcast_port *port, struct flitcast_msg *msg,
		      const struct flitcast_msg_dest *dests, const struct flitcast_send *how,
		      u32 *id)
{
	struct flitcast_site *site = port->site;
	struct flitcast_source *src;
	u64 now = flitcast_now();
	int err = -ENETDOWN;
	u32 i;

	if (!site)
		return -ENETDOWN;
	flitcast_engine_enter(site);
	src = port->source;
	if (site->dead || !src || (site->drain && begins(port, msg)))
		goto out;
	/* Everything that can fail comes before anything is changed. */
	err = msg_flows(site, src, msg, dests);
	if (err)
		goto out;
	src->timeout = port->timeout;
	msg->source = src;
	msg->accepted = now;
	for (i = 0; i < msg->ntargets; i++)
		msg_target(msg, &msg->target[i], &dests[i]);
	msg->out.id = src->next_id++;
	msg->out.ntargets = msg->ntargets;
	msg->out.charge = how->charge;
	msg->out.report = how->report;
	msg->list = how->list;
	msg->slow = how->slow;
	msg->class = how->class;
	msg->slow_at = how->slow == FLITCAST_TX_WAIT ? FC_NEVER : now + how->slow_ns;
	msg->wait = flitcast_tx_wait(site);
	msg->repeat_at = FC_NEVER;
	msg->ask_at = FC_NEVER;
	/* Which targets are lost is looked for with the deadlines. */
	msg->deadline_at = flitcast_faults_any_lost(site) ? now : now + src->timeout;
	list_add_tail(&msg->site_node, &site->msgs);
	list_add_tail(&msg->source_node, &src->msgs);
	flitcast_tx_schedule(site, msg);
	flitcast_tx_ready(site, msg);
	site->stat[FC_STAT_MSG_SENT]++;
	*id = msg->out.id;
	err = 0;
out:
	flitcast_engine_leave(site);
	return err;
}

/* The site ends: so do its messages, for every target. */
void flitcast_tx_purge(struct flitcast_site *site)
{
	struct flitcast_msg *msg, *next;
	struct flitcast_source *src;
	struct hlist_node *tmp;
	int bucket;

	list_for_each_entry_safe(msg, next, &site->msgs, site_node)
		flitcast_tx_give_up_all(site, msg, -ENETDOWN);
	if (site->cur) {
		flitcast_msg_drop_data(site->cur);
		flitcast_msg_put(site->cur);
	}
	site->cur = NULL;
	hash_for_each_safe(site->sources, bucket, tmp, src, node) {
		if (src->port)
			src->port->source = NULL;
		source_free(site, src);
	}
}
