/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ports of a site by number, and those to wake.
 */
#ifndef FLITCAST_ENDS_PORTS_H
#define FLITCAST_ENDS_PORTS_H

#include <linux/types.h>

struct flitcast_site;
struct flitcast_port;

struct flitcast_port *flitcast_port_find(struct flitcast_site *site, u16 number);

/* Wake a port after unlock. */
void flitcast_wake(struct flitcast_site *site, struct flitcast_port *port, u8 mask);

/* Ports that are woken between two times that the lock is taken. */
#define FLITCAST_WOKEN_MAX	16

/**
 * struct flitcast_woken - ports to wake after unlock
 * @n: how many
 * @port: ports, held
 * @mask: FLITCAST_WAKE_*
 */
struct flitcast_woken {
	unsigned int n;
	struct flitcast_port *port[FLITCAST_WOKEN_MAX];
	u8 mask[FLITCAST_WOKEN_MAX];
};

/* Take the first ports to wake out of the list.  Return: true if more are left in it. */
bool flitcast_woken_take(struct flitcast_site *site, struct flitcast_woken *woken);
/* Wake them, without the lock. */
void flitcast_woken_wake(const struct flitcast_woken *woken);
/* The site was left with more ports to wake than one batch has. */
void flitcast_woken_more(struct flitcast_site *site);

#endif /* FLITCAST_ENDS_PORTS_H */
