// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "routes.h"
#include "util.h"
#include "world_impl.h"

#define SOCK	1
#define PORT	1024

const struct world_config *world_cfg;
struct world world;
unsigned int world_nflows;
struct content world_contents[WORLD_CONTENTS];
u8 world_peers[WORLD_SITES][WORLD_PORTS];
u8 world_peer_ports[WORLD_PORTS];

static u32 routes[WORLD_SITES][WORLD_SITES];
static unsigned int ncontents;
/* Front of a message for a mask; other flits by their index. */
static u8 front_id[WORLD_MESSAGES][1 << WORLD_TARGETS];
static u8 data_id[WORLD_MESSAGES][WORLD_FLITS];

static struct fc_effects effects;
static const char *broken;
static char broken_text[256];
static sigjmp_buf trap;

void (*world_fired)(unsigned int machine, unsigned int state, unsigned int cond);

static void __printf(1, 2) breaks(const char *fmt, ...)
{
	va_list args;

	if (broken)
		return;
	va_start(args, fmt);
	vsnprintf(broken_text, sizeof(broken_text), fmt, args);
	va_end(args);
	broken = broken_text;
}

static void make_contents(void)
{
	ncontents = 1;
	world_nflows = 0;
	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];
		u8 whole[sizeof(world_contents[0].head)];
		u32 bytes = msg->flits * BYTES;
		struct fc_packet pk = {
			.src = msg->from, .sock = SOCK, .src_port = PORT, .id = m,
			.ntargets = msg->ntargets, .msg_len = bytes, .data_len = bytes,
		};

		fc_wire_packet_encode(whole, &pk);
		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct fc_target target = {
				.site = msg->to[t], .port = PORT, .seq = msg->seq[t],
				.lag = msg->seq[t],
			};

			fc_wire_target_encode(whole, t, &target);
			if (msg->flow[t] >= world_nflows)
				world_nflows = msg->flow[t] + 1u;
		}
		/* The links crossed are not counted: states would differ by them alone. */
		for (u8 mask = 1; mask < 1 << msg->ntargets; mask++) {
			struct content *c = &world_contents[ncontents];

			*c = (struct content){ .message = (u8)m, .mask = mask };
			fc_wire_head_subset(c->head, whole, mask, 0);
			front_id[m][mask] = (u8)ncontents++;
		}
		for (u8 i = 1; i < msg->flits; i++) {
			struct content *c = &world_contents[ncontents];

			*c = (struct content){ .message = (u8)m, .index = i };
			data_id[m][i] = (u8)ncontents++;
		}
	}
}

/* Parts of a packet's flit as its sender makes it. */
static u8 parts_of(u8 id)
{
	const struct content *c = content_of(id);
	u8 flits = world_cfg->message[c->message].flits;

	return (c->index ? 0 : FC_PART_HEAD) | (c->index == flits - 1 ? FC_PART_TERM : 0);
}

/* Of the targets in the list of a front, those of the mask, as targets of the message. */
static u8 targets_of(u8 id, u64 mask)
{
	u8 list = content_of(id)->mask, targets = 0;

	for (; list; list &= (u8)(list - 1), mask >>= 1)
		if (mask & 1)
			targets |= (u8)fc_bit(fc_low(list));
	return targets;
}

/*
 * Links.
 */

static void make_links(void)
{
	const struct fc_topo *topo = &world_cfg->topo;

	for (u8 port = 1; port <= topo->ndirs; port++) {
		/* Topologies that have a specification are alike at all sites. */
		world_peer_ports[port] = topo->ops->arrival(topo, 0, port - 1) + 1;
		for (unsigned int at = 0; at < topo->nsites; at++) {
			u32 peer = fc_topo_neighbour(topo, at, port - 1);

			if (!fc_routes_link_works(topo, world_cfg->down, at, port - 1))
				peer = NO_PEER;
			world_peers[at][port] = (u8)peer;
		}
	}
}

/* Around what is dead. */
static void make_routes(void)
{
	u32 work[2 * WORLD_SITES], down[WORLD_SITES];

	for (u32 at = 0; at < world_cfg->topo.nsites; at++) {
		memcpy(down, world_cfg->down, sizeof(down));
		for (u32 other = 0; world_cfg->unaware && other < world_cfg->topo.nsites; other++)
			down[other] = other == at ? down[at] : 0;
		fc_routes_compute(&world_cfg->topo, at, down, routes[at], work);
	}
}

