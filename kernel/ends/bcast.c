// SPDX-License-Identifier: GPL-2.0
/*
 * Receives broadcasts: collects the copies of a broadcast that arrive over disjoint paths, until
 * enough of them agree (HARTS; policies in core/bcast/recept.h), then receives the packet like any
 * other.
 *
 *	copy by link 1 --+                        enough votes for one value
 *	copy by link 2 --+--> value table, votes -------------------------> flitcast_rx_packet()
 *	copy by link 3 --+        | reception_ns elapsed
 *	                          +---------> dropped, undecided
 *
 * Memory is bounded per source and per link by which copies arrive: a neighbour that forges
 * broadcasts displaces only copies that it has sent itself.
 */
#include <linux/hash.h>
#include <linux/slab.h>
#include "drop.h"
#include "core/bcast/recept.h"
#include "ends/bcast.h"
#include "ends/state.h"
#include "ends/ports.h"
#include "ends/rx.h"
#include "fabric/enter.h"
#include "mem/account.h"

/* Number of broadcasts remembered per source and link. */
#define BCAST_RECENT	8
/* Number of broadcasts remembered in all. */
#define BCAST_MAX	4096
/* Maximum number of different values of one broadcast: more can only be forged. */
#define BCAST_VALUES	8

/**
 * struct bcast_msg - copies of a broadcast
 * @node: entry in flitcast_bcasts.table
 * @age: entry in flitcast_bcasts.ages
 * @src: source site
 * @incarnation: incarnation of that site
 * @sock: source socket
 * @port: target port
 * @seq: sequence number in the flow
 * @number: number of the last broadcast that arrived: a retransmission has another
 * @done: a value was accepted, and delivered or refused
 * @core: votes by value
 * @until: deadline for the missing copies
 * @charge: bytes of receive buffer charged for each value; forged values may differ in length
 * @value: flits of each value
 */
struct bcast_msg {
	struct hlist_node node;
	struct list_head age;
	u32 src;
	u32 incarnation;
	u32 sock;
	u16 port;
	u32 seq;
	u32 number;
	bool done;
	struct fc_recept core;
	u64 until;
	u32 charge[BCAST_VALUES];
	struct sk_buff_head value[BCAST_VALUES];
};

/* Free a value, and release its charge. */
static void value_free(struct flitcast_site *site, struct bcast_msg *m, unsigned int i)
{
	struct flitcast_port *port = flitcast_port_find(site, m->port);

	if (skb_queue_empty(&m->value[i]))
		return;
	flitcast_drop_queue(&m->value[i], FLITCAST_DROP_UNDECIDED);
	if (port)
		port->ops->uncharge(port, m->charge[i], false);
}

static void values_free(struct flitcast_site *site, struct bcast_msg *m)
{
	unsigned int i;

	for (i = 0; i < BCAST_VALUES; i++)
		value_free(site, m, i);
}

static void bcast_free(struct flitcast_site *site, struct bcast_msg *m)
{
	values_free(site, m);
	hash_del(&m->node);
	list_del(&m->age);
	site->ends->bcasts.n--;
	kfree(m);
}

static struct bcast_msg *bcast_find(struct flitcast_site *site, const struct fc_packet *pk,
				    const struct fc_bcast_hdr *bcast)
{
	struct bcast_msg *m;

	hash_for_each_possible(site->ends->bcasts.table, m, node, pk->src)
		if (m->src == pk->src && m->incarnation == pk->incarnation &&
		    m->sock == pk->sock && m->port == bcast->port && m->seq == bcast->seq)
			return m;
	return NULL;
}

static void due(struct flitcast_site *site, u64 at)
{
	site->clock.bcasts_at = min(site->clock.bcasts_at, at);
}

/*
 * Make space for one more broadcast of a source by a link: drop the copy of the oldest that the
 * link brought.
 */
static void make_place(struct flitcast_site *site, u32 src, u8 port)
{
	struct bcast_msg *m, *oldest = NULL;
	unsigned int n = 0;
	int value;

	/* hash_add() inserts at the head: the last match is the oldest. */
	hash_for_each_possible(site->ends->bcasts.table, m, node, src) {
		if (m->src != src || !(m->core.got & fc_bit(port)))
			continue;
		oldest = m;
		n++;
	}
	if (n < BCAST_RECENT)
		return;
	value = fc_recept_forget(&oldest->core, port);
	if (value >= 0 && value < BCAST_VALUES)
		value_free(site, oldest, value);
	if (!oldest->core.got)
		bcast_free(site, oldest);
}

