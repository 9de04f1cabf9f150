/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages being received: put together from packets, charged for, dropped.
 */
#ifndef FLITCAST_ENDS_RXMSG_H
#define FLITCAST_ENDS_RXMSG_H

#include <linux/skbuff.h>
#include "core/ends.h"
#include "ends/port.h"
#include "ends/rxflow.h"

/**
 * struct rx_taken - what a packet brings of a part, taken out of its flits
 * @data: flits linked by next
 * @alone: it is the whole message in one skb, which is delivered as it is
 * @cut: bytes of the packet before it that are gone
 * @extra: bytes that it holds beyond what is reserved for each packet
 */
struct rx_taken {
	struct sk_buff *data;
	bool alone;
	u32 cut;
	u32 extra;
};

/* Room that is thought to be taken of each message, and of each packet, besides its data. */
#define MSG_ROOM	1024
#define PACKET_ROOM	512

/* Room that a message takes at least: its data and what is kept of each packet. */
static inline u32 flitcast_rxmsg_charge(const struct fc_part *part)
{
	return part->len + MSG_ROOM + part->count * PACKET_ROOM;
}

/* Take the data of a part out of a packet, with as little else as is worth while. */
void flitcast_rxmsg_take(struct flitcast_port *port, struct sk_buff_head *flits,
			 const struct fc_part *part, u16 packet, struct rx_taken *taken);
/* Handle of a message to be put together (struct fc_rxmsg, @h); NULL: no memory. */
void *flitcast_rxmsg_make(const struct fc_part *part, u32 charge, u32 extra);
/* Handle of a message that is one skb, which gets its charge. */
void *flitcast_rxmsg_alone(struct sk_buff *skb, u32 charge);
/*
 * Keep a packet of a message.  @taken gets the @cut of the message's first packet.  Return: the skb
 * that will be delivered.
 */
struct sk_buff *flitcast_rxmsg_keep(struct flitcast_port *port, const struct fc_rxmsg *m, u16 index,
				    struct rx_taken *taken);
/* The message is complete: the skb to deliver, with its charge.  @m refers to nothing any more. */
struct sk_buff *flitcast_rxmsg_finish(struct flitcast_port *port, const struct fc_rxmsg *m);
/* Room that a message is charged for. */
u32 flitcast_rxmsg_charged(const struct fc_rxmsg *m);
/* Free what is held of a message, or a message that was delivered to nobody, by a work. */
void flitcast_rxmsg_drop(struct flitcast_site *site, const struct fc_rxmsg *m);
void flitcast_rx_drop(struct flitcast_site *site, struct sk_buff *skb);

void flitcast_rx_init(struct flitcast_site *site);
/* Context: process; nothing comes in any more, and the ports are detached. */
void flitcast_rx_stop(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_RXMSG_H */
