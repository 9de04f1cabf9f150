// SPDX-License-Identifier: GPL-2.0
/*
 * Mode csr in whole networks: the switch and the plan of each site, joined by links with delay,
 * against a ledger that ignores reservations.  The ledger records the packets sent, their targets,
 * the promised times, the arrivals, and for how long a packet occupies each link.  Every site has
 * its own clock.  Probes and their answers may be lost, duplicated, late and forged; timers fire
 * late.
 */
#include <stdlib.h>
#include <string.h>

#include "core/vnet/csr_plan.h"
#include "core/faults/routes.h"
#include "tap.h"
#include "core/vnet/vnet.h"

#define US		((u64)1000)
#define MS		(1000 * US)
#define SITES		16
#define PORTS		5
#define CLASSES		8
#define WINDOW		8
#define BRANCHES	PORTS
#define TARGETS		4
#define PAYLOAD		100
#define RES		(64 * PORTS)
#define EVENTS		8192
/* Packets in the ledger of a site. */
#define PACKETS		48
/* Propagation delay of a link, for all frames. */
#define TRAVEL		(20 * US)

/* Memory of a flit, which the runner owns. */
struct handle {
	u8 head[FC_PACKET_SIZE + TARGETS * FC_TARGET_SIZE];
};

/* A future event. */
struct event {
	enum { BEGIN, TIMER, FLIT, STATUS, FRAME } type;
	u64 at;			/* true time */
	u64 order;
	u32 node;
	struct fc_event ev;
	struct fc_csr_frame frame;
	u8 class;
};

/* A packet that a socket or the operator has to send. */
struct own {
	struct own *next;
	u8 head[FC_PACKET_SIZE + TARGETS * FC_TARGET_SIZE];
	u32 flits;
};

/* The ledger's entry of a packet; times are true times, less the travel time of its probe. */
struct packet {
	u32 targets;			/* bitmap of target sites */
	u32 come;			/* targets that have the packet */
	u64 promised;			/* arrival at the last target, promised to the source */
	u64 due;			/* due time at the last target */
	u64 apart[SITES];		/* promised to the source, for each part of a split list */
};

struct node {
	struct fc_node node;
	struct fc_vnet v;
	struct fc_channel ch[CLASSES];
	struct fc_vin in[CLASSES * PORTS];
	struct fc_vout out[CLASSES * PORTS];
	struct fc_vbranch branch[CLASSES * PORTS][BRANCHES];
	struct fc_rx rx[CLASSES][PORTS];
	struct fc_tx tx[CLASSES][PORTS];
	struct fc_flit queue[CLASSES][PORTS][WINDOW];
	u64 stat[FC_STAT_COUNT];
	u64 link_stat[FC_LSTAT_COUNT];
	struct fc_csr_plan plan;
	struct fc_csr_link link[PORTS];
	struct fc_csr_res res[RES];
	struct fc_csr_path path[SITES];
	u8 frame[FC_CSR_FRAMES][FC_CSR_FRAME];
	u64 offset;			/* offset of its clock */
	u64 timer;			/* the valid timer; earlier ones are stale */
	struct own *first;
	struct own **last;
	struct handle *stored;		/* front of the packet that the operator is receiving */
	u32 stored_flits;
	u32 made;
	struct packet packet[PACKETS];
	u64 busy[PORTS];		/* time until which a packet occupies the link */
	u64 flits_at[PORTS];		/* arrival time of the last flit sent */
	u64 frames_at[PORTS];
	u32 next[SITES];		/* by source site: one more than the last packet received */
};

