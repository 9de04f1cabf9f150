/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The next packet of a message to several targets, and the targets that it goes to.
 *
 * Targets of a message go in step: a packet goes to all of them at once, and the window of
 * the message is the one of its slowest target.  A target falls behind when a packet goes
 * without it: it is silent or has no room, or the others have waited for it long enough.
 * The others do not wait for a target that is behind.  Packets of its own bring it up to them,
 * and it is in step again when the others' next packet is its next one, too.
 *
 * Targets wait for each other only where their parts of the message share a packet.
 */
#ifndef FC_CORE_TXLIST_H
#define FC_CORE_TXLIST_H

#include "ends.h"

/* Packets of a message under way to a target, beyond what is confirmed. */
#define FC_TX_AHEAD_MAX		4

/**
 * struct fc_txmember - a target, as the choice sees it
 * @t: target, not over
 * @flow: its flow
 * @slow: no other target waits for it (any longer)
 * @mute: nothing is to be sent to it now
 */
struct fc_txmember {
	struct fc_txtarget *t;
	const struct fc_txflow *flow;
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
 * @n: how many
 * @held: some that could go on wait for a target
 * @ahead: the chosen packet goes only to targets that are behind others
 * @looks: calls of @member
 */
struct fc_txlist {
	u32 ntargets;
	u32 most;
	bool (*member)(void *arg, u32 i, struct fc_txmember *m);
	void *arg;
	u16 *chosen;
	u32 n;
	bool held;
	bool ahead;
	u32 looks;
};

/**
 * fc_txlist_pick() - choose the next packet of a message
 * @list: targets; @n and what follows it are filled in
 *
 * The lowest packet comes first.  Each target is looked at once where all go in step, and
 * four times at most.  Sets or clears @behind of targets.
 *
 * Return: number of the packet in the message, or -1: none now.
 */
int fc_txlist_pick(struct fc_txlist *list);

#endif /* FC_CORE_TXLIST_H */
