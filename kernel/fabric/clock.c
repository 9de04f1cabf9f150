// SPDX-License-Identifier: GPL-2.0
/* The timer of a site: one, for the earliest of all that is due. */
#include "fabric/clock.h"
#include "fabric/csr.h"
#include "fabric/enter.h"
#include "fabric/faults.h"
#include "fabric/hello.h"

static noinline void set_timer_at(struct flitcast_site *site, u64 at)
{
	if (site->clock.faults_news) {
		flitcast_faults_send(site);
		at = min(at, site->clock.machines_at);
	}
	at = min(at, flitcast_csr_next_at(site));
	/*
	 * A frame from a peer only postpones its timeout: look at it only when @hello_news is set.
	 */
	if (site->clock.hello_news)
		at = min(at, flitcast_hello_due(site));
	if (site->dead || at >= site->clock.timer_at)
		return;
	site->clock.timer_at = at;
	hrtimer_start(&site->clock.timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

void flitcast_set_timer(struct flitcast_site *site)
{
	const struct flitcast_clock *clock = &site->clock;
	u64 at = min3(clock->machines_at, clock->ends_at, clock->bcasts_at);

	/* Usually the timer is armed already. */
	if (at < clock->timer_at || clock->hello_news || clock->faults_news ||
	    site->mode->reserves)
		set_timer_at(site, at);
}
