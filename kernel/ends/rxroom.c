// SPDX-License-Identifier: GPL-2.0
/*
 * Grants of receive buffer space.
 *
 * A message that is refused for lack of space is retransmitted only when its source gets a grant.
 * Refused flows wait in FIFO order on their port:
 *
 *	port->waiting    refused, no space reserved yet
 *	port->granted    granted: space is reserved until @until
 *
 *	reader consumes a message ---> flitcast_port_release() ---> flitcast_rx_grant()
 *	                                  reserve space for the first waiting flows,
 *	                                  send FC_CTRL_GRANT to their sources
 *	first packet arrives      ---> flitcast_rx_charge(): use the reserved space
 *	no packet for GRANT_NS  ---> revoke(): the space is released
 *
 * While flows wait, new messages of other flows are refused, too, so that a large message is not
 * starved by small ones.  Space held by incomplete messages of unresponsive sources is reclaimed.
 */
#include "ends/check.h"
#include "ends/rxflow.h"
#include "ends/rxroom.h"
#include "fabric/enter.h"

/* Lifetime of a grant. */
#define GRANT_NS	NSEC_PER_SEC
/*
 * Incomplete messages of a source that has sent nothing for this long are dropped if space is
 * needed; a live source sends something every few seconds.
 */
#define RECLAIM_NS	(15ULL * NSEC_PER_SEC)
/*
 * flitcast_rx_reclaim() checks RECLAIM_BATCH flows per RECLAIM_EVERY_NS: all possible flows of a
 * site in about 6 s.  After dropping RECLAIM_BUDGET messages it stops, and the next refused packet
 * continues.
 */
#define RECLAIM_BATCH	128
#define RECLAIM_BUDGET	64
#define RECLAIM_EVERY_NS	(100 * NSEC_PER_MSEC)
/*
 * Maximum number of flows that get a grant, or lose an expired one, in one call, so that the lock
 * is not held for long.  The next message read, the next FC_CTRL_ASK and the next packet for the
 * port continue.
 */
#define GRANT_BUDGET	32

/* Release the space of expired grants. */
static void revoke(struct flitcast_port *port, u64 now)
{
	unsigned int budget = GRANT_BUDGET;
	struct rx_flow *flow, *next;

	list_for_each_entry_safe(flow, next, &port->granted, waiting) {
		if (now < flow->until || !budget--)
			break;
		port->ops->uncharge(port, flow->granted, false);
		flow->granted = 0;
		list_del_init(&flow->waiting);
	}
}

void flitcast_rx_reclaim(struct flitcast_site *site, struct flitcast_port *port)
{
	u64 now = flitcast_site_now(site);
	unsigned int n = RECLAIM_BATCH, given_up = 0;
	struct rx_flow *flow;

	/* Rate limit: not for every packet that is refused. */
	if (now < port->reclaim_at)
		return;
	port->reclaim_at = now + RECLAIM_EVERY_NS;
	while (n-- && !list_empty(&port->flows)) {
		flow = list_first_entry(&port->flows, struct rx_flow, held);
		list_move_tail(&flow->held, &port->flows);
		if (now > flow->used + RECLAIM_NS)
			given_up += flitcast_rxflow_empty(site, flow, FLITCAST_DROP_FORGOTTEN);
		if (given_up >= RECLAIM_BUDGET) {
			port->reclaim_at = now;
			return;
		}
	}
}

