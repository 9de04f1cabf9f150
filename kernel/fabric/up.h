/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls upward: from the files that move frames, which know no message, to those above them.
 *
 * All other calls go down, in the order of Kbuild.  These are static calls, which cost what a
 * direct call costs; flitcast_engine_init() sets them before there is a site.  Each function is
 * called with the site's lock held; none but the first two releases it.
 */
#ifndef FLITCAST_FABRIC_UP_H
#define FLITCAST_FABRIC_UP_H

#include <linux/static_call.h>
#include "core/ends.h"

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
/* Set the timer to what is due first, where the site is left without flitcast_leave(). */
void flitcast_engine_set_timer(struct flitcast_site *site);

/* rx.c */

/*
 * A packet for one local entry; takes ownership of the flits; @votes: of a broadcast, else NULL.
 * Return: false if it was put off: it has to come again.
 */
bool flitcast_rx_packet(struct flitcast_site *site, struct sk_buff_head *flits,
			const struct fc_packet *pk, const struct fc_target *t,
			const struct flitcast_votes *votes);

/* cast.c */

/* A whole copy that came in by a port; takes the flits. */
void flitcast_cast_copy(struct flitcast_site *site, u8 port, struct sk_buff_head *flits);

/* txpacket.c */

/*
 * Choose the next packet of a set.  Return: how many targets it has, 0: there is none now.
 */
unsigned int flitcast_tx_pick(struct flitcast_site *site, u8 set);
/*
 * The next flit of the packet that was chosen; NULL: no memory, later again.  A packet that has not
 * begun is forgotten then.
 */
struct sk_buff *flitcast_tx_flit(struct flitcast_site *site, u8 set, struct fc_flit *flit);

/* txmsg.c */

/* Mode csr: a packet has reserved its way, or needs none (@arrival is 0); see core/csr_plan.h. */
void flitcast_tx_admitted(struct flitcast_site *site, const u8 *head, u64 arrival);

/* tx.c */

/* Routes changed: what had no way and has one is sent again; and the other way round. */
void flitcast_tx_rerouted(struct flitcast_site *site);

DECLARE_STATIC_CALL(flitcast_leave_up, flitcast_engine_leave);
DECLARE_STATIC_CALL(flitcast_received_up, flitcast_engine_received);
DECLARE_STATIC_CALL(flitcast_set_timer_up, flitcast_engine_set_timer);
DECLARE_STATIC_CALL(flitcast_rx_packet_up, flitcast_rx_packet);
DECLARE_STATIC_CALL(flitcast_cast_copy_up, flitcast_cast_copy);
DECLARE_STATIC_CALL(flitcast_tx_pick_up, flitcast_tx_pick);
DECLARE_STATIC_CALL(flitcast_tx_flit_up, flitcast_tx_flit);
DECLARE_STATIC_CALL(flitcast_tx_admitted_up, flitcast_tx_admitted);
DECLARE_STATIC_CALL(flitcast_tx_rerouted_up, flitcast_tx_rerouted);

#endif /* FLITCAST_FABRIC_UP_H */
