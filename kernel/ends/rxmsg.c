// SPDX-License-Identifier: GPL-2.0
/*
 * Messages being received: put together from packets, charged for, dropped.
 */
#include <linux/slab.h>
#include "ends/ports.h"
#include "ends/rxmsg.h"
#include "fabric/enter.h"

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

/*
 * Handles in struct fc_rxmsg refer to a struct rx_msg, or, where one flit is the whole message, to
 * the skb of that flit: this bit tells.  The skb has its charge in its cb then, as every message
 * that is delivered has.
 */
#define ALONE	1UL

static struct sk_buff *flit_alone(const struct fc_rxmsg *m)
{
	unsigned long h = (unsigned long)m->h;

	return h & ALONE ? (struct sk_buff *)(h & ~ALONE) : NULL;
}

u32 flitcast_rxmsg_charged(const struct fc_rxmsg *m)
{
	const struct sk_buff *skb = flit_alone(m);

	return skb ? FLITCAST_DELIVERY(skb)->charge : ((const struct rx_msg *)m->h)->charge;
}

static void msg_free(struct rx_msg *msg)
{
	unsigned int i;

	for (i = 0; i < msg->npackets; i++)
		kfree_skb_list(msg->packet[i]);
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
	__skb_queue_tail(&site->ends->rx.dropped, skb);
	queue_work(system_unbound_wq, &site->ends->rx.drop);
}

void flitcast_rx_drop(struct flitcast_site *site, struct sk_buff *skb)
{
	drop(site, skb, NULL);
}

static void drop_work(struct work_struct *work)
{
	struct flitcast_site *site = container_of(work, struct flitcast_ends, rx.drop)->site;
	struct sk_buff_head dropped;
	struct sk_buff *skb;

	__skb_queue_head_init(&dropped);
	spin_lock_bh(&site->lock);
	skb_queue_splice_init(&site->ends->rx.dropped, &dropped);
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
	__skb_queue_head_init(&site->ends->rx.dropped);
	INIT_WORK(&site->ends->rx.drop, drop_work);
}

void flitcast_rx_stop(struct flitcast_site *site)
{
	flush_work(&site->ends->rx.drop);
}

void flitcast_rxmsg_drop(struct flitcast_site *site, const struct fc_rxmsg *m)
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
			port->ops->uncharge(port, flitcast_rxmsg_charged(m), m->early);
		flitcast_rxmsg_drop(site, m);
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

/*
 * How much more than its data a packet may hold before the data is copied, where there is room
 * yet: a quarter of a packet besides three times the data; and where the port is tight: a page.
 */
#define WASTE_MAX	(FC_PACKET_MAX / 4)
#define WASTE_TIGHT	PAGE_SIZE
#define WASTE_FACTOR	3

/* Truesize of a list of flits: the memory that they are charged for. */
static u32 truesize(const struct sk_buff *skb)
{
	u32 n = 0;

	for (; skb; skb = skb->next)
		n += skb->truesize;
	return n;
}

/*
 * Memory that flits keep from being freed: whole lots of pages, of which other messages have parts,
 * too.  The flits of one message follow each other in the same lots.
 */
static u32 footprint(const struct sk_buff *skb)
{
	const struct page *last = NULL;
	u32 n = 0;
	int i;

	for (; skb; skb = skb->next) {
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

/* Do flits of truesize @held hold much more than @len bytes of data? */
static bool wasteful(const struct flitcast_port *port, const struct sk_buff *skb, u32 held, u32 len)
{
	return held > WASTE_FACTOR * len + WASTE_MAX ||
	       (port->tight && footprint(skb) > WASTE_FACTOR * len + WASTE_TIGHT);
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

void flitcast_rxmsg_take(struct flitcast_port *port, struct sk_buff_head *flits,
			 const struct fc_part *part, u16 packet, struct rx_taken *taken)
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
	if (skb) {
		__skb_unlink(skb, flits);
		__skb_pull(skb, fc_wire_head_len(skb->data));
	} else {
		skb = packet_data(flits);
	}
	taken->data = skb;
	held = truesize(skb);
	if (skb && wasteful(port, skb, held, len)) {
		skb = compact(skb, from, len);
		if (skb) {
			taken->data = skb;
			taken->cut = from;
			taken->alone = part->count == 1;
			held = truesize(skb);
		}
	}
	if (taken->alone)
		*FLITCAST_ARRIVAL(taken->data) = (struct flitcast_arrival) { };
	taken->extra = held > len + room ? held - len - room : 0;
}

void *flitcast_rxmsg_make(const struct fc_part *part, u32 charge, u32 extra)
{
	struct rx_msg *msg = kzalloc(struct_size(msg, packet, part->count), GFP_ATOMIC);

	if (!msg)
		return NULL;
	msg->charge = charge;
	msg->spare = extra;
	msg->npackets = part->count;
	msg->carrier = alloc_skb(sizeof(struct flitcast_arrival), GFP_ATOMIC);
	if (!msg->carrier) {
		kvfree(msg);
		return NULL;
	}
	*FLITCAST_ARRIVAL(msg->carrier) = (struct flitcast_arrival) { };
	return msg;
}

void *flitcast_rxmsg_alone(struct sk_buff *skb, u32 charge)
{
	FLITCAST_DELIVERY(skb)->charge = charge;
	return (void *)((unsigned long)skb | ALONE);
}

struct sk_buff *flitcast_rxmsg_keep(struct flitcast_port *port, const struct fc_rxmsg *m, u16 index,
				    struct rx_taken *taken)
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
	taken->cut = msg->cut;
	return msg->carrier;
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

struct sk_buff *flitcast_rxmsg_finish(struct flitcast_port *port, const struct fc_rxmsg *m)
{
	struct sk_buff *skb = flit_alone(m);
	struct rx_msg *msg = m->h;

	if (skb)
		return skb;
	FLITCAST_DELIVERY(msg->carrier)->charge = msg->charge - msg->spare;
	if (msg->spare)
		port->ops->uncharge(port, msg->spare, m->early);
	skb = assemble(msg);
	msg_free(msg);
	return skb;
}
