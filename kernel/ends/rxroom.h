/* SPDX-License-Identifier: GPL-2.0 */
/* Grants of receive buffer space (rxroom.c). */
#ifndef FLITCAST_ENDS_RXROOM_H
#define FLITCAST_ENDS_RXROOM_H

#include <linux/types.h>

struct flitcast_site;
struct flitcast_port;
struct rx_flow;

/* Drop incomplete messages of unresponsive sources, to release their space. */
void flitcast_rx_reclaim(struct flitcast_site *site, struct flitcast_port *port);
/* Space may be available: grant it to waiting flows in FIFO order. */
void flitcast_rx_grant(struct flitcast_site *site, struct flitcast_port *port);
/*
 * The next message of a flow has moved on from @before, possibly past messages that the source
 * aborted: clear their refusals and release the grant of the flow.
 */
void flitcast_rx_completed(struct flitcast_site *site, struct flitcast_port *port,
			   struct rx_flow *flow, u32 before);
/*
 * Reserve space for a message: the grant of its flow, or free space if no other flow waits.
 * Return: false if there is none.
 */
bool flitcast_rx_charge(struct flitcast_site *site, struct flitcast_port *port,
			struct rx_flow *flow, u32 charge, bool early);

#endif /* FLITCAST_ENDS_RXROOM_H */
