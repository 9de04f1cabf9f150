/* SPDX-License-Identifier: GPL-2.0 */
/* Ports of a site by number, and the list of ports to wake (ports.c). */
#ifndef FLITCAST_ENDS_PORTS_H
#define FLITCAST_ENDS_PORTS_H

#include <linux/types.h>

struct flitcast_site;
struct flitcast_port;

struct flitcast_port *flitcast_port_find(struct flitcast_site *site, u16 number);

/* Wake a port after the site's lock is released. */
void flitcast_wake(struct flitcast_site *site, struct flitcast_port *port, u8 mask);
/* Wake a port that is not in the list; it has the reference of its hold(). */
void flitcast_woken_add(struct flitcast_site *site, struct flitcast_port *port, u8 mask);

/* Maximum number of ports woken per lock round. */
#define FLITCAST_WOKEN_MAX	16

/**
 * struct flitcast_woken - ports to wake after unlock
 * @n: number of ports
 * @port: ports, each with a hold()
 * @mask: reasons, FLITCAST_WAKE_*
 */
struct flitcast_woken {
	unsigned int n;
	struct flitcast_port *port[FLITCAST_WOKEN_MAX];
	u8 mask[FLITCAST_WOKEN_MAX];
};

/* Remove the first ports from the list of ports to wake.  Return: true if more are left. */
bool flitcast_woken_take(struct flitcast_site *site, struct flitcast_woken *woken);
/* Wake ports.  Called without the lock. */
void flitcast_woken_wake(const struct flitcast_woken *woken);
/* Wake the ports that are left in the list, in batches. */
void flitcast_woken_more(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_PORTS_H */
