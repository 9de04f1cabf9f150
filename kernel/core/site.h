/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A site: operator, router, net-inputs, net-outputs and fifo-buffers (CARE,
 * section 2), composed.  One event in, a bounded list of effects out:
 *
 *	fc_site_event(site, event, effects)
 *
 * Whoever runs the site owns its memory, its clock and its lock, queues events
 * to it one at a time and performs the effects in their order.
 *
 * Whoever runs it also keeps a copy of each flit that went to a link, in the form in
 * which it went (the replay buffer, as long as the window), until FC_FX_RELEASE:
 * FC_FX_RESEND sends it again, FC_FX_RESCUE takes packets out of it.
 *
 * Port 0 is local.  Its net-input takes what the operator sends (the
 * downstream fifo-buffer is its queue); its net-output feeds the upstream
 * fifo-buffer and so the operator, which is always served at once: storage
 * for one packet (the network-buffer) is all it needs, and a site without room
 * to store a packet for others drops it, because its source keeps it until it is
 * confirmed.  So the local net-output always comes free, and with it everything
 * that waits for it (Documentation/design.rst, "Nothing hangs").
 */
#ifndef FC_CORE_SITE_H
#define FC_CORE_SITE_H

#include "base.h"
#include "channel.h"
#include "fsm.h"
#include "names.h"
#include "topo.h"
#include "wire.h"

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
 * @told_unreachable: the source of the packet in hand was told of targets
 *	without a way
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
	bool told_unreachable;
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
 * @aborted: the packet under way was a multicast and was aborted
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
 * struct fc_pref - preference table (Table G)
 * @count: for each direction, length of its list
 * @port: for each direction, net-outputs in decreasing order of preference
 */
struct fc_pref {
	u8 count[FC_DIRS_MAX];
	u8 port[FC_DIRS_MAX][FC_DIRS_MAX];
};

/**
 * struct fc_timing - what the paper leaves to the implementation
 * @seek: interval at which a net-input in first counts a seek
 * @timeout: how long the fifo-buffer waits for a word before abort-request, to
 *	begin with (struct fc_fifo, @backoff); up to half is added at random, so that
 *	two multicasts in each other's way do not abort together for ever
 * @retry: how long a flit that others have overtaken may still come by itself;
 *	doubles up to @probe
 * @tell: how long the peer waits to hear what was taken: less than @probe
 * @probe: how long a flit may stay unacknowledged before the peer is asked;
 *	doubles up to 16 times that
 * @seek_max: seeks after which a packet is forced to the local net-output
 * @fifo_room: places of the fifo-buffer; 0: unbounded (CARE, footnote 14), for
 *	a runner whose operator takes every word at once
 * @acks_apart: flits carry no acknowledgment, and none is taken from them: only statuses do,
 *	which carry the code of the network's key; never changes
 */
struct fc_timing {
	u64 seek;
	u64 timeout;
	u64 retry;
	u64 tell;
	u64 probe;
	u16 seek_max;
	u16 fifo_room;
	bool acks_apart;
};

/**
 * struct fc_site - a site
 * @topo: topology of the network
 * @pref: preference table
 * @routes: by site, directions in which ways over working links begin
 *	(core/routes.h); NULL where nothing is known to be dead
 * @timing: settings
 * @in: net-inputs, @nports of them
 * @out: net-outputs, @nports of them
 * @stat: counters, by enum fc_stat
 * @data: virtual channel of its packets
 * @now: time of the last event
 * @next_at: none of its own times is due before this
 * @rng: state of the random numbers, never 0
 * @id: identity
 * @work: net-inputs to look at
 * @seekers: net-inputs in first
 * @nports: ports with the local one
 * @set: enum fc_set: whose channels it switches
 * @rotate: port looked at first, so that all get their turn
 * @fifo: the upstream fifo-buffer
 * @oper: enum fc_oper_state
 * @rerouting: new routes are on their way: who has none now may have one then
 * @fired: for tests: where not NULL, told of every row that fires
 *
 * Its caller's lock protects all of it, and it may change @routes and @rerouting
 * between events, after which it says so (fc_site_rerouted()); @topo, the arrays, @id,
 * @nports and @set never change after fc_site_init(), and what @timing points to only between
 * events.
 */
struct fc_site {
	const struct fc_topo *topo;
	const struct fc_pref *pref;
	const u32 *routes;
	const struct fc_timing *timing;
	struct fc_in *in;
	struct fc_out *out;
	u64 *stat;
	struct fc_channel data;
	u64 now;
	u64 next_at;
	u64 rng;
	u32 id;
	u32 work;
	u32 seekers;
	u8 nports;
	u8 set;
	u8 rotate;
	u8 oper;
	bool rerouting;
	struct fc_fifo fifo;
	void (*fired)(const struct fc_site *site, unsigned int machine,
		      unsigned int state, unsigned int cond);
};

/* What happens to a site. */
enum fc_event_type {
	FC_EV_FLIT = 1,		/* a flit came in on a port, or from the operator on port 0 */
	FC_EV_STATUS,		/* the peer took flits; also what FC_EV_FLIT's frame says */
	FC_EV_LINK_UP,		/* empty at both ends */
	FC_EV_LINK_DOWN,
	FC_EV_ROOM,		/* the operator took words from the fifo-buffer */
	FC_EV_TIME,		/* something may be due */
	FC_EV_MORE,		/* the last event left work: the effects had no room */
	FC_EV_LOOK,		/* time to look at fronts (FC_FX_LOOK) */
};

