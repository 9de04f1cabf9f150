// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bcastnet.h"

/* Maximum number of broadcasts that a faulty site forges after each genuine broadcast. */
#define EVILS	8

/**
 * struct bcastnet_flit - a flit
 * @refs: references
 * @bcast: broadcast it belongs to
 * @index: index in this broadcast
 * @value: enum bcastnet_value
 * @parts: FC_PART_* of the link header
 * @head: packet head, in the first flit
 */
struct bcastnet_flit {
	u32 refs;
	u32 bcast;
	u32 index;
	u8 value;
	u8 parts;
	u8 head[FC_PACKET_SIZE + FC_TARGET_SIZE];
};

struct frame {
	struct frame *next;
	u64 at;
	struct fc_event ev;
};

struct kept {
	u32 seq;
	struct bcastnet_flit *flit;	/* NULL: a terminator without a frame */
	u8 parts;
	bool there;
};

struct port {
	struct kept replay[BCASTNET_WINDOW];
	struct fc_flit queue[BCASTNET_WINDOW];
	u64 stat[FC_LSTAT_COUNT];
	struct frame *wire;	/* to this port */
};

struct held {
	struct bcastnet_flit *flit[BCASTNET_FLITS];
	u32 n;
};

struct bcastnet_node {
	struct fc_relay relay;
	struct fc_rx *rx;
	struct fc_tx *tx;
	struct port *port;
	struct held *held;
	u64 stat[FC_STAT_COUNT];
	u32 incarnation;
	u32 number;
	u32 last;		/* index of the broadcast it began last, plus one */
	u32 evils;		/* faulty site: broadcasts that it may still forge */
	u8 lies;
	bool dead;
};

static struct fc_effects effects;

static void __printf(2, 3) wrong(struct bcastnet *net, const char *fmt, ...)
{
	va_list args;

	if (net->wrong[0])
		return;
	va_start(args, fmt);
	vsnprintf(net->wrong, sizeof(net->wrong), fmt, args);
	va_end(args);
}

static u32 next_hop(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in)
{
	const struct fc_bcast *table = relay->tables;
	u32 entry;

	if (copies != table->copies)
		return FC_RELAY_NEVER;
	entry = fc_bcast_next(table, src, relay->id,
			      in == FC_PORT_LOCAL ? FC_BCAST_SOURCE : in - 1);
	if (!entry)
		return FC_RELAY_NEVER;
	return (entry & ~FC_BCAST_DELIVER) << 1 | !!(entry & FC_BCAST_DELIVER);
}

/* Route of a faulty site that drops: no next hop for some packets. */
static u32 lying_next_hop(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in)
{
	u32 next = next_hop(relay, src, copies, label, in);

	if (next == FC_RELAY_NEVER || in == FC_PORT_LOCAL || (src + in + relay->ch.now) & 1)
		return next;
	return next & fc_bit(FC_PORT_LOCAL);
}

static u32 everywhere_next_hop(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in)
{
	(void)src;
	(void)copies;
	(void)label;
	(void)in;
	return relay->ch.up & ~fc_bit(FC_PORT_LOCAL);
}

static struct bcastnet_flit *flit_get(struct bcastnet_flit *f)
{
	f->refs++;
	return f;
}

static void flit_put(struct bcastnet *net, struct bcastnet_flit *f)
{
	if (--f->refs)
		return;
	net->handles--;
	free(f);
}

static struct bcastnet_flit *flit_new(struct bcastnet *net)
{
	struct bcastnet_flit *f = calloc(1, sizeof(*f));

	net->handles++;
	f->refs = 1;
	return f;
}

static u32 peer_of(const struct bcastnet *net, u32 at, u8 port)
{
	return fc_topo_neighbour(&net->topo, at, port - 1);
}

static u8 peer_port(const struct bcastnet *net, u32 at, u8 port)
{
	return net->topo.ops->arrival(&net->topo, at, port - 1) + 1;
}

