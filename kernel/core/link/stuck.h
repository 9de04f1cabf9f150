/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that wait for a peer that takes nothing; llr.c measures the wait. */
#ifndef FC_CORE_LINK_STUCK_H
#define FC_CORE_LINK_STUCK_H

#include "core/channel.h"
#include "core/link/node.h"

/*
 * A peer that answers polls and acknowledges nothing, while packets wait for credit, is stuck.  The
 * wait has an age, in units of timing->poll.  It grows from answer to answer, so that a peer that
 * is stalled and does not answer is not taken for a stuck one.  Each acknowledged flit reduces it
 * by a 64th of FC_LLR_STUCK, and the last one of those in flight halves it.  An honest peer keeps a
 * flit in its queue only while that waits for the next link: where the peer reports flits in its
 * queue the age grows eight times more slowly, also where retransmitted flits are lost again and
 * again, and four times where the peer does not answer.
 *
 * From FC_LLR_STUCK on datagrams that have no credit are abandoned, from five times that on
 * messages, which their sources send again.  Where nothing at all was acknowledged for
 * FC_LLR_STUCK_SUSPECT, the link is suspected.
 */
#define FC_LLR_STUCK		5
#define FC_LLR_STUCK_MESSAGES	(5 * FC_LLR_STUCK)
#define FC_LLR_STUCK_SUSPECT	(20 * FC_LLR_STUCK)
#define FC_LLR_STUCK_FLITS	64
/*
 * Polls without an ack after which lost flits are no reason any more; polls without an answer on
 * their own channel, while others answer, after which the channel is as good as silent.
 */
#define FC_LLR_STUCK_DRY	12
/*
 * Age of a wait that begins after that, where the peer reports flits in its queue and no packet of
 * the link was abandoned meanwhile.
 */
#define FC_LLR_STUCK_HOLDS	(3 * FC_LLR_STUCK)
/* Halvings of the growth. */
#define FC_LLR_STUCK_QUEUED	3
#define FC_LLR_STUCK_SILENT	2

/* llr.c: the age of the wait has changed: updates the masks of stuck ports. */
void fc_llr_update_stuck(struct fc_channel *ch, u8 port);

/* Were packets of any channel of the link abandoned since the peer took a flit of this one? */
static inline bool fc_llr_abandons(const struct fc_channel *ch, u8 port)
{
	const struct fc_tx *tx = &ch->tx[port];

	return tx->dry && fc_before(tx->abandoned,
				    (u32)ch->rx[port].stat[FC_LSTAT_TX_ABANDONED]);
}

/* A packet waits for credit. */
static inline void fc_llr_wait(struct fc_channel *ch, u8 port)
{
	struct fc_tx *tx = &ch->tx[port];
	u32 polls = tx->holds && !fc_llr_abandons(ch, port) ? FC_LLR_STUCK_HOLDS :
							      FC_LLR_STUCK_MESSAGES;
	u64 known = polls * ch->timing->poll;

	if (tx->waits)
		return;
	tx->waits = true;
	tx->held_at = ch->now;
	tx->wait_poll = tx->polls;
	/* The peer answers, and has taken nothing for long: the wait is as old as that. */
	if (tx->dry >= FC_LLR_STUCK_DRY && !tx->unanswered && tx->held < known)
		tx->held = known;
	/* A reset of the link has cleared the masks, and not the age. */
	fc_llr_update_stuck(ch, port);
}

/* No packet waits for credit any more; of a stuck peer the wait goes on until it takes flits. */
static inline void fc_llr_wait_ends(struct fc_channel *ch, u8 port)
{
	if (!(ch->stuck & fc_bit(port)))
		ch->tx[port].waits = false;
}

/* Is a packet that has no credit to be abandoned?  @brief: after the shorter time. */
static inline bool fc_llr_stuck(const struct fc_channel *ch, u8 port, bool brief)
{
	return (brief ? ch->stuck : ch->stuck_long) & fc_bit(port);
}

#endif /* FC_CORE_LINK_STUCK_H */
