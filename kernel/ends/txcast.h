/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Broadcasts of a site.
 */
#ifndef FLITCAST_ENDS_TXCAST_H
#define FLITCAST_ENDS_TXCAST_H

#include "fabric/site.h"

/* Are there broadcasts to be sent? */
static inline bool flitcast_txcast_waits(const struct flitcast_site *site)
{
	return site->oper.doors & fc_bit(FLITCAST_TX_BY_RELAY);
}

/* Broadcasts of this site begin, or go on. */
void flitcast_txcast_feed(struct flitcast_site *site);
/* The flits of one that is being sent go no more. */
void flitcast_txcast_purge(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_TXCAST_H */