/* Send a frame to the other end, with random delay, loss and duplication. */
static void put(struct bcastnet *net, u32 at, u8 port, struct fc_event ev)
{
	u32 to = peer_of(net, at, port);
	u32 copies = rng_below(&net->rng, 100) < net->doubled ? 2 : 1;

	ev.port = peer_port(net, at, port);
	for (; copies; copies--) {
		struct port *p = &net->node[to].port[ev.port];
		struct frame *f;

		if (rng_below(&net->rng, 100) < net->loss || net->node[to].dead)
			continue;
		f = calloc(1, sizeof(*f));
		f->ev = ev;
		f->at = net->now + 1 + rng_below(&net->rng, net->delay);
		if (ev.flit.h)
			flit_get(ev.flit.h);
		f->next = p->wire;
		p->wire = f;
	}
}

static void put_flit(struct bcastnet *net, u32 at, const struct fc_effect *e, const struct kept *k)
{
	struct fc_event ev = { .type = FC_EV_FLIT, .seq = e->seq, .ack = e->ack };

	ev.flit.parts = k->parts;
	if (k->flit) {
		ev.flit.h = k->flit;
		ev.flit.data = 1;
		if (k->parts & FC_PART_HEAD)
			ev.flit.head = k->flit->head;
	}
	put(net, at, e->port, ev);
}

static void forget(struct bcastnet *net, struct kept *k)
{
	if (k->there && k->flit)
		flit_put(net, k->flit);
	k->there = false;
}

static void delivered(struct bcastnet *net, u32 at, const struct fc_effect *e)
{
	const struct held *held = &net->node[at].held[e->hold];
	u32 n = held->flit[0]->bcast;
	struct bcastnet_broadcast *bcast = &net->bcast[n];
	u8 value = BCASTNET_TRUE;

	for (u32 i = 0; i < held->n; i++) {
		if (held->flit[i]->bcast != n || held->flit[i]->index != i)
			wrong(net, "site %u: flits of others", at);
		if (held->flit[i]->value)
			value = BCASTNET_LIE;
	}
	if (value == BCASTNET_TRUE && held->n != bcast->flits)
		wrong(net, "site %u: %u flits, not %u", at, held->n, bcast->flits);
	if (at == bcast->src)
		wrong(net, "site %u: its own", at);
	if (bcast->recept[at].got & fc_bit(e->port))
		wrong(net, "site %u: twice by port %u", at, e->port);
	if (fc_recept_copy(&bcast->recept[at], e->port, value, 0) >= net->need)
		bcast->believed[at] |= 1 << value;
}

/* Return: the flit that a site forwards: @flit, or, from a faulty site, a forged one. */
static struct bcastnet_flit *lie(struct bcastnet *net, u32 at, struct bcastnet_flit *flit)
{
	struct bcastnet_flit *f;

	if (!(net->node[at].lies & BCASTNET_ALTER) || net->bcast[flit->bcast].src == at)
		return flit_get(flit);
	f = flit_new(net);
	*f = *flit;
	f->refs = 1;
	f->value = BCASTNET_LIE;
	return f;
}

static void relay(struct bcastnet *net, u32 at, const struct fc_effect *e)
{
	const struct held *held = &net->node[at].held[e->hold];
	struct kept *k = &net->node[at].port[e->port].replay[e->seq % BCASTNET_WINDOW];

	if (e->index >= held->n)
		wrong(net, "site %u: no flit %u", at, e->index);
	if (k->there)
		wrong(net, "site %u: the replay buffer is full", at);
	*k = (struct kept){ e->seq, lie(net, at, held->flit[e->index]), e->flit.parts, true };
	if (k->parts != k->flit->parts)
		wrong(net, "site %u: flit %u has parts %x, not %x", at, e->index, k->parts,
		      k->flit->parts);
	put_flit(net, at, e, k);
}

