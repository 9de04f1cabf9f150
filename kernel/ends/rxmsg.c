// SPDX-License-Identifier: GPL-2.0
/*
 * Reassembly of received messages.
 *
 * A packet arrives as a list of flits (skbs).  flitcast_rxmsg_take() cuts out the data of the local
 * target, and copies it if the flits hold much more memory than data; flitcast_rxmsg_keep() stores
 * it at its index; flitcast_rxmsg_finish() links the packets to one carrier skb, which is
 * delivered.
 *
 *	message of one flit         the flit itself is delivered (ALONE)
 *	message of more packets     struct rx_msg: carrier skb + one list of flits per packet
 *
 * Memory is charged to the port: the expected amount at admission (flitcast_rxmsg_charge()), what
 * the flits hold beyond that as they arrive, and what was not used is released at the end.  Dropped
 * messages are freed by a work item, without the site's lock.
 */
#include <linux/slab.h>
#include "drop.h"
#include "ends/ports.h"
#include "ends/rxmsg.h"
#include "fabric/enter.h"

/**
 * struct rx_msg - a message being received
 * @charge: bytes charged to the port for it
 * @unused: bytes of @charge for memory that packets hold beyond their data, not used yet
 * @cut: bytes of the first packet before the part that were dropped by compact()
 * @npackets: number of packets of the part
 * @carrier: skb to deliver; the packets become its frag_list
 * @packet: each packet as a list of flits linked by next
 */
struct rx_msg {
	u32 charge;
	u32 unused;
	u32 cut;
	u16 npackets;
	struct sk_buff *carrier;
	struct sk_buff *packet[];
};

/*
 * Low bit of fc_rxmsg.h: set if the handle is the skb of the single flit that is the whole message,
 * clear if it is a struct rx_msg.  Such an skb has its charge in its cb, like every delivered
 * message.
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

static void msg_free(struct rx_msg *msg, enum flitcast_drop why)
{
	unsigned int i;

	for (i = 0; i < msg->npackets; i++)
		flitcast_drop_list(msg->packet[i], why);
	consume_skb(msg->carrier);
	kvfree(msg);
}

/*
 * cb of a dropped skb: the message of which it is the carrier, to be freed with its packets, or
 * NULL; and the reason.
 */
struct drop_cb {
	struct rx_msg *msg;
	enum flitcast_drop why;
};

#define DROP_CB(skb)	((struct drop_cb *)(skb)->cb)

/*
 * Queue an skb, and the message of which it is the carrier, for drop_work().
 *
 * A message has up to 16 MiB in ten thousand flits, each a separate allocation: a work item frees
 * them without the lock.  The caller has released their charge already.  A peer can queue no more
 * than it sends, and the work is not bound to the CPU that receives.
 */
static void drop(struct flitcast_site *site, struct sk_buff *skb, struct rx_msg *msg,
		 enum flitcast_drop why)
{
	DROP_CB(skb)->msg = msg;
	DROP_CB(skb)->why = why;
	__skb_queue_tail(&site->ends->rx.dropped, skb);
	queue_work(system_unbound_wq, &site->ends->rx.drop);
}

void flitcast_rx_drop(struct flitcast_site *site, struct sk_buff *skb, enum flitcast_drop why)
{
	drop(site, skb, NULL, why);
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
			msg_free(DROP_CB(skb)->msg, DROP_CB(skb)->why);
		else
			flitcast_drop(skb, DROP_CB(skb)->why);
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

void flitcast_rxmsg_drop(struct flitcast_site *site, const struct fc_rxmsg *m,
			 enum flitcast_drop why)
{
	struct sk_buff *skb = flit_alone(m);

	if (skb)
		drop(site, skb, NULL, why);
	else
		drop(site, ((struct rx_msg *)m->h)->carrier, m->h, why);
}

unsigned int flitcast_rxflow_empty(struct flitcast_site *site, struct rx_flow *flow,
				   enum flitcast_drop why)
{
	struct flitcast_port *port = flitcast_port_find(site, flow->key.port);
	unsigned int i, n = 0;

	for (i = 0; i < FC_FLOW_WINDOW; i++) {
		struct fc_rxmsg *m = &flow->core.msg[i];

		if (m->state == FC_RX_EMPTY)
			continue;
		if (port)
			port->ops->uncharge(port, flitcast_rxmsg_charged(m), m->early);
		flitcast_rxmsg_drop(site, m, why);
		memset(m, 0, sizeof(*m));
		n++;
	}
	if (port && flow->granted)
		port->ops->uncharge(port, flow->granted, false);
	flow->granted = 0;
	memset(flow->need, 0, sizeof(flow->need));
	list_del_init(&flow->waiting);
	list_del_init(&flow->held);
	return n;
}

void flitcast_rx_resync(struct flitcast_site *site, const struct rx_key *key, u32 seq,
			u32 oldest)
{
	/* The source returns @have in its answer, so that stale answers can be ignored. */
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_RESYNC_REQ, .dst = key->src, .incarnation = key->incarnation,
		.sock = key->sock, .site = site->cfg.id, .port = key->port, .seq = seq,
		.next = oldest, .have = flitcast_site_now(site),
	};

	site->stat[FC_STAT_CTRL_SENT]++;
	flitcast_ctrl_send(site, &ctrl);
}

