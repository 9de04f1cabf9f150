/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The switch of a site in mode vnet, and in those that are made of it, postman and csr:
 * virtual networks (Jesshope, Miller and Yantchev, 1988), one virtual channel each.
 *
 * A packet goes in a class (vclass.h) and over each link in the virtual channel of its class there.
 * A packet begins on a link only with credit for all of its flits, so each input has room for it to
 * its end: it may wait, and nothing upstream is held by half of it.  Where its targets have
 * different next hops it splits into branches, each of which is sent when there is room for it; the
 * packet leaves its queue when the last branch is sent.  Every branch goes to a channel of higher
 * rank, and this site takes packets for it at once: no circular wait is possible
 * (Documentation/design.rst, "Virtual networks").
 *
 * The operator takes a packet without a route in its class, because links are dead, and sends it
 * anew from here: in classes like any packet of this site, outside of which it waits.
 */
#ifndef FC_CORE_VNET_VNET_H
#define FC_CORE_VNET_VNET_H

#include "core/link/event.h"
#include "core/link/node.h"
#include "core/vnet/postman.h"
#include "core/topo/vclass.h"

struct fc_csr_plan;

/* Where packets of this site wait: so many do not stand behind each other. */
#define FC_VNET_INJQS	4
#define FC_VBRANCH_NONE	0xffffffffU

/**
 * struct fc_vbranch - a packet that leaves a site by one channel
 * @mask: targets that leave by it
 * @next: the branch that waits behind it for the same channel, or FC_VBRANCH_NONE
 * @flit: of the packet, the next to be sent
 * @port: link
 * @class: class there
 * @begun: its front was sent, or cannot be taken back
 * @completed: it has left
 * @asked: the peer was asked to ack the flits in flight once it has consumed them
 * @dead: the front was forwarded speculatively to a wrong output: the branch aborts
 */
struct fc_vbranch {
	u64 mask;
	u32 next;
	u16 flit;
	u8 port;
	u8 class;
	bool begun;
	bool completed;
	bool asked;
	bool dead;
};

/* Has the switch made the routing decision for a packet? */
enum fc_routed {
	FC_ROUTED_NOT,	/* no: the packet waits for FC_EV_ROUTE */
	FC_ROUTED_NOW,	/* FC_EV_ROUTE has arrived */
	FC_ROUTED_DONE,
};

/**
 * struct fc_vin - what comes in by one channel: the packet at the front of its queue
 * @branch: its branches, fc_vnet_branches() of them; comes and goes with the queue (struct fc_rx)
 * @oper: targets that the operator is to serve when it is whole
 * @links: ports by which it may leave
 * @left: data bytes still to come
 * @n: its flits
 * @come: of these, come
 * @freed: of these, out of the queue
 * @nbranches: how many branches
 * @active: of these, not completed
 * @busy: there is a packet
 * @datagram: it is a datagram
 * @whole: it has come to its end
 * @cut: its end will not come
 * @moved: flits of it are not here any more
 * @seek: of this site, and without a route until routes change
 * @routed: enum fc_routed
 * @ran: the front was forwarded speculatively, as the first branch
 */
struct fc_vin {
	struct fc_vbranch *branch;
	u64 oper;
	u32 links;
	u32 left;
	u16 n;
	u16 come;
	u16 freed;
	u8 nbranches;
	u8 active;
	bool busy;
	bool datagram;
	bool whole;
	bool cut;
	bool moved;
	bool seek;
	bool ran;
	u8 routed;
};

/**
 * struct fc_vout - what goes out by one channel: branches in order, each to its end
 * @first: the one being sent, or FC_VBRANCH_NONE
 * @last: the last one
 * @load: flits of all of them
 */
struct fc_vout {
	u32 first;
	u32 last;
	u32 load;
};

/* Entries of a route cache. */
#define FC_VROUTES	64

/**
 * struct fc_vroute - the next hops of packets to a site
 * @dst: the site; FC_SITE_NONE: the entry is empty
 * @dirs: directions, over links that are up or not
 * @from: class in which the packets arrived, or FC_VCLASSES_MAX: this site sends them
 * @class: row of struct fc_vroute_cache, @next, that has their class on each link
 */
struct fc_vroute {
	u32 dst;
	u32 dirs;
	u8 from;
	u8 class;
};

/**
 * struct fc_vroute_cache - results of core/topo/vclass.h, which take longer to compute
 * @route: by destination and class; a new entry replaces the old one
 * @next: by class in which a packet is here, and direction: its class on that link
 *
 * All are functions of the topology and the site, so no entry is ever stale.
 */
struct fc_vroute_cache {
	struct fc_vroute route[FC_VROUTES];
	u8 next[][FC_DIRS_MAX];
};

static inline size_t fc_vroute_cache_size(u8 nclasses)
{
	return sizeof(struct fc_vroute_cache) + (size_t)nclasses * FC_DIRS_MAX;
}