static void perform(struct bcastnet *net, u32 at, const struct fc_effect *e)
{
	struct bcastnet_node *node = &net->node[at];
	struct port *port = &node->port[e->port];
	struct kept *k = &port->replay[e->seq % BCASTNET_WINDOW];
	struct held *held = &node->held[e->hold];
	struct fc_event ev = { .type = FC_EV_STATUS, .seq = e->seq, .ack = e->ack,
			       .flags = e->flags, .status = e->status };

	switch (e->type) {
	case FC_FX_HOLD:
		if (held->n == BCASTNET_FLITS) {
			wrong(net, "site %u: too many flits", at);
			flit_put(net, e->flit.h);
			break;
		}
		held->flit[held->n++] = e->flit.h;
		break;
	case FC_FX_RELAY:
		relay(net, at, e);
		break;
	case FC_FX_CUT:
		*k = (struct kept){ e->seq, NULL, e->flit.parts, true };
		put_flit(net, at, e, k);
		break;
	case FC_FX_RESEND:
		if (!k->there || k->seq != e->seq)
			wrong(net, "site %u: flit %u is not kept", at, e->seq);
		else
			put_flit(net, at, e, k);
		break;
	case FC_FX_RELEASE:
		for (u32 i = 0; i < BCASTNET_WINDOW; i++)
			if (fc_before(port->replay[i].seq, e->seq))
				forget(net, &port->replay[i]);
		break;
	case FC_FX_RESCUE:
		for (u32 i = 0; i < BCASTNET_WINDOW; i++)
			forget(net, &port->replay[i]);
		break;
	case FC_FX_STATUS:
		put(net, at, e->port, ev);
		break;
	case FC_FX_DELIVER:
		delivered(net, at, e);
		break;
	case FC_FX_FREE:
		while (held->n)
			flit_put(net, held->flit[--held->n]);
		break;
	case FC_FX_DROP:
		flit_put(net, e->flit.h);
		break;
	case FC_FX_SUSPECT:
		/* A broadcast keeps to its paths. */
		break;
	default:
		wrong(net, "site %u: effect %u", at, e->type);
		break;
	}
}

