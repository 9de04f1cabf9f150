// SPDX-License-Identifier: GPL-2.0
/*
 * The sending side of a port: it begins with bind(), takes messages, and ends when
 * it is closed and its last message is over.
 */
#include <linux/slab.h>
#include <uapi/linux/flitcast.h>
#include "site/tx.h"

static struct flitcast_source *source_make(struct flitcast_site *site,
					   struct flitcast_port *port, u32 number)
{
	struct flitcast_source *src = kzalloc(sizeof(*src), GFP_ATOMIC | __GFP_ACCOUNT);

	if (!src)
		return NULL;
	if (!flitcast_txqueue_attach(site, src, port->uid)) {
		kfree(src);
		return NULL;
	}
	src->number = number;
	src->port = port;
	src->src_port = port->number;
	src->timeout = port->timeout;
	hash_init(src->flows);
	INIT_LIST_HEAD(&src->msgs);
	hash_add(site->sources, &src->node, src->number);
	return src;
}

int flitcast_tx_attach(struct flitcast_site *site, struct flitcast_port *port)
{
	port->casts = NULL;
	port->source = source_make(site, port, site->next_sock++ & ~FC_SOCK_CAST);
	return port->source ? 0 : -ENOMEM;
}

/* The source of a message; broadcasts have one of their own, with flows of their own. */
static struct flitcast_source *source_of(struct flitcast_site *site, struct flitcast_port *port,
					 bool cast)
{
	if (cast && !port->casts)
		port->casts = source_make(site, port, port->source->number | FC_SOCK_CAST);
	return cast ? port->casts : port->source;
}

static void source_free(struct flitcast_site *site, struct flitcast_source *src)
{
	hash_del(&src->node);
	flitcast_txflow_free_all(site, src);
	flitcast_txqueue_detach(src);
	kfree(src);
}

void flitcast_source_reap(struct flitcast_site *site, struct flitcast_source *src)
{
	if (!src->port && list_empty(&src->msgs) && !src->nforward)
		source_free(site, src);
}

static void source_detach(struct flitcast_site *site, struct flitcast_source *src)
{
	struct flitcast_msg *msg;

	if (!src)
		return;
	src->timeout = src->port->timeout;
	src->port = NULL;
	src->until = flitcast_site_now(site) + src->timeout;
	list_for_each_entry(msg, &src->msgs, source_node) {
		site->orphans += msg->out.charge;
		msg->deadline_at = min(msg->deadline_at, src->until);
		flitcast_tx_schedule(site, msg);
	}
	flitcast_source_reap(site, src);
}

void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src;
	struct flitcast_msg *msg, *next;

	source_detach(site, port->casts);
	source_detach(site, port->source);
	port->casts = NULL;
	port->source = NULL;
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
	busy = (port->source && !list_empty(&port->source->msgs)) ||
	       (port->casts && !list_empty(&port->casts->msgs));
	spin_unlock_bh(&site->lock);
	return busy;
}

static void source_drop(struct flitcast_site *site, struct flitcast_source *src)
{
	struct flitcast_msg *msg, *next;

	if (!src)
		return;
	list_for_each_entry_safe(msg, next, &src->msgs, source_node)
		flitcast_tx_give_up_all(site, msg, -ECONNABORTED);
	src->next_id++;
}

void flitcast_port_drop(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;

	if (!site)
		return;
	flitcast_engine_enter(site);
	source_drop(site, port->source);
	source_drop(site, port->casts);
	flitcast_engine_leave(site);
}

static void source_forgive(struct flitcast_source *src)
{
	struct tx_flow *flow;
	int bucket;

	if (src)
		hash_for_each(src->flows, bucket, flow, node)
			flow->detached = false;
}

void flitcast_port_forgive(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;

	if (!site)
		return;
	spin_lock_bh(&site->lock);
	source_forgive(port->source);
	source_forgive(port->casts);
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
	struct fc_txflow *flow = &t->flow->core;

	t->msg = msg;
	t->site = dest->site;
	t->port = dest->port;
	t->index = dest->index;
	t->off = dest->off;
	t->len = dest->len;
	/* A broadcast has one number for all, and goes to all: its flows keep in step. */
	if (msg->copies) {
		flow->next = msg->source->next_cast;
		if (list_empty(&t->flow->pending))
			flow->oldest = flow->next;
	}
	if (t->flow->detached) {
		t->core.state = FC_TX_FAILED;
		t->err = -ECANCELED;
		return;
	}
	t->since = msg->accepted;
	t->core.part = fc_part_make(msg->len, t->off, t->len);
	t->core.seq = flow->next++;
	list_add_tail(&t->pending, &t->flow->pending);
	msg->left++;
}

/*
 * The class of a message that is not of the high one.  What is whole in one flit goes in channels
 * of its own, past packets of many flits; but not past those of its own flow, behind which it would
 * only wait at the target.
 */
static enum flitcast_tx_class
msg_class(const struct flitcast_site *site, const struct flitcast_msg *msg,
	  enum flitcast_tx_class class)
{
	u32 i;

	if (class != FLITCAST_TX_LOW || !site->vnet || site->csr ||
	    msg->len + fc_head_size(msg->ntargets) > site->cfg.flit - FC_LINK_SIZE)
		return class;
	for (i = 0; i < msg->ntargets; i++) {
		const struct list_head *pending = &msg->target[i].flow->pending;

		if (!list_empty(pending) &&
		    list_last_entry(pending, struct tx_target, pending)->msg->class == class)
			return class;
	}
	return FLITCAST_TX_SHORT;
}

