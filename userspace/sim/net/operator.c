// SPDX-License-Identifier: GPL-2.0
/*
 * The operator of a site (CARE, section 4.3) and the sockets behind it: segments messages into
 * packets and packets into flits, receives packets, stores packets for other sites, and confirms
 * messages.  Receivers read their sockets at once.
 */
#include <stdlib.h>

#include "dgram.h"
#include "fail.h"
#include "operator.h"
#include "traffic.h"
#include "base/util.h"
#include "core/wire/wire_sum.h"

/* Each site has one socket, on one port. */
#define SOCK	1
#define PORT	1024

u32 operator_incarnation(u32 node)
{
	return node ^ 0x5a5a5a5a;
}

void operator_init(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);

	node->active = xcalloc(sim->config.active, sizeof(struct message *));
	node->transit_end = &node->transit;
	node->feed_at = FC_NEVER;
	node->backlog_end = &node->backlog;
}

void operator_free(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);
	struct stored *stored;

	while ((stored = node->transit)) {
		node->transit = stored->next;
		flits_free(sim, &stored->flits);
		free(stored);
	}
	free(node->active);
}

/*
 * Control frames.
 */

static void control_send(struct sim *sim, u32 at, const struct fc_ctrl *ctrl, bool forward)
{
	static const struct fc_link_hdr header = {
		.type = FC_FRAME_CTRL, .vc = FC_VC_CTRL, .len = FC_CTRL_SIZE, .epoch = 1,
	};
	u8 port = fc_node_next_port(&sim_node(sim, at)->shared, ctrl->dst);
	struct frame *frame;

	if (port == FC_PORT_NONE || ctrl->hops > FC_HOPS_MAX) {
		sim->stat[FC_STAT_CTRL_DROPPED]++;
		return;
	}
	sim->stat[forward ? FC_STAT_CTRL_FORWARDED : FC_STAT_CTRL_SENT]++;
	sim->link_stat[FC_LSTAT_TX_CTRL]++;
	frame = frame_new(sim, FC_CTRL_SIZE, NULL);
	fc_wire_ctrl_encode(frame->payload, ctrl);
	net_send(sim, at, port, &header, frame, NULL);
}

static bool message_has_flow(const struct message *message, const struct flow *flow, u32 *index)
{
	for (u32 i = 0; i < message->ntargets; i++) {
		if (message->target[i].flow == flow) {
			*index = i;
			return true;
		}
	}
	return false;
}

/* Message @seq of the flow is complete: advance the window. */
static void flow_over(struct flow *flow, u32 seq)
{
	flow->completed |= fc_bit(seq - flow->tx.oldest);
	while (flow->completed & 1) {
		flow->completed >>= 1;
		flow->tx.oldest++;
	}
}

static void activate(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);

	while (node->nactive < sim->config.active && node->backlog) {
		struct message *m = node->backlog;
		struct event event = { .kind = EVENT_REPEAT, .node = at, .message = m };

		node->backlog = m->next;
		node->nbacklog--;
		if (!node->backlog)
			node->backlog_end = &node->backlog;
		for (u32 i = 0; i < m->ntargets; i++) {
			struct target *t = &m->target[i];

			t->tx.part = fc_part_make(m->bytes, 0, 0);
			t->tx.seq = t->flow->tx.next++;
			t->tx.state = FC_TX_ASKING;
		}
		node->active[node->nactive++] = m;
		node->eager = true;
		m->interval = sim->config.repeat;
		m->repeat_at = sim->now + m->interval;
		event.time = m->repeat_at;
		queue_add(&sim->queue, &event);
	}
}

static void message_over(struct sim *sim, u32 at, u32 slot)
{
	struct node *node = sim_node(sim, at);

	traffic_over(sim, node->active[slot]);
	for (node->nactive--; slot < node->nactive; slot++)
		node->active[slot] = node->active[slot + 1];
	sim->stat[FC_STAT_MSG_CONFIRMED]++;
	activate(sim, at);
}

