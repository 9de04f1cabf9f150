// SPDX-License-Identifier: GPL-2.0
/*
 * The sending side of a port: it begins with bind(), takes messages, and ends when
 * it is closed and its last message is over.
 */
#include <linux/slab.h>
#include <uapi/linux/flitcast.h>
#include "core/turn.h"
#include "site/share.h"
#include "site/tx.h"

/* Targets whose flows are looked for between two times that the lock is free. */
#define FLOWS_BATCH	16

/* Context: may sleep. */
static struct flitcast_source *source_alloc(struct flitcast_port *port)
{
	struct flitcast_source *src = kzalloc(sizeof(*src), GFP_KERNEL_ACCOUNT);

	if (!src)
		return NULL;
	src->owner = flitcast_txqueue_owner(port->uid);
	if (!src->owner) {
		kfree(src);
		return NULL;
	}
	if (port->share)
		src->share = flitcast_share_get(port->share);
	src->port = port;
	src->src_port = port->number;
	src->timeout = port->timeout;
	src->era = 1;
	xa_init_flags(&src->flows, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&src->msgs);
	RB_CLEAR_NODE(&src->closing);
	return src;
}

static void source_put(struct flitcast_source *src)
{
	if (src->share)
		flitcast_share_put(src->share);
	kfree(src);
}

/* One that nobody knows yet. */
static void source_unmake(struct flitcast_source *src)
{
	kfree(src->owner);
	source_put(src);
}

static struct xarray *table_of(struct flitcast_site *site, u32 sock)
{
	return &site->sources[!!(sock & FC_SOCK_CAST)];
}

/* It takes part.  Its place in the table is reserved, or there is memory for it. */
static int source_add(struct flitcast_site *site, struct flitcast_source *src)
{
	int err = xa_err(xa_store(table_of(site, src->number), src->number & ~FC_SOCK_CAST, src,
				  GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT));

	if (!err)
		kfree(flitcast_txqueue_attach(site, src, src->owner));
	return err;
}

struct flitcast_source *flitcast_source_find(struct flitcast_site *site, u32 sock)
{
	struct flitcast_source *src = site->source_last;

	if (src && src->number == sock)
		return src;
	src = xa_load(table_of(site, sock), sock & ~FC_SOCK_CAST);
	if (src)
		site->source_last = src;
	return src;
}

int flitcast_tx_prepare(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src = source_alloc(port);
	int err;

	if (!src)
		return -ENOMEM;
	/* Numbers go round after a very long time, and some sockets are older than that. */
	do {
		src->number = (u32)atomic_inc_return(&site->next_sock) & ~FC_SOCK_CAST;
		err = xa_insert_bh(&site->sources[0], src->number, NULL, GFP_KERNEL_ACCOUNT);
	} while (err == -EBUSY);
	if (err) {
		source_unmake(src);
		return err;
	}
	port->casts = NULL;
	port->source = src;
	return 0;
}

void flitcast_tx_cancel(struct flitcast_site *site, struct flitcast_port *port)
{
	xa_erase_bh(&site->sources[0], port->source->number);
	source_unmake(port->source);
	port->source = NULL;
}

void flitcast_tx_attach(struct flitcast_site *site, struct flitcast_port *port)
{
	WARN_ON_ONCE(source_add(site, port->source));
}

/*
 * Broadcasts have a source of their own, with flows of their own, from the first one on.  Enters
 * the site.
 */
static int casts_add(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src = source_alloc(port);
	int err = 0;

	if (!src)
		return -ENOMEM;
	flitcast_engine_enter(site);
	if (!site->dead && port->source && !port->casts) {
		src->number = port->source->number | FC_SOCK_CAST;
		err = source_add(site, src);
		if (!err) {
			port->casts = src;
			src = NULL;
		}
	}
	flitcast_engine_leave(site);
	if (src)
		source_unmake(src);
	return err;
}

/* Not in the tree of those with messages that are to be given up. */
static void closing_end(struct flitcast_site *site, struct flitcast_source *src)
{
	if (RB_EMPTY_NODE(&src->closing))
		return;
	rb_erase_cached(&src->closing, &site->closing);
	RB_CLEAR_NODE(&src->closing);
}