bool flitcast_site_reserves(const struct flitcast_site *site)
{
	return site->cfg.mode == FC_MODE_CSR;
}

void flitcast_source_admitted(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_port *port = msg->source->port;

	if (!msg->waits)
		return;
	msg->waits = false;
	if (!port)
		return;
	port->admitted = msg->out.id;
	port->reserved = msg->out.reserved;
	WRITE_ONCE(port->waits, port->waits - 1);
	flitcast_engine_wake(site, port, FLITCAST_WAKE_OUT);
}

/* A packet of it arrives at that time. */
static void source_reserved(struct flitcast_site *site, struct flitcast_msg *msg, u64 arrival)
{
	struct flitcast_port *port = msg->source->port;
	bool first = msg->waits;

	msg->out.reserved = max(msg->out.reserved, arrival);
	if (first)
		flitcast_source_admitted(site, msg);
	else if (port && port->admitted == msg->out.id)
		port->reserved = msg->out.reserved;
}

void flitcast_port_admission(struct flitcast_port *port, struct flitcast_admission *admission)
{
	struct flitcast_site *site = port->site;

	memset(admission, 0, sizeof(*admission));
	if (!site)
		return;
	spin_lock_bh(&site->lock);
	admission->id = port->admitted;
	admission->waiting = port->waits;
	admission->reserved = port->reserved;
	spin_unlock_bh(&site->lock);
}

void flitcast_tx_admitted(struct flitcast_site *site, const u8 *head, u64 arrival)
{
	struct flitcast_source *src;
	struct flitcast_msg *msg;
	struct fc_packet pk;

	fc_wire_packet_decode(&pk, head);
	if (pk.src != site->cfg.id || pk.incarnation != site->incarnation)
		return;
	hash_for_each_possible(site->sources, src, node, pk.sock) {
		if (src->number != pk.sock)
			continue;
		list_for_each_entry(msg, &src->msgs, source_node)
			if (msg->out.id == pk.id)
				source_reserved(site, msg, arrival);
		return;
	}
}

/* A message begins.  Return: 0, or why it does not; nothing is changed then. */
static int msg_begin(struct flitcast_port *port, struct flitcast_msg *msg,
		     const struct flitcast_msg_dest *dests, const struct flitcast_send *how)
{
	struct flitcast_site *site = port->site;
	struct flitcast_source *src;
	u64 now = flitcast_site_now(site);
	int err;
	u32 i;

	if (site->dead || !port->source || (site->drain && begins(port, msg)))
		return -ENETDOWN;
	src = source_of(site, port, how->copies);
	if (!src)
		return -ENOMEM;
	/* Everything that can fail comes before anything is changed. */
	err = msg_flows(site, src, msg, dests);
	if (err)
		return err;
	src->timeout = port->timeout;
	msg->source = src;
	msg->accepted = now;
	msg->copies = how->copies;
	msg->class = msg_class(site, msg, how->class);
	for (i = 0; i < msg->ntargets; i++)
		msg_target(msg, &msg->target[i], &dests[i]);
	if (msg->copies)
		src->next_cast++;
	msg->out.id = port->source->next_id++;
	msg->waits = how->admission;
	if (msg->waits)
		WRITE_ONCE(port->waits, port->waits + 1);
	msg->out.ntargets = msg->ntargets;
	msg->out.charge = how->charge;
	msg->out.report = how->report;
	msg->list = how->list;
	msg->slow = how->slow;
	msg->patient = how->patient;
	msg->slow_at = how->slow == FLITCAST_TX_WAIT ? FC_NEVER : now + how->slow_ns;
	msg->wait = flitcast_tx_wait(site);
	msg->repeat_at = FC_NEVER;
	msg->ask_at = FC_NEVER;
	/* Which targets are lost is looked for with the deadlines. */
	msg->deadline_at = flitcast_faults_any_lost(site) ? now : now + src->timeout;
	list_add_tail(&msg->site_node, &site->msgs);
	list_add_tail(&msg->source_node, &src->msgs);
	site->stat[FC_STAT_MSG_SENT]++;
	return 0;
}

/* It has begun: it goes, now or in its turn. */
static void msg_go(struct flitcast_site *site, struct flitcast_msg *msg)
{
	if (flitcast_tx_at_once(site, msg))
		return;
	flitcast_tx_schedule(site, msg);
	flitcast_tx_ready(site, msg);
}

int flitcast_msg_send(struct flitcast_port *port, struct flitcast_msg *msg,
		      const struct flitcast_msg_dest *dests, const struct flitcast_send *how,
		      u32 *id)
{
	struct flitcast_site *site = port->site;
	int err;

	if (!site)
		return -ENETDOWN;
	flitcast_engine_enter(site);
	err = msg_begin(port, msg, dests, how);
	if (!err) {
		*id = msg->out.id;
		msg_go(site, msg);
	}
	flitcast_engine_leave(site);
	return err;
}

int flitcast_port_send(struct flitcast_port *port, const void *data, u32 len,
		       const struct flitcast_msg_dest *dest, const struct flitcast_send *how)
{
	struct flitcast_site *site = port->site;
	struct flitcast_msg *msg;
	int err = -ENOMEM;

	if (!site)
		return -ENETDOWN;
	flitcast_engine_enter(site);
	msg = flitcast_msg_short(site, data, len);
	if (msg)
		err = msg_begin(port, msg, dest, how);
	if (!err)
		msg_go(site, msg);
	else if (msg)
		flitcast_msg_over(site, msg);
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
		if (src->port) {
			src->port->source = NULL;
			src->port->casts = NULL;
		}
		source_free(site, src);
	}
}
