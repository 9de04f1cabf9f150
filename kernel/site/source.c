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

void flitcast_tx_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	struct flitcast_source *src = port->source;
	struct flitcast_msg *msg, *next;

	port->source = NULL;
	src->port = NULL;
	src->timeout = port->timeout;
	list_for_each_entry(msg, &src->msgs, source_node)
		site->orphans += msg->charge;
	if (list_empty(&src->msgs)) {
		hash_del(&src->node);
		flitcast_tx_source_free(src);
		return;
	}
	/* The oldest go first where closed sockets have left too much behind. */
	list_for_each_entry_safe(msg, next, &site->msgs, site_node) {
		u32 i;

		if (site->orphans <= FLITCAST_ORPHANS_MAX)
			break;
		src = msg->source;
		if (src->port)
			continue;
		for (i = 0; i < msg->ntargets; i++) {
			if (!fc_txtarget_over(&msg->target[i].core) &&
			    !flitcast_tx_give_up(site, &msg->target[i], -ETIMEDOUT))
				break;
		}
		flitcast_tx_reap(src);
	}
}

/* What goes on comes to its end while a site is drained; nothing begins. */
static bool begins(const struct flitcast_port *port, const struct flitcast_msg *msg)
{
	/* The answers of the site itself are no traffic of its own. */
	return port->ops->info && (msg->kind == FC_KIND_MESSAGE || msg->kind == FC_KIND_DATA ||
				   msg->kind == FC_KIND_CONNECT);
}

int flitcast_msg_send(struct flitcast_port *port, struct flitcast_msg *msg,
		      const struct flitcast_msg_dest *dests, u32 charge, bool list, u32 *id)
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
	if (src->nflows + msg->ntargets > FLITCAST_TXFLOWS_MAX)
		flitcast_tx_evict(src);
	/* Everything that can fail comes before anything is changed. */
	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];

		err = -EHOSTUNREACH;
		if (dests[i].site >= site->cfg.topo.nsites)
			goto out;
		err = -ENOMEM;
		t->flow = flitcast_tx_flow(src, dests[i].site, dests[i].port);
		if (!t->flow)
			goto out;
	}
	for (i = 0; i < msg->ntargets; i++) {
		struct tx_target *t = &msg->target[i];

		t->msg = msg;
		t->since = now;
		t->off = dests[i].off;
		t->len = dests[i].len;
		t->core.part = fc_part_make(msg->len, t->off, t->len);
		t->core.seq = t->flow->core.next++;
		list_add_tail(&t->pending, &t->flow->pending);
	}
	src->timeout = port->timeout;
	msg->source = src;
	msg->id = src->next_id++;
	msg->charge = charge;
	msg->list = list;
	msg->left = msg->ntargets;
	msg->wait = flitcast_tx_wait(site);
	msg->repeat_at = FC_NEVER;
	list_add_tail(&msg->site_node, &site->msgs);
	list_add_tail(&msg->source_node, &src->msgs);
	flitcast_tx_ready(site, msg);
	if (flitcast_faults_any_lost(site))
		flitcast_tx_due(site, now);
	site->stat[FC_STAT_MSG_SENT]++;
	*id = msg->id;
	err = 0;
out:
	flitcast_engine_leave(site);
	return err;
}

void flitcast_tx_purge(struct flitcast_site *site)
{
	struct flitcast_msg *msg, *next;
	struct flitcast_source *src;
	struct hlist_node *tmp;
	int bucket;

	if (site->cur)
		flitcast_msg_put(site->cur);
	site->cur = NULL;
	list_for_each_entry_safe(msg, next, &site->msgs, site_node) {
		list_del_init(&msg->ready);
		list_del_init(&msg->site_node);
		msg->source = NULL;
		flitcast_msg_put(msg);
	}
	hash_for_each_safe(site->sources, bucket, tmp, src, node) {
		hash_del(&src->node);
		if (src->port)
			src->port->source = NULL;
		flitcast_tx_source_free(src);
	}
}
