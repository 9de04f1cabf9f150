// SPDX-License-Identifier: GPL-2.0
/*
 * Sources: the sending side of a port.
 *
 *	flitcast_tx_prepare()   bind(): allocate, reserve a number
 *	flitcast_tx_attach()    the port is attached: visible to packets and acks
 *	flitcast_tx_detach()    close(): pending messages go on until port->timeout (orphans)
 *	flitcast_source_reap()  last message completed: send FC_CTRL_CLOSED, free by a work item
 *
 * A port has a second source for broadcasts, from its first broadcast on, with flows of its own.
 * The number of a source identifies it in packets and acks, and is unique in an incarnation of the
 * site.
 */
#include <linux/slab.h>
#include <uapi/linux/flitcast.h>
#include "ends/ports.h"
#include "mem/share.h"
#include "ends/source.h"
#include "ends/tx.h"
#include "ends/txqueue.h"
#include "fabric/enter.h"

/* Allocate a source with a new user.  Context: may sleep. */
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

/* Free a source that is in no table yet. */
static void source_unmake(struct flitcast_source *src)
{
	kfree(src->owner);
	source_put(src);
}

static struct xarray *table_of(struct flitcast_site *site, u32 sock)
{
	return &site->ends->sources.table[!!(sock & FC_SOCK_BCAST)];
}

/* Add a source to its table and user.  Its entry is reserved, or allocated here. */
static int source_add(struct flitcast_site *site, struct flitcast_source *src)
{
	int err = xa_err(xa_store(table_of(site, src->number), src->number & ~FC_SOCK_BCAST, src,
				  GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT));

	if (!err)
		kfree(flitcast_txqueue_attach(site, src, src->owner));
	return err;
}

struct flitcast_source *flitcast_source_find(struct flitcast_site *site, u32 sock)
{
	struct flitcast_source *src = site->ends->sources.last;

	if (src && src->number == sock)
		return src;
	src = xa_load(table_of(site, sock), sock & ~FC_SOCK_BCAST);
	if (src)
		site->ends->sources.last = src;
	return src;
}

int flitcast_tx_prepare(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_sources *sources = &site->ends->sources;
	struct flitcast_source *src = source_alloc(port);
	int err;

	if (!src)
		return -ENOMEM;
	/* Numbers wrap around after a very long time; skip those still in use. */
	do {
		src->number = (u32)atomic_inc_return(&sources->next_number) & ~FC_SOCK_BCAST;
		err = xa_insert_bh(&sources->table[0], src->number, NULL, GFP_KERNEL_ACCOUNT);
	} while (err == -EBUSY);
	if (err) {
		source_unmake(src);
		return err;
	}
	port->bcasts = NULL;
	port->source = src;
	return 0;
}

void flitcast_tx_cancel(struct flitcast_site *site, struct flitcast_port *port)
{
	xa_erase_bh(&site->ends->sources.table[0], port->source->number);
	source_unmake(port->source);
	port->source = NULL;
}

void flitcast_tx_attach(struct flitcast_site *site, struct flitcast_port *port)
{
	WARN_ON_ONCE(source_add(site, port->source));
}

int flitcast_source_bcasts(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src = source_alloc(port);
	int err = 0;

	if (!src)
		return -ENOMEM;
	flitcast_enter(site);
	if (!site->dead && port->source && !port->bcasts) {
		src->number = port->source->number | FC_SOCK_BCAST;
		err = source_add(site, src);
		if (!err) {
			port->bcasts = src;
			src = NULL;
		}
	}
	flitcast_leave(site);
	if (src)
		source_unmake(src);
	return err;
}

/* Remove a source from the tree of closed sources with pending messages. */
static void closing_end(struct flitcast_site *site, struct flitcast_source *src)
{
	if (RB_EMPTY_NODE(&src->closing))
		return;
	rb_erase_cached(&src->closing, &site->ends->sources.closing);
	RB_CLEAR_NODE(&src->closing);
}

/*
 * Remove a source from all tables; a work item frees its flows, which may be many, without the
 * lock.
 */
