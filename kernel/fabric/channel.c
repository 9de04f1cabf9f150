// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a channel: its receiver and transmitter of each port (core/channel.h).
 */
#include <linux/slab.h>
#include "fabric/channel.h"
#include "fabric/site.h"

void flitcast_channel_free(struct flitcast_site *site, struct fc_channel *ch)
{
	u8 p;

	for (p = 0; ch->rx && p < ch->nports; p++)
		if (ch->rx[p].queue != site->buffers.no_queue)
			kfree(ch->rx[p].queue);
	kfree(ch->rx);
	kfree(ch->tx);
}

int flitcast_channel_alloc(struct flitcast_site *site, struct fc_channel *ch, u32 ports)
{
	u8 p;

	ch->window = site->cfg.window;
	ch->nports = site->node.nports;
	ch->rx = kcalloc(ch->nports, sizeof(*ch->rx), GFP_KERNEL_ACCOUNT);
	ch->tx = kcalloc(ch->nports, sizeof(*ch->tx), GFP_KERNEL_ACCOUNT);
	if (!ch->rx || !ch->tx)
		return -ENOMEM;
	for (p = 0; p < ch->nports; p++) {
		ch->rx[p].queue = site->buffers.no_queue;
		if (ports & fc_bit(p))
			ch->rx[p].queue = kcalloc(ch->window, sizeof(struct fc_flit),
						  GFP_KERNEL_ACCOUNT);
		/* flitcast_link_add() sets the counters of the link later. */
		ch->rx[p].stat = site->local_stat;
		if (!ch->rx[p].queue)
			return -ENOMEM;
	}
	return 0;
}
