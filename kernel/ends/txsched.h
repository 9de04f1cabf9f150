/* SPDX-License-Identifier: GPL-2.0 */
/* Timers of messages, and the accounting of active ones (txsched.c). */
#ifndef FLITCAST_ENDS_TXSCHED_H
#define FLITCAST_ENDS_TXSCHED_H

#include "ends/msg.h"

struct flitcast_site;

/* Unit of tx_state.hold_for, as a power of 2 ns. */
#define HOLD_SHIFT	12

/* Return: until when some targets of a message wait for others. */
static inline u64 flitcast_tx_hold_until(const struct flitcast_msg *msg)
{
	return msg->state.held_at + ((u64)msg->state.hold_for << HOLD_SHIFT);
}

/*
 * Call after the state of a target changed: updates whether its message is active.
 *
 * A target is active if it has unacked packets, or granted buffer space, which is to be used soon.
 * Retransmissions to an unresponsive target do not count: a site that is gone must not hold back
 * messages to others.
 */
void flitcast_tx_update(struct flitcast_site *site, struct tx_target *t);
/* Update the position of a message in the timer tree after one of its times changed. */
void flitcast_tx_schedule(struct flitcast_site *site, struct flitcast_msg *msg);
/*
 * As flitcast_tx_schedule(), for a message to one target that was just sent: usually only @ask is
 * due, and a sorted list is cheaper than the tree.
 */
void flitcast_tx_schedule_sent(struct flitcast_site *site, struct flitcast_msg *msg);

#endif /* FLITCAST_ENDS_TXSCHED_H */
