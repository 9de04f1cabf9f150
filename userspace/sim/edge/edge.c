// SPDX-License-Identifier: GPL-2.0
/*
 * Operator and fifo-buffers of the fidelity edge (CARE, 5.1 and 5.2), and the messages behind them.
 * The paper's network is lossless, so nothing is confirmed or repeated: a message completes when
 * its last target has received it.
 */
#include <stdlib.h>
#include <string.h>

#include "edge.h"
#include "base/util.h"

static void put(struct edge_packets *list, struct edge_packet *packet)
{
	packet->next = NULL;
	*list->end = packet;
	list->end = &packet->next;
}

static struct edge_packet *take(struct edge_packets *list)
{
	struct edge_packet *packet = list->first;

	list->first = packet->next;
	if (!list->first)
		list->end = &list->first;
	return packet;
}

static void drop(struct sim *sim, struct edge_packet *packet)
{
	if (packet)
		sim->frames--;
	free(packet);
}

struct edge_packet *edge_packet_copy(struct sim *sim, const struct edge_packet *packet, u64 mask)
{
	struct edge_packet *copy = xcalloc(1, sizeof(*copy));

	*copy = *packet;
	copy->mask = mask;
	sim->frames++;
	return copy;
}

/*
 * The downstream fifo-buffer (Figure 10).
 */

static void add_event(struct sim *sim, enum event_kind kind, u32 at, u64 time)
{
	struct event event = { .kind = (u8)kind, .node = at, .time = time };

	queue_add(&sim->queue, &event);
}

static void feed_at(struct sim *sim, u32 at, u64 time)
{
	struct edge_fifo *fifo = &sim->edge[at].fifo;

	if (fifo->feeding)
		return;
	fifo->feeding = true;
	add_event(sim, EVENT_FEED, at, time > sim->now ? time : sim->now);
}

void edge_fifo_free(struct sim *sim, u32 at)
{
	struct edge_fifo *fifo = &sim->edge[at].fifo;

	if (fifo->stored.first || fifo->own.first)
		feed_at(sim, at, fifo->free_at);
}

static void schedule_done(struct sim *sim, u32 at, u64 time)
{
	struct edge_fifo *fifo = &sim->edge[at].fifo;

	fifo->done_at = time;
	fifo->delay = 0;
	add_event(sim, EVENT_DONE, at, time);
}

/* Words not sent when the wait began remain to be sent. */
static void send_rest(struct sim *sim, u32 at)
{
	struct edge_fifo *fifo = &sim->edge[at].fifo;
	u64 unsent = fifo->last_wait == FC_NEVER ? 0 : fifo->done_at - fifo->last_wait;

	fifo->last_wait = FC_NEVER;
	schedule_done(sim, at, sim->now + unsent + fifo->delay);
}

/* @packet: with condition F, the packet to send; else NULL. */
static void fifo_step(struct sim *sim, u32 at, enum edge_fifo_cond cond,
		      struct edge_packet *packet)
{
	struct edge_fifo *fifo = &sim->edge[at].fifo;
	const struct fc_row *row = &edge_fifo_table[fifo->state][cond];

	if (!row->next)
		die("site %u: the fifo-buffer has no transition from %s on %s", at,
		    edge_fsms[1].states[fifo->state], edge_fsms[1].conds[cond]);
	fifo->state = row->next;
	switch ((enum edge_fifo_action)row->action) {
	case EDGE_FIFOA_SEND:
		fifo->last_wait = FC_NEVER;
		schedule_done(sim, at, sim->now + packet->size - 1);
		edge_in_front(sim, at, FC_PORT_LOCAL, packet);
		break;
	case EDGE_FIFOA_LWNOW:
		fifo->last_wait = sim->now;
		break;
	case EDGE_FIFOA_DELAY:
		fifo->delay += sim->now - fifo->last_wait;
		fifo->last_wait = FC_NEVER;
		break;
	case EDGE_FIFOA_BUSY:
		send_rest(sim, at);
		break;
	case EDGE_FIFOA_TERM:
		/* The terminator is a word too. */
		fifo->free_at = sim->now + 1;
		edge_in_term(sim, at, FC_PORT_LOCAL, EDGE_TERM_END);
		break;
	case EDGE_FIFOA_NONE:
	case EDGE_FIFOA_COUNT:
		break;
	}
}

