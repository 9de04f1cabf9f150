/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When something is due of the messages of a site, and which of them are under way.
 */
#ifndef FLITCAST_ENDS_TXSCHED_H
#define FLITCAST_ENDS_TXSCHED_H

#include "ends/msg.h"

struct flitcast_site;

/* Until then some targets of a message wait for others. */
static inline u64 flitcast_tx_hold_until(const struct flitcast_msg *msg)
{
	return msg->state.held_at + ((u64)msg->state.hold_for << HOLD_SHIFT);
}

/*
 * The state of a target changed: its message may become active, or make place for another.  A
 * target is under way if it has packets that it has not confirmed, or room, which should soon be
 * used.  What a silent one is sent again does not count: a site that is gone must not hold back
 * what goes to others.
 */
void flitcast_tx_settle(struct flitcast_site *site, struct tx_target *t);
/* One of its times changed. */
void flitcast_tx_schedule(struct flitcast_site *site, struct flitcast_msg *msg);
/* The same of one that was just sent, to one target. */
void flitcast_tx_schedule_sent(struct flitcast_site *site, struct flitcast_msg *msg);

#endif /* FLITCAST_ENDS_TXSCHED_H */
