/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The relay of a site: broadcast packets (HARTS, sections 3 and 4), on a virtual
 * channel of their own.
 *
 * A packet is delivered and sent on at the same time (the RELAY tee).  Where it came in
 * and whose it is say where it goes: a table, made from the rules and the same at every
 * site, not the packet.  A link that is busy makes it wait in a *hold*, and nobody else:
 * every flit that comes in is taken at once, into a hold or nowhere, so no queue ever
 * waits for another and nothing can stop (Documentation/design.rst, "Broadcast").
 *
 * Whoever runs the relay keeps the flits of a hold, in order, from FC_FX_HOLD to
 * FC_FX_FREE.
 */
#ifndef FC_CORE_RELAY_H
#define FC_CORE_RELAY_H

#include "event.h"

/* No packet of this source may come in there. */
#define FC_RELAY_NEVER	0xffffffffU
/* Holds of a relay, and what all of them may hold. */
#define FC_HOLDS_MIN	64
#define FC_HOLDS_MAX	1024
#define FC_HOLDS_BYTES	(64U << 20)
#define FC_HOLD_NONE	0xffff

/* Effects of a relay, besides those of its channel (enum fc_effect_type). */
enum fc_relay_effect_type {
	FC_FX_HOLD = 64,	/* flit into @hold, after those that are there */
	FC_FX_RELAY,		/* flit @index of @hold to a link, and into its replay buffer */
	FC_FX_CUT,		/* a terminator that aborts, without a frame, likewise */
	FC_FX_DELIVER,		/* @hold is whole: for this site as well; it came in by @port */
	FC_FX_FREE,		/* the flits of @hold are not needed any more */
};

/**
 * struct fc_hold - a packet on its way through the site
 * @waiting: ports it is still to be sent on
 * @src: its source
 * @next: of the free holds, the next one
 * @flits: of it that have come
 * @in: port it comes in by; the local port: sent by this site
 * @label: its label there
 * @here: it is for this site as well
 * @whole: all of it has come
 * @cut: the rest will not come
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
 * struct fc_relay_in - what comes in on a link
 * @left: data bytes of the packet in hand still to come
 * @hold: its hold, or FC_HOLD_NONE: it is dropped
 * @busy: a packet is in hand
 */
struct fc_relay_in {
	u32 left;
	u16 hold;
	bool busy;
};

/**
 * struct fc_relay_out - what goes out on a link: holds in order, each to its end
 * @fifo: ring of as many holds as the relay has
 * @first: place of the one being sent
 * @n: how many
 * @flit: of that one, the next to be sent
 */
struct fc_relay_out {
	u16 *fifo;
	u16 first;
	u16 n;
	u16 flit;
};

/**
 * struct fc_relay_seen - what has come of a source on a link with a label: each packet once
 * @incarnation: of the source
 * @high: highest number seen
 * @seen: bit i: number @high - i was seen
 * @holds: holds kept for them
 * @copies: how many copies each of them is sent in
 * @begun: something has come
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
 * @way: where what came in by a port with a label goes on: ports, the local one among
 *	them if it is for here, or FC_RELAY_NEVER; by the local port from this site itself:
 *	where it begins.  Whoever sends it on writes its next label
 * @tables: for @way, which alone knows what they are
 * @in: by port
 * @out: by port
 * @hold: holds
 * @seen: for each source, port and label: @nlabels of a port, @ch.nports of a source
 * @stat: counters, by enum fc_stat
 * @id: this site
 * @nsites: of the topology
 * @nholds: how many holds
 * @bytes: data of a broadcast, at most
 * @each: holds for each source, port and label
 * @nlabels: labels, 1 where each link has one packet of a broadcast; of 0 it is made
 * @free: first of the free ones
 * @nfree: how many of these
 * @come: ports on which something has come in
 * @go: ports on which something may go out
 * @flush: ports whose link began anew: what waits for it is forgotten
 *
 * Its caller's lock protects all of it; the arrays, @way, @id, @nsites, @nholds,
 * @nlabels and @each never change after fc_relay_init().
 */
struct fc_relay {
	struct fc_channel ch;
	u32 (*way)(const struct fc_relay *relay, u32 src, u8 copies, u8 label, u8 in);
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

/* Packets of a source that are reckoned with on each link: with labels seldom more. */
#define FC_RELAY_SHARE	2

/*
 * How many holds a relay has: two for each source and each link by which it may come,
 * where that is not too many.  With labels, for FC_RELAY_SHARE times as many ports.
 */
u16 fc_relay_holds(u32 nsites, u8 nports);

/* Data bytes of a broadcast, at most: what all holds together may have is bounded. */
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
 *	broadcast of this site, which comes whole before another begins
 * @fx: emptied, then filled: with FC_FX_STATUS, FC_FX_DROP, FC_FX_RESET, FC_FX_RESEND
 *	and FC_FX_RELEASE as of a site, and FC_FX_HOLD, FC_FX_RELAY, FC_FX_DELIVER and
 *	FC_FX_FREE
 *
 * Return: true if the effects had no room for all: perform them, then come again with
 * FC_EV_MORE.
 */
bool fc_relay_event(struct fc_relay *relay, const struct fc_event *ev, struct fc_effects *fx);

/* Give back every handle in the queues; what the holds have is the runner's. */
void fc_relay_purge(struct fc_relay *relay, void (*drop)(void *arg, void *h), void *arg);

/* May a broadcast of this site begin?  It is bounded as any source's. */
bool fc_relay_room(const struct fc_relay *relay);

/* Is nothing under way? */
bool fc_relay_idle(const struct fc_relay *relay);

#endif /* FC_CORE_RELAY_H */