static void feed(struct sim *sim, u32 at)
{
	struct edge_node *node = &sim->edge[at];
	struct edge_fifo *fifo = &node->fifo;
	struct edge_packet *packet;

	fifo->feeding = false;
	if (fifo->state != EDGE_FIFO_FREE || node->in[FC_PORT_LOCAL].state != EDGE_IN_FREE)
		return;
	if (fifo->stored.first) {
		packet = take(&fifo->stored);
		sim->stat[FC_STAT_PKT_RESENT]++;
	} else if (fifo->own.first) {
		packet = take(&fifo->own);
		sim->stat[FC_STAT_PKT_SENT]++;
	} else {
		return;
	}
	fifo_step(sim, at, EDGE_FIFOC_F, packet);
}

void edge_fifo_wait(struct sim *sim, u32 at)
{
	struct edge_fifo *fifo = &sim->edge[at].fifo;

	if (fifo->state == EDGE_FIFO_BUSY && fifo->last_wait == FC_NEVER)
		fifo_step(sim, at, EDGE_FIFOC_W, NULL);
}

void edge_fifo_open(struct sim *sim, u32 at)
{
	struct edge_fifo *fifo = &sim->edge[at].fifo;

	if (fifo->last_wait != FC_NEVER)
		fifo_step(sim, at, fifo->state == EDGE_FIFO_BUSY ? EDGE_FIFOC_O : EDGE_FIFOC_WD,
			  NULL);
}

static void done(struct sim *sim, u32 at)
{
	struct edge_fifo *fifo = &sim->edge[at].fifo;

	if (fifo->state != EDGE_FIFO_BUSY || fifo->done_at != sim->now)
		return;
	fifo_step(sim, at, EDGE_FIFOC_DONE, NULL);
	/* During a wait the next condition comes with the open. */
	if (fifo->last_wait == FC_NEVER)
		fifo_step(sim, at, fifo->delay ? EDGE_FIFOC_WD : EDGE_FIFOC_OND, NULL);
}

/*
 * Messages.
 */

static u32 packets_of(const struct message *m)
{
	return m->bytes ? (m->bytes + FC_PACKET_MAX - 1) / FC_PACKET_MAX : 1;
}

static void activate(struct sim *sim, u32 at)
{
	struct edge_node *node = &sim->edge[at];

	while (node->nactive < sim->config.active && node->backlog) {
		struct message *m = node->backlog;
		u32 left = m->bytes;

		node->backlog = m->next;
		if (!node->backlog)
			node->backlog_end = &node->backlog;
		node->nbacklog--;
		node->nactive++;
		for (u32 i = 0; i < m->ntargets; i++)
			m->target[i].tx.seq = m->target[i].flow->tx.next++;
		for (u32 n = packets_of(m); n; n--) {
			struct edge_packet packet = { .message = m };

			packet.data = left < FC_PACKET_MAX ? left : FC_PACKET_MAX;
			packet.size = traffic_flits(&sim->config, packet.data, m->ntargets);
			left -= packet.data;
			put(&node->fifo.own,
			    edge_packet_copy(sim, &packet, fc_mask_all(m->ntargets)));
		}
		edge_fifo_free(sim, at);
	}
}

static void edge_send(struct sim *sim, struct message *m)
{
	struct edge_node *node = &sim->edge[m->from];

	sim->stat[FC_STAT_MSG_SENT]++;
	m->next = NULL;
	*node->backlog_end = m;
	node->backlog_end = &m->next;
	node->nbacklog++;
	activate(sim, m->from);
}

