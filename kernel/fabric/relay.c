// SPDX-License-Identifier: GPL-2.0
/*
 * Forwards broadcast packets (HARTS, sections 3 and 4): runs the relay (core/bcast/relay.h), as
 * vnet.c runs the switch, and stores the flits of the packets it holds.
 *
 *	flit in ---> fc_relay_event() ---> effects: HOLD     append to the flits of the packet
 *	                                            RELAY    copy to a link
 *	                                            DELIVER  complete: copy to the local ports
 *	                                            FREE     sent by all links: drop
 *
 * The next hops come from a table computed from the topology (table.c) or, in a graph with several
 * copies, from the paths that were configured for the source (path.c).
 */
#include <linux/slab.h>
#include "drop.h"
#include "core/bcast/relay.h"
#include "core/link/llr.h"
#include "fabric/channel.h"
#include "fabric/effects.h"
#include "fabric/enter.h"
#include "fabric/relay.h"
#include "fabric/table.h"
#include "fabric/path.h"
#include "link/memory.h"
#include "mem/account.h"

/**
 * struct flitcast_relay - the relay of a site
 * @core: the relay: decides, and stores no flits
 * @table: next hops of broadcasts
 * @paths: in a graph, configured paths of broadcasts in several copies; else NULL
 * @flits: flits of each held packet, in order
 * @charge: bytes of memory charged for each; 0 for those of this site, which their sender pays for
 * @cursor: by port, the flit of the current packet that was sent last
 * @account: account of the site that pays for held packets of others
 * @more: the last event left work, which the timer continues
 *
 * The site's lock protects it.
 */
struct flitcast_relay {
	struct fc_relay core;
	struct flitcast_table *table;
	struct flitcast_paths *paths;
	struct sk_buff_head *flits;
	u32 *charge;
	struct sk_buff *cursor[FC_PORTS_MAX];
	struct flitcast_account *account;
	bool more;
};

/*
 * Maximum number of frames per event: a flit that was missing may release a whole window of others,
 * on all links.
 */
#define RELAY_BUDGET	24

static u32 next_hop(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in)
{
	struct flitcast_relay *r = container_of(relay, struct flitcast_relay, core);

	if (r->paths && copies > 1)
		return flitcast_path_next(r->paths, src, copies, in, label);
	if (label)
		return FC_RELAY_NEVER;
	return flitcast_table_next(relay->tables, src, relay->id, copies, in);
}

static bool admit(struct fc_relay *core, u16 n, u32 data)
{
	struct flitcast_relay *r = container_of(core, struct flitcast_relay, core);
	u32 bytes = flitcast_packet_memory(core->payload + FC_LINK_SIZE, data);

	if (!flitcast_account_take(r->account, bytes))
		return false;
	/* The hold may be freed in this step, by an effect that is still to come: it gives both. */
	r->charge[n] += bytes;
	return true;
}

/* Free the flits of a hold. */
static void hold_free(struct flitcast_relay *r, u16 n, enum flitcast_drop why)
{
	flitcast_drop_queue(&r->flits[n], why);
	if (r->charge[n])
		flitcast_account_give(r->account, r->charge[n]);
	r->charge[n] = 0;
}

static void relay_free(struct flitcast_site *site, struct flitcast_relay *r)
{
	struct fc_relay *core = &r->core;
	u8 p;

	for (p = 0; core->out && p < core->ch.nports; p++)
		kvfree(core->out[p].fifo);
	flitcast_channel_free(site, &core->ch);
	kfree(core->in);
	kfree(core->out);
	kvfree(core->hold);
	kvfree(core->seen);
	kvfree(r->flits);
	kvfree(r->charge);
	if (r->table)
		flitcast_table_put(r->table);
	flitcast_path_free(r->paths);
	kvfree(r);
}

