/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns by bytes: deficit round robin (Shreedhar and Varghese, 1996), those that are new
 * first, as fq_codel has it.
 *
 * Whoever joins a round comes before all that have had a turn, with little to spend; what has spent
 * it waits behind the others, and has a packet's worth from then on.  Whoever has nothing to send
 * when its turn comes waits for one more turn before it leaves the round, so that nobody is new
 * again for having been without anything to send for a moment.
 */
#ifndef FLITCAST_ENDS_ROUND_H
#define FLITCAST_ENDS_ROUND_H

#include <linux/list.h>
#include <linux/types.h>
#include "core/wire.h"

/* A packet costs its data, and so much besides: what the shortest message takes of send room. */
#define FLITCAST_TURN_PACKET	512
/* A turn: the largest packet. */
#define FLITCAST_TURN_BYTES	(FC_PACKET_MAX + FLITCAST_TURN_PACKET)
/* The first turn: some short ones, or one of any size. */
#define FLITCAST_TURN_FIRST	2048

/**
 * struct flitcast_round - those who take turns
 * @first: those that have not had one since they joined
 * @next: the others, the next one first
 */
struct flitcast_round {
	struct list_head first;
	struct list_head next;
};

/**
 * struct flitcast_turn - a place in a round
 * @node: in the round, or empty
 * @credit: bytes it may send before the others; above 0 while it is in the round
 * @first: in @first of its round
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

/* Whose turn it is; NULL: nobody's. */
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

/* There is something to send. */
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

/* A packet with so many bytes of data was sent; @bytes: FC_PACKET_MAX at most. */
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

/* Its turn has come, and there is nothing to send. */
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
