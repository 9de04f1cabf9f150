/* SPDX-License-Identifier: GPL-2.0 */
/* Reassembly of received messages (rxmsg.c). */
#ifndef FLITCAST_ENDS_RXMSG_H
#define FLITCAST_ENDS_RXMSG_H

#include <linux/skbuff.h>
#include "drop_reason.h"
#include "core/ends/ends.h"
#include "ends/port.h"
#include "ends/rxflow.h"

/**
 * struct rx_taken - data of one packet for the local target
 * @data: flits, linked by next
 * @alone: @data is the whole message in one skb, to be delivered as it is
 * @cut: bytes of the packet before the data that were dropped
 * @extra: bytes of memory beyond the amount that flitcast_rxmsg_charge() assumes
 */
struct rx_taken {
	struct sk_buff *data;
	bool alone;
	u32 cut;
	u32 extra;
};

/* Overhead assumed for each message and each packet, in bytes. */
#define MSG_ROOM	1024
#define PACKET_ROOM	512

/* Return: the minimum charge of a message: its data and the assumed overhead. */
static inline u32 flitcast_rxmsg_charge(const struct fc_part *part)
{
	return part->len + MSG_ROOM + part->count * PACKET_ROOM;
}

/* Move the data of a part from a packet to @taken, copying it if its flits pin much more memory. */
void flitcast_rxmsg_take(struct flitcast_port *port, struct sk_buff_head *flits,
			 const struct fc_part *part, u16 packet, struct rx_taken *taken);
/* Return: handle (fc_rxmsg.h) of a message of several packets; NULL: no memory. */
void *flitcast_rxmsg_make(const struct fc_part *part, u32 charge, u32 extra);
/* Return: handle of a message that is one skb; stores @charge in the skb. */
void *flitcast_rxmsg_alone(struct sk_buff *skb, u32 charge);
/*
 * Store a packet of a message.  Sets @taken->cut to that of the first packet of the message.
 * Return: the skb that will be delivered.
 */
struct sk_buff *flitcast_rxmsg_keep(struct flitcast_port *port, const struct fc_rxmsg *m, u16 index,
				    struct rx_taken *taken);
/*
 * Complete a message.  Return: the skb to deliver, with its charge; the handle in @m is invalid
 * then.
 */
struct sk_buff *flitcast_rxmsg_finish(struct flitcast_port *port, const struct fc_rxmsg *m);
/* Return: the bytes charged to the port for a message. */
u32 flitcast_rxmsg_charged(const struct fc_rxmsg *m);
/* Queue an incomplete message, or an skb that no reader wants, to be freed by a work item. */
void flitcast_rxmsg_drop(struct flitcast_site *site, const struct fc_rxmsg *m,
			 enum flitcast_drop why);
void flitcast_rx_drop(struct flitcast_site *site, struct sk_buff *skb, enum flitcast_drop why);

void flitcast_rx_init(struct flitcast_site *site);
/* Wait for the work item.  Context: process; no packets arrive, and the ports are detached. */
void flitcast_rx_stop(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_RXMSG_H */
