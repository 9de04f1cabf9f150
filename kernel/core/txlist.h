/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The next packet of a message to several targets, and the targets that it goes to.
 *
 * Targets that receive the same part of a message go in step: a packet goes to all of them at
 * once, and the window of the message is the one of its slowest target.  A target falls behind
 * when a packet goes without it: the others have no patience with it any more.  They do not wait
 * for a target that is behind.  Packets of its own bring it up to them, and it is in step again when
 * the others' next packet is its next one, too.
 *
 * The others wait for a flow for FC_PATIENCE_MOST at most, and in the long run for one
 * FC_PATIENCE_SHAREth of the time, and FC_PATIENCE_PACKET for each packet that its target confirms:
 * whatever a target says, it slows the others down by no more.
 */
#ifndef FC_CORE_TXLIST_H
#define FC_CORE_TXLIST_H

#include "ends.h"

/* Packets of a message under way to a target, beyond what is confirmed. */
#define FC_TX_AHEAD_MAX		4

/* How long others wait for a flow, in ns; the part of the time that it gets anew; for a packet. */
#define FC_PATIENCE_MOST	100000000ULL
#define FC_PATIENCE_SHARE	4
#define FC_PATIENCE_PACKET	1000000ULL

/**
 * struct fc_patience - how long targets wait for another one, yet
 * @left: ns, at the time @at; zeroed memory has FC_PATIENCE_MOST soon after the clock began
 * @at: time
 * @spent: time up to which waiting has been taken from it
 */
struct fc_patience {
	u64 left;
	u64 at;
	u64 spent;
};

/* The target has confirmed so many packets that it had not confirmed. */
void fc_patience_earn(struct fc_patience *p, u32 packets, u64 now);

/**
 * struct fc_txmember - a target, as the choice sees it
 * @t: target, not over
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
 * @member: fills in target number i; false: it is over
 * @arg: for @member
 * @chosen: numbers of the targets that the packet goes to, room for @most
 * @now: time, not 0
 * @held: one more than the packet that could have been sent to some targets, by the last choice for
 *	this message, which waited for others; 0: none waited.  Becomes that of this choice
 * @held_at: time of that choice; likewise
 * @again: result, where @held: when the patience of the first one is at its end
 * @n: result: targets that are chosen
 */
struct fc_txlist {
	u32 ntargets;
	u32 most;
	bool (*member)(void *arg, u32 i, struct fc_txmember *m);
	void *arg;
	u16 *chosen;
	u64 now;
	u64 held_at;
	u64 again;
	u32 n;
	u16 held;
};

/**
 * fc_txlist_pick() - choose the next packet of a message
 * @list: targets
 *
 * The lowest packet comes first.  Each target is looked at once.  Sets or clears @behind of targets.
 *
 * Return: number of the packet in the message, or -1: none now.
 */
int fc_txlist_pick(struct fc_txlist *list);

#endif /* FC_CORE_TXLIST_H */
