// SPDX-License-Identifier: GPL-2.0
/*
 * Net-inputs, router and net-outputs of the fidelity edge (CARE, 5.3 to 5.5).
 * This code shares only the topologies and the form of tables with kernel/core, so that the two
 * check each other.
 */
#include <stdio.h>
#include <stdlib.h>

#include "edge.h"
#include "base/util.h"

static struct edge_in *in_of(struct sim *sim, u32 at, u8 port)
{
	return &sim->edge[at].in[port];
}

static void add_event(struct sim *sim, enum event_kind kind, u32 at, u8 port, u64 time)
{
	struct event event = { .kind = (u8)kind, .node = at, .port = port, .time = time };

	queue_add(&sim->queue, &event);
}

/*
 * Signals.
 */

/* Does a net-input signal "wait" upstream, rather than "ready", in mid-packet? */
static bool asserts_wait(const struct edge_in *in)
{
	return !in->coming && in->status == FC_SIG_WAIT;
}

/* Does the downstream end of a net-output accept words?  The local one always does. */
static bool out_ready(const struct sim *sim, u32 at, u8 port)
{
	const struct edge_out *out = &sim->edge[at].out[port];

	return port == FC_PORT_LOCAL || !asserts_wait(&sim->edge[out->peer].in[out->peer_port]);
}

static bool in_ready(const struct sim *sim, u32 at, const struct edge_in *in)
{
	for (u32 rest = in->conn; rest; rest &= rest - 1)
		if (!out_ready(sim, at, fc_low(rest)))
			return false;
	return true;
}

/*
 * Schedule the transition from done to final: after all other events of this cycle, in particular
 * a wait, and after the words between front and terminator have passed.
 */
static void schedule_final(struct sim *sim, u32 at, u8 port)
{
	struct edge_in *in = in_of(sim, at, port);

	in->final_at = in->term == EDGE_TERM_ABORT || in->due < sim->now ? sim->now : in->due;
	add_event(sim, EVENT_FINAL, at, port, in->final_at);
}

static void send_term(struct sim *sim, u32 at, u8 port, u8 term)
{
	struct edge_out *out = &sim->edge[at].out[port];
	struct event event = {
		.kind = EVENT_TERM, .node = out->peer, .port = out->peer_port, .term = term,
		.time = sim->now + sim->config.latency,
	};

	out->state = EDGE_OUT_SENT;
	queue_add(&sim->queue, &event);
}

/* Send a terminator to a net-output; that of an aborted branch may have to wait there. */
static void out_term(struct sim *sim, u32 at, u8 port, u8 term)
{
	struct edge_out *out = &sim->edge[at].out[port];

	if (port == FC_PORT_LOCAL) {
		out->state = EDGE_OUT_FREE;
		edge_operator_term(sim, at, term);
	} else if (out_ready(sim, at, port)) {
		send_term(sim, at, port, term);
	} else {
		out->state = EDGE_OUT_DONE;
	}
}

static void stop_seeking(struct sim *sim, u32 at, u8 port)
{
	struct edge_node *node = &sim->edge[at];
	struct edge_in *in = &node->in[port];

	node->rotate = port < sim->config.topo.ndirs ? port + 1 : 0;
	node->seekers &= ~fc_bit(port);
	in->seek_at = FC_NEVER;
	/* One word follows per cycle. */
	in->due = sim->now + in->size - 1;
}

/* Terminators by connection type (4.5.1). */
static void send_terms(struct sim *sim, u32 at, const struct edge_in *in)
{
	for (u32 rest = in->conn; rest; rest &= rest - 1) {
		u8 p = fc_low(rest), term = in->term;

		if (p == FC_PORT_LOCAL && term == EDGE_TERM_END) {
			if (in->type == FC_CONN_ALL_REMOTE)
				term = EDGE_TERM_ABORT;
			else if (in->type == FC_CONN_SOME_LOCAL)
				term = EDGE_TERM_LOCAL_END;
		}
		out_term(sim, at, p, term);
	}
}

