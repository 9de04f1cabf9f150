// SPDX-License-Identifier: GPL-2.0
/*
 * Net-input (CARE, section 4.5): accepts a packet, has it connected to one or more net-outputs and
 * passes it to them, word by word, all branches in step.
 */
#include "core/care/machine.h"

static const struct fc_flit *slot(const struct fc_site *site, u8 port)
{
	return fc_rx_first(&site->data.rx[port]);
}

static void drop(struct fc_site *site, u8 port, const struct fc_flit *flit,
		 struct fc_effects *fx)
{
	fc_effect_drop(fx, port, flit, site->in[port].type == FC_CONN_SINK ? FC_DROP_UNROUTABLE :
								     FC_DROP_CUT);
}

/* Ends the packet in hand in place of the terminator that does not come. */
static void hold_abort(struct fc_in *in)
{
	in->held = (struct fc_flit){ .parts = FC_PART_TERM | FC_PART_ABORT };
}

static bool outputs_ready(const struct fc_site *site, const struct fc_in *in)
{
	u32 rest;

	for (rest = in->conn; rest; rest &= rest - 1) {
		u8 p = fc_low(rest);
		u8 state = site->out[p].state;

		if (state == FC_NO_WAIT || state == FC_NO_FIRST || !fc_netout_ready(site, p))
			return false;
	}
	return true;
}

/*
 * Is the terminator here?  The front may have brought it; a cut packet gets one
 * made here; a packet that contradicts its own length ends as aborted.
 */
static bool term_here(const struct fc_site *site, u8 port)
{
	const struct fc_in *in = &site->in[port];
	const struct fc_flit *s = slot(site, port);

	if (in->held.parts & FC_PART_TERM || in->cut)
		return true;
	if (!(s->parts & FC_FLIT_VALID))
		return false;
	return s->parts & (FC_PART_TERM | FC_PART_HEAD) || s->data > in->left ||
	       (site->payload && s->data != site->payload);
}

static bool data_here(const struct fc_site *site, u8 port)
{
	return slot(site, port)->parts & FC_FLIT_VALID && !term_here(site, port);
}

/*
 * Does a packet of several flits wait to begin?  After a stall of the link, a packet begins when
 * its end has arrived, and one that exceeds the window when the hold ends.
 */
static bool stores(struct fc_site *site, u8 port)
{
	const struct fc_rx *rx = &site->data.rx[port];
	const struct fc_flit *s = fc_rx_first(rx);
	u32 i;

	if (port == FC_PORT_LOCAL || s->parts & FC_PART_TERM ||
	    !fc_stall_stores(&site->in[port].stall, site->now))
		return false;
	for (i = 0; i < site->data.window && s->parts & FC_FLIT_VALID; i++) {
		if (s->parts & FC_PART_TERM)
			return false;
		s = fc_rx_slot(&site->data, rx, rx->consumed + i + 1);
	}
	return true;
}

/* The guards, in the paper's words, and nowhere else. */
static enum fc_netin_cond classify(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];
	const struct fc_flit *s = slot(site, port);
	bool ready, term, force;

	switch ((enum fc_netin_state)in->state) {
	case FC_NI_FREE:
		in->cut = false;
		if (!(s->parts & FC_FLIT_VALID))
			return FC_NIC_NONE;
		if (!(s->parts & FC_PART_HEAD))
			return FC_NIC_JUNK;
		return stores(site, port) ? FC_NIC_NONE : FC_NIC_DA;
	case FC_NI_FIRST:
		if (in->cut && in->multi)
			return FC_NIC_CUT;
		force = in->seeks > site->node->timing->seek_max;
		return fc_router_connect(site, port, force, fx) == FC_ROUTE_CONNECTED ?
			FC_NIC_C : FC_NIC_S;
	case FC_NI_OPEN:
		if (in->arm)
			return FC_NIC_ARM;
		ready = outputs_ready(site, in);
		term = term_here(site, port);
		if (term)
			return ready ? FC_NIC_TR : FC_NIC_WTR;
		if (!ready)
			return FC_NIC_W;
		return data_here(site, port) ? FC_NIC_DATA : FC_NIC_NONE;
	case FC_NI_WAIT:
		if (in->arm)
			return FC_NIC_ARM;
		if (outputs_ready(site, in))
			return FC_NIC_O;
		return term_here(site, port) ? FC_NIC_TR : FC_NIC_NONE;
	case FC_NI_DONE:
		if (in->arm)
			return FC_NIC_ARM;
		return outputs_ready(site, in) ? FC_NIC_O : FC_NIC_W;
	case FC_NI_LAST:
		if (in->arm)
			return FC_NIC_ARM;
		return outputs_ready(site, in) ? FC_NIC_O : FC_NIC_NONE;
	case FC_NI_ABORT:
		if (term_here(site, port))
			return FC_NIC_TR;
		return outputs_ready(site, in) && data_here(site, port) ? FC_NIC_DATA :
									FC_NIC_NONE;
	case FC_NI_FIN_ABORT:
		return outputs_ready(site, in) ? FC_NIC_O : FC_NIC_NONE;
	case FC_NI_0:
	case FC_NI_COUNT:
		break;
	}
	return FC_NIC_NONE;
}