static struct bcast_msg *bcast_create(struct flitcast_site *site, const struct fc_packet *pk,
				      const struct fc_bcast_hdr *bcast)
{
	struct mem_cgroup *memcg = flitcast_account_cgroup(site->buffers.held), *old;
	struct bcast_msg *m;
	unsigned int i;

	if (site->ends->bcasts.n >= BCAST_MAX)
		bcast_free(site, list_first_entry(&site->ends->bcasts.ages, struct bcast_msg, age));
	old = set_active_memcg(memcg);
	m = kzalloc(sizeof(*m), GFP_NOWAIT | __GFP_NOWARN | (memcg ? __GFP_ACCOUNT : 0));
	set_active_memcg(old);
	if (!m) {
		site->stat[FC_STAT_NO_MEMORY]++;
		return NULL;
	}
	m->src = pk->src;
	m->incarnation = pk->incarnation;
	m->sock = pk->sock;
	m->port = bcast->port;
	m->seq = bcast->seq;
	m->number = bcast->number;
	m->until = FC_NEVER;
	for (i = 0; i < BCAST_VALUES; i++)
		__skb_queue_head_init(&m->value[i]);
	hash_add(site->ends->bcasts.table, &m->node, m->src);
	list_add_tail(&m->age, &site->ends->bcasts.ages);
	site->ends->bcasts.n++;
	return m;
}

/* Compare the data of two skbs of the same length from @off on, without copying. */
static bool data_equal(struct sk_buff *a, struct sk_buff *b, u32 off)
{
	u32 len = a->len - off, done = 0, n, m;
	struct skb_seq_state at_a, at_b;
	const u8 *x, *y;

	skb_prepare_seq_read(a, off, a->len, &at_a);
	skb_prepare_seq_read(b, off, b->len, &at_b);
	while (done < len) {
		n = skb_seq_read(done, &x, &at_a);
		m = skb_seq_read(done, &y, &at_b);
		n = min(n, m);
		if (!n || memcmp(x, y, n))
			break;
		done += n;
	}
	skb_abort_seq_read(&at_a);
	skb_abort_seq_read(&at_b);
	return done == len;
}

/*
 * Compare the header fields that the source wrote, without those that differ by path and attempt.
 */
static bool heads_equal(const u8 *a, const u8 *b)
{
	struct fc_packet p, q;
	struct fc_bcast_hdr c, d;

	fc_wire_packet_decode(&p, a);
	fc_wire_packet_decode(&q, b);
	fc_wire_bcast_decode(&c, a);
	fc_wire_bcast_decode(&d, b);
	return p.src_port == q.src_port && p.id == q.id && p.msg_len == q.msg_len &&
	       c.copies == d.copies;
}

/*
 * Compare two copies flit by flit: relays do not re-segment, so that equal copies have equal flits.
 */
static bool flits_equal(struct sk_buff_head *a, struct sk_buff_head *b)
{
	struct sk_buff *x = skb_peek(a), *y = skb_peek(b);
	u32 off = fc_head_size(1);

	if (skb_queue_len(a) != skb_queue_len(b) || !heads_equal(x->data, y->data))
		return false;
	for (; x; x = skb_peek_next(x, a), y = skb_peek_next(y, b)) {
		if (x->len != y->len || !data_equal(x, y, off))
			return false;
		off = 0;
	}
	return true;
}

/* Return: the index of the value equal to a copy, of a free slot for a new value, or -1. */
static int value_of(struct bcast_msg *m, struct sk_buff_head *flits)
{
	int i, unused = -1;

	for (i = 0; i < BCAST_VALUES; i++) {
		if (skb_queue_empty(&m->value[i]))
			unused = unused < 0 ? i : unused;
		else if (flits_equal(&m->value[i], flits))
			return i;
	}
	return unused;
}

/* Return: the receive buffer charged for a waiting copy: the truesize of its flits. */
static u32 room_of(const struct fc_packet *pk, const struct sk_buff_head *flits)
{
	const struct sk_buff *skb;
	u32 held = 0;

	skb_queue_walk(flits, skb)
		held += skb->truesize;
	return max(held, pk->msg_len + 1024);
}

/* @outstanding of a copy that must not abort any older message: the largest possible one. */
#define UNKNOWN_OUTSTANDING	(FC_FLOW_WINDOW - 1)

/* Receive an accepted value.  @outstanding: see fc_recept_outstanding(). */
static void receive(struct flitcast_site *site, struct bcast_msg *m, struct sk_buff_head *flits,
		    const struct fc_packet *pk, u8 value, u8 outstanding)
{
	struct fc_target t = {
		.site = site->cfg.id, .port = m->port, .flags = FC_TARGET_LAST,
		.outstanding = outstanding,
		.seq = m->seq,
	};
	struct flitcast_votes v = {
		.copies = hweight32(m->core.got), .votes = hweight32(m->core.votes[value]),
		.dissent = fc_recept_dissent(&m->core, value),
	};

	m->done = flitcast_rx_packet(site, flits, pk, &t, &v);
}

/* The broadcast was received before: ack it again, once for each retransmission. */
static void again(struct flitcast_site *site, struct bcast_msg *m, const struct fc_packet *pk,
		  const struct fc_bcast_hdr *bcast)
{
	struct fc_ctrl ask = {
		.kind = FC_CTRL_ASK, .dst = site->cfg.id, .incarnation = pk->incarnation,
		.sock = pk->sock, .site = pk->src, .port = bcast->port, .seq = bcast->seq,
		.next = bcast->seq - UNKNOWN_OUTSTANDING,
	};

	if (m->number == bcast->number)
		return;
	m->number = bcast->number;
	flitcast_rx_ask(site, &ask);
}