/* Nobody finds it any more; its flows, which may be many, are freed without the lock. */
static void source_free(struct flitcast_site *site, struct flitcast_source *src)
{
	xa_erase(table_of(site, src->number), src->number & ~FC_SOCK_CAST);
	if (site->source_last == src)
		site->source_last = NULL;
	closing_end(site, src);
	if (!site->dead)
		flitcast_txflow_tell_closed(site, src);
	flitcast_txqueue_detach(site, src);
	list_add_tail(&src->gone, &site->gone);
	queue_work(system_unbound_wq, &site->free);
}

static void free_work(struct work_struct *work)
{
	struct flitcast_site *site = container_of(work, struct flitcast_site, free);
	struct flitcast_source *src;

	do {
		spin_lock_bh(&site->lock);
		src = list_first_entry_or_null(&site->gone, struct flitcast_source, gone);
		if (src)
			list_del(&src->gone);
		spin_unlock_bh(&site->lock);
		if (src) {
			flitcast_txflow_free_all(src);
			source_put(src);
		}
		cond_resched();
	} while (src);
	while (flitcast_msg_free_spent(site))
		cond_resched();
}

void flitcast_tx_init(struct flitcast_site *site)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(site->sources); i++)
		xa_init_flags(&site->sources[i], XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	site->site_bits = order_base_2(site->cfg.topo.nsites);
	INIT_LIST_HEAD(&site->msgs);
	site->due = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&site->late);
	site->forward = RB_ROOT_CACHED;
	site->closing = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&site->gone);
	INIT_LIST_HEAD(&site->spent);
	INIT_WORK(&site->free, free_work);
}

void flitcast_source_reap(struct flitcast_site *site, struct flitcast_source *src)
{
	if (src->port || !list_empty(&src->msgs))
		return;
	closing_end(site, src);
	if (!src->nforward)
		source_free(site, src);
}

static bool until_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct flitcast_source, closing)->until <
	       rb_entry(b, struct flitcast_source, closing)->until;
}

/* Count pages of what a closed socket has left in its share. */
static void orphan_pages(struct flitcast_source *src)
{
	u32 pages = DIV_ROUND_UP_ULL(src->charge, PAGE_SIZE);
	long more = (long)pages - src->pages;

	if (!src->share || !more)
		return;
	atomic_long_add(more, &flitcast_mem_allocated);
	if (more > 0)
		flitcast_share_add(src->share, more);
	else
		flitcast_share_give(src->share, -more);
	src->pages = pages;
}

void flitcast_source_orphan_over(struct flitcast_site *site, struct flitcast_source *src,
				 u32 charge)
{
	site->orphans -= charge;
	orphan_pages(src);
}

static void source_detach(struct flitcast_site *site, struct flitcast_source *src)
{
	if (!src)
		return;
	src->timeout = src->port->timeout;
	src->port = NULL;
	if (list_empty(&src->msgs)) {
		flitcast_source_reap(site, src);
		return;
	}
	src->until = flitcast_site_now(site) + src->timeout;
	site->orphans += src->charge;
	orphan_pages(src);
	rb_add_cached(&src->closing, &site->closing, until_before);
	flitcast_tx_due(site, site->orphans > FLITCAST_ORPHANS_MAX ? 0 : src->until);
}

void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	source_detach(site, port->casts);
	source_detach(site, port->source);
	port->casts = NULL;
	port->source = NULL;
}

/*
 * Nobody waits for the messages of a closed socket for ever; and where closed sockets have left
 * too much behind, those that would be given up first are given up now.
 */
