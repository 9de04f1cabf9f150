/* SPDX-License-Identifier: GPL-2.0 */
/* End-to-end control entries of a site (ctrl.c). */
#ifndef FLITCAST_FABRIC_CTRL_H
#define FLITCAST_FABRIC_CTRL_H

#include <linux/interrupt.h>
#include "core/wire/wire.h"
#include "fabric/sum.h"

struct flitcast_site;
struct flitcast_link;
struct sk_buff;

/*
 * Maximum number of queued control entries for the site itself; others are dropped, and sent again.
 */
#define FLITCAST_LOOP_MAX	64
/* Maximum number of held acks. */
#define FLITCAST_HELD_MAX	4
/* Number of sites for which the path of their multicast packets is remembered. */
#define FLITCAST_BACKS		8

/**
 * struct flitcast_held - a held ack, which waits for those of targets beyond this site
 * @ctrl: the entry to send
 * @until: when it is sent in any case
 * @port: port by which all of them leave
 * @left: number of acks it still waits for
 */
struct flitcast_held {
	struct fc_ctrl ctrl;
	u64 until;
	u8 port;
	u8 left;
};

/**
 * struct flitcast_back - port by which multicast packets of a site arrive
 * @src: site
 * @port: port of the last one; 0: none yet
 */
struct flitcast_back {
	u32 src;
	u8 port;
};

/**
 * struct flitcast_ctrl - control entries of a site
 * @loop: entries for this site, from the links and from itself
 * @nloop: number of entries in @loop
 * @ports: bit mask of ports with a queued control frame
 * @tests: bit mask of ports whose link is to be tested (flitcast_relay_tests()): a control frame
 *	was sent, or a link failed somewhere
 * @old: of these, ports whose frame waits for @soon
 * @beyond: while a multicast packet is delivered whose source waits for acks: number of targets
 *	beyond this site
 * @nheld: number of entries in @held
 * @held_alone: number of acks not to be held from now on
 * @held: acks that wait for those of targets beyond this site
 * @back: ports by which multicast packets arrive; their acks leave by them
 * @locate: search for the links that damage packets
 * @soon: transmits the frames of @ports
 * @joined: an entry joined a waiting frame since @soon ran
 * @alone: number of times that frames leave at once from now on
 */
struct flitcast_ctrl {
	struct fc_ctrl loop[FLITCAST_LOOP_MAX];
	unsigned int nloop;
	u32 ports;
	u32 tests;
	u32 old;
	u8 beyond;
	u8 nheld;
	u8 held_alone;
	struct flitcast_held held[FLITCAST_HELD_MAX];
	struct flitcast_back back[FLITCAST_BACKS];
	struct flitcast_locate locate;
	struct tasklet_struct soon;
	bool joined;
	u8 alone;
};

void flitcast_ctrl_init(struct flitcast_site *site);
/* Stop the tasklet.  Context: may sleep; the site is dead. */
void flitcast_ctrl_stop(struct flitcast_site *site);
/*
 * Send an entry to the source or target that it names, which may be at this site.  Entries that
 * leave by the same port share a frame.
 */
void flitcast_ctrl_send(struct flitcast_site *site, struct fc_ctrl *ctrl);
/*
 * Hold an ack that others will follow soon, by the same port and from @left targets beyond this
 * site. It is sent with the first of these that has space for it, with the last one, or after a
 * time-out.
 */
void flitcast_ctrl_hold(struct flitcast_site *site, struct fc_ctrl *ctrl, u8 left);
/* Send the held acks that are due by @until, and set the timer for the others. */
void flitcast_ctrl_time(struct flitcast_site *site, u64 until);
/*
 * A packet, or a control entry, of site @src came in damaged by @port: count it, and send @src
 * FC_CTRL_DAMAGED, once a second at most.
 */
void flitcast_ctrl_damaged(struct flitcast_site *site, u32 src, u8 port);
/* A multicast packet from @src has arrived by @port. */
void flitcast_ctrl_back(struct flitcast_site *site, u32 src, u8 port);
/* Process a control frame; the link header has been pulled.  Takes ownership of the skb. */
void flitcast_ctrl_in(struct flitcast_site *site, struct flitcast_link *link,
		      struct sk_buff *skb);
/* The site is left: transmit queued frames, now or by the tasklet. */
void flitcast_ctrl_leave(struct flitcast_site *site);
/* A link goes away: drop its queued frame and held acks. */
void flitcast_ctrl_drop(struct flitcast_site *site, u8 port);

#endif /* FLITCAST_FABRIC_CTRL_H */
