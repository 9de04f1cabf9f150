/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Turns of messages: of a source, of the sources of a user, of users.
 */
#ifndef FLITCAST_ENDS_QUEUE_H
#define FLITCAST_ENDS_QUEUE_H

#include "ends/port.h"
#include "ends/round.h"
#include "fabric/oper.h"

/**
 * struct flitcast_queue - messages of a source and class that may have something to send
 * @turn: in the round of its user, or, @blocked, in the list of those that wait for a place
 * @ready: those that have begun
 * @fresh: those that have not begun, in order
 * @nactive: messages under way
 * @blocked: the user has no place for another message under way
 * @unblocked: it was, and has not used the place that became free
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
 * struct flitcast_owned - what a user has of a class
 * @round: queues of its sources
 * @blocked: those that wait for a place for their first message, in order
 * @nactive: messages under way
 * @nbusy: sources that have some
 */
struct flitcast_owned {
	struct flitcast_round round;
	struct list_head blocked;
	unsigned int nactive;
	unsigned int nbusy;
};

/**
 * struct flitcast_owner - a user of the site, as long as it has sources
 * @node: in the site's table
 * @uid: user that made the sockets
 * @nsources: sources
 * @turn: in the rounds of the site
 * @class: by class
 */
struct flitcast_owner {
	struct hlist_node node;
	kuid_t uid;
	unsigned int nsources;
	struct flitcast_turn turn[FLITCAST_TX_DOORS];
	struct flitcast_owned class[FLITCAST_TX_CLASSES];
};

#endif /* FLITCAST_ENDS_QUEUE_H */