static void deliver(struct sim *sim, u32 at, struct message *m, u32 i)
{
	struct target *t = &m->target[i];

	sim->stat[FC_STAT_MSG_DELIVERED]++;
	t->flow->tx.oldest++;
	t->tx.state = FC_TX_DONE;
	traffic_arrived(sim, t->flow, m);
	if (++m->completed < m->ntargets)
		return;
	traffic_over(sim, m);
	sim->stat[FC_STAT_MSG_CONFIRMED]++;
	sim->edge[m->from].nactive--;
	activate(sim, m->from);
}

static bool its_turn(const struct message *m, u32 i)
{
	return m->target[i].tx.seq == m->target[i].flow->tx.oldest;
}

/* Deliver a complete message after all earlier messages of its source. */
static void whole(struct sim *sim, u32 at, struct message *m, u32 index)
{
	struct edge_node *node = &sim->edge[at];
	u32 i = 0;

	if (!its_turn(m, index)) {
		if (node->nheld == node->held_room) {
			node->held_room = node->held_room ? 2 * node->held_room : 8;
			node->held = xrealloc(node->held, node->held_room * sizeof(*node->held));
		}
		node->held[node->nheld++] = (struct edge_held){ m, index };
		return;
	}
	deliver(sim, at, m, index);
	while (i < node->nheld) {
		struct edge_held held = node->held[i];

		if (!its_turn(held.message, held.index)) {
			i++;
			continue;
		}
		node->held[i] = node->held[--node->nheld];
		deliver(sim, at, held.message, held.index);
		i = 0;
	}
}

/*
 * The upstream fifo-buffer and the operator behind it, which consumes every word at once, so that
 * the fifo-buffer never fills.
 */

static void arm_timeout(struct sim *sim, u32 at, u64 from)
{
	u64 timeout = sim->config.timeout;

	/* Random, so that two multicasts that block each other do not abort at the same time. */
	sim->edge[at].timeout_at = from + timeout +
				   rng_below(&sim->net_rng, (u32)(timeout / 2) + 1);
	add_event(sim, EVENT_TIMEOUT, at, sim->edge[at].timeout_at);
}

static void timeout(struct sim *sim, u32 at)
{
	if (sim->edge[at].timeout_at != sim->now)
		return;
	sim->stat[FC_STAT_TIMEOUT]++;
	arm_timeout(sim, at, sim->now);
	edge_abort_request(sim, at);
}

void edge_operator_front(struct sim *sim, u32 at, struct edge_packet *packet)
{
	struct edge_node *node = &sim->edge[at];

	if (node->buffer)
		die("site %u: a front into a network-buffer that is not empty", at);
	node->buffer = packet;
	/* "Some function of the expected packet length" (footnote 8). */
	arm_timeout(sim, at, sim->now + packet->size);
}

static void serve(struct sim *sim, u32 at, struct edge_packet *packet, bool others)
{
	struct edge_node *node = &sim->edge[at];
	struct message *m = packet->message;
	u64 local = 0;

	for (u64 rest = packet->mask; rest; rest &= rest - 1) {
		u32 i = fc_low64(rest);
		struct target *t = &m->target[i];

		if (t->flow->to != at)
			continue;
		local |= fc_bit64(i);
		t->got += packet->data;
		sim->news_at = sim->now;
		if (++t->tx.base == packets_of(m))
			whole(sim, at, m, i);
		else if (t->tx.base > packets_of(m))
			traffic_arrived(sim, t->flow, m);
	}
	if (!others || packet->mask == local) {
		drop(sim, packet);
		return;
	}
	packet->mask &= ~local;
	put(&node->fifo.stored, packet);
	edge_fifo_free(sim, at);
}