static unsigned int place(unsigned int at, u8 port)
{
	return at * (WORLD_PORTS - 1) + port - 1;
}

/* Each link has two ends; its own place is that of the first. */
static bool first_end(unsigned int at, u8 port)
{
	return place(at, port) < place(peer_of(at, port), peer_port(port));
}

static bool link_is_up(unsigned int at, u8 port)
{
	return world.node[at].site.data.up & fc_bit(port);
}

static void wire_add(unsigned int at, u8 port, const struct wire_frame *frame)
{
	struct wire *wire = &world.node[at].wire[port];

	/* A status behind a status says all of it: levels. */
	if (frame->status && wire->n && wire->frame[wire->n - 1].status) {
		struct wire_frame *last = &wire->frame[wire->n - 1], before = *last;

		*last = *frame;
		last->parts |= before.parts;
		if (!(frame->parts & FC_STATUS_NACK))
			last->said.upto = before.said.upto;
		return;
	}
	if (wire->n == WORLD_WIRE) {
		breaks("site %u port %u: more than %u frames on a link", at, port, WORLD_WIRE);
		return;
	}
	wire->frame[wire->n++] = *frame;
}

static void wire_first(unsigned int at, u8 port, const struct wire_frame *frame)
{
	struct wire *wire = &world.node[at].wire[port];

	if (wire->n == WORLD_WIRE) {
		breaks("site %u port %u: more than %u frames on a link", at, port, WORLD_WIRE);
		return;
	}
	memmove(wire->frame + 1, wire->frame, wire->n++ * sizeof(*frame));
	wire->frame[0] = *frame;
}

static struct wire_frame wire_take(unsigned int at, u8 port)
{
	struct wire *wire = &world.node[at].wire[port];
	struct wire_frame frame = wire->frame[0];

	memmove(wire->frame, wire->frame + 1, --wire->n * sizeof(frame));
	return frame;
}

/*
 * Operators and ends.
 */

static void no_skip(void *arg, struct fc_rxmsg *msg)
{
	breaks("message %u of a flow was skipped", msg->seq);
}

static bool end_over(unsigned int m, unsigned int t)
{
	return fc_txtarget_over(&world.end[m][t].tx);
}

/* Confirmations come at once; what they would do later, repetitions do (early=). */
static void confirm(u8 flow, const struct fc_ctrl *ctrl)
{
	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct end *end = &world.end[m][t];

			if (msg->flow[t] != flow || end_over(m, t))
				continue;
			fc_txtarget_answer(&end->tx, ctrl);
			if (end_over(m, t))
				world.tx[flow].oldest = msg->seq[t] + 1u;
		}
	}
}

static void deliver(unsigned int at, u8 m, unsigned int t)
{
	const struct world_message *msg = &world_cfg->message[m];
	u8 flow = msg->flow[t];
	struct fc_rxflow *rx = &world.rx[flow];
	struct fc_part part = fc_part_make(msg->flits * BYTES, 0, 0);
	struct fc_ctrl ctrl = { .kind = FC_CTRL_CONFIRM };
	struct fc_target target;
	struct fc_rxmsg *slot;

	if (msg->to[t] != at) {
		breaks("site %u: message %u for site %u", at, m, msg->to[t]);
		return;
	}
	fc_wire_target_decode(&target, content_of(front_id[m][1 << t])->head, 0);
	switch (fc_rxflow_packet(rx, &target, &part, 0, &slot, no_skip, NULL)) {
	case FC_RX_ADMIT:
		fc_rxflow_admit(rx, slot, &target, &part, (void *)(uintptr_t)(m + 1));
		fc_rxmsg_stored(slot, 0);
		break;
	case FC_RX_DUPLICATE:
		/* What waits for the messages before it is repeated to ask for the level. */
		if (!world.repeated && world.tx[flow].next == 1)
			breaks("site %u: message %u twice, though nothing was repeated", at, m);
		break;
	case FC_RX_TAKE:
	case FC_RX_BAD:
		breaks("site %u: message %u contradicts itself", at, m);
		return;
	}
	while ((slot = fc_rxflow_ready(rx))) {
		u8 got = (u8)((uintptr_t)slot->h - 1);

		for (t = 0; world_cfg->message[got].to[t] != at; t++)
			;
		if (world.end[got][t].delivered)
			breaks("site %u: message %u delivered twice", at, got);
		if (world_cfg->message[got].seq[t] != rx->next)
			breaks("site %u: message %u out of order", at, got);
		world.end[got][t].delivered = true;
		fc_rxflow_delivered(rx, slot);
	}
	fc_rxflow_confirm(rx, target.seq, &ctrl);
	confirm(flow, &ctrl);
}

