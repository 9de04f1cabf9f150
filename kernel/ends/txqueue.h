/* SPDX-License-Identifier: GPL-2.0 */
/* Scheduler of messages (txqueue.c). */
#ifndef FLITCAST_ENDS_TXQUEUE_H
#define FLITCAST_ENDS_TXQUEUE_H

#include "ends/state.h"
#include "ends/msg.h"
#include "ends/source.h"

/* Queue a message that may have something to send. */
void flitcast_tx_ready(struct flitcast_site *site, struct flitcast_msg *msg);

/* Allocate a user without sources; NULL: no memory.  Context: may sleep. */
struct flitcast_owner *flitcast_txqueue_owner(kuid_t uid);
/*
 * Add a source to its user.  Return: @owner, for the caller to free, if the user exists already;
 * else NULL.
 */
struct flitcast_owner *flitcast_txqueue_attach(struct flitcast_site *site,
					       struct flitcast_source *src,
					       struct flitcast_owner *owner);
/* Remove a source from its user.  The source has no messages. */
void flitcast_txqueue_detach(struct flitcast_site *site, struct flitcast_source *src);

/**
 * flitcast_txqueue_next() - the message to send from next
 * @site: site
 * @door: door by which the message enters the network
 *
 * The caller sends a packet of the message and calls flitcast_txqueue_sent(); or, if no packet can
 * be sent now, removes the message from its queue and calls again.
 *
 * Return: the message, or NULL: there is none.
 */
struct flitcast_msg *flitcast_txqueue_next(struct flitcast_site *site, enum flitcast_tx_door door);
/* Charge the turn of a message for a packet with @bytes of data, at most FC_PACKET_MAX. */
void flitcast_txqueue_sent(struct flitcast_site *site, struct flitcast_msg *msg, u32 bytes);
/* A message becomes active (sent, not acked), or inactive. */
void flitcast_txqueue_active(struct flitcast_site *site, struct flitcast_msg *msg);
void flitcast_txqueue_inactive(struct flitcast_site *site, struct flitcast_msg *msg);
/* Return: the number of active messages that a source may have per class if it is alone. */
unsigned int flitcast_txqueue_active_max(const struct flitcast_site *site);
/* Return: true if one more message fits into a @part-th of the current share of the source. */
bool flitcast_txqueue_share(const struct flitcast_site *site, struct flitcast_source *src, u8 class,
			    unsigned int part);
/* Return: true if the source may start another message. */
bool flitcast_txqueue_room(const struct flitcast_site *site, struct flitcast_source *src, u8 class);

/* Return: the door (round) of a class. */
static inline enum flitcast_tx_door flitcast_txqueue_door(u8 class)
{
	switch ((enum flitcast_tx_class)class) {
	case FLITCAST_TX_BCAST:
		return FLITCAST_TX_BY_RELAY;
	case FLITCAST_TX_SHORT:
		return FLITCAST_TX_BY_SHORT;
	case FLITCAST_TX_HIGH:
		return FLITCAST_TX_BY_HIGH;
	case FLITCAST_TX_LOW:
	case FLITCAST_TX_CLASSES:
		break;
	}
	return FLITCAST_TX_BY_INPUT;
}

static inline unsigned int flitcast_txqueue_index(u8 class)
{
	return class == FLITCAST_TX_SHORT ? 2 : class == FLITCAST_TX_HIGH;
}

static inline struct flitcast_queue *flitcast_txqueue_of(struct flitcast_source *src, u8 class)
{
	return &src->queue[flitcast_txqueue_index(class)];
}

/* The inverse of flitcast_txqueue_of(). */
static inline struct flitcast_source *flitcast_txqueue_source(struct flitcast_queue *queue,
							      u8 class)
{
	queue -= flitcast_txqueue_index(class);
	return container_of(queue, struct flitcast_source, queue[0]);
}

#endif /* FLITCAST_ENDS_TXQUEUE_H */