/* Section 4.5.2: only the copy is left. */
static void abort_remote(struct sim *sim, u32 at, struct edge_in *in)
{
	sim->stat[FC_STAT_PKT_ABORTED]++;
	for (u32 rest = in->conn & ~fc_bit(FC_PORT_LOCAL); rest; rest &= rest - 1)
		out_term(sim, at, fc_low(rest), EDGE_TERM_ABORT);
	in->conn = fc_bit(FC_PORT_LOCAL);
}

/* The signal is that of asserts_wait(); the caller propagates it. */
static void in_step(struct sim *sim, u32 at, u8 port, enum edge_in_cond cond)
{
	struct edge_in *in = in_of(sim, at, port);
	const struct fc_row *row = &edge_in_table[in->state][cond];

	if (!row->next)
		die("site %u port %u: the net-input has no transition from %s on %s", at, port,
		    edge_fsms[0].states[in->state], edge_fsms[0].conds[cond]);
	in->state = row->next;
	if (row->up)
		in->status = row->up;
	switch ((enum edge_in_action)row->action) {
	case EDGE_INA_SEEK:
		sim->stat[FC_STAT_SEEK]++;
		break;
	case EDGE_INA_STOP_SEEKING:
		stop_seeking(sim, at, port);
		break;
	case EDGE_INA_SCHEDULE:
		schedule_final(sim, at, port);
		break;
	case EDGE_INA_CANCEL:
		in->final_at = FC_NEVER;
		break;
	case EDGE_INA_SEND_TERMS:
		send_terms(sim, at, in);
		break;
	case EDGE_INA_ABORT_REMOTE:
		abort_remote(sim, at, in);
		break;
	case EDGE_INA_ABORT_FINAL:
		abort_remote(sim, at, in);
		schedule_final(sim, at, port);
		break;
	case EDGE_INA_TERM_LOCAL:
		out_term(sim, at, FC_PORT_LOCAL, in->term);
		break;
	case EDGE_INA_NONE:
	case EDGE_INA_COUNT:
		break;
	}
}

/* Update a net-input after a change downstream of it, and propagate the effect upstream. */
static void update(struct sim *sim, u32 at, u8 port)
{
	for (;;) {
		struct edge_in *in = in_of(sim, at, port);
		bool waited = asserts_wait(in);
		bool ready = in_ready(sim, at, in);
		const struct edge_out *up;

		switch ((enum edge_in_state)in->state) {
		case EDGE_IN_OPEN:
		case EDGE_IN_DONE:
			if (!ready)
				in_step(sim, at, port, EDGE_INC_W);
			break;
		case EDGE_IN_WAIT:
		case EDGE_IN_LAST:
			if (ready)
				in_step(sim, at, port, EDGE_INC_O);
			break;
		default:
			return;
		}
		if (asserts_wait(in) == waited)
			return;
		if (port == FC_PORT_LOCAL) {
			if (waited)
				edge_fifo_open(sim, at);
			else
				edge_fifo_wait(sim, at);
			return;
		}
		up = &sim->edge[at].out[port];
		at = up->peer;
		port = up->peer_port;
		up = &sim->edge[at].out[port];
		if (up->state == EDGE_OUT_DONE && waited)
			send_term(sim, at, port, EDGE_TERM_ABORT);
		if (up->state != EDGE_OUT_OPEN)
			return;
		port = up->in;
	}
}

/* Signal upstream that a net-input begins or ceases to wait. */
static void send_status(struct sim *sim, u32 at, u8 port)
{
	const struct edge_out *up = &sim->edge[at].out[port];
	bool waits = asserts_wait(in_of(sim, at, port));

	if (port == FC_PORT_LOCAL) {
		if (waits)
			edge_fifo_wait(sim, at);
		else
			edge_fifo_open(sim, at);
		return;
	}
	at = up->peer;
	port = up->peer_port;
	up = &sim->edge[at].out[port];
	if (up->state == EDGE_OUT_DONE && !waits)
		send_term(sim, at, port, EDGE_TERM_ABORT);
	else if (up->state == EDGE_OUT_OPEN)
		update(sim, at, up->in);
}

/*
 * Net-outputs and the router.
 */