void operator_control(struct sim *sim, u32 at, const struct fc_ctrl *received)
{
	struct node *node = sim_node(sim, at);
	struct fc_ctrl ctrl = *received;
	struct flow *flow;

	ctrl.hops++;
	if (ctrl.dst != at) {
		control_send(sim, at, &ctrl, true);
		return;
	}
	if (ctrl.incarnation != operator_incarnation(at) || ctrl.sock != SOCK ||
	    ctrl.port != PORT) {
		sim_wrong(sim, "site %u: a control frame for another life", at);
		return;
	}
	flow = traffic_flow(at, ctrl.site);
	for (u32 i = 0; i < node->nactive; i++) {
		struct message *m = node->active[i];
		struct target *t;
		u32 index;

		if (!message_has_flow(m, flow, &index))
			continue;
		t = &m->target[index];
		if (fc_txtarget_completed(&t->tx) || !fc_txtarget_answer(&t->tx, &ctrl))
			continue;
		sim->news_at = sim->now;
		m->interval = sim->config.repeat;
		m->repeat_at = sim->now + m->interval;
		node->eager = true;
		if (!fc_txtarget_completed(&t->tx))
			continue;
		if (t->tx.state != FC_TX_DONE)
			sim_wrong(sim, "message %u: target %u refuses", m->id, ctrl.site);
		flow_over(flow, t->tx.seq);
		if (++m->completed == m->ntargets)
			message_over(sim, at, i--);
	}
	operator_kick(sim, at);
}

/* Inform the source of a packet that this site cannot reach the targets of @mask. */
void operator_unreachable(struct sim *sim, u32 at, const u8 *head, u64 mask)
{
	struct fc_packet pk;

	/* The source of a datagram keeps nothing of it. */
	if (fc_wire_datagram(head))
		return;
	fc_wire_packet_decode(&pk, head);
	for (; mask; mask &= mask - 1) {
		struct fc_ctrl ctrl = {
			.kind = FC_CTRL_UNREACHABLE, .dst = pk.src, .sock = pk.sock,
			.incarnation = pk.incarnation,
		};
		struct fc_target t;

		fc_wire_target_decode(&t, head, fc_low64(mask));
		ctrl.site = t.site;
		ctrl.port = t.port;
		ctrl.seq = t.seq;
		if (ctrl.dst != at)
			control_send(sim, at, &ctrl, false);
	}
}

/*
 * Receiving.
 */

static void no_skip(void *arg, struct fc_rxmsg *msg)
{
	sim_wrong(arg, "message %u of a flow was given up", msg->seq);
}

static void confirm(struct sim *sim, u32 at, const struct flow *flow, const struct fc_packet *pk,
		    u32 seq)
{
	struct fc_ctrl ctrl = {
		.kind = FC_CTRL_CONFIRM, .dst = pk->src, .incarnation = pk->incarnation,
		.sock = pk->sock, .site = at, .port = PORT,
	};

	fc_rxflow_confirm(&flow->rx, seq, &ctrl);
	control_send(sim, at, &ctrl, false);
}

static void take_entry(struct sim *sim, u32 at, const struct fc_packet *pk,
		       const struct fc_target *t)
{
	u64 *stat = sim->stat;
	struct message *m = traffic_message(pk->id);
	struct fc_part part = fc_part_make(pk->msg_len, t->off, t->len);
	u16 packet = (u16)(pk->offset / FC_PACKET_MAX);
	struct flow *flow = traffic_flow(pk->src, at);
	struct fc_rxmsg *slot;
	u32 i;

	if (!m || m->from != pk->src || m->bytes != pk->msg_len ||
	    pk->incarnation != operator_incarnation(pk->src) || pk->sock != SOCK ||
	    pk->src_port != PORT || t->port != PORT || !message_has_flow(m, flow, &i) ||
	    m->target[i].tx.seq != t->seq) {
		sim_wrong(sim, "site %u: a packet that nobody sent: message %u from %u", at,
			  pk->id, pk->src);
		return;
	}
	/* No source aborts a message, so none is ready before it is stored. */
	switch (fc_rxflow_packet(&flow->rx, t, &part, packet, &slot, no_skip, sim)) {
	case FC_RX_ADMIT:
		fc_rxflow_admit(&flow->rx, slot, t, &part, m);
		__attribute__((fallthrough));
	case FC_RX_TAKE:
		m->target[i].got += fc_packet_data(pk);
		sim->news_at = sim->now;
		fc_rxmsg_stored(slot, (u16)(packet - part.first));
		while ((slot = fc_rxflow_ready(&flow->rx))) {
			m = slot->h;
			fc_rxflow_delivered(&flow->rx, slot);
			stat[FC_STAT_MSG_DELIVERED]++;
			traffic_arrived(sim, flow, m);
		}
		break;
	case FC_RX_DUPLICATE:
		stat[FC_STAT_PKT_DUPLICATE]++;
		break;
	case FC_RX_BAD:
		/* For instance a packet that arrives after the window has advanced. */
		stat[FC_STAT_PKT_BAD]++;
		return;
	}
	confirm(sim, at, flow, pk, t->seq);
}