/**
 * struct fc_vnet - the switch
 * @classes: of the topology
 * @node: the site, as all its switches know it
 * @straight: outputs straight on by class and port, for mode postman; NULL in others
 * @ch: channels, by class
 * @in: by class and port
 * @out: by class and port
 * @now: time of the last event
 * @next_at: nothing is due before this time
 * @resets: ports of which @reset has classes
 * @reset: by port, classes whose channel is still to begin anew
 * @come: by class, ports on which something has come in, or may leave the queue
 * @go: by class, ports on which something may go out
 * @unrouted: by class, ports whose front waits for FC_EV_ROUTE
 * @work: classes of which @come or @go has ports
 * @touched: classes whose channel may have something to report, or be due earlier
 * @payload: bytes of a flit without its link header
 * @up: ports whose link is up
 * @window: by port, of the peer
 * @nrouted: targets of the packets that were routed in this event
 * @rotate: class that is served first
 * @nports: ports with the local one
 * @nclasses: classes
 * @injqs: channels whose local port takes packets of this site
 * @set: enum fc_set, which determines its channels on the links
 * @cache: fc_vroute_cache_size() bytes of any content, or NULL: no cache
 * @plan: in mode csr: determines when packets leave, and where; else NULL
 * @apart: no two branches of a packet come to the same site, as mode csr needs it (core/vnet/split.h)
 * @slow: every front that comes waits for FC_EV_ROUTE, not only speculatively forwarded ones
 * @stepwise: no flit is sent on without going through the queues; may change between events
 *
 * The caller's lock protects all members.  When routes of the site have changed the caller calls
 * fc_vnet_rerouted().  Only state and @stepwise change after fc_vnet_init().
 */
struct fc_vnet {
	/* Two cache lines that every event uses. */
	const struct fc_vclass *classes;
	const struct fc_node *node;
	struct fc_channel *ch;
	struct fc_vin *in;
	struct fc_vout *out;
	u64 now;
	u64 next_at;
	u64 work;
	u64 touched;
	u32 resets;
	u32 payload;
	u32 up;
	u32 nrouted;
	u8 rotate;
	u8 nports;
	u8 nclasses;
	u8 injqs;
	u8 set;
	bool slow;
	bool stepwise;
	bool apart;
	const struct fc_straight *straight;
	struct fc_csr_plan *plan;
	struct fc_vroute_cache *cache;
	u32 come[FC_VCLASSES_MAX];
	u32 go[FC_VCLASSES_MAX];
	u32 unrouted[FC_VCLASSES_MAX];
	u64 reset[FC_PORTS_MAX];
	u32 window[FC_PORTS_MAX];
};

/* Flits that a packet may have, where a flit has so many bytes without its link header. */
static inline u32 fc_vnet_flits(u32 payload)
{
	return 1 + (FC_PACKET_MAX + payload - 1) / payload;
}

/**
 * fc_vnet_window() - flits in flight per channel
 * @payload: bytes of a flit without its link header
 *
 * As many as a status can name.
 * Return: 0: not even one packet fits a channel; flits are too small for the mode.
 */
u32 fc_vnet_window(u32 payload);

/* Branches of a packet at a site: one per direction, and in mode postman a dead one. */
static inline u8 fc_vnet_branches(u8 ndirs)
{
	return ndirs + 1;
}

/**
 * fc_vnet_init() - a switch at rest, its links down
 * @v: zeroed but for classes, node, straight, cache, the arrays, payload, nports, nclasses,
 *	set, apart, slow, and of each channel the arrays, window, and the queue and stat members
 *	of each struct fc_rx; of each struct fc_vin its branches
 */
void fc_vnet_init(struct fc_vnet *v);

/**
 * fc_vnet_event() - one event
 * @v: switch
 * @class: of the channel (flit, status, route); else 0
 * @ev: event; a flit of port 0 goes to injection queue @class
 * @fx: emptied, then filled: effects of a site (enum fc_effect_type), each with its
 *	virtual channel
 *
 * Return: true if there is more to do than goes in one event: perform the effects, then come again
 * with FC_EV_MORE.  Any other event may come before that, and does what is left, too.
 */
bool fc_vnet_event(struct fc_vnet *v, u8 class, const struct fc_event *ev, struct fc_effects *fx);

/* Return: an injection queue for a packet, or -1.  Its flits are numbered from fc_vnet_seq() on. */
int fc_vnet_injq(const struct fc_vnet *v);
u32 fc_vnet_seq(const struct fc_vnet *v, u8 injq);

/* Routes have changed: seeking packets may find a route at the next event. */
void fc_vnet_rerouted(struct fc_vnet *v);

/**
 * fc_vnet_begin() - the class in which a packet of this site begins
 * @v: switch
 * @dst: sites that it is for; this one does not count
 * @n: how many
 *
 * Return: the lowest class of all of them, in which each has a route.
 */
u8 fc_vnet_begin(const struct fc_vnet *v, const u32 *dst, u32 n);

/**
 * fc_vnet_next_hops() - links by which a packet may leave
 * @v: switch
 * @class: in which it begins or came
 * @port: by which it came, or FC_PORT_LOCAL
 * @dst: another site that it is for
 * @flits: its length
 * @next: result: for each direction of the mask, the class on the link there
 *
 * The switch keeps targets together that can share many links (core/vnet/split.h), and chooses among
 * several next hops one with a short queue.
 * Return: mask of directions over links that are up.
 */
u32 fc_vnet_next_hops(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 flits,
		      u8 next[FC_DIRS_MAX]);

/* Does the switch hold no packet? */
bool fc_vnet_idle(const struct fc_vnet *v);

/* Release every handle; the switch is to be initialised or freed next. */
void fc_vnet_purge(struct fc_vnet *v, void (*drop)(void *arg, void *h), void *arg);

#endif /* FC_CORE_VNET_VNET_H */