static bool alloc_ports(struct flitcast_site *site, struct flitcast_relay *r)
{
	struct fc_relay *core = &r->core;
	u8 p, nports = core->ch.nports;

	core->in = kcalloc(nports, sizeof(*core->in), GFP_KERNEL_ACCOUNT);
	core->out = kcalloc(nports, sizeof(*core->out), GFP_KERNEL_ACCOUNT);
	if (!core->in || !core->out || flitcast_channel_alloc(site, &core->ch, ~0U))
		return false;
	for (p = 0; p < nports; p++) {
		core->out[p].fifo = kvcalloc(core->nholds, sizeof(u16), GFP_KERNEL_ACCOUNT);
		if (!core->out[p].fifo)
			return false;
	}
	return true;
}

int flitcast_relay_alloc(struct flitcast_site *site)
{
	const struct fc_topo *topo = &site->cfg.topo;
	struct flitcast_relay *r = kvzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);
	struct fc_relay *core;
	u16 i;

	if (!r)
		return -ENOMEM;
	core = &r->core;
	core->next_hop = next_hop;
	core->admit = admit;
	core->ch.timing = &site->timing;
	core->ch.nports = site->node.nports;
	core->stat = site->stat;
	core->id = site->cfg.id;
	core->nsites = topo->nsites;
	core->payload = site->cfg.flit - FC_LINK_SIZE;
	core->nlabels = topo->graph ? FC_LABELS_MAX : 1;
	core->nholds = fc_relay_holds(topo->nsites, core->ch.nports *
				      (topo->graph ? FC_RELAY_SHARE : 1));
	core->hold = kvcalloc(core->nholds, sizeof(*core->hold), GFP_KERNEL_ACCOUNT);
	core->seen = kvcalloc((size_t)topo->nsites * core->ch.nports * core->nlabels,
			      sizeof(*core->seen), GFP_KERNEL_ACCOUNT);
	r->flits = kvcalloc(core->nholds, sizeof(*r->flits), GFP_KERNEL_ACCOUNT);
	r->charge = kvcalloc(core->nholds, sizeof(*r->charge), GFP_KERNEL_ACCOUNT);
	r->account = site->buffers.held;
	r->table = flitcast_table_get(topo);
	core->tables = r->table;
	if (topo->graph) {
		r->paths = flitcast_path_alloc(topo->nsites);
		if (!r->paths)
			goto no_memory;
	}
	if (!r->table || !core->hold || !core->seen || !r->flits || !r->charge ||
	    !alloc_ports(site, r))
		goto no_memory;
	for (i = 0; i < core->nholds; i++)
		__skb_queue_head_init(&r->flits[i]);
	fc_relay_init(core);
	site->relay = r;
	return 0;

no_memory:
	relay_free(site, r);
	return -ENOMEM;
}

static void drop(void *arg, void *h)
{
	flitcast_drop(h, FLITCAST_DROP_DOWN);
}

void flitcast_relay_purge(struct flitcast_site *site)
{
	struct flitcast_relay *r = site->relay;
	u16 i;

	fc_relay_purge(&r->core, drop, NULL);
	for (i = 0; i < r->core.nholds; i++)
		hold_free(r, i, FLITCAST_DROP_DOWN);
}

void flitcast_relay_free(struct flitcast_site *site)
{
	if (site->relay)
		relay_free(site, site->relay);
}

/* Return: the label for the next hop of a front. */
static u8 next_label(const struct flitcast_relay *r, const u8 *head, const struct fc_effect *e)
{
	struct fc_packet pk;
	struct fc_bcast_hdr bcast;

	if (!r->paths)
		return 0;
	fc_wire_packet_decode(&pk, head);
	fc_wire_bcast_decode(&bcast, head);
	return flitcast_path_label(r->paths, pk.src, bcast.copies, r->core.hold[e->hold].in,
				   bcast.label, e->port);
}

/* Return: a copy of the next flit to send, with a linear part of its own; NULL: no memory. */
static struct sk_buff *to_send(struct flitcast_relay *r, const struct fc_effect *e,
			       unsigned int headroom)
{
	struct sk_buff_head *flits = &r->flits[e->hold];
	struct sk_buff *held, *skb;

	held = e->index ? skb_queue_next(flits, r->cursor[e->port]) : skb_peek(flits);
	r->cursor[e->port] = held;
	skb = __pskb_copy(held, headroom, GFP_ATOMIC);
	if (skb && !e->index)
		fc_wire_bcast_hop(skb->data, next_label(r, skb->data, e));
	return skb;
}