void edge_operator_term(struct sim *sim, u32 at, u8 term)
{
	struct edge_node *node = &sim->edge[at];
	struct edge_packet *packet = node->buffer;

	if (!packet)
		die("site %u: a terminator without a front", at);
	node->buffer = NULL;
	node->timeout_at = FC_NEVER;
	if (term == EDGE_TERM_ABORT) {
		sim->stat[FC_STAT_PKT_DISCARDED]++;
		drop(sim, packet);
	} else {
		serve(sim, at, packet, term == EDGE_TERM_END);
	}
}

/* Operations for care.c. */

static void edge_init(struct sim *sim)
{
	u32 nsites = sim->config.topo.nsites;

	sim->edge = xcalloc(nsites, sizeof(*sim->edge));
	for (u32 i = 0; i < nsites; i++) {
		struct edge_node *node = &sim->edge[i];

		node->fifo.stored.end = &node->fifo.stored.first;
		node->fifo.own.end = &node->fifo.own.first;
		node->fifo.last_wait = FC_NEVER;
		node->fifo.state = EDGE_FIFO_FREE;
		node->timeout_at = FC_NEVER;
		node->backlog_end = &node->backlog;
		edge_site_init(sim, i);
	}
}

static void edge_free(struct sim *sim)
{
	const struct event *event;

	while ((event = queue_take(&sim->queue)))
		if (event->kind == EVENT_FRONT)
			drop(sim, event->packet);
	queue_free(&sim->queue);
	for (u32 i = 0; i < sim->config.topo.nsites; i++) {
		struct edge_node *node = &sim->edge[i];

		while (node->fifo.stored.first)
			drop(sim, take(&node->fifo.stored));
		while (node->fifo.own.first)
			drop(sim, take(&node->fifo.own));
		for (u8 p = 0; p <= sim->config.topo.ndirs; p++)
			drop(sim, node->in[p].packet);
		drop(sim, node->buffer);
		free(node->held);
		edge_site_free(sim, i);
	}
	free(sim->edge);
}

static void edge_event(struct sim *sim, const struct event *event)
{
	u32 at = event->node;

	switch ((enum event_kind)event->kind) {
	case EVENT_FRONT:
		edge_in_front(sim, at, event->port, event->packet);
		break;
	case EVENT_TERM:
		edge_in_term(sim, at, event->port, event->term);
		break;
	case EVENT_FINAL:
		edge_in_final(sim, at, event->port);
		break;
	case EVENT_SEEK:
		edge_in_seek(sim, at, event->port);
		break;
	case EVENT_FEED:
		feed(sim, at);
		break;
	case EVENT_DONE:
		done(sim, at);
		break;
	case EVENT_TIMEOUT:
		timeout(sim, at);
		break;
	default:
		die("the fidelity edge has no event %u", event->kind);
	}
}

static u32 edge_backlog(const struct sim *sim, u32 at)
{
	return sim->edge[at].nbacklog;
}

static bool edge_idle(const struct sim *sim)
{
	for (u32 i = 0; i < sim->config.topo.nsites; i++) {
		const struct edge_node *node = &sim->edge[i];

		if (!edge_site_idle(sim, i) || node->fifo.state != EDGE_FIFO_FREE ||
		    node->fifo.stored.first || node->fifo.own.first || node->buffer ||
		    node->nheld || node->nactive || node->nbacklog)
			return false;
	}
	return true;
}

/* Maximum number of sites listed in a report. */
#define STUCK_PRINTED	10

static void edge_print_stuck(const struct sim *sim)
{
	unsigned int printed = 0;

	for (u32 i = 0; i < sim->config.topo.nsites && printed < STUCK_PRINTED; i++) {
		if (edge_site_idle(sim, i))
			continue;
		edge_site_print(sim, i);
		printed++;
	}
}

const struct fidelity fidelity_edge = {
	.init = edge_init,
	.free = edge_free,
	.event = edge_event,
	.send = edge_send,
	.backlog = edge_backlog,
	.idle = edge_idle,
	.print_stuck = edge_print_stuck,
};
