/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The relay of a site forwards and delivers broadcast packets, on a virtual channel of their own.
 * The method is HARTS (Kandlur and Shin 1991, sections 3 and 4; see Documentation/glossary.rst).
 *
 *	input port -> queue -> hold -+-> link out
 *	                             +-> link out
 *	                             +-> this site, when the packet is complete (FC_FX_DELIVER)
 *
 * A source sends a broadcast in one or several copies, over disjoint paths.  A packet names no
 * targets: its source, number of copies, input port and *label* determine its outputs (@next_hop).
 * The label (struct fc_bcast_hdr) distinguishes the packets of one broadcast on one link: it may
 * change from link to link, and is 0 where a link carries only one of them.
 *
 * Each accepted packet has a *hold*, until it has ended and each output has sent or dropped it.  An
 * output sends the flits as they arrive, at its own speed.  The caller stores the flits of a hold,
 * in order: FC_FX_HOLD appends one, FC_FX_FREE frees all.  The caller also copies each sent flit
 * for resend (core/link/llr.c), because a hold may be freed before its flits are acked.
 *
 * The relay consumes each flit that is next in order, into a hold or by dropping it, so no queue
 * ever waits for another and no deadlock is possible (Documentation/design.rst, "Broadcast").  The
 * source repeats a broadcast that not all sites have acked, with a new number.
 *
 * A terminator completes a packet.  A packet is *cut* if it ends otherwise: by an abort, a wrong
 * length, the head of another packet, or a reset of its input link.  Then each output sends the
 * flits that have arrived and an aborting terminator, and the packet is not delivered.
 *
 * A packet whose rest does not arrive is cut as well (core/link/stall.h); for a time, packets of
 * that link join the outputs only when they are whole.  An output whose peer takes nothing
 * (core/link/stuck.h) drops its packets.
 *
 * The relay drops a duplicate: a packet with the number of a recent one of the same source, input
 * port and label (struct fc_relay_seen).  It forwards and delivers every copy of a broadcast; the
 * receiving end recognises the copies of one message (core/bcast/recept.h, ends/bcast.c).
 */
#ifndef FC_CORE_BCAST_RELAY_H
#define FC_CORE_BCAST_RELAY_H

#include "core/link/delay.h"
#include "core/link/event.h"
#include "core/link/stall.h"

/* Result of @next_hop: no path of the source uses the input.  A mask of ports never has 32 bits. */
#define FC_RELAY_NEVER	0xffffffffU
/* Limits of the number of holds of a relay, and of the data bytes in all of them. */
#define FC_HOLDS_MIN	64
#define FC_HOLDS_MAX	1024
#define FC_HOLDS_BYTES	(64U << 20)
#define FC_HOLD_NONE	0xffff

/* Effects of a relay, besides those of its channel (enum fc_effect_type). */
enum fc_relay_effect_type {
	FC_FX_HOLD = 64,	/* append the flit to @hold */
	FC_FX_RELAY,		/* send flit @index of @hold to a link; keep a copy for resend */
	FC_FX_CUT,		/* send an aborting terminator, without handle; keep for resend */
	FC_FX_DELIVER,		/* deliver the complete packet of @hold, which arrived by @port */
	FC_FX_FREE,		/* free the flits of @hold */
};

/**
 * struct fc_hold - state of an accepted packet
 * @waiting: outputs, with the link up at the head, that have not sent the packet to its end
 * @src: source of the packet
 * @next: next hold of the free list
 * @flits: number of flits that have arrived
 * @in: input port; FC_PORT_LOCAL: this site is the source
 * @label: label with which the packet arrived
 * @here: the packet is for this site, too: FC_FX_DELIVER
 * @whole: the terminator has arrived
 * @cut: the packet was cut (see above): no more flits arrive
 * @stored: the packet joins its outputs when it is whole
 */
struct fc_hold {
	u32 waiting;
	u32 src;
	u16 next;
	u16 flits;
	u8 in;
	u8 label;
	bool here;
	bool whole;
	bool cut;
	bool stored;
};

/**
 * struct fc_relay_in - input port
 * @left: data bytes of the current packet that have not arrived
 * @hold: hold of the current packet; FC_HOLD_NONE: its flits are dropped
 * @why: enum fc_drop of a packet without a hold
 * @busy: there is a current packet: its head has arrived, its end has not
 * @rest: the last packet was cut because its rest did not arrive: that is dropped if it comes
 * @come: number of flits of the current packet that have arrived
 * @progress: progress of its arrival
 * @stall: packets of the link that stalled
 */
struct fc_relay_in {
	u32 left;
	u16 hold;
	u8 why;
	bool busy;
	bool rest;
	u32 come;
	struct fc_progress progress;
	struct fc_stall stall;
};

/**
 * struct fc_relay_out - output port: sends packets in the order of their heads, each to its end
 * @fifo: ring of hold numbers; @nholds entries, as a hold is in it at most once
 * @first: index in @fifo of the hold that is being sent
 * @n: number of holds in @fifo
 * @flit: index of the next flit to send of the hold that is being sent
 */
struct fc_relay_out {
	u16 *fifo;
	u16 first;
	u16 n;
	u16 flit;
};

/**
 * struct fc_relay_seen - record of the packets of one source, input port and label
 * @incarnation: incarnation of the source, a random number that is new each time it is created
 * @high: highest number in the record
 * @seen: bit i: number @high - i has arrived
 * @holds: number of holds in use for this source, port and label
 * @copies: number of copies in the headers of the recorded packets
 * @begun: the record has a packet
 */
