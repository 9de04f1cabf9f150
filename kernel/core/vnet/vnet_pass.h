/* SPDX-License-Identifier: GPL-2.0 */
/* The fast paths of the switch of mode vnet (vnet_pass.c): a flit that meets no other one. */
#ifndef FC_CORE_VNET_VNET_PASS_H
#define FC_CORE_VNET_VNET_PASS_H

#include "core/vnet/aim.h"
#include "core/vnet/vnet.h"

/* The switch's answer about a flit that may be forwarded or delivered at once. */
enum fc_hop {
	FC_HOP_NOT,	/* no: call fc_vnet_event(); nothing has changed */
	FC_HOP_WHEN,	/* call fc_vnet_hop_timed(); nothing has changed yet */
	FC_HOP_GONE,	/* the flit is forwarded or delivered */
	FC_HOP_MORE,	/* forwarded or delivered, and an ack is due: FC_EV_MORE has to follow */
};

/**
 * struct fc_vhop - a flit that is a whole packet, or a later flit of a packet, on a link
 * @head: its head; NULL: a later flit
 * @now: the time: only fc_vnet_hop_timed() needs it
 * @seq: its number, then that on the link by which it goes out
 * @ack: flits taken from the other direction; likewise
 * @data: of a later flit: bytes of data
 * @class: of the channel by which it comes in
 * @port: link, or FC_PORT_LOCAL
 * @parts: of a later flit: FC_PART_*
 * @out_class: result: of the channel by which it goes out
 * @out_port: result: link, or FC_PORT_LOCAL
 */
struct fc_vhop {
	const u8 *head;
	u64 now;
	u32 seq;
	u32 ack;
	u32 data;
	u8 class;
	u8 port;
	u8 parts;
	u8 out_class;
	u8 out_port;
};

/**
 * fc_vnet_hop() - the same as an event for what passes a site, and meets nothing
 * @v: switch of mode vnet alone: neither postman nor csr, nor slow
 * @hop: as the flit came in; becomes as it goes out
 *
 * For a valid front with one target, all of whose data is with it.  Mostly time does not matter
 * here: nothing becomes due that was not, and what is due waits for its event.  On a link that
 * was silent timers are to be set: then the caller, who reads the clock only now, goes on with
 * fc_vnet_hop_timed(), and nothing else in between.
 *
 * Return: FC_HOP_NOT, FC_HOP_WHEN or FC_HOP_GONE.
 */
enum fc_hop fc_vnet_hop(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_later() - as fc_vnet_hop() for a flit that is not the first of its packet
 * @v: switch, of any mode but care
 * @hop: as the flit came in; becomes as it goes out
 *
 * The packet has one branch, and all flits before this one have left by it.
 *
 * Return: as fc_vnet_hop().
 */
enum fc_hop fc_vnet_later(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_here() - as fc_vnet_hop() for what is for this site
 * @v: switch
 * @hop: as the flit came in
 *
 * Return: as fc_vnet_hop().
 */
enum fc_hop fc_vnet_here(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_start() - as fc_vnet_hop() for what begins at this site
 * @v: switch
 * @hop: of FC_PORT_LOCAL, in any injection queue; becomes as it is sent
 *
 * A packet in the injection queue, which waits for another link, does not delay this one.
 *
 * Return: as fc_vnet_hop().
 */
enum fc_hop fc_vnet_start(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_hop_timed() - a flit for which the switch has returned FC_HOP_WHEN passes it
 * @v: switch; @next_at may come earlier
 * @hop: as it was left, with the time
 *
 * Return: FC_HOP_GONE or FC_HOP_MORE.
 */
enum fc_hop fc_vnet_hop_timed(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_aim() - the link that a datagram of this site takes first
 * @v: switch
 * @head: its head, of which the first target is read
 * @flits: flits that it has
 * @port: result; FC_PORT_LOCAL if the target is this site, or has no route
 *
 * Return: false if the datagram would wait for the channel, or for routes that are being computed,
 * in an injection queue that datagrams for other links could use.  One of them may wait for each
 * channel, so that a channel for which other packets always wait serves datagrams, too; but there
 * is one injection queue in which none waits.
 */
bool fc_vnet_aim(const struct fc_vnet *v, const u8 *head, u32 flits, u8 *port);

/**
 * fc_vnet_aim_list() - the links that a datagram of this site with several targets takes first
 * @v: switch
 * @aim: the datagram, and results
 *
 * The datagram may enter if one of its channels takes it (fc_vnet_aim()).  For the others it then
 * waits in its injection queue, so there must be another one in which no datagram waits.
 */
void fc_vnet_aim_list(const struct fc_vnet *v, struct fc_aim *aim);

#endif /* FC_CORE_VNET_VNET_PASS_H */