static void store(struct node *node, unsigned int at, u8 id)
{
	/* The network-buffer itself holds one more. */
	unsigned int room = world_cfg->pool + (world_cfg->drop ? 0u : 1u);

	if (node->nstored < room)
		node->stored[node->nstored++] = id;
	else if (!world_cfg->drop)
		breaks("site %u: a packet for a network-buffer that is in use", at);
}

static void serve(unsigned int at, u64 mask, bool others)
{
	struct node *node = &world.node[at];
	const struct content *c = content_of(node->buffer[0]);
	u8 m = c->message, targets, rest = 0;
	const struct world_message *msg = &world_cfg->message[m];

	if (node->nbuffer != msg->flits || !c->mask) {
		breaks("site %u: %u flits of message %u's %u are served", at, node->nbuffer, m,
		       msg->flits);
		return;
	}
	for (u8 i = 1; i < msg->flits; i++) {
		if (node->buffer[i] != data_id[m][i]) {
			breaks("site %u: flit %u of message %u is not its own", at, i, m);
			return;
		}
	}
	targets = targets_of(node->buffer[0], mask);
	node->nbuffer = 0;
	for (unsigned int t = 0; t < msg->ntargets; t++) {
		if (!(targets >> t & 1))
			continue;
		if (msg->to[t] == at)
			deliver(at, m, t);
		else
			rest |= (u8)fc_bit(t);
	}
	if (others && rest)
		store(node, at, front_id[m][rest]);
}

/*
 * Sites.
 */

static void fired(const struct fc_site *site, unsigned int machine, unsigned int state,
		  unsigned int cond)
{
	if (world_fired)
		world_fired(machine, state, cond);
}

static void send_flit(unsigned int at, const struct fc_effect *e)
{
	struct node *node = &world.node[at];
	struct wire_frame frame = {
		.id = id_of(&e->flit), .seq = e->seq, .ack = e->ack,
		.parts = e->flit.parts & (FC_PART_HEAD | FC_PART_TERM | FC_PART_ABORT),
	};

	if (frame.parts & FC_PART_HEAD) {
		u8 targets = targets_of(frame.id, e->mask);

		if (!targets) {
			breaks("site %u: a front without targets", at);
			return;
		}
		frame.id = front_id[content_of(frame.id)->message][targets];
	}
	if (!frame.id && frame.parts != (FC_PART_TERM | FC_PART_ABORT))
		breaks("site %u: parts %x without a frame", at, frame.parts);
	if (node->nreplay[e->port] == world_cfg->window) {
		breaks("site %u port %u: a window of more than %u", at, e->port,
		       world_cfg->window);
		return;
	}
	if (!node->nreplay[e->port])
		node->replay_seq[e->port] = e->seq;
	node->replay[e->port][node->nreplay[e->port]++] =
		(struct kept){ .id = frame.id, .parts = frame.parts };
	wire_add(at, e->port, &frame);
}

static void resend_flit(unsigned int at, const struct fc_effect *e)
{
	const struct node *node = &world.node[at];
	u32 i = e->seq - node->replay_seq[e->port];
	struct wire_frame frame = { .seq = e->seq, .ack = e->ack };

	if (i >= node->nreplay[e->port]) {
		breaks("site %u port %u: a flit that is not kept is sent again", at, e->port);
		return;
	}
	frame.id = node->replay[e->port][i].id;
	frame.parts = node->replay[e->port][i].parts;
	wire_add(at, e->port, &frame);
}

static void release(unsigned int at, const struct fc_effect *e)
{
	struct node *node = &world.node[at];
	struct kept *kept = node->replay[e->port];
	u32 n = e->seq - node->replay_seq[e->port];

	if (n > node->nreplay[e->port]) {
		breaks("site %u port %u: %u of %u kept flits are released", at, e->port, n,
		       node->nreplay[e->port]);
		return;
	}
	node->nreplay[e->port] -= (u8)n;
	node->replay_seq[e->port] = e->seq;
	memmove(kept, kept + n, node->nreplay[e->port] * sizeof(*kept));
}