static void source_free(struct flitcast_site *site, struct flitcast_source *src)
{
	xa_erase(table_of(site, src->number), src->number & ~FC_SOCK_BCAST);
	if (site->ends->sources.last == src)
		site->ends->sources.last = NULL;
	closing_end(site, src);
	if (!site->dead)
		flitcast_txflow_send_closed(site, src);
	flitcast_txqueue_detach(site, src);
	list_add_tail(&src->gone, &site->ends->sources.gone);
	queue_work(system_unbound_wq, &site->ends->sources.free);
}

static void free_work(struct work_struct *work)
{
	struct flitcast_ends *ends = container_of(work, struct flitcast_ends, sources.free);
	struct flitcast_source *src;

	do {
		spin_lock_bh(&ends->site->lock);
		src = list_first_entry_or_null(&ends->sources.gone, struct flitcast_source, gone);
		if (src)
			list_del(&src->gone);
		spin_unlock_bh(&ends->site->lock);
		if (src) {
			flitcast_txflow_free_all(src);
			source_put(src);
		}
		cond_resched();
	} while (src);
	while (flitcast_msg_free_spent(ends->site))
		cond_resched();
}

void flitcast_tx_init(struct flitcast_site *site)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(site->ends->sources.table); i++)
		xa_init_flags(&site->ends->sources.table[i], XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	site->ends->sources.site_bits = order_base_2(site->cfg.topo.nsites);
	INIT_LIST_HEAD(&site->ends->tx.msgs);
	site->ends->tx.again = FC_NEVER;
	site->ends->tx.due = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&site->ends->tx.late);
	site->ends->tx.forward = RB_ROOT_CACHED;
	site->ends->sources.closing = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&site->ends->sources.gone);
	INIT_LIST_HEAD(&site->ends->pool.spent);
	INIT_WORK(&site->ends->sources.free, free_work);
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

/* Charge the pending data of a closed socket to its share, in pages. */
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

void flitcast_source_orphan_completed(struct flitcast_site *site, struct flitcast_source *src,
				      u32 charge)
{
	site->ends->sources.orphans -= charge;
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
	site->ends->sources.orphans += src->charge;
	orphan_pages(src);
	rb_add_cached(&src->closing, &site->ends->sources.closing, until_before);
	flitcast_tx_due(site, site->ends->sources.orphans > FLITCAST_ORPHANS_MAX ? 0 : src->until);
}

void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	source_detach(site, port->bcasts);
	source_detach(site, port->source);
	port->bcasts = NULL;
	port->source = NULL;
}

bool flitcast_port_busy(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;
	bool busy;

	if (!site)
		return false;
	spin_lock_bh(&site->lock);
	busy = (port->source && !list_empty(&port->source->msgs)) ||
	       (port->bcasts && !list_empty(&port->bcasts->msgs));
	spin_unlock_bh(&site->lock);
	return busy;
}

void flitcast_port_forgive(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;

	if (!site)
		return;
	spin_lock_bh(&site->lock);
	if (port->source)
		port->source->era++;
	if (port->bcasts)
		port->bcasts->era++;
	spin_unlock_bh(&site->lock);
}

void flitcast_source_admitted(struct flitcast_site *site, struct flitcast_msg *msg)
{
	struct flitcast_port *port = msg->source->port;

	if (!msg->how.waits)
		return;
	msg->how.waits = false;
	if (!port)
		return;
	port->admitted = msg->out.id;
	port->reserved = msg->out.reserved;
	WRITE_ONCE(port->waits, port->waits - 1);
	flitcast_wake(site, port, FLITCAST_WAKE_OUT);
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

bool flitcast_tx_purge_sources(struct flitcast_site *site)
{
	struct flitcast_source *src;
	int budget = TX_BUDGET;
	unsigned long number;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(site->ends->sources.table); i++) {
		xa_for_each(&site->ends->sources.table[i], number, src) {
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

	flush_work(&site->ends->sources.free);
	for (i = 0; i < ARRAY_SIZE(site->ends->sources.table); i++)
		xa_destroy(&site->ends->sources.table[i]);
}
