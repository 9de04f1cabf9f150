/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ways in and out of a site.
 */
#ifndef FLITCAST_FABRIC_ENTER_H
#define FLITCAST_FABRIC_ENTER_H

#include "fabric/site.h"
#include "fabric/up.h"

/* Enter the site: BH off, RCU read lock, its lock. */
void flitcast_enter(struct flitcast_site *site)
	__acquires(RCU) __acquires(&site->lock);

/* Leave it: feed the local net-input, set the timer, unlock, transmit, wake. */
static inline void flitcast_leave(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU)
{
	static_call(flitcast_leave_up)(site);
	/* Sparse does not see it through the static call. */
	__release(&site->lock);
	__release(RCU);
}

/* Leave it where a frame was received: in a softirq, which goes on, under RCU. */
static inline void flitcast_received(struct flitcast_site *site)
	__releases(&site->lock)
{
	static_call(flitcast_received_up)(site);
	__release(&site->lock);
}

/* Frames that are ready leave.  BH stay off: one link after the other, and no softirq between. */
void flitcast_transmit(struct flitcast_site *site)
	__releases(&site->lock);
/*
 * Others have their turn, before more of the same is done: the site is not fed, which its caller
 * does by flitcast_leave() in the end.  The site may be dead afterwards.
 */
void flitcast_breathe(struct flitcast_site *site)
	__must_hold(&site->lock);
/* Others have their turn after all that flitcast_leave() does. */
void flitcast_pause(struct flitcast_site *site)
	__must_hold(&site->lock);

static inline u64 flitcast_now(void)
{
	return ktime_get_ns();
}

/*
 * The time for who has entered the site: it is asked for once.  Reservations of mode csr are kept
 * to what it is at each step.
 */
static inline u64 flitcast_site_now(struct flitcast_site *site)
{
	lockdep_assert_held(&site->lock);
	if (!site->now || site->mode->reserves)
		site->now = flitcast_now();
	return site->now;
}

#endif /* FLITCAST_FABRIC_ENTER_H */
