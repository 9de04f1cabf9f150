// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: packets whose rest does not arrive (core/link/stall.h).
 */
#include "core/vnet/vnet_machine.h"

static u64 interval(const struct fc_vnet *v)
{
	return fc_stall_interval(v->node->timing->poll);
}

void fc_vnet_cut(struct fc_vnet *v, struct fc_vin *in)
{
	u8 i;

	in->cut = true;
	in->oper = 0;
	for (i = 0; i < in->nbranches; i++)
		if (!in->branch[i].completed)
			fc_vmay_go(v, in->branch[i].class, in->branch[i].port);
}

void fc_vnet_watch(struct fc_vnet *v)
{
	fc_stall_watch(&v->check, v->now, interval(v));
	if (v->check.at < v->next_at)
		v->next_at = v->check.at;
}

/* A packet that is stored holds no output; if it is slow, the next ones are stored as well. */
static void check_stored(struct fc_vnet *v, struct fc_vin *in, u8 port)
{
	struct fc_stall *stall = &v->stall[port];

	if (fc_progress_check(&in->progress, in->come, false) != FC_PACE_GOOD)
		stall->until = v->now + stall->hold;
}

/* Does another packet wait for an output of this one? */
static bool holds_others(const struct fc_vin *in)
{
	u8 i;

	for (i = 0; i < in->nbranches; i++)
		if (!in->branch[i].completed && in->branch[i].begun &&
		    in->branch[i].next != FC_VBRANCH_NONE)
			return true;
	return false;
}

/* Return: true if the packet remains to be checked. */
static bool check(struct fc_vnet *v, u8 class, u8 port)
{
	struct fc_vin *in = fc_vin_of(v, class, port);

	if (!in->busy || in->whole || in->cut)
		return false;
	if (in->stored) {
		check_stored(v, in, port);
		return true;
	}
	if (!holds_others(in)) {
		fc_progress_skip(&in->progress, in->come);
		return true;
	}
	switch (fc_progress_check(&in->progress, in->come, false)) {
	case FC_PACE_GOOD:
		return true;
	case FC_PACE_SLOW:
		fc_stall_note(&v->stall[port], v->now, interval(v), FC_STALL_HOLD);
		return true;
	case FC_PACE_STALLED:
		break;
	}
	fc_stall_note(&v->stall[port], v->now, interval(v), FC_STALL_HOLD);
	v->ch[class].rx[port].stat[FC_LSTAT_RX_UNFINISHED]++;
	fc_vtouch(v, class);
	fc_vnet_cut(v, in);
	in->rest = true;
	fc_vmay_come(v, class, port);
	return false;
}

void fc_vnet_check(struct fc_vnet *v)
{
	bool fair, more = false;
	u8 c, p;

	if (!fc_stall_due(&v->check, v->now, interval(v), &fair))
		return;
	for (c = 0; c < v->nclasses; c++)
		for (p = 1; p < v->nports; p++)
			more |= fair ? check(v, c, p) : fc_vin_of(v, c, p)->busy;
	if (more)
		fc_vnet_watch(v);
}
