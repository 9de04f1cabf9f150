// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving ends: flows, messages put together from packets, delivery to ports.
 *
 * The flows are the site's, not the socket's, so that a packet that comes late is
 * known as a duplicate even if another socket has the port by then.
 */
#include <linux/sizes.h>
#include <linux/slab.h>
#include "site/rx.h"

/* Confirmations that were owed are sent so many in one go. */
#define PAY_BUDGET	64

/**
 * struct rx_msg - a message being received
 * @charge: room reserved for it
 * @spare: of that, what was thought its packets would hold beyond their data, and they have not
 * @cut: bytes of the first packet before the part, which are not kept
 * @npackets: packets of the part
 * @carrier: what will be delivered; the packets hang on it in the end
 * @packet: each packet as a list of flits linked by next
 */
struct rx_msg {
	u32 charge;
	u32 spare;
	u32 cut;
	u16 npackets;
	struct sk_buff *carrier;
	struct sk_buff *packet[];
};

struct flitcast_port *flitcast_port_find(struct flitcast_site *site, u16 number)
{
	return xa_load(&site->ports, number);
}

static noinline struct flitcast_port *port_look_up(struct flitcast_site *site, u16 number)
{
	struct flitcast_port *port = flitcast_port_find(site, number);

	if (port)
		site->port_last = port;
	return port;
}

/* The port, for what comes in. */
static inline struct flitcast_port *port_open(struct flitcast_site *site, u16 number)
{
	struct flitcast_port *port = site->port_last;

	if (!port || port->number != number)
		port = port_look_up(site, number);
	return port && !port->closing ? port : NULL;
}

static struct rx_key key_of(const struct fc_packet *pk, u16 port)
{
	return (struct rx_key) {
		.src = pk->src, .incarnation = pk->incarnation, .sock = pk->sock, .port = port,
	};
}

/* The same of a control frame of the source. */
static struct rx_key key_of_ctrl(const struct fc_ctrl *ctrl)
{
	return (struct rx_key) {
		.src = ctrl->site, .incarnation = ctrl->incarnation, .sock = ctrl->sock,
		.port = ctrl->port,
	};
}

static void packet_free(struct sk_buff *skb)
{
	kfree_skb_list(skb);
}

/*
 * What struct fc_rxmsg refers to: a message being put together, or, where one flit is all of
 * it, that: its charge is in its cb then, as in that of every message that is delivered.
 */
#define ALONE	1UL

static void *alone(struct sk_buff *skb)
{
	return (void *)((unsigned long)skb | ALONE);
}

static struct sk_buff *flit_alone(const struct fc_rxmsg *m)
{
	unsigned long h = (unsigned long)m->h;

	return h & ALONE ? (struct sk_buff *)(h & ~ALONE) : NULL;
}

static u32 charge_of(const struct fc_rxmsg *m)
{
	const struct sk_buff *skb = flit_alone(m);

	return skb ? FLITCAST_DELIVERY(skb)->charge : ((const struct rx_msg *)m->h)->charge;
}

static void msg_free(struct rx_msg *msg)
{
	unsigned int i;

	for (i = 0; i < msg->npackets; i++)
		packet_free(msg->packet[i]);
	kfree_skb(msg->carrier);
	kvfree(msg);
}

/* In the cb of a dropped skb: the message whose carrier it is, with its packets; or NULL. */
struct drop_cb {
	struct rx_msg *msg;
};

#define DROP_CB(skb)	((struct drop_cb *)(skb)->cb)

/*
 * A message has up to 16 MiB in ten thousand flits, each with memory of its own: they are freed by
 * a work, without the lock.  Their room is given back before.  A peer cannot make more of it than
 * it sends, and the work is not bound to the processor that receives.
 */
static void drop(struct flitcast_site *site, struct sk_buff *skb, struct rx_msg *msg)
{
	DROP_CB(skb)->msg = msg;
	__skb_queue_tail(&site->dropped, skb);
	queue_work(system_unbound_wq, &site->drop);
}

static void drop_work(struct work_struct *work)
{
	struct flitcast_site *site = container_of(work, struct flitcast_site, drop);
	struct sk_buff_head dropped;
	struct sk_buff *skb;

	__skb_queue_head_init(&dropped);
	spin_lock_bh(&site->lock);
	skb_queue_splice_init(&site->dropped, &dropped);
	spin_unlock_bh(&site->lock);
	while ((skb = __skb_dequeue(&dropped))) {
		if (DROP_CB(skb)->msg)
			msg_free(DROP_CB(skb)->msg);
		else
			kfree_skb(skb);
		cond_resched();
	}
}