/**
 * struct fc_event - one event
 * @type: enum fc_event_type
 * @port: port (flit, status, link); by which the front came, or FC_PORT_LOCAL: all (look)
 * @flags: FC_STATUS_* (status)
 * @now: time; never goes back
 * @seq: number of the flit; number of the peer's next flit (status)
 * @ack: flits the peer took (flit, status)
 * @count: window of the peer (link up); words (room)
 * @status: payload of the frame (status)
 * @flit: the flit; the site owns the handle from here on
 */
struct fc_event {
	u8 type;
	u8 port;
	u8 flags;
	u64 now;
	u32 seq;
	u32 ack;
	u32 count;
	struct fc_status status;
	struct fc_flit flit;
};

/* The packet's other branches were aborted: it goes on after a random wait (section 4.1). */
#define FC_SERVE_ABORTED	0x01

/* What is to be done about it. */
enum fc_effect_type {
	FC_FX_SEND = 1,		/* flit to a link, and a copy of it into the replay buffer */
	FC_FX_STATUS,		/* status frame to a link */
	FC_FX_STORE,		/* flit into the operator's network-buffer */
	FC_FX_SERVE,		/* operator: deliver @mask's local entries, send its others on */
	FC_FX_SERVE_LOCAL,	/* operator: deliver @mask's local entries */
	FC_FX_DISCARD,		/* operator: empty the network-buffer */
	FC_FX_UNREACHABLE,	/* tell the source: no way to these targets */
	FC_FX_DROP,		/* the handle is not needed any more */
	FC_FX_RESET,		/* the ends of a link contradict each other: begin it anew */
	FC_FX_RESEND,		/* flit to a link, as it was sent before */
	FC_FX_RELEASE,		/* flits sent before @seq need not be kept any more */
	FC_FX_RESCUE,		/* flits of a link that is gone may not have come: another way */
	FC_FX_LOOK,		/* a front waits for FC_EV_LOOK, when all else is done */
	FC_FX_RESERVE,		/* frame of mode csr to a link (core/csr_plan.h) */
	FC_FX_ADMITTED,		/* packet of this site leaves its lane (core/csr_plan.h) */
};

/**
 * struct fc_effect - one effect
 * @type: enum fc_effect_type
 * @port: link (send, status, reset, resend, release, rescue, look, reserve)
 * @vc: virtual channel there (send, status, resend, release, rescue, look)
 * @flags: FC_STATUS_* (status); FC_SERVE_* (serve)
 * @keep: another effect uses the handle after this one: act on a clone; else
 *	the handle's ownership goes to the runner
 * @hold: of a relay (enum fc_relay_effect_type)
 * @index: likewise
 * @seq: number of the flit, or of the next one (status); of the first one to be kept
 *	(release) or not known to have been taken (rescue)
 * @ack: flits taken from the port's other direction
 * @status: payload of the frame (status)
 * @mask: targets that go there (send of a front); that are to be served, all
 *	others of the list having no way (serve); that are meant (unreachable); when the packet
 *	will have come to its last target, or 0: it has not reserved (admitted)
 * @flit: the flit; its handle is NULL for a terminator without a frame; of a reserve @head and
 *	@data are the frame's payload, of an admitted @head is the packet's: neither has a handle
 */
struct fc_effect {
	u8 type;
	u8 port;
	u8 vc;
	u8 flags;
	bool keep;
	u16 hold;
	u16 index;
	u32 seq;
	u32 ack;
	u64 mask;
	struct fc_status status;
	struct fc_flit flit;
};

/* No step of a site has more effects than this. */
#define FC_STEP_EFFECTS	(2 * FC_PORTS_MAX)
/* A list this long takes several steps. */
#define FC_EFFECTS	(4 * FC_STEP_EFFECTS)

/**
 * struct fc_effects - list of effects
 * @n: how many
 * @fx: in the order to be performed
 */
struct fc_effects {
	u32 n;
	struct fc_effect fx[FC_EFFECTS];
};

/**
 * fc_site_init() - a site at rest, its links down
 * @site: zeroed but for topo, pref, timing, in, out, stat, id, nports, set, and of @data the
 *	arrays, window, and the queue and stat members of each struct fc_rx
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
 * fc_site_idle() - is nothing under way in the site
 * @site: site
 *
 * Return: true if every machine is free and every queue is empty.
 */
bool fc_site_idle(const struct fc_site *site);

/**
 * fc_site_purge() - give back every handle; the site is to be initialised or
 * freed next
 * @site: site
 * @drop: called for each handle
 * @arg: for @drop
 */
void fc_site_purge(struct fc_site *site, void (*drop)(void *arg, void *h), void *arg);

/**
 * fc_site_next_port() - where a control frame goes
 * @site: site
 * @dst: its destination, another site
 *
 * Return: a port whose link is up, or FC_PORT_NONE.
 */
u8 fc_site_next_port(struct fc_site *site, u32 dst);

/* Routes or preference lists have changed: who seeks may find a way at the next event. */
static inline void fc_site_rerouted(struct fc_site *site)
{
	site->work |= site->seekers;
}

/* Targets of a list that are at this site. */
u64 fc_site_local_mask(const struct fc_site *site, const u8 *head);

static inline u64 fc_mask_all(unsigned int n)
{
	return n >= 64 ? ~(u64)0 : fc_bit64(n) - 1;
}

/* The default preference table: each direction has the port of its own number. */
void fc_pref_default(struct fc_pref *pref, const struct fc_topo *topo);

/* xorshift64*: good enough to keep two sites from doing the same for ever. */
static inline u32 fc_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (u32)((*state * 0x2545F4914F6CDD1DULL) >> 32);
}

/* Below @n, which is at most 2^47: a product, because the kernel divides u64 slowly. */
static inline u64 fc_random_below(u64 *state, u64 n)
{
	return ((u64)(fc_random(state) >> 16) * n) >> 16;
}

#endif /* FC_CORE_SITE_H */