static struct world {
	struct fc_topo topo;
	struct fc_vclass classes;
	struct fc_timing timing;
	u32 down[SITES];		/* ports with a dead link, which all sites know */
	u32 routes[SITES][SITES];
	struct node node[SITES];
	struct event *heap[EVENTS];
	u32 nheap;
	u64 now;
	u64 order;
	u64 unit;			/* transmission time of a flit */
	struct fc_effects fx;
	/* Injected faults. */
	u32 lost;			/* percentage of lost probes and answers */
	u32 forged;			/* percentage of additional forged ones */
	u64 jitter;			/* maximum delay of timers */
	u64 gap;			/* time between packets of a site; 0: any, up to 800 us */
	u64 wobble;			/* variation of link delays */
	bool waits;			/* a site waits for an ACK without a time-out */
	bool guard;
	enum { HONEST, SILENT, REFUSES, SLOW } lie;	/* answers of the last site to probes */
	/* Results. */
	u32 handles;
	u32 sent;
	u32 delivered;
	u32 twice;			/* received twice, or by a site that is no target */
	u32 overtaken;
	u32 met;			/* packets that began while another occupied the link */
	u32 late;			/* received later than their target was promised */
	u32 early;			/* received earlier than the guard explains */
	u32 unknown;			/* received by a target that did not know their due time */
	u32 disagree;			/* source and target were promised different times */
	u32 apart;
	u32 around;			/* arrived at a site without a next hop in their class */
} *w;

/* Event queue, by time. */

