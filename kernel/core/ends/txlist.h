/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The next packet of a message to several targets, and the targets that it goes to.
 *
 * Targets that receive the same part of a message go in step: a packet goes to all of them at
 * once, and the window of the message is the one of its slowest target.  A target falls behind
 * when a packet goes without it: the others have no patience with it any more.  They do not wait
 * for a target that is behind.  Packets of its own bring it up to them, and it is in step again
 * when the others' next packet is its next one, too.
 *
 * The others have a budget of time (struct fc_patience) to wait for each flow, and the source has
 * one for all of its messages and targets together.  A budget is spent while any target waits,
 * however many do.  It comes back as a part of the time, and with each packet that is confirmed by
 * a target which is waited for.  So whatever targets answer, and however many of them there are,
 * they slow the others down by no more than the source's budget.
 */
#ifndef FC_CORE_ENDS_TXLIST_H
#define FC_CORE_ENDS_TXLIST_H

#include "core/ends/ends.h"

/* Packets of a message in flight to a target, beyond the confirmed ones. */
#define FC_TX_AHEAD_MAX		4

/* The most that a budget holds, in ns, and the fraction of time that flows and sources regain. */
#define FC_PATIENCE_MOST	100000000ULL
#define FC_PATIENCE_FLOW	8
/* Each confirmed packet adds so many ns to a budget. */
#define FC_PATIENCE_PACKET	4000000
#define FC_PATIENCE_SOURCE	4

/**
 * struct fc_patience - budget of time to wait; zeroed memory is full soon after the clock began
 * @left: ns, at the time @at; less than 0 where it was overspent, down to -FC_PATIENCE_MOST
 * @at: time
 * @waits: how many wait now
 */
struct fc_patience {
	s64 left;
	u64 at;
	u32 waits;
};

/**
 * fc_patience_left() - bring a budget up to date
 * @p: budget
 * @share: FC_PATIENCE_FLOW or FC_PATIENCE_SOURCE
 * @now: time, in ns
 *
 * Return: ns that targets may still wait, 0 if the budget is spent.
 */
u64 fc_patience_left(struct fc_patience *p, u32 share, u64 now);
/* One more target or message begins to wait, or stops waiting. */
void fc_patience_wait(struct fc_patience *p, u32 share, u64 now);
void fc_patience_end(struct fc_patience *p, u32 share, u64 now);

/*
 * A target that was waited for has confirmed so many packets for the first time: what it takes
 * back, by saying that it has nothing of the message, is not earned again.
 */
void fc_patience_earn(struct fc_patience *p, u32 packets);

/**
 * struct fc_txmember - a target, as the choice sees it
 * @t: target, not completed
 * @flow: its flow
 * @patience: of its flow
 * @slow: no other target waits for it
 * @mute: nothing is to be sent to it now
 */
struct fc_txmember {
	struct fc_txtarget *t;
	const struct fc_txflow *flow;
	struct fc_patience *patience;
	bool slow;
	bool mute;
};

/**
 * struct fc_txlist - targets of a message, and the choice among them
 * @ntargets: how many
 * @most: targets of a packet, at most
 * @member: fills in target number i; false: it is completed
 * @arg: for @member
 * @chosen: numbers of the targets that the packet goes to, room for @most
 * @now: time, not 0
 * @held: some could be sent a packet, and wait for others: by the last choice for this message;
 *	becomes that of this choice
 * @again: result, where @held: when the patience with the first one is at its end
 * @n: result: targets that are chosen
 */
struct fc_txlist {
	u32 ntargets;
	u32 most;
	bool (*member)(void *arg, u32 i, struct fc_txmember *m);
	void *arg;
	u16 *chosen;
	u64 now;
	u64 again;
	u32 n;
	bool held;
};

/* A target that may be waited for has answered, or is completed: it is not waited for any more. */
static inline void fc_txlist_unblock(struct fc_txtarget *t, struct fc_patience *p, u64 now)
{
	if (!t->blocks)
		return;
	t->blocks = false;
	fc_patience_end(p, FC_PATIENCE_FLOW, now);
}

/**
 * fc_txlist_pick() - choose the next packet of a message
 * @list: targets
 *
 * The lowest packet comes first.  Each target is looked at once.  The function sets and clears
 * @behind of targets.
 *
 * Return: number of the packet in the message, or -1: none now.
 */
int fc_txlist_pick(struct fc_txlist *list);

#endif /* FC_CORE_ENDS_TXLIST_H */
