/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A site: operator, router, net-inputs, net-outputs and fifo-buffers (CARE,
 * section 2), composed.  One event in, a bounded list of effects out:
 *
 *	fc_site_event(site, event, effects)
 *
 * The caller owns the site's memory, clock and lock, queues events to it one at a time and performs
 * the effects in their order.
 *
 * The caller also keeps a copy of each flit sent on a link, in the form in which it was sent (the
 * replay buffer, as long as the window), until FC_FX_RELEASE: FC_FX_RESEND sends it again,
 * FC_FX_RESCUE takes packets out of it.
 *
 * Port 0 is local.  Its net-input takes what the operator sends (the
 * downstream fifo-buffer is its queue); its net-output feeds the upstream
 * fifo-buffer and so the operator, which is always served at once: storage
 * for one packet (the network-buffer) is all it needs, and a site without room
 * to store a packet for others drops it, because its source keeps it until it is
 * confirmed.  So the local net-output always comes free, and with it everything
 * that waits for it (Documentation/design.rst, "Nothing hangs").
 */
#ifndef FC_CORE_CARE_CARE_H
#define FC_CORE_CARE_CARE_H

#include "core/link/event.h"
#include "core/care/fsm.h"
#include "core/link/node.h"
#include "core/wire/wire.h"

/* Connection types (section 4.5). */
enum fc_conn {
	FC_CONN_NONE,
	FC_CONN_UNICAST,	/* one site, or forced to the local net-output */
	FC_CONN_PASSTHRU,	/* several sites, one net-output */
	FC_CONN_ALL_REMOTE,	/* split, no target here */
	FC_CONN_SOME_LOCAL,	/* split, with targets here */
	FC_CONN_SINK,		/* no target can be reached: dropped */
};

/**
 * struct fc_in - a net-input; the queue in front of it is struct fc_rx
 * @held: the net-input's one word: the front in first, the terminator later
 * @seek_at: next time to count a seek, or FC_NEVER
 * @conn: connected net-outputs (input-connection-table, Table G)
 * @left: data bytes of the packet still to come
 * @seeks: times counted in first
 * @state: enum fc_netin_state
 * @type: enum fc_conn
 * @tail: what ends the packet in hand is still in the queue, and leaves it with the
 *	packet: to the peer it is not taken before
 * @arm: abort-request received for this multicast
 * @cut: the link was reset in mid-packet: the terminator will not come
 * @multi: the packet in hand has more than one flit
 * @reported_unreachable: targets without a route were reported to the source of the packet in hand
 */
struct fc_in {
	struct fc_flit held;
	u64 seek_at;
	u32 conn;
	u32 left;
	u16 seeks;
	u8 state;
	u8 type;
	bool tail;
	bool arm;
	bool cut;
	bool multi;
	bool reported_unreachable;
};

/**
 * struct fc_out - a net-output; its link is struct fc_tx
 * @mask: targets that leave here
 * @state: enum fc_netout_state
 * @in: net-input connected (output-connection-table, Table G), or FC_PORT_NONE
 * @claim: net-input that waits for this net-output with a packet of several
 *	flits; others stay away, or they could starve it
 * @term: parts of the terminator in hand (done and last)
 * @dead: the link was reset under the packet in hand: nothing more is sent
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
 * @timeout_at: when no word for too long means abort-request, or FC_NEVER
 * @room: free places
 * @state: enum fc_fifo_state
 * @backoff: the time-out is doubled so many times, at most FC_BACKOFF_MAX
 * @calm: packets that came in whole since @backoff last changed
 * @aborted: the packet in progress was a multicast and was aborted
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
 * Each time-out doubles the next, and so many whole packets halve it: where sites
 * are slower than the settings assume, or the network is very busy, packets that
 * only need longer are not aborted again and again.
 */
#define FC_BACKOFF_MAX		4
#define FC_BACKOFF_CALM	8

/**
 * struct fc_site - a site
 * @node: the site, as all its switches know it
 * @in: net-inputs, one for each port
 * @out: net-outputs, one for each port
 * @data: virtual channel of its packets
 * @now: time of the last event
 * @next_at: none of its own times is due before this
 * @rng: state of the random numbers, never 0
 * @work: net-inputs to look at
 * @seekers: net-inputs in first
 * @set: enum fc_set: whose channels it switches
 * @rotate: port looked at first, so that all get their turn
 * @fifo: the upstream fifo-buffer
 * @oper: enum fc_oper_state
 * @fired: for tests: where not NULL, called for every row that fires
 *
 * The caller's lock protects all members.  When routes or preference lists of @node have changed
 * the caller calls fc_site_rerouted().  @node, the arrays and @set never change after
 * fc_site_init().
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
	u8 set;
	u8 rotate;
	u8 oper;
	struct fc_fifo fifo;
	void (*fired)(const struct fc_site *site, unsigned int machine,
		      unsigned int state, unsigned int cond);
};

/**
 * fc_site_init() - a site at rest, its links down
 * @site: zeroed but for node, in, out, set, and of @data the arrays, window, and the queue and
 *	stat members of each struct fc_rx
 * @seed: of its random numbers
 */
void fc_site_init(struct fc_site *site, u64 seed);

/**
 * fc_site_event() - one event
 * @site: site
 * @ev: event
 * @fx: emptied, then filled
 *
 * Return: true if the effects had no room for all: perform them, then come
 * again with FC_EV_MORE.
 */
bool fc_site_event(struct fc_site *site, const struct fc_event *ev, struct fc_effects *fx);

/* Return: nothing is due before this time, or FC_NEVER. */
static inline u64 fc_site_next_at(const struct fc_site *site)
{
	return site->next_at < site->data.next_at ? site->next_at : site->data.next_at;
}

/* Return: how many flits the local net-input takes now; they get the numbers from fc_site_seq(). */
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
 * fc_site_purge() - release every handle; the site is to be initialised or freed next
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
