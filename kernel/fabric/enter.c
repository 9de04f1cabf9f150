// SPDX-License-Identifier: GPL-2.0
/*
 * Entering and leaving a site.
 *
 * All code enters by the same sequence: enter, one or more events, leave.  Decisions are applied or
 * queued under the site's lock, in order; frames are transmitted and ports woken after it is
 * released.
 */
#include "fabric/enter.h"

bool flitcast_site_dead(const struct flitcast_site *site)
{
	return READ_ONCE(site->dead);
}

void flitcast_site_link_event(struct flitcast_site *site, u8 port)
{
	lockdep_assert_held(&site->lock);
	site->news.changed |= fc_bit(port);
	if (!site->dead)
		schedule_work(&site->news.work);
}

void flitcast_enter(struct flitcast_site *site)
	__acquires(RCU) __acquires(&site->lock)
{
	rcu_read_lock();
	spin_lock_bh(&site->lock);
	site->now = 0;
}

/* Transmit the frames of several links. */
static noinline void transmit_all(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct flitcast_link *links[FC_PORTS_MAX];
	unsigned int i, nlinks = 0;
	u32 rest;

	for (rest = site->out.dirty; rest; rest &= rest - 1)
		if (site->end[fc_low(rest)].link)
			links[nlinks++] = site->end[fc_low(rest)].link;
	site->out.dirty = 0;
	spin_unlock(&site->lock);
	for (i = 0; i < nlinks; i++)
		flitcast_link_drain(links[i]);
}

void flitcast_transmit(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct flitcast_link *link = NULL;

	/* The caller has done it: another entry may change what it refers to. */
	DEBUG_NET_WARN_ON_ONCE(site->todo.up.pending);
	if (site->out.dirty & (site->out.dirty - 1)) {
		transmit_all(site);
		return;
	}
	if (site->out.dirty)
		link = site->end[fc_low(site->out.dirty)].link;
	site->out.dirty = 0;
	spin_unlock(&site->lock);
	if (link)
		flitcast_link_drain(link);
}

void flitcast_breathe(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	flitcast_transmit(site);
	local_bh_enable();
	rcu_read_unlock();
	flitcast_enter(site);
}

void flitcast_pause(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	flitcast_leave(site);
	flitcast_enter(site);
}