static void event(struct bcastnet *net, u32 at, struct fc_event ev)
{
	struct bcastnet_node *node = &net->node[at];
	bool more;

	if (node->dead) {
		if (ev.flit.h)
			flit_put(net, ev.flit.h);
		return;
	}
	ev.now = net->now;
	do {
		more = fc_relay_event(&node->relay, &ev, &effects);
		if (effects.n > FC_EFFECTS)
			wrong(net, "%u effects", effects.n);
		for (u32 i = 0; i < effects.n; i++)
			perform(net, at, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more);
}

const char *bcastnet_table(struct fc_bcast *table, struct fc_topo *topo, const char *spec,
			   unsigned int copies)
{
	const char *error = fc_topo_parse(topo, spec);
	struct fc_bcast_work *work;

	table->entry = NULL;
	if (!error && topo->nsites > BCASTNET_SITES)
		error = "too many sites";
	if (!error)
		error = fc_bcast_init(table, topo, copies);
	if (error)
		return error;
	table->entry = calloc(fc_bcast_slots(topo), sizeof(u32));
	work = calloc(fc_bcast_slots(topo), sizeof(*work));
	error = fc_bcast_fill(table, work);
	if (!error)
		error = fc_bcast_check(table, work);
	free(work);
	if (error)
		bcastnet_table_free(table);
	return error;
}

void bcastnet_table_free(struct fc_bcast *table)
{
	free(table->entry);
	table->entry = NULL;
}

static void node_init(struct bcastnet *net, u32 at)
{
	struct bcastnet_node *node = &net->node[at];
	struct fc_relay *r = &node->relay;
	u8 nports = net->topo.ndirs + 1;

	r->next_hop = next_hop;
	r->tables = net->table;
	r->id = at;
	r->nsites = net->topo.nsites;
	r->nholds = fc_relay_holds(r->nsites, nports);
	r->in = calloc(nports, sizeof(*r->in));
	r->out = calloc(nports, sizeof(*r->out));
	r->hold = calloc(r->nholds, sizeof(*r->hold));
	r->seen = calloc((size_t)r->nsites * nports, sizeof(*r->seen));
	r->stat = node->stat;
	node->rx = calloc(nports, sizeof(*node->rx));
	node->tx = calloc(nports, sizeof(*node->tx));
	node->port = calloc(nports, sizeof(*node->port));
	node->held = calloc(r->nholds, sizeof(*node->held));
	r->ch.timing = &net->timing;
	r->ch.rx = node->rx;
	r->ch.tx = node->tx;
	r->ch.window = BCASTNET_WINDOW;
	r->ch.nports = nports;
	for (u8 p = 0; p < nports; p++) {
		node->rx[p].queue = node->port[p].queue;
		node->rx[p].stat = node->port[p].stat;
		r->out[p].fifo = calloc(r->nholds, sizeof(u16));
	}
	node->incarnation = at + 1;
	fc_relay_init(r);
}

void bcastnet_init(struct bcastnet *net, const struct fc_bcast *table, u32 bcasts_max)
{
	memset(net, 0, sizeof(*net));
	net->topo = *table->topo;
	net->table = table;
	net->copies = table->copies;
	net->need = 1;
	net->delay = 1;
	net->timing = (struct fc_timing){ .retry = 20, .ack_delay = 20, .poll = 100 };
	net->bcasts_max = bcasts_max;
	net->bcast = calloc(bcasts_max, sizeof(*net->bcast));
	net->node = calloc(net->topo.nsites, sizeof(*net->node));
	for (u32 i = 0; i < net->topo.nsites; i++)
		node_init(net, i);
	for (u32 i = 0; i < net->topo.nsites; i++) {
		for (u8 p = 1; p <= net->topo.ndirs; p++) {
			struct fc_event up = { .type = FC_EV_LINK_UP, .port = p,
					       .count = BCASTNET_WINDOW };

			if (peer_of(net, i, p) != FC_SITE_NONE)
				event(net, i, up);
		}
	}
}

static void wire_free(struct bcastnet *net, u32 at, u8 port)
{
	struct frame *f;

	while ((f = net->node[at].port[port].wire)) {
		net->node[at].port[port].wire = f->next;
		if (f->ev.flit.h)
			flit_put(net, f->ev.flit.h);
		free(f);
	}
}

static void drop(void *arg, void *h)
{
	flit_put(arg, h);
}

static void node_free(struct bcastnet *net, u32 at)
{
	struct bcastnet_node *node = &net->node[at];

	for (u32 h = 0; h < node->relay.nholds; h++)
		while (node->held[h].n)
			flit_put(net, node->held[h].flit[--node->held[h].n]);
	for (u8 p = 1; p <= net->topo.ndirs; p++) {
		for (u32 k = 0; k < BCASTNET_WINDOW; k++)
			forget(net, &node->port[p].replay[k]);
		wire_free(net, at, p);
	}
	fc_relay_purge(&node->relay, drop, net);
	for (u8 p = 0; p <= net->topo.ndirs; p++)
		free(node->relay.out[p].fifo);
	free(node->relay.in);
	free(node->relay.out);
	free(node->relay.hold);
	free(node->relay.seen);
	free(node->rx);
	free(node->tx);
	free(node->port);
	free(node->held);
}

void bcastnet_free(struct bcastnet *net)
{
	for (u32 i = 0; i < net->topo.nsites; i++)
		node_free(net, i);
	if (net->handles)
		wrong(net, "%u flits are left over", net->handles);
	free(net->bcast);
	free(net->node);
}

/* Find the broadcast of a source and number, or create the record of a forged one. */
static u32 bcast_find(struct bcastnet *net, u32 src, u32 number)
{
	u32 n;

	for (n = 0; n < net->ncasts; n++)
		if (net->bcast[n].src == src && net->bcast[n].number == number)
			return n;
	if (n == net->bcasts_max) {
		wrong(net, "more than %u broadcasts", n);
		return 0;
	}
	net->bcast[n].src = src;
	net->bcast[n].number = number;
	net->ncasts++;
	return n;
}

static void begin(struct bcastnet *net, u32 at, u32 n, u32 flits, u8 value)
{
	const struct bcastnet_broadcast *bcast = &net->bcast[n];
	struct fc_packet pk = {
		.src = bcast->src, .incarnation = net->node[bcast->src].incarnation,
		.sock = FC_SOCK_BCAST, .src_port = 1, .ntargets = 1, .msg_len = flits,
	};
	struct fc_bcast_hdr c = { .number = bcast->number, .port = 1, .copies = net->copies };

	for (u32 i = 0; i < flits; i++) {
		struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };
		struct bcastnet_flit *f = flit_new(net);

		f->bcast = n;
		f->index = i;
		f->value = value;
		f->parts = (i ? 0 : FC_PART_HEAD) | (i == flits - 1 ? FC_PART_TERM : 0);
		fc_wire_packet_encode(f->head, &pk);
		fc_wire_bcast_encode(f->head, &c);
		ev.flit = (struct fc_flit){ .h = f, .data = 1, .parts = f->parts,
					    .head = i ? NULL : f->head };
		event(net, at, ev);
	}
}