static bool before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void post(const struct event *ev)
{
	struct event *e = malloc(sizeof(*e));
	u32 i = w->nheap;

	if (!e || i == EVENTS)
		abort();
	*e = *ev;
	e->order = ++w->order;
	w->nheap++;
	for (; i && before(e, w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		w->heap[i] = w->heap[(i - 1) / 2];
	w->heap[i] = e;
}

static struct event *next_event(void)
{
	struct event *first = w->heap[0], *e;
	u32 i = 0, child;

	if (!w->nheap)
		return NULL;
	e = w->heap[--w->nheap];
	for (; (child = 2 * i + 1) < w->nheap; i = child) {
		if (child + 1 < w->nheap && before(w->heap[child + 1], w->heap[child]))
			child++;
		if (!before(w->heap[child], e))
			break;
		w->heap[i] = w->heap[child];
	}
	w->heap[i] = e;
	return first;
}

static u64 some(u64 most)
{
	return most ? tap_random((u32)most + 1) : 0;
}

static u64 clock_of(const struct node *n)
{
	return w->now + n->offset;
}

static u32 number_of(const struct node *n)
{
	return (u32)(n - w->node);
}

/* Return: the node at the other end of a port; *@in: its port. */
static u32 peer_of(const struct node *n, u8 port, u8 *in)
{
	u32 peer = fc_topo_neighbour(&w->topo, number_of(n), port - 1);

	for (*in = 1; fc_topo_neighbour(&w->topo, peer, *in - 1) != number_of(n); (*in)++)
		;
	return peer;
}

/*
 * Packets.
 */

static struct handle *handle_of(const u8 *head)
{
	struct handle *h = malloc(sizeof(*h));

	if (!h)
		abort();
	if (head)
		memcpy(h->head, head, sizeof(h->head));
	w->handles++;
	return h;
}

static void let_go(void *arg, void *h)
{
	if (h)
		w->handles--;
	free(h);
}

static void queue_own(struct node *n, const u8 *head, u32 flits)
{
	struct own *own = malloc(sizeof(*own));

	if (!own)
		abort();
	own->next = NULL;
	memcpy(own->head, head, sizeof(own->head));
	own->flits = flits;
	*n->last = own;
	n->last = &own->next;
}

static void make_packet(struct node *n, u32 targets, u32 flits)
{
	u32 bytes = (flits - 1) * PAYLOAD, id = n->made++, rest;
	u8 head[sizeof(((struct own *)0)->head)] = { 0 };
	struct fc_packet pk = {
		.src = number_of(n), .sock = 3, .id = id, .msg_len = bytes,
		.flags = targets & (targets - 1) ? FC_PACKET_LIST : 0,
	};
	u8 i = 0;

	for (rest = targets; rest; rest &= rest - 1)
		pk.ntargets++;
	fc_wire_packet_encode(head, &pk);
	for (rest = targets; rest; rest &= rest - 1) {
		struct fc_target t = {
			.site = fc_low(rest), .port = 1,
			.flags = rest & (rest - 1) ? 0 : FC_TARGET_LAST,
		};

		fc_wire_target_encode(head, i++, &t);
	}
	n->packet[id].targets = targets;
	w->sent += pk.ntargets;
	queue_own(n, head, flits);
}

static void socket_sends(struct node *n)
{
	u32 targets = 0, count = tap_random(3) ? 1 : 1 + tap_random(TARGETS);

	while (count--) {
		u32 site = tap_random(w->topo.nsites);

		if (site != number_of(n))
			targets |= fc_bit(site);
	}
	if (targets)
		make_packet(n, targets, 1 + tap_random(3));
}

/* The operator sends a list for other sites as one packet per target. */
static void send_apart(struct node *n, const u8 *head, u64 rest, u32 flits)
{
	bool apart = rest & (rest - 1);

	for (; rest; rest &= rest - 1) {
		u8 one[sizeof(((struct own *)0)->head)];

		memcpy(one, head, sizeof(one));
		fc_wire_head_subset(one, one, rest & -rest, 0);
		if (apart)
			fc_wire_head_apart(one);
		queue_own(n, one, flits);
		w->apart += apart;
	}
}

static void arrive(struct node *n, const u8 *head)
{
	u64 due = fc_csr_plan_due(&n->plan, head);
	struct packet *packet;
	struct fc_packet pk;
	u32 here = fc_bit(number_of(n));

	fc_wire_packet_decode(&pk, head);
	packet = &w->node[pk.src].packet[pk.id];
	w->twice += packet->come & here || !(packet->targets & here);
	packet->come |= here;
	w->delivered++;
	if (!(pk.flags & FC_PACKET_APART)) {
		w->overtaken += pk.id < n->next[pk.src];
		n->next[pk.src] = pk.id + 1;
	}
	if (!due) {
		w->unknown++;
		return;
	}
	due -= n->offset;
	w->late += w->now > due;
	w->early += w->now + 500 * US < due;
	due -= pk.hops * TRAVEL;
	if (pk.flags & FC_PACKET_APART)
		w->disagree += due != packet->apart[number_of(n)];
	if (due > packet->due)
		packet->due = due;
}

static void serve(struct node *n, u64 mask)
{
	const u8 *head = n->stored->head;
	u64 rest, others = 0;

	for (rest = mask; rest; rest &= rest - 1) {
		if (fc_wire_target_site(head, fc_low64(rest)) == number_of(n))
			arrive(n, head);
		else
			others |= rest & -rest;
	}
	w->around += others && fc_wire_hops(head);
	send_apart(n, head, others, n->stored_flits);
	let_go(NULL, n->stored);
	n->stored = NULL;
}

static void admitted(struct node *n, const u8 *head, u64 arrival)
{
	struct packet *packet;
	struct fc_packet pk;

	fc_wire_packet_decode(&pk, head);
	packet = &n->packet[pk.id];
	if (!arrival)
		return;
	if (pk.flags & FC_PACKET_APART)
		packet->apart[fc_wire_target_site(head, 0)] = arrival - n->offset;
	else
		packet->promised = arrival - n->offset;
}

/*
 * Links.
 */

static void send_flit(struct node *n, const struct fc_effect *e)
{
	struct event ev = { .type = FLIT, .class = e->vc - FC_VC_CLASS };
	u64 at = w->now + TRAVEL + some(w->wobble);
	struct handle *h = e->flit.h;
	u8 p = e->port;

	if (!CHECK(h && !(e->flit.parts & FC_PART_ABORT), "a packet is given up"))
		return;
	if (e->keep)
		h = handle_of(h->head);
	if (e->flit.parts & FC_PART_HEAD) {
		w->met += w->now < n->busy[p];
		n->busy[p] = w->now + (1 + fc_wire_data_len(h->head) / PAYLOAD) * w->unit;
		fc_wire_head_subset(h->head, h->head, e->mask, 1);
	}
	n->flits_at[p] = (at > n->flits_at[p] ? at : n->flits_at[p]) + w->unit;
	ev.at = n->flits_at[p];
	ev.node = peer_of(n, p, &ev.ev.port);
	ev.ev.type = FC_EV_FLIT;
	ev.ev.seq = e->seq;
	ev.ev.ack = e->ack;
	ev.ev.flit = e->flit;
	ev.ev.flit.h = h;
	ev.ev.flit.head = e->flit.parts & FC_PART_HEAD ? h->head : NULL;
	post(&ev);
}

static void send_status(struct node *n, const struct fc_effect *e)
{
	struct event ev = { .type = STATUS, .class = e->vc - FC_VC_CLASS };
	u64 at = w->now + TRAVEL;

	ev.at = at > n->flits_at[e->port] ? at : n->flits_at[e->port];
	ev.node = peer_of(n, e->port, &ev.ev.port);
	ev.ev.type = FC_EV_STATUS;
	ev.ev.flags = e->flags;
	ev.ev.seq = e->seq;
	ev.ev.ack = e->ack;
	ev.ev.status = e->status;
	post(&ev);
}

static void forge(struct event ev)
{
	struct fc_csr_msg *msg = &ev.frame.msg;

	ev.at += some(MS);
	switch (tap_random(6)) {
	case 0:
		msg->type = 1 + tap_random(FC_CSR_TYPES - 1);
		break;
	case 1:
		msg->id.attempt += tap_random(5) - 2;
		break;
	case 2:
		msg->id.number = tap_random(1 << 16);
		break;
	case 3:
		msg->lead = tap_random(0xffffffff);
		msg->span = tap_random(0xffffffff);
		break;
	case 4:
		msg->units = tap_random(WINDOW);
		msg->floor = tap_random(0xffffffff);
		break;
	case 5:
		ev.frame.class = (u8)tap_random(256);
		ev.frame.site[0] = tap_random(2 * SITES);
		break;
	}
	/* Drop the fields that the wire format does not carry. */
	if (msg->type != FC_CSR_PROBE) {
		ev.frame.n = 0;
		ev.frame.class = 0;
	} else if (!ev.frame.n) {
		ev.frame.n = 1;
		ev.frame.site[0] = tap_random(SITES);
	}
	post(&ev);
}

/* Return: false: the last site sends no answer. */
static bool lie(struct fc_csr_msg *msg, u64 *at)
{
	if (msg->type == FC_CSR_ACK && w->lie == REFUSES)
		msg->type = FC_CSR_NACK;
	if (msg->type == FC_CSR_ACK && w->lie == SLOW)
		*at += 60 * MS;
	return msg->type != FC_CSR_ACK || w->lie != SILENT;
}

static void send_frame(struct node *n, const struct fc_effect *e)
{
	u64 at = w->now + TRAVEL + some(w->wobble);
	struct event ev = { .type = FRAME };
	u8 port = e->port;

	if (!CHECK(fc_wire_csr_decode(&ev.frame, e->flit.head, e->flit.data), "no frame"))
		return;
	if (number_of(n) == w->topo.nsites - 1 && !lie(&ev.frame.msg, &at))
		return;
	n->frames_at[port] = at > n->frames_at[port] ? at : n->frames_at[port];
	ev.at = n->frames_at[port];
	ev.node = peer_of(n, port, &ev.ev.port);
	if (tap_random(100) < w->forged)
		forge(ev);
	if (tap_random(100) < w->lost) {
		/* Duplicate some frames instead, with a delay. */
		if (tap_random(2))
			return;
		post(&ev);
		ev.at += some(5 * MS);
	}
	post(&ev);
}

/*
 * Nodes.
 */

static void perform(struct node *n, const struct fc_effect *e)
{
	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		send_flit(n, e);
		break;
	case FC_FX_STATUS:
		send_status(n, e);
		break;
	case FC_FX_STORE:
		if (!n->stored) {
			const struct handle *h = e->flit.h;

			n->stored = handle_of(h->head);
			n->stored_flits = 0;
		}
		n->stored_flits++;
		if (!e->keep)
			let_go(NULL, e->flit.h);
		break;
	case FC_FX_SERVE:
		serve(n, e->mask);
		break;
	case FC_FX_DROP:
		let_go(NULL, e->flit.h);
		break;
	case FC_FX_RELEASE:
		break;
	case FC_FX_RESERVE:
		send_frame(n, e);
		break;
	case FC_FX_ADMITTED:
		admitted(n, e->flit.head, e->mask);
		break;
	default:
		CHECK(false, "effect of type %u", e->type);
	}
}

static void event(struct node *n, u8 class, struct fc_event *ev)
{
	bool more;
	u32 i;

	ev->now = clock_of(n);
	do {
		more = fc_vnet_event(&n->v, class, ev, &w->fx);
		for (i = 0; i < w->fx.n; i++)
			perform(n, &w->fx.fx[i]);
		ev->type = FC_EV_MORE;
	} while (more);
}

static void feed(struct node *n)
{
	while (n->first) {
		int injq = fc_vnet_injq(&n->v);
		struct own *own = n->first;
		u32 i;

		if (injq < 0)
			return;
		n->first = own->next;
		if (!n->first)
			n->last = &n->first;
		for (i = 0; i < own->flits; i++) {
			struct fc_event ev = { .type = FC_EV_FLIT };
			struct handle *h = handle_of(i ? NULL : own->head);

			ev.seq = fc_vnet_seq(&n->v, (u8)injq);
			ev.flit.h = h;
			ev.flit.head = i ? NULL : h->head;
			ev.flit.data = i ? PAYLOAD : 0;
			ev.flit.parts = (i ? 0 : FC_PART_HEAD) |
					(i + 1 == own->flits ? FC_PART_TERM : 0);
			event(n, (u8)injq, &ev);
		}
		free(own);
	}
}

static void set_timer(struct node *n)
{
	u64 next = fc_csr_plan_next_at(&n->plan), at;
	struct event ev = { .type = TIMER, .node = number_of(n) };

	if (n->v.next_at < next)
		next = n->v.next_at;
	if (next == FC_CSR_NEVER)
		return;
	at = next > clock_of(n) ? next - n->offset : w->now;
	if (n->timer && n->timer <= at)
		return;
	ev.at = at + some(w->jitter);
	n->timer = ev.at;
	post(&ev);
}

static void set_guard(struct node *n, u64 guard)
{
	for (u8 p = 0; p < PORTS; p++)
		n->link[p].guard = guard;
}

static void set_setup(struct node *n, u32 setup)
{
	for (u32 i = 0; i < w->topo.nsites; i++)
		n->path[i].setup = setup;
}

/* Replace values that the site has learnt by those of the test. */
static void know(struct node *n)
{
	if (w->waits)
		set_setup(n, 5 * MS);
	if (!w->guard)
		set_guard(n, 0);
}

static void happen(struct event *e)
{
	struct node *n = &w->node[e->node];
	struct fc_event more = { .type = FC_EV_MORE };
	u32 i;

	know(n);
	switch (e->type) {
	case BEGIN:
		socket_sends(n);
		if (n->made == PACKETS)
			break;
		e->at += w->gap ? w->gap : some(800 * US);
		post(e);
		break;
	case TIMER:
		if (e->at != n->timer)
			break;
		n->timer = 0;
		fc_csr_plan_time(&n->plan, clock_of(n));
		more.type = FC_EV_TIME;
		event(n, 0, &more);
		break;
	case FLIT:
	case STATUS:
		event(n, e->class, &e->ev);
		break;
	case FRAME:
		fc_csr_plan_in(&n->plan, e->ev.port, &e->frame, clock_of(n), &w->fx);
		for (i = 0; i < w->fx.n; i++)
			perform(n, &w->fx.fx[i]);
		event(n, 0, &more);
		break;
	}
	know(n);
	feed(n);
	set_timer(n);
}

static void set_up_node(struct node *n, bool dead)
{
	struct fc_event up = { .type = FC_EV_LINK_UP, .count = WINDOW };
	struct event begin = { .type = BEGIN, .node = number_of(n), .at = some(MS) };
	u8 c, p;

	n->offset = MS + ((u64)tap_random(1 << 30) << 16);
	n->last = &n->first;
	n->node.topo = &w->topo;
	n->node.timing = &w->timing;
	n->node.stat = n->stat;
	n->node.id = number_of(n);
	n->node.routes = dead ? w->routes[number_of(n)] : NULL;
	n->v.classes = &w->classes;
	n->v.node = &n->node;
	n->v.ch = n->ch;
	n->v.in = n->in;
	n->v.out = n->out;
	n->v.payload = PAYLOAD;
	n->v.nports = w->topo.ndirs + 1;
	n->v.nclasses = w->classes.count;
	for (c = 0; c < n->v.nclasses; c++) {
		n->ch[c].rx = n->rx[c];
		n->ch[c].tx = n->tx[c];
		n->ch[c].window = WINDOW;
		for (p = 0; p < n->v.nports; p++) {
			n->rx[c][p].queue = n->queue[c][p];
			n->rx[c][p].stat = n->link_stat;
			n->in[c * n->v.nports + p].branch = n->branch[c * n->v.nports + p];
		}
	}
	fc_vnet_init(&n->v);
	n->plan.c.pool.res = n->res;
	n->plan.c.pool.size = RES;
	n->plan.link = n->link;
	n->plan.path = n->path;
	n->plan.vnet = &n->v;
	n->plan.frame = n->frame;
	n->plan.rng = tap_random(0xffffffff);
	fc_csr_plan_init(&n->plan);
	n->v.plan = &n->plan;
	n->v.apart = true;
	w->unit = n->link[1].unit;
	for (p = 1; p < n->v.nports; p++) {
		if (!fc_routes_link_works(&w->topo, w->down, number_of(n), p - 1))
			continue;
		up.type = FC_EV_LINK_UP;
		up.port = p;
		event(n, 0, &up);
	}
	post(&begin);
}

/* Compute all routes around dead links.  Return: false if a site has no route to another one. */
static bool route(void)
{
	u32 i, j, work[2 * SITES];
	bool all = true;

	for (i = 0; i < w->topo.nsites; i++) {
		fc_routes_compute(&w->topo, i, w->down, NULL, w->routes[i], work);
		for (j = 0; j < w->topo.nsites; j++)
			all &= i == j || w->routes[i][j];
	}
	return all;
}

static void kill_links(u32 n)
{
	while (n) {
		u32 site = tap_random(w->topo.nsites), port = 1 + tap_random(w->topo.ndirs);

		if (!fc_routes_link_works(&w->topo, w->down, site, (u8)port - 1))
			continue;
		w->down[site] |= fc_bit(port);
		if (route())
			n--;
		else
			w->down[site] &= ~fc_bit(port);
	}
	route();
}

static bool set_up(const char *spec, u32 dead)
{
	u32 i;

	w = calloc(1, sizeof(*w));
	if (!CHECK(w, "no memory"))
		return false;
	if (fc_topo_parse(&w->topo, spec) || fc_vclass_init(&w->classes, &w->topo) ||
	    w->classes.count > CLASSES || w->topo.ndirs >= PORTS || w->topo.nsites > SITES)
		abort();
	w->timing = (struct fc_timing){
		.seek = MS, .timeout = 10 * MS, .retry = 20 * MS, .ack_delay = 20 * MS,
		.poll = 200 * MS,
	};
	w->guard = true;
	kill_links(dead);
	for (i = 0; i < w->topo.nsites; i++)
		set_up_node(&w->node[i], dead);
	return true;
}

static u64 count(u32 stat)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < w->topo.nsites; i++)
		n += w->node[i].stat[stat];
	return n;
}

