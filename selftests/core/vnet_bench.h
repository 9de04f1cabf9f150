/* SPDX-License-Identifier: GPL-2.0 */
/* A bench for the switch of mode vnet: the test is its neighbours and its runner. */
#ifndef FLITCAST_SELFTESTS_VNET_BENCH_H
#define FLITCAST_SELFTESTS_VNET_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "core/vnet/vnet.h"

#define PAYLOAD		100
#define CLASSES_MAX	8
#define NPORTS_MAX	5
#define WINDOW_MAX	64
#define BRANCHES_MAX	NPORTS_MAX
#define NTARGETS	4
#define HANDLES		256
#define SITES_MAX	16

/* Memory of a flit, which the runner owns. */
struct handle {
	bool held;
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE];
};

/* Output of a link in one class. */
struct line {
	u32 flits;
	u32 packets;
	u32 aborted;
	u32 acked;
	u64 mask;		/* targets of the last packet */
	u8 run;			/* eager hops of the last front */
	u8 flags;		/* FC_STATUS_* of all status frames */
};

static struct bench {
	struct fc_topo topo;
	struct fc_vclass classes;
	struct fc_timing timing;
	struct fc_node node;
	struct fc_vnet v;
	struct fc_channel ch[CLASSES_MAX];
	struct fc_vin in[CLASSES_MAX * NPORTS_MAX];
	struct fc_vout out[CLASSES_MAX * NPORTS_MAX];
	struct fc_vbranch branch[CLASSES_MAX * NPORTS_MAX][BRANCHES_MAX];
	struct fc_rx rx[CLASSES_MAX][NPORTS_MAX];
	struct fc_tx tx[CLASSES_MAX][NPORTS_MAX];
	struct fc_flit queue[CLASSES_MAX][NPORTS_MAX][WINDOW_MAX];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_LSTAT_COUNT];
	struct handle handle[HANDLES];
	struct line line[CLASSES_MAX][NPORTS_MAX];
	u32 next[CLASSES_MAX][NPORTS_MAX];	/* sequence number of the next flit received */
	u32 routes[SITES_MAX];
	struct fc_straight straight[CLASSES_MAX * NPORTS_MAX];
	u32 routings;		/* fronts that wait for a routing decision */
	u32 stored;		/* stored flits of the packet that is not served yet */
	u32 stored_data;
	u32 served;		/* number of served packets */
	u32 served_flits;	/* flits of the last served packet */
	u64 served_mask;
	u32 unreachable;
	u64 unreachable_mask;
	struct fc_effects fx;
} b;

/*
 * Effects.
 */

static inline void perform_send(const struct fc_effect *e)
{
	struct line *line = &b.line[e->vc - FC_VC_CLASS][e->port];

	CHECK(e->seq == line->flits, "flit %u, not %u", e->seq, line->flits);
	line->flits++;
	CHECK(!(e->flit.parts & FC_PART_HEAD) || e->flit.h, "a front without a handle");
	if (e->flit.parts & FC_PART_HEAD) {
		line->mask = e->mask;
		line->run = fc_part_eager(e->flit.parts);
	}
	if (e->flit.parts & FC_PART_TERM)
		line->packets++;
	if (e->flit.parts & FC_PART_ABORT)
		line->aborted++;
	CHECK(line->flits - line->acked <= b.tx[e->vc - FC_VC_CLASS][e->port].window,
	      "%u of %u flits acknowledged", line->acked, line->flits);
}

/* The operator gets the front first, the terminator last, and no other packet between. */
static inline void perform_store(const struct fc_effect *e)
{
	CHECK(e->flit.h, "nothing to store");
	CHECK(!b.stored == !!(e->flit.parts & FC_PART_HEAD), "parts %x as flit %u", e->flit.parts,
	      b.stored);
	b.stored_data = (b.stored ? b.stored_data : 0) + e->flit.data;
	b.stored++;
}