u32 bcastnet_next_number(struct bcastnet *net, u32 at)
{
	return net->node[at].number++;
}

void bcastnet_send(struct bcastnet *net, u32 at, u32 number, u32 flits)
{
	u32 n = bcast_find(net, at, number);

	net->bcast[n].flits = flits;
	net->node[at].last = n + 1;
	for (u32 i = 0; i < net->topo.nsites; i++)
		net->node[i].evils = EVILS;
	begin(net, at, n, flits, BCASTNET_TRUE);
}

/* Send a broadcast in the name of its source on all links, also on those that have sent it. */
static void pretend(struct bcastnet *net, u32 at, u32 n, u32 flits, u8 value)
{
	struct fc_relay *r = &net->node[at].relay;
	u32 (*honest)(const struct fc_relay *relay, u32 src, u8 copies, u8 label,
		      u8 in) = r->next_hop;

	bcastnet_forget(net, at, net->bcast[n].src, FC_PORT_LOCAL);
	r->id = net->bcast[n].src;
	r->next_hop = everywhere_next_hop;
	if (fc_relay_room(r))
		begin(net, at, n, flits, value);
	r->id = at;
	r->next_hop = honest;
}

void bcastnet_forge(struct bcastnet *net, u32 at, u32 src, u32 number, u32 flits)
{
	pretend(net, at, bcast_find(net, src, number), flits, BCASTNET_LIE);
}

void bcastnet_die(struct bcastnet *net, u32 at)
{
	struct bcastnet_node *node = &net->node[at];

	node->dead = true;
	for (u8 p = 1; p <= net->topo.ndirs; p++) {
		struct fc_event down = { .type = FC_EV_LINK_DOWN, .port = peer_port(net, at, p) };
		u32 peer = peer_of(net, at, p);

		if (peer == FC_SITE_NONE || net->node[peer].dead)
			continue;
		/* Drop the frames in flight on the link that went down. */
		wire_free(net, peer, down.port);
		event(net, peer, down);
	}
}

void bcastnet_lie(struct bcastnet *net, u32 at, u8 how)
{
	net->node[at].lies = how;
	net->node[at].relay.next_hop = how & BCASTNET_DROP ? lying_next_hop : next_hop;
}

/* Occasionally send a broadcast in the name of another site: forged, altered or repeated. */
static void be_evil(struct bcastnet *net, u32 at)
{
	u8 lies = net->node[at].lies;
	u32 n;

	if (!net->ncasts || !net->node[at].evils || rng_below(&net->rng, 4))
		return;
	net->node[at].evils--;
	n = rng_below(&net->rng, net->ncasts);
	if (net->bcast[n].src == at)
		return;
	if (lies & BCASTNET_REPLAY && net->bcast[n].flits)
		pretend(net, at, n, net->bcast[n].flits, BCASTNET_TRUE);
	if (!(lies & BCASTNET_FORGE))
		return;
	if (net->ncasts < net->bcasts_max / 2 && !rng_below(&net->rng, 2))
		bcastnet_forge(net, at, net->bcast[n].src, rng_below(&net->rng, 8),
			       1 + rng_below(&net->rng, BCASTNET_FLITS));
	else
		pretend(net, at, n, 1 + rng_below(&net->rng, BCASTNET_FLITS), BCASTNET_LIE);
}

/* Is nothing in flight at sites or on links, and nothing left to resend? */
static bool idle(const struct bcastnet *net)
{
	for (u32 i = 0; i < net->topo.nsites; i++) {
		const struct bcastnet_node *node = &net->node[i];

		if (node->dead)
			continue;
		if (!fc_relay_idle(&node->relay))
			return false;
		for (u8 p = 1; p <= net->topo.ndirs; p++) {
			for (const struct frame *f = node->port[p].wire; f; f = f->next)
				if (f->ev.type == FC_EV_FLIT)
					return false;
			for (u32 k = 0; k < BCASTNET_WINDOW; k++)
				if (node->port[p].replay[k].there)
					return false;
		}
	}
	return true;
}