/* Does the network-buffer contain exactly the flits of one packet, in order? */
static bool buffer_whole(const struct node *node)
{
	const struct flits *buffer = &node->buffer;
	const struct frame *front = buffer->n ? buffer->flit[buffer->first].h : NULL;
	u32 got = 0;

	if (!front || !buffer->flit[buffer->first].head)
		return false;
	for (u32 i = 0; i < buffer->n; i++) {
		const struct frame *frame =
			buffer->flit[(buffer->first + i) % buffer->room].h;

		if (frame->message != front->message || frame->offset != front->offset + got ||
		    (i && frame->size))
			return false;
		got += frame->data;
	}
	return got == fc_wire_data_len(front->payload);
}

void operator_discard(struct sim *sim, u32 at)
{
	struct flits *buffer = &sim_node(sim, at)->buffer;

	while (buffer->n)
		frame_put(sim, flits_take(buffer).h);
}

static void transit_add(struct node *node, struct stored *stored)
{
	*node->transit_end = stored;
	node->transit_end = &stored->next;
	node->transit_packets++;
}

/*
 * Store a packet, to forward it to the targets of the mask; takes its flits.  @apart: its list was
 * divided.
 */
static void store(struct sim *sim, u32 at, struct flits *buffer, u64 mask, bool aborted,
		  bool apart)
{
	struct node *node = sim_node(sim, at);
	struct fc_flit front;
	struct stored *stored;
	struct frame *frame, *old;
	u32 left = 0;

	if (node->transit_packets >= sim->config.transit) {
		sim->stat[FC_STAT_TRANSIT_FULL]++;
		return;
	}
	stored = xcalloc(1, sizeof(*stored));
	front = flits_take(buffer);
	old = front.h;
	for (u64 rest = mask; rest; rest &= rest - 1)
		left++;
	frame = frame_new(sim, fc_wire_subset_size(old->payload, mask, left), old);
	fc_wire_summed_subset(frame->payload, old->payload, mask, 0);
	if (apart)
		fc_wire_head_apart(frame->payload);
	frame_put(sim, old);
	front.h = frame;
	front.head = frame->payload;
	/* The last flit ends the packet, whatever its terminator. */
	front.parts = FC_PART_HEAD | (buffer->n ? 0 : FC_PART_TERM);
	flits_add(&stored->flits, &front);
	while (buffer->n) {
		struct fc_flit flit = flits_take(buffer);

		flit.parts = buffer->n ? 0 : FC_PART_TERM;
		flits_add(&stored->flits, &flit);
	}
	stored->at = sim->now;
	if (aborted)
		stored->at += fc_random_below(&node->care->rng, sim->config.timing.timeout);
	transit_add(node, stored);
}

/* In mode csr, a list that is stored could not reserve a tree: each target gets a packet. */
static void store_apart(struct sim *sim, u32 at, u64 mask)
{
	const struct flits *buffer = &sim_node(sim, at)->buffer;

	for (; mask; mask &= mask - 1) {
		struct flits copy = { 0 };

		for (u32 i = 0; i < buffer->n; i++) {
			flits_add(&copy, &buffer->flit[(buffer->first + i) % buffer->room]);
			frame_get(buffer->flit[(buffer->first + i) % buffer->room].h);
		}
		store(sim, at, &copy, mask & -mask, false, true);
		flits_free(sim, &copy);
	}
}

bool operator_keep(struct sim *sim, u32 at, struct flits *flits)
{
	struct node *node = sim_node(sim, at);
	struct stored *stored;

	if (node->transit_packets >= sim->config.transit) {
		sim->stat[FC_STAT_TRANSIT_FULL]++;
		flits_free(sim, flits);
		return false;
	}
	stored = xcalloc(1, sizeof(*stored));
	stored->flits = *flits;
	stored->at = sim->now;
	transit_add(node, stored);
	return true;
}

