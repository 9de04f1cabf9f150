/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The switch of a site in mode vnet, and in the modes derived from it, postman and csr:
 * virtual networks (Jesshope, Miller and Yantchev, 1988), one virtual channel each.
 *
 * A packet has a class (core/topo/vclass.h), and on each link uses the virtual channel of its class
 * there.  Its transmission on a link begins only with credit for all of its flits, so each input
 * has space for the whole packet: a packet that waits blocks no site upstream by its remainder.  If
 * its targets have different next hops, it splits into branches, each of which is sent when there
 * is credit for it; the packet leaves its queue when the last branch is sent.  Every branch goes to
 * a channel of higher rank, and packets for this site are taken at once: no circular wait is
 * possible (Documentation/design.rst, "Virtual networks").
 *
 * If dead links leave a packet without a route in its class, the operator takes it and sends it
 * from this site, in classes like a packet of this site; it waits outside of all classes.
 */
#ifndef FC_CORE_VNET_VNET_H
#define FC_CORE_VNET_VNET_H

#include "core/link/event.h"
#include "core/link/node.h"
#include "core/link/stall.h"
#include "core/vnet/postman.h"
#include "core/vnet/vnet_cache.h"
#include "core/topo/vclass.h"

struct fc_csr_plan;

/* Number of injection queues, in which packets of this site wait independently. */
#define FC_VNET_INJQS	4
#define FC_VBRANCH_NONE	0xffffffffU

/**
 * struct fc_vbranch - a packet that leaves a site by one channel
 * @mask: targets of the branch
 * @next: number of the next branch in the queue of the channel, or FC_VBRANCH_NONE
 * @flit: index in the packet of the next flit to send
 * @port: port of the link
 * @class: class on the link
 * @begun: the front was sent, or will be in any case
 * @completed: all flits were sent
 * @asked: the peer was requested to ack the flits in flight once it has consumed them
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
 * struct fc_vin - input channel: the packet at the front of its queue
 * @branch: fc_vnet_branches() branches; allocated and freed with the queue (struct fc_rx)
 * @progress: progress of its arrival
 * @oper: targets that the operator serves when the packet has arrived whole
 * @links: ports by which the packet may leave
 * @left: number of data bytes that have not arrived
 * @n: number of flits of the packet
 * @come: number of flits that have arrived
 * @freed: number of flits that have left the queue
 * @nbranches: number of branches
 * @active: number of branches that are not completed
 * @busy: there is a packet
 * @datagram: the packet is a datagram
 * @whole: the last flit has arrived
 * @cut: the last flit will not arrive
 * @moved: some flits have left this site
 * @seek: the packet, of this site, has no route until routes change
 * @routed: enum fc_routed
 * @ran: the front was forwarded speculatively, as the first branch
 * @stored: the packet is routed when it has arrived whole
 * @abandoned: a branch was abandoned, because its link takes nothing
 * @rest: the last packet was cut because its rest did not arrive: that is dropped if it comes
 */
struct fc_vin {
	struct fc_vbranch *branch;
	struct fc_progress progress;
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
	bool stored;
	bool abandoned;
	bool rest;
	u8 routed;
};

/**
 * struct fc_vout - output channel: queue of branches, each of which is sent whole
 * @first: number of the branch that is being sent, or FC_VBRANCH_NONE
 * @last: number of the last branch
 * @load: number of flits of all branches
 */
struct fc_vout {
	u32 first;
	u32 last;
	u32 load;
};

