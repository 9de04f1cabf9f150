/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receive room: who waits for it, and is told when there is some.
 */
#ifndef FLITCAST_ENDS_RXROOM_H
#define FLITCAST_ENDS_RXROOM_H

#include <linux/types.h>

struct flitcast_site;
struct flitcast_port;
struct rx_flow;

/* Room held by messages whose source fell silent in the middle of them. */
void flitcast_rx_reclaim(struct flitcast_site *site, struct flitcast_port *port);
/* There may be room: reserve it for those that wait, in order, and tell them. */
void flitcast_rx_invite(struct flitcast_site *site, struct flitcast_port *port);
/*
 * The level of a flow was @before, and may have moved over messages that the source
 * gave up: what they were put off for, and the room kept for them, is others'.
 */
void flitcast_rx_level(struct flitcast_site *site, struct flitcast_port *port,
		       struct rx_flow *flow, u32 before);
/* Room for a message now?  Those that wait come first, and with what is theirs. */
bool flitcast_rx_charge(struct flitcast_site *site, struct flitcast_port *port,
			struct rx_flow *flow, u32 charge, bool early);

#endif /* FLITCAST_ENDS_RXROOM_H */
