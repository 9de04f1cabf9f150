/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls from fabric, which moves frames and knows no messages, to the layers above.
 *
 * All other calls go down, in the order of Kbuild.  These are static calls, as cheap as direct
 * calls; flitcast_engine_init() sets their targets before the first site.  Each function is called
 * with the site's lock held; only the first two release it.
 */
#ifndef FLITCAST_FABRIC_UP_H
#define FLITCAST_FABRIC_UP_H

#include <linux/static_call.h>
#include "core/ends/ends.h"

struct fc_flit;
struct flitcast_site;
struct flitcast_votes;
struct sk_buff_head;

/* engine.c */

/* flitcast_leave() and flitcast_received() of fabric/enter.h. */
void flitcast_engine_leave(struct flitcast_site *site)
	__releases(&site->lock) __releases(RCU);
void flitcast_engine_received(struct flitcast_site *site)
	__releases(&site->lock);
/* Set the timer for the next event, if the site is left without flitcast_leave(). */
void flitcast_engine_set_timer(struct flitcast_site *site);

/* rx.c */

/*
 * Receive a packet for one local target; takes ownership of the flits; @votes: of a broadcast, else
 * NULL.  Return: false if the packet was refused for now: its source must retransmit it.
 */
bool flitcast_rx_packet(struct flitcast_site *site, struct sk_buff_head *flits,
			const struct fc_packet *pk, const struct fc_target *t,
			const struct flitcast_votes *votes);

/* bcast.c */

/* Receive a complete copy of a broadcast that came in by a port; takes the flits. */
void flitcast_bcast_copy(struct flitcast_site *site, u8 port, struct sk_buff_head *flits);

/* txpacket.c */

/* Choose the next packet of a set.  Return: number of its targets; 0: there is none now. */
unsigned int flitcast_tx_pick(struct flitcast_site *site, u8 set);
/*
 * Return: the next flit of the chosen packet; NULL: no memory, retry later.  A packet that has not
 * begun must then be chosen again.
 */
struct sk_buff *flitcast_tx_flit(struct flitcast_site *site, u8 set, struct fc_flit *flit);

/* txmsg.c */

/*
 * Mode csr: a packet has reserved its path, or needs no reservation (@arrival is 0); see
 * core/vnet/csr_plan.h.
 */
void flitcast_tx_admitted(struct flitcast_site *site, const u8 *head, u64 arrival);

/* tx.c */

/* Routes have changed: check which targets have become reachable, or unreachable. */
void flitcast_tx_rerouted(struct flitcast_site *site);

/* ether.c */

/* Receive a datagram, if the site has a device (struct flitcast_dgrams); takes the flits. */
void flitcast_ether_receive(struct flitcast_site *site, struct sk_buff_head *flits);
/* A frame that came by a queue of the network device, which was charged @bytes, has entered. */
void flitcast_ether_entered(struct flitcast_site *site, u8 queue, u32 bytes);
/* A link of the site came up or went down: update the carrier of the network device. */
void flitcast_ether_links(struct flitcast_site *site);
/* Routes have changed: the network device may have to report again. */
void flitcast_ether_rerouted(struct flitcast_site *site);

DECLARE_STATIC_CALL(flitcast_leave_up, flitcast_engine_leave);
DECLARE_STATIC_CALL(flitcast_received_up, flitcast_engine_received);
DECLARE_STATIC_CALL(flitcast_set_timer_up, flitcast_engine_set_timer);
DECLARE_STATIC_CALL(flitcast_rx_packet_up, flitcast_rx_packet);
DECLARE_STATIC_CALL(flitcast_bcast_copy_up, flitcast_bcast_copy);
DECLARE_STATIC_CALL(flitcast_tx_pick_up, flitcast_tx_pick);
DECLARE_STATIC_CALL(flitcast_tx_flit_up, flitcast_tx_flit);
DECLARE_STATIC_CALL(flitcast_tx_admitted_up, flitcast_tx_admitted);
DECLARE_STATIC_CALL(flitcast_tx_rerouted_up, flitcast_tx_rerouted);
DECLARE_STATIC_CALL(flitcast_ether_receive_up, flitcast_ether_receive);
DECLARE_STATIC_CALL(flitcast_ether_entered_up, flitcast_ether_entered);
DECLARE_STATIC_CALL(flitcast_ether_links_up, flitcast_ether_links);
DECLARE_STATIC_CALL(flitcast_ether_rerouted_up, flitcast_ether_rerouted);

#endif /* FLITCAST_FABRIC_UP_H */