void flitcast_rx_init(struct flitcast_site *site)
{
	__skb_queue_head_init(&site->dropped);
	INIT_WORK(&site->drop, drop_work);
}

void flitcast_rx_stop(struct flitcast_site *site)
{
	flush_work(&site->drop);
}

static void slot_free(struct flitcast_site *site, const struct fc_rxmsg *m)
{
	struct sk_buff *skb = flit_alone(m);

	if (skb)
		drop(site, skb, NULL);
	else
		drop(site, ((struct rx_msg *)m->h)->carrier, m->h);
}

unsigned int flitcast_rxflow_empty(struct flitcast_site *site, struct rx_flow *flow)
{
	struct flitcast_port *port = flitcast_port_find(site, flow->key.port);
	unsigned int i, n = 0;

	for (i = 0; i < FC_FLOW_WINDOW; i++) {
		struct fc_rxmsg *m = &flow->core.msg[i];

		if (m->state == FC_RX_EMPTY)
			continue;
		if (port)
			port->ops->uncharge(port, charge_of(m), m->early);
		slot_free(site, m);
		memset(m, 0, sizeof(*m));
		n++;
	}
	if (port && flow->invited)
		port->ops->uncharge(port, flow->invited, false);
	flow->invited = 0;
	memset(flow->need, 0, sizeof(flow->need));
	list_del_init(&flow->waiting);
	list_del_init(&flow->held);
	return n;
}

static void answer(struct flitcast_site *site, const struct fc_packet *pk,
		   const struct fc_target *t, struct rx_flow *flow,
		   enum fc_ctrl_kind kind)
{
	struct fc_ctrl ctrl = {
		.kind = kind, .dst = pk->src, .incarnation = pk->incarnation,
		.sock = pk->sock, .site = site->cfg.id, .port = t->port, .seq = t->seq,
		.next = t->seq - t->lag,
	};

	if (flow) {
		fc_rxflow_confirm(&flow->core, t->seq, &ctrl);
		/* Whatever it says, it says the level with it. */
		list_del_init(&flow->owed);
	}
	site->stat[FC_STAT_CTRL_SENT]++;
	if (kind == FC_CTRL_CONFIRM && site->beyond)
		flitcast_ctrl_hold(site, &ctrl, site->beyond);
	else
		flitcast_ctrl_send(site, &ctrl);
}

void flitcast_rx_level_ask(struct flitcast_site *site, const struct rx_key *key, u32 seq,
			   u32 level)
{
	/* The answer brings the time back: late ones are not believed. */
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_LEVEL, .dst = key->src, .incarnation = key->incarnation,
		.sock = key->sock, .site = site->cfg.id, .port = key->port, .seq = seq,
		.next = level, .have = flitcast_site_now(site),
	};

	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

/* A message was delivered whose source can wait for the confirmation. */
static void owe(struct flitcast_site *site, struct rx_flow *flow)
{
	if (!list_empty(&flow->owed))
		return;
	flow->owed_at = flow->used + FC_LATER_NS;
	list_add_tail(&flow->owed, &site->owed);
	site->ends_at = min(site->ends_at, flow->owed_at);
}

/* The confirmation that is owed: of all that was delivered. */
static void pay(struct flitcast_site *site, struct rx_flow *flow)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_CONFIRM, .dst = flow->key.src, .incarnation = flow->key.incarnation,
		.sock = flow->key.sock, .site = site->cfg.id, .port = flow->key.port,
	};

	fc_rxflow_confirm(&flow->core, flow->core.next - 1, &ctrl);
	list_del_init(&flow->owed);
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

bool flitcast_rx_time(struct flitcast_site *site, u64 until)
{
	unsigned int budget = PAY_BUDGET;
	struct rx_flow *flow, *next;

	list_for_each_entry_safe(flow, next, &site->owed, owed) {
		/* The timer goes on with it, so that nobody holds the lock for long. */
		if (flow->owed_at > until || !budget--) {
			site->ends_at = min(site->ends_at, flow->owed_at);
			return flow->owed_at <= until;
		}
		pay(site, flow);
	}
	return false;
}

/* What the source does not send any more. */
struct skip_arg {
	struct flitcast_site *site;
	struct rx_flow *flow;
};

static void skip(void *arg, struct fc_rxmsg *m)
{
	struct skip_arg *a = arg;
	struct flitcast_port *port = flitcast_port_find(a->site, a->flow->key.port);

	if (port)
		port->ops->uncharge(port, charge_of(m), m->early);
	slot_free(a->site, m);
}

/* Room that is thought to be taken of each message, and of each packet, besides its data. */
#define MSG_ROOM	1024
#define PACKET_ROOM	512

