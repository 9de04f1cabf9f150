/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Deficit round robin by bytes (Shreedhar and Varghese, 1996), with priority for new members as in
 * fq_codel.
 *
 * A member that joins a round is served before all that have had a turn, with a small credit.  When
 * that is spent, it moves to the end of the others, with a credit of one maximum packet per turn.
 * A member with nothing to send in its turn stays for one more turn before it leaves, so that a
 * short pause does not make it new again.
 */
#ifndef FLITCAST_ENDS_ROUND_H
#define FLITCAST_ENDS_ROUND_H

#include <linux/list.h>
#include <linux/types.h>
#include "core/wire/wire.h"

/* Cost of a packet besides its data: what the shortest message uses of the send buffer. */
#define FLITCAST_TURN_PACKET	512
/* Credit of a turn: the largest packet. */
#define FLITCAST_TURN_BYTES	(FC_PACKET_MAX + FLITCAST_TURN_PACKET)
/* Credit of the first turn: some short packets, or one of any size. */
#define FLITCAST_TURN_FIRST	2048

/**
 * struct flitcast_round - members that take turns
 * @first: members that have not used up their first credit
 * @next: the others, next one first
 */
struct flitcast_round {
	struct list_head first;
	struct list_head next;
};

/**
 * struct flitcast_turn - a place in a round
 * @node: entry in the round, or empty
 * @credit: bytes it may send before the next member; above 0 while in the round
 * @first: the member is in @first of its round
 */
struct flitcast_turn {
	struct list_head node;
	s32 credit;
	bool first;
};

static inline void flitcast_round_init(struct flitcast_round *round)
{
	INIT_LIST_HEAD(&round->first);
	INIT_LIST_HEAD(&round->next);
}

/* Return: the member whose turn it is; NULL: the round is empty. */
static inline struct flitcast_turn *flitcast_round_turn(struct flitcast_round *round)
{
	if (!list_empty(&round->first))
		return list_first_entry(&round->first, struct flitcast_turn, node);
	return list_first_entry_or_null(&round->next, struct flitcast_turn, node);
}

static inline void flitcast_turn_init(struct flitcast_turn *turn)
{
	INIT_LIST_HEAD(&turn->node);
}

/* Join a round: the member has something to send. */
static inline void flitcast_turn_join(struct flitcast_round *round, struct flitcast_turn *turn)
{
	if (!list_empty(&turn->node))
		return;
	turn->credit = FLITCAST_TURN_FIRST;
	turn->first = true;
	list_add_tail(&turn->node, &round->first);
}

static inline void flitcast_turn_leave(struct flitcast_turn *turn)
{
	list_del_init(&turn->node);
}

/* A packet with @bytes of data was sent; FC_PACKET_MAX at most. */
static inline void flitcast_turn_sent(struct flitcast_round *round, struct flitcast_turn *turn,
				      u32 bytes)
{
	turn->credit -= bytes + FLITCAST_TURN_PACKET;
	if (turn->credit > 0)
		return;
	turn->credit += FLITCAST_TURN_BYTES;
	turn->first = false;
	list_move_tail(&turn->node, &round->next);
}

/* The member whose turn it is has nothing to send. */
static inline void flitcast_turn_idle(struct flitcast_round *round, struct flitcast_turn *turn)
{
	if (!turn->first || list_empty(&round->next)) {
		flitcast_turn_leave(turn);
		return;
	}
	turn->first = false;
	list_move_tail(&turn->node, &round->next);
}

#endif /* FLITCAST_ENDS_ROUND_H */
