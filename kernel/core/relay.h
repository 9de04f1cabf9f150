/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The relay of a site: broadcast packets (HARTS, sections 3 and 4), on a virtual
 * channel of their own.
 *
 *	link in -> queue -> hold -+-> link out
 *	                          +-> link out
 *	                          +-> operator (the RELAY tee)
 *
 * The relay delivers a packet and forwards it at the same time.  A table that every site derives
 * from the same rules gives the outputs of a packet by its source, its label and the link that it
 * arrived by; the packet names no targets.  A packet waits in a *hold* for outputs that are busy.
 * The relay consumes each flit as it arrives, into a hold or by dropping it, so no queue ever waits
 * for another and no deadlock is possible (Documentation/design.rst, "Broadcast").
 *
 * The caller stores the flits of a hold, in order, from FC_FX_HOLD to FC_FX_FREE.
 */
#ifndef FC_CORE_RELAY_H
#define FC_CORE_RELAY_H

#include "event.h"

/* A packet of this source that arrives there is forged. */
#define FC_RELAY_NEVER	0xffffffffU
/* Bounds of the number of holds, and of the bytes of all of them. */
#define FC_HOLDS_MIN	64
#define FC_HOLDS_MAX	1024
#define FC_HOLDS_BYTES	(64U << 20)
#define FC_HOLD_NONE	0xffff

/* Effects of a relay, besides those of its channel (enum fc_effect_type). */
enum fc_relay_effect_type {
	FC_FX_HOLD = 64,	/* append the flit to @hold */
	FC_FX_RELAY,		/* send flit @index of @hold to a link, and keep it for resend */
	FC_FX_CUT,		/* send a terminator that aborts, without a frame, and keep it */
	FC_FX_DELIVER,		/* deliver the whole packet of @hold, which arrived by @port */
	FC_FX_FREE,		/* release the flits of @hold */
};

/**
 * struct fc_hold - a packet on its way through the site
 * @waiting: ports on which the packet has not been sent to its end
 * @src: source of the packet
 * @next: next hold of the free list
 * @flits: flits of the packet that have arrived
 * @in: port by which the packet arrives; the local port: this site sends it
 * @label: label of the packet there
 * @here: the packet is delivered to this site, too
 * @whole: the terminator has arrived
 * @cut: the terminator will not arrive
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
};

/**
 * struct fc_relay_in - input of a link
 * @left: data bytes of the current packet that have not arrived
 * @hold: hold of the current packet, or FC_HOLD_NONE: the packet is dropped
 * @busy: there is a current packet
 */
struct fc_relay_in {
	u32 left;
	u16 hold;
	bool busy;
};

/**
 * struct fc_relay_out - output of a link: holds in order, each to its end
 * @fifo: ring with a place for each hold of the relay
 * @first: place of the hold that is being sent
 * @n: holds in the ring
 * @flit: next flit of the hold that is being sent
 */
struct fc_relay_out {
	u16 *fifo;
	u16 first;
	u16 n;
	u16 flit;
};

/**
 * struct fc_relay_seen - packets of a source that arrived by a link with a label
 * @incarnation: of the source
 * @high: highest number seen
 * @seen: bit i: number @high - i was seen
 * @holds: holds that these packets occupy
 * @copies: number of copies of each broadcast
 * @begun: a packet has arrived
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
 * @next_hop: outputs of a packet of a source that arrives by a port with a label: a mask of ports,
 *	with the local one if the packet is for this site, or FC_RELAY_NEVER; for the local port the
 *	first links of a broadcast of this site.  The caller writes the next label into a packet
 *	that it forwards
 * @tables: argument of @next_hop
 * @in: by port
 * @out: by port
 * @hold: holds
 * @seen: by source, port and label
 * @stat: counters, by enum fc_stat
 * @id: this site
 * @nsites: of the topology
 * @nholds: number of holds
 * @bytes: most data bytes of a broadcast
 * @each: most holds for each source, port and label
 * @nlabels: number of labels; 1 where each link carries one packet of a broadcast, and then 0 is
 *	accepted as well
 * @free: first hold of the free list
 * @nfree: holds in the free list
 * @come: ports whose queue may have a flit to consume
 * @go: ports that may have a flit to send
 * @flush: ports whose link was reset: the relay drops the packets that wait for them
 *
 * The caller's lock protects all of it; the arrays, @next_hop, @id, @nsites, @nholds,
 * @nlabels and @each never change after fc_relay_init().
 */
struct fc_relay {
	struct fc_channel ch;
	u32 (*next_hop)(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in);
	const void *tables;
	struct fc_relay_in *in;
	struct fc_relay_out *out;
	struct fc_hold *hold;
	struct fc_relay_seen *seen;
	u64 *stat;
	u32 id;
	u32 nsites;
	u32 bytes;
	u32 come;
	u32 go;
	u32 flush;
	u16 nholds;
	u16 nfree;
	u16 free;
	u8 each;
	u8 nlabels;
};

/* Packets of a source for which there are holds on each link where links carry labels. */
#define FC_RELAY_SHARE	2

/*
 * Number of holds of a relay: two for each source and link, within FC_HOLDS_MIN and FC_HOLDS_MAX.
 * With labels, for FC_RELAY_SHARE times as many ports.
 */
u16 fc_relay_holds(u32 nsites, u8 nports);

/* Most data bytes of a broadcast, so that all holds together have at most FC_HOLDS_BYTES. */
u32 fc_relay_bytes(u32 nsites, u8 nports);

/**
 * fc_relay_init() - a relay at rest, its links down
 * @relay: zeroed but for way, tables, the arrays, stat, id, nsites, nholds, nlabels, and of @ch
 *	timing, the arrays, window, nports, and the queue and stat members of each struct
 *	fc_rx
 */
void fc_relay_init(struct fc_relay *relay);

/**
 * fc_relay_event() - one event
 * @relay: relay
 * @ev: flit, status, link, time or more; a flit of port 0 begins or continues a
 *	broadcast of this site, whose flits all come before the next broadcast
 * @fx: emptied, then filled: with FC_FX_STATUS, FC_FX_DROP, FC_FX_RESET, FC_FX_RESEND
 *	and FC_FX_RELEASE as of a site, and FC_FX_HOLD, FC_FX_RELAY, FC_FX_DELIVER and
 *	FC_FX_FREE
 *
 * Return: true if the effects had no room for all: perform them, then come again with
 * FC_EV_MORE.
 */
bool fc_relay_event(struct fc_relay *relay, const struct fc_event *ev, struct fc_effects *fx);

/* Releases the handles in the queues; the caller owns those in the holds. */
void fc_relay_purge(struct fc_relay *relay, void (*drop)(void *arg, void *h), void *arg);

/* Is there a hold for a broadcast of this site?  The bound of a source counts here, too. */
bool fc_relay_room(const struct fc_relay *relay);

/* Is nothing under way? */
bool fc_relay_idle(const struct fc_relay *relay);

#endif /* FC_CORE_RELAY_H */