/* Room that a message takes at least: its data and what is kept of each packet. */
static u32 msg_charge(const struct fc_part *part)
{
	return part->len + MSG_ROOM + part->count * PACKET_ROOM;
}

/*
 * How much more than its data a packet may hold before the data is copied, where there is room
 * yet: a quarter of a packet besides three times the data; and where the port is tight: a page.
 */
#define WASTE_MAX	(FC_PACKET_MAX / 4)
#define WASTE_TIGHT	PAGE_SIZE
#define WASTE_FACTOR	3

/* What flits before @end are charged for: themselves, and their data with what lies around it. */
static u32 truesize(const struct sk_buff *skb, const struct sk_buff *end)
{
	u32 n = 0;

	for (; skb != end; skb = skb->next)
		n += skb->truesize;
	return n;
}

/*
 * What flits keep from being freed: lots of pages that others have parts of, too.  Those of one
 * message follow each other in the same lots.
 */
static u32 footprint(const struct sk_buff *skb, const struct sk_buff *end)
{
	const struct page *last = NULL;
	u32 n = 0;
	int i;

	for (; skb != end; skb = skb->next) {
		n += SKB_TRUESIZE(skb_end_offset(skb));
		for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
			const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];
			struct page *page = compound_head(skb_frag_page(frag));

			if (page != last)
				n += page_size(page);
			last = page;
		}
	}
	return n;
}

/* @end: NULL of a list; of a flit in a queue, the next one, or the queue. */
static bool wasteful(const struct flitcast_port *port, const struct sk_buff *skb,
		     const struct sk_buff *end, u32 len)
{
	return truesize(skb, end) > WASTE_FACTOR * len + WASTE_MAX ||
	       (port->tight && footprint(skb, end) > WASTE_FACTOR * len + WASTE_TIGHT);
}

/* Bytes [from, from + len) of a list of flits, as if it were one. */
static bool copy_flits(const struct sk_buff *skb, u32 from, void *to, u32 len)
{
	for (; len && skb; skb = skb->next) {
		u32 n;

		if (from >= skb->len) {
			from -= skb->len;
			continue;
		}
		n = min(len, skb->len - from);
		if (skb_copy_bits(skb, from, to, n))
			return false;
		to += n;
		len -= n;
		from = 0;
	}
	return !len;
}

/* Data up to so many bytes is copied beside the head; else to pages. */
#define COMPACT_LINEAR	1024

/*
 * The data alone, in memory that nothing else is in, instead of the flits, which are freed.
 * Return: an skb with room in its head for what a delivery needs; NULL: no memory, and the flits
 * are there as they were.
 */
static struct sk_buff *compact(struct sk_buff *flits, u32 from, u32 len)
{
	u32 linear = len <= COMPACT_LINEAR ? len : 0, done = linear;
	struct sk_buff *skb;
	int err, i;

	skb = alloc_skb_with_frags(sizeof(struct flitcast_arrival) + linear, len - linear, 0, &err,
				   GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, sizeof(struct flitcast_arrival));
	if (!copy_flits(flits, from, skb_put(skb, linear), linear))
		goto fail;
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		if (!copy_flits(flits, from + done, skb_frag_address(frag), skb_frag_size(frag)))
			goto fail;
		done += skb_frag_size(frag);
	}
	skb->data_len = len - linear;
	skb->len = len;
	kfree_skb_list(flits);
	return skb;
fail:
	kfree_skb(skb);
	return NULL;
}

/* May this message come in, as far as the port is concerned? */
static enum flitcast_admit may_come(struct flitcast_port *port, const struct fc_packet *pk,
				    bool early)
{
	if (port->ops->admit)
		return port->ops->admit(port, pk, early);
	return pk->kind == FC_KIND_MESSAGE ? FLITCAST_ADMIT_YES : FLITCAST_ADMIT_NO;
}

/**
 * struct taken - what a packet brings of a part, taken out of its flits
 * @data: flits linked by next
 * @alone: it is the whole message in one skb, which is delivered as it is
 * @cut: bytes of the packet before it that are gone
 * @extra: bytes that it holds beyond what is reserved for each packet
 */
struct taken {
	struct sk_buff *data;
	bool alone;
	u32 cut;
	u32 extra;
};

/*
 * Reserve room for a message and make its place.  Its packets are thought to hold what the first
 * one, which is here, does.
 */