/* The whole packets of a link that is gone go on from here, another way. */
static void rescue(unsigned int at, u8 port)
{
	struct node *node = &world.node[at];
	u8 front = 0, n = 0;

	for (unsigned int i = 0; i < node->nreplay[port]; i++) {
		const struct kept *kept = &node->replay[port][i];

		if (kept->parts & (FC_PART_HEAD | FC_PART_ABORT)) {
			front = kept->parts & FC_PART_HEAD ? kept->id : 0;
			n = 0;
		}
		n++;
		if (!front || !(kept->parts & FC_PART_TERM))
			continue;
		if (n != world_cfg->message[content_of(front)->message].flits)
			breaks("site %u port %u: %u flits are a packet", at, port, n);
		store(node, at, front);
		front = 0;
	}
	node->nreplay[port] = 0;
}

static void perform(unsigned int at, const struct fc_effect *e)
{
	struct node *node = &world.node[at];
	struct wire_frame status = { .status = true };

	if (e->flit.h && !e->keep && e->type != FC_FX_UNREACHABLE) {
		if (!node->held)
			breaks("site %u gives back more handles than it was given", at);
		node->held--;
	}
	switch ((enum fc_effect_type)e->type) {
	case FC_FX_SEND:
		send_flit(at, e);
		break;
	case FC_FX_STATUS:
		status.parts = e->flags;
		status.seq = e->seq;
		status.ack = e->ack;
		status.said = e->status;
		wire_add(at, e->port, &status);
		break;
	case FC_FX_STORE:
		if (node->nbuffer == WORLD_FLITS) {
			breaks("site %u: a packet larger than the network-buffer", at);
			return;
		}
		node->buffer[node->nbuffer++] = id_of(&e->flit);
		if (world_cfg->timing.fifo_room && ++node->words > world_cfg->timing.fifo_room)
			breaks("site %u: %u words in the fifo-buffer", at, node->words);
		break;
	case FC_FX_SERVE:
	case FC_FX_SERVE_LOCAL:
		serve(at, e->mask, e->type == FC_FX_SERVE);
		break;
	case FC_FX_DISCARD:
		node->nbuffer = 0;
		break;
	case FC_FX_UNREACHABLE:
		if (!world_cfg->flaps)
			breaks("site %u: no way, though no link is down", at);
		break;
	case FC_FX_DROP:
		break;
	case FC_FX_RESET:
		breaks("site %u port %u: the ends of a link contradict each other", at, e->port);
		break;
	case FC_FX_RESEND:
		resend_flit(at, e);
		break;
	case FC_FX_RELEASE:
		release(at, e);
		break;
	case FC_FX_RESCUE:
		rescue(at, e->port);
		break;
	}
}

unsigned int world_count_held(const struct node *node)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < node->site.nports; p++) {
		n += !!node->in[p].held.h;
		for (unsigned int i = 0; i < world_cfg->window; i++)
			n += !!node->queue[p][i].h;
	}
	return n;
}

static void site_event(unsigned int at, const struct fc_event *first)
{
	struct node *node = &world.node[at];
	struct fc_event ev = *first;
	bool more;

	ev.now = NOW;
	if (ev.flit.h)
		node->held++;
	do {
		more = fc_site_event(&node->site, &ev, &effects);
		for (u32 i = 0; i < effects.n; i++)
			perform(at, &effects.fx[i]);
		ev.type = FC_EV_MORE;
	} while (more && !broken);
	if (world_count_held(node) != node->held)
		breaks("site %u holds %u handles and was given %u", at, world_count_held(node),
		       node->held);
	if (node->site.work || node->site.data.status)
		breaks("site %u is left with work", at);
	for (unsigned int p = 1; p < node->site.nports; p++)
		if (node->nreplay[p] != node->tx[p].sent - node->tx[p].acked)
			breaks("site %u port %u keeps %u flits, of which %u were not taken", at, p,
			       node->nreplay[p], node->tx[p].sent - node->tx[p].acked);
}

/* Every timer that is armed is due later, whenever that is. */
static void later(u64 *at)
{
	if (*at != FC_NEVER)
		*at = LATER;
}

static void settle(struct node *node)
{
	for (unsigned int p = 0; p < node->site.nports; p++) {
		later(&node->in[p].seek_at);
		later(&node->rx[p].tell_at);
		later(&node->rx[p].nack_at);
		later(&node->tx[p].probe_at);
	}
	later(&node->site.fifo.timeout_at);
	node->site.next_at = FC_NEVER;
	node->site.data.next_at = FC_NEVER;
}