void flitcast_rx_grant(struct flitcast_site *site, struct flitcast_port *port)
{
	u64 now = flitcast_site_now(site);
	unsigned int budget = GRANT_BUDGET;
	struct rx_flow *flow, *next;

	revoke(port, now);
	if (!list_empty(&port->waiting))
		flitcast_rx_reclaim(site, port);
	list_for_each_entry_safe(flow, next, &port->waiting, waiting) {
		u32 need = *rx_need(flow, flow->core.next);
		struct fc_ctrl ctrl = {
			.kind = FC_CTRL_GRANT, .dst = flow->key.src,
			.incarnation = flow->key.incarnation, .sock = flow->key.sock,
			.site = site->cfg.id, .port = flow->key.port,
		};

		if (!budget--)
			return;
		if (!need) {
			list_del_init(&flow->waiting);
			continue;
		}
		if (!port->ops->charge(port, need, false))
			return;
		flow->granted = need;
		flow->until = now + GRANT_NS;
		list_move_tail(&flow->waiting, &port->granted);
		fc_rxflow_confirm(&flow->core, flow->core.next, &ctrl);
		site->stat[FC_STAT_CTRL_SENT]++;
		flitcast_ctrl_send(site, &ctrl);
	}
}

void flitcast_rx_completed(struct flitcast_site *site, struct flitcast_port *port,
			   struct rx_flow *flow, u32 before)
{
	u32 n = min_t(u32, flow->core.next - before, FC_FLOW_WINDOW);

	if (!n)
		return;
	while (n--)
		*rx_need(flow, before + n) = 0;
	if (flow->granted) {
		port->ops->uncharge(port, flow->granted, false);
		flow->granted = 0;
	}
	list_del_init(&flow->waiting);
	if (*rx_need(flow, flow->core.next))
		list_add_tail(&flow->waiting, &port->waiting);
	flitcast_rx_grant(site, port);
}

bool flitcast_rx_charge(struct flitcast_site *site, struct flitcast_port *port,
			struct rx_flow *flow, u32 charge, bool early)
{
	if (!list_empty(&port->granted))
		revoke(port, flitcast_site_now(site));
	if (!early && flow->granted) {
		port->ops->uncharge(port, flow->granted, false);
		flow->granted = 0;
		list_del_init(&flow->waiting);
	} else if (!list_empty(&port->waiting) &&
		   list_first_entry(&port->waiting, struct rx_flow, waiting) != flow) {
		return false;
	}
	return port->ops->charge(port, charge, early);
}

void flitcast_port_release(struct flitcast_port *port, u32 charge)
{
	/* The port cannot be detached during this call: the caller is its reader. */
	struct flitcast_site *site = READ_ONCE(port->site);
	bool idle;

	if (!site)
		return;
	spin_lock_bh(&site->lock);
	port->ops->uncharge(port, charge, false);
	idle = list_empty(&port->waiting) && list_empty(&port->granted);
	spin_unlock_bh(&site->lock);
	if (idle)
		return;
	flitcast_enter(site);
	if (!site->dead)
		flitcast_rx_grant(site, port);
	flitcast_leave(site);
}

#ifdef CONFIG_DEBUG_NET
/* Check the lists of a port.  Return: entries checked, plus one. */
static unsigned int port_check(struct flitcast_site *site, const struct flitcast_port *port)
{
	const struct rx_flow *flow;
	unsigned int n = 0;

	list_for_each_entry(flow, &port->waiting, waiting) {
		WARN_ONCE(flow->key.port != port->number || flow->granted,
			  "port %u: a flow of port %u waits for room, and has %u\n", port->number,
			  flow->key.port, flow->granted);
		n++;
	}
	list_for_each_entry(flow, &port->granted, waiting) {
		WARN_ONCE(flow->key.port != port->number || !flow->granted,
			  "port %u: a flow of port %u has room reserved: %u\n", port->number,
			  flow->key.port, flow->granted);
		n++;
	}
	list_for_each_entry(flow, &port->flows, held) {
		WARN_ONCE(flow->key.port != port->number, "port %u holds a flow of port %u\n",
			  port->number, flow->key.port);
		n++;
	}
	return n + 1;
}

unsigned int flitcast_rxroom_check(struct flitcast_site *site)
{
	struct flitcast_port *port;
	unsigned long number;
	unsigned int n = 0;

	xa_for_each(&site->ends->ports.table, number, port) {
		WARN_ONCE(port->number != number || port->site != site,
			  "port %u in the place of port %lu\n", port->number, number);
		n += port_check(site, port);
	}
	return n;
}
#endif