/* Set the initial guard of all sites. */
static void guards(u64 guard)
{
	u32 i;

	for (i = 0; i < w->topo.nsites; i++)
		set_guard(&w->node[i], guard);
}

/* The least or the largest guard of the links of a site. */
static u64 guard_of(const struct node *n, bool least)
{
	u64 guard = least ? ~(u64)0 : 0;

	for (u8 p = 1; p < n->v.nports; p++)
		if (least ? n->v.up & fc_bit(p) && n->link[p].guard < guard :
			    n->link[p].guard > guard)
			guard = n->link[p].guard;
	return guard;
}

/* Check that a site has no reservation, and that its counters match. */
static void check_node(struct node *n)
{
	const u64 *stat = n->plan.c.stat;

	CHECK(fc_vnet_idle(&n->v) && !n->first, "packets are left at %u", number_of(n));
	w->now += 4000 * MS;
	fc_csr_plan_time(&n->plan, clock_of(n));
	w->now -= 4000 * MS;
	CHECK(!n->plan.c.pool.used, "%u reservations are left at %u", n->plan.c.pool.used,
	      number_of(n));
	CHECK(stat[FC_CSR_RESERVED] == stat[FC_CSR_SENT] + stat[FC_CSR_RELEASED] +
	      stat[FC_CSR_LAPSED] + stat[FC_CSR_ORPHANED], "reservations do not balance");
	CHECK(n->stat[FC_STAT_CSR_RESERVED] == stat[FC_CSR_RESERVED] &&
	      n->stat[FC_STAT_CSR_USED] == stat[FC_CSR_SENT] &&
	      n->stat[FC_STAT_CSR_UNUSED] == stat[FC_CSR_LAPSED] + stat[FC_CSR_ORPHANED] &&
	      n->stat[FC_STAT_CSR_LATE] == stat[FC_CSR_LATE], "counters");
	CHECK(!stat[FC_CSR_DOUBLE], "in another one's window");
	CHECK(n->stat[FC_STAT_CSR_GUARD] == guard_of(n, false) || !w->guard, "guard");
}

