/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A site in mode care, composed of operator, router, net-inputs, net-outputs and fifo-buffers
 * (CARE, section 2).  It maps one event to a bounded list of effects:
 *
 *	fc_site_event(site, event, effects)
 *
 * The caller owns the site's memory, clock and lock, passes one event at a time and performs the
 * effects in their order.
 *
 * The caller also keeps a copy of each flit sent on a link, as it was sent (the replay buffer,
 * whose size is the window), until FC_FX_RELEASE: FC_FX_RESEND sends it again, FC_FX_RESCUE removes
 * packets from it.
 *
 * Port 0 is local.  Its net-input takes flits of the operator (its queue is the downstream
 * fifo-buffer); its net-output feeds the upstream fifo-buffer, from which the operator takes every
 * word at once.  The operator needs storage for one packet only (the network-buffer); a site
 * without space to store a packet for other sites drops it, because its source keeps it until it is
 * confirmed.  So the local net-output always becomes free, and packets that wait for it advance
 * (Documentation/design.rst, "Nothing hangs").
 */
#ifndef FC_CORE_CARE_CARE_H
#define FC_CORE_CARE_CARE_H

#include "core/link/delay.h"
#include "core/link/event.h"
#include "core/care/fsm.h"
#include "core/link/node.h"
#include "core/link/stall.h"
#include "core/wire/wire.h"

/* Connection types (section 4.5). */
enum fc_conn {
	FC_CONN_NONE,
	FC_CONN_UNICAST,	/* one site, or forced to the local net-output */
	FC_CONN_PASSTHRU,	/* several sites, one net-output */
	FC_CONN_ALL_REMOTE,	/* split, no target here */
	FC_CONN_SOME_LOCAL,	/* split, with targets here */
	FC_CONN_SINK,		/* no target is reachable: the packet is dropped */
};

/**
 * struct fc_in - a net-input; the queue in front of it is struct fc_rx
 * @held: the word that the net-input holds: the front in state first, later the terminator
 * @seek_at: next time to count a seek, or FC_NEVER
 * @progress: progress of the arrival of the current packet
 * @stall: packets of the link that stalled
 * @come: number of its flits that left the queue
 * @conn: connected net-outputs (input-connection-table, Table G)
 * @left: data bytes of the packet that have not arrived
 * @seeks: number of seeks in state first
 * @state: enum fc_netin_state
 * @type: enum fc_conn
 * @tail: the last flit of the current packet stays in the queue until the packet leaves, so that it
 *	is not acked before
 * @arm: abort-request received for this multicast
 * @cut: the link was reset in mid-packet: the terminator will not arrive
 * @multi: the current packet has more than one flit
 * @datagram: it is a datagram
 * @reported_unreachable: targets without a route were reported to the source of the current packet
 */
struct fc_in {
	struct fc_flit held;
	u64 seek_at;
	struct fc_stall stall;
	struct fc_progress progress;
	u32 come;
	u32 conn;
	u32 left;
	u16 seeks;
	u8 state;
	u8 type;
	bool tail;
	bool arm;
	bool cut;
	bool multi;
	bool datagram;
	bool reported_unreachable;
};

/**
 * struct fc_out - a net-output; its link is struct fc_tx
 * @mask: targets that leave by this net-output
 * @state: enum fc_netout_state
 * @in: net-input connected (output-connection-table, Table G), or FC_PORT_NONE
 * @claim: net-input that waits for this net-output with a packet of several flits; no other one may
 *	take it, which prevents starvation
 * @term: parts of the held terminator (states done and last)
 * @dead: the link was reset during the current packet, of which no more is sent
 */
struct fc_out {
	u64 mask;
	u8 state;
	u8 in;
	u8 claim;
	u8 term;
	bool dead;
};

/**
 * struct fc_fifo - the upstream fifo-buffer
 * @timeout_at: time to raise abort-request if no word arrives before, or FC_NEVER
 * @room: number of words of free space
 * @state: enum fc_fifo_state
 * @backoff: number of doublings of the time-out, at most FC_BACKOFF_MAX
 * @calm: number of packets that arrived whole since @backoff last changed
 * @aborted: the current packet is a multicast that was aborted
 */
