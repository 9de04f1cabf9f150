// SPDX-License-Identifier: GPL-2.0
/*
 * The upstream fifo-buffer (CARE, section 4.4) and the receiving side of the
 * operator behind it (4.3.2).
 *
 * The operator's network-buffer has room for one packet and is served in the
 * step that completes it, so the words the fifo-buffer holds are those the runner
 * has not reported as taken (FC_EV_ROOM).
 */
#include "core/care/machine.h"

static enum fc_fifo_action fifo_step(struct fc_site *site, enum fc_fifo_cond cond)
{
	const struct fc_row *row = &fc_fifo_table[site->fifo.state][cond];

	if (fc_no_row(row))
		return FC_FFA_NONE;
	fc_fired(site, 2, site->fifo.state, cond);
	site->fifo.state = row->next;
	return row->action;
}

/* The packet's targets, without those reported to the source as unreachable. */
static void serve(struct fc_site *site, enum fc_effect_type type, struct fc_effects *fx)
{
	struct fc_effect *e = fc_effect_add(fx, type, FC_PORT_LOCAL, NULL);

	e->mask = site->out[FC_PORT_LOCAL].mask;
	e->flags = site->fifo.aborted ? FC_SERVE_ABORTED : 0;
}

static void oper_step(struct fc_site *site, enum fc_oper_cond cond, const struct fc_flit *flit,
		      bool keep, struct fc_effects *fx)
{
	const struct fc_row *row = &fc_oper_table[site->oper][cond];

	if (fc_no_row(row))
		return;
	fc_fired(site, 3, site->oper, cond);
	site->oper = row->next;
	switch ((enum fc_oper_action)row->action) {
	case FC_OPA_STORE:
		fc_effect_add(fx, FC_FX_STORE, FC_PORT_LOCAL, flit)->keep = keep;
		break;
	case FC_OPA_SERVE:
		serve(site, FC_FX_SERVE, fx);
		break;
	case FC_OPA_SERVE_LOCAL:
		serve(site, FC_FX_SERVE_LOCAL, fx);
		break;
	case FC_OPA_DISCARD:
		site->node->stat[FC_STAT_PKT_DISCARDED]++;
		fc_effect_add(fx, FC_FX_DISCARD, FC_PORT_LOCAL, NULL);
		break;
	case FC_OPA_NONE:
	case FC_OPA_COUNT:
		break;
	}
}

static void arm_timeout(struct fc_site *site)
{
	u64 t = site->node->timing->timeout << site->fifo.backoff;

	/* Random, so that two multicasts that block each other do not abort together. */
	site->fifo.timeout_at = site->now + t + fc_random_below(&site->rng, t / 2 + 1);
	fc_site_due(site, site->fifo.timeout_at);
}

void fc_fifo_timeout(struct fc_site *site)
{
	struct fc_fifo *fifo = &site->fifo;

	if (fifo->backoff < FC_BACKOFF_MAX)
		fifo->backoff++;
	fifo->calm = 0;
	arm_timeout(site);
}

/* A packet came in whole. */
static void calm_down(struct fc_fifo *fifo)
{
	if (!fifo->backoff || ++fifo->calm < FC_BACKOFF_CALM)
		return;
	fifo->backoff--;
	fifo->calm = 0;
}

void fc_fifo_word(struct fc_site *site, const struct fc_flit *flit, bool keep,
		  struct fc_effects *fx)
{
	struct fc_fifo *fifo = &site->fifo;
	bool term = flit->parts & FC_PART_TERM;

	if (fifo->state == FC_FF_FREE)
		fifo_step(site, fifo->room ? FC_FFC_DNF : FC_FFC_DF);
	if (flit->h && fifo->room && site->node->timing->fifo_room)
		fifo->room--;
	/* The operator's words: a terminator without a frame has only its kind to give. */
	if (flit->h)
		oper_step(site, FC_OPC_DA, flit, keep, fx);
	if (term) {
		fifo_step(site, fifo->room ? FC_FFC_TNF : FC_FFC_TF);
		if (fifo->state == FC_FF_DONE)
			fifo_step(site, FC_FFC_TQ);
		fifo->timeout_at = FC_NEVER;
		if (!(flit->parts & FC_PART_ABORT))
			calm_down(fifo);
		if (flit->parts & FC_PART_ABORT)
			oper_step(site, FC_OPC_AP, flit, keep, fx);
		else if (flit->parts & FC_PART_LOCAL_END)
			oper_step(site, FC_OPC_LEOP, flit, keep, fx);
		else
			oper_step(site, FC_OPC_EOP, flit, keep, fx);
		fifo->aborted = false;
		return;
	}
	if (fifo->room)
		arm_timeout(site);
	else if (fifo->state == FC_FF_OPEN)
		fc_fifo_update(site);
}

void fc_fifo_update(struct fc_site *site)
{
	struct fc_fifo *fifo = &site->fifo;

	if (fifo->state == FC_FF_OPEN && !fifo->room) {
		fifo_step(site, FC_FFC_F);
		/* A fifo-buffer that is full does not time out. */
		fifo->timeout_at = FC_NEVER;
	} else if (fifo->state == FC_FF_WAIT && fifo->room) {
		fifo_step(site, FC_FFC_NF);
		arm_timeout(site);
	} else if (fifo->state == FC_FF_DONE_WAIT && fifo->room) {
		fifo_step(site, FC_FFC_NF);
		fifo_step(site, FC_FFC_TQ);
	}
}
