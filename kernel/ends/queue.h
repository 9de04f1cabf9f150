/* SPDX-License-Identifier: GPL-2.0 */
/* Queues of messages, by source and by user (txqueue.c). */
#ifndef FLITCAST_ENDS_QUEUE_H
#define FLITCAST_ENDS_QUEUE_H

#include "ends/port.h"
#include "ends/round.h"
#include "fabric/oper.h"

/**
 * struct flitcast_queue - queue of messages of a source and class that may have something to send
 * @turn: entry in the round of its user or, if @blocked, in flitcast_owned.blocked
 * @ready: messages that have begun, and may have more to send
 * @fresh: messages not begun, in order
 * @nactive: number of active messages (sent, not acked)
 * @blocked: the user is at its limit of active messages
 * @unblocked: was blocked, and has not started a message since
 */
struct flitcast_queue {
	struct flitcast_turn turn;
	struct list_head ready;
	struct list_head fresh;
	unsigned int nactive;
	bool blocked;
	bool unblocked;
};

/**
 * struct flitcast_owned - queues of a user and class
 * @round: round of queues of its sources
 * @blocked: blocked queues, in FIFO order
 * @nactive: number of active messages (sent, not acked)
 * @nbusy: number of sources with active messages
 */
struct flitcast_owned {
	struct flitcast_round round;
	struct list_head blocked;
	unsigned int nactive;
	unsigned int nbusy;
};

/**
 * struct flitcast_owner - a user of the site, as long as it has sources
 * @node: entry in flitcast_turns.owners
 * @uid: user that made the sockets
 * @nsources: number of sources
 * @turn: entries in the rounds of the site
 * @class: queues by class
 */
struct flitcast_owner {
	struct hlist_node node;
	kuid_t uid;
	unsigned int nsources;
	struct flitcast_turn turn[FLITCAST_TX_DOORS];
	struct flitcast_owned class[FLITCAST_TX_CLASSES];
};

#endif /* FLITCAST_ENDS_QUEUE_H */