static bool admit(struct flitcast_site *site, struct flitcast_port *port,
		  struct rx_flow *flow, struct fc_rxmsg *slot, const struct fc_target *t,
		  const struct fc_part *part, const struct taken *taken, bool later)
{
	u32 extra = min_t(u64, (u64)taken->extra * part->count, SZ_256M);
	u32 charge = msg_charge(part) + extra;
	bool early = t->seq != flow->core.next;
	struct rx_msg *msg;

	rx_holds(flow, port);
	if (later || !flitcast_rx_charge(site, port, flow, charge, early)) {
		flitcast_rx_reclaim(site, port);
		site->stat[FC_STAT_MSG_NO_ROOM]++;
		*rx_need(flow, t->seq) = charge;
		/* One that came early waits for its turn first. */
		if (!early && list_empty(&flow->waiting))
			list_add_tail(&flow->waiting, &port->waiting);
		return false;
	}
	*rx_need(flow, t->seq) = 0;
	if (taken->alone) {
		FLITCAST_DELIVERY(taken->data)->charge = charge;
		fc_rxflow_admit(&flow->core, slot, t, part, alone(taken->data));
		goto admitted;
	}
	msg = kzalloc(struct_size(msg, packet, part->count), GFP_ATOMIC);
	if (msg) {
		msg->charge = charge;
		msg->spare = extra;
		msg->npackets = part->count;
		msg->carrier = alloc_skb(sizeof(struct flitcast_arrival), GFP_ATOMIC);
	}
	if (!msg || !msg->carrier) {
		site->stat[FC_STAT_NO_MEMORY]++;
		port->ops->uncharge(port, charge, early);
		kvfree(msg);
		return false;
	}
	*FLITCAST_ARRIVAL(msg->carrier) = (struct flitcast_arrival) { };
	fc_rxflow_admit(&flow->core, slot, t, part, msg);
admitted:
	if (!early)
		list_del_init(&flow->waiting);
	return true;
}

/* The flit that is all of a packet, with room in its head for what a delivery needs; or NULL. */
static struct sk_buff *whole(struct sk_buff_head *flits)
{
	struct sk_buff *skb = skb_peek(flits);

	if (skb_queue_len(flits) > 1 || skb_cloned(skb) ||
	    skb_headroom(skb) + FC_PACKET_SIZE < sizeof(struct flitcast_arrival) ||
	    !IS_ALIGNED((unsigned long)skb->head, sizeof(u64)))
		return NULL;
	return skb;
}

/* Flits of a packet as one list; the front's header and list are pulled. */
static struct sk_buff *packet_data(struct sk_buff_head *flits)
{
	struct sk_buff *skb, *first = NULL, **tail = &first;

	skb = skb_peek(flits);
	skb_pull(skb, fc_wire_head_len(skb->data));
	while ((skb = __skb_dequeue(flits))) {
		if (!skb->len) {
			kfree_skb(skb);
			continue;
		}
		*tail = skb;
		tail = &skb->next;
	}
	*tail = NULL;
	return first;
}

/* Hang every packet on the carrier: a message is one skb to its reader. */
static struct sk_buff *assemble(struct rx_msg *msg)
{
	struct sk_buff *carrier = msg->carrier, **tail = &skb_shinfo(carrier)->frag_list;
	unsigned int i;

	for (i = 0; i < msg->npackets; i++) {
		struct sk_buff *skb;

		*tail = msg->packet[i];
		msg->packet[i] = NULL;
		for (skb = *tail; skb; skb = skb->next) {
			carrier->len += skb->len;
			carrier->data_len += skb->len;
			carrier->truesize += skb->truesize;
			tail = &skb->next;
		}
	}
	msg->carrier = NULL;
	return carrier;
}

/* One more packet of a message.  One that was not expected makes the message that. */
static void note_arrival(struct flitcast_arrival *arrival, u64 due, u64 now)
{
	bool first = !arrival->arrived;

	arrival->arrived = now;
	if (first || !due)
		arrival->reserved = due;
	else if (arrival->reserved)
		arrival->reserved = max(arrival->reserved, due);
}

/* A message for a port is complete.  One that nobody is to read may be news for the port, too. */
static void hand_over(struct flitcast_site *site, struct flitcast_port *port, struct sk_buff *skb)
{
	site->stat[FC_STAT_MSG_DELIVERED]++;
	if (!port->ops->deliver(port, skb))
		drop(site, skb, NULL);
	flitcast_engine_wake(site, port, FLITCAST_WAKE_IN);
}

static void deliver(struct flitcast_site *site, struct flitcast_port *port,
		    struct rx_flow *flow, struct fc_rxmsg *m)
{
	struct sk_buff *skb = flit_alone(m);
	bool early = m->early;

	if (!skb) {
		struct rx_msg *msg = m->h;

		FLITCAST_DELIVERY(msg->carrier)->charge = msg->charge - msg->spare;
		if (msg->spare)
			port->ops->uncharge(port, msg->spare, early);
		skb = assemble(msg);
		msg_free(msg);
	}
	fc_rxflow_delivered(&flow->core, m);
	if (early)
		port->ops->promote(port, FLITCAST_DELIVERY(skb)->charge);
	hand_over(site, port, skb);
}