void operator_serve(struct sim *sim, u32 at, u64 here, u64 others, bool aborted)
{
	struct node *node = sim_node(sim, at);
	const u8 *head;
	struct fc_packet pk;
	u64 local, rest;

	if (!buffer_whole(node)) {
		sim_wrong(sim, "site %u: the network-buffer has something else than one packet",
			  at);
		operator_discard(sim, at);
		return;
	}
	head = node->buffer.flit[node->buffer.first].head;
	fc_wire_packet_decode(&pk, head);
	if (!fc_wire_intact(head, pk.id))
		sim_wrong(sim, "site %u: packet %u of site %u has a wrong sum", at, pk.id, pk.src);
	local = fc_node_local_mask(&node->shared, head);
	for (rest = here & local; rest; rest &= rest - 1) {
		struct fc_target t;

		fc_wire_target_decode(&t, head, fc_low64(rest));
		if (pk.kind == FC_KIND_DATAGRAM)
			dgram_take(sim, at, &pk, &t);
		else
			take_entry(sim, at, &pk, &t);
	}
	rest = others & ~local;
	if (rest & (rest - 1) && fc_mode_ops(sim->config.mode)->reserves)
		store_apart(sim, at, rest);
	else if (rest)
		store(sim, at, &node->buffer, rest, aborted, false);
	operator_discard(sim, at);
}

/*
 * Sending.
 */

void operator_cut(struct sim *sim, struct node *node, const struct message *m,
		  const struct fc_packet *pk, const struct fc_target *targets)
{
	u32 room = sim->config.flit - FC_LINK_SIZE;
	u32 size = fc_head_size(pk->ntargets), all = fc_packet_data(pk);
	u32 sent = 0;

	do {
		u32 head = sent ? 0 : size;
		u32 data = all - sent < room - head ? all - sent : room - head;
		struct frame *frame = frame_new(sim, head, NULL);
		struct fc_flit flit = { .h = frame, .data = data };

		frame->message = m;
		frame->offset = pk->offset + sent;
		frame->data = data;
		if (head) {
			fc_wire_packet_encode(frame->payload, pk);
			for (u32 i = 0; i < pk->ntargets; i++)
				fc_wire_target_encode(frame->payload, i, &targets[i]);
			fc_wire_set_sum(frame->payload, pk->id);
			flit.head = frame->payload;
			flit.parts = FC_PART_HEAD;
		}
		sent += data;
		if (sent == all)
			flit.parts |= FC_PART_TERM;
		flits_add(&node->sending, &flit);
	} while (sent < all);
}

/* Prepare the next packet of a message, for all targets that need the same packet. */
static bool next_packet(struct sim *sim, u32 at, struct message *m)
{
	struct node *node = sim_node(sim, at);
	struct fc_target targets[FC_TARGETS_MAX];
	struct fc_packet pk = {
		.src = at, .incarnation = operator_incarnation(at), .sock = SOCK, .src_port = PORT,
		.id = m->id, .msg_len = m->bytes,
	};
	int packet = -1;

	for (u32 i = 0; i < m->ntargets; i++) {
		const struct target *t = &m->target[i];
		int next = fc_txtarget_next(&t->tx, &t->flow->tx);

		if (next >= 0 && (packet < 0 || next < packet))
			packet = next;
	}
	if (packet < 0)
		return false;
	for (u32 i = 0; i < m->ntargets; i++) {
		struct target *t = &m->target[i];

		if (pk.ntargets == FC_TARGETS_MAX ||
		    fc_head_size(pk.ntargets + 1u) > sim->config.flit - FC_LINK_SIZE)
			break;
		if (fc_txtarget_next(&t->tx, &t->flow->tx) != packet)
			continue;
		fc_txtarget_sent(&t->tx, packet);
		targets[pk.ntargets++] = (struct fc_target){
			.site = t->flow->to, .port = PORT, .seq = t->tx.seq,
			.outstanding = (u8)(t->tx.seq - t->flow->tx.oldest),
		};
	}
	targets[pk.ntargets - 1].flags = FC_TARGET_LAST;
	pk.flags = pk.ntargets > 1 && fc_mode_ops(sim->config.mode)->reserves ? FC_PACKET_LIST : 0;
	pk.offset = (u32)packet * FC_PACKET_MAX;
	sim->stat[m->repeated ? FC_STAT_PKT_REPEATED : FC_STAT_PKT_SENT]++;
	operator_cut(sim, node, m, &pk, targets);
	m->repeat_at = sim->now + m->interval;
	return true;
}

/* Earliest time at which a stored packet may be sent, or FC_NEVER. */
static u64 stored_at(const struct node *node)
{
	u64 at = FC_NEVER;

	for (const struct stored *s = node->transit; s; s = s->next)
		if (s->at < at)
			at = s->at;
	return at;
}

