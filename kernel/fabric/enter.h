/* SPDX-License-Identifier: GPL-2.0 */
/* Entering and leaving a site (enter.c). */
#ifndef FLITCAST_FABRIC_ENTER_H
#define FLITCAST_FABRIC_ENTER_H

#include "fabric/site.h"

/* Enter the site: disable BH, take the RCU read lock and the site's lock. */
void flitcast_enter(struct flitcast_site *site)
	__acquires(RCU) __acquires(&site->lock);

/* Leave the site: feed the local net-input, set the timer, unlock, transmit, wake ports. */
static inline void flitcast_leave(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU)
{
	static_call(flitcast_leave_up)(site);
	/* Sparse does not see the release through the static call. */
	__release(&site->lock);
	__release(RCU);
}

/*
 * Leave the site after a frame was received: in softirq context and under RCU, which both continue.
 */
static inline void flitcast_received(struct flitcast_site *site)
	__releases(&site->lock)
{
	static_call(flitcast_received_up)(site);
	__release(&site->lock);
}

/* Unlock, and transmit queued frames.  BH stay off, so that no softirq runs between two links. */
void flitcast_transmit(struct flitcast_site *site)
	__releases(&site->lock);
/*
 * Release the lock for others in the middle of a long operation.  The local net-input is not fed;
 * the caller's flitcast_leave() does that in the end.  The site may be dead afterwards.
 */
void flitcast_breathe(struct flitcast_site *site)
	__must_hold(&site->lock);
/* Leave and enter again: as flitcast_breathe(), but with all that flitcast_leave() does. */
void flitcast_pause(struct flitcast_site *site)
	__must_hold(&site->lock);

static inline u64 flitcast_now(void)
{
	return ktime_get_ns();
}

/*
 * Return: the time, read once after the site is entered.  Mode csr reads it at each step, because
 * reservations depend on it.
 */
static inline u64 flitcast_site_now(struct flitcast_site *site)
{
	lockdep_assert_held(&site->lock);
	if (!site->now || site->mode->reserves)
		site->now = flitcast_now();
	return site->now;
}

#endif /* FLITCAST_FABRIC_ENTER_H */