static void hold_front(struct fc_site *site, u8 port)
{
	struct fc_in *in = &site->in[port];

	in->held = fc_rx_consume(&site->data, port);
	in->multi = !(in->held.parts & FC_PART_TERM);
	in->datagram = fc_wire_datagram(in->held.head);
	in->left = fc_wire_data_len(in->held.head) - in->held.data;
	in->seeks = 0;
	in->arm = false;
	in->reported_unreachable = false;
	in->come = 0;
	fc_progress_begin(&in->progress, in->held.head, site->now);
	if (in->multi && port != FC_PORT_LOCAL)
		fc_site_watch(site);
	in->seek_at = site->now + site->node->timing->seek;
	fc_site_due(site, in->seek_at);
	site->seekers |= fc_bit(port);
}

/* Leave 'first. */
static void stop_seeking(struct fc_site *site, u8 port)
{
	site->seekers &= ~fc_bit(port);
	site->in[port].seek_at = FC_NEVER;
}

static void send_front(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];
	u32 rest;

	stop_seeking(site, port);
	for (rest = in->conn; rest; rest &= rest - 1)
		fc_netout_front(site, fc_low(rest), &in->held, rest & (rest - 1), fx);
	if (in->multi) {
		if (!in->conn)
			drop(site, port, &in->held, fx);
		memset(&in->held, 0, sizeof(in->held));
	}
}

static void pass(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];
	struct fc_flit flit = fc_rx_consume(&site->data, port);
	u32 rest;

	in->left -= flit.data;
	in->come++;
	for (rest = in->conn; rest; rest &= rest - 1)
		fc_netout_pass(site, fc_low(rest), &flit, rest & (rest - 1), fx);
	if (!in->conn)
		drop(site, port, &flit, fx);
}

/*
 * The terminator stays in the queue until it goes on, so that the peer begins no packet
 * of several flits behind it (Documentation/design.rst, "A packet of several flits has
 * the window to itself").
 */
static void hold_term(struct fc_site *site, u8 port)
{
	struct fc_in *in = &site->in[port];
	const struct fc_flit *s = slot(site, port);

	if (in->held.parts & FC_PART_TERM)
		return;
	if (in->cut) {
		in->cut = false;
		hold_abort(in);
		return;
	}
	if (s->parts & FC_PART_HEAD) {
		/* The next packet began without an end to this one. */
		site->data.rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
		hold_abort(in);
		return;
	}
	in->tail = true;
	if (!fc_netin_whole(in, s)) {
		site->data.rx[port].stat[FC_LSTAT_RX_PROTOCOL]++;
		hold_abort(in);
		return;
	}
	in->held = (struct fc_flit){ .parts = s->parts & (FC_PART_TERM | FC_PART_ABORT) };
	fc_stall_ended(&in->stall, &in->progress, s->parts & FC_PART_ABORT);
}

