// SPDX-License-Identifier: GPL-2.0
/* Decides when lists are checked against their counters (CONFIG_DEBUG_NET). */
#include "ends/check.h"
#include "ends/state.h"

/* Average number of entries checked per event. */
#define CHECK_WORK	8

void flitcast_check(struct flitcast_site *site)
{
	unsigned int n;

	lockdep_assert_held(&site->lock);
	if (site->ends->unchecked) {
		site->ends->unchecked--;
		return;
	}
	n = flitcast_rxflow_check(site) + flitcast_rxroom_check(site) +
	    flitcast_txqueue_check(site);
	site->ends->unchecked = n / CHECK_WORK;
}