/* Send the packet's front on a branch to @mask; takes ownership of the packet. */
static void send_front(struct sim *sim, u32 at, u8 port, u8 in, struct edge_packet *packet)
{
	struct edge_out *out = &sim->edge[at].out[port];
	struct event event = {
		.kind = EVENT_FRONT, .node = out->peer, .port = out->peer_port,
		.time = sim->now + sim->config.latency, .packet = packet,
	};

	out->state = EDGE_OUT_OPEN;
	out->in = in;
	if (port == FC_PORT_LOCAL) {
		edge_operator_front(sim, at, packet);
		return;
	}
	if (in_of(sim, out->peer, out->peer_port)->state != EDGE_IN_FREE)
		die("site %u port %u: a front, but downstream is not free", at, port);
	in_of(sim, out->peer, out->peer_port)->coming = true;
	sim->link_stat[FC_LSTAT_TX_PACKETS]++;
	queue_add(&sim->queue, &event);
}

static void connected(struct sim *sim, u32 at, u8 port, enum fc_conn type, u32 ports)
{
	static const u8 stats[] = {
		[FC_CONN_UNICAST]	= FC_STAT_PKT_UNICAST,
		[FC_CONN_PASSTHRU]	= FC_STAT_PKT_PASSTHRU,
		[FC_CONN_ALL_REMOTE]	= FC_STAT_PKT_ALL_REMOTE,
		[FC_CONN_SOME_LOCAL]	= FC_STAT_PKT_SOME_LOCAL,
	};
	struct edge_in *in = in_of(sim, at, port);

	sim->stat[stats[type]]++;
	in->type = (u8)type;
	in->conn = ports;
}

static u8 pick(const struct edge_node *node, u32 ports)
{
	u32 high = ports & ~(fc_bit(node->rotate) - 1);

	return fc_low(high ? high : ports);
}

/* Forward the whole packet by one net-output; takes the packet from the net-input. */
static bool connect_one(struct sim *sim, u32 at, u8 port, enum fc_conn type, u8 to)
{
	struct edge_in *in = in_of(sim, at, port);
	struct edge_packet *packet = in->packet;

	in->packet = NULL;
	connected(sim, at, port, type, fc_bit(to));
	send_front(sim, at, to, port, packet);
	return true;
}

/* Targets of the branch for a port: the remaining targets to which the port leads nearer. */
static u64 branch(const u32 *next_hops, u64 left, u8 port, u32 *count)
{
	u64 mask = 0;

	*count = 0;
	for (; left; left &= left - 1) {
		u32 i = fc_low64(left);

		if (next_hops[i] & fc_bit(port)) {
			mask |= fc_bit64(i);
			++*count;
		}
	}
	return mask;
}

/* Split the packet: a branch for each net-output of a greedy minimal cover, and the local copy. */
static bool split(struct sim *sim, u32 at, u8 port, const u32 *next_hops, u64 local, u32 ports)
{
	struct edge_in *in = in_of(sim, at, port);
	struct edge_packet *packet = in->packet;
	u64 left = packet->mask & ~local;
	u32 used = fc_bit(FC_PORT_LOCAL);

	in->packet = NULL;
	send_front(sim, at, FC_PORT_LOCAL, port, edge_packet_copy(sim, packet, packet->mask));
	while (left) {
		u32 most = 0;
		u64 best = 0;
		u8 to = 0;

		for (u32 rest = ports; rest; rest &= rest - 1) {
			u32 count;
			u64 mask = branch(next_hops, left, fc_low(rest), &count);

			if (count > most) {
				most = count;
				best = mask;
				to = fc_low(rest);
			}
		}
		left &= ~best;
		used |= fc_bit(to);
		if (left) {
			send_front(sim, at, to, port, edge_packet_copy(sim, packet, best));
		} else {
			packet->mask = best;
			send_front(sim, at, to, port, packet);
		}
	}
	connected(sim, at, port, local ? FC_CONN_SOME_LOCAL : FC_CONN_ALL_REMOTE, used);
	return true;
}