/* The flit that is all of a message, out of the packet's. */
static void take_only(struct sk_buff_head *flits, struct sk_buff *only)
{
	__skb_unlink(only, flits);
	__skb_pull(only, fc_wire_head_len(only->data));
	*FLITCAST_ARRIVAL(only) = (struct flitcast_arrival) { };
}

/* What a packet brings of a part, with as little else as is worth while. */
static void take(struct flitcast_port *port, struct sk_buff_head *flits,
		 const struct fc_part *part, u16 packet, struct taken *taken)
{
	u32 base = packet * FC_PACKET_MAX, room = PACKET_ROOM, held;
	u32 from = part->off > base ? part->off - base : 0;
	u32 len = min_t(u32, part->off + part->len - base, FC_PACKET_MAX) - from;
	struct sk_buff *skb = NULL;

	if (part->count == 1) {
		room += MSG_ROOM;
		skb = whole(flits);
	}
	taken->alone = skb;
	taken->cut = 0;
	if (skb)
		take_only(flits, skb);
	else
		skb = packet_data(flits);
	taken->data = skb;
	if (skb && wasteful(port, skb, NULL, len)) {
		skb = compact(skb, from, len);
		if (skb) {
			taken->data = skb;
			taken->cut = from;
			taken->alone = part->count == 1;
			if (taken->alone)
				*FLITCAST_ARRIVAL(skb) = (struct flitcast_arrival) { };
		}
	}
	held = truesize(taken->data, NULL);
	taken->extra = held > len + room ? held - len - room : 0;
}

/* A packet of a message is kept, with what it turned out to hold. */
static void keep(struct flitcast_port *port, const struct fc_rxmsg *m, u16 index,
		 const struct taken *taken)
{
	struct rx_msg *msg = m->h;
	u32 more = 0;

	if (taken->extra > msg->spare)
		more = taken->extra - msg->spare;
	msg->spare -= taken->extra - more;
	if (more)
		port->ops->grow(port, more, m->early);
	msg->charge += more;
	msg->packet[index] = taken->data;
	if (!index)
		msg->cut = taken->cut;
}

/* What a delivery says of itself; not @charge. */
static void describe(struct flitcast_delivery *d, const struct fc_packet *pk,
		     const struct fc_part *part, u32 cut, const struct flitcast_votes *votes)
{
	d->skip = part->off - part->first * FC_PACKET_MAX - cut;
	d->len = part->len;
	d->site = pk->src;
	d->port = pk->src_port;
	d->hops = pk->hops;
	d->id = pk->id;
	d->offset = part->off;
	d->msg_len = pk->msg_len;
	d->incarnation = pk->incarnation;
	d->sock = pk->sock;
	d->list = !!(pk->flags & FC_PACKET_LIST);
	d->kind = pk->kind;
	d->cast = !!votes;
	d->copies = votes ? votes->copies : 1;
	d->votes = votes ? votes->votes : 1;
	d->dissent = votes ? votes->dissent : 0;
}

/* What deliver_next() does where one is ready, or was put off. */
static noinline void deliver_waiting(struct flitcast_site *site, struct flitcast_port *port,
				     struct rx_flow *flow)
{
	struct fc_rxmsg *m;

	while ((m = fc_rxflow_ready(&flow->core)))
		deliver(site, port, flow, m);
	/* That of a message that was put off as early, too. */
	if (*rx_need(flow, flow->core.next) && list_empty(&flow->waiting)) {
		list_add_tail(&flow->waiting, &port->waiting);
		flitcast_rx_invite(site, port);
	}
}

/* The turn of those behind a message that was delivered has come. */
static inline void deliver_next(struct flitcast_site *site, struct flitcast_port *port,
				struct rx_flow *flow)
{
	if (fc_rxflow_ready(&flow->core) || *rx_need(flow, flow->core.next))
		deliver_waiting(site, port, flow);
}

/*
 * What is nearly all: the next message of a flow, in one flit, where nobody waits for room.  It
 * is delivered without a place of its own.  Return: false if it is no such message, or cannot
 * come; nothing has been done then.
 */
static bool pass(struct flitcast_site *site, struct flitcast_port *port, struct rx_flow *flow,
		 struct sk_buff_head *flits, const struct fc_packet *pk, const struct fc_target *t)
{
	struct fc_part part = { .off = t->off, .len = t->len ? t->len : pk->msg_len - t->off };
	struct sk_buff *only;
	u32 charge;