static inline void perform_one(const struct fc_effect *e)
{
	CHECK(!b.stored || e->type == FC_FX_STORE || e->type == FC_FX_SERVE,
	      "effect of type %u while a packet is stored", e->type);
	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		perform_send(e);
		break;
	case FC_FX_STATUS:
		b.line[e->vc - FC_VC_CLASS][e->port].flags |= e->flags;
		break;
	case FC_FX_STORE:
		perform_store(e);
		break;
	case FC_FX_SERVE:
		CHECK(b.stored, "nothing to serve");
		b.served++;
		b.served_flits = b.stored;
		b.served_mask = e->mask;
		b.stored = 0;
		break;
	case FC_FX_UNREACHABLE:
		b.unreachable++;
		b.unreachable_mask = e->mask;
		break;
	case FC_FX_ROUTE:
		b.routings++;
		break;
	default:
		break;
	}
}

static inline void event(u8 class, struct fc_event *ev)
{
	bool more;
	u32 i;

	do {
		more = fc_vnet_event(&b.v, class, ev, &b.fx);
		for (i = 0; i < b.fx.n; i++) {
			const struct fc_effect *e = &b.fx.fx[i];
			struct handle *h = e->flit.h;

			CHECK(!h || h->held, "effect %u uses a handle given back", e->type);
			perform_one(e);
			if (h && !e->keep && e->type != FC_FX_UNREACHABLE)
				h->held = false;
		}
		CHECK(!b.stored, "stored and not served");
		ev->type = FC_EV_MORE;
	} while (more);
}

static inline u32 held(void)
{
	u32 i, n = 0;

	for (i = 0; i < HANDLES; i++)
		n += b.handle[i].held;
	return n;
}

/*
 * Events.
 */

static inline void link_event(u8 type, u8 port, u32 window)
{
	struct fc_event ev = { .type = type, .port = port, .count = window };
	u8 c;

	for (c = 0; c < b.v.nclasses; c++) {
		memset(&b.line[c][port], 0, sizeof(b.line[c][port]));
		b.next[c][port] = 0;
	}
	event(0, &ev);
}

static inline void rerouted(void)
{
	struct fc_event ev = { .type = FC_EV_MORE };

	fc_vnet_rerouted(&b.v);
	event(0, &ev);
}

/* Create a site whose links are up, and peers with their own windows. */
static inline void setup(const char *spec, u32 id, u32 window, u32 peers)
{
	u8 c, p;

	memset(&b, 0, sizeof(b));
	if (fc_topo_parse(&b.topo, spec) || fc_vclass_init(&b.classes, &b.topo) ||
	    b.classes.count > CLASSES_MAX || b.topo.ndirs >= NPORTS_MAX ||
	    b.topo.nsites > SITES_MAX)
		abort();
	b.timing = (struct fc_timing){
		.seek = 1, .timeout = 8, .retry = 4, .ack_delay = 4, .poll = 16,
	};
	b.node.topo = &b.topo;
	b.node.timing = &b.timing;
	b.node.stat = b.stat;
	b.node.id = id;
	b.v.classes = &b.classes;
	b.v.node = &b.node;
	b.v.ch = b.ch;
	b.v.in = b.in;
	b.v.out = b.out;
	b.v.payload = PAYLOAD;
	b.v.nports = b.topo.ndirs + 1;
	b.v.nclasses = b.classes.count;
	for (c = 0; c < b.v.nclasses; c++) {
		b.ch[c].rx = b.rx[c];
		b.ch[c].tx = b.tx[c];
		b.ch[c].window = window;
		for (p = 0; p < b.v.nports; p++) {
			b.rx[c][p].queue = b.queue[c][p];
			b.rx[c][p].stat = b.link_stat;
			b.in[c * b.v.nports + p].branch = b.branch[c * b.v.nports + p];
		}
	}
	fc_vnet_init(&b.v);
	for (p = 1; p < b.v.nports; p++)
		if (fc_topo_neighbour(&b.topo, id, p - 1) != FC_SITE_NONE)
			link_event(FC_EV_LINK_UP, p, peers);
}

/* Return: the port of a neighbour. */
static inline u8 port_to(u32 site)
{
	u8 d;

	for (d = 0; d < b.topo.ndirs; d++)
		if (fc_topo_neighbour(&b.topo, b.node.id, d) == site)
			return d + 1;
	abort();
}

/* Return: the class of a packet of this site on the link to a neighbour. */
static inline u8 class_to(u32 site)
{
	u8 next[FC_DIRS_MAX], class = fc_vclass_first(&b.classes, b.node.id, site);

	fc_vclass_next_hops(&b.classes, b.node.id, site, class, next);
	return next[port_to(site) - 1];
}