struct fc_fifo {
	u64 timeout_at;
	u32 room;
	u8 state;
	u8 backoff;
	u8 calm;
	bool aborted;
};

/*
 * Each time-out doubles the next one, and FC_BACKOFF_CALM whole packets halve it: if sites are
 * slower than the settings assume, or the network is very busy, packets that only need more time
 * are not aborted repeatedly.
 */
#define FC_BACKOFF_MAX		4
#define FC_BACKOFF_CALM	8

/**
 * struct fc_site - a site
 * @node: state of the site that its switches share
 * @in: net-inputs, one for each port
 * @out: net-outputs, one for each port
 * @data: virtual channel of its packets
 * @now: time of the last event
 * @next_at: no timer of the site, apart from those of @data, expires before this time
 * @rng: state of the random numbers, never 0
 * @work: net-inputs to process
 * @seekers: net-inputs in state first
 * @payload: bytes of a flit without its link header; 0: flits have any length (simulator)
 * @check: when to check the packets that arrive
 * @set: enum fc_set: set of channels that the site switches
 * @rotate: port that is processed first, in rotation
 * @fifo: the upstream fifo-buffer
 * @oper: enum fc_oper_state
 * @fired: for tests: if not NULL, called for every transition
 *
 * The caller's lock protects all members.  When routes or preference lists of @node have changed
 * the caller calls fc_site_rerouted().  @node, the arrays, @payload and @set never change
 * after fc_site_init().
 */
struct fc_site {
	const struct fc_node *node;
	struct fc_in *in;
	struct fc_out *out;
	struct fc_channel data;
	u64 now;
	u64 next_at;
	u64 rng;
	u32 work;
	u32 seekers;
	u32 payload;
	struct fc_stall_clock check;
	u8 set;
	u8 rotate;
	u8 oper;
	struct fc_fifo fifo;
	void (*fired)(const struct fc_site *site, unsigned int machine,
		      unsigned int state, unsigned int cond);
};

/**
 * fc_site_init() - initialise a site without packets, its links down
 * @site: zeroed but for node, in, out, set, payload, and of @data the arrays, window, and the
 *	queue and stat members of each struct fc_rx
 * @seed: seed of its random numbers
 */
void fc_site_init(struct fc_site *site, u64 seed);

/**
 * fc_site_event() - process one event
 * @site: site
 * @ev: event
 * @fx: result: effects; any content
 *
 * Return: true if the list of effects is full and work is left: the caller performs the effects and
 * continues with FC_EV_MORE.
 */
bool fc_site_event(struct fc_site *site, const struct fc_event *ev, struct fc_effects *fx);

/* Return: time before which no timer expires, or FC_NEVER. */
static inline u64 fc_site_next_at(const struct fc_site *site)
{
	return site->next_at < site->data.next_at ? site->next_at : site->data.next_at;
}

/* Adds what the peer of a port delays to a report. */
void fc_site_delay(const struct fc_site *site, u8 port, u64 now, struct fc_delay *d);

/* Return: number of flits that the local net-input takes now; fc_site_seq() numbers them. */
u32 fc_site_room(const struct fc_site *site);
u32 fc_site_seq(const struct fc_site *site);

/**
 * fc_site_idle() - does the site hold no packet
 * @site: site
 *
 * Return: true if every machine is free and every queue is empty.
 */
bool fc_site_idle(const struct fc_site *site);

/**
 * fc_site_purge() - release every handle; the caller initialises or frees the site next
 * @site: site
 * @drop: called for each handle
 * @arg: for @drop
 */
void fc_site_purge(struct fc_site *site, void (*drop)(void *arg, void *h), void *arg);

/* Routes or preference lists have changed: seeking packets may find a route at the next event. */
static inline void fc_site_rerouted(struct fc_site *site)
{
	site->work |= site->seekers;
}

#endif /* FC_CORE_CARE_CARE_H */