void flitcast_source_time(struct flitcast_site *site, u64 now, int *budget)
{
	struct rb_node *first;

	while ((first = rb_first_cached(&site->closing))) {
		struct flitcast_source *src = rb_entry(first, struct flitcast_source, closing);
		struct flitcast_msg *msg;

		if (src->until > now && site->orphans <= FLITCAST_ORPHANS_MAX) {
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
			flitcast_tx_give_up_all(site, msg, -ETIMEDOUT, budget);
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

/* Return: true if more is left. */
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
		flitcast_tx_give_up_all(site, msg, -ECONNABORTED, budget);
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

		flitcast_engine_enter(site);
		more = source_drop(site, port->source, &budget) ||
		       source_drop(site, port->casts, &budget);
		if (!more && port->source)
			port->source->next_id++;
		flitcast_engine_leave(site);
	} while (more);
}

void flitcast_port_forgive(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;

	if (!site)
		return;
	spin_lock_bh(&site->lock);
	if (port->source)
		port->source->era++;
	if (port->casts)
		port->casts->era++;
	spin_unlock_bh(&site->lock);
}

/* They are not about to be used any more. */
static void flows_let_go(struct flitcast_msg *msg, u32 n)
{
	while (n--)
		msg->target[n].flow->users--;
}

/*
 * Find or make the flows of a message, and leave the site between two batches of them.  Return: 0,
 * or why it cannot be sent.
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
		flitcast_engine_leave(site);
		flitcast_engine_enter(site);
		/* The source has gone with the site; else it stays, as its port does. */
		if (site->dead)
			return -ENETDOWN;
	}
	return 0;
}

/* Is there anybody to send it to? */
static bool msg_live(const struct flitcast_msg *msg)
{
	u32 i;

	for (i = 0; i < msg->ntargets; i++)
		if (!flitcast_txflow_detached(msg->target[i].flow))
			return true;
	return false;
}

/* A target of a message that will be sent. */
static void msg_target(struct flitcast_msg *msg, struct tx_target *t)
{
	struct fc_txflow *flow = &t->flow->core;

	t->flow->users--;
	/* A broadcast has one number for all, and goes to all: its flows keep in step. */
	if (msg->copies) {
		flow->next = msg->source->next_cast;
		if (list_empty(&t->flow->pending))
			flow->oldest = flow->next;
	}
	t->core.seq = flow->next;
	if (flitcast_txflow_detached(t->flow)) {
		t->core.state = FC_TX_FAILED;
		t->err = -ECANCELED;
		return;
	}
	t->since = msg->accepted;
	flow->next++;
	list_add_tail(&t->pending, &t->flow->pending);
	msg->left++;
}

bool flitcast_site_reserves(const struct flitcast_site *site)
{
	return site->cfg.mode == FC_MODE_CSR;
}

/* Is it one packet of so few flits that a link sends them in a row? */
static bool msg_brief(const struct flitcast_site *site, const struct flitcast_msg *msg)
{
	return msg->len <= FC_PACKET_MAX && msg->ntargets <= flitcast_tx_targets_most(site) &&
	       msg->len + fc_head_size(msg->ntargets) <=
	       FC_TURN_STREAK * (site->cfg.flit - FC_LINK_SIZE);
}

/*
 * The class of a message.  A long one is of the high class only if its sender is privileged, so
 * that a brief one of that class waits for no packet of many flits.  A brief low one goes in
 * channels of its own, past packets of many flits; but not past those of its own flow, behind which
 * it would only wait at the target.  In mode csr messages reserve their way, except brief ones of
 * the high class.
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
		    list_last_entry(pending, struct tx_target, pending)->msg->class == class)
			return class;
	}
	return FLITCAST_TX_SHORT;
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
	struct tx_flow *flow;
	struct tx_target *t;
	struct fc_target to;
	struct fc_packet pk;

	fc_wire_packet_decode(&pk, head);
	if (pk.src != site->cfg.id || pk.incarnation != site->incarnation)
		return;
	src = flitcast_source_find(site, pk.sock);
	if (!src)
		return;
	fc_wire_target_decode(&to, head, 0);
	flow = flitcast_txflow_find(site, src, to.site, to.port);
	if (!flow)
		return;
	/* What has been sent, and is not over, is within the window. */
	list_for_each_entry(t, &flow->pending, pending) {
		if (t->core.seq == to.seq) {
			source_reserved(site, t->msg, arrival);
			return;
		}
		if (t->core.seq - flow->core.oldest >= FC_FLOW_WINDOW)
			return;
	}
}

