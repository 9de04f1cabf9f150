/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose message is next (txqueue.c).
 */
#ifndef FLITCAST_ENDS_TXQUEUE_H
#define FLITCAST_ENDS_TXQUEUE_H

#include "ends/ends.h"
#include "ends/msg.h"
#include "ends/source.h"

/* The message may have something to send. */
void flitcast_tx_ready(struct flitcast_site *site, struct flitcast_msg *msg);

/* A user without sources; NULL: no memory.  Context: may sleep. */
struct flitcast_owner *flitcast_txqueue_owner(kuid_t uid);
/* The source has a place among those of the user.  Return: @owner, if there was one already. */
struct flitcast_owner *flitcast_txqueue_attach(struct flitcast_site *site,
					       struct flitcast_source *src,
					       struct flitcast_owner *owner);
/* It has no messages any more. */
void flitcast_txqueue_detach(struct flitcast_site *site, struct flitcast_source *src);

/**
 * flitcast_txqueue_next() - the message whose turn it is
 * @site: site
 * @door: where it enters the network
 *
 * Its caller sends a packet of it, and says so (flitcast_txqueue_sent()), or takes it out of its
 * queue, if there is none to be sent now, and asks again.
 *
 * Return: the message, or NULL: there is none.
 */
struct flitcast_msg *flitcast_txqueue_next(struct flitcast_site *site, enum flitcast_tx_door door);
/* A packet with @bytes of data, FC_PACKET_MAX at most, of the message that was next is sent. */
void flitcast_txqueue_sent(struct flitcast_site *site, struct flitcast_msg *msg, u32 bytes);
/* The message is under way from now on, or is not any more. */
void flitcast_txqueue_active(struct flitcast_site *site, struct flitcast_msg *msg);
void flitcast_txqueue_inactive(struct flitcast_site *site, struct flitcast_msg *msg);
/* Messages of a class that a source may have under way, if nobody else has any. */
unsigned int flitcast_txqueue_active_max(const struct flitcast_site *site);
/* Does one more fit a @part-th of what the source may have under way now? */
bool flitcast_txqueue_share(const struct flitcast_site *site, struct flitcast_source *src, u8 class,
			    unsigned int part);
/* May a message of the source begin, its first one or one more? */
bool flitcast_txqueue_room(const struct flitcast_site *site, struct flitcast_source *src, u8 class);

/* In which round do messages of a class take their turns? */
static inline enum flitcast_tx_door flitcast_txqueue_door(u8 class)
{
	switch ((enum flitcast_tx_class)class) {
	case FLITCAST_TX_CAST:
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

/* The other way round. */
static inline struct flitcast_source *flitcast_txqueue_source(struct flitcast_queue *queue,
							      u8 class)
{
	queue -= flitcast_txqueue_index(class);
	return container_of(queue, struct flitcast_source, queue[0]);
}

#endif /* FLITCAST_ENDS_TXQUEUE_H */