/* Prepare the oldest stored packet whose wait has ended. */
static bool next_stored(struct sim *sim, struct node *node)
{
	struct stored **p = &node->transit;
	struct stored *stored;

	while (*p && (*p)->at > sim->now)
		p = &(*p)->next;
	stored = *p;
	if (!stored)
		return false;
	*p = stored->next;
	if (!*p)
		node->transit_end = p;
	free(node->sending.flit);
	node->sending = stored->flits;
	free(stored);
	return true;
}

/* Prepare the next packet but datagrams: stored packets first, to free storage. */
static bool next_other(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);

	if (next_stored(sim, node)) {
		node->sending_stored = true;
		sim->stat[FC_STAT_PKT_RESENT]++;
		return true;
	}
	if (!node->eager)
		return false;
	for (u32 i = 0; i < node->nactive; i++) {
		u32 slot = (node->turn + i) % node->nactive;

		if (next_packet(sim, at, node->active[slot])) {
			node->turn = slot + 1;
			return true;
		}
	}
	return false;
}

/* Prepare the next packet for the local net-input: datagrams take turns with all others. */
static bool next(struct sim *sim, u32 at)
{
	bool turn = sim->config.datagrams && dgram_turn(at);

	if ((turn && dgram_next(sim, at)) || next_other(sim, at) ||
	    (sim->config.datagrams && !turn && dgram_next(sim, at)))
		return true;
	sim_node(sim, at)->eager = false;
	return false;
}

void operator_push(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);
	struct event event = { .kind = EVENT_FEED, .node = at };

	if (!net_room(sim, at))
		return;
	event.time = node->sending.n || node->eager ? sim->now : stored_at(node);
	if (event.time == FC_NEVER)
		return;
	if (event.time < sim->now)
		event.time = sim->now;
	if (event.time < node->feed_free)
		event.time = node->feed_free;
	if (event.time >= node->feed_at)
		return;
	node->feed_at = event.time;
	queue_add(&sim->queue, &event);
}

void operator_feed(struct sim *sim, u32 at)
{
	struct node *node = sim_node(sim, at);
	struct fc_event ev = { .type = FC_EV_FLIT, .port = FC_PORT_LOCAL };

	/* Another feed event superseded this one. */
	if (node->feed_at != sim->now)
		return;
	node->feed_at = FC_NEVER;
	if (!net_room(sim, at))
		return;
	if (!node->sending.n && !next(sim, at)) {
		operator_kick(sim, at);
		return;
	}
	ev.flit = flits_take(&node->sending);
	node->amid = node->sending.n;
	if (!node->sending.n && node->sending_stored) {
		node->sending_stored = false;
		node->transit_packets--;
		if (fail_any())
			fail_room(sim, at);
	}
	if (node->vnet)
		vnet_lease(sim, at, node->injq, FC_PORT_LOCAL);
	ev.seq = net_local_seq(sim, at);
	node->feed_free = sim->now + 1;
	net_event(sim, at, net_local_vc(sim, at), &ev);
}

void operator_send(struct sim *sim, struct message *m)
{
	struct node *node = sim_node(sim, m->from);

	if (m->flow) {
		dgram_send(sim, m);
		return;
	}
	sim->stat[FC_STAT_MSG_SENT]++;
	m->next = NULL;
	*node->backlog_end = m;
	node->backlog_end = &m->next;
	node->nbacklog++;
	activate(sim, m->from);
	operator_kick(sim, m->from);
}

void operator_repeat(struct sim *sim, struct message *m)
{
	struct node *node = sim_node(sim, m->from);
	struct event event = { .kind = EVENT_REPEAT, .node = m->from, .message = m };

	if (m->completed == m->ntargets)
		return;
	if (m->repeat_at <= sim->now) {
		for (u32 i = 0; i < m->ntargets; i++)
			if (fc_txtarget_repeat(&m->target[i].tx))
				sim_wrong(sim, "message %u: a target has no room", m->id);
		m->repeated = true;
		node->eager = true;
		if (m->interval < 4 * sim->config.repeat)
			m->interval *= 2;
		m->repeat_at = sim->now + m->interval +
			       rng_below(&sim->net_rng, (u32)sim->config.repeat);
		operator_kick(sim, m->from);
	}
	event.time = m->repeat_at;
	queue_add(&sim->queue, &event);
}
