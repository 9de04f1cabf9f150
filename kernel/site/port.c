// SPDX-License-Identifier: GPL-2.0
/*
 * Ports of a site: attached, found, and detached with the messages that they send and receive.
 */
#include <linux/random.h>
#include <uapi/linux/flitcast.h>
#include <uapi/linux/flitcast_netlink.h>
#include "ends/bcast.h"
#include "ends/ports.h"
#include "ends/rxflow.h"
#include "ends/tx.h"
#include "fabric/enter.h"
#include "site/impl.h"

/*
 * Refuse the messages of @flow that are partly received or wait for buffer space: notify their
 * source.  Return: how many messages were refused.
 */
static unsigned int refuse_all(struct flitcast_site *site, const struct rx_flow *flow)
{
	unsigned int n = 0;
	u32 seq;

	for (seq = flow->core.next; seq != flow->core.next + FC_FLOW_WINDOW; seq++) {
		struct fc_ctrl ctrl = {
			.kind = FC_CTRL_REFUSED, .dst = flow->key.src,
			.incarnation = flow->key.incarnation, .sock = flow->key.sock,
			.site = site->cfg.id, .port = flow->key.port, .seq = seq,
			.next = flow->core.next,
		};

		if (!fc_rxflow_holds(&flow->core, seq) && !flow->need[seq % FC_FLOW_WINDOW])
			continue;
		site->stat[FC_STAT_CTRL_SENT]++;
		flitcast_ctrl_send(site, &ctrl);
		n++;
	}
	return n;
}

/* Messages and flows handled in one hold of the lock, to bound how long it is held. */
#define DETACH_BUDGET	32

/*
 * Empty up to DETACH_BUDGET flows and messages of a port that is being detached.  Return: true if
 * there are more.  From the first call on the port admits nothing.
 */
static bool rx_detach(struct flitcast_site *site, struct flitcast_port *port)
{
	int budget = DETACH_BUDGET;

	if (!port->closing)
		flitcast_bcast_detach(site, port);
	port->closing = true;
	while (!list_empty(&port->flows)) {
		struct rx_flow *flow = list_first_entry(&port->flows, struct rx_flow, held);

		if (budget <= 0)
			return true;
		budget -= 1 + refuse_all(site, flow);
		flitcast_rxflow_empty(site, flow, FLITCAST_DROP_CLOSED);
	}
	return false;
}

/* Remove a port from the table; the site goes on with the messages that it sends. */
static void port_gone(struct flitcast_site *site, struct flitcast_port *port)
{
	flitcast_tx_detach(site, port);
	if (site->ends->ports.last == port)
		site->ends->ports.last = NULL;
	xa_erase(&site->ends->ports.table, port->number);
	if (port->ops->info)
		site->ends->ports.sockets--;
}

void flitcast_ports_gone(struct flitcast_site *site)
	__must_hold(&site->lock)
{
	struct flitcast_port *port;
	unsigned long number = 0;

	while (flitcast_tx_purge(site))
		flitcast_pause(site);
	/* flitcast_pause() may let close() detach a port: look each port up anew. */
	while ((port = xa_find(&site->ends->ports.table, &number, ULONG_MAX, XA_PRESENT))) {
		if (!rx_detach(site, port)) {
			port_gone(site, port);
			port->ops->detach(port);
			flitcast_wake(site, port, FLITCAST_WAKE_IN | FLITCAST_WAKE_OUT |
					     FLITCAST_WAKE_ERR);
		}
		flitcast_pause(site);
	}
	while (flitcast_tx_purge_sources(site))
		flitcast_pause(site);
}

/* Reserve *@number in the table of ports, or a free number if it is 0.  May sleep. */
static int number_take(struct flitcast_site *site, u16 *number)
{
	struct xarray *ports = &site->ends->ports.table;
	u32 first, found;
	int err;

	if (*number) {
		err = xa_insert_bh(ports, *number, NULL, GFP_KERNEL_ACCOUNT);
		return err == -EBUSY ? -EADDRINUSE : err;
	}
	first = FLITCAST_PORT_DYNAMIC + get_random_u32() % (0x10000 - FLITCAST_PORT_DYNAMIC);
	err = xa_alloc_bh(ports, &found, NULL, XA_LIMIT(first, 0xffff), GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY)
		err = xa_alloc_bh(ports, &found, NULL, XA_LIMIT(FLITCAST_PORT_DYNAMIC, first),
				  GFP_KERNEL_ACCOUNT);
	if (err)
		return err == -EBUSY ? -EADDRINUSE : err;
	*number = found;
	return 0;
}

int flitcast_port_attach(struct flitcast_port *port, struct flitcast_site *site, u16 number)
{
	int err = number_take(site, &number);
	bool dead;

	if (err)
		return err;
	port->number = number;
	err = flitcast_tx_prepare(site, port);
	if (err)
		goto number;
	INIT_LIST_HEAD(&port->waiting);
	INIT_LIST_HEAD(&port->granted);
	INIT_LIST_HEAD(&port->flows);
	port->closing = false;
	INIT_LIST_HEAD(&port->woken);
	flitcast_enter(site);
	dead = site->dead;
	if (!dead) {
		flitcast_tx_attach(site, port);
		port->site = site;
		refcount_inc(&site->refs);
		/* number_take() reserved the entry: xa_store() needs no memory. */
		xa_store(&site->ends->ports.table, number, port, 0);
		if (port->ops->info)
			site->ends->ports.sockets++;
	}
	flitcast_leave(site);
	if (!dead)
		return 0;
	err = -ENETDOWN;
	flitcast_tx_cancel(site, port);
number:
	xa_erase_bh(&site->ends->ports.table, number);
	return err;
}

void flitcast_port_detach(struct flitcast_port *port)
{
	struct flitcast_site *site = port->site;

	if (!site)
		return;
	flitcast_enter(site);
	/* A dead site may have detached the port already, or may do so in flitcast_pause(). */
	while (flitcast_port_find(site, port->number) == port) {
		if (!rx_detach(site, port))
			port_gone(site, port);
		else
			flitcast_pause(site);
	}
	port->site = NULL;
	flitcast_leave(site);
	flitcast_site_put(site);
}