/* Despite all faults each target receives each packet once, and no link carries two at a time. */
static void run(void)
{
	struct event *e;
	u32 i, id;

	while ((e = next_event())) {
		w->now = e->at;
		/* Bound the run: an event that reschedules itself would go on for ever. */
		if (CHECK(w->now < 100000 * MS, "it does not come to an end"))
			happen(e);
		free(e);
	}
	for (i = 0; i < w->topo.nsites; i++) {
		struct node *n = &w->node[i];

		check_node(n);
		for (id = 0; id < n->made; id++)
			CHECK(n->packet[id].come == n->packet[id].targets,
			      "packet %u of %u came to %x of %x", id, i, n->packet[id].come,
			      n->packet[id].targets);
	}
	CHECK(w->delivered == w->sent && !w->twice, "%u of %u, %u twice", w->delivered, w->sent,
	      w->twice);
	CHECK(!w->met, "%u packets began while their link was busy", w->met);
	CHECK(!w->handles, "%u flits are left", w->handles);
}

static void clean_up_node(struct node *n)
{
	struct own *own;

	fc_vnet_purge(&n->v, let_go, NULL);
	while ((own = n->first)) {
		n->first = own->next;
		free(own);
	}
}

static void clean_up(void)
{
	u32 i;

	for (i = 0; i < w->topo.nsites; i++)
		clean_up_node(&w->node[i]);
	free(w);
	w = NULL;
}