/*
 * Limits for the memory that the flits of a packet may hold beyond WASTE_FACTOR times their data,
 * before compact() copies the data: a quarter of a packet, and one page if the receive buffer of
 * the port is nearly full.
 */
#define WASTE_MAX	(FC_PACKET_MAX / 4)
#define WASTE_TIGHT	PAGE_SIZE
#define WASTE_FACTOR	3

/* Return: the sum of the truesizes of a list of flits: the memory they are charged for. */
static u32 truesize(const struct sk_buff *skb)
{
	u32 n = 0;

	for (; skb; skb = skb->next)
		n += skb->truesize;
	return n;
}

/*
 * Return: the memory that a list of flits pins: whole compound pages, which other messages may
 * share. Consecutive flits of a message usually lie in the same compound page.
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

/* Return: true if flits with a truesize of @held should be copied to release memory. */
static bool wasteful(const struct flitcast_port *port, const struct sk_buff *skb, u32 held, u32 len)
{
	return held > WASTE_FACTOR * len + WASTE_MAX ||
	       (port->tight && footprint(skb) > WASTE_FACTOR * len + WASTE_TIGHT);
}

/* Copy bytes [from, from + len) of a list of flits, taken as one buffer. */
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

/* Data up to this size is copied to the linear part of the skb; longer data to pages. */
#define COMPACT_LINEAR	1024

/*
 * Copy data to a new skb of minimal size, and free the flits.  Return: an skb with headroom for
 * struct flitcast_arrival; NULL: no memory, and the flits are unchanged.
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
	flitcast_drop_list(flits, FLITCAST_USED);
	return skb;
fail:
	consume_skb(skb);
	return NULL;
}

/* Return: the only flit of a packet, if it has headroom for struct flitcast_arrival; else NULL. */
static struct sk_buff *whole(struct sk_buff_head *flits)
{
	struct sk_buff *skb = skb_peek(flits);

	if (skb_queue_len(flits) > 1 || skb_cloned(skb) ||
	    skb_headroom(skb) + FC_PACKET_SIZE < sizeof(struct flitcast_arrival) ||
	    !IS_ALIGNED((unsigned long)skb->head, sizeof(u64)))
		return NULL;
	return skb;
}

/* Return: the flits of a packet, linked by next; the head of the packet is pulled. */
static struct sk_buff *packet_data(struct sk_buff_head *flits)
{
	struct sk_buff *skb, *first = NULL, **tail = &first;

	skb = skb_peek(flits);
	skb_pull(skb, fc_wire_head_len(skb->data));
	while ((skb = __skb_dequeue(flits))) {
		if (!skb->len) {
			consume_skb(skb);
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
	msg->unused = extra;
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

	if (taken->extra > msg->unused)
		more = taken->extra - msg->unused;
	msg->unused -= taken->extra - more;
	if (more)
		port->ops->grow(port, more, m->early);
	msg->charge += more;
	msg->packet[index] = taken->data;
	if (!index)
		msg->cut = taken->cut;
	taken->cut = msg->cut;
	return msg->carrier;
}

/* Link all packets to the carrier as its frag_list: the reader gets one skb. */
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
	FLITCAST_DELIVERY(msg->carrier)->charge = msg->charge - msg->unused;
	if (msg->unused)
		port->ops->uncharge(port, msg->unused, m->early);
	skb = assemble(msg);
	msg_free(msg, FLITCAST_USED);
	return skb;
}