	/* All of it is in the first packet. */
	part.count = 1;
	if (pk->msg_len > FC_PACKET_MAX || !fc_rxflow_passes(&flow->core, t->seq) ||
	    flow->need[t->seq % FC_FLOW_WINDOW] || flow->invited || site->csr ||
	    !list_empty(&port->waiting) || !list_empty(&port->invited))
		return false;
	only = whole(flits);
	if (!only || wasteful(port, only, only->next, part.len))
		return false;
	charge = max(msg_charge(&part), only->truesize);
	if (may_come(port, pk, false) != FLITCAST_ADMIT_YES ||
	    !port->ops->charge(port, charge, false))
		return false;
	take_only(flits, only);
	FLITCAST_ARRIVAL(only)->arrived = flow->used;
	describe(FLITCAST_DELIVERY(only), pk, &part, 0, NULL);
	FLITCAST_DELIVERY(only)->charge = charge;
	fc_rxflow_pass(&flow->core);
	hand_over(site, port, only);
	deliver_next(site, port, flow);
	if (pk->flags & FC_PACKET_LATER)
		owe(site, flow);
	else
		answer(site, pk, t, flow, FC_CTRL_CONFIRM);
	return true;
}

/* When a packet was to come, by its header, which is not kept. */
static u64 csr_due(struct flitcast_site *site, const struct sk_buff_head *flits,
		   const struct flitcast_votes *votes)
{
	return votes ? 0 : flitcast_csr_due(site, skb_peek(flits)->data);
}

/* Any packet of a flow, step by step. */
static noinline bool rx_any(struct flitcast_site *site, struct flitcast_port *port,
			    struct rx_flow *flow, struct sk_buff_head *flits,
			    const struct fc_packet *pk, const struct fc_target *t,
			    const struct flitcast_votes *votes)
{
	struct fc_part part;
	u16 packet;
	struct flitcast_delivery *d;
	struct fc_rxmsg *slot, *m;
	enum flitcast_admit admitted;
	enum fc_rx_verdict verdict;
	struct skip_arg arg;
	struct flitcast_arrival *arrival;
	struct taken taken;
	u64 due;
	struct fc_target own;
	bool over = true;
	u32 before;

	if (votes && flow->core.begun) {
		/* To all the same, it does not say what this target has not got yet. */
		if ((s32)(t->seq - flow->core.next) >= FC_FLOW_WINDOW) {
			over = false;
			goto drop;
		}
		own = *t;
		own.lag = max_t(s32, t->seq - flow->core.next, 0);
		t = &own;
	}
	part = fc_part_make(pk->msg_len, t->off, t->len);
	packet = pk->offset / FC_PACKET_MAX;
	arg.site = site;
	arg.flow = flow;
	before = flow->core.begun ? flow->core.next : t->seq - t->lag;
	verdict = fc_rxflow_packet(&flow->core, t, &part, packet, &slot, skip, &arg);
	/* Others may have waited only for what the source gave up. */
	while ((m = fc_rxflow_ready(&flow->core)))
		deliver(site, port, flow, m);
	flitcast_rx_level(site, port, flow, before);
	switch (verdict) {
	case FC_RX_BAD:
		site->stat[FC_STAT_PKT_BAD]++;
		goto drop;
	case FC_RX_DUPLICATE:
		site->stat[FC_STAT_PKT_DUPLICATE]++;
		answer(site, pk, t, flow, FC_CTRL_CONFIRM);
		goto drop;
	case FC_RX_ADMIT:
		/* A later one of a message that was given up here: from the beginning. */
		if (packet != part.first) {
			answer(site, pk, t, flow, FC_CTRL_ROOM);
			over = false;
			goto drop;
		}
		admitted = may_come(port, pk, t->seq != flow->core.next);
		if (admitted == FLITCAST_ADMIT_NO) {
			site->stat[FC_STAT_MSG_REFUSED]++;
			answer(site, pk, t, flow, FC_CTRL_REFUSED);
			goto drop;
		}
		due = csr_due(site, flits, votes);
		take(port, flits, &part, packet, &taken);
		if (!admit(site, port, flow, slot, t, &part, &taken,
			   admitted == FLITCAST_ADMIT_LATER)) {
			packet_free(taken.data);
			answer(site, pk, t, flow, FC_CTRL_NO_ROOM);
			over = false;
			goto drop;
		}
		break;
	case FC_RX_TAKE:
		due = csr_due(site, flits, votes);
		take(port, flits, &part, packet, &taken);
		break;
	}
	if (taken.alone) {
		d = FLITCAST_DELIVERY(taken.data);
		arrival = FLITCAST_ARRIVAL(taken.data);
	} else {
		struct rx_msg *msg = slot->h;

		keep(port, slot, packet - part.first, &taken);
		taken.cut = msg->cut;
		d = FLITCAST_DELIVERY(msg->carrier);
		arrival = FLITCAST_ARRIVAL(msg->carrier);
	}
	note_arrival(arrival, due, flow->used);
	describe(d, pk, &part, taken.cut, votes);
	fc_rxmsg_stored(slot, packet - part.first);
	if (fc_rxflow_ready(&flow->core))
		deliver_next(site, port, flow);
	if (pk->flags & FC_PACKET_LATER && fc_before(t->seq, flow->core.next))
		owe(site, flow);
	else
		answer(site, pk, t, flow, FC_CTRL_CONFIRM);
	return true;
drop:
	__skb_queue_purge(flits);
	return over;
}