static const char *const networks[] = {
	"line:4", "ring:6", "mesh:3x3", "torus:3x3", "hypercube:3", "hypercube:4",
};

/* If timers fire in time and links keep their delay, the site keeps every promise. */
TEST(csr_plan__what_is_promised_is_kept)
{
	u32 i, id, s, wrong, whole;

	for (i = 0; i < FC_ARRAY_SIZE(networks); i++) {
		if (!set_up(networks[i], 0))
			return;
		w->waits = true;
		run();
		CHECK(!w->late && !count(FC_STAT_CSR_LATE) && !w->overtaken && !w->early,
		      "%s: %u late, %u overtaken, %u early", networks[i], w->late, w->overtaken,
		      w->early);
		CHECK(!w->unknown && !w->disagree, "%s: of %u not known when, of %u another time",
		      networks[i], w->unknown, w->disagree);
		for (s = wrong = whole = 0; s < w->topo.nsites; s++)
			for (id = 0; id < w->node[s].made; id++) {
				const struct packet *p = &w->node[s].packet[id];

				whole += !!p->promised;
				wrong += p->promised && p->promised != p->due;
			}
		CHECK(!wrong && whole, "%s: of %u packets, %u another time than promised",
		      networks[i], whole, wrong);
		clean_up();
	}
}