static void fire(unsigned int at, u64 *timer)
{
	struct fc_event ev = { .type = FC_EV_TIME };

	*timer = NOW;
	world.node[at].site.next_at = NOW;
	world.node[at].site.data.next_at = NOW;
	site_event(at, &ev);
}

/* The next flit of the packet that the operator sends. */
static void feed(unsigned int at)
{
	struct node *node = &world.node[at];
	u8 m = content_of(node->sending)->message;
	u8 id = node->index ? data_id[m][node->index] : node->sending;
	struct fc_event ev = {
		.type = FC_EV_FLIT, .port = FC_PORT_LOCAL, .seq = fc_site_seq(&node->site),
		.flit = make_flit(id, parts_of(id)),
	};

	if (++node->index == world_cfg->message[m].flits) {
		node->sending = 0;
		node->index = 0;
	}
	site_event(at, &ev);
}

static void begin(unsigned int at, u8 id)
{
	world.node[at].sending = id;
	world.node[at].index = 0;
	feed(at);
}

static void resend(unsigned int at)
{
	struct node *node = &world.node[at];
	u8 id = node->stored[0];

	memmove(node->stored, node->stored + 1, --node->nstored);
	begin(at, id);
}

/* Is something of the message anywhere but at its ends? */
static bool under_way(unsigned int m)
{
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		const struct node *node = &world.node[at];

		if (node->sending && content_of(node->sending)->message == m)
			return true;
		for (unsigned int i = 0; i < node->nbuffer; i++)
			if (content_of(node->buffer[i])->message == m)
				return true;
		for (unsigned int i = 0; i < node->nstored; i++)
			if (content_of(node->stored[i])->message == m)
				return true;
		for (unsigned int p = 0; p < node->site.nports; p++) {
			const struct wire *wire = &node->wire[p];

			for (unsigned int i = 0; i < wire->n; i++)
				if (wire->frame[i].id &&
				    content_of(wire->frame[i].id)->message == m)
					return true;
			for (unsigned int i = 0; i < node->nreplay[p]; i++)
				if (node->replay[p][i].id &&
				    content_of(node->replay[p][i].id)->message == m)
					return true;
			if (node->in[p].held.h &&
			    content_of(id_of(&node->in[p].held))->message == m)
				return true;
			for (unsigned int i = 0; i < world_cfg->window; i++)
				if (node->queue[p][i].h &&
				    content_of(id_of(&node->queue[p][i]))->message == m)
					return true;
		}
	}
	return false;
}

/* Targets of a message that its source would send it to now. */
static u8 unconfirmed(unsigned int m)
{
	const struct world_message *msg = &world_cfg->message[m];
	u8 mask = 0;

	for (unsigned int t = 0; t < msg->ntargets; t++) {
		struct fc_txtarget tx = world.end[m][t].tx;

		if (fc_txtarget_over(&tx))
			continue;
		fc_txtarget_repeat(&tx);
		if (!fc_txtarget_next(&tx, &world.tx[msg->flow[t]]))
			mask |= (u8)fc_bit(t);
	}
	return mask;
}

static void send(unsigned int m, u8 mask)
{
	const struct world_message *msg = &world_cfg->message[m];

	for (unsigned int t = 0; t < msg->ntargets; t++)
		if (mask >> t & 1 && !end_over(m, t))
			fc_txtarget_sent(&world.end[m][t].tx, 0);
	begin(msg->from, front_id[m][mask]);
}

static void link_event(unsigned int at, u8 port, enum fc_event_type type)
{
	struct fc_event ev = { .type = (u8)type, .port = port, .count = world_cfg->window };

	world.node[at].wire[port].n = 0;
	site_event(at, &ev);
}

static void link_both(unsigned int at, u8 port, enum fc_event_type type)
{
	link_event(at, port, type);
	link_event(peer_of(at, port), peer_port(port), type);
}

static void arrive(unsigned int at, u8 port)
{
	struct wire_frame frame = wire_take(at, port);
	struct fc_event ev = {
		.type = frame.status ? FC_EV_STATUS : FC_EV_FLIT, .port = peer_port(port),
		.seq = frame.seq, .ack = frame.ack,
	};

	if (frame.status) {
		ev.flags = frame.parts;
		ev.status = frame.said;
	} else {
		ev.flit = make_flit(frame.id, frame.parts);
	}
	site_event(peer_of(at, port), &ev);
}