/* Routing decision (section 4.6).  Return: false for seek. */
static bool route(struct sim *sim, u32 at, u8 port)
{
	struct edge_node *node = &sim->edge[at];
	struct edge_in *in = &node->in[port];
	const struct message *m = in->packet->message;
	bool here = node->out[FC_PORT_LOCAL].state == EDGE_OUT_FREE;
	u32 first = fc_low64(in->packet->mask);
	u64 local = 0;
	u32 ports = 0, common, next_hops[FC_TARGETS_MAX];
	bool all = true, one_site;

	for (u8 p = 1; p <= sim->config.topo.ndirs; p++)
		if (node->out[p].state == EDGE_OUT_FREE && node->out[p].peer != FC_SITE_NONE)
			ports |= fc_bit(p);
	common = ports;
	for (u64 rest = in->packet->mask; rest; rest &= rest - 1) {
		u32 i = fc_low64(rest);
		u32 to = m->target[i].flow->to;

		if (to == at) {
			local |= fc_bit64(i);
			continue;
		}
		/* The port of a direction is its number plus one. */
		next_hops[i] = fc_topo_minimal(&sim->config.topo, at, to) << 1 & ports;
		common &= next_hops[i];
		if (!next_hops[i])
			all = false;
	}
	one_site = !(in->packet->mask & (in->packet->mask - 1));
	if (in->packet->mask == local || in->seeks > sim->config.seek_max) {
		if (!here)
			return false;
		if (in->packet->mask != local)
			sim->stat[FC_STAT_PKT_FORCED]++;
		return connect_one(sim, at, port, FC_CONN_UNICAST, FC_PORT_LOCAL);
	}
	if (!local && common)
		return connect_one(sim, at, port, one_site ? FC_CONN_UNICAST : FC_CONN_PASSTHRU,
				   pick(node, common));
	if (one_site)
		return false;
	if (!here) {
		if (local & fc_bit64(first) || !next_hops[first])
			return false;
		return connect_one(sim, at, port, FC_CONN_PASSTHRU, pick(node, next_hops[first]));
	}
	return all && split(sim, at, port, next_hops, local, ports);
}

/* Try to connect a net-input in state first. */
static void try(struct sim *sim, u32 at, u8 port)
{
	if (!route(sim, at, port)) {
		in_step(sim, at, port, EDGE_INC_S);
		return;
	}
	in_step(sim, at, port, EDGE_INC_C);
	if (in_of(sim, at, port)->term != EDGE_TERM_NONE)
		in_step(sim, at, port, EDGE_INC_TR);
}

/* Retry the waiting net-inputs after a net-output became free. */
static void retry(struct sim *sim, u32 at)
{
	struct edge_node *node = &sim->edge[at];
	u32 left = node->seekers;

	while (left) {
		u8 port = pick(node, left);

		left &= ~fc_bit(port);
		try(sim, at, port);
		if (!(node->seekers & fc_bit(port)))
			send_status(sim, at, port);
	}
}

/*
 * Net-inputs (Figure 11).
 */

void edge_in_front(struct sim *sim, u32 at, u8 port, struct edge_packet *packet)
{
	struct edge_in *in = in_of(sim, at, port);

	in_step(sim, at, port, EDGE_INC_DA);
	in->coming = false;
	in->packet = packet;
	in->size = packet->size;
	in->term = EDGE_TERM_NONE;
	in->seeks = 0;
	sim->edge[at].seekers |= fc_bit(port);
	try(sim, at, port);
	if (in->state != EDGE_IN_FIRST)
		return;
	in->seek_at = sim->now + sim->config.seek;
	add_event(sim, EVENT_SEEK, at, port, in->seek_at);
	send_status(sim, at, port);
}

void edge_in_seek(struct sim *sim, u32 at, u8 port)
{
	struct edge_in *in = in_of(sim, at, port);

	if (in->seek_at != sim->now)
		return;
	in->seeks++;
	try(sim, at, port);
	if (in->state != EDGE_IN_FIRST) {
		send_status(sim, at, port);
		return;
	}
	in->seek_at = sim->now + sim->config.seek;
	add_event(sim, EVENT_SEEK, at, port, in->seek_at);
}

void edge_in_term(struct sim *sim, u32 at, u8 port, u8 term)
{
	struct edge_in *in = in_of(sim, at, port);

	in->term = term;
	/* In state first, try() forwards the terminator after the front. */
	if (in->state == EDGE_IN_FIRST)
		return;
	in_step(sim, at, port, in->state == EDGE_IN_OPEN && !in_ready(sim, at, in) ?
			       EDGE_INC_WTR : EDGE_INC_TR);
}

