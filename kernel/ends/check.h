/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists against their counters, on kernels with CONFIG_DEBUG_NET: a list that does not match is
 * reported at the event that broke it, and not when something else falls over it.
 */
#ifndef FLITCAST_ENDS_CHECK_H
#define FLITCAST_ENDS_CHECK_H

#include "fabric/site.h"

#ifdef CONFIG_DEBUG_NET
/**
 * flitcast_check() - check the lists of a site against their counters
 * @site: site, at the end of an event
 *
 * Each event is checked while there is little to look at; with more, one in as many as keep the
 * work for an event about the same.  A mismatch is a WARN_ONCE().  Context: the site's lock.
 */
void flitcast_check(struct flitcast_site *site);

/* The files that own the lists.  Return: how many entries were looked at. */
unsigned int flitcast_rxflow_check(struct flitcast_site *site);
unsigned int flitcast_rxroom_check(struct flitcast_site *site);
unsigned int flitcast_txqueue_check(struct flitcast_site *site);
#else
static inline void flitcast_check(struct flitcast_site *site)
{
}
#endif

#endif /* FLITCAST_ENDS_CHECK_H */
