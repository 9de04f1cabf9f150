/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sending ends of a site: answers and time-outs.  Under the site's lock.
 */
#ifndef FLITCAST_ENDS_TX_H
#define FLITCAST_ENDS_TX_H

#include "ends/ends.h"
#include "ends/msg.h"
#include "ends/txflow.h"

/*
 * Wait for an answer, to questions as well: several round trips, at least so long;
 * doubles up to the last.
 */
#define RTO_FIRST_NS	(400 * NSEC_PER_MSEC)
#define RTO_LAST_NS	(4 * NSEC_PER_SEC)
/*
 * A target is asked sooner: what is lost more often than data, which the links repeat,
 * is the confirmation, and a question costs no more than that did.
 */
#define ASK_FIRST_NS	(20 * NSEC_PER_MSEC)
/* One that reserves its way may wait for long before it enters, and is not lost. */
#define ASK_RESERVED_NS	(300 * NSEC_PER_MSEC)
/*
 * An answer that data has not come says that it was lost when that left so many waits
 * ago: it is the answer to the second question.
 */
#define ASK_LOST	3
/* Questions without an answer: the last one follows 31 waits after the data. */
#define ASKS		5

/* Give a target up; false if that was the end of the message. */
bool flitcast_tx_give_up(struct flitcast_site *site, struct tx_target *t, int err);
/*
 * Give up what is left of a message, as far as the budget goes; the timer goes on with the rest.
 * Return: true if it is over, and gone.
 */
bool flitcast_tx_give_up_all(struct flitcast_site *site, struct flitcast_msg *msg, int err,
			     int *budget);

/* What nearly every answer takes (RFC 6298), at least so long. */
static inline u64 flitcast_tx_ask_wait(const struct flitcast_site *site)
{
	return clamp_t(u64, site->ends->tx.srtt + 4 * site->ends->tx.rttvar,
		       site->mode->reserves ? ASK_RESERVED_NS : ASK_FIRST_NS, RTO_LAST_NS);
}

/* After the questions of ASK_LOST waits, and their answers. */
static inline u64 flitcast_tx_wait(const struct flitcast_site *site)
{
	return clamp_t(u64, 4 * flitcast_tx_ask_wait(site), RTO_FIRST_NS, RTO_LAST_NS);
}

/* Some targets of a message wait for others, or do not any more. */
static inline void flitcast_tx_hold(struct flitcast_msg *msg, bool wait, u64 now)
{
	if (msg->state.waits_for == wait)
		return;
	msg->state.waits_for = wait;
	if (wait)
		fc_patience_wait(&msg->source->patience, FC_PATIENCE_SOURCE, now);
	else
		fc_patience_over(&msg->source->patience, FC_PATIENCE_SOURCE, now);
}

/* Something was sent, or came: what is missing then is asked for in its time. */
static inline void flitcast_tx_ask_later(const struct flitcast_site *site,
					 struct flitcast_msg *msg, u64 now)
{
	u64 at = now + flitcast_tx_ask_wait(site) + (msg->how.patient ? FC_LATER_NS : 0);

	msg->at.ask = min(msg->at.ask, at);
}

/*
 * How long the lock is held: looks at targets, or what takes as long; what it takes to act on one,
 * to look at a message, and to free one.
 */
#define TX_BUDGET	768
#define TX_COST_ACT	16
#define TX_COST_MSG	8
#define TX_COST_FREE	48

/* Something end to end is due at that time. */
static inline void flitcast_tx_due(struct flitcast_site *site, u64 at)
{
	site->clock.ends_at = min(site->clock.ends_at, at);
}

/* A control frame about a message of this site. */
void flitcast_tx_answer(struct flitcast_site *site, const struct fc_ctrl *ctrl);
void flitcast_tx_time(struct flitcast_site *site);

/* txmsg.c */

/*
 * The site is dead: its messages are over for every target, so many of them at a time.  Return:
 * true if there are more.
 */
bool flitcast_tx_purge(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_TX_H */