/* Frames are lost, duplicated and late, timers are late; packets still have exclusive links. */
TEST(csr_plan__survives_what_goes_wrong)
{
	u32 i, round, s;

	for (round = 0; round < TAP_ROUNDS(4); round++) {
		for (i = 0; i < FC_ARRAY_SIZE(networks); i++) {
			u64 late, used;

			if (!set_up(networks[i], 0))
				return;
			w->lost = 5 * round;
			w->jitter = 100 * US;
			w->wobble = 30 * US;
			guards(20 * US);
			run();
			used = count(FC_STAT_CSR_USED);
			late = count(FC_STAT_CSR_LATE);
			/* A late packet delays others, and is late again at the next site. */
			CHECK(late && late < 2 * used, "%s: %u of %u late", networks[i], (u32)late,
			      (u32)used);
			/* All sites learn the larger guard, even a site that forwards nothing. */
			for (s = 0; s < w->topo.nsites; s++)
				CHECK(guard_of(&w->node[s], true) > 40 * US, "%s: a guard of %u",
				      networks[i], (u32)guard_of(&w->node[s], true));
			CHECK(w->unknown <= count(FC_STAT_CSR_UNRESERVED),
			      "%s: of %u not known when they were due", networks[i], w->unknown);
			clean_up();
		}
	}
}