/* There is no such port, or it has no flow of the source yet. */
static noinline bool rx_first(struct flitcast_site *site, struct flitcast_port *port,
			      struct rx_flow *flow, struct sk_buff_head *flits,
			      const struct fc_packet *pk, const struct fc_target *t,
			      const struct flitcast_votes *votes)
{
	const struct rx_key key = key_of(pk, t->port);
	bool over = true;

	if (!port) {
		/* What a socket received before it was closed is not refused afterwards. */
		bool had = flow && fc_before(t->seq, flow->core.next);

		if (!had)
			site->stat[FC_STAT_MSG_REFUSED]++;
		answer(site, pk, t, had ? flow : NULL, had ? FC_CTRL_CONFIRM : FC_CTRL_REFUSED);
		goto drop;
	}
	if (flitcast_rxflow_old(site, &key) || (votes && t->lag == FC_CAST_LAG_MAX)) {
		/*
		 * The flow may have been forgotten, or more older messages may be to come than
		 * @lag can say: ask the source which are over; it sends the others again.
		 */
		site->stat[FC_STAT_FLOW_UNKNOWN]++;
		flitcast_rx_level_ask(site, &key, t->seq, t->seq - t->lag);
		over = false;
		goto drop;
	}
	flow = flitcast_rxflow_make(site, port, &key);
	if (flow)
		return rx_any(site, port, flow, flits, pk, t, votes);
	/* The source asks when others may have gone. */
	answer(site, pk, t, NULL, FC_CTRL_NO_ROOM);
	over = false;
drop:
	__skb_queue_purge(flits);
	return over;
}

bool flitcast_rx_packet(struct flitcast_site *site, struct sk_buff_head *flits,
			const struct fc_packet *pk, const struct fc_target *t,
			const struct flitcast_votes *votes)
{
	struct flitcast_port *port = port_open(site, t->port);
	const struct rx_key key = key_of(pk, t->port);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	if (unlikely(!port || !flow))
		return rx_first(site, port, flow, flits, pk, t, votes);
	flitcast_rxflow_used(site, flow);
	if (!votes && pass(site, port, flow, flits, pk, t))
		return true;
	return rx_any(site, port, flow, flits, pk, t, votes);
}

/* All before a level is over at the source: what was received of that is, too. */
static void forward(struct flitcast_site *site, struct flitcast_port *port, struct rx_flow *flow,
		    u32 level)
{
	struct skip_arg arg = { .site = site, .flow = flow };
	u32 before = flow->core.next;
	struct fc_rxmsg *m;

	fc_rxflow_forward(&flow->core, level, skip, &arg);
	while ((m = fc_rxflow_ready(&flow->core)))
		deliver(site, port, flow, m);
	flitcast_rx_level(site, port, flow, before);
}

void flitcast_rx_forward(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	/* Of a message that is over at its source: it answers for none. */
	struct fc_ctrl reply = {
		.kind = FC_CTRL_CONFIRM, .dst = ctrl->site, .incarnation = ctrl->incarnation,
		.sock = ctrl->sock, .site = site->cfg.id, .port = ctrl->port,
		.seq = ctrl->next - 1, .next = ctrl->next,
	};
	struct flitcast_port *port = port_open(site, ctrl->port);
	const struct rx_key key = key_of_ctrl(ctrl);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	/* Else nothing is kept of it, and there is nothing to forget. */
	if (flow && port && flow->core.begun) {
		flitcast_rxflow_used(site, flow);
		forward(site, port, flow, ctrl->next);
		fc_rxflow_confirm(&flow->core, reply.seq, &reply);
	}
	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &reply);
}

/* An answer that is older than this may speak of what was over before. */
#define ANSWER_NS	(4 * NSEC_PER_SEC)