void world_init(const struct world_config *config)
{
	world_cfg = config;
	make_contents();
	make_links();
	make_routes();
	memset(&world, 0, sizeof(world));
	broken = NULL;
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		struct node *node = &world.node[at];
		struct fc_site *site = &node->site;

		site->topo = &world_cfg->topo;
		site->pref = &world_cfg->pref;
		site->timing = &world_cfg->timing;
		site->in = node->in;
		site->out = node->out;
		site->data.rx = node->rx;
		site->data.tx = node->tx;
		site->stat = node->stat;
		site->id = at;
		site->data.window = world_cfg->window;
		site->nports = world_cfg->topo.ndirs + 1;
		site->fired = fired;
		for (unsigned int p = 0; p < site->nports; p++) {
			node->rx[p].queue = node->queue[p];
			node->rx[p].stat = node->link_stat[p];
		}
		fc_site_init(site, 1);
		if (world_cfg->faults)
			site->routes = routes[at];
	}
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++)
		for (u8 p = 1; p < world.node[at].site.nports; p++)
			if (has_link(at, p))
				link_event(at, p, FC_EV_LINK_UP);
	for (unsigned int m = 0; m < world_cfg->nmessages; m++) {
		const struct world_message *msg = &world_cfg->message[m];

		for (unsigned int t = 0; t < msg->ntargets; t++) {
			struct fc_txtarget *tx = &world.end[m][t].tx;

			tx->part = fc_part_make(msg->flits * BYTES, 0, 0);
			tx->seq = msg->seq[t];
			tx->state = FC_TX_ASKING;
			world.tx[msg->flow[t]].next = tx->seq + 1;
		}
	}
	world.loss = world_cfg->loss;
	world.doubles = world_cfg->doubles;
	world.overtakes = world_cfg->overtakes;
	world.flaps = world_cfg->flaps;
	world.early = world_cfg->early;
}

/*
 * What may happen.
 */

struct list {
	u16 *event;
	unsigned int n;
};

static void may(struct list *list, enum world_kind kind, unsigned int where)
{
	if (list->n == WORLD_EVENTS)
		die("more than %u events are possible", WORLD_EVENTS);
	list->event[list->n++] = world_event(kind, where);
}

static void link_events(struct list *list, unsigned int at, u8 port)
{
	const struct node *node = &world.node[at];
	const struct node *peer = &world.node[peer_of(at, port)];
	unsigned int where = place(at, port);

	if (!link_is_up(at, port)) {
		if (first_end(at, port))
			may(list, WORLD_UP, where);
		return;
	}
	if (node->wire[port].n) {
		may(list, WORLD_ARRIVE, where);
		if (world.loss)
			may(list, WORLD_LOSE, where);
		if (world.doubles)
			may(list, WORLD_DOUBLE, where);
		if (world.overtakes && node->wire[port].n > 1)
			may(list, WORLD_OVERTAKE, where);
	}
	if (world.flaps && first_end(at, port))
		may(list, WORLD_DOWN, where);
	/* Much later than anything that is under way on the link. */
	if (node->wire[port].n || peer->wire[peer_port(port)].n)
		return;
	if (node->tx[port].probe_at != FC_NEVER)
		may(list, WORLD_PROBE, where);
	if (node->rx[port].tell_at != FC_NEVER)
		may(list, WORLD_TELL, where);
	if (node->rx[port].nack_at != FC_NEVER)
		may(list, WORLD_NACK, where);
}

static void operator_events(struct list *list, unsigned int at)
{
	const struct node *node = &world.node[at];
	bool room = fc_site_room(&node->site);

	if (node->words && (world_cfg->drop || node->nstored <= world_cfg->pool))
		may(list, WORLD_TAKE, at);
	if (node->sending) {
		if (room)
			may(list, WORLD_FEED, at);
		return;
	}
	if (room && node->nstored)
		may(list, WORLD_RESEND, at);
	for (unsigned int m = 0; room && m < world_cfg->nmessages; m++) {
		if (world_cfg->message[m].from != at || !unconfirmed(m))
			continue;
		if (!under_way(m))
			may(list, WORLD_SEND, m);
		else if (world.early)
			may(list, WORLD_EARLY, m);
	}
}