/*
 * A packet without a next hop in its class leaves the network at that site, and makes reservations
 * for the rest of the route from there.
 */
TEST(csr_plan__goes_around_dead_links)
{
	static const char *const spec[] = {
		"mesh:3x3", "mesh:4x4", "torus:3x3", "hypercube:3", "ring:6",
	};
	u32 i, round, around = 0;

	for (round = 0; round < TAP_ROUNDS(4); round++) {
		for (i = 0; i < FC_ARRAY_SIZE(spec); i++) {
			if (!set_up(spec[i], 1 + (i < 4 ? round : 0)))
				return;
			run();
			around += w->around;
			clean_up();
		}
	}
	CHECK(around, "no packet had to");
}

/* Faulty neighbours send forged frames. */
TEST(csr_plan__survives_what_is_made_up)
{
	u32 i, round;

	for (round = 0; round < TAP_ROUNDS(3); round++) {
		for (i = 0; i < FC_ARRAY_SIZE(networks); i++) {
			if (!set_up(networks[i], 0))
				return;
			w->forged = 10 + 30 * round;
			w->lost = 2;
			run();
			clean_up();
		}
	}
}

/* The last site of a line confirms no reservation, or late: it delays no packets between others. */
TEST(csr_plan__last_site_lies)
{
	u32 lie, i;

	for (lie = SILENT; lie <= SLOW; lie++) {
		if (!set_up("line:4", 0))
			return;
		w->lie = lie;
		run();
		CHECK(w->now < 10000 * MS, "%u: until %u ms", lie, (u32)(w->now / MS));
		CHECK(lie == SLOW || count(FC_STAT_CSR_UNRESERVED), "%u: all reserved", lie);
		for (i = 0; i < 9; i++) {
			const struct fc_csr_path *path = &w->node[i / 3].path[i % 3];

			CHECK(path->setup < 5 * MS && !path->futile, "%u: %u to %u: %u ns, %u",
			      lie, i / 3, i % 3, path->setup, path->futile);
		}
		clean_up();
	}
}

/* Set-up times learnt under load adapt to an idle network, and unknown ones to the first answer. */
TEST(csr_plan__learns_set_up_times)
{
	static const struct {
		u32 gap, setup, most;
	} cases[] = { { 20 * MS, 100 * MS, 5 * MS }, { MS, 0, MS } };
	u32 c, i, to;

	for (c = 0; c < FC_ARRAY_SIZE(cases) && set_up("line:4", 0); c++) {
		w->gap = cases[c].gap;
		for (i = 0; i < w->topo.nsites; i++)
			set_setup(&w->node[i], cases[c].setup);
		run();
		for (i = 0; i < w->topo.nsites; i++)
			for (to = 0; to < w->topo.nsites; to++)
				CHECK(i == to || w->node[i].path[to].setup < cases[c].most,
				      "%u: %u to %u: %u", c, i, to, w->node[i].path[to].setup);
		clean_up();
	}
}

/* Negative control: without a guard, and with late timers, promises are broken. */
TEST(csr_plan__without_guard_packets_are_late)
{
	if (!set_up("mesh:3x3", 0))
		return;
	w->waits = true;
	w->guard = false;
	w->jitter = 100 * US;
	run();
	CHECK(w->late > w->delivered / 4, "%u of %u late", w->late, w->delivered);
	clean_up();
}
