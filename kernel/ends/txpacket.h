/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of messages (txpacket.c). */
#ifndef FLITCAST_ENDS_TXPACKET_H
#define FLITCAST_ENDS_TXPACKET_H

#include "ends/state.h"
#include "ends/msg.h"

/* Return: the maximum number of targets of a packet: the target list must fit the first flit. */
static inline u32 flitcast_tx_targets_most(const struct flitcast_site *site)
{
	return min_t(u32, FC_TARGETS_MAX, (site->cfg.flit - FC_LINK_SIZE - FC_PACKET_SIZE) /
		     FC_TARGET_SIZE);
}

/*
 * Return: the bytes of message data copied to the linear part of a flit: all (short message) or
 * none.
 */
static inline u32 flitcast_tx_linear(const struct flitcast_msg *msg)
{
	return msg->npages ? 0 : msg->len;
}

/*
 * Add data [from, from + len) of the message to an skb, as fragments or copied to the linear part,
 * which has space.  Return: bytes added, as many as fit.
 */
u32 flitcast_tx_add_data(struct sk_buff *skb, struct flitcast_msg *msg, u32 from, u32 len);
/*
 * Choose the next packet of a set.  Return: number of its targets; 0: there is none now.  Context:
 * the site's lock, as for flitcast_tx_flit().
 */
unsigned int flitcast_tx_pick(struct flitcast_site *site, u8 set);
/*
 * Return: the next flit of the chosen packet; NULL: no memory, retry later.  A packet that has not
 * begun must then be chosen again.
 */
struct sk_buff *flitcast_tx_flit(struct flitcast_site *site, u8 set, struct fc_flit *flit);
/*
 * Fast path: send a message of one flit to one target at once, if no other message of its source
 * waits, and no packet waits at its injection queue or, in modes that allow it, at its link.
 * Return: false if the message must be queued.
 */
bool flitcast_tx_at_once(struct flitcast_site *site, struct flitcast_msg *msg);
/*
 * Has the sender of a message of user pages changed a packet that is to be sent again?  Its targets
 * would drop it for ever, because its sum is that of the data as it was.
 * Return: true if so: the message is aborted, and may be freed.
 */
bool flitcast_tx_changed(struct flitcast_site *site, struct flitcast_msg *msg, u32 packet);
/*
 * A packet is about to be sent to a target.  The target may receive it from now on, even if the
 * message is aborted before the packet leaves.
 */
void flitcast_tx_offer(struct tx_target *t, u32 packet);
/* Mark a packet as sent to a target.  Return: true if it is a retransmission. */
bool flitcast_tx_mark(struct tx_target *t, u32 packet, u64 now);
/* A packet of the message was sent: start the time-outs. */
void flitcast_tx_went(struct flitcast_site *site, struct flitcast_msg *msg, u64 now);

#endif /* FLITCAST_ENDS_TXPACKET_H */
