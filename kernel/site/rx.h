/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receiving ends of a site, for its files rx.c and rxroom.c.  All under the site's lock.
 */
#ifndef FLITCAST_SITE_RX_H
#define FLITCAST_SITE_RX_H

#include "site/impl.h"

/**
 * struct rx_flow - receiving end of a flow
 * @node: in the site's table
 * @waiting: in the port's list of those that were refused for want of room, or of
 *	those that are invited
 * @src: source site
 * @incarnation: of that site
 * @sock: source socket
 * @port: local port number
 * @owed: in the site's list while a confirmation is owed that can wait
 * @owed_at: when it is to be sent
 * @need: room that messages put off need, by number modulo window; 0: none
 * @invited: room reserved for the next message, 0: none
 * @until: the invitation ends
 * @used: time of the last packet
 * @core: numbers and messages
 */
struct rx_flow {
	struct hlist_node node;
	struct list_head waiting;
	u32 src;
	u32 incarnation;
	u32 sock;
	u16 port;
	struct list_head owed;
	u64 owed_at;
	u32 need[FC_FLOW_WINDOW];
	u32 invited;
	u64 until;
	u64 used;
	struct fc_rxflow core;
};

/* Room that a message which was put off needs. */
static inline u32 *rx_need(struct rx_flow *flow, u32 seq)
{
	return &flow->need[seq % FC_FLOW_WINDOW];
}

/* rx.c */

/* Forget what a flow holds. */
void flitcast_rxflow_empty(struct flitcast_site *site, struct rx_flow *flow);

/* rxroom.c */

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

#endif /* FLITCAST_SITE_RX_H */