static void relay(struct flitcast_site *site, const struct fc_effect *e)
{
	struct flitcast_end *end = &site->end[e->port];
	struct fc_link_hdr hdr = {
		.type = FC_FRAME_FLIT, .vc = e->vc, .flags = e->flit.parts, .seq = e->seq,
		.ack = e->ack,
	};
	struct sk_buff *skb;

	if (e->type == FC_FX_CUT)
		skb = flitcast_link_alloc(end->link, 0);
	else
		skb = to_send(site->relay, e, flitcast_output_headroom(end->link));
	/* The link is about to be reset: these sequence numbers are void. */
	if (site->todo.resets & fc_bit(e->port)) {
		flitcast_drop(skb, FLITCAST_DROP_DOWN);
		return;
	}
	if (!skb) {
		/* The flit could not be retransmitted: reset the link. */
		site->stat[FC_STAT_NO_MEMORY]++;
		site->todo.resets |= fc_bit(e->port);
		return;
	}
	flitcast_output_flit(site, e->port, skb, &hdr);
}

/* Deliver a complete copy to this site. */
static void deliver(struct flitcast_site *site, const struct fc_effect *e)
{
	struct flitcast_arrived arrival = { .bcast = true, .port = e->port };
	struct sk_buff_head copy;

	if (flitcast_flits_clone(&copy, &site->relay->flits[e->hold]))
		flitcast_up_packet(&site->todo.up, &copy, arrival);
	else
		site->stat[FC_STAT_NO_MEMORY]++;
}

static void forget_unacked(struct flitcast_site *site, struct flitcast_replay *replay)
{
	flitcast_replay_release(replay, &site->out.free, replay->seq + replay->n);
}

static void perform(struct flitcast_site *site, const struct fc_effect *e)
{
	switch (e->type) {
	case FC_FX_HOLD:
		__skb_queue_tail(&site->relay->flits[e->hold], e->flit.h);
		break;
	case FC_FX_RELAY:
	case FC_FX_CUT:
		relay(site, e);
		break;
	case FC_FX_DELIVER:
		deliver(site, e);
		break;
	case FC_FX_FREE:
		hold_free(site->relay, e->hold, FLITCAST_USED);
		break;
	case FC_FX_DROP:
		flitcast_effects_drop(e);
		break;
	case FC_FX_STATUS:
		flitcast_output_status(site, FC_VC_BCAST, e);
		break;
	case FC_FX_RESEND:
		flitcast_output_again(site, e);
		break;
	case FC_FX_RELEASE:
		flitcast_replay_release(&site->end[e->port].bcast, &site->out.free, e->seq);
		break;
	case FC_FX_RESCUE:
		/*
		 * Not rescued: other copies take other paths, and a single copy is retransmitted by
		 * its source.
		 */
		forget_unacked(site, &site->end[e->port].bcast);
		break;
	case FC_FX_SUSPECT:
		flitcast_effects_suspect(site, e);
		break;
	case FC_FX_RESET:
		site->todo.resets |= fc_bit(e->port);
		break;
	}
}

u64 flitcast_relay_next_at(const struct flitcast_site *site)
{
	return site->relay->more ? 0 : site->relay->core.ch.next_at;
}

void flitcast_relay_event(struct flitcast_site *site, struct fc_event *ev)
{
	struct fc_effects *fx = site->todo.effects;
	u32 i, frames = site->out.frames;
	u8 type = ev->type;
	bool more;

	lockdep_assert_held(&site->lock);
	ev->now = flitcast_site_now(site);
	do {
		more = fc_relay_event(&site->relay->core, ev, fx);
		for (i = 0; i < fx->n; i++)
			perform(site, &fx->fx[i]);
		ev->type = FC_EV_MORE;
	} while (more && site->out.frames - frames < RELAY_BUDGET);
	site->relay->more = more;
	ev->type = type;
	flitcast_machine_due(site, flitcast_relay_next_at(site));
}

