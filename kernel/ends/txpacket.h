/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of messages: the next one, and its flits.
 */
#ifndef FLITCAST_ENDS_TXPACKET_H
#define FLITCAST_ENDS_TXPACKET_H

#include "ends/ends.h"
#include "ends/msg.h"

/* Targets of a packet, at most: their list fits its first flit. */
static inline u32 flitcast_tx_targets_most(const struct flitcast_site *site)
{
	return min_t(u32, FC_TARGETS_MAX, (site->cfg.flit - FC_LINK_SIZE - FC_PACKET_SIZE) /
		     FC_TARGET_SIZE);
}

/* Bytes of the message's data that go into the linear part of a flit: all, or none. */
static inline u32 flitcast_tx_linear(const struct flitcast_msg *msg)
{
	return msg->npages ? 0 : msg->len;
}

/*
 * Data [from, from + len) of the message as fragments, or into the linear part, which has room.
 * Return: bytes, as many as fit.
 */
u32 flitcast_tx_add_data(struct sk_buff *skb, struct flitcast_msg *msg, u32 from, u32 len);
/*
 * A message that has just been accepted goes now, if it is one flit to one target, and its source
 * has no other that waits: nothing else does, or nothing does for its link.  Return: false if it is
 * to wait.
 */
bool flitcast_tx_at_once(struct flitcast_site *site, struct flitcast_msg *msg);
/*
 * A packet is about to be sent to a target, or to all, and may come there from now on, even if the
 * target is given up before the packet goes.
 */
void flitcast_tx_offer(struct tx_target *t, u32 packet);
/* A packet goes to a target.  Return: true if it did before. */
bool flitcast_tx_mark(struct tx_target *t, u32 packet, u64 now);
/* A packet of the message has gone: answers are waited for. */
void flitcast_tx_went(struct flitcast_site *site, struct flitcast_msg *msg, u64 now);

#endif /* FLITCAST_ENDS_TXPACKET_H */
