/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choice of the next packet of a message to several targets, and of the targets that it is sent to.
 *
 * Each packet is sent together to all targets that receive the same part of a message, whose window
 * is that of its slowest target.  A target falls behind when the others' budget of time
 * to wait for it is spent: the next packet is sent without it.  The others do not wait for a target
 * that is behind; it gets packets of its own, and joins the others when their next packet is its
 * next one, too.
 *
 * Each flow has a budget of time (struct fc_patience) for which the other targets wait for it, and
 * the source has one for all of its messages and targets together.  A budget is spent at the same
 * rate while any number of targets wait.  It regains a fraction of the elapsed time, and an amount
 * for each packet confirmed by a target that others wait for.  So any number of targets, with any
 * answers, delay a prompt one by no more than the source's budget.
 *
 * Where others wait for each target in turn, none is prompt: all hosts are busy, and no target
 * would have its message much sooner without the others.  So budgets also regain the time for which
 * others waited for the most prompt target of a message.
 */
#ifndef FC_CORE_ENDS_TXLIST_H
#define FC_CORE_ENDS_TXLIST_H

#include "core/ends/ends.h"

/* Maximum number of unconfirmed packets of a message in flight to a target. */
#define FC_TX_AHEAD_MAX		4

/* Maximum of a budget, in ns; divisors of the fraction of time that flows and sources regain. */
#define FC_PATIENCE_MOST	100000000ULL
#define FC_PATIENCE_FLOW	8
/* Amount that a confirmed packet adds to a budget, in ns. */
#define FC_PATIENCE_PACKET	4000000
#define FC_PATIENCE_SOURCE	4

/**
 * struct fc_patience - budget of time to wait; initially zero, and full soon after the clock began
 * @left: budget at the time @at, in ns; negative if it was overspent, down to -FC_PATIENCE_PACKET
 * @at: time of the last update
 * @waited: total time, in ns, up to @at, in which others waited
 * @waits: number of targets or messages that wait
 */
struct fc_patience {
	s64 left;
	u64 at;
	u64 waited;
	u32 waits;
};

/* Unit of time of @least of struct fc_txlist, as a power of 2 ns. */
#define FC_PATIENCE_UNIT	12

/**
 * fc_patience_left() - bring a budget up to date
 * @p: budget
 * @share: FC_PATIENCE_FLOW or FC_PATIENCE_SOURCE
 * @now: time, in ns
 *
 * Return: time that targets may still wait, in ns; 0 if the budget is spent.
 */
u64 fc_patience_left(struct fc_patience *p, u32 share, u64 now);
/* One more target or message begins to wait, or stops waiting. */
void fc_patience_wait(struct fc_patience *p, u32 share, u64 now);
void fc_patience_end(struct fc_patience *p, u32 share, u64 now);

/*
 * Add to the budget: a target that others waited for has confirmed @packets packets for the first
 * time.  If a target withdraws confirmations, it earns nothing for the same packets again.
 */
void fc_patience_earn(struct fc_patience *p, u32 packets);

/* Add to the budget: others waited so long, in ns, for each target of a message. */
void fc_patience_regain(struct fc_patience *p, u64 time);

/**
 * struct fc_txmember - a target to choose from
 * @t: target, not completed
 * @flow: its flow
 * @patience: budget of its flow
 * @slow: no other target waits for it
 * @mute: send it no packet now
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
 * @ntargets: number of targets
 * @most: maximum number of targets of a packet
 * @member: fills in target number i; returns false if it is completed
 * @arg: argument of @member
 * @chosen: result: numbers of the chosen targets; space for @most
 * @now: time, not 0
 * @held: by the previous choice for this message, on return by this one: some targets could be sent
 *	a packet, and wait for others
 * @least: from each choice for this message to the next one: least time that others waited for any
 *	of its targets (@waited of struct fc_patience), in units of 2^FC_PATIENCE_UNIT ns; wraps
 * @members: likewise, number of targets that are not completed, its low bits; initially 0
 * @regained: result: time that the budgets of the targets have regained; the caller adds it to the
 *	budget of the source
 * @again: result, if @held: time at which the first of these budgets is spent
 * @n: result: number of chosen targets
 */
struct fc_txlist {
	u32 ntargets;
	u32 most;
	bool (*member)(void *arg, u32 i, struct fc_txmember *m);
	void *arg;
	u16 *chosen;
	u64 now;
	u64 again;
	u64 regained;
	u32 least;
	u32 n;
	u8 members;
	bool held;
};

/* A target has answered, or is completed: others do not wait for it any more. */
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
 * Chooses the packet with the lowest number, and calls @member once for each target.  Sets and
 * clears @behind of targets.
 *
 * Return: number of the packet in the message, or -1 if none may be sent now.
 */
int fc_txlist_pick(struct fc_txlist *list);

#endif /* FC_CORE_ENDS_TXLIST_H */