void flitcast_relay_tests(struct flitcast_site *site)
{
	struct fc_channel *ch = &site->relay->core.ch;
	u32 rest = site->ctrl.tests;

	site->ctrl.tests = 0;
	for (; rest; rest &= rest - 1) {
		u8 port = fc_low(rest);

		/* Usually an earlier control frame has set the timer. */
		if (ch->tx[port].poll_at == FC_NEVER)
			fc_llr_test(ch, port, flitcast_site_now(site));
	}
	flitcast_machine_due(site, ch->next_at);
}

void flitcast_relay_count(struct flitcast_site *site, u8 port, u64 *stat)
{
	site->relay->core.ch.rx[port].stat = stat;
}

void flitcast_relay_delay(const struct flitcast_site *site, u8 port, u64 now, struct fc_delay *d)
{
	fc_relay_delay(&site->relay->core, port, now, d);
}

bool flitcast_relay_room(const struct flitcast_site *site)
{
	return fc_relay_room(&site->relay->core);
}

bool flitcast_site_copies(const struct flitcast_site *site, u8 copies)
{
	const struct flitcast_relay *r = site->relay;

	if (copies > 1 && r->paths)
		return copies <= FC_PATH_COPIES_MAX &&
		       flitcast_path_begin(r->paths, site->cfg.id, copies);
	return copies <= flitcast_table_copies(r->table);
}

u8 flitcast_site_copies_max(const struct flitcast_site *site)
{
	u8 copies = FC_COPIES_MAX;

	while (!flitcast_site_copies(site, copies))
		copies--;
	return copies;
}

int flitcast_site_path_set(struct flitcast_site *site, u32 source, u32 copies,
			   const struct fc_path_entry *entry, u32 n, struct netlink_ext_ack *extack)
{
	const struct fc_topo *topo = &site->cfg.topo;
	struct flitcast_paths *paths = site->relay->paths;
	struct flitcast_path_set *set = NULL;
	const char *wrong;

	if (!paths) {
		NL_SET_ERR_MSG_MOD(extack, "the topology is no graph, and needs no paths");
		return -EOPNOTSUPP;
	}
	wrong = fc_path_check(topo, site->cfg.id, source, copies, entry, n);
	if (wrong) {
		/* A constant string: it outlives the request, as extack requires. */
		if (extack)
			extack->_msg = wrong;
		return -EINVAL;
	}
	set = flitcast_path_make(entry, n);
	if (!set)
		return -ENOMEM;
	flitcast_enter(site);
	set = flitcast_path_exchange(paths, source, copies, set);
	flitcast_leave(site);
	kfree(set);
	return 0;
}

int flitcast_site_path_del(struct flitcast_site *site, u32 source, u32 copies,
			   struct netlink_ext_ack *extack)
{
	struct flitcast_paths *paths = site->relay->paths;
	struct flitcast_path_set *set = NULL;

	if (paths && source < site->cfg.topo.nsites && copies >= FC_PATH_COPIES_MIN &&
	    copies <= FC_PATH_COPIES_MAX) {
		flitcast_enter(site);
		set = flitcast_path_exchange(paths, source, copies, NULL);
		flitcast_leave(site);
	}
	if (!set) {
		NL_SET_ERR_MSG_MOD(extack, "no paths of that source in so many copies");
		return -ENOENT;
	}
	kfree(set);
	return 0;
}

u32 flitcast_site_path_next(struct flitcast_site *site, u32 *source, u32 *copies,
			    struct fc_path_entry entry[FC_PATH_ENTRIES_MAX])
{
	u32 n = 0;

	if (!site->relay->paths)
		return 0;
	spin_lock_bh(&site->lock);
	n = flitcast_path_walk(site->relay->paths, source, copies, entry);
	spin_unlock_bh(&site->lock);
	return n;
}

u32 flitcast_site_bcast_max(const struct flitcast_site *site)
{
	return site->relay->core.bytes;
}
