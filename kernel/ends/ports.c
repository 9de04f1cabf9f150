// SPDX-License-Identifier: GPL-2.0
/* Ports of a site by number, and the list of ports to wake when the site is left. */
#include "ends/state.h"
#include "ends/ports.h"

struct flitcast_port *flitcast_port_find(struct flitcast_site *site, u16 number)
{
	return xa_load(&site->ends->ports.table, number);
}

void flitcast_woken_add(struct flitcast_site *site, struct flitcast_port *port, u8 mask)
{
	port->wake_mask = mask;
	list_add_tail(&port->woken, &site->ends->ports.woken);
}

void flitcast_wake(struct flitcast_site *site, struct flitcast_port *port, u8 mask)
{
	lockdep_assert_held(&site->lock);
	if (!list_empty(&port->woken)) {
		port->wake_mask |= mask;
		return;
	}
	if (port->ops->hold(port))
		flitcast_woken_add(site, port, mask);
}

bool flitcast_woken_take(struct flitcast_site *site, struct flitcast_woken *woken)
{
	struct flitcast_port *port, *next;

	woken->n = 0;
	list_for_each_entry_safe(port, next, &site->ends->ports.woken, woken) {
		if (woken->n == FLITCAST_WOKEN_MAX)
			return true;
		woken->port[woken->n] = port;
		woken->mask[woken->n++] = port->wake_mask;
		list_del_init(&port->woken);
	}
	return false;
}

void flitcast_woken_wake(const struct flitcast_woken *woken)
{
	unsigned int i;

	for (i = 0; i < woken->n; i++)
		woken->port[i]->ops->wake(woken->port[i], woken->mask[i]);
}

void flitcast_woken_more(struct flitcast_site *site)
{
	struct flitcast_woken FC_UNSET woken;
	bool more;

	do {
		spin_lock_bh(&site->lock);
		more = flitcast_woken_take(site, &woken);
		spin_unlock_bh(&site->lock);
		flitcast_woken_wake(&woken);
	} while (more);
}