/* The terminator is forwarded now: remove it from the queue. */
static void take_term(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];
	struct fc_flit flit;

	if (!in->tail)
		return;
	in->tail = false;
	flit = fc_rx_consume(&site->data, port);
	if (fc_netin_whole(in, &flit))
		in->held = flit;
	else
		drop(site, port, &flit, fx);
	/* A packet of several flits has ended: ack it, so that the next may begin. */
	if (site->data.rx[port].consumed != site->data.rx[port].acked)
		site->data.status |= fc_bit(port);
}

/* Section 4.5.1: the terminators by connection type. */
static void send_terms(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];
	u8 got = in->held.parts & (FC_PART_TERM | FC_PART_ABORT);
	u32 rest, conn = in->conn;

	take_term(site, port, fx);
	for (rest = conn; rest; rest &= rest - 1) {
		u8 p = fc_low(rest), parts = got;

		if (p == FC_PORT_LOCAL && in->type == FC_CONN_ALL_REMOTE)
			parts = FC_PART_TERM | FC_PART_ABORT;
		else if (p == FC_PORT_LOCAL && in->type == FC_CONN_SOME_LOCAL &&
			 !(got & FC_PART_ABORT))
			parts = FC_PART_TERM | FC_PART_LOCAL_END;
		fc_netout_term(site, p, &in->held, parts, rest & (rest - 1), fx);
	}
	if (!conn)
		drop(site, port, &in->held, fx);
	in->conn = 0;
	in->type = FC_CONN_NONE;
	memset(&in->held, 0, sizeof(in->held));
}

/* Section 4.5.2: abort every branch but the stored copy. */
static void abort_remote(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	static const struct fc_flit bare;
	struct fc_in *in = &site->in[port];
	u32 rest;

	in->arm = false;
	site->fifo.aborted = true;
	site->node->stat[FC_STAT_PKT_ABORTED]++;
	for (rest = in->conn & ~fc_bit(FC_PORT_LOCAL); rest; rest &= rest - 1)
		fc_netout_term(site, fc_low(rest), &bare, FC_PART_TERM | FC_PART_ABORT, false,
			       fx);
	in->conn &= fc_bit(FC_PORT_LOCAL);
}

static void term_local(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];

	take_term(site, port, fx);
	fc_netout_term(site, FC_PORT_LOCAL, &in->held,
		       in->held.parts & (FC_PART_TERM | FC_PART_ABORT), false, fx);
	in->conn = 0;
	in->type = FC_CONN_NONE;
	memset(&in->held, 0, sizeof(in->held));
}

bool fc_netin_step(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	struct fc_in *in = &site->in[port];
	enum fc_netin_cond cond = classify(site, port, fx);
	const struct fc_row *row;
	struct fc_flit flit;

	if (cond == FC_NIC_NONE)
		return false;
	row = &fc_netin_table[in->state][cond];
	if (fc_no_row(row))
		return false;
	fc_fired(site, 0, in->state, cond);
	in->state = row->next;
	switch ((enum fc_netin_action)row->action) {
	case FC_NIA_NONE:
		break;
	case FC_NIA_HOLD_FRONT:
		hold_front(site, port);
		break;
	case FC_NIA_SEEK:
		site->node->stat[FC_STAT_SEEK]++;
		return false;
	case FC_NIA_SEND_FRONT:
		send_front(site, port, fx);
		break;
	case FC_NIA_PASS:
		pass(site, port, fx);
		break;
	case FC_NIA_HOLD_TERM:
		hold_term(site, port);
		break;
	case FC_NIA_SEND_TERMS:
		send_terms(site, port, fx);
		break;
	case FC_NIA_ABORT_REMOTE:
		abort_remote(site, port, fx);
		break;
	case FC_NIA_TERM_LOCAL:
		term_local(site, port, fx);
		break;
	case FC_NIA_DROP:
		flit = fc_rx_consume(&site->data, port);
		drop(site, port, &flit, fx);
		break;
	case FC_NIA_DROP_FRONT:
		stop_seeking(site, port);
		fc_router_release_claims(site, port);
		site->work |= site->seekers;
		drop(site, port, &in->held, fx);
		memset(&in->held, 0, sizeof(in->held));
		break;
	case FC_NIA_COUNT:
		break;
	}
	return true;
}