void flitcast_rx_over(struct flitcast_site *site, const struct fc_ctrl *ctrl)
{
	struct flitcast_port *port = port_open(site, ctrl->port);
	bool closed = ctrl->kind == FC_CTRL_CLOSED;
	const struct rx_key key = key_of_ctrl(ctrl);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	if (!flow) {
		/* What is not over comes again, and finds the flow. */
		if (closed || !port || flitcast_site_now(site) - ctrl->have > ANSWER_NS)
			return;
		flow = flitcast_rxflow_make(site, port, &key);
		if (flow)
			fc_rxflow_begin(&flow->core, ctrl->next);
		return;
	}
	if (port && flow->core.begun)
		forward(site, port, flow, ctrl->next);
	if (closed)
		flitcast_rxflow_empty(site, flow);
	if (closed || fc_before(flow->core.next, ctrl->next))
		flitcast_rxflow_settle(site, flow, flow->core.next, closed);
	else
		flitcast_rxflow_settle(site, flow, ctrl->next, false);
}

void flitcast_rx_ask(struct flitcast_site *site, const struct fc_ctrl *ask)
{
	struct fc_packet pk = {
		.src = ask->site, .incarnation = ask->incarnation, .sock = ask->sock,
	};
	struct fc_target t = { .port = ask->port, .seq = ask->seq };
	struct flitcast_port *port = port_open(site, ask->port);
	const struct rx_key key = key_of_ctrl(ask);
	struct rx_flow *flow = flitcast_rxflow_find(site, &key);

	t.lag = min_t(u32, ask->seq - ask->next, FC_FLOW_WINDOW - 1);
	/*
	 * The source keeps nothing before that.  One that waits for room sends no packet that would
	 * say so; and FC_CTRL_FORWARD was perhaps answered before this flow was here, which a
	 * packet began that had waited on its way and says less.
	 */
	if (flow && port && flow->core.begun)
		forward(site, port, flow, ask->next);
	if (flow && (fc_before(ask->seq, flow->core.next) ||
		     (port && fc_rxflow_holds(&flow->core, ask->seq)))) {
		answer(site, &pk, &t, flow, FC_CTRL_CONFIRM);
	} else if (!port) {
		answer(site, &pk, &t, NULL, FC_CTRL_REFUSED);
	} else if (!flow && flitcast_rxflow_old(site, &key)) {
		site->stat[FC_STAT_FLOW_UNKNOWN]++;
		flitcast_rx_level_ask(site, &key, ask->seq, ask->next);
	} else if (!flow) {
		/* Nothing is known of it: it may come as if for the first time. */
		answer(site, &pk, &t, NULL, FC_CTRL_ROOM);
	} else if (!*rx_need(flow, ask->seq) ||
		   (flow->invited && ask->seq == flow->core.next)) {
		answer(site, &pk, &t, flow, FC_CTRL_ROOM);
	} else {
		flitcast_rxflow_used(site, flow);
		if (ask->seq == flow->core.next && list_empty(&flow->waiting))
			list_add_tail(&flow->waiting, &port->waiting);
		answer(site, &pk, &t, flow, FC_CTRL_NO_ROOM);
		flitcast_rx_invite(site, port);
	}
}

/*
 * Sources that wait for room, or for the rest of a message to be taken, are told.  Return: how many
 * messages.
 */
static unsigned int refuse_all(struct flitcast_site *site, const struct rx_flow *flow)
{
	unsigned int n = 0;
	u32 seq;

	for (seq = flow->core.next; seq != flow->core.next + FC_FLOW_WINDOW; seq++) {
		struct fc_ctrl ctrl = {
			.kind = FC_CTRL_REFUSED, .dst = flow->key.src,
			.incarnation = flow->key.incarnation, .sock = flow->key.sock,
			.site = site->cfg.id, .port = flow->key.port, .seq = seq,
			.next = flow->core.next,
		};

		if (!fc_rxflow_holds(&flow->core, seq) && !flow->need[seq % FC_FLOW_WINDOW])
			continue;
		site->stat[FC_STAT_CTRL_SENT]++;
		flitcast_ctrl_send(site, &ctrl);
		n++;
	}
	return n;
}

/* Messages that are refused in one go, so that nobody holds the lock for long, and flows. */
#define DETACH_BUDGET	32

bool flitcast_rx_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	int budget = DETACH_BUDGET;

	if (!port->closing)
		flitcast_cast_detach(site, port);
	port->closing = true;
	while (!list_empty(&port->flows)) {
		struct rx_flow *flow = list_first_entry(&port->flows, struct rx_flow, held);

		if (budget <= 0)
			return true;
		budget -= 1 + refuse_all(site, flow);
		flitcast_rxflow_empty(site, flow);
	}
	return false;
}