static bool everywhere(const struct bcastnet *net, const struct bcastnet_broadcast *bcast)
{
	for (u32 i = 0; i < net->topo.nsites; i++)
		if (i != bcast->src && !net->node[i].dead && bcastnet_got(bcast, i) < net->copies)
			return false;
	return true;
}

bool bcastnet_may_send(const struct bcastnet *net, u32 at)
{
	const struct bcastnet_node *node = &net->node[at];

	if (node->dead || node->lies || net->ncasts == net->bcasts_max ||
	    !fc_relay_room(&node->relay))
		return false;
	return !net->strict || !node->last || everywhere(net, &net->bcast[node->last - 1]) ||
	       idle(net);
}

/*
 * Receive the frames that are due at a port, in no particular order.  Return: time at which the
 * next one is due.
 */
static u64 arrive_at(struct bcastnet *net, u32 at, u8 port)
{
	struct frame **wire = &net->node[at].port[port].wire, *all = *wire;
	u64 next = FC_NEVER;

	*wire = NULL;
	while (all) {
		struct frame *f = all;

		all = f->next;
		if (f->at <= net->now) {
			event(net, at, f->ev);
			free(f);
		} else {
			next = f->at < next ? f->at : next;
			f->next = *wire;
			*wire = f;
		}
	}
	return next;
}

u64 bcastnet_arrive(struct bcastnet *net)
{
	u64 next = FC_NEVER;

	for (u32 i = 0; i < net->topo.nsites; i++) {
		struct fc_channel *ch = &net->node[i].relay.ch;
		struct fc_event time = { .type = FC_EV_TIME };

		for (u8 p = 1; p <= net->topo.ndirs; p++)
			arrive_at(net, i, p);
		if (net->node[i].dead)
			continue;
		if (net->node[i].lies)
			be_evil(net, i);
		if (ch->next_at <= net->now)
			event(net, i, time);
		next = ch->next_at < next ? ch->next_at : next;
	}
	/* Include the frames that were sent meanwhile. */
	for (u32 i = 0; i < net->topo.nsites; i++)
		for (u8 p = 1; p <= net->topo.ndirs; p++)
			for (struct frame *f = net->node[i].port[p].wire; f; f = f->next)
				next = f->at < next ? f->at : next;
	return next;
}

void bcastnet_run(struct bcastnet *net, u32 bcasts)
{
	u64 next = 0, last = 0, end = net->now + 10000000;
	u32 begun = 0;

	while (next != FC_NEVER && net->now < end) {
		net->now = next > net->now ? next : net->now + 1;
		for (u32 i = 0; begun < bcasts && i < net->topo.nsites; i++) {
			u32 at = rng_below(&net->rng, net->topo.nsites);

			if (!bcastnet_may_send(net, at))
				continue;
			bcastnet_send(net, at, bcastnet_next_number(net, at),
				      1 + rng_below(&net->rng, BCASTNET_FLITS));
			begun++;
		}
		next = bcastnet_arrive(net);
		if (begun < bcasts && next == FC_NEVER)
			next = net->now + 1;
		if (begun == bcasts && idle(net)) {
			if (!last)
				last = net->now;
			/* The network is idle: frames still on links have no further effect. */
			if (net->now > last + 100000)
				break;
		}
	}
	if (begun < bcasts)
		wrong(net, "%u of %u broadcasts began", begun, bcasts);
	if (!idle(net))
		wrong(net, "not idle in the end");
	net->full = 0;
	for (u32 i = 0; i < net->topo.nsites; i++)
		net->full += (u32)net->node[i].stat[FC_STAT_BCAST_FULL];
}

bool bcastnet_dead(const struct bcastnet *net, u32 at)
{
	return net->node[at].dead;
}

bool bcastnet_lies(const struct bcastnet *net, u32 at)
{
	return net->node[at].lies;
}

u64 bcastnet_stat(const struct bcastnet *net, u32 at, enum fc_stat stat)
{
	return net->node[at].stat[stat];
}

void bcastnet_forget(struct bcastnet *net, u32 at, u32 src, u8 port)
{
	struct fc_relay *r = &net->node[at].relay;

	r->seen[src * r->ch.nports + port].begun = false;
}