/**
 * struct fc_vnet - the switch
 * @classes: of the topology
 * @node: state of the site that its switches share
 * @straight: speculative outputs by class and port, for mode postman; NULL in other modes
 * @ch: channels, by class
 * @in: by class and port
 * @out: by class and port
 * @now: time of the last event
 * @next_at: no timer expires before this time
 * @resets: ports with classes in @reset
 * @reset: by port, classes whose channel is still to be reset
 * @stall: by port, slow packets
 * @check: when to check the packets that arrive
 * @come: by class, ports whose input has a flit to process, or one that may leave the queue
 * @go: by class, ports whose output may have a flit to send
 * @unrouted: by class, ports whose front waits for FC_EV_ROUTE
 * @work: classes with ports in @come or @go
 * @touched: classes whose channel may have a status to send, or an earlier timer
 * @payload: bytes of a flit without its link header
 * @up: ports whose link is up
 * @window: by port, window of the peer
 * @nrouted: number of targets of the packets that were routed in this event
 * @rotate: class that is served first
 * @nports: number of ports, including the local one
 * @nclasses: number of classes
 * @injqs: number of injection queues: channels whose local port takes packets of this site
 * @set: enum fc_set, which determines its channels on the links
 * @cache: fc_vroute_cache_size() bytes of any content, or NULL: no cache
 * @plan: state of mode csr, which determines the time and link of departures; else NULL
 * @apart: no two branches of a packet cross the same site, as mode csr requires (core/vnet/split.h)
 * @slow: every front waits for FC_EV_ROUTE, not only speculatively forwarded ones
 * @stepwise: every flit passes through the queues; may change between events
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
	struct fc_stall stall[FC_PORTS_MAX];
	struct fc_stall_clock check;
};

/* Return: maximum number of flits of a packet; @payload: bytes of a flit without link header. */
static inline u32 fc_vnet_flits(u32 payload)
{
	return 1 + (FC_PACKET_MAX + payload - 1) / payload;
}

/**
 * fc_vnet_window() - default window of a channel: as many flits as a status can report
 * @payload: bytes of a flit without its link header
 *
 * Return: the window; 0 if a packet does not fit it: flits are too small for the mode.
 */
u32 fc_vnet_window(u32 payload);

/* Return: maximum number of branches of a packet: one for each direction, and a dead one. */
static inline u8 fc_vnet_branches(u8 ndirs)
{
	return ndirs + 1;
}

/**
 * fc_vnet_init() - initialise a switch without packets, its links down
 * @v: zeroed but for classes, node, straight, cache, the arrays, payload, nports, nclasses,
 *	set, apart, slow, and of each channel the arrays, window, and the queue and stat members
 *	of each struct fc_rx; of each struct fc_vin its branches
 */
void fc_vnet_init(struct fc_vnet *v);

/**
 * fc_vnet_event() - process one event
 * @v: switch
 * @class: class of the channel (flit, status, route); else 0
 * @ev: event; a flit of port 0 is for injection queue @class
 * @fx: result: effects (enum fc_effect_type), each with its virtual channel; any content
 *
 * Return: true if work is left: the caller performs the effects, and continues with FC_EV_MORE or
 * any other event.
 */
bool fc_vnet_event(struct fc_vnet *v, u8 class, const struct fc_event *ev, struct fc_effects *fx);

/* Return: a free injection queue, or -1.  fc_vnet_seq() returns the number of its next flit. */
int fc_vnet_injq(const struct fc_vnet *v);
u32 fc_vnet_seq(const struct fc_vnet *v, u8 injq);

/* Routes have changed: seeking packets may find a route at the next event. */
void fc_vnet_rerouted(struct fc_vnet *v);

/**
 * fc_vnet_begin() - the class in which a packet of this site begins
 * @v: switch
 * @dst: target sites; this site is ignored
 * @n: number of targets
 *
 * Return: the lowest class of all targets, in which each has a route.
 */
u8 fc_vnet_begin(const struct fc_vnet *v, const u32 *dst, u32 n);

/**
 * fc_vnet_next_hops() - links by which a packet may leave
 * @v: switch
 * @class: class in which it begins or arrived
 * @port: input port, or FC_PORT_LOCAL
 * @dst: target site, not this one
 * @flits: number of flits of the packet
 * @next: result: for each direction of the mask, the class on that link
 *
 * The switch keeps targets together that can share many links (core/vnet/split.h), and chooses a
 * next hop with a short queue.
 * Return: mask of directions over links that are up.
 */
u32 fc_vnet_next_hops(const struct fc_vnet *v, u8 class, u8 port, u32 dst, u32 flits,
		      u8 next[FC_DIRS_MAX]);

/* Does the switch hold no packet? */
bool fc_vnet_idle(const struct fc_vnet *v);

/* Release every handle; the caller initialises or frees the switch next. */
void fc_vnet_purge(struct fc_vnet *v, void (*drop)(void *arg, void *h), void *arg);

#endif /* FC_CORE_VNET_VNET_H */