unsigned int world_events(u16 events[WORLD_EVENTS])
{
	struct list list = { .event = events };

	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		const struct node *node = &world.node[at];

		operator_events(&list, at);
		for (u8 p = 0; p < node->site.nports; p++) {
			if (p && has_link(at, p))
				link_events(&list, at, p);
			/* Beyond the threshold more seeks change nothing. */
			if (node->in[p].seek_at != FC_NEVER &&
			    node->in[p].seeks <= world_cfg->timing.seek_max)
				may(&list, WORLD_SEEK, at * WORLD_PORTS + p);
		}
		if (world_cfg->timeout && node->site.fifo.timeout_at != FC_NEVER)
			may(&list, WORLD_TIMEOUT, at);
	}
	return list.n;
}

static void apply(u16 event)
{
	unsigned int where = event & 0xff, at;
	struct fc_event room = { .type = FC_EV_ROOM, .count = 1 };
	struct wire_frame frame;
	u8 port;

	place_split(where, &at, &port);
	switch ((enum world_kind)(event >> 8)) {
	case WORLD_ARRIVE:
		arrive(at, port);
		break;
	case WORLD_LOSE:
		wire_take(at, port);
		world.loss--;
		break;
	case WORLD_DOUBLE:
		world.doubles--;
		frame = world.node[at].wire[port].frame[0];
		arrive(at, port);
		wire_first(at, port, &frame);
		break;
	case WORLD_OVERTAKE:
		world.overtakes--;
		frame = world.node[at].wire[port].frame[0];
		world.node[at].wire[port].frame[0] = world.node[at].wire[port].frame[1];
		world.node[at].wire[port].frame[1] = frame;
		break;
	case WORLD_DOWN:
		world.flaps--;
		world.repeated = true;
		link_both(at, port, FC_EV_LINK_DOWN);
		break;
	case WORLD_UP:
		link_both(at, port, FC_EV_LINK_UP);
		break;
	case WORLD_SEND:
		send(where, unconfirmed(where));
		break;
	case WORLD_EARLY:
		world.early--;
		world.repeated = true;
		send(where, (u8)fc_mask_all(world_cfg->message[where].ntargets));
		break;
	case WORLD_RESEND:
		resend(where);
		break;
	case WORLD_FEED:
		feed(where);
		break;
	case WORLD_TAKE:
		world.node[where].words--;
		site_event(where, &room);
		break;
	case WORLD_SEEK:
		at = where / WORLD_PORTS;
		fire(at, &world.node[at].in[where % WORLD_PORTS].seek_at);
		break;
	case WORLD_TIMEOUT:
		fire(where, &world.node[where].site.fifo.timeout_at);
		break;
	case WORLD_PROBE:
		fire(at, &world.node[at].tx[port].probe_at);
		break;
	case WORLD_TELL:
		fire(at, &world.node[at].rx[port].tell_at);
		break;
	case WORLD_NACK:
		fire(at, &world.node[at].rx[port].nack_at);
		break;
	}
	for (at = 0; at < world_cfg->topo.nsites; at++)
		settle(&world.node[at]);
}

/* FC_BUG_ON_US: a state that the core believes impossible. */
static void on_trap(int sig)
{
	siglongjmp(trap, 1);
}

const char *world_apply(u16 event)
{
	static bool ready;

	if (!ready) {
		struct sigaction action = { .sa_handler = on_trap, .sa_flags = SA_NODEFER };

		sigaction(SIGILL, &action, NULL);
		sigaction(SIGTRAP, &action, NULL);
		ready = true;
	}
	broken = NULL;
	if (sigsetjmp(trap, 0))
		breaks("the core is in a state that no table has");
	else
		apply(event);
	return broken;
}

static bool idle(void)
{
	for (unsigned int at = 0; at < world_cfg->topo.nsites; at++) {
		const struct node *node = &world.node[at];

		if (!fc_site_idle(&node->site) || node->nbuffer || node->nstored ||
		    node->sending || node->words)
			return false;
		for (unsigned int p = 1; p < node->site.nports; p++)
			if (node->wire[p].n)
				return false;
	}
	return true;
}

bool world_done(void)
{
	for (unsigned int m = 0; m < world_cfg->nmessages; m++)
		for (unsigned int t = 0; t < world_cfg->message[m].ntargets; t++)
			if (!world.end[m][t].delivered || !end_over(m, t))
				return false;
	return idle();
}
