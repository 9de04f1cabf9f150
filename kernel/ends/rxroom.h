/* SPDX-License-Identifier: GPL-2.0 */
/* Grants of receive buffer space (rxroom.c). */
#ifndef FLITCAST_ENDS_RXROOM_H
#define FLITCAST_ENDS_RXROOM_H

#include <linux/types.h>

struct flitcast_site;
struct flitcast_port;
struct rx_flow;

/*
 * Drop the undelivered messages, refusals and grants of flows in @port->flows whose source has sent
 * nothing for RECLAIM_NS, to release their space.  Limited in rate.
 */
void flitcast_rx_reclaim(struct flitcast_site *site, struct flitcast_port *port);
/* Space may be available: grant it to waiting flows in FIFO order. */
void flitcast_rx_grant(struct flitcast_site *site, struct flitcast_port *port);
/*
 * The next message of a flow has moved on from @before, because messages were skipped: clear the
 * refusals from @before on, release the grant, which was for @before, and queue the flow for a new
 * one if its next message was refused.
 */
void flitcast_rx_completed(struct flitcast_site *site, struct flitcast_port *port,
			   struct rx_flow *flow, u32 before);
/*
 * Reserve space for a message.  It uses up the grant of its flow, unless it is @early; without a
 * grant it gets no space while another flow is first in @port->waiting.  Return: false: no space.
 */
bool flitcast_rx_charge(struct flitcast_site *site, struct flitcast_port *port,
			struct rx_flow *flow, u32 charge, bool early);

#endif /* FLITCAST_ENDS_RXROOM_H */