/* Return: the class in which a neighbour's packet for a site arrives here. */
static inline u8 class_from(u32 site, u32 dst)
{
	u8 next[FC_DIRS_MAX], d, class = fc_vclass_first(&b.classes, site, dst);
	u32 dirs = fc_vclass_next_hops(&b.classes, site, dst, class, next);

	for (d = 0; d < b.topo.ndirs; d++)
		if (dirs & fc_bit(d) && fc_topo_neighbour(&b.topo, site, d) == b.node.id)
			return next[d];
	abort();
}

static inline struct line *line_to(u32 site)
{
	return &b.line[class_to(site)][port_to(site)];
}

static inline struct handle *new_handle(void)
{
	u32 i;

	for (i = 0; i < HANDLES; i++)
		if (!b.handle[i].held) {
			b.handle[i].held = true;
			return &b.handle[i];
		}
	abort();
}

static inline void flit(u8 class, u8 port, u8 parts, u32 data, const u8 *head)
{
	struct fc_event ev = { .type = FC_EV_FLIT, .port = port };
	struct handle *h = new_handle();

	if (head) {
		memcpy(h->head, head, sizeof(h->head));
		ev.flit.head = h->head;
	}
	ev.flit.h = h;
	ev.flit.parts = parts;
	ev.flit.data = data;
	ev.seq = port ? b.next[class][port]++ : fc_vnet_seq(&b.v, class);
	ev.ack = port ? b.line[class][port].acked : 0;
	event(class, &ev);
}

/* Build the head of a packet of @bytes bytes to @n sites. */
static inline void make_head(u8 *head, u32 bytes, const u32 *dst, u8 n)
{
	struct fc_packet pk = { .ntargets = n, .msg_len = bytes };
	u8 i;

	fc_wire_packet_encode(head, &pk);
	for (i = 0; i < n; i++) {
		struct fc_target t = {
			.site = dst[i], .port = 1, .flags = i == n - 1 ? FC_TARGET_LAST : 0,
		};

		fc_wire_target_encode(head, i, &t);
	}
}

/* Makes the head that of a datagram. */
static inline void make_datagram(u8 *head, u32 flow)
{
	fc_put32(head + FC_AT_SOCK, flow & ~FC_SOCK_BCAST);
	head[FC_AT_KIND] = FC_KIND_DATAGRAM;
}

/* Send all flits of a packet but its last @without ones; its front has no data. */
static inline void packet(u8 class, u8 port, const u32 *dst, u8 n, u32 flits, u32 without)
{
	u8 head[FC_PACKET_SIZE + NTARGETS * FC_TARGET_SIZE] = { 0 };
	u32 i;

	make_head(head, (flits - 1) * PAYLOAD, dst, n);
	for (i = 0; i < flits - without; i++)
		flit(class, port, (i ? 0 : FC_PART_HEAD) | (i == flits - 1 ? FC_PART_TERM : 0),
		     i ? PAYLOAD : 0, i ? NULL : head);
}

/* Send a packet of this site, in a free injection queue.  Return: false if there is none. */
static inline bool own(const u32 *dst, u8 n, u32 flits)
{
	int injq = fc_vnet_injq(&b.v);

	if (injq < 0)
		return false;
	packet((u8)injq, FC_PORT_LOCAL, dst, n, flits, 0);
	return true;
}

static inline bool own_to(u32 dst, u32 flits)
{
	return own(&dst, 1, flits);
}

/* A neighbour acks flits. */
static inline void ack(u32 site, u32 flits)
{
	struct line *line = line_to(site);
	struct fc_event ev = { .type = FC_EV_STATUS, .port = port_to(site) };

	line->acked += flits;
	ev.seq = b.next[class_to(site)][ev.port];
	ev.ack = line->acked;
	event(class_to(site), &ev);
}

/* The runner routes the waiting fronts, after a delay. */
static inline void routing(void)
{
	struct fc_event ev = { .type = FC_EV_ROUTE };

	b.routings = 0;
	event(0, &ev);
}

/* Check that the switch has no packet in flight, and holds none. */
static inline void at_rest(void)
{
	CHECK(fc_vnet_idle(&b.v), "not at rest");
	CHECK(!held(), "%u handles kept", held());
}

#endif /* FLITCAST_SELFTESTS_VNET_BENCH_H */