void flitcast_bcast_copy(struct flitcast_site *site, u8 in, struct sk_buff_head *flits)
{
	const u8 *head = skb_peek(flits)->data;
	struct flitcast_port *port;
	struct fc_packet pk;
	struct fc_bcast_hdr bcast;
	/* Copies that were counted, or came again, were used. */
	enum flitcast_drop why = FLITCAST_USED;
	struct bcast_msg *m;
	u8 need, votes;
	int value;

	fc_wire_packet_decode(&pk, head);
	fc_wire_bcast_decode(&bcast, head);
	port = flitcast_port_find(site, bcast.port);
	need = port ? fc_recept_need(port->reception, port->copies, port->quorum) : 1;
	/* The number of copies is the receiver's configuration, not to be taken from the header. */
	if (need > 1 && bcast.copies != port->copies) {
		why = FLITCAST_DROP_PROTOCOL;
		goto drop;
	}
	m = bcast_find(site, &pk, &bcast);
	if (!m || !(m->core.got & fc_bit(in))) {
		make_place(site, pk.src, in);
		m = bcast_find(site, &pk, &bcast);
	}
	if (!m)
		m = bcast_create(site, &pk, &bcast);
	if (!m) {
		why = FLITCAST_DROP_NO_MEMORY;
		goto drop;
	}
	if (m->done) {
		fc_recept_copy(&m->core, in, BCAST_VALUES, 0);
		again(site, m, &pk, &bcast);
		goto drop;
	}
	m->number = bcast.number;
	if (need == 1) {
		fc_recept_copy(&m->core, in, 0, bcast.outstanding);
		receive(site, m, flits, &pk, 0, port ? bcast.outstanding : UNKNOWN_OUTSTANDING);
		return;
	}
	value = value_of(m, flits);
	if (m->core.got & fc_bit(in))
		goto drop;
	if (value < 0) {
		why = FLITCAST_DROP_UNDECIDED;
		goto drop;
	}
	if (!m->core.votes[value]) {
		m->charge[value] = room_of(&pk, flits);
		/* If there is no space for the copy, there is none for the message. */
		if (!port->ops->charge(port, m->charge[value], false)) {
			why = FLITCAST_DROP_NO_SPACE;
			goto drop;
		}
		skb_queue_splice_init(flits, &m->value[value]);
	}
	votes = fc_recept_copy(&m->core, in, value, bcast.outstanding);
	if (m->until == FC_NEVER) {
		m->until = flitcast_now() + port->reception_ns;
		due(site, m->until);
	}
	if (votes >= need) {
		flitcast_drop_queue(flits, FLITCAST_USED);
		skb_queue_splice_init(&m->value[value], flits);
		port->ops->uncharge(port, m->charge[value], false);
		receive(site, m, flits, &pk, value, fc_recept_outstanding(&m->core, value));
		values_free(site, m);
		if (!m->done)
			memset(&m->core, 0, sizeof(m->core));
		m->until = FC_NEVER;
		return;
	}
drop:
	flitcast_drop_queue(flits, why);
}

void flitcast_bcast_time(struct flitcast_site *site, u64 now)
{
	struct bcast_msg *m, *next;

	if (now < site->clock.bcasts_at)
		return;
	site->clock.bcasts_at = FC_NEVER;
	list_for_each_entry_safe(m, next, &site->ends->bcasts.ages, age) {
		if (m->until <= now) {
			site->stat[FC_STAT_BCAST_UNDECIDED]++;
			bcast_free(site, m);
		} else {
			due(site, m->until);
		}
	}
}

void flitcast_bcast_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	struct bcast_msg *m, *next;

	list_for_each_entry_safe(m, next, &site->ends->bcasts.ages, age)
		if (m->port == port->number)
			bcast_free(site, m);
}

void flitcast_bcast_purge(struct flitcast_site *site)
{
	struct bcast_msg *m, *next;

	list_for_each_entry_safe(m, next, &site->ends->bcasts.ages, age)
		bcast_free(site, m);
}

static void reception(struct flitcast_port *port, u8 policy, u8 quorum, u8 copies, u64 ns)
{
	port->reception = policy;
	port->quorum = quorum;
	port->copies = copies;
	port->reception_ns = ns;
}

void flitcast_port_reception(struct flitcast_port *port, u8 policy, u8 quorum, u8 copies, u64 ns)
{
	struct flitcast_site *site = port->site;

	if (!site) {
		reception(port, policy, quorum, copies, ns);
		return;
	}
	flitcast_enter(site);
	reception(port, policy, quorum, copies, ns);
	/* The votes so far were counted by the old policy: drop them. */
	flitcast_bcast_detach(site, port);
	flitcast_leave(site);
}
