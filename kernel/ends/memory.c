// SPDX-License-Identifier: GPL-2.0
/* Allocation of struct flitcast_ends, the part of a site that knows messages. */
#include <linux/slab.h>
#include "ends/msg.h"
#include "ends/rxmsg.h"
#include "ends/source.h"

int flitcast_ends_alloc(struct flitcast_site *site)
{
	struct flitcast_ends *ends = kzalloc(sizeof(*ends), GFP_KERNEL_ACCOUNT);
	u8 c;

	if (!ends)
		return -ENOMEM;
	ends->site = site;
	site->ends = ends;
	xa_init_flags(&ends->ports.table, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&ends->ports.woken);
	INIT_LIST_HEAD(&ends->rx.ack_pending);
	hash_init(ends->bcasts.table);
	INIT_LIST_HEAD(&ends->bcasts.ages);
	hash_init(ends->queue.owners);
	for (c = 0; c < FLITCAST_TX_DOORS; c++)
		flitcast_round_init(&ends->queue.round[c]);
	INIT_LIST_HEAD(&ends->txbcast.again);
	__skb_queue_head_init(&ends->txbcast.flits);
	flitcast_tx_init(site);
	flitcast_rx_init(site);
	return flitcast_rxflow_alloc(site);
}

void flitcast_ends_free(struct flitcast_site *site)
{
	if (!site->ends)
		return;
	flitcast_msg_pool_free(site);
	flitcast_rxflow_free(site);
	xa_destroy(&site->ends->ports.table);
	kfree(site->ends);
}