/* A message begins.  Return: 0, or why it does not; nothing is changed then. */
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
	src = how->copies ? port->casts : port->source;
	/* Everything that can fail comes before anything is changed. */
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
	msg->accepted = now;
	msg->copies = how->copies;
	msg->class = msg_class(site, msg, how);
	for (i = 0; i < msg->ntargets; i++)
		msg_target(msg, &msg->target[i]);
	if (msg->copies)
		src->next_cast++;
	msg->out.id = port->source->next_id++;
	msg->waits = how->admission && msg->class != FLITCAST_TX_HIGH;
	if (msg->waits) {
		WRITE_ONCE(port->waits, port->waits + 1);
	} else if (how->admission) {
		port->admitted = msg->out.id;
		port->reserved = 0;
	}
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
	site->nmsgs++;
	list_add_tail(&msg->source_node, &src->msgs);
	src->nmsgs++;
	src->charge += how->charge;
	site->stat[FC_STAT_MSG_SENT]++;
	return 0;
}

/* It has begun: it goes, now or in its turn. */
static void msg_go(struct flitcast_site *site, struct flitcast_msg *msg)
{
	/* To begin one to many took long. */
	if (msg->ntargets > FLOWS_BATCH) {
		bool over;

		refcount_inc(&msg->refs);
		flitcast_engine_leave(site);
		flitcast_engine_enter(site);
		over = !msg->left;
		flitcast_msg_put(msg);
		if (over)
			return;
	}
	if (flitcast_tx_at_once(site, msg))
		return;
	flitcast_tx_schedule(site, msg);
	flitcast_tx_ready(site, msg);
}

/* Are all of its targets in the topology? */
static bool dests_exist(const struct flitcast_site *site, const struct flitcast_msg_dest *dests,
			u32 n)
{
	while (n--)
		if (dests[n].site >= site->cfg.topo.nsites)
			return false;
	return true;
}

int flitcast_msg_send(struct flitcast_port *port, struct flitcast_msg *msg,
		      const struct flitcast_msg_dest *dests, const struct flitcast_send *how,
		      u32 *id)
{
	struct flitcast_site *site = port->site;
	int err;

	if (!site)
		return -ENETDOWN;
	if (!dests_exist(site, dests, msg->ntargets))
		return flitcast_site_dead(site) ? -ENETDOWN : -EHOSTUNREACH;
	if (how->copies && !READ_ONCE(port->casts)) {
		err = casts_add(site, port);
		if (err)
			return err;
	}
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
	if (!dests_exist(site, dest, 1))
		return flitcast_site_dead(site) ? -ENETDOWN : -EHOSTUNREACH;
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

bool flitcast_tx_purge(struct flitcast_site *site)
{
	struct flitcast_msg *msg;
	int budget = TX_BUDGET;
	u8 s;

	while ((msg = list_first_entry_or_null(&site->msgs, struct flitcast_msg, site_node))) {
		if (budget <= 0)
			return true;
		budget -= TX_COST_FREE;
		flitcast_tx_give_up_all(site, msg, -ENETDOWN, &budget);
	}
	for (s = 0; s < FC_SET_COUNT; s++) {
		struct flitcast_feed *feed = &site->feed[s];

		if (!feed->cur)
			continue;
		flitcast_msg_spent(site, feed->cur);
		flitcast_msg_put(feed->cur);
		feed->cur = NULL;
		site->nfed--;
	}
	/* Nobody is told any more of what was given up. */
	site->forward = RB_ROOT_CACHED;
	site->nforward = 0;
	return false;
}

bool flitcast_tx_purge_sources(struct flitcast_site *site)
{
	struct flitcast_source *src;
	int budget = TX_BUDGET;
	unsigned long number;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(site->sources); i++) {
		xa_for_each(&site->sources[i], number, src) {
			if (budget <= 0)
				return true;
			budget -= TX_COST_ACT;
			source_free(site, src);
		}
	}
	return false;
}

void flitcast_tx_stop(struct flitcast_site *site)
{
	unsigned int i;

	flush_work(&site->free);
	for (i = 0; i < ARRAY_SIZE(site->sources); i++)
		xa_destroy(&site->sources[i]);
}
