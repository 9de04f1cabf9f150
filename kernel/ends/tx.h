/* SPDX-License-Identifier: GPL-2.0 */
/* Sending end of a site: acks and time-outs (tx.c).  All functions: under the site's lock. */
#ifndef FLITCAST_ENDS_TX_H
#define FLITCAST_ENDS_TX_H

#include "ends/state.h"
#include "ends/msg.h"
#include "ends/txflow.h"

/*
 * Retransmission time-out: several round trips, at least RTO_FIRST_NS; doubles up to RTO_LAST_NS.
 */
#define RTO_FIRST_NS	(400 * NSEC_PER_MSEC)
#define RTO_LAST_NS	(4ULL * NSEC_PER_SEC)
/*
 * FC_CTRL_ASK is sent earlier: links retransmit data but not control frames, so that mostly the ack
 * is lost; and asking costs no more than the ack did.
 */
#define ASK_FIRST_NS	(20 * NSEC_PER_MSEC)
/* Mode csr: a packet may wait this long for its reservation without being lost. */
#define ASK_RESERVED_NS	(300 * NSEC_PER_MSEC)
/*
 * Data is taken for lost if a target answers, this many waits after it was sent, that it has not
 * arrived: normally the answer to the second FC_CTRL_ASK.
 */
#define ASK_LOST	3
/* Maximum number of FC_CTRL_ASK without an answer: the last one follows 31 waits after the data. */
#define ASKS		5

/* Abort a message for one target.  Return: false if the message was completed and freed. */
bool flitcast_tx_abort(struct flitcast_site *site, struct tx_target *t, int err);
/*
 * Abort a message for all remaining targets, within the budget; the timer continues. Return: true
 * if the message was completed and freed.
 */
bool flitcast_tx_abort_all(struct flitcast_site *site, struct flitcast_msg *msg, int err,
			   int *budget);

/* Return: the time in which nearly every ack arrives (RFC 6298), with a lower bound. */
static inline u64 flitcast_tx_ask_wait(const struct flitcast_site *site)
{
	return clamp_t(u64, site->ends->tx.srtt + 4 * site->ends->tx.rttvar,
		       site->mode->reserves ? ASK_RESERVED_NS : ASK_FIRST_NS, RTO_LAST_NS);
}

/*
 * Return: the retransmission time-out; it allows for the FC_CTRL_ASK of ASK_LOST waits and the
 * answers.
 */
static inline u64 flitcast_tx_wait(const struct flitcast_site *site)
{
	return clamp_t(u64, 4 * flitcast_tx_ask_wait(site), RTO_FIRST_NS, RTO_LAST_NS);
}

/* Start or stop the patience timer of the source: some targets of the message wait for others. */
static inline void flitcast_tx_hold(struct flitcast_msg *msg, bool wait, u64 now)
{
	if (msg->state.waits_for == wait)
		return;
	msg->state.waits_for = wait;
	if (wait)
		fc_patience_wait(&msg->source->patience, FC_PATIENCE_SOURCE, now);
	else
		fc_patience_end(&msg->source->patience, FC_PATIENCE_SOURCE, now);
}

/* Schedule the next FC_CTRL_ASK after a packet was sent or an ack arrived. */
static inline void flitcast_tx_ask_arm(const struct flitcast_site *site,
				       struct flitcast_msg *msg, u64 now)
{
	u64 at = now + flitcast_tx_ask_wait(site) + (msg->how.delay_ack ? FC_ACK_DELAY_NS : 0);

	msg->at.ask = min(msg->at.ask, at);
}

/*
 * Budget of one call under the lock, in units of a look at one target; and the cost of acting on a
 * target, of looking at a message and of freeing one.
 */
#define TX_BUDGET	768
#define TX_COST_ACT	16
#define TX_COST_MSG	8
#define TX_COST_FREE	48

/* Set the site's timer to @at at the latest. */
static inline void flitcast_tx_due(struct flitcast_site *site, u64 at)
{
	site->clock.ends_at = min(site->clock.ends_at, at);
}

/* A control frame from a target of a message of this site. */
void flitcast_tx_answer(struct flitcast_site *site, const struct fc_ctrl *ctrl);
void flitcast_tx_time(struct flitcast_site *site);
/* Routes have changed: check which targets have become reachable, or unreachable. */
void flitcast_tx_rerouted(struct flitcast_site *site);

/* txmsg.c */

/* Abort messages of a dead site, within a budget.  Return: true if more are left. */
bool flitcast_tx_purge(struct flitcast_site *site);
/* Mode csr: a packet of this site is admitted. */
void flitcast_tx_admitted(struct flitcast_site *site, const struct flitcast_admitted *a);

#endif /* FLITCAST_ENDS_TX_H */