struct fc_relay_seen {
	u32 incarnation;
	u32 high;
	u32 seen;
	u8 holds;
	u8 copies;
	bool begun;
};

/**
 * struct fc_relay - the relay of a site
 * @ch: virtual channel
 * @next_hop: returns the outputs of a packet from @src in @copies copies that arrives by port @in
 *	with @label, as a mask of ports, or FC_RELAY_NEVER.  The bit of FC_PORT_LOCAL means that the
 *	packet is for this site, too.  If @in is FC_PORT_LOCAL, this site is the source.  The caller
 *	also looks up the label for the next link, and writes it into flit 0 of FC_FX_RELAY
 * @admit: returns true if the caller has memory for a packet of another site with @data data
 *	bytes, whose flits get hold @n until FC_FX_FREE; NULL: it always has
 * @tables: data of @next_hop
 * @in: by port
 * @out: by port
 * @hold: by number of the hold
 * @seen: by source, port and label
 * @stat: counters, by enum fc_stat
 * @id: this site
 * @nsites: number of sites of the topology
 * @nholds: number of holds
 * @bytes: maximum number of data bytes of a packet
 * @payload: bytes of a flit without its link header; 0: flits have any length (simulator)
 * @each: maximum number of holds in use for one source, port and label, 1 to 8
 * @nlabels: labels are less than this; 1 where a link carries only one packet of a broadcast;
 *	fc_relay_init() changes 0 to 1
 * @free: first hold of the free list
 * @nfree: holds in the free list
 * @come: input ports whose queue may have a flit to consume
 * @go: output ports that may have a flit to send, or holds to drop
 * @flush: output ports whose link was reset: they drop all holds in their ring
 * @check: when to check the packets that arrive
 *
 * The caller's lock protects all of it; the arrays' addresses, @next_hop, @admit, @id, @nsites,
 * @nholds, @bytes, @payload, @nlabels and @each never change after fc_relay_init().
 */
struct fc_relay {
	struct fc_channel ch;
	u32 (*next_hop)(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in);
	bool (*admit)(struct fc_relay *relay, u16 n, u32 data);
	const void *tables;
	struct fc_relay_in *in;
	struct fc_relay_out *out;
	struct fc_hold *hold;
	struct fc_relay_seen *seen;
	u64 *stat;
	u32 id;
	u32 nsites;
	u32 bytes;
	u32 payload;
	u32 come;
	u32 go;
	u32 flush;
	struct fc_stall_clock check;
	u16 nholds;
	u16 nfree;
	u16 free;
	u8 each;
	u8 nlabels;
};

/* With labels, factor of the number of holds, which all labels of a source and port share. */
#define FC_RELAY_SHARE	2

/*
 * Returns the number of holds: two for each source and port, in FC_HOLDS_MIN .. FC_HOLDS_MAX.
 * @nports: ports with the local one; with labels, the caller multiplies by FC_RELAY_SHARE.
 */
u16 fc_relay_holds(u32 nsites, u8 nports);

/* Returns the maximum data bytes of a packet, from FC_HOLDS_BYTES; @nports: see above. */
u32 fc_relay_bytes(u32 nsites, u8 nports);

/**
 * fc_relay_init() - initialise a relay without packets, its links down
 * @relay: the caller has set @next_hop, @admit, @tables, @in, @out (@fifo of each), @hold, @seen,
 *	@stat, @id, @nsites, @nholds, @nlabels and @payload; of @ch: @timing, @rx (@queue and @stat
 *	of each), @tx, @window and @nports.  All other members are set here
 */
void fc_relay_init(struct fc_relay *relay);

/**
 * fc_relay_event() - process one event
 * @relay: relay
 * @ev: event; a flit of FC_PORT_LOCAL is part of a broadcast of this site, and the caller completes
 *	one broadcast before it begins the next.  FC_EV_TIME, _ROOM and _ROUTE act as FC_EV_MORE
 * @fx: emptied, then filled with effects: those of enum fc_relay_effect_type, and FC_FX_STATUS,
 *	FC_FX_DROP, FC_FX_RESET, FC_FX_RESEND, FC_FX_RELEASE and FC_FX_RESCUE (core/link/llr.c)
 *
 * Return: true if work is left after FC_STEP_EFFECTS effects or more: the caller performs them, and
 * continues with FC_EV_MORE or any other event.  Statuses that are due wait until no work is left.
 */
bool fc_relay_event(struct fc_relay *relay, const struct fc_event *ev, struct fc_effects *fx);

/* Passes the handles in the queues to @drop, and initialises; the caller frees what it stored. */
void fc_relay_purge(struct fc_relay *relay, void (*drop)(void *arg, void *h), void *arg);

/* Adds what the peer of a port delays to a report. */
void fc_relay_delay(const struct fc_relay *relay, u8 port, u64 now, struct fc_delay *d);

/* Returns true if a broadcast of this site (label 0) may begin and would get a hold by @each. */
bool fc_relay_room(const struct fc_relay *relay);

/* Returns true if no packet is arriving and no hold is in use; ignores queues and unacked flits. */
bool fc_relay_idle(const struct fc_relay *relay);

#endif /* FC_CORE_BCAST_RELAY_H */
