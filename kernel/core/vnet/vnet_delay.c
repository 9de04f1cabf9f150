// SPDX-License-Identifier: GPL-2.0
/*
 * The switch of mode vnet: packets that a peer delays (core/link/delay.h).
 */
#include "core/vnet/vnet_delay.h"
#include "core/vnet/vnet_machine.h"

static void add_input(const struct fc_vnet *v, u8 class, u8 port, u64 now, struct fc_delay *d)
{
	const struct fc_vin *in = fc_vin_of(v, class, port);

	if (in->busy && !in->whole && !in->cut)
		fc_delay_in(d, &in->progress, now, fc_stall_interval(v->node->timing->poll),
			    in->come, in->n);
}

static void add_output(const struct fc_vnet *v, u8 class, u8 port, struct fc_delay *d)
{
	const struct fc_vout *out = fc_vout_of(v, class, port);
	const struct fc_tx *tx = &v->ch[class].tx[port];
	u32 number = out->first, at;
	const struct fc_flit *front;

	if (!fc_delay_wait(d, &v->ch[class], port))
		return;
	/* A packet that has begun has credit for all of its flits. */
	if (number != FC_VBRANCH_NONE && fc_vbranch_of(v, number)->begun)
		number = fc_vbranch_of(v, number)->next;
	if (number == FC_VBRANCH_NONE)
		return;
	at = number / fc_vslots_of(v);
	front = fc_rx_first(&v->ch[at / v->nports].rx[at % v->nports]);
	/* The queue keeps the front for a branch that has not begun, unless the packet is cut. */
	if (v->in[at].freed || !front->h)
		return;
	fc_delay_out(d, tx, fc_wire_src(front->head),
		     fc_wire_target_site(front->head, fc_low64(fc_vbranch_of(v, number)->mask)),
		     out->load);
}

void fc_vnet_delay(const struct fc_vnet *v, u8 port, u64 now, struct fc_delay *d)
{
	u8 c;

	fc_delay_stores(d, &v->stall[port], now);
	for (c = 0; c < v->nclasses; c++) {
		add_input(v, c, port, now, d);
		add_output(v, c, port, d);
	}
}
