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
	FC_HOP_MORE,	/* forwarded or delivered, and an ack is due: pass FC_EV_MORE next */
};

/**
 * struct fc_vhop - a flit that is a whole packet, or a later flit of a packet, on a link
 * @head: head of the packet; NULL: a later flit
 * @now: time, for fc_vnet_hop_timed() only
 * @seq: number on the input link; result: number on the output link
 * @ack: cumulative ack received; result: cumulative ack to send
 * @data: later flit: bytes of data
 * @class: class of the input channel
 * @port: input port, or FC_PORT_LOCAL
 * @parts: later flit: FC_PART_*
 * @out_class: result: class of the output channel
 * @out_port: result: output port, or FC_PORT_LOCAL
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
 * fc_vnet_hop() - fast path of fc_vnet_event() for a whole packet that is forwarded without
 *	contention
 * @v: switch of mode vnet, neither postman nor csr, and not @slow
 * @hop: flit as received; on return, as to be sent
 *
 * For a valid front with one target and all of its data.  Usually the function needs no clock: it
 * arms no timer, and timers that are due wait for their event.  On a link that was silent it would
 * arm timers, and returns FC_HOP_WHEN: the caller reads the clock and calls fc_vnet_hop_timed(),
 * without any other call in between.
 *
 * Return: FC_HOP_NOT, FC_HOP_WHEN or FC_HOP_GONE.
 */
enum fc_hop fc_vnet_hop(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_later() - as fc_vnet_hop() for a flit that is not the first of its packet
 * @v: switch, of any mode but care
 * @hop: flit as received; on return, as to be sent
 *
 * The packet has one branch, and all flits before this one have left by it.
 *
 * Return: as fc_vnet_hop().
 */
enum fc_hop fc_vnet_later(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_here() - as fc_vnet_hop() for a packet to this site
 * @v: switch
 * @hop: flit as received
 *
 * Return: as fc_vnet_hop().
 */
enum fc_hop fc_vnet_here(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_start() - as fc_vnet_hop() for a packet of this site
 * @v: switch
 * @hop: flit with FC_PORT_LOCAL, in any injection queue; on return, as to be sent
 *
 * A packet in the injection queue that waits for another link does not delay this one.
 *
 * Return: as fc_vnet_hop().
 */
enum fc_hop fc_vnet_start(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_hop_timed() - forward or deliver a flit for which the switch returned FC_HOP_WHEN
 * @v: switch, whose @next_at may become earlier
 * @hop: unchanged since then, except @now
 *
 * Return: FC_HOP_GONE or FC_HOP_MORE.
 */
enum fc_hop fc_vnet_hop_timed(struct fc_vnet *v, struct fc_vhop *hop);

/**
 * fc_vnet_aim() - the link that a datagram of this site takes first
 * @v: switch
 * @head: head of the datagram, of which the first target is read
 * @flits: number of its flits
 * @port: result; FC_PORT_LOCAL if the target is this site, or has no route
 *
 * Return: false if the datagram would wait for the channel, or for routes that are being computed,
 * in an injection queue that datagrams for other links could use.  One datagram may wait for each
 * channel, so that a channel for which other packets always wait serves datagrams, too; but one
 * injection queue stays free of waiting datagrams.
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