/* The net-input is free: free its connections, and the net-output upstream. */
static void release(struct sim *sim, u32 at, u8 port)
{
	struct edge_in *in = in_of(sim, at, port);
	struct edge_out *up = &sim->edge[at].out[port];

	in->conn = 0;
	in->type = FC_CONN_NONE;
	if (port == FC_PORT_LOCAL) {
		edge_fifo_free(sim, at);
		return;
	}
	sim->edge[up->peer].out[up->peer_port].state = EDGE_OUT_FREE;
	retry(sim, up->peer);
}

void edge_in_final(struct sim *sim, u32 at, u8 port)
{
	struct edge_in *in = in_of(sim, at, port);
	u32 conn = in->conn;

	if (in->final_at != sim->now ||
	    (in->state != EDGE_IN_DONE && in->state != EDGE_IN_FIN_ABORT))
		return;
	in->final_at = FC_NEVER;
	in_step(sim, at, port, EDGE_INC_O);
	if (in->state == EDGE_IN_FINAL)
		in_step(sim, at, port, in_ready(sim, at, in) ? EDGE_INC_NW : EDGE_INC_W);
	if (in->state != EDGE_IN_FREE)
		return;
	release(sim, at, port);
	if (conn & fc_bit(FC_PORT_LOCAL))
		retry(sim, at);
}

void edge_abort_request(struct sim *sim, u32 at)
{
	struct edge_node *node = &sim->edge[at];
	u8 port = node->out[FC_PORT_LOCAL].in;
	struct edge_in *in = &node->in[port];
	bool waited = asserts_wait(in);

	/* Connections that do not split ignore the request. */
	if (in->type != FC_CONN_ALL_REMOTE && in->type != FC_CONN_SOME_LOCAL)
		return;
	if (in->state == EDGE_IN_ABORT || in->state == EDGE_IN_FIN_ABORT)
		return;
	in_step(sim, at, port, EDGE_INC_ARM);
	if (waited)
		send_status(sim, at, port);
}

/*
 * Sites.
 */

void edge_site_init(struct sim *sim, u32 at)
{
	const struct fc_topo *topo = &sim->config.topo;
	struct edge_node *node = &sim->edge[at];

	node->in = xcalloc(topo->ndirs + 1u, sizeof(*node->in));
	node->out = xcalloc(topo->ndirs + 1u, sizeof(*node->out));
	for (u8 p = 0; p <= topo->ndirs; p++) {
		node->in[p].state = EDGE_IN_FREE;
		node->in[p].status = FC_SIG_FREE;
		node->in[p].seek_at = FC_NEVER;
		node->in[p].final_at = FC_NEVER;
		node->out[p].peer = p ? fc_topo_neighbour(topo, at, p - 1) : FC_SITE_NONE;
		node->out[p].peer_port = p ? topo->ops->arrival(topo, at, p - 1) + 1 : 0;
	}
}

void edge_site_free(struct sim *sim, u32 at)
{
	free(sim->edge[at].in);
	free(sim->edge[at].out);
}

bool edge_site_idle(const struct sim *sim, u32 at)
{
	const struct edge_node *node = &sim->edge[at];

	for (u8 p = 0; p <= sim->config.topo.ndirs; p++)
		if (node->in[p].state != EDGE_IN_FREE || node->in[p].coming ||
		    node->out[p].state != EDGE_OUT_FREE)
			return false;
	return true;
}

void edge_site_print(const struct sim *sim, u32 at)
{
	const struct edge_node *node = &sim->edge[at];

	for (u8 p = 0; p <= sim->config.topo.ndirs; p++)
		fprintf(stderr,
			"  site %u port %u: net-input %s, connected to %#x, type %u, terminator %u, %u seeks; net-output state %u, from %u\n",
			at, p, edge_fsms[0].states[node->in[p].state], node->in[p].conn,
			node->in[p].type, node->in[p].term, node->in[p].seeks,
			node->out[p].state, node->out[p].in);
}
