/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a source asks a target that has not acked a packet in time (FC_CTRL_ASK): after one wait,
 * and then after waits that double.
 *
 * When the routes of the source change, a link or a site has failed, or works again.  A question or
 * an answer may have been lost there, and so may the packet: a site that dies keeps what it has
 * received and not yet sent, and no other site knows.  So the source asks anew, at once, about
 * packets that are overdue: of what was lost before, the old intervals say nothing.
 */
#ifndef FC_CORE_ENDS_ASK_H
#define FC_CORE_ENDS_ASK_H

#include "core/base.h"

/* Waits between two changes of routes after which sources ask anew: limits what unrest costs. */
#define FC_ASK_CALM	2

/* Is the ack of a packet overdue?  Of one that was not sent yet (0) none is. */
static inline bool fc_ask_overdue(u64 sent_at, u64 wait, u64 now)
{
	return sent_at && now >= sent_at + wait;
}

/**
 * fc_ask_anew_at() - when sources ask anew because routes have changed now, or did before
 * @anew: when they last did; 0: never
 * @again: when they are to because of an earlier change, or FC_NEVER
 * @wait: time in which nearly every ack arrives
 * @now: the time
 *
 * Failures delay acks, and late acks lengthen @wait: a longer @wait postpones no question.
 *
 * Return: the time; up to @now: at once.
 */
static inline u64 fc_ask_anew_at(u64 anew, u64 again, u64 wait, u64 now)
{
	u64 at = anew ? anew + FC_ASK_CALM * wait : now;

	return at < again ? at : again;
}

/**
 * fc_ask_at() - when to ask about a packet
 * @sent_at: when it was sent
 * @anew: when sources last asked anew; 0: never
 * @asks: questions since the packet was sent, or since @anew
 * @wait: time in which nearly every ack arrives
 *
 * Return: time of the next question.
 */
static inline u64 fc_ask_at(u64 sent_at, u64 anew, u8 asks, u64 wait)
{
	u64 from = sent_at + wait > anew ? sent_at : anew - wait;

	return from + ((2ULL << asks) - 1) * wait;
}

#endif /* FC_CORE_ENDS_ASK_H */
