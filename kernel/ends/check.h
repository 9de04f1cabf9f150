/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Consistency checks of lists and counters, with CONFIG_DEBUG_NET: a mismatch is reported at the
 * event that caused it, not when other code fails because of it.
 */
#ifndef FLITCAST_ENDS_CHECK_H
#define FLITCAST_ENDS_CHECK_H

#include "fabric/site.h"

#ifdef CONFIG_DEBUG_NET
/**
 * flitcast_check() - check the lists of a site against their counters
 * @site: site, at the end of an event
 *
 * With few entries, each event is checked; with many, only some events, so that the average work
 * per event is constant.  A mismatch is a WARN_ONCE().  Context: the site's lock.
 */
void flitcast_check(struct flitcast_site *site);

/* Checks of the files that own the lists.  Return: number of entries checked. */
unsigned int flitcast_rxflow_check(struct flitcast_site *site);
unsigned int flitcast_rxroom_check(struct flitcast_site *site);
unsigned int flitcast_txqueue_check(struct flitcast_site *site);
#else
static inline void flitcast_check(struct flitcast_site *site)
{
}
#endif

#endif /* FLITCAST_ENDS_CHECK_H */
