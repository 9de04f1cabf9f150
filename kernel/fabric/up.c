// SPDX-License-Identifier: GPL-2.0
/* Work for the layers above, and the calls that do it (up.h). */
#include <linux/slab.h>
#include "drop.h"
#include "fabric/site.h"

DEFINE_STATIC_CALL_NULL(flitcast_leave_up, flitcast_engine_leave);
DEFINE_STATIC_CALL_NULL(flitcast_received_up, flitcast_engine_received);

void flitcast_up_init(struct flitcast_up *up)
{
	__skb_queue_head_init(&up->arrived);
	INIT_LIST_HEAD(&up->admitted);
	up->flit = NULL;
}

void flitcast_up_purge(struct flitcast_up *up)
{
	struct flitcast_admitted *a, *next;

	flitcast_drop(up->flit, FLITCAST_DROP_DOWN);
	flitcast_drop_queue(&up->arrived, FLITCAST_DROP_DOWN);
	list_for_each_entry_safe(a, next, &up->admitted, node)
		kfree(a);
	memset(up, 0, sizeof(*up));
	flitcast_up_init(up);
}

void flitcast_up_packet(struct flitcast_up *up, struct sk_buff_head *flits,
			struct flitcast_arrived arrival)
{
	BUILD_BUG_ON(sizeof(arrival) > sizeof_field(struct sk_buff, cb));
	arrival.flits = skb_queue_len(flits);
	*FLITCAST_ARRIVED(skb_peek(flits)) = arrival;
	skb_queue_splice_tail_init(flits, &up->arrived);
	up->pending |= FLITCAST_UP_ARRIVED;
}

void flitcast_up_entered(struct flitcast_up *up, u8 queue, u32 bytes)
{
	up->queues |= fc_bit(queue);
	up->entered[queue].frames++;
	up->entered[queue].bytes += bytes;
	up->pending |= FLITCAST_UP_ENTERED;
}

bool flitcast_up_admitted(struct flitcast_site *site, const u8 *head, u64 at)
{
	struct flitcast_admitted *a;
	struct fc_packet pk;

	fc_wire_packet_decode(&pk, head);
	if (pk.src != site->cfg.id || pk.incarnation != site->incarnation)
		return true;
	a = kmalloc(sizeof(*a), GFP_ATOMIC);
	if (!a)
		return false;
	fc_wire_target_decode(&a->to, head, 0);
	a->sock = pk.sock;
	a->at = at;
	list_add_tail(&a->node, &site->todo.up.admitted);
	site->todo.up.pending |= FLITCAST_UP_ADMITTED;
	return true;
}
