// SPDX-License-Identifier: GPL-2.0
/*
 * Ways in and out of a site.
 *
 * Every way in is the same: enter, one or more events, leave.  What is decided is applied or queued
 * under the site's lock, in order; frames leave and ports wake after it.
 */
#include "site/impl.h"
#include "site/up.h"

void flitcast_enter(struct flitcast_site *site)
	__acquires(RCU) __acquires(&site->lock)
{
	rcu_read_lock();
	spin_lock_bh(&site->lock);
	site->now = 0;
}

void flitcast_wake(struct flitcast_site *site, struct flitcast_port *port, u8 mask)
{
	lockdep_assert_held(&site->lock);
	if (!list_empty(&port->woken)) {
		port->wake_mask |= mask;
		return;
	}
	if (!port->ops->hold(port))
		return;
	port->wake_mask = mask;
	list_add_tail(&port->woken, &site->woken);
}

/* Frames of several links leave. */
static noinline void transmit_all(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct flitcast_link *links[FC_PORTS_MAX];
	unsigned int i, nlinks = 0;
	u32 rest;

	for (rest = site->dirty; rest; rest &= rest - 1)
		if (site->end[fc_low(rest)].link)
			links[nlinks++] = site->end[fc_low(rest)].link;
	site->dirty = 0;
	spin_unlock(&site->lock);
	for (i = 0; i < nlinks; i++)
		flitcast_link_drain(links[i]);
}

void flitcast_transmit(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct flitcast_link *link = NULL;

	if (site->dirty & (site->dirty - 1)) {
		transmit_all(site);
		return;
	}
	if (site->dirty)
		link = site->end[fc_low(site->dirty)].link;
	site->dirty = 0;
	spin_unlock(&site->lock);
	if (link)
		flitcast_link_drain(link);
}

/* Ports that are woken between two times that the lock is taken. */
#define WOKEN_MAX	16

/**
 * struct woken - ports to wake after unlock
 * @n: how many
 * @port: ports, held
 * @mask: FLITCAST_WAKE_*
 */
struct woken {
	unsigned int n;
	struct flitcast_port *port[WOKEN_MAX];
	u8 mask[WOKEN_MAX];
};

/* Take the first ports out of the list.  Return: true if more are left in it. */
static bool take_woken(struct flitcast_site *site, struct woken *woken)
{
	struct flitcast_port *port, *next;

	woken->n = 0;
	list_for_each_entry_safe(port, next, &site->woken, woken) {
		if (woken->n == WOKEN_MAX)
			return true;
		woken->port[woken->n] = port;
		woken->mask[woken->n++] = port->wake_mask;
		list_del_init(&port->woken);
	}
	return false;
}

static void wake(const struct woken *woken)
{
	unsigned int i;

	for (i = 0; i < woken->n; i++)
		woken->port[i]->ops->wake(woken->port[i], woken->mask[i]);
}

/* The site was left with more ports to wake than one batch has. */
static noinline void wake_more(struct flitcast_site *site)
{
	struct woken FC_UNSET woken;
	bool more;

	do {
		spin_lock_bh(&site->lock);
		more = take_woken(site, &woken);
		spin_unlock_bh(&site->lock);
		wake(&woken);
	} while (more);
}

/* Ports are woken when nothing is locked any more; RCU keeps the site meanwhile. */
static noinline void leave_and_wake(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU)
{
	struct woken FC_UNSET woken;
	bool more = take_woken(site, &woken);

	flitcast_transmit(site);
	local_bh_enable();
	wake(&woken);
	if (unlikely(more))
		wake_more(site);
	rcu_read_unlock();
}

/* The same in a softirq, which goes on. */
static noinline void received_and_wake(struct flitcast_site *site)
	__releases(&site->lock)
{
	struct woken FC_UNSET woken;
	bool more = take_woken(site, &woken);

	flitcast_transmit(site);
	wake(&woken);
	if (unlikely(more))
		wake_more(site);
}

void flitcast_received(struct flitcast_site *site)
	__releases(&site->lock)
{
	static_call(flitcast_before_leave_up)(site);
	if (!list_empty(&site->woken))
		received_and_wake(site);
	else
		flitcast_transmit(site);
}

void flitcast_leave(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU)
{
	static_call(flitcast_before_leave_up)(site);
	if (!list_empty(&site->woken)) {
		leave_and_wake(site);
		return;
	}
	flitcast_transmit(site);
	local_bh_enable();
	rcu_read_unlock();
}

void flitcast_pause(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	flitcast_leave(site);
	flitcast_enter(site);
}
