// SPDX-License-Identifier: GPL-2.0
/*
 * Net-output (CARE, section 4.7): delivers a packet to the next site, or to the
 * local fifo-buffer.
 *
 * Downstream is 'free or 'open while there is credit, and 'wait while there is none: the window of
 * the queue in front of the next net-input takes the place of the paper's one word (design.rst,
 * "Windows").
 */
#include "core/care/machine.h"

bool fc_netout_ready(const struct fc_site *site, u8 port)
{
	const struct fc_out *out = &site->out[port];

	if (port == FC_PORT_LOCAL)
		return site->fifo.state == FC_FF_FREE ? site->fifo.room > 0 :
							site->fifo.state == FC_FF_OPEN;
	return out->dead || fc_tx_credit(&site->data.tx[port]);
}

bool fc_netout_available(const struct fc_site *site, u8 port, u8 in, bool multi)
{
	const struct fc_out *out = &site->out[port];

	if (out->state != FC_NO_FREE || !(site->data.up & fc_bit(port)))
		return false;
	if (out->claim != FC_PORT_NONE && out->claim != in)
		return false;
	if (port == FC_PORT_LOCAL)
		return site->fifo.state == FC_FF_FREE && site->fifo.room > 0;
	/*
	 * A packet of several flits spans links and must never stand behind another
	 * packet in a queue, or two could wait for each other's tail: it waits until
	 * downstream has taken everything.  A packet of one flit holds nothing else.
	 */
	return multi ? fc_tx_empty(&site->data.tx[port]) : fc_netout_ready(site, port);
}

static bool step(struct fc_site *site, u8 port, enum fc_netout_cond cond,
		 enum fc_netout_action *action)
{
	struct fc_out *out = &site->out[port];
	const struct fc_row *row = &fc_netout_table[out->state][cond];

	if (fc_no_row(row))
		return false;
	fc_fired(site, 1, out->state, cond);
	out->state = row->next;
	*action = row->action;
	return true;
}

/* Put a flit on the link, or into the fifo-buffer. */
static void emit(struct fc_site *site, u8 port, const struct fc_flit *flit, bool keep,
		 struct fc_effects *fx)
{
	struct fc_out *out = &site->out[port];
	struct fc_effect *e;

	if (port == FC_PORT_LOCAL) {
		fc_fifo_word(site, flit, keep, fx);
		return;
	}
	if (out->dead) {
		if (!keep)
			fc_effect_drop(fx, port, flit, FC_DROP_DOWN);
		return;
	}
	e = fc_effect_add(fx, FC_FX_SEND, port, flit);
	e->keep = keep;
	e->mask = out->mask;
	fc_llr_sent(&site->data, port, e);
}

/* The condition of the net-output in its present state, from its levels. */
static enum fc_netout_cond classify(const struct fc_site *site, u8 port)
{
	const struct fc_out *out = &site->out[port];
	bool ready = fc_netout_ready(site, port);

	switch ((enum fc_netout_state)out->state) {
	case FC_NO_WAIT:
		return ready ? FC_NOC_O : FC_NOC_NONE;
	case FC_NO_OPEN:
		return ready ? FC_NOC_NONE : FC_NOC_W;
	case FC_NO_LAST:
		return ready ? FC_NOC_NW : FC_NOC_NONE;
	case FC_NO_DONE:
		return ready ? FC_NOC_NW : FC_NOC_W;
	case FC_NO_0:
	case FC_NO_FREE:
	case FC_NO_FIRST:
	case FC_NO_COUNT:
		break;
	}
	return FC_NOC_NONE;
}

void fc_netout_update(struct fc_site *site, u8 port, struct fc_effects *fx)
{
	struct fc_out *out = &site->out[port];
	enum fc_netout_action action = FC_NOA_NONE;
	enum fc_netout_cond cond;

	while ((cond = classify(site, port)) != FC_NOC_NONE) {
		if (!step(site, port, cond, &action))
			return;
		if (action == FC_NOA_SEND_TERM) {
			/* Only what was left behind by abort mode waits here. */
			struct fc_flit flit = { .parts = out->term };

			emit(site, port, &flit, false, fx);
			out->dead = false;
			site->work |= site->seekers;
		}
	}
	if (out->in != FC_PORT_NONE)
		site->work |= fc_bit(out->in);
}

void fc_netout_connect(struct fc_site *site, u8 port, u8 in, u64 mask)
{
	struct fc_out *out = &site->out[port];
	enum fc_netout_action action;

	out->in = in;
	out->mask = mask;
	out->dead = false;
	step(site, port, FC_NOC_DA, &action);
}

void fc_netout_front(struct fc_site *site, u8 port, const struct fc_flit *flit, bool keep,
		     struct fc_effects *fx)
{
	enum fc_netout_action action;

	/* The router takes only net-outputs whose downstream is 'free. */
	if (!step(site, port, FC_NOC_F, &action))
		return;
	if (action == FC_NOA_SEND_FRONT && !(flit->parts & FC_PART_TERM))
		emit(site, port, flit, keep, fx);
	fc_netout_update(site, port, fx);
}

void fc_netout_pass(struct fc_site *site, u8 port, const struct fc_flit *flit, bool keep,
		    struct fc_effects *fx)
{
	emit(site, port, flit, keep, fx);
	fc_netout_update(site, port, fx);
}

void fc_netout_term(struct fc_site *site, u8 port, const struct fc_flit *flit, u8 parts,
		    bool keep, struct fc_effects *fx)
{
	struct fc_out *out = &site->out[port];
	enum fc_netout_action action;
	struct fc_flit term = *flit;

	term.parts = (flit->parts & FC_PART_HEAD) | parts;
	out->term = parts;
	out->in = FC_PORT_NONE;
	if (out->state == FC_NO_FIRST) {
		step(site, port, FC_NOC_AP, &action);
	} else if (step(site, port, FC_NOC_TR, &action) && fc_netout_ready(site, port)) {
		/* 'done, or 'last with downstream open again: one step at a time. */
		while (out->state != FC_NO_FREE && step(site, port, FC_NOC_NW, &action))
			;
		emit(site, port, &term, keep, fx);
		out->dead = false;
	}
	/* A terminator that must wait is one without a frame: the kind is all of it. */
	if (out->state == FC_NO_FREE)
		site->work |= site->seekers;
}

void fc_netout_abort_request(struct fc_site *site, u8 port)
{
	struct fc_out *out = &site->out[port];
	enum fc_netout_action action;

	if (out->state == FC_NO_FREE || !step(site, port, FC_NOC_AR, &action))
		return;
	if (action != FC_NOA_RELAY_AR || out->in == FC_PORT_NONE)
		return;
	/* The first net-input that splits consumes it; others ignore it (4.1). */
	if (site->in[out->in].type == FC_CONN_ALL_REMOTE ||
	    site->in[out->in].type == FC_CONN_SOME_LOCAL) {
		site->in[out->in].arm = true;
		site->work |= fc_bit(out->in);
	}
}
