/* SPDX-License-Identifier: GPL-2.0 */
/* Sending of broadcasts (txbcast.c). */
#ifndef FLITCAST_ENDS_TXCAST_H
#define FLITCAST_ENDS_TXCAST_H

#include "fabric/site.h"

/* Return: true if a broadcast may be waiting to be sent. */
static inline bool flitcast_txcast_waits(const struct flitcast_site *site)
{
	return site->oper.doors & fc_bit(FLITCAST_TX_BY_RELAY);
}

/* Send the flits of this site's broadcasts, within a budget. */
void flitcast_txcast_feed(struct flitcast_site *site);
/* Drop the unsent flits of a broadcast. */
void flitcast_txcast_purge(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_TXCAST_H */
